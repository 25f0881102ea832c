"""Another key for a log at work: recorded, announced by the old one, and followed by whoever checks."""

import os
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from click.testing import CliRunner, Result

from tablectl.cli import main
from tablectl.daemon.room_settings import StartError
from tablectl.daemon.run import run
from tablectl.daemon.signing.keys import CREDENTIALS, PRIVATE, PUBLIC, public_key
from tablectl.daemon.signing.rotation import CHANGE, NEXT, prepare_change
from tablectl.proof.checkpoint import open_checkpoint
from tablectl.proof.key_line import read_change
from tablectl.proof.note import NoteError, fingerprint
from tests.support.broker import Broker
from tests.support.daemon import Daemon, fork_server
from tests.support.feed import Feed

TABLE = """
[table]
site = "demo"
name = "d-demo"
game = "chinese_dice"
"""
"""A table without devices: it is up at once."""

SIGNED = b'"event": "ready"'
"""What the daemon logs once it begins to sign checkpoints."""


@pytest.fixture(name="daemon")
def _daemon(tmp_path: Path, broker: Broker) -> Iterator[Daemon]:
    (tmp_path / "table.toml").write_text(TABLE, "utf-8")
    settings = {"mqtt.url": broker.url, "paths.state": str(tmp_path / "state"), "paths.runtime": str(tmp_path / "run")}
    daemon = Daemon(fork_server(), tmp_path / "table.toml", tmp_path, settings)
    yield daemon
    daemon.kill()


@pytest.fixture(name="state")
def _state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture(name="config")
def _config(tmp_path: Path, state: Path) -> Path:
    """The same table for commands that take no changes."""
    path = tmp_path / "beside.toml"
    path.write_text(f'{TABLE}\n[paths]\nstate = "{state}"\nruntime = "{tmp_path / "run"}"\n', "utf-8")
    return path


