"""The log's Ed25519 key: made with the log, or handed over by systemd.

It is readable by the daemon's own user only. A credential named `log.key` (`LoadCredentialEncrypted=log.key`) stands
in the place of the file of that name; the state folder has the public half only.
"""

import base64
import os
from pathlib import Path
from typing import TYPE_CHECKING

from tablectl.edited_files import UnusableFileError, read_text
from tablectl.journal.files import write_whole
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.note import Signer, fingerprint

if TYPE_CHECKING:  # The library is large, and a command that signs nothing starts without it.
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PRIVATE, PUBLIC = "log.key", "log.pub"
CREDENTIALS = "CREDENTIALS_DIRECTORY"
"""Where systemd says that it has put the credentials of the service."""


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
        """The key's SHA-256, for comparison by a person."""
        return fingerprint(self.raw)


def public_key(folder: Path) -> PublicKey:
    """The public key of the log in this folder; its pair is made where there is none.

    Raises:
        OSError: the files can't be read or written.
        ValueError: a key's file is damaged.
    """
    if not (folder / PUBLIC).exists():
        _make(folder)
    return _read_public(folder / PUBLIC)


def signing_key(folder: Path) -> Signer:
    """The key pair of the log in this folder, which has one.

    Raises:
        OSError: a file can't be read.
        ValueError: a file is damaged, or the two don't belong together.
    """
    key = read_signing_key(private_file(folder))
    if PublicKey(key.public) != _read_public(folder / PUBLIC):
        raise ValueError(f"{private_file(folder)} and {PUBLIC} are not a pair: restore them from a copy")
    return key


def private_file(folder: Path) -> Path:
    """The file of the secret half.

    It is the credential that systemd hands over, otherwise a file beside the journal.
    """
    credentials = os.environ.get(CREDENTIALS)
    handed = Path(credentials) / PRIVATE if credentials else None
    return handed if handed is not None and handed.exists() else folder / PRIVATE


def is_credential(folder: Path) -> bool:
    """Return True if systemd hands the secret half over."""
    return private_file(folder).parent != folder


def read_signing_key(path: Path) -> Signer:
    """The key pair of a secret half.

    Raises:
        OSError: the file can't be read.
        ValueError: it is damaged.
    """
    secret = _read_private(path)
    return Signer(secret.public_key().public_bytes_raw(), secret.sign)


def make_private(path: Path) -> Signer:
    """Makes a key pair and writes its secret half, for the owner alone.

    Raises:
        OSError: the file can't be written.
    """
    secret = _made(path)
    return Signer(secret.public_key().public_bytes_raw(), secret.sign)


def write_public(folder: Path, key: PublicKey) -> None:
    """Writes the public half of the log's key.

    Raises:
        OSError: the file can't be written.
    """
    write_whole(folder / PUBLIC, key.text.encode() + b"\n", 0o644)


def _read_public(path: Path) -> PublicKey:
    try:
        raw = base64.b64decode(read_text(path).strip(), validate=True)
    except (ValueError, UnusableFileError):
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
    """Make the key pair.

    Where the secret half is there already, as after a crash in between, only its public half is made.
    """
    path = private_file(folder)
    key = read_signing_key(path) if path.exists() else make_private(path)
    write_public(folder, PublicKey(key.public))


def _made(path: Path) -> "Ed25519PrivateKey":
    from cryptography.hazmat.primitives import serialization  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415

    key = Ed25519PrivateKey.generate()
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    write_whole(path, secret, 0o600)
    return key
