"""Codec of our own USB wheel sensor, without input or output.

    packet    bytes    meaning
    magic     1        57
    version   1        1
    n         1        number of samples, 1 to 64
    flags     1        bit 0: samples were thrown away before this packet
    seq       2        number of the packet, wraps
    passes    2        passes of the index mark since the start, wraps
    boot      4        random number of this start
    at_us     8        microseconds since the start, of the first sample
    interval  2        microseconds from one sample to the next, not 0
    index     4        raw counter when the index mark last came by
    samples   5 n      each raw counter (4), flags (1): bit 0 index mark, bit 1 quadrature, bit 2 damaged word
    crc       4        CRC-32 of all before

    identity  bytes    meaning
    version   1        1
    flags     1        bit 0 absolute, bit 1 has an index mark, bit 2 simulated
    reserved  2        0
    boot      4        random number of this start
    counts    4        counts in a turn
    interval  2        microseconds from one reading to the next
    names     4 (1+n)  length and printable ASCII: maker, model, serial, firmware
    crc       4        CRC-32 of all before

All numbers are little-endian. Source: docs/protocols/wheel.md, "Our USB sensor".
"""

import struct
from binascii import crc32

from drivers.wheel.facts import Defect, Reading
from tablectl.lazy_dataclass import dataclass

VENDOR_REQUEST_IDENTITY = 1
IDENTITY_BYTES = 255
ENDPOINT_IN = 0x81
MAX_TRANSFER = 512
MAX_SAMPLES = 64
VERSION = 1
INDEX_PASSED = 1
OVERRUN = 1
_MAGIC = 0x57
_HEADER = struct.Struct("<BBBBHHIQHI")
_SAMPLE = struct.Struct("<IB")
_CRC = struct.Struct("<I")
_IDENTITY = struct.Struct("<BBHIIH")
_ABSOLUTE, _INDEXED, _SIMULATED = 1, 2, 4
_DEFECTS = Defect.QUADRATURE.value | Defect.WORD.value


@dataclass(frozen=True, slots=True)
class Packet:
    """One transfer.

    Args:
        seq: 0 to 65535, one more for each packet.
        boot: the device's random number of its start.
        overrun: whether the device had to throw samples away before this packet.
        index_number: how often the index mark came by since the start, in 16 bits.
        index_count: the raw counter when it last did.
        interval_us: from one reading to the next.
    """

    seq: int
    boot: int
    index_number: int
    index_count: int
    interval_us: int
    readings: tuple[Reading, ...]
    overrun: bool = False


@dataclass(frozen=True, slots=True)
class SensorIdentity:
    """Identity of the sensor, as it reports it.

    Args:
        absolute: whether a count is a place in the turn.
        indexed: whether it reports an index mark.
    """

    maker: str
    model: str
    serial: str
    firmware: str
    boot: int
    counts_per_turn: int
    interval_us: int
    absolute: bool = False
    indexed: bool = True
    simulated: bool = False


def encode_packet(packet: Packet) -> bytes:
    """The bytes of one transfer.

    Raises:
        ValueError: it has no sample or too many, or the index mark more than once.
    """
    samples, flags = packet.readings, OVERRUN if packet.overrun else 0
    head = (_MAGIC, VERSION, len(samples), flags, packet.seq, packet.index_number, packet.boot)
    data = _HEADER.pack(*head, samples[0].at_us if samples else 0, packet.interval_us, packet.index_count)
    data += b"".join([_SAMPLE.pack(sample.count, _sample_flags(sample)) for sample in samples])
    data += _CRC.pack(crc32(data))
    if decode_packet(data) != packet:
        msg = "a packet has 1 to 64 samples one interval apart, and the index mark at most once"
        raise ValueError(msg)
    return data


def decode_packet(data: bytes) -> Packet | None:
    """The packet in one transfer, or None where it isn't a whole and undamaged one."""
    if len(data) < _HEADER.size + _CRC.size or _CRC.unpack(data[-_CRC.size :])[0] != crc32(data[: -_CRC.size]):
        return None
    magic, version, count, flags, seq, index_number, boot, at_us, interval_us, index = _HEADER.unpack_from(data)
    body = data[_HEADER.size : -_CRC.size]
    if (magic, version) != (_MAGIC, VERSION) or not 0 < count <= MAX_SAMPLES or not interval_us or flags & ~OVERRUN:
        return None
    if len(body) != count * _SAMPLE.size:
        return None
    samples = list(_SAMPLE.iter_unpack(body))
    if sum([mark & INDEX_PASSED for _, mark in samples]) > 1 or any(
        mark & ~(INDEX_PASSED | _DEFECTS) for _, mark in samples
    ):
        return None
    readings = tuple(
        [
            Reading(at_us + number * interval_us, raw, index if mark & INDEX_PASSED else None, Defect(mark & _DEFECTS))
            for number, (raw, mark) in enumerate(samples)
        ]
    )
    return Packet(seq, boot, index_number, index, interval_us, readings, bool(flags & OVERRUN))


def encode_identity(identity: SensorIdentity) -> bytes:
    """The answer to the identity request.

    Raises:
        ValueError: it doesn't fit 255 bytes, or a name isn't printable ASCII.
    """
    flags = identity.absolute * _ABSOLUTE | identity.indexed * _INDEXED | identity.simulated * _SIMULATED
    data = _IDENTITY.pack(VERSION, flags, 0, identity.boot, identity.counts_per_turn, identity.interval_us)
    for name in (identity.maker, identity.model, identity.serial, identity.firmware):
        data += bytes((len(name),)) + name.encode("ascii")
    data += _CRC.pack(crc32(data))
    if len(data) > IDENTITY_BYTES or decode_identity(data) != identity:
        msg = f"an identity has at most {IDENTITY_BYTES} bytes of printable names, this one {len(data)}"
        raise ValueError(msg)
    return data


def decode_identity(data: bytes) -> SensorIdentity | None:
    """Decode the sensor's identity; None where it can't be understood."""
    if len(data) < _IDENTITY.size + _CRC.size or _CRC.unpack(data[-_CRC.size :])[0] != crc32(data[: -_CRC.size]):
        return None
    version, flags, reserved, boot, counts, interval_us = _IDENTITY.unpack_from(data)
    names = _names(data[_IDENTITY.size : -_CRC.size])
    if version != VERSION or reserved or flags & ~(_ABSOLUTE | _INDEXED | _SIMULATED) or names is None:
        return None
    known = bool(flags & _ABSOLUTE), bool(flags & _INDEXED), bool(flags & _SIMULATED)
    return SensorIdentity(*names, boot, counts, interval_us, *known)


def _names(data: bytes) -> tuple[str, str, str, str] | None:
    names: list[str] = []
    while data:
        length = data[0]
        name = data[1 : 1 + length].decode("latin-1")
        if len(name) != length or not (name and name.isascii() and name.isprintable()):
            return None
        names.append(name)
        data = data[1 + length :]
    match names:
        case [maker, model, serial, firmware]:
            return maker, model, serial, firmware
        case _:
            return None


def _sample_flags(sample: Reading) -> int:
    return sample.defect.value | (0 if sample.index is None else INDEX_PASSED)
