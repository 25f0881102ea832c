"""What becomes public of the log, the settings and persons: ``event/audit``."""

from dataclasses import dataclass

from tablectl.core.round_events import Regiven


@dataclass(frozen=True, slots=True)
class LogStarted:
    """``event/audit`` audit.log_began."""

    by: str
    log: str
    predecessor: str | None
    public_key: str = ""


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
    """

    round_id: str
    by: str
    what: str
    reason: str
    changes: tuple[Regiven, ...]
    house: str


@dataclass(frozen=True, slots=True)
class RoundsRecalled:
    """``event/audit`` audit.recalled: somebody outside was given these rounds again."""

    by: str
    rounds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BookmarkSet:
    """``event/audit`` audit.bookmark: somebody outside marked this moment or an earlier event (its id)."""

    by: str
    note: str
    marks: str | None
