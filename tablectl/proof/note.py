"""Signed notes (C2SP `signed-note`): a text, an empty line, Ed25519 signatures."""

import base64
import binascii
import hashlib
from collections.abc import Callable, Iterable
from dataclasses import field
from typing import Final

from tablectl.lazy_dataclass import dataclass

KEY_BYTES: Final = 32
LONGEST: Final = 1 << 16
"""Bytes in a note. A checkpoint has some hundred; whoever sends more means mischief."""

_PRIME: Final = 2**255 - 19
_ORDER_8: Final = int.from_bytes(
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"
)
_SMALL_ORDER: Final = frozenset({0, 1, _PRIME - 1, _ORDER_8, _PRIME - _ORDER_8})
"""The y coordinates of the points whose order divides 8, of either sign (RFC 7748, section 7)."""

_ED25519: Final = b"\1"
_DASH: Final = "\u2014 "


class NoteError(ValueError):
    """Not a signed note, or not signed as it should be: what is wrong."""


@dataclass(frozen=True, slots=True)
class Signer:
    """An Ed25519 key pair; its secret half stays inside.

    Args:
        public: the public key, 32 bytes.
        sign: returns a message's signature, 64 bytes.
    """

    public: bytes
    sign: Callable[[bytes], bytes] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature line."""

    name: str
    key_id: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class Note:
    """A note as it was read; nothing is verified yet."""

    text: str
    signatures: tuple[Signature, ...]


def key_id(name: str, public: bytes) -> bytes:
    """The four bytes by which a signature line names its key."""
    return hashlib.sha256(name.encode() + b"\n" + _ED25519 + public).digest()[:4]


def fingerprint(public: bytes) -> str:
    """Return a key's fingerprint, its SHA-256, for comparison by people."""
    return f"sha256:{hashlib.sha256(public).hexdigest()}"


def is_public_key(raw: bytes) -> bool:
    """Return True if the bytes are a valid public key.

    Under a key of small order one signature fits many messages, so that nobody has to know a private key to it. Such
    a key, and one that isn't in its canonical form, is refused.
    """
    y = int.from_bytes(raw, "little") & (2**255 - 1)
    return len(raw) == KEY_BYTES and y < _PRIME and y not in _SMALL_ORDER


def verifier_key(name: str, public: bytes) -> str:
    """The key as tools of transparency logs take it: `<name>+<key id>+<key>`."""
    return f"{name}+{key_id(name, public).hex()}+{_base64(_ED25519 + public)}"


def read_verifier_key(text: str) -> tuple[str, bytes]:
    """Name and public key.

    Raises:
        NoteError: it isn't a verifier key, or its parts don't belong together.
    """
    name, _, rest = text.strip().partition("+")
    identity, _, coded = rest.partition("+")
    raw = from_base64(coded)
    if raw[:1] != _ED25519 or not is_public_key(raw[1:]):
        raise NoteError("not an Ed25519 verifier key")
    if identity != key_id(name, raw[1:]).hex():
        raise NoteError("the verifier key's id isn't that of its name and key")
    return name, raw[1:]


def sign_note(text: str, name: str, signer: Signer) -> str:
    """The text with a signature.

    Args:
        text: ends with a line end.
        name: of the key, without blanks and plus.

    Raises:
        NoteError: text or name has not that form.
    """
    if not text.endswith("\n") or not _is_name(name):
        raise NoteError("a note's text ends with a line end, and a key's name has no blanks and no plus")
    line = _base64(key_id(name, signer.public) + signer.sign(text.encode()))
    return f"{text}\n{_DASH}{name} {line}\n"


def read_note(text: str) -> Note:
    """The parts of a note.

    Raises:
        NoteError: it isn't one.
    """
    if len(text) > LONGEST:
        raise NoteError("too long for a signed note")
    body, gap, lines = text.rpartition("\n\n")
    if not gap or not lines.endswith("\n") or any(ord(sign) < 32 and sign != "\n" for sign in text):
        raise NoteError("not a signed note")
    return Note(body + "\n", tuple(_signature(line) for line in lines[:-1].split("\n")))


def check_note(note: Note, name: str, public: bytes) -> None:
    """Verify that this key signed the note under this name, ignoring other signatures.

    Raises:
        NoteError: it didn't, with the reason.
    """
    identity = key_id(name, public)
    ours = [line for line in note.signatures if (line.name, line.key_id) == (name, identity)]
    if not ours:
        raise NoteError("it isn't signed by this key")
    if not all(is_signed(public, line.signature, note.text.encode()) for line in ours):
        raise NoteError("its signature is wrong: text, signature or key was changed")


def is_signed_by(note: Note, public: bytes) -> bool:
    """Return True if a signature of the note is this key's, under any name."""
    return any(is_signed(public, line.signature, note.text.encode()) for line in note.signatures)


def is_signed(public: bytes, signature: bytes, message: bytes) -> bool:
    """Verify an Ed25519 signature; a key of small order signs nothing."""
    if not is_public_key(public):
        return False
    # Imported here because the library is large and much of this room does without it.
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415

    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def from_base64(text: str) -> bytes:
    """The bytes.

    Raises:
        NoteError: it isn't Base64 in its one right form.
    """
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise NoteError("not Base64") from None
    if _base64(raw) != text:
        raise NoteError("not Base64 in its one right form")
    return raw


def _signature(line: str) -> Signature:
    name, gap, coded = line.removeprefix(_DASH).partition(" ")
    if not line.startswith(_DASH) or not gap or not _is_name(name):
        raise NoteError("a signature line isn't one")
    raw = from_base64(coded)
    if len(raw) < 5:
        raise NoteError("a signature line is too short")
    return Signature(name, raw[:4], raw[4:])


def _is_name(name: str) -> bool:
    return bool(name) and "+" not in name and not any(sign.isspace() for sign in name)


def base64_lines(hashes: Iterable[bytes]) -> str:
    """Hashes in Base64, a line each."""
    return "".join(f"{_base64(each)}\n" for each in hashes)


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")
