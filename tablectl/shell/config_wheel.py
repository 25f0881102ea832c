"""What a wheel's configuration rests on: its rule table, its rim and the pegs of each sensor have to fit together."""

from collections.abc import Iterator

from tablectl.core.forms import FormError
from tablectl.core.games.wheel_of_fortune.rules import read_rules
from tablectl.core.games.wheel_of_fortune.sections import check_layout
from tablectl.core.wheel_pegs import read_pegs
from tablectl.shell.config_devices import WheelSection
from tablectl.shell.config_errors import Complaint
from tablectl.shell.config_models import Config
from tablectl.shell.rules import RulesError, found, read_rule_table


def wheel_complaints(config: Config) -> Iterator[Complaint]:
    """What stops a wheel's table from running; nothing for a table of another game."""
    if config.table.game != "wheel_of_fortune":
        return
    section = config.wheel_of_fortune
    try:
        rules = read_rule_table(found(section.rules), read_rules)
    except RulesError as error:
        yield Complaint(("wheel_of_fortune", "rules"), f"the rule table can't be used: {error}")
        return
    if section.layout:
        yield from _rim(section.layout, rules.sections)
    for name, device in config.devices.items():
        if isinstance(device, WheelSection):
            yield from _pegs(name, device.calibration, sum(rules.sections))


def _rim(layout: tuple[int, ...], sections: tuple[int, ...]) -> Iterator[Complaint]:
    try:
        check_layout(layout, sections)
    except FormError as error:
        yield Complaint(("wheel_of_fortune", "layout"), error.message)


def _pegs(name: str, calibration: str, sections: int) -> Iterator[Complaint]:
    """A sensor whose table of pegs can't be read, or is another wheel's."""
    here = ("devices", name, "calibration")
    try:
        pegs = len(read_rule_table(found(calibration), read_pegs).pegs_mdeg)
    except RulesError as error:
        yield Complaint(here, f"the table of pegs can't be used: {error}")
        return
    if pegs != sections:
        yield Complaint(here, f"the table has {pegs} pegs, and the wheel of the rule table {sections} sections")
