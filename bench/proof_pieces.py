"""Many spins of the wheel judged against what it truly did, and many bad frames through every codec.

`python -m bench.proof_pieces [--spins N] [--frames N] [--seed N]`, a part of `make proof`. It ends with one line of
figures; the exit code is 1 where a section was wrong, a spin that is no result was taken, a peg wasn't named, too many
good spins were refused, or a codec crashed, hung or told what nobody had sent.
"""

import argparse
import faulthandler
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, fields
from functools import partial

from tests.support.codec_fuzz import (
    MESSAGES,
    Fuzz,
    Fuzzed,
    fuzz_am03127,
    fuzz_angel_eye,
    fuzz_chrony,
    fuzz_link,
    fuzz_messages,
    fuzz_usb_sensor,
)
from tests.support.qsb_fuzz import fuzz_qsb
from tests.support.wheel import Verdict, judge_spins

CODECS: Mapping[str, Fuzz] = {
    "angel_eye": fuzz_angel_eye,
    "link": fuzz_link,
    **{device: partial(fuzz_messages, device) for device in MESSAGES},
    "am03127": fuzz_am03127,
    "qsb": fuzz_qsb,
    "usb_sensor": fuzz_usb_sensor,
    "chrony": fuzz_chrony,
}
SPINS, FRAMES, SEED = 10_000, 1_000_000, 1
SPINS_AT_ONCE, FRAMES_AT_ONCE = 100, 50_000
HUNG_S = 300.0
"""A part that takes longer hangs: its process says where, and the proof fails."""

FALSE_REFUSALS = 0.005
TELL_EVERY_S = 5.0


@dataclass(slots=True)
class Found:
    """What all parts found together."""

    spins: Verdict = field(default_factory=Verdict)
    codecs: dict[str, Fuzzed] = field(default_factory=lambda: {name: Fuzzed() for name in CODECS})

    def take(self, name: str, part: Verdict | Fuzzed) -> None:
        """Adds a part's."""
        if isinstance(part, Fuzzed):
            self.codecs[name].add(part)
            return
        for each in fields(Verdict):
            setattr(self.spins, each.name, getattr(self.spins, each.name) + getattr(part, each.name))

    def failures(self) -> Iterator[str]:
        """Every wrong thing, as a line."""
        spins = self.spins
        named = {
            "wrong section": spins.wrong_section,
            "no result accepted": spins.invalid_accepted,
            "peg not named": spins.peg_missed,
            "not one result": spins.no_result,
            **{name: codec.wrong for name, codec in self.codecs.items()},
        }
        for what, those in named.items():
            yield from (f"{what}: {line}" for line in those)
        if len(spins.refused) > FALSE_REFUSALS * spins.clean:
            yield from (f"good spin refused: {line}" for line in spins.refused)

    def line(self) -> str:
        """All figures in one line."""
        spins, frames = self.spins, sum(codec.frames for codec in self.codecs.values())
        wrong = sum(len(codec.wrong) for codec in self.codecs.values())
        share = 100 * len(spins.refused) / spins.clean if spins.clean else 0.0
        judged = (
            f"{spins.spins:,} spins ({spins.clean:,} clean, {spins.short:,} short, {spins.on_peg:,} on a peg, "
            f"{spins.touched:,} touched, {spins.gaps:,} with gaps, {spins.slips:,} slipped): "
            f"{len(spins.wrong_section)} wrong sections, {len(spins.invalid_accepted)} invalid accepted, "
            f"{len(spins.peg_missed)} pegs unnamed, {len(spins.no_result)} without one result, "
            f"{len(spins.refused)} clean refused ({share:.2f} %)"
        )
        fuzzed = f"{frames:,} frames through {len(self.codecs)} codecs: {wrong} wrong facts"
        return "; ".join([judged] * (spins.spins > 0) + [fuzzed] * (frames > 0))


Part = tuple[str, Callable[[int, int], Verdict | Fuzzed], int, int]
"""Its name, what is done, how often, and with which seed."""


def parts(spins: int, frames: int, seed: int) -> list[Part]:
    """The work in pieces, the long ones first."""
    pieces: list[Part] = [
        ("wheel", judge_spins, min(SPINS_AT_ONCE, spins - done), seed * 1_000_003 + done)
        for done in range(0, spins, SPINS_AT_ONCE)
    ]
    for name, fuzz in CODECS.items():
        pieces += [
            (name, fuzz, min(FRAMES_AT_ONCE, frames - done), seed * 1_000_003 + done)
            for done in range(0, frames, FRAMES_AT_ONCE)
        ]
    return pieces


def prove(pieces: Sequence[Part], workers: int) -> Found:
    """What all pieces find, shared out over processes.

    Raises:
        BrokenProcessPool: a piece hung or killed its process.
    """
    found, told_s, begun_s = Found(), time.monotonic(), time.monotonic()
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        waiting: dict[Future[Verdict | Fuzzed], str] = {pool.submit(_watched, *piece): piece[0] for piece in pieces}
        for number, done in enumerate(as_completed(waiting), 1):
            try:
                found.take(waiting[done], done.result())
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
            if time.monotonic() - told_s > TELL_EVERY_S or number == len(pieces):
                told_s = time.monotonic()
                _progress(found, number / len(pieces), told_s - begun_s)
    return found


def _watched(_name: str, work: Callable[[int, int], Verdict | Fuzzed], count: int, seed: int) -> Verdict | Fuzzed:
    """Does a piece; one that hangs ends its process and says where it was."""
    faulthandler.dump_traceback_later(HUNG_S, exit=True)
    try:
        return work(count, seed)
    finally:
        faulthandler.cancel_dump_traceback_later()


def _progress(found: Found, share: float, taken_s: float) -> None:
    frames = sum(codec.frames for codec in found.codecs.values())
    print(f"{share:4.0%} after {taken_s:4.0f} s: {found.spins.spins:,} spins, {frames:,} frames", flush=True)


def main() -> int:
    """Runs the proof and prints what it found."""
    parser = argparse.ArgumentParser(prog="python -m bench.proof_pieces", description=__doc__)
    parser.add_argument("--spins", type=int, default=SPINS)
    parser.add_argument("--frames", type=int, default=FRAMES, help="through each codec")
    parser.add_argument("--seed", type=int, default=SEED)
    chosen = parser.parse_args()
    try:
        found = prove(parts(chosen.spins, chosen.frames, chosen.seed), os.cpu_count() or 1)
    except BrokenProcessPool:
        print("proof failed: a part hung, or its process died; what it did stands above", file=sys.stderr)
        return 1
    failures = list(found.failures())
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{'FAILED' if failures else 'proved'}: {found.line()}")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
