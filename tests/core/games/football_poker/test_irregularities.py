"""What goes wrong: article 7, and readings 9 and 11 for what the law is silent about."""

from typing import Any

import pytest

from tablectl.core.effects import Effects
from tablectl.core.events import CardOutOfRound, CardShown, Irregular, Settled, Voided
from tablectl.core.facts import (
    COMMON,
    Dealing,
    IrregularityDeclared,
    MalfunctionDeclared,
    MisdealDeclared,
    Place,
    ShuffleCompleted,
)
from tablectl.core.faults import CATALOGUE, Code
from tablectl.core.games.football_poker.state import Phase
from tablectl.core.pack import PackState
from tests.support.football_poker import (
    BOTH_WAYS,
    EVEN,
    HANDS,
    SHOE,
    SHUFFLER,
    Sitting,
    bet,
    cards,
    due,
    irregularity,
    nets,
    new_table,
    said,
    voided,
)
from tests.support.sitting import refused

both_ways = pytest.mark.parametrize("dealing", BOTH_WAYS)
SPOILERS = [code for code, line in CATALOGUE.items() if line.spoils_deal]
IN_PLAY = (Phase.DEALING, Phase.LOOKING, Phase.THIRDS, Phase.OPENING)


def next_cards(table: Sitting, name: str = "3c") -> Effects:
    """The next card from the shoe, or the next packet."""
    if table.state.dealing is Dealing.SHOE:
        return table.draw(name)
    return table.packet(1 if table.phase == Phase.THIRDS else 2)


def dealing_to(*places: Place, dealing: Dealing = Dealing.SHOE, **settings: Any) -> Sitting:
    """A deal with one card, or one packet, out."""
    table = new_table(dealing, **settings).begin(*(bet(place) for place in places))
    next_cards(table, "As")
    return table


def all_dealt(*places: Place, dealing: Dealing = Dealing.SHOE) -> Sitting:
    """A round whose hands have all their cards."""
    return new_table(dealing).begin(*(bet(place) for place in places)).deal()


def in_phase(phase: Phase, dealing: Dealing) -> Sitting:
    """A round with bets on places 1 and 2, of which the second gets a third card, played up to this phase."""
    table = new_table(dealing)
    if phase is Phase.IDLE:
        return table
    table.ready()
    if phase is Phase.DRAWING:
        return table
    table.commit()
    table.show()
    table.does(bet(1), bet(2, EVEN, "bob", 10_00))
    if phase is Phase.BETTING:
        return table
    table.close()
    if phase is Phase.CLOSED:
        return table
    if phase is Phase.DEALING:
        next_cards(table, "As")
        return table
    if phase is Phase.LOOKING:
        return look_needed(table)
    table.deal_two().look()
    if phase is Phase.OPENING:
        table.deal_thirds()
    assert table.phase == phase
    return table


def look_needed(table: Sitting) -> Sitting:
    """Two cards everywhere, some of them not known."""
    if table.state.dealing is Dealing.SHUFFLER:
        return table.deal_two()
    table.draw("As", "4d", None, "Th", "2s", "6d")
    return table


# --- 7: cards that show


@pytest.mark.article("football_poker", "7")
@both_ways
@pytest.mark.parametrize("place", [1, 2, COMMON])
def test_cards_that_show_in_the_deal_are_valid_and_play_goes_on(dealing: Dealing, place: Place) -> None:
    table = in_phase(Phase.LOOKING, dealing)
    assert irregularity(table.expose(place, 1)) == ("7", "card_exposed", "continues")
    assert table.phase == Phase.LOOKING
    settled = table.look().deal_thirds().finish()
    assert settled.irregularities == ("7",)
    assert nets(settled) == {(1, "ann", EVEN): "-100.00", (2, "bob", EVEN): "-10.00"}


@pytest.mark.article("football_poker", "7")
def test_a_card_that_shows_is_published_where_it_was_read_or_the_dealer_names_it() -> None:
    read = dealing_to(1)
    assert said(read.expose(1), CardShown).cards == cards("As")
    unread = dealing_to(1, dealing=Dealing.SHUFFLER)
    assert said(unread.expose(1, 2), CardShown).cards == ()
    assert said(unread.expose(1, 2, "Ks"), CardShown).cards == cards("Ks")
    assert unread.held(1) == (None, "Ks")


