"""What was recorded, through the API: only for who may watch, page by page, and on record who looked."""

import asyncio
import csv
import io
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from tablectl.console.history_routes import routes
from tablectl.core.facts import FaultRaised, Recalled
from tablectl.core.facts.table_requests import RoundVoided
from tablectl.core.faults import Code
from tablectl.daemon.archive import MOST_WAITING, JournalArchive
from tablectl.history.statistics.evidence_account import Account
from tablectl.history.statistics.fairness_monitor import Monitor
from tests.console.rig import House, Screen, error, house
from tests.support.kept import begun, config, names_of_cards, played

ROUNDS = 5


@asynccontextmanager
async def archive_of(folder: Path) -> AsyncGenerator[House]:
    """A console whose history is the journal in this folder."""
    settings = await asyncio.to_thread(config, folder)
    archive = JournalArchive(settings)
    async with house(more=lambda desk: routes(desk, archive, Account(Monitor()).courses)) as here:
        yield here


@pytest.fixture(name="ids")
async def _ids(tmp_path: Path) -> list[str]:
    return await asyncio.to_thread(played, tmp_path / "state", ROUNDS)


async def got(screen: Screen, path: str, **query: object) -> Mapping[str, Any]:
    answer = await screen.http.get(path, params={key: str(value) for key, value in query.items()})
    assert answer.status_code == 200, answer.text
    form: Mapping[str, Any] = answer.json()
    return form


async def test_rounds_come_page_by_page_the_newest_first(tmp_path: Path, ids: list[str]) -> None:
    async with archive_of(tmp_path / "state") as here:
        eve = await here.signed_on("eve")
        page = await got(eve, "/v1/rounds", limit=2)
        assert [each["round_id"] for each in page["rounds"]] == ids[:-3:-1]
        assert page["more"]
        rest = await got(eve, "/v1/rounds", before=page["rounds"][-1]["first"])
        assert [each["round_id"] for each in rest["rounds"]] == ids[-3::-1]
        assert not rest["more"]


async def test_rounds_are_picked_by_how_they_ended(tmp_path: Path, ids: list[str]) -> None:
    async with archive_of(tmp_path / "state") as here:
        eve = await here.signed_on("eve")
        page = await got(eve, "/v1/rounds", limit=2, end="settled")
        assert [each["end"] for each in page["rounds"]] == ["settled"] * 2
        assert page["more"]
        rest = await got(eve, "/v1/rounds", end="settled", before=page["rounds"][-1]["first"])
        assert len(page["rounds"]) + len(rest["rounds"]) == ROUNDS
        assert await got(eve, "/v1/rounds", end="void") == {"rounds": [], "more": False}


async def test_a_round_is_explained_and_who_looked_is_on_record(tmp_path: Path, ids: list[str]) -> None:
    async with archive_of(tmp_path / "state") as here:
        eve = await here.signed_on("eve")
        told = await got(eve, f"/v1/rounds/{ids[1]}")
        assert (told["round_id"], told["end"], told["money"]["sum"]) == (ids[1], "settled", "0.00")
        assert "no_refusals" not in told["missing"]
        fact = here.table.facts[-1]
        assert (fact.body, fact.by, fact.source) == (Recalled((ids[1],)), "eve", "console")


async def test_a_round_comes_fact_by_fact_as_everybody_saw_it(tmp_path: Path, ids: list[str]) -> None:
    async with archive_of(tmp_path / "state") as here:
        eve = await here.signed_on("eve")
        frames = (await got(eve, f"/v1/rounds/{ids[1]}/replay"))["frames"]
        assert (here.table.facts[-1].body, here.table.facts[-1].by) == (Recalled((ids[1],)), "eve")
    phases = list(dict.fromkeys(frame["phase"] for frame in frames))
    assert phases == ["betting", "closed", "dealing", "opening", "deciding", "showdown", "idle"]
    during = frames[:-1]
    assert {frame["round_id"] for frame in during} == {ids[1]}
    assert [len(frame["round"]["bets"]) for frame in during][:4] == [0, 1, 2, 2]
    lying = [[card for hand in frame["round"]["hands"] for card in hand["cards"]] for frame in during]
    assert max(map(len, lying)) == len(lying[-1]) == 9
    assert not any(any(cards) for cards, frame in zip(lying, during, strict=True) if frame["phase"] == "dealing")
    assert sum(map(bool, lying[-1])) == 6


