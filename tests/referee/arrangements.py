"""Random rounds of the 13-card game: every natural, fouls, rows of equal ranks, and settings that just hold."""

from collections import Counter
from random import Random
from typing import Final

from tests.referee.forms import RANKS, SUITS, Fields
from tests.referee.rounds import bettor, line, several, stake
from tests.referee.thirteen_cards import SIZES, strength

Rows = list[list[str]]

RUNS: Final = {size: ["A" + RANKS[: size - 1], *(RANKS[at : at + size] for at in range(14 - size))] for size in (3, 5)}


def thirteen_cards(random: Random) -> Fields:
    """A round of the 13-card game: what the banker and up to three places have set, or didn't set in time."""
    left = {rank + suit for rank in RANKS for suit in SUITS}
    banker = _set(random, left, None)
    places: list[Fields] = []
    for place in random.sample((2, 3, 4), random.choice((0, 1, 2, 3, 3))):
        late = random.random() < 0.07
        form: Fields = {"place": place, "rows": None if late else _set(random, left, banker)}
        if late or random.random() < 0.2:
            form["in_time"] = not late
        places.append({**form, "bets": several(random, _bet) or [_bet(random)]})
    return line(random, "thirteen_cards", {"banker": {"rows": banker}, "places": places})


def _bet(random: Random) -> Fields:
    return {"bettor": bettor(random), "stake": stake(random)}


def _set(random: Random, left: set[str], banker: Rows | None) -> Rows:
    """Three rows out of the cards that are left, of a kind drawn at random where the cards allow it."""
    makers = (_like, _like, _dragon, _pairs, _flushes, _straights, _royals, _strong, _strong, _strong, _any)
    made = None
    if (maker := random.choice(makers)) is _like:
        made = _like(random, left, banker) if banker else None
    elif maker is not _like:
        made = maker(random, left, banker)
    rows = made if made and set().union(*made) <= left else _any(random, left, banker)
    left.difference_update(*rows)
    return rows


def _any(random: Random, left: set[str], banker: Rows | None) -> Rows:
    """Thirteen cards set without foul, if a few tries find how; sometimes as they fell."""
    hand = random.sample(sorted(left), 13)
    return _rows(random, hand) if random.random() < 0.9 else _cut(hand)


def _cut(hand: list[str]) -> Rows:
    return [hand[:3], hand[3:8], hand[8:]]


def _rows(random: Random, hand: list[str]) -> Rows:
    rows = _cut(hand)
    for _ in range(12):
        random.shuffle(hand)
        rows = _cut(hand)
        rows[1:] = sorted(rows[1:], key=strength)
        if strength(rows[0]) <= strength(rows[1]):
            break
    return rows


def _like(random: Random, left: set[str], banker: Rows | None) -> Rows | None:
    """A row or all rows of the banker's ranks in other suits."""
    taken: set[str] = set()
    rows: Rows = []
    for size, row in zip(SIZES, banker or [], strict=True):
        wanted = row if random.random() < 0.8 else random.sample(sorted(left - taken), size)
        rows.append([])
        for card in wanted:
            alike = [other for other in sorted(left - taken) if other[0] == card[0]] or sorted(left - taken)
            rows[-1].append(random.choice(alike))
            taken.add(rows[-1][-1])
    return rows


def _dragon(random: Random, left: set[str], banker: Rows | None) -> Rows | None:
    by_rank = [[card for card in sorted(left) if card[0] == rank] for rank in RANKS]
    if not all(by_rank):
        return None
    hand = [random.choice(cards) for cards in by_rank]
    random.shuffle(hand)
    return _cut(hand)


def _pairs(random: Random, left: set[str], banker: Rows | None) -> Rows | None:
    """Six pairs and an odd card, four alike among them; or one card off: three alike, or five pairs."""
    hand: list[str] = []
    for rank in random.sample(RANKS, 13):
        alike = [card for card in sorted(left) if card[0] == rank]
        size = random.choice((2, 2, 4)) if len(hand) < 12 else random.choice((1, 1, 1, 3))
        if len(alike) >= size and len(hand) + size <= 13:
            hand += random.sample(alike, size)
    if len(hand) != 13:
        return None
    return _rows(random, hand) if random.random() < 0.7 else _cut(random.sample(hand, 13))


def _flushes(random: Random, left: set[str], banker: Rows | None) -> Rows | None:
    """Three rows of a suit each; sometimes one card off."""
    free, rows = set(left), Rows()
    for size in SIZES:
        suited = Counter(card[1] for card in free)
        suits = [suit for suit in SUITS if suited[suit] >= size]
        if not suits:
            return None
        suit = random.choice(suits)
        rows.append(random.sample([card for card in sorted(free) if card[1] == suit], size))
        free.difference_update(rows[-1])
    return _one_off(random, rows, free)


def _straights(random: Random, left: set[str], banker: Rows | None) -> Rows | None:
    """Three sequences; sometimes one card off."""
    free, rows = set(left), Rows()
    for size in SIZES:
        row = [
            random.choice([card for card in sorted(free) if card[0] == rank] or [""])
            for rank in random.choice(RUNS[size])
        ]
        if "" in row:
            return None
        random.shuffle(row)
        rows.append(row)
        free.difference_update(row)
    return _one_off(random, rows, free)


def _royals(random: Random, left: set[str], banker: Rows | None) -> Rows | None:
    """Two royal flushes, and three odd cards: the only way to a royal flush in the second row."""
    suits = [suit for suit in SUITS if {rank + suit for rank in RANKS[-5:]} <= left]
    if len(suits) < 2:
        return None
    second, third = ([rank + suit for rank in RANKS[-5:]] for suit in random.sample(suits, 2))
    return [random.sample(sorted(left - {*second, *third}), 3), second, third]


def _one_off(random: Random, rows: Rows, free: set[str]) -> Rows:
    if free and random.random() < 0.2:
        row = random.choice(rows)
        row[random.randrange(len(row))] = random.choice(sorted(free))
    return rows


def _strong(random: Random, left: set[str], banker: Rows | None) -> Rows | None:
    """Rows built of formations: runs of a suit, four alike, full houses, threes."""
    free, rows = set(left), Rows()
    for size in SIZES:
        row = _formation(random, sorted(free), size)
        rows.append(row)
        free.difference_update(row)
    rows[1:] = sorted(rows[1:], key=strength) if random.random() < 0.9 else rows[1:]
    return rows


def _formation(random: Random, free: list[str], size: int) -> list[str]:
    """Cards of one formation where they are left, then any others."""
    runs = [[rank + suit for rank in run] for run in RUNS[size] for suit in SUITS]
    alike = [[card for card in free if card[0] == rank] for rank in random.sample(RANKS, 13)]
    shapes = {"run": [], "4": [4], "3": [3], "3+2": [3, 2], "2+2": [2, 2], "2": [2], "1": []}
    shape = random.choice(tuple(shapes))
    row: list[str] = []
    if shape == "run":
        whole = [run for run in runs if set(run) <= set(free)]
        row = list(random.choice(whole)) if whole else []
    for times in shapes[shape]:
        fitting = [cards for cards in alike if len(cards) >= times and not set(cards) & set(row)]
        row += fitting[0][:times] if fitting and len(row) + times <= size else []
    others = [card for card in free if card not in row]
    return row + random.sample(others, size - len(row))
