"""Who sits where, the pack, the bets, and the shaking of the dice that ends them."""

import pytest

from tablectl.core.effects import ShuffleCards
from tablectl.core.events import BetPlaced, BetRefused, BettingOver, BetWithdrawn, DiceShown, Irregular, RoundBegan
from tablectl.core.facts import (
    BANKER,
    DiceThrown,
    FaultAcknowledged,
    PackConfirmed,
    PacketDelivered,
    Place,
    RoundOpened,
    ShuffleFailed,
)
from tablectl.core.faults import Code
from tablectl.core.games.thirteen_cards.state import PackState, Phase, first_place
from tablectl.core.table import fault
from tests.support.sitting import commands, refused
from tests.support.thirteen_cards import (
    DICE,
    SHOE,
    SHUFFLER,
    UNIT,
    Sitting,
    new_table,
    on,
    read_table,
)


def out_of_turn(table: Sitting) -> bool:
    return fault(table.table, Code.DICE_OUT_OF_TURN, DICE) is not None


def shown(table: Sitting) -> list[tuple[tuple[int, ...], bool, str]]:
    return [(event.dice, event.valid, event.flaw) for event in table.all_of(DiceShown)]


# --- the pack


@pytest.mark.article("thirteen_cards", "2.a")
def test_the_dealers_word_makes_the_pack_ready_where_no_machine_is_on_the_wire() -> None:
    table = new_table()
    assert table.prompt() == "pack"
    table.does(PackConfirmed())
    assert (table.state.pack.state, table.state.boxed, table.prompt()) == (PackState.READY, True, "open_round")


@pytest.mark.article("thirteen_cards", "2.a")
def test_after_the_hand_the_machine_shuffles_and_then_the_pack_is_cut_and_boxed() -> None:
    table = new_table(shuffler=SHUFFLER)
    effects = table.confirm_pack()
    assert commands(effects, ShuffleCards) == [ShuffleCards(table.state.pack.operation)]
    assert table.prompt() == "shuffling"
    table.shuffled()
    assert (table.state.boxed, table.prompt()) == (False, "cut")
    assert table.confirm_pack() == ()
    assert (table.state.boxed, table.prompt()) == (True, "open_round")


def test_a_pack_that_lies_in_the_box_may_be_shuffled_anew() -> None:
    table = new_table(shuffler=SHUFFLER).begin()
    assert len(commands(table.confirm_pack(), ShuffleCards)) == 1
    assert (table.state.boxed, table.prompt()) == (False, "betting")


@pytest.mark.article("thirteen_cards", "1.a")
@pytest.mark.article("thirteen_cards", "1.d")
@pytest.mark.parametrize("count", [51, 53])
def test_a_pack_that_does_not_count_52_is_not_fit(count: int) -> None:
    table = new_table(shuffler=SHUFFLER)
    table.confirm_pack()
    table.shuffled(count)
    assert (table.state.pack.state, table.prompt()) == (PackState.NEEDED, "pack")


def test_a_shuffle_that_failed_is_asked_for_anew_under_another_number() -> None:
    table = new_table(shuffler=SHUFFLER)
    table.confirm_pack()
    first = table.state.pack.operation
    table.tell(ShuffleFailed(SHUFFLER, first))
    assert table.prompt() == "pack"
    table.confirm_pack()
    assert table.state.pack.state is PackState.SHUFFLING
    assert table.state.pack.operation != first


@pytest.mark.parametrize("steps", ["lost", "jam"])
def test_where_the_machine_is_out_of_use_the_dealers_word_counts(steps: str) -> None:
    table = new_table(shuffler=SHUFFLER)
    table.confirm_pack()
    if steps == "lost":
        table.lose(SHUFFLER)
    else:
        table.raise_fault(Code.SHUFFLER_JAM, SHUFFLER)
        assert table.state.pack.state is PackState.NEEDED
    table.does(PackConfirmed())
    assert table.state.boxed


def skipped(table: Sitting) -> list[tuple[str, str]]:
    return [(event.article, event.consequence) for event in table.all_of(Irregular) if event.code == "machine_skipped"]


@pytest.mark.article("thirteen_cards", "2.a")
@pytest.mark.parametrize("opened_first", [True, False])
def test_a_pack_that_the_machine_should_have_shuffled_and_did_not_is_on_the_round_s_record(
    *, opened_first: bool
) -> None:
    table = new_table(shuffler=SHUFFLER)
    table.lose(SHUFFLER)
    steps = (RoundOpened(), PackConfirmed()) if opened_first else (PackConfirmed(), RoundOpened())
    table.does(*steps)
    assert skipped(table) == [("2(a)", "continues")]
    assert table.state.boxed


