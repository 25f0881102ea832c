"""Evidence goes with a device's serial number: over a recalibration, a restart, and from table to table."""

import asyncio
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tablectl.history.statistics.evidence_account import read_account
from tablectl.history.statistics.fairness_monitor import Budget, Monitor
from tests.fairness.spoken import Event, amended, event, spin, throw
from tests.fairness.test_account import BUDGET, account_of, resumed, without_place
from tests.fairness.test_command import record, run
from tests.fairness.test_monitor import counts, watched, wheel_round

OLD, NEW = "2027-01 5eed", "2027-06 0bad"
BUDGET_OF_ONE = Budget(20, 1)


def draw(combination: int, **data: Any) -> Event:
    """A draw of the upper series."""
    return event("draw.committed.v1", series="upper", combination=combination, **data)


def sections(events: Iterable[Event]) -> dict[str, dict[str, int]]:
    """What each wheel showed."""
    return {subject: seen for (family, subject), seen in counts(events).items() if family == "sections"}


def test_streams_of_wheel_and_draw_are_named_by_serial_number() -> None:
    settled = event("round.settled.v1", **wheel_round("300.00"))
    events = [event("wheel.started.v1", release_rpm=54.3), spin(7, serial="W-7"), settled, draw(3, serial="D-1")]
    assert counts(events) == {
        ("sections", "W-7"): {"7": 1},
        ("direction", "W-7 cw"): {"7": 1},
        ("speed", "W-7 50"): {"7": 1},
        ("returns", "symbol_2"): {"3": 1},
        ("wheel_returns", "W-7 symbol_2"): {"3": 1},
        ("draws", "D-1"): {"upper_3": 1},
    }


def test_a_recalibrated_wheel_goes_on_with_its_evidence() -> None:
    events = [spin(7, serial="W-7"), spin(8, serial="W-7", calibration=NEW), spin(9, serial="W-8")]
    assert sections(events) == {"W-7": {"7": 1, "8": 1}, "W-8": {"9": 1}}


@pytest.mark.parametrize("calibration", ["", OLD])
def test_what_a_person_states_belongs_to_the_wheel_before(calibration: str) -> None:
    wrong, stated = spin(7, serial="W-7"), spin(8, calibration=calibration)
    assert sections([wrong, amended(wrong), stated]) == {"W-7": {"8": 1}}
    assert sections([spin(7, round_id="r1", serial="W-7"), spin(8, round_id="r2", calibration=calibration)])["W-7"] == {
        "7": 1,
        "8": 1,
    }


def test_wheel_without_serial_number_is_known_by_its_calibration() -> None:
    events = [spin(7, serial="W-7"), spin(8, round_id="r2", calibration=NEW), spin(9, round_id="r3", calibration="")]
    assert sections(events) == {"W-7": {"7": 1}, NEW: {"8": 1, "9": 1}}


@pytest.mark.parametrize("calibration", ["", OLD])
def test_a_spin_put_right_after_an_exchange_stays_its_wheels(calibration: str) -> None:
    wrong = spin(7, round_id="r1", serial="W-7")
    other = spin(1, round_id="r2", serial="W-8", calibration=NEW)
    late = [amended(wrong, round_id="r1"), spin(8, round_id="r1", calibration=calibration)]
    events = [wrong, other, *late, spin(2, round_id="r3", calibration="")]
    assert sections(events) == {"W-7": {"8": 1}, "W-8": {"1": 1, "2": 1}}


def test_a_spin_announced_again_without_its_number_is_the_same() -> None:
    mei, rui = (event("audit.signed_on.v1", by=name, role="dealer") for name in ("mei", "rui"))
    first = spin(7, serial="W-7")
    assert ("dealer", "rui") not in counts([mei, first, rui, amended(first), spin(7)])


def test_a_stated_draw_belongs_to_the_system_before() -> None:
    wrong = draw(3, serial="D-1")
    assert counts([draw(1), wrong, amended(wrong), draw(4), draw(5, round_id="r2")])["draws", "D-1"] == {
        "upper_4": 1,
        "upper_5": 1,
    }
    late = [wrong, draw(1, round_id="r2", serial="D-2"), amended(wrong), draw(4)]
    assert counts(late) == {("draws", "D-1"): {"upper_4": 1}, ("draws", "D-2"): {"upper_1": 1}}


FIRST = spin(7, round_id="r0", serial="W-7")
STATED = [
    FIRST,
    *(spin(7, round_id=f"r{nth}", serial="W-7") for nth in (1, 2)),
    *(draw(3, round_id=f"d{nth}", serial="D-1") for nth in range(2)),
    spin(9, round_id="r3", calibration=""),
    spin(9, round_id="r4"),
    draw(4, round_id="d2"),
    amended(FIRST, round_id="r0"),
    spin(8, round_id="r0", calibration=""),
]


