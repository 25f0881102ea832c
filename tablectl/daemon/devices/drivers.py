"""From a configured device to its driver."""

from typing import TYPE_CHECKING, Any

from drivers.devices import device_of
from drivers.diagnostics.capture import Bounds, Capture
from drivers.link.driver import Lasting, LinkedDevice
from drivers.link.handler import DeviceHandler, LinkSettings
from drivers.link.identity import Expected
from tablectl.config.checks import runtime_dir, state_dir
from tablectl.config.devices import DisplaySection, Identity, Linked, LinkSection, ShoeSection, WheelSection
from tablectl.config.models import Config
from tablectl.core.outcomes import COMBINATIONS, Direction
from tablectl.core.protocols import Clock, Driver, Teller
from tablectl.rule_tables import found, game_record, load_rules, read_rule_table

if TYPE_CHECKING:
    from drivers.display.am03127 import Board
    from drivers.shoe.device import ShoeSettings
    from drivers.wheel.connection import WheelSettings


def driver_of(config: Config, name: str, tell: Teller, clock: Clock, delivered: str, usb_backend: Any = None) -> Driver:
    """The driver of a configured device.

    Args:
        delivered: the last delivery of this device that the table has folded.
        usb_backend: what stands for the USB system; libusb, if not given.
    """
    lasting: Lasting = {"delivered": delivered, "usb_backend": usb_backend}
    match config.devices[name]:
        case WheelSection() as wheel:
            from drivers.wheel.device import WheelDriver

            return WheelDriver(wheel_settings(config, name, wheel), tell, clock, **lasting)
        case ShoeSection(protocol="angel_eye") as shoe:
            from drivers.shoe.device import ShoeDriver

            return ShoeDriver(_shoe_settings(config, name, shoe), tell, clock)
        case DisplaySection(protocol="am03127") as display:
            from drivers.display.connection import LedBoard

            return LedBoard(_link_settings(config, name, display), _board(config, display), tell, clock)
        case ShoeSection() | DisplaySection() | LinkSection() as device:
            settings = _link_settings(config, name, device)
            return LinkedDevice(settings, _handler(config, name, device), tell, clock, **lasting)


def capture_of(config: Config, clock: Clock) -> Capture | None:
    """The capture of the links' bytes; None where nothing is to be kept."""
    section = config.capture
    if not section.enabled:
        return None
    about = {name: {"kind": device.kind, "protocol": device.protocol} for name, device in config.devices.items()}
    bounds = Bounds(section.files, section.megabytes << 20)
    return Capture(state_dir(config) / "capture", about, clock.now, bounds)


def _handler(config: Config, name: str, device: Linked) -> DeviceHandler[Any, Any, Any]:
    handler = device_of(device.kind, device.protocol).handler
    assert handler is not None  # it is on our link
    return handler(name, dice=game_record(config.table.game).dice) if device.kind == "dice" else handler(name)


def _link_settings(config: Config, name: str, device: Linked) -> LinkSettings:
    return LinkSettings(
        name,
        device.port,
        device.baudrate,
        runtime_dir(config),
        expect=_expected(device.expect),
        simulated=device.simulated,
    )


def _expected(approved: Identity) -> Expected:
    firmware = (approved.firmware,) if approved.firmware else ()
    return Expected(approved.maker, approved.model, approved.serial, firmware)


def _board(config: Config, display: DisplaySection) -> "Board":
    """The LED board that a display is, with the ranges of the rule table."""
    from drivers.display.am03127 import Board

    rules = load_rules("football_poker", found(config.section("football_poker").rules))
    numbers = [rules.numbers_of(combination) for combination in range(1, COMBINATIONS + 1)]
    return Board(display.board, tuple((_digits(pair.upper), _digits(pair.lower)) for pair in numbers))


def wheel_settings(config: Config, name: str, wheel: WheelSection) -> "WheelSettings":
    """The settings of a wheel's sensor, its table of pegs read.

    Raises:
        RulesError: the table of pegs is missing or wrong.
    """
    from drivers.wheel.connection import WheelSettings
    from tablectl.core.wheel_pegs import read_pegs

    return WheelSettings(
        name=name,
        address=wheel.port,
        base_dir=runtime_dir(config),
        calibration=read_rule_table(found(wheel.calibration), read_pegs),
        protocol=wheel.protocol,
        baudrate=wheel.baudrate,
        expect=_expected(wheel.expect),
        simulated=wheel.simulated,
        counts_per_turn=wheel.counts_per_turn,
        positive=Direction(wheel.rising),
        index_width=wheel.index_width,
    )


def _digits(numbers: tuple[int, ...]) -> str:
    return "".join(map(str, numbers))


def _shoe_settings(config: Config, name: str, shoe: ShoeSection) -> "ShoeSettings":
    from drivers.shoe.device import ShoeSettings

    return ShoeSettings(
        name,
        shoe.port,
        shoe.baudrate,
        runtime_dir(config),
        bcc_includes_stx=shoe.bcc_includes_stx,
        vote_window_s=shoe.vote_window_ms / 1000,
        read_only=shoe.read_only,
        simulated=shoe.simulated,
    )
