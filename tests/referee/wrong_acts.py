"""Acts as somebody records them wrongly, or though they never happened."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Final

from tests.referee.dealers import FOOTBALL_BETS, PACK, PEOPLE, STAKES
from tests.referee.evening import Act, Evening

BETS: Final = {
    "q_poker": ("pair_or_better", "versus_dealer"),
    "football_poker": FOOTBALL_BETS,
    "wheel_of_fortune": tuple(f"symbol_{nth}" for nth in range(1, 8)),
    "chinese_dice": ("place",),
    "thirteen_cards": ("place",),
}
CARDS: Final = frozenset({"q_poker", "football_poker", "thirteen_cards"})


def by_hand(random: Random, round_id: str, not_for: str | None = None) -> tuple[Act, Act]:
    """A correction by hand of somebody's money in a round that is over, and the one that takes it back.

    Args:
        not_for: who has the bank of Chinese dice, whose capital in the next round follows their money.
    """
    bettor = random.choice([each for each in PEOPLE if each != not_for])
    amount = random.choice((100, -200, 50))
    changes = [[{"bettor": bettor, "amount": str(change)}] for change in (amount, -amount)]
    one, back = (
        Act("correct_round", {"corrects": round_id, "reason": "paid wrongly", "changes": each}) for each in changes
    )
    return one, back


def altered(random: Random, game: str, act: Act) -> Act | None:
    """The act as somebody records it wrongly; None where there is nothing to get wrong."""
    names = sorted(act.fields.keys() & OTHER.keys())
    for name in random.sample(names, len(names)):
        value = OTHER[name](random, game, act.fields[name])
        if value != act.fields[name]:
            return Act(act.verb, {**act.fields, name: value})
    return None


Other = Callable[[Random, str, Any], Any]

OTHER: Final[Mapping[str, Other]] = {
    "place": lambda random, _, __: random.randint(1, 7),
    "bettor": lambda random, _, __: random.choice(PEOPLE),
    "bet": lambda random, game, _: random.choice(BETS[game]),
    "stake": lambda random, _, __: random.choice(STAKES),
    "capital": lambda random, _, __: random.choice(("50", "400", "900", "5000")),
    "card": lambda random, _, __: random.choice(PACK),
    "cards": lambda random, _, cards: _with_another(random, cards),
    "rows": lambda random, _, rows: _exchanged(random, rows),
    "decision": lambda _, __, decision: "withdraw" if decision == "play" else "play",
    "dice": lambda random, _, dice: [random.randint(1, 6) for _ in dice],
    "turns": lambda random, _, __: random.randint(0, 6),
    "section": lambda random, _, __: random.choice((None, *range(1, 53))),
    "series": lambda _, __, series: "lower" if series == "upper" else "upper",
    "combination": lambda random, _, __: random.randint(1, 8),
}
"""What somebody may take a field for, by its name: from the game and the true value."""


def _with_another(random: Random, cards: Sequence[str]) -> list[str]:
    wrong = list(cards)
    wrong[random.randrange(len(wrong))] = random.choice(PACK)
    return wrong


def _exchanged(random: Random, rows: Sequence[Sequence[str]]) -> list[list[str]]:
    flat = [card for row in rows for card in row]
    one, other = random.sample(range(13), 2)
    flat[one], flat[other] = flat[other], flat[one]
    return [flat[:3], flat[3:8], flat[8:]]


def invented(verb: str, random: Random, game: str, evening: Evening) -> Act:
    """An act that never happened; betting was closed, where this one makes no sense."""
    place = random.randint(1, 5)
    bet = {"place": place, "bettor": random.choice(PEOPLE), "bet": random.choice(BETS[game])}
    laid = evening.sight["bets"]
    match verb:
        case "bet":
            return Act("bet", {**bet, "stake": random.choice(STAKES)})
        case "take_back_bet":
            one = random.choice(laid) if laid else bet
            return Act(verb, {name: one[name] for name in bet})
        case "void_round" if (
            evening.phase != "drawing"
        ):  # a draw that comes after it is published as void, and stays so
            return Act(verb, {"reason": "the wrong button"})
        case "misplace_card" | "declare_misdeal" if game in CARDS:
            return Act(verb, {"place": place})
        case "count_cards" if game in CARDS:
            return Act(verb, {"count": random.randint(1, 20)})
        case "card" if game in CARDS:
            return Act("card", {"card": random.choice((None, *PACK))})
        case "dice" if game in {"chinese_dice", "thirteen_cards"}:
            count = 4 if game == "thirteen_cards" else 3
            return Act("dice", {"dice": [random.randint(1, 6) for _ in range(count)]})
        case "expose_card" if any(hand["cards"] for hand in evening.sight.get("hands", ())):
            hand = random.choice([each for each in evening.sight["hands"] if each["cards"]])
            nth = random.randint(1, len(hand["cards"]))
            seen = random.choice((None, random.choice(PACK)))
            return Act(verb, {"place": hand["place"], "index": nth, "card": seen})
        case _:
            return Act("close_betting")
