# ruff: noqa: T201  # a command that says how far it is
"""`make force`: every kill, every error, every crash state, whole daemons as well; it ends with one line of figures.

`python -m tests.force [--step N] [--states N] [--game NAME] [--only PART]`. The exit code is 1 where
anything was lost, doubled, invented or not refused as it should be.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Final

from tests.force.crashes import Model
from tests.force.limits import cut_files
from tests.force.players import PLANS
from tests.force.small import Form, Hold, context
from tests.force.states import Bench, history
from tests.force.sweep import ERRORS, Arena, Blow, Strike, Tally, strikes
from tests.force.tracer import Call

TELL_EVERY_S: Final = 20.0
AFTER_RECOVERY: Final = 24
"""How many calls of a table that came back are struck, beyond its start."""

Work = tuple[Strike, Sequence[Strike]]


@contextmanager
def memory() -> Generator[Path]:
    """A folder in memory, where a sync costs nothing; on the disk where there is none."""
    shared = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="tablectl-force-", dir=shared if shared.is_dir() else None))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def points(arena: Arena) -> list[tuple[Hold, Call]]:
    """Every call of a table that changes a file, and where it is waited for; those of other threads come first."""
    watched = [(hold, call) for hold in (Hold.START, Hold.PLAY) for call in arena.calls(hold)]
    return [*((Hold.START, call) for call in arena.aside(call for _, call in watched)), *watched]


def kills(arena: Arena, step: int) -> list[Work]:
    """A kill at every call of start and play; then at one call of the start after it; then at one of the next start."""
    first = [strike for hold, call in points(arena) for strike in strikes([call], hold, (Blow.KILL,))][::step]
    again = list(recoveries(arena, first[-1]))
    return [(one, (again[nth % len(again)], again[(nth * 7 + 3) % len(again)])) for nth, one in enumerate(first)]


def recoveries(arena: Arena, after: Strike) -> Iterator[Strike]:
    """A kill at every call of the start after a kill, and at the first calls of what it does then."""
    for hold, most in ((Hold.START, None), (Hold.PLAY, AFTER_RECOVERY)):
        yield from islice(strikes(arena.calls(hold, after), hold, (Blow.KILL,)), most)


def errors(arena: Arena, step: int) -> list[Work]:
    """Every error at every call of start and play; with a step, another kind at each."""
    every = [list(strikes([call], hold, ERRORS)) for hold, call in points(arena)][::step]
    if step == 1:
        return [(strike, ()) for one in every for strike in one]
    return [(one[nth % len(one)], ()) for nth, one in enumerate(every)]


def struck(arena: Arena, works: Sequence[Work], settlements: list[Form]) -> Tally:
    """What all these strikes came to."""
    total, told_s = Tally(), time.monotonic()
    for nth, (first, then) in enumerate(works, 1):
        tally = arena.strike(first, settlements, then)
        total.add(tally)
        for line in tally.wrong:
            print(f"  WRONG: {line}", flush=True)
        if time.monotonic() - told_s > TELL_EVERY_S:
            told_s = time.monotonic()
            print(f"  {arena.game}: {nth} of {len(works)}, {len(total.wrong)} wrong", flush=True)
    return total


def sweep(name: str, made: Callable[[Arena, int], list[Work]], chosen: argparse.Namespace, folder: Path) -> list[str]:
    """Strikes the tables of all games; tells the figures and returns what was wrong."""
    wrong: list[str] = []
    for game in chosen.game:
        begun_s = time.monotonic()
        arena = Arena(game, folder / f"{name}-{game}", Path(_strace()), context())
        settlements = arena.undisturbed()
        works = made(arena, chosen.step)
        tally = struck(arena, works, settlements)
        took_s = time.monotonic() - begun_s
        print(
            f"{game}: {name} at {len(works)} points, {tally.struck} struck, {tally.missed} not reached, "
            f"{len(tally.wrong)} wrong; {took_s:.0f} s, {1000 * took_s / max(1, len(works)):.0f} ms a point"
        )
        print(*(f"    {times:5} {end}" for end, times in sorted(tally.ends.items())), sep="\n", flush=True)
        wrong += tally.wrong
    return wrong


def crash_states(chosen: argparse.Namespace, folder: Path) -> list[str]:
    """Judges crash states of every game; tells the figures and returns what was wrong."""
    wrong: list[str] = []
    share = max(1, chosen.states // (4 * len(chosen.game)))
    for game in chosen.game:
        arena = Arena(game, folder / f"states-{game}", Path(_strace()), context())
        for changes_key in (False, True):
            lived = history(arena, f"lived-{changes_key}", changes_key=changes_key)
            for model in (Model.POSIX, Model.EXT4):
                begun_s = time.monotonic()
                most = share if changes_key else max(share, chosen.states // (2 * len(chosen.game)))
                seen = Bench(lived, folder / "state").judge(model, most)
                took_s = time.monotonic() - begun_s
                what = "a start that changes the key" if changes_key else "a life from its first start"
                print(
                    f"{game}: {seen.states} crash states of {what}, {model.value}: {len(seen.wrong)} wrong; "
                    f"{took_s:.0f} s, {1000 * took_s / max(1, seen.states):.1f} ms a state",
                    flush=True,
                )
                wrong += seen.wrong
    return wrong


def short_writes(chosen: argparse.Namespace, folder: Path) -> list[str]:
    """Tables whose files may only become so long, byte by byte; returns what was wrong."""
    wrong: list[str] = []
    for game in chosen.game:
        arena = Arena(game, folder / f"short-{game}", Path(_strace()), context())
        begun_s = time.monotonic()
        tally = cut_files(arena, arena.undisturbed(), chosen.step * 1500)
        took_s = time.monotonic() - begun_s
        ends = ", ".join(f"{times} {end}" for end, times in sorted(tally.ends.items()))
        print(f"{game}: {tally.struck} writes cut short, {len(tally.wrong)} wrong ({ends}); {took_s:.0f} s", flush=True)
        wrong += tally.wrong
    return wrong


def whole_daemons() -> list[str]:
    """The tests of whole daemons in their full form."""
    code = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/crash", "tests/force"],
        env={**os.environ, "TABLECTL_FORCE": "full"},
        check=False,
    ).returncode
    return [f"tests of whole daemons: exit code {code}"] if code else []


def _strace() -> str:
    found = shutil.which("strace")
    if found is None:
        raise SystemExit("strace is not installed: `make force` gets it, or apt-get install strace")
    return found


PARTS: Final[Mapping[str, Callable[[argparse.Namespace, Path], list[str]]]] = {
    "kills": lambda chosen, folder: sweep("kills", kills, chosen, folder),
    "errors": lambda chosen, folder: sweep("errors", errors, chosen, folder),
    "states": crash_states,
    "short-writes": short_writes,
    "daemons": lambda _chosen, _folder: whole_daemons(),
}


def main() -> int:
    """Does it all and prints what was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.force", description=__doc__)
    parser.add_argument("--step", type=int, default=1, help="every how many-th call is struck")
    parser.add_argument("--states", type=int, default=30_000, help="how many crash states are judged")
    parser.add_argument("--game", action="append", choices=PLANS, help="only this one")
    parser.add_argument("--only", action="append", choices=PARTS, help="only this part")
    chosen = parser.parse_args()
    chosen.game = chosen.game or list(PLANS)
    begun_s, wrong = time.monotonic(), list[str]()
    with memory() as folder:
        for part in chosen.only or PARTS:
            wrong += PARTS[part](chosen, folder)
    print(*wrong, sep="\n", file=sys.stderr)
    print(f"{'FAILED' if wrong else 'proved'} by force in {time.monotonic() - begun_s:.0f} s: {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