@pytest.mark.article("football_poker", "7")
@pytest.mark.article("football_poker", "10.1")
def test_hands_that_showed_whole_need_not_be_looked_at() -> None:
    table = new_table(Dealing.SHUFFLER).begin(bet(2)).deal_two()
    for place, first, second in ((2, "Kc", "Th"), (COMMON, "2s", "6d")):
        table.expose(place, 1, first)
        table.expose(place, 2, second)
    assert (table.phase, due(table)) == (Phase.THIRDS, 2)
    assert table.deal_thirds().finish().irregularities == ("7",) * 4


@pytest.mark.article("football_poker", "7")
def test_the_card_that_the_dealer_saw_has_to_be_the_one_that_was_read() -> None:
    table = dealing_to(1)
    effects = table.expose(1, 1, "Ks")
    assert refused(effects) == ("7", "cards_disagree")
    assert "'As'" not in repr(effects)
    assert table.faults == [Code.SHOE_CARDS_DISAGREE]
    assert refused(table.expose(1, 1, "As")) is None


@pytest.mark.article("football_poker", "7")
@pytest.mark.parametrize(("place", "index"), [(1, 0), (1, 2), (1, -1), (COMMON, 1), (2, 1), (99, 1), ("banker", 1)])
def test_a_card_that_does_not_lie_there_cannot_show(place: Place, index: int) -> None:
    table = dealing_to(1)
    assert refused(table.expose(place, index)) == ("7", "no_such_card")
    assert refused(table.expose(1, 1, "zz")) == ("7", "no_such_card")


@pytest.mark.article("football_poker", "7")
def test_a_hand_that_lies_open_shows_nothing_by_mistake() -> None:
    table = all_dealt(1)
    table.turn_up(1)
    assert refused(table.expose(1)) == ("7", "no_longer_hidden")


# --- reading 9: a wrong order or a wrong number


@pytest.mark.article("football_poker", "reading 9")
@pytest.mark.article("football_poker", "6.3")
@both_ways
def test_a_card_dealt_out_of_order_and_not_mended_before_the_next_makes_the_round_void(dealing: Dealing) -> None:
    table = dealing_to(1, 2, dealing=dealing)
    assert refused(table.misplace(2)) is None
    assert table.prompt() == "misplaced"
    after = next_cards(table)
    assert irregularity(after) == ("6(3)", "wrong_order", "round_void")
    assert voided(after) == ("6(3)", "wrong_order")
    assert table.phase == Phase.IDLE


@pytest.mark.article("football_poker", "reading 9")
@both_ways
def test_a_misplaced_card_put_right_before_the_next_one_is_recorded_and_the_round_goes_on(dealing: Dealing) -> None:
    table = dealing_to(1, dealing=dealing)
    table.misplace(COMMON)
    assert irregularity(table.mend()) == ("6(3)", "mended", "mended")
    table.draw("4d", "2s", "6d") if dealing is Dealing.SHOE else table.packet()
    assert table.look().finish().irregularities == ("6(3)",)


@pytest.mark.article("football_poker", "reading 9")
@both_ways
def test_a_misplaced_third_card_is_mended_too(dealing: Dealing) -> None:
    table = in_phase(Phase.OPENING, dealing)
    assert refused(table.misplace(COMMON)) is None
    assert refused(table.turn_up(2)) == ("6(3)", "card_to_be_placed")
    table.mend()
    assert table.finish().irregularities == ("6(3)",)


@pytest.mark.article("football_poker", "reading 9")
@both_ways
def test_a_card_is_misplaced_only_where_it_lies_elsewhere_than_was_due(dealing: Dealing) -> None:
    table = dealing_to(2, 3, dealing=dealing)
    assert refused(table.misplace(2)) == ("6(3)", "lies_right")
    for nowhere in (99, 0, "dealer"):
        assert refused(table.misplace(nowhere)) == ("5(1)", "no_such_place")
    table.misplace(3)
    assert refused(table.misplace(COMMON)) == ("6(3)", "nothing_misplaced")


@pytest.mark.article("football_poker", "reading 9")
@pytest.mark.parametrize("when", [Phase.IDLE, Phase.DRAWING, Phase.BETTING, Phase.CLOSED])
def test_nothing_is_misplaced_mended_or_misdealt_where_no_card_lies(when: Phase) -> None:
    table = in_phase(when, Dealing.SHOE)
    assert refused(table.misplace(3)) == ("6(3)", "nothing_misplaced")
    assert refused(table.mend()) == ("6(3)", "nothing_misplaced")
    assert refused(table.tell(MisdealDeclared(1))) == ("6(3)", "no_cards_out")
    assert refused(table.expose(1)) == ("7", "no_such_card")