async def test_replay_of_unknown_or_distant_round_says_so(
    tmp_path: Path, ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with archive_of(tmp_path / "state") as here:
        eve = await here.signed_on("eve")
        assert error(await eve.http.get("/v1/rounds/none-000001/replay"))[:2] == (404, "no_such_round")
        monkeypatch.setattr("tablectl.history.explanation.replayed.__defaults__", (10,))
        assert error(await eve.http.get(f"/v1/rounds/{ids[-1]}/replay"))[:2] == (422, "wrong_fields")


async def test_nobody_but_who_watches_sees_what_was_recorded(tmp_path: Path, ids: list[str]) -> None:
    paths = (
        "/v1/rounds",
        f"/v1/rounds/{ids[0]}",
        f"/v1/rounds/{ids[0]}/replay",
        "/v1/events",
        "/v1/statistics",
        "/v1/fairness",
        "/v1/export",
    )
    async with archive_of(tmp_path / "state") as here:
        dealer, nobody = await here.signed_on("ana"), here.screen()
        before = len(here.table.facts)
        for path in paths:
            assert error(await dealer.http.get(path))[:2] == (403, "role_may_not")
            assert error(await nobody.http.get(path))[:2] == (401, "not_signed_on")
        assert len(here.table.facts) == before
        for person in ("sam", "tom", "eve"):
            await got(await here.signed_on(person), "/v1/rounds")


async def test_events_are_looked_for_by_kind_round_and_words(tmp_path: Path, ids: list[str]) -> None:
    async with archive_of(tmp_path / "state") as here:
        eve = await here.signed_on("eve")
        settled = await got(eve, "/v1/events", type="mo.tablectl.round.settled", limit=2)
        assert [event["subject"] for event in settled["events"]] == ids[:-3:-1]
        assert settled["more"]
        rest = await got(eve, "/v1/events", type="round.settled", before=settled["reached"])
        assert [event["subject"] for event in rest["events"]] == ids[-3::-1]
        of_one = await got(eve, "/v1/events", round=ids[0], text="BETTOR2", after=0)
        kinds = [event["type"].removeprefix("mo.tablectl.") for event in of_one["events"]]
        assert kinds == ["bet.placed.v1", "round.decided.v1", "round.settled.v1"]
        assert set(of_one["events"][0]["text"]) == {"en", "pt", "zh-Hant"}
        assert of_one["events"][0]["topic"] == "event/bet"


async def test_events_that_follow_number_come_in_order_and_to_end(tmp_path: Path, ids: list[str]) -> None:
    async with archive_of(tmp_path / "state") as here:
        eve = await here.signed_on("eve")
        numbers: list[int] = []
        after = 0
        while True:
            page = await got(eve, "/v1/events", after=after, limit=30)
            numbers += [int(event["sequence"]) for event in page["events"]]
            after = page["reached"]
            if not page["more"]:
                break
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(numbers) == 1 + 19 * ROUNDS


async def test_period_is_taken_away_to_the_byte_and_on_record(tmp_path: Path, ids: list[str]) -> None:
    async with archive_of(tmp_path / "state") as here:
        eve = await here.signed_on("eve")
        answer = await eve.http.get("/v1/export", params={"from": "event:2", "to": "event:20"})
        assert answer.headers["content-type"] == "application/x-ndjson"
        assert answer.headers["content-disposition"] == 'attachment; filename="demo-q-demo-2-20.jsonl"'
        lines = answer.content.splitlines()
        assert [int(json.loads(line)["sequence"]) for line in lines] == list(range(2, 21))
        assert here.table.facts[-1].body == Recalled((ids[0],))


async def test_a_period_is_taken_away_as_a_table(tmp_path: Path, ids: list[str]) -> None:
    async with archive_of(tmp_path / "state") as here:
        eve = await here.signed_on("eve")
        answer = await eve.http.get("/v1/export", params={"from": "2026-09-21", "to": "2026-09-21", "format": "csv"})
        rows = list(csv.DictReader(io.StringIO(answer.text)))
        assert len(rows) == 1 + 19 * ROUNDS
        none = await eve.http.get("/v1/export", params={"to": "2026-09-20"})
        assert none.text == ""


async def test_instants_bound_a_period_by_when_events_were_stored(tmp_path: Path, ids: list[str]) -> None:
    async with archive_of(tmp_path / "state") as here:
        eve = await here.signed_on("eve")
        third = next(each for each in (await got(eve, "/v1/rounds"))["rounds"] if each["round_id"] == ids[2])
        query = {"from": third["opened"], "to": third["ended"].replace("00Z", "08Z")}
        told = await got(eve, "/v1/statistics", **query)
        assert (told["first"], told["last"]) == (third["first"], third["last"])
        assert told["rounds"] == {"settled": 1, "void": 0, "irregular": 0}


async def test_statistics_stand_beside_their_expectation(tmp_path: Path, ids: list[str]) -> None:
    async with archive_of(tmp_path / "state") as here:
        told = await got(await here.signed_on("eve"), "/v1/statistics")
        (hands,) = told["counts"]
        assert (told["game"], hands["kind"], hands["rounds"]) == ("q_poker", "hands", ROUNDS)
        row = next(row for row in hands["rows"] if row["name"] == "high_card")
        assert (row["observed"], row["expected"]) == (5, 3.719)
        assert "low" not in row  # Of so few nothing can be said.
        assert [part["part"] for part in told["parts"]] == ["betting", "dealing", "deciding", "round"]


@pytest.mark.parametrize(
    ("path", "query", "where"),
    [
        ("/v1/rounds", {"limit": "0"}, "query limit"),
        ("/v1/rounds", {"limit": "201"}, "query limit"),
        ("/v1/rounds", {"before": "-1"}, "query before"),
        ("/v1/rounds", {"before": "1" * 17}, "query before"),
        ("/v1/rounds", {"q": "x" * 101}, "query q"),
        ("/v1/rounds", {"end": "lost"}, "query end"),
        ("/v1/events", {"after": "x"}, "query after"),
        ("/v1/statistics", {"from": "yesterday"}, "query"),
        ("/v1/export", {"format": "xlsx"}, "query format"),
        ("/v1/export", {"to": "2026-13-01"}, "query"),
        ("/v1/export", {"from": "event:9", "to": "event:3"}, "query"),
        ("/v1/statistics", {"from": "2026-11-20", "to": "2026-11-18"}, "query"),
    ],
)
async def test_what_is_asked_wrongly_is_said_in_the_one_form(
    tmp_path: Path, ids: list[str], path: str, query: Mapping[str, str], where: str
) -> None:
    async with archive_of(tmp_path / "state") as here:
        answer = await (await here.signed_on("eve")).http.get(path, params=query)
        assert error(answer) == (422, "wrong_fields", where)


@pytest.mark.parametrize("name", ["5eed0001-000099", "x" * 70, "a b", "..%2F..%2Fetc"])
async def test_a_round_that_never_was_is_not_there(tmp_path: Path, ids: list[str], name: str) -> None:
    async with archive_of(tmp_path / "state") as here:
        eve = await here.signed_on("eve")
        before = len(here.table.facts)
        status, code, _ = error(await eve.http.get(f"/v1/rounds/{name}"))
        assert (status, code) in {(404, "no_such_round"), (404, "no_such_path")}
        assert len(here.table.facts) == before


async def test_face_down_cards_are_in_no_answer(tmp_path: Path) -> None:
    kept = await asyncio.to_thread(begun, tmp_path / "state")
    with closing(kept.journal):
        await asyncio.to_thread(lambda: kept.bets(1, 2))
        cards = ("As", "Qd", "Kd", "7h", "4c")
        await asyncio.to_thread(lambda: kept.draw(*cards))
        await asyncio.to_thread(lambda: kept.tell(RoundVoided("the fire alarm rang"), by="rui"))
        await asyncio.to_thread(lambda: kept.tell(FaultRaised(Code.SILENT, "shoe")))
        await asyncio.to_thread(kept.keep)
        async with archive_of(tmp_path / "state") as here:
            eve = await here.signed_on("eve")
            paths = ("/v1/rounds", "/v1/rounds/5eed0001-000001", "/v1/events?after=0", "/v1/export", "/v1/statistics")
            told = "".join([(await eve.http.get(path)).text for path in paths])
    assert "the fire alarm rang" in told
    for nth, card in enumerate(cards):
        assert [name for name in names_of_cards(card, nth) if name in told] == []


async def test_unreadable_journal_is_reported_and_the_table_goes_on(tmp_path: Path, ids: list[str]) -> None:
    async with archive_of(tmp_path / "state") as here:
        eve = await here.signed_on("eve")
        await asyncio.to_thread((tmp_path / "state" / "journal.db").rename, tmp_path / "gone.db")
        assert error(await eve.http.get("/v1/rounds"))[:2] == (503, "overloaded")
        assert (await eve.http.get("/v1/state")).status_code == 200


async def test_only_so_many_look_at_once(tmp_path: Path, ids: list[str]) -> None:
    async with archive_of(tmp_path / "state") as here:
        eve = await here.signed_on("eve")

        async def look() -> httpx.Response:
            return await eve.http.get("/v1/statistics")

        answers = await asyncio.gather(*(look() for _ in range(3 * MOST_WAITING)))
        assert {answer.status_code for answer in answers} <= {200, 503}
        assert sum(answer.status_code == 200 for answer in answers) >= 1
