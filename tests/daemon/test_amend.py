"""Recorded facts put right at a table of Q Poker: what is worked out anew, what is published, what a replay makes."""

import asyncio
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tablectl.core.amending.placed import as_amended
from tablectl.core.amending.refold import Refolds
from tablectl.core.cards import Card
from tablectl.core.facts.amendments import Basis, Change, RoundAmended
from tablectl.core.facts.game_requests import CardExposed, CardsCounted, HandOpened, PackConfirmed
from tablectl.core.facts.reports import CardDrawn
from tablectl.core.facts.table_requests import BetOffered, DecisionDeclared, RoundOpened, RoundVoided
from tablectl.core.games.q_poker.state import QPoker
from tablectl.core.protocols import Reply, Standing
from tablectl.daemon.requests.round_past import RoundReader
from tablectl.daemon.table import LiveTable
from tests.daemon.test_table import BEGUN, CARDS, DEALT, OPENED, ask, fact, recovered, running

ROUND = "0a0b0c0d-000001"
OPENING = 5
"""The record of the fact that opened the round; two bets follow, then the cards."""
FIRST_CARD = 8
FLOOR = Standing(("dealer", "supervisor"))


def to(record: int, **fields: Any) -> Change:
    return Change(record, json.dumps(fields))


def struck(record: int) -> Change:
    return Change(record)


def after(record: int, verb: str, **fields: Any) -> Change:
    return Change(record, json.dumps(fields), inserted=True, verb=verb)


async def amend(
    table: LiveTable[QPoker], *changes: Change, standing: Standing = FLOOR, round_id: str | None = ROUND, **about: Any
) -> Reply:
    asked = RoundAmended("it was misread", changes)
    seen = about.pop("seen", table.state.records)
    return await table.ask(fact(table, asked, by="ana", second="sam", round_id=round_id, seen=seen, **about), standing)


def kinds(events: Sequence[Any]) -> list[str]:
    return [json.loads(event.payload)["type"].removeprefix("mo.tablectl.") for event in events]


def data(event: Any) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(event.payload)["data"]
    return told


def refused_code(reply: Reply) -> str:
    assert reply.refused is not None
    return reply.refused.code


async def test_a_stake_put_right_settles_a_finished_round_again(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, seen):
        await ask(table, *BEGUN, *DEALT, *OPENED)
        before = len(seen.events)
        reply = await amend(table, to(OPENING + 1, stake="200"))
    assert reply.refused is None
    said = seen.events[before:]
    assert kinds(said)[0] == "round.amended.v1"
    assert kinds(said)[-1] == "round.corrected.v1"
    amended, corrected = data(said[0]), data(said[-1])
    assert amended["changes"][0]["was"]["stake"] == "100.00"
    assert amended["changes"][0]["now"]["stake"] == "200.00"
    assert corrected["by_hand"] is False
    (bet,) = corrected["result"]["places"][0]["bets"]
    assert bet["stake"] == "200.00"
    assert corrected["settlement"]["bettors"][0]["net"] == bet["net"]
    again = [json.loads(event.payload) for event in said[1:-1]]
    opened = next(json.loads(event.payload) for event in seen.events if kinds([event]) == ["round.opened.v1"])
    assert again[0]["type"].endswith("bet.placed.v1")
    assert all(each["time"] < json.loads(said[0].payload)["time"] for each in again)
    assert opened["id"] not in amended["amends"]


async def test_misread_card_put_right_before_the_end_asks_nothing_again(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, seen):
        await ask(table, *BEGUN, *DEALT, OPENED[0])
        reply = await amend(table, to(FIRST_CARD, card="2c"))
        assert reply.refused is None, reply
        assert reply.outcome is not None
        assert reply.outcome["asks_again"] == []
        assert reply.outcome["phase"] == "opening"
        await ask(table, *OPENED[1:])
    settled = data(seen.events[-1])
    assert "2c" in settled["round"]["places"][0]["cards"]


async def test_open_card_misread_as_a_hidden_one_names_neither(tmp_path: Path) -> None:
    hidden, misread = DEALT[1], FIRST_CARD + 3
    drawn, lies = (*DEALT[:3], hidden, *DEALT[4:]), (Card(CARDS[0]), Card("2c"), Card(CARDS[6]))
    async with running(tmp_path) as (table, seen):
        await ask(table, *BEGUN, *drawn, HandOpened(1, lies))
        reply = await amend(table, to(misread, card="2c"))
        assert reply.refused is None, reply
    (change,) = data(next(event for event in seen.events if kinds([event]) == ["round.amended.v1"]))["changes"]
    assert (change["was"], change["now"]) == ({"card": None, "lies": 1}, {"card": "2c", "lies": 1})


