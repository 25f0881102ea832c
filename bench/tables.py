"""Rounds of full tables, made up by chance, and what settles them."""

import random
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import partial
from typing import Any

from tablectl.core.cards import PACK, Card
from tablectl.core.games.chinese_dice import hands as dice_hands
from tablectl.core.games.chinese_dice import settlement as dice
from tablectl.core.games.football_poker import rules as football_rules
from tablectl.core.games.football_poker import settlement as football
from tablectl.core.games.q_poker import settlement as q_poker
from tablectl.core.games.thirteen_cards import hands as thirteen_hands
from tablectl.core.games.thirteen_cards import settlement as thirteen
from tablectl.core.games.wheel_of_fortune import sections
from tablectl.core.games.wheel_of_fortune import settlement as wheel
from tablectl.core.outcomes import COMBINATIONS, Draw, Series
from tablectl.rule_tables import load_rules

Chance = random.Random
Settled = tuple[Callable[[Chance], object], Callable[[Any], object]]
"""How a full table's round is made up, and how it is settled."""


def settlements() -> Mapping[str, Settled]:
    """Every game's rounds and settlement, under the rules in force."""
    q_rules, f_rules, w_rules = load_rules("q_poker"), load_rules("football_poker"), load_rules("wheel_of_fortune")
    d_rules, t_rules = load_rules("chinese_dice"), load_rules("thirteen_cards")
    return {
        "Q Poker": (q_poker_round, lambda played: q_poker.settle(played, q_rules)),
        "Football Poker": (partial(football_round, f_rules), lambda played: football.settle(played, f_rules)),
        "Wheel of Fortune": (wheel_round, lambda played: wheel.settle(played, w_rules)),
        "Chinese dice": (dice_round, lambda played: dice.settle(played, d_rules)),
        "13 Cards": (thirteen_round, lambda played: thirteen.settle(played, t_rules)),
    }


def _stake(chance: Chance) -> int:
    return 10_00 * chance.randint(1, 100)


def q_poker_round(chance: Chance) -> q_poker.Round:
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


def football_round(rules: football_rules.FootballPokerRules, chance: Chance) -> football.Round:
    """Ten seated places and the common one, three bets at each."""
    dealt = iter(chance.sample(PACK, 33))
    draw = Draw(chance.choice(tuple(Series)), chance.randint(1, COMBINATIONS))
    return football.Round(draw, tuple(_football_place(rules, chance, n, dealt) for n in (*range(1, 11), "common")))


def _football_place(
    rules: football_rules.FootballPokerRules, chance: Chance, place: Any, dealt: Iterator[Card]
) -> football.Place:
    cards = _take(dealt, 2)
    cards += _take(dealt, rules.cards_due(cards) - 2)
    names = chance.sample(tuple(football_rules.BetName), 3)
    return football.Place(place, cards, tuple(football.Bet(f"bettor-{place}", name, _stake(chance)) for name in names))


def wheel_round(chance: Chance) -> wheel.Round:
    """Twelve bettors with two bets each; a spin that counts."""
    spin = wheel.Spin(Decimal(chance.randint(300, 900)) / 100, chance.randint(1, sections.SYMBOLS))
    names = tuple(sections.BetName)
    bets = tuple(wheel.Bet(f"bettor-{n // 2}", chance.choice(names), _stake(chance)) for n in range(24))
    return wheel.Round(spin, bets)


def dice_round(chance: Chance) -> dice.Round:
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


def thirteen_round(chance: Chance) -> thirteen.Round:
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
