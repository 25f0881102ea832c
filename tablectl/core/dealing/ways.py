"""Ways of dealing: by a device, or by hand, where the dealer says what is dealt."""

from typing import TypeVar

from tablectl.core.dealing.pack import Pack, PackState
from tablectl.core.effects import Effects, Refuse, ShuffleCards, refusal
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.table import Table, device, entry, operation, spoiling_fault

S = TypeVar("S")


def device_of(dealing: Dealing, shoe: str, shuffler: str) -> str:
    """The name of the device that deals this way."""
    return shuffler if dealing is Dealing.SHUFFLER else shoe


def unread(table: Table[S], dealing: Dealing, shoe: str) -> bool:
    """Return True if the dealer says what is dealt: no reader does, or it is away."""
    return dealing is Dealing.BY_HAND or (dealing is Dealing.SHOE and not (shoe and device(table, shoe).attached))


def is_usually_read(usual: Dealing, shoe: str) -> bool:
    """Return True if the shoe has a reader and the table isn't usually dealt by hand."""
    return bool(shoe) and usual is not Dealing.BY_HAND


def cannot_deal(table: Table[S], game: str, dealing: Dealing, name: str, article: str, usual: Dealing) -> Refuse | None:
    """Why cards can't be dealt this way.

    Its device isn't there, or its malfunction still stands; or a reader works, and the table isn't usually dealt
    without one.

    Args:
        name: the device of this way of dealing; empty where the table has none.
        article: the article by which a shuffler that failed may not deal.
        usual: how the table is dealt unless the dealer asks otherwise.
    """
    attached = bool(name) and device(table, name).attached
    if dealing is Dealing.BY_HAND:
        works = attached and usual is not Dealing.BY_HAND
        return refusal(game, "table", "reader_works", device=name) if works else None
    if not attached:
        return refusal(game, "table", "device_missing", device=name or dealing.value)
    if dealing is Dealing.SHUFFLER and (fault := spoiling_fault(table, name)) is not None:
        return refusal(game, article, "fault_stands", fault=entry(fault.code).key, number=fault.code)
    return None


def prepared(table: Table[S], dealing: Dealing, pack: Pack) -> tuple[Pack, Effects]:
    """Prepare the pack for a round.

    The shuffler shuffles at once; for the shoe the dealer does, and declares it.
    """
    if dealing is not Dealing.SHUFFLER:
        return pack, ()
    number = operation(table)
    return Pack(PackState.SHUFFLING, number), (ShuffleCards(number),)
