"""Options of the probe, and the ports through which it reaches a device."""

from collections.abc import Callable

from drivers.wheel.facts import Watcher
from tablectl.core.effects import Command
from tablectl.core.faults import Code
from tablectl.core.protocols import Clock, Driver, Teller
from tablectl.core.wheel_pegs import PegTable
from tablectl.lazy_dataclass import dataclass
from tablectl.words import Language


@dataclass(frozen=True, slots=True)
class Options:
    """How the device is looked at.

    Args:
        seconds: how long; None until it is stopped.
        as_json: one JSON object in a line, in place of words.
        cards: whether cards are named that leave a shoe.
        language: of the words.
        self_test: whether the device is asked to test itself; the look ends with what it says of that.
    """

    seconds: float | None = None
    as_json: bool = False
    cards: bool = False
    self_test: bool = False
    language: Language = "en"


class DeviceEndedError(Exception):
    """The link to the device ended, or never began: what it says is for people.

    Args:
        code: the fault of the catalogue that it is.
    """

    def __init__(self, code: Code, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@dataclass(frozen=True, slots=True)
class Ports:
    """The ways out of this room.

    Args:
        name: the device's name at its table.
        what: its kind, protocol and port, for people.
        simulated: whether a simulator is declared there.
        driver: its driver, by whom it tells and who watches; its `run` raises `DeviceEndedError`.
        pegs: the wheel's table of pegs; None where it is no wheel.
        self_test: what has the device test itself; None where nothing does.
    """

    name: str
    what: str
    simulated: bool
    driver: Callable[[Teller, Watcher], Driver]
    clock: Clock
    pegs: PegTable | None = None
    self_test: Command | None = None
