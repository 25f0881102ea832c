"""The exact odds of the naturals in thirteen cards as dealt.

Three of them depend on the ranks only, three flushes on how many cards of each suit there are. So hands are
counted by their shape: how many ranks come once, twice, three and four times. The suits of one rank are then
what a factor of a product chooses, and the product's coefficients count the ways to a number of each suit.

A dealt hand counts as three flushes or three straights if it can be set so.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from math import comb, factorial, prod
from types import MappingProxyType
from typing import Final

from tablectl.core.games.thirteen_cards.hands import SIZES, Natural, is_six_and_a_half_pairs, runs
from tablectl.core.odds import Odds
