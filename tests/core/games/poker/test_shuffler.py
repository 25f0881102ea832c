"""The shuffler in both games of poker: when it shuffles, fails, restarts or is away, and what else can deal."""

import pytest

from tablectl.core.dealing.pack import PackState
from tablectl.core.effects import ShuffleCards
from tablectl.core.events.round import Irregular, Settled
from tablectl.core.facts.game_requests import Dealing, MalfunctionDeclared
from tablectl.core.facts.reports import ShuffleCompleted, ShuffleFailed
from tablectl.core.faults import CATALOGUE, Code
from tests.support.poker import SHOE, SHUFFLER, irregularity, next_cards, voided
from tests.support.pokers import Poker, both_games, in_phases
from tests.support.sitting import refused
from tests.support.ways import both_ways, other

SPOILERS = [code for code, line in CATALOGUE.items() if line.spoils_deal]
THE_DEAL = ("dealing", "thirds")


@pytest.mark.article("q_poker", "11.5")
@pytest.mark.article("football_poker", "2.2")
@pytest.mark.article("football_poker", "reading 9")
@in_phases(*THE_DEAL)
@pytest.mark.parametrize("code", SPOILERS)
def test_malfunction_of_shuffler_in_deal_makes_round_void(poker: Poker, when: str, code: Code) -> None:
    effects = poker.in_phase(when, Dealing.SHUFFLER).raise_fault(code)
    assert irregularity(effects) == (poker.articles["shuffler"], "shuffler_failed", "round_void")
    assert voided(effects) == (poker.articles["shuffler"], "shuffler_failed")


@pytest.mark.article("q_poker", "11.5")
@pytest.mark.article("football_poker", "2.2")
@in_phases(*THE_DEAL)
def test_malfunction_that_dealer_sees_makes_round_void_and_shuffler_useless(poker: Poker, when: str) -> None:
    table = poker.in_phase(when, Dealing.SHUFFLER)
    assert voided(table.tell(MalfunctionDeclared())) == (poker.articles["shuffler"], "shuffler_failed")
    assert refused(table.open_round()) == (poker.articles["shuffler"], "fault_stands")
    table.acknowledge(Code.SHUFFLER_FAILED_DEALING)
    assert refused(table.open_round()) is None


@pytest.mark.article("q_poker", "11.5")
@pytest.mark.article("football_poker", "2.2")
@in_phases("idle", "drawing", "betting", "closed", "looking", "opening", "deciding", "showdown")
def test_outside_the_deal_the_shuffler_fails_no_round(poker: Poker, when: str) -> None:
    table = poker.in_phase(when, Dealing.SHUFFLER)
    assert refused(table.tell(MalfunctionDeclared())) == (poker.articles["shuffler"], "shuffler_not_dealing")
    table.raise_fault(Code.SHUFFLER_JAM)
    assert table.phase == when
    assert not table.all_of(Irregular)


@pytest.mark.article("q_poker", "11.5")
@pytest.mark.article("football_poker", "2.2")
@in_phases("drawing", "betting", "closed")
def test_jam_before_first_card_makes_pack_unfit_and_keeps_bets(poker: Poker, when: str) -> None:
    table = poker.in_phase(when, Dealing.SHUFFLER)
    bets = table.state.bets
    table.raise_fault(Code.SHUFFLER_JAM)
    assert (table.pack, table.state.bets) == (PackState.NEEDED, bets)
    if bets:
        assert voided(table.packet()) == (poker.articles["packets"], "pack_not_shuffled")


@pytest.mark.article("q_poker", "11.5")
@pytest.mark.article("football_poker", "2.2")
@both_games
def test_jam_ends_the_shuffle_and_a_late_success_is_ignored(poker: Poker) -> None:
    table = poker.new_table(Dealing.SHUFFLER)
    table.open_round()
    operation = table.state.pack.operation
    table.raise_fault(Code.SHUFFLER_JAM)
    assert ShuffleCards(operation) not in table.game.outstanding(table.state)
    table.tell(ShuffleCompleted(SHUFFLER, operation, 52))
    assert table.pack == PackState.NEEDED


@pytest.mark.article("q_poker", "11.5")
@pytest.mark.article("football_poker", "2.2")
@both_games
def test_malfunction_of_shuffler_is_nothing_to_a_round_from_shoe(poker: Poker) -> None:
    table = poker.in_phase("dealing", Dealing.SHOE)
    table.raise_fault(Code.SHUFFLER_JAM)
    table.attach(SHUFFLER, boot="2")
    assert refused(table.tell(MalfunctionDeclared())) == (poker.articles["shuffler"], "shuffler_not_dealing")
    poker.deal_the_rest(table)
    assert table.finish().irregularities == ()


@both_games
def test_foreign_fault_spoils_no_deal(poker: Poker) -> None:
    table = poker.dealing_to(1, dealing=Dealing.SHUFFLER)
    table.raise_fault(Code.SHUFFLER_JAM, SHOE)
    table.raise_fault(Code.CORRUPT_FRAMES, SHUFFLER)
    assert table.phase == "dealing"


