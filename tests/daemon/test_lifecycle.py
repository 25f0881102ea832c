"""How the session before ended, as the next one tells it: exactly once."""

from tablectl.daemon.lifecycle import LAST_EXIT
from tests.support.feed import Feed
from tests.support.live_table import Table


def ends(feed: Feed) -> list[str]:
    """What each session said of the one before it."""
    began = (each for each in feed.events() if each["type"] == "mo.tablectl.audit.session_began.v1")
    return list({each["id"]: each["data"]["previous"] for each in began}.values())  # what a kill left is sent again


def test_each_session_tells_how_the_one_before_ended_once(feed: Feed, table: Table) -> None:
    state = table.daemon.folder / "state"
    table.begin()
    Feed.until(lambda: ends(feed) == ["unknown"])
    table.daemon.kill()
    table.begin()
    Feed.until(lambda: ends(feed) == ["unknown", "killed"])
    assert table.daemon.stop() == 0
    table.begin()
    Feed.until(lambda: ends(feed) == ["unknown", "killed", "stopped"])
    table.daemon.kill()
    (state / LAST_EXIT).write_text("watchdog\n")
    table.begin()
    Feed.until(lambda: ends(feed) == ["unknown", "killed", "stopped", "watchdog"])
    assert not (state / LAST_EXIT).exists()


def test_stopped_session_says_that_it_ended(feed: Feed, table: Table) -> None:
    table.begin()
    assert table.daemon.stop() == 0
    Feed.until(lambda: feed.events()[-1:] and feed.events()[-1]["type"] == "mo.tablectl.audit.session_ended.v1")
