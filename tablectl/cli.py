"""The command `tablectl`.

A sub-command's module is imported when it is used, so that each starts quickly.
"""

import errno
import io
import os
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final

import click

import tablectl
from tablectl.features.common.errors import usage_text
from tablectl.features.common.help_language import LANGUAGE, SpokenHelp
from tablectl.features.common.language import asked_for, said
from tablectl.features.common.output import write_line, write_lines
from tablectl.words import Language
from tablectl.words.reason import of_file

F: Final = "tablectl.features"

GROUPS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "Set up": {
            "init": f"{F}.setup.init:init",
            "check-config": f"{F}.setup.check_config:check_config",
            "doctor": f"{F}.doctor.cli:doctor",
            "detect": f"{F}.setup.detect_cli:detect",
            "probe": f"{F}.probe.cli:probe",
            "pin": f"{F}.key:pin",
            "key": f"{F}.key:key",
            "subscriber": f"{F}.setup.subscriber:subscriber",
            "upgrade-check": f"{F}.journal.upgrade_check_cli:upgrade_check",
            "completion": f"{F}.completion:completion",
        },
        "Every night": {
            "run": f"{F}.run:run",
            "monitor": f"{F}.monitor.cli:monitor",
            "tail": f"{F}.tail.cli:tail",
            "fault": f"{F}.fault:fault",
            "acknowledge": f"{F}.bookmark:acknowledge",
            "bookmark": f"{F}.bookmark:bookmark",
            "void": f"{F}.correct:void",
            "correct": f"{F}.correct:correct",
            "take-over": f"{F}.journal.take_over_cli:take_over",
            "restore": f"{F}.journal.restore_cli:restore",
            "log": f"{F}.log:log",
        },
        "Look back": {
            "recall": f"{F}.rounds.recall:recall",
            "explain": f"{F}.rounds.explain_cli:explain",
            "board": f"{F}.rounds.board_cli:board",
            "fairness": f"{F}.rounds.fairness:fairness",
            "case": f"{F}.case.cli:case",
            "journal": f"{F}.journal.cli:journal",
            "bundle": f"{F}.bundle.cli:bundle",
        },
        "Prove": {
            "prove": f"{F}.rounds.prove:prove",
            "verify": f"{F}.rounds.verify:verify",
            "verify-program": f"{F}.verify_program:verify_program",
        },
        "Floor": {
            "record": f"{F}.recorder.cli:record",
            "floor": f"{F}.floor.cli:floor",
            "witness": f"{F}.witness.cli:witness",
        },
        "Develop": {
            "demo": f"{F}.demo.cli:demo",
            "sim": f"{F}.sim.cli:sim",
            "settle": f"{F}.rounds.settle:settle",
            "odds": f"{F}.rounds.odds:odds",
            "dev": "tablectl.cli:dev",
            "help": "tablectl.cli:show_help",
            "version": "tablectl.cli:show_version",
        },
    }
)
"""The commands by what people want to do: name to module and attribute."""

DEVELOPERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "decode": f"{F}.dev:decode",
        "phases": f"{F}.dev:phases",
        "replay": f"{F}.replay_capture:replay",
        "rig": "tablectl.testing.cli:rig",
        "schema": f"{F}.dev:schema",
    }
)
"""The commands below `tablectl dev`; for one release they also work without `dev`, and say so."""

COMMANDS: Final[Mapping[str, str]] = MappingProxyType(
    {name: target for group in GROUPS.values() for name, target in group.items()}
)


