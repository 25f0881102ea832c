"""`make proof`: what is proved stays proved for its commit, and the table says what isn't."""

from dataclasses import replace
from pathlib import Path

import pytest

from bench import proof
from bench.proof import PARTS, Outcome, Part, keep, kept, needed, table, tried

ASKED = {"seeds": "1-2", "spins": "3", "frames": "4", "step": "5", "states": "6", "strangers": "7", "records": "8"}
SAYS = Part(r"-c print('at\x201,277\x20points')", {"points": "at ([0-9,]+) points"})
FAILS = Part("-c exit(3)", {"points": "at ([0-9]+)"})
PROVED = Outcome("x", "abc", 0, 1.5, {"points": 1277.0})

LINES = {
    "simulation": "2000 runs, 0 failed; 41.60 simulated hours in 383 s, 280 times; 1 void; 56238 faults: cut 3",
    "kills": "q-poker: kills at 277 points, 831 struck, 0 not reached\nwheel: kills at 244 points, 700 struck, 1",
    "errors": "q-poker: errors at 1500 points, 1490 struck, 10 not reached, 0 wrong",
    "states": "q-poker: 7500 crash states of a life, posix: 0 wrong\nq-poker: 2191 crash states of a start",
    "short-writes": "q-poker: 300 writes cut short, 0 wrong (300 exit 74); 9 s",
    "daemons": "17 passed in 300.00s",
    "spins": "proved: 10,000 spins (9,000 clean, 1 short): 0 wrong sections",
    "frames": "proved: 12,000,000 frames through 12 codecs: 0 wrong facts",
    "amendments": "proved: 10,000 evenings of 5 games with 24,000 mistakes",
    "fairness": "seed 1\nproved: 1,600 runs and 20,000 fair wheels",
    "long-tests": "118 passed in 300.00s",
    "properties": "126 passed in 300.00s",
    "walks": "14 passed in 60.32s (0:01:00)",
    "mutants": "60 passed in 9 s",
    "strangers": "proved: 1,000 strangers who never read: grown_mib 14.4, longest_ms 56.8",
    "full-journal": "proved: 1,000,000 records without a snapshot: 120 MiB at most, 1.30 s until it asks",
    "planted": "caught, 4 s: timers go by the wall clock\n44 mistakes planted, 44 caught",
}
"""What each part says, in its own form."""

COUNTS = {
    "simulation": {"evenings": 2000, "simulated hours": 41.6, "faults": 56238},
    "kills": {"points": 521, "blows": 1531},
    "errors": {"points": 1500, "blows": 1490},
    "states": {"crash states": 9691},
    "short-writes": {"lengths": 300},
    "daemons": {"tests": 17},
    "spins": {"spins": 10_000},
    "frames": {"frames": 12_000_000},
    "amendments": {"evenings": 10_000, "mistakes put right": 24_000},
    "fairness": {"unfair runs": 1600, "fair tables": 20_000},
    "long-tests": {"tests": 118},
    "properties": {"tests": 126},
    "walks": {"tests": 14},
    "mutants": {"mistakes and rules": 60},
    "strangers": {"strangers": 1000},
    "full-journal": {"records folded": 1_000_000},
    "planted": {"mistakes caught": 44},
}


@pytest.mark.parametrize("name", PARTS)
def test_every_part_is_counted_by_what_it_says(name: str) -> None:
    assert PARTS[name].counts(LINES[name]) == COUNTS[name]


def test_a_part_is_run_and_counted_and_kept(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    outcome = tried(SAYS, ASKED, "abc")
    assert (outcome.proved, outcome.counts) == (True, {"points": 1277.0})
    assert "1,277 points" in capfd.readouterr().out
    keep(tmp_path, "kills", outcome)
    assert kept(tmp_path, "kills") == outcome
    assert kept(tmp_path, "errors") is None


def test_what_failed_or_tried_nothing_is_not_proved() -> None:
    assert PROVED.proved
    assert not replace(PROVED, code=1).proved
    assert not replace(PROVED, counts={"points": 0.0}).proved
    assert not replace(PROVED, counts={}).proved


def test_only_what_this_commit_has_not_proved_runs() -> None:
    part = PARTS["kills"]
    done = replace(PROVED, command=" ".join(part.command(ASKED)[2:]))
    assert not needed(part, ASKED, "abc", done)
    assert needed(part, ASKED, "abc", None)
    assert needed(part, ASKED, "def", done)
    assert needed(part, ASKED | {"step": "1"}, "abc", done)
    assert needed(part, ASKED, "abc", replace(done, code=1))
    assert needed(part, ASKED, "abc-dirty", replace(done, commit="abc-dirty"))


def test_interrupted_run_resumes_and_ends_with_one_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(proof, "PARTS", {"first": SAYS, "second": FAILS})
    monkeypatch.setattr(proof, "_commit", lambda: "abc")
    assert proof.main(["--only", "first"], tmp_path) == 0
    said = capfd.readouterr().out
    assert [line.split()[0] for line in said.splitlines()[-2:]] == ["first", "second"]
    assert "not run" in said.splitlines()[-1]
    assert proof.main([], tmp_path) == 1
    said = capfd.readouterr().out
    assert "--- first: proved before" in said
    assert "FAILED, exit code 3" in said.splitlines()[-1]


def test_the_table_names_every_part_with_counts_and_time() -> None:
    lines = table({"kills": PROVED, "errors": None}).splitlines()
    assert lines[0].split() == ["part", "counted", "came", "of", "it", "time", "commit"]
    assert lines[1].split() == ["kills", "1,277", "points", "proved", "2", "s", "abc"]
    assert lines[2].split() == ["errors", "not", "run"]
