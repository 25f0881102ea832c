"""Names at a table: whoever brings in a new one, and whatever stands in an older journal."""

import asyncio
from pathlib import Path

import pytest

from tablectl import words
from tablectl.core.facts.table_requests import BetOffered, BetTakenBack, Correction, RoundCorrected
from tablectl.core.protocols import JUDGED, Reply, Standing
from tablectl.words import LANGUAGES
from tests.daemon.test_amend import after, amend, to
from tests.daemon.test_table import BEGUN, DEALT, OPENED, ask, fact, recovered, running
from tests.support.broker import Broker
from tests.support.daemon import RefusedError
from tests.support.feed import Feed
from tests.support.live_table import Table

ALIKE = "\u0430nn"
"""Ann, who has a bet, with a Cyrillic letter."""


def bet(bettor: str, place: int = 4) -> BetOffered:
    return BetOffered(place, bettor, "pair_or_better", 5_000)


def refused(reply: Reply) -> str:
    assert reply.refused is not None
    return reply.refused.code


@pytest.mark.parametrize("how", [JUDGED, Standing(("dealer",)), Standing(("dealer",), dry=True)])
async def test_a_name_that_looks_like_anothers_is_recorded_nowhere(tmp_path: Path, how: Standing) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN)
        records = table.state.records
        reply = await table.ask(fact(table, bet(ALIKE)), how)
        assert (refused(reply), reply.record, table.state.records) == ("name_alike", 0, records)
        assert reply.refused is not None
        said = words.say(reply.refused.text)
        assert [said[language].count("U+0430 CYRILLIC SMALL LETTER A") for language in LANGUAGES] == [1, 1, 1]
        assert len(set(said.values())) == len(LANGUAGES)
        assert "Enter the name in another way" in said["en"]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("d\u200b", "name_unseen"),
        ("\u0308", "name_mark"),
        ("d ", "name_blank"),
        ("a\u0301", "name_form"),
        ("\x1b[2J", "name_unseen"),
    ],
)
async def test_an_unfit_name_is_refused_before_it_is_recorded(tmp_path: Path, name: str, code: str) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN)
        for asked in (bet(name), BetTakenBack(1, name, "pair_or_better")):
            reply = await table.ask(fact(table, asked, by="cctv", request_id="mqtt:x1"))
            assert (refused(reply), reply.record) == (code, 0)
        await ask(table, bet("ann"))


@pytest.mark.parametrize("how", [JUDGED, Standing(("dealer",))])
async def test_repeated_request_keeps_its_answer_beside_a_look_alike(tmp_path: Path, how: Standing) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN)
        first = fact(table, bet("dan"), by="ana", request_id="r1")
        answer = await table.ask(first, how)
        assert answer.refused is None
        await ask(table, BetTakenBack(4, "dan", "pair_or_better"), bet("d\u0430n"))
        assert await table.ask(first, how) == answer
        again = fact(table, bet("dan"), by="ana", request_id="r2")
        assert refused(await table.ask(again, how)) == "name_alike"


async def test_an_amendment_brings_in_no_name_that_looks_like_another(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN, *DEALT, *OPENED)
        new = {"place": 4, "bet": "pair_or_better", "stake": "50"}
        assert refused(await amend(table, after(7, "bet", bettor=ALIKE, **new))) == "name_alike"
        assert refused(await amend(table, to(7, bettor="bob\ue000"))) == "name_unseen"
        assert (await amend(table, to(7, bettor="carl"))).refused is None


async def test_a_correction_pays_nobody_who_only_looks_like_a_bettor(tmp_path: Path) -> None:
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN, *DEALT, *OPENED)
        for bettor, code in ((ALIKE, "name_alike"), ("ann", None)):
            asked = RoundCorrected("0a0b0c0d-000001", "misread", (Correction(bettor, 100),))
            reply = await table.ask(fact(table, asked, by="ana", second="sam"))
            assert (reply.refused and reply.refused.code) == code


async def test_names_of_an_older_journal_are_read_and_go_on(tmp_path: Path) -> None:
    old = ("an\u0430  ", "a\u0301\u200b", "\u0301", "\u00b4", "\ufffd")
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN)
        for name in old:
            table.tell(fact(table, bet(name)))  # as when nobody looked at names
        await ask(table, bet("dan"))
        told = table.state
    again, _ = await asyncio.to_thread(recovered, tmp_path)
    assert again.state == told
    await asyncio.to_thread(again.shut)
    async with running(tmp_path) as (table, _):
        await ask(table, *(bet(name) for name in old))
        assert {each.bettor for each in table.state.game.bets} >= set(old)


def test_at_console_and_broker_an_unfit_name_is_nowhere(broker: Broker, feed: Feed, table: Table) -> None:
    table.begin()
    table.open()
    for name, code in (
        (ALIKE, "name_alike"),
        ("d\ue000", "name_unseen"),
        ("\u0301", "name_mark"),
        ("d  e", "name_blank"),
    ):
        with pytest.raises(RefusedError) as error:
            table.ask("bet", place=2, bettor=name, bet="versus_dealer", stake="100")
        assert code in str(error.value)
    table.ask("bet", place=2, bettor="dora", bet="versus_dealer", stake="100")
    Feed.until(lambda: any(event["data"].get("bettor") == "dora" for event in feed.events()))
    named = {event["data"]["bettor"] for event in feed.events() if event["data"].get("bettor")}
    assert named == {"ann", "dora"}
