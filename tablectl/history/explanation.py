"""Explanations of recorded rounds, with what the table refused, in every language."""

import time
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from drivers.diagnostics.explain import DecodeError, explainer
from tablectl import words
from tablectl.config.game_setup import Played
from tablectl.config.game_setup import played as played_game
from tablectl.config.models import Config
from tablectl.core import fold
from tablectl.core.effects import Effects, Refuse
from tablectl.core.facts import Fact, SessionBegan
from tablectl.core.game_step import Game
from tablectl.core.materials import InUse, Materials
from tablectl.core.money import utc_text
from tablectl.core.table import Table
from tablectl.history.board import result_of
from tablectl.history.captures import Explaining
from tablectl.history.explain.build import explain
from tablectl.history.explain.model import Explanation, Form, Refused, Renderers, Voice
from tablectl.history.render import Renderer
from tablectl.journal.encoding import WireError, read_fact
from tablectl.journal.reading.ranges import records_between
from tablectl.journal.reading.reader import JournalReader
from tablectl.journal.replay import Past, PastError, round_form
from tablectl.lazy_dataclass import replace
from tablectl.rule_tables import GAMES
from tablectl.words import LANGUAGES, Language

MOST_FOLDED: Final = 50_000
"""Records that are folded to work out what the table refused: some seconds' worth."""


BREATH: Final = 50
"""Records that are folded at a stretch."""


def explained(
    reader: JournalReader, round_id: str, config: Config | None, most_folded: int = MOST_FOLDED
) -> Explanation:
    """Explain the round.

    The table's refusals and the materials in use are included where the journal or its configuration has the terms of
    play.

    Args:
        config: for what the journal's first sessions played by, in logs that don't say.
        most_folded: a longer journal isn't folded, and the explanation says so.

    Raises:
        UnknownRoundError: there is no such round.
        UnreadableError: the journal can't be read.
    """
    found = explain(reader, round_id, make_renderers())
    last = found.steps[-1].record if found.steps else 0
    opened = next((step.record for step in found.steps if step.when == "round"), 0)
    again = None if last > most_folded else _folded_again(reader, config, opened, last)
    if again is None:
        return replace(found, missing=(*found.missing, "no_refusals"))
    refused, materials = again
    steps = tuple(replace(step, refused=refused.get(step.record)) for step in found.steps)
    return replace(found, steps=steps, materials=tuple(map(_material_form, materials)))


def replayed(
    reader: JournalReader, round_id: str, config: Config | None, most_folded: int = MOST_FOLDED
) -> Sequence[Mapping[str, Any]]:
    """Frames of a round: the table after each of its facts, as everybody saw it.

    Returns:
        frames of `record`, `time`, `round_id`, `phase`, `waiting` and `round`; facts that changed none of it are left
        out. Empty where nothing says what the table played by, where an earlier procedure holds, or where this build
        can't read what was recorded.

    Raises:
        UnknownRoundError: there is no such round.
        ValueError: more than `most_folded` records lead to it.
        UnreadableError: the journal can't be read.
    """
    steps = [step.record for step in explain(reader, round_id, make_renderers()).steps if step.when == "round"]
    if not steps:
        return ()
    if steps[-1] > most_folded:
        raise ValueError(f"more than {most_folded} records lead to this round: see tablectl explain")
    try:
        past = _past(reader, config)
        return () if past is None else _frames(reader, past, steps[0], steps[-1])
    except (WireError, PastError):
        return ()


def _frames(reader: JournalReader, past: Past[Any], first: int, last: int) -> list[Mapping[str, Any]]:
    frames: list[Mapping[str, Any]] = []
    before: Mapping[str, Any] | None = None
    for record, fact, game, table, _ in _folded(reader, past, last):
        if record < first or past.is_earlier or (now := round_form(game, table)) == before:
            continue
        before = now
        frames.append({"record": record, "time": utc_text(fact.at.utc_us), **now})
    return frames


