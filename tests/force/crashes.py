"""Power cuts at the level of files: from what a table did to its files, every state in which a cut may leave them.

A trace of a small table says which writes, renames and syncs it made, and what it told whom in between. A cut is put
after each of them: what was synced is there, of the rest nothing, all, or any part, in any order, torn at sectors.

Two models of a file system. `POSIX` promises least: a sync makes one file's content durable, and a name only where
its folder was synced. `EXT4` keeps names and sizes in order, and any sync makes all of those before it durable.
"""

import json
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

SECTOR: Final = 512
FIRST_OF_BEFORE: Final = 1_000_000
"""The number of the first file that was there before the trace began."""


class Model(StrEnum):
    """What a file system promises."""

    POSIX = "posix"
    EXT4 = "ext4"
    LIAR = "a disk that only says that it has written"


# --- what was done


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes at an offset of a file."""

    file: int
    offset: int
    content: bytes


@dataclass(frozen=True, slots=True)
class Resize:
    """A file cut or drawn out to this size; `grow`: not cut."""

    file: int
    size: int
    grow: bool = False


@dataclass(frozen=True, slots=True)
class Name:
    """A name for a file; None takes the name away."""

    name: str
    file: int | None


@dataclass(frozen=True, slots=True)
class Rename:
    """A name for another, at once."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Sync:
    """A file's content made durable; None is the folder."""

    file: int | None


@dataclass(frozen=True, slots=True)
class Told:
    """Somebody outside was told something."""

    form: Mapping[str, Any]


Change = Write | Resize | Name | Rename
Deed = Change | Sync | Told


@dataclass(slots=True)
class Disk:
    """Files and their names."""

    files: dict[int, bytearray] = field(default_factory=dict[int, bytearray])
    names: dict[str, int] = field(default_factory=dict[str, int])

    def copy(self) -> "Disk":
        """The same, apart."""
        return Disk({number: bytearray(content) for number, content in self.files.items()}, dict(self.names))

    def do(self, change: Change) -> None:
        """Carries out a change."""
        match change:
            case Write(number, offset, content):
                held = self.files.setdefault(number, bytearray())
                held.extend(bytes(max(0, offset + len(content) - len(held))))
                held[offset : offset + len(content)] = content
            case Resize(number, size, grow):
                held = self.files.setdefault(number, bytearray())
                held.extend(bytes(max(0, size - len(held))))
                if not grow:
                    del held[size:]
            case Name(name, file):
                self.names.pop(name, None)
                if file is not None:
                    self.names[name] = file
                    self.files.setdefault(file, bytearray())
            case Rename(old, new):
                if old in self.names:
                    self.names[new] = self.names.pop(old)

    def content(self) -> dict[str, bytes]:
        """The files that have a name."""
        return {name: bytes(self.files[number]) for name, number in self.names.items()}


# --- reading a trace

_UNFINISHED: Final = re.compile(r"^(\d+) +(.*) <unfinished \.\.\.>$")
_RESUMED: Final = re.compile(r"^(\d+) +<\.\.\. \w+ resumed>(.*)$")
_CALL: Final = re.compile(r"^\d+ +(\w+)\((.*)\) += (\d+)")
_HANDLE: Final = re.compile(r"^(\d+)<([^>]*)>")
_STRING: Final = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_PATH: Final = re.compile(rf"(?:\d+<(?P<folder>[^>]*)>, )?{_STRING.pattern}")


def whole_lines(trace: Iterable[str]) -> Iterator[str]:
    """The lines of a trace of several threads, those that another thread's broke in two joined."""
    begun: dict[str, str] = {}
    for line in trace:
        if match := _UNFINISHED.match(line):
            begun[match[1]] = f"{match[1]} {match[2]}"
        elif match := _RESUMED.match(line):
            yield begun.pop(match[1], match[1]) + match[2]
        else:
            yield line


def _text(escaped: str) -> bytes:
    return bytes.fromhex(escaped.replace("\\x", "")) if "\\x" in escaped else escaped.encode()


