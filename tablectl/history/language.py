"""One language and one screen: labels, the game's words, cards and columns."""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, cast

from tablectl import words
from tablectl.core.cards import parse_card, pretty
from tablectl.lazy_dataclass import dataclass
from tablectl.words import Language
from tablectl.words.terminal import cells

RED: Final = "31"
YELLOW: Final = "33"
BOLD: Final = "1"
DIM: Final = "2"

Form = Mapping[str, Any]
"""A JSON object."""

_RESET: Final = "\x1b[0m"

_PLACEHOLDER: Final = re.compile(r"\s*[:：]?\s*\{\w+\}")
"""Where a sentence names its place: a reason standing alone has none to name."""


@dataclass(frozen=True, slots=True)
class Speech:
    """How things are said.

    Args:
        colour: whether ANSI colours may support what the text says without them.
        width: columns that a table may have; None where there is no limit.
    """

    language: Language = "en"
    colour: bool = False
    width: int | None = None

    def listed(self, parts: Iterable[str]) -> str:
        """The parts in a row; empty ones are left out."""
        return words.listed(parts, self.language)

    def label(self, key: str, **values: object) -> str:
        """One of the reader's own texts.

        The key itself where there is none, as for a state of a later version.
        """
        form = words.catalogue(self.language).get(f"tail.{key}", key)
        return form.format_map({name: words.Value(value) for name, value in values.items()})

    def term(self, family: str, name: object, game: str = "") -> str:
        """A word of the catalogues, as `outcome.win` or `bet.<game>.pair`.

        The bare name where there is none. Not every message names its game; without it the first game's word of that
        name is taken.
        """
        catalogue = words.catalogue(self.language)
        exact = f"{family}.{game}.{name}" if game else f"{family}.{name}"
        if exact in catalogue or game:
            return _PLACEHOLDER.sub("", catalogue.get(exact, str(name)))
        head, tail = f"{family}.", f".{name}"
        said = (text for key, text in catalogue.items() if key.startswith(head) and key.endswith(tail))
        return _PLACEHOLDER.sub("", next(said, str(name)))

    def short(self, family: str, name: object, game: str = "") -> str:
        """The short form of a word, for the narrow columns of a table.

        The word itself where there is none.
        """
        said = self.term(f"{family}_short", name, game)
        return self.term(family, name, game) if said == str(name) else said

    def text(self, texts: Any) -> str:
        """The text in our language, of one that comes in all."""
        if isinstance(texts, str):
            return texts
        known = form_of(texts)
        return str(known.get(self.language) or known.get("en") or "")

    def place(self, place: object) -> str:
        """A betting position, or the dealer."""
        if isinstance(place, int):
            return words.text("place.number", self.language, number=place)
        return self.term("place", place) if place else ""

    def bettor(self, bettor: object) -> str:
        """A bettor's name; the casino's own share of a bank has none."""
        return self.term("layer", bettor) if bettor == "casino" else str(bettor)

    def article(self, article: object) -> str:
        """The article of the law, or that the rule is the table's."""
        if article in {"table", "", None}:
            return self.label("house_rule")
        return self.label("article", article=article)

    def cards(self, cards: Iterable[Any]) -> str:
        """Cards with their suits' signs, `??` where one isn't known."""
        return " ".join(self._card(card) for card in cards)

    def paint(self, text: str, *codes: str) -> str:
        """The text in colour, where that is wanted."""
        return f"\x1b[{';'.join(codes)}m{text}{_RESET}" if self.colour and codes else text

    def _card(self, card: Any) -> str:
        try:
            known = parse_card(card)
        except (ValueError, TypeError):
            return "??"
        return self.paint(pretty(known), RED) if known[1] in "hd" else pretty(known)


def form_of(value: Any) -> Form:
    """The value as a JSON object; an empty one where it is something else."""
    return cast("Form", value) if isinstance(value, Mapping) else {}


def columns(rows: Sequence[Sequence[str]], right: Container[int] = ()) -> list[str]:
    """The rows as lines, their cells one below the other.

    Args:
        rows: all of the same length.
        right: the columns that stand at the right edge, as numbers do.
    """
    widths = [max(cells(cell) for cell in column) for column in zip(*rows, strict=True)]
    return ["  ".join(_padded(row, widths, right)).rstrip() for row in rows]


def _padded(row: Sequence[str], widths: Sequence[int], right: Container[int]) -> Iterator[str]:
    for nth, (cell, width) in enumerate(zip(row, widths, strict=True)):
        blank = " " * (width - cells(cell))
        yield blank + cell if nth in right else cell + blank
