"""The money of a floor is that of its tables' own exports."""

import asyncio
import csv
import io
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from click.testing import CliRunner

from tablectl.cli import main
from tablectl.console.history_routes import TooMuchError
from tablectl.features.floor import money as floor_money
from tablectl.features.floor.archive import Looker, period
from tablectl.features.floor.money import BY, COLUMNS, as_csv, as_parquet, money
from tests.floor.support import PLACE, payloads_of, published, record, renamed
from tests.support.kept import LOG

ROUNDS = 3
PITS = {PLACE: "north"}


@pytest.fixture(name="looker")
async def _looker(tmp_path: Path) -> Looker:
    """A recorder's database with one table's rounds, and the same once more as another table's."""
    payloads = await asyncio.to_thread(published, tmp_path / "state", ROUNDS)
    url = f"sqlite:{tmp_path}/room.db"
    await record(url, [*payloads, *renamed(payloads, "z")])
    return Looker(url)


async def asked(looker: Looker, by: str, begin: str = "", end: str = "") -> list[dict[str, Any]]:
    return await looker.look(lambda kept: money(kept, period(begin, end), by, PITS))


def exported(folder: Path) -> list[dict[str, str]]:
    """What `tablectl journal export --of rounds` says of the table itself."""
    result = CliRunner().invoke(main, ["journal", "export", str(folder), "--of", "rounds"])
    assert result.exit_code == 0, result.output
    return list(csv.DictReader(io.StringIO(result.stdout, newline="")))


async def test_each_table_has_the_money_of_its_own_export(looker: Looker, tmp_path: Path) -> None:
    own = await asyncio.to_thread(exported, tmp_path / "state")
    rows = await asked(looker, "table")
    assert [row["name"] for row in rows] == [PLACE, "demo/z", ""]
    for row, times in zip(rows, (1, 1, 2), strict=True):
        assert row["rounds"] == times * len(own) == times * ROUNDS
        for column in ("handle", "win", "commission"):
            assert Decimal(row[column]) == times * sum(Decimal(each[column]) for each in own), column
        hold = 100 * Decimal(row["win"]) / Decimal(row["handle"])
        assert Decimal(row["hold"]) == round(hold, 2)


async def test_expected_win_is_stake_times_the_houses_share(looker: Looker) -> None:
    *_, row = await asked(looker, "game")
    assert row["expected_handle"] == row["handle"]
    share = Decimal(row["expected_win"]) / Decimal(row["handle"])
    assert 0 < share < Decimal("0.1")


@pytest.mark.parametrize(
    ("by", "name"), [("table", PLACE), ("game", "q_poker"), ("pit", "north"), ("hour", "2026-09-21T14")]
)
async def test_sums_are_divided_as_asked(looker: Looker, by: str, name: str) -> None:
    *parts, whole = await asked(looker, by)
    assert by in BY
    assert name in {row["name"] for row in parts}
    for column in ("rounds", "handle", "win"):
        assert sum(Decimal(row[column]) for row in parts) == Decimal(whole[column])
    assert as_csv([whole]).decode().splitlines()[0] == ",".join(("name", *COLUMNS))


def instead(payload: bytes, kind: str, **data: str) -> bytes:
    """Another event in the place of one."""
    form = json.loads(payload)
    return json.dumps({**form, "type": f"mo.tablectl.audit.{kind}.v1", "data": data}).encode()


async def test_round_is_of_the_dealer_who_had_signed_on(tmp_path: Path) -> None:
    payloads = await asyncio.to_thread(published, tmp_path / "state", ROUNDS)
    first, second = ([at for at, each in enumerate(payloads) if b"card.dealt" in each][nth] for nth in (2, 11))
    payloads[0] = instead(payloads[0], "signed_on", by="ana", role="dealer", means="pin")
    payloads[first] = instead(payloads[first], "signed_on", by="rui", role="dealer", means="pin")
    payloads[first + 1] = instead(payloads[first + 1], "signed_on", by="mei", role="supervisor", means="pin")
    payloads[first + 2] = json.dumps(
        {**json.loads(instead(payloads[first + 2], "signed_on")), "data": ["dealer"]}
    ).encode()
    payloads[second] = instead(payloads[second], "session_began", by="table")
    looker = Looker(f"sqlite:{tmp_path}/room.db")
    await record(looker.url, [*payloads, *renamed(payloads, "z")])
    rows = await asked(looker, "dealer")
    assert [(row["name"], row["rounds"]) for row in rows] == [("", 2), ("ana", 2), ("rui", 2), ("", 6)]
    one = await looker.look(lambda kept: money(kept, period("", ""), "dealer", PITS, PLACE))
    assert [(row["name"], row["rounds"]) for row in one] == [("", 1), ("ana", 1), ("rui", 1), ("", 3)]


def test_parquet_has_the_rows_of_csv() -> None:
    row = dict.fromkeys(COLUMNS, "1.00") | {"name": "ana", "rounds": 3, "void": 0}
    read = pyarrow.parquet.read_table(pyarrow.BufferReader(as_parquet([row]))).to_pylist()
    assert read == [row]


async def test_a_second_log_of_a_table_counts_as_well(looker: Looker, tmp_path: Path) -> None:
    payloads = await asyncio.to_thread(payloads_of, tmp_path / "state")
    await record(looker.url, [each.replace(LOG.encode(), b"deadbeef") for each in payloads])
    first, *_, whole = await asked(looker, "table")
    assert (first["name"], first["rounds"], whole["rounds"]) == (PLACE, 2 * ROUNDS, 3 * ROUNDS)


def test_a_name_that_is_a_formula_harms_no_spreadsheet() -> None:
    row = dict.fromkeys(COLUMNS, "1") | {"name": "=cmd|'/c calc'!A1"}
    assert as_csv([row]).decode().splitlines()[1].startswith("'=cmd")


async def test_a_round_counts_in_the_period_in_which_it_ended(looker: Looker, tmp_path: Path) -> None:
    ends = [row["ended"] for row in await asyncio.to_thread(exported, tmp_path / "state")]
    *_, early = await asked(looker, "table", "", ends[1])
    *_, late = await asked(looker, "table", ends[1], "")
    assert (early["rounds"], late["rounds"]) == (2, 4)
    assert [row["name"] for row in await asked(looker, "table", "2027-01-01", "")] == [""]


async def test_a_period_with_too_many_events_is_refused(looker: Looker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(floor_money, "MOST_TAKEN", 5)
    with pytest.raises(TooMuchError, match="ask for less"):
        await asked(looker, "table")
