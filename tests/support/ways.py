"""The two ways in which a game of poker is dealt, for tests that hold for both."""

import pytest

from tablectl.core.facts.game_requests import Dealing

BOTH_WAYS = (Dealing.SHOE, Dealing.SHUFFLER)
both_ways = pytest.mark.parametrize("dealing", BOTH_WAYS)


def other(dealing: Dealing) -> Dealing:
    """The way that this one is not."""
    return Dealing.SHUFFLER if dealing is Dealing.SHOE else Dealing.SHOE
