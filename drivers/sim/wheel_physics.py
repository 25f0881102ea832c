"""Physics of a wheel with pegs and a clapper, turned by a hand.

It gives the angle at every sample, and what the wheel truly did.
"""

import math
import random
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import field
from functools import lru_cache

from tablectl.core.outcomes import Direction
from tablectl.core.wheel_pegs import PegTable
from tablectl.lazy_dataclass import dataclass

SWIFT_DEG_S = 90.0
"""Above this a peg is a blow, below it the clapper bends step by step."""

FINE_S = 0.000_25
LONGEST_S = 120.0
TOUCHING_MDEG = 600
"""Nearer than this to a peg's middle, clapper and peg touch."""


@dataclass(frozen=True, slots=True)
class Feel:
    """How a wheel runs; speeds in degrees per second, energies in their squares.

    Args:
        friction: what the bearing takes from the speed in a second.
        drag: the part of the speed that the air takes in a second.
        peg_energy: what bending the clapper over a peg takes.
        contact_deg: how far before a peg's middle it meets the clapper.
        slip_deg: how far behind it the clapper slips off.
        returned: the part of the bending that throws the wheel back when it doesn't slip off.
        imbalance: how much weight on one side accelerates, at most.
    """

    friction: float = 20.0
    drag: float = 0.03
    peg_energy: float = 130.0
    contact_deg: float = 0.25
    slip_deg: float = 0.35
    returned: float = 0.5
    imbalance: float = 2.0


@dataclass(frozen=True, slots=True)
class Push:
    """A hand on the turning wheel from `at_s` after it was let go.

    Args:
        accelerates: degrees per second in a second; negative brakes, and never turns the wheel back.
    """

    at_s: float
    lasts_s: float
    accelerates: float


@dataclass(frozen=True, slots=True)
class Launch:
    """How the dealer starts the wheel.

    Args:
        speed: degrees per second when the wheel is let go.
        takes_s: how long the hand pulls.
        back_deg: how far it winds the wheel back before.
    """

    direction: Direction = Direction.CLOCKWISE
    speed: float = 400.0
    takes_s: float = 0.5
    back_deg: float = 0.0


@dataclass(frozen=True, slots=True)
class Truth:
    """True course of a spin, known from the simulation itself.

    Args:
        turns_milli: the smaller of the ways from rest and from the wind-back's end.
        section: the one that the clapper stands in.
        peg_mdeg: how far the nearest peg's middle is.
        on_peg: whether peg and clapper touch.
        touched: whether a hand interfered after the launch.
    """

    direction: Direction
    turns_milli: int
    section: int
    peg_mdeg: float
    on_peg: bool
    touched: bool


@dataclass(frozen=True, slots=True)
class Trace:
    """The angle at every sample, in degrees without wrapping, from rest to rest."""

    angles_deg: tuple[float, ...]
    rate_hz: int
    truth: Truth


@dataclass(slots=True)
class _Body:
    """The wheel in the spin's own direction: angles rise while it is spun.

    Args:
        room: which space between pegs the clapper stands in, without wrapping.
        behind: the angle of the peg before that space, `ahead` of the one after it.
    """

    feel: Feel
    pegs: Sequence[float]
    angle: float
    speed: float = 0.0
    room: int = 0
    behind: float = field(init=False)
    ahead: float = field(init=False)
    stiffness: float = field(init=False)

    def __post_init__(self) -> None:
        bend = self.feel.contact_deg + self.feel.slip_deg
        self.stiffness = 2 * self.feel.peg_energy / bend**2
        self.find_room()

    def peg(self, number: int) -> float:
        """The angle of a peg, numbered without wrapping."""
        turns, peg = divmod(number, len(self.pegs))
        return turns * 360.0 + self.pegs[peg]

    def find_room(self) -> None:
        """Puts the clapper between the pegs on both sides of it."""
        turns, angle = divmod(self.angle, 360.0)
        self.enter(int(turns) * len(self.pegs) + bisect_right(self.pegs, angle) - 1)

    def enter(self, room: int) -> None:
        """Lets the clapper stand in this space."""
        self.room, self.behind, self.ahead = room, self.peg(room), self.peg(room + 1)

    def led(self, acceleration: float, lasts_s: float) -> None:
        """Goes where the hand leads it: no friction and no clapper hold against that."""
        self.angle += self.speed * lasts_s + acceleration * lasts_s**2 / 2
        self.speed += acceleration * lasts_s
        self.find_room()

    def swift(self, lasts_s: float, hand: float) -> None:
        """Turns fast: every peg is a blow."""
        feel = self.feel
        braking = feel.friction + feel.drag * self.speed
        self.speed += (hand - braking) * lasts_s
        self.angle += self.speed * lasts_s
        while self.angle > self.ahead + feel.slip_deg:
            self.enter(self.room + 1)
            self.speed = math.sqrt(max(0.0, self.speed**2 - 2 * feel.peg_energy))

    def slow(self, lasts_s: float, hand: float) -> None:
        """Turns slowly, in fine steps."""
        for _ in range(max(1, round(lasts_s / FINE_S))):
            self._fine(FINE_S, hand)
            if self.speed == 0.0 and self._held():
                return

    def at_rest(self) -> bool:
        """Return True if the wheel stands and stays."""
        return self.speed == 0.0 and self._held()

    def _held(self) -> bool:
        return abs(self._clapper() + self._weight()) <= self.feel.friction

    def _weight(self) -> float:
        return self.feel.imbalance * math.sin(math.radians(self.angle))

    def _clapper(self) -> float:
        """How hard the bent clapper pushes."""
        contact = self.feel.contact_deg
        ahead = self.angle - self.ahead + contact
        behind = self.behind + contact - self.angle
        if behind <= 0.0 and ahead <= 0.0:
            return 0.0
        force = self.stiffness * (max(0.0, behind) - max(0.0, ahead))
        return force * (self.feel.returned if force * self.speed >= 0 else 1.0)

    def _fine(self, step_s: float, hand: float) -> None:
        feel, speed = self.feel, self.speed
        free = speed + (self._clapper() + self._weight() + hand) * step_s
        lost = (feel.friction + feel.drag * abs(speed)) * step_s
        self.speed = math.copysign(max(0.0, abs(free) - lost), free)
        if speed * self.speed < 0 and abs(free) < 2 * lost:
            self.speed = 0.0
        self.angle += self.speed * step_s
        if self.angle > self.ahead + feel.slip_deg:
            self.enter(self.room + 1)
        elif self.angle < self.behind - feel.slip_deg:
            self.enter(self.room - 1)


