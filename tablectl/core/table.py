"""State of one table of any game: devices, faults, answers, and the game's state."""

from dataclasses import field
from typing import Final, Generic, TypeVar
from zlib import crc32

from tablectl.core.bets.payments import Payments
from tablectl.core.bets.results import Endings
from tablectl.core.bets.stakes import Bets
from tablectl.core.effects import Refuse
from tablectl.core.events.text import saying
from tablectl.core.faults import CATALOGUE, Code, Entry
from tablectl.core.materials import Materials
from tablectl.lazy_dataclass import dataclass, replace

S = TypeVar("S")

ANSWERS_KEPT = 64
"""How many answers to each requester are remembered beyond those of the open round.

A request that might be an older one's repetition is refused, so that none is carried out twice whatever this is.
"""

ANSWERS_MOST: Final = 4096
ANSWERED_MOST: Final = 4 << 20
"""Answers to one requester that an open round may have, and characters of what was asked: more of theirs is refused.

None of an open round is forgotten, so a screen that asks without end would fill every snapshot.
"""

EVERYBODY = "*"
"""Stands for all requesters among those of whom answers are forgotten."""

STALE_SCREEN: Final = Refuse("table", "stale_screen", saying("refuse.stale_screen"))
"""The answer to a request made on a screen that did not show yet what it is about."""

ASKED_TOO_MUCH: Final = Refuse("table", "asked_too_much", saying("refuse.asked_too_much", most=ANSWERS_MOST))
"""The answer to a request of somebody who has asked too much in the open round."""

REUSED_NAME: Final = Refuse("table", "request_id_reused", saying("refuse.request_id_reused"))
"""The answer to a request under a name that another request had."""


@dataclass(frozen=True, slots=True)
class Device:
    """State of one device as known.

    Args:
        boot: names its last start, where it reports it.
        delivered: the last `Fact.delivery` folded, where it sends again what wasn't acknowledged.
    """

    name: str
    attached: bool
    maker: str = ""
    model: str = ""
    serial: str = ""
    firmware: str = ""
    boot: str = ""
    simulated: bool = False
    reason: str = ""
    delivered: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """Fault on the table's list.

    It leaves the list when its cause is gone and an authorised person has acknowledged it.
    """

    code: int
    device: str
    detail: str
    since_us: int
    present: bool = True
    times: int = 1
    acknowledged_by: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a request.

    Args:
        refused: None is yes.
        asked: the request itself, as text.
        record: of the request; 0 where an earlier version answered it.
    """

    asker: str
    request_id: str
    refused: Refuse | None
    asked: str = ""
    record: int = 0


@dataclass(frozen=True, slots=True)
class Table(Generic[S]):
    """The folded value of all facts so far.

    Args:
        records: how many facts were folded; the journal's last record number.
        rounds: how many rounds were opened; the last one's number.
        phase_since: the record at which the game last changed its phase.
        simulated: whether anything at this table is a simulator.
        cards_read: how many cards devices have named; the last one's number on `restricted/card`.
        announced: how many events the log has; the last one's number.
        endings: how the last rounds ended, in the order in which they did.
        public_key: what signs the log, Base64; empty where the log doesn't say.
        terms: what this session's rounds are played by, as JSON; empty where the log doesn't say.
        round_since: the record at which the last round was opened.
        forgotten: requesters of whom answers are forgotten, each with the record of the last one.
        payments: what is to be paid and collected.
        last_bets: what lay in the last round with bets that ended.
        materials: the packs, dice and shoes that were named.
        by_hand_limit: as in `SessionBegan`.
        by_hand: what corrections by hand came to, for each of the last rounds beyond reach that had any.
    """

    game: S
    log_id: str = ""
    session: str = ""
    version: str = ""
    config_hash: str = ""
    records: int = 0
    rounds: int = 0
    phase_since: int = 0
    simulated: bool = False
    devices: tuple[Device, ...] = ()
    faults: tuple[Fault, ...] = ()
    answers: tuple[Answer, ...] = ()
    public_key: str = ""
    cards_read: int = 0
    announced: int = 0
    endings: Endings = ()
    terms: str = ""
    round_since: int = 0
    forgotten: tuple[tuple[str, int], ...] = ()
    payments: Payments = field(default_factory=Payments)
    last_bets: Bets = ()
    materials: Materials = ()
    by_hand_limit: int | None = None
    by_hand: tuple[tuple[str, int], ...] = ()


def device(table: Table[S], name: str) -> Device:
    """The device of this name; one never seen is not attached."""
    return next((item for item in table.devices if item.name == name), Device(name, attached=False))


def with_device(table: Table[S], new: Device) -> Table[S]:
    """The table with this device in place of its older self, in the order of names."""
    others = [item for item in table.devices if item.name != new.name]
    return replace(table, devices=tuple(sorted([*others, new], key=lambda item: item.name)))


def came_before(delivery: str, last: str) -> bool:
    """Return True if `delivery` is `last` or one of those before it, of the same boot.

    The numbers count 16 bits and wrap, so "before" reaches half of them back.
    """
    boot, _, number = delivery.partition(":")
    last_boot, _, last_number = last.partition(":")
    if boot != last_boot or not (number.isdecimal() and last_number.isdecimal()):
        return False
    return (int(last_number) - int(number)) % (1 << 16) < 1 << 15


def restarted(before: Device, boot: str) -> bool:
    """Return True if a device that now names this start is known to have restarted.

    One that names none isn't.
    """
    return bool(before.boot and boot and before.boot != boot)


def fault(table: Table[S], code: int, name: str) -> Fault | None:
    """The fault of this code and device, where it stands."""
    return next((item for item in table.faults if (item.code, item.device) == (code, name)), None)


def with_fault(table: Table[S], new: Fault) -> Table[S]:
    """Return the table with this fault in place of its older self.

    The list is in the order of their numbers.
    """
    others = tuple(item for item in table.faults if (item.code, item.device) != (new.code, new.device))
    return replace(table, faults=tuple(sorted((*others, new), key=lambda item: (item.code, item.device))))


def without_fault(table: Table[S], gone: Fault) -> Table[S]:
    """The table without this fault."""
    return replace(table, faults=tuple(item for item in table.faults if item != gone))


def stopping_fault(table: Table[S]) -> Fault | None:
    """The first fault that lets no round and no bet begin."""
    return next((item for item in table.faults if entry(item.code).stops_rounds), None)


def spoiling_fault(table: Table[S], name: str) -> Fault | None:
    """The first fault with which this device may not deal."""
    return next((item for item in table.faults if item.device == name and entry(item.code).spoils_deal), None)


def entry(code: int) -> Entry:
    """Return the catalogue's entry of a fault number.

    A number of another build is a message that this one doesn't know.
    """
    try:
        return CATALOGUE[Code(code)]
    except ValueError:
        return CATALOGUE[Code.UNKNOWN_MESSAGE]


def answered(table: Table[S], asker: str, request_id: str) -> Answer | None:
    """The answer that this asker's request of this id was given before."""
    for item in table.answers:
        if item.request_id == request_id and item.asker == asker:
            return item
    return None


