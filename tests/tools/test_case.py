"""`tablectl case`: a moment in a folder that proves itself, and holds neither secrets nor face-down cards."""

import base64
import hashlib
import json
import os
import socket
import time
from collections.abc import Callable
from contextlib import chdir, closing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tablectl.core.facts import Bookmarked, FaultCleared, FaultRaised
from tablectl.core.facts.game_requests import HandOpened
from tablectl.core.facts.table_requests import Correction, RoundCorrected, RoundVoided
from tablectl.core.faults import Code
from tablectl.core.money import utc_text
from tablectl.daemon.signing.keys import public_key
from tablectl.features.case.cli import case
from tablectl.features.case.moment import event_by, moment_of, wall_time
from tablectl.history.explain.build import CAPTURES, UnknownRoundError
from tablectl.journal.journal import open_journal
from tablectl.journal.reading.ranges import events_between, records_between
from tablectl.journal.reading.reader import open_reader
from tablectl.proof.note import fingerprint
from tests.proof.journals import DAY_US, LATER_US, START_US, Play
from tests.support.kept import CARDS, ERROR_US, Kept, names_of_cards, played, shoe_frame
from tests.tools.cases import check, lines, make, read, seal


def test_case_of_a_round_is_whole(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    _, round_id, _ = played(folder, 3)
    result = make(folder, round_id, "--minutes", "0")
    assert (result.exit_code, result.stderr) == (0, "")
    manifest = json.loads(read(folder, "manifest.json"))
    digest = hashlib.sha256(read(folder, "manifest.json").encode()).hexdigest()
    assert result.stdout.splitlines()[-1] == f"manifest.json sha256:{digest}"
    assert (manifest["origin"], manifest["mark"]) == ("tablectl/demo/q-demo/5eed0001", round_id)
    assert set(manifest["files"]) == {
        "events.jsonl", "facts.jsonl", "clock.jsonl", "frames.jsonl", "state.json", "keys.json", "checkpoint.txt",
        "inclusion.json", "index.html", f"rounds/{round_id}.json", f"rounds/{round_id}.html", f"proofs/{round_id}.json",
    }  # fmt: skip
    assert {form["correlationid"] for form in lines(folder, "events.jsonl")} == {round_id}
    assert len(lines(folder, "frames.jsonl")) == 27
    assert {(form["clock"], form["error_us"]) for form in lines(folder, "clock.jsonl")} == {("synced", ERROR_US)}
    checked = check(folder, "--key", public_key(folder).fingerprint)
    assert (checked.exit_code, checked.stderr) == (0, "")
    assert "19, 19 of them proved" in checked.stdout
    assert "1 proved" in checked.stdout


def test_the_minutes_before_and_after_are_collected(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    ids = played(folder, 5)
    assert make(folder, ids[2], "--minutes", "0.3").exit_code == 0
    rounds = {form["correlationid"] for form in lines(folder, "events.jsonl")}
    assert rounds == {*ids[1:4]}
    assert check(folder).exit_code == 0


def test_a_bookmark_leads_to_the_event_that_it_marks(kept: Kept) -> None:
    kept.play()
    kept.tell(Bookmarked("who moved chips?", 9), by="mei")
    kept.play()
    kept.keep()
    marked = kept.journal.events_after(0, 1000)
    number = next(each.sequence for each in marked if b"audit.bookmark" in each.payload)
    assert make(kept.folder, f"event:{number}", "--minutes", "0.05").exit_code == 0
    manifest = json.loads(read(kept.folder, "manifest.json"))
    assert (manifest["note"], manifest["sequence"]) == ("who moved chips?", 9)
    assert 9 in {int(form["sequence"]) for form in lines(kept.folder, "events.jsonl")}
    assert "who moved chips?" in read(kept.folder, "index.html")


def test_state_at_moment_names_round_and_faults_that_stood(kept: Kept) -> None:
    kept.bets(1)
    kept.tell(FaultRaised(Code.SILENT, "shoe", "no byte"))
    kept.tell(FaultRaised(Code.LINK_LOST, "shuffler"))
    kept.tell(FaultCleared(Code.LINK_LOST, "shuffler"))
    kept.tell(FaultRaised(Code.SILENT, "shoe", "no answer"))
    kept.tell(Bookmarked("now"), by="mei")
    moment = kept.journal.last_sequence
    kept.tell(FaultCleared(Code.SILENT, "shoe"))
    kept.keep()
    assert make(kept.folder, f"event:{moment}").exit_code == 0
    state = json.loads(read(kept.folder, "state.json"))
    assert state["round_id"] == kept.round_id
    events = [json.loads(each.payload) for each in kept.journal.events_after(0, 1000)]
    since = next(form["time"] for form in events if form["data"].get("code") == Code.SILENT)
    told = [(fault["code"], fault["device"], fault["detail"], fault["since"]) for fault in state["faults"]]
    assert told == [(int(Code.SILENT), "shoe", "no answer", since)]


def test_case_of_a_corrected_round_skips_the_hours_between(kept: Kept) -> None:
    round_id = kept.play()
    later = [kept.play() for _ in range(3)]
    kept.tell(RoundCorrected(round_id, "a bet was misread", (Correction("bettor1", -5_000),)), by="rui", second="sam")
    kept.keep()
    assert make(kept.folder, round_id, "--minutes", "0").exit_code == 0
    told = {form["correlationid"] for form in lines(kept.folder, "events.jsonl")}
    assert (round_id in told, told & set(later)) == (True, set())
    (correction,) = json.loads(read(kept.folder, f"rounds/{round_id}.json"))["corrections"]
    assert correction["reason"] == "a bet was misread"
    assert "a bet was misread (rui, sam)" in read(kept.folder, "index.html")
    assert check(kept.folder, "--key", public_key(kept.folder).fingerprint).exit_code == 0


def test_state_in_an_open_round_is_its_own_after_corrections(kept: Kept) -> None:
    over = kept.play()
    kept.bets(1)
    kept.tell(RoundCorrected(over, "a bet was misread", (Correction("bettor1", -5_000),)), by="rui", second="sam")
    kept.keep()
    assert make(kept.folder, f"event:{kept.journal.last_sequence}").exit_code == 0
    state = json.loads(read(kept.folder, "state.json"))
    assert (state["round_id"], state["last_round_event"]) == (kept.round_id, "round.betting_closed.v1")


def test_no_secret_and_no_face_down_card_is_in_case(kept: Kept) -> None:
    kept.bets(1, 2)
    kept.draw(*CARDS[:9])
    kept.tell(HandOpened(1))
    kept.tell(RoundVoided("the fire alarm rang"), by="rui")
    kept.draw("Jc")
    kept.keep()
    assert make(kept.folder, "5eed0001-000001").exit_code == 0
    told = "\n".join(path.read_text("utf-8") for path in (kept.folder.parent / "case").rglob("*") if path.is_file())
    secret = (kept.folder / "log.key").read_bytes()
    assert secret.decode("ascii", "replace").strip() not in told
    assert base64.b64encode(secret).decode() not in told
    assert "pin_hash" not in told
    hidden = [*((card, nth) for nth, card in enumerate(CARDS[:9]) if nth not in {0, 3, 6}), ("Jc", 9)]
    for card, number in hidden:
        assert [name for name in names_of_cards(card, number) if name in told] == []
        assert shoe_frame(card, number).hex() not in told
    assert "A♠" in told


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda case: (case / "events.jsonl").write_text("{}\n"), "events.jsonl: was changed"),
        (lambda case: (case / "state.json").unlink(), "state.json: is missing"),
        (lambda case: (case / "more.txt").write_text("a"), "more.txt: is not in the manifest"),
        (lambda case: (case / "manifest.json").write_text("[]"), "manifest.json: is no manifest"),
        (lambda case: (case / "manifest.json").write_text('{"case": 9, "files": {}}'), "form 1 of cases"),
    ],
)
def test_a_case_that_was_changed_says_which_part(tmp_path: Path, change: Callable[[Path], Any], said: str) -> None:
    folder = tmp_path / "state"
    (round_id,) = played(folder)
    make(folder, round_id)
    change(folder.parent / "case")
    result = check(folder)
    assert (result.exit_code, result.stdout) == (1, "")
    assert said in result.stderr


