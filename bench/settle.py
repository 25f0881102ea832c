"""Throughput of `tablectl settle`: full tables of Q Poker, JSON in to JSON out, on one core.

The floor is what reading and writing the same lines costs the standard library's JSON alone. The ratio
to it says more than the rate: it hardly depends on the machine.
"""

import io
import json
import random
import time
from dataclasses import dataclass

from tablectl.cli.settle import settle_all
from tablectl.core.cards import PACK

PLACES = 7


@dataclass(frozen=True, slots=True)
class SettleRate:
    """Rounds per second, and how many times the floor's time a round takes."""

    rounds: int
    rounds_per_s: float
    floor_per_s: float

    @property
    def ratio_to_floor(self) -> float:
        return self.floor_per_s / self.rounds_per_s


def measure(rounds: int = 20_000, repeats: int = 3) -> SettleRate:
    """The best of some repeats, as other work on the machine only ever slows one down."""
    lines = make_lines(rounds)
    settle_s = min(_settle_s(lines) for _ in range(repeats))
    floor_s = min(_floor_s(lines) for _ in range(repeats))
    return SettleRate(rounds, rounds / settle_s, rounds / floor_s)


def make_lines(rounds: int, seed: int = 89) -> bytes:
    """Rounds of seven places with both bets each, one JSON object per line."""
    chance = random.Random(seed)
    return b"".join(json.dumps(_round(chance, number)).encode() + b"\n" for number in range(rounds))


def _round(chance: random.Random, number: int) -> dict[str, object]:
    cards = chance.sample(PACK, 3 + 3 * PLACES)
    places = [
        {"place": place, "cards": cards[3 * place : 3 * place + 3], "bets": _bets(chance, place)}
        for place in range(1, PLACES + 1)
    ]
    return {"game": "q_poker", "id": f"r-{number}", "round": {"dealer": cards[:3], "places": places}}


def _bets(chance: random.Random, place: int) -> list[dict[str, str]]:
    stakes = [str(10 * chance.randint(1, 100)) for _ in range(2)]
    bettor = f"bettor-{place}"
    return [
        {"bettor": bettor, "bet": "pair_or_better", "stake": stakes[0]},
        {
            "bettor": bettor,
            "bet": "versus_dealer",
            "stake": stakes[1],
            "decision": chance.choice(["play", "withdraw"]),
        },
    ]


def _settle_s(lines: bytes) -> float:
    target = io.BytesIO()
    begun = time.process_time()
    all_settled = settle_all(io.BytesIO(lines), target)
    took = time.process_time() - begun
    assert all_settled
    assert target.getvalue().count(b"\n") == lines.count(b"\n")
    return took


def _floor_s(lines: bytes) -> float:
    begun = time.process_time()
    for line in io.BytesIO(lines):
        json.dumps(json.loads(line))
    return time.process_time() - begun


def main() -> None:
    """Prints the rate."""
    rate = measure()
    print(
        f"settle: {rate.rounds_per_s:,.0f} rounds/s, {rate.ratio_to_floor:.2f} x the time of JSON alone "
        f"({rate.floor_per_s:,.0f}/s)"
    )


if __name__ == "__main__":
    main()