def with_answer(table: Table[S], new: Answer, kept_since: int) -> Table[S]:
    """Return the table with this answer, without this requester's old answers.

    Args:
        kept_since: a record; nothing that was answered from then on is forgotten.
    """
    answers = (*table.answers, new)
    own = [item for item in answers if item.asker == new.asker]
    gone = {item.request_id: item.record for item in own[:-ANSWERS_KEPT] if item.record < kept_since}
    if not gone:
        return replace(table, answers=answers)
    left = tuple([item for item in answers if item.request_id not in gone or item.asker != new.asker])
    return with_forgotten(table, new.asker, max(gone.values()), left)


def has_asked_too_much(table: Table[S], asker: str, kept_since: int) -> bool:
    """Return True if no more answers to this requester can be remembered.

    Those to requests from `kept_since` on have to be.
    """
    own: list[int] = []
    for item in reversed(table.answers):  # they are in the order of their records
        if item.record < kept_since:
            break
        if item.asker == asker:
            own.append(len(item.asked))
    return len(own) >= ANSWERS_MOST or sum(own) >= ANSWERED_MOST


def with_forgotten(table: Table[S], asker: str, record: int, left: tuple[Answer, ...] | None = None) -> Table[S]:
    """Note that the answer to this requester's request isn't remembered.

    Args:
        record: of the request.
        left: the answers that are remembered now; those of before, where it isn't given.
    """
    others = tuple(item for item in table.forgotten if item[0] != asker)
    before = max((each for name, each in table.forgotten if name == asker), default=0)
    answers = table.answers if left is None else left
    return replace(table, answers=answers, forgotten=(*others, (asker, max(before, record))))


def forgotten_before(table: Table[S], asker: str) -> int:
    """Return the record up to which answers to this requester may be forgotten.

    It is 0 where none is.
    """
    return max((record for name, record in table.forgotten if name in {asker, EVERYBODY}), default=0)


def round_id(table: Table[S]) -> str:
    """Return the id of the round opened next.

    It consists of log and number, so that no two rounds ever share one.
    """
    return round_named(table, table.rounds + 1)


def round_named(table: Table[S], number: int) -> str:
    """The id of the log's round of this number, from 1."""
    return f"{table.log_id}-{number:06d}"


def event_named(table: Table[S], number: int) -> str:
    """The id of the log's event of this number, from 1."""
    return f"{table.log_id}-{number:016d}"


def was_opened(table: Table[S], name: str) -> bool:
    """Return True if a round of this log had this id."""
    number = name.rpartition("-")[2]
    if not (number.isascii() and number.isdecimal()) or len(number) > _LONGEST_NUMBER:
        return False
    return 1 <= int(number) <= table.rounds and name == round_named(table, int(number))


_LONGEST_NUMBER = 18
"""Digits of a round's number at most; a machine refuses to read numbers of thousands of digits."""


def round_number(name: str) -> int:
    """The number of the round with this id of the log."""
    return int(name.rpartition("-")[2])


def operation(table: Table[S]) -> int:
    """Return a number for a command to a device that no other command has.

    It has 64 bits, made of log, session and record. A restored log gives its record numbers out again; its sessions are
    new.
    """
    origin = f"{table.log_id}/{table.session}"
    return crc32(origin.encode(errors="replace")) << 32 | (table.records & 0xFFFFFFFF)
