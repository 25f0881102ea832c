"""The display lost while bets are laid: none is taken or changed until the draw is shown again. Reading 13."""

from collections.abc import Callable

import pytest

from tablectl.core.actions.authority import Need, need_of
from tablectl.core.effects import Effects
from tablectl.core.facts import Fact, Stamp
from tablectl.core.facts.reports import DeviceLost
from tablectl.core.facts.table_requests import IrregularityDeclared
from tablectl.core.games.football_poker.state import Phase
from tests.support.football_poker import DISPLAY, Sitting, bet, new_table
from tests.support.football_poker_deals import up_to
from tests.support.poker import SHOE, irregularity
from tests.support.sitting import refused

SHOWN_OTHERWISE = IrregularityDeclared("shown_otherwise")
NOT_SHOWN = ("6(1)", "draw_not_shown")


def lost() -> Sitting:
    """A table with a bet whose display has gone."""
    table = new_table().begin(bet())
    table.lose(DISPLAY)
    return table


def restarted() -> Sitting:
    """A table with a bet whose display has started anew."""
    table = new_table().begin(bet())
    table.attach(DISPLAY, boot="2")
    return table


@pytest.mark.article("football_poker", "reading 13")
@pytest.mark.parametrize("table", [lost(), restarted()], ids=["lost", "restarted"])
def test_without_a_display_no_bet_is_taken_or_changed(table: Sitting) -> None:
    before = table.state.bets
    for effects in (table.bet(2), table.bet(), table.take_back()):
        assert refused(effects) == NOT_SHOWN
    assert table.state.bets == before


def returned(table: Sitting) -> Effects:
    table.attach(DISPLAY)
    return table.show()


def declared(table: Sitting) -> Effects:
    return table.tell(SHOWN_OTHERWISE, by="supervisor")


@pytest.mark.article("football_poker", "6.1")
@pytest.mark.article("football_poker", "reading 13")
@pytest.mark.parametrize("shows", [returned, declared])
def test_bets_go_on_once_the_draw_is_shown_again(shows: Callable[[Sitting], Effects]) -> None:
    table = lost()
    shows(table)
    assert refused(table.bet(2)) is None
    assert refused(table.take_back()) is None
    table.lose(DISPLAY)
    assert refused(table.bet(3)) == NOT_SHOWN


@pytest.mark.article("football_poker", "reading 13")
def test_returning_display_takes_no_bet_before_showing_the_draw() -> None:
    table = lost()
    assert (table.prompt(), table.public()["draw"]["shown"]) == ("device", False)
    table.attach(DISPLAY)
    assert table.prompt() == "shown_again"
    assert refused(table.bet(2)) == NOT_SHOWN
    table.show()
    assert table.prompt() == "betting"
    assert refused(table.bet(2)) is None


@pytest.mark.article("football_poker", "reading 13")
def test_that_draw_is_shown_otherwise_is_supervisors_word_and_recorded() -> None:
    table = lost()
    asked = Fact(SHOWN_OTHERWISE, Stamp(0, 0, "boot"), "console", by="dealer")
    assert need_of(table.game, table.table, asked) is Need.SUPERVISOR
    assert irregularity(declared(table)) == ("6(1)", "shown_otherwise", "continues")
    assert table.deal().finish().irregularities == ("6(1)",)


@pytest.mark.parametrize("when", [Phase.DRAWING, Phase.BETTING, Phase.OPENING])
def test_of_a_draw_that_is_not_lost_nothing_is_declared(when: Phase) -> None:
    assert refused(declared(up_to(when))) == ("6(1)", "display_not_lost")


@pytest.mark.parametrize("gone", ["", SHOE])
def test_another_device_that_goes_stops_no_bet(gone: str) -> None:
    table = new_table(display="" if not gone else DISPLAY).begin(bet())
    table.tell(DeviceLost(gone or DISPLAY))
    assert refused(table.bet(2)) is None


@pytest.mark.article("football_poker", "reading 13")
def test_a_lost_display_stops_neither_the_deal_nor_the_settlement() -> None:
    assert lost().deal().finish().round_id
