"""Cards that a device named: their own numbers, and where each went."""

from tablectl.core import fold
from tablectl.core.cards import Card
from tablectl.core.dealing.hands import read_card
from tablectl.core.effects import Announce, Effects
from tablectl.core.events.audit import HandedOver, LogKeyChanged, LogStarted
from tablectl.core.events.round import CardDealt, CardOutOfRound
from tablectl.core.facts import ClockState, Fact, FloorHandedOver, HandOver, KeyChanged, LogBegan, Stamp
from tablectl.core.facts.reports import CardDrawn, CutCardReached
from tests.support.poker import SHOE, said
from tests.support.q_poker import new_table

AT = Stamp(1_795_000_000_000_000, 1, "b", ClockState.SYNCED)


def drawn(card: str | None, delivery: str = "") -> Fact:
    return Fact(CardDrawn(SHOE, Card(card) if card else None), AT, SHOE, delivery=delivery)


def dealt(place: int, index: int) -> Effects:
    return (Announce(CardDealt("r1", place, index)),)


def test_card_is_read_with_its_place_and_number() -> None:
    read = read_card(drawn("As"), dealt(3, 2), 7, "r1")
    assert read is not None
    assert (read.number, read.card, read.round_id, read.place, read.index) == (7, "As", "r1", 3, 2)


def test_of_several_places_that_card_fills_it_lies_in_last() -> None:
    read = read_card(drawn("As"), dealt(3, 2) + dealt(4, 1), 7, "r1")
    assert read is not None
    assert (read.place, read.index) == (4, 1)


def test_card_that_belongs_to_no_hand_is_read_without_place() -> None:
    read = read_card(drawn("As"), (Announce(CardOutOfRound(None, SHOE)),), 1, None)
    assert read is not None
    assert (read.round_id, read.place, read.index) == (None, None, None)


def test_a_card_that_no_device_named_is_not_read() -> None:
    assert read_card(drawn(None), dealt(3, 2), 7, "r1") is None
    assert read_card(Fact(CutCardReached(SHOE), AT, SHOE), (), 7, "r1") is None


def test_cards_count_as_read_and_repeats_once() -> None:
    table = new_table()
    state = table.table
    for fact in (drawn("As", "7:1"), drawn("As", "7:1"), drawn(None, "7:2"), drawn("Kd", "7:3")):
        state, _ = fold.step(table.game, state, fact)
    assert state.cards_read == 2


# --- the log's key, and who speaks


def test_log_that_begins_names_its_key_and_every_later_one() -> None:
    table = new_table()
    began = said(table.tell(LogBegan("5eed0002", "site", "table", None, "s1", "a2V5")), LogStarted)
    assert (began.public_key, table.table.public_key) == ("a2V5", "a2V5")
    changed = said(table.tell(KeyChanged("a2V5", "bmV3", "sha256:01", "sha256:02", "note")), LogKeyChanged)
    assert changed == LogKeyChanged("table", "a2V5", "bmV3", "sha256:01", "sha256:02", "note")
    assert table.table.public_key == "bmV3"


def test_a_hand_over_is_told_and_changes_nothing_else() -> None:
    table = new_table()
    before = table.table
    told = said(table.tell(FloorHandedOver(HandOver.GIVEN, "s1", "s2")), HandedOver)
    assert (told.step, told.from_session, told.to_session) == ("given", "s1", "s2")
    assert table.table.game == before.game
    assert table.table.faults == before.faults
