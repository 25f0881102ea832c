"""The evidence for a submission has what it says, and no claim without a test that is there."""

import json
from pathlib import Path

import pytest

from scripts import evidence
from scripts.evidence import CLAIMS, ROOT, Claim, claims, gaps, known_tests, main, parts_list, write


@pytest.fixture(name="made", scope="module")
def _made() -> list[Claim]:
    return [claim for page in CLAIMS for claim in claims(page, (ROOT / page).read_text("utf-8"))]


def test_every_claim_has_tests_that_are_there(made: list[Claim]) -> None:
    assert gaps(made, known_tests()) == []
    assert all(sum(claim.page == page for claim in made) >= least for page, least in zip(CLAIMS, (15, 50), strict=True))


def test_test_that_was_removed_and_claim_without_one_are_found(made: list[Claim]) -> None:
    known = known_tests()
    del known["test_a_supervisor_alone_corrects_nothing"]
    assert {gap.partition(": ")[2] for gap in gaps(made, known)} == {
        "there is no test_a_supervisor_alone_corrects_nothing"
    }
    table = (
        "| they try | tests |\n|---|---|\n| a | `test_x` |\n| b | a wall |\n\n| other | table |\n|---|---|\n| c | d |\n"
    )
    found = list(claims("page", table))
    assert [(claim.says, claim.tests) for claim in found] == [("a", ("test_x",)), ("b", ())]
    assert gaps(found, {"test_x": ""}) == ["page: no test: b"]


def test_tests_of_one_name_all_count(tmp_path: Path) -> None:
    for name in ("test_one.py", "test_other.py"):
        (tmp_path / name).write_text("def test_same() -> None: ...\n")
    places = [f"{tmp_path.name}/{name}::test_same" for name in ("test_one.py", "test_other.py")]
    assert known_tests(tmp_path) == {"test_same": places}


def test_missing_test_writes_no_evidence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(evidence, "known_tests", dict)
    assert main([str(tmp_path / "evidence")]) == 1
    assert "docs/requirements.md: there is no test_" in capsys.readouterr().err
    assert not (tmp_path / "evidence").exists()


def test_commit_that_changes_while_tests_run_writes_no_evidence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commits = iter(("one", "other"))
    monkeypatch.setattr(evidence, "_said", lambda *_: next(commits))
    monkeypatch.setattr(evidence, "results", lambda _: {})
    assert main([str(tmp_path / "evidence")]) == 1
    assert "another commit was checked out" in capsys.readouterr().err
    assert not (tmp_path / "evidence").exists()


@pytest.mark.slow
def test_results_are_what_came_of_each_test_function(tmp_path: Path) -> None:
    file = tmp_path / "test_some.py"
    file.write_text(
        "import pytest\n"
        "@pytest.mark.parametrize('n', [1, 2])\ndef test_one_case_fails(n): assert n == 1\n"
        "def test_passes(): pass\n"
        "def test_is_skipped(): pytest.skip('so')\n",
        "utf-8",
    )
    assert evidence.results([str(file)]) == {
        "test_one_case_fails": "failure",
        "test_passes": "passed",
        "test_is_skipped": "skipped",
    }


@pytest.mark.slow
def test_folder_has_all_that_a_submission_needs(tmp_path: Path) -> None:
    folder = tmp_path / "evidence"
    write(folder, "", {"test_a": "passed", "test_b": "failure"})
    summary = (folder / "summary.md").read_text("utf-8")
    assert "1 of 2 named tests passed" in summary
    assert "- `test_b`: failure" in summary
    assert json.loads((folder / "odds/q-poker.json").read_text("utf-8"))["bets"]["pair_or_better"]["ev"] == "-128/5525"
    for name in ("docs/requirements.md", "docs/reference/law/q_poker.md", "docs/reference/phases.md", "changes.md"):
        assert (folder / name).stat().st_size > 100, name
    listed = {line.split("  ")[1] for line in (folder / "SHA256SUMS").read_text("utf-8").splitlines()}
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert listed == there - {"SHA256SUMS"}


@pytest.mark.slow
def test_evidence_written_twice_is_identical(tmp_path: Path) -> None:
    for name in ("one", "other"):
        write(tmp_path / name, "", {"test_a": "passed"})
    one, other = ((tmp_path / name / "SHA256SUMS").read_bytes() for name in ("one", "other"))
    assert one == other


def test_every_library_has_its_licence_and_hashes() -> None:
    bill = parts_list((ROOT / "requirements/run.txt").read_text("utf-8"))
    assert len(bill["components"]) > 20
    for part in bill["components"]:
        assert part["hashes"], part["name"]
        assert part["licenses"][0]["license"]["name"] != "not said", part["name"]
