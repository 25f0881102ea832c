"""Certificates and keys that a configuration names."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tablectl.config.errors import Complaint, KeyPath, Text, worded
from tablectl.config.models import ConsoleSection, MqttSection
from tablectl.config.values import secret_file
from tablectl.lazy_dataclass import dataclass
from tablectl.tls_files import check_authorities, check_pair

if TYPE_CHECKING:
    from cryptography.x509 import Certificate

SOON: Final = timedelta(days=30)
"""A certificate that expires sooner than this is named."""

AUTHORITIES: Final = ("ca_file", "client_ca_file")


def pair_complaints(section: str, cert_file: str, key_file: str) -> Iterator[Complaint]:
    """Check a certificate and its key: both can be parsed, and they are a pair."""
    key = secret_file(key_file)
    if key is None:
        return  # systemd hands a credential over when the table starts
    try:
        check_pair(cert_file, str(key))
    except OSError as error:
        named = "key_file" if error.filename == str(key) else "cert_file"
        yield Complaint((section, named), worded("pair_unusable", why=error.strerror))


def tls_complaints(name: str, section: MqttSection | ConsoleSection) -> Iterator[Complaint]:
    """Check the certificates of a section, its keys, and its list of revoked ones."""
    if section.cert_file and section.key_file:
        yield from pair_complaints(name, section.cert_file, section.key_file)
    for key in AUTHORITIES:
        if authority := getattr(section, key, None):
            yield from authority_complaints((name, key), authority)
    if revoked := getattr(section, "client_crl_file", None):
        yield from revocation_complaints((name, "client_crl_file"), revoked)


def tls_files(section: MqttSection | ConsoleSection) -> list[str]:
    """Return the files of a section's certificates and keys, as far as they are known."""
    named = (getattr(section, key, None) for key in ("cert_file", "key_file", *AUTHORITIES, "client_crl_file"))
    return [str(place) for file in named if file and (place := secret_file(file))]


def authority_complaints(path: KeyPath, file: str) -> Iterator[Complaint]:
    """Check the file of a certificate authority."""
    try:
        check_authorities(file)
    except OSError as error:
        yield Complaint(path, worded("unusable", why=error.strerror))


def revocation_complaints(path: KeyPath, file: str) -> Iterator[Complaint]:
    """Check a list of revoked certificates."""
    try:
        why = "" if check_authorities(file) else "no CRL in it"
    except OSError as error:
        why = error.strerror or str(error)
    if why:
        yield Complaint(path, worded("unusable", why=why))


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a certificate, or of a list of revoked ones.

    Args:
        file: the configuration's key that names it, as `mqtt.cert_file`.
        fingerprint: its SHA-256.
        is_list: whether it is a list of revoked ones, which is made anew every few days.
    """

    file: str
    fingerprint: str
    until: datetime
    is_list: bool = False


def endings(name: str, section: object) -> Iterator[Ending]:
    """Yield the ends of a section's certificates and of its list of revoked ones.

    Files that can't be read are left out.
    """
    for path, certificate in _shown(name, section):
        yield Ending(path, _fingerprint(certificate), certificate.not_valid_after_utc)
    crl_file: str | None = getattr(section, "client_crl_file", None)
    if crl_file and (until := _next_update(crl_file)):
        digest = sha256(Path(crl_file).read_bytes()).hexdigest()
        yield Ending(f"{name}.client_crl_file", digest, until, is_list=True)


def _shown(name: str, section: object) -> "Iterator[tuple[str, Certificate]]":
    """Yield each file with the certificate that counts.

    Of an authority's file it is the longest valid one, of ours the first.
    """
    for key in ("cert_file", *AUTHORITIES):
        file: str | None = getattr(section, key, None)
        read = _certificates(file) if file else []
        if shown := read[:1] if key == "cert_file" else read:
            yield f"{name}.{key}", max(shown, key=lambda each: each.not_valid_after_utc)


ENDS: Final = frozenset({"config.remark.cert_expired", "config.remark.cert_ends", "config.remark.crl_expired"})
"""The remarks of `expiries` on an end, which `tablectl doctor` tells of every certificate."""


def expiries(name: str, section: MqttSection | ConsoleSection) -> Iterator[tuple[str, Text]]:
    """Each file of a section whose certificates aren't valid now, or not for long."""
    now = datetime.now(UTC)  # noqa: TID251 - beside a certificate's own dates
    for path, certificate in _shown(name, section):
        if text := _validity(certificate, now):
            yield path, text
    crl_file: str | None = getattr(section, "client_crl_file", None)
    if crl_file and (until := _next_update(crl_file)) and until <= now:
        yield f"{name}.client_crl_file", worded("remark.crl_expired", date=until.date())


def _validity(certificate: "Certificate", now: datetime) -> Text:
    """Return a remark on a certificate's validity; empty where it is valid for long."""
    begins, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if now < begins:
        return worded("remark.cert_early", date=begins.date())
    if ends <= now:
        return worded("remark.cert_expired", date=ends.date())
    return worded("remark.cert_ends", date=ends.date(), days=(ends - now).days) if ends - now < SOON else ""


def _certificates(file: str) -> "list[Certificate]":
    from cryptography import x509  # noqa: PLC0415 - only a configuration with certificates pays for it

    try:
        return x509.load_pem_x509_certificates(Path(file).read_bytes())
    except (OSError, ValueError):
        return []  # it has a complaint of its own


def _fingerprint(certificate: "Certificate") -> str:
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415

    return certificate.fingerprint(SHA256()).hex()


def _next_update(file: str) -> datetime | None:
    from cryptography import x509  # noqa: PLC0415

    try:
        return x509.load_pem_x509_crl(Path(file).read_bytes()).next_update_utc
    except (OSError, ValueError):
        return None