def spin_wheel(
    pegs: PegTable,
    launch: Launch,
    *,
    start_deg: float,
    rate_hz: int = 512,
    feel: Feel | None = None,
    pushes: Iterable[Push] = (),
    settled_s: float = 4.0,
) -> Trace:
    """One spin from rest at `start_deg` to rest, and `settled_s` more."""
    sign = 1 if launch.direction is Direction.CLOCKWISE else -1
    own = tuple(sorted(sign * peg / 1000.0 % 360.0 for peg in pegs.pegs_mdeg))
    body = _Body(feel or Feel(), own, sign * start_deg)
    hands = tuple(pushes)
    angles = _launched(body, launch, rate_hz)
    let_go = len(angles)
    while not body.at_rest() and len(angles) < LONGEST_S * rate_hz:
        hand = _hand(hands, (len(angles) - let_go) / rate_hz, body.speed)
        (body.swift if body.speed > SWIFT_DEG_S else body.slow)(1 / rate_hz, hand)
        angles.append(body.angle)
    angles.extend([body.angle] * round(settled_s * rate_hz))
    touched = any(push.at_s < (len(angles) - let_go) / rate_hz for push in hands)
    truth = _truth(pegs, body, sign, angles, launch.direction, touched=touched)
    return Trace(tuple([sign * angle for angle in angles]), rate_hz, truth)


def _launched(body: _Body, launch: Launch, rate_hz: int) -> list[float]:
    """Return the angles while the hand is on the wheel.

    They are a moment of rest, the wind-back, the pull.
    """
    angles = [body.angle] * (rate_hz // 4)
    step_s = 1 / rate_hz
    if launch.back_deg:
        half = max(2, round(math.sqrt(launch.back_deg / 150.0) * rate_hz))  # 150 degrees/s2 is an easy hand
        easy = launch.back_deg / (half * step_s) ** 2
        for acceleration in [-easy] * half + [easy] * half:
            body.led(acceleration, step_s)
            angles.append(body.angle)
        body.speed = 0.0
    steps = max(2, round(launch.takes_s * rate_hz))
    for _ in range(steps):
        body.led(launch.speed / (steps * step_s), step_s)
        angles.append(body.angle)
    return angles


def _hand(pushes: Sequence[Push], at_s: float, speed: float) -> float:
    """Return the acceleration that hands give the wheel now."""
    total = sum([push.accelerates for push in pushes if push.at_s <= at_s < push.at_s + push.lasts_s])
    return total if total >= 0 or speed > 0 else 0.0


def _truth(
    pegs: PegTable, body: _Body, sign: int, angles: Sequence[float], direction: Direction, *, touched: bool
) -> Truth:
    farthest = max(angles)
    counted = min(farthest - angles[0], farthest - min(angles[: angles.index(farthest) + 1]))
    angle_mdeg = sign * body.angle * 1000.0 % 360_000
    nearest = min(abs(body.angle - body.behind), abs(body.angle - body.ahead))
    section = pegs.section_at(int(angle_mdeg))
    return Truth(direction, int(counted / 0.36), section, nearest * 1000.0, nearest * 1000.0 < TOUCHING_MDEG, touched)


@lru_cache(maxsize=64)
def speed_for(turns: float, feel: Feel, sections: int) -> float:
    """The speed with which a wheel makes about so many turns after it was let go."""
    speed, way = 0.0, 0.0
    per_degree = feel.peg_energy * sections / 360.0
    while way < turns * 360.0:
        speed += 0.5
        way += speed * 0.5 / (feel.friction + feel.drag * speed + per_degree)
    return speed


def random_launch(rng: random.Random, turns: float, feel: Feel, sections: int) -> Launch:
    """A dealer's pull for about so many turns."""
    direction = rng.choice(list(Direction))
    back = rng.uniform(20.0, 140.0) if rng.random() < 0.5 else 0.0
    speed = speed_for(round(turns, 2), feel, sections) * rng.uniform(0.99, 1.01)
    return Launch(direction, speed, rng.uniform(0.3, 0.7), back)
