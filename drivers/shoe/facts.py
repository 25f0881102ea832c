"""The reports of an Angel Eye shoe, as the vote decides them, as facts."""

from collections import deque
from collections.abc import Iterable, Mapping
from types import MappingProxyType

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
    Undecodable,
)
from drivers.shoe.vote import REMEMBERED, Confirmed, Notice, RepeatsDisagree, ReportLost, Unconfirmed
from tablectl.core.cards import parse_card
from tablectl.core.facts import Body, FaultCleared, FaultRaised, Stamp
from tablectl.core.facts import reports as facts
from tablectl.core.facts.reports import DeviceNoted
from tablectl.core.faults import Code
from tablectl.core.protocols import Teller

MOST_CARDS_AT_ONCE = 2
"""No hand draws more cards in the time between two reads; more of them waited somewhere."""

_ERRORS: Mapping[ShoeError, Code] = MappingProxyType(
    {
        ShoeError.CANNOT_READ: Code.SHOE_CANNOT_READ,
        ShoeError.OVERDRAW: Code.SHOE_OVERDRAW,
        ShoeError.BUTTON_MISUSE: Code.SHOE_BUTTON_MISUSE,
        ShoeError.REVERSE_AT_EXIT: Code.SHOE_REVERSE_AT_EXIT,
        ShoeError.REVERSE_MIDWAY: Code.SHOE_REVERSE_MIDWAY,
        ShoeError.CARD_CODE_ERROR: Code.SHOE_CARD_CODE,
        ShoeError.DRAW_TIMEOUT: Code.SHOE_DRAW_TIMEOUT,
        ShoeError.UNRECOGNISED: Code.SHOE_UNKNOWN_ERROR,
    }
)


class Reporter:
    """Turns what the vote decides into facts."""

    def __init__(self, name: str, tell: Teller) -> None:
        self.told = 0
        self._name = name
        self._tell = tell
        self._disputed: set[str] = set()
        self._decided: deque[tuple[str, bool]] = deque(maxlen=REMEMBERED)
        self._unknown_told = False

    def attached(self, *, simulated: bool, at: Stamp) -> None:
        """The port is open: the shoe counts."""
        self._unknown_told = False
        self._say(at, facts.DeviceAttached(self._name, simulated=simulated))

    def note(self, report: str, value: str, at: Stamp) -> None:
        """Reports what moves nothing."""
        self._say(at, DeviceNoted(self._name, report, value))

    def report(self, notices: Iterable[Notice], at: Stamp) -> None:
        """Reports what one read, or one vote's end, decided."""
        cards = 0
        for notice in notices:
            match notice:
                case Confirmed(seq=seq, report=report):
                    cards += self._decide(seq, (report,), at, agreed=True)
                case Unconfirmed(seq=seq, candidates=candidates):
                    cards += self._decide(seq, candidates, at, agreed=False)
                case RepeatsDisagree(seq=seq):
                    self._dispute(seq, at)
                case ReportLost():
                    self._momentary(Code.EVENT_GAP, at, "all copies of a report were damaged")
        if cards > MOST_CARDS_AT_ONCE:
            self._momentary(Code.BACKLOG_BURST, at, f"{cards} cards at once")

    def _dispute(self, seq: str, at: Stamp) -> None:
        """Note that the copies of a report differ.

        Before the vote's end that leaves a card without identity, later it is only odd.
        """
        was_card = dict(self._decided).get(seq)
        if was_card is None:
            self._disputed.add(seq)
        elif was_card:
            self._momentary(Code.SHOE_REPEATS_DISAGREE, at)
        else:
            self.note("repeats_disagree", "", at)

    def _decide(self, seq: str, reports: tuple[Report, ...], at: Stamp, *, agreed: bool) -> bool:
        """Report what a vote decided, and return whether a card left the shoe."""
        disputed = seq in self._disputed
        self._disputed.discard(seq)
        drawn = next(filter(_is_draw, reports), None)
        self._decided.append((seq, drawn is not None))
        sure = agreed and not disputed
        if drawn is None:
            self._no_card(reports[0], at, "" if sure else "repeats_disagree" if disputed else "unconfirmed")
            if not sure and any(isinstance(report, Undecodable) for report in reports):
                self._momentary(Code.EVENT_GAP, at, "a damaged report may have been a card")
        elif sure and isinstance(drawn, CardDrawn):
            card, target = parse_card(drawn.card), drawn.target.value
            self._say(at, facts.CardDrawn(self._name, card, drawn.in_game, target, drawn.index))
        else:
            self._unsure(drawn, at, Code.SHOE_REPEATS_DISAGREE if disputed else Code.SHOE_UNCONFIRMED)
        return drawn is not None

    def _unsure(self, drawn: Report, at: Stamp, code: Code) -> None:
        """Reports that a card came, and not which."""
        outside = isinstance(drawn, Undecodable) and drawn.code == "d"
        in_game = drawn.in_game if isinstance(drawn, CardDrawn) else not outside
        self._say(at, facts.CardDrawn(self._name, None, in_game))
        self._momentary(code, at)

    def _no_card(self, report: Report, at: Stamp, doubt: str) -> None:
        if doubt:
            self.note(doubt, type(report).__name__, at)
        elif isinstance(report, Undecodable):
            self._unknown(report, at)
        else:
            for body in _facts(self._name, report):
                self._say(at, body)

    def _unknown(self, report: Undecodable, at: Stamp) -> None:
        self.note("not_understood", f"{report.code} {report.cause.value}", at)
        if not self._unknown_told:
            self._unknown_told = True
            self._momentary(Code.UNKNOWN_MESSAGE, at, report.code)

    def _momentary(self, code: Code, at: Stamp, detail: str = "") -> None:
        """Report a fault whose cause is over already.

        It stays on the list until a person has seen it.
        """
        self._say(at, FaultRaised(code, self._name, detail))
        self._say(at, FaultCleared(code, self._name))

    def _say(self, at: Stamp, body: Body) -> None:
        self.told += 1
        self._tell(body, at=at)


