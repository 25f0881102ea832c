"""What the table shows: the next step in words, and what lies face up and nothing else."""

import json
from collections.abc import Callable
from typing import cast

import pytest
from pydantic import TypeAdapter

from tablectl.core.cards import BANKER
from tablectl.core.facts.game_requests import HandOpened, TiersShown
from tablectl.core.faults import Code
from tablectl.core.games.thirteen_cards.hands import Rows, ascends, rank_rows
from tablectl.core.games.thirteen_cards.legal_actions import candidates
from tablectl.core.games.thirteen_cards.state import Phase, ThirteenCards
from tests.support.thirteen_cards import (
    BETTER,
    BUZZER,
    DICE,
    FOUL,
    HANDS,
    SHOE,
    SHUFFLER,
    UNIT,
    Sitting,
    flat,
    new_table,
    on,
    read_table,
)

Steps = Callable[[Sitting], object]


@pytest.mark.article("thirteen_cards", "2")
def test_a_round_without_devices_prompts_every_step_of_the_procedure() -> None:
    steps: list[Steps] = [
        lambda t: t.seat(),
        lambda t: t.confirm_pack(),
        lambda t: t.open_round(),
        lambda t: t.bet(),
        lambda t: t.close(),
        lambda t: t.enter(1, 1, 1, 2),
        lambda t: t.finish_deal(),
        lambda t: t.show(BANKER),
        lambda t: t.pick_up(2),
        lambda t: t.finish(2),
        lambda t: t.show(2),
    ]
    assert new_table(dice="").prompts(steps) == [
        *("pack", "pack", "open_round", "betting", "betting_enter_dice", "closed_enter_dice", "deal"),
        *("banker_sets", "pick_up", "players_set", "compare", "pack"),
    ]


@pytest.mark.article("thirteen_cards", "2")
def test_round_with_every_device_prompts_every_step_of_the_procedure() -> None:
    steps: list[Steps] = [
        lambda t: t.confirm_pack(),
        lambda t: t.shuffled(),
        lambda t: t.confirm_pack(),
        lambda t: t.open_round(),
        lambda t: (t.seat(), t.bet()),
        lambda t: t.shake(1, 1, 1, 1, flaw="cocked"),
        lambda t: t.shake(1, 1, 1, 2),
        lambda t: t.deal(),
        lambda t: t.show(BANKER, FOUL),
        lambda t: t.show(BANKER),
        lambda t: t.finish(2),
        lambda t: t.show(2),
    ]
    table = new_table(shoe=SHOE, shuffler=SHUFFLER, dice=DICE, buzzer=BUZZER)
    assert table.prompts(steps) == [
        *("pack", "shuffling", "cut", "open_round", "betting", "betting_shake", "closed_shake", "card"),
        *("banker_sets", "banker_foul", "pick_up", "compare", "pack"),
    ]


@pytest.mark.parametrize(
    ("prompt", "steps"),
    [
        ("misplaced", lambda t: (t.shaken(), t.draw("As"), t.misplace(4))),
        ("deal_unread", lambda t: (t.shaken(), t.draw("As"), t.lose(SHOE))),
        ("count", lambda t: (t.shaken(), t.draw("As"), t.lose(SHOE), t.attach(SHOE))),
        ("pack", lambda t: t.draw("As")),
        ("no_holder", lambda t: (t.bet(2, "bob"), t.take_back())),
        ("reshuffle", lambda t: (t.deal(), t.misdeal())),
        ("call_time", lambda t: (t.deal().banker_shows(), t.finish(2), t.time_up())),
    ],
)
def test_what_stands_in_the_way_is_prompted_first(prompt: str, steps: Steps) -> None:
    table = read_table().begin(on(2), on(3, "bob"))
    steps(table)
    assert table.prompt() == prompt


def test_fault_that_stops_the_table_is_prompted_between_rounds_only() -> None:
    table = new_table()
    table.raise_fault(Code.STORAGE_LOW)
    assert table.prompt() == "fault"
    other = new_table().begin(on())
    other.raise_fault(Code.STORAGE_LOW)
    assert other.prompt() == "betting_shake"


