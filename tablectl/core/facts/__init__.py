"""Everything that a device, the dealer or the clock can report.

A fact says that something happened; it is named by a past participle and is never refused. What the dealer asks for
is a fact as well (they asked): the procedure answers it with an effect. Facts are the journal's content, so a field is
only ever added here, with a default.
"""

from enum import StrEnum
from typing import TYPE_CHECKING

from tablectl.core.facts.amendments import Basis, RoundAmended
from tablectl.core.facts.reports import DeviceFact
from tablectl.core.facts.table_requests import PersonSignedOn, Request, SignOnFailed
from tablectl.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from tablectl.core.effects import Refuse


class ClockState(StrEnum):
    """How far the controller's wall clock can be believed."""

    SYNCED = "synced"
    HOLDOVER = "holdover"
    UNSYNCED = "unsynced"


@dataclass(frozen=True, slots=True)
class Stamp:
    """When a fact happened, as exactly as this machine knows.

    Args:
        utc_us: wall clock, microseconds since 1970 UTC.
        monotonic_ns: the machine's monotonic clock; comparable inside one `boot_id` only.
        boot_id: names the machine's boot.
        clock: state of the wall clock.
        error_us: bound of the wall clock's error, None while unknown.
    """

    utc_us: int
    monotonic_ns: int
    boot_id: str
    clock: ClockState = ClockState.UNSYNCED
    error_us: int | None = None


# --- the table itself -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LogBegan:
    """A journal was made, by this session: the first record of every log.

    Args:
        predecessor: the last checkpoint of the log before, in one line, where it is known.
        public_key: the key that signs it, Base64; empty in logs that don't say.
        played: the published form of what was played under the log before and couldn't be published, in order.
    """

    log_id: str
    site: str
    table: str
    predecessor: str | None = None
    session: str = ""
    public_key: str = ""
    played: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionBegan:
    """The daemon started and recovered the journal.

    Args:
        terms: the rule table and the settings that the game is played by, as JSON; empty in logs that don't say.
        previous: how the session before ended: `stopped killed power_lost watchdog failed unknown`; empty in logs that
            don't say.
        program: SHA-256 of the installed program's manifest; empty for a checkout.
        rules_hash: SHA-256 of the rule table.
        by_hand_limit: the most, in hundredths, that corrections by hand may come to for a round beyond the reach of
            amendments; None in logs that don't say: no limit.
    """

    session: str
    version: str
    config_hash: str
    game: str
    rules_version: str
    simulated: bool = False
    terms: str = ""
    previous: str = ""
    program: str = ""
    rules_hash: str = ""
    by_hand_limit: int | None = None


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """The daemon stopped on purpose.

    Args:
        reason: `stopped`; empty in logs that don't say.
    """

    session: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ProgramVerified:
    """The installed files were compared with their manifest.

    Args:
        occasion: `start`, `hourly` or `request`.
        result: `ok`, `unsigned` or `mismatch`.
        program: SHA-256 of the manifest; empty where there is none.
        files: how many it lists.
        differing: how many files are not as listed.
        findings: the first of them, each with what is wrong.
        key: SHA-256 of the release key; empty where nobody signed.
    """

    occasion: str
    result: str
    version: str
    program: str
    files: int
    differing: int
    findings: tuple[str, ...]
    key: str


@dataclass(frozen=True, slots=True)
class ClockStepped:
    """Step of the wall clock, in UTC microseconds.

    It leads from the instant that the clock would have shown to the one that it showed.
    """

    before_us: int
    after_us: int


@dataclass(frozen=True, slots=True)
class CertificateExpiring:
    """A certificate, or a list of revoked ones, is valid for few days more.

    Args:
        file: the configuration's key that names it, as `mqtt.cert_file`.
        fingerprint: SHA-256 of the certificate or the list.
        until_us: the end of its time, UTC microseconds.
        days: the threshold that it has passed: 30, 7 or 1.
    """

    file: str
    fingerprint: str
    until_us: int
    days: int


