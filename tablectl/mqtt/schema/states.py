"""The `data` of the state topics: what a table says of itself."""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Annotated, Any

from pydantic import WithJsonSchema

from tablectl.core.events.round import MAY_LACK
from tablectl.core.events.text import Saying
from tablectl.core.facts import ClockState
from tablectl.core.faults import Authority, Severity
from tablectl.core.protocols import DeviceCounters
from tablectl.lazy_dataclass import dataclass
from tablectl.mqtt.publisher import PublisherHealth
from tablectl.mqtt.schema import rounds
from tablectl.mqtt.schema.parts import LACKS, GameName, InstantText, RoundId, RoundIdOrNone

SessionOrNone = Annotated[str, WithJsonSchema({"type": "string", "minLength": 1, LACKS: True})]
"""The session that a waiting controller asks to stop; absent but for that moment."""


class TableState(StrEnum):
    """A table in one word; ``lost`` is the broker's, once a session is gone without one."""

    INIT = "init"
    READY = "ready"
    DEGRADED = "degraded"
    PASSIVE = "passive"
    STOPPED = "stopped"
    LOST = "lost"


class LinkState(StrEnum):
    """Whether a device is there."""

    READY = "ready"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Status:
    """The table in one word, and since when its session runs."""

    state: TableState
    session: str
    log: str
    since: InstantText
    version: str
    relieves: SessionOrNone = ""


@dataclass(frozen=True, slots=True)
class TableInfo:
    """What stays the same as long as a session lasts, and the key that signs its checkpoints."""

    version: str
    game: GameName
    rules_version: str
    rules_hash: str
    devices: tuple[str, ...]
    config_hash: str
    schema_version: int
    log: str
    public_key: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class ClockHealth:
    """How far the table's clock can be believed."""

    state: ClockState
    error_us: int | None


@dataclass(frozen=True, slots=True)
class JournalHealth:
    """How far the journal has come: its last record, and the last event's sequence."""

    record: int
    sequence: int


@dataclass(frozen=True, slots=True)
class CopyHealth:
    """How far the second copy of the journal is.

    `behind_s` says since how many seconds it hasn't had everything; 0 while it has.
    """

    record: int
    sequence: int
    behind_s: float


@dataclass(frozen=True, slots=True)
class Health:
    """How the daemon does, every 30 s: the figures of its loop, journal, outbox and devices.

    `kept_checkpoint` says how the checkpoint that the broker kept compares with the log: `none`, `unreadable`, `own`,
    `predecessor`, `forked` or `foreign`; empty before the first connection. `journal_checks` says how often the
    journal's file was read through since the start; `journal_copy` is left out where no second copy is kept.
    """

    clock: ClockHealth
    journal: JournalHealth
    loop_lag_s: float
    queue: int
    outbox: PublisherHealth
    devices: Mapping[str, DeviceCounters]
    kept_checkpoint: str = ""
    journal_checks: int = 0
    journal_copy: CopyHealth = field(default=CopyHealth(0, 0, 0.0), metadata=MAY_LACK)


@dataclass(frozen=True, slots=True)
class StandingFault:
    """A fault that stands, with what to do about it."""

    code: int
    device: str
    severity: Severity
    text: Saying
    dealer: Saying
    technician: Saying
    detail: str
    present: bool
    times: int
    acknowledged_by: str | None
    clears: Authority


@dataclass(frozen=True, slots=True)
class DeviceIdentity:
    """What a device says it is; empty where it doesn't."""

    maker: str
    model: str
    serial: str


@dataclass(frozen=True, slots=True)
class DeviceStatus:
    """A device: its link, what it is, and its faults."""

    name: str
    state: LinkState
    reason: str
    identity: DeviceIdentity
    firmware: str
    simulated: bool
    last_frame_age_s: float | None
    faults: tuple[StandingFault, ...]


@dataclass(frozen=True, slots=True)
class BoardResult:
    """What a round came to."""

    round_id: RoundId
    settled: InstantText
    result: str


BoardCount = Annotated[
    Mapping[str, Any],
    WithJsonSchema(
        {
            "type": "object",
            "properties": {"count": {"type": "integer", "minimum": 0}, "expected": {"type": "number", "minimum": 0}},
            "required": ["count"],
        }
    ),
]
"""How often a result came, beside how often it was to be expected where that has been worked out."""


@dataclass(frozen=True, slots=True)
class Board:
    """The history board: the last results, and how often each came in the rounds that are counted."""

    game: GameName
    last: tuple[BoardResult, ...]
    rounds: int
    counts: Mapping[str, BoardCount]


@dataclass(frozen=True, slots=True)
class Leading:
    """The alternative that explains most of the evidence.

    `outcomes` are those that it makes more frequent; `low` and `high` bound their true chance: a confidence sequence.
    """

    alternative: str
    at: str
    outcomes: tuple[str, ...]
    seen: int
    chance: str
    low: str
    high: str


@dataclass(frozen=True, slots=True)
class Weighed:
    """A stream of outcomes and the evidence that it isn't fair; figures are decimal text with 9 places."""

    stream: str
    subject: str
    log10_e: str
    observed: int
    threshold: str
    alarmed: bool
    leading: Leading | None


@dataclass(frozen=True, slots=True)
class Fairness:
    """The streams of outcomes, the one with most evidence first, as weighed up to an event."""

    sequence: int
    streams: tuple[Weighed, ...]


@dataclass(frozen=True, slots=True)
class RoundState:
    """The round in being, what the table waits for, and what everybody may see."""

    round_id: RoundIdOrNone
    phase: str
    waiting: Saying
    round: rounds.QPoker | rounds.FootballPoker | rounds.WheelOfFortune | rounds.ChineseDice | rounds.ThirteenCards


@dataclass(frozen=True, slots=True)
class RoundPhase:
    """Where the table is in its round: for those who may see neither cards nor bets.

    `since` is when it came into this phase of this round, or the session's beginning where that is later.
    """

    round_id: RoundIdOrNone
    phase: str
    waiting: Saying
    since: InstantText
