"""A wrong order or a wrong number of cards: reading 9."""

import pytest

from tablectl.core.cards import COMMON
from tablectl.core.dealing.pack import PackState
from tablectl.core.events.round import CardDealt, CardOutOfRound, Voided
from tablectl.core.facts.card_requests import Dealing, MisdealDeclared
from tablectl.core.games.football_poker.state import Phase
from tests.support.football_poker import HANDS
from tests.support.football_poker_deals import IN_PLAY, all_dealt, dealing_to, in_phase, next_cards
from tests.support.poker import irregularity, said, voided
from tests.support.sitting import refused
from tests.support.ways import both_ways


@pytest.mark.article("football_poker", "reading 9")
@pytest.mark.article("football_poker", "6.3")
@both_ways
def test_misdealt_card_not_put_right_makes_the_round_void(dealing: Dealing) -> None:
    table = dealing_to(1, 2, dealing=dealing)
    assert refused(table.misplace(2)) is None
    assert table.prompt() == "misplaced"
    after = next_cards(table)
    assert irregularity(after) == ("6(3)", "wrong_order", "round_void")
    assert voided(after) == ("6(3)", "wrong_order")
    assert table.phase == Phase.IDLE


@pytest.mark.article("football_poker", "reading 9")
@both_ways
def test_misplaced_card_put_right_in_time_is_only_recorded(dealing: Dealing) -> None:
    table = dealing_to(1, dealing=dealing)
    table.misplace(COMMON)
    assert irregularity(table.mend()) == ("6(3)", "mended", "mended")
    table.draw("4d", "2s", "6d") if dealing is Dealing.SHOE else table.packet()
    assert table.look().finish().irregularities == ("6(3)",)


@pytest.mark.article("football_poker", "reading 9")
@both_ways
def test_a_misplaced_third_card_is_mended_too(dealing: Dealing) -> None:
    table = in_phase(Phase.OPENING, dealing)
    assert refused(table.misplace(COMMON)) is None
    assert refused(table.turn_up(2)) == ("6(3)", "card_to_be_placed")
    table.mend()
    assert table.finish().irregularities == ("6(3)",)


@pytest.mark.article("football_poker", "reading 9")
@both_ways
def test_card_is_misplaced_only_where_another_was_due(dealing: Dealing) -> None:
    table = dealing_to(2, 3, dealing=dealing)
    assert refused(table.misplace(2)) == ("6(3)", "lies_right")
    for nowhere in (99, 0, "dealer"):
        assert refused(table.misplace(nowhere)) == ("5(1)", "no_such_place")
    table.misplace(3)
    assert refused(table.misplace(COMMON)) == ("6(3)", "nothing_misplaced")


@pytest.mark.article("football_poker", "reading 9")
@pytest.mark.parametrize("when", [Phase.IDLE, Phase.DRAWING, Phase.BETTING, Phase.CLOSED])
def test_nothing_is_misplaced_mended_or_misdealt_where_no_card_lies(when: Phase) -> None:
    table = in_phase(when, Dealing.SHOE)
    assert refused(table.misplace(3)) == ("6(3)", "nothing_misplaced")
    assert refused(table.mend()) == ("6(3)", "nothing_misplaced")
    assert refused(table.tell(MisdealDeclared(1))) == ("6(3)", "no_cards_out")
    assert refused(table.expose(1)) == ("7", "no_such_card")


@pytest.mark.article("football_poker", "reading 9")
def test_the_last_card_is_declared_until_its_hand_lies_open() -> None:
    table = all_dealt(1)
    assert refused(table.misplace(1)) is None
    table.mend()
    table.turn_up(COMMON)
    assert refused(table.misplace(1)) == ("6(3)", "nothing_misplaced")


@pytest.mark.article("football_poker", "reading 9")
def test_request_about_the_last_card_means_the_one_on_screen() -> None:
    table = dealing_to(1)
    shown = table.table.records
    table.draw("4d")
    assert refused(table.misplace(5, seen=shown)) == ("table", "stale_screen")
    assert refused(table.count(1, seen=shown)) == ("table", "stale_screen")
    assert refused(table.misplace(5, seen=table.table.records)) is None
    assert table.held(5) == ("4d",)


@pytest.mark.article("football_poker", "reading 9")
@pytest.mark.parametrize("when", IN_PLAY)
@both_ways
def test_misdeal_found_too_late_to_mend_makes_the_round_void(dealing: Dealing, when: Phase) -> None:
    table = in_phase(when, dealing)
    effects = table.tell(MisdealDeclared(1))
    assert irregularity(effects) == ("6(3)", "misdealt", "round_void")
    assert [stake.stake for stake in said(effects, Voided).returned] == ["100.00", "10.00"]
    assert (table.phase, table.pack) == (Phase.IDLE, PackState.NEEDED)


@pytest.mark.article("football_poker", "reading 9")
@both_ways
@pytest.mark.parametrize("when", [Phase.LOOKING, Phase.OPENING])
def test_card_too_many_at_hand_that_plays_makes_round_void(dealing: Dealing, when: Phase) -> None:
    table = in_phase(when, dealing)
    assert said(next_cards(table), CardOutOfRound).round_id == table.round_id
    assert table.prompt() == "surplus"
    assert refused(table.turn_up(2)) == ("6(3)", "card_to_be_placed")
    assert voided(table.misplace(1)) == ("6(3)", "wrong_number")


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
@both_ways
def test_a_second_card_too_many_makes_the_round_void(dealing: Dealing) -> None:
    table = in_phase(Phase.OPENING, dealing)
    next_cards(table)
    assert voided(next_cards(table, "3d")) == ("6(3)", "wrong_number")


@pytest.mark.article("football_poker", "reading 9")
@pytest.mark.parametrize("count", [0, 3, 52])
def test_extra_packet_that_is_no_hand_makes_the_round_void(count: int) -> None:
    assert voided(in_phase(Phase.OPENING, Dealing.SHUFFLER).packet(count)) == ("6(3)", "wrong_number")
