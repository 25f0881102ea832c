"""The deal: to all four places, read or not, and what is done when it goes wrong."""

import pytest

from tablectl.core.cards import PACK, Card
from tablectl.core.effects import StopTimer
from tablectl.core.events import CardDealt, CardOutOfRound, CardShown, CutReached, Irregular
from tablectl.core.facts import BANKER, CardDrawn, CutCardReached, Place
from tablectl.core.faults import Code
from tablectl.core.games.thirteen_cards.dealing import next_place
from tablectl.core.games.thirteen_cards.state import PLACES, PackState, Phase, dealt
from tablectl.core.table import fault
from tests.support.sitting import commands, refused
from tests.support.thirteen_cards import (
    BANKERS,
    BETTER,
    BUZZER,
    HANDS,
    SHOE,
    SHUFFLER,
    Sitting,
    irregularity,
    new_table,
    on,
    read_table,
    voided,
)


def dealing(*names: str) -> Sitting:
    """A read deal that begins with the banker, with these cards out."""
    table = read_table().begin(on(2), on(3, "bob")).shaken()
    table.draw(*names)
    return table


def places_dealt(table: Sitting) -> list[Place]:
    return [event.place for event in table.all_of(CardDealt)]


def hidden(table: Sitting) -> frozenset[str]:
    return table.game.unrevealed(table.state)


# --- the order


@pytest.mark.article("thirteen_cards", "2.b")
@pytest.mark.article("thirteen_cards", "reading 17")
@pytest.mark.parametrize(("dice", "order"), [((1, 1, 1, 2), (BANKER, 2, 3, 4)), ((1, 2, 2, 2), (3, 4, BANKER, 2))])
def test_cards_go_round_one_at_a_time_from_the_place_that_the_dice_say(
    dice: tuple[int, ...], order: tuple[Place, ...]
) -> None:
    table = read_table().begin(on(2)).deal(dice=dice)
    assert places_dealt(table) == [*order] * 13
    assert table.phase == Phase.BANKER_SETTING


@pytest.mark.article("thirteen_cards", "2.c")
@pytest.mark.article("thirteen_cards", "reading 15")
def test_all_four_places_are_dealt_whoever_bets() -> None:
    table = read_table().begin(on(3, "bob")).deal()
    assert {hand.place: len(hand.cards) for hand in table.state.hands} == {BANKER: 13, 2: 13, 3: 13, 4: 13}


@pytest.mark.article("thirteen_cards", "reading 14")
def test_all_fifty_two_cards_are_dealt_so_that_every_round_needs_a_new_shuffle() -> None:
    table = read_table().begin(on(2))
    table.play()
    assert len(places_dealt(table)) == len(PACK)
    assert (table.state.pack.state, table.state.boxed, table.prompt()) == (PackState.NEEDED, False, "pack")


@pytest.mark.article("thirteen_cards", "2.b")
def test_the_prompt_names_the_place_that_is_due() -> None:
    table = dealing("As", "Ks")
    assert (table.prompt(), dict(table.game.waiting(table.table).values)) == ("card", {"place": "3"})


@pytest.mark.article("thirteen_cards", "2.b")
def test_cards_that_were_read_lie_face_down_and_are_named_nowhere() -> None:
    table = dealing("As", "Ks")
    assert hidden(table) == {"As", "Ks"}
    assert [hand["cards"] for hand in table.public()["hands"]] == [[None], [None], [], []]


@pytest.mark.article("thirteen_cards", "2.b")
def test_without_a_reader_the_dealer_says_when_all_is_dealt() -> None:
    table = new_table().begin(on(2)).shaken()
    assert table.prompt() == "deal"
    table.finish_deal()
    assert (table.phase, places_dealt(table)) == (Phase.BANKER_SETTING, [BANKER, 2, 3, 4] * 13)
    assert hidden(table) == frozenset()


def test_a_card_from_a_box_that_the_table_has_not_is_out_of_the_round() -> None:
    table = new_table().begin(on(2)).shaken()
    before = table.state
    table.tell(CardDrawn(SHOE, Card("As")))
    assert table.state == before
    assert len(table.all_of(CardOutOfRound)) == 1


@pytest.mark.article("thirteen_cards", "1.a")
def test_a_fifty_third_card_is_recorded_and_the_round_goes_on() -> None:
    table = read_table().begin(on(2)).deal()
    effects = table.draw(None)
    assert irregularity(effects) == ("1(a)", "card_too_many", "continues")
    assert fault(table.table, Code.CARD_OUT_OF_ROUND, SHOE) is not None
    assert table.banker_shows().all_set().compare().irregularities == ("1(a)",)


