"""Cosignatures of witnesses and policies (C2SP `tlog-cosignature`, `tlog-policy`).

A witness signs only what continues everything that it signed before of a log. So no two histories of one log have the
cosignature of one honest witness. A policy says whose are wanted.
"""

import base64
import hashlib
import struct
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Final

from tablectl.lazy_dataclass import dataclass
from tablectl.proof.note import Note, NoteError, Signer, from_base64, is_public_key, is_signed

_COSIGNATURE_V1: Final = b"\4"
_TIME_BYTES: Final = 8
_LATEST_S: Final = 253_402_300_799
"""The end of the year 9999."""

_DASH: Final = "\u2014 "


def witness_key_id(name: str, public: bytes) -> bytes:
    """The four bytes by which a cosignature names its key."""
    return hashlib.sha256(name.encode() + b"\n" + _COSIGNATURE_V1 + public).digest()[:4]


def witness_key(name: str, public: bytes) -> str:
    """The witness's key as tools take it: `<name>+<key id>+<key>`."""
    coded = base64.b64encode(_COSIGNATURE_V1 + public).decode("ascii")
    return f"{name}+{witness_key_id(name, public).hex()}+{coded}"


def read_witness_key(text: str) -> tuple[str, bytes]:
    """Name and public key.

    Raises:
        NoteError: it isn't a witness's key, or its parts don't belong together.
    """
    name, _, rest = text.strip().partition("+")
    identity, _, coded = rest.partition("+")
    raw = from_base64(coded)
    if raw[:1] != _COSIGNATURE_V1 or not is_public_key(raw[1:]):
        raise NoteError("not a witness's key (cosignature/v1)")
    if identity != witness_key_id(name, raw[1:]).hex():
        raise NoteError("the key's id isn't that of its name and key")
    return name, raw[1:]


def cosign(text: str, name: str, signer: Signer, time_s: int) -> str:
    """The signature line of a witness under a note's text.

    Args:
        time_s: seconds since 1970, UTC.
    """
    raw = witness_key_id(name, signer.public) + struct.pack(">Q", time_s) + signer.sign(_message(text, time_s))
    return f"{_DASH}{name} {base64.b64encode(raw).decode('ascii')}\n"


def cosigned_at(note: Note, name: str, public: bytes) -> int | None:
    """When this witness cosigned the note, seconds since 1970; None where it didn't.

    Raises:
        NoteError: its line is there and wrong.
    """
    identity = witness_key_id(name, public)
    times: list[int] = []
    for line in note.signatures:
        if (line.name, line.key_id) == (name, identity):
            if len(line.signature) <= _TIME_BYTES:
                raise NoteError(f"the cosignature of {name} is too short")
            (time_s,) = struct.unpack(">Q", line.signature[:_TIME_BYTES])
            if not is_signed(public, line.signature[_TIME_BYTES:], _message(note.text, time_s)):
                raise NoteError(f"the cosignature of {name} is wrong: checkpoint, signature or key was changed")
            if time_s > _LATEST_S:
                raise NoteError(f"the cosignature of {name} is of no time that there is")
            times.append(time_s)
    return max(times, default=None)


def _message(text: str, time_s: int) -> bytes:
    return f"cosignature/v1\ntime {time_s}\n{text}".encode()


@dataclass(frozen=True, slots=True)
class Policy:
    """Which witnesses have to have cosigned.

    Args:
        witnesses: names in the policy, with the keys' names and public keys.
        groups: names, with how many of which members.
        quorum: the witness or group that has to agree; empty where none is wanted.
    """

    witnesses: Mapping[str, tuple[str, bytes]] = field(default_factory=dict[str, tuple[str, bytes]])
    groups: Mapping[str, tuple[int, tuple[str, ...]]] = field(default_factory=dict[str, tuple[int, tuple[str, ...]]])
    quorum: str = ""

    def cosigners(self, note: Note) -> dict[str, int]:
        """The witnesses that cosigned a note, and when, seconds since 1970.

        Raises:
            NoteError: a cosignature is wrong.
        """
        found = ((name, cosigned_at(note, *key)) for name, key in self.witnesses.items())
        return {name: time_s for name, time_s in found if time_s is not None}

    def holds(self, cosigners: Mapping[str, int]) -> bool:
        """Return True if these are enough."""
        return not self.quorum or self._agrees(self.quorum, cosigners)

    def _agrees(self, name: str, cosigners: Mapping[str, int]) -> bool:
        if name in self.witnesses:
            return name in cosigners
        most, members = self.groups[name]
        return sum(self._agrees(member, cosigners) for member in members) >= most


def read_policy(text: str) -> Policy:
    """Read a policy.

    Its lines are `witness NAME KEY`, `group NAME any|all|K NAME …`, `quorum NAME|none`; `#` begins a comment.

    Raises:
        NoteError: it isn't one: with the line's number.
    """
    witnesses: dict[str, tuple[str, bytes]] = {}
    groups: dict[str, tuple[int, tuple[str, ...]]] = {}
    quorum: str | None = None
    for number, words in _lines(text):
        try:
            match words:
                case ["witness", name, key, *_] if name not in witnesses and name not in groups and name != "none":
                    witnesses[name] = _another(read_witness_key(key), witnesses)
                case ["group", name, most, *members] if name not in witnesses and name not in groups and name != "none":
                    groups[name] = _enough(most, members), _known(members, witnesses, groups)
                case ["quorum", name] if quorum is None:
                    quorum = "" if name == "none" else _known([name], witnesses, groups)[0]
                case ["log", _, *_]:
                    pass  # the log's key is given apart
                case _:
                    raise NoteError("not a line of a policy: witness, group, quorum; each name once")
        except NoteError as error:
            raise NoteError(f"line {number} of the policy: {error}") from None
    if quorum is None:
        raise NoteError("the policy has no quorum")
    return Policy(witnesses, groups, quorum)


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(text.splitlines(), 1):
        if words := line.partition("#")[0].split():
            yield number, words


def _another(key: tuple[str, bytes], known: Mapping[str, tuple[str, bytes]]) -> tuple[str, bytes]:
    for name, (_, public) in known.items():
        if public == key[1]:
            raise NoteError(f"the key is that of {name}: one witness would count as two")
    return key


def _enough(most: str, members: list[str]) -> int:
    counts = {"any": 1, "all": len(members)}
    count = counts.get(most, int(most) if most.isascii() and most.isdigit() and len(most) < 4 else 0)
    if not 1 <= count <= len(members):
        raise NoteError(f"no {most} of {len(members)} members can agree")
    return count


def _known(names: list[str], *known: Mapping[str, object]) -> tuple[str, ...]:
    for name in names:
        if not any(name in each for each in known):
            raise NoteError(f"{name} is named before it is defined, or not at all")
    if len(set(names)) != len(names):
        raise NoteError("a member is named twice")
    return tuple(names)
