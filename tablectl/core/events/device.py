"""Published events of devices: `event/draw`, `wheel`, `dice`, `fault`, `fairness`."""

from dataclasses import field

from tablectl.core.cards import Place
from tablectl.core.events.round import MAY_LACK
from tablectl.core.events.text import Saying
from tablectl.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class DrawMade:
    """``event/draw`` draw.committed: the system drew; ``upper`` and ``lower`` in the law's order.

    Attributes:
        serial: of the draw system; absent where it tells none, or a person stated the draw.
    """

    round_id: str
    draw_id: str
    series: str
    combination: int
    upper: tuple[int, ...]
    lower: tuple[int, ...]
    serial: str = field(default="", metadata=MAY_LACK)


@dataclass(frozen=True, slots=True)
class DrawDisplayed:
    """``event/draw`` draw.shown: everybody can read the draw; ``read_back`` where the display itself said so."""

    round_id: str
    draw_id: str
    series: str
    combination: int
    upper: tuple[int, ...]
    lower: tuple[int, ...]
    read_back: bool


@dataclass(frozen=True, slots=True)
class DrawVoided:
    """``event/draw`` draw.void: a draw that counts for nothing, or that was never made (then without values)."""

    round_id: str
    draw_id: str
    series: str | None
    combination: int | None
    upper: tuple[int, ...]
    lower: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class SpinBegan:
    """`event/wheel` wheel.started; `release_rpm` only where the sensor reports the speed of the release."""

    round_id: str | None
    direction: str
    turns: float = 0
    section: int | None = None
    symbol: int | None = None
    margin_deg: float | None = None
    on_peg: bool = False
    reasons: tuple[str, ...] = ()
    calibration: str = ""
    release_rpm: float = field(default=0, metadata=MAY_LACK)


@dataclass(frozen=True, slots=True)
class SpinResult:
    """``event/wheel`` wheel.stopped: a valid rotation and what it shows.

    Attributes:
        serial: of the sensor; absent where it tells none, or a person stated the spin.
    """

    round_id: str | None
    direction: str
    turns: float
    section: int | None
    symbol: int | None
    margin_deg: float | None
    on_peg: bool
    reasons: tuple[str, ...]
    calibration: str
    serial: str = field(default="", metadata=MAY_LACK)


@dataclass(frozen=True, slots=True)
class SpinInvalid:
    """``event/wheel`` wheel.invalid: a rotation that is no result, and why."""

    round_id: str | None
    direction: str
    turns: float
    section: int | None
    symbol: int | None
    margin_deg: float | None
    on_peg: bool
    reasons: tuple[str, ...]
    calibration: str


@dataclass(frozen=True, slots=True)
class DiceShown:
    """``event/dice`` dice.thrown: ``flaw`` says why an invalid throw isn't valid.

    Attributes:
        called_invalid: whether no dice fell again: the dealer called the throw invalid that was shown before.
    """

    round_id: str | None
    place: Place | None
    dice: tuple[int, ...]
    valid: bool
    combination: str | None
    flaw: str = ""
    called_invalid: bool = False


@dataclass(frozen=True, slots=True)
class FaultSeen:
    """``event/fault`` fault.raised."""

    code: int
    device: str
    severity: str
    text: Saying
    by: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class FaultGone:
    """``event/fault`` fault.cleared: the fault is over."""

    code: int
    device: str
    severity: str
    text: Saying
    by: str


@dataclass(frozen=True, slots=True)
class FaultSeenBy:
    """``event/fault`` fault.acknowledged by a person."""

    code: int
    device: str
    severity: str
    text: Saying
    by: str


@dataclass(frozen=True, slots=True)
class EvidenceGrown:
    """``event/fairness`` fairness.evidence: evidence that a stream isn't fair has grown tenfold once more.

    Attributes:
        subject: the wheel, die, bet or person.
        log10_e: the evidence, as logarithm to base 10 with 9 places; `threshold` that of an alarm.
        observed: how many outcomes were weighed.
    """

    stream: str
    subject: str
    log10_e: str
    observed: int
    threshold: str
    text: Saying


@dataclass(frozen=True, slots=True)
class FairnessAlarm:
    """``event/fairness`` fairness.alarm: evidence has reached the threshold from the house's budget of false alarms.

    The fields are those of `EvidenceGrown`.
    """

    stream: str
    subject: str
    log10_e: str
    observed: int
    threshold: str
    text: Saying
