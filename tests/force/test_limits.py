"""A daemon that is given too little: few open files, little memory, short files. It ends clearly, or it plays on.

Whatever it does, it says so in a line, loses nothing that it had answered, and starts again when it has enough.
"""

import http.client
import json
import os
import resource
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Timer
from typing import Any, Final

import apsw
import pytest

from tablectl.journal.reading.rows import Remembered
from tests.crash.dealing import (
    FULL,
    Dealer,
    assert_same_or_next,
    begin,
    finish_round,
    judge,
    pack,
    play,
    public,
    restart,
    stop,
    tables,
)
from tests.force.launch import Launcher
from tests.force.struck import READ_ONLY, Seeding, until_struck
from tests.support.daemon import DaemonGoneError
from tests.support.feed import Feed
from tests.support.patience import PATIENCE_S, SCALE

LIMITS: Final[dict[str, tuple[int, ...]]] = {
    "--nofile=16": (os.EX_CONFIG,),
    "--fsize=10000": (os.EX_CANTCREAT,),
}
"""A limit, and how a daemon under it ends."""

MORE: Final[dict[str, tuple[int, ...]]] = {
    "--nofile=6": (os.EX_CONFIG,),
    "--nofile=16:4096": (os.EX_OK,),
    "--as=120000000": (),
    "--as=60000000": (),
    "--as=220000000": (),
}
"""With too little memory it is Python's to say how it ends, but it says something."""

WATCHDOG_S: Final = 10 * SCALE

SHORT_LOG: Final = 8192
"""Fewer bytes than two pages in SQLite's log take, also where it is written over from its beginning: no batch fits."""


@pytest.mark.timeout(300)
def test_starved_daemon_ends_clearly_or_loses_nothing(subscriber: Feed, tmp_path: Path) -> None:
    with tables(subscriber, tmp_path) as make:
        dealer = make("poor")
        forks = dealer.daemon.context
        for limit, ends in (LIMITS | (MORE if FULL else {})).items():
            play(dealer, 2)
            before = public(dealer.daemon.state())
            assert dealer.daemon.stop() == 0
            dealer.daemon.context = Launcher(("prlimit", limit)).context()
            try_with_little(dealer, limit, ends)
            dealer.daemon.context = forks
            begin(dealer)
            after = public(dealer.daemon.state())
            assert after == before, limit
        finish_round(dealer)
        stop(dealer, subscriber)
        judge(dealer, subscriber)


def try_with_little(dealer: Dealer, limit: str, ends: tuple[int, ...]) -> None:
    """Starts the daemon under a limit. Where it comes up it is stopped again; else it says why it doesn't."""
    log = dealer.daemon.folder / "daemon.log"
    said_before = len(log.read_bytes())
    came_up = True
    try:
        dealer.daemon.start()
    except AssertionError:
        came_up = False
    process = dealer.daemon.process
    assert process is not None
    process.terminate()  # one that came up, or that takes its time
    process.join(PATIENCE_S)
    if process.exitcode is None and not ends:
        process.kill()
        process.join()
    code = process.exitcode
    assert code is not None, f"{limit}: it neither comes up nor ends"
    dealer.daemon.process = None
    said = log.read_bytes()[said_before:].decode("utf-8", "replace").strip().splitlines()
    assert said, f"{limit}: it ended with {code} without a word"
    assert not ends or code in ends, f"{limit}: it ended with {code} and said {said[-3:]}"
    assert came_up or code != 0 or os.EX_OK in ends, f"{limit}: it says that all is well: {said[-3:]}"


@pytest.fixture(name="dealt")
def _dealt(subscriber: Feed, tmp_path: Path) -> Iterator[Dealer]:
    """A table whose round is played until the first card, and to its end afterwards; then all is judged."""
    with tables(subscriber, tmp_path) as make:
        dealer = make("poor")
        while dealer.daemon.state()["phase"] != "closed":
            play(dealer, 1)
        yield dealer
        finish_round(dealer)
        stop(dealer, subscriber)
        judge(dealer, subscriber)


def limit(dealer: Dealer, kind: int, most: int) -> Callable[[], Any]:
    """Sets a limit of a running daemon; what is given back lifts it."""
    assert dealer.daemon.process is not None
    pid = dealer.daemon.process.pid or 0
    _, hard = before = resource.prlimit(pid, kind)
    resource.prlimit(pid, kind, (most, hard))
    return lambda: resource.prlimit(pid, kind, before)


def shown_over(connection: http.client.HTTPConnection, token: str) -> dict[str, Any]:
    """The table as the console shows it over a connection that stands already."""
    connection.request("GET", "/v1/state", headers={"Authorization": f"Bearer {token}"})
    form: dict[str, Any] = json.loads(connection.getresponse().read())
    return form


