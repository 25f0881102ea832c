"""Packs, dice and shoes by name: which one is in use, since when, and who said so."""

from typing import Final

from tablectl.core.actions.layout import Layout
from tablectl.core.effects import Effects, announce, refusal
from tablectl.core.events.audit import MaterialChanged
from tablectl.core.facts import Fact
from tablectl.core.facts.table_requests import IrregularityDeclared, Material, MaterialNamed
from tablectl.core.money import utc_text
from tablectl.lazy_dataclass import dataclass, replace

FOREIGN_CARD: Final = "foreign_card"
"""The kind of irregularity that ends the use of a pack: a card that isn't of it, or that comes twice."""


@dataclass(frozen=True, slots=True)
class InUse:
    """Material in use at a table.

    Args:
        name: empty where nobody named it.
        since_us: when it was named, UTC microseconds.
        by: who named it.
        fit: whether it may be played with.
    """

    kind: Material
    name: str
    since_us: int
    by: str
    fit: bool = True


Materials = tuple[InUse, ...]
"""One of each kind, in the order in which the kinds were first named."""


def in_use(materials: Materials, kind: Material) -> InUse | None:
    """The material of this kind that was named last."""
    return next((each for each in materials if each.kind is kind), None)


def kinds_of(layout: Layout) -> tuple[Material, ...]:
    """The kinds of material that a table with this layout has."""
    cards = (Material.PACK, Material.SHOE) if layout.cards else ()
    return (*cards, Material.DICE) if layout.dice else cards


def named(
    game: str, materials: Materials, fact: Fact, asked: MaterialNamed, kinds: tuple[Material, ...]
) -> tuple[Materials, Effects]:
    """The materials after the dealer has said which one is used from now on.

    Args:
        kinds: those that the table has.
    """
    if asked.kind not in kinds:
        return materials, (refusal(game, "table", "not_played_here"),)
    if not asked.name.strip():
        return materials, (refusal(game, "table", "material_unnamed"),)
    return _changed(materials, InUse(asked.kind, asked.name, fact.at.utc_us, fact.by or fact.source))


def spoiled(materials: Materials, fact: Fact, asked: IrregularityDeclared) -> tuple[Materials, Effects]:
    """The materials after a declared irregularity.

    A foreign or doubled card ends the use of the pack.
    """
    if asked.kind != FOREIGN_CARD:
        return materials, ()
    pack = in_use(materials, Material.PACK)
    who = fact.by or fact.source
    unfit = replace(pack, fit=False) if pack else InUse(Material.PACK, "", fact.at.utc_us, who, fit=False)
    return _changed(materials, unfit, who)


def unfit_pack(materials: Materials) -> InUse | None:
    """The pack in use, where it may not be played with."""
    pack = in_use(materials, Material.PACK)
    return None if pack is None or pack.fit else pack


def _changed(materials: Materials, new: InUse, by: str = "") -> tuple[Materials, Effects]:
    old = in_use(materials, new.kind)
    event = MaterialChanged(
        by or new.by, new.kind.value, new.name, old.name if old else "", utc_text(new.since_us), new.fit
    )
    if old is None:
        return (*materials, new), announce(event)
    return tuple(new if each is old else each for each in materials), announce(event)