@pytest.mark.article("thirteen_cards", "1.a")
def test_a_card_read_twice_is_known_at_neither_place() -> None:
    table = dealing("As", "Ks", "As")
    assert [hand.cards for hand in table.state.hands] == [(None,), ("Ks",), (None,), ()]
    assert fault(table.table, Code.SHOE_IMPOSSIBLE_DUPLICATE, SHOE) is not None


@pytest.mark.parametrize("name", [None, "zz"])
def test_a_card_that_could_not_be_read_is_dealt_all_the_same(name: str | None) -> None:
    table = dealing()
    table.draw(name)
    assert (table.held(BANKER), next_place(table.state)) == ((None,), 2)


def test_the_white_card_at_the_boxs_mouth_is_told() -> None:
    table = dealing("As")
    table.tell(CutCardReached(SHOE))
    assert len(table.all_of(CutReached)) == 1


# --- turned up, misdealt


@pytest.mark.article("thirteen_cards", "4")
@pytest.mark.parametrize("place", [BANKER, 2])
def test_a_card_turned_up_in_the_deal_stays_valid_whoevers_it_is(place: Place) -> None:
    table = dealing("As", "Ks", "2d")
    effects = table.expose(place)
    assert irregularity(effects) == ("4", "card_exposed", "continues")
    assert table.all_of(CardShown)[0].cards == ("As" if place == BANKER else "Ks",)
    assert table.phase == Phase.DEALING
    assert len(hidden(table)) == 2


@pytest.mark.article("thirteen_cards", "4")
def test_a_card_turned_up_that_no_reader_read_is_what_the_dealer_sees() -> None:
    table = new_table().begin(on(2)).shaken()
    table.expose(2, 5, "Ts")
    assert (table.held(2), table.all_of(CardShown)[0].cards) == ((None,) * 4 + ("Ts",), ("Ts",))
    table.finish_deal()
    table.banker_shows()
    table.all_set()
    assert refused(table.show(2, HANDS[3])) == ("7", "cards_disagree")
    assert refused(table.show(2, BETTER)) is None


@pytest.mark.article("thirteen_cards", "4")
def test_where_no_reader_counts_every_card_is_said_dealt_once_though_one_was_turned_up_before_the_last() -> None:
    table = new_table().begin(on(2)).shaken()
    table.expose(2, 5, "Ts")
    table.expose(2, 7)
    table.finish_deal()
    said = [(event.place, event.index) for event in table.all_of(CardDealt)]
    assert sorted(said, key=str) == sorted(((place, nth) for place in PLACES for nth in range(1, 14)), key=str)


@pytest.mark.article("thirteen_cards", "4")
def test_a_card_turned_up_at_one_place_is_not_shown_at_another() -> None:
    table = new_table().begin(on(2)).shaken()
    table.expose(2, 1, "2s")
    table.finish_deal()
    assert refused(table.show(BANKER)) == ("1(a)", "card_twice")


@pytest.mark.article("thirteen_cards", "4")
def test_a_misdealt_card_goes_to_the_place_that_it_belongs_to_and_the_round_goes_on() -> None:
    table = dealing("As", "Ks")
    assert table.misplace(4) == ()
    assert (table.prompt(), dict(table.game.waiting(table.table).values)) == ("misplaced", {"due": "2", "place": "4"})
    assert irregularity(table.mend()) == ("4", "mended", "mended")
    assert (table.held(2), table.held(4)) == (("Ks",), ())
    assert table.prompt() == "card"


@pytest.mark.article("thirteen_cards", "4")
def test_an_error_is_mended_when_it_is_found_also_after_further_cards() -> None:
    table = dealing("As", "Ks")
    table.misplace(4)
    table.draw("Qs")
    assert (table.held(3), table.public()["misplaced"]) == (("Qs",), 4)
    assert irregularity(table.mend())[1] == "mended"


@pytest.mark.article("thirteen_cards", "4")
def test_the_deal_is_not_over_while_a_card_lies_wrong() -> None:
    table = dealing(*PACK[:51])
    table.misplace(2)
    table.draw(PACK[51])
    assert table.phase == Phase.DEALING
    table.mend()
    assert table.phase == Phase.BANKER_SETTING


@pytest.mark.article("thirteen_cards", "4")
def test_a_card_found_at_the_wrong_place_while_the_players_set_is_put_right_before_cards_are_shown() -> None:
    table = read_table().begin(on(2)).deal().banker_shows()
    table.misplace(3)
    table.all_set()
    assert refused(table.show(2)) == ("4", "card_to_be_placed")
    table.mend()
    assert refused(table.show(2)) is None


# --- a deal that can't be mended


