"""A recorder that wants the tables' checkpoints cosigned."""

import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from tablectl.cli import main
from tablectl.features.recorder import status
from tablectl.features.recorder.run import recorder_of
from tablectl.features.recorder.status import Report, families
from tablectl.journal.reading.rows import UnreadableError
from tablectl.proof.cosignature import cosign, witness_key
from tablectl.proof.note import Signer
from tests.proof.keys import signer
from tests.reader.record_rig import Rig
from tests.reader.record_table import Table
from tests.support.broker import Broker

ONE, TWO = signer(), signer()
NAMES = {"w.example/one": ONE, "w.example/two": TWO}
FIGURE = "tablectl_record_events_cosigned"


@pytest.fixture(name="rig")
def _rig(broker: Broker, table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rig:
    """One that wants one of two witnesses, and to whom nothing is too early to be missed."""
    monkeypatch.setattr(status, "OVERDUE_S", -1)
    store, policy = f"sqlite:{tmp_path / 'room' / 'room.db'}", str(tmp_path / "policy.txt")
    rig = Rig(broker.url, store, {"macau/q1": (table.fingerprint,)}, policy=policy)
    wants(rig, 1)
    return rig


def wants(rig: Rig, count: int) -> None:
    """Has the recorder want so many of the witnesses from its next start on."""
    lines = [f"witness {name.rpartition('/')[2]} {witness_key(name, key.public)}" for name, key in NAMES.items()]
    Path(str(rig.policy)).write_text("\n".join([*lines, f"group enough {count} one two", "quorum enough", ""]))


def cosigned(table: Table, *names: str, key: Signer | None = None) -> str:
    """The table's newest checkpoint with cosignatures of these, by another key where one is given."""
    note = table.checkpoint()
    text = note.partition("\n\n")[0] + "\n"
    return note + "".join(cosign(text, name, key or NAMES[name], int(time.time())) for name in names)


async def test_events_under_a_cosigned_checkpoint_are_told(rig: Rig, table: Table) -> None:
    async with table.online(), rig.recorder() as recorder:
        await table.live(3)
        await table.say("checkpoint", cosigned(table, "w.example/two"), retain=True)
        report = await rig.sees(lambda report: report.complete and report.tables[0].logs[0].cosigned == 3)
        assert "    cosigned up to 3" in status.report_lines(report)
        figures = {each.name: each.samples for each in families([recorder], recorder.book.tally, "1")}
        assert [sample.value for sample in figures[FIGURE]] == [3]
        await table.live(2)
        report = await rig.sees(lambda report: report.tables[0].logs[0].verified == 5)
    assert not report.complete
    assert report.tables[0].logs[0].wrong == ("events 4 to 5: too few witnesses have cosigned a checkpoint over them",)


async def test_too_few_witnesses_leave_nothing_cosigned(rig: Rig, table: Table) -> None:
    wants(rig, 2)
    async with table.online(), rig.recorder():
        await table.live(3)
        await table.say("checkpoint", cosigned(table, "w.example/one"), retain=True)
        report = await rig.sees(lambda report: report.tables[0].logs[0].verified == 3)
    assert (report.complete, report.tables[0].logs[0].cosigned) == (False, 0)


async def test_wrong_cosignature_is_disputed_and_proves_nothing(rig: Rig, table: Table) -> None:
    def disputed(report: Report) -> int:
        return report.tables[0].disputes

    async with table.online(), rig.recorder():
        await table.live(3)
        line = cosigned(table, "w.example/one")
        table.happen()
        spoilt = table.checkpoint() + line.rpartition("\u2014")[1] + line.rpartition("\u2014")[2]
        await table.say("checkpoint", spoilt, retain=True)
        await rig.says("DISPUTE macau/q1: the cosignature of w.example/one is wrong")
        report = await rig.sees(disputed)
    assert report.tables[0].logs[0].verified <= 3


async def test_without_a_policy_nobody_has_to_cosign(rig: Rig, table: Table) -> None:
    rig.policy = None
    async with table.online(), rig.recorder() as recorder:
        await table.live(3)
        log = await rig.becomes_complete(3)
        assert FIGURE not in {each.name for each in families([recorder], recorder.book.tally, "1")}
    assert (log.complete, log.cosigned) == (True, None)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "can't be used as a policy: the policy has no quorum"),
        ("pt", "não serve de política"),
        ("zh-Hant", "quorum"),
    ],
)
def test_policy_that_is_none_is_refused_by_name(rig: Rig, tmp_path: Path, language: str, said: str) -> None:
    Path(str(rig.policy)).write_text("witness\n" if language == "zh-Hant" else "# nothing\n")
    config = tmp_path / "record.toml"
    config.write_text(f'[store]\nurl = "{rig.store}"\n[tables]\npolicy = "{rig.policy}"\n')
    for command in ([], ["status"]):
        result = CliRunner().invoke(main, ["record", "--config", str(config), "--lang", language, *command])
        assert result.exit_code == 78, result.output
        assert said in result.output
    with pytest.raises(UnreadableError, match="policy"):
        recorder_of(rig.config, print)
