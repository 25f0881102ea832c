"""The shuffler fails, restarts or is away: article 2(2)."""

import pytest

from tablectl.core.dealing.pack import PackState
from tablectl.core.events.round import Irregular
from tablectl.core.facts.card_requests import Dealing, MalfunctionDeclared
from tablectl.core.facts.reports import ShuffleCompleted
from tablectl.core.faults import CATALOGUE, Code
from tablectl.core.games.football_poker.state import Phase
from tests.support.football_poker import new_table
from tests.support.football_poker_deals import in_phase
from tests.support.poker import SHUFFLER, irregularity, voided
from tests.support.sitting import refused

SPOILERS = [code for code, line in CATALOGUE.items() if line.spoils_deal]


@pytest.mark.article("football_poker", "2.2")
@pytest.mark.article("football_poker", "reading 9")
@pytest.mark.parametrize("code", SPOILERS)
@pytest.mark.parametrize("when", [Phase.DEALING, Phase.THIRDS])
def test_malfunction_of_shuffler_in_deal_makes_round_void(code: Code, when: Phase) -> None:
    table = in_phase(when, Dealing.SHUFFLER)
    assert irregularity(table.raise_fault(code)) == ("2(2)", "shuffler_failed", "round_void")


@pytest.mark.article("football_poker", "2.2")
@pytest.mark.parametrize("when", [Phase.DEALING, Phase.THIRDS])
def test_malfunction_that_dealer_sees_makes_round_void_and_shuffler_useless(when: Phase) -> None:
    table = in_phase(when, Dealing.SHUFFLER)
    assert voided(table.tell(MalfunctionDeclared())) == ("2(2)", "shuffler_failed")
    assert refused(table.open_round()) == ("2(2)", "fault_stands")
    table.acknowledge(Code.SHUFFLER_FAILED_DEALING)
    assert refused(table.open_round()) is None


@pytest.mark.article("football_poker", "2.2")
@pytest.mark.parametrize("when", [phase for phase in Phase if phase not in {Phase.DEALING, Phase.THIRDS}])
def test_outside_the_deal_the_shuffler_fails_no_round(when: Phase) -> None:
    table = in_phase(when, Dealing.SHUFFLER)
    assert refused(table.tell(MalfunctionDeclared())) == ("2(2)", "shuffler_not_dealing")
    table.raise_fault(Code.SHUFFLER_JAM)
    assert table.phase == when
    assert not table.all_of(Irregular)


@pytest.mark.article("football_poker", "2.2")
def test_shuffler_failure_during_the_look_blocks_third_cards() -> None:
    table = in_phase(Phase.LOOKING, Dealing.SHUFFLER)
    table.raise_fault(Code.SHUFFLER_JAM)
    table.look()
    assert (table.phase, table.prompt()) == (Phase.THIRDS, "shuffler_fault")
    assert voided(table.tell(MalfunctionDeclared())) == ("2(2)", "shuffler_failed")


@pytest.mark.article("football_poker", "2.2")
@pytest.mark.parametrize("when", [Phase.DRAWING, Phase.BETTING, Phase.CLOSED])
def test_jam_before_first_card_makes_pack_unfit_and_keeps_bets(when: Phase) -> None:
    table = in_phase(when, Dealing.SHUFFLER)
    bets = table.state.bets
    table.raise_fault(Code.SHUFFLER_JAM)
    assert (table.pack, table.state.bets) == (PackState.NEEDED, bets)


@pytest.mark.article("football_poker", "2.2")
def test_late_report_of_a_shuffle_that_failed_counts_no_more() -> None:
    table = new_table(Dealing.SHUFFLER)
    table.open_round()
    operation = table.state.pack.operation
    table.raise_fault(Code.SHUFFLER_JAM)
    table.tell(ShuffleCompleted(SHUFFLER, operation, 52))
    assert table.pack == PackState.NEEDED


@pytest.mark.article("football_poker", "2.2")
def test_malfunction_of_shuffler_is_nothing_to_a_round_from_shoe() -> None:
    table = in_phase(Phase.DEALING, Dealing.SHOE)
    table.raise_fault(Code.SHUFFLER_JAM)
    table.attach(SHUFFLER, boot="2")
    table.draw("4d", "Kc", "Th", "2s", "6d", "9s")
    assert table.finish().irregularities == ()


@pytest.mark.article("football_poker", "2.2")
@pytest.mark.parametrize("when", [Phase.DEALING, Phase.THIRDS])
def test_shuffler_that_restarts_in_the_deal_makes_the_round_void(when: Phase) -> None:
    table = in_phase(when, Dealing.SHUFFLER)
    table.lose(SHUFFLER)
    assert table.prompt() == "device"
    assert voided(table.attach(SHUFFLER, boot="2")) == ("2(2)", "shuffler_failed")
    assert table.faults == [Code.RESTARTED, Code.SHUFFLER_FAILED_DEALING]


@pytest.mark.article("football_poker", "2.2")
@pytest.mark.parametrize("boot", ["1", ""])
def test_a_shuffler_that_comes_back_without_a_restart_deals_on(boot: str) -> None:
    table = in_phase(Phase.DEALING, Dealing.SHUFFLER)
    table.lose(SHUFFLER)
    table.attach(SHUFFLER, boot=boot)
    table.packet()
    table.packet()
    assert table.look().deal_thirds().finish().irregularities == ()


@pytest.mark.article("football_poker", "2.2")
def test_a_shuffler_that_restarts_while_shuffling_has_lost_the_shuffle() -> None:
    table = new_table(Dealing.SHUFFLER)
    table.open_round()
    table.attach(SHUFFLER, boot="2")
    assert (table.phase, table.pack) == (Phase.DRAWING, PackState.NEEDED)


def test_restart_of_daemon_in_a_deal_from_shuffler_loses_nothing() -> None:
    """The shuffler keeps its reports until they are stored, so that none is missed."""
    table = in_phase(Phase.DEALING, Dealing.SHUFFLER)
    before = table.state
    table.restart()
    table.attach(SHUFFLER)
    assert table.state == before
