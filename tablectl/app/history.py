"""What the tools that look back need of rooms that they may not see: words, codecs, the game's word for a result."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

import tablectl
from drivers.decode import DecodeError, explainer
from tablectl import words
from tablectl.app.games import game_of
from tablectl.core import procedure
from tablectl.core.effects import Effects, Refuse
from tablectl.core.ports import StoredEvent
from tablectl.reader.render import Renderer
from tablectl.shell.board import result_of
from tablectl.shell.clock import SystemClock
from tablectl.shell.config import Config
from tablectl.shell.wire import WireError, read_fact
from tablectl.tools.board import Board, board_of
from tablectl.tools.case import Making
from tablectl.tools.explain import explain
from tablectl.tools.explain_rows import records_between
from tablectl.tools.explain_values import Explanation, Form, Refused, Told, Voice
from tablectl.tools.journal_reader import JournalReader
from tablectl.tools.recall_expected import kinds_of
from tablectl.tools.replay import Explaining
from tablectl.words import LANGUAGES, Language

MOST_FOLDED: Final = 50_000
"""Records that are folded to work out what the table refused: some seconds' worth."""


def explained(
    reader: JournalReader, round_id: str, config: Config | None, most_folded: int = MOST_FOLDED
) -> Explanation:
    """The round explained; with what the table refused, where its configuration says which game it plays.

    Args:
        most_folded: a longer journal isn't folded, and the explanation says so.

    Raises:
        UnknownRoundError: there is no such round.
        UnreadableError: the journal can't be read.
    """
    found = explain(reader, round_id, told())
    last = found.steps[-1].record if found.steps else 0
    if config is None or last > most_folded:
        return replace(found, missing=(*found.missing, "no_refusals"))
    refused = refusals(reader, config, found.steps[0].record, last)
    steps = tuple(replace(step, refused=refused.get(step.record)) for step in found.steps)
    return replace(found, steps=steps)


def case_making(config: Config | None, language: Language) -> Making:
    """What an incident case is made with, now and by this build."""

    def explain_one(reader: JournalReader, round_id: str) -> Explanation:
        return explained(reader, round_id, config)

    return Making(told(), explain_one, language, SystemClock().now().utc_us, tablectl.__version__)


def board_now(reader: JournalReader, config: Config, period: tuple[str, str]) -> Board:
    """The table's board, by the rules that its configuration names.

    Raises:
        ValueError: that is no period.
        UnreadableError: the journal can't be read.
    """
    kinds = kinds_of(game_of(config).make(config))
    return board_of(reader, f"{config.table.site}/{config.table.name}", config.table.game, kinds, period)


def refusals(reader: JournalReader, config: Config, first: int, last: int) -> Mapping[int, Refused]:
    """What the table refused from one record to another, by record: the journal is folded from its beginning.

    A refusal is an answer, not an event, so only the same fold says it again, by the rules of this configuration.
    """
    game = game_of(config).make(config)
    table = procedure.begin(game)
    found: dict[int, Refused] = {}
    for row in records_between(reader, 1, last):
        try:
            table, effects = procedure.step(game, table, read_fact(row.body))
        except WireError:
            continue  # it is in the explanation as a record that this build can't read
        if row.number >= first and (refuse := _refusal(effects)) is not None:
            found[row.number] = Refused(refuse.article, refuse.code, words.say(refuse.text))
    return found


def _refusal(effects: Effects) -> Refuse | None:
    return next((effect for effect in effects if isinstance(effect, Refuse)), None)


def told() -> Told:
    """How rounds are told in every language."""
    return Told(MappingProxyType({language: _voice(language) for language in LANGUAGES}), _explaining, _result)


def _voice(language: Language) -> Voice:
    renderer = Renderer(language)

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


def _result(payload: bytes) -> str:
    result = result_of(StoredEvent(0, "", payload))
    return result.name if result else ""
