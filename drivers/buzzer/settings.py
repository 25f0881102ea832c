"""What is set for a buzzer."""

from dataclasses import dataclass, field
from pathlib import Path

from drivers.identity import Expected as Expected

SOUND_TIMEOUT_S = 5.0
FRESH_S = 3.0


@dataclass(frozen=True, slots=True)
class BuzzerSettings:
    """One buzzer.

    Args:
        name: the device's name at the table.
        address: `serial:<path>`, `tcp://<host>:<port>` or `usb:<vendor>:<product>[:<serial>]`.
        baudrate: bits per second.
        base_dir: where relative paths begin.
        expect: the approved device.
        simulated: whether a simulator stands at the port.
        timeout_s: how long a signal may take.
        fresh_s: how late a signal may begin; later it would mean something else.
    """

    name: str
    address: str
    baudrate: int
    base_dir: Path
    expect: Expected = field(default_factory=Expected)
    simulated: bool = False
    timeout_s: float = SOUND_TIMEOUT_S
    fresh_s: float = FRESH_S
