"""Numbers that the regulation of the 13-card game fixes, read from its rule table."""

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Final

from tablectl.core.bets.ratios import Ratio, ratio_in, share_in
from tablectl.core.games.thirteen_cards.hands import FIRST_TIER, Combination
from tablectl.core.json_form import Fields, FormError, Json, integer_in, object_of, read_at, text_in
from tablectl.lazy_dataclass import dataclass

POINTS_MAX: Final = 1000
SETTING_S: Final = 300
SETTING_MOST_S: Final = 3600

TierPoints = Mapping[Combination, int]
"""What each formation scores in a tier that it wins."""


@dataclass(frozen=True, slots=True)
class ThirteenCardsRules:
    """The rule table of one regulation.

    Args:
        version: of the regulation, as events name it.
        instrument: the regulation's full name.
        date: on which it was made, ISO 8601.
        source: where it was published.
        prize: what a winning stake earns, to one staked. Rule: 51/89/M art. 11; reading 1.
        commission: share of the prize. Rule: 51/89/M art. 11.
        natural_points: what a natural scores. Rule: 51/89/M art. 9(I).
        tier_points: of the first, second and third tier. Rule: 51/89/M art. 9(1) to 9(10).
        hash: SHA-256 of the table's file in hexadecimal; empty in terms that are older than this field.
        setting_s: how long the players have to set their cards, in seconds. Rule: 51/89/M art. 2(d). A table that
            doesn't say gives them five minutes.
    """

    version: str
    instrument: str
    date: str
    source: str
    prize: Ratio
    commission: Ratio
    natural_points: int
    tier_points: tuple[TierPoints, TierPoints, TierPoints]
    hash: str = ""
    setting_s: int = SETTING_S

    def most_pays(self) -> Mapping[str, Ratio]:
        """The most that each bet can win."""
        return {"place": self.prize}


_TEXTS: Final = ("game", "version", "instrument", "date", "source")
_RULES: Final = Fields.of(*_TEXTS, "payment", "points", optional=("setting_s",))
_PAYMENT: Final = Fields.of("prize", "commission")
_POINTS: Final = Fields.of("natural", "first", "second", "third")


def read_rules(document: Json) -> ThirteenCardsRules:
    """The rules in a rule table.

    Raises:
        FormError: an unknown or missing key, or a value that isn't one.
    """
    form = object_of(document, _RULES)
    game, version, instrument, date, source = (text_in(form, name) for name in _TEXTS)
    if game != "thirteen_cards":
        raise FormError("game", f"a rule table of thirteen_cards is expected, not of {game:.40}")
    prize, commission = read_at("payment", _read_payment, form["payment"])
    natural_points, tier_points = read_at("points", _read_points, form["points"])
    return ThirteenCardsRules(
        version=version,
        instrument=instrument,
        date=date,
        source=source,
        prize=prize,
        commission=commission,
        natural_points=natural_points,
        tier_points=tier_points,
        setting_s=integer_in(form, "setting_s", 1, SETTING_MOST_S) if "setting_s" in form else SETTING_S,
    )


def _read_payment(form: Json) -> tuple[Ratio, Ratio]:
    fields = object_of(form, _PAYMENT)
    return ratio_in(fields, "prize"), share_in(fields, "commission")


def _read_points(form: Json) -> tuple[int, tuple[TierPoints, TierPoints, TierPoints]]:
    fields = object_of(form, _POINTS)
    first = _tier_in(fields, "first", FIRST_TIER)
    second, third = (_tier_in(fields, name, tuple(Combination)) for name in ("second", "third"))
    return integer_in(fields, "natural", 1, POINTS_MAX), (first, second, third)


def _tier_in(form: Mapping[str, Json], name: str, formations: tuple[Combination, ...]) -> TierPoints:
    return read_at(name, partial(_read_tier, formations), form[name])


def _read_tier(formations: tuple[Combination, ...], form: Json) -> TierPoints:
    fields = object_of(form, Fields.of(*formations))
    return MappingProxyType({made: integer_in(fields, made, 1, POINTS_MAX) for made in formations})