@pytest.mark.article("thirteen_cards", "2.b")
def test_prompt_names_who_shakes_the_dice_and_where_he_sits() -> None:
    table = new_table().begin(on(2), on(3, "bob", 2 * UNIT))
    assert dict(table.game.waiting(table.table).values) == {"place": "3", "bettor": "bob"}


@pytest.mark.article("thirteen_cards", "2.d")
def test_the_prompts_name_the_places_that_are_missing() -> None:
    table = new_table().begin(on(2), on(3, "bob")).deal().banker_shows()
    assert dict(table.game.waiting(table.table).values) == {"places": "2, 3"}
    table.pick_up(3)
    table.finish(3)
    assert dict(table.game.waiting(table.table).values) == {"places": "2"}


@pytest.mark.article("thirteen_cards", "2.b")
def test_cards_are_named_as_they_are_shown_and_no_others() -> None:
    table = read_table().begin(on(2), on(3, "bob")).deal()
    assert table.game.unrevealed(table.state) == {card for tiers in HANDS.values() for card in flat(tiers)}
    table.banker_shows().all_set()
    table.show(2)
    shown = {hand["place"]: hand["cards"] for hand in table.public()["hands"]}
    assert shown == {BANKER: [*flat(HANDS[BANKER])], 2: [*flat(BETTER)], 3: [None] * 13, 4: [None] * 13}
    assert table.game.unrevealed(table.state) == {*flat(HANDS[3]), *flat(HANDS[4])}


@pytest.mark.article("thirteen_cards", "2.d")
def test_read_hand_is_turned_up_before_its_tiers_are_proposed() -> None:
    table = read_table().begin(on(2), on(3, "bob")).deal().banker_shows().all_set()
    assert _proposed(table, 2) is None
    table.tell(HandOpened(2))
    (hand,) = (hand for hand in table.public()["hands"] if hand["place"] == 2)
    assert {*hand["cards"]} == {*flat(BETTER)}
    assert hand["rows"] is None
    assert table.game.unrevealed(table.state) == {*flat(HANDS[3]), *flat(HANDS[4])}
    proposed = _proposed(table, 2)
    assert proposed is not None
    assert {*flat(proposed)} == {*flat(BETTER)}
    assert ascends(rank_rows(proposed))
    assert _proposed(table, 3) is None
    table.show(2)
    assert _proposed(table, 2) == BETTER


def _proposed(table: Sitting, place: int) -> Rows | None:
    """The tiers that are proposed for a place."""
    for one in candidates(table.state, table.set_up):
        if isinstance(one.body, TiersShown) and one.body.place == place and one.proposed:
            return cast("Rows", one.body.rows)
    return None


def test_bets_seats_and_dice_are_public() -> None:
    table = new_table().begin(on(2, stake=UNIT)).shaken()
    public = table.public()
    assert public["bets"] == [{"place": 2, "bettor": "ann", "bet": "place", "stake": "100.00"}]
    assert (public["phase"], public["dice"], public["first"]) == ("dealing", [1, 1, 1, 2], BANKER)
    assert public["holders"] == [{"place": 2, "bettor": "ann"}]
    assert json.dumps(public)


def test_between_rounds_nothing_of_last_one_lies_on_table() -> None:
    table = read_table().begin(on(2))
    table.play()
    public = table.public()
    assert (public["round_id"], public["phase"], public["pack"], public["shaker"]) == (None, Phase.IDLE, "needed", None)
    assert [public[name] for name in ("bets", "holders", "hands", "dice", "set", "late")] == [[], [], [], [], [], []]


@pytest.mark.parametrize("steps", [lambda t: t.deal(), lambda t: t.deal().banker_shows(), lambda t: None])
def test_the_state_survives_being_stored(steps: Steps) -> None:
    table = read_table(shuffler=SHUFFLER, buzzer=BUZZER).begin(on(2), on(3, "bob"))
    steps(table)
    stored = TypeAdapter(ThirteenCards)
    assert stored.validate_json(stored.dump_json(table.state)) == table.state
