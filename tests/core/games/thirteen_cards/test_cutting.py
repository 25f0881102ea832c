"""The cut of the pack: on record with who cut, and made again where it was of too few cards."""

import pytest

from tablectl.core.events.round import Irregular
from tablectl.core.facts.game_requests import PackCut
from tablectl.core.games.thirteen_cards.state import Phase
from tests.support.sitting import refused
from tests.support.thirteen_cards import SHUFFLER, Sitting, irregularity, new_table, on


def betting() -> Sitting:
    return new_table().begin(on(2))


@pytest.mark.article("thirteen_cards", "2.a")
@pytest.mark.article("thirteen_cards", "reading 23")
@pytest.mark.parametrize("bettor", ["ann", ""])
def test_the_cut_is_on_record_with_who_cut(bettor: str) -> None:
    table = betting()
    assert table.tell(PackCut(10, bettor)) == ()
    assert table.public()["cut"] == {"count": 10, "bettor": bettor}
    table.shaken()
    assert (table.phase, table.state.cut) == (Phase.DEALING, table.state.cut)
    assert table.public()["cut"] == {"count": 10, "bettor": bettor}


@pytest.mark.article("thirteen_cards", "2.a")
@pytest.mark.article("thirteen_cards", "reading 23")
@pytest.mark.parametrize("count", [0, 9])
def test_cut_of_fewer_than_ten_cards_is_repeated(count: int) -> None:
    table = betting()
    assert irregularity(table.tell(PackCut(count, "ann"))) == ("2(a)", "cut_wrongly", "mended")
    assert (table.prompt(), table.all_of(Irregular)[0].bettor) == ("cut", "ann")
    table.shake(1, 1, 1, 2)
    assert table.phase == Phase.BETTING
    table.tell(PackCut(10, "ann"))
    table.confirm_pack()
    table.shake(1, 1, 1, 2)
    assert table.phase == Phase.DEALING


@pytest.mark.article("thirteen_cards", "reading 23")
def test_a_cut_declared_wrong_is_made_again() -> None:
    table = betting()
    table.declare("cut_wrongly")
    assert (table.prompt(), table.public()["boxed"]) == ("cut", False)


def test_short_cut_between_rounds_is_recorded_in_no_round() -> None:
    table = new_table(shuffler=SHUFFLER)
    table.confirm_pack()
    table.shuffled()
    assert (table.tell(PackCut(3)), table.prompt()) == ((), "cut")
    assert refused(table.tell(PackCut(43))) == ("2(a)", "cut_of_more")
