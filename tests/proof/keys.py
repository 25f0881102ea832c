"""Keys for signing in tests."""

from dataclasses import dataclass, field

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


@dataclass(frozen=True)
class Key:
    """A key pair, a new one unless given."""

    secret: Ed25519PrivateKey = field(default_factory=Ed25519PrivateKey.generate)

    @property
    def public(self) -> bytes:
        return self.secret.public_key().public_bytes_raw()

    def sign(self, message: bytes) -> bytes:
        return self.secret.sign(message)
