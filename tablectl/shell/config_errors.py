"""What is wrong with a configuration, told so that a technician can mend it alone."""

from dataclasses import dataclass
from typing import Final

KeyPath = tuple[str, ...]
"""The names that lead to a key: ``("mqtt", "url")`` for ``mqtt.url``."""

Position = tuple[int, int]
"""Line and column, both from 1."""


@dataclass(frozen=True, slots=True)
class Complaint:
    """What is wrong at a key, before it is known where the key stands.

    Args:
        nearest: the valid key or value that may have been meant.
        hint: what to do, where the message doesn't say it already.
    """

    path: KeyPath
    message: str
    nearest: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, and where.

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
    message: str
    nearest: str = ""
    hint: str = ""

    def __str__(self) -> str:
        """The block of lines that the technician reads."""
        place = ":".join([self.origin, *(str(number) for number in self.at or ())])
        subject = f"{self.key} = {self.value}" if self.key and self.value else self.key or self.value
        lines = [f"{place}: {subject}" if subject else place, f"  {self.message}"]
        if self.nearest:
            lines.append(f"  did you mean `{self.nearest}`?")
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


class ConfigError(Exception):
    """A configuration that can't be used: edit these lines."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems: Final = problems
