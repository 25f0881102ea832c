"""Numbers that the regulation of Chinese dice fixes, read from its rule table."""

from collections.abc import Mapping
from typing import Final

from tablectl.core.bets.ratios import Ratio, share_in
from tablectl.core.json_form import Fields, FormError, Json, object_of, text_in
from tablectl.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ChineseDiceRules:
    """The rule table of one regulation.

    Args:
        version: of the regulation, as events name it.
        instrument: the regulation's full name.
        date: on which it was made, ISO 8601.
        source: where it was published.
        commission: share of what a stake wins in a round. Rule: 108/89/M art. 7(b).
        hash: SHA-256 of the table's file in hexadecimal; empty in terms that are older than this field.
    """

    version: str
    instrument: str
    date: str
    source: str
    commission: Ratio
    hash: str = ""

    def most_pays(self) -> Mapping[str, Ratio]:
        """The most that each bet can win: even money."""
        return {}


_TEXTS: Final = ("game", "version", "instrument", "date", "source")
_RULES: Final = Fields.of(*_TEXTS, "commission")


def read_rules(document: Json) -> ChineseDiceRules:
    """The rules in a rule table.

    Raises:
        FormError: an unknown or missing key, or a value that isn't one.
    """
    form = object_of(document, _RULES)
    game, version, instrument, date, source = (text_in(form, name) for name in _TEXTS)
    if game != "chinese_dice":
        raise FormError("game", f"a rule table of chinese_dice is expected, not of {game:.40}")
    return ChineseDiceRules(version, instrument, date, source, share_in(form, "commission"))
