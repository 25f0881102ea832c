"""The log's Ed25519 key: made with the log, kept for the daemon's own user."""

import base64
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tablectl.proof.note import fingerprint

if TYPE_CHECKING:  # The library is large, and a command that signs nothing starts without it.
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PRIVATE, PUBLIC = "log.key", "log.pub"


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A log's public key, 32 bytes."""

    raw: bytes

    @property
    def text(self) -> str:
        """The key in Base64."""
        return base64.b64encode(self.raw).decode("ascii")

    @property
    def fingerprint(self) -> str:
        """What a person compares: the key's SHA-256."""
        return fingerprint(self.raw)


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A log's key pair. Signs checkpoints (``proof.note.Signer``); the secret half stays inside."""

    key: PublicKey
    sign: Callable[[bytes], bytes] = field(repr=False)

    @property
    def public(self) -> bytes:
        """The public key, 32 bytes."""
        return self.key.raw


def public_key(folder: Path) -> PublicKey:
    """The public key of the log in this folder; a log without one is given its key pair.

    Raises:
        OSError: the files can't be read or written.
        ValueError: a key's file is damaged.
    """
    if not (folder / PUBLIC).exists():
        _make(folder)
    return _read_public(folder / PUBLIC)


def signing_key(folder: Path) -> SigningKey:
    """The key pair of the log in this folder, which has one.

    Raises:
        OSError: a file can't be read.
        ValueError: a file is damaged, or the two don't belong together.
    """
    secret = _read_private(folder / PRIVATE)
    public = _read_public(folder / PUBLIC)
    if secret.public_key().public_bytes_raw() != public.raw:
        raise ValueError(f"{folder / PRIVATE} and {PUBLIC} are not a pair: restore them from a copy")
    return SigningKey(public, secret.sign)


def _read_public(path: Path) -> PublicKey:
    try:
        raw = base64.b64decode(path.read_text("ascii").strip(), validate=True)
    except ValueError:
        raw = b""
    if len(raw) != 32:
        raise ValueError(f"{path} is not an Ed25519 public key: restore it from a copy")
    return PublicKey(raw)


def _read_private(path: Path) -> "Ed25519PrivateKey":
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415
    from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415

    try:
        secret = load_pem_private_key(path.read_bytes(), None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        secret = None
    if not isinstance(secret, Ed25519PrivateKey):
        raise ValueError(f"{path} is not an Ed25519 private key: restore it from a copy")
    return secret


def _make(folder: Path) -> None:
    """Makes the pair. Where the secret half is there already, as after a crash in between, its public half only."""
    secret = _read_private(folder / PRIVATE) if (folder / PRIVATE).exists() else _made(folder / PRIVATE)
    _write(folder / PUBLIC, base64.b64encode(secret.public_key().public_bytes_raw()) + b"\n", 0o644)


def _made(path: Path) -> "Ed25519PrivateKey":
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415

    key = Ed25519PrivateKey.generate()
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    _write(path, secret, 0o600)
    return key


def _write(path: Path, content: bytes, mode: int) -> None:
    """Writes a file whole or not at all."""
    half = path.with_suffix(".new")
    handle = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    half.replace(path)
