"""What a request is answered with, at a table with a journal of its own."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tablectl.core.actions.subscriber_requests import Answer, Asked, Denied, Subscriber
from tablectl.core.events import FAMILIES
from tablectl.core.facts import Body, FaultRaised
from tablectl.core.facts.table_requests import Correction, RoundCorrected
from tablectl.core.faults import Code
from tablectl.core.games.q_poker.state import QPoker
from tablectl.core.money import utc_text
from tablectl.core.protocols import StoredEvent
from tablectl.core.table import fault
from tablectl.daemon.requests.service import Answers, Elsewhere
from tablectl.daemon.table import LiveTable
from tablectl.history.events import instant
from tablectl.proof.tree import Frontier, continues, leaf_hash, root_of
from tests.daemon.test_table import BEGUN, DEALT, OPENED, ask, running

BY = Subscriber("cctv", frozenset(), frozenset({"round", "audit"}), "surveillance")
ROUND: tuple[Body, ...] = (*BEGUN[3:], *DEALT, *OPENED)


async def prove(round_id: str) -> Answer | Denied:
    return Answer({"round": round_id})


async def verify(seed: bytes, user: str) -> Answer:
    return Answer({"seed": seed.hex(), "user": user})


@asynccontextmanager
async def desk(folder: Path, *bodies: Body) -> AsyncGenerator[tuple[Answers[QPoker], LiveTable[QPoker], Any]]:
    async with running(folder) as (table, seen):
        await ask(table, *bodies)
        yield (
            Answers(
                table, Elsewhere(lambda: {"now": True}, lambda role, code: role != "" and code != 101, prove, verify)
            ),
            table,
            seen,
        )


def asked(verb: str, **body: Any) -> Asked:
    return Asked(BY, verb, "x1", body)


async def events_of(table: LiveTable[QPoker], answer: Answer | Denied) -> list[StoredEvent]:
    assert isinstance(answer, Answer)
    stretch = answer.events
    assert stretch is not None
    found = await table.journal.events_after(stretch.after, 1000)
    return [event for event in found if event.sequence <= stretch.through and stretch.wanted(event)]


@pytest.mark.parametrize(
    ("verb", "body"),
    [
        ("replay", {"from": 1}),
        ("replay", {"from": "0"}),
        ("replay", {"from": "-1"}),
        ("replay", {"from": "\u0661"}),
        ("replay", {"from": "1" * 17}),
        ("replay", {"from": "1", "to": "x"}),
        ("recall", {"rounds": 0}),
        ("recall", {"rounds": 51}),
        ("recall", {"rounds": "3"}),
        ("recall", {"rounds": True}),
        ("bookmark", {}),
        ("bookmark", {"note": ""}),
        ("bookmark", {"note": "two\nlines"}),
        ("bookmark", {"note": "   "}),
        ("bookmark", {"note": "\u202etxet"}),
        ("bookmark", {"note": "half \ud800"}),
        ("bookmark", {"note": "n" * 501}),
        ("bookmark", {"note": 7}),
        ("bookmark", {"note": "n", "sequence": "999999"}),
        ("bookmark", {"note": "n", "sequence": "0"}),
        ("bookmark", {"note": "n", "at": "yesterday"}),
        ("bookmark", {"note": "n", "at": 1795147446}),
        ("bookmark", {"note": "n", "at": "2026-11-20T04:05:06"}),
        ("bookmark", {"note": "n", "at": "2026-11-20T12:05:06+08:00"}),
        ("bookmark", {"note": "n", "at": "2026-02-30T04:05:06Z"}),
        ("bookmark", {"note": "n", "at": "1999-01-01T00:00:00Z"}),
        ("bookmark", {"note": "n", "at": "9999-01-01T00:00:00Z"}),
        ("bookmark", {"note": "n", "at": "2026-11-20T04:05:06Z", "sequence": "1"}),
        ("acknowledge", {}),
        ("acknowledge", {"code": "102"}),
        ("acknowledge", {"code": True}),
        ("acknowledge", {"code": 1000}),
        ("acknowledge", {"code": 102, "device": "../x"}),
        ("acknowledge", {"code": 102, "device": None}),
        ("prove", {}),
        ("prove", {"round_id": "../../etc"}),
        ("prove", {"round_id": 3}),
    ],
)
async def test_malformed_request_changes_nothing(tmp_path: Path, verb: str, body: dict[str, Any]) -> None:
    async with desk(tmp_path, *BEGUN) as (answers, table, _):
        before = table.state
        answer = await answers.answer(asked(verb, **body))
        assert isinstance(answer, Denied)
        assert answer.code == "malformed"
        assert answer.message.startswith(f"{answer.field}: ")
        assert table.state is before


@pytest.mark.parametrize(
    ("given", "numbers"),
    [
        ({}, [1, 2, 3, 4]),
        ({"from": "1", "to": None}, [1, 2, 3, 4]),
        ({"from": "0000000000000002", "to": "3"}, [2, 3]),
        ({"from": "3", "to": "999"}, [3, 4]),
        ({"from": "900"}, []),
        ({"from": "3", "to": "2"}, []),
    ],
)
async def test_replay_goes_from_one_number_to_another(
    tmp_path: Path, given: dict[str, Any], numbers: list[int]
) -> None:
    async with desk(tmp_path, *BEGUN) as (answers, table, _):
        last = table.journal.last_sequence()
        assert last == 4
        reader = Subscriber("cctv", frozenset(), frozenset({"round", "audit", "bet"}))
        answer = await answers.answer(Asked(reader, "replay", "x1", given))
        assert [event.sequence for event in await events_of(table, answer)] == numbers


async def test_replay_gives_only_what_he_reads(tmp_path: Path) -> None:
    async with desk(tmp_path, *BEGUN, *DEALT) as (answers, table, _):
        topics = {event.topic for event in await events_of(table, await answers.answer(asked("replay")))}
    assert topics == {"event/round", "event/audit"}


async def test_reader_of_everything_alone_gets_the_tree_of_pruned_events(tmp_path: Path) -> None:
    async with desk(tmp_path, *BEGUN, *DEALT) as (answers, table, _):
        all_of_it = replace(BY, reads=FAMILIES)
        given = await answers.answer(Asked(all_of_it, "replay", "x1", {"from": "0000000000000004"}))
        assert isinstance(given, Answer)
        assert given.events is not None
        assert given.events.compact is not None
        leaves = [leaf_hash(event.payload) for event in await table.journal.events_after(0, 1000)]
        tree = await given.events.compact(7)
        assert (tree.size, tree.old, tree.peaks) == (7, 3, Frontier().grown(leaves[:7]).peaks)
        assert continues(root_of(leaves[:3]), 3, root_of(leaves[:7]), 7, tree.proof)
        for reads in (BY.reads, FAMILIES - {"bet"}):
            partly = await answers.answer(Asked(replace(BY, reads=reads), "replay", "x1", {}))
            assert isinstance(partly, Answer)
            assert partly.events is not None
            assert partly.events.compact is None


@pytest.mark.parametrize("note", ["第一門\u3000未決", "mesa\u00a07", "\U0001f469\u200d\u2696"])
async def test_note_may_have_what_it_may_have_at_the_console(tmp_path: Path, note: str) -> None:
    async with desk(tmp_path, *BEGUN) as (answers, table, _):
        assert isinstance(await answers.answer(asked("bookmark", note=note)), Answer)
        (last,) = await table.journal.events_after(table.journal.last_sequence() - 1, 1)
        assert json.loads(last.payload)["data"]["note"] == note


@pytest.mark.parametrize("count", [1, 2, 3, 10])
async def test_recall_gives_whole_rounds_that_are_over(tmp_path: Path, count: int) -> None:
    async with desk(tmp_path, *BEGUN[:3], *ROUND, *ROUND, *ROUND, *BEGUN[3:]) as (answers, table, seen):
        answer = await answers.answer(asked("recall", rounds=count))
        assert isinstance(answer, Answer)
        assert answer.data is not None
        names = [each["round_id"] for each in answer.data["rounds"]]
        assert names == [f"0a0b0c0d-{number:06d}" for number in (1, 2, 3)][-count:]
        kinds = [event.payload.partition(b'"type":"mo.tablectl.')[2][:12] for event in await events_of(table, answer)]
        assert (kinds[0], kinds[-1]) == (b"round.opened", b"round.settle")
        assert kinds.count(b"round.opened") == len(names)
        assert b"audit.recalled.v1" in seen.events[-1].payload


async def test_recall_gives_what_was_corrected_later_with_its_round(tmp_path: Path) -> None:
    async with desk(tmp_path, *BEGUN[:3], *ROUND, *ROUND) as (answers, table, _):
        body = RoundCorrected("0a0b0c0d-000001", "misread", (Correction("ann", -50_00),))
        await table.ask(replace(table.note(body), by="max", second="sue"))
        answer = await answers.answer(asked("recall", rounds=2))
        kinds = [json.loads(event.payload)["type"] for event in await events_of(table, answer)]
        assert kinds[-2:] == ["mo.tablectl.round.corrected.v1", "mo.tablectl.audit.override.v1"]


async def test_recall_before_any_finished_round_is_empty_and_recorded(tmp_path: Path) -> None:
    async with desk(tmp_path, *BEGUN) as (answers, table, seen):
        answer = await answers.answer(asked("recall"))
        assert isinstance(answer, Answer)
        assert answer.data == {"rounds": []}
        assert await events_of(table, answer) == []
        assert b"audit.recalled.v1" in seen.events[-1].payload


async def test_bookmark_asked_twice_is_set_once(tmp_path: Path) -> None:
    async with desk(tmp_path, *BEGUN) as (answers, _, seen):
        for _ in range(2):
            assert isinstance(await answers.answer(asked("bookmark", note="here", sequence="3")), Answer)
        marks = [event.payload for event in seen.events if b"audit.bookmark.v1" in event.payload]
        assert len(marks) == 1
        assert b'"by":"cctv","note":"here","marks":"0a0b0c0d-0000000000000003"' in marks[0]


async def test_bookmark_at_time_stands_at_last_event_stored_by_then(tmp_path: Path) -> None:
    async with desk(tmp_path, *BEGUN, *DEALT) as (answers, table, seen):
        stored = [json.loads(event.payload)["recordedtime"] for event in await table.journal.events_after(0, 1000)]
        before_last = utc_text(instant(stored[-1]) - 1)
        for at in (stored[3], stored[-1], before_last):
            meant = Asked(BY, "bookmark", at, {"note": "here", "at": at.replace("Z", "+00:00")})
            assert isinstance(await answers.answer(meant), Answer)
            expected = sum(1 for each in stored if each <= at)
            assert json.loads(seen.events[-1].payload)["data"]["marks"] == f"0a0b0c0d-{expected:016d}"


async def test_acknowledgement_is_the_users_and_needs_the_role(tmp_path: Path) -> None:
    raised = FaultRaised(Code.STORAGE_LOW), FaultRaised(Code.LINK_LOST, "shoe")
    async with desk(tmp_path, *BEGUN, *raised) as (answers, table, _):
        assert isinstance(await answers.answer(asked("acknowledge", code=701)), Answer)
        standing = fault(table.state, 701, "")
        assert standing is not None
        assert standing.acknowledged_by == "cctv"
        denied = await answers.answer(asked("acknowledge", code=101, device="shoe"))
        assert isinstance(denied, Denied)
        assert denied.code == "role"
        other = Asked(BY, "acknowledge", "x2", {"code": 702})
        assert await answers.answer(other) == Denied("no_such_fault", (await answers.answer(other)).message)  # type: ignore[union-attr]


async def test_status_and_proof_come_from_those_who_know(tmp_path: Path) -> None:
    async with desk(tmp_path, *BEGUN) as (answers, _, _):
        assert await answers.answer(asked("status")) == Answer({"now": True})
        assert await answers.answer(asked("prove", round_id="r-1")) == Answer({"round": "r-1"})


async def test_verification_is_made_in_the_requesters_name_with_their_seed(tmp_path: Path) -> None:
    async with desk(tmp_path) as (answers, _table, _seen):
        answer = await answers.answer(asked("verify", seed="0f" * 16))
        assert answer == Answer({"seed": "0f" * 16, "user": BY.user})
        assert await answers.answer(asked("verify")) == Answer({"seed": "", "user": BY.user})


@pytest.mark.parametrize("seed", ["0f" * 15, "0f" * 65, "0F" * 16, "0f" * 16 + "0", "xx" * 16, 7, None])
async def test_seed_of_another_form_is_malformed(tmp_path: Path, seed: object) -> None:
    async with desk(tmp_path) as (answers, _table, _seen):
        answer = await answers.answer(asked("verify", seed=seed))
        assert isinstance(answer, Denied)
        assert answer.code == "malformed"
