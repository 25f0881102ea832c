"""Daemons that break a promise: each does one thing wrongly, and the checker has to catch it.

They are made in this process, by putting a wrong function in the place of a right one, for as long as a block lasts.
"""

import json
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import apsw

import drivers.deliveries
import tablectl.app.daemon
import tablectl.app.fleet
import tablectl.bus.delivery
import tablectl.bus.flow
import tablectl.bus.outbox
import tablectl.bus.requests
import tablectl.core.games.football_poker.procedure
import tablectl.core.games.q_poker.view
import tablectl.core.housekeeping
import tablectl.core.procedure
import tablectl.shell.answers
import tablectl.shell.checkpoints
import tablectl.shell.journal
import tablectl.shell.journal_rows
import tablectl.shell.table
import tablectl.shell.topics
from tablectl.core.effects import Announce, RequestDraw
from tablectl.core.events import Settled
from tablectl.core.facts import CardDrawn
from tablectl.core.pack import Pack
from tablectl.core.ports import StoredEvent, TableStoppedError
from tablectl.core.table import fault, without_fault
from tablectl.proof.chain import FIRST_LINK
from tablectl.shell.journal import Journal, JournalFailedError
from tablectl.shell.log import logger
from tablectl.shell.table import LiveTable

Patch = tuple[Any, str, Any]

_DAEMON: Any = tablectl.app.daemon
_JOURNAL: Any = tablectl.shell.journal
_TABLE: Any = tablectl.shell.table
_ANSWERS: Any = tablectl.shell.answers


ASKING: Final = frozenset({"asking", "kill"})


@dataclass(frozen=True, slots=True)
class Mutant:
    """A daemon that does one thing wrongly.

    Args:
        makes: what stands in whose place.
        caught_by: the rules of the checker, one of which has to notice.
        game: the game at which it shows.
        kinds: the accidents under which it shows.
    """

    makes: Callable[[], list[Patch]]
    caught_by: frozenset[str]
    game: str = "q-poker"
    kinds: frozenset[str] = frozenset({"kill"})


@contextmanager
def at_large(mutant: Mutant) -> Generator[None]:
    """The daemons of this process are the mutant's until the end of the block."""
    patches = mutant.makes()
    kept = [(owner, name, getattr(owner, name)) for owner, name, _ in patches]
    for owner, name, wrong in patches:
        setattr(owner, name, wrong)
    try:
        yield
    finally:
        for owner, name, right in kept:
            setattr(owner, name, right)


def _taking(early: Callable[[Any, Any], None]) -> Any:
    """`LiveTable._take` that lets something go before the commit."""

    async def take(self: Any, batch: list[Any]) -> bool:
        before = self._folded
        steps = self._fold(batch)
        snapshot = self._take_snapshot() if self._round_over(before) else None
        early(self, steps)
        records = [step.record for step in steps]
        await self._worker.do(lambda: self._journal.append(records, snapshot), lambda: self._release(steps))
        return snapshot is not None

    return take


def _answers_before_commit() -> list[Patch]:
    def early(_table: Any, steps: Any) -> None:
        for step in steps:
            tablectl.shell.table._answer(replace(step, waiting=replace(step.waiting, stored=None)))

    return [(LiveTable, "_take", _taking(early))]


def _acknowledges_devices_before_commit() -> list[Patch]:
    def early(_table: Any, steps: Any) -> None:
        for step in steps:
            if step.waiting.stored is not None:
                step.waiting.stored()

    return [(LiveTable, "_take", _taking(early))]


def _publishes_before_commit() -> list[Patch]:
    def early(table: Any, steps: Any) -> None:
        if table.after is not None:
            table.after.offer([event for step in steps for event in step.record.events])

    return [(LiveTable, "_take", _taking(early))]


def _syncs_seldom() -> list[Patch]:
    connect = _JOURNAL.connect

    def normal(path: Path) -> apsw.Connection:
        connection: apsw.Connection = connect(path)
        connection.execute("PRAGMA synchronous=NORMAL")
        return connection

    return [(tablectl.shell.journal, "connect", normal)]


def _ignores_a_failed_write() -> list[Patch]:
    append = Journal.append

    def deaf(self: Any, records: Any, snapshot: Any = None) -> None:
        try:
            append(self, records, snapshot)
        except JournalFailedError:
            self._failed = False

    return [(Journal, "append", deaf)]


def _goes_on_after_a_failed_note() -> list[Patch]:
    return [(LiveTable, "_stopped_by", lambda _self, error: TableStoppedError(str(error)))]


