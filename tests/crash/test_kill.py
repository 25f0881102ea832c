"""SIGKILL, again and again, in the middle of rounds: nothing acknowledged is lost, nothing is done twice.

The daemon is killed at every step of the script: right after an answer, or while the request or the card is on its
way. After each kill a new process has to come back in the same phase with the same table, and the script goes on
where it was. In the end the rounds must have come out as in a run that nobody disturbed, and a subscriber must hold
every event once. At which system call a kill strikes is the machine's to say here; `tests/force` tries them all.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from tests.crash.dealing import (
    FULL,
    Dealer,
    finish_round,
    judge,
    play,
    restart,
    settled,
    stop,
    subscribed,
    tables,
)
from tests.support.daemon import RefusedError
from tests.support.feed import Feed

STEPS_OF_A_ROUND: Final = 25
"""A kill that swallows a step makes it be taken again, so a round takes up to twice as many."""

KILLS: Final = 200 if FULL else STEPS_OF_A_ROUND
TODAY: Final = datetime.now(tz=UTC).toordinal()
"""Half of the steps are struck after their answer, the others on their way; tomorrow it is the other way round."""


@pytest.fixture(name="subscriber")
def _subscriber(mosquitto: Path, tmp_path: Path) -> Iterator[Feed]:
    with subscribed(mosquitto, tmp_path / "broker") as subscriber:
        yield subscriber


@pytest.fixture(name="table")
def _table(tmp_path: Path, subscriber: Feed) -> Iterator[Callable[[str], Dealer]]:
    with tables(subscriber, tmp_path) as make:
        yield make


@pytest.mark.timeout(360)
def test_kills_in_mid_round_lose_nothing_and_repeat_nothing(table: Callable[[str], Dealer], subscriber: Feed) -> None:
    dealer = table("killed")
    play(dealer, KILLS, lambda step: "during" if (step + TODAY) % 2 else "after")
    finish_round(dealer)
    stop(dealer, subscriber)
    judge(dealer, subscriber)
    quiet = table("quiet")
    while len(settled(quiet)) < len(settled(dealer)):
        play(quiet, 1, lambda _: "")
    assert quiet.daemon.stop() == 0
    assert [form["data"]["settlement"] for form in settled(dealer)] == [
        form["data"]["settlement"] for form in settled(quiet)
    ]
    assert len(settled(dealer)) >= max(1, KILLS // (2 * STEPS_OF_A_ROUND))


def test_a_refused_request_stays_refused_after_a_kill(table: Callable[[str], Dealer]) -> None:
    dealer = table("refused")
    for _ in range(2):
        with pytest.raises(RefusedError) as no:
            dealer.daemon.ask("close_betting", "r1", round_id=None, seen=dealer.daemon.state()["seen"])
        assert no.value.article == "6(2)"
        restart(dealer)