@pytest.mark.article("thirteen_cards", "2.a")
def test_nothing_is_skipped_where_no_machine_is_on_the_wire_or_where_it_shuffled() -> None:
    without = new_table().begin(on())
    machine = new_table(shuffler=SHUFFLER).begin(on())
    assert skipped(without) == skipped(machine) == []


def test_a_pack_that_the_machine_shuffles_after_all_is_not_skipped() -> None:
    table = new_table(shuffler=SHUFFLER)
    table.lose(SHUFFLER)
    table.does(PackConfirmed())
    table.attach(SHUFFLER)
    table.confirm_pack()
    table.shuffled()
    table.does(PackConfirmed(), RoundOpened())
    assert skipped(table) == []


def test_a_machine_that_restarted_has_shuffled_nothing() -> None:
    table = new_table(shuffler=SHUFFLER)
    table.confirm_pack()
    table.attach(SHUFFLER, "2")
    assert table.state.pack.state is PackState.NEEDED


def test_a_fault_of_the_machine_leaves_a_pack_alone_that_lies_in_the_box() -> None:
    table = new_table(shuffler=SHUFFLER).begin(on())
    table.raise_fault(Code.SHUFFLER_JAM, SHUFFLER)
    assert table.state.boxed
    table.shaken()
    table.raise_fault(Code.SHUFFLER_JAM, SHUFFLER)
    assert table.phase == Phase.DEALING


def test_the_shuffle_is_asked_again_after_a_restart_and_no_longer_once_it_is_done() -> None:
    table = new_table(shuffler=SHUFFLER)
    table.confirm_pack()
    asked = ShuffleCards(table.state.pack.operation)
    table.restart()
    assert table.game.outstanding(table.state) == (asked,)
    table.attach(SHUFFLER)
    table.shuffled()
    assert table.game.outstanding(table.state) == ()


@pytest.mark.article("thirteen_cards", "2.a")
@pytest.mark.parametrize("phase", [Phase.IDLE, Phase.BETTING, Phase.CLOSED])
def test_a_card_drawn_before_the_dice_are_shaken_spoils_the_pack(phase: Phase) -> None:
    table = read_table(dice="")
    table.confirm_pack()
    if phase is not Phase.IDLE:
        table.seat()
        table.open_round()
        table.bet()
    if phase is Phase.CLOSED:
        table.close()
    table.draw("As")
    assert table.phase == phase
    assert (table.state.pack.state, table.state.boxed) == (PackState.NEEDED, False)
    assert fault(table.table, Code.CARD_OUT_OF_ROUND, SHOE) is not None
    table.does(PackConfirmed())
    assert table.state.boxed


def test_a_packet_from_the_machine_is_a_card_out_of_the_round() -> None:
    table = new_table(shuffler=SHUFFLER).begin(on())
    table.tell(PacketDelivered(SHUFFLER, 3))
    assert fault(table.table, Code.CARD_OUT_OF_ROUND, SHUFFLER) is not None
    assert table.state.boxed


# --- seats and holders


@pytest.mark.article("thirteen_cards", "3")
def test_seats_are_kept_between_rounds_and_change_there() -> None:
    table = new_table().begin(on(2), on(3, "bob"))
    table.void()
    assert [seat["bettor"] for seat in table.public()["seats"]] == ["ann", "bob"]
    table.seat(4, "ann")
    table.leave(3)
    assert table.public()["seats"] == [{"place": 4, "bettor": "ann"}]


@pytest.mark.article("thirteen_cards", "3")
def test_a_player_without_a_bet_may_still_change_his_place_and_one_with_a_bet_may_not() -> None:
    table = new_table().begin(on(2))
    table.seat(3, "bob")
    assert refused(table.seat(4, "bob")) is None
    assert refused(table.seat(3, "ann")) == ("3", "no_changing_places")
    table.take_back()
    assert refused(table.seat(3, "ann")) is None


@pytest.mark.article("thirteen_cards", "3")
def test_a_player_may_bet_on_several_places() -> None:
    table = new_table().begin(on(2), on(3, "bob"))
    assert refused(table.bet(3, "ann")) is None
    assert [(bet.place, bet.bettor) for bet in table.state.bets] == [(2, "ann"), (3, "bob"), (3, "ann")]


@pytest.mark.article("thirteen_cards", "5")
@pytest.mark.article("thirteen_cards", "reading 15")
def test_a_bet_on_a_place_whose_cards_nobody_may_hold_is_refused_and_surveillance_sees_it() -> None:
    table = new_table().begin(on(2))
    effects = table.bet(3, "ann")
    assert refused(effects) == ("5", "no_holder")
    assert [event.article for event in table.all_of(BetRefused)] == ["5"]
    table.seat(3, "bob")
    assert refused(table.bet(3, "ann")) == ("5", "no_holder")
    table.does(on(3, "bob"))
    assert refused(table.bet(3, "ann")) is None


