"""Folders that somebody hands over: packages of `tablectl case`, and state folders that are restored."""

import atexit
import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from tablectl.config import load
from tablectl.config.models import Config
from tablectl.daemon.room_settings import (
    LOG_ID,
    PLAYED,
    PREDECESSOR,
    StartError,
    log_id_of,
    played_before,
    predecessor_of,
)
from tablectl.daemon.signing.keys import public_key, signing_key
from tablectl.edited_files import WrongByteError
from tablectl.features.case.case import MANIFEST, SIGNATURE, Making, make_case, statement
from tablectl.features.case.moment import moment_of
from tablectl.features.case.verify import BrokenCaseError, verify_case
from tablectl.features.journal.restore import RestoreError, restore
from tablectl.history.explanation import explained, make_renderers
from tablectl.journal.database import JournalError
from tablectl.journal.journal import open_journal
from tablectl.journal.reading.reader import open_reader
from tablectl.journal.reading.rows import Remembered, UnreadableError
from tablectl.journal.reading.trusted_keys import trusted_key
from tablectl.proof.note import NoteError, sign_note
from tablectl.rule_tables import shipped
from tablectl.words.terminal import visible
from tests.fuzz.journals import FILES, begin_file, fast_folder
from tests.fuzz.target import Bytes, Target, WrongError, edited, hold, obeyed, reformed
from tests.proof.journals import ORIGIN, Play
from tests.support.kept import begun


def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="tablectl-fuzz-", dir=fast_folder()))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


# --- cases


@dataclass(frozen=True, slots=True)
class _Genuine:
    """A case of two rounds as it was made, and the log's events."""

    state: Path
    folder: Path
    files: Mapping[str, bytes]
    events: frozenset[bytes]


@cache
def _case() -> _Genuine:
    folder = _folder()
    state, made = folder / "state", folder / "case"
    kept = begun(state)
    with closing(kept.journal):
        rounds = [kept.play() for _ in range(2)]
        kept.keep()
    with closing(open_reader(state)) as reader:
        making = Making(make_renderers(), partial(explained, config=None), "en", 0, "1", signing_key(state))
        make_case(reader, moment_of(reader, rounds[0], 60, 0), made, making)
        events = frozenset(row.payload for row in reader.events())
    files = {path.relative_to(made).as_posix(): path.read_bytes() for path in made.rglob("*") if path.is_file()}
    return _Genuine(state, made, files, events)


def _verified(data: bytes) -> None:
    """A package with changes: as a stranger leaves it, with a manifest made to fit, or signed by the log's key too."""
    whole, given = _case(), Bytes(data)
    seal = given.number(3)
    files = _changed(dict(whole.files), given)
    if seal:
        _seal(whole, files, is_signed=seal == 2)
    _lay(whole.folder, files)
    try:
        checked = verify_case(whole.folder, trusted_key(public_key(whole.state).fingerprint))
    except (BrokenCaseError, UnreadableError) as told:
        hold(not obeyed(visible(str(told))), "what is wrong isn't said in one line", str(told))
        return
    hold(checked.whole, "a trusted key doesn't verify it, and nothing is said")
    lines = files["events.jsonl"].splitlines()
    hold(whole.events.issuperset(lines), "an event that the log hasn't is called proved", lines)
    hold(checked.proved == len(lines), "an event isn't proved", checked)
    if seal < 2:
        hold(files == whole.files, "a case that was changed is called whole", seal)


def _changed(files: dict[str, bytes], given: Bytes) -> dict[str, bytes]:
    """The files after one change of one of them."""
    names = sorted(files)
    name, other = names[given.number(len(names))], names[given.number(len(names))]
    match given.number(6):
        case 0:
            files[name] = edited(files[name], given.left)
        case 1:
            with suppress(ValueError):
                files[name] = reformed(files[name], given.left)
        case 2:
            del files[name]
        case 3:
            files[name] = files[other]
        case 4:
            lines = files[name].splitlines(keepends=True)
            at = given.number(max(1, len(lines)))
            del lines[at : at + 1 + given.number(3)]
            files[name] = b"".join(lines)
        case _:
            files[re.sub("[/\0]", "", given.left.decode(errors="replace"))[:60].strip(".") or "x"] = b""
    return files


def _seal(whole: _Genuine, files: dict[str, bytes], *, is_signed: bool) -> None:
    """Makes the manifest fit the files again, where it still is one."""
    try:
        form: dict[str, Any] = json.loads(files[MANIFEST])
        form["files"] = {
            name: {"sha256": hashlib.sha256(data).hexdigest()}
            for name, data in files.items()
            if name not in {MANIFEST, SIGNATURE}
        }
        files[MANIFEST] = json.dumps(form).encode()
    except (KeyError, TypeError, ValueError):
        return
    if is_signed:
        origin = f"{form.get('origin')}"
        with suppress(NoteError, ValueError):
            files[SIGNATURE] = sign_note(statement(origin, files[MANIFEST]), origin, signing_key(whole.state)).encode()


