"""Whole daemons struck at system calls while they play, with real ptys, a real broker and a plain subscriber.

A sample of what `test_sweep` does to a small table: here drivers, console, outbox and capture are there as well, and
several threads. After every blow the same table is started again and goes on with the same round.
"""

import json
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from drivers.sim.draw import SimulatedDraw
from drivers.sim.shuffler import SimulatedShuffler
from tests.crash.dealing import (
    FULL,
    Dealer,
    assert_same_or_next,
    begin,
    finish_round,
    heard,
    judge,
    play,
    restart,
    settled,
    stop,
    tables,
)
from tests.force.small import Hold
from tests.force.struck import Seeding, Watch, check_end, until_struck
from tests.force.sweep import Blow, Strike
from tests.force.tracer import Call, was_struck
from tests.support.crash_games import Form, Rig, at_table
from tests.support.crash_players import KILLED_IN, Player
from tests.support.crash_verdict import Kill, Verdict, events_kept, once, verdict_on
from tests.support.feed import Feed

MOST_STEPS: Final = 40
FEW: Final = (
    (Blow.KILL, "pwrite64", 3),
    (Blow.EIO, "fdatasync", 2),
    (Blow.KILL, "fdatasync", 5),
    (Blow.ENOSPC_FOR_GOOD, "pwrite64", 4),
    (Blow.SLOW, "fdatasync", 3),
    (Blow.EIO_FOR_GOOD, "pwrite64", 9),
)
MANY: Final = tuple(
    (blow, name, nth)
    for name, most in (("pwrite64", 60), ("fdatasync", 16))
    for blow in (Blow.KILL, Blow.EIO, Blow.ENOSPC_FOR_GOOD, Blow.EIO_FOR_GOOD)
    for nth in range(1, most, 2)
)
STRIKES: Final = [
    Strike(blow, Hold.PLAY, Call(name, nth, "the journal")) for blow, name, nth in (MANY if FULL else FEW)
]


@pytest.mark.timeout(1800 if FULL else 240)
def test_q_poker_daemon_killed_while_playing_loses_nothing(subscriber: Feed, strace: Path, tmp_path: Path) -> None:
    watch = Watch(strace, tmp_path)
    with tables(subscriber, tmp_path) as make:
        dealer = make("struck")
        for strike in STRIKES:
            strike_dealer(watch, dealer, strike)
        finish_round(dealer)
        assert dealer.daemon.stop() == 0
        check_the_next_start_brings_the_rest(dealer, subscriber)
        quiet = make("quiet")
        while len(settled(quiet)) < len(settled(dealer)):
            play(quiet, 1)
        assert quiet.daemon.stop() == 0
        assert [form["data"]["settlement"] for form in settled(dealer)] == [
            form["data"]["settlement"] for form in settled(quiet)
        ]


def check_the_next_start_brings_the_rest(dealer: Dealer, subscriber: Feed) -> None:
    """Whatever a table that was stopped had not told yet, it tells when it is started again; nothing is lost."""
    begin(dealer)
    stop(dealer, subscriber)
    judge(dealer, subscriber)


def test_table_stopped_before_publishing_leaves_it_to_the_next_start(subscriber: Feed, tmp_path: Path) -> None:
    with tables(subscriber, tmp_path) as make:
        dealer = make("silent")
        while dealer.daemon.state()["phase"] != "closed":
            play(dealer, 1)  # While another speaks no bet is taken; cards may be dealt.
        dealer.until(lambda: heard(subscriber) == events_kept(dealer.daemon.folder / "state"))
        with another_speaks(subscriber, "silent"):
            restart(dealer)
            play(dealer, 4)
            assert dealer.daemon.stop() == 0
        assert heard(subscriber) < events_kept(dealer.daemon.folder / "state")
        check_the_next_start_brings_the_rest(dealer, subscriber)


@contextmanager
def another_speaks(subscriber: Feed, name: str) -> Generator[None]:
    """Another session says again and again that it is at work at this table; at last it is gone without a word."""
    life = {"session": "other", "state": "ready", "since": "2004-12-31T00:00:00.000000Z"}
    topic = f"tablectl/v1/demo/{name}/status"
    say = (
        f"mosquitto_pub -V mqttv5 -q 1 -r -p {subscriber.broker.port} --repeat 100000 --repeat-delay 0.1 -t {topic} -m"
    )
    with subprocess.Popen([*say.split(), json.dumps({"specversion": "1.0", "data": life})]) as process:
        try:
            yield
        finally:
            process.kill()


