"""Random rounds of the five games, drawn so that the corners come often."""

from collections.abc import Callable
from decimal import Decimal
from random import Random
from typing import Final

from tests.referee import chinese_dice as dice
from tests.referee.forms import RANKS, SUITS, Fields, RefusedError

STAKES: Final = ("0.01", "0.02", "0.03", "0.05", "0.1", "0.25", "0.50", "0.99", "1", "1.01", "3", "7.77", "20")
LARGE: Final = (
    "33.33",
    "100",
    "100.00",
    "250.5",
    "999.99",
    "1000",
    "1000000.01",
    "90071992547409.93",
    "9" * 30 + ".99",
)
BETTORS: Final = ("a", "b", "a", "阿", "c d", "é\u0301", "'; --", "\N{GRINNING FACE}")
TURNS: Final = (
    "0",
    "1",
    "2.99",
    "2.9999999999999999999999",
    "3",
    "3.0",
    "3.0000000000000000001",
    "4.25",
    "3e0",
    "0.3E1",
)
ODD_TURNS: Final = ("-0.0", "2999999999999999999999e-21", "1e400", "1e-400", "29e-1", "17")
IDS: Final[tuple[object, ...]] = (
    None,
    0,
    "r",
    "",
    [1, {"a": None}],
    {"b": [True]},
    -(2**70),
    False,
    "阿\u2028",
)


def stake(random: Random) -> str:
    """A stake: a boundary of rounding, a common one, or any."""
    drawn = random.random()
    if drawn < 0.5:
        return random.choice(STAKES)
    return random.choice(LARGE) if drawn < 0.7 else f"{random.randrange(1, 10**6)}.{random.randrange(100):02}"


def bettor(random: Random) -> str:
    """A bettor; the same ones come often."""
    return random.choice(BETTORS)


def line(random: Random, game: str, round_: Fields, rules: Fields | None = None) -> Fields:
    """The line for a round, with an `id` and `rules` or without."""
    form: Fields = {"game": game, "round": round_}
    if random.random() < 0.3:
        form["id"] = random.choice(IDS)
    if rules is not None:
        form["rules"] = rules
    elif random.random() < 0.1:
        form["rules"] = {}
    return form


def pack(random: Random, packs: int = 1) -> list[str]:
    """Shuffled cards; often of few ranks or few suits, so that combinations and near ties are common."""
    ranks, suits = RANKS, SUITS
    if random.random() < 0.4:
        ranks = "".join(random.sample(RANKS, random.randint(4, 7)))
    if random.random() < 0.3:
        start = random.randrange(13)
        ranks = (RANKS + RANKS)[start : start + 6]
    if random.random() < 0.3:
        suits = "".join(random.sample(SUITS, random.randint(2, 3)))
    cards = [rank + suit for rank in ranks for suit in suits] * packs
    random.shuffle(cards)
    return cards


def taken(cards: list[str], count: int) -> list[str]:
    """The next cards of the pack."""
    drawn = cards[:count]
    del cards[:count]
    return drawn


def several(random: Random, bet: Callable[[Random], Fields]) -> list[Fields]:
    """No bet, one or some."""
    return [bet(random) for _ in range(random.choice((0, 1, 1, 2, 3, 6)))]


def q_poker(random: Random) -> Fields:
    """A round of Q Poker with up to sixteen places, dead hands among them."""
    cards = pack(random)
    dealer = taken(cards, 3)
    places: list[Fields] = []
    for place in random.sample(range(1, 17), random.randint(0, 16)):
        bets = several(random, _q_poker_bet)
        hand = taken(cards, 3 if bets else random.randint(1, 3))
        if len(hand) == 3 or (hand and not bets):
            places.append({"place": place, "cards": hand, "bets": bets})
    return line(random, "q_poker", {"dealer": dealer, "places": places})


def _q_poker_bet(random: Random) -> Fields:
    which = random.choice(("pair_or_better", "versus_dealer", "versus_dealer"))
    bet: Fields = {"bettor": bettor(random), "bet": which, "stake": stake(random)}
    if which == "versus_dealer" and random.random() < 0.6:
        bet["decision"] = random.choice(("play", "withdraw"))
    return bet