@dataclass(frozen=True, slots=True)
class FairnessWeighed:
    """Evidence against the fairness of a stream grew tenfold, or gives an alarm.

    docs/fairness.md defines the figures. They are decimal text with 9 places.

    Args:
        stream: as `sections` or `faces`.
        subject: the wheel, die, bet or person.
        log10_e: the evidence, as logarithm to base 10.
        observed: how many outcomes were weighed.
        threshold: the evidence of an alarm, likewise.
        alarm: whether it was reached.
    """

    stream: str
    subject: str
    log10_e: str
    observed: int
    threshold: str
    alarm: bool


@dataclass(frozen=True, slots=True)
class KeyChanged:
    """Another key signs the log from now on.

    Args:
        public_key: the new one, Base64; `previous_key` the old one.
        announcement: the signed note in which the old one names the new one.
    """

    previous_key: str
    public_key: str
    previous_fingerprint: str
    fingerprint: str
    announcement: str


class HandOver(StrEnum):
    """A step of a deliberate hand-over between two controllers of one table."""

    ASKED = "asked"
    GIVEN = "given"


@dataclass(frozen=True, slots=True)
class FloorHandedOver:
    """Handover between two controllers of a table, as one of them sees it.

    This controller asked the other one to stop speaking for the table, or stopped because it was asked.

    Args:
        from_session: of the controller that spoke; `to_session` of the one that continues.
    """

    step: HandOver
    from_session: str
    to_session: str


@dataclass(frozen=True, slots=True)
class FaultRaised:
    """A fault of the catalogue was seen. `device` is empty for the controller's own."""

    code: int
    device: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class FaultCleared:
    """End of a fault's cause.

    A latched fault stays until a person acknowledges it.
    """

    code: int
    device: str = ""


@dataclass(frozen=True, slots=True)
class TimerElapsed:
    """The time is up that was started as `operation`."""

    operation: int


@dataclass(frozen=True, slots=True)
class Recalled:
    """Somebody outside was given these rounds again."""

    rounds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Bookmarked:
    """Mark that somebody outside put on this moment, or on an earlier event.

    It serves to find the moment again.

    Args:
        sequence: of the event that is meant; None means the present.
    """

    note: str
    sequence: int | None = None


TableFact = (
    LogBegan
    | KeyChanged
    | SessionBegan
    | SessionEnded
    | ProgramVerified
    | ClockStepped
    | CertificateExpiring
    | FairnessWeighed
    | FloorHandedOver
    | FaultRaised
    | FaultCleared
    | TimerElapsed
    | Recalled
    | Bookmarked
)
Body = TableFact | DeviceFact | PersonSignedOn | SignOnFailed | RoundAmended | Request


@dataclass(frozen=True, slots=True)
class Fact:
    """Fact: an event, its time, and its source.

    Args:
        body: the event itself.
        at: the time.
        source: the device's name, `"console"` or `"table"`.
        by: the person, from sign-on; never from the request's own text.
        request_id: the requester's name for their request, so that asking twice does it once.
        round_id: the round that the requester's screen showed, where they named one.
        seen: the number of facts that the requester's screen had taken in, where they named it.
        simulated: whether a simulator stands behind the source.
        delivery: the source's own name for what it sent, as `"<boot>:<number>"`, where it sends again what wasn't
            acknowledged; empty where it doesn't. The numbers of a boot count 16 bits and wrap.
        second: the other person who agrees, where it takes two; they proved who they are as well.
        basis: of an amendment: the journal's account of its round, or why that can't be amended.
    """

    body: Body
    at: Stamp
    source: str
    by: str | None = None
    request_id: str | None = None
    round_id: str | None = None
    seen: int | None = None
    simulated: bool = False
    delivery: str = ""
    second: str | None = None
    basis: "Basis | Refuse | None" = None
