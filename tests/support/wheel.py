"""Random spins of a simulated wheel, judged against what the wheel truly did."""

import math
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from drivers.sim.wheel_physics import Feel, Launch, Push, Trace, Truth, random_launch, spin_wheel
from drivers.wheel.tracking.brake import Envelope
from drivers.wheel.tracking.events import Sighting, Stopped
from drivers.wheel.tracking.tracker import WheelWatch
from drivers.wheel.tracking.unwrap import Sensor
from tablectl.core.outcomes import Flaw, Spin
from tablectl.core.wheel_pegs import TURN_MDEG, PegTable

SECTIONS = 52
FEEL = Feel()


@dataclass(frozen=True, slots=True)
class Raw:
    """One sample, as a sensor gives it."""

    at_us: int
    count: int
    index: int | None


@dataclass(slots=True)
class Encoder:
    """Samples of a trace: noise, a counter that begins anywhere, the index mark at angle 0."""

    sensor: Sensor
    rate_hz: int
    chance: random.Random
    noise: float = 0.6
    at_us: int = 1
    begins: int = 0
    slipped: int = 0
    turns: int | None = None

    def samples(self, angles_deg: Iterable[float]) -> Iterator[Raw]:
        """The samples, one for each angle; time goes on from the last call's."""
        scale, modulus = self.sensor.counts_per_turn / 360.0, self.sensor.modulus
        for angle in angles_deg:
            self.at_us += 1_000_000 // self.rate_hz
            off = self.chance.random() * 2 * self.noise - self.noise
            count = math.floor(angle * scale + off) + self.begins - self.slipped
            turns = math.floor(angle / 360.0)
            index = None
            if self.sensor.indexed and self.turns not in {None, turns}:
                mark = max(turns, self.turns or 0) * self.sensor.counts_per_turn
                index = (mark + self.begins - self.slipped) % modulus
            self.turns = turns
            yield Raw(self.at_us, count % modulus, index)


def feed(watch: WheelWatch, samples: Iterable[Raw]) -> list[Sighting]:
    """What the watch sees in the samples."""
    take = watch.take
    return [seen for raw in samples for seen in take(raw.at_us, raw.count, index=raw.index)]


def accepted(spin: Spin) -> bool:
    """Whether the game takes the spin for a result."""
    return spin.turns_milli >= 3000 and not spin.on_peg and not spin.flaws and spin.section is not None


@dataclass(slots=True)
class Verdict:
    """How many spins, and every one that was judged wrongly, as a sentence.

    Args:
        clean: spins that the law takes for a result, with nothing near a peg, no hand and no gap.
        refused: clean ones that weren't accepted.
        near: neither on a peg nor clear of the table's zone around it: either judgement is right.
    """

    spins: int = 0
    clean: int = 0
    near: int = 0
    short: int = 0
    on_peg: int = 0
    touched: int = 0
    gaps: int = 0
    slips: int = 0
    refused: list[str] = field(default_factory=list[str])
    wrong_section: list[str] = field(default_factory=list[str])
    invalid_accepted: list[str] = field(default_factory=list[str])
    peg_missed: list[str] = field(default_factory=list[str])
    no_result: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class _Bench:
    """One wheel with one sensor; its watch learns from spin to spin."""

    sensor: Sensor
    rate_hz: int
    pegs: PegTable
    chance: random.Random
    noise: float
    angle_deg: float = 0.0
    envelope: Envelope | None = None
    watch: WheelWatch | None = None
    encoder: Encoder | None = None

    def renew(self) -> tuple[WheelWatch, Encoder]:
        """The watch and the encoder, new ones where something spoiled the old."""
        if self.watch is None or self.encoder is None:
            self.watch = WheelWatch(self.sensor, self.pegs, self.envelope)
            self.envelope = self.watch.envelope
            begins = 0 if self.sensor.absolute else self.chance.randrange(1 << 32)
            self.encoder = Encoder(self.sensor, self.rate_hz, self.chance, self.noise, begins=begins)
        return self.watch, self.encoder

    def trace(self, turns: float, hand: str) -> Trace:
        """A spin; `hand` is empty or what interferes."""
        launch = random_launch(self.chance, turns, FEEL, SECTIONS)
        pushes = [_push(self.chance, launch, hand)] if hand else []
        return spin_wheel(
            self.pegs, launch, start_deg=self.angle_deg, rate_hz=self.rate_hz, feel=FEEL, pushes=pushes, settled_s=3.5
        )


def judge_spins(count: int, seed: int) -> Verdict:
    """Spins so many times and compares each result with the truth."""
    chance = random.Random(seed)
    benches = [
        _Bench(sensor, rate_hz, _uneven(chance), chance, noise, chance.uniform(0.0, 360.0))
        for sensor, rate_hz, noise in (
            (Sensor(8192), 256, 0.6),
            (Sensor(5200), 512, 0.6),
            (Sensor(4096, absolute=True, indexed=False), 512, 0.6),
            (Sensor(1 << 16, absolute=True, indexed=False), 1000, 3.0),
        )
    ]
    verdict = Verdict()
    for number in range(count):
        _judge(verdict, number, chance.choice(benches), chance.random())
    return verdict


