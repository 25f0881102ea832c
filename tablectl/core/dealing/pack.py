"""State of the pack of cards between the shuffle and the round's end."""

from enum import StrEnum

from tablectl.core.effects import Effects, momentary
from tablectl.core.facts.reports import ShuffleCompleted
from tablectl.core.faults import Code
from tablectl.lazy_dataclass import dataclass

PACK_SIZE = 52


class PackState(StrEnum):
    """State of the pack. A round is dealt only from a ready one."""

    NEEDED = "needed"
    SHUFFLING = "shuffling"
    READY = "ready"
    IN_PLAY = "in_play"


@dataclass(frozen=True, slots=True)
class Pack:
    """The pack.

    Args:
        operation: the shuffler's, while it shuffles.
        by_hand: whether it was shuffled by hand alone where a machine should have shuffled it too.
    """

    state: PackState = PackState.NEEDED
    operation: int = 0
    by_hand: bool = False


def awaits(pack: Pack, operation: int) -> bool:
    """Return True if this is the shuffle that the table waits for."""
    return pack.state is PackState.SHUFFLING and pack.operation == operation


def shuffled(pack: Pack, done: ShuffleCompleted, size: int = PACK_SIZE) -> tuple[Pack, Effects]:
    """Return the pack after a shuffle that was asked for.

    It is fit if the shuffler counted `size` cards.
    """
    if not awaits(pack, done.operation):
        return pack, ()
    if done.count == size:
        return Pack(PackState.READY), ()
    code = Code.SHUFFLER_COUNT_SHORT if done.count < size else Code.SHUFFLER_COUNT_OVER
    return Pack(), momentary(code, done.device)
