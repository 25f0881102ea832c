"""A wrong order or a wrong number of cards: reading 9."""

import pytest

from tablectl.core.cards import COMMON
from tablectl.core.events.round import CardDealt
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.games.football_poker.state import Phase
from tests.support.football_poker import HANDS
from tests.support.football_poker_deals import all_dealt, in_phase
from tests.support.poker import next_cards, said, voided
from tests.support.sitting import refused
from tests.support.ways import both_ways


@pytest.mark.article("football_poker", "reading 9")
@both_ways
def test_a_misplaced_third_card_is_mended_too(dealing: Dealing) -> None:
    table = in_phase(Phase.OPENING, dealing)
    assert refused(table.misplace(COMMON)) is None
    assert refused(table.turn_up(2)) == ("6(3)", "card_to_be_placed")
    table.mend()
    assert table.finish().irregularities == ("6(3)",)


@pytest.mark.article("football_poker", "reading 9")
def test_the_last_card_is_declared_until_its_hand_lies_open() -> None:
    table = all_dealt(1)
    assert refused(table.misplace(1)) is None
    table.mend()
    table.turn_up(COMMON)
    assert refused(table.misplace(1)) == ("6(3)", "nothing_misplaced")


@pytest.mark.article("football_poker", "10.1")
@pytest.mark.parametrize(("named", "ends"), [(HANDS[2], None), (("8s", "Th", "3c"), "third_card_not_due")])
def test_card_at_hand_that_nobody_has_named_is_its_third(named: tuple[str, ...], ends: str | None) -> None:
    table = in_phase(Phase.LOOKING, Dealing.SHOE)
    next_cards(table, named[2])
    assert said(table.misplace(2), CardDealt).index == 3
    opened = table.open_hand(2, *named)
    assert table.phase == (Phase.IDLE if ends else Phase.OPENING)
    assert ends is None or voided(opened) == ("10(1)", ends)


@pytest.mark.article("football_poker", "reading 9")
@pytest.mark.parametrize("count", [0, 3, 52])
def test_extra_packet_that_is_no_hand_makes_the_round_void(count: int) -> None:
    assert voided(in_phase(Phase.OPENING, Dealing.SHUFFLER).packet(count)) == ("6(3)", "wrong_number")
