"""The signed head of the log, checked against what was captured; by the two specifications, not by our code."""

import base64
import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import cache

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

_NOTE = re.compile(
    r"(?P<text>(?P<origin>tablectl/[^\n]+)\n(?P<size>0|[1-9]\d*)\n(?P<root>[A-Za-z0-9+/=]{44})\n(?:[^\n]+\n)*)"
    r"\n\u2014 (?P<name>\S+) (?P<signature>[A-Za-z0-9+/=]+)\n"
)


def complaints_about(note: str, origin: str, events: Sequence[bytes], public: bytes | None) -> Iterator[str]:
    """What is wrong with a checkpoint.

    Args:
        origin: of the log that the table's messages come from.
        events: the payloads of the log's events that came before it, from its first.
        public: the key that the table has told, if it has.
    """
    form = _NOTE.fullmatch(note)
    if form is None:
        yield "no signed checkpoint"
        return
    if form["origin"] != origin or form["name"] != origin:
        yield f"the checkpoint's origin isn't {origin}"
    size = int(form["size"])
    if size > len(events):
        yield f"the checkpoint has {size} events, and {len(events)} came before it"
    elif base64.b64decode(form["root"]) != root(tuple(events[:size])):
        yield "the checkpoint's root isn't that of the events"
    if public is None:
        yield "the checkpoint came before the table's key"
    elif not _signed(form["text"], form["name"], base64.b64decode(form["signature"]), public):
        yield "the checkpoint's signature is wrong"


def size_of(note: str) -> int:
    """How many events a checkpoint has."""
    form = _NOTE.fullmatch(note)
    return int(form["size"]) if form else 0


@cache  # many captures differ in one message only
def root(leaves: tuple[bytes, ...]) -> bytes:
    """The Merkle tree hash of RFC 6962 section 2.1, to its letter."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    half = 1 << (len(leaves) - 1).bit_length() - 1
    return hashlib.sha256(b"\x01" + root(leaves[:half]) + root(leaves[half:])).digest()


def _signed(text: str, name: str, signature: bytes, public: bytes) -> bool:
    key_id = hashlib.sha256(name.encode() + b"\n\x01" + public).digest()[:4]
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature[4:], text.encode())
    except InvalidSignature:
        return False
    return signature[:4] == key_id
