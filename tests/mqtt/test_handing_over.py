"""The table handed over while several sessions ask for it, and cards for which there was no room or no leave."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import aiomqtt
import pytest

from tablectl.core.faults import Code
from tests.mqtt.conftest import PREFIX, ForeignLog, Rig, event
from tests.support.broker import Broker
from tests.support.witness import Witness, witness

LATER = "2026-11-20T10:00:01.000000Z"
CARDS = "restricted/card"


def asking(session: str) -> bytes:
    """A waiting session's status, with which it asks for the place of ours."""
    return json.dumps({"data": {"state": "passive", "session": session, "since": LATER, "relieves": "own"}}).encode()


def at_work(session: str) -> bytes:
    return json.dumps({"data": {"state": "ready", "session": session, "since": LATER}}).encode()


def last_status(seen: Witness) -> tuple[str, str]:
    """State and session of the newest status."""
    data = json.loads(seen.payloads("/status")[-1])["data"] if seen.payloads("/status") else {}
    return data.get("state", ""), data.get("session", "")


def giving(given: list[str]) -> Callable[[str], bool]:
    """A table that stops for whoever asks, and writes down for whom."""

    def relieved(session: str) -> bool:
        given.append(session)
        return True

    return relieved


@asynccontextmanager
async def others(broker: Broker) -> AsyncGenerator[aiomqtt.Client]:
    async with aiomqtt.Client("127.0.0.1", broker.port, protocol=aiomqtt.ProtocolVersion.V5) as client:
        yield client


async def test_first_of_two_sessions_to_ask_gets_the_table(rig: Rig, broker: Broker) -> None:
    broker.start()
    given = list[str]()
    rig.session, rig.relieved = "own", giving(given)
    async with witness(broker.port, rig.board) as seen, rig.running() as outbox, others(broker) as client:
        await rig.board.until(lambda: last_status(seen) == ("ready", "own"))
        await client.publish(f"{PREFIX}/status", asking("first"), qos=1, retain=True)
        await rig.board.until(lambda: bool(given))
        await client.publish(f"{PREFIX}/status", asking("second"), qos=1, retain=True)
        await rig.board.until(lambda: last_status(seen) == ("ready", "own"))  # the second one is told who speaks
        await client.publish(f"{PREFIX}/status", asking("first"), qos=1, retain=True)  # asks again: it is answered
        outbox.give_way()
        await rig.board.until(lambda: last_status(seen) == ("passive", "own"))
        await client.publish(f"{PREFIX}/status", at_work("first"), qos=1, retain=True)
        await rig.board.until(lambda: outbox.rival() == "first")
        assert given == ["first"]


async def test_second_session_asking_during_delivery_is_not_the_successor(rig: Rig, broker: Broker) -> None:
    broker.allow("topic readwrite #", f"topic deny {PREFIX}/event/#")
    broker.start()
    given = list[str]()
    rig.session, rig.relieved = "own", giving(given)
    async with witness(broker.port, rig.board) as seen, rig.running() as outbox, others(broker) as client:
        await rig.board.until(lambda: last_status(seen) == ("ready", "own"))
        rig.offer(outbox, "event/round")
        await rig.board.until(lambda: Code.BROKER_REFUSED in rig.standing())
        await client.publish(f"{PREFIX}/status", asking("first"), qos=1)
        await rig.board.until(lambda: bool(given))
        outbox.give_way()
        await client.publish(f"{PREFIX}/status", asking("second"), qos=1)
        broker.allow("topic readwrite #")
        await rig.board.until(lambda: last_status(seen) == ("passive", "own"))
        await client.publish(f"{PREFIX}/status", at_work("first"), qos=1, retain=True)
        await rig.board.until(lambda: outbox.rival() == "first")
        assert (given, outbox.health().backlog) == (["first"], 0)


async def test_foreign_log_is_kept_back_beside_a_dead_session(rig: Rig, broker: Broker) -> None:
    broker.start()
    judge = ForeignLog(rig.board)
    rig.session, rig.judge = "own", judge
    async with witness(broker.port, rig.board) as seen, others(broker) as client:
        await client.publish(f"{PREFIX}/status", at_work("dead"), qos=1, retain=True)
        rig.store.append("event/round")
        async with rig.running():
            await rig.board.until(lambda: last_status(seen) == ("passive", "own"))
            await rig.board.until(lambda: len(judge.told) == 3)  # once at first, and at both ends of the challenge
        await client.publish("end", b"", qos=1)
        await rig.board.until(lambda: bool(seen.under("end")))
    assert judge.told == [True] * 3
    assert (seen.under("/event/"), last_status(seen)) == ([], ("passive", "own"))


async def test_foreign_log_goes_on_after_a_session_that_answered(rig: Rig, broker: Broker) -> None:
    broker.start()
    judge = ForeignLog(rig.board)
    rig.session, rig.judge = "own", judge
    async with witness(broker.port, rig.board) as seen, others(broker) as client:
        await client.publish(f"{PREFIX}/status", at_work("first"), qos=1, retain=True)
        rig.store.append("event/round")
        async with rig.running() as outbox:
            await rig.board.until(lambda: last_status(seen) == ("passive", "own"))
            await client.publish(f"{PREFIX}/status", at_work("first"), qos=1, retain=True)
            await rig.board.until(lambda: outbox.rival() == "first")
            assert (judge.told[-1], seen.under("/event/")) == (False, [])
            await client.publish(f"{PREFIX}/status", at_work("first").replace(b"ready", b"stopped"), qos=1, retain=True)
            await rig.board.until(lambda: seen.under("/event/"))


async def test_refused_card_alone_is_tried_again_until_it_is_taken(rig: Rig, broker: Broker) -> None:
    broker.allow("topic readwrite #", f"topic deny {PREFIX}/{CARDS}")
    broker.start()
    async with witness(broker.port, rig.board) as seen, rig.running() as outbox:
        await rig.board.until(lambda: seen.payloads("/health"))
        outbox.send_hole_cards([event(1, CARDS), event(2, CARDS)])
        await rig.board.until(lambda: CARDS in rig.standing().get(Code.BROKER_REFUSED, ""))
        broker.allow("topic readwrite #")
        await rig.board.until(lambda: len(seen.payloads(CARDS)) == 2)
        await rig.board.until(lambda: Code.BROKER_REFUSED not in rig.standing())
    assert [json.loads(payload)["data"]["n"] for payload in seen.payloads(CARDS)] == [1, 2]


async def test_postponed_card_goes_out_once_there_is_room(
    rig: Rig, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker.start()
    async with witness(broker.port, rig.board) as seen, rig.running() as outbox:
        await rig.board.until(lambda: seen.payloads("/health"))
        with monkeypatch.context() as full:
            full.setattr("tablectl.mqtt.flow.MOST_BACKGROUND", 0)
            outbox.send_hole_cards([event(1, CARDS)])
        rig.offer(outbox, "event/round")
        await rig.board.until(lambda: bool(seen.payloads(CARDS)))
