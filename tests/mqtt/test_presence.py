"""Two daemons for one table: one speaks, the other waits, and says so."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import product

import aiomqtt
import pytest

from tablectl.core.faults import Code
from tablectl.mqtt import leader
from tablectl.mqtt.leader import AT_WORK, Election, Instance, read_instance
from tests.mqtt.conftest import PREFIX, Rig
from tests.support.broker import Broker
from tests.support.proxy import proxy
from tests.support.witness import Witness, witness

OLD, NEW = "2026-11-20T10:00:00.000000Z", "2026-11-20T11:00:00.000000Z"


def status(session: str, state: str, since: str = OLD) -> bytes:
    return json.dumps({"data": {"state": state, "session": session, "since": since}}, separators=(",", ":")).encode()


def presence(since: str = NEW) -> Election:
    return Election(Instance(since, "own", ""))


# --- what a status means, without a broker


@pytest.mark.parametrize(
    "payload", [b"", b"[]", b"{}", b'{"data":1}', b'{"data":{"state":"ready"}}', b"\xff", b"[" * 5000]
)
def test_what_is_no_status_is_nobodys(payload: bytes) -> None:
    assert read_instance(payload) is None
    assert not presence().heard(payload, retained=True, speaking=False)


@pytest.mark.parametrize("state", ["init", "ready", "degraded"])
def test_kept_status_of_a_working_session_makes_a_rival(state: str) -> None:
    own = presence()
    assert not own.heard(status("other", state), retained=True, speaking=False)
    assert own.rival is not None
    assert not own.answered
    own.heard(status("other", state), retained=False, speaking=False)
    assert own.answered
    own.judge()
    assert own.taken_by == own.rival


@pytest.mark.parametrize("state", ["lost", "stopped", "passive"])
def test_session_that_is_over_or_waits_is_no_rival(state: str) -> None:
    own = presence()
    assert not own.heard(status("other", state), retained=True, speaking=False)
    assert own.rival is None


@pytest.mark.parametrize("state", ["lost", "stopped", "passive"])
def test_last_word_of_the_rival_ends_the_wait(state: str) -> None:
    own = presence()
    own.heard(status("other", "ready"), retained=False, speaking=False)
    own.judge()
    own.heard(status("third", state), retained=False, speaking=False)
    assert own.taken_by is not None
    own.heard(status("other", state), retained=False, speaking=False)
    assert [own.rival, own.taken_by] == [None, None]


def test_silent_rival_is_gone_despite_its_kept_status() -> None:
    own = presence()
    own.heard(status("other", "ready"), retained=True, speaking=False)
    own.challenge()
    own.judge()
    assert own.rival is None
    own.heard(status("other", "ready"), retained=True, speaking=False)
    assert own.rival is None
    own.heard(status("other", "ready"), retained=False, speaking=False)
    assert own.rival is not None


def test_session_that_is_known_to_be_over_is_not_awaited() -> None:
    own = Election(Instance(NEW, "own", ""), over="other")
    assert not own.heard(status("other", "degraded"), retained=True, speaking=False)
    assert own.rival is None
    assert own.heard(status("other", "degraded"), retained=True, speaking=True)


def test_nobody_else_is_taken_for_the_one_that_is_over() -> None:
    own = Election(Instance(NEW, "own", ""), over="other")
    own.heard(status("third", "ready"), retained=True, speaking=False)
    assert own.rival is not None


def test_session_that_speaks_is_a_rival_whatever_was_known() -> None:
    own = Election(Instance(NEW, "own", ""), over="other")
    own.heard(status("other", "ready"), retained=True, speaking=False)
    own.heard(status("other", "ready"), retained=False, speaking=True)
    assert own.rival is not None


def test_who_speaks_publishes_their_status_over_anybody_elses() -> None:
    own = presence(OLD)
    for state, retained in product(("passive", "lost", "stopped", "ready"), (False, True)):
        assert own.heard(status("other", state, NEW), retained=retained, speaking=True)
        assert own.rival is None
    assert own.heard(status("own", "lost"), retained=False, speaking=True)
    assert not own.heard(status("own", "ready"), retained=False, speaking=True)


@pytest.mark.parametrize(("mine", "theirs"), [(OLD, NEW), (NEW, OLD), (OLD, OLD)])
def test_of_two_that_speak_exactly_one_goes_on(mine: str, theirs: str) -> None:
    one, other = Election(Instance(mine, "a", "")), Election(Instance(theirs, "b", ""))
    one.heard(status("b", "ready", theirs), retained=False, speaking=True)
    other.heard(status("a", "ready", mine), retained=False, speaking=True)
    assert [one.rival is None, other.rival is None].count(True) == 1
    assert (one.rival is None) == (mine <= theirs)


def test_states_at_work_are_those_of_the_contract() -> None:
    assert {"init", "ready", "degraded"} == AT_WORK


# --- with a broker


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leader, "LOOK_S", 0.0)  # what this broker has kept is there before
    monkeypatch.setattr(leader, "ANSWER_S", 1.5)
    monkeypatch.setattr(leader, "CHALLENGE_AGAIN_S", 0.3)


def rival_of(rig: Rig, session: str = "new", since: str = NEW) -> Rig:
    """Another daemon for the same table, with a journal of its own."""
    other = Rig(rig.settings, rig.board, state="ready", session=session, since=since)
    other.store.append("event/fault")
    return other


@asynccontextmanager
async def speaking(rig: Rig, broker: Broker) -> AsyncGenerator[Witness]:
    """A table at work, and what is seen of it."""
    rig.session, rig.since = "old", OLD
    broker.start()
    async with witness(broker.port, rig.board) as seen, rig.running():
        await rig.board.until(lambda: seen.payloads("/health"))
        yield seen


def last(seen: Witness) -> tuple[str, str]:
    data = json.loads(seen.payloads("/status")[-1])["data"]
    return data["session"], data["state"]


async def test_second_daemon_says_passive_and_nothing_else_and_has_fault(rig: Rig, broker: Broker) -> None:
    async with speaking(rig, broker) as seen:
        other = rival_of(rig)
        async with other.running():
            await rig.board.until(lambda: Code.TABLE_TAKEN in other.standing())
            assert other.standing()[Code.TABLE_TAKEN] == f"session old since {OLD}"
            await rig.board.until(lambda: seen.payloads("/status").count(other.passive()) >= 3)
            await rig.board.until(lambda: last(seen) == ("old", "ready"))
            assert seen.under("/event/") == []
        said = {json.loads(payload)["data"]["state"] for payload in seen.payloads("/status") if b'"new"' in payload}
        assert said == {"passive"}
        assert Code.TABLE_TAKEN not in rig.standing()
        await rig.board.until(lambda: last(seen) == ("old", "ready"))


async def test_waiting_daemon_that_dies_leaves_status_of_one_at_work(rig: Rig, broker: Broker) -> None:
    async with speaking(rig, broker) as seen, proxy(broker.port) as wire:
        other = rival_of(rig)
        other.settings = replace(other.settings, port=wire.port)
        async with other.running():
            await rig.board.until(lambda: Code.TABLE_TAKEN in other.standing())
            wire.passing = False
            wire.cut()
            await rig.board.until(lambda: any(b"lost" in payload for payload in seen.payloads("/status")))
            await rig.board.until(lambda: last(seen) == ("old", "ready"))


async def test_waiting_daemon_publishes_everything_when_the_other_stops(rig: Rig, broker: Broker) -> None:
    async with witness_of_both(rig, broker) as (seen, other, old):
        await stop(rig, old)
        await rig.board.until(lambda: last(seen) == ("new", "ready"))
        await rig.board.until(lambda: seen.under("/event/"))
        await rig.board.until(lambda: Code.TABLE_TAKEN not in other.standing())


@asynccontextmanager
async def witness_of_both(rig: Rig, broker: Broker) -> AsyncGenerator[tuple[Witness, Rig, asyncio.Task[None]]]:
    """One daemon at work, which the test ends, and one that waits."""
    rig.session, rig.since = "old", OLD
    broker.start()
    outbox = rig.outbox()
    async with witness(broker.port, rig.board) as seen, asyncio.TaskGroup() as group:
        old = group.create_task(outbox.run())
        await rig.board.until(lambda: seen.payloads("/health"))
        other = rival_of(rig)
        async with other.running():
            await rig.board.until(lambda: Code.TABLE_TAKEN in other.standing())
            rig.stop = outbox.close
            yield seen, other, old
        old.cancel()


async def stop(rig: Rig, old: asyncio.Task[None]) -> None:
    rig.state = "stopped"
    assert rig.stop is not None
    await rig.stop(2)
    await asyncio.wait([old])


async def test_waiting_daemon_goes_on_when_the_other_is_lost(rig: Rig, broker: Broker) -> None:
    async with proxy(broker.port) as wire:
        rig.settings = replace(rig.settings, port=wire.port)
        async with witness_of_both_over(rig, broker) as (seen, other):
            wire.passing = False
            wire.cut()
            await rig.board.until(lambda: last(seen) == ("new", "ready"))
            assert any(b"lost" in payload and b'"old"' in payload for payload in seen.payloads("/status"))
            await rig.board.until(lambda: Code.TABLE_TAKEN not in other.standing())


@asynccontextmanager
async def witness_of_both_over(rig: Rig, broker: Broker) -> AsyncGenerator[tuple[Witness, Rig]]:
    async with speaking(rig, broker) as seen:
        other = rival_of(rig)
        other.settings = replace(other.settings, port=broker.port)
        async with other.running():
            await rig.board.until(lambda: Code.TABLE_TAKEN in other.standing())
            yield seen, other


async def test_kept_status_of_a_gone_session_delays_briefly(rig: Rig, broker: Broker) -> None:
    broker.start()
    async with aiomqtt.Client("127.0.0.1", broker.port) as client:
        await client.publish(f"{PREFIX}/status", status("ghost", "ready"), qos=1, retain=True)
    rig.session = "new"
    rig.store.append("event/round")
    async with witness(broker.port, rig.board) as seen, rig.running():
        await rig.board.until(lambda: seen.under("/event/"), 5)
        assert last(seen) == ("new", "ready")
        assert rig.standing() == {}


async def test_own_session_that_comes_back_is_no_rival(rig: Rig, broker: Broker) -> None:
    async with proxy(broker.port) as wire:
        rig.settings = replace(rig.settings, port=wire.port)
        async with speaking(rig, broker) as seen:
            count = len(seen.payloads("/health"))
            wire.cut()
            await rig.board.until(lambda: len(seen.payloads("/health")) > count, 5)
            await rig.board.until(lambda: last(seen) == ("old", "ready"))
            assert rig.standing() == {}


async def test_simultaneous_starts_end_with_one_speaker(rig: Rig, broker: Broker) -> None:
    rig.session, rig.since = "old", OLD
    other = rival_of(rig)

    def one_voice() -> bool:
        """Whether one of them waits, and the other's word is the last one; who of them is first to speak, is chance."""
        waiting = [each for each in (rig, other) if Code.TABLE_TAKEN in each.standing()]
        speaking = [each for each in (rig, other) if each not in waiting]
        heard = bool(seen.payloads("/status")) and last(seen)
        return len(waiting) == 1 and heard == (speaking[0].session, "ready")

    broker.start()
    async with witness(broker.port, rig.board) as seen, rig.running(), other.running():
        await rig.board.until(one_voice)


async def test_with_mqtt_3_the_second_daemon_waits_as_well(rig: Rig, broker: Broker) -> None:
    rig.settings = replace(rig.settings, mqtt5=False)
    async with speaking(rig, broker) as seen:
        other = rival_of(rig)
        async with other.running():
            await rig.board.until(lambda: Code.TABLE_TAKEN in other.standing())
            assert seen.under("/event/") == []
