"""Where simulated devices are plugged into the emulated machine: the ends of its USB wires.

Each is a far end as the simulators know it (`drivers.sim.pty`); between it and the daemon lie QEMU, Linux's own USB
stack and its drivers.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Final

from drivers.sim.pty import GARBLE
from tests.hil.usb_device import DATA_IN, VENDOR_IN, About
from tests.hil.usbredir import Session

UNREAD: Final = 4096
"""So many transfers does a device keep that nobody reads; what comes then is lost."""

_SET_LINE_CODING, _GET_LINE_CODING = 0x20, 0x21


class RedirEnd:
    """The end of a USB wire in this process; the machine is connected at `path` while it runs.

    Args:
        on_bytes: gets what the host wrote.
        answer: what the device answers to a vendor request.
    """

    def __init__(
        self,
        about: About,
        path: Path,
        *,
        on_bytes: Callable[[bytes], None] | None = None,
        answer: Callable[[int], bytes | None] = lambda _request: None,
    ) -> None:
        self.about = about
        self.path: Final = path
        self.on_bytes = on_bytes
        self.coding = b"\x80\x25\0\0\0\0\x08"
        self.written = 0
        self._answer = answer
        self._in = DATA_IN if any(one.class_[0] == 10 for one in about.interfaces) else VENDOR_IN
        self._plugged = False
        self._garble = 0
        self._held: deque[bytes] | None = None
        self._session: Session | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()

    # --- a wire

    async def open(self) -> None:
        """Waits for machines from now on."""
        self.path.unlink(missing_ok=True)
        self._server = await asyncio.start_unix_server(self._serve, str(self.path))

    async def close(self) -> None:
        """Waits for none any more."""
        if self._server is not None:
            self._server.close()
        if self._writer is not None:
            self._writer.close()
        if self._serving:
            await asyncio.wait(self._serving)

    async def plug(self) -> None:
        """Puts it into its socket."""
        if not self._plugged:
            self._plugged = True
            if self._session is not None:
                self._out(self._session.plug())

    async def unplug(self) -> None:
        """Pulls it out: what the host had not read is lost."""
        self._plugged = False
        if self._held is not None:
            self._held.clear()
        if self._session is not None:
            self._out(self._session.unplug())

    def write(self, data: bytes) -> None:
        """Sends bytes to the host, through whatever accident is set; lost when unplugged."""
        hurt, whole = data[: self._garble], data[self._garble :]
        self._garble -= len(hurt)
        self.inject(bytes(byte ^ GARBLE for byte in hurt) + whole)

    def send_bytes(self, *transfers: bytes) -> None:
        """Has transfers ready for the host."""
        for each in transfers:
            self.inject(each)

    def inject(self, data: bytes) -> None:
        """Puts a transfer on the wire that the device never sent."""
        if self._held is not None:
            self._held.append(data)
        elif self._session is not None and self._plugged and data:
            ready = self._session.ready[self._in]
            if len(ready) < UNREAD:
                ready.append(data)
            self._out(self._session.pump())

    def garble(self, count: int) -> None:
        """Damages the next `count` bytes that the device writes."""
        self._garble = count

    def stall(self) -> None:
        """Holds everything back, as a hub does that hangs."""
        self._held = deque() if self._held is None else self._held

    def resume(self) -> None:
        """Lets all that was held go in one burst."""
        held, self._held = self._held or deque(), None
        self.send_bytes(*held)

    def drop(self) -> None:
        """Loses what is held back."""
        if self._held is not None:
            self._held.clear()

    def halt(self) -> None:
        """Answers the next transfer with STALL, until the host clears that."""
        if self._session is not None:
            self._session.halted.add(self._in)
            self._out(self._session.pump())

    def is_halted(self) -> bool:
        """Whether the host still has to clear that."""
        return self._session is not None and bool(self._session.halted)

    def unread(self) -> int:
        """How many transfers wait for the host."""
        return 0 if self._session is None else len(self._session.ready[self._in])

    def occupy(self) -> bool:
        """Nobody in this process can take a port of the guest."""
        return False

    def free(self) -> None:
        """Nothing was taken."""

    # --- a function of the USB device

    def ask(self, kind: int, request: int, value: int, length: int) -> bytes | None:
        """The adapter's settings, or the answer to a vendor request."""
        del value, length
        if kind == 0xC0:
            return self._answer(request)
        return self.coding if request == _GET_LINE_CODING else None

    def tell(self, kind: int, request: int, value: int, data: bytes) -> bool:
        """Takes the adapter's settings."""
        del kind, value
        if request == _SET_LINE_CODING:
            self.coding = data
        return True

    def take(self, endpoint: int, data: bytes) -> None:
        """Takes what the host wrote."""
        del endpoint
        self.written += len(data)
        if self.on_bytes is not None:
            self.on_bytes(data)

    def set_back(self) -> None:
        """Nothing is kept from one host to the next."""

    # --- inside

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _keep(self._serving)
        session = self._session = Session(self, plugged=self._plugged)
        self._writer = writer
        self._out(session.hello())
        try:
            while data := await reader.read(65536):
                self._out(session.receive(data))
                await writer.drain()
        except ConnectionError:
            pass  # the machine lost its power
        finally:
            writer.close()
            if self._session is session:
                self._session = self._writer = None

    def _out(self, data: bytes) -> None:
        if data and self._writer is not None and not self._writer.is_closing():
            self._writer.write(data)


