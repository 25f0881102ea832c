"""A device's presence, reported to the table at a bounded rate."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from tablectl.core.facts import Body, FaultCleared, FaultRaised, Stamp
from tablectl.core.facts.reports import DeviceAttached, DeviceLost, DeviceNoted, DrawShown
from tablectl.core.faults import Code
from tablectl.core.protocols import Teller
from tablectl.daemon.steady import PATIENT, Patience, Steady, with_count

Trouble = tuple[Code, str]

OF_THE_LINK = frozenset(
    {
        Code.LINK_LOST,
        Code.PORT_MISSING,
        Code.PORT_BUSY,
        Code.PORT_CHANGED,
        Code.SILENT,
        Code.WRONG_DEVICE,
        Code.UNANSWERED,
    }
)

_AT_EACH_CONNECTION = DeviceNoted | DrawShown | FaultRaised | FaultCleared
"""What a device says of itself whenever it comes: it is no proof that it stays."""


class Presence:
    """Reporter of a device's presence or its link's fault; the driver's sink of facts.

    A device whose link flaps is there only once it has stayed. Until then its reports on itself wait, the newest of
    each kind; its reports from the game are passed on at once, after the device itself.

    Args:
        standing: this device's faults that the journal holds as present, code to detail; those that are over are
            cleared, those that have another reason now are reported again.
    """

    def __init__(
        self,
        name: str,
        tell: Teller,
        standing: Mapping[int, str] = MappingProxyType({}),
        patience: Patience = PATIENT,
    ) -> None:
        self._name = name
        self._tell = tell
        self._standing = {code: standing[code] for code in OF_THE_LINK if code in standing}
        self._trouble: Steady[Trouble] = Steady(self._show, patience)
        self._is_there = False
        self._attached: Callable[[], None] | None = None
        self._waiting: dict[tuple[str, str], Callable[[], None]] = {}

    def __call__(
        self,
        body: Body,
        *,
        at: Stamp | None = None,
        stored: Callable[[], None] | None = None,
        delivery: str = "",
    ) -> None:
        """Tells what the driver reports, now or once the device is there."""
        telling = partial(self._tell, body, at=at, stored=stored, delivery=delivery)
        if isinstance(body, DeviceAttached) and not self._is_there:
            self._attached = telling
        elif self._attached is not None and isinstance(body, _AT_EACH_CONNECTION) and not delivery:
            self._waiting.pop(_kind(body), None)
            self._waiting[_kind(body)] = telling
        else:
            if self._attached is not None:
                self._trouble.settle()
            if self._waiting:  # A newer report replaces those on the same thing.
                about = _about(body)
                self._waiting = {kind: each for kind, each in self._waiting.items() if kind[1] != about}
            telling()

    def up(self) -> None:
        """The device is there, and its facts count."""
        self._trouble.now(None)

    def away(self, code: Code, reason: str) -> None:
        """The device isn't there."""
        self._attached = None
        self._trouble.now((code, reason))

    def stop(self) -> None:
        """Tells what waits, and nothing later."""
        self._trouble.stop()
        self._tell_waiting()

    def _show(self, trouble: Trouble | None, swings: int) -> None:
        if trouble is None:
            self._is_there = True
            if self._attached is not None:
                self._attached()
                self._attached = None
            self._tell_waiting()
            self._clear(set(self._standing))
            return
        code, reason = trouble
        detail = with_count(reason, swings)
        if self._is_there:
            self._is_there = False
            self._tell(DeviceLost(self._name, reason))
        self._clear(self._standing.keys() - {code})
        if self._standing.get(code) != detail:
            self._standing[code] = detail
            self._tell(FaultRaised(code, self._name, detail))

    def _clear(self, gone: set[Code]) -> None:
        for code in sorted(gone):
            self._tell(FaultCleared(code, self._name))
            del self._standing[code]

    def _tell_waiting(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for telling in waiting.values():
            telling()


def _kind(body: Body) -> tuple[str, str]:
    return type(body).__name__, _about(body)


def _about(body: Body) -> str:
    match body:
        case FaultRaised(code=code) | FaultCleared(code=code):
            return f"fault {code}"
        case DeviceNoted(report=report):
            return f"note {report}"
        case _:
            return type(body).__name__
