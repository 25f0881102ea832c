"""`tablectl journal prune`: takes old events' payloads away."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tablectl.features.common.language import said
from tablectl.features.common.options import with_language
from tablectl.features.common.output import tell_left_out, write_line
from tablectl.features.common.table_files import FOLDER, note, telling
from tablectl.words import Language

if TYPE_CHECKING:
    from tablectl.features.journal.prune import PrunePlan


@click.command("prune")
@FOLDER
@click.option("--before", "before", metavar="DATE", help="Events recorded before this day or instant may go (UTC).")
@click.option(
    "--keep-days", type=click.IntRange(0, 36500), metavar="N", help="Events of the last N days (24 h each) stay."
)
@click.option("--dry-run", is_flag=True, help="Say what would go and stay; change nothing.")
@with_language
def prune(folder: Path, before: str | None, keep_days: int | None, dry_run: bool, lang: Language) -> None:
    """Deletes the payloads of old events.

    It deletes those of whole rounds; their hashes stay. The table must not be at work.

    With both options the earlier instant holds.

    Exit status: 0 done, 1 refused (the table runs, or the journal is broken), 2 it can't be read.
    """
    from tablectl.daemon.host.clock import SystemClock
    from tablectl.journal.journal import open_journal
    from tablectl.journal.reading.reader import open_reader

    now_us = SystemClock().now().utc_us
    before_us = _instant(before, keep_days, now_us, lang)
    with telling(folder, lang):
        if dry_run:
            _tell_plan(_planned(folder, before_us, now_us), lang, dry_run=True)
            return
        open_reader(folder).close()  # What isn't there must not be made, as opening for writing would.
        with closing(open_journal(folder)) as written:
            plan = _planned(folder, before_us, now_us)
            small = True
            if not plan.nothing:
                written.prune(plan.through)
                small = written.shrink()
    _tell_plan(plan, lang, dry_run=False)
    if not small:
        note(said("journal.not_smaller", lang))


def _planned(folder: Path, before_us: int, now_us: int) -> "PrunePlan":
    """Return the plan for a journal that is whole.

    A broken one is evidence and stays as it is.
    """
    from tablectl.features.journal.prune import plan_prune
    from tablectl.journal.reading import verify
    from tablectl.journal.reading.reader import open_reader

    with closing(open_reader(folder)) as reader:
        verify.verify(reader, verify.checkpoints(reader, None, []))
        return plan_prune(reader, before_us, now_us)


def _instant(before: str | None, keep_days: int | None, now_us: int, lang: Language) -> int:
    from tablectl.features.journal.prune import days_before, instant_of

    instants: list[int] = []
    if before is not None:
        try:
            instants.append(instant_of(before))
        except ValueError:
            raise click.BadParameter(said("journal.date", lang, text=repr(before)), param_hint="--before") from None
    if keep_days is not None:
        instants.append(days_before(now_us, keep_days))
    if not instants:
        raise click.UsageError(said("journal.say_what", lang))
    return min(instants)


def _tell_plan(plan: "PrunePlan", lang: Language, *, dry_run: bool) -> None:
    if plan.nothing:
        write_line(said("journal.pruned_nothing", lang))
    else:
        key = "journal.would_go" if dry_run else "journal.pruned"
        write_line(said(key, lang, first=plan.before + 1, last=plan.through))
    for line in plan.kept:
        write_line(said("journal.kept", lang, what=line))
    tell_left_out(plan.left_out, lang)
