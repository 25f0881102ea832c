"""The order of one connection, without a broker."""

from collections.abc import Sequence

from tablectl.core.protocols import StoredEvent
from tablectl.mqtt.flow import MOST_BACKGROUND, READ_AHEAD, ROOM, STATE_WAITS_S, BackgroundMessage, Flow, Item
from tablectl.mqtt.message import answer_properties

ACCEPTED, DENIED = 0x00, 0x87


def event(sequence: int, topic: str = "event/round") -> StoredEvent:
    return StoredEvent(sequence, topic, str(sequence).encode())


def events(*topics: str) -> list[StoredEvent]:
    return [event(nth, topic) for nth, topic in enumerate(topics, 1)]


def flow_of(*topics: str, window: int = 20, states: Sequence[str] = ()) -> Flow:
    flow = Flow(window, 0, states, {})
    flow.take(events(*topics))
    return flow


def send_all(flow: Flow, first_mid: int, now_s: float = 0) -> list[Item]:
    sent: list[Item] = []
    while (item := flow.next(now_s)) is not None:
        flow.sent(first_mid + len(sent), item, now_s)
        sent.append(item)
    return sent


def test_topics_first_event_goes_alone() -> None:
    flow = flow_of("event/round", "event/round", "event/card", "event/round")
    assert send_all(flow, 1) == [event(1)]
    flow.answered(1, ACCEPTED)
    assert send_all(flow, 2) == [event(2), event(3, "event/card")]
    flow.answered(2, ACCEPTED)
    assert send_all(flow, 4) == []
    flow.answered(3, ACCEPTED)
    assert send_all(flow, 4) == [event(4)]


def test_window_is_never_exceeded_by_events_and_states_together() -> None:
    flow = flow_of("event/round", window=3, states=["status", "health", "board", "meta/info"])
    assert send_all(flow, 1) == ["status", "health", "board"]
    flow.answered(2, ACCEPTED)
    assert send_all(flow, 4) == ["meta/info"]
    flow.answered(1, ACCEPTED)
    assert send_all(flow, 5) == [event(1)]


def test_refused_event_is_resent_with_all_that_follow() -> None:
    flow = flow_of("event/round")
    send_all(flow, 1)
    flow.answered(1, ACCEPTED)
    flow.take([event(2), event(3), event(4)])
    send_all(flow, 2)
    flow.answered(2, DENIED)
    flow.answered(3, ACCEPTED)
    flow.answered(4, ACCEPTED)
    assert flow.acknowledged == 1
    assert send_all(flow, 5) == []
    flow.resume(0)
    assert flow.needs_refill(4)
    flow.take([event(2), event(3), event(4)])
    assert send_all(flow, 5) == [event(2)]
    flow.answered(5, ACCEPTED)
    assert send_all(flow, 6) == [event(3), event(4)]


def test_answer_out_of_turn_acknowledges_nothing_beyond_an_open_event() -> None:
    flow = flow_of("event/round")
    send_all(flow, 1)
    flow.answered(1, ACCEPTED)
    flow.take([event(2), event(3)])
    send_all(flow, 2)
    flow.answered(3, ACCEPTED)
    assert flow.acknowledged == 1
    flow.answered(2, ACCEPTED)
    assert flow.acknowledged == 3


def test_unfitting_events_stay_in_the_journal() -> None:
    flow = flow_of()
    flow.take([event(2)])
    assert flow.tail == 0
    flow.take(event(nth) for nth in range(1, ROOM + 100))
    assert flow.tail == ROOM
    assert not flow.needs_refill(ROOM + 99)
    short = flow_of()
    short.take(event(nth) for nth in range(1, READ_AHEAD))
    assert short.needs_refill(READ_AHEAD)
    assert not short.needs_refill(READ_AHEAD - 1)


def test_events_overtake_a_state_until_it_has_waited_for_long() -> None:
    flow = flow_of("event/round", window=1)
    flow.touch("health", 0)
    assert send_all(flow, 1, 0.1) == [event(1)]
    flow.answered(1, ACCEPTED)
    flow.take([event(2)])
    assert send_all(flow, 2, STATE_WAITS_S) == ["health"]


