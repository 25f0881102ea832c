"""Reports of an Angel Eye shoe, as values."""

from dataclasses import field
from enum import Enum, StrEnum

from tablectl.lazy_dataclass import dataclass


class Target(StrEnum):
    """Where the shoe believes that a card went; recorded, never a rule of our games."""

    PLAYER = "player"
    BANKER = "banker"
    BURN = "burn"
    BURN_COUNT_FIRST = "burn_count_first"
    BURN_COUNT_CARD = "burn_count_card"
    LOCK_MODE = "lock_mode"
    ERROR_MODE = "error_mode"
    SETTING_MODE = "setting_mode"


class Winner(StrEnum):
    """The baccarat result that the shoe computed for itself; advisory."""

    PLAYER = "player"
    TIE = "tie"
    BANKER = "banker"
    FORCED_QUIT = "forced_quit"


class ShoeError(StrEnum):
    """Error that the shoe reports; a number that we don't know is an error as well."""

    CANNOT_READ = "cannot_read"
    OVERDRAW = "overdraw"
    BUTTON_MISUSE = "button_misuse"
    REVERSE_AT_EXIT = "reverse_at_exit"
    REVERSE_MIDWAY = "reverse_midway"
    CARD_CODE_ERROR = "card_code_error"
    DRAW_TIMEOUT = "draw_timeout"
    UNRECOGNISED = "unrecognised"


class Reject(Enum):
    """Why a body that came whole, with a right check character, can't be taken."""

    UNKNOWN_CODE = "unknown_code"
    BAD_LENGTH = "bad_length"
    BAD_CARD = "bad_card"
    BAD_VALUE = "bad_value"


@dataclass(frozen=True, slots=True)
class Started:
    """The shoe has booted (`S`)."""


@dataclass(frozen=True, slots=True)
class StandBy:
    """The shoe waits for a game (`P`)."""


@dataclass(frozen=True, slots=True)
class CardDrawn:
    """A card left the shoe (`D` in a game, `d` outside one)."""

    in_game: bool
    target: Target
    index: int
    card: str = field(repr=False)  # secret until the procedure shows it, so in no log line by accident


@dataclass(frozen=True, slots=True)
class CardRetransmitted:
    """Report that the shoe repeats a card (`R`).

    Implementations disagree on what it means, so it is never a draw.
    """

    target: Target
    index: int
    card: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class GameResult:
    """The shoe's own baccarat result (`G`)."""

    winner: Winner
    player_pair: bool
    banker_pair: bool


@dataclass(frozen=True, slots=True)
class CutCardReached:
    """The cutting card came (`C`)."""


@dataclass(frozen=True, slots=True)
class ErrorRaised:
    """The shoe reports an error (`E`)."""

    code: int
    error: ShoeError
    error_mode: bool


@dataclass(frozen=True, slots=True)
class ErrorCancelled:
    """The shoe's error was cancelled (`e`)."""

    code: int
    error: ShoeError
    error_mode: bool


@dataclass(frozen=True, slots=True)
class LockReported:
    """The lock's position (`L`)."""

    locked: bool


@dataclass(frozen=True, slots=True)
class PresetChanged:
    """A setting of the shoe was changed at the shoe (`M`)."""

    address: str
    value: str


@dataclass(frozen=True, slots=True)
class Undecodable:
    """A report whose content is impossible or unknown.

    With code `D`, `d` or `R` a card is involved.
    """

    code: str
    cause: Reject


Report = (
    Started | StandBy | CardDrawn | CardRetransmitted | GameResult | CutCardReached
    | ErrorRaised | ErrorCancelled | LockReported | PresetChanged | Undecodable
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Copy:
    """One whole transmission of a report; the shoe sends three with the same `seq`."""

    seq: str
    body: bytes = field(repr=False)
    report: Report


@dataclass(frozen=True, slots=True)
class ReplyReceived:
    """The shoe's answer to a command; `code` is empty when it accepted."""

    code: str
    meaning: str

    @property
    def accepted(self) -> bool:
        """Return True if the shoe took the command."""
        return not self.code
