"""Every table of messages on our link: its golden bytes, and what holds of any bytes on any line."""

from enum import Enum
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.dice.codec import Thrown
from drivers.display.am03127 import RANGES
from drivers.draw import codec as draw
from drivers.draw.codec import MAX_ROUND_NAME, Drawn, MakeDraw
from drivers.link.frame import MAX_PAYLOAD
from drivers.link.messages import Codec
from drivers.link.table import Counted, Dropped, Messages, NotUnderstood, Row, Text
from drivers.shuffler.codec import CardOrderReceived, FaultCode
from drivers.sim.draw import OUTCOMES, outcome
from tests.drivers.contract import golden
from tests.drivers.contract.entries import ENTRIES
from tests.drivers.linkbench import asked, carried, cuts

CODECS: dict[str, Codec[Any, Any, Any]] = {
    entry.device.kind: entry.device.codec for entry in ENTRIES if entry.device.codec
}
TABLES: dict[str, Messages[Any]] = {
    f"{kind} {name}": getattr(codec, name)
    for kind, codec in CODECS.items()
    for name in ("events", "commands", "replies")
}
GOLDEN = [
    (f"{kind} {name}", text, value)
    for name, tables in (("events", golden.EVENTS), ("commands", golden.COMMANDS), ("replies", golden.REPORTS))
    for kind, table in tables.items()
    for text, value in table.items()
]
WRONG = [
    (f"{kind} {name}", bytes.fromhex(text))
    for name, tables in (("events", golden.NOT_EVENTS), ("replies", golden.NOT_REPLIES))
    for kind, texts in tables.items()
    for text in ["", *texts.split(", ")]
]


def field_values(field: Any) -> st.SearchStrategy[Any]:
    """The values that a field of a table can have."""
    match field:
        case Row():
            return row_values(field)
        case Text(most=most):
            return st.text(st.characters(max_codepoint=127), max_size=most)
        case Counted(most=most):
            return st.lists(st.integers(0, 255), max_size=most).map(tuple)
        case type() if issubclass(field, Enum):
            return st.sampled_from(field)
        case "?":
            return st.booleans()
        case str() if field.endswith("s"):
            return st.binary(min_size=int(field[:-1]), max_size=int(field[:-1]))
        case _:
            return st.integers(0, 256 ** {"B": 1, "H": 2, "Q": 8}[str(field)] - 1)


def row_values(row: Row) -> st.SearchStrategy[Any]:
    """The values of one message."""
    if not isinstance(row.make, type):
        return st.just(row.make)
    fixed = {name: st.just(value) for name, value in row.fixed.items()}
    return st.builds(row.make, **fixed, **{name: field_values(field) for name, field in row.fields.items()})


def values(table: Messages[Any]) -> st.SearchStrategy[Any]:
    """Any message of a table that can be written."""
    return st.one_of([row_values(row) for row in table.rows if not isinstance(row.tail, Dropped)])


def test_every_device_on_the_link_has_golden_bytes() -> None:
    kinds = {entry.device.kind for entry in ENTRIES}
    for table in (golden.EVENTS, golden.COMMANDS, golden.REPORTS, golden.NOT_EVENTS, golden.NOT_REPLIES):
        assert set(table) == kinds


@pytest.mark.parametrize("table", TABLES)
def test_every_row_of_a_table_has_a_golden_line(table: str) -> None:
    listed = [bytes.fromhex(text) for name, text, _ in GOLDEN if name == table]
    heads = {row.head for row in TABLES[table].rows if not isinstance(row.tail, Dropped)}
    assert {head for head in heads if any(data.startswith(head) for data in listed)} == heads


@pytest.mark.parametrize(("table", "text", "value"), GOLDEN)
def test_a_golden_line_is_written_and_read(table: str, text: str, value: Any) -> None:
    assert TABLES[table].encode(value) == bytes.fromhex(text)
    assert TABLES[table].decode(bytes.fromhex(text)) == value


@pytest.mark.parametrize(("table", "body"), WRONG)
def test_unknown_and_cut_messages_keep_their_kind_alone(table: str, body: bytes) -> None:
    assert TABLES[table].decode(body) == NotUnderstood(body[0] if body else -1)


