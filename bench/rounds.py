"""Rounds settled and facts replayed on one core: the pure functions alone, without a daemon, a disk or a line of JSON.

The floors are what the standard library's JSON takes to read the same rounds, or the same facts as the journal has
them: yardsticks of the machine, not bounds. A game joins by a line in `settlements`, a procedure by one in `recorded`.
"""

import json
import random
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from decimal import Decimal
from functools import partial
from typing import Any

from bench.figures import Figure
from tablectl.core import procedure
from tablectl.core.cards import PACK, Card
from tablectl.core.draw import COMBINATIONS, Draw, Series
from tablectl.core.facts import (
    DEALER,
    BetOffered,
    Body,
    CardDrawn,
    DecisionDeclared,
    DeviceAttached,
    Fact,
    HandOpened,
    LogBegan,
    PackConfirmed,
    RoundOpened,
    SessionBegan,
    Stamp,
)
from tablectl.core.games.chinese_dice import hands as dice_hands
from tablectl.core.games.chinese_dice import settlement as dice
from tablectl.core.games.football_poker import hands as football_hands
from tablectl.core.games.football_poker import rules as football_rules
from tablectl.core.games.football_poker import settlement as football
from tablectl.core.games.q_poker import settlement as q_poker
from tablectl.core.games.q_poker.procedure import QPokerGame
from tablectl.core.games.thirteen_cards import hands as thirteen_hands
from tablectl.core.games.thirteen_cards import settlement as thirteen
from tablectl.core.games.wheel_of_fortune import sections
from tablectl.core.games.wheel_of_fortune import settlement as wheel
from tablectl.shell.rules import load_rules
from tablectl.shell.wire import write_fact

Chance = random.Random
Settled = tuple[Callable[[Chance], object], Callable[[Any], object]]
"""How a full table's round is made up, and how it is settled."""

Recorded = tuple[procedure.Game[Any], Callable[[Chance, int], Iterator[tuple[Body, str]]]]
"""A procedure, and the facts of one round of a full table by its number, each with its source."""