@pytest.mark.article("football_poker", "reading 9")
def test_the_last_card_is_declared_until_its_hand_lies_open() -> None:
    table = all_dealt(1)
    assert refused(table.misplace(1)) is None
    table.mend()
    table.turn_up(COMMON)
    assert refused(table.misplace(1)) == ("6(3)", "nothing_misplaced")


@pytest.mark.article("football_poker", "reading 9")
def test_what_the_dealer_says_of_the_last_card_holds_for_the_card_that_his_screen_showed() -> None:
    table = dealing_to(1)
    shown = table.table.records
    table.draw("4d")
    assert refused(table.misplace(5, seen=shown)) == ("table", "stale_screen")
    assert refused(table.count(1, seen=shown)) == ("table", "stale_screen")
    assert refused(table.misplace(5, seen=table.table.records)) is None
    assert table.held(5) == ("4d",)


@pytest.mark.article("football_poker", "reading 9")
@pytest.mark.parametrize("when", IN_PLAY)
@both_ways
def test_a_misdeal_found_too_late_to_mend_makes_the_round_void(dealing: Dealing, when: Phase) -> None:
    table = in_phase(when, dealing)
    effects = table.tell(MisdealDeclared(1))
    assert irregularity(effects) == ("6(3)", "misdealt", "round_void")
    assert [stake.stake for stake in said(effects, Voided).returned] == ["100.00", "10.00"]
    assert (table.phase, table.pack) == (Phase.IDLE, PackState.NEEDED)


@pytest.mark.article("football_poker", "reading 9")
@both_ways
@pytest.mark.parametrize("when", [Phase.LOOKING, Phase.OPENING])
def test_a_card_too_many_at_a_hand_that_plays_makes_the_round_void(dealing: Dealing, when: Phase) -> None:
    table = in_phase(when, dealing)
    assert said(next_cards(table), CardOutOfRound).round_id == table.round_id
    assert table.prompt() == "surplus"
    assert refused(table.turn_up(2)) == ("6(3)", "card_to_be_placed")
    assert voided(table.misplace(1)) == ("6(3)", "wrong_number")


@pytest.mark.article("football_poker", "reading 9")
@both_ways
def test_a_second_card_too_many_makes_the_round_void(dealing: Dealing) -> None:
    table = in_phase(Phase.OPENING, dealing)
    next_cards(table)
    assert voided(next_cards(table, "3d")) == ("6(3)", "wrong_number")


@pytest.mark.article("football_poker", "reading 9")
@pytest.mark.parametrize("count", [0, 3, 52])
def test_a_packet_too_many_that_is_nothing_a_hand_gets_makes_the_round_void(count: int) -> None:
    assert voided(in_phase(Phase.OPENING, Dealing.SHUFFLER).packet(count)) == ("6(3)", "wrong_number")


# --- reading 11: a hand that nobody bet on


@pytest.mark.article("football_poker", "reading 11")
@both_ways
def test_cards_dealt_to_a_place_without_a_bet_are_a_dead_hand_and_the_game_goes_on(dealing: Dealing) -> None:
    table = dealing_to(1, 3, dealing=dealing)
    assert irregularity(table.misplace(2)) == ("6(3)", "dealt_without_bet", "hand_void")
    assert (due(table), table.held(1), table.phase) == (1, (), Phase.DEALING)
    assert len(table.held(2)) == (1 if dealing is Dealing.SHOE else 2)
    hands = {**HANDS, 1: ("3c", "4d")}
    settled = table.deal(hands).finish(hands)
    assert [place["place"] for place in settled.round["places"]] == [1, 3, COMMON]
    assert settled.irregularities == ("6(3)",)
    assert "As" not in repr(table.events)


@pytest.mark.article("football_poker", "reading 11")
def test_two_cards_dealt_in_a_row_to_a_place_without_a_bet_are_declared_one_after_the_other() -> None:
    table = new_table().begin(bet(1))
    table.draw("4s", "4h")
    table.misplace(2)
    assert (table.held(1), table.held(2)) == (("4s",), ("4h",))
    table.misplace(2)
    assert (table.held(1), table.held(2)) == ((), ("4h", "4s"))
    assert refused(table.misplace(2)) == ("6(3)", "nothing_misplaced")
    table.draw("As", "4d", "2s", "6d")
    assert table.finish().irregularities == ("6(3)",) * 2