@pytest.mark.parametrize("table", TABLES)
@given(data=st.data())
def test_any_bytes_are_refused_or_say_exactly_this(table: str, data: st.DataObject) -> None:
    known = TABLES[table]
    heads = st.sampled_from([b"", *(row.head for row in known.rows)])
    body = data.draw(st.builds(bytes.__add__, heads, st.binary(max_size=62)))
    value = known.decode(body)
    assert (
        value == NotUnderstood(body[0] if body else -1) or value == CardOrderReceived() or known.encode(value) == body
    )


@pytest.mark.parametrize("kind", CODECS)
@given(data=st.data(), at=cuts())
def test_events_arrive_whole_however_the_line_cuts_them(kind: str, data: st.DataObject, at: list[int]) -> None:
    table = CODECS[kind].events
    events = data.draw(st.lists(values(table), max_size=12))
    assert [table.decode(payload) for payload in carried([table.encode(event) for event in events], at)] == events


@pytest.mark.parametrize("kind", CODECS)
@given(data=st.data(), at=cuts())
def test_commands_and_replies_arrive_whole_however_cut(kind: str, data: st.DataObject, at: list[int]) -> None:
    codec, heard = CODECS[kind], list[Any]()
    commands = data.draw(st.lists(values(codec.commands), max_size=6))
    reply = data.draw(values(codec.replies))

    def answer(body: bytes) -> bytes:
        heard.append(codec.commands.decode(body))
        return codec.replies.encode(reply)

    replies = asked([codec.commands.encode(command) for command in commands], answer, at)
    assert heard == commands
    assert [codec.replies.decode(body) for body in replies] == [reply] * len(commands)


def test_events_arrive_whole_however_cut() -> None:
    table = CODECS["shoe"].events
    events = list(golden.EVENTS["shoe"].values())
    payloads = [table.encode(event) for event in events]
    for at in [*([cut] for cut in range(1, 400)), list(range(1, 400))]:
        assert [table.decode(payload) for payload in carried(payloads, at)] == events


@pytest.mark.parametrize(("table", "value"), list(product(TABLES, [NotUnderstood(9), CardOrderReceived()])))
def test_a_value_that_is_only_read_cannot_be_sent(table: str, value: Any) -> None:
    with pytest.raises(ValueError, match="no payload"):
        TABLES[table].encode(value)


def test_a_throw_of_too_many_dice_cannot_be_sent() -> None:
    with pytest.raises(ValueError, match="at most 8 bytes"):
        CODECS["dice"].events.encode(Thrown((1,) * 9))


@given(st.binary(max_size=63))
def test_of_a_card_order_nothing_is_kept(order: bytes) -> None:
    event = CODECS["shuffler"].events.decode(b"\x08" + order)
    assert repr(event) == "CardOrderReceived()"


@pytest.mark.parametrize("kind", CODECS)
def test_every_fault_has_its_name_and_an_unknown_one_too(kind: str) -> None:
    codec = CODECS[kind]
    assert {codec.fault_name(fault) for fault in codec.faults} == {fault.name.lower() for fault in codec.faults}
    assert codec.fault_name(99) == "unrecognised"
    assert len(FaultCode) == 16


def test_long_round_name_is_cut_to_what_a_frame_holds() -> None:
    body = draw.COMMANDS.encode(MakeDraw(42, "x" * 99))
    assert len(body) + 8 == MAX_PAYLOAD
    assert draw.COMMANDS.decode(body) == MakeDraw(42, "x" * MAX_ROUND_NAME)


@pytest.mark.article("football_poker", "6(1)")
def test_four_random_bits_give_each_of_the_sixteen_draws_once() -> None:
    draws = {outcome(value) for value in range(OUTCOMES)}
    assert draws == {Drawn(series, combination) for series in (0, 1) for combination in range(1, 9)}
    assert all(draw.RESULT.read(draw.RESULT.write(drawn)) == drawn for drawn in draws)


@pytest.mark.article("football_poker", "3(1)")
def test_the_ranges_on_a_board_are_those_of_the_law() -> None:
    for combination, (upper, lower) in enumerate(RANGES, start=1):
        numbers = [(combination + step - 1) % 8 + 1 for step in range(8)]
        assert upper == "".join(map(str, numbers[:4]))
        assert lower == "".join(map(str, numbers[4:]))
        assert sorted(upper + lower) == list("12345678")