def _does_again_what_was_asked_again() -> list[Patch]:
    return [(tablectl.core.procedure, "_asked_before", lambda _table, _fact: None)]


def _counts_again_what_was_told_again() -> list[Patch]:
    return [
        (tablectl.core.procedure, "_came_again", lambda _table, _fact: False),
        (drivers.deliveries, "_read", lambda _delivered: None),
    ]


def _shows_cards_early() -> list[Patch]:
    return [(tablectl.core.games.q_poker.view, "lies_up", lambda _hand, _nth: True)]


def _writes_cards_into_the_log() -> list[Patch]:
    def log(events: Any) -> None:
        for event in events:
            form = json.loads(event.payload)
            if "cards" in form["data"]:
                logger("round").info("revealed", cards=form["data"]["cards"])

    return [(tablectl.app.daemon, "log_events", log)]


def _forgets_what_waits() -> list[Patch]:
    begin = tablectl.bus.outbox.Outbox._begin  # pyright: ignore[reportPrivateUsage]

    def anew(self: Any, connection: Any) -> Any:
        self._progress.acknowledged = self._contents.store.last_sequence()
        return begin(self, connection)

    return [(tablectl.bus.outbox.Outbox, "_begin", anew)]


def _makes_old_events_anew() -> list[Patch]:
    after = Journal.events_after

    def anew(self: Any, sequence: int, limit: int) -> list[StoredEvent]:
        return [replace(event, payload=event.payload[:-1] + b" }") for event in after(self, sequence, limit)]

    return [(Journal, "events_after", anew)]


def _publishes_the_newest_first() -> list[Patch]:
    def newest(self: Any) -> StoredEvent | None:
        if self._held or self._alone is not None or not self._waiting:
            return None
        event: StoredEvent = self._waiting.pop()
        return event

    return [(tablectl.bus.flow.Flow, "_next_event", newest)]


def _forgets_a_latch() -> list[Patch]:
    def cleared(table: Any, effect: Any) -> Any:
        standing = fault(table, effect.code, effect.device)
        if standing is None:
            return table, ()
        return without_fault(table, standing), (tablectl.core.housekeeping._gone(standing, "table"),)  # pyright: ignore[reportPrivateUsage]

    return [(tablectl.core.housekeeping, "_cleared", cleared)]


def _forgets_faults_at_its_end() -> list[Patch]:
    recover = LiveTable.recover

    def forgetful(self: Any) -> int:
        folded: int = recover(self)
        self.state = self._folded = replace(self.state, faults=())
        return folded

    return [(LiveTable, "recover", forgetful)]


def _forgets_the_round() -> list[Patch]:
    recover = LiveTable.recover

    def forgetful(self: Any) -> int:
        folded: int = recover(self)
        begun = tablectl.core.procedure.begin(self.game)
        self.state = self._folded = replace(self.state, game=begun.game)
        return folded

    return [(LiveTable, "recover", forgetful)]


def _coming_back_with(**changed: Any) -> Callable[[], list[Patch]]:
    """A table whose game comes back from its journal with something else in it."""

    def makes() -> list[Patch]:
        recover = LiveTable.recover

        def forgetful(self: Any) -> int:
            folded: int = recover(self)
            self.state = self._folded = replace(self.state, game=replace(self.state.game, **changed))
            return folded

        return [(LiveTable, "recover", forgetful)]

    return makes


def _drops_its_last_record() -> list[Patch]:
    restore = Journal.restore

    def shorter(self: Any) -> None:
        for table, column in (("event", "record"), ("record", "number")):
            self._connection.execute(f"DELETE FROM {table} WHERE {column} = (SELECT max(number) FROM record)")
        restore(self)

    return [(Journal, "restore", shorter)]


def _draws_again_after_a_restart() -> list[Patch]:
    game = tablectl.core.games.football_poker.procedure.FootballPokerGame
    outstanding = game.outstanding

    def anew(self: Any, state: Any) -> Any:
        commands = outstanding(self, state)
        return tuple(
            replace(each, draw_id=each.draw_id + 1) if isinstance(each, RequestDraw) else each for each in commands
        )

    return [(game, "outstanding", anew)]


def _settles_out_of_balance() -> list[Patch]:
    write_event = _TABLE.write_event

    def generous(event: Any, *rest: Any, **named: Any) -> tuple[str, bytes]:
        topic, payload = write_event(event, *rest, **named)
        if isinstance(event, Settled):
            payload = payload.replace(b'"net":"-', b'"net":"', 1)
        return topic, payload

    return [(tablectl.shell.table, "write_event", generous)]


