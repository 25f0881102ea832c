"""Settings of a serial port: set whole at opening, and watched until it is closed.

Any program that may open the port's file can change them (`stty`) without notice to us: then the kernel eats bytes that
mean something to a terminal, and answers a device that nobody may write to.
"""

import asyncio
import termios
from collections.abc import Callable
from typing import Any, Final

LOOK_EVERY_S: Final = 0.5

NAMES: Final = ("input", "output", "frame", "local", "speed", "speed", "characters")
"""What the parts of the settings are about, in the order of `termios`."""


def set_raw(fd: int) -> list[Any]:
    """Set the port to raw mode, whatever was set before, and return its settings.

    Every byte is handed over as it is. An empty read means hang-up then; under pyserial's own setting it may mean that
    nothing came yet.
    """
    settings = termios.tcgetattr(fd)
    settings[0] = settings[1] = settings[3] = 0
    settings[6][termios.VMIN] = 1
    settings[6][termios.VTIME] = 0
    termios.tcsetattr(fd, termios.TCSANOW, settings)
    return termios.tcgetattr(fd)


class SettingsWatch:
    """Periodic check of a port's settings, until they differ or it is stopped.

    Args:
        wanted: as `set_raw` returned them.
        changed: called once they differ and were put back, with the names of what differed.
    """

    def __init__(self, fd: int, wanted: list[Any], changed: Callable[[str], None]) -> None:
        self._fd = fd
        self._wanted = wanted
        self._changed = changed
        self._loop = asyncio.get_running_loop()
        self._timer = self._loop.call_later(LOOK_EVERY_S, self._look)

    def stop(self) -> None:
        """Looks no more."""
        self._timer.cancel()

    def _look(self) -> None:
        try:
            found = termios.tcgetattr(self._fd)
            if found != self._wanted:
                termios.tcsetattr(self._fd, termios.TCSANOW, self._wanted)
        except termios.error:
            found = self._wanted  # the port is going: whoever reads it will say so
        if found == self._wanted:
            self._timer = self._loop.call_later(LOOK_EVERY_S, self._look)
            return
        pairs = zip(NAMES, found, self._wanted, strict=True)
        self._changed(", ".join(dict.fromkeys(name for name, one, other in pairs if one != other)))
