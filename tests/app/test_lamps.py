"""What is told of the devices is told again only where it is something else."""

from dataclasses import replace

from tablectl.app.lamps import Lamps
from tablectl.core.faults import Code
from tablectl.core.table import Device, Fault

SHOE, WHEEL = Device("shoe", attached=True), Device("wheel", attached=True)
JAM = Fault(Code.STORAGE_LOW, "shoe", "", since_us=1)


def test_a_report_more_is_nothing_to_tell() -> None:
    lamps = Lamps()
    assert lamps.turned((SHOE, WHEEL), ()) == ["shoe", "wheel"]
    assert lamps.turned((SHOE, replace(WHEEL, delivered="1:7")), ()) == []


def test_only_the_device_that_changed_is_told_of() -> None:
    lamps = Lamps()
    lamps.turned((SHOE, WHEEL), ())
    assert lamps.turned((replace(SHOE, attached=False), WHEEL), ()) == ["shoe"]
    assert lamps.turned((replace(SHOE, attached=False), WHEEL), (JAM,)) == ["shoe"]
    assert lamps.turned((WHEEL,), (JAM,)) == ["shoe"]
    assert lamps.turned((WHEEL,), ()) == ["shoe"]


def test_the_word_is_told_when_it_is_another() -> None:
    lamps = Lamps()
    assert [lamps.reworded(word) for word in ("init", "ready", "ready", "degraded")] == [True, True, False, True]
