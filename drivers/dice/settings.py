"""What is set for a dice reader or shaker."""

from dataclasses import dataclass, field
from pathlib import Path

from drivers.identity import Expected as Expected


@dataclass(frozen=True, slots=True)
class DiceSettings:
    """One dice reader or shaker.

    Args:
        name: the device's name at the table.
        address: `serial:<path>`, `tcp://<host>:<port>` or `usb:<vendor>:<product>[:<serial>]`.
        baudrate: bits per second.
        base_dir: where relative paths begin.
        expect: the approved device.
        simulated: whether a simulator stands at the port.
        dice: how many dice one throw has.
    """

    name: str
    address: str
    baudrate: int
    base_dir: Path
    expect: Expected = field(default_factory=Expected)
    simulated: bool = False
    dice: int = 3
