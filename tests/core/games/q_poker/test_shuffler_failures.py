"""The shuffler fails, restarts or is away: article 11(5)."""

import pytest

from tablectl.core.dealing.pack import PackState
from tablectl.core.events.round import Irregular
from tablectl.core.facts.card_requests import Dealing, MalfunctionDeclared
from tablectl.core.facts.reports import ShuffleCompleted
from tablectl.core.facts.table_requests import FaultAcknowledged
from tablectl.core.faults import CATALOGUE, Code
from tablectl.core.games.q_poker.state import Phase
from tests.support.poker import SHOE, SHUFFLER, irregularity, voided
from tests.support.q_poker import accepted, new_table
from tests.support.q_poker_deals import dealing_to, in_phase
from tests.support.sitting import refused

SPOILERS = [code for code, line in CATALOGUE.items() if line.spoils_deal]


@pytest.mark.article("q_poker", "11.5")
@pytest.mark.parametrize("code", SPOILERS)
def test_malfunction_of_shuffler_in_deal_makes_round_void(code: Code) -> None:
    table = dealing_to(1, dealing=Dealing.SHUFFLER)
    effects = table.raise_fault(code)
    assert irregularity(effects) == ("11(5)", "shuffler_failed", "round_void")
    assert voided(effects) == ("11(5)", "shuffler_failed")


@pytest.mark.article("q_poker", "11.5")
def test_a_malfunction_that_the_dealer_sees_makes_the_round_void() -> None:
    table = dealing_to(1, dealing=Dealing.SHUFFLER)
    assert voided(table.tell(MalfunctionDeclared())) == ("11(5)", "shuffler_failed")


@pytest.mark.article("q_poker", "11.5")
def test_shuffler_that_failed_deals_again_only_when_supervisor_says_so() -> None:
    table = dealing_to(1, dealing=Dealing.SHUFFLER)
    table.tell(MalfunctionDeclared())
    assert refused(table.open_round(Dealing.SHUFFLER)) == ("11(5)", "fault_stands")
    table.tell(FaultAcknowledged(Code.SHUFFLER_FAILED_DEALING, SHUFFLER))
    assert accepted(table.open_round(Dealing.SHUFFLER))


@pytest.mark.article("q_poker", "11.5")
@pytest.mark.parametrize(
    "when", [Phase.IDLE, Phase.BETTING, Phase.CLOSED, Phase.OPENING, Phase.DECIDING, Phase.SHOWDOWN]
)
def test_outside_the_deal_the_shuffler_fails_no_round(when: Phase) -> None:
    table = in_phase(when, Dealing.SHUFFLER)
    assert refused(table.tell(MalfunctionDeclared())) == ("11(5)", "shuffler_not_dealing")
    table.raise_fault(Code.SHUFFLER_JAM)
    assert table.phase == when
    assert not table.all_of(Irregular)


@pytest.mark.article("q_poker", "11.5")
@pytest.mark.parametrize("when", [Phase.BETTING, Phase.CLOSED])
def test_jam_before_first_card_makes_pack_unfit_and_keeps_bets(when: Phase) -> None:
    table = in_phase(when, Dealing.SHUFFLER)
    table.raise_fault(Code.SHUFFLER_JAM)
    assert table.pack == PackState.NEEDED
    assert len(table.state.bets) == 2
    assert voided(table.packet()) == ("3(2)", "pack_not_shuffled")


@pytest.mark.article("q_poker", "11.5")
def test_jam_ends_the_shuffle_and_a_late_success_is_ignored() -> None:
    table = new_table(Dealing.SHUFFLER)
    table.open_round()
    operation = table.state.pack.operation
    table.raise_fault(Code.SHUFFLER_JAM)
    assert table.pack == PackState.NEEDED
    assert table.game.outstanding(table.state) == ()
    table.tell(ShuffleCompleted(SHUFFLER, operation, 52))
    assert table.pack == PackState.NEEDED


@pytest.mark.article("q_poker", "11.5")
def test_malfunction_of_shuffler_is_nothing_to_a_round_from_shoe() -> None:
    table = dealing_to(1)
    table.raise_fault(Code.SHUFFLER_JAM)
    table.attach(SHUFFLER, boot="2")
    assert refused(table.tell(MalfunctionDeclared())) == ("11(5)", "shuffler_not_dealing")
    table.draw("Qs", "Ks", "7h", "Qd", "2c")
    assert table.finish().irregularities == ()


def test_foreign_fault_spoils_no_deal() -> None:
    table = dealing_to(1, dealing=Dealing.SHUFFLER)
    table.raise_fault(Code.SHUFFLER_JAM, SHOE)
    table.raise_fault(Code.CORRUPT_FRAMES, SHUFFLER)
    assert table.phase == Phase.DEALING


@pytest.mark.article("q_poker", "11.5")
def test_shuffler_that_restarts_in_the_deal_makes_the_round_void() -> None:
    table = dealing_to(1, dealing=Dealing.SHUFFLER)
    table.lose(SHUFFLER)
    effects = table.attach(SHUFFLER, boot="2")
    assert voided(effects) == ("11(5)", "shuffler_failed")
    assert [fault.code for fault in table.table.faults] == [Code.RESTARTED, Code.SHUFFLER_FAILED_DEALING]


@pytest.mark.article("q_poker", "11.5")
def test_a_shuffler_that_restarts_while_shuffling_has_lost_the_shuffle() -> None:
    table = new_table(Dealing.SHUFFLER)
    table.open_round()
    table.attach(SHUFFLER, boot="2")
    assert table.phase == Phase.BETTING
    assert table.pack == PackState.NEEDED


@pytest.mark.article("q_poker", "11.5")
@pytest.mark.parametrize("boot", ["1", ""])
def test_a_shuffler_that_comes_back_without_a_restart_deals_on(boot: str) -> None:
    table = dealing_to(1, dealing=Dealing.SHUFFLER)
    table.lose(SHUFFLER)
    table.attach(SHUFFLER, boot=boot)
    assert table.phase == Phase.DEALING
    table.packet()
    assert table.finish().round_id


def test_restart_of_daemon_in_a_deal_from_shuffler_loses_nothing() -> None:
    """The shuffler keeps its reports until they are stored, so that none is missed."""
    table = dealing_to(1, dealing=Dealing.SHUFFLER)
    before = table.state
    table.restart()
    table.attach(SHUFFLER)
    assert table.state == before
    table.packet()
    assert table.finish().round_id


def test_after_restart_shuffle_that_was_asked_for_is_still_outstanding() -> None:
    table = new_table(Dealing.SHUFFLER)
    table.open_round()
    asked = table.game.outstanding(table.state)
    table.restart()
    assert table.game.outstanding(table.state) == asked
    assert len(asked) == 1
    table.shuffled()
    assert table.game.outstanding(table.state) == ()
