"""`tablectl journal prune`: old payloads go, whole rounds at a time; every proof holds as before."""

import shutil
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tablectl.core.money import utc_text
from tablectl.daemon.host.clock import SystemClock
from tablectl.features.journal.cli import journal
from tablectl.features.journal.prune import days_before, instant_of
from tablectl.journal.journal import open_journal
from tablectl.journal.reading.reader import open_reader
from tablectl.journal.reading.rows import Remembered
from tests.proof.journals import DAY_US, LATER_US, LOG, START_US, Play, go_on, played

ROUNDS = 62
EVENTS = ROUNDS * 9 + 1
LATE = "2999-01-01"


@pytest.fixture(scope="module", name="original")
def _original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("original") / "state"
    played(folder, ROUNDS)
    return folder


@pytest.fixture(name="folder")
def _folder(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "state"))


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(journal, [str(each) for each in arguments])


def prune(folder: Path, *options: str) -> Result:
    return run("prune", folder, *options)


def kept_payloads(folder: Path) -> list[int]:
    with closing(open_journal(folder)) as opened:
        return [event.sequence for event in opened.events_after(0, 10_000)]


def test_a_round_that_is_open_again_stays_whole(folder: Path) -> None:
    with closing(open_journal(folder)) as opened:
        play = Play(opened, record=opened.last_record, sequence=opened.last_sequence)
        end = f"{LOG}-{after_round(55):016d}"
        opened.append([play._record(("round.reopened.v1", "r55", {"reopens": end}))])
        opened.remember(Remembered.PUBLISHED, str(opened.last_sequence))
    result = prune(folder, "--before", LATE)
    assert (result.exit_code, kept_payloads(folder)[0]) == (0, after_round(54) + 1)
    assert f"events {after_round(54) + 1} to 512: round r55 isn't over" in result.stdout


def after_round(number: int) -> int:
    """The number of its last event."""
    return number * 9 + 1


def test_rounds_before_a_day_go_and_the_rest_stays(folder: Path) -> None:
    day = utc_text(START_US + 10 * DAY_US)[:10]
    result = prune(folder, "--before", day)
    assert (result.exit_code, result.stderr) == (0, "")
    assert kept_payloads(folder) == list(range(after_round(10) + 1, EVENTS + 1))
    assert result.stdout.splitlines() == [
        "pruned      events 1 to 91",
        f"kept        events 92 to {EVENTS}: not recorded before {day}T00:00:00.000000Z",
        "kept        the hashes of all events: every proof and every checkpoint holds as before",
        "kept        all 497 records with their facts: the table's state is folded from them",
    ]


def test_round_of_later_year_keeps_none_of_those_around_it(tmp_path: Path) -> None:
    with closing(open_journal(tmp_path)) as opened:
        play = Play(opened)
        play.begin()
        for number in range(1, ROUNDS + 1):
            normal_us = play.at_us
            play.at_us = LATER_US if number == 5 else normal_us
            play.round(f"r{number}")
            play.at_us = normal_us + DAY_US
        opened.remember(Remembered.PUBLISHED, str(play.sequence))
    day = utc_text(START_US + 10 * DAY_US)[:10]
    result = prune(tmp_path, "--before", day)
    assert result.stdout.startswith("pruned      events 1 to 91\n")
    assert result.stderr == "9 events bear a time later than now: only their place in the log counted\n"
    assert kept_payloads(tmp_path) == list(range(after_round(10) + 1, EVENTS + 1))


def test_what_was_pruned_is_no_more_on_the_disk(folder: Path) -> None:
    with closing(open_journal(folder)) as opened:
        old, new = (opened.events_after(number, 1)[0].payload for number in (20, 550))
    size = (folder / "journal.db").stat().st_size
    assert prune(folder, "--before", LATE).exit_code == 0
    content = b"".join(path.read_bytes() for path in folder.iterdir())
    assert old not in content
    assert new in content
    assert (folder / "journal.db").stat().st_size < size


def proofs_of(folder: Path) -> list[tuple[bytes, ...]]:
    with closing(open_reader(folder)) as reader:
        tree = reader.tree()
        paths = [tree.inclusion(number - 1, EVENTS) for number in (1, 100, 300, EVENTS)]
        return [*paths, tree.consistency(200, EVENTS)]


def test_a_pruned_journal_is_whole_and_goes_on(folder: Path) -> None:
    with closing(open_journal(folder)) as opened:
        before = [record.body for record in opened.replay(0)]
        root, note = opened.root(EVENTS), opened.meta(Remembered.CHECKPOINT)
    proofs = proofs_of(folder)
    assert prune(folder, "--before", LATE).exit_code == 0
    assert run("verify", folder).exit_code == 0
    with closing(open_journal(folder)) as opened:
        assert [record.body for record in opened.replay(0)] == before
        assert (opened.root(EVENTS), opened.meta(Remembered.CHECKPOINT)) == (root, note)
    assert proofs_of(folder) == proofs
    go_on(folder, rounds=40)
    assert "1 to 505 pruned" in run("verify", folder).stdout
    with closing(open_journal(folder)) as opened:
        opened.remember(Remembered.PUBLISHED, str(opened.last_sequence))
    assert "pruned      events 506 to 766" in prune(folder, "--before", LATE).stdout
    assert run("verify", folder).exit_code == 0


