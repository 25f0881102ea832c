"""`make proof`: everything that is promised tried in full, a part after the other; it ends with one table of all parts.

`python -m bench.proof [--only PART …] [--again] [--seeds FIRST-LAST] [--spins N] [--frames N] [--evenings N] [--runs N]
[--step N] [--states N]`.
What a part came to is kept, with what it was asked for and the commit: a run that was broken off goes on with the next
part, and one that has proved itself isn't run anew without `--again`. The exit code is 1 where a part failed, or one
that was asked for didn't run.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

ROOT: Final = Path(__file__).absolute().parent.parent
KEPT: Final = ROOT / "build" / "proof"
_HEAD: Final = ("part", "counted", "came of it", "time", "commit")


@dataclass(frozen=True, slots=True)
class Part:
    """One proof: a command, and what is counted in what it says.

    Args:
        words: of the command line, after Python's; what stands in braces is what was asked for.
        counted: what is counted, and where its numbers stand; those of all lines are added up.
    """

    words: str
    counted: Mapping[str, str]

    def command(self, asked: Mapping[str, str]) -> list[str]:
        """The command line for what is asked."""
        return [sys.executable, "-u", *self.words.format_map(asked).split()]

    def counts(self, said: str) -> dict[str, float]:
        """The figures in what it said."""
        return {
            what: sum(float(number.replace(",", "")) for number in re.findall(where, said, re.MULTILINE))
            for what, where in self.counted.items()
        }


NUMBER: Final = r"([0-9][0-9,.]*)"
_STRUCK: Final = MappingProxyType({"points": f"at {NUMBER} points", "blows": f"{NUMBER} struck"})
PARTS: Final[Mapping[str, Part]] = MappingProxyType(
    {
        "simulation": Part(
            "scripts/simulate.py --seeds {seeds}",
            {
                "evenings": f"^{NUMBER} runs",
                "simulated hours": f"{NUMBER} simulated hours",
                "faults": f"{NUMBER} faults:",
            },
        ),
        "kills": Part("-m tests.force --only kills --step {step}", _STRUCK),
        "errors": Part("-m tests.force --only errors --step {step}", _STRUCK),
        "states": Part("-m tests.force --only states --states {states}", {"crash states": f"{NUMBER} crash states"}),
        "short-writes": Part("-m tests.force --only short-writes --step {step}", {"lengths": f"{NUMBER} writes cut"}),
        "daemons": Part("-m tests.force --only daemons", {"tests": f"{NUMBER} passed"}),
        "spins": Part("-m bench.proof_pieces --frames 0 --spins {spins}", {"spins": f"^proved: {NUMBER} spins"}),
        "frames": Part("-m bench.proof_pieces --spins 0 --frames {frames}", {"frames": f"^proved: {NUMBER} frames"}),
        "amendments": Part(
            "-m tests.referee.amended --evenings {evenings}",
            {"evenings": f"^proved: {NUMBER} evenings", "mistakes put right": f"with {NUMBER} mistakes"},
        ),
        "fairness": Part(
            "-m bench.fairness --runs {runs}",
            {"unfair runs": f"^proved: {NUMBER} runs", "fair tables": f"and {NUMBER} fair wheels"},
        ),
        "long-tests": Part(
            "-m pytest -q -p no:cacheprovider -n 2 --dist loadfile -m long", {"tests": f"{NUMBER} passed"}
        ),
        "properties": Part(
            "-m pytest -q -p no:cacheprovider -n 2 --dist loadfile -m hypothesis --hypothesis-profile=proof",
            {"tests": f"{NUMBER} passed"},
        ),
        "walks": Part(
            "-m pytest -q -p no:cacheprovider --hypothesis-profile=proof -k test_walk tests/core/games",
            {"tests": f"{NUMBER} passed"},
        ),
        "mutants": Part(
            "-m pytest -q -p no:cacheprovider --timeout 3600 tests/simulation/test_mutants.py",
            {"mistakes and rules": f"{NUMBER} passed"},
        ),
        "strangers": Part("-m bench.strangers {strangers}", {"strangers": f"^proved: {NUMBER} strangers"}),
        "full-journal": Part("-m bench.starts full {records}", {"records folded": f"^proved: {NUMBER} records"}),
        "planted": Part("-m tests.planted", {"mistakes caught": f"planted, {NUMBER} caught"}),
    }
)
"""All parts, in the order in which they run."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a part came to.

    Args:
        command: what ran, without Python's path.
        commit: on what; with "-dirty" where files had been changed.
        code: how it ended; 0 is proved.
    """

    command: str
    commit: str
    code: int
    took_s: float
    counts: dict[str, float] = field(default_factory=dict[str, float])

    @property
    def proved(self) -> bool:
        """Whether nothing was wrong, and something was tried."""
        return self.code == 0 and bool(self.counts) and all(self.counts.values())


def tried(part: Part, asked: Mapping[str, str], commit: str) -> Outcome:
    """Runs a part; what it says goes on to the terminal as it comes."""
    command, begun_s, said = part.command(asked), time.monotonic(), list[str]()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            said.append(line)
    took_s = time.monotonic() - begun_s
    return Outcome(" ".join(command[2:]), commit, process.returncode, took_s, part.counts("".join(said)))


def kept(folder: Path, name: str) -> Outcome | None:
    """What was kept of a part; None where nothing was."""
    path = folder / f"{name}.json"
    return Outcome(**json.loads(path.read_text("utf-8"))) if path.exists() else None


def keep(folder: Path, name: str, outcome: Outcome) -> None:
    """Keeps what a part came to, at once and whole."""
    folder.mkdir(parents=True, exist_ok=True)
    new = folder / f"{name}.new"
    new.write_text(json.dumps(asdict(outcome), indent=1), "utf-8")
    new.replace(folder / f"{name}.json")


def needed(part: Part, asked: Mapping[str, str], commit: str, before: Outcome | None) -> bool:
    """Whether a part has to run: it hasn't proved just this of just this commit."""
    same = before is not None and (before.command, before.commit) == (" ".join(part.command(asked)[2:]), commit)
    return not (same and before is not None and before.proved and not commit.endswith("-dirty"))


