"""The player of 13 Cards: a banker, three players, thirteen cards each to set."""

from typing import Any, Final

from tablectl.core.cards import BANKER, Card, Place
from tablectl.core.games.thirteen_cards.hands import Rows
from tablectl.core.games.thirteen_cards.legal_actions import set_cards
from tablectl.players.cards import counted
from tablectl.players.moves import Ask, Draw, Move, TableView, Throw, Wait, next_bet, next_seat

PLACES: Final[tuple[Place, ...]] = (BANKER, 2, 3, 4)
"""Counter-clockwise. Rule: 51/89/M art. 3."""

HAND_SIZE: Final = 13
RANKS: Final = "23456789TJQKA"


def next_move(view: TableView, plan: Any) -> Move:
    """The next move of a round, from the shuffle to its payment."""
    match view.phase:
        case "idle":
            return next_seat(view, (2, 3, 4)) or _box(view) or Ask("open_round")
        case "paying":
            return Ask("pay_place")
        case "betting" | "closed":
            return (view.phase == "betting" and next_bet(view, plan.bets)) or _box(view) or Throw(plan.dice)
        case "reshuffling":
            return _box(view) or Wait()
        case "dealing" if view.round["count_due"]:
            return counted(view)
        case "dealing":
            return Draw(plan.pack[view.drawn % len(plan.pack)])
        case "banker_setting":
            return _show(view, plan, BANKER)
        case "players_setting":
            return _set(view, plan)
        case _:
            over = {*view.round["late"], *(hand["place"] for hand in view.round["hands"] if hand["opened"])}
            due = [place for place in view.places if place not in over]
            return _show(view, plan, due[0]) if due else Wait()


def _box(view: TableView) -> Move | None:
    """The pack shuffled, cut and boxed.

    Rule: 51/89/M art. 2(a).
    """
    if view.round["boxed"]:
        return None
    if view.round["pack"] == "shuffling":
        return Wait()
    return Ask("confirm_pack", {"shuffle": "machine" if view.round["pack"] == "ready" else "hand"})


def _set(view: TableView, plan: Any) -> Move:
    """The players' cards set within five minutes, or called late.

    Rule: 51/89/M art. 2(d).
    """
    table = view.round
    if table["called"]:
        late = [place for place in view.places if place not in (*table["set"], *table["late"])]
        return Ask("confirm_late", {"place": late[0]}) if late else Wait()
    if table["call_time"]:
        return Ask("call_time")
    looking = [place for place in view.places if place not in table["picked_up"]]
    setting = [place for place in view.places if place not in (*table["set"], *plan.late)]
    if looking:
        return Ask("pick_up_cards", {"place": looking[0]})
    return Ask("finish_setting", {"place": setting[0]}) if setting else Wait()


def _show(view: TableView, plan: Any, place: Place) -> Move:
    nth = (PLACES.index(place) - PLACES.index(view.round["first"])) % len(PLACES)
    cards = tuple(plan.pack[nth :: len(PLACES)])
    rows = _roughly_set(cards) if view.hasty else set_cards(cards)
    return Ask("show_tiers", {"place": place, "rows": [list(row) for row in rows]})


def _roughly_set(cards: tuple[Card, ...]) -> Rows:
    """Thirteen cards in three rows by rank: quickly set, now and then foul."""
    ranked = tuple(sorted(cards, key=lambda card: (RANKS.index(card[0]), card)))
    return ranked[:3], ranked[3:8], ranked[8:]
