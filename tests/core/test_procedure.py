"""The fold: requests asked twice or on an old screen, deliveries that come again, numbers that never repeat."""

import pytest

from tablectl.core import fold
from tablectl.core.cards import DEALER
from tablectl.core.effects import Announce, Refuse, ShuffleCards
from tablectl.core.events.round import BetPlaced, BetRefused, RoundBegan, Settled
from tablectl.core.facts import LogBegan, SessionBegan
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.facts.reports import CardDrawn, PacketDelivered
from tablectl.core.facts.table_requests import BetOffered, BettingClosed, RoundOpened, RoundVoided
from tablectl.core.faults import Code
from tablectl.core.games.q_poker.state import Phase
from tests.support.poker import SHOE, SHUFFLER, cards, said
from tests.support.q_poker import Sitting, accepted, new_table, pair, shuffles, versus
from tests.support.sitting import events, refused

STALE = ("table", "stale_screen")


def betting() -> Sitting:
    return new_table().begin(versus())


# --- requests asked twice


def test_a_request_asked_twice_is_done_once() -> None:
    table = betting()
    first = table.bet(2, request_id="r1")
    again = table.bet(2, request_id="r1")
    assert accepted(first)
    assert again == ()
    assert [bet.stake for bet in table.state.bets] == [100_00, 100_00]
    assert len(table.all_of(BetPlaced)) == 2


def test_repeated_refused_request_is_refused_alike_and_published_once() -> None:
    table = betting()
    first = table.bet(99, request_id="r1")
    again = table.bet(99, request_id="r1")
    assert again == tuple(effect for effect in first if isinstance(effect, Refuse))
    assert len(table.all_of(BetRefused)) == 1


def test_refused_request_stays_refused_when_repeated() -> None:
    table = new_table()
    assert refused(table.tell(RoundOpened(), request_id="r1")) == ("3(1)", "pack_not_confirmed")
    table.confirm_pack()
    assert refused(table.tell(RoundOpened(), request_id="r1")) == ("3(1)", "pack_not_confirmed")
    assert accepted(table.tell(RoundOpened(), request_id="r2"))


def test_the_same_id_of_another_asker_is_another_request() -> None:
    table = betting()
    table.bet(2, request_id="r1", by="dealer")
    assert accepted(table.bet(2, request_id="r1", by="inspector"))
    assert [bet.stake for bet in table.state.bets] == [100_00, 200_00]


def test_requests_without_an_id_are_each_done() -> None:
    table = betting()
    table.bet(2)
    table.bet(2)
    assert table.state.bets[-1].stake == 200_00


def test_answers_outlive_a_restart_of_the_daemon() -> None:
    table = betting()
    table.bet(2, request_id="r1")
    table.restart()
    assert table.bet(2, request_id="r1") == ()


# --- screens that are out of date


def test_a_request_for_another_round_is_refused() -> None:
    table = betting()
    here, elsewhere = table.state.round_id, "5eed0001-000099"
    assert refused(table.tell(BettingClosed(), round_id=elsewhere)) == STALE
    assert refused(table.bet(2, round_id=elsewhere)) == STALE
    assert accepted(table.tell(BettingClosed(), round_id=here))


def test_a_request_for_the_round_that_has_ended_is_refused() -> None:
    table = betting()
    ended = table.state.round_id
    table.deal().finish()
    assert refused(table.bet(2, round_id=ended)) == STALE
    table.begin()
    assert refused(table.bet(2, round_id=ended)) == STALE


def test_bet_from_an_outdated_screen_reaches_surveillance_as_refused() -> None:
    table = betting()
    refusal = said(table.bet(2, round_id="5eed0001-000099"), BetRefused)
    assert (refusal.round_id, refusal.place, refusal.article) == (table.state.round_id, 2, "table")
    assert events(table.tell(BettingClosed(), round_id="5eed0001-000099")) == []


def test_request_made_in_a_phase_that_is_over_is_refused() -> None:
    table = new_table().begin(versus(1), versus(2)).deal()
    on_screen = table.table.records
    table.turn_up_players()
    assert refused(table.tell(RoundVoided("why"), seen=on_screen)) == STALE
    assert accepted(table.tell(RoundVoided("why"), seen=table.table.records))


def test_screen_that_lags_inside_phase_is_not_out_of_date() -> None:
    table = betting()
    on_screen = table.table.records
    table.bet(2)
    assert accepted(table.tell(BettingClosed(), seen=on_screen))


@pytest.mark.article("q_poker", "6.2")
def test_late_bet_is_refused_by_law_before_its_screen() -> None:
    table = betting()
    on_screen = table.table.records
    table.close()
    assert refused(table.bet(2, seen=on_screen)) == ("6(2)", "betting_over")


def test_what_a_device_reports_is_never_out_of_date() -> None:
    table = betting()
    table.tell(CardDrawn(SHOE, cards("As")[0]), seen=0, round_id="another")
    assert table.held(1) == ("As",)


def test_another_request_under_used_name_is_refused_and_does_nothing() -> None:
    table = betting()
    accepted(table.tell(BetOffered(2, "cy", "versus_dealer", 10_000), request_id="r1"))
    before = table.state
    no = refused(table.tell(BetOffered(2, "cy", "versus_dealer", 20_000), request_id="r1"))
    assert no == ("table", "request_id_reused")
    assert table.state == before


def test_a_refusal_for_the_screen_is_remembered_too() -> None:
    table = betting()
    table.tell(BettingClosed(), request_id="r1", round_id="another")
    assert refused(table.tell(BettingClosed(), request_id="r1")) == STALE
    assert table.phase == Phase.BETTING


