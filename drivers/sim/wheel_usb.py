"""A wheel sensor on the simulated bus."""

import asyncio
import math
import random
from collections.abc import Callable, Iterable

from drivers.sim.usb import Description, UsbPlug
from drivers.wheel.facts import Defect, Reading
from drivers.wheel.usb_sensor import (
    ENDPOINT_IN,
    VENDOR_REQUEST_IDENTITY,
    Packet,
    SensorIdentity,
    encode_identity,
    encode_packet,
)

PRODUCT = 0x0001
IDLE_S = 0.05
IN_A_PACKET = 16
WAITING = 8
_SPAN = 1 << 32


def sensor_plug(identity: SensorIdentity) -> UsbPlug:
    """A sensor's plug: its descriptors, and its answer to who it is."""
    about = Description(identity.maker, identity.model, identity.serial, PRODUCT, (ENDPOINT_IN,))
    return UsbPlug(about, lambda request: encode_identity(identity) if request == VENDOR_REQUEST_IDENTITY else None)


def send(plug: UsbPlug, *packets: Packet) -> None:
    """Has packets ready for the host."""
    plug.send_bytes(*[encode_packet(packet) for packet in packets])


class SimulatedSensor:
    """A sensor on the simulated bus, and the wheel that it measures.

    It sends at rest too, until `stop`.

    Args:
        plug: as `sensor_plug` makes it for this identity.
        noise_counts: how far the encoder's edges are off, at most.
        unread: how many packets wait for the host. While there are `WAITING` a wheel at rest says nothing new, for a
            host that can't keep up would come to know of the next spin later and later.
    """

    def __init__(
        self,
        plug: UsbPlug,
        identity: SensorIdentity,
        *,
        seed: int = 0,
        angle_deg: float = 3.0,
        noise_counts: float = 0.6,
        unread: Callable[[], int] = lambda: 0,
    ) -> None:
        self.plug = plug
        self._unread = unread
        self._identity = identity
        self.angle_deg = angle_deg
        self._random = random.Random(seed)
        self._noise = noise_counts
        self._loop = asyncio.get_running_loop()
        self._at_us = self._seq = self._index_number = self._index_count = 0
        self._turns: int = math.floor(angle_deg / 360.0)
        self._begins = 0 if identity.absolute else self._random.randrange(_SPAN)
        self._sent_s = self._loop.time()
        self._alarm = self._loop.call_soon(self._idle)

    def follow(self, angles_deg: Iterable[float], *, lost: range = range(0), defect: Defect = Defect.NONE) -> None:
        """Turn the wheel through these angles, one for each interval.

        It goes as fast as the host can read.

        Args:
            lost: the numbers of the packets that don't arrive.
            defect: reported with the first reading.
        """
        angles = list(angles_deg)
        for number, first in enumerate(range(0, len(angles), IN_A_PACKET)):
            packet = self._packet(angles[first : first + IN_A_PACKET], defect if not number else Defect.NONE)
            if number not in lost:
                send(self.plug, packet)

    def stop(self) -> None:
        """Sends no more."""
        self._alarm.cancel()

    def _idle(self) -> None:
        now_s = self._loop.time()
        steps = max(1, int((now_s - self._sent_s) * 1_000_000) // self._identity.interval_us)
        self._sent_s = now_s
        if self._unread() < WAITING:
            self.follow([self.angle_deg] * steps)
        self._alarm = self._loop.call_later(IDLE_S, self._idle)

    def _packet(self, angles_deg: list[float], defect: Defect) -> Packet:
        identity = self._identity
        readings: list[Reading] = []
        for angle in angles_deg:
            readings.append(self._reading(angle, defect if not readings else Defect.NONE))
        self._seq = (self._seq + 1) % (1 << 16)
        index = (self._index_number, self._index_count)
        return Packet(self._seq, identity.boot, *index, identity.interval_us, tuple(readings))

    def _reading(self, angle_deg: float, defect: Defect) -> Reading:
        identity = self._identity
        modulus = identity.counts_per_turn if identity.absolute else _SPAN
        off = self._random.random() * 2 * self._noise - self._noise
        count = math.floor(angle_deg * identity.counts_per_turn / 360.0 + off) + self._begins
        turns, before = math.floor(angle_deg / 360.0), self._turns
        self.angle_deg, self._turns = angle_deg, turns
        at_us, self._at_us = self._at_us, self._at_us + identity.interval_us
        index = None
        if turns != before and identity.indexed:
            index = self._index_count = (max(turns, before) * identity.counts_per_turn + self._begins) % modulus
            self._index_number = (self._index_number + 1) % (1 << 16)
        return Reading(at_us, count % modulus, index, defect)
