"""What is set for a shuffler."""

from dataclasses import dataclass, field
from pathlib import Path

from drivers.identity import Expected as Expected

SHUFFLE_TIMEOUT_S = 240.0


@dataclass(frozen=True, slots=True)
class ShufflerSettings:
    """One shuffler.

    Args:
        name: the device's name at the table.
        address: `serial:<path>`, `tcp://<host>:<port>` or `usb:<vendor>:<product>[:<serial>]`.
        baudrate: bits per second.
        base_dir: where relative paths begin.
        expect: the approved device.
        simulated: whether a simulator stands at the port.
        timeout_s: how long a shuffle may take.
    """

    name: str
    address: str
    baudrate: int
    base_dir: Path
    expect: Expected = field(default_factory=Expected)
    simulated: bool = False
    timeout_s: float = SHUFFLE_TIMEOUT_S
