"""The last rounds and their results, from the journal, for `tablectl recall`.

It doesn't matter in which state the table is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final, cast

from tablectl.core.amending.counted_round import OPENED, Form, counted, kind_of
from tablectl.history.explain.columns import table
from tablectl.history.explain.model import Renderers
from tablectl.history.explain.phrases import label
from tablectl.history.explain.steps import event_form
from tablectl.journal.reading.ranges import ENDLESS, topic_back
from tablectl.journal.reading.reader import JournalReader
from tablectl.lazy_dataclass import dataclass
from tablectl.words import Language

RECALLED: Final = 10
MOST: Final = (16, 14, 16, 13, 22)
"""Columns of each part of a line in the list, at most."""

FURTHEST: Final = 200_000
"""Events that are looked through for one answer."""

CORRECTED: Final = "*"
"""Marks a round in the list that was put right later."""

ROUNDS_TOPIC: Final = "event/round"


@dataclass(frozen=True, slots=True)
class RoundLine:
    """One round in a list.

    Args:
        end: `settled`, `void`, or `open` while it isn't over.
        first: the number of its first event.
        last: of the event that ended it; of its newest one while it isn't over.
        ended: empty while it isn't over.
        result: in the settlement's own word; the code of what made a void round void.
        article: that made it void; empty otherwise.
        irregularities: codes.
        corrected: whether it was put right after its end.
    """

    round_id: str
    game: str
    end: str
    first: int
    last: int
    opened: str
    ended: str
    result: str
    article: str
    irregularities: tuple[str, ...]
    simulated: bool
    corrected: bool

    def form(self) -> dict[str, Any]:
        """The line as a JSON object."""
        return asdict(self)


def stands_in(form: object, text: str) -> bool:
    """Return True if a text occurs in a value of a message, in any case.

    Names of fields don't count.
    """
    if not text:
        return True
    if isinstance(form, dict | list):
        within = cast("dict[str, object] | list[object]", form)
        return any(stands_in(each, text) for each in (within.values() if isinstance(within, dict) else within))
    return text.casefold() in str(form).casefold()


def rounds_back(
    reader: JournalReader, renderers: Renderers, before: int = ENDLESS, text: str = ""
) -> Iterator[RoundLine]:
    """The rounds that begin before an event, the newest first.

    Args:
        text: only those in whose messages it stands, great or small letters alike; all where it is empty.

    Raises:
        UnreadableError: the journal can't be read.
    """
    upper = min(before, reader.last_sequence + 1)
    found: dict[str, list[Form]] = {}
    for row in topic_back(reader, ROUNDS_TOPIC, upper, upper - FURTHEST):
        form = event_form(row)
        round_id = str(form.get("correlationid", ""))
        if not round_id:
            continue
        found.setdefault(round_id, []).append({**form, "sequence": row.sequence})
        if kind_of(form) == OPENED:
            own = found.pop(round_id)[::-1]
            if any(stands_in(each, text) for each in own):
                yield _line(own, renderers)


def _line(own: Sequence[Form], renderers: Renderers) -> RoundLine:
    """The round, by its events in order."""
    opened, round_ = own[0], counted(own)
    ending = round_.ending
    data: Form = ending.data if ending else {}
    return RoundLine(
        round_id=str(opened["correlationid"]),
        game=str(opened["data"].get("game", "")),
        end=ending.end if ending else "open",
        first=opened["sequence"],
        last=(ending.event if ending else own[-1])["sequence"],
        opened=str(opened.get("time", "")),
        ended=str(ending.event.get("time", "")) if ending else "",
        result=renderers.result(data) or str(data.get("reason") or ""),
        article=str(data.get("article") or ""),
        irregularities=tuple(str(each["data"].get("code", "")) for each in round_.of_kind("round.irregular.v1")),
        simulated=opened.get("simulated") is True,
        corrected=bool(round_.corrections),
    )


def text_of(
    lines: list[RoundLine], renderers: Renderers, language: Language, columns: int | None = None
) -> Iterator[str]:
    """The list for a terminal, the newest last."""
    if not lines:
        yield label("recall.empty", language)
        return
    rows = [tuple(label(f"recall.{key}", language) for key in ("round", "end", "at", "events", "result"))]
    rows += [_row(each, renderers, language) for each in reversed(lines)]
    yield from table(rows, right=set(), most=MOST, columns=columns, whole={0, 1, 2})
    if any(each.corrected for each in lines):
        yield f"  {CORRECTED} {label('corrected', language)}"


def _row(line: RoundLine, renderers: Renderers, language: Language) -> tuple[str, ...]:
    end = label(f"end.{line.end}", language)
    ended = line.ended[5:19].replace("T", " ") or "–"
    name = f"{line.round_id}{CORRECTED if line.corrected else ''}"
    return name, end, ended, f"{line.first}-{line.last}", say_result(line, renderers, language)


def say_result(line: RoundLine, renderers: Renderers, language: Language) -> str:
    """The result of the round, in the game's words."""
    speaks = renderers.voices[language].words
    if line.end == "void":
        reason = speaks.term("irregular", line.result, line.game)
        return f"{speaks.article(line.article)}: {reason}"
    for family in ("hand", "combination", "natural", "bet"):
        said = speaks.term(family, line.result, line.game)
        if said != line.result:
            return said
    series, _, number = line.result.rpartition("_")
    return f"{speaks.term('series', series)} {number}" if series in {"upper", "lower"} else _plain(line.result)


def _plain(result: str) -> str:
    return "–" if result in {"", "no_natural"} else result
