"""The rig's own parts, those that need no guest: the disk, the judge, the configurations and the report."""

import json
import random
import socket
import struct
import tomllib
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as Xml

import apsw
import pytest

from tablectl.config import load
from tablectl.core.facts import Body
from tablectl.core.facts.game_requests import PackConfirmed
from tablectl.core.facts.table_requests import BetOffered, BettingClosed, RoundOpened
from tablectl.journal.journal import open_journal
from tests.hil.bench import DEVICES, address, configuration
from tests.hil.disk import Disk, serve
from tests.hil.judge import Told, journal_in, judge
from tests.hil.level import toml
from tests.hil.report import Report
from tests.hil.rig import blank_disk
from tests.support.kept import begun
from tests.support.patience import PATIENCE_S

# --- the disk ---------------------------------------------------------------------------------------------------------


def test_what_was_flushed_outlives_every_cut() -> None:
    disk = Disk(bytearray(8192))
    for seed in range(50):
        disk.write(512 * (seed % 16), bytes((seed + 1,)) * 512)
        disk.flush()
        disk.write(0, b"\xff" * 8192)
        before = bytes(disk._durable)
        lost = disk.cut(random.Random(seed))
        assert lost.cached == 1
        assert bytes(disk.now) == (before if not lost.kept else bytes(disk.now))
        disk.write(0, before)
        disk.flush()


def test_cut_keeps_some_of_cache_and_tears_some_of_that() -> None:
    kept = torn = cached = 0
    for seed in range(100):
        disk = Disk(bytearray(64 * 1024))
        for at in range(16):
            disk.write(4096 * at, b"x" * 4096)
        lost = disk.cut(random.Random(seed))
        kept, torn, cached = kept + lost.kept, torn + lost.torn, cached + lost.cached
    assert cached == 1600
    assert 600 < kept < 1000
    assert 30 < torn < 150


def test_successful_write_is_kept_and_never_overwritten_by_older() -> None:
    for seed in range(50):
        disk = Disk(bytearray(4096))
        disk.write(0, b"o" * 2048)
        disk.write(512, b"n" * 512, force=True)
        disk.cut(random.Random(seed))
        assert bytes(disk.now[512:1024]) == b"n" * 512


def test_disk_that_lies_forgets_what_it_said_it_had_flushed() -> None:
    forgot = 0
    for seed in range(20):
        disk = Disk(bytearray(4096), honest=False)
        disk.write(0, b"x" * 512)
        disk.flush()
        forgot += not disk.cut(random.Random(seed)).kept
    assert forgot


def test_a_frozen_disk_answers_nothing_until_its_power_is_cut(tmp_path: Path) -> None:
    disk = Disk(bytearray(4096))
    listening = serve(disk, tmp_path / "disk")
    with closing(listening), socket.socket(socket.AF_UNIX) as client:
        client.connect(str(tmp_path / "disk"))
        agree(client)
        assert asked(client, 1, 0, b"a" * 512) == b""
        assert asked(client, 3) == b""
        disk.freeze_after(0)
        client.sendall(struct.pack(">IHHQQI", 0x25609513, 0, 0, 1, 0, 512))
        assert disk.frozen.wait(PATIENCE_S)
        disk.cut(random.Random(1))
        assert client.recv(16) == b""
    assert bytes(disk.now[:512]) == b"a" * 512
    assert (disk.writes, disk.flushes) == (1, 1)


def agree(client: socket.socket) -> None:
    """Chooses the only disk there is, as QEMU does."""
    take(client, 18)
    client.sendall(struct.pack(">I", 3) + struct.pack(">QII", 0x49484156454F5054, 7, 0))
    take(client, 20 + 12 + 20)


def asked(client: socket.socket, command: int, offset: int = 0, data: bytes = b"") -> bytes:
    client.sendall(struct.pack(">IHHQQI", 0x25609513, 0, command, 1, offset, len(data)) + data)
    magic, error, _ = struct.unpack(">IIQ", take(client, 16))
    assert (magic, error) == (0x67446698, 0)
    return b""


def take(client: socket.socket, length: int) -> bytes:
    data = b""
    while len(data) < length:
        data += client.recv(length - len(data))
    return data


# --- the judge --------------------------------------------------------------------------------------------------------


