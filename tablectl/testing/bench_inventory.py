"""Places of a rig: tables on a bench, their adapters and their present holders.

Simulated devices speak through the adapters.
"""

import fcntl
import getpass
import json
import os
import socket
import tomllib
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tablectl.edited_files import UnusableFileError, read_secret, read_text, read_toml
from tablectl.lazy_dataclass import dataclass
from tablectl.rule_tables import shipped
from tablectl.testing.scenarios.scenario import NotPlayableError
from tablectl.testing.scenarios.toml_lines import line_of_key, split_syntax
from tablectl.testing.table_under_test import Person

STRICT: Final = ConfigDict(extra="forbid", frozen=True)
Command = Annotated[tuple[str, ...], Field(min_length=1)]


class PlaceError(Exception):
    """A place can't be had, or the rig's file can't be used: why, and what to do."""


class AdapterSection(BaseModel):
    """An adapter that a device speaks through.

    Args:
        adapter: its device file; one below `/dev/serial/by-path` stays the same.
        baudrate: bits in a second, as the table has it.
        unplug: a command that takes the adapter from the table, as one that switches a hub's port off.
        plug: a command that gives it back.
    """

    model_config = STRICT
    adapter: str
    baudrate: int = 115200
    unplug: Command | None = None
    plug: Command | None = None


class PersonSection(BaseModel):
    """Person who may sign on at a place's table.

    The PIN is read from a separate file.
    """

    model_config = STRICT
    name: str
    pin_file: str


class PlaceSection(BaseModel):
    """A table on the bench.

    Args:
        config: a copy of the configuration that the table was started with.
        console: its address.
        broker: its broker's address.
        reset: a command that starts the table anew before each scenario.
        journal: a command that prints a tar archive of the journal's files, for the facts of a timeline.
        people: who signs on, by role.
        devices: the adapters, by the names that the configuration has for the devices.
    """

    model_config = STRICT
    config: str
    console: str
    broker: str
    reset: Command | None = None
    journal: Command | None = None
    people: dict[str, PersonSection]
    devices: dict[str, AdapterSection]


class GuestSection(BaseModel):
    """Provider of the level of a virtual machine."""

    model_config = STRICT
    provider: str


class RigSection(BaseModel):
    """The whole file."""

    model_config = STRICT
    locks: str | None = None
    vm: GuestSection | None = None
    places: dict[str, PlaceSection] = {}


@dataclass(frozen=True, slots=True)
class Place:
    """A place by its name.

    Args:
        folder: of the rig's file; relative paths begin there.
    """

    name: str
    set_up: PlaceSection
    folder: Path

    @property
    def config(self) -> Path:
        """The table's configuration."""
        return self.folder / self.set_up.config

    def people(self) -> Mapping[str, Person]:
        """Return the people who sign on, by role.

        Raises:
            PlaceError: a PIN can't be read.
        """
        return {role: Person(one.name, self._pin(one.pin_file)) for role, one in self.set_up.people.items()}

    def _pin(self, file: str) -> str:
        try:
            return read_secret(self.folder / file)
        except OSError as error:
            raise PlaceError(f"{self.name}: the PIN can't be read: {error.filename}: {error.strerror}") from None


@dataclass(frozen=True, slots=True)
class RigFile:
    """Contents of a rig's file.

    Args:
        locks: the folder with the record of who has which place.
        guest: the provider of the level of the virtual machine; empty where none is named.
    """

    path: Path
    places: Mapping[str, Place]
    locks: Path
    guest: str

    def place(self, name: str = "") -> Place:
        """The place of this name; the only one, if none is named.

        Raises:
            PlaceError: there is no such place.
        """
        if not name and len(self.places) == 1:
            return next(iter(self.places.values()))
        if name not in self.places:
            places = ", ".join(self.places) or "none"
            if name:
                raise PlaceError(f"{self.path} has no place {name!r}; it has: {places}")
            raise PlaceError(f"{self.path}: name a place with --place; it has: {places}")
        return self.places[name]


