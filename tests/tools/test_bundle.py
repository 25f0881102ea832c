"""`tablectl bundle`: all that support needs, and neither a secret nor a card that lies face down."""

import base64
import hashlib
import json
import os
import stat
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from urllib.parse import quote

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from tablectl.core.cards import Card, pretty
from tablectl.core.facts.game_requests import HandOpened
from tablectl.core.facts.reports import CardDrawn
from tablectl.core.facts.table_requests import RoundVoided
from tablectl.core.protocols import StoredEvent
from tablectl.features.bundle import journal
from tablectl.features.bundle.journal import Lately, journal_files, lately
from tablectl.features.bundle.log import LogLines
from tablectl.features.bundle.redact import Redactor
from tablectl.history.explanation import make_renderers
from tablectl.journal.encoding import write_fact
from tablectl.journal.reading.reader import open_reader
from tablectl.journal.records import Record
from tablectl.rule_tables import shipped
from tests.support.authority import Authority
from tests.support.kept import CARDS, Kept, begun, names_of_cards, played, shoe_frame
from tests.support.patience import LONG_PATIENCE_S
from tests.support.sitting import fact
from tests.support.warm import tablectl_path

PASSWORD = 'hunter2/"Ação"+'
PIN = "271828"
FROM_THE_FIRST_DAY = ("--hours", "87000")
HIDDEN = [*((card, nth) for nth, card in enumerate(CARDS[:9]) if nth not in {0, 3, 6}), ("Jc", 9)]
"""Cards of the round below that nobody saw, and their numbers."""


def bundle(folder: Path, *options: str, config: Path | None = None) -> CompletedProcess[str]:
    """The command in a process of its own: it opens ports, and blocks as long as it likes."""
    words = ("--config", str(config or folder / "q1.toml"), "--to", str(folder / "out.tar.gz"))
    command = (tablectl_path(), "bundle", *words, *FROM_THE_FIRST_DAY, *options)
    return subprocess.run(command, capture_output=True, text=True, timeout=LONG_PATIENCE_S, check=False)


def unpacked(folder: Path) -> dict[str, bytes]:
    with tarfile.open(folder / "out.tar.gz") as archive:
        found = {member.name: archive.extractfile(member) for member in archive}
        return {name.partition("/")[2]: file.read() for name, file in found.items() if file}


