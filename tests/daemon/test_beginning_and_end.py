"""How a whole daemon begins and ends: on a word, killed, on a disk that fails, beside another one."""

import errno
import json
import os
import resource
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tablectl.daemon.daemon import SHORTAGES, keep_trying
from tablectl.daemon.room_settings import StartError
from tablectl.daemon.run import run
from tablectl.rule_tables import shipped
from tests.support.broker import Broker
from tests.support.daemon import Daemon, DaemonGoneError
from tests.support.feed import Feed
from tests.support.live_table import Table, assert_complete_and_ordered, complete, status_of
from tests.support.patience import PATIENCE_S

SHORT = 32 << 10


def test_killed_daemon_is_lost_and_a_stopped_one_says_so(broker: Broker, feed: Feed, table: Table) -> None:
    table.begin()
    Feed.until(lambda: status_of(feed) == "degraded")
    table.daemon.kill()
    Feed.until(lambda: status_of(feed) == "lost")
    lost = feed.last("/q-demo/status")
    table.begin()
    Feed.until(lambda: status_of(feed) == "degraded")
    again = feed.last("/q-demo/status")
    assert lost is not None
    assert again is not None
    assert lost["data"]["session"] != again["data"]["session"]
    assert lost["data"]["log"] == again["data"]["log"]
    assert table.daemon.stop() == 0
    Feed.until(lambda: status_of(feed) == "stopped")


def test_systemd_hears_ready_and_signs_of_life(broker: Broker, table: Table, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(PATIENCE_S)
        table.daemon.environment = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "300000"}
        table.begin()
        heard = ""
        while "READY=1" not in heard or "WATCHDOG=1" not in heard:
            heard += systemd.recv(4096).decode() + "\n"
        assert table.daemon.stop() == 0
        while "STOPPING=1" not in heard:
            heard += systemd.recv(4096).decode() + "\n"


WEIGHS_AND_ENDS = """
import os, signal, sys
from tablectl.cli import main
from tablectl.daemon import daemon
from tablectl.daemon.views import fairness

def weigh(*_):
    print("weighs", file=sys.stderr)
    os.kill(os.getpid(), signal.SIGTERM)
    return {}

daemon.chances_of = fairness.prepare = weigh
main()
"""


def test_nothing_is_weighed_before_the_table_is_ready(table: Table) -> None:
    given = {**table.daemon.overrides, "console.listen": "127.0.0.1:0"}
    settings = [part for key, value in given.items() for part in ("--set", f"{key}={value}")]
    command = [sys.executable, "-c", WEIGHS_AND_ENDS, "run", "--config", str(table.daemon.config), *settings]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    before, weighs, _ = ended.stderr.partition("weighs")
    assert weighs
    assert '"event": "ready"' in before
    assert ended.returncode == 0


def test_disk_that_fails_at_start_ends_daemon_with_same_code(table: Table) -> None:
    table.begin()
    table.open()
    table.daemon.kill()
    assert (table.daemon.folder / "state" / "journal.db-wal").stat().st_size > SHORT
    given = [part for key, value in table.daemon.overrides.items() for part in ("--set", f"{key}={value}")]
    command = [sys.executable, "-m", "tablectl", "run", "--config", str(table.daemon.config), *given]
    limited = ["prlimit", f"--fsize={SHORT}", *command, "--set", "console.listen=127.0.0.1:0"]
    ended = subprocess.run(limited, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert ended.returncode == os.EX_IOERR
    assert "Traceback" not in ended.stderr


def test_damaged_journal_ends_the_start_with_the_code_for_it(tmp_path: Path) -> None:
    (tmp_path / "journal.db").write_bytes(b"this is no database, nor was it ever one. " * 200)
    with pytest.raises(StartError, match="damaged") as told:
        run(shipped("tables/q-poker.demo.toml"), {"paths.state": str(tmp_path)})
    assert told.value.exit_code == os.EX_DATAERR


def fail_disk(daemon: Daemon) -> None:
    """From now on every write fails, as on a disk that is gone: the process may make no file longer.

    It may still say so in its log, which a test keeps in a short file.
    """
    assert daemon.process is not None
    assert daemon.process.pid is not None
    assert (daemon.folder / "state" / "journal.db-wal").stat().st_size > SHORT
    resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (SHORT, resource.RLIM_INFINITY))


