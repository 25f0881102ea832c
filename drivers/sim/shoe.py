"""Simulated shoes: the Angel Eye, and one on the device link.

They know the wire's bytes and no rule of any game.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from itertools import cycle
from typing import Any, Self

from drivers.link.identity import Identity, Kind
from drivers.link.messages import UNRECOGNISED, Refused
from drivers.link.table import NotUnderstood
from drivers.shoe.angel_eye import (
    ENQ,
    ERRORS,
    ETX,
    IN_GAME_TARGETS,
    OUTSIDE_TARGETS,
    RANKS,
    STX,
    SUITS,
    WINNERS,
    check_characters,
)
from drivers.shoe.link import (
    CODEC,
    UNREAD,
    CutReached,
    Drawn,
    Event,
    GetStatus,
    LidClosed,
    LidOpened,
    Locked,
    ShoeFault,
    Status,
    Unlocked,
)
from drivers.shoe.reports import (
    CardDrawn,
    CardRetransmitted,
    CutCardReached,
    ErrorCancelled,
    ErrorRaised,
    GameResult,
    LockReported,
    PresetChanged,
    Report,
    ShoeError,
    StandBy,
    Started,
    Target,
    Undecodable,
)
from drivers.sim.link_device import SimulatedLinkDevice, simulated
from drivers.sim.pty import FarEnd, PtyEnd
from tablectl.core.cards import PACK, parse_card, rank_of, suit_of

COPIES = 3
_TARGET_CODES = {target: code for table in (IN_GAME_TARGETS, OUTSIDE_TARGETS) for code, target in table.items()}
_RANK_CODES = {rank: code for code, rank in RANKS.items()}
_SUIT_CODES = {suit: code for code, suit in SUITS.items()}
_WINNER_CODES = {winner: code for code, winner in WINNERS.items()}
_ERROR_CODES = {error: code for code, error in ERRORS.items()}


def encode_report(seq: str, report: Report) -> bytes:
    """One transmission of `report` as the shoe sends it.

    Raises:
        ValueError: `report` is `Undecodable`; build impossible content with `frame_report`.
    """
    return frame_report(seq, _content(report))


def frame_report(seq: str, content: bytes) -> bytes:
    """One transmission of any content, possible or not, with right check characters."""
    body = seq.encode("ascii") + content + bytes((ETX,))
    return bytes((ENQ,)) + body + check_characters(body)


def _content(report: Report) -> bytes:
    match report:
        case Started():
            return b"S"
        case StandBy():
            return b"P"
        case CutCardReached():
            return b"C"
        case CardDrawn() | CardRetransmitted():
            return _card_content(report)
        case GameResult(winner=winner, player_pair=player, banker_pair=banker):
            return b"G" + bytes((0x80 | _WINNER_CODES[winner] << 4 | banker << 1 | player,))
        case ErrorRaised(code=code, error_mode=mode) | ErrorCancelled(code=code, error_mode=mode):
            letter = b"E" if isinstance(report, ErrorRaised) else b"e"
            return letter + bytes((0x80 | mode << 6 | code,))
        case LockReported(locked=locked):
            return b"L" + bytes((0x80 | locked,))
        case PresetChanged(address=address, value=value):
            return b"M" + (address + value).encode("ascii")
        case Undecodable():
            msg = "an undecodable report can't be encoded"
            raise ValueError(msg)


def _card_content(report: CardDrawn | CardRetransmitted) -> bytes:
    code = b"R" if isinstance(report, CardRetransmitted) else b"D" if report.in_game else b"d"
    place = 0x80 | _TARGET_CODES[report.target] << 4 | report.index
    face = 0x80 | _SUIT_CODES[report.card[1]] << 4 | _RANK_CODES[report.card[0]]
    return code + bytes((place, face))


class SimulatedShoe:
    """A shoe on a port; every method sends what a real shoe would, three times.

    Args:
        gap_s: silence between the copies of a report, in seconds.
        bcc_includes_stx: how this shoe reads the host's check characters.
        sleep: how it waits, for tests with their own clock.
    """

    def __init__(
        self,
        port: PtyEnd,
        *,
        gap_s: float = 0.0,
        bcc_includes_stx: bool = False,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.port = port
        self.commands: list[bytes] = []  # everything that the host wrote, whole commands only
        self._gap_s = gap_s
        self._bcc_includes_stx = bcc_includes_stx
        self._sleep = sleep
        self._seqs = cycle("0123456789")
        self._heard = bytearray()
        port.on_bytes = self._hear

    @classmethod
    def at(cls, port: PtyEnd, settings: Mapping[str, Any], *, seed: int, speed: float) -> Self:
        """The simulator of a configured device."""
        del settings, seed, speed
        return cls(port)

    async def start(self) -> None:
        """Boots: start of communication, then stand-by."""
        self._seqs = cycle("0123456789")
        await self.report(Started())
        await self.report(StandBy())

    async def draw(self, card: str, *, target: Target = Target.PLAYER, index: int = 1) -> None:
        """A card (as "As") leaves the shoe in a game; `index` is 0 to 10."""
        await self.report(CardDrawn(in_game=True, target=target, index=index, card=card))

    async def reach_cut_card(self) -> None:
        """The cutting card comes."""
        await self.report(CutCardReached())

    async def raise_error(self, error: ShoeError, *, error_mode: bool = True) -> None:
        """The shoe complains."""
        await self.report(ErrorRaised(_ERROR_CODES[error], error, error_mode=error_mode))

    async def cancel_error(self, error: ShoeError) -> None:
        """The complaint is over."""
        await self.report(ErrorCancelled(_ERROR_CODES[error], error, error_mode=False))

    async def lock(self, *, locked: bool) -> None:
        """The lock moves."""
        await self.report(LockReported(locked=locked))

    async def report(self, report: Report) -> None:
        """Sends `report` three times under the next sequence character."""
        seq = next(self._seqs)
        await self.send([encode_report(seq, report)] * COPIES)

    async def disagree(self, *reports: Report) -> None:
        """Sends different reports as the copies of one."""
        seq = next(self._seqs)
        await self.send([encode_report(seq, report) for report in reports])

    async def draw_unreadable(self, *, copies: int = COPIES) -> None:
        """A card leaves the shoe, and the report has no suit and no rank."""
        seq = next(self._seqs)
        await self.send([frame_report(seq, b"D\x81\x80")] * copies)

    async def send(self, transmissions: list[bytes]) -> None:
        """Writes transmissions with the gap between them."""
        for number, data in enumerate(transmissions):
            if number and self._gap_s:
                await self._sleep(self._gap_s)
            self.port.write(data)

    def _hear(self, data: bytes) -> None:
        self._heard += data
        while (end := self._heard.find(ETX)) >= 0 and len(self._heard) >= end + 3:
            command = bytes(self._heard[: end + 3])
            del self._heard[: end + 3]
            self.commands.append(command)
            self.port.write(self._answer(command))

    def _answer(self, command: bytes) -> bytes:
        checked, check = command[:-2], command[-2:]
        if command[0] != STX:
            return b"\x1511"
        expected = check_characters(checked if self._bcc_includes_stx else checked[1:])
        return b"\x06" if check == expected else b"\x1502"


SIMULATED_LINKED_SHOE = simulated(Kind.SHOE)


class SimulatedLinkedShoe(SimulatedLinkDevice[Event, GetStatus, Status]):
    """A shoe on a port, running until `close`.

    Args:
        seed: of the cards that nobody chooses, so that a run can be had again.
    """

    def __init__(self, port: FarEnd, *, identity: Identity = SIMULATED_LINKED_SHOE, seed: int = 1) -> None:
        self.draws: list[str] = []  # every card that was reported and could be read
        self.status = Status(lid_open=False, locked=False)
        self._random = random.Random(seed)
        super().__init__(port, identity, CODEC, seed=seed)

    async def draw(self, card: str = "") -> None:
        """A card (as "As") leaves the shoe: this one, or by chance."""
        drawn = parse_card(card or self._random.choice(PACK))
        self.draws.append(drawn)
        self.send(Drawn(rank_of(drawn), suit_of(drawn)))

    async def draw_unreadable(self) -> None:
        """A card leaves the shoe, and it can't be read."""
        self.send(Drawn(UNREAD, UNREAD))

    async def reach_cut_card(self) -> None:
        """The cut card comes."""
        self.send(CutReached())

    def open_lid(self) -> None:
        """Somebody opens the lid."""
        self.status = Status(lid_open=True, locked=self.status.locked)
        self.send(LidOpened())

    def close_lid(self) -> None:
        """Somebody closes the lid."""
        self.status = Status(lid_open=False, locked=self.status.locked)
        self.send(LidClosed())

    async def lock(self, *, locked: bool) -> None:
        """The lock moves; the shoe complains while it is locked."""
        self.status = Status(self.status.lid_open, locked)
        self.send(Locked() if locked else Unlocked())
        (self.raise_fault if locked else self.clear_fault)(ShoeFault.LOCKED)

    def obey(self, command: GetStatus | NotUnderstood) -> Status | Refused:
        """Reports its status; it knows no other command."""
        return self.status if isinstance(command, GetStatus) else Refused(UNRECOGNISED)
