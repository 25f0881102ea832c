"""Observations of rounds that no amendment reaches any more.

They are void and amended rounds by dealer, and orders of packs.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import field
from typing import Any, Final

from tablectl.core.amending.counted_round import CountedRound
from tablectl.history.explain.model import Form, items_of, listed
from tablectl.lazy_dataclass import dataclass

BLOCK: Final = 100
"""Rounds among which those of a dealer are compared with the others'."""

LEAST_KNOWN: Final = 3
"""Cards of two packs that are needed to compare their orders."""

Seen = tuple[str, str, str]
"""The family, subject and outcome of an observation."""


@dataclass(slots=True)
class PastRounds:
    """The rounds of the block that isn't full yet, and the last pack.

    Attributes:
        block: who dealt each round, whether it is void, whether it was amended.
        pack: the known cards of the last round, from the top of the gathered pack.
    """

    block: list[tuple[str, bool, bool]] = field(default_factory=list[tuple[str, bool, bool]])
    pack: list[str] = field(default_factory=list[str])

    def take(self, round_: CountedRound, dealer: str, *, by_hand: bool) -> Iterator[Seen]:
        """Take in the next round, and yield what it tells.

        Args:
            by_hand: whether each hand was dealt whole before the next one.
        """
        ending = round_.ending
        if ending is None:
            return
        if dealer:
            self.block.append((dealer, ending.end == "void", bool(round_.amendments)))
        if len(self.block) == BLOCK:
            yield from self._compared()
            self.block = []
        if ending.data.get("game") == "q_poker":
            yield from self._shuffled(ending.data.get("round") or (), by_hand=by_hand)

    def _compared(self) -> Iterator[Seen]:
        dealt = Counter(dealer for dealer, *_ in self.block)
        for nth, family in enumerate(("voids", "amendments"), 1):
            seen = Counter(each[0] for each in self.block if each[nth])
            for dealer, rounds in dealt.items() if seen and len(dealt) > 1 else ():
                yield family, dealer, f"{BLOCK} {seen.total()} {rounds} {seen[dealer]}"

    def _shuffled(self, hands: tuple[tuple[str, ...], ...], *, by_hand: bool) -> Iterator[Seen]:
        """Yield the order of this pack's cards by where they were before.

        Nothing comes of it where a card that was dealt isn't known.
        """
        gathered, self.pack = self.pack, [card for hand in hands for card in hand]
        if len({len(hand) for hand in hands}) != 1 or "" in self.pack or len({*self.pack}) < len(self.pack):
            self.pack = []
            return
        drawn = self.pack if by_hand else [card for circuit in zip(*hands, strict=True) for card in circuit]
        at = {card: nth for nth, card in enumerate(gathered)}
        places = [at[card] for card in drawn if card in at]
        if len(places) >= LEAST_KNOWN:
            rank = {place: nth for nth, place in enumerate(sorted(places))}
            yield "shuffles", "pack", " ".join(str(rank[place]) for place in places)


def known_hands(known: Form) -> tuple[tuple[str, ...], ...]:
    """Return the hands of a round of Q Poker, the dealer's last.

    They are in the order of their places. A card that isn't known is empty.
    """
    hands: list[Any] = [place.get("cards") for place in listed(known, "places")]
    return tuple([tuple([str(card or "") for card in items_of(hand)]) for hand in [*hands, known.get("dealer")]])