def _ends_a_round_twice() -> list[Patch]:
    step = tablectl.core.procedure.step

    def twice(game: Any, table: Any, fact: Any) -> Any:
        after, effects = step(game, table, fact)
        ends = [effect for effect in effects if isinstance(effect, Announce) and isinstance(effect.event, Settled)]
        return after, (*effects, *ends)

    return [(tablectl.core.procedure, "step", twice)]


def _breaks_the_chain() -> list[Patch]:
    link_after = tablectl.shell.journal_rows._link_after  # pyright: ignore[reportPrivateUsage]

    def loose(_link: bytes, *rest: Any) -> bytes:
        return link_after(FIRST_LINK, *rest)

    return [(tablectl.shell.journal_rows, "_link_after", loose)]


def _speaks_before_its_session() -> list[Patch]:
    begin = _DAEMON.begin

    async def late(*given: Any) -> None:
        import asyncio  # noqa: PLC0415

        loop = asyncio.get_running_loop()
        loop.call_later(0.2, lambda: loop.create_task(begin(*given)))

    return [(tablectl.app.daemon, "begin", late)]


def _is_ready_at_once() -> list[Patch]:
    return [(tablectl.app.fleet.Fleet, "missing", lambda _self: [])]


def _tells_a_card_twice() -> list[Patch]:
    tell = LiveTable.tell

    def stutter(self: Any, given: Any, stored: Any = None) -> None:
        tell(self, given, stored)
        if isinstance(given.body, CardDrawn):
            tell(self, given)

    return [(LiveTable, "tell", stutter)]


def _signs_what_nobody_has() -> list[Patch]:
    def show(self: Any) -> None:
        if self._held:
            self.note, self._held = self._held, ""
            self.changed()

    return [(tablectl.shell.checkpoints.Checkpoints, "_show", show)]


def _replays_without_the_last() -> list[Patch]:
    stretch = _ANSWERS.Stretch
    return [(_ANSWERS, "Stretch", lambda after, through, *rest: stretch(after, max(after, through - 1), *rest))]


def _replays_without_bets() -> list[Patch]:
    readable = _ANSWERS._readable

    def without_bets(by: Any) -> Callable[[StoredEvent], bool]:
        given = readable(by)
        return lambda event: given(event) and event.topic != "event/bet"

    return [(_ANSWERS, "_readable", without_bets)]


def _gives_everybody_everything() -> list[Patch]:
    return [(_ANSWERS, "_readable", lambda _by: lambda _event: True)]


def _hears_everybody() -> list[Patch]:
    return [(tablectl.bus.requests, "_unanswerable", lambda _who, _request: None)]


def _tells_an_old_table() -> list[Patch]:
    now = tablectl.shell.topics.StateTopics.now
    first: dict[str, Any] = {}

    def old(self: Any) -> dict[str, Any]:
        said = now(self)
        return {**said, "round": first.setdefault("round", said["round"])}

    return [(tablectl.shell.topics.StateTopics, "now", old)]


def _hears_nobody() -> list[Patch]:
    async def deaf(_self: Any) -> None:
        pass

    return [(tablectl.bus.delivery.Delivery, "_subscribe_requests", deaf)]


