"""SIGKILL in the middle of rounds of every game: no draw, shuffle or signal is made twice, nothing is lost.

Whole daemons play scripted rounds with the shipped demonstration's tables, over real ptys, the console's API, a real
disk and a real broker. They are killed after answers, while requests and reports are on their way, and while they
recover. What a request or a device did, it did once; what the console had shown is what the journal says; and a plain
subscriber holds every event once, under checkpoints that agree.

The script follows from `TABLECTL_KILL_SEED`; how far into a step a kill strikes is the machine's to say as well. That
a round comes out as in a run that nobody disturbed, and every system call at which a kill can strike, are for
`tests/force`.
"""

import json
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import pytest

from drivers.sim.buzzer import SimulatedBuzzer
from drivers.sim.draw import SimulatedDraw
from drivers.sim.shuffler import SimulatedShuffler
from tablectl.core.facts.reports import DrawCommitted, ShuffleCompleted, SignalSounded
from tablectl.features.demo.devices import Bench
from tablectl.features.tail.checkpoints import Checkpoints
from tablectl.features.tail.follower import Follower
from tests.crash.dealing import FULL, subscribed
from tests.support.crash_games import Rig, Subscriber, at_table, until
from tests.support.crash_players import PLANS, Player
from tests.support.crash_verdict import Verdict, events_kept, once, verdict_on
from tests.support.daemon import RefusedError
from tests.support.long import by_turn

KILLS: Final = 25 if FULL else 5
SEED: Final = int(os.environ.get("TABLECTL_KILL_SEED", "19890320"))
SPEED: Final = 25.0
"""Of the wheel, whose spin else takes as long as a real one."""

TAKES_S: Final = 0.15
"""How long a draw, a shuffle or a signal takes: long enough to be killed in."""


@dataclass(frozen=True, slots=True)
class Played:
    """What a killed table leaves behind."""

    rig: Rig
    subscriber: Subscriber
    verdict: Verdict

    def kinds(self, *kinds: str) -> list[str]:
        """The rounds that events of these kinds are of."""
        events = [json.loads(event) for event in self.verdict.events()]
        return [event["subject"] for event in events if event["type"].split(".", 2)[2].removesuffix(".v1") in kinds]

    def bodies(self, kind: type[Any]) -> list[Any]:
        """Everything of this kind that happened; what a device told again counts once."""
        told = {fact.delivery or str(nth): fact.body for nth, fact in enumerate(self.verdict.facts())}
        return [body for body in told.values() if isinstance(body, kind)]


@pytest.fixture(name="subscriber")
def _subscriber(mosquitto: Path, tmp_path: Path) -> Iterator[Subscriber]:
    with subscribed(mosquitto, tmp_path / "broker", Subscriber) as subscriber:
        yield subscriber


@contextmanager
def killed_table(game: str, subscriber: Subscriber, folder: Path) -> Generator[Played]:
    """A whole table, played and killed `KILLS` times, and stopped at last; its devices are still there."""
    with at_table(game, subscriber.broker, folder, f"{SEED}:{game}", SPEED) as rig, told_how_to_repeat(game, rig):
        rig.bench.do(slow)
        play_on(rig, Player(game, rig))
        until(lambda: len(set(subscriber.events())) >= events_kept(folder / "state"), "every event has arrived")
        assert rig.daemon.stop() == 0
        yield Played(rig, subscriber, verdict_on(rig.daemon))


@contextmanager
def told_how_to_repeat(game: str, rig: Rig) -> Generator[None]:
    """Whatever fails says how to have it again."""
    try:
        yield
    except BaseException as error:
        again = f"TABLECTL_KILL_SEED={SEED} pytest tests/crash/test_kill.py -k {game}"
        error.add_note(f"to repeat it: {again}; the kills were: {[kill.how for kill in rig.kills]}")
        raise


def slow(devices: Bench) -> None:
    """What takes time takes enough of it to be killed in."""
    for one in devices.simulators.values():
        for attribute in ("shuffle_s", "draw_s", "sound_s"):
            if hasattr(one, attribute):
                setattr(one, attribute, TAKES_S)


def play_on(rig: Rig, player: Player) -> None:
    """Plays until the kills are done, and the round to its end."""
    rig.begin()
    fates = cycle(("during", "after", ""))
    while len(rig.kills) < KILLS or rig.shown[-1]["round_id"] is not None:
        state = rig.shown[-1]
        act = player.next_step(state)
        fate = next(fates) if len(rig.kills) < KILLS and player.worth_a_kill(state) else ""
        rig.step(act, fate)
        rig.look()


@pytest.mark.slow
@pytest.mark.parametrize("game", by_turn(sorted(PLANS), 2))
def test_kills_in_mid_round_lose_nothing_and_repeat_nothing(subscriber: Subscriber, tmp_path: Path, game: str) -> None:
    with killed_table(game, subscriber, tmp_path) as played:
        rig, verdict = played.rig, played.verdict
        assert len(rig.kills) >= KILLS
        verdict.check_answers(rig.requests.records)
        verdict.check_shown(rig.shown)
        verdict.check_ends()
        assert verdict.check_kills(rig.kills) >= KILLS // 3
        check_rounds(played)
        check_devices(played)
        check_feed(played)


def test_a_refused_request_stays_refused_after_a_kill(subscriber: Subscriber, tmp_path: Path) -> None:
    with at_table("q-poker", subscriber.broker, tmp_path, "refused") as rig:
        for _ in range(2):
            rig.begin()
            with pytest.raises(RefusedError) as no:
                rig.daemon.ask("close_betting", "r1", round_id=None, seen=rig.shown[-1]["seen"])
            assert no.value.article == "6(2)"
            rig.daemon.kill()


def check_rounds(played: Played) -> None:
    """Every round ended once, with a result."""
    opened = played.kinds("round.opened")
    assert opened
    assert played.kinds("round.settled", "round.void") == opened
    assert played.kinds("round.settled") == opened


def check_devices(played: Played) -> None:
    """What a device was asked for it did once, and the table knows what came of it."""
    rounds = len(played.kinds("round.opened"))
    for device in played.rig.bench.devices.simulators.values():
        match device:
            case SimulatedDraw():
                assert once(device.draws) == {body.draw_id for body in played.bodies(DrawCommitted)}
                assert len(device.draws) == rounds
            case SimulatedShuffler():
                assert once(device.shuffles) == {body.operation for body in played.bodies(ShuffleCompleted)}
                by_hand = played.verdict.game.name == "q_poker"  # Its plan deals from a shoe.
                assert bool(device.shuffles) is not by_hand
            case SimulatedBuzzer():
                heard = once([operation for operation, _ in device.sounds])
                assert heard == {body.operation for body in played.bodies(SignalSounded)}
                assert len(heard) == rounds
            case _:
                pass


def check_feed(played: Played) -> None:
    """A subscriber holds every event: the same bytes, in order, under checkpoints that agree."""
    stored, subscriber = played.verdict.events(), played.subscriber
    until(lambda: len(set(subscriber.events())) >= len(stored), "every event has arrived")
    assert list(dict.fromkeys(subscriber.events())) == stored
    follower, checkpoints = Follower(), Checkpoints()
    for nth, event in enumerate(stored, 1):
        checkpoints.take(nth, event)
    for message in subscriber.messages():
        follower.tell(message)
        if message.topic.endswith("/checkpoint"):
            assert not checkpoints.disagrees(message.payload.decode())
    assert follower.flawless, follower.completeness()
    assert checkpoints.agreed
