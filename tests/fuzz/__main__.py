"""`make fuzz`: every entrance for bytes from outside, its coverage followed to inputs that nobody thought of.

`python -m tests.fuzz [TARGET …] [--seconds N] [--grow] [--input HEX]`. An input that is dealt with wrongly ends its
target, is printed in hexadecimal, and makes the exit code 1; `--input` tries it again, without atheris.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO

from tests.fuzz.journals import fast_folder
from tests.fuzz.keeping import files, keep, kept, known
from tests.fuzz.shrink import shrunk
from tests.fuzz.targets import TARGETS

SECONDS: Final = 60
HUNG_S: Final = 20
MEMORY_MIB: Final = 2048
SLACK_S: Final = 240
"""For loading, and for the last input."""

_TRIED: Final = re.compile(r"number_of_executed_units: *(\d+)")
_QUOTED: Final = re.compile(rb'"[A-Za-z0-9_.]{2,24}"')
_SAID: Final = 60
_PROGRESS: Final = ("#", "INFO:", "stat::", "MS:", "0x", "\\", "Base64")
"""What libFuzzer says of its own work; the error stands among it."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a run on one target came to.

    Args:
        tried: inputs.
        bad: the one that was dealt with wrongly.
        said: the end of what the run said, where it failed.
    """

    tried: int
    bad: bytes | None
    said: str


def fuzz(name: str, seconds: int, folder: Path) -> Found:
    """Fuzzes one target, from what is known of it on; what it finds stays in the folder `inputs`."""
    inputs, bad = folder / "inputs", folder / "bad"
    for made in (inputs, bad):
        made.mkdir()
    for number, data in enumerate(known(name)):
        (inputs / f"{number:06d}").write_bytes(data)
    words = folder / "words"
    words.write_text("# names\n" + "".join(_words(known(name))), "ascii")  # One without lines is refused.
    options = {
        "dict": words,
        "max_total_time": seconds,
        "max_len": TARGETS[name].longest,
        "timeout": HUNG_S,
        "rss_limit_mb": MEMORY_MIB,
        "print_final_stats": 1,
    }
    given = [f"-{key}={value}" for key, value in options.items()]
    command = [sys.executable, "-m", "tests.fuzz.guided", name, str(inputs), f"-artifact_prefix={bad}/", *given]
    try:
        # libFuzzer ends its process without Python's tidying up, so what that leaves has to lie in our own folder.
        environment = {**os.environ, "TMPDIR": str(folder)}
        run = subprocess.run(command, capture_output=True, check=False, timeout=seconds + SLACK_S, env=environment)
    except subprocess.TimeoutExpired as late:
        return Found(0, None, f"it didn't end within {late.timeout:g} s: an input hangs, or the machine has no time")
    said = (run.stdout + run.stderr).decode(errors="replace")
    tried = _TRIED.search(said)
    left = list(files(bad))
    lines = [line for line in said.splitlines() if not line.startswith(_PROGRESS)]
    end = "" if run.returncode == 0 and not left else "\n".join(lines[-_SAID:])
    return Found(int(tried[1]) if tried else 0, left[0] if left else None, end)


def _words(inputs: Iterable[bytes]) -> Iterator[str]:
    """Names in quotes that stand in the inputs, as libFuzzer takes them: whole ones are hardly found by chance."""
    for word in sorted({word for data in inputs for word in _QUOTED.findall(data)}):
        yield '"' + "".join(f"\\x{byte:02x}" for byte in word) + '"\n'


def _run(name: str, seconds: int, *, grow: bool) -> bool:
    """Fuzzes a target and says what came of it; whether all was well."""
    with tempfile.TemporaryDirectory(prefix="tablectl-fuzz-", dir=fast_folder()) as place:
        found = fuzz(name, seconds, Path(place))
        if grow and not found.said:
            keep(name, shrunk(TARGETS[name].judge, [*known(name), *files(Path(place) / "inputs")]))
    if not found.said:
        _say(f"{name:14} {found.tried:>12,} inputs in {seconds} s; {len(kept(name))} kept")
        return True
    again = f"\nagain: python -m tests.fuzz {name} --input {found.bad.hex()}" if found.bad is not None else ""
    _say(f"{name}: FAILED\n{found.said}{again}", sys.stderr)
    return False


def _say(text: str, to: TextIO = sys.stdout) -> None:
    to.write(f"{text}\n")
    to.flush()


def main(words: Sequence[str] | None = None) -> int:
    """Fuzzes the targets that are named, or all."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("target", nargs="*", help=f"which: {', '.join(TARGETS)}; all, if none is named")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="for each target")
    parser.add_argument("--grow", action="store_true", help="keep what goes where nothing has gone before")
    parser.add_argument("--input", type=bytes.fromhex, help="tries this one only")
    chosen = parser.parse_args(words)
    names: list[str] = chosen.target or list(TARGETS)
    if wrong := [name for name in names if name not in TARGETS]:
        parser.error(f"no target is called {wrong[0]}: {', '.join(TARGETS)}")
    if chosen.input is not None:
        for name in names:
            TARGETS[name].judge(chosen.input)
        return 0
    failed = [name for name in names if not _run(name, chosen.seconds, grow=chosen.grow)]
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
