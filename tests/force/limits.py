"""A table whose files may only become so long: a write that crosses the limit is truly cut short, and the next fails.

No tracer is needed: the kernel itself writes a part and says how much. The limit is put at one length after another,
so that every write of a round is cut somewhere.
"""

import os
from dataclasses import replace
from typing import Final

from tests.force.crashes import Write
from tests.force.judge import Judge
from tests.force.small import Form, said
from tests.force.states import history
from tests.force.sweep import REFUSED_TO_START, Arena, Tally, money

FIRST: Final = 1
LEAST_STEP: Final = 7
"""Added to every step, so that the limits fall on all kinds of places in a page and a sector."""


def cut_files(arena: Arena, settlements: list[Form], step: int) -> Tally:
    """Sets the limit to every so many-th length up to the longest file of an undisturbed table."""
    tally = Tally()
    for limit in range(FIRST, _longest(arena), step + LEAST_STEP):
        _cut(arena, settlements, limit, tally)
    return tally


def _longest(arena: Arena) -> int:
    """How long the longest file of an undisturbed table becomes."""
    deeds = history(arena, "longest").deeds
    return max(deed.offset + len(deed.content) for deed in deeds if isinstance(deed, Write))


def _cut(arena: Arena, settlements: list[Form], limit: int, tally: Tally) -> None:
    job = arena.job(f"limit-{limit}")
    code = arena.run(replace(job, limit=limit))
    tally.struck += 1
    end = f"exit {code}"
    tally.ends[end] = tally.ends.get(end, 0) + 1
    try:
        assert code in {os.EX_OK, *REFUSED_TO_START}, (job.folder / "words").read_text("utf-8")[-400:]
        ended = [line for line in said(job.said) if line["kind"] == "ended"]
        assert bool(ended) == (code != os.EX_OK), f"exit code {code}, and it said {ended}"
        assert arena.run(job) == os.EX_OK, (job.folder / "words").read_text("utf-8")[-400:]
        assert money(Judge(job).check()) == money(settlements)
    except Exception as error:  # noqa: BLE001  # whatever is wrong is told with where it was
        tally.wrong.append(f"{arena.game}: files of {limit} bytes at most: {type(error).__name__}: {error}"[:2000])
