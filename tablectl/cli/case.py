"""`tablectl case`: what the journal has of a moment, in a folder that proves itself."""

from pathlib import Path

import click

from tablectl.cli.explain import NOT_FOUND, leave, leaving, looking_back, with_place
from tablectl.cli.language import said, why_not, with_language
from tablectl.cli.numbers import finite
from tablectl.words import Language

BROKEN = 1


@click.command("case")
@click.argument("what", metavar="BOOKMARK|SEQUENCE|ROUND|TIME|verify")
@click.argument("folder_to_verify", metavar="[FOLDER]", required=False, type=click.Path(path_type=Path))
@with_place
@with_language
@click.option(
    "--minutes",
    type=click.FloatRange(0, 24 * 60),
    callback=finite,
    default=5.0,
    show_default=True,
    help="Before and after.",
)
@click.option("--to", "target", type=click.Path(path_type=Path), help="The new folder.")
@click.option("--key", help="With verify: the log's key, as it is known from elsewhere, or a file with it.")
def case(
    *,
    what: str,
    folder_to_verify: Path | None,
    config: Path | None,
    folder: Path | None,
    lang: Language,
    minutes: float,
    target: Path | None,
    key: str | None,
) -> None:
    """Collects an incident in a folder. Events, facts, frames, state and clock around a moment, with proofs.

    The moment is the number of an event, that of a bookmark, a round, or a time as 2026-11-20T14:03:07: local, or with
    its zone as +08:00 or Z. `tablectl case verify FOLDER` checks a case.

    Exit status: 0 made or whole, 1 nothing is there by that name, or the case isn't whole, 2 something can't be read
    or written.
    """
    if what == "verify":
        if folder_to_verify is None:
            raise click.UsageError("name the folder: tablectl case verify FOLDER")
        _verify(folder_to_verify, key, lang)
    elif target is None or folder_to_verify is not None:
        raise click.UsageError("name the new folder with --to")
    else:
        _make(what, config, folder, lang, minutes, target)


def _make(mark: str, config: Path | None, folder: Path | None, lang: Language, minutes: float, target: Path) -> None:
    from tablectl.app.history import case_making
    from tablectl.proof.note import NoteError
    from tablectl.tools.case import CaseError, make_case
    from tablectl.tools.case_moment import moment_of
    from tablectl.tools.explain import UnknownRoundError

    with leaving("case"), looking_back(config, folder) as (reader, settings):
        try:
            moment = moment_of(reader, mark, minutes)
            digest = make_case(reader, moment, target, case_making(settings, lang))
        except (UnknownRoundError, CaseError, NoteError) as error:
            leave("case", why_not(error), NOT_FOUND)
    click.echo(said("case.made", lang, target=target, first=moment.first, last=moment.last, at=moment.at))
    click.echo(said("case.taken", lang, sequence=moment.sequence))
    click.echo(f"manifest.json sha256:{digest}")


def _verify(folder: Path, key: str | None, lang: Language) -> None:
    from tablectl.tools.case_verify import BrokenCaseError, verify_case
    from tablectl.tools.prove_key import KeyTextError, trusted_key

    with leaving("case"):
        try:
            checked = verify_case(folder, trusted_key(key) if key is not None else None)
        except BrokenCaseError as error:
            leave("case", said("case.broken", lang, folder=folder, why=why_not(error)), BROKEN)
        except KeyTextError as error:
            leave("case", why_not(error), 2)
    click.echo(said("case.whole", lang, folder=folder))
    click.echo(f"  {said('case.files', lang, count=checked.files)}")
    click.echo(f"  {said('case.events', lang, count=checked.events, proved=checked.proved)}")
    click.echo(f"  {said('case.rounds', lang, count=checked.rounds)}")
    click.echo(f"  {said('case.key' if key else 'case.key_unknown', lang, value=checked.key)}")
