"""Betting positions, and those that have a name in place of a number."""

Place = int | str
"""A betting position by its number, or one of the names below."""

DEALER = "dealer"
"""The house's hand in Q Poker."""

BANKER = "banker"
"""Whoever holds the bank, in Chinese dice and 13 Cards."""

COMMON = "common"
"""The place on which everyone may bet in Football Poker."""
