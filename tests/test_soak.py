"""The verdict of a soak run: a leak is found in noise, and what only fills up or swings is none."""

import json
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from bench import soak
from bench.soak import GAMES, SERIES, Watched, main, report, watch
from bench.soak_leaks import LEAKS, SEEN_IN
from bench.soak_verdict import Allowed, judge
from tests.support.long import by_turn, first
from tests.support.patience import SCALE

SECONDS = 240
ALLOWED = Allowed(growth=10.0)
Series = Callable[[float, random.Random], float]


def run(series: Series, seed: int = 1, seconds: int = SECONDS) -> Sequence[tuple[float, float]]:
    chance = random.Random(seed)
    return [(float(at), series(at, chance)) for at in range(seconds)]


def swings(_at: float, chance: random.Random) -> float:
    return 100 + chance.gauss(0, 8)


def steps(at: float, chance: random.Random) -> float:
    """Memory as an allocator takes and gives it back."""
    return 100 + 6 * ((at // 40) % 2) + chance.random()


def fills(at: float, chance: random.Random) -> float:
    """Something that is full after a third of the run."""
    return 100 + min(at, SECONDS / 3) + chance.random()


def falls(at: float, chance: random.Random) -> float:
    return 500 - at + chance.random()


def spikes(_at: float, chance: random.Random) -> float:
    return 400.0 if chance.random() < 0.1 else 1.0


@pytest.mark.parametrize("series", [swings, steps, fills, falls, spikes])
@pytest.mark.parametrize("seed", by_turn(range(20), 4))
def test_what_does_not_grow_without_end_is_flat(series: Series, seed: int) -> None:
    assert judge(run(series, seed), ALLOWED).flat


@pytest.mark.parametrize("series", [swings, steps, fills, spikes])
@pytest.mark.parametrize("seed", by_turn(range(20), 4))
def test_a_leak_under_it_is_found(series: Series, seed: int) -> None:
    a_second = 0.25
    verdict = judge(run(lambda at, chance: series(at, chance) + a_second * at, seed), ALLOWED)
    assert not verdict.flat
    assert verdict.grew > 0


def test_a_descriptor_a_minute_is_found() -> None:
    verdict = judge(run(lambda at, chance: 26 + at // 60 + (chance.random() < 0.1)), SERIES["descriptors"])
    assert verdict.grew == pytest.approx(2.3, abs=0.8)
    assert not judge(run(lambda at, _: 26 + at // 60, seconds=600), SERIES["descriptors"]).flat


def test_excess_is_a_failure_even_when_flat() -> None:
    assert not judge(run(lambda *_: 101.0), Allowed(10.0, most=100.0)).flat
    assert judge(run(lambda *_: 99.0), Allowed(10.0, most=100.0)).flat


def test_record_bound_growth_is_allowed_its_share() -> None:
    grows, allowed = run(lambda at, chance: 2 * at + chance.random()), Allowed(10.0, a_record=0.5)
    assert judge(grows, allowed, 1000).flat
    assert not judge(grows, allowed, 100).flat


def test_settled_excess_is_a_failure_even_when_flat() -> None:
    allowed = Allowed(10.0, settled=100.0)
    assert not judge(run(lambda *_: 101.0), allowed).flat
    assert judge(run(lambda at, _: 200.0 if at < SECONDS / 3 else 99.0), allowed).flat


def test_lingering_snapshots_are_found_by_their_share_of_records() -> None:
    snapshots_that_stay, sound = 2_250.0, 1_375.0
    allowed = SERIES["journal, bytes a record"]
    assert not judge(run(lambda _, chance: snapshots_that_stay + chance.random()), allowed).flat
    assert judge(run(lambda _, chance: sound + chance.random()), allowed).flat


RECORDED: Final[dict[str, dict[str, Any]]] = json.loads((Path(__file__).parent / "soak_recorded.json").read_text())
"""Minutes of Chinese dice as `--keep` wrote them: one without a leak, under ""; of the others what the leak is in."""


def recorded(leak: str, series: str) -> Sequence[tuple[float, float]]:
    return [(float(at), value) for at, value in enumerate(RECORDED[leak]["samples"][series])]


def test_a_run_of_each_leak_was_recorded() -> None:
    assert set(RECORDED) == {"", *LEAKS}
    assert set(RECORDED[""]["samples"]) == set(SERIES)


@pytest.mark.parametrize("series", SERIES)
def test_a_recorded_run_without_a_leak_is_flat(series: str) -> None:
    assert judge(recorded("", series), SERIES[series], RECORDED[""]["records"]).flat


@pytest.mark.parametrize("leak", LEAKS)
def test_each_leak_is_found_in_its_recorded_run(leak: str) -> None:
    series = SEEN_IN.get(leak, leak)
    assert not judge(recorded(leak, series), SERIES[series], RECORDED[leak]["records"]).flat


@pytest.mark.parametrize(("a_second", "found"), [(100, True), (50, True), (25, False)])
def test_from_what_rate_on_blocks_are_seen_in_a_minute(a_second: int, *, found: bool) -> None:
    leaking = [(at, value + a_second * at) for at, value in recorded("", "blocks of memory")]
    assert judge(leaking, SERIES["blocks of memory"], RECORDED[""]["records"]).flat is not found


def test_too_few_samples_are_no_verdict() -> None:
    with pytest.raises(ValueError, match="too few"):
        judge(run(swings, seconds=8), ALLOWED)


def test_a_report_names_what_grows_and_draws_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seen = {"q-poker": watched(0.0), "chinese-dice": watched(1.0)}
    assert report(seen, tmp_path / "soak.svg") == len(SERIES)
    said = capsys.readouterr().out
    assert said.count("GROWS") == len(SERIES) + 1
    drawn = (tmp_path / "soak.svg").read_text()
    assert drawn.count("<polyline") == 2 * len(SERIES)
    assert all(f"{name} GROWS" in drawn for name in SERIES)
    assert report({"q-poker": watched(0.0)}, tmp_path / "flat.svg") == 0
    assert "GROWS" not in (tmp_path / "flat.svg").read_text()


def test_a_game_that_broke_is_no_success(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report({"q-poker": Watched(failed="it ended by itself")}, tmp_path / "soak.svg") == 1
    assert "FAILED: it ended by itself" in capsys.readouterr().out


@pytest.mark.parametrize("missed", ["", "tasks"])
def test_planting_each_leak_fails_where_one_is_not_found(
    missed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(soak, "watch", lambda _game, _seconds, leak: watched(0.0 if leak == missed else 1.0))
    assert main(["--leak", "each"]) == (1 if missed else 0)
    said = capsys.readouterr().out
    assert said.count(": found") == len(LEAKS) - bool(missed)
    assert said.count(f"{missed or 'some'}: NOT FOUND") == bool(missed)


@pytest.mark.parametrize(
    "words",
    [
        ["--leak", "memory", "--virtual", "1"],
        ["--leak", "log", "--a-second", "5"],
        ["--a-second", "5"],
        ["--accident", "unplug"],
    ],
)
def test_a_leak_that_would_not_be_planted_is_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(words)
    assert "leak" in capsys.readouterr().err


def watched(a_second: float) -> Watched:
    """A game in which each series grows by so much of what it may."""
    seen = Watched(records=10)
    for name, allowed in SERIES.items():
        for at in range(SECONDS):
            seen.samples[name].append((float(at), 0.1 + a_second * at * allowed.growth / 50))
    return seen


def test_an_accident_that_there_is_not_is_no_proof(tmp_path: Path) -> None:
    words = ["--virtual", "0.01", "--game", "q-poker", "--accident", "unheard of", "--plot", str(tmp_path / "plot.svg")]
    done = subprocess.run([sys.executable, "-m", "bench.soak", *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert "FAILED: nothing of this happened: unheard of" in done.stdout


LEAST_H = 0.25
"""The fewest simulated hours that make a verdict."""


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("game", first(GAMES))
def test_simulated_play_leaves_no_task_and_no_descriptor_behind(game: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bench.soak", "--virtual", str(LEAST_H), "--game", game]
    run = subprocess.run(
        [*command, "--plot", tmp_path / "soak.svg"], capture_output=True, text=True, check=False, timeout=290 * SCALE
    )
    said = {line[2:26].strip(): line.split()[-1] for line in run.stdout.splitlines() if line.startswith("  ")}
    assert said["tasks"] == said["descriptors"] == "flat", run.stdout + run.stderr


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_a_daemon_at_real_time_is_looked_into(mosquitto: Path) -> None:
    assert mosquitto.exists()
    seen = watch("chinese-dice", 6.0)
    assert not seen.failed, seen.failed
    assert all(len(samples) >= 2 for samples in seen.samples.values()), seen.samples
    assert min(value for _, value in seen.samples["tasks"]) >= 5