@pytest.mark.parametrize("late", [False, True], ids=["before it is ready", "once it has signed"])
def test_daemon_out_of_file_handles_keeps_those_it_has(dealt: Dealer, late: bool) -> None:
    assert dealt.daemon.process is not None
    journal = dealt.daemon.folder / "state" / "journal.db"
    if late:
        dealt.until(lambda: has_signed(journal))
    with closing(http.client.HTTPConnection("127.0.0.1", dealt.daemon.port, timeout=PATIENCE_S)) as connection:
        number = dealt.round_number(shown_over(connection, dealt.daemon.token))
        open_now = [int(path.name) for path in Path(f"/proc/{dealt.daemon.process.pid}/fd").iterdir()]
        lift = limit(dealt, resource.RLIMIT_NOFILE, max(open_now) + 1)
        for _ in open_now:
            ask_from_elsewhere(dealt.daemon.port)
            shown_over(connection, dealt.daemon.token)  # or the console closes it as idle
        for nth in range(3):
            dealt.shoe.draw(pack(number)[nth])
            dealt.until(lambda least=nth: lying(shown_over(connection, dealt.daemon.token)) > least)  # type: ignore[misc]
        if not late:
            dealt.until(lambda: b"short of something" in (dealt.daemon.folder / "daemon.log").read_bytes())
        lift()
    dealt.until(lambda: has_signed(journal))
    assert dealt.daemon.process.exitcode is None


def has_signed(journal: Path) -> bool:
    """Whether the table has signed its log."""
    connection = apsw.Connection(str(journal), flags=READ_ONLY)
    try:
        return bool(list(connection.execute("SELECT 1 FROM meta WHERE key = ?", (Remembered.CHECKPOINT,))))
    finally:
        connection.close()


def ask_from_elsewhere(port: int) -> None:
    """Asks over a connection that the daemon can't open; whether it answers is no matter."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=0.05)) as connection:
        try:
            connection.request("GET", "/v1/health")
            connection.getresponse()
        except (OSError, http.client.HTTPException):
            return


def lying(state: dict[str, Any]) -> int:
    return sum(len(hand["cards"]) for hand in state["round"]["hands"])


def test_daemon_with_a_full_log_exits_as_for_its_journal(dealt: Dealer) -> None:
    before = play_with_a_short_log(dealt)
    begin(dealt)
    assert_same_or_next(dealt, before)


def play_with_a_short_log(dealer: Dealer) -> dict[str, Any]:
    """Plays until the daemon has ended, as it has to; the table as it was shown last."""
    limit(dealer, resource.RLIMIT_FSIZE, SHORT_LOG)
    before = dealer.daemon.state()

    def step() -> None:
        nonlocal before
        before = dealer.daemon.state()
        dealer.next_step(before)()

    code = until_struck(dealer.daemon, step, 6)
    assert code == os.EX_IOERR, f"a daemon that can write no more: exit code {code}"
    return before


def test_daemon_out_of_memory_ends_or_loses_nothing(dealt: Dealer) -> None:
    process = dealt.daemon.process
    assert process is not None
    pages = int(Path(f"/proc/{process.pid}/statm").read_text("ascii").split()[0])
    before = dealt.daemon.state()
    lift = limit(dealt, resource.RLIMIT_AS, pages * os.sysconf("SC_PAGE_SIZE"))
    try:
        for _ in range(6):
            with watched(process):
                before = dealt.daemon.state()
                dealt.next_step(before)()
    except (DaemonGoneError, AssertionError):
        dealt.daemon.kill()
        begin(dealt)
        assert_same_or_next(dealt, before)
    else:
        lift()


@contextmanager
def watched(process: BaseProcess) -> Generator[None]:
    """Ends a daemon that stands still, as systemd's watchdog does."""
    watchdog = Timer(WATCHDOG_S, process.kill)
    watchdog.start()
    try:
        yield
    finally:
        watchdog.cancel()
        watchdog.join()


# --- that these proofs can fail


def test_daemon_continuing_with_a_full_log_is_caught(subscriber: Feed, tmp_path: Path) -> None:
    with tables(subscriber, tmp_path) as make:
        dealer = make("mistaken")
        dealer.daemon.context = Seeding("go_on_after_a_failed_write").context()
        restart(dealer)
        with pytest.raises(AssertionError, match="can write no more: exit code None"):
            play_with_a_short_log(dealer)


SPOILT: Final = {
    'exec "$@" > /dev/null 2>&1': "without a word",
    '"$@"; exit 0': "ended with 0 and said",
    '"$@"; exit 1': "ended with 1 and said",
}
"""What spoils a daemon's end, and what is said of it."""


@pytest.mark.parametrize("how", SPOILT)
def test_starved_daemon_ending_otherwise_is_caught(subscriber: Feed, tmp_path: Path, how: str) -> None:
    with tables(subscriber, tmp_path) as make:
        dealer = make("spoilt")
        assert dealer.daemon.stop() == 0
        (limited, ends), *_ = LIMITS.items()
        dealer.daemon.context = Launcher(("prlimit", limited, "sh", "-c", how, "sh")).context()
        with pytest.raises(AssertionError, match=SPOILT[how]):
            try_with_little(dealer, limited, ends)