@pytest.mark.article("thirteen_cards", "4")
@pytest.mark.article("thirteen_cards", "reading 13")
def test_a_cancelled_deal_is_made_again_from_a_new_shuffle_with_the_same_dice_and_bets() -> None:
    table = dealing("As", "Ks", "2d")
    bets, dice = table.state.bets, table.state.dice
    assert irregularity(table.cancel_deal()) == ("4", "deal_cancelled", "continues")
    assert (table.phase, table.prompt(), table.state.hands) == (Phase.RESHUFFLING, "reshuffle", ())
    assert hidden(table) == frozenset()
    table.confirm_pack()
    assert (table.phase, table.state.bets, table.state.dice) == (Phase.DEALING, bets, dice)
    assert next_place(table.state) == BANKER
    table.deal().banker_shows().all_set()
    assert table.compare().irregularities == ("4",)


@pytest.mark.article("thirteen_cards", "4")
@pytest.mark.article("thirteen_cards", "reading 13")
def test_the_dice_of_a_cancelled_deal_are_not_called_invalid_any_more() -> None:
    table = dealing()
    table.cancel_deal()
    table.confirm_pack()
    assert (table.phase, refused(table.invalidate())) == (Phase.DEALING, ("2(c)", "dice_stand"))


@pytest.mark.article("thirteen_cards", "4")
def test_a_cancelled_deal_leaves_no_clock_signal_or_lateness_behind() -> None:
    table = read_table(buzzer=BUZZER).begin(on(2), on(3, "bob")).deal().banker_shows()
    running = table.clock
    assert commands(table.cancel_deal(), StopTimer) == [StopTimer(running.operation)]
    table.confirm_pack()
    table.deal().banker_shows()
    table.misplace(4)
    table.finish(2)
    table.time_up()
    other = Sitting(table.game, table.table, [*table.facts], [*table.told])
    other.not_sounded()
    for late in (table, other):
        late.cancel_deal()
        public = late.public()
        assert [public[name] for name in ("late", "misplaced", "signal_due", "call_time")] == [[], None, False, False]
        assert late.prompt() == "reshuffle"


@pytest.mark.article("thirteen_cards", "4")
def test_after_a_cancelled_deal_the_machine_shuffles_before_the_pack_is_cut() -> None:
    table = read_table(shuffler=SHUFFLER).begin(on(2)).deal()
    table.cancel_deal()
    table.confirm_pack()
    assert (table.phase, table.prompt()) == (Phase.RESHUFFLING, "shuffling")
    table.shuffled()
    assert (table.phase, table.prompt()) == (Phase.RESHUFFLING, "cut")
    table.confirm_pack()
    assert table.phase == Phase.DEALING


@pytest.mark.article("thirteen_cards", "4")
def test_after_a_cancelled_deal_a_machine_that_is_away_is_on_record() -> None:
    table = read_table(shuffler=SHUFFLER).begin(on(2)).deal()
    table.cancel_deal()
    table.lose(SHUFFLER)
    table.confirm_pack()
    assert table.phase == Phase.DEALING
    assert [event.article for event in table.all_of(Irregular) if event.code == "machine_skipped"] == ["4"]


@pytest.mark.article("thirteen_cards", "4")
@pytest.mark.parametrize("found", ["banker", "players", "comparing"])
def test_a_deal_is_cancelled_when_the_error_is_found_however_late(found: str) -> None:
    table = read_table(buzzer=BUZZER).begin(on(2), on(3, "bob")).deal()
    if found != "banker":
        table.banker_shows()
    if found == "comparing":
        table.all_set()
        table.show(2)
    table.cancel_deal()
    public = table.public()
    assert table.phase == Phase.RESHUFFLING
    assert [public[name] for name in ("picked_up", "set", "late", "time_ends")] == [[], [], [], None]
    assert table.game.outstanding(table.state) == ()
    table.confirm_pack()
    assert table.deal().banker_shows().all_set().compare().irregularities == ("4",)


def test_a_card_drawn_while_the_pack_is_shuffled_anew_is_out_of_the_round() -> None:
    table = dealing("As")
    table.cancel_deal()
    table.draw("Ks")
    assert len(table.all_of(CardOutOfRound)) == 1
    assert table.phase == Phase.RESHUFFLING


# --- the reader away


def test_a_reader_that_was_away_has_the_cards_counted() -> None:
    table = dealing("As", "Ks")
    table.lose(SHOE)
    assert table.prompt() == "deal_unread"
    table.attach(SHOE)
    assert table.prompt() == "count"
    assert table.count(2) == ()
    assert table.prompt() == "card"
    assert table.held(2) == ("Ks",)


def test_cards_that_the_reader_missed_lie_where_they_belong_and_what_was_read_after_them_is_unknown() -> None:
    table = dealing("As", "Ks")
    table.lose(SHOE)
    table.attach(SHOE)
    table.draw("Qs")
    effects = table.count(4)
    assert irregularity(effects) == ("table", "cards_unread", "continues")
    assert [hand.cards for hand in table.state.hands] == [("As",), ("Ks",), (None,), (None,)]
    assert places_dealt(table) == [BANKER, 2, 3, 4]
    table.draw("Qs")
    assert table.held(BANKER) == ("As", "Qs")


