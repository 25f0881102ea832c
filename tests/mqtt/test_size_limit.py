"""A broker that hangs up on what is too large for it gets all events, and what it doesn't take is named."""

from dataclasses import replace

import pytest

from tablectl.core.faults import Code
from tablectl.mqtt.reasons import PACKET_TOO_LARGE
from tablectl.mqtt.size_limit import LEFT_OUT_S, SMALLEST, SizeLimit
from tests.mqtt.arrivals import first_arrivals, upto
from tests.mqtt.conftest import PREFIX, Rig, event
from tests.support.broker import Broker
from tests.support.mqtt_server import MqttServer
from tests.support.witness import witness

DOCUMENT, BOARD = "meta/asyncapi", "board"
LARGE = 166_000


def large_document(rig: Rig, *topics: str) -> None:
    """Makes these states of the table large."""
    rig.states += topics
    rig.sizes |= dict.fromkeys(topics, LARGE)


@pytest.mark.parametrize(("limit", "mqtt5"), [("message_size_limit", True), ("max_packet_size", False)])
async def test_events_arrive_although_the_broker_does_not_take_the_document(
    rig: Rig, broker: Broker, limit: str, *, mqtt5: bool
) -> None:
    broker.lines = (f"{limit} 131072",)
    broker.start()
    large_document(rig, DOCUMENT)
    rig.settings = replace(rig.settings, mqtt5=mqtt5, timeout_s=20)
    rig.store.append(*["event/round"] * 30)
    async with witness(broker.port, rig.board) as seen, rig.running() as outbox:
        await rig.board.until(lambda: Code.BROKER_REFUSED in rig.standing())
        size = len(rig.render(DOCUMENT))
        assert rig.standing()[Code.BROKER_REFUSED].startswith(f"{DOCUMENT}: ")
        assert str(size)[:3] in rig.standing()[Code.BROKER_REFUSED]
        rig.offer(outbox, "event/card")
        await rig.board.until(lambda: len(first_arrivals(seen)) == 31)
        assert first_arrivals(seen) == upto(31)
        assert outbox.health().retries == (0 if mqtt5 else 2)
        assert not seen.payloads(f"/{DOCUMENT}")


async def test_silent_limit_costs_two_connections_and_the_document_alone(rig: Rig) -> None:
    server = MqttServer(most=131_072, changed=rig.board.changed)
    large_document(rig, DOCUMENT)
    rig.store.append("event/round")
    async with server.listening():
        rig.settings = replace(rig.settings, port=server.port, timeout_s=20)
        async with rig.running() as outbox:
            await rig.board.until(lambda: Code.BROKER_REFUSED in rig.standing())
            assert [topic for topic, _ in server.published].count(f"{PREFIX}/event/round") == 1
            assert len(server.connects) == 3
            outbox.touch(DOCUMENT, "health")
            before = len(server.published)
            await rig.board.until(lambda: len(server.published) > before)
            assert len(server.connects) == 3
            assert f"{PREFIX}/{DOCUMENT}" not in {topic for topic, _ in server.published}


async def test_oversized_state_alone_is_left_out(rig: Rig) -> None:
    server = MqttServer(most=131_072, changed=rig.board.changed)
    large_document(rig, BOARD)
    async with server.listening():
        rig.settings = replace(rig.settings, port=server.port, timeout_s=20)
        async with rig.running() as outbox:
            await rig.board.until(lambda: Code.BROKER_REFUSED in rig.standing())
            assert rig.standing()[Code.BROKER_REFUSED].startswith(f"{BOARD}: 166")
            rig.offer(outbox, "event/round")
            await rig.all_acknowledged(outbox)
            rig.sizes[BOARD] = 1000
            outbox.touch(BOARD)
            await rig.board.until(lambda: rig.standing() == {})
            assert f"{PREFIX}/{BOARD}" in {topic for topic, _ in server.published}


async def test_event_that_is_too_large_is_named_and_never_skipped(rig: Rig) -> None:
    server = MqttServer(most=131_072, changed=rig.board.changed)
    small, large = event(1, "event/round"), event(2, "event/audit")
    rig.store.events += [small, replace(large, payload=large.payload[:-1] + b" " * LARGE + b"}"), event(3)]
    async with server.listening():
        rig.settings = replace(rig.settings, port=server.port, timeout_s=20)
        async with rig.running() as outbox:
            await rig.board.until(lambda: "event/audit: 166" in rig.standing().get(Code.BROKER_REFUSED, ""))
            assert outbox.acknowledged() == 1
            server.most = 1 << 20
            await rig.all_acknowledged(outbox)
            await rig.board.until(lambda: rig.standing() == {})
    assert f"{PREFIX}/event/audit" in {topic for topic, _ in server.published}


async def test_limit_that_the_broker_names_is_a_fault_at_once(rig: Rig) -> None:
    most = bytes([0x27]) + (100_000).to_bytes(4, "big")
    server = MqttServer(connack=bytes([0x20, 8, 0, 0, 5]) + most, changed=rig.board.changed)
    large_document(rig, DOCUMENT)
    async with server.listening():
        rig.settings = replace(rig.settings, port=server.port, timeout_s=20)
        async with rig.running() as outbox:
            await rig.board.until(lambda: Code.BROKER_REFUSED in rig.standing())
            assert outbox.health().retries == 0


def hung_up_on(limit: SizeLimit, size: int, now_s: float, *, code: int | None = None) -> None:
    """A connection on which one document was in flight when the broker hung up."""
    limit.begin()
    limit.sent(1, DOCUMENT, size)
    limit.hung_up(now_s, code)


def test_one_hang_up_says_nothing_and_second_in_row_does() -> None:
    limit = SizeLimit()
    hung_up_on(limit, LARGE, 0)
    assert limit.fits(LARGE)
    hung_up_on(limit, LARGE, 0)
    assert (limit.fits(LARGE), limit.fits(LARGE - 1), limit.too_large) == (False, True, {DOCUMENT: LARGE})


def test_reason_that_names_the_size_is_believed_at_once() -> None:
    limit = SizeLimit()
    hung_up_on(limit, LARGE, 0, code=PACKET_TOO_LARGE)
    assert not limit.fits(LARGE)


@pytest.mark.parametrize(("size", "code"), [(SMALLEST, None), (LARGE, 0x8B), (LARGE, 0x8E)])
def test_small_message_and_end_of_another_reason_are_not_blamed(size: int, code: int | None) -> None:
    limit = SizeLimit()
    for _ in range(5):
        hung_up_on(limit, size, 0, code=code)
    assert limit.fits(size)
    assert limit.too_large == {}


def test_message_within_a_proven_size_is_not_blamed() -> None:
    limit = SizeLimit()
    for _ in range(5):
        limit.begin()
        limit.sent(1, "round/state", LARGE)
        limit.answered(1, 0, 0)
        limit.sent(2, DOCUMENT, LARGE)
        limit.hung_up(0, None)
    assert limit.too_large == {}


def test_size_limit_is_retried_hourly() -> None:
    limit = SizeLimit()
    for _ in range(2):
        hung_up_on(limit, LARGE, 0)
    assert limit.due(LEFT_OUT_S - 1) == ()
    assert limit.due(LEFT_OUT_S) == (DOCUMENT,)
    assert limit.fits(LARGE)
    hung_up_on(limit, LARGE, LEFT_OUT_S)
    assert not limit.fits(LARGE)
    assert limit.due(2 * LEFT_OUT_S) == (DOCUMENT,)
    limit.begin()
    limit.sent(1, DOCUMENT, LARGE)
    limit.answered(1, 0, 0)
    assert limit.too_large == {}
