"""A whole daemon keeps what its links said, for its owner alone, and the replay hides the cards."""

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from drivers.diagnostics.capture import captured_files
from tablectl.cli import main
from tablectl.rule_tables import shipped
from tests.support.daemon import Daemon, fork_server
from tests.support.feed import Feed
from tests.support.shoe import Shoe

CARDS = ("As", "Kd", "2c")


@pytest.fixture(name="shoe")
def _shoe(tmp_path: Path) -> Iterator[Shoe]:
    (tmp_path / "run").mkdir()
    shoe = Shoe(tmp_path / "run" / "shoe")
    shoe.plug()
    yield shoe
    shoe.unplug()


def ran(folder: Path, shoe: Shoe, **settings: str) -> Path:
    """A daemon that has taken in three cards and was told to stop; where its capture lies."""
    paths = {"paths.state": str(folder / "state"), "paths.runtime": str(folder / "run")}
    daemon = Daemon(fork_server(), shipped("tables/q-poker.demo.toml"), folder, {**paths, **settings})
    daemon.start()
    try:
        daemon.sign_on("ana", "1111")
        Feed.until(lambda: any(item["name"] == "shoe" and item["attached"] for item in daemon.state()["devices"]))
        for card in CARDS:
            before = daemon.state()["seen"]
            shoe.draw(card)
            Feed.until(lambda seen=before: daemon.state()["seen"] > seen)
        assert daemon.stop() == 0
    finally:
        if daemon.process is not None:
            daemon.kill()
    return folder / "state" / "capture"


def test_what_shoe_said_is_there_after_daemon_has_stopped(tmp_path: Path, shoe: Shoe) -> None:
    capture = ran(tmp_path, shoe)
    assert [stat.S_IMODE(path.stat().st_mode) for path in captured_files(capture)] == [0o600]
    hidden = CliRunner().invoke(main, ["replay", str(capture)]).stdout
    assert hidden.count("card (hidden)") == 3 * len(CARDS)
    assert not any(card in hidden for card in CARDS)
    named = CliRunner().invoke(main, ["replay", str(capture), "--cards"]).stdout
    assert [f"card {card}" in named for card in CARDS] == [True] * 3


def test_nothing_is_kept_where_the_settings_say_so(tmp_path: Path, shoe: Shoe) -> None:
    assert not ran(tmp_path, shoe, **{"capture.enabled": "false"}).exists()