def table(outcomes: Mapping[str, Outcome | None]) -> str:
    """All parts with their counts and times."""
    rows = [_HEAD, *(_row(name, outcome) for name, outcome in outcomes.items())]
    widths = [max(len(row[nth]) for row in rows) for nth in range(len(_HEAD))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _row(name: str, outcome: Outcome | None) -> tuple[str, ...]:
    if outcome is None:
        return name, "", "not run", "", ""
    counted = ", ".join(f"{number:,.10g} {what}" for what, number in outcome.counts.items())
    came = "proved" if outcome.proved else f"FAILED, exit code {outcome.code}"
    return name, counted, came, f"{outcome.took_s:,.0f} s", outcome.commit


def _commit() -> str:
    said = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return said.stdout.strip() or "unknown-dirty"


def main(words: Sequence[str] | None = None, folder: Path = KEPT) -> int:
    """Runs the parts that are asked for and not proved yet, and prints the table."""
    chosen = _parser().parse_args(words)
    asked = {name: str(value) for name, value in vars(chosen).items()}
    names, commit = chosen.only or list(PARTS), _commit()
    for name in names:
        if chosen.again or needed(PARTS[name], asked, commit, kept(folder, name)):
            print(f"--- {name}", flush=True)
            keep(folder, name, tried(PARTS[name], asked, commit))
        else:
            print(f"--- {name}: proved before", flush=True)
    outcomes = {name: kept(folder, name) for name in PARTS}
    print(f"\n{table(outcomes)}")
    return 0 if all((found := outcomes[name]) is not None and found.proved for name in names) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.proof", description=__doc__)
    parser.add_argument("--only", action="append", choices=PARTS, help="only this part")
    parser.add_argument("--again", action="store_true", help="also what this commit has proved already")
    parser.add_argument("--seeds", default="1-10000", help="of the simulation")
    parser.add_argument("--spins", type=int, default=10_000)
    parser.add_argument("--frames", type=int, default=1_000_000, help="through each codec")
    parser.add_argument("--evenings", type=int, default=10_000, help="with amended mistakes, of each game")
    parser.add_argument("--runs", type=int, default=400, help="of each unfair wheel and die")
    parser.add_argument("--strangers", type=int, default=1000, help="who ask at the console and never read")
    parser.add_argument("--records", type=int, default=1_000_000, help="of a journal without a snapshot")
    parser.add_argument("--step", type=int, default=1, help="every how many-th system call is struck")
    parser.add_argument("--states", type=int, default=30_000, help="how many crash states are judged")
    return parser


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C.UTF-8")
    raise SystemExit(main())