def _judge(verdict: Verdict, number: int, bench: _Bench, lot: float) -> None:
    """One spin: six in ten are clean, the others have something happen to them."""
    watch, encoder = bench.renew()
    hand = "hold" if 0.60 <= lot < 0.68 else "push" if 0.68 <= lot < 0.75 else ""
    turns = bench.chance.uniform(0.8, 2.9) if 0.75 <= lot < 0.85 else bench.chance.uniform(3.2, 8.0)
    trace = bench.trace(turns, hand)
    samples = list(encoder.samples(trace.angles_deg))
    gap, slip = 0.85 <= lot < 0.93, lot >= 0.93 and bench.sensor.indexed
    if gap or 0.5 <= lot < 0.6:
        samples = _without(bench.chance, samples, trace, 0.15 if gap else 0.02, 1.2 if gap else 0.09)
    elif slip:
        samples = _slipped(bench.chance, bench.sensor, samples)
    _count(verdict, f"spin {number} ({lot:.3f})", bench, trace.truth, feed(watch, samples), gap=gap, slip=slip)
    bench.angle_deg = trace.angles_deg[-1]
    if gap or slip:
        bench.watch = bench.encoder = None


def _count(
    verdict: Verdict, name: str, bench: _Bench, truth: Truth, seen: list[Sighting], *, gap: bool, slip: bool
) -> None:
    """Puts one spin into the verdict."""
    spins = [sighting.spin for sighting in seen if isinstance(sighting, Stopped)]
    verdict.spins += 1
    if len(spins) != 1:
        verdict.no_result.append(f"{name}: {len(spins)} results, {truth}")
        return
    (spin,) = spins
    told = f"{name}: {spin}, {truth}"
    short = truth.turns_milli < 3000
    clear = truth.peg_mdeg >= bench.pegs.zone_mdeg + 2 * TURN_MDEG / bench.sensor.counts_per_turn
    spoiled = short or truth.on_peg or truth.touched or gap
    verdict.short, verdict.on_peg = verdict.short + short, verdict.on_peg + truth.on_peg
    verdict.touched, verdict.gaps, verdict.slips = (
        verdict.touched + truth.touched,
        verdict.gaps + gap,
        verdict.slips + slip,
    )
    if spin.section not in {None, truth.section} and (accepted(spin) or not slip):
        verdict.wrong_section.append(told)
    if accepted(spin) and spoiled:
        verdict.invalid_accepted.append(told)
    if truth.on_peg and not spin.on_peg and Flaw.POSITION_UNKNOWN not in spin.flaws:
        verdict.peg_missed.append(told)
    if not spoiled and not slip:
        verdict.clean, verdict.near = verdict.clean + clear, verdict.near + (not clear)
        if clear and not accepted(spin):
            verdict.refused.append(told)


def _uneven(chance: random.Random) -> PegTable:
    """Pegs as a carpenter sets them, measured."""
    pegs = tuple(
        sorted(
            (round(number * TURN_MDEG / SECTIONS) + chance.randint(-150, 150)) % TURN_MDEG for number in range(SECTIONS)
        )
    )
    return PegTable("measured-1", pegs, 650, 50)


def _push(chance: random.Random, launch: Launch, hand: str) -> Push:
    """A hand on the wheel after its first turn and well before its end."""
    first_turn_s = 1.4 * 360.0 / launch.speed
    at_s = chance.uniform(first_turn_s, max(first_turn_s, launch.speed / 110.0))
    if hand == "push":
        return Push(at_s, chance.uniform(0.2, 0.4), chance.uniform(250.0, 500.0))
    return Push(at_s, chance.uniform(0.2, 0.5), -chance.uniform(600.0, 900.0))


def _without(chance: random.Random, samples: list[Raw], trace: Trace, least_s: float, most_s: float) -> list[Raw]:
    """The samples without some in a row, taken while the wheel turned; a pass of the mark comes with the next one."""
    missing = round(chance.uniform(least_s, most_s) * trace.rate_hz)
    begin = chance.randrange(trace.rate_hz * 2, len(samples) - 4 * trace.rate_hz - missing - 1)
    marks = [raw.index for raw in samples[begin : begin + missing + 1] if raw.index is not None]
    after = samples[begin + missing]
    late = Raw(after.at_us, after.count, marks[-1] if marks else None)
    return [*samples[:begin], late, *samples[begin + missing + 1 :]]


def _slipped(chance: random.Random, sensor: Sensor, samples: list[Raw]) -> list[Raw]:
    """The samples of a wheel whose coupling slips once, by up to five sections, in the first third."""
    at = chance.randrange(len(samples) // 3)
    by = chance.choice((1, -1)) * chance.randint(20, sensor.counts_per_turn // 10)
    return samples[:at] + [_shifted(raw, by, sensor.modulus) for raw in samples[at:]]


def _shifted(raw: Raw, by: int, modulus: int) -> Raw:
    return Raw(raw.at_us, (raw.count + by) % modulus, None if raw.index is None else (raw.index + by) % modulus)