@pytest.mark.article("thirteen_cards", "5")
@pytest.mark.article("thirteen_cards", "reading 16")
def test_the_highest_bettor_who_sits_at_a_place_holds_its_cards_and_of_equals_the_first() -> None:
    table = new_table()
    for bettor in ("ann", "bob"):
        table.seat(2, bettor)
    table.seat(3, "cat")
    table.open_round()
    table.does(on(2, "bob"), on(2, "ann"), on(2, "cat", 3 * UNIT))
    assert table.public()["holders"] == [{"place": 2, "bettor": "bob"}]
    table.does(on(2, "ann"))
    assert table.public()["holders"] == [{"place": 2, "bettor": "ann"}]


@pytest.mark.article("thirteen_cards", "2.b")
@pytest.mark.article("thirteen_cards", "reading 16")
def test_the_highest_bettor_who_is_seated_shakes_the_dice_and_of_equals_the_first() -> None:
    table = new_table().begin(on(2, "ann"), on(3, "bob"))
    assert table.public()["shaker"] == {"place": 2, "bettor": "ann"}
    table.does(on(3, "standing", 3 * UNIT), on(3, "bob"))
    assert table.public()["shaker"] == {"place": 3, "bettor": "bob"}
    table.does(on(2, "ann"))
    assert table.public()["shaker"] == {"place": 2, "bettor": "ann"}


@pytest.mark.article("thirteen_cards", "5")
def test_once_a_seated_bettor_goes_back_on_his_bet_the_table_asks_for_what_to_do() -> None:
    table = new_table().begin(on(2))
    table.does(on(2, "bob"))
    table.take_back()
    assert table.prompt() == "no_holder"
    table.shake(1, 1, 1, 1)
    assert (table.phase, out_of_turn(table)) == (Phase.BETTING, True)


# --- bets


@pytest.mark.article("thirteen_cards", "2.c")
def test_bets_are_laid_added_to_and_taken_back_until_the_dice_are_shaken() -> None:
    table = new_table().begin(on(2), on(2, stake=2 * UNIT))
    assert table.state.bets[0].stake == 3 * UNIT
    assert [event.stake for event in table.all_of(BetPlaced)] == ["100.00", "200.00"]
    table.take_back()
    assert [event.stake for event in table.all_of(BetWithdrawn)] == ["300.00"]
    assert table.state.bets == ()


@pytest.mark.article("thirteen_cards", "11")
@pytest.mark.article("thirteen_cards", "reading 1")
@pytest.mark.parametrize(("stake", "taken"), [(1, True), (2, True), (3, True), (4, False), (1.5, False)])
def test_a_stake_is_one_two_or_three_units(stake: float, taken: bool) -> None:
    table = new_table(unit=50_00).begin()
    table.seat()
    assert (refused(table.bet(stake=int(stake * 50_00))) is None) == taken


@pytest.mark.article("thirteen_cards", "3")
@pytest.mark.article("thirteen_cards", "reading 17")
def test_a_round_names_the_three_places_for_bets() -> None:
    assert new_table().begin().all_of(RoundBegan)[0].places == (2, 3, 4)


def test_the_dealer_may_call_an_end_to_the_bets_before_the_shake() -> None:
    table = new_table().begin(on(2))
    table.close()
    assert [(event.by, event.total_stakes) for event in table.all_of(BettingOver)] == [("dealer", "100.00")]
    table.shake(1, 2, 3, 4)
    assert (table.phase, len(table.all_of(BettingOver))) == (Phase.DEALING, 1)


# --- the dice


@pytest.mark.article("thirteen_cards", "2.c")
def test_the_shake_ends_the_betting() -> None:
    table = new_table().begin(on(2))
    table.shake(1, 2, 3, 4)
    assert [event.by for event in table.all_of(BettingOver)] == ["throw"]
    assert refused(table.bet()) == ("2(c)", "betting_over")
    assert refused(table.take_back()) == ("2(c)", "betting_over")


@pytest.mark.article("thirteen_cards", "2.b")
@pytest.mark.article("thirteen_cards", "reading 8")
@pytest.mark.parametrize(
    ("dice", "first"),
    [((1, 1, 1, 1), 4), ((1, 1, 1, 2), BANKER), ((1, 1, 2, 2), 2), ((1, 2, 2, 2), 3), ((6, 6, 6, 6), 4)],
)
def test_the_total_counted_from_the_banker_names_the_place_of_the_first_card(
    dice: tuple[int, ...], first: Place
) -> None:
    table = new_table().begin(on(2))
    table.shake(*dice)
    assert (table.public()["first"], table.public()["dice"]) == (first, [*dice])
    assert table.state.hands[0].place == first


