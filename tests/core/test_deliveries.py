"""What a device sends again because its acknowledgement was lost is on record and moves nothing."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.core import fold
from tablectl.core.facts import Body, Fact, FaultRaised, Stamp
from tablectl.core.facts.reports import DeviceAttached
from tablectl.core.faults import Code
from tablectl.core.games.q_poker.game import QPokerGame
from tablectl.core.table import came_before, device, fault
from tablectl.journal.encoding import read_fact, write_fact
from tablectl.rule_tables import load_rules

GAME = QPokerGame(load_rules("q_poker"))
AT = Stamp(1, 2, "boot")
JAM = FaultRaised(Code.SHUFFLER_JAM, "shuffler")


def sent(delivery: str, body: Body = JAM) -> Fact:
    return Fact(body, AT, "shuffler", delivery=delivery)


def times(*deliveries: str) -> int:
    """How often the fault was seen."""
    standing = fault(fold.fold(GAME, fold.begin(GAME), map(sent, deliveries)), JAM.code, JAM.device)
    return standing.times if standing else 0


@pytest.mark.parametrize(
    ("deliveries", "count"),
    [
        (("a:1",), 1),
        (("a:1", "a:1"), 1),
        (("a:1", "a:2", "a:1", "a:2"), 2),
        (("a:1", "a:2", "a:3"), 3),
        (("a:5", "b:1"), 2),
        (("a:65535", "a:0", "a:65535"), 2),
        (("", ""), 2),
    ],
)
def test_a_delivery_counts_once(deliveries: tuple[str, ...], count: int) -> None:
    assert times(*deliveries) == count


def test_repeated_delivery_is_recorded_without_effect() -> None:
    table, effects = fold.step(GAME, fold.begin(GAME), sent("a:1"))
    again, none = fold.step(GAME, table, sent("a:1"))
    assert effects
    assert none == ()
    assert again == replace(table, records=table.records + 1)


def test_a_device_that_is_attached_again_keeps_its_last_delivery() -> None:
    facts = (sent("a:7"), sent("", DeviceAttached("shuffler", boot="a")))
    table = fold.fold(GAME, fold.begin(GAME), facts)
    assert device(table, "shuffler").delivered == "a:7"


@given(st.integers(0, 65535), st.integers(0, 32767))
def test_before_reaches_half_of_numbers_back_and_over_wrap(last: int, back: int) -> None:
    earlier, later = f"a:{(last - back) % 65536}", f"a:{(last + 1 + back) % 65536}"
    assert came_before(earlier, f"a:{last}")
    assert not came_before(later, f"a:{last}")


@given(st.text(max_size=9), st.text(max_size=9))
def test_any_text_is_compared_without_an_error(one: str, other: str) -> None:
    assert isinstance(came_before(one, other), bool)


def test_journal_keeps_a_delivery_field_only_where_given() -> None:
    assert read_fact(write_fact(sent("00000007:12"))) == sent("00000007:12")
    assert b"delivery" not in write_fact(sent(""))
