"""What is shown of the table: the console's state, and the state topics of MQTT. Never a card that lies face down."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from tablectl import words
from tablectl.core.events import saying
from tablectl.core.table import Device, Fault, entry
from tablectl.shell.table import LiveTable
from tablectl.shell.wire import plain

S = TypeVar("S")


@dataclass(slots=True)
class TableWindow(Generic[S]):
    """The table as persons and pages see it."""

    table: LiveTable[S]
    site: str
    name: str
    _watchers: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])

    def state(self) -> Mapping[str, Any]:
        """The table now, for the console."""
        state = self.table.state
        return {
            "table": self.name,
            "site": self.site,
            "game": self.table.game.name,
            "session": state.session,
            "simulated": state.simulated,
            "seen": state.records,
            **self.round_state(),
            "devices": [_device(item) for item in state.devices],
            "faults": [fault_form(item) for item in state.faults],
        }

    def round_state(self) -> dict[str, Any]:
        """The content of ``round/state``."""
        game, state = self.table.game, self.table.state
        return {
            "round_id": game.round_id(state.game),
            "phase": game.phase(state.game),
            "waiting": words.say(game.waiting(state)),
            "round": plain(game.public(state.game)),
        }

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Calls ``changed`` after every stored step; returns what ends that."""
        self._watchers.append(changed)
        return lambda: self._watchers.remove(changed)

    def tell_watchers(self) -> None:
        """Says that the state is new."""
        for changed in tuple(self._watchers):
            changed()


def fault_form(standing: Fault) -> dict[str, Any]:
    """A fault for people and programs."""
    line = entry(standing.code)
    return {
        "code": standing.code,
        "device": standing.device,
        "severity": line.severity.value,
        "text": words.say(saying(f"fault.{line.key}.text")),
        "dealer": words.say(saying(f"fault.{line.key}.dealer")),
        "technician": words.say(saying(f"fault.{line.key}.technician")),
        "detail": standing.detail,
        "present": standing.present,
        "times": standing.times,
        "acknowledged_by": standing.acknowledged_by,
        "clears": line.clears.value,
    }


def _device(item: Device) -> dict[str, Any]:
    return {
        "name": item.name,
        "attached": item.attached,
        "reason": item.reason,
        "maker": item.maker,
        "model": item.model,
        "serial": item.serial,
        "firmware": item.firmware,
        "simulated": item.simulated,
    }
