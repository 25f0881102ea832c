"""Every bench runs: its shortest form, in a process of its own, on whatever machine this is."""

import subprocess
import sys
from pathlib import Path

import pytest

from bench import starts, strangers
from bench.__main__ import BENCHES
from bench.figures import Figure, show_targets
from bench.proof import PARTS
from bench.recorded import record, recorded
from bench.tables import Chance
from tests.support.long import by_turn

REPOSITORY = Path(__file__).resolve().parents[2]
DEAR = ("cold", "feed", "footprint", "latency", "links", "pages", "recorder", "stages", "starts", "tiles")
"""Those that take seconds; one of them has its turn."""


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", [*by_turn(DEAR), *(name for name in BENCHES if name not in DEAR)])
def test_bench_runs_in_its_shortest_form(name: str, mosquitto: Path) -> None:
    command = [sys.executable, "-m", "bench", "--shortest", name]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"\n{name}: {BENCHES[name][0]}\n" in done.stdout
    assert "\ntargets\n" in done.stdout


@pytest.mark.slow
def test_few_strangers_who_never_read_keep_within_the_bounds() -> None:
    found = strangers.measure(20, looks=10)
    assert found["grown_mib"] <= strangers.MOST_MIB
    assert found["strangers"] == 20


@pytest.mark.parametrize(("grown_mib", "longest_ms", "counted"), [(32.0, 100.0, 1000), (32.1, 1.0, 0), (1.0, 100.1, 0)])
def test_strangers_prove_nothing_beyond_either_bound(grown_mib: float, longest_ms: float, counted: int) -> None:
    line = strangers.verdict({"strangers": 1000, "grown_mib": grown_mib, "longest_ms": longest_ms})
    assert line.startswith("proved") == bool(counted)
    assert PARTS["strangers"].counts(line)["strangers"] == counted


@pytest.mark.slow
def test_start_without_snapshot_stays_within_what_the_unit_gives() -> None:
    figures = starts.measure_long(6_000)
    assert [figure.met for figure in figures] == [True, True, None]
    assert "6,00" in figures[0].name


@pytest.mark.parametrize("game", recorded())
def test_a_recorded_table_plays_past_the_limits_of_its_game(game: str) -> None:
    assert record(recorded()[game], Chance(89), 12).table.rounds == 12


def test_last_table_names_met_missed_and_unmeasured(capsys: pytest.CaptureFixture[str]) -> None:
    met, missed = Figure("one", 1.0, "s", target=2.0), Figure("two", 3.0, "s", 1.0, 2.0, as_ratio=True)
    show_targets({"a": [met, missed, Figure("three", 1.0, "s")], "b": None})
    lines = [line.split() for line in capsys.readouterr().out.splitlines()[3:]]
    assert [(line[0], line[-1]) for line in lines] == [("a:", "yes"), ("a:", "NO"), ("b:", "NO")]
    assert "three" not in str(lines)
