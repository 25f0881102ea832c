"""Settings given on the command line, over those of the file."""

from collections.abc import Iterable, Mapping

import click


def read_changes(texts: Iterable[str]) -> Mapping[str, str]:
    """What each ``--set KEY=VALUE`` puts in place of the file's value; of a key given twice the last one counts.

    Raises:
        click.BadParameter: one isn't of that form.
    """
    return dict(_change(text) for text in texts)


def _change(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (key and equals):
        raise click.BadParameter(f"{text!r} isn't KEY=VALUE", param_hint="--set")
    return key, value
