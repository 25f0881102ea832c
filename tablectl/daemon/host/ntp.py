"""Quality of the clock as the time service reports it.

In a sandbox the kernel may not be queried. chrony answers on loopback (its command protocol, version 6: candm.h of
chrony 4); systemd-timesyncd leaves a file that is touched whenever it has set the clock (systemd-timesyncd.service(8)).
Neither is ever waited for.
"""

import socket
import struct
from pathlib import Path
from typing import Final

from tablectl.core.facts import ClockState
from tablectl.lazy_dataclass import dataclass

Quality = tuple[ClockState, int | None]
"""The clock's state, and the bound of its error in microseconds, where it is known."""

UNKNOWN: Final[Quality] = (ClockState.UNSYNCED, None)

CHRONY: Final = ("127.0.0.1", 323)
TIMESYNC: Final = Path("/run/systemd/timesync/synchronized")
STALE_S: Final = 2 * 3600.0
"""timesyncd asks at least every 2048 s; a clock that nobody has set for so long runs by itself."""

BACK_S: Final = 5.0
"""timesyncd itself sets a clock back that runs ahead, and says so just before."""

ANSWER_LASTS_S: Final = 10.0

_REQUEST: Final = struct.Struct(">BBBBHHIII")
_REPLY: Final = struct.Struct(">BBBBHHHHHHIII")
_TRACKING: Final = struct.Struct(">I20sHH3I9I")
_VERSION, _ASK, _TELL, _WHAT, _TRACKED, _NOT_SYNCHRONISED = 6, 1, 2, 33, 5, 3


def encode_question(number: int) -> bytes:
    """The request for chrony's tracking data.

    It is as long as its reply: chrony answers no shorter one.
    """
    head = _REQUEST.pack(_VERSION, _ASK, 0, 0, _WHAT, 0, number, 0, 0)
    return head.ljust(_REPLY.size + _TRACKING.size, b"\0")


def decode_answer(data: bytes, number: int) -> Quality | None:
    """The clock's quality from chrony's reply.

    None where this is no reply to the request of this number. The bound is that of chronyc(1), "tracking": system time
    offset + root dispersion + root delay / 2.
    """
    if len(data) != _REPLY.size + _TRACKING.size:
        return None
    version, kind, _, _, what, told, status, _, _, _, sequence, _, _ = _REPLY.unpack_from(data)
    if (version, kind, what, told, status, sequence) != (_VERSION, _TELL, _WHAT, _TRACKED, 0, number):
        return None
    _, _, _, leap, _, _, _, *floats = _TRACKING.unpack_from(data, _REPLY.size)
    if leap == _NOT_SYNCHRONISED:
        return UNKNOWN
    offset_s, *_, delay_s, dispersion_s, _ = map(_real, floats)
    if min(delay_s, dispersion_s) < 0:  # no chrony says so, and the bound would be below the truth
        return None
    return ClockState.SYNCED, round((abs(offset_s) + dispersion_s + delay_s / 2) * 1e6)


def timesync_quality(file: Path, now_s: float) -> Quality | None:
    """The clock's quality from the file of systemd-timesyncd, which has no bound.

    None where the service doesn't run.

    Args:
        now_s: the wall clock, seconds since 1970.
    """
    try:
        set_s = file.stat().st_mtime
    except OSError:
        return None
    if now_s < set_s - BACK_S:
        return UNKNOWN  # Somebody has set the clock back since.
    return (ClockState.SYNCED if now_s - set_s < STALE_S else ClockState.HOLDOVER), None


@dataclass(slots=True)
class Timekeepers:
    """Time services that may keep the clock, queried again at each look.

    An answer counts from the next look on.
    """

    chrony: tuple[str, int] = CHRONY
    timesync: Path = TIMESYNC
    _socket: socket.socket | None = None
    _asked: int = 0
    _told: Quality | None = None
    _told_s: float = 0.0

    def look(self, now_s: float, monotonic_s: float) -> Quality:
        """The clock's quality as far as anybody told."""
        self._hear(monotonic_s)
        self._ask()
        if self._told is not None and monotonic_s - self._told_s < ANSWER_LASTS_S:
            return self._told
        return timesync_quality(self.timesync, now_s) or UNKNOWN

    def _hear(self, monotonic_s: float) -> None:
        """Takes the answers that have come; a refused port says that no chrony is there."""
        while self._socket is not None:
            try:
                data = self._socket.recv(1024)
            except BlockingIOError:
                return
            except OSError:
                self.close()
                return
            if (quality := decode_answer(data, self._asked)) is not None:
                self._told, self._told_s = quality, monotonic_s

    def _ask(self) -> None:
        try:
            if self._socket is None:
                self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                self._socket.setblocking(False)  # noqa: FBT003  # its only parameter
                self._socket.connect(self.chrony)
            self._asked = (self._asked + 1) & 0xFFFF_FFFF
            self._socket.send(encode_question(self._asked))
        except OSError:
            self.close()

    def close(self) -> None:
        """Asks nobody any more."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None


def _real(word: int) -> float:
    """A number in chrony's form: exponent of 7 bits, coefficient of 25, both signed."""
    exponent, coefficient = word >> 25, word & 0x1FF_FFFF
    exponent -= 128 if exponent >= 64 else 0
    coefficient -= 1 << 25 if coefficient >= 1 << 24 else 0
    return coefficient * 2.0 ** (exponent - 25)