class FtdiEnd:
    """The serial line behind an FTDI adapter, which QEMU itself plays.

    Args:
        plugging: puts the adapter into its socket, or pulls it out; called in a thread.
    """

    def __init__(
        self, path: Path, plugging: Callable[[bool], None], *, on_bytes: Callable[[bytes], None] | None = None
    ) -> None:
        self.path: Final = path
        self.on_bytes = on_bytes
        self.written = 0
        self._plugging = plugging
        self._plugged = False
        self._garble = 0
        self._held: bytearray | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Waits for machines from now on."""
        self.path.unlink(missing_ok=True)
        self._server = await asyncio.start_unix_server(self._serve, str(self.path))

    async def close(self) -> None:
        """Waits for none any more."""
        if self._server is not None:
            self._server.close()
        if self._writer is not None:
            self._writer.close()
        if self._serving:
            await asyncio.wait(self._serving)

    async def plug(self) -> None:
        """Puts the adapter into its socket."""
        if not self._plugged:
            await asyncio.to_thread(self._plugging, True)  # it is what it says
            self._plugged = True

    async def unplug(self) -> None:
        """Pulls it out: what the host had not read is lost."""
        if self._plugged:
            self._plugged = False
            await asyncio.to_thread(self._plugging, False)  # it is what it says

    def gone(self) -> None:
        """The machine lost its power, and has no adapter now."""
        self._plugged = False

    def write(self, data: bytes) -> None:
        """Sends bytes to the host, through whatever accident is set; lost when unplugged."""
        hurt, whole = data[: self._garble], data[self._garble :]
        self._garble -= len(hurt)
        self.inject(bytes(byte ^ GARBLE for byte in hurt) + whole)

    def inject(self, data: bytes) -> None:
        """Puts bytes on the line that the device never sent."""
        if self._held is not None:
            self._held += data
        elif self._writer is not None and self._plugged:
            self._writer.write(data)

    def garble(self, count: int) -> None:
        """Damages the next `count` bytes that the device writes."""
        self._garble = count

    def stall(self) -> None:
        """Holds everything back, as an adapter does that hangs."""
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
        """Nobody in this process can take a port of the guest."""
        return False

    def free(self) -> None:
        """Nothing was taken."""

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _keep(self._serving)
        self._writer = writer
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65536):
                self.written += len(data)
                if self.on_bytes is not None:
                    self.on_bytes(data)
        writer.close()
        if self._writer is writer:
            self._writer = None


def _keep(serving: set[asyncio.Task[None]]) -> None:
    """Has the connection that is being served in this task be waited for."""
    task = asyncio.current_task()
    assert task is not None
    serving.add(task)
    task.add_done_callback(serving.discard)
