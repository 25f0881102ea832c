"""Codec of the Angel Eye II-EX shoe's wire, without input or output.

    report   ENQ(05) seq(1) code(1) extra ETX(03) check(2)            sent three times with the same seq
    command  STX(02) O P type(2) number(2) ETX(03) check(2)           type LK, EC or GP; number in decimal digits
    answer   ACK(06), or NAK(15) code(2)

    code     extra bytes      report
    S        0                started
    P        0                stand-by
    D, d     2 place, face    card drawn in a game, outside a game
    R        2 place, face    card sent again; never counted as a draw
    G        1                result by the shoe: bits 6-4 winner, bit 1 banker pair, bit 0 player pair
    C        0                cutting card reached
    E, e     1                error raised, cancelled: bit 6 error mode, bits 5-0 number
    L        1                lock: bit 0 locked
    M        6                setting changed: address(2), value(4), printable ASCII

`check` is the exclusive or of seq (in a command: of O, or of STX, by a setting) to ETX, as two upper-case hexadecimal
characters. Binary extra bytes have bit 7 set. Place: bits 6-4 target, bits 3-0 index 0 to 10. Face: bits 6-4 suit,
bits 3-0 rank.

The layout comes from public implementations, not from the vendor (docs/protocols/angel-eye.md says what
that leaves open), so whatever has a value we don't know is rejected and counted, never guessed.
"""

from collections.abc import Callable
from enum import Enum, StrEnum
from functools import lru_cache, partial

from drivers.shoe.reports import (
    CardDrawn,
    CardRetransmitted,
    Copy,
    CutCardReached,
    ErrorCancelled,
    ErrorRaised,
    GameResult,
    LockReported,
    PresetChanged,
    Reject,
    ReplyReceived,
    Report,
    ShoeError,
    StandBy,
    Started,
    Target,
    Undecodable,
    Winner,
)
from tablectl.lazy_dataclass import dataclass

ENQ, STX, ETX, ACK, NAK = 0x05, 0x02, 0x03, 0x06, 0x15
MAX_BODY = 128
CARD_COPY = 8
"""Bytes of one copy of a card's report."""

HIGHEST_INDEX = 10

RANKS = {1: "A", **{n: str(n) for n in range(2, 10)}, 10: "T", 11: "J", 12: "Q", 13: "K"}
SUITS = {1: "d", 2: "c", 3: "s", 4: "h"}
IN_GAME_TARGETS = {
    0: Target.PLAYER,
    1: Target.BANKER,
    2: Target.BURN,
    4: Target.BURN_COUNT_FIRST,
    5: Target.BURN_COUNT_CARD,
}
OUTSIDE_TARGETS = {0: Target.LOCK_MODE, 1: Target.ERROR_MODE, 2: Target.SETTING_MODE}
WINNERS = {1: Winner.PLAYER, 2: Winner.TIE, 4: Winner.BANKER, 7: Winner.FORCED_QUIT}
ERRORS = dict(enumerate(tuple(ShoeError)[:7], start=1))
REFUSALS = {
    "01": "framing, parity or overrun error",
    "02": "wrong check characters",
    "03": "no ETX",
    "11": "wrong format or length",
    "12": "wrong address",
    "13": "unknown command",
    "14": "unknown type",
    "21": "busy",
    "22": "writing",
    "FF": "other",
}
_HEX = frozenset(b"0123456789ABCDEF")
_PRINTABLE = range(0x20, 0x7F)


def check_characters(data: bytes) -> bytes:
    """Two upper-case hexadecimal characters: the exclusive or of all bytes of `data`."""
    check = 0
    for byte in data:
        check ^= byte
    return b"%02X" % check


class _RejectedError(Exception):
    def __init__(self, cause: Reject) -> None:
        super().__init__(cause)
        self.cause = cause


def _value(byte: int, cause: Reject = Reject.BAD_VALUE) -> int:
    """The low seven bits of a binary byte, which always travels with bit 7 set."""
    if not byte & 0x80:
        raise _RejectedError(cause)
    return byte & 0x7F


def _card(extra: bytes, targets: dict[int, Target]) -> tuple[Target, int, str]:
    place, face = _value(extra[0], Reject.BAD_CARD), _value(extra[1], Reject.BAD_CARD)
    target, index = targets.get(place >> 4), place & 0xF
    suit, rank = SUITS.get(face >> 4), RANKS.get(face & 0xF)
    if target is None or index > HIGHEST_INDEX or suit is None or rank is None:
        raise _RejectedError(Reject.BAD_CARD)
    return target, index, rank + suit


