"""Keys for signing in tests."""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tablectl.proof.note import Signer


def signer(secret: bytes | None = None) -> Signer:
    """The key pair of a secret half of 32 bytes, or a new one."""
    key = Ed25519PrivateKey.generate() if secret is None else Ed25519PrivateKey.from_private_bytes(secret)
    return Signer(key.public_key().public_bytes_raw(), key.sign)