@pytest.mark.article("football_poker", "reading 11")
@pytest.mark.parametrize(
    ("dealing", "when"),
    [(Dealing.SHOE, Phase.THIRDS), (Dealing.SHOE, Phase.LOOKING), (Dealing.SHUFFLER, Phase.LOOKING)],
)
def test_the_last_of_the_first_cards_at_a_place_without_a_bet_sends_the_deal_back(
    dealing: Dealing, when: Phase
) -> None:
    table = in_phase(when, dealing)
    assert irregularity(table.misplace(5)) == ("6(3)", "dealt_without_bet", "hand_void")
    assert (table.phase, due(table)) == (Phase.DEALING, COMMON)
    next_cards(table)
    assert table.phase == when


@pytest.mark.article("football_poker", "reading 11")
@both_ways
def test_a_third_card_at_a_place_without_a_bet_sends_the_deal_back_to_the_third_cards(dealing: Dealing) -> None:
    table = in_phase(Phase.OPENING, dealing)
    assert irregularity(table.misplace(5)) == ("6(3)", "dealt_without_bet", "hand_void")
    assert (table.phase, due(table), len(table.held(5))) == (Phase.THIRDS, 2, 1)
    next_cards(table)
    assert table.finish({**HANDS, 2: ("Kc", "Th", "3c")}).settlement["places"][1]["total"] == 3


@pytest.mark.article("football_poker", "reading 11")
@both_ways
def test_cards_too_many_at_a_place_without_a_bet_are_a_dead_hand(dealing: Dealing) -> None:
    table = in_phase(Phase.OPENING, dealing)
    next_cards(table)
    assert irregularity(table.misplace(5)) == ("6(3)", "dealt_without_bet", "hand_void")
    assert refused(table.open_hand(5, "3c", "3d")) == ("6(3)", "hand_not_live")
    assert table.finish().irregularities == ("6(3)",)
    assert "3c" not in repr(table.events)


@pytest.mark.article("football_poker", "reading 9")
@pytest.mark.article("football_poker", "reading 11")
def test_a_fourth_card_makes_of_a_dead_hand_a_void_round() -> None:
    table = new_table().begin(bet(1))
    for name in ("4s", "4h", "4c"):
        table.draw(name)
        table.misplace(2)
    table.draw("5c")
    assert voided(table.misplace(2)) == ("6(3)", "wrong_number")


@pytest.mark.article("football_poker", "7")
@pytest.mark.article("football_poker", "reading 11")
def test_a_card_that_showed_before_it_was_declared_misplaced_takes_its_face_with_it() -> None:
    table = dealing_to(1)
    table.expose(1, 1)
    table.misplace(2)
    table.draw("Ks")
    hands = {hand["place"]: hand["cards"] for hand in table.public()["hands"]}
    assert (hands[2], hands[1]) == (["As"], [None])


@pytest.mark.article("football_poker", "7")
@pytest.mark.article("football_poker", "reading 11")
def test_a_card_that_showed_and_stays_turns_up_none_of_a_dead_hand() -> None:
    table = new_table().begin(bet(1))
    table.draw("4s")
    table.misplace(2)
    table.draw("As")
    table.expose(1, 1)
    table.draw("4h")
    table.misplace(2)
    hands = {hand["place"]: hand["cards"] for hand in table.public()["hands"]}
    assert (hands[1], hands[2]) == (["As"], [None, None])


# --- who may hold the cards


@pytest.mark.article("football_poker", "5.3")
def test_cards_held_by_another_than_the_places_holder_are_noted_and_the_round_goes_on() -> None:
    table = all_dealt(1)
    effects = table.tell(IrregularityDeclared("held_by_another", 1, "bob"))
    assert irregularity(effects) == ("5(3)", "held_by_another", "continues")
    assert refused(table.tell(IrregularityDeclared("held_by_another", COMMON))) == ("5(1)", "no_such_place")
    assert table.finish().irregularities == ("5(3)",)


@pytest.mark.article("football_poker", "5.4")
def test_cards_of_the_common_place_handled_by_a_player_are_noted_and_the_round_goes_on() -> None:
    table = all_dealt(1)
    effects = table.tell(IrregularityDeclared("common_handled"))
    assert irregularity(effects) == ("5(4)", "common_handled", "continues")
    assert said(effects, Irregular).place == COMMON
    assert table.finish().irregularities == ("5(4)",)