@pytest.mark.article("thirteen_cards", "reading 8")
def test_the_four_places_come_first_in_324_326_324_and_322_of_all_throws() -> None:
    faces = range(1, 7)
    throws = [(a, b, c, d) for a in faces for b in faces for c in faces for d in faces]
    firsts = [first_place(throw) for throw in throws]
    assert [firsts.count(place) for place in (BANKER, 2, 3, 4)] == [324, 326, 324, 322]


@pytest.mark.article("thirteen_cards", "1.c")
@pytest.mark.article("thirteen_cards", "2.c")
@pytest.mark.parametrize(
    ("dice", "flaw", "told"),
    [
        ((1, 2, 3), "", "missing"),
        ((1, 2, 3, 4, 5), "", "extra"),
        ((1, 2, 3, 7), "", "unsure"),
        ((1, 2), "cocked", "cocked"),
    ],
)
def test_an_invalid_shake_ends_the_betting_all_the_same_and_is_repeated(
    dice: tuple[int, ...], flaw: str, told: str
) -> None:
    table = new_table().begin(on(2))
    table.shake(*dice, flaw=flaw)
    faces = tuple(face for face in dice if face <= 6)
    assert (table.phase, shown(table), table.prompt()) == (Phase.CLOSED, [(faces, False, told)], "closed_shake")
    assert refused(table.bet()) == ("2(c)", "betting_over")
    table.shake(1, 1, 1, 2)
    assert (table.phase, len(table.all_of(BettingOver))) == (Phase.DEALING, 1)


@pytest.mark.article("thirteen_cards", "2.b")
def test_a_shake_names_the_place_of_the_shaker() -> None:
    table = new_table().begin(on(2), on(3, "bob", 2 * UNIT))
    table.shake(1, 1, 1, 2)
    assert table.all_of(DiceShown)[0].place == 3


@pytest.mark.article("thirteen_cards", "2.b")
def test_where_no_reader_is_the_dealer_enters_the_shake_of_whose_right_it_is() -> None:
    table = new_table(dice="").begin(on(2), on(3, "bob", 2 * UNIT))
    assert table.prompt() == "betting_enter_dice"
    assert refused(table.enter(1, 1, 1, 2, place=2)) == ("2(b)", "not_his_shake")
    table.enter(1, 1, 1, 2, place=3, flaw="cocked")
    assert (table.phase, table.prompt()) == (Phase.CLOSED, "closed_enter_dice")
    table.enter(1, 1, 1, 2, place=3)
    assert table.phase == Phase.DEALING


def test_where_the_reader_is_lost_the_dealer_enters_the_shake() -> None:
    table = new_table().begin(on(2))
    table.lose(DICE)
    assert table.prompt() == "betting_enter_dice"
    assert refused(table.enter(1, 1, 1, 2)) is None
    assert table.phase == Phase.DEALING


@pytest.mark.article("thirteen_cards", "2.c")
def test_dice_thrown_when_nobody_is_due_move_nothing_and_are_recorded() -> None:
    table = new_table()
    table.shake(1, 1, 1, 2)
    assert (shown(table), out_of_turn(table)) == ([((1, 1, 1, 2), False, "out_of_turn")], True)
    table.tell(FaultAcknowledged(Code.DICE_OUT_OF_TURN, DICE))
    table.begin(on(2)).shaken()
    before = table.state
    table.shake(6, 6, 6, 6)
    assert table.state == before
    assert out_of_turn(table)


@pytest.mark.article("thirteen_cards", "2.a")
def test_dice_shaken_before_the_pack_is_in_the_box_are_out_of_turn() -> None:
    table = new_table()
    table.seat()
    table.open_round()
    table.bet()
    assert table.prompt() == "pack"
    table.shake(1, 1, 1, 2)
    assert (table.phase, out_of_turn(table)) == (Phase.BETTING, True)


@pytest.mark.article("thirteen_cards", "2.b")
def test_dice_shaken_before_anybody_has_bet_are_out_of_turn_and_leave_the_betting_open() -> None:
    table = new_table().begin()
    table.shake(1, 1, 1, 2)
    assert (table.phase, out_of_turn(table)) == (Phase.BETTING, True)


def test_dice_from_a_reader_that_is_not_the_tables_count_for_nothing() -> None:
    table = new_table().begin(on(2))
    table.tell(DiceThrown("other", (1, 1, 1, 2)))
    assert table.phase == Phase.BETTING


@pytest.mark.article("thirteen_cards", "2.c")
def test_a_shake_called_invalid_before_the_first_card_is_repeated_without_new_bets() -> None:
    table = read_table().begin(on(2)).shaken()
    table.invalidate("outside")
    assert (table.phase, table.public()["dice"], shown(table)[-1][1:]) == (Phase.CLOSED, [], (False, "outside"))
    assert [event.called_invalid for event in table.all_of(DiceShown)] == [False, True]
    assert refused(table.bet()) == ("2(c)", "betting_over")
    table.shake(1, 1, 2, 2)
    assert table.public()["first"] == 2
