"""Thirteen Cards rounds played up to where the hands are set."""

from tests.support.thirteen_cards import Sitting, new_table, on


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