def test_an_irregularity_of_another_kind_is_not_known_here() -> None:
    table = all_dealt(1)
    assert refused(table.tell(IrregularityDeclared("looked_early", 1))) == ("table", "no_such_kind")
    early = new_table().begin(bet())
    assert refused(early.tell(IrregularityDeclared("common_handled"))) == ("6(3)", "no_cards_out")


# --- the shuffler


@pytest.mark.article("football_poker", "2.2")
@pytest.mark.article("football_poker", "reading 9")
@pytest.mark.parametrize("code", SPOILERS)
@pytest.mark.parametrize("when", [Phase.DEALING, Phase.THIRDS])
def test_a_malfunction_of_the_shuffler_in_the_deal_makes_the_round_void(code: Code, when: Phase) -> None:
    table = in_phase(when, Dealing.SHUFFLER)
    assert irregularity(table.raise_fault(code)) == ("2(2)", "shuffler_failed", "round_void")


@pytest.mark.article("football_poker", "2.2")
@pytest.mark.parametrize("when", [Phase.DEALING, Phase.THIRDS])
def test_a_malfunction_that_the_dealer_sees_makes_the_round_void_and_the_shuffler_useless(when: Phase) -> None:
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
def test_a_shuffler_that_fails_while_hands_are_looked_at_stands_in_the_way_of_the_third_cards() -> None:
    table = in_phase(Phase.LOOKING, Dealing.SHUFFLER)
    table.raise_fault(Code.SHUFFLER_JAM)
    table.look()
    assert (table.phase, table.prompt()) == (Phase.THIRDS, "shuffler_fault")
    assert voided(table.tell(MalfunctionDeclared())) == ("2(2)", "shuffler_failed")


@pytest.mark.article("football_poker", "2.2")
@pytest.mark.parametrize("when", [Phase.DRAWING, Phase.BETTING, Phase.CLOSED])
def test_a_jam_before_the_first_card_makes_the_pack_unfit_and_keeps_the_bets(when: Phase) -> None:
    table = in_phase(when, Dealing.SHUFFLER)
    bets = table.state.bets
    table.raise_fault(Code.SHUFFLER_JAM)
    assert (table.pack, table.state.bets) == (PackState.NEEDED, bets)


@pytest.mark.article("football_poker", "2.2")
def test_a_late_report_of_a_shuffle_that_failed_counts_no_more() -> None:
    table = new_table(Dealing.SHUFFLER)
    table.open_round()
    operation = table.state.pack.operation
    table.raise_fault(Code.SHUFFLER_JAM)
    table.tell(ShuffleCompleted(SHUFFLER, operation, 52))
    assert table.pack == PackState.NEEDED


@pytest.mark.article("football_poker", "2.2")
def test_a_malfunction_of_the_shuffler_is_nothing_to_a_round_from_the_shoe() -> None:
    table = in_phase(Phase.DEALING, Dealing.SHOE)
    table.raise_fault(Code.SHUFFLER_JAM)
    table.attach(SHUFFLER, boot="2")
    table.draw("4d", "Kc", "Th", "2s", "6d", "9s")
    assert table.finish().irregularities == ()


@pytest.mark.article("football_poker", "2.2")
@pytest.mark.parametrize("when", [Phase.DEALING, Phase.THIRDS])
def test_a_shuffler_that_restarts_in_the_deal_makes_the_round_void(when: Phase) -> None:
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


# --- what the reader may have missed


@pytest.mark.article("football_poker", "reading 9")
@pytest.mark.parametrize("gone", ["lost", "restarted"])
@pytest.mark.parametrize("when", [Phase.BETTING, Phase.CLOSED, Phase.DEALING, Phase.LOOKING, Phase.THIRDS])
def test_after_the_shoe_was_away_the_cards_are_counted_before_a_hand_is_opened(when: Phase, gone: str) -> None:
    table = in_phase(when, Dealing.SHOE)
    table.lose(SHOE) if gone == "lost" else table.restart()
    table.attach(SHOE)
    assert table.prompt() == "count"
    if when is not Phase.LOOKING:
        deal_the_rest(table)
    assert refused(table.turn_up(2)) == ("6(3)", "count_first")
    assert refused(table.count(sum(len(hand.cards) for hand in table.hands))) is None
    assert table.look().deal_thirds().finish().round_id


