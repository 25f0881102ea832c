"""The section of the configuration for a table of high card."""

from pydantic import Field

from tablectl.config.games import LIMITS, PAYMENT, RULES, GameSection, HouseLimits, Stakes
from tests.extension.higher_card import HERE


class HighCardSection(GameSection):
    """High card, by the rules of the house."""

    places: int = Field(default=5, ge=1, le=9, description="the bettors' places")
    stakes: Stakes = Field(default=Stakes(), description="the limits of one bet")
    limits: HouseLimits = Field(default=HouseLimits(), description=LIMITS)
    confirm_payment: bool = Field(default=True, description=PAYMENT)
    shoe: str = Field(default="", description="the shoe's name under `devices`; empty: the only one")
    rules: str = Field(default=str(HERE / "rules.toml"), description=RULES)
