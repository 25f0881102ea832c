"""Published events on the log, the settings and persons: `event/audit`."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from tablectl.core.events.round import MAY_LACK, Regiven
from tablectl.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class LogStarted:
    """``event/audit`` audit.log_began."""

    by: str
    log: str
    predecessor: str | None
    public_key: str = ""


@dataclass(frozen=True, slots=True)
class SessionStarted:
    """``event/audit`` audit.session_began: the daemon started, and how the session before ended.

    Args:
        previous: `stopped killed power_lost watchdog failed unknown`.
        program: SHA-256 of the installed program's manifest; empty for a checkout.
    """

    by: str
    previous: str
    version: str
    program: str
    rules_hash: str
    config_hash: str


@dataclass(frozen=True, slots=True)
class SessionOver:
    """``event/audit`` audit.session_ended: the daemon stopped on purpose."""

    by: str
    session: str
    reason: str


@dataclass(frozen=True, slots=True)
class ProgramChecked:
    """``event/audit`` audit.program_verified: the installed files were compared with their signed manifest."""

    by: str
    occasion: str
    result: str
    version: str
    program: str
    files: int
    differing: int
    findings: tuple[str, ...]
    key: str


@dataclass(frozen=True, slots=True)
class ClockSet:
    """``event/audit`` audit.clock_stepped: the wall clock was set, from one instant to another."""

    by: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class CertificateEnds:
    """`event/audit` audit.certificate_expiring: a certificate, or a list of revoked ones, ends soon.

    Args:
        file: the configuration's key that names it, as `mqtt.cert_file`.
        fingerprint: SHA-256 of the certificate or the list.
        days: 30, 7 or 1: it ends within so many. Each is said once.
    """

    by: str
    file: str
    fingerprint: str
    until: str
    days: int


@dataclass(frozen=True, slots=True)
class PlayedBefore:
    """``event/audit`` audit.played_before: what was played under the log before and couldn't be published.

    Args:
        log: the log before; its copies may have used the same numbers for something else.
        occurred: when, as in an envelope's `time`.
        content: of the event, as its own message would have had it.
    """

    by: str
    log: str
    type: str
    occurred: str
    content: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class HandedOver:
    """``event/audit`` audit.handed_over: the table goes from one controller to another; ``step`` is asked or given."""

    by: str
    step: str
    from_session: str
    to_session: str


@dataclass(frozen=True, slots=True)
class LogKeyChanged:
    """``event/audit`` audit.key_changed: another key signs from now on; the old one says so in ``announcement``."""

    by: str
    previous_key: str
    public_key: str
    previous_fingerprint: str
    fingerprint: str
    announcement: str


@dataclass(frozen=True, slots=True)
class SignedOn:
    """``event/audit`` audit.signed_on: by ``means`` of a PIN or a certificate."""

    by: str
    role: str
    means: str = "pin"


@dataclass(frozen=True, slots=True)
class SignOnRefused:
    """``event/audit`` audit.sign_on_failed: wrong PINs in a row; ``person`` is empty for a name that nobody has."""

    by: str
    person: str
    tries: int
    locked: bool


@dataclass(frozen=True, slots=True)
class ConfigChanged:
    """``event/audit`` audit.config_changed: version, rules or settings differ from the session before."""

    by: str
    version: str
    config_hash: str
    previous_version: str
    previous_config_hash: str


@dataclass(frozen=True, slots=True)
class Overridden:
    """``event/audit`` audit.override: two persons set aside what the controller held; the house's is the rest.

    ``changes`` and ``house`` sum to zero.

    Args:
        by_hand: True for a round that amendments no longer reach; left out of the message for others.
    """

    round_id: str
    by: str
    what: str
    reason: str
    changes: tuple[Regiven, ...]
    house: str
    by_hand: bool = field(default=False, metadata=MAY_LACK)


@dataclass(frozen=True, slots=True)
class RoundsRecalled:
    """``event/audit`` audit.recalled: somebody outside was given these rounds again."""

    by: str
    rounds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MaterialChanged:
    """``event/audit`` audit.material_changed: another pack, other dice, another shoe, or its use is over.

    Args:
        kind: `pack dice shoe`.
        name: empty where nobody named it.
        previous: the name of the one before; empty where there was none.
        since: when it was named.
        fit: whether it may be played with.
    """

    by: str
    kind: str
    name: str
    previous: str
    since: str
    fit: bool


@dataclass(frozen=True, slots=True)
class BookmarkSet:
    """``event/audit`` audit.bookmark: somebody outside marked this moment or an earlier event (its id)."""

    by: str
    note: str
    marks: str | None