def lines(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


@pytest.fixture(name="folder")
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table's configuration with secrets, and programs that say what systemd knows."""
    (tmp_path / "mqtt.password").write_text(PASSWORD + " \r\nof the broker\n", "utf-8-sig")
    pair = Authority(tmp_path).sign("console")
    demo = shipped("tables/q-poker.demo.toml").read_text()
    text = demo.replace(
        'url = "mqtt://127.0.0.1:1883"',
        f'url = "mqtt://127.0.0.1:1"\nusername = "q1"\npassword_file = "{tmp_path}/mqtt.password" # it is {PIN}',
    )
    text = text.replace(
        'listen = "127.0.0.1:0"',
        f'listen = "127.0.0.1:1"\ncert_file = "{pair.cert}"\nkey_file = "{pair.key}"',
    )
    text += f'\n[paths]\nstate = "{tmp_path}/state"\nruntime = "{tmp_path}/run"\n'
    (tmp_path / "q1.toml").write_text(text)
    (tmp_path / "run").mkdir()
    says(tmp_path, "systemctl", "Id=tablectl@q1.service\nActiveState=active\nEnvironment=SECRET=" + PASSWORD)
    says(tmp_path, "journalctl", "")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    return tmp_path


def says(folder: Path, program: str, text: str) -> None:
    (folder / "bin").mkdir(exist_ok=True)
    (folder / f"{program}.txt").write_text(text)
    (folder / "bin" / program).write_text(f"#!/bin/sh\nexec cat {folder}/{program}.txt\n")
    (folder / "bin" / program).chmod(0o755)


def logged(message: str) -> str:
    return json.dumps({"__REALTIME_TIMESTAMP": "1790000000000000", "PRIORITY": "6", "MESSAGE": message})


def ways(secret: bytes) -> Iterator[tuple[bytes, bytes]]:
    """How a secret may be written, and what of that says it."""
    for written in (secret, secret.hex().encode(), secret.hex().upper().encode(), secret.hex(" ").encode()):
        yield written, written
    for written in (base64.b64encode(secret), base64.urlsafe_b64encode(secret)):
        yield written, written.rstrip(b"=")[:-1]
    basic = base64.b64encode(b"q1-user:" + secret)
    yield b"Basic " + basic, basic[12:-4]
    text = secret.decode("utf-8", "ignore")
    if text.encode() == secret:
        for other in (json.dumps(text)[1:-1], quote(text), quote(text, safe="")):
            yield other.encode(), other.encode()


def own_keys(folder: Path) -> list[bytes]:
    """The keys of the log and of the console: whole, in lines, and their own bytes."""
    log = (folder / "state" / "log.key").read_bytes()
    console = (folder / "authority-console.key").read_bytes()
    own, other = load_pem_private_key(log, None), load_pem_private_key(console, None)
    assert isinstance(other, EllipticCurvePrivateKey)
    raw = own.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
    scalar = other.private_numbers().private_value.to_bytes(32, "big")
    return [log.strip(), console.strip(), *log.splitlines()[1:-1], *console.splitlines()[1:-1], raw, scalar]


def test_bundle_holds_what_support_needs_with_a_manifest(folder: Path) -> None:
    played(folder / "state", 2)
    made = bundle(folder)
    assert (made.returncode, made.stderr) == (0, "")
    files = unpacked(folder)
    assert set(files) == {
        "manifest.json", "configuration.toml", "versions.json", "clock.json", "unit.json", "log.jsonl", "doctor.json",
        "doctor.txt", "health.json", "journal.json", "events.jsonl", "clock.jsonl", "frames.jsonl",
    }  # fmt: skip
    manifest = json.loads(files["manifest.json"])
    assert manifest["table"] == "demo/q-demo"
    sums = {name: hashlib.sha256(data).hexdigest() for name, data in files.items() if name != "manifest.json"}
    assert {name: each["sha256"] for name, each in manifest["files"].items()} == sums
    digest = hashlib.sha256(files["manifest.json"]).hexdigest()
    assert made.stdout.splitlines()[-1] == f"manifest.json sha256:{digest}"
    assert stat.S_IMODE((folder / "out.tar.gz").stat().st_mode) == 0o600
    assert json.loads(files["journal.json"])["verify"]["whole"] is True
    assert len(lines(files["events.jsonl"])) == json.loads(files["journal.json"])["events"]
    assert len(lines(files["clock.jsonl"])) == json.loads(files["journal.json"])["records"]
    assert {line["clock"] for line in lines(files["clock.jsonl"])} == {"synced"}
    assert {line["device"] for line in lines(files["frames.jsonl"])} == {"shoe"}
    assert json.loads(files["unit.json"]) == {"Id": "tablectl@q1.service", "ActiveState": "active"}
    assert {finding["area"] for finding in json.loads(files["doctor.json"])["findings"]} >= {"broker", "shoe"}
    assert 'devices.shoe.protocol = "angel_eye"' in files["configuration.toml"].decode()


def test_only_what_is_young_enough_is_in_it(tmp_path: Path) -> None:
    played(tmp_path / "state", 3)
    with closing(open_reader(tmp_path / "state")) as reader:
        times = [row.recorded_us for row in reader.records()]
        last = len(times)
        assert lately(reader, 0) == Lately(1, last, cut=False)
        assert lately(reader, times[-1] + 1) == Lately(last + 1, last, cut=False)
        for first in (2, last // 2, last):
            assert lately(reader, times[first - 1]) == Lately(first, last, cut=False)
        files = journal_files(reader, times[last // 2], make_renderers().explaining)
    recorded = [line["record"] for line in lines(files["clock.jsonl"])]
    assert recorded == list(range(last // 2 + 1, last + 1))
    assert 0 < len(lines(files["events.jsonl"])) < last


def test_too_many_records_are_cut_at_the_old_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played(tmp_path / "state", 3)
    monkeypatch.setattr(journal, "MOST_RECORDS", 10)
    monkeypatch.setattr(journal, "_STEP", 4)
    with closing(open_reader(tmp_path / "state")) as reader:
        last = sum(1 for _ in reader.records())
        assert lately(reader, 0) == Lately(last - 9, last, cut=True)


def test_no_secret_is_in_it_however_it_is_written(folder: Path) -> None:
    played(folder / "state")
    secrets = [PASSWORD.encode(), *own_keys(folder)]
    said = [way.decode("utf-8", "replace") for secret in secrets for way, _ in ways(secret)]
    planted = [logged(text) for text in said] + [
        logged(json.dumps({"event": t, "error": t, "x": t, t: 1})) for t in said
    ]
    planted.append(json.dumps({"MESSAGE": list(PASSWORD.encode())}))
    says(folder, "journalctl", "\n".join(planted))
    (folder / "state" / "capture" / "links-000002.jsonl").write_text(PASSWORD)
    assert bundle(folder).returncode == 0
    files = unpacked(folder)
    assert len(lines(files["log.jsonl"])) == len(planted)
    for name, data in files.items():
        found = [way for secret in secrets for _, way in ways(secret) if way in data]
        assert found == [], name
        for secret in (PIN.encode(), b"$argon2", b"hunter2"):
            assert secret not in data, name


def test_links_and_pipes_in_folder_give_nothing_of_roots_away(folder: Path) -> None:
    played(folder / "state")
    secret = folder / "of-root"
    secret.write_text('{"frame": "4f662d726f6f74", "of": "root only"}\n')
    for name in ("capture/links-000003.jsonl", "capture/shoe.jsonl", "log-level.json", "log.id", "predecessor"):
        (folder / "state" / name).symlink_to(secret)
    os.mkfifo(folder / "state" / "other.key")
    assert bundle(folder).returncode == 0
    assert not [name for name, data in unpacked(folder).items() if b"root only" in data or b"4f662d726f6f74" in data]


def hiding(kept: Kept) -> None:
    """A round that was voided before most of its cards lay open."""
    kept.bets(1, 2)
    kept.draw(*CARDS[:9])
    kept.tell(HandOpened(1))
    kept.tell(RoundVoided("the fire alarm rang"), by="rui")
    kept.draw("Jc")
    one = fact(CardDrawn("shoe", Card("Jc")), len(kept.sitting.facts))
    number = kept.journal.last_sequence + 1
    secret = StoredEvent(number, "restricted/card", b'{"sequence":"%016d","data":{"cards":["Jc"]}}' % number)
    kept.journal.append([Record(kept.journal.last_record + 1, one.at.utc_us + 9, write_fact(one), (secret,))])
    kept.keep()


def tellings(card: str, number: int) -> list[str]:
    """All that would give a card away in a line that somebody logged."""
    frame = shoe_frame(card, number)
    rank, suit = card[0].replace("T", "10"), {"s": "spades", "h": "hearts", "c": "clubs", "d": "diamonds"}[card[1]]
    words = {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "2": "two", "4": "four", "9": "nine", "8": "eight"}
    return [
        *names_of_cards(card, number), card, pretty(Card(card)), f"{pretty(Card(card))[-1]}{rank}", repr(frame),
        frame.hex(), frame.hex().upper(), frame.hex(":"), f"{words.get(card[0], rank)} of {suit}",
        base64.b64encode(frame).decode(), str(list(frame)), "".join(f"\\x{byte:02x}" for byte in frame),
        f"Card('{card}')", repr(CardDrawn("shoe", Card(card))),
    ]  # fmt: skip


def test_no_face_down_card_is_in_the_bundle(folder: Path) -> None:
    kept = begun(folder / "state")
    with closing(kept.journal):
        hiding(kept)
    said = [f"the shoe says {way} now" for card, number in HIDDEN for way in tellings(card, number)]
    planted = [logged(text) for text in said] + [
        logged(json.dumps({"event": "driver failed", "exception": text, "card": text, text: 1}, ensure_ascii=bare))
        for text in said
        for bare in (True, False)
    ]
    says(folder, "journalctl", "\n".join(planted))
    assert bundle(folder).returncode == 0
    files = unpacked(folder)
    assert len(lines(files["log.jsonl"])) == len(planted)
    for name, data in files.items():
        text = data.decode()
        ways = {way for card, number in HIDDEN for way in tellings(card, number) if len(way) > 2}
        assert [way for way in ways if way in text or json.dumps(way)[1:-1] in text] == [], name
    log = files["log.jsonl"].decode()
    assert [card for card, _ in HIDDEN if card in log] == []
    assert "Ad" not in files["frames.jsonl"].decode()
    assert all(line["said"].endswith("card (hidden))") for line in lines(files["frames.jsonl"]))


def test_open_card_is_in_its_event_and_in_no_frame(folder: Path) -> None:
    kept = begun(folder / "state")
    with closing(kept.journal):
        hiding(kept)
    assert bundle(folder).returncode == 0
    assert '"As"' in unpacked(folder)["events.jsonl"].decode()
    assert shoe_frame("As", 0).hex(" ") not in unpacked(folder)["frames.jsonl"].decode()


def test_broken_configuration_gets_a_bundle_naming_the_problem(folder: Path) -> None:
    played(folder / "state")
    wrong = folder / "q1.toml"
    text = wrong.read_text().replace("[mqtt]", f'[mqtt]\npassword = "{PIN}"\nsecretive = {{a = "{PIN}"}}')
    text = text.replace("mqtt://127.0.0.1:1", f"mqtt://ana:{PIN}@127.0.0.1:1").replace("$argon2id$v=19", "$argon2id$v")
    wrong.write_text(text)
    made = bundle(folder, "--journal", str(folder / "state"))
    assert (made.returncode, made.stderr) == (0, "")
    files = unpacked(folder)
    assert {problem["key"] for problem in json.loads(files["problems.json"])} >= {"mqtt.password"}
    assert "doctor.json" not in files
    assert json.loads(files["journal.json"])["verify"]["whole"] is True
    for name, data in files.items():
        assert PIN.encode() not in data, name
        assert b"$argon2" not in data, name
    assert 'mqtt.password = "(left out)"' in files["configuration.toml"].decode()
    assert 'table.game = "q_poker"' in files["configuration.toml"].decode()


def test_a_configuration_that_is_no_toml_still_gets_one(folder: Path) -> None:
    (folder / "q1.toml").write_text(f'[mqtt\npassword = "{PIN}"')
    made = bundle(folder)
    assert made.returncode == 0
    files = unpacked(folder)
    assert (files["configuration.toml"], len(json.loads(files["problems.json"]))) == (b"", 1)
    assert all(PIN.encode() not in data for data in files.values())


def test_a_damaged_journal_is_told_in_the_bundle(folder: Path) -> None:
    played(folder / "state")
    with (folder / "state" / "journal.db").open("r+b") as file:
        file.write(b"no database at all")
    made = bundle(folder)
    assert made.returncode == 0, made.stderr
    assert "can't be read" in json.loads(unpacked(folder)["journal.json"])["unreadable"]


def test_without_systemd_the_rest_is_there_and_says_so(folder: Path) -> None:
    played(folder / "state")
    for program in ("systemctl", "journalctl"):
        (folder / "bin" / program).write_text("#!/bin/sh\necho 'not been booted with systemd' >&2; exit 1\n")
    assert bundle(folder).returncode == 0
    assert "not been booted" in json.loads(unpacked(folder)["unit.json"])["unknown"]
    assert "not been booted" in lines(unpacked(folder)["log.jsonl"])[0]["unknown"]


def test_an_archive_is_never_written_over_another(folder: Path) -> None:
    (folder / "out.tar.gz").write_text("mine")
    refused = bundle(folder)
    assert (refused.returncode, "is there already" in refused.stderr) == (2, True)
    assert (folder / "out.tar.gz").read_text() == "mine"


def test_a_configuration_that_is_not_there_is_named(folder: Path) -> None:
    refused = bundle(folder, config=folder / "none.toml")
    assert (refused.returncode, len(refused.stderr.splitlines())) == (66, 1)
    assert not (folder / "out.tar.gz").exists()


def test_the_daemons_own_lines_stay_readable() -> None:
    said = {
        "area": "fault",
        "code": 101,
        "device": "shoe",
        "detail": "/run/tablectl/q1/shoe is gone; plug it in",
        "event": "The link to the device is lost",
        "level": "warning",
        "timestamp": "2026-11-20T20:19:21.976350Z",
    }
    about = {"area": "round", "round_id": "0b1cc635-000002", "event": "settled", "level": "info"}
    printed = "\n".join((logged(json.dumps(said)), logged(json.dumps(about)), "-- no JSON --"))
    found = list(LogLines(Redactor(())).lines(printed))
    assert [line["said"] for line in found] == [said, about]
    assert (found[0]["time"], found[0]["priority"]) == ("2026-09-21T14:13:20.000000Z", "6")


def test_secrets_alone_are_removed_from_text() -> None:
    cleaned = Redactor([PASSWORD.encode(), b"ab"]).clean(
        f'{{"error": "no {PASSWORD} at tcp://ana:x@host:1, ab"}}'.encode()
    )
    assert cleaned == b'{"error": "no (left out) at tcp://(left out)@host:1, ab"}'
