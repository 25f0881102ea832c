"""A round that is over is put right by two persons, in any game; its settlement stays as it was published."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.core import fold
from tablectl.core.bets.results import ROUNDS_KEPT
from tablectl.core.effects import Announce, Effects
from tablectl.core.events.audit import Overridden
from tablectl.core.events.round import Corrected, CorrectedNet, CorrectedSettlement, Regiven, Settled, Voided
from tablectl.core.facts.table_requests import Correction, RoundCorrected, RoundOpened, RoundVoided
from tablectl.core.game_step import Game
from tablectl.core.table import Table
from tablectl.history.explain.model import Share
from tablectl.history.explain.money import money_of
from tablectl.journal.encoding import Origin, read_fact, write_event, write_fact
from tests.core.test_offers import WAYS
from tests.support.offered import offered
from tests.support.q_poker import Sitting, new_table, versus
from tests.support.sitting import events, fact, refused

FIRST, SECOND = "5eed0001-000001", "5eed0001-000002"
CHANGES = (Correction("ann", 150_00), Correction("bob", -50_00))

ENDS = (Settled, Voided)

all_games = pytest.mark.parametrize("game", WAYS)


def asked(
    corrects: str = FIRST, reason: str = "a bet was read wrongly", changes: tuple[Correction, ...] = CHANGES
) -> RoundCorrected:
    return RoundCorrected(corrects, reason, changes)


def correct(table: Sitting, body: RoundCorrected, second: str | None = "sue", **about: Any) -> Effects:
    return table.tell(body, by="max", second=second, **about)


def with_limit(table: Sitting, most: int) -> Sitting:
    """The table in a session whose house allows so much by hand."""
    table.table = replace(table.table, by_hand_limit=most)
    return table


def after_a_round() -> Sitting:
    """A table of Q Poker at which one round was settled."""
    table = new_table(places=2).begin(versus())
    table.void()
    return table


@all_games
def test_a_round_that_was_void_is_corrected_in_every_game(game: str) -> None:
    way = WAYS[game]
    ended = next(table for table in way.tables(1, 400) if table.rounds and way.game.round_id(table.game) is None)
    body = asked(f"{ended.log_id}-{ended.rounds:06d}")
    told, effects = fold.step(way.game, ended, fact(body, ended.records, by="max", second="sue"))
    assert [type(event) for event in events(effects)] == [Corrected, Overridden]
    assert told.game == ended.game
    assert told.rounds == ended.rounds


def ends_of(game: str) -> Iterator[tuple[Table[Any], Settled | Voided, int]]:
    """The table after every round of a few sittings, the round's last event, and that one's number, counted here."""
    way = WAYS[game]
    for seed in range(6):
        count = way.start.announced
        for _, effects, after in way.steps(seed, 300):
            said = events(effects)
            yield from ((after, each, count + nth) for nth, each in enumerate(said, 1) if isinstance(each, ENDS))
            count += len(said)


@all_games
def test_table_remembers_each_rounds_final_event_and_outcome(game: str) -> None:
    kinds = set[type]()
    for after, event, number in ends_of(game):
        kinds.add(type(event))
        ending = after.endings[-1]
        assert (ending.round_id, ending.event) == (event.round_id, number)
        if isinstance(event, Settled):
            money = money_of(event.settlement)
            house = parse(money.commission) + parse(money.house) + sum(parse(each.net) for each in casino(event))
            assert sum(net for _, net in ending.nets) + house == 0
        else:
            assert ending.nets == ()
    assert kinds == {Settled, Voided}


def casino(event: Settled) -> list[Share]:
    """The casino's share of the bank, which is nobody's among the bettors."""
    layers = event.settlement.get("bank", [])
    return [Share("casino", "", each["net"], "") for each in layers if each["bettor"] is None]


def parse(text: str) -> int:
    return round(Decimal(text) * 100)


def test_correction_names_its_event_and_the_new_outcome() -> None:
    table = after_a_round()
    ending = table.table.endings[-1]
    first, _ = events(correct(table, asked()))
    assert isinstance(first, Corrected)
    assert (first.corrects, first.by, first.reason) == (
        f"5eed0001-{ending.event:016d}",
        "max, sue",
        "a bet was read wrongly",
    )
    nets = (CorrectedNet("ann", "150.00"), CorrectedNet("bob", "-50.00"))
    assert first.settlement == CorrectedSettlement("corrected", nets, "-100.00")


def test_second_correction_continues_from_the_first() -> None:
    table = after_a_round()
    correct(table, asked())
    number = table.table.announced - 1
    second, _ = events(correct(table, asked(changes=(Correction("bob", 20_00),))))
    assert isinstance(second, Corrected)
    assert second.corrects == f"5eed0001-{number:016d}"
    nets = (CorrectedNet("ann", "150.00"), CorrectedNet("bob", "-30.00"))
    assert second.settlement == CorrectedSettlement("corrected", nets, "-120.00")
    assert (second.changes, second.house) == ((Regiven("bob", "20.00"),), "-20.00")


def test_forgotten_round_is_corrected_in_the_audit_alone() -> None:
    table = after_a_round()
    for _ in range(ROUNDS_KEPT):
        table.begin(versus())
        table.void()
    assert len(table.table.endings) == ROUNDS_KEPT
    assert [type(event) for event in events(correct(table, asked()))] == [Overridden]
    assert [type(event) for event in events(correct(table, asked(SECOND)))] == [Corrected, Overridden]


@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from("abcd"), st.integers(-(10**9), 10**9).filter(bool)), min_size=1, max_size=4),
        min_size=1,
        max_size=4,
    )
)
def test_whatever_is_corrected_the_money_sums_to_nothing(changes: list[list[tuple[str, int]]]) -> None:
    table = after_a_round()
    sums: Counter[str] = Counter()
    for each in changes:
        sums.update(dict.fromkeys((name for name, _ in each), 0))
        for name, amount in each:
            sums[name] += amount
        said, _ = events(correct(table, asked(changes=tuple(Correction(*one) for one in each))))
        assert isinstance(said, Corrected)
        assert sum(parse(one.amount) for one in said.changes) + parse(said.house) == 0
        now = {one.bettor: parse(one.net) for one in said.settlement.bettors}
        assert now == sums
        assert sum(now.values()) + parse(said.settlement.house) == 0


def test_what_bettors_get_and_what_house_gives_sum_to_nothing() -> None:
    _, event = events(correct(after_a_round(), asked()))
    assert event == Overridden(
        round_id=FIRST,
        by="max, sue",
        what=f"settlement {FIRST}",
        reason="a bet was read wrongly",
        changes=(Regiven("ann", "150.00"), Regiven("bob", "-50.00")),
        house="-100.00",
    )


def test_correction_while_next_round_goes_on_moves_nothing_in_it() -> None:
    table = after_a_round()
    table.begin(versus())
    before = table.state
    assert refused(correct(table, asked())) is None
    assert table.state == before


@pytest.mark.parametrize(
    ("corrects", "code"),
    [
        (SECOND, "round_still_open"),
        ("5eed0001-000003", "no_such_round"),
        ("5eed0001-000000", "no_such_round"),
        ("5eed0001-1", "no_such_round"),
        ("5eed0001-0000001", "no_such_round"),
        ("5eed0001-00000²", "no_such_round"),
        ("5eed0002-000001", "no_such_round"),
        ("", "no_such_round"),
    ],
)
def test_a_round_that_is_open_or_unknown_is_not_corrected(corrects: str, code: str) -> None:
    table = after_a_round()
    table.begin(versus())
    assert refused(correct(table, asked(corrects))) == ("table", code)


@pytest.mark.parametrize("reason", ["", " ", "\n"])
def test_a_correction_needs_its_reason(reason: str) -> None:
    assert refused(correct(after_a_round(), asked(reason=reason))) == ("table", "correction_without_reason")


@pytest.mark.parametrize(
    "changes", [(), (Correction("ann", 0),), (Correction(" ", 1),), (Correction("ann", 1), Correction("bob", 0))]
)
def test_a_correction_says_who_gets_or_gives_how_much(changes: tuple[Correction, ...]) -> None:
    assert refused(correct(after_a_round(), asked(changes=changes))) == ("table", "nothing_corrected")


@pytest.mark.parametrize("second", [None, "", "max"])
def test_a_correction_takes_two_different_persons(second: str | None) -> None:
    assert refused(correct(after_a_round(), asked(), second=second)) == ("table", "second_person_missing")


def test_a_correction_is_true_whatever_the_screen_has_not_seen() -> None:
    table = after_a_round()
    seen = table.table.records
    table.begin(versus())
    assert refused(correct(table, asked(), seen=seen, round_id=FIRST)) is None


def test_a_correction_asked_twice_is_made_once() -> None:
    table = after_a_round()
    assert events(correct(table, asked(), request_id="c1"))
    assert events(correct(table, asked(), request_id="c1")) == []


def beyond_reach(most: int) -> Sitting:
    """A table whose first round amendments no longer reach."""
    table = with_limit(after_a_round(), most)
    for _ in range(ROUNDS_KEPT):
        table.begin(versus())
        table.void()
    return table


def test_round_beyond_reach_is_corrected_up_to_the_limit() -> None:
    table = beyond_reach(200_00)
    (override,) = events(correct(table, asked()))
    assert isinstance(override, Overridden)
    assert override.by_hand
    assert b'"by_hand":true' in _payload(override)
    for amount in (1, -1):
        more = asked(changes=(Correction("ann", amount),))
        assert refused(correct(table, more, request_id=f"by {amount}")) == ("table", "beyond_limit_by_hand")


def _payload(event: Overridden) -> bytes:
    origin = Origin("site", "table", "5eed0001", "s1")
    return write_event(event, fact(asked(), 1), origin, 1, 0, cause=None, simulated=False)[1]


def test_a_house_that_set_no_limit_corrects_nothing_beyond_reach() -> None:
    assert refused(correct(beyond_reach(0), asked(changes=(Correction("ann", 1),)))) == (
        "table",
        "beyond_limit_by_hand",
    )


def test_limit_is_each_rounds_own_and_spares_those_within_reach() -> None:
    table = beyond_reach(200_00)
    correct(table, asked())
    assert refused(correct(table, asked(SECOND), request_id="c2")) is None
    table.begin(versus())
    table.void()
    assert refused(correct(table, asked(SECOND), request_id="c3")) is None
    assert refused(correct(table, asked(SECOND), request_id="c4")) == ("table", "beyond_limit_by_hand")


def test_a_correction_is_offered_once_a_round_is_over() -> None:
    table = new_table(places=2)
    assert _offered(table.game, table.table) == "no_such_round"
    table.begin(versus())
    assert _offered(table.game, table.table) == "no_such_round"
    table.void()
    assert _offered(table.game, table.table) is None


def _offered(game: Game[Any], table: Table[Any]) -> str | None:
    (offer,) = (offer for offer in offered(game, table) if isinstance(offer.body, RoundCorrected))
    return offer.refused.code if offer.refused else None


@all_games
def test_a_void_round_names_both_persons_where_two_agreed(game: str) -> None:
    way = WAYS[game]
    opened = next(table for table in way.tables(1) if way.game.round_id(table.game) is not None)
    _, effects = fold.step(way.game, opened, fact(RoundVoided("why"), 1, by="dan", second="sue"))
    (void,) = (effect.event for effect in effects if isinstance(effect, Announce) and isinstance(effect.event, Voided))
    assert void.by == "dan, sue"


# --- on disk and in the feed


def test_second_person_is_in_the_journal_or_absent() -> None:
    two, one = fact(asked(), 1, by="max", second="sue"), fact(RoundOpened(), 1, by="max")
    assert b'"second":"sue"' in write_fact(two)
    assert b"second" not in write_fact(one)
    assert (read_fact(write_fact(two)), read_fact(write_fact(one))) == (two, one)


def test_correction_is_published_for_its_own_round() -> None:
    said = events(correct(after_a_round(), asked()))
    origin = Origin("site", "table", "5eed0001", "s1")
    written = [
        write_event(event, fact(asked(), 1), origin, 7, 0, cause=None, simulated=False, during=SECOND) for event in said
    ]
    assert [topic for topic, _ in written] == ["event/round", "event/audit"]
    for _, payload in written:
        assert f'"subject":"{FIRST}"'.encode() in payload
        assert f'"correlationid":"{FIRST}"'.encode() in payload
        assert SECOND.encode() not in payload
