"""The command `tablectl`. A sub-command's module is imported when it is used, so that each starts quickly."""

import errno
import io
import os
import sys
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final

import click

from tablectl.cli.language import asked_for
from tablectl.cli.mistakes import usage_told
from tablectl.words.reason import of_file

COMMANDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "acknowledge": "tablectl.cli.bookmark:acknowledge",
        "board": "tablectl.cli.board:board",
        "bookmark": "tablectl.cli.bookmark:bookmark",
        "bundle": "tablectl.cli.bundle:bundle",
        "case": "tablectl.cli.case:case",
        "check-config": "tablectl.cli.check_config:check_config",
        "completion": "tablectl.cli.completion:completion",
        "correct": "tablectl.cli.correct:correct",
        "decode": "tablectl.cli.decode:decode",
        "demo": "tablectl.cli.demo:demo",
        "detect": "tablectl.cli.detect:detect",
        "doctor": "tablectl.cli.doctor:doctor",
        "explain": "tablectl.cli.explain:explain",
        "fault": "tablectl.cli.fault:fault",
        "init": "tablectl.cli.init:init",
        "journal": "tablectl.cli.journal:journal",
        "key": "tablectl.cli.key:key",
        "log": "tablectl.cli.log:log",
        "monitor": "tablectl.cli.monitor:monitor",
        "odds": "tablectl.cli.odds:odds",
        "phases": "tablectl.cli.phases:phases",
        "pin": "tablectl.cli.pin:pin",
        "probe": "tablectl.cli.probe:probe",
        "prove": "tablectl.cli.prove:prove",
        "record": "tablectl.cli.record:record",
        "recall": "tablectl.cli.recall:recall",
        "replay": "tablectl.cli.replay:replay",
        "rig": "tablectl.cli.rig:rig",
        "run": "tablectl.cli.run:run",
        "schema": "tablectl.cli.schema:schema",
        "settle": "tablectl.cli.settle:settle",
        "sim": "tablectl.cli.sim:sim",
        "tail": "tablectl.cli.tail:tail",
        "take-over": "tablectl.cli.handover:take_over",
        "upgrade-check": "tablectl.cli.upgrade_check:upgrade_check",
        "verify": "tablectl.cli.verify:verify",
        "void": "tablectl.cli.correct:void",
    }
)
"""Sub-command: the module and the attribute that hold it."""


class LazyGroup(click.Group):
    """A group that finds its sub-commands in `COMMANDS`; click has no other door to that than a subclass."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click passes it by position
        """The names, in the order of the alphabet."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # the same
        """The command of this name, its module imported now."""
        if cmd_name not in COMMANDS:
            return None
        module, attribute = COMMANDS[cmd_name].split(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """What the sub-command does; what no sub-command foresees of files and terminals ends it with one line."""
        _write_what_the_terminal_can()
        language = asked_for(ctx.args)
        try:
            return super().invoke(ctx)
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise  # nobody reads on: click ends without a word
            click.echo(f"tablectl {ctx.invoked_subcommand}: {of_file(error, language)}", err=True)
            raise SystemExit(os.EX_IOERR) from None
        except click.UsageError as error:
            click.echo(usage_told(error, language), err=True)
            raise SystemExit(error.exit_code) from None


def _write_what_the_terminal_can() -> None:
    """A letter that the terminal's encoding lacks is written as its number: a line never fails for a suit.

    Where an output was closed before the start, what is said goes nowhere.
    """
    if sys.stdout is None or sys.stderr is None:
        nowhere = open(os.devnull, "w")  # noqa: PTH123, SIM115  # for as long as the process runs
        sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tablectl", prog_name="tablectl")
def main() -> None:
    """Runs one gaming table, settles its rounds and shows what it recorded."""
