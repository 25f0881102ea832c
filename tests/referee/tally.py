"""What went wrong at evenings and was put right: how often, in which phase, by whom."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

Kind = tuple[str, str, str]
"""A mistake: how it was made (mistyped, missed, invented, misplaced), the verb, and the phase."""

Hands = tuple[str, str]
"""An amendment: the phase in which it was made, and by whom."""

IMPOSSIBLE: Final[Mapping[str, Mapping[Kind, str]]] = {
    "chinese_dice": {
        ("mistyped", "pay_place", "paying"): "the table takes no payment of a place that isn't due",
    },
}
"""The mistakes that the table itself refuses, by game, with the reason. They are tried all the same."""

RARE: Final[Mapping[str, Mapping[Kind, str]]] = {
    "football_poker": {
        ("mistyped", "open_hand", "opening"): "other cards are taken of a hand only that another mistake left unknown",
    },
}
"""The mistakes that the table takes only beside another one, by game, with the reason: they needn't occur."""


def refused_mistakes(game: str) -> Mapping[Kind, str]:
    """The mistakes that a table of this game refuses, mostly or always, with the reason."""
    return {**IMPOSSIBLE.get(game, {}), **RARE.get(game, {})}


@dataclass(slots=True)
class Tally:
    """What evenings of one game had of mistakes and amendments.

    Attributes:
        made: how often each kind of mistake was made.
        tried: how often it was tried; the table refuses some.
        possible: the kinds that could have been made.
        when: how often amendments were made.
        could: those that could have been made.
    """

    evenings: int = 0
    made: Counter[Kind] = field(default_factory=Counter[Kind])
    tried: Counter[Kind] = field(default_factory=Counter[Kind])
    possible: set[Kind] = field(default_factory=set[Kind])
    when: Counter[Hands] = field(default_factory=Counter[Hands])
    could: set[Hands] = field(default_factory=set[Hands])

    def add(self, other: "Tally") -> None:
        """Adds another one's figures."""
        self.evenings += other.evenings
        self.made += other.made
        self.tried += other.tried
        self.possible |= other.possible
        self.when += other.when
        self.could |= other.could

    def failures(self, game: str) -> list[str]:
        """The mistakes and amendments that are possible and never occurred, and what is impossible and did."""
        impossible, refused = IMPOSSIBLE.get(game, {}), refused_mistakes(game)
        never = sorted((*self.possible - refused.keys() - self.made.keys(), *self.could - self.when.keys()))
        occurred = sorted(self.made.keys() & impossible.keys())
        untried = sorted(self.possible & refused.keys() - self.tried.keys())
        return [
            *(f"  never  {' '.join(each)}" for each in never),
            *(f"  never tried  {' '.join(each)}" for each in untried),
            *(f"  not impossible  {' '.join(each)}" for each in occurred),
        ]

    def report(self, game: str) -> str:
        """How often what went wrong in which phase, and when it was put right by whom."""
        lines = [f"{game}: {self.evenings} evenings", "mistakes"]
        refused = refused_mistakes(game)
        lines += [f"{number:7}  {' '.join(kind)}" for kind, number in sorted(self.made.items()) if kind not in refused]
        lines += [
            f"{self.made[kind]:7}  {' '.join(kind)}, tried {self.tried[kind]} times: {reason}"
            for kind, reason in refused.items()
        ]
        lines += ["amendments", *(f"{number:7}  {' '.join(each)}" for each, number in sorted(self.when.items()))]
        return "\n".join((*lines, *self.failures(game)))