# --- deliveries that come again


def test_a_delivery_that_comes_again_moves_nothing() -> None:
    table = new_table(Dealing.SHUFFLER).begin(versus())
    packet = PacketDelivered(SHUFFLER, 3)
    table.tell(packet, delivery="1:7")
    dealt = table.state
    assert table.tell(packet, delivery="1:7") == ()
    assert table.tell(packet, delivery="1:6") == ()
    assert table.state == dealt
    table.tell(packet, delivery="1:8")
    assert table.phase == Phase.OPENING


def test_delivery_is_known_after_device_and_daemon_came_back() -> None:
    table = new_table(Dealing.SHUFFLER).begin(versus())
    table.tell(PacketDelivered(SHUFFLER, 3), delivery="1:7")
    table.restart()
    table.attach(SHUFFLER)
    assert table.tell(PacketDelivered(SHUFFLER, 3), delivery="1:7") == ()
    assert table.phase == Phase.DEALING


@pytest.mark.parametrize(("last", "next_"), [("1:65535", "1:0"), ("1:65000", "1:100"), ("1:7", "2:3")])
def test_numbers_that_wrap_and_devices_that_restart_deliver_anew(last: str, next_: str) -> None:
    table = new_table(Dealing.SHUFFLER).begin(versus())
    table.tell(PacketDelivered(SHUFFLER, 3), delivery=last)
    table.tell(PacketDelivered(SHUFFLER, 3), delivery=next_)
    assert table.phase == Phase.OPENING


# --- numbers


def test_every_fact_counts_whatever_becomes_of_it() -> None:
    table = betting()
    before = table.table.records
    table.bet(99)
    table.bet(2, request_id="r1")
    table.bet(2, request_id="r1")
    table.tell(BettingClosed(), round_id="another")
    assert table.table.records == before + 4 == len(table.facts)


def test_no_two_rounds_share_an_id_and_none_two_operations() -> None:
    table = new_table(Dealing.SHUFFLER)
    for _ in range(3):
        table.begin(versus())
        table.change(Dealing.SHUFFLER)
        table.void()
    asked = [operation for effects in table.told for operation in shuffles(effects)]
    assert len(set(asked)) == len(asked) == 6
    assert [event.round_id for event in table.all_of(RoundBegan)] == [f"5eed0001-{n:06d}" for n in (1, 2, 3)]
    assert table.table.rounds == 3


@pytest.mark.parametrize("log_id", ["5eed0002", "no hexadecimal number", "", "澳門"])
def test_operations_of_another_log_have_other_numbers(log_id: str) -> None:
    first, second = new_table(Dealing.SHUFFLER), new_table(Dealing.SHUFFLER)
    second.tell(LogBegan(log_id, "site", "table"))
    first.attach(SHUFFLER)
    numbers = [shuffles(table.open_round())[0] for table in (first, second)]
    assert numbers[0] != numbers[1]
    assert all(0 <= number < 1 << 64 for number in numbers)


@pytest.mark.parametrize("session", ["s3", "", "澳門"])
def test_operations_of_another_session_of_same_log_have_other_numbers(session: str) -> None:
    first, restored = new_table(Dealing.SHUFFLER), new_table(Dealing.SHUFFLER)
    for table, its in ((first, "s2"), (restored, session)):
        table.tell(SessionBegan(its, "1", "hash", "q_poker", "89/2004"))
        table.attach(SHUFFLER)
    assert (first.table.log_id, first.table.records) == (restored.table.log_id, restored.table.records)
    numbers = [shuffles(table.open_round())[0] for table in (first, restored)]
    assert numbers[0] != numbers[1]


def test_the_phases_beginning_is_known_by_its_record() -> None:
    table = betting()
    assert table.table.phase_since < table.table.records
    table.close()
    assert table.table.phase_since == table.table.records
    table.bet(2)
    assert table.table.phase_since == table.table.records - 1


# --- effects and the fold


def test_faults_are_taken_in_and_only_their_messages_go_out() -> None:
    table = betting()
    for effect in table.raise_fault(Code.LINK_LOST, SHOE):
        assert isinstance(effect, Announce | Refuse | ShuffleCards)
    assert [fault.code for fault in table.table.faults] == [Code.LINK_LOST]


def test_housekeeping_effects_come_before_the_games() -> None:
    table = new_table(Dealing.SHUFFLER).begin(versus())
    table.packet()
    kinds = [type(event).__name__ for event in events(table.raise_fault(Code.SHUFFLER_JAM))]
    assert kinds == ["FaultSeen", "Irregular", "Voided"]


def test_a_fold_gives_the_table_that_the_steps_gave() -> None:
    table = new_table().begin(versus(), pair(2)).deal()
    table.finish()
    assert fold.fold(table.game, fold.begin(table.game), table.facts) == table.table


def test_whole_round_is_told_in_order() -> None:
    table = new_table().begin(versus())
    table.close()
    table.deal().turn_up_players().decide_all()
    table.turn_up(DEALER)
    assert [type(event).__name__ for event in table.events] == [
        *("LogStarted", "RoundBegan", "BetPlaced", "BettingOver"),
        *["CardDealt"] * 6,
        *("Revealed", "Decided", "Revealed", "Settled"),
    ]
    assert table.all_of(Settled)[0].opened == "2026-09-21T14:13:25.000000Z"


def test_bet_is_request_of_whoever_asks_and_bears_bettors_name() -> None:
    table = betting()
    table.tell(BetOffered(3, "cy", "versus_dealer", 5_00), by="inspector")
    assert (table.all_of(BetPlaced)[-1].bettor, table.state.bets[-1].bettor) == ("cy", "cy")
