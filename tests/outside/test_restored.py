"""State folders that are old, copied or lost: nothing is published twice under one number."""

import base64
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.outside.table import PREFIX, Broker, Subscriber, Table, until

TAKEN, FORKED = 803, 804


def aged(table: Table, seen: Subscriber) -> str:
    """Plays on after a copy of the folder was made, and puts the copy back; the last checkpoint's text."""
    table.start()
    table.play()
    until(seen.is_proved)
    table.stop()
    copied = table.copy("backup")
    table.start()
    table.play()
    table.stop()
    until(seen.is_proved)
    table.put_back(copied)
    return seen.note().decode()


def test_an_old_folder_publishes_nothing_and_opens_no_round(table: Table, seen: Subscriber) -> None:
    note = aged(table, seen)
    before = len(seen.events())
    table.start()
    until(lambda: table.fault(FORKED))
    reply = table.ask("open_round")
    assert (reply["accepted"], reply["refused"]["code"]) == (False, "fault_stands")
    table.stop()
    assert len(seen.events()) == before
    assert seen.note().decode() == note
    assert all(len(contents) == 1 for contents in seen.contents().values())


def test_restored_table_begins_a_log_that_names_the_old_one(table: Table, seen: Subscriber) -> None:
    note = aged(table, seen)
    old, size, _ = seen.checkpoint() or ("", 0, b"")
    table.start()
    until(lambda: table.fault(FORKED))
    table.stop()
    said = table.tool("restore")
    assert said.returncode == 0, said.stderr
    table.start()
    until(lambda: len(seen.of_type("audit.log_began.v1")) == 2)
    began = seen.of_type("audit.log_began.v1")[-1]
    assert began["data"]["predecessor"].split(" ")[:2] == [old, str(size)]
    assert began["source"].rpartition("/")[2] != old.rpartition("/")[2]
    assert note.startswith(f"{old}\n{size}\n")
    table.play()
    until(seen.is_proved)
    assert table.fault(FORKED) is None


def test_what_was_played_while_the_broker_was_away_is_announced(table: Table, seen: Subscriber) -> None:
    aged(table, seen)
    text = table.config.read_text()
    table.config.write_text(text.replace("mqtt://127.0.0.1:", "mqtt://127.0.0.2:"))  # No broker is there.
    table.start()
    table.play()
    table.stop()
    table.config.write_text(text)
    for _ in range(2):  # Somebody who isn't sure gives the command again.
        said = table.tool("restore")
        assert said.returncode == 0, said.stderr
    table.start()
    until(lambda: len(seen.of_type("audit.played_before.v1")) == 2)
    told = [event["data"] for event in seen.of_type("audit.played_before.v1")]
    assert [data["type"] for data in told] == ["mo.tablectl.round.opened.v1", "mo.tablectl.round.void.v1"]
    assert told[1]["content"]["returned"][0]["stake"] == "100.00"


def test_round_that_is_open_in_copy_is_finished_at_table(table: Table, seen: Subscriber) -> None:
    table.start()
    assert table.ask("open_round")["accepted"]
    table.kill()
    copied = table.copy("backup")
    table.start()
    assert table.send(table.bet())["accepted"]
    assert table.ask("void_round", reason="the wheel broke")["accepted"]
    table.stop()
    until(seen.is_proved)
    table.put_back(copied)
    table.start()
    until(lambda: table.fault(FORKED))
    assert table.tool("restore").returncode == 1  # A daemon is at work.
    reply = table.ask("void_round", reason="the wheel broke")
    assert reply["accepted"], reply
    table.stop()
    assert all(len(contents) == 1 for contents in seen.contents().values())


