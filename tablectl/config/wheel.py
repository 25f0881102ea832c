"""Checks of a wheel's configuration.

Rule table, rim and each sensor's pegs must fit together.
"""

from collections.abc import Iterator

from tablectl.config.devices import WheelSection
from tablectl.config.errors import Complaint, worded
from tablectl.config.models import Config
from tablectl.core.games.wheel_of_fortune.sections import SYMBOLS, check_layout
from tablectl.core.games.wheel_of_fortune.state import LAYOUT
from tablectl.core.json_form import FormError
from tablectl.core.wheel_pegs import PegTable, even_pegs, read_pegs
from tablectl.lazy_dataclass import dataclass
from tablectl.rule_tables import RulesError, found, load_rules, read_rule_table


def wheel_complaints(config: Config) -> Iterator[Complaint]:
    """Check that a table of Wheel of Fortune can run."""
    section = config.section("wheel_of_fortune")
    try:
        rules = load_rules("wheel_of_fortune", found(section.rules))
    except RulesError:
        return  # A complaint of every game's.
    yield from _rim(section.layout or LAYOUT, rules.sections)
    for name, device in config.devices.items():
        if isinstance(device, WheelSection):
            yield from _pegs(name, device.calibration, sum(rules.sections))


def unmeasured(config: Config) -> Iterator[Complaint]:
    """Check that a real wheel was measured: its pegs, and the symbols of its sections.

    With pegs as drawn, or without symbols, it can't be played on, but it can be looked at and measured.
    """
    rim = rim_of(config)
    if rim is None or rim.simulated:
        return
    if not rim.measured:
        hint = worded("pegs_drawn_hint")
        yield Complaint(("devices", rim.sensor, "calibration"), worded("pegs_drawn", version=rim.version), hint=hint)
    if not rim.told:
        yield Complaint(("wheel_of_fortune", "layout"), worded("rim_untold"), hint=worded("rim_untold_hint"))


@dataclass(frozen=True, slots=True)
class Rim:
    """By what a sensor's angle becomes a symbol.

    Args:
        sensor: the device's name.
        version: of the table of pegs.
        measured: whether its angles aren't the evenly drawn ones.
        told: whether the configuration says which symbol each section shows.
    """

    sensor: str
    version: str
    measured: bool
    told: bool
    simulated: bool


def rim_of(config: Config) -> Rim | None:
    """The rim of the wheel that a sensor reads; None where none does.

    Raises:
        RulesError: the table of pegs can't be read.
    """
    if config.table.game != "wheel_of_fortune":
        return None
    section = config.section("wheel_of_fortune")
    sensors = {name: device for name, device in config.devices.items() if isinstance(device, WheelSection)}
    name = section.wheel or next(iter(sensors), "")
    if name not in sensors:
        return None
    pegs = read_rule_table(found(sensors[name].calibration), read_pegs)
    return Rim(name, pegs.version, not _is_drawn(pegs), bool(section.layout), sensors[name].simulated)


def _is_drawn(pegs: PegTable) -> bool:
    """Return True if the angles are those of an even rim.

    They are so to the thousandth of a degree, which no measured rim is.
    """
    return pegs.pegs_mdeg == even_pegs(len(pegs.pegs_mdeg), version="", guard_mdeg=0).pegs_mdeg


def _rim(layout: tuple[int, ...], sections: tuple[int, ...]) -> Iterator[Complaint]:
    try:
        check_layout(layout, sections)
    except FormError:
        expected = worded("rim", sections=", ".join(map(str, sections)), symbols=SYMBOLS)
        yield Complaint(("wheel_of_fortune", "layout"), expected)


def _pegs(name: str, calibration: str, sections: int) -> Iterator[Complaint]:
    """A sensor whose table of pegs can't be read, or is another wheel's."""
    here = ("devices", name, "calibration")
    try:
        pegs = len(read_rule_table(found(calibration), read_pegs).pegs_mdeg)
    except RulesError as error:
        yield Complaint(here, worded("pegs_unusable", why=error))
        return
    if pegs != sections:
        yield Complaint(here, worded("pegs_number", pegs=pegs, sections=sections))
