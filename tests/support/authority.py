"""A certificate authority for one test: certificates of the console and of people, as files."""

import datetime
import ipaddress
import ssl
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = datetime.timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Pair:
    """A certificate's files."""

    cert: str
    key: str


class Authority:
    """Signs certificates into a folder."""

    def __init__(self, folder: Path, name: str = "authority") -> None:
        self._folder = folder
        self._name = name
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._subject = _named(name)
        builder = _builder(self._subject, self._subject, self._key)
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        self.file = str(folder / f"{name}.pem")
        Path(self.file).write_bytes(_pem(builder.sign(self._key, hashes.SHA256())))

    def sign(self, common_name: str, *, expired: bool = False) -> Pair:
        """A certificate of this name, for 127.0.0.1."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = _builder(_named(common_name), self._subject, key, expired=expired)
        here = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
        signed = builder.add_extension(here, critical=False).sign(self._key, hashes.SHA256())
        pair = Pair(*(str(self._folder / f"{self._name}-{common_name}.{kind}") for kind in ("pem", "key")))
        Path(pair.cert).write_bytes(_pem(signed))
        Path(pair.key).write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        return pair

    def revoke(self, *pairs: Pair, expired: bool = False) -> str:
        """The file of a list of revoked certificates."""
        now = datetime.datetime.now(datetime.UTC)
        builder = x509.CertificateRevocationListBuilder().issuer_name(self._subject)
        builder = builder.last_update(now - 2 * DAY).next_update(now - DAY if expired else now + DAY)
        for pair in pairs:
            number = x509.load_pem_x509_certificate(Path(pair.cert).read_bytes()).serial_number
            revoked = x509.RevokedCertificateBuilder().serial_number(number).revocation_date(now - DAY).build()
            builder = builder.add_revoked_certificate(revoked)
        file = self._folder / f"{self._name}.crl"
        file.write_bytes(builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
        return str(file)

    def browser(self, shows: Pair | None = None) -> ssl.SSLContext:
        """A browser that trusts this authority, and shows a person's certificate."""
        context = ssl.create_default_context(cafile=self.file)
        if shows:
            context.load_cert_chain(shows.cert, shows.key)
        return context


def under_password(key: str) -> str:
    """A copy of a key's file that takes a pass phrase."""
    secret = serialization.load_pem_private_key(Path(key).read_bytes(), None)
    locked = Path(f"{key}.locked")
    locked.write_bytes(
        secret.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(b"pass phrase"),
        )
    )
    return str(locked)


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, *, expired: bool = False
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - 2 * DAY)
        .not_valid_after(now - DAY if expired else now + DAY)
    )


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)
