"""13 Cards rounds played up to some moment, and what is to be seen of them."""

from tablectl.core.cards import Place
from tablectl.core.events.round import CardDealt
from tests.support.thirteen_cards import Sitting, new_table, on, read_table


def dealing(*names: str) -> Sitting:
    """A read deal that begins with the banker, with these cards out."""
    table = read_table().begin(on(2), on(3, "bob")).shaken()
    table.draw(*names)
    return table


def places_dealt(table: Sitting) -> list[Place]:
    """The place of each card that was dealt, in order."""
    return [event.place for event in table.all_of(CardDealt)]


def hidden(table: Sitting) -> frozenset[str]:
    """The cards that nothing has shown yet."""
    return table.game.unrevealed(table.state)


def dealt(**settings: str) -> Sitting:
    """A round with bets on two places, every card dealt."""
    return new_table(**settings).begin(on(2), on(3, "bob")).deal()


def shown(**settings: str) -> Sitting:
    """The banker has shown as well."""
    return dealt(**settings).banker_shows()


def one_done(**settings: str) -> Sitting:
    """One of the two places has finished as well."""
    table = shown(**settings)
    table.finish(2)
    return table