def football_poker(random: Random) -> Fields:
    """A round of Football Poker with one pack or several, the third card where the law gives one."""
    decks = random.choice((1, 1, 2, 8))
    cards = [rank + suit for rank in RANKS for suit in SUITS] * decks
    random.shuffle(cards)
    places: list[Fields] = []
    numbered: list[object] = list(random.sample(range(1, 11), random.randint(0, 10)))
    numbered.insert(random.randint(0, len(numbered)), "common")
    for place in numbered:
        hand = taken(cards, 2)
        if sum(_points(card) for card in hand) % 10 in {0, 9}:
            hand += taken(cards, 1)
        places.append({"place": place, "cards": hand, "bets": several(random, _football_bet)})
    draw = {"series": random.choice(("upper", "lower")), "combination": random.randint(1, 8)}
    rules: Fields | None = {"decks": decks} if decks > 1 or random.random() < 0.2 else None
    return line(random, "football_poker", {"draw": draw, "places": places}, rules)


def _points(card: str) -> int:
    return {"A": 1}.get(card[0], int(card[0]) if card[0].isdigit() else 0)


def _football_bet(random: Random) -> Fields:
    which = random.choice(("upper_range", "lower_range", "even", "odd", "post"))
    return {"bettor": bettor(random), "bet": which, "stake": stake(random)}


def wheel_of_fortune(random: Random) -> Fields:
    """A spin, valid or not, with bets on any symbol and the pay table of the law or another."""
    turns = Decimal(random.choice(random.choice((TURNS, TURNS, ODD_TURNS))))
    on_peg = random.random() < 0.15
    spin: Fields = {"turns": turns, "symbol": None if on_peg else random.randint(1, 7), "on_peg": on_peg}
    if random.random() < 0.4:
        spin["interfered"] = random.random() < 0.3
    rules: Fields | None = None
    if random.random() < 0.3:
        rules = {"pays": random.choice(([1, 3, 5, 11, 23, 47, 47], [random.randint(1, 99) for _ in range(7)], [1] * 7))}
    return line(random, "wheel_of_fortune", {"spin": spin, "bets": several(random, _wheel_bet)}, rules)


def _wheel_bet(random: Random) -> Fields:
    return {"bettor": bettor(random), "bet": f"symbol_{random.randint(1, 7)}", "stake": stake(random)}


def chinese_dice(random: Random) -> Fields:
    """A round of Chinese dice: a bank of one to five layers, large or soon exhausted."""
    seat = random.randint(1, 8)
    banker = {
        "place": seat,
        "bettor": bettor(random),
        "capital": stake(random),
        "throws": _thrown(random, ((4, 5, 6), (1, 2, 3), (3, 3, 3)) if random.random() < 0.3 else ()),
    }
    others = [place for place in range(1, 9) if place != seat]
    places: list[Fields] = [
        {"place": place, "bets": several(random, _plain_bet), "throws": _thrown(random)}
        for place in random.sample(others, random.randint(0, 7))
    ]
    round_: Fields = {"banker": banker, "places": places}
    if random.random() < 0.5:
        round_["casino_share"] = random.choice(("0", "0.00", "0.01", "50", stake(random)))
    if random.random() < 0.6:
        round_["partners"] = several(random, _plain_bet)
    form = line(random, "chinese_dice", round_)
    _let_throw_who_may(round_, places)
    return form


def _let_throw_who_may(round_: Fields, places: list[Fields]) -> None:
    """Empties the throws of the places that don't throw, as the referee names them one after another."""
    for _ in places:
        try:
            dice.settle(round_, {})
            return
        except RefusedError as error:
            for at, place in enumerate(places):
                if error.path == f"round.places[{at}].throws":
                    place["throws"] = []


def _plain_bet(random: Random) -> Fields:
    return {"bettor": bettor(random), "stake": stake(random)}


def _thrown(random: Random, often: tuple[tuple[int, int, int], ...] = ()) -> list[list[int] | None]:
    thrown: list[list[int] | None] = []
    while random.random() < 0.3:
        thrown.append(random.choice((None, [1, 2, 4], [6, 3, 1], [5, 4, 2])))
    faces = list(random.choice(often)) if often else _decisive(random)
    random.shuffle(faces)
    return [*thrown, faces]


def _decisive(random: Random) -> list[int]:
    while dice.combination(sorted(faces := [random.randint(1, 6) for _ in range(3)])) is None:
        pass
    return faces