@pytest.fixture(name="played")
def _played(tmp_path: Path) -> tuple[Path, Told]:
    """A journal, and what was told of it: answers, screens and events."""
    folder = tmp_path / "table"
    kept = begun(folder, "unknown")
    with closing(kept.journal):
        asked: tuple[Body, ...] = (PackConfirmed(), RoundOpened(), BetOffered(1, "ann", "versus_dealer", 10_000))
        for number, body in enumerate(asked):
            kept.tell(body, request_id=f"{number}:asked")
        kept.tell(BettingClosed(), request_id="3:asked")
    journal = open_journal(folder)
    with closing(journal):
        records = list(journal.replay(0))
        events = [event.payload for record in records for event in record.events]
    return folder, Told({f"{nth}:asked": len(records) - 3 + nth for nth in range(4)}, [], events)


def test_a_journal_that_keeps_everything_is_found_well(played: tuple[Path, Told]) -> None:
    folder, told = played
    judged = judge("q-poker", folder, told)
    assert judged.wrong == ()
    assert judged.events == len(told.events) > 0


def test_an_answer_that_is_not_in_the_journal_is_found(played: tuple[Path, Told]) -> None:
    folder, told = played
    later = {**told.records, "9:asked": max(told.records.values()) + 1}
    assert "9:asked was answered" in judge("q-poker", folder, replace(told, records=later)).wrong[0]
    other = {"8:asked": told.records["3:asked"]}
    assert "8:asked was answered" in judge("q-poker", folder, replace(told, records=other)).wrong[0]


def test_message_that_left_and_is_not_in_journal_is_found(played: tuple[Path, Told]) -> None:
    folder, told = played
    form = json.loads(told.events[-1])
    for changed in ({**form, "id": "another"}, {**form, "time": "2000-01-01T00:00:00.000000Z"}):
        events = [*told.events[:-1], json.dumps(changed).encode()]
        assert "had left" in judge("q-poker", folder, replace(told, events=events)).wrong[0]


def test_a_journal_that_is_not_whole_is_found(played: tuple[Path, Told]) -> None:
    folder, told = played
    connection = apsw.Connection(str(folder / "journal.db"))
    connection.execute("DELETE FROM event WHERE sequence = (SELECT max(sequence) - 1 FROM event)")
    connection.close()
    assert judge("q-poker", folder, replace(told, events=[])).wrong


def test_screen_that_shows_more_than_the_journal_keeps_is_found(played: tuple[Path, Told]) -> None:
    folder, told = played
    shown = {"seen": max(told.records.values()), "round_id": "nowhere", "phase": "betting", "round": {}}
    assert "had shown" in judge("q-poker", folder, replace(told, shown=[shown])).wrong[0]


def test_disk_without_a_journal_or_a_file_system_is_found(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="no journal"):
        journal_in(blank_disk(tmp_path), tmp_path / "blank")
    with pytest.raises(OSError, match="damaged"):
        journal_in(bytes(1 << 20), tmp_path / "zeros")


# --- what the guest is given ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", DEVICES)
def test_every_game_has_a_configuration_for_the_guest(game: str, tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(configuration(game), encoding="utf-8")
    devices = load(file).devices
    assert set(devices) == set(DEVICES[game])
    assert {name: device.port for name, device in devices.items()} == {name: address(name) for name in devices}


@pytest.mark.parametrize("game", DEVICES)
def test_a_configuration_that_is_written_anew_says_the_same(game: str) -> None:
    tree = tomllib.loads(configuration(game))
    assert tomllib.loads(toml(tree)) == tree


# --- the report -------------------------------------------------------------------------------------------------------


def test_a_report_says_what_was_wrong_and_when(tmp_path: Path) -> None:
    report = Report("A rig")
    with report.check("usb.well") as check:
        check.say("plugged <in>")
    with report.check("usb.wrong") as check:
        check.want([], "nothing came")
    with report.check("usb.raised"):
        raise OSError("gone")
    page = report.write(tmp_path / "report").read_text("utf-8")
    suite = Xml.parse(tmp_path / "report" / "report.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("3", "2")
    assert [case.get("name") for case in suite if case.find("failure") is not None] == ["wrong", "raised"]
    assert "plugged &lt;in&gt;" in page
    assert "3 checks, 2 went wrong" in page
