"""Inputs of a verification: a trusted key in any form, kept checkpoints, policies."""

import re
from pathlib import Path
from typing import Final

from tablectl.edited_files import read_text
from tablectl.journal.reading.rows import UnreadableError
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.cosignature import Policy, read_policy
from tablectl.proof.note import LONGEST, NoteError, fingerprint, from_base64, is_public_key, read_verifier_key

_FINGERPRINT: Final = re.compile(r"(?:sha256:)?([0-9a-f]{64})", re.IGNORECASE)


class KeyTextError(ValueError):
    """Not a key, and no file that holds one."""


@dataclass(frozen=True, slots=True)
class TrustedKey:
    """A key by its fingerprint."""

    fingerprint: str

    def is_of(self, public: bytes) -> bool:
        """Return True if this public key is the trusted one."""
        return fingerprint(public) == self.fingerprint


def trusted_key(text: str) -> TrustedKey:
    """The key that the text names.

    Args:
        text: a fingerprint (`sha256:…`), a public key in Base64, a verifier key (`<name>+<id>+<key>`), or a file
            that holds one of them.

    Raises:
        KeyTextError: it is none of that.
    """
    if (key := _read(text)) is not None:
        return key
    path = Path(text)
    try:
        content = read_text(path)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a file's name"
        raise KeyTextError(f"{text!r} is no fingerprint, no key, and no file that can be read ({reason})") from None
    if (key := _read(content)) is None:
        raise KeyTextError(f"{path} holds neither a fingerprint nor an Ed25519 public key")
    return key


def _read(text: str) -> TrustedKey | None:
    text = text.strip()
    if found := _FINGERPRINT.fullmatch(text):
        return TrustedKey(f"sha256:{found[1].lower()}")
    try:
        raw = read_verifier_key(text)[1] if text.count("+") >= 2 and len(text) > 50 else from_base64(text)
    except NoteError:
        return None
    return TrustedKey(fingerprint(raw)) if is_public_key(raw) else None


def read_policy_file(path: Path) -> Policy:
    """Read a policy of witnesses.

    Raises:
        UnreadableError: the file can't be read, or isn't one: with the line.
    """
    try:
        return read_policy(read_text(path))
    except (OSError, ValueError) as error:
        raise UnreadableError(f"{path} can't be used as a policy: {error}") from None


def read_note_file(path: Path) -> str:
    """The signed note in a file, its line ends as they were signed.

    Raises:
        UnreadableError: the file can't be read, or isn't text.
    """
    try:
        text = read_text(path)
    except OSError as error:
        raise UnreadableError(f"{path} can't be read: {error.strerror}") from None
    # What passes through mail, editors and mosquitto_sub gets other line ends, or one more or fewer at its end.
    return text[: LONGEST + 1].rstrip("\n") + "\n"
