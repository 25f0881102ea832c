"""Options of the demo, and what it asks of a reader of the feed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from tablectl.lazy_dataclass import dataclass
from tablectl.mqtt.message import Message
from tablectl.words import Language


@dataclass(frozen=True, slots=True)
class Options:
    """How the demo is played.

    Args:
        speed: 1 is human, 2 twice as fast, 0 as fast as possible.
        rounds: how many; None until it is stopped.
        seed: the same one gives the same rounds.
        broker: the address of a broker that exists; None starts a private one.
        irregular: share of the rounds in which something goes wrong, 0 to 1.
        keep: where the table's state is kept; None throws it away at the end.
        play: whether the devices wait for a person at the page, who plays instead of the demo's people.
    """

    seed: int
    game: str = "q-poker"
    speed: float = 1.0
    rounds: int | None = None
    broker: str | None = None
    language: Language = "en"
    irregular: float = 0.2
    keep: Path | None = None
    play: bool = False


class Reader(Protocol):
    """Follower of one table's feed, in words."""

    def tell(self, message: Message) -> Sequence[str]:
        """The lines that say what a message means; often none."""
        ...

    def completeness(self) -> str:
        """One line that says whether everything came, or which numbers are missing."""
        ...

    def proved(self) -> bool:
        """Return True if an agreeing checkpoint covers all that came."""
        ...
