"""What is set for a draw system."""

from dataclasses import dataclass, field
from pathlib import Path

from drivers.identity import Expected as Expected

DRAW_TIMEOUT_S = 5.0


@dataclass(frozen=True, slots=True)
class DrawSettings:
    """One draw system.

    Args:
        name: the device's name at the table.
        address: `serial:<path>`, `tcp://<host>:<port>` or `usb:<vendor>:<product>[:<serial>]`.
        baudrate: bits per second.
        base_dir: where relative paths begin.
        expect: the approved device.
        simulated: whether a simulator stands at the port.
        timeout_s: how long a draw may take.
    """

    name: str
    address: str
    baudrate: int
    base_dir: Path
    expect: Expected = field(default_factory=Expected)
    simulated: bool = False
    timeout_s: float = DRAW_TIMEOUT_S