def test_a_card_that_lies_face_up_keeps_its_name_though_it_was_read_in_doubt() -> None:
    table = dealing("As")
    table.expose(BANKER)
    table.draw("Ks")
    table.count(3)
    assert [hand.cards for hand in table.state.hands][:3] == [("As",), (None,), (None,)]


@pytest.mark.article("thirteen_cards", "4")
@pytest.mark.parametrize("count", [1, 53])
def test_a_count_that_cannot_be_put_right_cancels_the_deal(count: int) -> None:
    table = dealing("As", "Ks")
    table.lose(SHOE)
    assert irregularity(table.count(count)) == ("4", "count_differs", "continues")
    assert table.phase == Phase.RESHUFFLING


def test_a_count_finds_a_card_that_the_reader_did_not_report_at_any_time() -> None:
    table = dealing("As", "Ks")
    table.count(3)
    assert [hand.cards for hand in table.state.hands] == [(None,), (None,), (None,), ()]


@pytest.mark.parametrize("why", ["lost", "gap", "session", "restarted"])
def test_whatever_may_have_hidden_a_card_asks_for_a_count(why: str) -> None:
    table = dealing("As")
    if why == "lost":
        table.lose(SHOE)
    if why == "gap":
        table.raise_fault(Code.EVENT_GAP, SHOE)
    if why == "session":
        table.restart()
    table.attach(SHOE, "2" if why == "restarted" else "1")
    assert table.prompt() == "count"


@pytest.mark.parametrize("why", ["gap elsewhere", "other device", "other restarted"])
def test_what_hides_no_card_asks_for_no_count(why: str) -> None:
    table = dealing("As")
    if why == "gap elsewhere":
        table.raise_fault(Code.EVENT_GAP, BUZZER)
    if why == "other device":
        table.lose(BUZZER)
    if why == "other restarted":
        table.attach("dice", "2")
    assert not table.public()["count_due"]


def test_a_reader_that_stays_away_lets_the_dealer_deal_on_and_say_when_all_is_dealt() -> None:
    table = dealing("As", "Ks")
    table.lose(SHOE)
    table.finish_deal()
    assert table.phase == Phase.BANKER_SETTING
    assert (dealt(table.state), table.held(2)) == (52, ("Ks", *(None,) * 12))


def test_what_was_read_in_doubt_stays_unknown_when_the_dealer_says_that_all_is_dealt() -> None:
    table = dealing("As")
    table.lose(SHOE)
    table.attach(SHOE)
    table.draw("Ks")
    table.lose(SHOE)
    table.finish_deal()
    assert (table.held(BANKER)[0], table.held(2)[0]) == ("As", None)


def test_cards_counted_while_the_reader_is_away_have_to_be_counted_again_when_it_is_back() -> None:
    table = dealing("As")
    table.lose(SHOE)
    table.count(2)
    table.attach(SHOE)
    assert table.prompt() == "count"
    table.count(2)
    assert table.prompt() == "card"


def test_a_reader_that_is_away_when_the_dice_are_shaken_is_in_doubt_from_the_first_card() -> None:
    table = read_table().begin(on(2))
    table.lose(SHOE)
    table.shaken()
    table.attach(SHOE)
    assert table.prompt() == "count"
    table.draw("As")
    table.count(3)
    assert [hand.cards for hand in table.state.hands][:3] == [(None,)] * 3


def test_a_doubt_is_gone_when_all_fifty_two_were_read() -> None:
    table = dealing(*PACK[:4])
    table.lose(SHOE)
    table.attach(SHOE)
    table.draw(*PACK[4:])
    assert (table.phase, table.public()["count_due"]) == (Phase.BANKER_SETTING, False)
    assert len(hidden(table)) == 52


def test_the_supervisor_voids_a_deal_and_every_stake_goes_back() -> None:
    table = dealing("As")
    event = voided(table.void())
    assert [(bet.bettor, bet.place, bet.stake) for bet in event.returned] == [
        ("ann", 2, "100.00"),
        ("bob", 3, "100.00"),
    ]
    assert (event.article, event.reason, event.by) == ("table", "fire alarm", "supervisor")
    assert (table.phase, table.state.hands, hidden(table)) == (Phase.IDLE, (), frozenset())


def test_the_dealt_cards_of_the_tests_are_read_where_they_belong() -> None:
    table = read_table().begin(on(2)).deal()
    assert set(table.held(BANKER)) == {card for row in BANKERS for card in row}
    assert not table.all_of(Irregular)
