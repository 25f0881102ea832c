"""What the reader missed or doesn't read, in both games of poker: counted, or told by the dealer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.core.cards import PACK, Place
from tablectl.core.dealing.pack import PackState
from tablectl.core.events.round import CardOutOfRound, Irregular, Settled
from tablectl.core.facts.game_requests import DealFinished, Dealing
from tablectl.core.faults import Code
from tests.support.poker import SHOE, SHUFFLER, irregularity, said, voided
from tests.support.pokers import Poker, both_games, in_phases, lying
from tests.support.sitting import refused
from tests.support.ways import both_ways

FIRST_PHASES = ("betting", "closed", "dealing", "looking", "thirds")


@pytest.mark.article("q_poker", "11.1")
@pytest.mark.article("q_poker", "reading 24")
@pytest.mark.article("football_poker", "reading 9")
@in_phases(*FIRST_PHASES)
@pytest.mark.parametrize("gone", ["lost", "restarted"])
def test_after_a_shoe_failure_cards_are_counted_before_opening(poker: Poker, when: str, gone: str) -> None:
    table = poker.in_phase(when, Dealing.SHOE)
    table.lose(SHOE) if gone == "lost" else table.restart()
    table.attach(SHOE)
    assert table.prompt() == "count"
    if when != "looking":
        poker.deal_the_rest(table)
    assert refused(table.turn_up(poker.places[-1])) == (poker.articles["order"], "count_first")
    assert refused(table.count(lying(table))) is None
    assert poker.finish(table).round_id


@pytest.mark.article("q_poker", "11.1")
@pytest.mark.article("q_poker", "reading 24")
@pytest.mark.article("football_poker", "reading 9")
@in_phases(*FIRST_PHASES, "opening")
@pytest.mark.parametrize("difference", [-1, 1])
@pytest.mark.parametrize("was_blind", [False, True])
def test_a_count_that_differs_makes_the_round_void(
    poker: Poker, when: str, difference: int, *, was_blind: bool
) -> None:
    table = poker.in_phase(when, Dealing.SHOE)
    if was_blind:
        table.lose(SHOE)
        table.attach(SHOE)
    blind = was_blind and when != "opening"
    article = "table" if blind else poker.articles["order"]
    effects = table.count(52 if blind and difference > 0 else lying(table) + difference)  # Fewer it may have missed.
    assert irregularity(effects) == (article, "count_differs", "round_void")
    assert voided(effects) == (article, "count_differs")


@pytest.mark.article("q_poker", "11.1")
@pytest.mark.article("football_poker", "reading 9")
@in_phases("opening", "deciding", "showdown")
def test_a_shoe_that_goes_after_the_deal_holds_nothing_up(poker: Poker, when: str) -> None:
    table = poker.in_phase(when, Dealing.SHOE)
    waited = table.prompt()
    table.lose(SHOE)
    assert table.prompt() == waited
    assert table.finish().round_id


@pytest.mark.article("q_poker", "11.1")
@pytest.mark.article("football_poker", "reading 9")
@both_games
def test_packets_that_may_have_been_missed_have_to_be_counted(poker: Poker) -> None:
    table = poker.dealing_to(1, dealing=Dealing.SHUFFLER)
    table.raise_fault(Code.EVENT_GAP, SHUFFLER)
    table.packet()
    assert refused(table.turn_up(1)) == (poker.articles["order"], "count_first")
    assert refused(table.count(2 * poker.size)) is None
    assert poker.finish(table).round_id


@pytest.mark.article("q_poker", "11.1")
@pytest.mark.article("football_poker", "reading 9")
@both_games
def test_count_without_the_shoe_is_repeated_when_it_returns(poker: Poker) -> None:
    table = poker.dealing_to(1, 2)
    table.lose(SHOE)
    assert refused(table.count(1)) is None
    table.attach(SHOE)  # Two cards went by unread in between.
    assert table.prompt() == "count"
    assert refused(table.count(3)) is None
    assert [len(hand.cards) for hand in table.state.deal.hands] == ([1, 1, 1] if poker.size == 3 else [2, 1, 0])


# --- the reader's troubles


@pytest.mark.article("q_poker", "7.1")
@pytest.mark.article("football_poker", "6.3")
@both_games
def test_no_face_is_published_during_the_deal(poker: Poker) -> None:
    table = poker.all_dealt(1, 2)
    faces = {card for place in (1, 2, poker.last) for card in poker.hands[place]}
    assert not faces & set(repr(table.events).replace("'", " ").split())
    assert table.game.unrevealed(table.state) == faces


@both_games
def test_a_packet_between_rounds_leaves_the_shoes_pack_whole(poker: Poker) -> None:
    table = poker.new_table()
    table.confirm_pack()
    assert said(table.packet(), CardOutOfRound).count == poker.size
    assert refused(table.open_round()) is None


# --- cards that no reader reads


@pytest.mark.article("q_poker", "reading 24")
@pytest.mark.article("football_poker", "reading 13")
@both_games
@given(deck=st.permutations(PACK), places=st.sets(st.integers(1, 7), min_size=1))
def test_round_by_hand_equals_the_shoes_round(poker: Poker, deck: list[str], places: set[int]) -> None:
    order: tuple[Place, ...] = (*sorted(places), poker.last)
    hands = {place: tuple(deck[3 * nth : 3 * nth + 3]) for nth, place in enumerate(order)}
    bets = tuple(poker.bet(place) for place in sorted(places))
    read = poker.new_table().begin(*bets).deal(hands).finish(hands)
    told = poker.by_hand(poker.new_table(Dealing.BY_HAND).begin(*bets), hands)
    assert (told.round, told.settlement) == (read.round, read.settlement)


@pytest.mark.article("q_poker", "reading 24")
@pytest.mark.article("football_poker", "reading 13")
@in_phases("betting", "closed", "dealing", "thirds")
def test_round_without_its_reader_continues_by_hand(poker: Poker, when: str) -> None:
    table = poker.in_phase(when, Dealing.SHOE)
    assert refused(table.tell(DealFinished())) == ("table", "reader_works")
    table.lose(SHOE)
    prompts = {"betting": "betting_deal", "closed": "closed_deal", "dealing": "deal", "thirds": "deal_thirds"}
    assert table.prompt() == prompts[when]
    assert refused(table.tell(DealFinished())) is None
    assert table.phase == ("looking" if poker.size == 2 and when != "thirds" else "opening")


@pytest.mark.article("q_poker", "reading 24")
@pytest.mark.article("football_poker", "reading 13")
@both_games
@pytest.mark.parametrize("shoe", [SHOE, ""])
def test_table_dealt_by_hand_marks_no_round(poker: Poker, shoe: str) -> None:
    table = poker.new_table(Dealing.BY_HAND, shoe=shoe).begin(poker.bet(1))
    assert poker.by_hand(table, poker.hands).round_id
    assert table.all_of(Irregular) == []


@pytest.mark.article("q_poker", "reading 24")
@pytest.mark.article("football_poker", "reading 13")
@both_games
def test_impossible_count_voids_for_lack_of_knowledge(poker: Poker) -> None:
    table = poker.new_table(Dealing.BY_HAND).begin(poker.bet(1))
    assert irregularity(table.count(2 * poker.size + 1)) == ("table", "count_differs", "round_void")


@pytest.mark.article("q_poker", "reading 24")
@pytest.mark.article("football_poker", "reading 13")
@both_games
def test_by_hand_is_no_way_around_a_reader_that_works(poker: Poker) -> None:
    table = poker.new_table()
    table.confirm_pack()
    assert refused(table.open_round(Dealing.BY_HAND)) == ("table", "reader_works")
    table.lose(SHOE)
    assert refused(table.open_round(Dealing.BY_HAND)) is None


@pytest.mark.article("q_poker", "reading 24")
@pytest.mark.article("football_poker", "reading 13")
@both_games
def test_deal_is_finished_only_with_bets_pack_and_deal(poker: Poker) -> None:
    table = poker.new_table(Dealing.BY_HAND)
    assert refused(table.tell(DealFinished())) == (poker.articles["dealing"], "not_dealing")
    table.begin()
    assert refused(table.tell(DealFinished())) == (poker.articles["dealing"], "no_bets")
    table.tell(poker.bet(1))
    table.change(Dealing.BY_HAND)
    assert refused(table.tell(DealFinished())) == (poker.articles["shoe_pack"], "pack_not_confirmed")
    table.confirm_pack()
    assert refused(table.tell(DealFinished())) is None


@pytest.mark.article("q_poker", "reading 24")
@pytest.mark.article("football_poker", "reading 13")
@both_games
def test_misplaced_card_is_put_right_before_finishing_the_deal(poker: Poker) -> None:
    table = poker.dealing_to(1, 2)
    table.misplace(2)
    table.lose(SHOE)
    assert refused(table.tell(DealFinished())) == (poker.articles["order"], "card_to_be_placed")


# --- what is shown, and the ends


@both_games
def test_a_round_ends_with_its_settlement(poker: Poker) -> None:
    table = poker.all_dealt(1)
    round_id = table.round_id
    table.finish()
    assert (table.phase, table.round_id) == ("idle", None)
    assert (table.state.bets, table.state.deal.hands) == ((), ())
    assert table.all_of(Settled)[0].round_id == round_id
    assert table.pack == (PackState.READY if poker.size == 2 else PackState.NEEDED)


@pytest.mark.article("q_poker", "9.1")
@both_games
@both_ways
@pytest.mark.parametrize("place", [3, 99, 0, "banker"])
def test_a_place_without_a_hand_is_not_opened(poker: Poker, dealing: Dealing, place: Place) -> None:
    table = poker.in_phase("opening", dealing)
    assert refused(table.open_hand(place, *poker.hands[1])) == (poker.articles["not_live"], "hand_not_live")