@pytest.mark.article("q_poker", "11.5")
@pytest.mark.article("football_poker", "2.2")
@in_phases(*THE_DEAL)
def test_shuffler_that_restarts_in_the_deal_makes_the_round_void(poker: Poker, when: str) -> None:
    table = poker.in_phase(when, Dealing.SHUFFLER)
    table.lose(SHUFFLER)
    assert table.prompt() == "device"
    assert voided(table.attach(SHUFFLER, boot="2")) == (poker.articles["shuffler"], "shuffler_failed")
    assert [fault.code for fault in table.table.faults] == [Code.RESTARTED, Code.SHUFFLER_FAILED_DEALING]


@pytest.mark.article("q_poker", "11.5")
@pytest.mark.article("football_poker", "2.2")
@both_games
@pytest.mark.parametrize("boot", ["1", ""])
def test_a_shuffler_that_comes_back_without_a_restart_deals_on(poker: Poker, boot: str) -> None:
    table = poker.dealing_to(1, dealing=Dealing.SHUFFLER)
    table.lose(SHUFFLER)
    table.attach(SHUFFLER, boot=boot)
    assert table.phase == "dealing"
    table.packet()
    assert poker.finish(table).irregularities == ()


@pytest.mark.article("q_poker", "11.5")
@pytest.mark.article("football_poker", "2.2")
@both_games
def test_a_shuffler_that_restarts_while_shuffling_has_lost_the_shuffle(poker: Poker) -> None:
    table = poker.new_table(Dealing.SHUFFLER)
    table.open_round()
    opened = table.phase
    table.attach(SHUFFLER, boot="2")
    assert (table.phase, table.pack) == (opened, PackState.NEEDED)


@both_games
def test_restart_of_daemon_in_a_deal_from_shuffler_loses_nothing(poker: Poker) -> None:
    """The shuffler keeps its reports until they are stored, so that none is missed."""
    table = poker.dealing_to(1, dealing=Dealing.SHUFFLER)
    before = table.state
    table.restart()
    table.attach(SHUFFLER)
    assert table.state == before
    table.packet()
    assert poker.finish(table).round_id


@both_games
def test_after_restart_shuffle_that_was_asked_for_is_still_outstanding(poker: Poker) -> None:
    table = poker.new_table(Dealing.SHUFFLER)
    table.open_round()
    asked = table.game.outstanding(table.state)
    assert ShuffleCards(table.state.pack.operation) in asked
    table.restart()
    assert table.game.outstanding(table.state) == asked
    table.shuffled()
    assert not [effect for effect in table.game.outstanding(table.state) if isinstance(effect, ShuffleCards)]


# --- which device deals a round


@pytest.mark.article("football_poker", "2.2")
@both_games
@both_ways
def test_a_round_needs_the_device_that_deals_it(poker: Poker, dealing: Dealing) -> None:
    table = poker.new_table(dealing)
    table.confirm_pack()
    own, idle = (SHOE, SHUFFLER) if dealing is Dealing.SHOE else (SHUFFLER, SHOE)
    table.lose(own)
    assert refused(table.open_round()) == ("table", "device_missing")
    assert table.prompt() == "device"
    table.attach(own)
    table.lose(idle)
    assert table.prompt() == "open_round"
    assert refused(table.open_round()) is None


@pytest.mark.article("football_poker", "2.2")
@both_games
@both_ways
def test_table_with_one_of_the_two_deals_that_way_only(poker: Poker, dealing: Dealing) -> None:
    lacking = {"shuffler": ""} if dealing is Dealing.SHOE else {"shoe": ""}
    table = poker.new_table(dealing, **lacking).begin(poker.bet())
    assert refused(table.change(other(dealing))) == ("table", "device_missing")
    assert table.deal().finish().round_id
    table.confirm_pack()
    assert refused(table.open_round(other(dealing))) == ("table", "device_missing")


@pytest.mark.article("q_poker", "11.5")
@pytest.mark.article("football_poker", "2.2")
@both_games
def test_a_shuffler_whose_malfunction_stands_deals_no_round(poker: Poker) -> None:
    table = poker.new_table(Dealing.SHUFFLER)
    table.raise_fault(Code.SHUFFLER_JAM)
    assert refused(table.open_round()) == (poker.articles["shuffler"], "fault_stands")
    assert table.prompt() == "fault"
    table.confirm_pack()
    assert refused(table.open_round(Dealing.SHOE)) is None
    assert refused(table.change(Dealing.SHUFFLER)) == (poker.articles["shuffler"], "fault_stands")


