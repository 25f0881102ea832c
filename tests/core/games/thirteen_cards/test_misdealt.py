"""A card turned up or dealt wrong: what is mended, and the deal that has to be made again."""

from collections.abc import Callable

import pytest

from tablectl.core.actions.authority import Need, need_of
from tablectl.core.cards import BANKER, PACK, Place
from tablectl.core.effects import StopTimer
from tablectl.core.events.round import CardDealt, CardOutOfRound, CardShown, Irregular
from tablectl.core.facts.game_requests import DealCancelled
from tablectl.core.games.thirteen_cards.dealing import next_place
from tablectl.core.games.thirteen_cards.state import PLACES, Phase
from tests.support.sitting import commands, fact, refused
from tests.support.thirteen_cards import (
    BETTER,
    BUZZER,
    HANDS,
    SHUFFLER,
    Sitting,
    irregularity,
    new_table,
    on,
    read_table,
)
from tests.support.thirteen_cards_deals import dealing, hidden

# --- turned up, misdealt


@pytest.mark.article("thirteen_cards", "4")
@pytest.mark.parametrize("place", [BANKER, 2])
def test_card_turned_up_in_deal_stays_valid_whoevers_it_is(place: Place) -> None:
    table = dealing("As", "Ks", "2d")
    effects = table.expose(place)
    assert irregularity(effects) == ("4", "card_exposed", "continues")
    assert table.all_of(CardShown)[0].cards == ("As" if place == BANKER else "Ks",)
    assert table.phase == Phase.DEALING
    assert len(hidden(table)) == 2


@pytest.mark.article("thirteen_cards", "4")
def test_unread_card_turned_up_is_what_the_dealer_sees() -> None:
    table = new_table().begin(on(2)).shaken()
    table.expose(2, 5, "Ts")
    assert (table.held(2), table.all_of(CardShown)[0].cards) == ((None,) * 4 + ("Ts",), ("Ts",))
    table.finish_deal()
    table.banker_shows()
    table.all_set()
    assert refused(table.show(2, HANDS[3])) == ("7", "cards_disagree")
    assert refused(table.show(2, BETTER)) is None


@pytest.mark.article("thirteen_cards", "4")
def test_without_a_reader_each_card_is_published_dealt_once() -> None:
    table = new_table().begin(on(2)).shaken()
    table.expose(2, 5, "Ts")
    table.expose(2, 7)
    table.finish_deal()
    said = [(event.place, event.index) for event in table.all_of(CardDealt)]
    assert sorted(said, key=str) == sorted(((place, nth) for place in PLACES for nth in range(1, 14)), key=str)


@pytest.mark.article("thirteen_cards", "4")
def test_card_turned_up_at_one_place_is_shown_nowhere_else() -> None:
    table = new_table().begin(on(2)).shaken()
    table.expose(2, 1, "2s")
    table.finish_deal()
    assert refused(table.show(BANKER)) == ("1(a)", "card_twice")


@pytest.mark.article("thirteen_cards", "4")
def test_misdealt_card_moves_to_its_place_and_play_goes_on() -> None:
    table = dealing("As", "Ks")
    assert table.misplace(4) == ()
    assert (table.prompt(), dict(table.game.waiting(table.table).values)) == ("misplaced", {"due": "2", "place": "4"})
    assert irregularity(table.mend()) == ("4", "mended", "mended")
    assert (table.held(2), table.held(4)) == (("Ks",), ())
    assert table.prompt() == "card"


@pytest.mark.article("thirteen_cards", "4")
def test_error_is_mended_whenever_found() -> None:
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
def test_misplaced_card_found_during_setting_is_put_right() -> None:
    table = read_table().begin(on(2)).deal().banker_shows()
    table.misplace(3)
    table.all_set()
    assert refused(table.show(2)) == ("4", "card_to_be_placed")
    assert refused(table.mend()) == ("4", "whose_card")
    table.mend(2)
    assert refused(table.show(2)) is None


@pytest.mark.article("thirteen_cards", "4")
@pytest.mark.article("thirteen_cards", "reading 21")
def test_whose_card_found_late_is_is_asked_and_not_guessed() -> None:
    table = read_table().begin(on(2)).deal().banker_shows().all_set()
    table.misplace(3)
    assert (table.prompt(), dict(table.game.waiting(table.table).values)) == ("misplaced_whose", {"place": "3"})
    assert refused(table.mend()) == ("4", "whose_card")
    assert irregularity(table.mend(4)) == ("4", "mended", "mended")
    assert table.all_of(Irregular)[-1].place == 4


@pytest.mark.article("thirteen_cards", "reading 21")
def test_misdeal_found_after_comparison_cancels_the_deal() -> None:
    table = read_table().begin(on(2), on(3, "bob")).deal().banker_shows().all_set()
    table.show(2)
    table.misplace(3)
    assert refused(table.mend(4)) == ("4", "compared_already")
    assert irregularity(table.cancel_deal()) == ("4", "deal_cancelled", "redealt")