def test_event_altered_with_its_digest_is_not_in_the_log(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    (round_id,) = played(folder)
    make(folder, round_id)
    made = folder.parent / "case"
    altered = (made / "events.jsonl").read_text("utf-8").replace('"100.00"', '"900.00"')
    (made / "events.jsonl").write_text(altered)
    manifest = json.loads((made / "manifest.json").read_text("utf-8"))
    manifest["files"]["events.jsonl"]["sha256"] = hashlib.sha256(altered.encode()).hexdigest()
    (made / "manifest.json").write_text(json.dumps(manifest))
    result = check(folder)
    assert (result.exit_code, "isn't what the log has" in result.stderr) == (1, True)


def test_another_key_than_the_logs_is_not_trusted(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    (round_id,) = played(folder)
    make(folder, round_id)
    result = check(folder, "--key", fingerprint(bytes(32)))
    assert (result.exit_code, "isn't among them" in result.stderr) == (1, True)
    result = check(folder, "--key", "nonsense")
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)


def _line(case: Path, nth: int, change: Callable[[bytes], bytes]) -> None:
    events = (case / "events.jsonl").read_bytes().splitlines(keepends=True)
    (case / "events.jsonl").write_bytes(b"".join([*events[:nth], change(events[nth]), *events[nth + 1 :]]))


def _another_proof(case: Path) -> None:
    first, second = sorted((case / "proofs").iterdir())
    second.write_bytes(first.read_bytes())


def _linked(case: Path) -> None:
    (case / "facts.jsonl").rename(case.parent / "facts")
    (case / "facts.jsonl").symlink_to("../facts")


def _no_checkpoint(case: Path) -> None:
    for name in ("checkpoint.txt", "inclusion.json"):
        (case / name).unlink()


LAST = 38
"""The index of the last event of the case that the forgeries begin with."""

FORGERIES: dict[str, tuple[Callable[[Path], Any], bool, str]] = {
    "facts": (lambda case: (case / "facts.jsonl").write_text("{}\n"), False, "isn't the one that was signed"),
    "page": (lambda case: (case / "index.html").write_text("<p>won"), False, "isn't the one that was signed"),
    "signature": (lambda case: (case / "manifest.note").unlink(), False, "the case isn't signed"),
    "checkpoint": (_no_checkpoint, True, "checkpoint.txt: is missing"),
    "event left out": (lambda case: _line(case, 5, lambda _: b""), True, "event 6 is missing"),
    "last event left out": (lambda case: _line(case, LAST, lambda _: b""), True, "doesn't begin and end"),
    "event twice": (lambda case: _line(case, 5, lambda line: line + line), True, "event 7 is missing"),
    "no events": (lambda case: (case / "events.jsonl").write_text(""), True, "doesn't begin and end"),
    "proof left out": (lambda case: next((case / "proofs").iterdir()).unlink(), True, "is missing: event"),
    "proof of another round": (_another_proof, True, "is the proof of round"),
    "link": (_linked, False, "facts.jsonl: is a link"),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_case_is_never_whole_under_a_trusted_key(tmp_path: Path, forgery: str) -> None:
    folder = tmp_path / "state"
    played(folder, 2)
    assert make(folder, "event:12", "--minutes", "60").exit_code == 0
    key = public_key(folder).fingerprint
    assert "case: whole" in check(folder, "--key", key).stdout
    change, signed, why = FORGERIES[forgery]
    change(folder.parent / "case")
    seal(folder, signed=signed)
    result = check(folder, "--key", key)
    assert (result.exit_code, result.stdout) == (1, "")
    assert why in result.stderr


def test_an_event_after_the_checkpoint_is_not_proved(kept: Kept) -> None:
    kept.play()
    kept.keep()
    kept.tell(Bookmarked("later"), by="mei")
    key = kept.folder / "log.key"
    secret = key.read_bytes()
    key.unlink()
    assert make(kept.folder, f"event:{kept.journal.last_sequence}").exit_code == 0
    key.write_bytes(secret)
    seal(kept.folder, signed=True)
    result = check(kept.folder, "--key", public_key(kept.folder).fingerprint)
    assert (result.exit_code, "doesn't cover event" in result.stderr) == (1, True)


def test_what_the_log_does_not_prove_is_marked(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    (round_id,) = played(folder)
    make(folder, round_id)
    files = json.loads(read(folder, "manifest.json"))["files"]
    assert {name for name, about in files.items() if about["proved"]} == {
        "events.jsonl", "inclusion.json", "checkpoint.txt", "keys.json", f"proofs/{round_id}.json",
    }  # fmt: skip
    assert "7 files are not proved" in check(folder, "--key", public_key(folder).fingerprint).stdout


@pytest.mark.parametrize(
    "content",
    [b"[" * 5000, b'{"case": 1, "files": {"\\ud800": {"sha256": ""}}}', b"\xff",
     b'{"case": 1, "files": {"a\\u0000": {}}}',
     b'{"case": 1, "files": {"../../../etc/passwd": {"sha256": ""}}}', b'{"case": {"a": "\\u001b[2K"}, "files": {}}'],
)  # fmt: skip
@pytest.mark.parametrize("name", ["manifest.json", "keys.json", "inclusion.json", "events.jsonl", "proof"])
def test_hostile_content_of_a_case_ends_in_one_plain_line(tmp_path: Path, name: str, content: bytes) -> None:
    folder = tmp_path / "state"
    (round_id,) = played(folder)
    make(folder, round_id)
    path = folder.parent / "case" / (f"proofs/{round_id}.json" if name == "proof" else name)
    path.write_bytes(content)
    if name != "manifest.json":
        seal(folder, signed=True)
    result = check(folder, "--key", public_key(folder).fingerprint)
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (1, "", 1)
    assert "\x1b" not in result.stderr


def pipe(path: Path) -> None:
    os.mkfifo(path)


def listen(path: Path) -> None:
    with closing(socket.socket(socket.AF_UNIX)) as listening, chdir(path.parent):  # a socket's path is a short one
        listening.bind(path.name)


def sparse(path: Path) -> None:
    path.touch()
    os.truncate(path, 1 << 40)


@pytest.mark.parametrize("put", [pipe, listen, sparse])
@pytest.mark.parametrize("name", ["manifest.json", "manifest.note", "events.jsonl", "proof"])
def test_no_file_of_a_case_waits_or_fills_the_memory(tmp_path: Path, name: str, put: Callable[[Path], None]) -> None:
    folder = tmp_path / "state"
    (round_id,) = played(folder)
    make(folder, round_id)
    path = folder.parent / "case" / (f"proofs/{round_id}.json" if name == "proof" else name)
    path.unlink()
    put(path)
    result = check(folder)
    assert (result.exit_code in {1, 2}, result.stdout, len(result.stderr.splitlines())) == (True, "", 1)
    assert path.name in result.stderr


@pytest.mark.parametrize(("put", "code"), [(pipe, 2), (listen, 2), (sparse, 0)])
def test_no_capture_makes_a_case_wait_or_fill_memory(tmp_path: Path, put: Callable[[Path], None], code: int) -> None:
    folder = tmp_path / "state"
    (round_id,) = played(folder)
    put(folder / CAPTURES / "links-000009-shoe.jsonl")
    result = make(folder, round_id)
    assert (result.exit_code, len(result.stderr.splitlines())) == (code, min(code, 1))


def test_time_with_more_than_a_case_holds_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "state"
    (round_id,) = played(folder)
    monkeypatch.setattr("tablectl.features.case.case.MOST_BYTES", 1000)
    result = make(folder, round_id)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "MiB lie in that time: ask for fewer minutes" in result.stderr


def test_a_files_name_adds_no_line_to_the_verdict(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    (round_id,) = played(folder)
    make(folder, round_id)
    (folder.parent / "case" / "x\n\x1b[1A\x1b[2Kcase: whole").write_text("")
    result = check(folder)
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (1, "", 1)
    assert "\x1b" not in result.stderr


@pytest.mark.parametrize("what", ["999999", "5eed0001-000099", "not a round!", "0"])
def test_a_moment_that_nothing_names_is_refused_in_a_line(tmp_path: Path, what: str) -> None:
    played(tmp_path / "state")
    result = make(tmp_path / "state", what)
    assert (result.exit_code, len(result.stderr.splitlines())) == (1, 1)
    assert not (tmp_path / "case").exists()


def test_a_case_is_never_written_over_another(tmp_path: Path) -> None:
    (round_id,) = played(tmp_path / "state")
    (tmp_path / "case").mkdir()
    result = make(tmp_path / "state", round_id)
    assert (result.exit_code, "is there already" in result.stderr) == (2, True)


def test_case_of_present_says_which_events_no_checkpoint_covers_yet(kept: Kept) -> None:
    kept.play()
    kept.keep()
    kept.play()
    (kept.folder / "log.key").unlink()
    made = make(kept.folder, f"event:{kept.journal.last_sequence}")
    assert (made.exit_code, "not signed" in made.stdout) == (0, True)
    checked = check(kept.folder)
    assert checked.exit_code == 0
    assert "39, 20 of them proved" in checked.stdout
    assert "whole" not in checked.stdout
    checked = check(kept.folder, "--key", public_key(kept.folder).fingerprint)
    assert (checked.exit_code, "the case isn't signed" in checked.stderr) == (1, True)


def test_time_means_the_last_event_by_then_in_any_zone(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    played(folder, 2)
    at_us = stored_at(folder, 10)
    utc = datetime.fromtimestamp(at_us / 1_000_000, UTC)
    for nth, moment in enumerate((utc, utc.astimezone(timezone(timedelta(hours=8))))):
        target = tmp_path / f"case{nth}"
        result = CliRunner().invoke(case, [moment.isoformat(), "--journal", str(folder), "--to", str(target)])
        assert result.exit_code == 0, result.stderr
        manifest = json.loads((target / "manifest.json").read_text("utf-8"))
        assert (manifest["sequence"], manifest["at"]) == (10, utc_text(at_us))
        assert "event 10, the last one by then" in result.stdout


def test_a_time_without_zone_is_the_machines_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Macau")
    time.tzset()
    try:
        assert wall_time("2026-11-20T14:03:07") == wall_time("2026-11-20T06:03:07Z")
        assert wall_time("2026-11-20") is None
    finally:
        monkeypatch.undo()
        time.tzset()


def test_time_between_events_means_the_earlier_or_none(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    played(folder)
    with closing(open_reader(folder)) as reader:
        now_us = stored_at(folder, reader.last_sequence) + 10**9
        assert event_by(reader, stored_at(folder, 10) - 1, now_us)[0].sequence == 9
        assert event_by(reader, now_us, now_us)[0].sequence == reader.last_sequence
        with pytest.raises(UnknownRoundError, match="no event as early"):
            event_by(reader, stored_at(folder, 1) - 1, now_us)


def test_record_of_a_later_year_changes_no_case(tmp_path: Path) -> None:
    with closing(open_journal(tmp_path)) as journal:
        public_key(tmp_path)
        play = Play(journal)
        play.begin()
        play.round("r1")
        normal_us, play.at_us = play.at_us, LATER_US
        play.round("odd")
        play.at_us = normal_us
        play.round("r2")
        play.round("r3")
    with closing(open_reader(tmp_path)) as reader:
        now_us = START_US + 100 * DAY_US
        day = 24.0 * 60
        event = moment_of(reader, "event:12", 0.5 * day, now_us)  # One of the odd round.
        assert (event.at_us, event.first, event.last) == (START_US + 9, 1, 17)
        around = moment_of(reader, "event:8", 1.5 * day, now_us)
        assert (around.first, around.last) == (1, 25)
        meant, left_out = event_by(reader, normal_us - 1, now_us)
        assert (meant.sequence, left_out) == (10, 9)


def stored_at(folder: Path, sequence: int) -> int:
    """When an event was stored, UTC microseconds; each has a time of its own here."""
    with closing(open_reader(folder)) as reader:
        (row,) = events_between(reader, sequence, sequence)
        return next(each.recorded_us for each in records_between(reader, row.record, row.record))
