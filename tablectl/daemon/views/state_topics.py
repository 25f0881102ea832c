"""The state topics of a table and what stands in them."""

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, Generic, TypeVar

from tablectl.core import table as tables
from tablectl.core.faults import Severity
from tablectl.core.money import utc_text
from tablectl.core.protocols import Clock, DeviceCounters
from tablectl.daemon.signing.keys import PublicKey
from tablectl.daemon.table import LiveTable
from tablectl.daemon.views.console import TableWindow, fault_form, phase_form
from tablectl.history.statistics.evidence_account import FAIRNESS
from tablectl.journal.encoding import plain, write_state
from tablectl.lazy_dataclass import dataclass
from tablectl.mqtt.message import EXPIRY_S, expires

S = TypeVar("S")

STATUS, INFO, HEALTH, ROUND, BOARD = "status", "meta/info", "health", "round/state", "board"
PHASE = "round/phase"
CHECKPOINT, ASYNCAPI = "checkpoint", "meta/asyncapi"
"""Raw text, unlike the others."""

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class About:
    """Facts of a session about itself, fixed as long as it lasts.

    Args:
        devices: their names, in order.
        simulated: those that are set up as simulators, whether they are there or not.
        previous: how the session before ended; empty: nothing is published about it.
        program: SHA-256 of the installed program's manifest; empty for a checkout.
        holder: the session that held this journal's lock before; empty: unknown.
        rebuilt: what of the journal was rebuilt from its second copy before the start; empty: nothing.
    """

    version: str
    config_hash: str
    key: PublicKey
    devices: tuple[str, ...]
    simulated: frozenset[str] = frozenset()
    previous: str = ""
    program: str = ""
    holder: str = ""
    rebuilt: str = ""


