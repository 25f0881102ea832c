"""Errors of a configuration, in words with which a technician can mend it alone."""

from typing import Final

from tablectl import words
from tablectl.core.events.text import Saying, saying
from tablectl.lazy_dataclass import dataclass
from tablectl.words import Language
from tablectl.words.reason import retold

KeyPath = tuple[str, ...]
"""The names that lead to a key: `("mqtt", "url")` for `mqtt.url`."""

Position = tuple[int, int]
"""Line and column, both from 1."""

AGAIN: Final = {"why": ("config.why", "os"), "what": ("config.what",)}
"""The values that are themselves in English, and the families by which they are translated."""

Text = Saying | str
"""A text of the catalogue below `config`; a text in English where another room has found what is wrong."""


def worded(key: str, **values: object) -> Saying:
    """A text of the catalogue below `config`."""
    return saying(f"config.{key}", **values)


def render(said: Text, language: Language = "en") -> str:
    """The text in a language.

    A value called `why` or `what` is in English, the system's, a reader's or a key's own, and is translated.
    """
    if isinstance(said, str):
        return retold(said, language, "config", "config.why", "os")
    values = {name: retold(value, language, *AGAIN[name]) if name in AGAIN else value for name, value in said.values}
    return words.text(said.key, language, **values)


@dataclass(frozen=True, slots=True)
class Complaint:
    """Error at a key, before the key's place in the file is known.

    Args:
        nearest: the valid key or value that may have been meant.
        hint: what to do, where the message doesn't say it already.
    """

    path: KeyPath
    message: Text
    nearest: str = ""
    hint: Text = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """Error at a key, with its place.

    Args:
        origin: the file, or the override that brought the value.
        at: where the key stands; for one that is missing, its table. None outside files.
        key: dotted.
        value: as TOML, shortened; empty where it isn't shown.
    """

    origin: str
    at: Position | None
    key: str
    value: str
    said: Text
    nearest: str = ""
    advice: Text = ""

    @property
    def message(self) -> str:
        """The error in English."""
        return render(self.said)

    @property
    def hint(self) -> str:
        """The advice in English; empty where the message gives it already."""
        return render(self.advice)

    def __str__(self) -> str:
        """The block of lines in English."""
        return self.render("en")

    def render(self, language: Language) -> str:
        """The block of lines that the technician reads."""
        place = ":".join([self.origin, *(str(number) for number in self.at or ())])
        subject = f"{self.key} = {self.value}" if self.key and self.value else self.key or self.value
        lines = [f"{place}: {subject}" if subject else place, f"  {render(self.said, language)}"]
        if self.nearest:
            lines.append(f"  {render(worded('meant', nearest=self.nearest), language)}")
        if self.advice:
            lines.append(f"  {render(worded('hint', hint=render(self.advice, language)), language)}")
        return "\n".join(lines)


class ConfigError(Exception):
    """A configuration that can't be used: edit these lines."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems: Final = problems

    def render(self, language: Language) -> str:
        """Every problem in a language."""
        return "\n".join(problem.render(language) for problem in self.problems)
