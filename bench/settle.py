"""Throughput of `tablectl settle`: full tables, JSON in to JSON out, on one core.

The floor is what reading and writing the same lines costs the standard library's JSON alone, in turns with the
measured. The ratio to it says more than the rate: it hardly depends on the machine.
"""

import io
import json
import random
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bench.figures import Figure
from bench.tables import settlements
from tablectl.core.cards import PACK
from tablectl.core.games.chinese_dice.shapes import write_round as dice_form
from tablectl.core.games.football_poker.shapes import write_round as football_form
from tablectl.core.games.thirteen_cards.shapes import write_round as thirteen_form
from tablectl.core.games.wheel_of_fortune.settlement import Round as WheelRound
from tablectl.core.money import format_money
from tablectl.features.rounds.settle import settle_all

PLACES = 7
MOST_US, MOST_RARE_US = 1e6 / 25_000, 1e6 / 15_000

Stake = Callable[[random.Random], str]


def measure(rounds: int = 20_000, repeats: int = 3) -> Sequence[Figure]:
    """Microseconds for a round: the best of some repeats, as other work on the machine only ever slows one down."""
    return [
        _figure("Q Poker", make_lines(rounds), repeats, MOST_US),
        _figure("Q Poker, stakes that hardly repeat", make_lines(rounds, any_stake), repeats, MOST_RARE_US),
        *(_figure(game, _lines_of(game, rounds // 4), repeats) for game in _OTHERS),
    ]


def _figure(name: str, lines: bytes, repeats: int, most_us: float | None = None) -> Figure:
    times = [(_settle_s(lines), _floor_s(lines)) for _ in range(repeats)]
    settle_us, floor_us = (1e6 * min(each) / lines.count(b"\n") for each in zip(*times, strict=True))
    return Figure(f"{name}, a round", settle_us, "us", floor_us, target=most_us, digits=1)


def chip_stake(chance: random.Random) -> str:
    """A stake of chips: one of a hundred."""
    return str(10 * chance.randint(1, 100))


def any_stake(chance: random.Random) -> str:
    """A stake that hardly comes again: whole, or with hundredths."""
    whole = str(chance.randint(1, 1_000_000))
    return whole if chance.random() < 0.5 else f"{whole}.{chance.randint(0, 99):02d}"


def make_lines(rounds: int, stake: Stake = chip_stake, seed: int = 89) -> bytes:
    """Rounds of seven places with both bets each, one JSON object per line."""
    chance = random.Random(seed)
    return b"".join(json.dumps(_round(chance, number, stake)).encode() + b"\n" for number in range(rounds))


def _round(chance: random.Random, number: int, stake: Stake) -> dict[str, object]:
    cards = chance.sample(PACK, 3 + 3 * PLACES)
    places = [
        {"place": place, "cards": cards[3 * place : 3 * place + 3], "bets": _bets(chance, place, stake)}
        for place in range(1, PLACES + 1)
    ]
    return {"game": "q_poker", "id": f"r-{number}", "round": {"dealer": cards[:3], "places": places}}


def _bets(chance: random.Random, place: int, stake: Stake) -> list[dict[str, str]]:
    bettor = f"bettor-{place}"
    return [
        {"bettor": bettor, "bet": "pair_or_better", "stake": stake(chance)},
        {
            "bettor": bettor,
            "bet": "versus_dealer",
            "stake": stake(chance),
            "decision": chance.choice(["play", "withdraw"]),
        },
    ]


def _wheel_form(played: WheelRound) -> dict[str, object]:
    spin = {"turns": float(played.spin.turns), "symbol": played.spin.symbol, "on_peg": False, "interfered": False}
    bets = [{"bettor": bet.bettor, "bet": bet.bet, "stake": format_money(bet.stake)} for bet in played.bets]
    return {"spin": spin, "bets": bets}


_OTHERS: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "Football Poker": ("football_poker", football_form),
    "Wheel of Fortune": ("wheel_of_fortune", _wheel_form),
    "Chinese dice": ("chinese_dice", dice_form),
    "13 Cards": ("thirteen_cards", thirteen_form),
}


def _lines_of(game: str, rounds: int) -> bytes:
    """Full tables of another game."""
    chance, (make, _), (name, write) = random.Random(89), settlements()[game], _OTHERS[game]
    forms = ({"game": name, "id": f"r-{number}", "round": write(make(chance))} for number in range(max(1, rounds)))
    return b"".join(json.dumps(form).encode() + b"\n" for form in forms)


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
