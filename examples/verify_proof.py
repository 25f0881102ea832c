"""Verifies a file of `tablectl prove` without tablectl: python verify_proof.py FILE sha256:FINGERPRINT."""

import base64
import hashlib
import json
import sys
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def root_over(leaf: bytes, index: int, size: int, path: list[bytes]) -> bytes:
    """The root to which an inclusion path leads (RFC 6962, section 2.1.1)."""
    if size == 1:
        return leaf
    half = 1 << (size - 1).bit_length() - 1  # the left subtree holds the largest power of two below the size
    if index < half:
        return hashlib.sha256(b"\1" + root_over(leaf, index, half, path[:-1]) + path[-1]).digest()
    return hashlib.sha256(b"\1" + path[-1] + root_over(leaf, index - half, size - half, path[:-1])).digest()


proof = json.loads(Path(sys.argv[1]).read_text("utf-8"))
key = base64.b64decode(proof["public_key"])
if f"sha256:{hashlib.sha256(key).hexdigest()}" != sys.argv[2]:
    sys.exit("the proof was made with another key than the one you trust")
text, _, signatures = proof["checkpoint"].rpartition("\n\n")  # a C2SP signed note: text, empty line, signatures
origin, size, root = f"{text}\n".split("\n")[:3]
key_id = hashlib.sha256(origin.encode() + b"\n\1" + key).digest()[:4]
signed = [base64.b64decode(line.rpartition(" ")[2]) for line in signatures.splitlines() if f"— {origin} " in line]
try:
    signature = next(each[4:] for each in signed if each[:4] == key_id)
    Ed25519PublicKey.from_public_bytes(key).verify(signature, f"{text}\n".encode())
except (InvalidSignature, StopIteration):
    sys.exit("the checkpoint is not signed with this key")
for event in proof["events"]:
    leaf = hashlib.sha256(b"\0" + event["payload"].encode()).digest()
    path = [base64.b64decode(each) for each in event["inclusion"]]
    if root_over(leaf, event["sequence"] - 1, int(size), path) != base64.b64decode(root):
        sys.exit(f"event {event['sequence']} is not in the log")
events = [json.loads(event["payload"]) for event in proof["events"]]
kinds = [event["type"].removeprefix("mo.tablectl.") for event in events if event.get("subject") == proof["round"]]
numbers = [int(event["sequence"]) for event in events]
end = max(nth for nth, event in enumerate(events) if event["type"].endswith(("round.settled.v1", "round.void.v1")))
if kinds[:1] != ["round.opened.v1"] or numbers[: end + 1] != list(range(numbers[0], numbers[end] + 1)):
    sys.exit("an event of the round was left out")
print(f"round {proof['round']}: {len(events)} events are in the log {origin} of {size}; it ended with {kinds[-1]}")
