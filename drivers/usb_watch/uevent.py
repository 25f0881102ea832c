"""What the kernel says when a device is plugged in or pulled (lib/kobject_uevent.c): a head, then ``KEY=value``."""

from drivers.usb_watch.judge import UsbDevice


def read_uevent(data: bytes) -> UsbDevice | None:
    """The USB device that was plugged in just now; None where this says something else.

    Its names aren't told: whoever wants them asks the kernel while it is still there.
    """
    parts = (part.partition("=") for part in data.decode("utf-8", "replace").split("\0")[1:])
    said = {key: value for key, _, value in parts}
    wanted = (said.get("ACTION"), said.get("SUBSYSTEM"), said.get("DEVTYPE"))
    *above, name = said.get("DEVPATH", "").split("/")
    try:
        vendor, product, _ = (int(number, 16) for number in said.get("PRODUCT", "").split("/"))
        class_ = int(said.get("TYPE", "0").partition("/")[0])
    except ValueError:
        return None
    if wanted != ("add", "usb", "usb_device") or "-" not in name:
        return None
    return UsbDevice(name, vendor, product, serial=None, controller=controller_in(above), class_=class_)


def controller_in(above: list[str]) -> str:
    """What a device's bus hangs on: the part of its path before the root hub's; empty where there is none."""
    root = next((nth for nth, part in enumerate(above) if part.startswith("usb") and part[3:].isdigit()), 0)
    return above[root - 1] if root else ""