async def test_the_identity_of_a_face_down_card_cannot_be_stated(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN, *DEALT)
        reply = await amend(table, to(FIRST_CARD, card="2c"))
        assert refused_code(reply) == "card_lies_face_down"
        assert reply.refused is not None
        assert reply.refused.where == "changes[0].to.card"
        reply = await amend(table, to(FIRST_CARD, card=None))
        assert reply.refused is None
        assert reply.outcome is not None
        assert reply.outcome["phase"] == "opening"
        told = json.dumps(reply.outcome)
        assert str(DEALT[0].card) not in told


async def test_a_place_served_by_mistake_is_found_after_all_cards(tmp_path: Path) -> None:
    """Bets at 1 and 3, and place 2 was served: every second card of three lies there."""
    cards = [Card(name) for name in ["4s", "9c", "Kd", "Ad", "8c", "Ks", "7h", "5c", "Kc", "2d", "3d", "6h"]]
    drawn = [cards[nth] for nth in (0, 1, 2, 9, 3, 4, 5, 10, 6, 7, 8, 11)]
    async with running(tmp_path) as (table, seen):
        await ask(table, *BEGUN)
        for card in drawn:
            await table.ask(fact(table, CardDrawn("shoe", card)))
        changes = [to(FIRST_CARD + nth, lies=2) for nth in (1, 5, 9)]
        reply = await amend(table, *changes)
        assert reply.refused is None, reply
        for place in (1, 3, "dealer"):
            answer = await table.ask(fact(table, HandOpened(place)))
            assert answer.refused is None, answer
    settled = data(seen.events[-1])
    assert settled["round"]["places"][0]["cards"] == ["4s", "Ad", "7h"]
    assert settled["round"]["places"][1]["cards"] == ["Kd", "Ks", "Kc"]


async def test_a_wrong_count_opens_the_void_round_again(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, seen):
        await ask(table, *BEGUN, *DEALT)
        await table.ask(fact(table, CardsCounted(7)))
        assert kinds(seen.events)[-1] == "round.void.v1"
        void = json.loads(seen.events[-1].payload)["id"]
        reply = await amend(table, to(FIRST_CARD + 9, count=9))
        assert reply.refused is None
        reopened = next(event for event in seen.events if kinds([event]) == ["round.reopened.v1"])
        assert data(reopened)["reopens"] == void
        assert table.game.round_id(table.state.game) == ROUND
        await ask(table, *OPENED)
    assert kinds(seen.events)[-1] == "round.settled.v1"


async def test_unfinished_round_before_a_later_one_is_refused_as_incomplete(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN, *DEALT)
        await table.ask(fact(table, CardsCounted(7)))
        await ask(table, PackConfirmed(), RoundOpened())
        reply = await amend(table, to(FIRST_CARD + 9, count=9))
        assert refused_code(reply) == "incomplete"
        assert reply.refused is not None
        assert reply.refused.asks_again
        whole = (after(FIRST_CARD + 9, "open_hand", place=place) for place in (1, 3, "dealer"))
        reply = await amend(table, to(FIRST_CARD + 9, count=9), *whole)
        assert reply.refused is None, reply
        assert table.game.round_id(table.state.game) == "0a0b0c0d-000002"


async def test_decision_that_hangs_on_a_struck_hand_is_asked_again(tmp_path: Path) -> None:
    bets = (BetOffered(1, "ann", "versus_dealer", 100_00),)
    cards = [CardDrawn("shoe", Card(name)) for name in ["As", "Kd", "Qh", "2c", "3c", "4d"]]
    async with running(tmp_path) as (table, seen):
        await ask(table, *BEGUN[:5], *bets, *cards, HandOpened(1), DecisionDeclared(1, "ann", "play"))
        opened = OPENING + 1 + 6 + 1
        reply = await amend(table, struck(opened))
        assert reply.outcome is not None
        assert reply.outcome["phase"] == "opening"
        assert [each["record"] for each in reply.outcome["asks_again"]] == [opened + 1]
        amended = next(event for event in seen.events if kinds([event]) == ["round.amended.v1"])
        assert data(amended)["asks_again"][0]["verb"] == "decide"


async def test_an_amendment_can_be_struck_itself(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN, *DEALT, *OPENED)
        nets = table.state.endings[-1].nets
        first = await amend(table, to(OPENING + 1, stake="200"))
        assert table.state.endings[-1].nets != nets
        second = await amend(table, struck(first.record))
        assert second.refused is None, second
        assert table.state.endings[-1].nets == nets