def test_unfinished_round_stays_and_none_is_cut(folder: Path) -> None:
    result = prune(folder, "--before", LATE)
    assert "pruned      events 1 to 505" in result.stdout
    assert "kept        events 506 to 512: round r57 would be cut in two" in result.stdout
    assert f"kept        events 513 to {EVENTS}: their hashes are in no full tile yet" in result.stdout


def test_the_round_under_way_stays_with_all_that_follows_it(tmp_path: Path) -> None:
    played(tmp_path, 1)
    with closing(open_journal(tmp_path)) as opened:
        play = Play(opened, record=opened.last_record, sequence=opened.last_sequence, at_us=START_US + DAY_US)
        play.round("open", over=False)
        for number in range(2, 40):
            play.round(f"r{number}")
        opened.remember(Remembered.PUBLISHED, str(play.sequence))
    result = prune(tmp_path, "--before", LATE)
    assert "pruned      events 1 to 10" in result.stdout
    assert "kept        events 11 to 256: round open isn't over" in result.stdout
    assert kept_payloads(tmp_path)[0] == 11


def test_what_the_broker_has_not_acknowledged_stays(folder: Path) -> None:
    with closing(open_journal(folder)) as opened:
        opened.remember(Remembered.PUBLISHED, "100")
    result = prune(folder, "--before", LATE)
    assert "pruned      events 1 to 100" in result.stdout
    assert f"kept        events 101 to {EVENTS}: the broker hasn't acknowledged them" in result.stdout
    with closing(open_journal(folder)) as opened, pytest.raises(ValueError, match="can't all be pruned yet"):
        opened.prune(101)


def test_days_are_counted_from_now(folder: Path) -> None:
    now_us = SystemClock().now().utc_us
    days = (now_us - START_US) // DAY_US
    assert days_before(now_us, 3) == now_us - 3 * DAY_US
    assert prune(folder, "--keep-days", str(days + 100)).stdout.startswith("pruned      nothing")
    assert prune(folder, "--keep-days", "36500", "--before", LATE).stdout.startswith("pruned      nothing")
    assert kept_payloads(folder) == list(range(1, EVENTS + 1))


@pytest.mark.parametrize(
    ("text", "instant"),
    [("1970-01-02", DAY_US), ("1970-01-01T00:00:01Z", 1_000_000), ("1970-01-01T08:00:00+08:00", 0)],
)
def test_instant_is_read_as_utc_where_it_does_not_say(text: str, instant: int) -> None:
    assert instant_of(text) == instant


def test_a_dry_run_changes_nothing(folder: Path) -> None:
    before = (folder / "journal.db").read_bytes()
    result = prune(folder, "--before", LATE, "--dry-run")
    assert result.stdout.startswith("would go    events 1 to 505")
    assert (folder / "journal.db").read_bytes() == before


def test_the_journal_of_a_table_at_work_is_not_pruned(folder: Path) -> None:
    with closing(open_journal(folder)):
        result = prune(folder, "--before", LATE)
        assert prune(folder, "--before", LATE, "--dry-run").exit_code == 0
    assert (result.exit_code, result.stdout) == (1, "")
    assert "already runs this table" in result.stderr
    assert len(kept_payloads(folder)) == EVENTS


def test_a_broken_journal_is_evidence_and_is_not_pruned(folder: Path) -> None:
    with closing(open_journal(folder)) as opened:
        opened._connection.execute("UPDATE record SET body = x'00' WHERE number = 7")
    result = prune(folder, "--before", LATE)
    assert result.exit_code == 1
    assert "record 7 isn't what was written" in result.stderr
    assert len(kept_payloads(folder)) == EVENTS


def test_what_is_pruned_is_named_where_it_is_asked_for(folder: Path) -> None:
    prune(folder, "--before", LATE)
    result = run("since", folder, "500")
    assert (result.exit_code, len(result.stdout.splitlines())) == (1, EVENTS - 505)
    assert result.stderr == "events 501 to 505 were pruned\n"
    assert run("since", folder, "505").exit_code == 0
    result = run("export", folder)
    assert (result.exit_code, len(result.stdout.splitlines())) == (0, EVENTS - 505)
    assert "events 1 to 505 were pruned" in result.stderr


def test_file_that_somebody_reads_is_pruned_and_not_made_smaller(folder: Path) -> None:
    with closing(open_reader(folder)) as reader, closing(open_journal(folder)) as opened:
        opened._connection.set_busy_timeout(1)
        opened.prune(505)
        assert not opened.shrink()
        assert reader.pruned() == 0
        assert reader.event(1).payload
    assert run("verify", folder).exit_code == 0
    assert kept_payloads(folder)[0] == 506


@pytest.mark.parametrize("options", [[], ["--before", "yesterday"], ["--keep-days", "-1"], ["--keep-days", "x"]])
def test_what_may_go_has_to_be_said(folder: Path, options: list[str]) -> None:
    assert prune(folder, *options).exit_code == 2
    assert len(kept_payloads(folder)) == EVENTS


def test_a_folder_without_journal_is_left_as_it_is(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "no"):
        result = prune(folder, "--before", LATE)
        assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert list(tmp_path.iterdir()) == []