def test_a_disk_that_fails_ends_the_daemon_and_loses_nothing(broker: Broker, feed: Feed, table: Table) -> None:
    table.begin()
    table.open()
    before = table.daemon.state()["round"]
    fail_disk(table.daemon)
    with pytest.raises(DaemonGoneError):
        table.ask("bet", place=2, bettor="bob", bet="versus_dealer", stake="100")
    assert table.daemon.ended() == os.EX_IOERR
    assert "the journal can't be written" in (table.daemon.folder / "daemon.log").read_text()
    Feed.until(lambda: status_of(feed) == "degraded")
    assert [e["data"]["bettor"] for e in feed.events() if e["type"] == "mo.tablectl.bet.placed.v1"] == ["ann"]
    table.begin()
    after = table.daemon.state()["round"]
    assert after["bets"] == before["bets"]
    table.ask("count_cards", count=0)
    table.deal()
    table.show()
    Feed.until(lambda: complete(feed, 1))
    assert_complete_and_ordered(feed)


def statuses(feed: Feed) -> list[tuple[str, str]]:
    """Session and state of each status that came, in order."""
    came = [json.loads(payload) for topic, _, payload in feed.messages() if topic.endswith("/q-demo/status")]
    return [(status["data"]["session"], status["data"]["state"]) for status in came]


def test_silent_predecessor_that_failed_is_not_waited_for(feed: Feed, table: Table) -> None:
    table.begin()
    table.open()
    Feed.until(lambda: statuses(feed))
    first = statuses(feed)[-1][0]
    fail_disk(table.daemon)
    with pytest.raises(DaemonGoneError):
        table.ask("bet", place=2, bettor="bob", bet="versus_dealer", stake="100")
    assert table.daemon.ended() == os.EX_IOERR
    assert (first, "degraded") == statuses(feed)[-1]
    table.begin()
    Feed.until(lambda: statuses(feed)[-1][0] != first)
    Feed.until(lambda: statuses(feed)[-1][1] == "degraded")
    assert "passive" not in [state for _, state in statuses(feed)]


def test_a_second_daemon_for_the_table_is_turned_away(broker: Broker, table: Table) -> None:
    table.begin()
    other = Daemon(table.daemon.context, table.daemon.config, table.daemon.folder, table.daemon.overrides)
    with pytest.raises(AssertionError, match="already runs this table"):
        other.start()
    assert other.process is not None
    assert other.process.exitcode == os.EX_TEMPFAIL
    table.play()


@pytest.mark.parametrize("number", sorted(SHORTAGES))
async def test_late_work_is_tried_again_after_a_shortage(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablectl.daemon.daemon.SHORT_AGAIN_S", 0)
    answers: list[Exception | str] = [short_of(number), OSError(number, "short"), "done"]
    assert await keep_trying(lambda: next_of(answers)) == "done"


async def test_late_work_that_fails_otherwise_is_not_tried_again() -> None:
    answers: list[Exception | str] = [PermissionError(errno.EACCES, "not ours"), "done"]
    with pytest.raises(PermissionError):
        await keep_trying(lambda: next_of(answers))


def short_of(number: int) -> Exception:
    """An error that was made of a shortage."""
    try:
        try:
            raise OSError(number, "short")
        except OSError:
            raise StartError("the key can't be used", os.EX_CANTCREAT) from None
    except StartError as error:
        return error


async def next_of(answers: list[Exception | str]) -> str:
    answer = answers.pop(0)
    if isinstance(answer, Exception):
        raise answer
    return answer