class LazyGroup(click.Group):
    """A group that imports a command's module when it is used.

    click offers no other way than a subclass.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line, whose language is that of its help."""
        ctx.meta[LANGUAGE] = language = asked_for(args)
        click.Context.formatter_class = SpokenHelp  # of all contexts below this one too: they are made without it
        _write_what_the_terminal_can()
        with _telling(ctx, language):  # its help and its version are written here
            return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click passes it by position
        """The names, in the order of the groups."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # the same
        """Import and return the command of this name."""
        if cmd_name in DEVELOPERS and not ctx.resilient_parsing:
            write_line(said("moved", asked_for(sys.argv[1:]), old=cmd_name, new=f"dev {cmd_name}"), err=True)
        target = COMMANDS.get(cmd_name) or DEVELOPERS.get(cmd_name)
        return _load(target) if target else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands of each group with their summaries."""
        width = formatter.width - 6 - max(map(len, COMMANDS))
        for title, group in GROUPS.items():
            commands = ((name, self.get_command(ctx, name)) for name in group)
            with formatter.section(title):
                formatter.write_dl([(name, each.get_short_help_str(width)) for name, each in commands if each])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command.

        Errors of files, terminals and usage that it doesn't handle end it with one line.
        """
        language = asked_for(ctx.args)
        try:
            with _telling(ctx, language):
                return super().invoke(ctx)
        except click.UsageError as error:
            write_lines(usage_text(error, language), err=True)
            raise SystemExit(error.exit_code) from None


@contextmanager
def _telling(ctx: click.Context, language: Language) -> Generator[None]:
    """End with one line at an error of a file that nothing handles."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise  # nobody reads on: click ends without a word
        command = " ".join(filter(None, ("tablectl", ctx.invoked_subcommand)))
        write_line(f"{command}: {of_file(error, language)}", err=True)
        _write_the_rest()
        raise SystemExit(os.EX_IOERR) from None


def _load(target: str) -> click.Command:
    module, attribute = target.split(":")
    command: click.Command = getattr(import_module(module), attribute)
    return command


def _write_what_the_terminal_can() -> None:
    """Write a letter that the terminal's encoding lacks as its number.

    So a line never fails for a suit. Where an output was closed before the start, its lines go nowhere. Without a
    buffer (`PYTHONUNBUFFERED`) what is written in part only, as on a full disk, would be taken for written.
    """
    if sys.stdout is None or sys.stderr is None:
        nowhere = open(os.devnull, "w")  # noqa: PTH123, SIM115  # for as long as the process runs
        sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
    if isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase):
        sys.stdout = open(1, "w", 1, sys.stdout.encoding, sys.stdout.errors, closefd=False)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def _write_the_rest() -> None:
    """Write what is left of the output, or drop it.

    The interpreter would try once more at its end, and complain.
    """
    try:
        sys.stdout.flush()
    except OSError:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tablectl", prog_name="tablectl")
def main() -> None:
    """Runs one gaming table, settles its rounds and shows what it recorded."""


class DevelopersGroup(click.Group):
    """The commands of `tablectl dev`, each imported when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click passes it by position
        """The names, in alphabetical order."""
        return sorted(DEVELOPERS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # the same
        """Import and return the command of this name."""
        return _load(DEVELOPERS[cmd_name]) if cmd_name in DEVELOPERS else None


@click.group("dev", cls=DevelopersGroup)
def dev() -> None:
    """Holds commands for developers. Frames, captures, phases, schemas and scenarios."""


@click.command("help")
@click.argument("names", metavar="[COMMAND]...", nargs=-1)
@click.pass_context
def show_help(ctx: click.Context, names: tuple[str, ...]) -> None:
    """Shows the help of a command. Without COMMAND, all commands by group.

    Exit status: 0 shown, 2 there is no such command.
    """
    found: click.Command = main
    info = ctx.find_root()
    for name in names:
        inner = found.get_command(info, name) if isinstance(found, click.Group) else None
        if inner is None:
            raise click.UsageError(f"No such command {name!r}.", info)
        found, info = inner, click.Context(inner, info, name)
    write_lines(found.get_help(info))


@click.command("version")
def show_version() -> None:
    """Prints the version.

    Exit status: 0 printed.
    """
    write_line(f"tablectl, version {tablectl.__version__}")
