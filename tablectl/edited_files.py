"""Files that people may have edited: texts and secrets, read in one way."""

import errno
import os
import stat
import tomllib
from pathlib import Path
from typing import Any, BinaryIO, Final

LARGEST: Final = 16 << 20
"""Bytes of a file that somebody may have edited; whatever is larger is another file."""

MARK: Final = "\ufeff"
"""The byte order mark, which some editors write at a file's beginning."""

NOT_UTF8: Final = "this isn't UTF-8"
NUL: Final = "this is a NUL, as in UTF-16"


NO_FILE: Final = "it is a pipe, a socket or a device: put the file in its place"


class UnusableFileError(OSError):
    """A file that can be read and isn't what it has to be.

    The reason gives advice, where it isn't plain.
    """

    def __init__(self, path: Path | str, why: str) -> None:
        super().__init__(errno.EILSEQ, why, str(path))


class WrongByteError(UnusableFileError):
    """A byte that no text in UTF-8 has.

    Attributes:
        at: its line and column.
    """

    def __init__(self, path: Path | str, raw: bytes, offset: int, flaw: str) -> None:
        self.offset, self.flaw = offset, flaw
        self.at = raw.count(b"\n", 0, offset) + 1, offset - raw.rfind(b"\n", 0, offset)
        super().__init__(path, f"byte {offset}, line {self.at[0]}: {flaw}: save the file as UTF-8")


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file to read it: who opens a pipe waits for its other end.

    Raises:
        OSError: it can't be opened, or is no file.
    """
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise UnusableFileError(path, NO_FILE)
    return open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK))


def read_text(path: Path) -> str:
    """The text of a file, without a byte order mark, each line ended by one LF.

    Raises:
        OSError: it can't be read, or isn't text in UTF-8: the error names the byte and says what to do.
    """
    with path.open("rb") as file:
        raw = file.read(LARGEST + 1)
    if len(raw) > LARGEST:
        raise UnusableFileError(path, f"it is larger than {LARGEST >> 20} MiB: name the file that is meant")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise WrongByteError(path, raw, error.start, NOT_UTF8) from None
    if (nul := raw.find(b"\0")) >= 0:
        raise WrongByteError(path, raw, nul, NUL)
    return text.removeprefix(MARK).replace("\r\n", "\n")


def read_toml(text: str) -> dict[str, Any]:
    """The document in a text.

    Raises:
        tomllib.TOMLDecodeError: it isn't TOML, is nested too deeply, or has a number that is too long.
    """
    try:
        document = tomllib.loads(text)
        repr(document)  # a number in hexadecimal may be longer than can be written
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise tomllib.TOMLDecodeError("Nested too deeply") from None
    except ValueError:
        raise tomllib.TOMLDecodeError("A number has too many digits") from None
    return document


def read_secret(path: Path) -> str:
    """The secret in a file: its first line, without the blanks at its end.

    Raises:
        OSError: it can't be read, isn't text in UTF-8, or its first line is empty.
    """
    secret = read_text(path).partition("\n")[0].rstrip()
    if not secret:
        raise UnusableFileError(path, "its first line is empty: write the secret there")
    return secret
