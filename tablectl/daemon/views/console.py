"""View of the table for the console's state and the state topics of MQTT.

It never has a card that lies face down.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Final, Generic, TypeVar, get_args

from tablectl.core.actions.forms import Offer, offers, requests_of
from tablectl.core.events.text import saying
from tablectl.core.facts.table_requests import Request
from tablectl.core.game_step import Game, shown_phase, shown_round, shown_waiting
from tablectl.core.materials import InUse
from tablectl.core.money import format_money, utc_text
from tablectl.core.protocols import Clock
from tablectl.core.table import Device, Fault, Table, entry, event_named
from tablectl.daemon.table import LiveTable
from tablectl.daemon.views.actions import DeviceLine, action_form, layout_form, next_step
from tablectl.journal.encoding import plain
from tablectl.journal.replay import round_form
from tablectl.lazy_dataclass import dataclass, replace
from tablectl.words.reason import heard_everywhere

S = TypeVar("S")

REQUESTS: Final = frozenset[type](get_args(Request))

_WITHHELD: Final = frozenset({"bettor", "least"})
"""Values in what the table waits for that name a bettor, or come from stakes."""


@dataclass(slots=True)
class TableWindow(Generic[S]):
    """The table as persons and pages see it.

    Args:
        verbs: what the console calls the requests that a role may make; of all roles, where none is named.
        devices: as the configuration names them.
    """

    table: LiveTable[S]
    site: str
    name: str
    clock: Clock
    verbs: Callable[[str], Mapping[type, str]]
    devices: tuple[DeviceLine, ...] = ()
    _watchers: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])
    _layout: Mapping[str, Any] | None = None
    _offered: tuple[Table[S], tuple[Offer, ...]] | None = None
    _round: tuple[Table[S], Mapping[str, Any]] | None = None

    def state(self) -> Mapping[str, Any]:
        """The table now, for the console."""
        state = self.table.state
        return {
            "table": self.name,
            "site": self.site,
            "game": self.table.game.name,
            "log": state.log_id,
            "session": state.session,
            "simulated": state.simulated,
            "seen": state.records,
            **self.round_state(),
            "next": next_step(shown_waiting(self.table.game, state)),
            "payment": payment_form(state),
            "devices": [_device(item) for item in state.devices],
            "faults": [
                {**fault_form(item), "since": utc_text(item.since_us), "reason": heard_everywhere(item.detail)}
                for item in state.faults
            ],
            "materials": [material_form(item) for item in state.materials],
        }

    def round_state(self) -> Mapping[str, Any]:
        """The content of `round/state`, plain; made once for the console and the broker."""
        state = self.table.state
        if self._round is None or self._round[0] is not state:
            self._round = state, round_form(self.table.game, state)
        return self._round[1]

    def layout(self) -> Mapping[str, Any]:
        """The layout, the same as long as the daemon runs; nothing in it is secret."""
        if self._layout is None:
            self._layout = self._make_layout()
        return self._layout

    def _make_layout(self) -> Mapping[str, Any]:
        game, verbs = self.table.game, self.verbs("")
        known = requests_of(game)
        return {
            "table": self.name,
            "site": self.site,
            "game": game.name,
            "rules_version": game.rules_version,
            **layout_form(game.layout(), verbs),
            "devices": [plain(device) for device in self.devices],
            "verbs": [verb for asks, verb in verbs.items() if asks in known or asks not in REQUESTS],
        }

    def actions(self, role: str) -> Sequence[Mapping[str, Any]]:
        """The legal requests for this role now, found by the table's own dry run."""
        verbs = self.verbs(role)
        return [action_form(offer, verbs[kind]) for offer in self._offers() if (kind := type(offer.body)) in verbs]

    def _offers(self) -> tuple[Offer, ...]:
        """The requests tried at this state, once for all screens."""
        state = self.table.state
        if self._offered is None or self._offered[0] is not state:
            self._offered = state, offers(self.table.game, state, self.clock.now())
        return self._offered[1]

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Calls `changed` after every stored step; returns what ends that."""
        self._watchers.append(changed)
        return lambda: self._watchers.remove(changed)

    def tell_watchers(self) -> None:
        """Says that the state is new."""
        for changed in tuple(self._watchers):
            changed()


def phase_form(game: Game[S], state: Table[S]) -> dict[str, Any]:
    """The content of `round/phase` except its time.

    It is plain: neither cards nor bettors nor money.
    """
    round_id, waits = shown_round(game, state), shown_waiting(game, state)
    named = tuple((name, "" if name in _WITHHELD else value) for name, value in waits.values)
    texts: Mapping[str, str] = plain(replace(waits, values=named))
    return {
        **({"round_id": round_id} if round_id else {}),
        "phase": shown_phase(game, state),
        "waiting": {language: text[:1].upper() + text[1:] for language, text in texts.items()},
    }


def payment_form(state: Table[Any]) -> list[dict[str, Any]]:
    """Payments that the dealer has yet to make and to collect, in that order."""
    return [
        {
            "round_id": due.round_id,
            "of": event_named(state, due.event),
            "part": due.part,
            "bets": [{**plain(line), "net": format_money(line.net)} for line in due.lines],
            "changes": [{"bettor": bettor, "amount": format_money(amount)} for bettor, amount in due.changes],
        }
        for due in state.payments.due
    ]


def material_form(used: InUse) -> dict[str, Any]:
    """A pack, dice or shoe in use, for people and programs."""
    since = utc_text(used.since_us)
    return {"kind": used.kind.value, "name": used.name, "since": since, "by": used.by, "fit": used.fit}


def fault_form(standing: Fault) -> dict[str, Any]:
    """A fault for people and programs."""
    line = entry(standing.code)
    return {
        "code": standing.code,
        "device": standing.device,
        "severity": line.severity.value,
        "text": plain(saying(f"fault.{line.key}.text")),
        "dealer": plain(saying(f"fault.{line.key}.dealer")),
        "technician": plain(saying(f"fault.{line.key}.technician")),
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
