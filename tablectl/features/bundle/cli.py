"""`tablectl bundle`: what support needs of a table, in one archive."""

import os
from pathlib import Path

import click

from tablectl.features.common.language import said, why_not
from tablectl.features.common.options import finite, read_changes, with_changes, with_language, with_table
from tablectl.features.common.output import write_line, write_lines
from tablectl.words import Language
from tablectl.words.reason import why

UNWRITABLE = 2


@click.command("bundle")
@with_table("The table's configuration; one that is wrong will do.")
@with_changes
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
    """Collects what support needs into one archive.

    No secret is in it, and no card that lies face down.

    Configuration without secrets, what `doctor` finds, versions, the unit's state and log, the journal's end and
    whether it is whole, the published events and the frames of the last hours, counters, clock; and a manifest with
    the SHA-256 of each file. Changes nothing; the table may be at work.

    \b
    Exit codes:
      0  written      2  the file is there already or can't be written
     66  the configuration can't be read
    """  # noqa: D301  # click wants the character itself
    from tablectl.features.bundle.archive import write_bundle
    from tablectl.features.bundle.collect import Asked, collect
    from tablectl.history.export import ExportError

    try:
        collected, redactor = collect(Asked(config, read_changes(changes), folder, hours))
    except OSError as error:
        told = said("bundle.unreadable", lang, path=config, why=why(error, lang))
        write_lines(f"tablectl bundle: {told}", err=True)
        raise SystemExit(os.EX_NOINPUT) from None
    try:
        digest = write_bundle(target, collected, redactor)
    except ExportError as error:
        write_lines(f"tablectl bundle: {why_not(error)}", err=True)
        raise SystemExit(UNWRITABLE) from None
    write_line(said("bundle.holds", lang, target=target, files=", ".join(sorted(collected.files))))
    write_line(said("bundle.without", lang))
    write_line(said("bundle.manifest", lang, digest=digest))