def tablectl(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def once(daemon: Daemon) -> None:
    """A session from its start to its end; a checkpoint is signed in it."""
    log = daemon.folder / "daemon.log"
    before = log.read_bytes().count(SIGNED) if log.exists() else 0
    daemon.start()
    Feed.until(lambda: log.read_bytes().count(SIGNED) > before and _last_checkpoint(daemon.folder / "state"))
    assert daemon.stop() == 0


def checkpoints(feed: Feed) -> list[str]:
    """The signed heads as they came; mosquitto_sub writes their lines as they are."""
    text = feed.output.read_text("utf-8", "replace")
    parts = text.split("/checkpoint ")[1:]
    notes = [part.partition(" ")[2] for part in parts]
    return [f"{head}\n\n— {rest.splitlines()[0]}\n" for head, _, rest in (each.partition("\n\n— ") for each in notes)]


def is_signed(note: str, key: bytes) -> bool:
    """Whether the holder of this key signed a head; the subscriber writes one down a while after it was signed."""
    try:
        open_checkpoint(note, key)
    except NoteError:
        return False
    return True


def test_key_changes_at_the_next_start_and_is_announced(daemon: Daemon, feed: Feed, state: Path, config: Path) -> None:
    daemon.start()
    Feed.until(lambda: feed.last("/meta/info") is not None)
    old = public_key(state)
    made = tablectl("key", "change", "--config", config)
    assert made.exit_code == 0, made.output
    new = fingerprint(read_change((state / CHANGE).read_text("utf-8")).new)
    assert old.fingerprint in made.output
    assert new in made.output
    assert public_key(state) == old  # the table at work goes on with the key that it has
    assert daemon.stop() == 0
    once(daemon)
    Feed.until(lambda: any(event["type"].endswith("audit.key_changed.v1") for event in feed.events()))
    told = next(event for event in feed.events() if event["type"].endswith("audit.key_changed.v1"))
    assert (told["data"]["previous_fingerprint"], told["data"]["fingerprint"]) == (old.fingerprint, new)
    assert fingerprint(read_change(told["data"]["announcement"]).new) == new
    info = feed.last("/meta/info")
    assert info is not None
    assert info["data"]["fingerprint"] == new == public_key(state).fingerprint
    assert not (state / CHANGE).exists()
    assert not (state / NEXT).exists()
    open_checkpoint(checkpoints(feed)[0], old.raw)
    Feed.until(lambda: is_signed(checkpoints(feed)[-1], public_key(state).raw))
    with pytest.raises(NoteError):
        open_checkpoint(checkpoints(feed)[-1], old.raw)


def test_who_pinned_the_first_key_verifies_after_two_changes(
    daemon: Daemon, state: Path, config: Path, tmp_path: Path
) -> None:
    once(daemon)
    first = public_key(state).fingerprint
    kept = tmp_path / "kept.txt"
    kept.write_text(_last_checkpoint(state), "utf-8")
    for _ in range(2):
        assert tablectl("key", "change", "--config", config).exit_code == 0
        once(daemon)
    assert public_key(state).fingerprint != first
    whole = tablectl("journal", "verify", state, "--key", first, "--checkpoint", kept)
    assert whole.exit_code == 0, whole.output
    assert tablectl("journal", "verify", state, "--key", "sha256:" + "0" * 64).exit_code == 1


def test_unfinished_key_change_is_completed_at_the_next_start(
    daemon: Daemon, state: Path, config: Path, tmp_path: Path
) -> None:
    once(daemon)
    assert tablectl("key", "change", "--config", config).exit_code == 0
    before = {name: (state / name).read_bytes() for name in (CHANGE, NEXT, PRIVATE, PUBLIC)}
    once(daemon)
    new = public_key(state)
    for name, content in before.items():  # as if the power had gone between the fact and the files
        (state / name).write_bytes(content)
    once(daemon)
    assert public_key(state) == new
    assert not (state / CHANGE).exists()
    assert tablectl("journal", "verify", state).exit_code == 0


def test_key_that_was_exchanged_without_a_word_ends_the_start(
    daemon: Daemon, state: Path, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    once(daemon)
    for name in (PRIVATE, PUBLIC):
        (state / name).unlink()
    with pytest.raises(StartError, match=r"nobody announced.*restore log.key.*begin a new one") as told:
        run(config, {})
    assert told.value.exit_code == os.EX_CANTCREAT
    broken = tablectl("journal", "verify", state)
    assert broken.exit_code == 1
    assert "journal's last checkpoint" in broken.output


def test_a_change_for_another_log_ends_the_start(daemon: Daemon, state: Path, config: Path) -> None:
    once(daemon)
    prepare_change(state, "tablectl/demo/d-demo/0a0b0c0d")
    with pytest.raises(StartError, match=r"another log.*delete log\.change"):
        run(config, {})


def test_one_key_change_at_a_time_in_a_begun_log(daemon: Daemon, state: Path, config: Path) -> None:
    assert tablectl("key", "change", "--config", config).exit_code == 2
    once(daemon)
    assert tablectl("key", "change", "--config", config).exit_code == 0
    again = tablectl("key", "change", "--config", config)
    assert (again.exit_code, "waits already" in again.output) == (1, True)
    shown = tablectl("key", "show", "--config", config)
    assert shown.output.splitlines()[0] == public_key(state).fingerprint
    assert "from the table's next start on" in shown.output


@pytest.mark.skipif(os.geteuid() != 0, reason="only root writes for others")
def test_key_that_root_changes_is_the_daemons_users_to_read(daemon: Daemon, state: Path, config: Path) -> None:
    once(daemon)
    os.chown(state, 4242, 4343)
    assert tablectl("key", "change", "--config", config).exit_code == 0
    owners = {(path.stat().st_uid, path.stat().st_gid) for path in (state / CHANGE, state / NEXT)}
    assert owners == {(4242, 4343)}
    assert oct((state / NEXT).stat().st_mode & 0o777) == oct(0o600)


# --- a key that systemd hands over


def handed(daemon: Daemon, folder: Path, key: bytes) -> None:
    folder.mkdir(exist_ok=True)
    (folder / PRIVATE).write_bytes(key)
    daemon.environment = {CREDENTIALS: str(folder)}


def test_key_in_a_credential_signs_and_never_lies_beside_journal(
    daemon: Daemon, feed: Feed, state: Path, tmp_path: Path
) -> None:
    once(daemon)
    handed(daemon, tmp_path / "credentials", (state / PRIVATE).read_bytes())
    (state / PRIVATE).unlink()
    Feed.until(lambda: feed.last("/status") is not None and b"stopped" in feed.output.read_bytes())
    before = len(checkpoints(feed))
    daemon.start()
    Feed.until(lambda: len(checkpoints(feed)) > before)
    assert daemon.stop() == 0
    open_checkpoint(checkpoints(feed)[-1], public_key(state).raw)
    assert not (state / PRIVATE).exists()


def test_a_key_in_a_credential_is_changed_with_the_credential(
    daemon: Daemon, state: Path, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    once(daemon)
    credentials = tmp_path / "credentials"
    handed(daemon, credentials, (state / PRIVATE).read_bytes())
    (state / PRIVATE).unlink()
    monkeypatch.setenv(CREDENTIALS, str(credentials))
    made = tablectl("key", "change", "--config", config)
    assert "make the credential log.key" in made.output
    with pytest.raises(StartError, match=r"the credential log\.key isn't the new key yet"):
        run(config, {})
    (credentials / PRIVATE).write_bytes((state / NEXT).read_bytes())
    once(daemon)
    assert not (state / NEXT).exists()
    assert not (state / PRIVATE).exists()
    monkeypatch.delenv(CREDENTIALS)
    assert tablectl("journal", "verify", state).exit_code == 0


def test_journal_captures_and_keys_are_the_daemons_alone(daemon: Daemon, state: Path, config: Path) -> None:
    once(daemon)
    assert tablectl("key", "change", "--config", config).exit_code == 0
    daemon.start()
    modes = {path.relative_to(state).as_posix(): path.stat().st_mode & 0o777 for path in state.rglob("*")}
    assert daemon.stop() == 0
    assert state.stat().st_mode & 0o777 == 0o700
    assert {"journal.db", "log.key", "lock"} <= modes.keys()
    assert {name: oct(mode) for name, mode in modes.items() if mode & 0o077 and name != PUBLIC} == {}


def _last_checkpoint(state: Path) -> str:
    connection = apsw.Connection(str(state / "journal.db"), flags=apsw.SQLITE_OPEN_READONLY)
    row = connection.execute("SELECT value FROM meta WHERE key = 'checkpoint'").fetchone()
    connection.close()
    return str(row[0]) if row is not None else ""
