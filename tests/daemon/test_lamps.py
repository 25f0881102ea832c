"""What is told of the devices is told again only where it is something else."""

from dataclasses import replace

from tablectl.core.faults import Code
from tablectl.core.table import Device, Fault
from tablectl.daemon.event_log import StatusDiff

SHOE, WHEEL = Device("shoe", attached=True), Device("wheel", attached=True)
JAM = Fault(Code.STORAGE_LOW, "shoe", "", since_us=1)


def test_a_report_more_is_nothing_to_tell() -> None:
    lamps = StatusDiff()
    assert lamps.changed_devices((SHOE, WHEEL), ()) == ["shoe", "wheel"]
    assert lamps.changed_devices((SHOE, replace(WHEEL, delivered="1:7")), ()) == []


def test_only_the_device_that_changed_is_told_of() -> None:
    lamps = StatusDiff()
    lamps.changed_devices((SHOE, WHEEL), ())
    assert lamps.changed_devices((replace(SHOE, attached=False), WHEEL), ()) == ["shoe"]
    assert lamps.changed_devices((replace(SHOE, attached=False), WHEEL), (JAM,)) == ["shoe"]
    assert lamps.changed_devices((WHEEL,), (JAM,)) == ["shoe"]
    assert lamps.changed_devices((WHEEL,), ()) == ["shoe"]


def test_the_word_is_told_when_it_is_another() -> None:
    lamps = StatusDiff()
    assert [lamps.is_new_status(word) for word in ("init", "ready", "ready", "degraded")] == [True, True, False, True]
