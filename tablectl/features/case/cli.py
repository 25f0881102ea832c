"""`tablectl case`: the journal's record of a moment, in a self-proving folder."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tablectl.features.common.errors import NOT_FOUND, leave, leaving
from tablectl.features.common.language import said, why_not
from tablectl.features.common.options import finite, with_language
from tablectl.features.common.output import tell_left_out, write_line
from tablectl.features.common.table_files import looking_back, with_journal
from tablectl.words import Language

if TYPE_CHECKING:
    from tablectl.proof.note import Signer

BROKEN = 1


@click.command("case")
@click.argument("what", metavar="ROUND|EVENT|TIME|verify")
@click.argument("folder_to_verify", metavar="[FOLDER]", required=False, type=click.Path(path_type=Path))
@with_journal
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
@click.option("--checkpoint", type=click.Path(path_type=Path), help="A kept checkpoint to prove by, as a cosigned one.")
@click.option("--key", help="With verify: the log's key, as it is known from elsewhere, or a file with it.")
@click.option("--policy", type=click.Path(path_type=Path), help="With verify: witnesses that have to have cosigned.")
def case(  # noqa: PLR0913  # an argument for each option
    *,
    what: str,
    folder_to_verify: Path | None,
    config: Path | None,
    folder: Path | None,
    lang: Language,
    minutes: float,
    target: Path | None,
    checkpoint: Path | None,
    key: str | None,
    policy: Path | None,
) -> None:
    """Collects an incident in a folder.

    It has events, facts, frames, state and clock around a moment, with proofs.

    The moment is a round, as 17 or 1a2b3c4d-17; an event, a bookmark among them, as event:4031; or a time, as
    2026-11-20T14:03:07: local, or with its zone as +08:00 or Z. `tablectl case verify FOLDER` checks a case;
    with --policy also that enough witnesses cosigned the checkpoint by which it was made.

    Exit status: 0 made or whole, 1 nothing is there by that name, or the case isn't whole, 2 something can't be read
    or written.
    """
    if what == "verify":
        if folder_to_verify is None:
            raise click.UsageError("name the folder: tablectl case verify FOLDER")
        if policy is not None and key is None:
            raise click.UsageError("--policy needs --key")
        if checkpoint is not None:
            raise click.UsageError("--checkpoint is for making a case; case verify looks at the case's own")
        _verify(folder_to_verify, key, policy, lang)
    elif target is None or folder_to_verify is not None:
        raise click.UsageError("name the new folder with --to")
    elif key is not None or policy is not None:
        raise click.UsageError("--key and --policy are for case verify")
    else:
        from tablectl.journal.reading.trusted_keys import read_note_file

        with leaving("case"):
            kept = None if checkpoint is None else read_note_file(checkpoint)
        _make(what, config, folder, lang, minutes, target, kept)


def _make(
    mark: str,
    config: Path | None,
    folder: Path | None,
    lang: Language,
    minutes: float,
    target: Path,
    kept: str | None,
) -> None:
    import tablectl
    from tablectl.daemon.host.clock import SystemClock
    from tablectl.features.case.case import CaseError, Making, make_case
    from tablectl.features.case.moment import moment_of
    from tablectl.history.explain.build import UnknownRoundError
    from tablectl.history.explanation import explained, make_renderers
    from tablectl.proof.note import NoteError

    now_us = SystemClock().now().utc_us
    with leaving("case"), looking_back(config, folder, needs_facts=True) as (reader, settings):
        making = Making(
            make_renderers(),
            lambda journal, round_id: explained(journal, round_id, settings),
            lang,
            now_us,
            tablectl.__version__,
            _signer(reader.folder),
            kept,
        )
        try:
            moment = moment_of(reader, mark, minutes, now_us)
            digest = make_case(reader, moment, target, making)
        except (UnknownRoundError, CaseError, NoteError) as error:
            leave("case", why_not(error), NOT_FOUND)
    write_line(said("case.made", lang, target=target, first=moment.first, last=moment.last, at=moment.at))
    write_line(said("case.taken", lang, sequence=moment.sequence))
    tell_left_out(moment.left_out, lang)
    if making.signer is None:
        write_line(said("case.unsigned", lang))
    write_line(f"manifest.json sha256:{digest}")


def _signer(folder: Path) -> "Signer | None":
    """The log's private key; None for whoever may not read it."""
    from tablectl.daemon.signing.keys import signing_key

    try:
        return signing_key(folder)
    except (OSError, ValueError):
        return None


def _verify(folder: Path, key: str | None, policy: Path | None, lang: Language) -> None:
    from tablectl.features.case.verify import BrokenCaseError, verify_case
    from tablectl.journal.reading.trusted_keys import KeyTextError, read_policy_file, trusted_key

    with leaving("case"):
        try:
            wanted = read_policy_file(policy) if policy is not None else None
            checked = verify_case(folder, trusted_key(key) if key is not None else None, wanted)
        except BrokenCaseError as error:
            leave("case", said("case.broken", lang, folder=folder, why=why_not(error)), BROKEN)
        except KeyTextError as error:
            leave("case", why_not(error), 2)
    write_line(said("case.whole" if checked.whole else "case.consistent", lang, folder=folder))
    write_line(f"  {said('case.files', lang, count=checked.files)}")
    write_line(f"  {said('case.events', lang, count=checked.events, proved=checked.proved)}")
    write_line(f"  {said('case.rounds', lang, count=checked.rounds)}")
    write_line(f"  {said('case.key' if key else 'case.key_unknown', lang, value=checked.key)}")
    if checked.cosigners:
        write_line(f"  {said('case.cosigned', lang, names=', '.join(checked.cosigners))}")
    write_line(f"  {said('case.unproved', lang, count=len(checked.unproved))}")
