"""Why something failed, as people read it: in their language, without the numbers that only programmers know."""

import re
from typing import Final

from tablectl.words import Language, text
from tablectl.words.retold import retold

FAMILIES: Final = ("os", "cli.error", "cli.usage", "heard", "config", "config.why", "cli.record", "cli.proof")
"""Looked through in this order: the last ones have texts that fit nearly any line, as a file and a reason."""

_NUMBER: Final = re.compile(r"\[Errno -?\d+\] ")
_BROKER: Final = re.compile(r"the broker at (\S+) doesn't (?:answer|let us in) \([^()]*(?:\([^()]*\))?[^()]*\): [^;]*")
_NOBODY: Final = re.compile(r"the broker at (\S+) doesn't answer \(Connection refused\): .*")


def reason(said: object, language: Language) -> str:
    """An error's own words, told again; as they are where nobody knows them."""
    bare = _NUMBER.sub("", str(said))
    if nobody := _NOBODY.fullmatch(bare):
        return text("heard.broker_nobody", language, address=nobody[1])
    return retold(bare, language, *FAMILIES)


def reasons_within(line: str, language: Language) -> str:
    """A line with what the broker's connection says in it told again."""
    return _BROKER.sub(lambda found: reason(found[0], language), _NUMBER.sub("", line))


def why(error: OSError, language: Language) -> str:
    """The system's own reason, without its number; an error without one by what it says of itself."""
    return reason(error.strerror or error, language)


def of_file(error: OSError, language: Language) -> str:
    """Which file, and why; only why, where the error names none."""
    return f"{error.filename}: {why(error, language)}" if error.filename else why(error, language)