MUTANTS: Final[Mapping[str, Mutant]] = {
    "answers before the commit": Mutant(
        _answers_before_commit, frozenset({"answered_is_kept", "shown_is_what_happened"})
    ),
    "acknowledges devices before the commit": Mutant(
        _acknowledges_devices_before_commit, frozenset({"stored_is_kept"}), game="chinese-dice"
    ),
    "publishes before the commit": Mutant(_publishes_before_commit, frozenset({"nothing_is_said_too_early"})),
    "synchronous=NORMAL": Mutant(_syncs_seldom, frozenset({"answered_is_kept", "shown_is_what_happened"})),
    "ignores a failed write": Mutant(
        _ignores_a_failed_write,
        frozenset({"answered_is_kept", "shown_is_what_happened", "chain_holds"}),
        kinds=frozenset({"disk fails"}),
    ),
    "goes on after a failed note": Mutant(
        _goes_on_after_a_failed_note,
        frozenset({"program_is_sound"}),
        game="wheel-of-fortune",
        kinds=frozenset({"disk fails"}),
    ),
    "does again what was asked again": Mutant(
        _does_again_what_was_asked_again, frozenset({"asked_is_done_once"}), kinds=frozenset({"network"})
    ),
    "counts again what was told again": Mutant(
        _counts_again_what_was_told_again,
        frozenset({"reports_are_in_order_and_once"}),
        game="chinese-dice",
        kinds=frozenset({"kill"}),
    ),
    "shows cards early": Mutant(_shows_cards_early, frozenset({"cards_are_secret"})),
    "writes cards into the log": Mutant(_writes_cards_into_the_log, frozenset({"cards_are_secret"})),
    "forgets what waits": Mutant(_forgets_what_waits, frozenset({"feed_is_whole"}), kinds=frozenset({"broker stops"})),
    "makes old events anew": Mutant(
        _makes_old_events_anew, frozenset({"feed_is_whole"}), kinds=frozenset({"broker stops"})
    ),
    "publishes the newest first": Mutant(
        _publishes_the_newest_first, frozenset({"feed_is_whole"}), kinds=frozenset({"broker stops"})
    ),
    "forgets a latch": Mutant(_forgets_a_latch, frozenset({"faults_stay"}), kinds=frozenset({"unplug", "jam"})),
    "forgets faults at its end": Mutant(
        _forgets_faults_at_its_end, frozenset({"faults_stay"}), kinds=frozenset({"kill", "jam", "unplug"})
    ),
    "forgets the round": Mutant(_forgets_the_round, frozenset({"a_restart_changes_nothing"})),
    "forgets that the pack is shuffled": Mutant(
        _coming_back_with(pack=Pack()), frozenset({"a_restart_changes_nothing"})
    ),
    "forgets how often the wheel was spun in vain": Mutant(
        _coming_back_with(invalid=7), frozenset({"a_restart_changes_nothing"}), game="wheel-of-fortune"
    ),
    "drops its last record": Mutant(_drops_its_last_record, frozenset({"past_is_unchanged"})),
    "draws again after a restart": Mutant(
        _draws_again_after_a_restart, frozenset({"nothing_is_carried_out_twice"}), game="football-poker"
    ),
    "settles out of balance": Mutant(_settles_out_of_balance, frozenset({"money_is_conserved"})),
    "settles the bank out of balance": Mutant(
        _settles_out_of_balance, frozenset({"money_is_conserved"}), game="chinese-dice"
    ),
    "ends a round twice": Mutant(_ends_a_round_twice, frozenset({"rounds_end_once"})),
    "breaks the chain": Mutant(_breaks_the_chain, frozenset({"chain_holds"})),
    "speaks before its session": Mutant(_speaks_before_its_session, frozenset({"nothing_is_said_too_early"})),
    "is ready at once": Mutant(
        _is_ready_at_once, frozenset({"nothing_is_said_too_early"}), kinds=frozenset({"kill", "unplug"})
    ),
    "tells a card twice": Mutant(_tells_a_card_twice, frozenset({"nothing_is_invented"})),
    "does again what a subscriber asked again": Mutant(
        _does_again_what_was_asked_again, frozenset({"asked_is_done_once"}), kinds=ASKING
    ),
    "replays without the last event": Mutant(_replays_without_the_last, frozenset({"replays_are_whole"}), kinds=ASKING),
    "replays without bets": Mutant(_replays_without_bets, frozenset({"replays_are_whole"}), kinds=ASKING),
    "gives everybody everything": Mutant(_gives_everybody_everything, frozenset({"nobody_gets_more"}), kinds=ASKING),
    "hears everybody": Mutant(_hears_everybody, frozenset({"nobody_gets_more"}), kinds=ASKING),
    "tells an old table": Mutant(_tells_an_old_table, frozenset({"answers_are_true"}), kinds=ASKING),
    "hears nobody": Mutant(_hears_nobody, frozenset({"who_asks_is_answered"}), kinds=ASKING),
    "signs what nobody has": Mutant(
        _signs_what_nobody_has, frozenset({"checkpoints_agree"}), kinds=frozenset({"broker stops", "broker slow"})
    ),
}
"""By what each does wrongly."""


def caught(mutant: Mutant, lives: Callable[[int], list[str]], seeds: int) -> int | None:
    """The first seed whose run is caught by a rule that the mutant breaks; None where none of so many is.

    Args:
        lives: lives through a run of this seed and gives its flaws.
    """
    with at_large(mutant):
        for seed in range(1, seeds + 1):
            if any(flaw.partition(":")[0] in mutant.caught_by for flaw in lives(seed)):
                return seed
    return None