def test_state_in_flight_goes_out_again_only_after_its_answer() -> None:
    flow = flow_of()
    flow.touch("health", 0)
    assert send_all(flow, 1) == ["health"]
    flow.touch("health", 0)
    flow.touch("health", 0)
    assert send_all(flow, 2) == []
    flow.answered(1, ACCEPTED)
    assert send_all(flow, 2) == ["health"]


def test_state_changing_before_its_first_publication_goes_out_once() -> None:
    flow = flow_of(states=["status", "health"])
    flow.touch("health", 0)
    assert send_all(flow, 1) == ["status", "health"]
    flow.answered(2, ACCEPTED)
    assert send_all(flow, 3) == []


def test_refused_state_waits_for_its_next_attempt_across_connections() -> None:
    refusals: dict[str, int] = {}
    flow = Flow(20, 0, ["status", "health"], refusals)
    send_all(flow, 1)
    flow.answered(1, ACCEPTED)
    flow.answered(2, DENIED)
    assert refusals == {"health": DENIED}
    again = Flow(20, 0, ["status", "health"], refusals)
    assert send_all(again, 1) == ["status"]
    again.resume(0)
    assert send_all(again, 2) == ["health"]
    again.answered(2, ACCEPTED)
    assert refusals == {}


def test_oldest_message_in_flight_sets_the_deadline() -> None:
    flow = flow_of("event/round")
    assert flow.oldest_s() is None
    send_all(flow, 1, 5.0)
    flow.touch("health", 6.0)
    send_all(flow, 2, 6.0)
    assert flow.oldest_s() == 5.0
    flow.answered(1, ACCEPTED)
    assert flow.oldest_s() == 6.0


def letter(codes: list[int] | None = None) -> BackgroundMessage:
    return BackgroundMessage(
        "t/answer/u/x", b"{}", answer_properties(None), (codes if codes is not None else []).append
    )


def test_letters_go_behind_events_and_states() -> None:
    flow = flow_of("event/round", window=20, states=("status",))
    assert flow.post(letter())
    flow.touch("board", 0)
    kinds = list[str]()
    for mid in range(1, 5):
        item = flow.next(0)
        assert item is not None
        kinds.append(type(item).__name__)
        flow.sent(mid, item, 0)
        flow.answered(mid, ACCEPTED)
    assert kinds == ["str", "StoredEvent", "str", "BackgroundMessage"]


def test_letters_leave_most_of_the_window_to_the_next_event() -> None:
    flow = flow_of(window=20)
    for _ in range(50):
        flow.post(letter())
    assert len(send_all(flow, 1)) == 5
    flow.take(events("event/round"))
    assert flow.next(0) == event(1)


def test_window_of_one_lets_letters_go_when_nothing_else_does() -> None:
    flow = flow_of(window=1)
    flow.post(letter())
    flow.post(letter())
    assert len(send_all(flow, 1)) == 1
    flow.answered(1, ACCEPTED)
    assert len(send_all(flow, 2)) == 1


def test_refused_letter_tells_its_writer_and_holds_nothing_up() -> None:
    codes = list[int]()
    refusals: dict[str, int] = {}
    flow = Flow(20, 0, (), refusals)
    flow.post(letter(codes))
    send_all(flow, 1)
    flow.answered(1, DENIED)
    assert (codes, refusals) == ([DENIED], {})
    flow.take(events("event/round"))
    assert send_all(flow, 2) == [event(1)]


def test_letters_are_bounded_and_end_with_the_connection() -> None:
    flow = flow_of(window=20)
    assert [flow.post(letter()) for _ in range(MOST_BACKGROUND + 1)] == [True] * MOST_BACKGROUND + [False]
    flow.stop_background()
    assert send_all(flow, 1) == []
    assert not flow.post(letter())
    assert flow.is_idle()
