"""Cards in a wrong order or number, and cards that show by mistake, in both games of poker."""

import pytest

from tablectl.core.cards import Place
from tablectl.core.dealing.pack import PackState
from tablectl.core.events.round import CardOutOfRound, CardShown, Irregular, Settled, Voided
from tablectl.core.facts.game_requests import Dealing, MisdealDeclared
from tablectl.core.faults import Code
from tests.support.poker import SHOE, cards, irregularity, next_cards, said, voided
from tests.support.pokers import Poker, both_games, in_phases
from tests.support.sitting import refused
from tests.support.ways import both_ways


@pytest.mark.article("q_poker", "11.1")
@pytest.mark.article("q_poker", "reading 20")
@pytest.mark.article("football_poker", "6.3")
@pytest.mark.article("football_poker", "reading 9")
@both_games
@both_ways
def test_misdealt_card_not_put_right_makes_the_round_void(poker: Poker, dealing: Dealing) -> None:
    table = poker.dealing_to(1, 2, dealing=dealing)
    assert refused(table.misplace(2)) is None
    assert (table.phase, table.prompt()) == ("dealing", "misplaced")
    after = next_cards(table)
    assert irregularity(after) == (poker.articles["order"], "wrong_order", "round_void")
    assert voided(after) == (poker.articles["order"], "wrong_order")
    assert table.phase == "idle"


@pytest.mark.article("q_poker", "11.1")
@pytest.mark.article("q_poker", "reading 20")
@pytest.mark.article("football_poker", "reading 9")
@both_games
@both_ways
def test_misplaced_card_put_right_in_time_is_only_recorded(poker: Poker, dealing: Dealing) -> None:
    table = poker.dealing_to(1, dealing=dealing)
    table.misplace(poker.last)
    assert irregularity(table.mend()) == (poker.articles["order"], "mended", "mended")
    hands = {1: poker.hands[1], poker.last: poker.hands[poker.last]}
    if dealing is Dealing.SHUFFLER:
        table.packet()
    elif poker.size == 3:
        table.draw("Qs", "Ks", "7h", "Qd", "2c")
    else:
        table.draw("4d", "2s", "6d")
    assert poker.finish(table, hands).irregularities == (poker.articles["order"],)


@pytest.mark.article("q_poker", "reading 20")
@pytest.mark.article("football_poker", "reading 9")
@both_games
@both_ways
def test_card_is_misplaced_only_where_another_was_due(poker: Poker, dealing: Dealing) -> None:
    table = poker.dealing_to(2, 3, dealing=dealing)
    assert refused(table.misplace(2)) == (poker.articles["order"], "lies_right")
    for nowhere in (99, 0, "banker"):
        assert refused(table.misplace(nowhere)) == (poker.articles["place"], "no_such_place")
    table.misplace(3)
    assert refused(table.misplace(poker.last)) == (poker.articles["order"], "nothing_misplaced")


@pytest.mark.article("q_poker", "reading 20")
@pytest.mark.article("q_poker", "11.2")
@pytest.mark.article("q_poker", "11.3")
@pytest.mark.article("football_poker", "reading 9")
@in_phases("idle", "drawing", "betting", "closed")
@both_ways
def test_where_no_card_lies_none_is_misplaced_or_shows(poker: Poker, when: str, dealing: Dealing) -> None:
    table = poker.in_phase(when, dealing)
    assert refused(table.misplace(3)) == (poker.articles["order"], "nothing_misplaced")
    assert refused(table.mend()) == (poker.articles["order"], "nothing_misplaced")
    assert refused(table.tell(MisdealDeclared(1))) == (poker.articles["order"], "no_cards_out")
    for place in (1, poker.last):
        assert refused(table.expose(place)) == (poker.articles["shown"], "no_such_card")


@pytest.mark.article("q_poker", "reading 20")
@pytest.mark.article("football_poker", "reading 9")
@both_games
def test_request_about_the_last_card_means_the_one_on_screen(poker: Poker) -> None:
    table = poker.dealing_to(1)
    shown = table.table.records
    table.draw("9h")
    assert refused(table.misplace(5, seen=shown)) == ("table", "stale_screen")
    assert refused(table.count(1, seen=shown)) == ("table", "stale_screen")
    assert refused(table.misplace(5, seen=table.table.records)) is None
    assert table.held(5) == ("9h",)


@pytest.mark.article("q_poker", "11.1")
@pytest.mark.article("football_poker", "reading 9")
@in_phases("dealing", "looking", "thirds", "opening", "deciding", "showdown")
@both_ways
def test_misdeal_found_too_late_to_mend_makes_the_round_void(poker: Poker, when: str, dealing: Dealing) -> None:
    table = poker.in_phase(when, dealing)
    effects = table.tell(MisdealDeclared(1))
    assert irregularity(effects) == (poker.articles["order"], "misdealt", "round_void")
    assert voided(effects) == (poker.articles["order"], "misdealt")
    assert [stake.stake for stake in said(effects, Voided).returned] == ["100.00", "10.00"]
    assert (table.phase, table.pack) == ("idle", PackState.NEEDED)


@pytest.mark.article("q_poker", "11.1")
@pytest.mark.article("football_poker", "reading 9")
@in_phases("looking", "opening", "deciding", "showdown")
@both_ways
def test_card_too_many_at_hand_that_plays_makes_round_void(poker: Poker, when: str, dealing: Dealing) -> None:
    table = poker.in_phase(when, dealing)
    assert said(next_cards(table), CardOutOfRound).round_id == table.round_id
    assert (table.phase, table.prompt()) == (when, "surplus")
    hidden = poker.last if when == "showdown" else poker.places[-1]
    if when != "deciding":
        assert refused(table.turn_up(hidden)) == (poker.articles["order"], "card_to_be_placed")
    assert voided(table.misplace(1)) == (poker.articles["order"], "wrong_number")


