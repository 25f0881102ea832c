"""Language of what the rig says.

English stands where it is said, the other languages in `tablectl/words/rig`.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from tablectl import words
from tablectl.edited_files import read_text
from tablectl.words import Language, Value
from tablectl.words.reason import Forms, forms_of, reason, restated

MOMENT: Final = re.compile(r" *\d+\.\d{3} s  ")
"""The beginning of a line of a timeline: what went over a wire stands there as it is."""


def translated(text: str, language: Language) -> str:
    """The rig's English lines in a language; what isn't known stays as it is."""
    return text if language == "en" else "\n".join(_line(line, language) for line in text.split("\n"))


def _line(line: str, language: Language) -> str:
    if MOMENT.match(line):
        return line
    texts, forms = _catalogue(language)

    def said(form: str, values: Mapping[str, str]) -> str:
        return texts[form].format_map({name: Value(value) for name, value in values.items()})

    known = restated(line, forms, said)
    return reason(line, language) if known == line else known


@cache
def _catalogue(language: Language) -> tuple[Mapping[str, str], Forms]:
    """The translations by the English text, and the patterns of these."""
    texts: dict[str, str] = tomllib.loads(read_text(Path(words.__file__).parent / "rig" / f"{language}.toml"))
    return texts, forms_of({text: text for text in texts})