async def test_an_amended_amendment_says_what_it_was(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, seen):
        await ask(table, *BEGUN)
        first = await amend(table, to(OPENING + 1, stake="200"))
        changes = [{"record": OPENING + 1, "to": {"stake": "300"}}, {"record": OPENING + 2, "to": None}]
        assert (await amend(table, to(first.record, changes=changes))).refused is None
    *_, said = (data(event) for event in seen.events if kinds([event]) == ["round.amended.v1"])
    (change,) = said["changes"]
    assert change["was"] == {"reason": "it was misread", "changes": 1}
    assert change["now"] == {"reason": "it was misread", "changes": 2}


async def test_round_read_on_and_folded_on_is_as_anew(tmp_path: Path) -> None:
    changes = (to(OPENING + 1, stake="200"), to(FIRST_CARD, card="2c"), to(OPENING + 2, stake="300"))
    first, second, last = OPENED
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN, *DEALT, first)
        for change, acts in zip(changes, ((second,), (last,), ()), strict=True):
            assert (await amend(table, change)).refused is None
            await ask(table, *acts)
            one, other = [
                await table.journal.look(partial(each.basis, table.state, ROUND))
                for each in (table._bases._rounds, read_anew(table))
            ]
            assert isinstance(one, Basis)
            assert isinstance(other, Basis)
            assert one == other
            for facts in (as_amended(one.known(), one.earlier[:count]) for count in range(len(one.earlier) + 1)):
                kept = table.folding.refolded(table.game, one.opening, facts)
                assert kept == Refolds()(table.game, one.opening, facts)


def read_anew(table: LiveTable[QPoker]) -> RoundReader:
    known = table._bases._rounds
    return RoundReader(known.game, known.by_terms, known.journal, known.read_snapshot)


async def test_the_second_of_two_amendments_on_one_screen_is_stale(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN, *DEALT, *OPENED)
        seen = table.state.records
        both = await asyncio.gather(
            amend(table, to(OPENING + 1, stake="200"), seen=seen), amend(table, to(OPENING + 2, stake="200"), seen=seen)
        )
    assert both[0].refused is None
    assert refused_code(both[1]) == "stale_screen"


async def test_a_finished_round_is_stale_by_its_last_amendment_alone(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN, *DEALT, *OPENED[:-1])
        seen = table.state.records
        await ask(table, OPENED[-1])
        reply = await amend(table, to(OPENING + 1, stake="200"), seen=seen)
        assert reply.refused is None
        again = await amend(table, to(OPENING + 1, stake="300"), seen=reply.record - 1)
        assert refused_code(again) == "stale_screen"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (to(1, place=1), "not_of_the_round"),
        (to(999, place=1), "not_of_the_round"),
        (struck(OPENING), "not_amendable"),
        (to(OPENING + 1, stake="abc"), "wrong_field"),
        (to(OPENING + 1, colour="red"), "wrong_field"),
        (after(OPENING + 1, "open_round"), "not_insertable"),
        (after(OPENING + 1, "bet", place=99, bettor="x", bet="pair_or_better", stake="1"), "no_such_place"),
    ],
)
async def test_a_change_without_meaning_is_refused_and_nothing_changes(
    tmp_path: Path, change: Change, code: str
) -> None:
    async with running(tmp_path) as (table, seen):
        await ask(table, *BEGUN, *DEALT, *OPENED)
        before, count = table.state, len(seen.events)
        reply = await amend(table, change)
        assert refused_code(reply) == code
        assert table.state.game == before.game
        assert table.state.endings == before.endings
        assert len(seen.events) == count


async def test_a_dry_run_changes_nothing_and_says_what_would_follow(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN, *DEALT, *OPENED)
        before = table.state
        reply = await amend(table, to(OPENING + 1, stake="200"), standing=Standing(("dealer",), dry=True))
        assert table.state == before
    assert reply.outcome is not None
    assert reply.outcome.keys() == {"phase", "asks_again", "nets", "to_pay", "to_take_back", "needs_second"}
    assert reply.outcome["needs_second"] is True
    assert reply.outcome["nets"]["before"] != reply.outcome["nets"]["after"]


@pytest.mark.parametrize("guess", [CardExposed(1, 1, Card(name)) for name in ("As", "Jc")])
async def test_a_dry_run_doesnt_tell_a_face_down_card(guess: CardExposed, tmp_path: Path) -> None:
    async with running(tmp_path) as (table, seen):
        await ask(table, *BEGUN, *DEALT)
        before = len(seen.events)
        reply = await table.ask(fact(table, guess), Standing(("dealer",), dry=True))
        assert (reply.refused, len(seen.events)) == (None, before)


