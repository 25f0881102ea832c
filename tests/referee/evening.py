"""An evening at a table: what happens is recorded, judged and kept as the daemon does it, and can be amended."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter

from tablectl.console.requests.table import VERBS
from tablectl.console.requests.verb import asked
from tablectl.core import fold
from tablectl.core.actions.authority import Need, is_met, need_of
from tablectl.core.bets.results import ended
from tablectl.core.cards import Card
from tablectl.core.effects import Announce, Refuse
from tablectl.core.facts import Body, Fact, LogBegan, SessionBegan, Stamp
from tablectl.core.facts.amendments import Change, RoundAmended
from tablectl.core.facts.reports import (
    CardDrawn,
    DeviceAttached,
    DiceThrown,
    DrawCommitted,
    DrawShown,
    PacketDelivered,
    SpinStarted,
    SpinStopped,
)
from tablectl.core.game_step import Game, device_of_kind
from tablectl.core.money import format_money
from tablectl.core.outcomes import Direction, Series, Spin
from tablectl.core.protocols import Reply, StoredEvent
from tablectl.core.table import Table
from tablectl.daemon.requests.admission import dry_run, outcome
from tablectl.daemon.requests.amendment_edits import EditReader
from tablectl.daemon.requests.round_past import RoundReader
from tablectl.daemon.table_fold import TableFold
from tablectl.journal.encoding import Origin, read_fact, write_event, write_fact
from tablectl.journal.journal import open_journal
from tablectl.journal.procedure import snapshot_form
from tablectl.journal.records import Record, Snapshot
from tests.support.sitting import put_right

Fields = Mapping[str, Any]
LOG: Final = "5eed0001"
START_US: Final = 1_790_000_000_000_000
BY_HAND: Final = 100_00
"""To what corrections by hand may come for a round that amendments no longer reach."""

BOTH: Final = {"by": "ana", "second": "rui"}
"""Who corrects by hand."""

HANDS_LOOKED_AT: Final = "looking"
"""The phase of a dry run for which it matters which cards lie face down."""

_EVERY: Final[Fields] = {"request_id": "r", "round_id": None, "seen": 0}


@dataclass(frozen=True, slots=True)
class Act:
    """Something that happened at the table, named and written as an amendment names it."""

    verb: str
    fields: Fields = field(default_factory=dict)


@dataclass(slots=True)
class Evening:
    """A table that takes acts, its journal, and all that it published."""

    game: Game[Any]
    state_type: Any
    folder: Path
    table: Table[Any] = field(init=False)
    events: list[Mapping[str, Any]] = field(default_factory=list)
    _records: list[Record] = field(default_factory=list)
    _journal: Any = field(init=False)
    _snapshots: TypeAdapter[Any] = field(init=False)
    _rounds: RoundReader = field(init=False)
    _trial: TableFold[Any] = field(init=False)

    def __post_init__(self) -> None:
        self.table = fold.begin(self.game)
        self._journal = open_journal(self.folder)
        self._snapshots = snapshots = _snapshots(self.state_type)
        self._rounds = RoundReader(self.game, None, self._journal, lambda kept: snapshots.validate_json(kept.state))
        self._trial = TableFold(self.game, ("site", "table"), self.state_type)
        self._take(LogBegan(LOG, "site", "table", session="s1"))
        self._take(SessionBegan("s1", "1", "hash", self.game.name, self.game.rules_version, by_hand_limit=BY_HAND))
        for kind in ("shoe", "shuffler", "dice", "draw", "display", "wheel", "buzzer"):
            if name := device_of_kind(self.game, kind):
                self._take(DeviceAttached(name, boot="1"))

    # --- what it is like

    @property
    def phase(self) -> str:
        return self.game.phase(self.table.game)

    @property
    def round_id(self) -> str | None:
        return self.game.round_id(self.table.game)

    @property
    def draw_id(self) -> int:
        """The draw that was asked for last; a device answers under its number though the round is over."""
        state: Any = self.table.game
        return int(state.drawing.draw_id or (state.past[-1].draw_id if state.past else 0))

    @property
    def sight(self) -> Fields:
        """What everybody at the table can see."""
        return self.game.public(self.table.game)

    def nets(self, round_id: str) -> Mapping[str, int]:
        """What the round did to everybody's money."""
        ending = ended(self.table.endings, round_id)
        return {bettor: net for bettor, net in ending.nets if net} if ending else {}

    def last_dealt(self) -> tuple[Any, int]:
        """Where the last card went, and as which."""
        dealt = next(each["data"] for each in reversed(self.events) if each["type"].endswith("card.dealt.v1"))
        return dealt["place"], dealt["index"]

    def asked_again(self) -> list[int]:
        """The records of the facts that the last amendment asks for again."""
        amended = next(each["data"] for each in reversed(self.events) if each["type"].endswith("round.amended.v1"))
        return [each["record"] for each in amended["asks_again"]]

    # --- what happens

    def happens(self, act: Act, round_id: str | None = None) -> Refuse | None:
        """One act recorded, of this round; the refusal, where there is one."""
        about: dict[str, str] = {"round_id": round_id} if act.verb in VERBS and round_id else {}
        return self._take(self.body(act), **about, **(BOTH if act.verb == "correct_round" else {}))

    def see_to_faults(self) -> None:
        """Acknowledges and clears every fault that stands."""
        while self.table.faults:
            self._take(put_right(self.table))

    def body(self, act: Act) -> Body:
        """The fact of an act."""
        name = partial(device_of_kind, self.game)
        given = act.fields
        match act.verb:
            case "card":
                card = given.get("card")
                return CardDrawn(name("shoe"), card and Card(card))
            case "packet":
                return PacketDelivered(name("shuffler"), given["count"])
            case "dice":
                return DiceThrown(name("dice"), tuple(given["dice"]), given.get("flaw", ""))
            case "spin_started":
                return SpinStarted(name("wheel"), Direction.CLOCKWISE, 1)
            case "spin":
                section = given.get("section")
                spin = Spin(
                    Direction.CLOCKWISE, given["turns"] * 1000, section, 1500, section is None, (), "2027-01 5eed"
                )
                return SpinStopped(name("wheel"), spin)
            case "draw":
                drawn = Series(given["series"]), given["combination"]
                return DrawCommitted(name("draw"), self.draw_id, *drawn)
            case "shown_draw":
                shown = Series(given["series"]), given["combination"]
                return DrawShown(name("display"), self.draw_id, *shown)
            case verb:
                form = VERBS[verb].form.model_validate_json(json.dumps({**_EVERY, **given}))
                body: Body = asked(form, VERBS[verb].asks).body
                return body

    def amend(self, round_id: str, changes: Sequence[Change], roles: Sequence[str]) -> Refuse | Need | None:
        """Recorded facts put right: None, a refusal, or who else has to agree."""
        self.keep()
        body = RoundAmended("what lay on the table", tuple(changes))
        asked_for = self._fact(body, round_id=round_id, seen=self.table.records, by="ana")
        basis = self._rounds.basis(self.table, round_id)
        if not isinstance(basis, Refuse):
            edits = EditReader(basis, partial(device_of_kind, self.game), asked_for.at).edits(body.changes)
            basis = edits if isinstance(edits, Refuse) else replace(basis, edits=edits)
        fact = replace(asked_for, basis=basis)
        need = need_of(self.game, self.table, fact)
        if not isinstance(basis, Refuse) and not is_met(need, roles):
            return need
        self._trial.state = self.table
        said = dry_run(self._trial, fact, need, tuple(roles))
        after, effects = fold.step(self.game, self.table, fact)
        told = outcome(self.game, self.table, after, fact, effects, need, tuple(roles))
        refused = self._fold(fact)
        _see_that_it_came_so(said, refused, told)
        return refused

    def correct(self, round_id: str, bettor: str, amount: int) -> Refuse | None:
        """A round's money corrected by hand, by two persons."""
        changes = [{"bettor": bettor, "amount": format_money(amount)}]
        return self.happens(Act("correct_round", {"corrects": round_id, "reason": "paid wrongly", "changes": changes}))

    def keep(self, *, with_state: bool = False) -> None:
        """Writes to the journal what isn't in it yet."""
        state = self._snapshots.dump_json(self.table) if with_state else None
        kept = Snapshot(self.table.records, self.table.announced, snapshot_form(), state) if state else None
        if self._records or kept:
            self._journal.append(self._records, kept)
        self._records = []

    def replayed(self) -> Table[Any]:
        """The table folded anew from the journal alone."""
        self.keep()
        table = fold.begin(self.game)
        for record in self._journal.replay(0):
            table, _ = fold.step(self.game, table, read_fact(record.body))
        return table

    def close(self) -> None:
        """Ends the evening."""
        self._journal.close()

    def _fact(self, body: Body, **about: Any) -> Fact:
        number = self.table.records
        at = Stamp(START_US + number * 1_000_000, number * 1_000_000_000, "boot")
        return Fact(body, at, getattr(body, "device", "console"), **about)

    def _take(self, body: Body, **about: Any) -> Refuse | None:
        return self._fold(self._fact(body, **about))

    def _fold(self, fact: Fact) -> Refuse | None:
        before = self.game.round_id(self.table.game)
        self.table, effects = fold.step(self.game, self.table, fact)
        announced = [effect for effect in effects if isinstance(effect, Announce)]
        first = self.table.announced - len(announced) + 1
        during = before or self.round_id
        stored = [self._stored(each, fact, number, during) for number, each in enumerate(announced, first)]
        self._records.append(Record(self.table.records, fact.at.utc_us, write_fact(fact), tuple(stored)))
        if before is not None and self.round_id is None:
            self.keep(with_state=True)
        return next((effect for effect in effects if isinstance(effect, Refuse)), None)

    def _stored(self, each: Announce, fact: Fact, number: int, during: str | None) -> StoredEvent:
        happened = replace(fact, at=each.at) if each.at else fact
        origin = Origin("site", "table", LOG, "s1")
        topic, payload = write_event(
            each.event, happened, origin, number, fact.at.utc_us, cause=None, simulated=False, during=during
        )
        self.events.append(json.loads(payload))
        return StoredEvent(number, topic, payload, each.event)


def _see_that_it_came_so(said: Reply, refused: Refuse | None, told: Fields) -> None:
    """A dry run that has hands looked at first leaves open what comes of it; any other says all."""
    assert said.refused == refused, (said, told)
    if refused is not None or said.outcome == told:
        return
    assert said.outcome is not None
    before = told["nets"]["before"]
    unsaid = {"nets": {"before": before, "after": None}, "to_pay": None, "to_take_back": None}
    again = [each for each in told["asks_again"] if each in said.outcome["asks_again"]]
    assert said.outcome == {**told, **unsaid, "phase": HANDS_LOOKED_AT, "asks_again": again}, (said, told)


@cache
def _snapshots(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def as_lines(events: Sequence[Fields]) -> str:
    """The events as a subscriber gets them, one a line."""
    return "".join(f"{json.dumps(event)}\n" for event in events)
