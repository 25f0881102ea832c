"""Ingest of the recorder: messages in, batches for the store out.

No clock, no socket, no database.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from operator import attrgetter
from typing import Any, Final, cast

from tablectl.features.recorder.keys import Pins, are_enough
from tablectl.features.recorder.log_state import Account, account_of, read_bridge
from tablectl.features.recorder.payloads import data_of, form_of, key_of, number_of, plain_text, time_text
from tablectl.features.recorder.ranges import Range
from tablectl.features.recorder.replays import Ask, Replays
from tablectl.features.recorder.shards import Shard
from tablectl.features.recorder.stores.records import (
    Batch,
    Checkpoint,
    Dispute,
    Event,
    Gap,
    LogState,
    Saved,
    SeenDevice,
    Wrong,
    place_of,
)
from tablectl.features.recorder.trust import Trusting
from tablectl.journal.live_journal import Durations
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.checkpoint import unsigned_checkpoint
from tablectl.proof.cosignature import Policy
from tablectl.proof.envelope import Envelope, read_envelope
from tablectl.proof.note import NoteError, read_note

MOST_EVENTS: Final = 20_000
MOST_BYTES: Final = 64 << 20
"""What may wait for the database. What comes beyond is let go, and asked for again."""

MOST_DISPUTES: Final = 1_000

OVERTAKEN_S: Final = 1.0
"""How long the end of a log is awaited: what tells of its last events may overtake them, on another connection."""

LONGEST_END: Final = 8_000
"""Bytes of a replay's last message; longer ones needn't be looked at twice."""

MOST_DEVICES: Final = 40_000
"""Devices of all tables that are known, and that wait for the database."""

MARK: Final = "tablectl/v1/"
LONGEST_NAME: Final = 200
DEVICE: Final = re.compile(r"[a-z0-9_-]{1,32}")

_ABSENT: Final = frozenset({"lost", "stopped", "passive"})


@dataclass(slots=True)
class Tally:
    """Counts of what came since the recorder began.

    Args:
        stored: how long the store took for each batch.
    """

    events: int = 0
    let_go: int = 0
    stored: Durations = field(default_factory=Durations)


@dataclass(slots=True)
class Book:
    """Everything between the messages and the store.

    Args:
        user: our name at the broker.
        session: of this run.
        pins: whose keys are believed.
        policy: which witnesses have to cosign; None where nobody has to.
        shard: whose tables are kept; None for all that come.
    """

    user: str
    session: str
    pins: Pins
    policy: Policy | None = None
    shard: Shard | None = None
    tally: Tally = field(default_factory=Tally)
    accounts: dict[str, Account] = field(default_factory=dict[str, Account])
    _replays: Replays = field(init=False)
    _trusting: Trusting = field(init=False)
    _current: dict[str, str] = field(default_factory=dict[str, str])
    _events: list[Event] = field(default_factory=list[Event])
    _bytes: int = 0
    _checkpoints: list[Checkpoint] = field(default_factory=list[Checkpoint])
    _disputes: list[Dispute] = field(default_factory=list[Dispute])
    _lines: list[str] = field(default_factory=list[str])
    _known: dict[tuple[str, str], tuple[str, str, str, str]] = field(
        default_factory=dict[tuple[str, str], tuple[str, str, str, str]]
    )
    _seen: list[SeenDevice] = field(default_factory=list[SeenDevice])
    _ends_missing: Mapping[str, float] = field(default_factory=dict[str, float])

    def __post_init__(self) -> None:
        self._replays = Replays(self.user, self.session)
        self._trusting = Trusting(self.pins, self.accounts)

    def begin(self, states: Sequence[LogState], gaps: Sequence[Gap]) -> None:
        """Take over the stored states.

        Keys are trusted by the pins of now, not by those of then.
        """
        open_gaps = dict[str, list[Gap]]()
        for gap in gaps:
            open_gaps.setdefault(gap.source, []).append(gap)
        for state in states:
            if not self._is_ours(state.place):
                continue
            account = Account(state, open_gaps.get(state.source, []))
            self.accounts[state.source] = account
            account.trust(self._trusting.kept(state))

    # --- what comes

    def filters(self, heard: Sequence[str], asked: Sequence[str]) -> Sequence[str]:
        """The topics to subscribe to.

        Args:
            heard: `<site>/<table>` whose events and states come, each level also `+`.
            asked: those whose answers come.
        """
        answers = (f"replay/{self.user}/+", f"answer/{self.user}/+")
        ends = ("status", "meta/info", "checkpoint", "device/+/status", "event/+")
        prefix = self.shard.prefix if self.shard else ""
        topics = [f"{prefix}{MARK}{place}/{end}" for place in filter(self._may_be_ours, heard) for end in ends]
        return topics + [f"{MARK}{place}/{end}" for place in filter(self._may_be_ours, asked) for end in answers]

    def take(self, topic: str, payload: bytes, received: str, now_s: float) -> None:
        """Takes a message in."""
        site, table, *rest = topic.partition(MARK)[2].split("/")
        place = f"{site}/{table}"
        if not self._is_ours(place):
            return
        match rest:
            case ["event", _]:
                if source := self._event(place, payload, received):
                    self._turn_to(place, source)
            case ["replay", _, transaction]:
                self._replayed(place, transaction, payload, received, now_s)
            case ["answer", _, transaction]:
                self._answered(place, transaction, payload, now_s)
            case ["checkpoint"]:
                self._checkpoint(place, payload, received)
            case ["meta", "info"]:
                self._info(place, payload)
            case ["status"]:
                self._status(place, payload)
            case ["device", name, "status"]:
                self._device(place, name, payload, received)
            case _:
                pass

    def _event(self, place: str, payload: bytes, received: str) -> str:
        """Its log; empty where it isn't an event of this table."""
        try:
            envelope = read_envelope(payload)
        except ValueError as error:
            self._object(place, "", Wrong.UNREADABLE, f"not an event: {error}", payload, received)
            return ""
        if place_of(envelope.source) != place or not envelope.sequence:
            self._object(place, "", Wrong.ELSEWHERE, f"says it is of {envelope.source!r}", payload, received)
            return ""
        self.tally.events += 1
        if len(self._events) >= MOST_EVENTS or self._bytes >= MOST_BYTES:
            self.tally.let_go += 1
            self._account(envelope.source).let_go(envelope.sequence)
        else:
            self._enter(envelope, payload, received)
        return envelope.source

    def _enter(self, envelope: Envelope, payload: bytes, received: str) -> None:
        self._account(envelope.source).take(envelope.sequence, received)
        self._bytes += len(payload)
        self._events.append(
            Event(
                envelope.source,
                envelope.sequence,
                plain_text(envelope.id),
                plain_text(envelope.kind),
                time_text(envelope.time),
                plain_text(envelope.round_id),
                payload,
                received,
            )
        )

    def _checkpoint(self, place: str, payload: bytes, received: str) -> None:
        try:
            note = payload.decode()
            source = f"/{unsigned_checkpoint(note).origin}"
        except (NoteError, UnicodeDecodeError) as error:
            if payload:
                self._object(place, "", Wrong.UNREADABLE, f"not a checkpoint: {error}", payload, received)
            return
        if place_of(source) != place:
            self._object(place, "", Wrong.ELSEWHERE, f"a checkpoint of {source!r}", payload, received)
            return
        if self.policy is not None:
            try:
                self.policy.cosigners(read_note(note))
            except NoteError as error:
                self._object(place, source, Wrong.SIGNATURE, str(error), payload, received)
                return
        self._account(source).note(note, received)

    def _info(self, place: str, payload: bytes) -> None:
        form = form_of(payload)
        source, key = str(form.get("source")), key_of(data_of(form).get("public_key"))
        if place_of(source) != place or not key:
            return
        self._turn_to(place, source)
        self._lines += self._trusting.named(self._account(source), key)

    def _turn_to(self, place: str, source: str) -> None:
        """The table's log is this one now."""
        if self._current.get(place) != source:
            self._current[place] = source
            self._replays.forget(place)

    def _status(self, place: str, payload: bytes) -> None:
        state = data_of(form_of(payload)).get("state")
        if isinstance(state, str) and state not in _ABSENT:
            self._replays.back(place)

    def _device(self, place: str, name: str, payload: bytes, received: str) -> None:
        """A device's state: who it is, where that is another than last time."""
        form = form_of(payload)
        data = data_of(form)
        known = data.get("identity")
        if not isinstance(known, dict) or data.get("state") != "ready" or not DEVICE.fullmatch(name):
            return
        identity = cast("Mapping[str, Any]", known)
        maker, model, serial = (_name(identity.get(key)) for key in ("maker", "model", "serial"))
        who = maker, model, serial, _name(data.get("firmware"))
        if self._known.get((place, name)) == who or not any(who):
            return
        if (place, name) in self._known or len(self._known) < MOST_DEVICES:
            self._known[place, name] = who
            self._seen.append(SeenDevice(place, name, *who, form.get("simulated") is True, received))
            del self._seen[:-MOST_DEVICES]

    # --- what is missing

    def requests(self, now_s: float, reached: Callable[[str], bool] = lambda _: True) -> Iterator[Ask]:
        """The requests to make now; none while the database lags behind.

        Args:
            reached: whether the broker is there at which a table is asked.
        """
        if len(self._events) < MOST_EVENTS // 2 and self._bytes < MOST_BYTES // 2:
            wants = {place: wanted for place, wanted in self._wants(now_s).items() if reached(place)}
            yield from self._replays.due(wants, now_s)
        for place in self._replays.unanswered():
            self._account(self._current[place]).complain(
                f"the table leaves requests unanswered: is it there, does it list {self.user}, is that our name?"
            )

    def cut_off(self, asked_there: Callable[[str], bool]) -> None:
        """The connection to a broker is gone, at which some tables are asked."""
        self._replays.cut_off(asked_there)

    def _wants(self, now_s: float) -> Mapping[str, Range]:
        wants, ends = dict[str, Range](), dict[str, float]()
        for place, source in self._current.items():
            account = self._account(source)
            if account.recheck is not None:
                wants[place] = account.recheck
            elif missing := account.missing():
                low, high = missing[0]
                if high == account.head:
                    ends[place] = self._ends_missing.get(place, now_s)
                if place not in ends or now_s - ends[place] >= OVERTAKEN_S:
                    wants[place] = low, high
            elif barred := account.barred:
                wants[place] = barred
        self._ends_missing = ends
        return wants

    def _replayed(self, place: str, transaction: str, payload: bytes, received: str, now_s: float) -> None:
        self._replays.came(place, transaction, now_s)
        form = form_of(payload if len(payload) <= LONGEST_END and b'"complete"' in payload else b"")
        if form.get("complete") is not True:
            self._event(place, payload, received)
        elif (wanted := self._replays.asked(place, transaction)) is not None:
            account = self._account(self._current[place])
            if told := self._all_came(place, transaction, form, wanted, now_s):
                self._object(place, account.source, Wrong.ROOT, told, payload, received)

    def _all_came(self, place: str, transaction: str, form: Mapping[str, Any], wanted: Range, now_s: float) -> str:
        """Process the end of a replay that says that it is complete.

        Whatever didn't come with it isn't to be had.

        Returns:
            The flaw in the hashes that came in place of pruned events; empty where there is none.
        """
        account = self._account(self._current[place])
        low, high = wanted
        pruned, last = number_of(form.get("pruned")), number_of(form.get("last"))
        told = ""
        if pruned >= low:
            account.give_up(low, min(pruned, high))
            told = account.bridge(read_bridge(form.get("tree")))
        short = [gap for gap in account.missing() if gap[0] <= high and low <= gap[1]] and not account.overlooked
        account.overlooked = False
        if short and last < high:
            account.complain(f"the table's log ends at {last}: {high} isn't known there")
        elif short:
            account.complain("the table keeps events from us: see reads under [subscribers] in its configuration")
        else:
            account.complain("")
        account.rechecked(high)
        self._replays.ended(place, transaction, now_s, short=bool(short))
        return told

    def _answered(self, place: str, transaction: str, payload: bytes, now_s: float) -> None:
        error = form_of(payload).get("error")
        code = cast("Mapping[str, Any]", error).get("code") if isinstance(error, dict) else None
        if code and place in self._current and self._replays.refused(place, transaction, str(code), now_s):
            self._account(self._current[place]).complain(f"the table refuses replays: {plain_text(str(code))}")

    def current(self) -> Mapping[str, Account]:
        """Return the log in which each table writes now, by `<site>/<table>`.

        Before it was received, that is the last one stored.
        """
        kept = {account.place: account for account in self.accounts.values()}
        return {**kept, **{place: self._account(source) for place, source in self._current.items()}}

    # --- what is to be kept

    @property
    def dirty(self) -> bool:
        """Return True if anything differs from what was stored last."""
        return any(account.dirty for account in self.accounts.values())

    def batch(self, now: str) -> Batch:
        """All that is to be kept since this was asked last."""
        for account in self.accounts.values():
            self._disputes.extend(account.open_notes())
        dirty = [account for account in self.accounts.values() if account.dirty]
        gaps = tuple(gap for account in dirty for gap in account.gaps(now))
        states = tuple(account.state for account in dirty)
        parts = (tuple(self._events), states, tuple(self._checkpoints), gaps, tuple(self._disputes))
        batch = Batch(*parts, tuple(self._seen))
        for account in dirty:
            account.dirty, account.unbroken = False, account.reach
        self._events, self._bytes, self._checkpoints, self._disputes, self._seen = [], 0, [], [], []
        return batch

    def stored(self, batch: Batch, saved: Saved) -> None:
        """A batch is kept: its events go into the trees, its disputes are told."""
        other = {(each.source, each.sequence): each.payload for each in saved.different}
        for (source, sequence), payload in other.items():
            self.accounts[source].contradicted(sequence, payload)
        for event in sorted(batch.events, key=attrgetter("sequence")):
            if other.get((event.source, event.sequence)) != event.payload:
                self.accounts[event.source].tree.take(event.sequence, event.payload)
                self._lines += self._trusting.followed(self.accounts[event.source], event)
        self._lines += [f"DISPUTE {each.place}: {each.told}" for each in saved.disputes]
        self._lines += [_gap_line(gap) for gap in batch.gaps]

    def judged(self, outcome: Checkpoint | Dispute | None) -> None:
        """Takes the outcome of a checkpoint."""
        if isinstance(outcome, Checkpoint):
            self._checkpoints.append(outcome)
            if self.policy is not None and outcome.verified and are_enough(self.policy, outcome.note):
                account = self.accounts[outcome.source]
                account.cosigned = max(account.cosigned, outcome.frontier.size)
        elif outcome is not None:
            self._disputes.append(outcome)

    def lines(self) -> Sequence[str]:
        """Return the lines for people that are new since the last call."""
        lines, self._lines = self._lines, []
        return lines

    # --- parts

    def _is_ours(self, place: str) -> bool:
        return self.shard is None or self.shard.holds(place)

    def _may_be_ours(self, pattern: str) -> bool:
        return "+" in pattern or self._is_ours(pattern)

    def _account(self, source: str) -> Account:
        account = self.accounts.get(source)
        if account is None:
            account = self.accounts[source] = account_of(source)
        return account

    def _object(self, place: str, source: str, wrong: Wrong, line: str, payload: bytes, received: str) -> None:
        if len(self._disputes) < MOST_DISPUTES:
            self._disputes.append(Dispute(place, source, wrong, 0, plain_text(line), payload, received))


def _name(given: object) -> str:
    """A name of a device, cut; empty where it is none."""
    return plain_text(given)[:LONGEST_NAME] if isinstance(given, str) else ""


def _gap_line(gap: Gap) -> str:
    numbers = f"{gap.low}" if gap.low == gap.high else f"{gap.low}–{gap.high}"
    return f"{place_of(gap.source)}: {'filled' if gap.filled else 'missing'}: {numbers}"