# --- a deal that can't be mended


@pytest.mark.article("thirteen_cards", "4")
@pytest.mark.article("thirteen_cards", "reading 18")
@pytest.mark.parametrize("made", [dealing, lambda: read_table().begin(on(2)).deal().banker_shows()])
def test_no_deal_is_cancelled_without_a_declared_misdeal(made: Callable[..., Sitting]) -> None:
    table = made()
    assert refused(table.cancel_deal()) == ("4", "no_misdeal")
    table.misplace(4)
    table.cancel_deal()
    assert table.phase == Phase.RESHUFFLING


@pytest.mark.article("thirteen_cards", "reading 18")
def test_from_first_shown_hand_deal_is_cancelled_with_supervisor_only() -> None:
    table = read_table().begin(on(2)).deal()
    cancels = fact(DealCancelled(), len(table.facts))
    table.misplace(4)
    assert need_of(table.game, table.table, cancels) is Need.ANY
    table.mend(3)
    table.banker_shows()
    table.misplace(4)
    assert need_of(table.game, table.table, cancels) is Need.SUPERVISOR


@pytest.mark.article("thirteen_cards", "4")
@pytest.mark.article("thirteen_cards", "reading 13")
def test_cancelled_deal_keeps_dice_and_bets_for_a_new_shuffle() -> None:
    table = dealing("As", "Ks", "2d")
    bets, dice = table.state.bets, table.state.dice
    assert irregularity(table.misdeal()) == ("4", "deal_cancelled", "redealt")
    assert (table.phase, table.prompt(), table.state.hands) == (Phase.RESHUFFLING, "reshuffle", ())
    assert hidden(table) == frozenset()
    table.confirm_pack()
    assert (table.phase, table.state.bets, table.state.dice) == (Phase.DEALING, bets, dice)
    assert next_place(table.state) == BANKER
    table.deal().banker_shows().all_set()
    assert table.compare().irregularities == ("4",)


@pytest.mark.article("thirteen_cards", "4")
@pytest.mark.article("thirteen_cards", "reading 13")
def test_dice_of_cancelled_deal_are_not_called_invalid_any_more() -> None:
    table = dealing()
    table.misdeal()
    table.confirm_pack()
    assert (table.phase, refused(table.invalidate())) == (Phase.DEALING, ("2(c)", "dice_stand"))


@pytest.mark.article("thirteen_cards", "4")
def test_a_cancelled_deal_leaves_no_clock_signal_or_lateness_behind() -> None:
    table = read_table(buzzer=BUZZER).begin(on(2), on(3, "bob")).deal().banker_shows()
    running = table.clock
    assert commands(table.misdeal(), StopTimer) == [StopTimer(running.operation)]
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
def test_after_a_cancelled_deal_machine_shuffles_before_pack_is_cut() -> None:
    table = read_table(shuffler=SHUFFLER).begin(on(2)).deal()
    table.misdeal()
    table.confirm_pack()
    assert (table.phase, table.prompt()) == (Phase.RESHUFFLING, "shuffling")
    table.shuffled()
    assert (table.phase, table.prompt()) == (Phase.RESHUFFLING, "cut")
    table.confirm_pack()
    assert table.phase == Phase.DEALING


@pytest.mark.article("thirteen_cards", "4")
def test_after_cancelled_deal_machine_that_is_away_is_on_record() -> None:
    table = read_table(shuffler=SHUFFLER).begin(on(2)).deal()
    table.misdeal()
    table.lose(SHUFFLER)
    table.confirm_pack()
    assert table.phase == Phase.DEALING
    assert [event.article for event in table.all_of(Irregular) if event.code == "machine_skipped"] == ["4"]


@pytest.mark.article("thirteen_cards", "4")
@pytest.mark.parametrize("found", ["banker", "players", "comparing"])
def test_deal_is_cancelled_when_the_error_is_found_however_late(found: str) -> None:
    table = read_table(buzzer=BUZZER).begin(on(2), on(3, "bob")).deal()
    if found != "banker":
        table.banker_shows()
    if found == "comparing":
        table.all_set()
        table.show(2)
    table.misdeal()
    public = table.public()
    assert table.phase == Phase.RESHUFFLING
    assert [public[name] for name in ("picked_up", "set", "late", "time_ends")] == [[], [], [], None]
    assert table.game.outstanding(table.state) == ()
    table.confirm_pack()
    assert table.deal().banker_shows().all_set().compare().irregularities == ("4",)


def test_card_drawn_during_the_reshuffle_is_out_of_round() -> None:
    table = dealing("As")
    table.misdeal()
    table.draw("Ks")
    assert len(table.all_of(CardOutOfRound)) == 1
    assert table.phase == Phase.RESHUFFLING