def measure(rounds: int = 4_000, repeats: int = 5) -> Sequence[Figure]:
    """Microseconds for a round settled, and for a fact replayed."""
    settled = [_settled(game, made, rounds, repeats) for game, made in settlements().items()]
    return [*settled, *(_replayed(game, record, rounds // 10, repeats) for game, record in recorded().items())]


def _settled(game: str, made: Settled, rounds: int, repeats: int) -> Figure:
    deal, settle = made
    chance = Chance(89)
    played = [deal(chance) for _ in range(rounds)]
    lines = [json.dumps(one, default=_plain) for one in played]
    ours_us, floor_us = _best_us([(settle, played), (json.loads, lines)], repeats)
    return Figure(f"{game}: a round settled", ours_us, "us", floor_us, digits=1)


def _replayed(game: str, record: Recorded, rounds: int, repeats: int) -> Figure:
    played, told = record
    chance, facts = Chance(89), list(_numbered(_opening(game, played.rules_version)))
    for number in range(rounds):
        facts += _numbered(told(chance, number), len(facts))
    assert procedure.fold(played, procedure.begin(played), facts).rounds == rounds, "a round of the record didn't run"
    lines = [write_fact(fact) for fact in facts]
    fold = partial(procedure.fold, played, procedure.begin(played))
    ours_us, floor_us = _best_us([(fold, [facts]), (json.loads, lines)], repeats)
    return Figure(f"{game}: a fact replayed", ours_us / len(facts), "us", floor_us, digits=1)


def _best_us(timed: Sequence[tuple[Callable[[Any], object], Sequence[Any]]], repeats: int) -> list[float]:
    """Microseconds an item: of each the best of some turns that it takes with the others."""
    turns = [[_took_us(call, items) / len(items) for call, items in timed] for _ in range(repeats)]
    return [min(turn[index] for turn in turns) for index in range(len(timed))]


def _took_us(call: Callable[[Any], object], items: Iterable[Any]) -> float:
    begun = time.process_time_ns()
    deque(map(call, items), maxlen=0)
    return (time.process_time_ns() - begun) / 1000


def _plain(value: Any) -> object:
    """What JSON has no form for."""
    return (
        str(value)
        if isinstance(value, Decimal)
        else {field.name: getattr(value, field.name) for field in fields(value)}
    )


# --- rounds of a full table


def settlements() -> Mapping[str, Settled]:
    """Every game's rounds and settlement, under the rules in force."""
    q_rules, f_rules, w_rules = load_rules("q_poker"), load_rules("football_poker"), load_rules("wheel_of_fortune")
    d_rules, t_rules = load_rules("chinese_dice"), load_rules("thirteen_cards")
    return {
        "Q Poker": (_q_poker, lambda played: q_poker.settle(played, q_rules)),
        "Football Poker": (partial(_football, f_rules), lambda played: football.settle(played, f_rules)),
        "Wheel of Fortune": (_wheel, lambda played: wheel.settle(played, w_rules)),
        "Chinese dice": (_dice, lambda played: dice.settle(played, d_rules)),
        "13 Cards": (_thirteen, lambda played: thirteen.settle(played, t_rules)),
    }


def _stake(chance: Chance) -> int:
    return 10_00 * chance.randint(1, 100)


def _q_poker(chance: Chance) -> q_poker.Round:
    """Seven places with both bets."""
    dealt = iter(chance.sample(PACK, 24))
    hands = [_take(dealt, 3) for _ in range(8)]
    return q_poker.Round(hands[0], tuple(q_poker.Place(n, hands[n], _q_bets(chance, n)) for n in range(1, 8)))


def _q_bets(chance: Chance, place: int) -> tuple[q_poker.Bet, ...]:
    decision = chance.choice(tuple(q_poker.Decision))
    pair, versus = q_poker.BetName
    return (
        q_poker.Bet(f"bettor-{place}", pair, _stake(chance)),
        q_poker.Bet(f"bettor-{place}", versus, _stake(chance), decision),
    )


def _take(cards: Iterator[Card], number: int) -> tuple[Card, ...]:
    return tuple(next(cards) for _ in range(number))


def _football(rules: football_rules.FootballPokerRules, chance: Chance) -> football.Round:
    """Ten seated places and the common one, three bets at each."""
    dealt = iter(chance.sample(PACK, 33))
    draw = Draw(chance.choice(tuple(Series)), chance.randint(1, COMBINATIONS))
    return football.Round(draw, tuple(_football_place(rules, chance, n, dealt) for n in (*range(1, 11), "common")))


def _football_place(
    rules: football_rules.FootballPokerRules, chance: Chance, place: Any, dealt: Iterator[Card]
) -> football.Place:
    cards = _take(dealt, 2)
    cards += _take(dealt, football_hands.cards_due(cards, rules.post_numbers) - 2)
    names = chance.sample(tuple(football_rules.BetName), 3)
    return football.Place(place, cards, tuple(football.Bet(f"bettor-{place}", name, _stake(chance)) for name in names))


def _wheel(chance: Chance) -> wheel.Round:
    """Twelve bettors with two bets each; a spin that counts."""
    spin = wheel.Spin(Decimal(chance.randint(300, 900)) / 100, chance.randint(1, sections.SYMBOLS))
    names = tuple(sections.BetName)
    bets = tuple(wheel.Bet(f"bettor-{n // 2}", chance.choice(names), _stake(chance)) for n in range(24))
    return wheel.Round(spin, bets)


def _dice(chance: Chance) -> dice.Round:
    """Seven places with two bets each; the bank can pay them all."""
    throws = _turn(chance)
    thrown = throws[-1]
    assert thrown is not None
    undecided = dice.banker_outcome(dice_hands.rank_throw(thrown)) is None
    bets = [tuple(dice.Bet(f"bettor-{n}", _stake(chance)) for _ in range(2)) for n in range(2, 9)]
    places = [dice.Place(n, bets[n - 2], _turn(chance) if undecided else ()) for n in range(2, 9)]
    return dice.Round(dice.Banker(1, "banker", 100_000_00, throws), 0, (), tuple(places))


def _turn(chance: Chance) -> dice.Throws:
    """Throws until one is decisive."""
    throws = [(chance.randint(1, 6), chance.randint(1, 6), chance.randint(1, 6))]
    while dice_hands.rank_throw(throws[-1]) == dice_hands.INDECISIVE:
        throws.append((chance.randint(1, 6), chance.randint(1, 6), chance.randint(1, 6)))
    return tuple(throws)


def _thirteen(chance: Chance) -> thirteen.Round:
    """The banker and three places with two bets each, all set in order."""
    dealt = iter(chance.sample(PACK, 52))
    banker, *others = [_set(_take(dealt, 13)) for _ in range(4)]
    bets = tuple(thirteen.Bet(f"bettor-{n}", _stake(chance)) for n in range(2))
    return thirteen.Round(banker, tuple(thirteen.Place(n, rows, bets) for n, rows in enumerate(others, 2)))


def _set(cards: tuple[Card, ...]) -> thirteen_hands.Rows:
    """Cards of like ranks together, the higher ones below; two tiers that are out of order change places."""
    sorted_cards = tuple(sorted(cards, key=lambda card: "23456789TJQKA".index(card[0])))
    first, second, third = sorted_cards[:3], sorted_cards[3:8], sorted_cards[8:]
    if thirteen_hands.rank_five(second) > thirteen_hands.rank_five(third):
        second, third = third, second
    return first, second, third


# --- facts of a recorded table


def recorded() -> Mapping[str, Recorded]:
    """The procedures whose facts are replayed."""
    return {"Q Poker": (QPokerGame(load_rules("q_poker")), _q_poker_facts)}


def _opening(game: str, rules_version: str) -> Iterator[tuple[Body, str]]:
    yield LogBegan("5eed0001", "site", "table"), "table"
    yield SessionBegan("s1", "1", "c", game, rules_version), "table"


def _numbered(told: Iterable[tuple[Body, str]], first: int = 0) -> Iterator[Fact]:
    """The facts at a second each."""
    for number, (body, source) in enumerate(told, first):
        at = Stamp(1_800_000_000_000_000 + number * 1_000_000, number * 1_000_000_000, "boot")
        yield Fact(body, at, source, by="dealer" if source == "console" else None)


def _q_poker_facts(chance: Chance, number: int) -> Iterator[tuple[Body, str]]:
    """Seven places with both bets, dealt from the shoe, all of them in."""
    if not number:
        yield DeviceAttached("shoe"), "shoe"
    places = range(1, 8)
    asked: list[Body] = [PackConfirmed(), RoundOpened()]
    asked += [BetOffered(place, f"bettor-{place}", name, 100_00) for place in places for name in q_poker.BetName]
    yield from ((body, "console") for body in asked)
    yield from ((CardDrawn("shoe", card), "shoe") for card in chance.sample(PACK, 24))
    yield from ((HandOpened(place, ()), "console") for place in places)
    yield from ((DecisionDeclared(place, f"bettor-{place}", "play"), "console") for place in places)
    yield HandOpened(DEALER, ()), "console"
