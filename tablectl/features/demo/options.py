"""Options of the demo."""

from pathlib import Path

from tablectl.lazy_dataclass import dataclass
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
        table: the table's name; empty for the shipped one, or one of its own on a broker of others.
        own: what its configuration has besides the shipped one, by dotted key.
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
    table: str = ""
    own: tuple[tuple[str, str | tuple[str, ...]], ...] = ()
