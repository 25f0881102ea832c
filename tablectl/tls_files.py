"""Files of certificates, keys and revocations, used in one way without prompts."""

import re
import ssl
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final, NoReturn

from tablectl.edited_files import MARK, NUL, UnusableFileError, WrongByteError

NO_CERTIFICATE: Final = "no certificate in PEM form is in it"
NOT_PEM: Final = "not in PEM form"
_BLOCK: Final = b"-----BEGIN "
_CERTIFICATE: Final = re.compile(rb"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL)

RENEWAL_S: Final = 5.0
"""How often whoever uses the files looks whether they have changed; they are read once two looks agree."""

_OPENSSL: Final = {
    "PEM lib": NOT_PEM,
    "KEY_VALUES_MISMATCH": "the key is of another certificate",
    "NO_CERTIFICATE_OR_CRL_FOUND": "no certificate in it",
}
"""What OpenSSL says of a file, and what people read."""


def load_pair(context: ssl.SSLContext, cert: str, key: str | None) -> None:
    """Give a context its certificate and key. Nobody is ever asked for a pass phrase.

    Args:
        key: the key's file; None where the certificate's file holds both.

    Raises:
        OSError: a file can't be read, isn't in PEM form, or the two can't be used together.
    """
    for file in (cert, *([key] if key else [])):
        _see_pem(file, NOT_PEM)
    with _unusable(cert):
        context.load_cert_chain(cert, key, no_pass_phrase(key or cert))


def check_pair(cert: str, key: str | None) -> None:
    """See that a certificate and its key can be used.

    Raises:
        OSError: as of `load_pair`.
    """
    load_pair(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), cert, key)


def load_authorities(context: ssl.SSLContext, file: str, *, first: bool = False) -> None:
    """Load the authorities in a file, or its list of revoked certificates.

    Args:
        context: is to trust them.
        first: whether only the file's first certificate is trusted.

    Raises:
        OSError: the file can't be read, or holds nothing of that.
    """
    found = _CERTIFICATE.search(_see_pem(file, NO_CERTIFICATE)) if first else None
    with _unusable(file):
        if found:
            context.load_verify_locations(cadata=found[0].decode("ascii", "replace"))
        else:
            context.load_verify_locations(file)


def check_authorities(file: str) -> int:
    """See that a file of authorities or of revoked certificates can be used.

    Returns:
        How many lists of revoked certificates are in it.

    Raises:
        OSError: as of `load_authorities`.
    """
    _see_pem(file, NO_CERTIFICATE)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    load_authorities(context, file)
    return context.cert_store_stats()["crl"]


def stamps(files: Iterable[str]) -> tuple[object, ...]:
    """Return a value that changes as soon as one of the files does.

    It changes when a file is written, replaced, or opened to another user.
    """
    return tuple(_stamp(file) for file in files)


def _stamp(file: str) -> object:
    try:
        seen = Path(file).stat()
    except OSError as error:
        return error.errno
    return seen.st_dev, seen.st_ino, seen.st_size, seen.st_ctime_ns


def no_pass_phrase(key: str) -> Callable[[], str]:
    """Return OpenSSL's callback for the pass phrase of a key, which refuses.

    OpenSSL itself would ask at the terminal.
    """
    return partial(_refuse, key)


def _refuse(key: str) -> NoReturn:
    raise UnusableFileError(
        key, "the key is under a password, and nobody is there to type it: write it without (openssl pkey)"
    )


def _see_pem(file: str, otherwise: str) -> bytes:
    """Read a file in PEM form.

    OpenSSL passes over a first line that begins with a byte order mark.

    Raises:
        OSError: it can't be read, or isn't.
    """
    raw = Path(file).read_bytes()
    if raw.startswith(MARK.encode() + _BLOCK):
        raise UnusableFileError(file, "it begins with a byte order mark: save the file without")
    if _BLOCK in raw:
        return raw
    if _BLOCK in raw.replace(b"\0", b""):
        raise WrongByteError(file, raw, raw.find(b"\0"), NUL)
    raise UnusableFileError(file, otherwise)


@contextmanager
def _unusable(file: str) -> Generator[None]:
    """Name the file in what OpenSSL says, and say it for people."""
    try:
        yield
    except UnusableFileError:
        raise
    except OSError as error:
        said = error.strerror or str(error)
        _see_pem(file, NO_CERTIFICATE)  # which may know it better
        raise UnusableFileError(file, next((why for sign, why in _OPENSSL.items() if sign in said), said)) from None