class StateTopics(Generic[S]):
    """Renders every state topic from the table as it is when the message leaves."""

    def __init__(
        self,
        table: LiveTable[S],
        window: TableWindow[S],
        clock: Clock,
        about: About,
        measures: Callable[[], Mapping[str, Any]],
        counters: Callable[[], Mapping[str, DeviceCounters]],
        board: Callable[[], Mapping[str, Any]],
        fairness: Callable[[], Mapping[str, Any]],
    ) -> None:
        self._table = table
        self._window = window
        self._clock = clock
        self._about = about
        self._measures = measures
        self._counters = counters
        self._board = board
        self._fairness = fairness
        self._count = count(1)
        self._since = clock.now()
        self._rendered_s: dict[str, float] = {}
        self._phase: Mapping[str, Any] = {}
        self.kept_checkpoint = ""
        self.began = False
        self.stopped = False
        self.failed = False
        self.raw = {CHECKPOINT: b"", ASYNCAPI: b""}

    @property
    def names(self) -> tuple[str, ...]:
        """All state topics, `status` first."""
        devices = (device_topic(name) for name in self._about.devices)
        return (STATUS, INFO, *devices, ROUND, PHASE, BOARD, FAIRNESS, HEALTH, CHECKPOINT, ASYNCAPI)

    def past(self) -> tuple[str, ...]:
        """The topics of devices that the table had and no longer has.

        The messages that brokers retain on them are out of date.
        """
        known = (device.name for device in self._table.state.devices)
        return tuple(device_topic(name) for name in known if name not in self._about.devices)

    def render(self, topic: str) -> bytes:
        """The topic's payload now; empty while there is none."""
        if topic == FAIRNESS and not self._fairness():
            return b""
        self._rendered_s[topic] = self._clock.monotonic_s()
        return self.raw[topic] if topic in self.raw else self._payload(*self._content(topic))

    def aged(self) -> tuple[str, ...]:
        """The topics whose messages expire and are half that old: to be published again."""
        due_s = self._clock.monotonic_s() - EXPIRY_S / 2
        return tuple(topic for topic, at_s in self._rendered_s.items() if expires(topic) and at_s <= due_s)

    def now(self) -> Mapping[str, Any]:
        """The whole table in one answer: status, round and health."""
        faults = [fault_form(item) for item in self._table.state.faults]
        status, health = self._status(self.status()), self._health()
        said: dict[str, Any] = plain(
            {"status": status, "round": self._round_state(), "health": health, "faults": faults}
        )
        return said

    def passive(self) -> bytes:
        """The `status` message while another session is the leader."""
        return self._payload("status", self._status("passive"))

    def relieving(self, session: str) -> bytes:
        """The `status` message that asks another session to step down."""
        return self._payload("status", {**self._status("passive"), "relieves": session})

    def will(self) -> bytes:
        """The will: the status that the broker publishes if this session is lost.

        It is numbered among the session's state messages.
        """
        return self._payload("status", self._status("lost"))

    def status(self) -> str:
        """The table's state in one word."""
        if self.stopped:
            return "stopped"
        faulty = any(tables.entry(item.code).severity is Severity.ERROR for item in self._table.state.faults)
        if faulty or self.failed:
            return "degraded"
        return "ready" if self.began else "init"

    def is_new_phase(self) -> bool:
        """Return True if `round/phase` has changed since it was last looked at."""
        now, before = phase_form(self._table.game, self._table.state), self._phase
        went_on = any(now.get(name) != before.get(name) for name in ("round_id", "phase"))
        since = utc_text(self._clock.now().utc_us) if went_on else before["since"]
        self._phase = {**now, "since": since}
        return self._phase != before

    def _payload(self, kind: str, data: Mapping[str, Any]) -> bytes:
        return write_state(
            kind,
            data,
            self._clock.now(),
            self._table.origin,
            next(self._count),
            simulated=self._table.state.simulated,
        )

    def _content(self, topic: str) -> tuple[str, Mapping[str, Any]]:
        """The kind of a topic, and what stands in it, plain."""
        match topic:
            case "status":
                return "status", self._status(self.status())
            case "meta/info":
                return "meta.info", self._info()
            case "round/state":
                return "round.state", self._round_state()
            case "round/phase":
                self.is_new_phase()
                return "round.phase", self._phase
            case "board":
                return "board", plain(self._board())
            case "fairness":
                return "fairness", self._fairness()
            case "health":
                return "health", plain(self._health())
            case _:
                return "device.status", plain(self._device(topic.split("/")[1]))

    def _round_state(self) -> Mapping[str, Any]:
        """As screens show it, but that no `round_id` stands where there is no round."""
        state = self._window.round_state()
        return _named({**state, "round": _named(state["round"])})

    def _status(self, state: str) -> Mapping[str, Any]:
        return {
            "state": state,
            "session": self._table.state.session,
            "log": self._table.state.log_id,
            "since": utc_text(self._since.utc_us),
            "version": self._about.version,
        }

    def _info(self) -> Mapping[str, Any]:
        return {
            "version": self._about.version,
            "game": self._table.game.name,
            "rules_version": self._table.game.rules_version,
            "rules_hash": self._table.game.rules_hash,
            "devices": list(self._about.devices),
            "config_hash": self._about.config_hash,
            "schema_version": SCHEMA_VERSION,
            "log": self._table.state.log_id,
            "public_key": self._about.key.text,
            "fingerprint": self._about.key.fingerprint,
        }

    def _health(self) -> Mapping[str, Any]:
        at = self._clock.now()
        return {
            "clock": {"state": at.clock, "error_us": at.error_us},
            "journal": {"record": self._table.state.records, "sequence": self._table.journal.last_sequence()},
            **self._measures(),
            "kept_checkpoint": self.kept_checkpoint,
            "devices": dict(self._counters()),
        }

    def _device(self, name: str) -> Mapping[str, Any]:
        known = tables.device(self._table.state, name)
        counters = self._counters().get(name)
        return {
            "name": name,
            "state": "ready" if known.attached else "lost",
            "reason": known.reason,
            "identity": {"maker": known.maker, "model": known.model, "serial": known.serial},
            "firmware": known.firmware,
            "simulated": known.simulated or name in self._about.simulated,
            "last_frame_age_s": counters.silent_s if counters else None,
            "faults": [fault_form(item) for item in self._table.state.faults if item.device == name],
        }


def device_topic(name: str) -> str:
    """The state topic of a device."""
    return f"device/{name}/status"


def _named(form: Mapping[str, Any]) -> dict[str, Any]:
    """The form without a `round_id` that is null."""
    return {name: value for name, value in form.items() if name != "round_id" or value is not None}
