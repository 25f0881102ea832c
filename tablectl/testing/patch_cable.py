"""Patch cable from a simulated device's pseudo-terminal to a real serial adapter."""

import asyncio
import os
import termios
import tty
from pathlib import Path
from typing import Final

from tablectl.testing.scenarios.scenario import NotPlayableError

READ_MAX: Final = 65536


class Patch:
    """Cable that carries bytes both ways from `plug` to `unplug`.

    Bytes that can't be passed on are dropped.

    Args:
        inside: the pseudo-terminal's file, which the simulated device is at.
        outside: the adapter's file.
        baudrate: of the adapter.
    """

    def __init__(self, inside: Path, outside: Path, baudrate: int) -> None:
        self._inside = inside
        self._outside = outside
        self._baudrate = baudrate
        self._loop = asyncio.get_running_loop()
        self._open: tuple[int, int] | None = None

    def plug(self) -> None:
        """Connects the two.

        Raises:
            NotPlayableError: the adapter can't be opened.
        """
        if self._open is not None:
            return
        try:
            outside = _raw(self._outside, self._baudrate)
        except (OSError, termios.error) as error:
            raise NotPlayableError(f"the adapter {self._outside} can't be opened: {error}") from None
        inside = _raw(self._inside, self._baudrate)
        self._open = inside, outside
        self._loop.add_reader(inside, self._carry, inside, outside)
        self._loop.add_reader(outside, self._carry, outside, inside)

    def unplug(self) -> None:
        """Takes them apart."""
        ends, self._open = self._open, None
        for end in ends or ():
            self._loop.remove_reader(end)
            os.close(end)

    def _carry(self, source: int, target: int) -> None:
        try:
            data = os.read(source, READ_MAX)
            if data:
                os.write(target, data)
                return
        except BlockingIOError:
            return
        except OSError:
            pass  # one of the two is gone: so is the connection
        self.unplug()


def _raw(path: Path, baudrate: int) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        tty.setraw(descriptor)
        form = termios.tcgetattr(descriptor)
        form[4] = form[5] = getattr(termios, f"B{baudrate}")
        form[2] |= termios.CLOCAL | termios.CREAD
        termios.tcsetattr(descriptor, termios.TCSANOW, form)
        termios.tcflush(descriptor, termios.TCIOFLUSH)
    except (termios.error, AttributeError) as error:
        os.close(descriptor)
        raise OSError(f"{path} at {baudrate} Bd: {error}") from None
    return descriptor