def test_copy_that_runs_beside_its_table_publishes_nothing(
    table: Table, seen: Subscriber, broker: Broker, tmp_path: Path
) -> None:
    table.start()
    table.play()
    until(seen.is_proved)
    (tmp_path / "beside").mkdir()
    copy = Table(tmp_path / "beside", broker.port)
    shutil.copytree(table.state_folder, copy.state_folder)
    before = len(seen.events())
    copy.start()
    try:
        until(lambda: copy.fault(TAKEN))
        assert not copy.ask("open_round")["accepted"]
        assert len(seen.events()) == before
        table.play()
        until(seen.is_proved)
        table.stop()
        until(lambda: copy.fault(FORKED))  # its place is free, and its numbers are taken
        assert not copy.ask("open_round")["accepted"]
    finally:
        copy.kill()
    assert all(len(contents) == 1 for contents in seen.contents().values())


@pytest.mark.parametrize("broken", [b"", b"no note at all", b"\xff\xfe"])
def test_a_table_goes_on_where_the_broker_keeps_no_checkpoint(table: Table, seen: Subscriber, broken: bytes) -> None:
    table.start()
    table.play()
    until(seen.is_proved)
    table.kill()
    seen.keep("checkpoint", broken)
    table.start()
    table.play()
    until(lambda: len(seen.of_type("round.void.v1")) == 2)
    shown = [json.loads(payload) for topic, payload, _ in seen.messages if topic == "health"]
    assert shown[-1]["data"]["kept_checkpoint"] in {"none", "unreadable", ""}


def signed_as(note: str, size: int, *, key_id: bytes = b"") -> bytes:
    """A checkpoint of another size, with the signature of this one, in the name of this or another key."""
    origin, _, rest = note.split("\n", 2)
    head, _, coded = rest.rstrip().rpartition(" ")
    raw = base64.b64decode(coded)
    return f"{origin}\n{size}\n{head} {base64.b64encode((key_id or raw[:4]) + raw[4:]).decode()}\n".encode()


def test_forged_checkpoint_in_the_logs_name_silences_nobody(table: Table, seen: Subscriber) -> None:
    table.start()
    table.play()
    until(seen.is_proved)
    table.kill()
    seen.keep("checkpoint", signed_as(seen.note().decode(), 1000))
    table.start()
    table.play()
    until(lambda: len(seen.of_type("round.void.v1")) == 2)
    assert table.fault(FORKED) is None
    until(seen.is_proved)


def of_later_key(note: str) -> bytes:
    return signed_as(note, 1000, key_id=bytes(4))


def of_another_log(note: str) -> bytes:
    return note.replace(note.partition("\n")[0], PREFIX.replace("v1/", "") + "00000000").encode()


@pytest.mark.parametrize("forged", [of_later_key, of_another_log])
def test_checkpoint_nobody_can_judge_silences_until_it_is_cleared(
    table: Table, seen: Subscriber, forged: Callable[[str], bytes]
) -> None:
    table.start()
    table.play()
    until(seen.is_proved)
    table.kill()
    before = len(seen.events())
    seen.keep("checkpoint", forged(seen.note().decode()))
    table.start()
    until(lambda: table.fault(FORKED))
    assert not table.ask("open_round")["accepted"]
    assert len(seen.events()) == before
    seen.keep("checkpoint", b"")
    until(lambda: table.fault(FORKED) is None)
    table.play()
    until(lambda: len(seen.of_type("round.void.v1")) == 2 and seen.is_proved())


def test_a_folder_that_is_gone_begins_no_second_log(table: Table, seen: Subscriber) -> None:
    table.start()
    table.play()
    until(seen.is_proved)
    table.stop()
    for file in table.state_folder.glob("journal.db*"):
        file.unlink()
    assert table.tool("run").returncode == 65
    assert len(seen.of_type("audit.log_began.v1")) == 1
    assert table.tool("restore").returncode == 0
    table.start()
    until(lambda: len(seen.of_type("audit.log_began.v1")) == 2)