def read_rig(path: Path) -> RigFile:
    """Read a rig's file.

    Raises:
        PlaceError: it can't be read or used: where, and what to do.
    """
    try:
        text = read_text(path)
    except UnusableFileError as error:
        raise PlaceError(f"{path}: {error.strerror}") from None
    except OSError as error:
        todo = f"{shipped('rig.example.toml')} shows one; --rig names another"
        raise PlaceError(f"{path}: {error.strerror}: {todo}") from None
    try:
        form = RigSection.model_validate(read_toml(text))
    except tomllib.TOMLDecodeError as error:
        line, said = split_syntax(text, str(error))
        raise PlaceError(f"{path}:{line}: this isn't TOML: {said}") from None
    except ValidationError as error:
        raise PlaceError("\n".join(_misfits(path, text, error))) from None
    folder = path.resolve().parent
    places = {name: Place(name, section, folder) for name, section in form.places.items()}
    locks = folder / (form.locks or f"{path.stem}.locks")
    return RigFile(path, places, locks, form.vm.provider if form.vm else "")


def _misfits(path: Path, text: str, error: ValidationError) -> list[str]:
    lines: list[str] = []
    for detail in error.errors(include_url=False, include_input=False):
        keys = [str(key) for key in detail["loc"]]
        tables = (".".join(keys[:length]) for length in range(len(keys), 0, -1))
        line = max((line_of_key(text, name) for name in (*tables, keys[-1])), default=1)
        lines.append(f"{path}:{line}: {'.'.join(keys)}: {detail['msg']}")
    return lines


# --- who has a place -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Held:
    """Holder of a place.

    It is theirs until they or somebody with `--force` releases it, whatever becomes of their program.
    """

    owner: str
    note: str


def myself() -> str:
    """Return the requester's default name: user and machine."""
    return os.environ.get("TABLECTL_RIG_OWNER") or f"{getpass.getuser()}@{socket.gethostname()}"


def holder(locks: Path, place: str) -> Held | None:
    """Return the holder of a place; None where it is free."""
    try:
        form: Mapping[str, Any] = json.loads((locks / f"{place}.json").read_text("utf-8"))
    except FileNotFoundError:
        return None
    except ValueError:
        return Held("somebody", "the lock's file is damaged; release it with --force")
    return Held(str(form.get("owner", "somebody")), str(form.get("note", "")))


def acquire(locks: Path, place: str, owner: str, note: str = "") -> None:
    """Takes a place; again where one has it already.

    Raises:
        PlaceError: another has it.
    """
    locks.mkdir(parents=True, exist_ok=True)
    beside = locks / f".{place}.{os.getpid()}"
    beside.write_text(json.dumps({"owner": owner, "note": note}), "utf-8")
    try:
        os.link(beside, locks / f"{place}.json")  # there is whole or not at all, and once
    except FileExistsError:
        held = holder(locks, place)
        if held is not None and held.owner != owner:
            note = f" ({held.note})" if held.note else ""
            raise PlaceError(f"{place} is taken by {held.owner}{note}: wait, or ask them to release it") from None
    finally:
        beside.unlink()


def release(locks: Path, place: str, owner: str, *, force: bool = False) -> None:
    """Releases a place.

    Args:
        force: whoever has it.

    Raises:
        PlaceError: it is free, or another's.
    """
    held = holder(locks, place)
    if held is None:
        raise PlaceError(f"{place} is free already")
    if held.owner != owner and not force:
        raise PlaceError(f"{place} is taken by {held.owner}: --force releases it all the same")
    (locks / f"{place}.json").unlink(missing_ok=True)


@contextmanager
def at_place(locks: Path, place: str, owner: str) -> Generator[None]:
    """Hold the place until the end of the block.

    One that was free is free again afterwards.

    Raises:
        NotPlayableError: another has it, or a program of one's own is at it.
    """
    was_mine = holder(locks, place) is not None
    try:
        acquire(locks, place, owner)
    except PlaceError as error:
        raise NotPlayableError(str(error)) from None
    with (locks / f"{place}.run").open("a") as running:
        try:
            fcntl.flock(running, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise NotPlayableError(f"another program of {owner} uses {place} already") from None
        try:
            yield
        finally:
            if not was_mine:
                release(locks, place, owner)


def listed_places(rig: RigFile) -> Sequence[tuple[str, str]]:
    """Each place and who has it, in words."""
    told = {name: holder(rig.locks, name) for name in rig.places}
    return [(name, "free" if held is None else f"{held.owner} {held.note}".rstrip()) for name, held in told.items()]
