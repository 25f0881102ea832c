"""Closed days leave the recorder's database for cold files, in which every event is found, proved and checked."""

import asyncio
import json
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Final

import psycopg
import pytest
from click.testing import CliRunner

from tablectl.cli import main
from tablectl.daemon.signing.keys import signing_key
from tablectl.features.recorder import archive as archiving
from tablectl.features.recorder.archive import ArchiveError, Moved, archived
from tablectl.features.recorder.run import store_of
from tablectl.features.recorder.stores.kept import opened
from tablectl.features.recorder.stores.records import Batch, Checkpoint
from tablectl.history import cold_files
from tablectl.history.cold import damages, open_cold, open_past
from tablectl.history.cold_files import INDEX, read_index
from tablectl.history.prove import UnprovableError, covering, make_proof
from tablectl.journal.reading.rows import UnreadableError
from tablectl.proof.checkpoint import Checkpoint as Signed
from tablectl.proof.checkpoint import sign_checkpoint
from tablectl.proof.note import NoteError, Signer, fingerprint
from tablectl.proof.tree import Frontier, leaf_hash
from tests.floor.support import PLACE, RECEIVED, published, record
from tests.reader.record_postgres import Postgres
from tests.reader.record_table import Table
from tests.support.kept import LOG

END_US = 10**17
ROUNDS = 45
TILE = 256


