"""The state topics of a table and what stands in them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, Generic, TypeVar

from tablectl.core import table as tables
from tablectl.core.faults import Severity
from tablectl.core.ports import Clock, DeviceCounters
from tablectl.core.when import utc_text
from tablectl.shell.keys import PublicKey
from tablectl.shell.table import LiveTable
from tablectl.shell.window import TableWindow, fault_form
from tablectl.shell.wire import plain, write_state

S = TypeVar("S")

STATUS, INFO, HEALTH, ROUND, BOARD = "status", "meta/info", "health", "round/state", "board"
CHECKPOINT, ASYNCAPI = "checkpoint", "meta/asyncapi"
"""Raw text, unlike the others."""

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class About:
    """What a session tells about itself: fixed as long as it lasts.

    Args:
        devices: their names, in order.
        simulated: those that are set up as simulators, whether they are there or not.
    """

    version: str
    config_hash: str
    key: PublicKey
    devices: tuple[str, ...]
    simulated: frozenset[str] = frozenset()


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
    ) -> None:
        self._table = table
        self._window = window
        self._clock = clock
        self._about = about
        self._measures = measures
        self._counters = counters
        self._board = board
        self._count = count(1)
        self._since = clock.now()
        self.began = False
        self.stopped = False
        self.failed = False
        self.raw = {CHECKPOINT: b"", ASYNCAPI: b""}

    @property
    def names(self) -> tuple[str, ...]:
        """All state topics, ``status`` first."""
        devices = (device_topic(name) for name in self._about.devices)
        return (STATUS, INFO, *devices, ROUND, BOARD, HEALTH, CHECKPOINT, ASYNCAPI)

    @property
    def past(self) -> tuple[str, ...]:
        """The topics of devices that the table had and has no more: what brokers keep of them is out of date."""
        known = (device.name for device in self._table.state.devices)
        return tuple(device_topic(name) for name in known if name not in self._about.devices)

    def render(self, topic: str) -> bytes:
        """The topic's payload now; empty while there is none."""
        return self.raw[topic] if topic in self.raw else self._payload(*self._content(topic))

    def now(self) -> Mapping[str, Any]:
        """The whole table in one answer: status, round and health."""
        faults = [fault_form(item) for item in self._table.state.faults]
        status, health = self._status(self.status()), self._health()
        said: dict[str, Any] = plain(
            {"status": status, "round": self._window.round_state(), "health": health, "faults": faults}
        )
        return said

    def passive(self) -> bytes:
        """What ``status`` says while another session speaks for the table."""
        return self._payload("status", self._status("passive"))

    def relieving(self, session: str) -> bytes:
        """What ``status`` says where another session is asked to stop speaking for the table."""
        return self._payload("status", {**self._status("passive"), "relieves": session})

    def will(self) -> bytes:
        """What the broker says of this session once it is gone without a word; numbered among its state messages."""
        return self._payload("status", self._status("lost"))

    def status(self) -> str:
        """The table's state in one word."""
        if self.stopped:
            return "stopped"
        faulty = any(tables.entry(item.code).severity is Severity.ERROR for item in self._table.state.faults)
        if faulty or self.failed:
            return "degraded"
        return "ready" if self.began else "init"

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
                return "round.state", self._window.round_state()
            case "board":
                return "board", plain(self._board())
            case "health":
                return "health", plain(self._health())
            case _:
                return "device.status", plain(self._device(topic.split("/")[1]))

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
            "journal": {"record": self._table.state.records, "sequence": self._table.last_sequence()},
            **self._measures(),
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
