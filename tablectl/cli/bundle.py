"""`tablectl bundle`: what support needs of a table, in one archive."""

import os
from pathlib import Path

import click

from tablectl.cli.changes import read_changes
from tablectl.cli.language import said, why_not, with_language
from tablectl.cli.numbers import finite
from tablectl.words import Language
from tablectl.words.reason import why

UNWRITABLE = 2


@click.command("bundle")
@click.option(
    "--config",
    "config",
    required=True,
    type=click.Path(path_type=Path, readable=False),
    help="The table's configuration; one that is wrong will do.",
)
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="Set a key over the file.")
@click.option("--journal", "folder", type=click.Path(path_type=Path), help="A copy of the state folder, or another.")
@click.option(
    "--hours",
    type=click.FloatRange(0, 24 * 366 * 10),
    callback=finite,
    default=4.0,
    show_default=True,
    help="So far back.",
)
@click.option("--to", "target", required=True, type=click.Path(path_type=Path), help="The new file, *.tar.gz.")
@with_language
def bundle(
    *, config: Path, changes: tuple[str, ...], folder: Path | None, hours: float, target: Path, lang: Language
) -> None:
    """Collects what support needs into one archive. No secret is in it, and no card that lies face down.

    Configuration without secrets, what `doctor` finds, versions, the unit's state and log, the journal's end and
    whether it is whole, the published events and the frames of the last hours, counters, clock; and a manifest with
    the SHA-256 of each file. Changes nothing; the table may be at work.

    \b
    Exit codes:
      0  written      2  the file is there already or can't be written
     66  the configuration can't be read
    """  # noqa: D301  # click wants the character itself
    from tablectl.app.bundle import Asked, collect
    from tablectl.tools.bundle import write_bundle
    from tablectl.tools.journal_export import ExportError

    try:
        collected, sieve = collect(Asked(config, read_changes(changes), folder, hours))
    except OSError as error:
        told = said("bundle.unreadable", lang, path=config, why=why(error, lang))
        click.echo(f"tablectl bundle: {told}", err=True)
        raise SystemExit(os.EX_NOINPUT) from None
    try:
        digest = write_bundle(target, collected, sieve)
    except ExportError as error:
        click.echo(f"tablectl bundle: {why_not(error)}", err=True)
        raise SystemExit(UNWRITABLE) from None
    click.echo(said("bundle.holds", lang, target=target, files=", ".join(sorted(collected.files))))
    click.echo(said("bundle.without", lang))
    click.echo(said("bundle.manifest", lang, digest=digest))
