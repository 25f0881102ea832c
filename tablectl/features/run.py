"""`tablectl run`."""

import ctypes
import gc
import os
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

import click

from tablectl.features.common.language import here, said, unreadable, why_not
from tablectl.features.common.options import read_changes, with_changes, with_language, with_table
from tablectl.features.common.output import write_lines
from tablectl.words import Language

M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8
"""Of glibc's malloc.h."""

LARGE_BLOCK_BYTES: Final = 1 << 20


@click.command("run")
@with_table("A table's configuration; again for several tables in one process, for trials.", several=True)
@with_changes
@with_language
def run(config: tuple[Path, ...], changes: tuple[str, ...], lang: Language) -> None:  # noqa: ARG001  # what is said asks for it
    """Runs the table's daemon until stopped.

    With several configurations each table has its own journal, key, devices, broker connection and console; one that
    ends by an error leaves the others at work, and gives the exit code when all are done. The options of --set go for
    all of them.

    \b
    Exit codes:
      0  stopped on request               65  the journal is damaged or gone
     66  the configuration can't be read  69  the console's port can't be had
     70  a mistake in the program         73  the state folder can't be used
     74  the journal can't be written or was taken away
     75  another daemon has this table    77  a secret's file can't be read
     78  the configuration is wrong
    """  # noqa: D301  # click wants the character itself
    gc.disable()  # what is imported stays; to look through it again and again takes a tenth of a start
    _return_large_blocks()
    from tablectl.daemon.host.program import begin_verification, installed_root

    if root := installed_root():
        begin_verification(root)  # before the rest is imported, which takes the greater part of a start

    from tablectl.daemon.host.log import left_out
    from tablectl.daemon.host.outlet import unhurried

    with unhurried(left_out):
        raise SystemExit(_run(config, changes))


def _run(config: tuple[Path, ...], changes: tuple[str, ...]) -> int:
    from tablectl.config.errors import ConfigError
    from tablectl.daemon.room_settings import StartError
    from tablectl.daemon.run import run as run_table

    gc.freeze()  # nor does the first collection afterwards look through it
    gc.enable()
    given = read_changes(changes)
    try:
        if len(config) == 1:
            return run_table(config[0], given)
        from tablectl.daemon.run_several import run_several

        return run_several(config, given)
    except ConfigError as error:
        _leave(why_not(error), os.EX_CONFIG)
    except StartError as error:
        _leave(f"tablectl: {why_not(error)}", error.exit_code)
    except OSError as error:
        if str(error.filename) not in map(str, config):
            raise  # it is no file of the configuration: the group says which, or what else failed
        _leave(f"tablectl: {unreadable(error.filename, error)}", os.EX_NOINPUT)
    except Exception:  # noqa: BLE001  # whatever it is, the supervisor is to know it from any other end
        traceback.print_exc()
        _leave(f"tablectl: {said('run.mistake', here())}", os.EX_SOFTWARE)


def _leave(message: str, code: int) -> NoReturn:
    write_lines(message, err=True)
    raise SystemExit(code)


def _return_large_blocks() -> None:
    """Fix glibc's mmap threshold, and have all threads share one arena.

    Otherwise the 19 MiB of each PIN check stay in the arenas of the threads that check, and each thread's own arena
    keeps what it once had.
    """
    with suppress(AttributeError, OSError):  # another C library
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES)
        mallopt(M_ARENA_MAX, 1)
