"""Everything that was seen of a table from outside, in the order in which it happened."""

import hashlib
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import Any

Form = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that a person made, once or several times under the same name.

    Args:
        fields: the whole body.
    """

    at_s: float
    by: str
    verb: str
    request_id: str
    fields: Form


@dataclass(frozen=True, slots=True)
class Answered:
    """What the table said to a request that a person then heard.

    Args:
        record: the fact's number in the journal.
    """

    at_s: float
    by: str
    verb: str
    request_id: str
    record: int
    accepted: bool


@dataclass(frozen=True, slots=True)
class Wanted:
    """A request that a subscriber made over MQTT, once or several times under the same name.

    Args:
        transaction: the name.
        fields: the body without it.
    """

    at_s: float
    by: str
    verb: str
    transaction: str
    fields: Form


@dataclass(frozen=True, slots=True)
class Shown:
    """The state that a screen showed."""

    at_s: float
    life: int
    state: Form
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """A record of the journal's file, as it lies there."""

    number: int
    recorded_us: int
    body: bytes
    salt: bytes
    link: bytes


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event of the journal's file."""

    sequence: int
    record: int
    topic: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Image:
    """What a disk held when a process began, or at the end."""

    at_s: float
    life: int
    rows: tuple[Row, ...]
    events: tuple[EventRow, ...]
    meta: dict[str, str]


@dataclass(frozen=True, slots=True)
class Stored:
    """A device's word that the table has told it to forget a report: boot, and the report's number."""

    at_s: float
    device: str
    boot: int
    number: int


@dataclass(frozen=True, slots=True)
class Told:
    """A report that a device made."""

    at_s: float
    device: str
    boot: int
    number: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class Executed:
    """Something that a device was asked for and did.

    Args:
        what: `draws`, `shuffles` or `sounds`.
        number: the name under which it was asked for.
        boot: the device's start in which it was done.
    """

    device: str
    what: str
    number: int
    boot: int


@dataclass(frozen=True, slots=True)
class CardFell:
    """A card that left the shoe."""

    at_s: float
    card: str


@dataclass(frozen=True, slots=True)
class Published:
    """A message that the broker took."""

    at_s: float
    life: int
    topic: str
    payload: bytes
    retained: bool


@dataclass(frozen=True, slots=True)
class Relapse:
    """What was seen after an old copy of the state folder was put back.

    Args:
        old: what lay in the copy.
        final: what lies there at the end.
        opened: whether the table took the dealer's word that a round begins.
    """

    old: Image
    final: Image
    published: tuple[Published, ...]
    shown: tuple[Shown, ...]
    opened: bool


@dataclass(frozen=True, slots=True)
class Takeover:
    """What was seen after the table was started on the journal of an earlier build.

    Args:
        old: what lay in that journal.
        final: what lies there at the end.
    """

    old: Image
    final: Image
    published: tuple[Published, ...]


@dataclass(frozen=True, slots=True)
class Beside:
    """What was seen while a copy of the state folder ran beside its table, and after the table's orderly end.

    Args:
        life: the copy's; the table's are smaller.
        final: what lies on the table's disk at its end.
        opened: whether the copy took a supervisor's word that a round begins.
    """

    life: int
    final: Image
    published: tuple[Published, ...]
    shown: tuple[Shown, ...]
    opened: bool


@dataclass(slots=True)
class History:
    """What one run left, and the trace that has to be the same for the same seed.

    Attributes:
        faults: how often what was done to the table on purpose.
        began: when each life began, by its number.
        wanted: what subscribers asked for over MQTT.
        unanswered: who asked in peace and heard nothing.
        reads: the topics of events that each subscriber may have, without the table's own prefix.
        may: the verbs of each subscriber.
        newest_event: the number of the newest event that the broker was given.
        cut: how many events the broker lacked when a connection ended in the midst of them.
        relapse: what came of an old state folder; None where none was put back.
        beside: what came of a copy that ran beside its table; None where none did.
        takeover: what came of an earlier build's journal; None where there was none.
        public_key: of the log, as its maker says.
        setting_s: how long the players have to set their cards.
        halts: when the process was stopped, and when it went on.
        calm_s: since when nothing is done to it any more.
        errors: what went wrong in the program itself.
        lines: the log's words.
    """

    clock: Callable[[], float]
    setting_s: int = 300
    asked: list[Asked] = field(default_factory=list[Asked])
    answered: list[Answered] = field(default_factory=list[Answered])
    shown: list[Shown] = field(default_factory=list[Shown])
    images: list[Image] = field(default_factory=list[Image])
    stored: list[Stored] = field(default_factory=list[Stored])
    told: list[Told] = field(default_factory=list[Told])
    cards: list[CardFell] = field(default_factory=list[CardFell])
    published: list[Published] = field(default_factory=list[Published])
    executed: list[Executed] = field(default_factory=list[Executed])
    orders: dict[str, dict[str, list[int]]] = field(default_factory=dict[str, dict[str, list[int]]])
    faults: Counter[str] = field(default_factory=Counter[str])
    errors: list[str] = field(default_factory=list[str])
    lines: list[tuple[float, str]] = field(default_factory=list[tuple[float, str]])
    wanted: list[Wanted] = field(default_factory=list[Wanted])
    unanswered: list[str] = field(default_factory=list[str])
    reads: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    may: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    newest_event: int = 0
    cut: list[int] = field(default_factory=list[int])
    relapse: Relapse | None = None
    beside: Beside | None = None
    takeover: Takeover | None = None
    public_key: bytes = b""
    halts: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    calm_s: float = 0.0
    voice: Callable[[str], None] | None = None
    _hash: Any = field(default_factory=hashlib.sha256)

    @contextmanager
    def apart(self) -> Generator[None]:
        """Has what is seen inside the block in it only until the block ends: it is no part of the evening."""
        names = [each.name for each in fields(self) if each.name not in {"errors", "lines"}]
        evening = {name: seen for name in names if isinstance(seen := getattr(self, name), list)}
        for name in evening:
            setattr(self, name, [])
        try:
            yield
        finally:
            for name, seen in evening.items():
                setattr(self, name, seen)

    def trace(self, *what: object) -> None:
        """Adds a line to the trace."""
        line = f"{self.clock():.6f} {' '.join(map(str, what))}"
        self._hash.update(line.encode())
        if self.voice is not None:
            self.voice(line)

    def fault(self, kind: str, *what: object) -> None:
        """Counts something that was done to the table on purpose."""
        self.faults[kind] += 1
        self.trace("FAULT", kind, *what)

    def error(self, text: str) -> None:
        """Notes a mistake of the program."""
        self.errors.append(f"{self.clock():.6f} {text}")
        self.trace("ERROR", text)

    def digest(self) -> str:
        """The trace in a few digits."""
        return str(self._hash.hexdigest())[:16]