@pytest.mark.article("football_poker", "reading 9")
@pytest.mark.parametrize("when", [Phase.BETTING, Phase.CLOSED, *IN_PLAY])
@pytest.mark.parametrize("difference", [-1, 1])
def test_a_count_that_differs_makes_the_round_void(when: Phase, difference: int) -> None:
    table = in_phase(when, Dealing.SHOE)
    table.lose(SHOE)
    table.attach(SHOE)
    effects = table.count(sum(len(hand.cards) for hand in table.hands) + difference)
    assert irregularity(effects) == ("6(3)", "count_differs", "round_void")


@pytest.mark.article("football_poker", "reading 9")
def test_the_count_takes_in_dead_hands_and_cards_without_a_place() -> None:
    table = all_dealt(1)
    table.misplace(4)
    table.draw("7c", "3c")
    assert refused(table.count(6)) is None
    assert voided(table.count(5)) == ("6(3)", "count_differs")


def test_between_rounds_and_before_the_betting_no_cards_are_counted() -> None:
    table = new_table()
    assert refused(table.count(0)) == ("6(1)", "no_round")
    assert refused(table.ready().count(0)) == ("6(3)", "no_cards_out")


@pytest.mark.article("football_poker", "reading 9")
def test_a_shoe_that_goes_after_the_deal_holds_nothing_up() -> None:
    table = in_phase(Phase.OPENING, Dealing.SHOE)
    table.lose(SHOE)
    assert table.prompt() == "open_hands"
    assert table.finish().round_id


def test_a_restart_of_the_daemon_in_a_deal_from_the_shuffler_loses_nothing() -> None:
    """The shuffler keeps its reports until they are stored, so that none is missed."""
    table = in_phase(Phase.DEALING, Dealing.SHUFFLER)
    before = table.state
    table.restart()
    table.attach(SHUFFLER)
    assert table.state == before


@pytest.mark.article("football_poker", "reading 9")
def test_packets_that_may_have_been_missed_have_to_be_counted() -> None:
    table = in_phase(Phase.DEALING, Dealing.SHUFFLER)
    table.raise_fault(Code.EVENT_GAP, SHUFFLER)
    table.packet()
    table.packet()
    assert refused(table.turn_up(1)) == ("6(3)", "count_first")
    table.count(6)
    assert table.look().deal_thirds().finish().round_id


# --- persons


@both_ways
@pytest.mark.parametrize("when", [phase for phase in Phase if phase is not Phase.IDLE])
def test_a_supervisor_ends_a_round_in_any_phase_and_every_stake_goes_back(dealing: Dealing, when: Phase) -> None:
    table = in_phase(when, dealing)
    bets = table.state.bets
    assert refused(table.void("  ")) == ("table", "reason_missing")
    event = said(table.void("power cut"), Voided)
    assert (event.article, event.reason, event.by) == ("table", "power cut", "supervisor")
    assert [stake.bettor for stake in event.returned] == [laid.bettor for laid in bets]
    assert (table.phase, table.hands, table.state.bets) == (Phase.IDLE, (), ())
    assert not table.all_of(Settled)


def test_an_irregularity_names_the_person_who_reported_it_and_none_for_a_device() -> None:
    table = dealing_to(1, 2)
    table.expose(1)
    table.misplace(2)
    table.draw("Ks")
    assert [event.by for event in table.all_of(Irregular)] == ["dealer", None]
    assert table.all_of(Voided)[0].by == SHOE


def deal_the_rest(table: Sitting) -> None:
    """The first cards that places 1 and 2 and the common one still lack, or the third."""
    order = ("As", "4d", "Kc", "Th", "2s", "6d", "9s")
    lying = sum(len(hand.cards) for hand in table.hands)
    table.draw(*order[lying:])


@pytest.mark.article("football_poker", "reading 9")
def test_cards_counted_while_the_shoe_is_away_are_counted_again_when_it_is_back() -> None:
    table = dealing_to(1, 2)
    table.lose(SHOE)
    table.count(1)
    table.attach(SHOE)  # Two cards went by unread in between.
    assert table.prompt() == "count"
    assert voided(table.count(3)) == ("6(3)", "count_differs")


@pytest.mark.article("football_poker", "reading 9")
def test_a_shoe_lost_in_the_draw_and_back_in_the_betting_may_have_missed_a_card() -> None:
    table = new_table().ready()
    table.open_round()
    table.lose(SHOE)
    table.commit()
    table.show()
    table.bet(1)
    table.attach(SHOE)
    assert table.prompt() == "count"
    table.count(0)
    assert table.prompt() == "betting"