@pytest.mark.parametrize("cards", [(), ("Qs", "4d", "7h"), ("Qs", "4d", "Jc")])
async def test_dry_run_of_the_last_hand_counts_named_cards_alone(cards: tuple[str, ...], tmp_path: Path) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN, *DEALT, *OPENED[:-1])
        last = HandOpened("dealer", tuple(map(Card, cards)))
        reply = await table.ask(fact(table, last), Standing(("dealer",), dry=True))
    assert reply.outcome is not None
    assert reply.outcome["phase"] == "idle"
    assert (reply.outcome["nets"]["after"] is not None) == bool(cards)


@pytest.mark.parametrize(
    ("bodies", "change", "roles", "may"),
    [
        (DEALT, to(OPENING + 1, stake="200"), ("dealer",), True),
        (DEALT, to(FIRST_CARD, card=None), ("dealer",), False),
        (DEALT, to(FIRST_CARD, card=None), ("supervisor",), True),
        ((*DEALT, OPENED[0]), to(OPENING + 1, stake="200"), ("dealer",), False),
        ((*DEALT, OPENED[0]), to(OPENING + 1, stake="200"), ("dealer", "supervisor"), True),
        ((*DEALT, *OPENED), to(OPENING + 1, stake="200"), ("supervisor",), False),
        ((*DEALT, *OPENED), to(OPENING + 1, stake="200"), ("supervisor", "dealer"), True),
        ((*DEALT, *OPENED), to(OPENING + 1, stake="200"), ("dealer", "dealer"), False),
    ],
)
async def test_who_may_amend_depends_on_what_can_be_seen(
    tmp_path: Path, bodies: tuple[Any, ...], change: Change, roles: tuple[str, ...], may: bool
) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN, *bodies)
        records = table.state.records
        reply = await amend(table, change, standing=Standing(roles))
        assert (reply.refused is None) == may
        assert table.state.records == records + may


async def test_a_restart_makes_the_same_state_of_amendments(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN, *DEALT)
        await amend(table, to(OPENING + 1, stake="200"))
        await ask(table, *OPENED, PackConfirmed(), RoundOpened())
        await amend(table, to(OPENING + 2, stake="70"))
        state = table.state
    again, _ = await asyncio.to_thread(recovered, tmp_path)
    assert again.state == state
    await asyncio.to_thread(again.shut)


async def test_a_struck_void_lets_the_round_go_on(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, seen):
        await ask(table, *BEGUN, *DEALT)
        reply = await table.ask(fact(table, RoundVoided("by mistake"), by="ana", second="sam"))
        await ask(table, PackConfirmed())
        assert (await amend(table, struck(reply.record))).refused is None
        await ask(table, *OPENED)
    assert kinds(seen.events)[-1] == "round.settled.v1"


async def test_a_repeated_amendment_has_its_answer_after_the_round(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"request_id": "screen1-9", "seen": 90}
    alone = Standing(("supervisor",))
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN, *DEALT, *OPENED[:-1])
        ends = after(table.state.records, "open_hand", place="dealer")
        answer = await amend(table, ends, standing=alone, **asked)
        assert answer.refused is None
        assert answer.outcome is not None
        assert answer.outcome["phase"] == "idle"
        assert await amend(table, ends, standing=alone, **asked) == answer
        another = await amend(table, struck(OPENING + 1), standing=alone, **asked)
        assert refused_code(another) == "request_id_reused"
    async with running(tmp_path) as (table, _):
        assert await amend(table, ends, standing=alone, **asked) == answer


@pytest.mark.parametrize("round_id", ["0a0b0c0d-000099", None])
async def test_a_round_that_never_was_is_refused_whoever_asks(round_id: str | None, tmp_path: Path) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN)
        reply = await amend(table, struck(OPENING + 1), standing=Standing(("dealer",)), round_id=round_id)
        assert refused_code(reply) == "no_such_round"


@pytest.mark.parametrize(("count", "code"), [(64, None), (65, "too_many_changes")])
async def test_an_amendment_has_at_most_sixty_four_changes(count: int, code: str | None, tmp_path: Path) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN)
        reply = await amend(table, *(to(OPENING + 1, stake="200") for _ in range(count)))
        assert (reply.refused and (reply.refused.code, reply.refused.where)) == (code and (code, "changes"))
