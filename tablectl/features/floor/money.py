"""Handle, win, hold and commission of many tables, beside the expected win."""

import json
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import field
from datetime import timedelta
from fractions import Fraction
from functools import cache
from io import BytesIO
from typing import Any, Final

from tablectl.console.history_routes import TooMuchError
from tablectl.core.events import KINDS
from tablectl.core.money import format_money, utc_instant, utc_text
from tablectl.features.recorder.stores.kept import Kept, KeptEvent, journal_of
from tablectl.history.events import MOST_TAKEN
from tablectl.history.explain.model import inside
from tablectl.history.explain.money import signed
from tablectl.history.export import arrow_with_parquet, csv_rows
from tablectl.history.money_tables import FinishedRound, Takings, bet_rows, finished, round_row
from tablectl.lazy_dataclass import dataclass
from tablectl.rule_tables import GAMES, game_record, load_rules, part

OVERLAP_US: Final = round(timedelta(days=1) / timedelta(microseconds=1))
"""A round that ended in the period began within this time before it."""

BY: Final = ("table", "game", "pit", "dealer", "hour")
"""Into what the sums may be divided."""

COLUMNS: Final = ("rounds", "void", "handle", "win", "hold", "commission", "expected_win", "expected_handle")

_SIGNED_ON, _BEGAN = "audit.signed_on.v1", "audit.session_began.v1"
_TAKEN_KINDS: Final = (*(kind for family, kind in KINDS.values() if family == "round"), _SIGNED_ON, _BEGAN)


@dataclass(slots=True)
class Sums:
    """The sums over some rounds.

    Args:
        takings: handle, win and commission.
        expected: what the house has of the bets on average, in hundredths, commission included.
        expected_handle: the stakes of these bets: the others' return depends on how people play.
    """

    takings: Takings = field(default_factory=Takings)
    void: int = 0
    expected: Fraction = Fraction()
    expected_handle: int = 0

    def form(self) -> dict[str, Any]:
        """The sums for people and programs, with `COLUMNS`; amounts are decimal text."""
        return {
            "rounds": self.takings.rounds,
            "void": self.void,
            "handle": format_money(self.takings.handle),
            "win": format_money(self.takings.win),
            "hold": self.takings.hold,
            "commission": format_money(self.takings.commission),
            "expected_win": format_money(round(self.expected)) if self.expected_handle else "",
            "expected_handle": format_money(self.expected_handle),
        }


def money(
    kept: Kept, period: tuple[str, str], by: str, pits: Mapping[str, str], table: str = ""
) -> list[dict[str, Any]]:
    """The sums of the rounds that ended in a period.

    The last line, without a name, is of all.

    Args:
        period: its begin and its end, as `period` gives them.
        by: one of `BY`; hours are of UTC.
        pits: by place: the pit's name.
        table: the only table that counts; empty for all.

    Raises:
        TooMuchError: too many events lie in that time.
    """
    begin_us = utc_instant(period[0])
    since = period[0] if begin_us is None else utc_text(max(0, begin_us - OVERLAP_US))
    of_logs = kept.of_all(since, _TAKEN_KINDS, MOST_TAKEN)
    if sum(len(events) for _, events in of_logs) == MOST_TAKEN:
        raise TooMuchError(f"{MOST_TAKEN} events or more lie in that time: ask for less of it")
    sums: dict[str, Sums] = {}
    whole = Sums()
    for place, events in of_logs:
        if table and place != table:
            continue
        dealers = _dealers(events)
        for each in _finished(events, *period):
            name = dealers(each) if by == "dealer" else _name(each, by, place, pits)
            for one in (sums.setdefault(name, Sums()), whole):
                _add(one, each)
    return [{"name": name, **sums[name].form()} for name in sorted(sums)] + [{"name": "", **whole.form()}]


def as_csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """The rows as CSV: a name, then `COLUMNS`."""
    columns = ("name", *COLUMNS)
    return b"".join(csv_rows(columns, ([str(row[name]) for name in columns] for row in rows)))


def as_parquet(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """The rows as a Parquet file: names and decimal text as in CSV, rounds as numbers.

    Raises:
        ExportError: pyarrow is missing.
    """
    arrow, parquet = arrow_with_parquet()
    kinds = {name: arrow.int64() if name in {"rounds", "void"} else arrow.string() for name in ("name", *COLUMNS)}
    schema, file = arrow.schema(list(kinds.items())), BytesIO()
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        writer.write_batch(arrow.RecordBatch.from_pylist([dict(row) for row in rows], schema))
    return file.getvalue()


def _finished(events: Sequence[KeptEvent], since: str, until: str) -> Iterator[FinishedRound]:
    with closing(journal_of(events)) as reader:
        yield from finished(reader, since, until)


def _dealers(events: Sequence[KeptEvent]) -> Callable[[FinishedRound], str]:
    """A function from a round to its dealer.

    That is who had signed on when it was opened; empty where nobody is known.
    """
    served: list[tuple[int, str]] = []
    for event in events:
        if event.kind == _BEGAN:
            served.append((event.sequence, ""))
        elif event.kind == _SIGNED_ON and (data := inside(json.loads(event.payload), "data")).get("role") == "dealer":
            served.append((event.sequence, str(data.get("by", ""))))

    def dealer(each: FinishedRound) -> str:
        before = bisect_left(served, (int(each.opened["sequence"]), ""))
        return served[before - 1][1] if before else ""

    return dealer


def _name(each: FinishedRound, by: str, place: str, pits: Mapping[str, str]) -> str:
    match by:
        case "game":
            return str(each.opened["data"].get("game", ""))
        case "pit":
            return pits.get(place, "")
        case "hour":
            return str(each.ending.event.get("time", ""))[:13]
        case _:
            return place


def _add(sums: Sums, each: FinishedRound) -> None:
    round_row(each, sums.takings)
    sums.void += each.ending.end == "void"
    returns = _returns(str(each.opened["data"].get("game", "")), str(each.opened["data"].get("rules_hash", "")))
    for row in bet_rows(each):
        _, _, _, layer, _, bet, stake, *_ = row
        if not layer and bet in returns:
            sums.expected -= returns[bet] * signed(stake)
            sums.expected_handle += signed(stake)


@cache
def _returns(game: str, rules_hash: str) -> Mapping[str, Fraction]:
    """The mean return of each bet of a game for each unit staked.

    Only of the shipped rule tables, with one pack.
    """
    if game not in GAMES or load_rules(game).hash != rules_hash:
        return {}
    found = part(game_record(game).odds)(load_rules(game), 1)
    return {name: bet.expectation() for name, bet in found.bets.items()}
