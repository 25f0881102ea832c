"""Where a device has been: the recorder notes who it is at each table, the floor page asks by serial number."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import apsw
import pytest

from tablectl.features.floor.archive import Looker
from tablectl.features.recorder import ingest
from tablectl.features.recorder.ingest import Book
from tablectl.features.recorder.keys import Pins
from tablectl.features.recorder.run import store_of
from tablectl.features.recorder.stores.records import SeenDevice
from tests.reader.record_postgres import Postgres

SHOE: Mapping[str, Any] = {"maker": "Angel", "model": "II-EX", "serial": "AE-81"}


@pytest.fixture(name="url", params=["sqlite", "postgres"])
def _url(request: pytest.FixtureRequest, tmp_path: Path, postgres: Postgres) -> str:
    return postgres.database() if request.param == "postgres" else f"sqlite:{tmp_path}/room.db"


def state(identity: Any = SHOE, firmware: Any = "1.2", state: str = "ready") -> bytes:
    data = {"name": "shoe", "state": state, "identity": identity, "firmware": firmware}
    return json.dumps({"data": data, "simulated": True}).encode()


async def recorded(url: str, *told: tuple[str, bytes, str]) -> None:
    """A run of a recorder that hears these states: a table, its shoe's state, when."""
    book, store = Book("recorder", "5e55", Pins({}, first_use=True)), store_of(url)
    book.begin(await store.open(), ())
    for place, payload, at in told:
        book.take(f"tablectl/v1/{place}/device/shoe/status", payload, f"2026-11-{at}T04:00:00.000000Z", 0.0)
        await store.save(book.batch(at))
    await store.close()


async def history(url: str, serial: str) -> list[tuple[str, str, str]]:
    seen = await Looker(url).look(lambda kept: kept.history(serial, 9))
    return [(each.place, each.firmware, each.since[8:10]) for each in seen]


async def test_history_has_each_table_and_firmware_once(url: str) -> None:
    other = {**SHOE, "serial": "AE-82"}
    await recorded(url, ("m/q1", state(), "01"), ("m/q1", state(), "02"), ("m/q1", state(state="lost"), "03"))
    await recorded(url, ("m/q1", state(), "04"), ("m/q1", state(firmware="1.3"), "05"), ("m/q2", state(other), "05"))
    await recorded(url, ("m/q1", state(other), "06"), ("m/q2", state(firmware="1.3"), "06"), ("m/q1", state(), "07"))
    assert await history(url, "AE-81") == [
        ("m/q1", "1.2", "01"), ("m/q1", "1.3", "05"), ("m/q2", "1.3", "06"), ("m/q1", "1.2", "07"),
    ]  # fmt: skip
    assert await history(url, "AE-82") == [("m/q2", "1.2", "05"), ("m/q1", "1.2", "06")]
    assert await history(url, "' OR 1=1 --") == []


async def test_database_of_an_earlier_build_is_given_its_table(tmp_path: Path) -> None:
    url = f"sqlite:{tmp_path}/room.db"
    await recorded(url)
    await asyncio.to_thread(_drop, tmp_path / "room.db")
    await recorded(url, ("m/q1", state(), "01"))
    assert await history(url, "AE-81") == [("m/q1", "1.2", "01")]


def _drop(path: Path) -> None:
    db = apsw.Connection(str(path))
    db.execute("DROP TABLE device")
    db.close()


@pytest.mark.parametrize(
    "payload",
    [b"", b"[]", b"{}", state("x"), state({}), state({}, ""), state(None), state({"serial": 5}), state(state="lost")],
)
def test_what_names_no_device_is_left(payload: bytes) -> None:
    assert seen_of(payload if b"1.2" not in payload else payload.replace(b"1.2", b"")) == ()


def test_strangers_names_are_cut_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    (seen,) = seen_of(state({"maker": "\x1b[2J" + "x" * 9_000, "serial": ["y"]}))
    assert (len(seen.maker), seen.serial) == (ingest.LONGEST_NAME, "")
    monkeypatch.setattr(ingest, "MOST_DEVICES", 5)
    assert len(seen_of(*(state({"serial": f"{nth}"}) for nth in range(9)))) == 5


def seen_of(*payloads: bytes) -> Sequence[SeenDevice]:
    book = Book("recorder", "5e55", Pins({}, first_use=True))
    for nth, payload in enumerate(payloads):
        book.take(f"tablectl/v1/m/q1/device/shoe{nth}/status", payload, "2026-11-01T04:00:00.000000Z", 0.0)
    return book.batch("2026-11-01T04:00:00.000000Z").devices