def _material_form(material: InUse) -> dict[str, str]:
    since = utc_text(material.since_us)
    return {"kind": material.kind.value, "name": material.name, "since": since, "by": material.by}


_Again = tuple[Mapping[int, Refused], Materials]
"""The table's refusals by record, and the materials that were in use when the round was opened."""


def _folded_again(reader: JournalReader, config: Config | None, opened: int, last: int) -> _Again | None:
    """Return the refusals and materials that the fold gives again, and no event has.

    Args:
        opened: the record that opened the round.

    Returns:
        None where nothing says what the table played by, or this build can't read what was recorded.
    """
    try:
        past = _past(reader, config)
        return None if past is None else _fold_again(reader, past, opened, last)
    except (WireError, PastError, ValueError):
        return None


def _past(reader: JournalReader, config: Config | None) -> Past[Any] | None:
    """The game as the journal's sessions played it."""
    for row in records_between(reader, 1, 2):
        body = read_fact(row.body).body
        if isinstance(body, SessionBegan) and body.game in GAMES:
            return _past_of(played_game(body.game), body, config)
    return None


def _past_of(played: Played, began: SessionBegan, config: Config | None) -> Past[Any] | None:
    if began.terms:
        return Past(played.by_terms(began.terms), played.by_terms)
    return Past(played.make(config), played.by_terms) if config and config.table.game == began.game else None


def _fold_again(reader: JournalReader, past: Past[Any], opened: int, last: int) -> _Again:
    """The same fold, made again from the beginning.

    A refusal is an answer, and no event has it.
    """
    found: dict[int, Refused] = {}
    materials: Materials = ()
    for record, _, _, table, effects in _folded(reader, past, last):
        if not past.is_earlier and (refuse := _refusal(effects)) is not None:
            found[record] = Refused(refuse.article, refuse.code, words.say(refuse.text))
        if record == opened:
            materials = table.materials
    return found, materials


def _folded(
    reader: JournalReader, past: Past[Any], last: int
) -> Iterator[tuple[int, Fact, Game[Any], Table[Any], Effects]]:
    """The fold from the beginning, record by record.

    Now and then it lets the loop of a daemon run that shares the process.
    """
    table: Table[Any] | None = None
    for row in records_between(reader, 1, last):
        fact = read_fact(row.body)
        game = past.at(fact)
        table, effects = fold.step(game, table or fold.begin(game), fact, past.then(fact))
        if row.number % BREATH == 0:
            time.sleep(0.001)
        yield row.number, fact, game, table, effects


def _refusal(effects: Effects) -> Refuse | None:
    return next((effect for effect in effects if isinstance(effect, Refuse)), None)


def make_renderers(width: int | None = None) -> Renderers:
    """The renderers of rounds in every language.

    Where a width is given their tables have so many columns.
    """
    voices: dict[Language, Voice] = {language: _voice(language, width) for language in LANGUAGES}
    return Renderers(MappingProxyType(voices), _explaining, _result)


def _voice(language: Language, width: int | None) -> Voice:
    renderer = Renderer(language, width=width)

    def lines(message: Form) -> list[str]:
        # Time and number stand beside it already.
        bare = {key: value for key, value in message.items() if key not in {"time", "sequence", "simulated"}}
        return renderer.lines(bare)

    return Voice(renderer.say, lines)


def _explaining(protocol: str, kind: str, *, cards: bool) -> Explaining:
    try:
        return explainer(protocol, kind if protocol == "link" else "", cards=cards)
    except DecodeError:
        return _Silent()


class _Silent:
    """Explains nothing: a capture may name a protocol that this build doesn't know."""

    rejected = 0

    def feed(self, data: bytes) -> list[str]:  # noqa: ARG002  # the port's form
        """Nothing."""
        return []


def _result(settled: Form) -> str:
    result = result_of(settled)
    return result.name if result else ""
