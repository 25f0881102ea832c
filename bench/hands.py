"""Hands ranked on one core: ours beside the evaluators that people use, each on cards as it likes them, in one run.

What is timed is the call alone, through `map`: cards are tuples of texts for ours, integers for treys, texts for
phevaluator, and for PokerKit the cards that it parsed before.
"""

import importlib
import random
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import starmap
from typing import Any

from bench.figures import Figure
from tablectl.core.cards import PACK, Card
from tablectl.core.games.q_poker.hands import rank_hand
from tablectl.core.games.thirteen_cards.hands import rank_five

Ranked = Callable[[], Iterator[object]]
"""Ranks all hands once, when what it gives is gone through."""

Hands = Sequence[tuple[Card, ...]]

THIRD = 0.33
"""Q Poker's three cards take at most this part of the time that treys takes for five."""


def measure(hands: int = 20_000, rounds: int = 15) -> Sequence[Figure]:
    """Nanoseconds per hand; of each evaluator its best of some turns that it takes with the others."""
    three, five = _dealt(hands, 3), _dealt(hands, 5)
    ours: list[Ranked] = [lambda: map(rank_hand, three), lambda: map(rank_five, five)]
    theirs = [_treys(five), _phevaluator(five), _pokerkit(five)]
    ours_of_3, ours_of_5, treys_ns, phevaluator_ns, pokerkit_ns = _best_ns([*ours, *theirs], hands, rounds)
    return [
        Figure("Q Poker, three cards; treys, five", ours_of_3, "ns", treys_ns, THIRD, as_ratio=True, digits=0),
        Figure("13 Cards, five cards; treys", ours_of_5, "ns", treys_ns, 1.0, as_ratio=True, digits=0),
        Figure("13 Cards, five cards; phevaluator", ours_of_5, "ns", phevaluator_ns, 1.0, as_ratio=True, digits=0),
        Figure("13 Cards, five cards; PokerKit", ours_of_5, "ns", pokerkit_ns, 1.0, as_ratio=True, digits=0),
    ]


def _dealt(hands: int, size: int) -> Hands:
    chance = random.Random(89)
    return [tuple(chance.sample(PACK, size)) for _ in range(hands)]


def _treys(hands: Hands) -> Ranked:
    treys: Any = importlib.import_module("treys")
    evaluate = partial(treys.Evaluator().evaluate, [])
    numbers = [[treys.Card.new(card) for card in hand] for hand in hands]
    return lambda: map(evaluate, numbers)


def _phevaluator(hands: Hands) -> Ranked:
    evaluate: Any = importlib.import_module("phevaluator").evaluate_cards
    return lambda: starmap(evaluate, hands)


def _pokerkit(hands: Hands) -> Ranked:
    pokerkit: Any = importlib.import_module("pokerkit")
    parsed = [tuple(pokerkit.Card.parse("".join(hand))) for hand in hands]
    return lambda: map(pokerkit.StandardHighHand, parsed)


def _best_ns(ranked: Sequence[Ranked], hands: int, rounds: int) -> list[float]:
    """Other work on the machine only ever slows one down, so the least of many turns is the evaluator's own."""
    turns = [[_took_ns(rank) / hands for rank in ranked] for _ in range(rounds)]
    return [min(turn[index] for turn in turns) for index in range(len(ranked))]


def _took_ns(ranked: Ranked) -> int:
    begun = time.process_time_ns()
    deque(ranked(), maxlen=0)
    return time.process_time_ns() - begun