@pytest.fixture(name="state", scope="module")
def _state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The state folder of a table that has played for a while."""
    folder = tmp_path_factory.mktemp("table") / "state"
    assert len(published(folder, ROUNDS)) > 3 * TILE
    return folder


@pytest.fixture(name="payloads", scope="module")
def _payloads(state: Path) -> Sequence[bytes]:
    with closing(open_past(state)) as reader:
        return [row.payload for row in reader.events()]


@pytest.fixture(name="key", scope="module")
def _key(state: Path) -> Signer:
    return signing_key(state)


@pytest.fixture(name="url", params=["sqlite", "postgres"])
def _url(request: pytest.FixtureRequest, tmp_path: Path, postgres: Postgres) -> str:
    return postgres.database() if request.param == "postgres" else f"sqlite:{tmp_path}/room.db"


@pytest.fixture(name="room")
def _room(tmp_path: Path) -> str:
    return f"sqlite:{tmp_path}/room.db"


def keep(url: str, payloads: Sequence[bytes], key: Signer, *, verified: int | None = None, a_day: int = 0) -> None:
    """Has a recorder keep these events, under a checkpoint over all of them or some."""
    asyncio.run(_kept(url, payloads, key, verified, a_day))


async def _kept(url: str, payloads: Sequence[bytes], key: Signer, verified: int | None, a_day: int) -> None:
    await record(url, payloads, a_day)
    store = store_of(url)
    (state,) = await store.open()
    tree = Frontier().grown(map(leaf_hash, payloads[:verified]))
    note = sign_checkpoint(Signed(state.source[1:], tree.size, tree.root), key)
    signed = replace(state, verified=tree.size, agreed=tree, keys=(key.public,))
    await store.save(Batch((), (signed,), (Checkpoint(state.source, note, tree, RECEIVED, verified=True),), (), ()))
    await store.close()


def moved(url: str, target: Path, until_us: int = END_US) -> Moved:
    with opened(url, writes=True) as kept:
        (one,) = archived(kept, target, until_us)
    return one


def left(url: str) -> list[int]:
    with opened(url) as kept:
        return [int(row[0]) for row in kept.ask("SELECT sequence FROM {in}event ORDER BY sequence", ())]


def folder_in(target: Path) -> Path:
    return target / PLACE / LOG


def said(*words: str | Path, lang: str = "en") -> tuple[int, str]:
    done = CliRunner().invoke(main, [str(each) for each in words], env={"LC_ALL": "C.UTF-8", "LANG": lang})
    return done.exit_code, done.output


def test_archived_events_leave_the_database(url: str, tmp_path: Path, key: Signer, payloads: Sequence[bytes]) -> None:
    first, rest = payloads[: 2 * TILE + 10], payloads[2 * TILE + 10 :]
    keep(url, first, key)
    assert moved(url, tmp_path / "cold").last == 2 * TILE
    assert left(url) == [1, *range(2 * TILE + 1, len(first) + 1)]
    assert moved(url, tmp_path / "cold") == Moved(f"tablectl/{PLACE}/{LOG}", 0, 0, 0)
    keep(url, [*first, *rest], key)
    told = moved(url, tmp_path / "cold")
    assert (told.first, told.last) == (2 * TILE + 1, len(payloads) // TILE * TILE)
    with closing(open_cold(folder_in(tmp_path / "cold"))) as reader:
        assert [row.payload for row in reader.events()] == payloads[: told.last]
        assert reader.tree().root(len(payloads)) == Frontier().grown(map(leaf_hash, payloads)).root
        assert [row.sequence for row in reader.log.events_back(5, 9)] == [9, 8, 7, 6, 5]
    assert list(damages(folder_in(tmp_path / "cold"))) == []


def test_day_leaves_whole_once_all_of_it_is_archived(
    postgres: Postgres, tmp_path: Path, key: Signer, payloads: Sequence[bytes]
) -> None:
    url = postgres.database()
    keep(url, payloads, key, a_day=TILE - 50)
    assert len(days := partitions(postgres, url)) > 4
    last = moved(url, tmp_path / "cold").last
    assert last == len(payloads) // TILE * TILE
    assert left(url) == [1, *range(last + 1, len(payloads) + 1)]
    first_left = last // (TILE - 50)
    assert partitions(postgres, url) == [days[0], *days[first_left : -(-len(payloads) // (TILE - 50))]]
    keep(url, payloads, key, a_day=TILE - 50)
    assert left(url) == [1, *range(last + 1, len(payloads) + 1)]


def test_day_that_is_read_leaves_with_the_next_archive(
    postgres: Postgres, tmp_path: Path, key: Signer, payloads: Sequence[bytes]
) -> None:
    url = postgres.database()
    keep(url, payloads, key, a_day=TILE - 50)
    days = partitions(postgres, url)
    with psycopg.connect(url) as reader:
        reader.execute("SELECT FROM tablectl.event LIMIT 1")
        last = moved(url, tmp_path / "cold").last
        assert left(url) == [1, *range(last + 1, len(payloads) + 1)]
        assert partitions(postgres, url) == days
    moved(url, tmp_path / "cold")
    assert left(url) == [1, *range(last + 1, len(payloads) + 1)]
    assert len(partitions(postgres, url)) < len(days)


def partitions(postgres: Postgres, url: str) -> list[str]:
    query = "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'tablectl.event'::regclass ORDER BY 1"
    return [str(row[0]) for row in postgres.ask(url, query)]


def test_commands_read_an_archive_like_a_table(
    room: str, tmp_path: Path, key: Signer, state: Path, payloads: Sequence[bytes]
) -> None:
    keep(room, payloads, key)
    last = moved(room, tmp_path / "cold").last
    cold = folder_in(tmp_path / "cold")
    own = [json.loads(line) for line in said("recall", "--journal", state, "--json", "--last", "99")[1].splitlines()]
    ended = [line for line in own if line["last"] <= last]
    code, text = said("recall", "--journal", cold, "--json", "--last", "99")
    assert (code, [json.loads(line) for line in text.splitlines()][-len(ended) :]) == (0, ended)
    assert said("recall", "17", "--journal", cold) == said("recall", "17", "--journal", state)
    settled = said("settle", "--journal", state)[1].splitlines()
    assert said("settle", "--journal", cold) == (0, "".join(f"{line}\n" for line in settled[: len(ended)]))
    assert said("explain", "17", "--journal", cold)[0] == 0
    assert said("fairness", cold)[0] == 0
    assert said("journal", "export", cold)[1].encode() == b"".join(payload + b"\n" for payload in payloads[:last])
    assert said("prove", "17", "--journal", cold, "--to", tmp_path / "proof.json")[0] == 0
    code, text = said("verify", tmp_path / "proof.json", "--key", fingerprint(key.public))
    assert code == 0
    assert f"checkpoint  of {len(payloads)} events" in text
    assert said("prove", "999", "--journal", cold)[0] == 1
    assert said("case", "17", "--journal", cold, "--to", tmp_path / "case")[0] == 2


@pytest.mark.parametrize("name", [INDEX, "0000000000000001.parquet"])
def test_each_damaged_byte_is_named(
    room: str, tmp_path: Path, key: Signer, payloads: Sequence[bytes], name: str
) -> None:
    keep(room, payloads, key)
    moved(room, tmp_path / "cold")
    path = folder_in(tmp_path / "cold") / name
    whole, draw = path.read_bytes(), Random(27)
    for _ in range(150):
        at = draw.randrange(len(whole))
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << draw.randrange(8)]) + whole[at + 1 :])
        try:
            found = list(damages(path.parent))
        except UnreadableError as error:
            found = [str(error)]
        assert found, at
        assert all(name in line for line in found), (at, found)


def test_a_proof_from_damaged_events_is_refused(
    room: str, tmp_path: Path, key: Signer, payloads: Sequence[bytes]
) -> None:
    keep(room, payloads, key)
    moved(room, tmp_path / "cold")
    path = folder_in(tmp_path / "cold") / "0000000000000001.parquet"
    spoilt = bytearray(path.read_bytes())
    spoilt[len(spoilt) // 2] ^= 1
    path.write_bytes(spoilt)
    code, text = said("prove", "17", "--journal", path.parent)
    assert (code, "are damaged" in text) == (2, True)
    code, text = said("record", "--lang", "pt", "check-archive", tmp_path / "cold")
    assert (code, "danificados" in text) == (1, True)


def test_only_closed_days_under_a_checkpoint_are_moved(
    room: str, tmp_path: Path, key: Signer, payloads: Sequence[bytes]
) -> None:
    keep(room, payloads, key, verified=2 * TILE + 9)
    assert moved(room, tmp_path / "cold", 0) == Moved(f"tablectl/{PLACE}/{LOG}", 0, 0, 0)
    assert moved(room, tmp_path / "cold").last == 2 * TILE
    code, text = said("prove", "event:400", "--journal", folder_in(tmp_path / "cold"))
    assert (code, json.loads(text)["checkpoint"].splitlines()[1]) == (0, str(2 * TILE + 9))
    code, text = said("prove", f"event:{2 * TILE}", "--journal", folder_in(tmp_path / "cold"))
    assert (code, f"ends at event {2 * TILE}" in text) == (2, True)


def test_what_is_behind_a_gap_stays(room: str, tmp_path: Path, key: Signer, payloads: Sequence[bytes]) -> None:
    keep(room, payloads, key, verified=TILE + 30)
    with opened(room, writes=True) as kept:
        kept.ask("DELETE FROM {in}event WHERE sequence = ?", (TILE + 40,))
    told = moved(room, tmp_path / "cold")
    assert (told.last, told.gap) == (TILE, TILE + 40)
    assert len(left(room)) == len(payloads) - TILE


def test_other_events_than_those_signed_are_left_alone(
    room: str, tmp_path: Path, key: Signer, payloads: Sequence[bytes]
) -> None:
    keep(room, payloads, key)
    with opened(room, writes=True) as kept:
        kept.ask("UPDATE {in}event SET payload = ? WHERE sequence = 7", (payloads[6].replace(b":", b": ", 1),))
    why = f"the events up to {len(payloads) // TILE * TILE} aren't those of the checkpoint"
    assert moved(room, tmp_path / "cold").why == f"tablectl/{PLACE}/{LOG}: {why}"
    code, text = said("record", "--store", room, "--lang", "pt", "archive", "--to", tmp_path / "cold")
    assert (code, "não são os do ponto de controlo" in text) == (1, True)
    assert len(left(room)) == len(payloads)
    assert read_index(folder_in(tmp_path / "cold")) == ()


@pytest.mark.parametrize("at", ["write_whole", "_let_go"])
def test_run_that_was_ended_is_gone_on_with(
    room: str, tmp_path: Path, key: Signer, payloads: Sequence[bytes], monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    keep(room, payloads, key)
    calls: list[object] = []

    def ended(*given: object) -> None:
        calls.append(given)
        if len(calls) > (at == "_let_go"):
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(archiving, at, ended)
        with pytest.raises(KeyboardInterrupt):
            moved(room, tmp_path / "cold")
    assert len(left(room)) == len(payloads)
    moved(room, tmp_path / "cold")
    last = len(payloads) // TILE * TILE
    assert left(room) == [1, *range(last + 1, len(payloads) + 1)]
    assert list(damages(folder_in(tmp_path / "cold"))) == []


def test_two_archives_at_a_time_are_not_made(room: str, tmp_path: Path, key: Signer, payloads: Sequence[bytes]) -> None:
    keep(room, payloads, key)
    with opened(room, writes=True) as kept:
        first = archived(kept, tmp_path / "cold", END_US)
        next(first)
        with pytest.raises(ArchiveError, match="another archive is at work"):
            moved(room, tmp_path / "cold")
        assert list(first) == []


@pytest.mark.parametrize(
    ("lang", "moves", "nothing", "whole"),
    [
        ("en", "#1 to #", "nothing to move", "whole, #1 to #"),
        ("pt", "#1 a #", "nada para mover", "íntegro, #1 a #"),
        ("zh-Hant", "#1 至 #", "沒有可移動的事件", "完整，#1 至 #"),
    ],
)
def test_the_command_says_what_it_moved(
    room: str, tmp_path: Path, key: Signer, payloads: Sequence[bytes], lang: str, moves: str, nothing: str, whole: str
) -> None:
    keep(room, payloads, key)
    words = ("record", "--store", room, "--lang", lang, "archive", "--to", tmp_path / "cold")
    code, text = said(*words, "--before", "2026-09-22")
    assert (code, moves in text) == (0, True)
    code, text = said(*words)
    assert (code, nothing in text) == (0, True)
    code, text = said("record", "--lang", lang, "check-archive", tmp_path / "cold")
    assert (code, whole in text) == (0, True)
    assert said(*words, "--before", "yesterday")[0] == 2
    assert said("record", "check-archive", tmp_path / "nowhere")[0] == 2
    assert said("record", "--store", f"sqlite:{tmp_path}/none.db", "archive", "--to", tmp_path / "cold")[0] == 69


@pytest.mark.parametrize("changed_at", [100, 300, 520])
def test_log_whose_key_changed_is_proved(room: str, tmp_path: Path, changed_at: int) -> None:
    table = Table(0)
    old = table.key
    table.happen(changed_at)
    table.change_key()
    table.happen(600 - len(table.payloads))
    asyncio.run(record(room, table.payloads))
    keys = (old.public, table.key.public)
    asyncio.run(_signed(room, table, keys, [(290, old if changed_at > 290 else table.key), (530, table.key)]))
    assert moved(room, tmp_path / "cold").last == 2 * TILE
    cold = tmp_path / "cold" / "macau" / "q1" / "log7"
    assert list(damages(cold)) == []
    with closing(open_cold(cold)) as reader:
        assert reader.keys() == keys
        assert covering(reader, 2 * TILE, None)[1].size == 530


async def _signed(url: str, table: Table, keys: tuple[bytes, ...], notes: Sequence[tuple[int, Signer]]) -> None:
    store = store_of(url)
    (state,) = await store.open()
    kept: list[Checkpoint] = []
    for size, key in notes:
        tree = Frontier().grown(map(leaf_hash, table.payloads[:size]))
        note = sign_checkpoint(Signed(table.source[1:], size, tree.root), key)
        kept.append(Checkpoint(state.source, note, tree, RECEIVED, verified=True))
    signed = replace(state, verified=notes[-1][0], agreed=kept[-1].frontier, keys=keys)
    await store.save(Batch((), (signed,), tuple(kept), (), ()))
    await store.close()


JUNK: Final[Sequence[Any]] = (
    None,
    -1,
    0,
    1,
    255,
    257,
    1 << 63,
    1.5,
    "",
    "x",
    "../../x",
    [],
    [[]],
    {},
    True,
    ["a"],
    [1, 2],
    "A" * 44,
)


def test_sealed_nonsense_is_refused(room: str, tmp_path: Path, key: Signer, payloads: Sequence[bytes]) -> None:
    keep(room, payloads, key)
    moved(room, tmp_path / "cold")
    path = folder_in(tmp_path / "cold") / INDEX
    (line,) = path.read_text().splitlines()
    whole = {name: value for name, value in json.loads(line).items() if name != "seal"}
    for name, junk in ((name, junk) for name in whole for junk in JUNK):
        form = {**whole, name: junk}
        path.write_text(json.dumps({**form, "seal": cold_files._seal(form)}))  # as a forger would
        with suppress(UnreadableError), closing(open_cold(path.parent)) as reader:
            list(damages(path.parent))
            list(reader.events())
            with suppress(UnprovableError, NoteError):
                make_proof(reader, f"{LOG}-000017", None)


def test_empty_index_is_damage(tmp_path: Path) -> None:
    (tmp_path / INDEX).touch()
    code, text = said("record", "check-archive", tmp_path)
    assert (code, f"{INDEX}:1: this line is damaged" in text) == (1, True)
    assert said("recall", "--journal", tmp_path)[0] == 2


def test_name_that_leads_out_of_the_archive_is_left(
    room: str, tmp_path: Path, key: Signer, payloads: Sequence[bytes]
) -> None:
    keep(room, payloads, key)
    with opened(room, writes=True) as kept:
        kept.ask("UPDATE {in}log SET source = ?", (f"/tablectl/../../{LOG}",))
    assert moved(room, tmp_path / "cold").why.endswith("no folder can have this name")
    assert [each.name for each in (tmp_path / "cold").iterdir()] == ["lock"]