def _lay(folder: Path, files: Mapping[str, bytes]) -> None:
    """Makes the folder what it is now; what is in it already isn't written again."""
    for path in folder.rglob("*"):
        if path.is_file() and path.relative_to(folder).as_posix() not in files:
            path.unlink()
    for name, data in files.items():
        path = folder / name
        if not path.exists() or path.read_bytes() != data:
            path.write_bytes(data)


def _packages() -> Iterator[bytes]:
    for nth in range(len(_case().files)):
        for seal in range(3):
            yield bytes((seal, nth, 0, 0, 0, 40, 0, 3))
            yield bytes((seal, nth, 0, 1, 3, 0, 7))
            yield bytes((seal, nth, 0, 2))
            yield bytes((seal, nth, nth + 1, 3))
    yield b"\1\0\0\5x\n\x1b[1A\x1b[2Kcase: whole"


# --- restored folders


@dataclass(frozen=True, slots=True)
class _State:
    """A state folder whose table has played on since the broker heard of it."""

    folder: Path
    config: Config
    files: Mapping[str, bytes]
    note: bytes
    rounds: tuple[str, ...]


@cache
def _state() -> _State:
    folder = _folder()
    state = folder / "state"
    state.mkdir()
    begin_file(state)
    with closing(open_journal(state)) as journal:
        public_key(state)
        play = Play(journal)
        play.begin()
        play.round("r1")
        journal.remember(Remembered.PUBLISHED, str(play.sequence))
        note = journal.signed_checkpoint(ORIGIN, signing_key(state)).encode()
        play.round("r2")
    rounds = tuple(event.payload.decode() for event in play.events if event.topic == "event/round")
    files = {name: (state / name).read_bytes() for name in FILES if (state / name).exists()}
    (folder / "note").write_bytes(note)
    config = load(
        shipped("tables/q-poker.demo.toml"), {"paths.state": str(state), "table.site": "macau", "table.name": "q1"}
    )
    return _State(state, config, files, note, rounds)


def _restored(data: bytes) -> None:
    """An old folder with changes to its journal or to the checkpoint that is given to it, restored, and begun."""
    whole, given = _state(), Bytes(data)
    which = given.number(len(FILES) + 1)
    names = [*whole.files, "note"]
    name = names[which % len(names)]
    files = {**whole.files, "note": whole.note}
    files[name] = edited(files[name], given.left)
    _lay_state(whole, files)
    note = whole.folder.parent / "note"
    try:
        made = restore(whole.config, note)
    except (RestoreError, JournalError, UnreadableError, WrongByteError) as told:
        hold(not obeyed(visible(str(told))), "what is wrong isn't said in one line", str(told))
        hold((whole.folder / FILES[0]).exists(), "a journal is gone, and nothing was restored")
        hold(not (whole.folder / LOG_ID).exists(), "a log begins that was refused")
        return
    hold(made.aside is not None and (made.aside / FILES[0]).exists(), "the old journal is gone", made)
    try:
        log, predecessor, played = log_id_of(whole.folder), predecessor_of(whole.folder), played_before(whole.folder)
    except StartError as told:
        raise WrongError(f"what was restored can't be begun: {told}") from told
    hold(log == made.log and not obeyed(predecessor or ""), "another log begins", log, predecessor)
    # The mark of what the broker has is under no seal; what follows it is announced, whole and as it was.
    hold(played == whole.rounds[len(whole.rounds) - len(played) :], "something else was played", played)


def _lay_state(whole: _State, files: Mapping[str, bytes]) -> None:
    for path in whole.folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name.startswith(FILES[0]) or path.name in {LOG_ID, PREDECESSOR, PLAYED}:
            path.unlink()
    for name in whole.files:
        (whole.folder / name).write_bytes(files[name])
    (whole.folder.parent / "note").write_bytes(files["note"])


def _olds() -> Iterator[bytes]:
    state = _state()
    for which, content in enumerate([*state.files.values(), state.note]):
        yield bytes((which,))
        for at in range(0, len(content), 512):
            yield bytes((which, *divmod(at + 100, 256), 0, 3))
        yield bytes((which, 0, 32, 5))


TARGETS = {
    "case": Target(_verified, _packages, 200),
    "restored": Target(_restored, _olds, 64),
}