@pytest.mark.article("q_poker", "11.5")
@both_games
def test_malfunction_is_over_once_a_person_confirms_the_repair(poker: Poker) -> None:
    by_shuffler, by_shoe = poker.new_table(Dealing.SHUFFLER), poker.new_table()
    for table in (by_shuffler, by_shoe):
        table.raise_fault(Code.SHUFFLER_JAM)
    assert (by_shuffler.prompt(), by_shoe.prompt()) == ("fault", "pack")
    by_shuffler.acknowledge(Code.SHUFFLER_JAM, SHUFFLER)
    assert refused(by_shuffler.open_round()) == (poker.articles["shuffler"], "fault_stands")
    by_shuffler.clear_fault(Code.SHUFFLER_JAM)
    assert refused(by_shuffler.open_round()) is None


@both_games
def test_stopping_fault_lets_no_round_or_bet_begin(poker: Poker) -> None:
    table = poker.new_table().begin(poker.bet())
    table.raise_fault(Code.STORAGE_LOW, "")
    assert refused(table.bet(2)) == ("table", "fault_stands")
    table.deal().finish()
    table.confirm_pack()
    assert table.prompt() == "fault"
    assert refused(table.open_round()) == ("table", "fault_stands")
    table.clear_fault(Code.STORAGE_LOW, "")
    assert table.prompt() == "open_round"


# --- the pack


@pytest.mark.article("q_poker", "3.1")
@pytest.mark.article("q_poker", "3.2")
@pytest.mark.article("football_poker", "6.3")
@both_games
@both_ways
def test_cards_from_packs_that_were_not_shuffled_make_round_void(poker: Poker, dealing: Dealing) -> None:
    table = poker.new_table(other(dealing)).begin(poker.bet())
    table.change(dealing)
    first = next_cards(table)
    article = poker.articles["shoe_pack" if dealing is Dealing.SHOE else "packets"]
    assert irregularity(first) == (article, "pack_not_shuffled", "round_void")
    assert voided(first) == (article, "pack_not_shuffled")


@pytest.mark.article("q_poker", "3.1")
@pytest.mark.article("football_poker", "8.1")
@both_games
def test_the_pack_in_play_is_not_changed(poker: Poker) -> None:
    table = poker.new_table().begin(poker.bet())
    assert refused(table.confirm_pack()) is None
    for _ in range(2):
        table.draw("As")
        assert refused(table.confirm_pack()) == (poker.articles["in_play"], "pack_in_play")


@pytest.mark.article("q_poker", "3.2")
@pytest.mark.article("football_poker", "2.2")
@both_games
def test_no_pack_goes_into_the_shoe_where_the_shuffler_deals(poker: Poker) -> None:
    table = poker.new_table(Dealing.SHUFFLER)
    table.open_round()
    assert refused(table.confirm_pack()) == (poker.articles["shuffler_deals"], "shuffler_deals")
    assert table.pack == PackState.SHUFFLING


@pytest.mark.article("q_poker", "7")
@pytest.mark.article("football_poker", "6.3")
@both_games
@both_ways
def test_the_way_of_dealing_is_fixed_by_the_first_card(poker: Poker, dealing: Dealing) -> None:
    table = poker.new_table(dealing)
    assert refused(table.change(other(dealing))) == (poker.articles["dealing"], "dealing_fixed")
    table.begin(poker.bet()).deal()
    assert refused(table.change(other(dealing))) == (poker.articles["dealing"], "dealing_fixed")
    assert table.state.dealing is dealing


@pytest.mark.article("q_poker", "11.5")
@pytest.mark.article("football_poker", "2.2")
@both_games
def test_after_a_jam_in_shuffle_round_is_dealt_from_shoe(poker: Poker) -> None:
    table = poker.new_table(Dealing.SHUFFLER)
    table.open_round()
    table.raise_fault(Code.SHUFFLER_JAM)
    assert table.pack == PackState.NEEDED
    if poker.size == 2:
        table.commit()
        table.show()
    table.bet()
    assert refused(table.change(Dealing.SHOE)) is None
    assert refused(table.confirm_pack()) is None
    table.deal().finish()
    assert table.all_of(Settled)[0].round["places"][0]["cards"] == [*poker.hands[1]]


@pytest.mark.article("q_poker", "3.2")
@pytest.mark.article("q_poker", "11.5")
@pytest.mark.article("football_poker", "6.3")
@both_games
def test_only_the_shuffle_asked_for_counts(poker: Poker) -> None:
    table = poker.new_table(Dealing.SHUFFLER)
    table.open_round()
    first = table.state.pack.operation
    table.tell(ShuffleFailed(SHUFFLER, first))
    assert table.pack == PackState.NEEDED
    asked = table.change(Dealing.SHUFFLER)
    latest = table.state.pack.operation
    assert latest != first
    assert [effect for effect in asked if isinstance(effect, ShuffleCards)] == [ShuffleCards(latest)]
    table.tell(ShuffleCompleted(SHUFFLER, first, 52))
    assert table.pack == PackState.SHUFFLING
    assert ShuffleCards(latest) in table.game.outstanding(table.state)
    table.tell(ShuffleCompleted(SHUFFLER, latest, 52))
    assert table.pack == PackState.READY
