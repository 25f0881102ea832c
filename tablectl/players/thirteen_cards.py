"""The player of 13 Cards: a banker, up to three players, and thirteen cards for each of them to set."""

from typing import Any, Final

from tablectl.core.cards import BANKER, Card, Place
from tablectl.core.games.thirteen_cards.hands import Rows
from tablectl.core.games.thirteen_cards.legal_actions import set_cards
from tablectl.players.cards import counted
from tablectl.players.moves import Ask, Draw, Move, Sight, Throw, Wait, next_bet, next_seat

PLACES: Final[tuple[Place, ...]] = (BANKER, 2, 3, 4)
"""Counter-clockwise. Rule: 51/89/M art. 3."""

HAND_SIZE: Final = 13
RANKS: Final = "23456789TJQKA"


def next_move(sight: Sight, plan: Any) -> Move:
    """The next move of a round from the shuffle to its payment (`tablectl.players.moves`)."""
    match sight.phase:
        case "idle":
            return next_seat(sight, (2, 3, 4)) or _box(sight) or Ask("open_round")
        case "paying":
            return Ask("pay_place")
        case "betting" | "closed":
            return (sight.phase == "betting" and next_bet(sight, plan.bets)) or _box(sight) or Throw(plan.dice)
        case "reshuffling":
            return _box(sight) or Wait()
        case "dealing" if sight.round["count_due"]:
            return counted(sight)
        case "dealing":
            return Draw(plan.pack[sight.drawn % len(plan.pack)])
        case "banker_setting":
            return _show(sight, plan, BANKER)
        case "players_setting":
            return _set(sight, plan)
        case _:
            shown = {hand["place"] for hand in sight.round["hands"] if hand["opened"]}
            due = [place for place in sight.places if place not in shown]
            return _show(sight, plan, due[0]) if due else Wait()


def _box(sight: Sight) -> Move | None:
    """The pack shuffled by hand, then by the machine, cut, and into the box. Rule: 51/89/M art. 2(a)."""
    if sight.round["boxed"]:
        return None
    if sight.round["pack"] == "shuffling":
        return Wait()
    return Ask("confirm_pack", {"shuffle": "machine" if sight.round["pack"] == "ready" else "hand"})


def _set(sight: Sight, plan: Any) -> Move:
    """The players set their cards, within five minutes; who doesn't is late. Rule: 51/89/M art. 2(d)."""
    table = sight.round
    if table["called"]:
        late = [place for place in sight.places if place not in (*table["set"], *table["late"])]
        return Ask("confirm_late", {"place": late[0]}) if late else Wait()
    if table["call_time"]:
        return Ask("call_time")
    looking = [place for place in sight.places if place not in table["picked_up"]]
    setting = [place for place in sight.places if place not in (*table["set"], *plan.late)]
    if looking:
        return Ask("pick_up_cards", {"place": looking[0]})
    return Ask("finish_setting", {"place": setting[0]}) if setting else Wait()


def _show(sight: Sight, plan: Any, place: Place) -> Move:
    nth = (PLACES.index(place) - PLACES.index(sight.round["first"])) % len(PLACES)
    cards = tuple(plan.pack[nth :: len(PLACES)])
    rows = _roughly_set(cards) if sight.hasty else set_cards(cards)
    return Ask("show_tiers", {"place": place, "rows": [list(row) for row in rows]})


def _roughly_set(cards: tuple[Card, ...]) -> Rows:
    """Thirteen cards in three rows, the higher the further back: quickly set, and now and then foul."""
    ranked = tuple(sorted(cards, key=lambda card: (RANKS.index(card[0]), card)))
    return ranked[:3], ranked[3:8], ranked[8:]