def _drawn(extra: bytes, *, in_game: bool) -> Report:
    target, index, card = _card(extra, IN_GAME_TARGETS if in_game else OUTSIDE_TARGETS)
    return CardDrawn(in_game, target, index, card)


def _result(extra: bytes) -> Report:
    value = _value(extra[0])
    winner = WINNERS.get(value >> 4)
    if winner is None or value & 0b1100:
        raise _RejectedError(Reject.BAD_VALUE)
    return GameResult(winner, player_pair=bool(value & 1), banker_pair=bool(value & 2))


def _error(extra: bytes, kind: type[ErrorRaised] | type[ErrorCancelled]) -> Report:
    value = _value(extra[0])
    code = value & 0x3F
    return kind(code, ERRORS.get(code, ShoeError.UNRECOGNISED), error_mode=bool(value & 0x40))


def _preset(extra: bytes) -> Report:
    if not all(byte in _PRINTABLE for byte in extra):
        raise _RejectedError(Reject.BAD_VALUE)
    text = extra.decode("ascii")
    return PresetChanged(text[:2], text[2:])


_CODES: dict[str, tuple[int, Callable[[bytes], Report]]] = {
    "S": (0, lambda _: Started()),
    "P": (0, lambda _: StandBy()),
    "D": (2, partial(_drawn, in_game=True)),
    "d": (2, partial(_drawn, in_game=False)),
    "R": (2, lambda extra: CardRetransmitted(*_card(extra, IN_GAME_TARGETS))),
    "G": (1, _result),
    "C": (0, lambda _: CutCardReached()),
    "E": (1, lambda extra: _error(extra, ErrorRaised)),
    "e": (1, lambda extra: _error(extra, ErrorCancelled)),
    "L": (1, lambda extra: LockReported(locked=bool(_value(extra[0]) & 1))),
    "M": (6, _preset),
}


@lru_cache(maxsize=16)
def decode_report(data: bytes) -> Report:
    """Decode a report, its copies once; `Undecodable` if it is none.

    Args:
        data: the bytes between the sequence character and ETX.
    """
    code = chr(data[0]) if data else ""
    if code not in _CODES:
        return Undecodable(code, Reject.UNKNOWN_CODE)
    length, decode = _CODES[code]
    if len(data) != 1 + length:
        return Undecodable(code, Reject.BAD_LENGTH)
    try:
        return decode(data[1:])
    except _RejectedError as rejected:
        return Undecodable(code, rejected.cause)


