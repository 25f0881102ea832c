"""A game that isn't shipped: high card against the dealer, which shows what a new game takes.

Each place with a bet is dealt one card, the dealer the last. The higher rank wins even money, equal ranks push.
"""

from pathlib import Path
from typing import Final

from tablectl.core.games import Listed

HERE: Final = Path(__file__).parent
NAME: Final = "higher_card"
LISTED: Final = Listed(f"{__name__}.game:GAME", f"{__name__}.section:HighCardSection", str(HERE / "texts"))
