"""Packs, dice and shoes by name: which one, since when, by whom, and what ends the use of a pack."""

from tablectl.core.actions.authority import Need, need_of
from tablectl.core.effects import Announce
from tablectl.core.events.audit import MaterialChanged
from tablectl.core.facts.game_requests import PackConfirmed
from tablectl.core.facts.table_requests import IrregularityDeclared, Material, MaterialNamed
from tablectl.core.materials import InUse
from tests.support.q_poker import new_table, versus
from tests.support.sitting import fact, one, refused, stamp

FOREIGN = IrregularityDeclared("foreign_card")


def test_last_named_material_is_in_use_with_time_and_person() -> None:
    table = new_table()
    table.tell(MaterialNamed(Material.SHOE, "S-1"))
    at = len(table.facts)
    event = one(table.tell(MaterialNamed(Material.SHOE, "S-2"), by="lei"), Announce)
    said = event.event
    assert isinstance(said, MaterialChanged)
    assert (said.name, said.previous, said.by) == ("S-2", "S-1", "lei")
    assert table.table.materials == (InUse(Material.SHOE, "S-2", stamp(at).utc_us, "lei"),)


def test_withdrawn_pack_returns_with_a_supervisor_only() -> None:
    table = new_table()
    table.tell(MaterialNamed(Material.PACK, "P-1"))
    table.begin(versus()).deal()
    table.does(FOREIGN)
    (pack,) = table.table.materials
    assert (pack.name, pack.fit) == ("P-1", False)
    assert refused(table.tell(PackConfirmed())) == ("table", "pack_unfit")
    needs = [need_of(table.game, table.table, fact(MaterialNamed(Material.PACK, name), 99)) for name in ("P-1", "P-2")]
    assert needs == [Need.SUPERVISOR, Need.ANY]
    table.does(MaterialNamed(Material.PACK, "P-2"), PackConfirmed())


def test_a_refused_declaration_leaves_the_pack_in_use() -> None:
    table = new_table()
    table.tell(MaterialNamed(Material.PACK, "P-1"))
    assert refused(table.tell(FOREIGN)) == ("1(1)", "no_cards_out")
    assert table.table.materials[0].fit


def test_foreign_card_after_an_open_card_takes_a_supervisor() -> None:
    table = new_table().begin(versus()).deal()
    assert need_of(table.game, table.table, fact(FOREIGN, 99)) is Need.ANY
    table.turn_up(1)
    assert need_of(table.game, table.table, fact(FOREIGN, 99)) is Need.SUPERVISOR
