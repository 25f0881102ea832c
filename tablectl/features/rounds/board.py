"""History board: results of the last rounds, and counts with their expectation."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from tablectl import words
from tablectl.config.game_setup import game_of, played
from tablectl.config.models import Config
from tablectl.core.facts import SessionBegan
from tablectl.core.game_step import Game
from tablectl.history.events import period_of
from tablectl.history.explain.columns import folded, table
from tablectl.history.explain.model import Renderers
from tablectl.history.statistics.evidence_account import read_account
from tablectl.history.statistics.expected import Kind, kinds_of
from tablectl.history.statistics.fairness_monitor import Budget
from tablectl.history.statistics.period import counted
from tablectl.history.statistics.stream_names import judged
from tablectl.journal.encoding import WireError, read_fact
from tablectl.journal.reading.ranges import records_between
from tablectl.journal.reading.reader import JournalReader
from tablectl.journal.reading.rows import Remembered
from tablectl.journal.replay import see_whose
from tablectl.lazy_dataclass import dataclass
from tablectl.rule_tables import GAMES
from tablectl.words import Language

SHOWN: Final = 20
"""So many of the last results."""

OUTSIDE: Final = "*"

LEAST_SHARE: Final = 0.001


@dataclass(frozen=True, slots=True)
class Board:
    """A table's board.

    Args:
        place: site and table.
        game: as configurations name it.
        counts: the statistics; each row of a count has `gap`, the settled rounds since its outcome last came, or
            None where it didn't.
        latest: by what is counted, the last outcomes, the newest first.
        left_out: events that were passed over when the period was looked for, as they bear a time later than now.
        weighed: the stream with most evidence of unfairness, over all that was played; None where nothing was weighed.
    """

    place: str
    game: str
    counts: Mapping[str, Any]
    latest: Mapping[str, Sequence[str]]
    left_out: int = 0
    weighed: Mapping[str, Any] | None = None

    def form(self) -> dict[str, Any]:
        """The board as JSON."""
        site, name = self.place.split("/")
        latest = {kind: list(outcomes) for kind, outcomes in self.latest.items()}
        return {"site": site, "table": name, "game": self.game, **self.counts, "latest": latest}


def board_now(reader: JournalReader, config: Config | None, period: tuple[str, str], now_us: int) -> Board:
    """Return the table's board.

    It goes by the rules that the configuration names; without one, by those of the table's last session.

    Raises:
        NoTermsError: the journal doesn't say by which.
        StrangerError: it isn't of the table that is configured.
        ValueError: that is no period.
        UnreadableError: the journal can't be read.
    """
    if config is not None:
        table, game = config.table, game_of(config).make(config)
        with suppress(WireError):  # A board is made of events; facts that this build can't read don't matter to it.
            see_whose((row.body for row in records_between(reader, 1, 2)), table.site, table.name, game.name)
        return board_of(reader, f"{table.site}/{table.name}", game.name, kinds_of(game), period, now_us)
    game = last_game(reader)
    place = "/".join(reader.origin().split("/")[1:3])
    return board_of(reader, place, game.name, kinds_of(game), period, now_us)


def board_of(
    reader: JournalReader, place: str, game: str, kinds: Sequence[Kind], period: tuple[str, str], now_us: int
) -> Board:
    """The board of a period.

    Args:
        period: from and to: an event as `event:24`, a day or an instant; empty means the first and the last.
        now_us: the present, UTC microseconds.

    Raises:
        ValueError: that is no period.
        UnreadableError: the journal can't be read.
    """
    within = period_of(reader, *period, now_us)
    form, outcomes = counted(reader, within.first, within.last, kinds)
    for count in form["counts"]:
        for row in count["rows"]:
            row["gap"] = _gap(outcomes[count["kind"]], row["name"])
    latest = {kind: came[: -SHOWN - 1 : -1] for kind, came in outcomes.items()}
    return Board(place, game, form, latest, within.left_out, _weighed(reader))


def _weighed(reader: JournalReader) -> Mapping[str, Any] | None:
    """Return the stream with most evidence, as the daemon kept its account last."""
    with suppress(ValueError):
        streams = read_account(reader.meta().get(Remembered.FAIRNESS, ""), Budget()).form()["streams"]
        return next(iter(streams), None)
    return None


def _gap(came: Sequence[str], name: str) -> int | None:
    return next((gap for gap, outcome in enumerate(reversed(came)) if outcome == name), None)


def board_text(board: Board, rendering: Renderers, language: Language, columns: int | None = None) -> Iterator[str]:
    """The board for a terminal."""
    rounds = board.counts["rounds"]
    simulated = f"  {_say('simulated', language)}" if board.counts["simulated"] else ""
    yield f"{board.place}  {words.text(f'game.{board.game}', language)}{simulated}"
    yield words.text("page.surveillance.rounds_sum", language, **rounds)
    if board.counts["cut"]:
        yield words.text("page.surveillance.cut", language)
    yield from pace_text(board.counts, language, columns)
    for count in board.counts["counts"]:
        yield ""
        yield from _count(board, count, rendering, language, columns)
    yield ""
    if board.weighed is not None:
        yield from folded(_say("weighed", language, judged=judged(board.weighed, language)), "")
    for key in ("usual", "none_due"):
        yield from folded(_say(key, language), "")


def _count(
    board: Board, count: Mapping[str, Any], rendering: Renderers, language: Language, columns: int | None
) -> Iterator[str]:
    title = words.text(f"page.surveillance.counts.{count['kind']}", language)
    yield _say("counted", language, what=title, rounds=count["rounds"])
    if not count["rounds"]:
        return

    def name(outcome: str) -> str:
        return _name(rendering, language, board.game, count["family"], outcome)

    latest = " · ".join(name(outcome) for outcome in board.latest[count["kind"]])
    yield from folded(_say("latest", language, results=latest), "    ", "  ")
    head = tuple(_say(key, language) for key in ("result", "seen", "expected", "range", "gap"))
    rows = [head, *(_row(name(row["name"]), row) for row in count["rows"])]
    yield from table(rows, right={1, 2, 3, 4}, most=(26, 10, 12, 14, 16), columns=columns)
    if fit := count["fit"]:
        yield from folded(_say("fit", language, **{**fit, "percent": percent(fit["p"])}), "    ", "  ")


def percent(share: float) -> str:
    """A share of a hundred, as far as it means something."""
    return "<0.1" if share < LEAST_SHARE else f"{100 * share:.1f}"


def _row(name: str, row: Mapping[str, Any]) -> tuple[str, ...]:
    gap = "–" if row["gap"] is None else str(row["gap"])
    if "expected" not in row:
        return name, str(row["observed"]), "–", "–", gap
    if "low" not in row:
        return name, str(row["observed"]), f"{row['expected']:.1f}", "–", gap
    outside = "" if row["low"] <= row["observed"] <= row["high"] else OUTSIDE
    return name, f"{outside}{row['observed']}", f"{row['expected']:.1f}", f"{row['low']}–{row['high']}", gap


def _name(rendering: Renderers, language: Language, game: str, family: str, outcome: str) -> str:
    """An outcome in the game's words."""
    speaks = rendering.voices[language].words
    if family == "section":
        return words.text("page.surveillance.section", language, number=outcome)
    if family == "draw":
        series, _, number = outcome.rpartition("_")
        return f"{speaks.term('series', series)} {number}"
    if short := words.catalogue(language).get(f"page.display.dice.{outcome}"):
        return short
    if outcome == "no_natural":
        return words.text("page.surveillance.no_natural", language)
    return speaks.term(family, outcome, game)


