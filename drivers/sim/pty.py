"""Protocol of the far end of any wire."""

import asyncio
import contextlib
import fcntl
import os
import select
import struct
import termios
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Protocol


class FarEnd(Protocol):
    """Where a simulated device is plugged in."""

    on_bytes: Callable[[bytes], None] | None
    """Gets what the host wrote."""

    async def plug(self) -> None:
        """Puts the cable in."""
        ...

    async def unplug(self) -> None:
        """Pulls the cable: what the host had not read is lost."""
        ...

    def write(self, data: bytes) -> None:
        """Sends bytes to the host, through whatever accident is set; lost when unplugged."""
        ...

    def inject(self, data: bytes) -> None:
        """Puts bytes on the wire that the device never sent."""
        ...

    def garble(self, count: int) -> None:
        """Damages the next `count` bytes that the device writes."""
        ...

    def stall(self) -> None:
        """Holds everything back, as an adapter or a hub does that hangs."""
        ...

    def resume(self) -> None:
        """Lets all that was held go in one burst."""
        ...

    def drop(self) -> None:
        """Loses what is held back."""
        ...

    def occupy(self) -> bool:
        """Has another program take the port; False while the host has it."""
        ...

    def free(self) -> None:
        """That program lets it go."""
        ...


GARBLE = 0x55


class PtyEnd:
    """A port on a pseudo-terminal: after `plug` the host opens `path`.

    The device writes here and is called with what came.

    Args:
        on_bytes: gets what the host wrote.
        link: a stable name to keep pointing at the port over unplugging and plugging in.
    """

    def __init__(self, on_bytes: Callable[[bytes], None] | None = None, *, link: Path | None = None) -> None:
        self.on_bytes = on_bytes
        self._link = link
        self._loop = asyncio.get_running_loop()
        self._fds: tuple[int, int] | None = None
        self._unsent = bytearray()
        self._held: bytearray | None = None
        self._garble = 0
        self._occupied: int | None = None
        self._slave_name = ""

    @property
    def path(self) -> Path:
        """Return the path that the host opens.

        It is the stable name, or else the port's own while it is plugged in.
        """
        return self._link or Path(self._slave_name)

    async def plug(self) -> None:
        """Make a new port and move `link` to it, also after `unplug`.

        After `unplug` the port often has another number.
        """
        if self._fds is not None:
            return
        device_fd, host_fd = os.openpty()
        # The host's side stays open here too: a host that closes its port is no hang-up for the device.
        tty.setraw(host_fd)
        os.set_blocking(device_fd, False)
        self._fds = device_fd, host_fd
        self._slave_name = os.ttyname(host_fd)
        self._loop.add_reader(device_fd, self._read)
        if self._link is not None:
            await asyncio.to_thread(_point, self._link, self._slave_name)

    async def unplug(self) -> None:
        """Pull the cable: the host's port hangs up at once.

        What the host had not read is lost.
        """
        if self._fds is None:
            return
        for fd in self._fds:
            self._loop.remove_reader(fd)
            self._loop.remove_writer(fd)
            os.close(fd)
        self._fds = None
        self._unsent.clear()
        if self._held is not None:
            self._held.clear()
        if self._link is not None:
            await asyncio.to_thread(self._link.unlink, missing_ok=True)

    async def close(self, *, timeout_s: float = 1.0) -> None:
        """Unplugs when the host has read everything, or after `timeout_s`."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                # The kernel tells nobody when the other side has read: so ask again and again.
                while self.unread():  # noqa: ASYNC110 - there is no event to wait for
                    await asyncio.sleep(0.002)
        await self.unplug()

    def unread(self) -> int:
        """Return how many bytes the host hasn't read.

        They are those that it could read now, and those that wait here for their turn.
        """
        if self._fds is None:
            return 0
        # What was written is passed on by a worker of the kernel, and counts only then; poll waits for it (n_tty_poll).
        passed_on = select.poll()
        passed_on.register(self._fds[1], select.POLLIN)
        passed_on.poll(0)
        waiting = fcntl.ioctl(self._fds[1], termios.FIONREAD, struct.pack("i", 0))
        return int(struct.unpack("i", waiting)[0]) + len(self._unsent)

    def write(self, data: bytes) -> None:
        """Sends bytes to the host, through whatever accident is set; lost when unplugged."""
        hurt, whole = data[: self._garble], data[self._garble :]
        self._garble -= len(hurt)
        self.inject(bytes(byte ^ GARBLE for byte in hurt) + whole)

    def inject(self, data: bytes) -> None:
        """Puts bytes on the line that the device never sent."""
        if self._held is not None:
            self._held += data
        elif self._fds is not None:
            self._unsent += data
            self._flush()

    def garble(self, count: int) -> None:
        """Damages the next `count` bytes that the device writes."""
        self._garble = count

    def stall(self) -> None:
        """Holds everything back, as a USB adapter does that hangs."""
        self._held = bytearray() if self._held is None else self._held

    def resume(self) -> None:
        """Lets all that was held go in one burst."""
        held, self._held = bytes(self._held or b""), None
        self.inject(held)

    def drop(self) -> None:
        """Loses what is held back."""
        if self._held is not None:
            self._held.clear()

    def occupy(self) -> bool:
        """Has another program take the port; False while the host has it."""
        taken = os.open(self.path, os.O_RDWR | os.O_NOCTTY)
        try:
            fcntl.flock(taken, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(taken)
            return False
        self._occupied = taken
        return True

    def free(self) -> None:
        """That program lets it go."""
        taken, self._occupied = self._occupied, None
        if taken is not None:
            os.close(taken)

    def disturb(self) -> None:
        """Has another program set the port as a terminal, as `stty sane` does."""
        if self._fds is not None:
            settings = termios.tcgetattr(self._fds[1])
            settings[0] |= termios.BRKINT | termios.ICRNL
            settings[3] |= termios.ICANON | termios.ECHO | termios.ISIG | termios.IEXTEN
            termios.tcsetattr(self._fds[1], termios.TCSANOW, settings)

    def _read(self) -> None:
        if self._fds is None:
            return
        try:
            data = os.read(self._fds[0], 65536)
        except BlockingIOError:
            return
        if self.on_bytes is not None:
            self.on_bytes(data)

    def _flush(self) -> None:
        if self._fds is None:
            return
        try:
            sent = os.write(self._fds[0], self._unsent)
        except BlockingIOError:
            sent = 0
        del self._unsent[:sent]
        if self._unsent:
            self._loop.add_writer(self._fds[0], self._flush)
        else:
            self._loop.remove_writer(self._fds[0])


def _point(link: Path, target: str) -> None:
    """Moves `link` to `target` in one step: there is no moment without it."""
    beside = link.with_name(f".{link.name}.new")
    beside.unlink(missing_ok=True)
    beside.symlink_to(target)
    beside.replace(link)