@dataclass(slots=True)
class Reading:
    """A trace as it is read: which name is which file now, and where each open file is written next.

    Args:
        folder: the state folder; `said`: the file that holds what was told.
    """

    folder: str
    said: str
    now: Disk = field(default_factory=Disk)
    positions: dict[int, int] = field(default_factory=dict[int, int])
    made: int = 0

    def deeds(self, trace: Iterable[str]) -> Iterator[Deed]:
        """What was done, in order."""
        for line in whole_lines(trace):
            if match := _CALL.match(line):
                for deed in self._deeds(match[1], match[2], int(match[3])):
                    if not isinstance(deed, Sync | Told):
                        self.now.do(deed)
                    yield deed

    def _deeds(self, call: str, arguments: str, result: int) -> Iterator[Deed]:
        handle = _HANDLE.match(arguments)
        place = _text(handle[2]).decode() if handle else ""
        if handle and place == self.said and call == "write":
            yield from (Told(json.loads(line)) for line in self._written(arguments).split(b"\n") if line)
        elif handle and (number := self._file(place)) is not None:
            yield from self._to_file(call, arguments, result, number, int(handle[1]))
        elif handle and place == self.folder and call in {"fsync", "fdatasync"}:
            yield Sync(None)
        else:
            yield from self._to_names(call, arguments, result)

    def _to_file(self, call: str, arguments: str, result: int, number: int, handle: int) -> Iterator[Deed]:
        last = arguments.rsplit(",", 1)[1].strip() if "," in arguments else ""
        match call:
            case "pwrite64":
                yield Write(number, int(last), self._written(arguments)[:result])
            case "write":
                at = self.positions.get(handle, 0)
                self.positions[handle] = at + result
                yield Write(number, at, self._written(arguments)[:result])
            case "ftruncate":
                yield Resize(number, int(last))
            case "fallocate":
                yield Resize(number, int(last) + int(arguments.split(",")[2]), grow=True)
            case "fsync" | "fdatasync":
                yield Sync(number)
            case _:
                pass

    def _to_names(self, call: str, arguments: str, result: int) -> Iterator[Deed]:
        pairs = _PATH.findall(arguments)
        named = [str(Path(_text(folder).decode()) / _text(name).decode()) for folder, name in pairs]
        inside = [path.removeprefix(f"{self.folder}/") for path in named if path.startswith(f"{self.folder}/")]
        if call == "openat" and "O_CREAT" in arguments and inside:
            self.positions[result] = 0
            if inside[0] not in self.now.names:
                self.made += 1
                yield Name(inside[0], self.made)
        elif call in {"unlink", "unlinkat"} and inside:
            yield Name(inside[0], None)
        elif call.startswith("rename") and len(inside) == 2:
            yield Rename(*inside)

    def _file(self, place: str) -> int | None:
        name = place.removesuffix(" (deleted)").removeprefix(f"{self.folder}/")
        return self.now.names.get(name)

    @staticmethod
    def _written(arguments: str) -> bytes:
        found = _STRING.search(arguments)
        return _text(found[1]) if found else b""


# --- cutting the power


@dataclass(slots=True)
class Cutter:
    """Walks through what was done, and cuts the power after every deed."""

    model: Model
    chance: random.Random
    durable: Disk = field(default_factory=Disk)
    pending: list[Change] = field(default_factory=list[Change])

    def states(self, deeds: Sequence[Deed], variants: int) -> Iterator[tuple[int, Disk]]:
        """Files as a cut may leave them, each with the number of deeds before the cut."""
        for number, deed in enumerate(deeds, 1):
            match deed:
                case Told():
                    continue
                case Sync(file):
                    self._sync(file)
                case _:
                    self.pending.append(deed)
            for variant in range(variants if self.pending else 1):
                disk = self.durable.copy()
                for change in self._survivors(variant):
                    disk.do(change)
                yield number, disk

    def _sync(self, file: int | None) -> None:
        if self.model is Model.LIAR:
            return
        kept: list[Change] = []
        for change in self.pending:
            if self._reaches(change, file):
                self.durable.do(change)
            else:
                kept.append(change)
        self.pending = kept

    def _reaches(self, change: Change, file: int | None) -> bool:
        """Whether a sync of this file (None: the folder) makes the change durable."""
        match change:
            case Name() | Rename():
                return self.model is Model.EXT4 or file is None
            case Resize(number):
                return self.model is Model.EXT4 or number == file
            case Write(number):
                return number == file

    def _survivors(self, variant: int) -> list[Change]:
        """What of the pending changes reached the disk: nothing, all, the last, a beginning, or any of them."""
        pending, chance = self.pending, self.chance
        if variant == 0:
            return []
        if variant == 1:
            return list(pending)
        if variant == 2:
            return self._torn(self._in_order(lambda place: place == len(pending) - 1))
        if variant == 3:
            upto = chance.randrange(len(pending) + 1)
            return self._torn(pending[:upto])
        share = chance.random()
        some = self._torn(self._in_order(lambda _: chance.random() < share))
        return self._shuffled(some) if variant % 2 else some

    def _in_order(self, survives: Any) -> list[Change]:
        """Those that survive. ext4 keeps names and sizes in order: there what follows a lost one is lost as well."""
        lost = False
        found: list[Change] = []
        for place, change in enumerate(self.pending):
            kept = survives(place)
            if self.model is Model.EXT4 and not isinstance(change, Write):
                lost = lost or not kept
                kept = not lost
            if kept:
                found.append(change)
        return found

    def _shuffled(self, changes: list[Change]) -> list[Change]:
        """Writes in any order between those that can't be moved."""
        writes = [change for change in changes if isinstance(change, Write)]
        self.chance.shuffle(writes)
        return [writes.pop() if isinstance(change, Write) else change for change in changes]

    def _torn(self, changes: Sequence[Change]) -> list[Change]:
        return [piece for change in changes for piece in self._pieces(change)]

    def _pieces(self, change: Change) -> Iterator[Change]:
        """A write whole, or now and then only some of its sectors."""
        if not isinstance(change, Write) or len(change.content) <= SECTOR or self.chance.random() > 0.3:
            yield change
            return
        first = -change.offset % SECTOR
        cuts = [0, *range(first or SECTOR, len(change.content), SECTOR), len(change.content)]
        upto = self.chance.randrange(len(cuts))
        for nth, (low, high) in enumerate(pairwise(cuts)):
            if nth < upto if self.chance.random() < 0.7 else self.chance.random() < 0.5:
                yield Write(change.file, change.offset + low, change.content[low:high])


def recorded(folder: Path, trace: Path, said: Path, before: Disk) -> list[Deed]:
    """What a traced table did to its state folder, and what it told whom."""
    with trace.open(encoding="ascii", errors="replace") as lines:
        return list(Reading(str(folder), str(said), before).deeds(lines))
