"""Files of a new table: configuration, state folder, and its log's id and key.

Nothing that is there is touched.
"""

import errno
import os
import pwd
import secrets
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tablectl.config import load
from tablectl.config.errors import ConfigError
from tablectl.daemon.room_settings import LOG_ID, PREDECESSOR
from tablectl.daemon.signing.keys import PUBLIC, public_key
from tablectl.features.setup.questions import NewTable, configuration
from tablectl.journal.files import give_to, opened_folder, write_whole
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.checkpoint import unsigned_checkpoint
from tablectl.proof.note import verifier_key
from tablectl.words import Language


class ThereAlreadyError(Exception):
    """A file would be written over: which."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self.path = path


@dataclass(frozen=True, slots=True)
class Made:
    """Files and key that were made.

    Args:
        fingerprint: of the log's key: what recorders pin.
        verifier: the key as tools of transparency logs take it.
    """

    config: Path
    state: Path
    fingerprint: str
    verifier: str


def make_table(table: NewTable, config: Path, *, owner: str = "", predecessor: str = "") -> Made:
    """Writes the files of a new table.

    Args:
        config: where the configuration goes; nothing may be there.
        owner: the daemon's user, who is given the state folder; empty leaves it with whoever runs this.
        predecessor: the last checkpoint of the log that this one comes after, a signed note; empty without one.

    Raises:
        ThereAlreadyError: a configuration or a log is there.
        ConfigError: this configuration won't work; says which key and why.
        NoteError: the predecessor isn't a checkpoint.
        OSError: a file can't be written.
    """
    state = Path(table.state)
    for path in (config, state / "journal.db", state / PUBLIC, state / "log.key"):
        if path.exists():
            raise ThereAlreadyError(path)
    if predecessor:
        unsigned_checkpoint(predecessor)
    text = configuration(table)
    see_that_it_runs(text, config)
    config.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    if not os.access(config.parent, os.W_OK):  # Learnt later, it would leave a key behind that stands in the way.
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(config))
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    with opened_folder(state) as folder:
        os.fchmod(folder, 0o700)
    log_id = secrets.token_hex(4)
    write_whole(state / LOG_ID, f"{log_id}\n".encode(), 0o600)
    if predecessor:
        write_whole(state / PREDECESSOR, predecessor.encode(), 0o600)
    key = public_key(state)
    # Hashes of short PINs are soon guessed by whoever can read them.
    write_whole(config, text.encode(), 0o640)
    if owner:
        _give_to(owner, state, config)
    origin = f"tablectl/{table.site}/{table.name}/{log_id}"
    return Made(config, state, key.fingerprint, verifier_key(origin, key.raw))


def daemon_user() -> str:
    """Return the user that the unit runs as.

    It is empty where there is none, or where we may not give them files.
    """
    try:
        return pwd.getpwnam("tablectl").pw_name if os.geteuid() == 0 else ""
    except KeyError:
        return ""


def see_that_it_runs(text: str, config: Path) -> None:
    """Validate the text before it is written.

    An error names the file that the text is meant for.
    """
    with _somewhere() as folder:
        (folder / "table.toml").write_text(text, "utf-8")
        try:
            load(folder / "table.toml", {})
        except ConfigError as error:
            raise ConfigError(tuple(replace(each, origin=str(config)) for each in error.problems)) from None


def misfit(table: NewTable, keys: Sequence[str], language: Language) -> str:
    """Why a table with these answers can't be, in lines; empty where it can.

    Args:
        keys: dotted; each stands for all below it.
    """
    try:
        see_that_it_runs(configuration(table), Path())
    except ConfigError as error:
        for problem in error.problems:
            if any(problem.key == key or problem.key.startswith(f"{key}.") for key in keys):
                return problem.render(language).partition("\n")[2]
    return ""


@contextmanager
def _somewhere() -> Generator[Path]:
    with tempfile.TemporaryDirectory(prefix="tablectl-init-") as folder:
        yield Path(folder)


def _give_to(owner: str, state: Path, config: Path) -> None:
    user = pwd.getpwnam(owner)
    for path in (state, *state.iterdir()):
        give_to(user.pw_uid, user.pw_gid, path)
    give_to(0, user.pw_gid, config)