@pytest.mark.parametrize("cut", range(len(STATED) + 1))
def test_known_devices_stay_known_after_a_restart(cut: int) -> None:
    before, _ = account_of(STATED[:cut])
    after, _ = resumed(before.kept(), STATED)
    whole, _ = account_of(STATED)
    assert without_place(after.kept()) == without_place(whole.kept())
    assert {key[1].split()[0] for key in after.monitor.streams} == {"W-7", "D-1"}


def test_devices_are_known_where_no_round_is_in_reach() -> None:
    later = [spin(8, round_id="z", calibration=""), draw(4, round_id="z")]
    log = [*STATED, *(event("round.opened.v1", f"x{nth}") for nth in range(400)), *later]
    before, _ = account_of(log[:-2])
    after, _ = resumed(before.kept(), log)
    assert {key[1].split()[0] for key in after.monitor.streams} == {"W-7", "D-1"}


def test_an_account_without_serial_numbers_goes_on() -> None:
    log = [spin(7, round_id=f"r{nth}") for nth in range(6)]
    kept = json.loads(account_of(log[:3])[0].kept())
    kept["needed"] = [*kept["needed"][:2], OLD]
    assert read_account(json.dumps(kept), BUDGET).monitor.reader.place.seen_in == OLD
    assert resumed(json.dumps(kept), log)[0].form() == account_of(log)[0].form()


def dice_named(name: str, kind: str = "dice") -> Event:
    return event("audit.material_changed.v1", by="mei", kind=kind, name=name, previous="", since="", fit=True)


THROWN = [
    throw(1, 1, 1, round_id="r1"),
    dice_named("D-1"),
    throw(2, 2, 2, round_id="r2"),
    dice_named("P-1", kind="pack"),
    throw(3, 3, 3, round_id="r3"),
    event("round.opened.v1", "r4"),
    dice_named("D-2"),
    throw(4, 4, 4, round_id="r4"),
    throw(5, 5, 5, round_id="r5"),
]
THROWN.extend((amended(THROWN[2], round_id="r2"), throw(6, 6, 6, round_id="r2")))


def test_dice_are_known_by_their_name_when_the_round_began() -> None:
    assert {key[1]: seen for key, seen in counts(THROWN).items() if key[0] == "faces"} == {
        "dice": {"1": 3},
        "D-1": {"3": 3, "4": 3, "6": 3},
        "D-2": {"5": 3},
    }


@pytest.mark.parametrize("cut", range(len(THROWN) + 1))
def test_named_dice_stay_known_after_a_restart(cut: int) -> None:
    before, _ = account_of(THROWN[:cut])
    after, _ = resumed(before.kept(), THROWN)
    assert after.form() == account_of(THROWN)[0].form()


def moved(simulated: bool = False) -> list[Event]:
    """A wheel that stands at one table, then at another, where a person puts a spin right."""
    one = [spin(7, round_id=f"a{nth}", serial="W-7") for nth in range(20)]
    other = [spin(7, round_id=f"b{nth}", serial="W-7", calibration=NEW) for nth in range(20)]
    other += [amended(other[0], round_id="b0"), spin(8, round_id="b0", calibration="")]
    at_other = [{**each, "source": "/tablectl/macau/t2/5eed0002"} for each in other]
    return [{**each, "simulated": simulated} for each in (*one, *at_other)]


def of_database(path: Path, *tables: list[Event]) -> list[dict[str, Any]]:
    for events in tables:
        asyncio.run(record(path, [json.dumps(each).encode() for each in events]))
    return [json.loads(line) for line in run(path, "--json").stdout.splitlines()]


def test_evidence_goes_with_a_wheel_from_table_to_table(tmp_path: Path) -> None:
    events = moved()
    forms = of_database(tmp_path / "record.db", events[:20], events[20:])
    shown = {(form["table"], form["subject"]): form for form in forms if form["stream"] == "sections"}
    assert shown.keys() == {("macau/t1", "W-7"), ("macau/t2", "W-7")}
    one, other = ({name: value for name, value in form.items() if name != "table"} for form in shown.values())
    assert one == other
    assert one["observed"] == 40
    alone = watched([spin(7, serial="W-7") for _ in range(39)] + [spin(8, serial="W-7")])[0]
    assert one["log10_e"] == alone.streams["sections", "W-7"].form()["log10_e"]
    assert (
        one["threshold"] == f"{BUDGET_OF_ONE.threshold(1):.9f}"
    )  # the first of its family, not begun again at the other table


def test_evidence_of_simulators_stays_at_their_tables(tmp_path: Path) -> None:
    events = moved(simulated=True)
    forms = of_database(tmp_path / "record.db", events[:20], events[20:])
    assert [form["observed"] for form in forms if form["stream"] == "sections"] == [20, 20]


def test_wheels_without_a_number_are_told_apart_by_table() -> None:
    devices = Monitor().devices
    one, other = Monitor(devices=devices), Monitor(devices=devices)
    for monitor in (one, other):
        monitor.take(spin(7))
    assert [each.streams["sections", OLD].evidence.total for each in (one, other)] == [1, 1]