def strike_dealer(watch: Watch, dealer: Dealer, strike: Strike, most: int = MOST_STEPS) -> None:
    """Plays until the blow has struck, and brings the table back where it was, or one step further."""
    before = dealer.daemon.state()

    def step() -> None:
        nonlocal before
        before = dealer.daemon.state()
        dealer.next_step(before)()

    with watch.at(dealer.daemon, strike) as trace:
        code = until_struck(dealer.daemon, step, most if strike.blow is not Blow.SLOW else strike.call.nth + 2)
    assert was_struck(trace), strike
    check_end(strike, code)
    if code is not None:
        begin(dealer)
        assert_same_or_next(dealer, before)


@contextmanager
def football_rig(subscriber: Feed, folder: Path) -> Generator[Rig]:
    """A Football Poker table of the demonstration, its devices, and a dealer; started."""
    with at_table("football-poker", subscriber.broker, folder, "struck") as rig:
        rig.begin()
        yield rig


@pytest.mark.timeout(1800 if FULL else 240)
def test_football_poker_daemon_killed_while_playing_draws_once(subscriber: Feed, strace: Path, tmp_path: Path) -> None:
    watch = Watch(strace, tmp_path)
    with football_rig(subscriber, tmp_path / "table") as rig:
        for strike in STRIKES:
            strike_rig(watch, rig, strike)
        while rig.shown[-1]["round_id"] is not None:
            take_a_step(rig)
        assert rig.daemon.stop() == 0
        verdict = verdict_on(rig.daemon)
        verdict.check_answers(rig.requests.records)
        verdict.check_shown(rig.shown)
        verdict.check_ends()
        verdict.check_kills(rig.kills)
        check_devices(rig, verdict)


def test_killed_dealer_loads_a_whole_pack_each_round(subscriber: Feed, tmp_path: Path) -> None:
    with football_rig(subscriber, tmp_path / "table") as rig:
        while len(rounds_of(rig)) < 3 or rig.shown[-1]["round_id"] is not None:
            take_a_step(rig)
        assert [state["round"]["dealing"] for state in rounds_of(rig).values()] == ["shuffler", "shoe", "shoe"]
        assert rig.daemon.stop() == 0


def rounds_of(rig: Rig) -> dict[str, Form]:
    """What each round showed last."""
    return {state["round_id"]: state for state in rig.shown if state["round_id"] is not None}


def check_devices(rig: Rig, verdict: Verdict) -> None:
    """What was drawn and shuffled was so once, and for a round."""
    rounds = sum(json.loads(event)["type"] == "mo.tablectl.round.opened.v1" for event in verdict.events())
    assert rounds >= 1
    for device in rig.bench.devices.simulators.values():
        if isinstance(device, SimulatedDraw):
            assert len(once(device.draws)) == rounds
        if isinstance(device, SimulatedShuffler):
            assert once(device.shuffles)


def take_a_step(rig: Rig) -> None:
    """Does what the table waits for; the player's own kills, at a draw or a shuffle, are left out."""
    state = rig.shown[-1]
    player = Player("football-poker", rig, {(str(state["round_id"]), phase) for phase in KILLED_IN})
    player.next_step(state)()
    rig.look()


def strike_rig(watch: Watch, rig: Rig, strike: Strike) -> None:
    """Plays until the blow has struck, and brings the table back."""
    with watch.at(rig.daemon, strike) as trace:
        steps = MOST_STEPS if strike.blow is not Blow.SLOW else strike.call.nth + 2
        code = until_struck(rig.daemon, lambda: take_a_step(rig), steps)
    assert was_struck(trace), strike
    check_end(strike, code)
    if code is not None:
        rig.kills.append(Kill(str(strike), rig.shown[-1], rig.begin()))


# --- that this proof can fail


def complaint(watch: Watch, dealer: Dealer, strike: Strike) -> str:
    """What the judge of a blow says against the table; empty where it has nothing to say."""
    try:
        strike_dealer(watch, dealer, strike, most=6)
    except AssertionError as found:
        return str(found)
    return ""


def test_daemon_that_goes_on_after_a_failed_write_is_caught(subscriber: Feed, strace: Path, tmp_path: Path) -> None:
    error = Strike(Blow.EIO, Hold.PLAY, Call("fdatasync", 2, "the journal"))
    with tables(subscriber, tmp_path) as make:
        dealer = make("mistaken")
        dealer.daemon.context = Seeding("go_on_after_a_failed_write").context()
        restart(dealer)
        assert "exit code None, expected 74" in complaint(Watch(strace, tmp_path), dealer, error)
