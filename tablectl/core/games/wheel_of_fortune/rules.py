"""Numbers that the regulation of the Wheel of Fortune fixes, from its rule table."""

from collections.abc import Mapping
from typing import Final

from tablectl.core.bets.ratios import Ratio
from tablectl.core.games.wheel_of_fortune.sections import SECTIONS, SYMBOLS
from tablectl.core.json_form import Fields, FormError, Json, each_in, object_of, positive_of, read_at, text_in
from tablectl.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class WheelOfFortuneRules:
    """The rule table of one regulation.

    Args:
        version: of the regulation, as events name it.
        instrument: the regulation's full name.
        date: on which it was made, ISO 8601.
        source: where it was published.
        sections: how many sections show each of the seven symbols; 52 in all. Rule: 42/2003 art. 1(2).
        full_turns: that a spin needs to be valid. Rule: 42/2003 art. 4(3).
        pays: times the stake that each of the seven symbols pays. Rule: 42/2003 art. 6(1) to 6(6); readings 1 and 3.
        hash: SHA-256 of the table's file in hexadecimal; empty in terms that are older than this field.
    """

    version: str
    instrument: str
    date: str
    source: str
    sections: tuple[int, ...]
    full_turns: int
    pays: tuple[int, ...]
    hash: str = ""

    def most_pays(self) -> Mapping[str, Ratio]:
        """The most that each bet can win."""
        return {f"symbol_{symbol}": Ratio(times, 1) for symbol, times in enumerate(self.pays, 1)}


_TEXTS: Final = ("game", "version", "instrument", "date", "source")
_RULES: Final = Fields.of(*_TEXTS, "full_turns", "sections", "pays")
_PAYS_MAX: Final = 999_999
"""As in the ratios of other games' tables: figures of odds have no end otherwise."""


def read_rules(document: Json) -> WheelOfFortuneRules:
    """The rules in a rule table.

    Raises:
        FormError: an unknown or missing key, or a value that isn't one.
    """
    form = object_of(document, _RULES)
    game, version, instrument, date, source = (text_in(form, name) for name in _TEXTS)
    if game != "wheel_of_fortune":
        raise FormError("game", f"a rule table of wheel_of_fortune is expected, not of {game:.40}")
    sections = numbers_in(form, "sections")
    if sum(sections) != SECTIONS:
        raise FormError("sections", f"a wheel has {SECTIONS} sections, not {sum(sections)}")
    full_turns = read_at("full_turns", positive_of, form["full_turns"])
    pays = numbers_in(form, "pays")
    if max(pays) > _PAYS_MAX:
        raise FormError(f"pays[{pays.index(max(pays))}]", f"more than {_PAYS_MAX} times the stake")
    return WheelOfFortuneRules(version, instrument, date, source, sections, full_turns, pays)


def numbers_in(form: Mapping[str, Json], name: str) -> tuple[int, ...]:
    """The field as a list with one integer from 1 for each symbol.

    Raises:
        FormError: it isn't a list of that many such integers.
    """
    numbers = each_in(form, name, positive_of)
    if len(numbers) != SYMBOLS:
        raise FormError(name, f"{SYMBOLS} integers are expected, one for each symbol, not {len(numbers)}")
    return numbers