def _is_draw(report: Report) -> bool:
    """Return True if a card left the shoe by this report.

    `R` repeats an old one, whatever it means.
    """
    return isinstance(report, CardDrawn) or (isinstance(report, Undecodable) and report.code in {"D", "d"})


def _facts(name: str, report: Report) -> tuple[Body, ...]:
    """Translate a report that draws no card to facts."""
    match report:
        case Started():
            # Whatever it complained of before is over: it would say so again.
            gone = (*_ERRORS.values(), Code.SHOE_LOCKED)
            return (DeviceNoted(name, "started"), *(FaultCleared(code, name) for code in gone))
        case StandBy():
            return (DeviceNoted(name, "stand_by"),)
        case CardRetransmitted(target=target, index=index):
            return (DeviceNoted(name, "retransmission", f"{target.value} {index}"),)
        case GameResult(winner=winner, player_pair=player, banker_pair=banker):
            pairs = " player_pair" * player + " banker_pair" * banker
            return (DeviceNoted(name, "result", winner.value + pairs),)
        case CutCardReached():
            return (facts.CutCardReached(name),)
        case PresetChanged(address=address, value=value):
            return (DeviceNoted(name, "preset", f"{address} {value}"),)
        case ErrorRaised() | ErrorCancelled() | LockReported():
            return _standing(name, report)
        case CardDrawn() | Undecodable():
            return ()


def _standing(name: str, report: ErrorRaised | ErrorCancelled | LockReported) -> tuple[Body, ...]:
    """Translate a report of a state that stands until the shoe reports otherwise."""
    match report:
        case ErrorRaised(code=number, error=error, error_mode=mode):
            return (FaultRaised(_ERRORS[error], name, f"error {number}" + ", error mode" * mode),)
        case ErrorCancelled(error=error):
            return (FaultCleared(_ERRORS[error], name),)
        case LockReported(locked=True):
            return DeviceNoted(name, "lock", "locked"), FaultRaised(Code.SHOE_LOCKED, name)
        case LockReported():
            return DeviceNoted(name, "lock", "unlocked"), FaultCleared(Code.SHOE_LOCKED, name)
