"""`tablectl pin`: the hash of a PIN, as the configuration has it."""

import sys

import click

from tablectl.console.auth.pins import hash_pin
from tablectl.features.common.language import said
from tablectl.features.common.options import with_language
from tablectl.features.common.output import write_line
from tablectl.words import Language


@click.command()
@click.option("--stdin", "from_stdin", is_flag=True, help="Read the PIN from standard input, one line.")
@with_language
def pin(*, from_stdin: bool, lang: Language) -> None:
    """Prints a PIN's line for the configuration. The PIN itself is kept nowhere.

    Exit status: 0 printed, 1 not a PIN.
    """
    chosen = sys.stdin.readline().rstrip("\r\n") if from_stdin else _asked(lang)
    try:
        write_line(f'pin_hash = "{hash_pin(chosen)}"')
    except ValueError as error:
        raise click.ClickException(str(error)) from None


def _asked(lang: Language) -> str:
    """The PIN, typed twice alike and not shown."""
    chosen: str = click.prompt("PIN", hide_input=True, confirmation_prompt=said("ask.again", lang), err=True)
    return chosen