@pytest.mark.article("q_poker", "11.1")
@pytest.mark.article("football_poker", "reading 9")
@both_games
@both_ways
def test_a_second_card_too_many_makes_the_round_void(poker: Poker, dealing: Dealing) -> None:
    table = poker.in_phase("opening", dealing)
    next_cards(table)
    assert voided(next_cards(table, "3d")) == (poker.articles["order"], "wrong_number")


# --- cards that show by mistake


@pytest.mark.article("q_poker", "11.2")
@pytest.mark.article("football_poker", "7")
@both_games
def test_shown_card_is_published_when_read_or_named(poker: Poker) -> None:
    read = poker.dealing_to(1)
    assert said(read.expose(1), CardShown).cards == cards("As")
    unread = poker.dealing_to(1, dealing=Dealing.SHUFFLER)
    assert said(unread.expose(1, 2), CardShown).cards == ()
    assert said(unread.expose(1, 2, "Ks"), CardShown).cards == cards("Ks")
    assert unread.held(1) == (None, "Ks", None)[: poker.size]


@pytest.mark.article("q_poker", "9.1")
@pytest.mark.article("football_poker", "7")
@both_games
def test_card_seen_by_the_dealer_must_be_one_read(poker: Poker) -> None:
    table = poker.dealing_to(1)
    effects = table.expose(1, 1, "Ks")
    assert refused(effects) == (poker.articles["seen"], "cards_disagree")
    assert "'As'" not in repr(effects)
    assert [fault.code for fault in table.table.faults] == [Code.SHOE_CARDS_DISAGREE]
    assert not table.all_of(CardShown)
    assert refused(table.expose(1, 1, "As")) is None


@pytest.mark.article("q_poker", "11.2")
@pytest.mark.article("football_poker", "7")
@both_games
@pytest.mark.parametrize(("place", "index"), [(1, 0), (1, 2), (1, -1), (None, 1), (2, 1), (99, 1), ("banker", 1)])
def test_a_card_that_does_not_lie_there_cannot_show(poker: Poker, place: Place | None, index: int) -> None:
    table = poker.dealing_to(1)
    where = poker.last if place is None else place
    assert refused(table.expose(where, index)) == (poker.articles["shown"], "no_such_card")
    assert refused(table.expose(1, 1, "zz")) == (poker.articles["shown"], "no_such_card")


@pytest.mark.article("q_poker", "11.2")
@pytest.mark.article("football_poker", "7")
@both_games
def test_a_hand_that_lies_open_shows_nothing_by_mistake(poker: Poker) -> None:
    table = poker.all_dealt(1, 2)
    table.turn_up(1)
    assert refused(table.expose(1)) == (poker.articles["shown"], "no_longer_hidden")
    assert refused(table.expose(2)) is None


@pytest.mark.article("q_poker", "11.2")
@pytest.mark.article("q_poker", "11.4")
@pytest.mark.article("football_poker", "7")
@pytest.mark.article("football_poker", "reading 11")
@both_games
def test_misplaced_card_takes_its_shown_face_with_it(poker: Poker) -> None:
    table = poker.dealing_to(1)
    table.expose(1, 1)
    table.misplace(2)
    table.draw("Ks")
    hands = {hand["place"]: hand["cards"] for hand in table.public()["hands"]}
    assert (hands[2], hands[1]) == (["As"], [None])
    assert "Ks" in table.game.unrevealed(table.state)


# --- persons


@in_phases("drawing", "betting", "closed", "dealing", "looking", "thirds", "opening", "deciding", "showdown")
@both_ways
def test_supervisor_ends_a_round_in_any_phase_returning_stakes(poker: Poker, when: str, dealing: Dealing) -> None:
    table = poker.in_phase(when, dealing)
    bets = table.state.bets
    assert refused(table.void("  ")) == ("table", "reason_missing")
    event = said(table.void("power cut"), Voided)
    assert (event.article, event.reason, event.by) == ("table", "power cut", "supervisor")
    assert [stake.bettor for stake in event.returned] == [laid.bettor for laid in bets]
    assert [stake.stake for stake in event.returned] == (["100.00", "10.00"] if bets else [])
    assert (table.phase, table.state.deal.hands, table.state.bets) == ("idle", (), ())
    assert not table.all_of(Settled)


@both_games
def test_irregularity_names_person_who_reported_it_and_none_for_device(poker: Poker) -> None:
    table = poker.dealing_to(1, 2)
    table.expose(1)
    table.misplace(2)
    table.draw("Ks")
    assert [event.by for event in table.all_of(Irregular)] == ["dealer", None]
    assert table.all_of(Voided)[0].by == SHOE


@pytest.mark.article("q_poker", "11.1")
@pytest.mark.article("football_poker", "6.3")
@both_games
@both_ways
def test_cards_dealt_when_nobody_has_a_bet_make_round_void(poker: Poker, dealing: Dealing) -> None:
    first = next_cards(poker.new_table(dealing).begin(), "As")
    assert irregularity(first) == (poker.articles["order"], "dealt_without_bets", "round_void")
    assert voided(first) == (poker.articles["order"], "dealt_without_bets")


@both_games
def test_reading_that_is_no_card_of_pack_is_no_reading(poker: Poker) -> None:
    table = poker.new_table().begin(poker.bet())
    table.draw("zz", "10h")
    assert [card for hand in table.state.deal.hands for card in hand.cards] == [None, None]
