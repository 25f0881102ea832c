"""Chinese dice thrown: by whom, and read by the reader or by the dealer."""

import pytest

from tablectl.core.events.device import DiceShown
from tests.support.chinese_dice import READER, DiceTable, said

BY_HAND = pytest.param("", id="by hand")
BY_READER = pytest.param(READER, id="by reader")
both = pytest.mark.parametrize("reader", [BY_HAND, BY_READER])


def rolls(table: DiceTable, dice: tuple[int, ...], flaw: str = "") -> DiceShown:
    """A throw of whoever is due, read by the reader or by the dealer."""
    followed = table.throw(dice, flaw=flaw) if table.settings.dice else table.enter(dice, flaw=flaw)
    return said(followed, DiceShown)


def due(table: DiceTable) -> tuple[int, str]:
    """Whose throw it is: the place, and who throws for it."""
    about = table.public()["due"]
    assert about["to"] == "throw"
    return about["place"], about["bettor"]