def test_folder_emptied_at_work_begins_no_second_log(table: Table, seen: Subscriber) -> None:
    table.start()
    table.play()
    until(seen.is_proved)
    for file in table.state_folder.glob("journal.db*"):
        file.unlink()
    assert table.daemon.ended() == 74
    until(lambda: seen.status()["state"] == "degraded")
    said = table.tool("run")
    assert (said.returncode, "tablectl restore" in said.stderr) == (65, True)
    assert len(seen.of_type("audit.log_began.v1")) == 1


@pytest.mark.parametrize("way", ["deleted", "moved", "replaced", "overwritten", "log overwritten", "folder moved"])
def test_journal_that_is_taken_away_at_work_ends_the_daemon(table: Table, seen: Subscriber, way: str) -> None:
    table.start()
    table.play()
    until(seen.is_proved)
    file = table.state_folder / "journal.db"
    old = file.read_bytes()
    match way:
        case "deleted":
            file.unlink()
        case "moved":
            file.rename(table.folder / "elsewhere.db")
        case "replaced":
            file.with_name("other").write_bytes(file.read_bytes())
            file.with_name("other").replace(file)
        case "overwritten":
            file.write_bytes(old)
        case "log overwritten":
            log = file.with_name("journal.db-wal")
            log.write_bytes(log.read_bytes()[:-1] + b"?")
        case _:
            table.state_folder.rename(table.folder / "elsewhere")
    assert table.daemon.ended() == 74


def test_a_damaged_journal_is_not_announced_as_played(table: Table, seen: Subscriber) -> None:
    table.start()
    table.play()
    until(seen.is_proved)
    table.stop()
    file = table.state_folder / "journal.db"
    whole = file.read_bytes()
    file.write_bytes(whole.replace(b"the wheel broke", b"the wheel brake"))
    said = table.tool("restore")
    assert (said.returncode, said.stdout) == (1, "")
    assert "Traceback" not in said.stderr
    assert "is damaged" in said.stderr
    assert not (table.state_folder / "log.id").exists()
    for damaged in table.state_folder.glob("journal.db*"):
        damaged.rename(table.folder / damaged.name)
    assert table.tool("restore").returncode == 0


def test_restore_names_no_old_checkpoint_while_the_broker_is_away(table: Table, seen: Subscriber) -> None:
    newest = aged(table, seen)
    text = table.config.read_text()
    table.config.write_text(text.replace("mqtt://127.0.0.1:", "mqtt://127.0.0.2:"))  # No broker is there.
    said = table.tool("restore")
    assert (said.returncode, "can't be asked" in said.stderr) == (1, True)
    assert not (table.state_folder / "predecessor").exists()
    (table.folder / "newest").write_text(newest)
    assert table.tool("restore", "--checkpoint", str(table.folder / "newest")).returncode == 0
    assert (table.state_folder / "predecessor").read_text() == newest


def test_restore_tells_apart_whose_checkpoint_it_is_given(table: Table, seen: Subscriber) -> None:
    note = aged(table, seen)
    text, _, signature = note.rpartition("\n\n")
    name, coded = signature.removeprefix("\N{EM DASH} ").split()
    raw = base64.b64decode(coded)
    unknown = base64.b64encode(bytes(4) + raw[4:]).decode()
    given = {
        "is another table's": note.replace("tablectl/demo/outside/", "tablectl/demo/other/"),
        "no key of the log signed": note.replace("\n", "0\n", 2).replace("0\n", "\n", 1),
        "is no checkpoint": "checkpoint",
    }
    given["forged"] = f"{text}\n\n\N{EM DASH} somebody {coded}\n"
    for words, content in given.items():
        (table.folder / "given").write_text(content)
        said = table.tool("restore", "--checkpoint", str(table.folder / "given"))
        assert (said.returncode, words in said.stderr) == (1, True), said.stderr
        assert (table.state_folder / "journal.db").exists()
    (table.folder / "given").write_text(f"{text}\n\n\N{EM DASH} {name} {unknown}\n")
    said = table.tool("restore", "--checkpoint", str(table.folder / "given"))
    assert (said.returncode, "nobody here knows the key" in said.stdout) == (0, True), said.stderr
