"""The account of a table's evidence: the same after any restart, each finding reported once."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tablectl.config.game_setup import played
from tablectl.core.effects import Announce
from tablectl.core.events.round import Settled
from tablectl.core.facts import Fact, FairnessWeighed
from tablectl.core.protocols import StoredEvent
from tablectl.daemon.views import fairness
from tablectl.daemon.views.fairness import FairnessWatch
from tablectl.history.journal_scan import form_of
from tablectl.history.statistics.evidence_account import Account, catch_up, read_account
from tablectl.history.statistics.fairness_monitor import FIRST_STRIDE, MOST_POINTS, Budget, Monitor
from tablectl.history.statistics.streams import Reader
from tablectl.journal.reading.rows import Remembered
from tests.daemon.test_table import BEGUN, Seen, ask, fact, running
from tests.fairness.spoken import Event, amended, event, spin, throw
from tests.fairness.test_monitor import evening as void_rounds
from tests.fairness.test_monitor import poker
from tests.referee.amended import TABLES
from tests.referee.evening import Evening
from tests.referee.mistakes import faultless
from tests.support.patience import PATIENCE_S

BUDGET = Budget(20, 40)


def evening(rounds: int) -> list[Event]:
    """Rounds of a wheel with a favourite, at which dealers change; every tenth is amended much later."""
    random = Random(8)
    found: list[Event] = []
    for nth in range(rounds):
        if nth % 40 == 0:
            found.append(event("audit.signed_on.v1", by=("ana", "mei")[nth // 40 % 2], role="dealer"))
        section = random.choice([7, *range(1, 53)])
        found.append(spin(section, round_id=f"r{nth}"))
        if nth % 10 == 9 and nth > 60:
            late = next(each for each in found if each["data"].get("round_id") == f"r{nth - 50}")
            found += [amended(late, round_id=f"r{nth - 50}"), spin(9, round_id=f"r{nth - 50}")]
    return found


EVENING = evening(400)


def account_of(events: Sequence[Event]) -> tuple[Account, list[FairnessWeighed]]:
    account = Account(Monitor(BUDGET))
    return account, [found for each in events for found in account.take(each)]


def resumed(kept: str, log: Sequence[Event]) -> tuple[Account, list[FairnessWeighed]]:
    """The account after a restart, which has read of the log what it needs."""
    account = read_account(kept, BUDGET)
    needed = account.monitor.reader.place.sequence
    rest = [each for each in log if int(each["sequence"]) >= needed]
    return account, [found for each in rest for found in catch_up(account, each)]


def without_place(kept: str) -> dict[str, Any]:
    """What is kept but for how far back has to be read: rounds that were amended late may be kept in mind longer."""
    return {name: value for name, value in json.loads(kept).items() if name != "needed"}


@pytest.mark.parametrize("cut", [0, 1, 63, 64, 200, len(EVENING) - 1, len(EVENING)])
def test_an_account_goes_on_after_a_restart_as_without(cut: int) -> None:
    before, found = account_of(EVENING[:cut])
    after, more = resumed(before.kept(), EVENING)
    whole, every = account_of(EVENING)
    assert without_place(after.kept()) == without_place(whole.kept())
    assert after.form() == whole.form()
    assert [*found, *more] == every


def test_only_streams_with_new_outcomes_are_judged_anew() -> None:
    account, _ = account_of([throw(1, 2, 3), spin(7)])
    before = account.form()["streams"]
    account.take(spin(8))
    anew = {each["stream"] for each in account.form()["streams"] if not any(each is one for one in before)}
    assert anew == {"sections", "direction"}
    assert account.form() == account_of([throw(1, 2, 3), spin(7), spin(8)])[0].form() | {"sequence": account.sequence}


@pytest.mark.parametrize("cut", [700, 1043, 1044])
def test_what_past_rounds_tell_goes_on_after_a_restart(cut: int) -> None:
    packs = [each for nth in range(4) for each in poker(f"p{nth}", "As", "Ks", "Qs", "2h", "3h", f"{4 + nth}h")]
    log = [*packs, *void_rounds(520)]
    before, _ = account_of(log[:cut])
    after, _ = resumed(before.kept(), log)
    whole, _ = account_of(log)
    assert without_place(after.kept()) == without_place(whole.kept())
    assert {each["stream"] for each in whole.form()["streams"]} == {"voids", "amendments", "shuffles"}


def test_an_account_of_an_earlier_build_goes_on() -> None:
    kept = json.loads(account_of(EVENING[:64])[0].kept())
    del kept["past"]
    assert resumed(json.dumps(kept), EVENING)[0].form() == account_of(EVENING)[0].form()


def test_forgotten_or_foreign_accounts_are_refused() -> None:
    kept = json.loads(account_of(EVENING)[0].kept())
    short = {**kept, "streams": [{**kept["streams"][0], "counts": [1, 2]}]}
    for text in ("", "[]", "{}", "null", json.dumps({**kept, "v": 0}), json.dumps(short)):
        with pytest.raises(ValueError, match=r"."):
            read_account(text, BUDGET)


def reported(found: FairnessWeighed) -> Event:
    kind = "fairness.alarm.v1" if found.alarm else "fairness.evidence.v1"
    return event(kind, stream=found.stream, subject=found.subject, log10_e=found.log10_e)


def test_a_finding_is_due_until_the_log_has_it() -> None:
    account, found = account_of([throw(6, 6, 6) for _ in range(25)])
    assert {each.alarm for each in found} == {False, True}
    due = set(account.due)
    first = [each for each in found if not each.alarm and each.stream == "faces"]
    assert len(first) > 1
    account.take(reported(first[0]))
    assert set(account.due) == due
    for each in found:
        account.take(reported(each))
    assert account.due == {}


def test_due_findings_outlive_a_restart_until_reported() -> None:
    log: list[Event] = [throw(6, 6, 6) for _ in range(25)]
    account, found = account_of(log)
    kept = account.kept()
    assert list(read_account(kept, BUDGET).due.values()) == list(account.due.values())
    log += map(reported, found)
    assert resumed(kept, log)[0].due == {}


def test_the_course_of_a_stream_stays_short_and_in_order() -> None:
    account, _ = account_of([spin(1 + nth % 52, round_id=f"r{nth}") for nth in range(1000)])
    stream = account.monitor.streams["sections", "2027-01 5eed"]
    seen = [each.observed for each in stream.past()]
    assert MOST_POINTS // 2 <= len(seen) <= MOST_POINTS
    assert seen == sorted(set(seen))
    assert seen[-1] > 900


@pytest.mark.parametrize("every", [1, 110])
def test_a_course_is_the_same_whenever_somebody_looks_at_it(every: int) -> None:
    (looked_at, _), (late, _) = account_of([]), account_of(EVENING)
    for nth, each in enumerate(EVENING):
        looked_at.take(each)
        if nth % every == 0:
            looked_at.courses()
    assert any(each.stride > FIRST_STRIDE for each in late.monitor.streams.values())
    assert late.courses() == looked_at.courses()


class Stored(Evening):
    """An evening that keeps its events as a daemon has them: as bytes and as values."""

    def _stored(self, each: Announce, fact: Fact, number: int, during: str | None) -> StoredEvent:
        kept: list[StoredEvent] = self.__dict__.setdefault("kept", [])
        kept.append(super()._stored(each, fact, number, during))
        return kept[-1]


@pytest.mark.parametrize("game", TABLES)
def test_a_settlement_says_the_same_by_value_as_by_bytes(game: str, tmp_path: Path) -> None:
    evening = Stored(TABLES[game], played(game).table, tmp_path)
    faultless(Random(17), game, evening, 5)
    evening.close()
    events: list[StoredEvent] = evening.__dict__["kept"]
    assert any(isinstance(each.event, Settled) for each in events)
    by_value, by_bytes = Reader(), Reader()
    for made in events:
        each = replace(made, payload=made.payload.replace(b'"simulated":false', b'"simulated":true'))
        form = fairness._form(each)  # pyright: ignore[reportPrivateUsage]
        assert by_value.changes(form) == by_bytes.changes(form_of(each))
        assert by_value == by_bytes


# --- at a live table


@dataclass(slots=True)
class Listening(Seen):
    """Says when so many findings have been published."""

    due: int = 0
    reached: asyncio.Event = field(default_factory=asyncio.Event)

    def offer(self, events: Sequence[StoredEvent]) -> None:
        Seen.offer(self, events)
        if sum(each.topic == "event/fairness" for each in self.events) == self.due:
            self.reached.set()


async def test_a_table_publishes_each_tenfold_and_alarm_once(tmp_path: Path) -> None:
    async with running(tmp_path / "journal") as (table, seen):
        await ask(table, *BEGUN)
        for figure in ("1.000000001", "2.1"):
            await table.ask(fact(table, FairnessWeighed("hands", "dealer", figure, 9, "5.0", alarm=False)))
        forms = [json.loads(each.payload) for each in seen.events]
        kinds = [(each["type"], each["data"]["log10_e"]) for each in forms if "fairness" in each["type"]]
    assert kinds == [("mo.tablectl.fairness.evidence.v1", figure) for figure in ("1.000000001", "2.1")]


def test_cards_after_a_rounds_second_are_only_numbered() -> None:
    account, name = Account(Monitor()), "5eed0001-000007"
    account.take({**event("round.opened.v1", name), "sequence": "1"})
    for number, index in enumerate((1, 2), 2):
        assert not account.take_card(number, name)
        account.take({**event("card.dealt.v1", name, index=index), "sequence": f"{number}"})
    assert account.take_card(4, name)
    assert account.sequence == 4
    assert not account.take_card(4, name)
    assert not account.take_card(5, "5eed0001-000008")


async def test_an_event_that_cannot_be_weighed_stops_no_table(tmp_path: Path) -> None:
    async with running(tmp_path / "journal") as (table, _):
        await ask(table, *BEGUN)
        watch = FairnessWatch(table, BUDGET)
        await watch._begin()  # pyright: ignore[reportPrivateUsage]
        form = dict(spin(7))
        events: list[dict[str, Any]] = [
            {**form, "sequence": f"{100 + nth:016}", "data": data}
            for nth, data in enumerate(({"dice": 7}, form["data"]))
        ]
        kinds = ("dice.thrown.v1", "wheel.stopped.v1")
        for kind, each in zip(kinds, events, strict=True):
            text = json.dumps({**each, "type": f"mo.tablectl.{kind}"}, separators=(",", ":"))
            watch.take([StoredEvent(int(each["sequence"]), "event/wheel", text.encode())])
    assert [each["observed"] for each in watch.form()["streams"]] == [1, 1]


async def test_a_watch_keeps_its_account_and_tells_what_is_due(tmp_path: Path) -> None:
    log = [throw(6, 6, 6) for _ in range(25)]
    account, found = account_of(log)
    due = len({(each.stream, each.subject, each.alarm) for each in found})
    async with running(tmp_path / "journal") as (table, told):
        seen = Listening(told.journal, due=due)
        table.after = seen.after
        await ask(table, *BEGUN)
        last = table.journal.last_sequence()
        kept = {**json.loads(account.kept()), "sequence": last, "needed": [last + 1, "", "wheel"]}
        await table.journal.remember(Remembered.FAIRNESS, json.dumps(kept))
        watch = FairnessWatch(table, BUDGET)
        assert watch.form() == {}
        task = asyncio.create_task(watch.run())
        async with asyncio.timeout(PATIENCE_S):
            await seen.reached.wait()
        watch.take(seen.events)
        await watch.keep()
        again = json.loads(await table.journal.remembered(Remembered.FAIRNESS))
        task.cancel()
    assert again["due"] == []
    assert again["streams"] == kept["streams"]
