"""A line that a program says in English, told again in another language of the house.

The English texts of a family of the catalogue are the forms by which the line is known; what stands in their
placeholders is told again in its turn, so that a reason inside a line needs no form of its own for every line.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from string import Formatter

from tablectl.words import Language, catalogue, text


def retold(line: str, language: Language, *families: str) -> str:
    """The line in a language; as it is where no text of these families has its form.

    Args:
        families: of the catalogue, as ``cli.proof``; looked through in this order.
    """
    bare = line.lstrip()
    if language == "en" or not bare:
        return line
    for family in families:
        for key, form in _forms(family):
            if found := form.fullmatch(bare):
                values = {name: retold(value, language, *families) for name, value in found.groupdict().items()}
                return line[: -len(bare)] + text(key, language, **values)
    return line


@cache
def _forms(family: str) -> Sequence[tuple[str, re.Pattern[str]]]:
    """The texts of a family, not of those below it, as patterns, those with the most letters of their own first."""
    known: Mapping[str, str] = catalogue("en")
    own = [(key, form) for key, form in known.items() if key.rpartition(".")[0] == family]
    ordered = sorted(own, key=lambda item: -len("".join(part for part, *_ in Formatter().parse(item[1]))))
    return [(key, re.compile(_pattern(form), re.DOTALL)) for key, form in ordered]


def _pattern(form: str) -> str:
    known: set[str] = set()
    pattern = ""
    for literal, name, *_ in Formatter().parse(form):
        pattern += re.escape(literal)
        if name:
            pattern += f"(?P={name})" if name in known else f"(?P<{name}>.+?)"
            known.add(name)
    return pattern
