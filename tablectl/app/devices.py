"""From a configured device to its driver."""

from typing import Any, assert_never

from drivers.buzzer.driver import buzzer_driver
from drivers.capture import Bounds, Capture, Tap
from drivers.dice.driver import dice_driver
from drivers.display.board import Board
from drivers.display.driver import display_driver
from drivers.draw.driver import draw_driver
from drivers.duty import LinkSettings
from drivers.identity import Expected
from drivers.linked import Lasting
from drivers.shoe.driver import ShoeDriver, ShoeSettings, linked_shoe_driver
from drivers.shuffler.driver import shuffler_driver
from drivers.shuffler.redact import OrderRedactor
from drivers.wheel.driver import WheelDriver, WheelSettings
from tablectl.app.diary import both, frames_of
from tablectl.core.draw import COMBINATIONS
from tablectl.core.ports import Clock, Driver, Teller
from tablectl.core.wheel import Direction
from tablectl.core.wheel_pegs import read_pegs
from tablectl.shell.config import Config
from tablectl.shell.config_checks import runtime_dir, state_dir
from tablectl.shell.config_devices import DisplaySection, Identity, Linked, LinkSection, ShoeSection, WheelSection
from tablectl.shell.rules import found, load_rules, read_rule_table

DICE_OF = {"chinese_dice": 3, "thirteen_cards": 4}
"""Dice in one throw. Rule: 108/89/M art. 1(a); 51/89/M art. 1(c)."""


def driver_of(config: Config, name: str, tell: Teller, clock: Clock, delivered: str, usb_backend: Any = None) -> Driver:
    """The driver of a configured device.

    Args:
        delivered: the last delivery of this device that the table has folded.
        usb_backend: what stands for the USB system; libusb, if not given.
    """
    lasting: Lasting = {"delivered": delivered, "usb_backend": usb_backend}
    match config.devices[name]:
        case ShoeSection(protocol="link") as shoe:
            return linked_shoe_driver(_link_settings(config, name, shoe), tell, clock, **lasting)
        case ShoeSection() as shoe:
            return ShoeDriver(_shoe_settings(config, name, shoe), tell, clock)
        case LinkSection() as device:
            return _linked(config, name, device, tell, clock, lasting)
        case DisplaySection() as display:
            settings = _link_settings(config, name, display)
            return display_driver(settings, tell, clock, board=_board(display), **lasting)
        case WheelSection() as wheel:
            return WheelDriver(wheel_settings(config, name, wheel), tell, clock, **lasting)


def capture_of(config: Config, clock: Clock) -> Capture | None:
    """What keeps the links' bytes; None where nothing is to be kept."""
    section = config.capture
    if not section.enabled:
        return None
    about = {name: {"kind": device.kind, "protocol": device.protocol} for name, device in config.devices.items()}
    bounds = Bounds(section.files, section.megabytes << 20)
    return Capture(state_dir(config) / "capture", about, clock.now, bounds)


def tap_of(config: Config, capture: Capture | None, name: str) -> Tap:
    """Where a device's bytes go: into the log in words, and to be kept; of a shuffler without any order of cards."""
    told = frames_of(config, name)
    if capture is None:
        return told
    return both(capture.tap(name, OrderRedactor() if config.devices[name].kind == "shuffler" else None), told)


def _linked(config: Config, name: str, device: LinkSection, tell: Teller, clock: Clock, lasting: Lasting) -> Driver:
    settings = _link_settings(config, name, device)
    match device.kind:
        case "shuffler":
            return shuffler_driver(settings, tell, clock, **lasting)
        case "draw":
            return draw_driver(settings, tell, clock, **lasting)
        case "dice":
            return dice_driver(settings, tell, clock, dice=DICE_OF.get(config.table.game, 3), **lasting)
        case "buzzer":
            return buzzer_driver(settings, tell, clock, **lasting)
        case _:
            assert_never(device.kind)


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


def _board(display: DisplaySection) -> Board | None:
    """The LED board that a display is, with the ranges of the rule table; None for a display on our link."""
    if display.protocol == "link":
        return None
    rules = load_rules("football_poker")
    numbers = [rules.numbers_of(combination) for combination in range(1, COMBINATIONS + 1)]
    return Board(display.board, tuple((_digits(pair.upper), _digits(pair.lower)) for pair in numbers))


def wheel_settings(config: Config, name: str, wheel: WheelSection) -> WheelSettings:
    """What is set for a wheel's sensor, its table of pegs read.

    Raises:
        RulesError: the table of pegs is missing or wrong.
    """
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


def _shoe_settings(config: Config, name: str, shoe: ShoeSection) -> ShoeSettings:
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