def _say(key: str, language: Language, **values: object) -> str:
    return words.text(f"cli.board.{key}", language, **values)


HOURS: Final = 24
"""So many of the last hours; all of them are in the JSON form."""


def pace_text(counts: Mapping[str, Any], language: Language, columns: int | None = None) -> Iterator[str]:
    """Lines with the statistics next to the counts, for a terminal.

    A kind of which there is nothing has no line.
    """
    if hours := counts["hours"][-HOURS:]:
        told = (f"{each['hour'][5:].replace('T', ' ')}:00 {each['settled'] + each['void']}" for each in hours)
        yield ""
        yield from folded(f"{_pace_word('per_hour', language)}: {' · '.join(told)}", "    ")
    if parts := counts["parts"]:
        yield ""
        yield f"{_pace_word('durations', language)}:"
        head = tuple(_pace_word(key, language) for key in ("part", "median", "ninth", "longest"))
        yield from table(
            [head, *(_part(each, language) for each in parts)], right={1, 2, 3}, most=(26, 16, 16, 16), columns=columns
        )
    if faults := counts["faults"]:
        yield ""
        told = (f"{each['code']} ×{each['times']}" for each in faults)
        yield from folded(f"{_pace_word('faults_seen', language)}: {' · '.join(told)}", "    ")


def _part(part: Mapping[str, Any], language: Language) -> tuple[str, ...]:
    figures = (f"{part[key]:.1f} s" for key in ("median_s", "ninth_s", "longest_s"))
    return _pace_word(f"parts.{part['part']}", language), *figures


def _pace_word(key: str, language: Language) -> str:
    return words.text(f"page.surveillance.{key}", language)


STEP: Final = 1024
_BEGAN: Final = b'"fact":"session_began"'


class NoTermsError(Exception):
    """The journal doesn't say what was played, or another build's journal says it."""


def last_game(reader: JournalReader) -> Game[Any]:
    """The game by the terms of the journal's last session, looked for from its end.

    Raises:
        NoTermsError: it doesn't say.
        UnreadableError: the journal can't be read.
    """
    head = reader.head()
    upper = head.record if head else 0
    while upper > 0:
        lower = max(1, upper - STEP + 1)
        began = [each.body for each in records_between(reader, lower, upper) if _BEGAN in each.body[:64]]
        if began:
            return _game(began[-1])
        upper = lower - 1
    raise NoTermsError("the journal doesn't say by which rules it was played: name the configuration with --config")


def _game(body: bytes) -> Game[Any]:
    try:
        fact = read_fact(body).body
        if isinstance(fact, SessionBegan) and fact.terms and fact.game in GAMES:
            return played(fact.game).by_terms(fact.terms)
    except (WireError, ValueError):
        pass
    raise NoTermsError("the journal doesn't say by which rules it was played: name the configuration with --config")
