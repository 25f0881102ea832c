"""Steps of a table: the facts that wait, and each one's record and consequences."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tablectl.core.dealing.hands import ReadCard, read_card
from tablectl.core.effects import Effects, Refuse
from tablectl.core.facts import Fact
from tablectl.core.facts.amendments import RoundAmended
from tablectl.core.protocols import JUDGED, Reply, Standing, TableStoppedError
from tablectl.daemon.requests.admission import amended, record_of, unrecorded
from tablectl.daemon.table_fold import TableFold
from tablectl.journal.encoding import write_fact
from tablectl.journal.records import Record
from tablectl.lazy_dataclass import dataclass


@dataclass(slots=True)
class Waiting:
    """A fact that waits to be stored, and those who wait for it.

    Args:
        stored: called once it is durable.
        reply: the answer to a request.
        told: the outcome that an amendment had, where it was sent before.
    """

    fact: Fact
    stored: Callable[[], None] | None = None
    reply: asyncio.Future[Reply] | None = None
    standing: Standing = JUDGED
    told: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """A fact that was folded.

    Args:
        answered: the record that its requester hears of.
        read: the card that was read with it, where anybody is to hear of it.
    """

    waiting: Waiting
    record: Record
    effects: Effects
    answered: int
    outcome: Mapping[str, Any] | None = None
    read: ReadCard | None = None


def steps_of(batch: Sequence[Waiting], folding: TableFold[Any], recorded_us: int, *, reads_cards: bool) -> list[Step]:
    """Fold what is to be recorded; the others' requesters have their replies."""
    steps: list[Step] = []
    for waiting in batch:
        if waiting.reply is not None and not _is_admitted(waiting, waiting.reply, folding):
            continue
        fact, before = waiting.fact, folding.state
        effects, events = folding.step(fact, recorded_us)
        after = folding.state
        record = Record(after.records, recorded_us, write_fact(fact), events)
        answered, told = after.records, waiting.told
        if waiting.reply is not None:
            answered = record_of(after, fact)
            told = told or amended(folding, before, fact, waiting.standing, effects)
        is_read = reads_cards and after.cards_read != before.cards_read
        read = read_card(fact, effects, after.cards_read, folding.game.round_id(after.game)) if is_read else None
        steps.append(Step(waiting, record, effects, answered, told, read))
    return steps


def _is_admitted(waiting: Waiting, awaited: asyncio.Future[Reply], folding: TableFold[Any]) -> bool:
    """Return True if a request is to be recorded; else its requester has the reply."""
    if awaited.done():
        return True
    reply = unrecorded(folding, waiting.fact, waiting.standing)
    if reply is not None:
        awaited.set_result(reply)
    return reply is None


def is_unread(waiting: Waiting) -> bool:
    """Return True if the round of an amendment has to be read from the journal first."""
    return isinstance(waiting.fact.body, RoundAmended) and waiting.fact.basis is None


def answer(step: Step) -> None:
    """Tell those who wait for a step that it is durable, and what came of it."""
    if step.waiting.stored is not None:
        step.waiting.stored()
    if step.waiting.reply is not None and not step.waiting.reply.done():
        refused = next((effect for effect in step.effects if isinstance(effect, Refuse)), None)
        told = None if refused else step.outcome
        step.waiting.reply.set_result(Reply(step.answered, refused, told))


def refuse(waiting: Sequence[Waiting], failure: "asyncio.Future[None]") -> None:
    """Tell the requesters that nothing was done, and why."""
    error = failure.exception() if failure.done() and not failure.cancelled() else None
    for each in waiting:
        if each.reply is not None and not each.reply.done():
            each.reply.set_exception(TableStoppedError(str(error or "the table stopped")))