def _copies_in(count: int) -> int:
    """The copies in a run of unusable bytes, each about as long as a card's."""
    return max(min(count, 1), (count + CARD_COPY // 2 - 1) // CARD_COPY)


@dataclass(slots=True)
class Counters:
    """Counters of the line, one for each cause of rejection.

    Args:
        damaged_copies: how many copies of reports the broken frames, and the bytes outside any frame, may have been.
    """

    copies: int = 0
    replies: int = 0
    garbage_bytes: int = 0
    truncated: int = 0
    overflow: int = 0
    bad_bcc: int = 0
    bad_seq: int = 0
    unknown_code: int = 0
    bad_length: int = 0
    bad_card: int = 0
    bad_value: int = 0
    bad_reply: int = 0
    damaged_copies: int = 0

    @property
    def rejected(self) -> int:
        """All frames that were begun and not taken."""
        broken = self.truncated + self.overflow + self.bad_bcc + self.bad_seq + self.bad_reply
        return broken + self.unknown_code + self.bad_length + self.bad_card + self.bad_value


class _Inside(Enum):
    """State of the parser: the part of a frame that the next byte belongs to."""

    NOTHING = "nothing"
    BODY = "body"
    CHECK = "check"
    REFUSAL = "refusal"


class FrameParser:
    """Incremental parser of reports and replies.

    The stream may be cut anywhere; a new ENQ always starts afresh.
    """

    def __init__(self) -> None:
        self.counters = Counters()
        self._inside = _Inside.NOTHING
        self._body = bytearray()
        self._check = bytearray()
        self._spoilt = 0

    def feed(self, data: bytes) -> tuple[Copy | ReplyReceived, ...]:
        """Everything that became whole with `data`, in the order of the line."""
        return tuple(item for item in map(self.take, data) if item is not None)

    def take(self, byte: int) -> Copy | ReplyReceived | None:
        """Return the copy or reply that this byte completes, if any."""
        if byte == ENQ:
            self._begin(_Inside.BODY)
            self._spoilt = 0
            return None
        match self._inside:
            case _Inside.BODY:
                self._take_body(byte)
                return None
            case _Inside.CHECK:
                return self._take_check(byte)
            case _Inside.REFUSAL:
                return self._take_refusal(byte)
            case _Inside.NOTHING:
                return self._take_outside(byte)

    def _begin(self, inside: _Inside) -> None:
        if self._inside is not _Inside.NOTHING:
            self.counters.truncated += 1
            self._spoil(1 + len(self._body) + len(self._check))
        self._inside = inside
        self._body.clear()
        self._check.clear()

    def _take_outside(self, byte: int) -> ReplyReceived | None:
        if byte == ACK:
            self.counters.replies += 1
            return ReplyReceived("", "accepted")
        if byte == NAK:
            self._begin(_Inside.REFUSAL)
        else:
            self.counters.garbage_bytes += 1
            self._spoil(1)
        return None

    def _take_body(self, byte: int) -> None:
        self._body.append(byte)
        if byte == ETX:
            self._inside = _Inside.CHECK
        elif len(self._body) >= MAX_BODY:
            self.counters.overflow += 1
            self._spoil(1 + len(self._body))
            self._inside = _Inside.NOTHING

    def _take_check(self, byte: int) -> Copy | None:
        self._check.append(byte)
        if len(self._check) < 2:
            return None
        self._inside = _Inside.NOTHING
        # A lower-case digit is a flipped bit 5, so it is wrong although it reads the same.
        if bytes(self._check) != check_characters(bytes(self._body)):
            self.counters.bad_bcc += 1
            self._spoil(1 + len(self._body) + len(self._check))
            return None
        return self._copy(bytes(self._body[:-1]))

    def _spoil(self, count: int) -> None:
        """Count the copies that these bytes may have been.

        The unusable bytes since the last ENQ belong to the same run.
        """
        before, self._spoilt = self._spoilt, self._spoilt + count
        self.counters.damaged_copies += _copies_in(self._spoilt) - _copies_in(before)

    def _copy(self, body: bytes) -> Copy | None:
        if not body or body[0] not in _PRINTABLE:
            self.counters.bad_seq += 1
            self._spoil(1 + len(self._body) + len(self._check))
            return None
        report = decode_report(body[1:])
        self.counters.copies += 1
        if isinstance(report, Undecodable):
            cause = report.cause.value
            setattr(self.counters, cause, getattr(self.counters, cause) + 1)
        return Copy(chr(body[0]), body, report)

    def _take_refusal(self, byte: int) -> ReplyReceived | None:
        if byte not in _HEX:
            self._inside = _Inside.NOTHING
            self.counters.bad_reply += 1
            return None
        self._check.append(byte)
        if len(self._check) < 2:
            return None
        self._inside = _Inside.NOTHING
        self.counters.replies += 1
        code = self._check.decode("ascii")
        return ReplyReceived(code, REFUSALS.get(code, "unknown refusal"))


class CommandType(StrEnum):
    """Type of a command to the shoe."""

    LOCK = "LK"
    CANCEL_ERROR = "EC"
    CONFIRM_GAME = "GP"


UNLOCK, LOCK = 1, 2


def encode_command(kind: CommandType, number: int, *, bcc_includes_stx: bool) -> bytes:
    """The bytes of one command.

    Args:
        number: 0 to 99; for LOCK `UNLOCK` or `LOCK`, for CANCEL_ERROR the error's code, for CONFIRM_GAME 0.
        bcc_includes_stx: which reading of the check characters this shoe wants; find out on hardware.

    Raises:
        ValueError: `number` doesn't have one or two digits.
    """
    if not 0 <= number <= 99:
        msg = f"a command's number is 0 to 99, not {number}"
        raise ValueError(msg)
    body = b"OP" + kind.value.encode("ascii") + b"%02d" % number + bytes((ETX,))
    start = bytes((STX,))
    return start + body + check_characters(start + body if bcc_includes_stx else body)
