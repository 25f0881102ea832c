"""The log's Ed25519 key: made with the log, kept for the daemon's own user."""

import base64
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

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
        return f"sha256:{hashlib.sha256(self.raw).hexdigest()}"


def public_key(folder: Path) -> PublicKey:
    """The public key of the log in this folder; a log without one is given its key pair.

    Raises:
        OSError: the files can't be read or written.
        ValueError: the public key's file is damaged.
    """
    path = folder / PUBLIC
    if not path.exists():
        _make(folder)
    raw = base64.b64decode(path.read_text("ascii").strip(), validate=True)
    if len(raw) != 32:
        raise ValueError(f"{path} is not an Ed25519 public key: restore it from a copy")
    return PublicKey(raw)


def _make(folder: Path) -> None:
    # Imported here because the library is large and the daemon needs it once in a log's life.
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415

    key = Ed25519PrivateKey.generate()
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    _write(folder / PRIVATE, secret, 0o600)
    _write(folder / PUBLIC, base64.b64encode(key.public_key().public_bytes_raw()) + b"\n", 0o644)


def _write(path: Path, content: bytes, mode: int) -> None:
    """Writes a file whole or not at all."""
    half = path.with_suffix(".new")
    handle = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    half.replace(path)
