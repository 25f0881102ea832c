"""The facts of a journal that lies elsewhere, on the axis of a timeline here."""

import io
import tarfile
from contextlib import closing
from pathlib import Path

import pytest

from tablectl.core.facts.game_requests import PackConfirmed
from tablectl.core.facts.table_requests import RoundOpened
from tablectl.journal.encoding import read_fact
from tablectl.journal.reading.reader import open_reader
from tablectl.testing.scenarios.journal_check import FILES, facts_onto, offsets, stored_facts, unpack_journal
from tablectl.testing.timeline import Lane, Timeline
from tests.support.kept import begun


def event(boot: str, monotonic_s: float) -> dict[str, object]:
    return {"bootid": boot, "monotonicns": str(int(monotonic_s * 1e9))}


def archive(**files: bytes) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as tar:
        for name, data in files.items():
            member = tarfile.TarInfo(name.replace("_", "."))
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return made.getvalue()


def test_the_message_that_came_fastest_says_how_the_clocks_stand() -> None:
    arrivals = [(2.5, event("a", 1000.0)), (3.1, event("a", 1001.0)), (9.0, event("a", 1006.0)), (9.5, event("b", 2.0))]
    assert offsets(arrivals) == {"a": pytest.approx(-997.9), "b": pytest.approx(7.5)}


def test_facts_are_ordered_by_their_boots_clock(tmp_path: Path) -> None:
    kept = begun(tmp_path / "table")
    with closing(kept.journal):
        kept.tell(PackConfirmed(), request_id="1:asked")
        kept.tell(RoundOpened(), request_id="2:asked")
    ours = stored_facts(tmp_path / "table", 0.0)
    boot = boot_of(tmp_path / "table")
    shifted = stored_facts(tmp_path / "table", {boot: 5.0})
    assert [fact.at_s for fact in shifted] == pytest.approx([fact.at_s + 5.0 for fact in ours])
    assert [fact.text.split()[0] for fact in shifted][-2:] == ["PackConfirmed", "RoundOpened"]
    assert stored_facts(tmp_path / "table", {"another": 5.0}) == []


def test_what_happened_before_the_scenario_is_not_on_its_axis(tmp_path: Path) -> None:
    kept = begun(tmp_path / "table")
    with closing(kept.journal):
        kept.tell(PackConfirmed(), request_id="1:asked")
        kept.tell(RoundOpened(), request_id="2:asked")
    facts = stored_facts(tmp_path / "table", 0.0)
    last_s, boot = facts[-1].at_s, boot_of(tmp_path / "table")
    timeline = Timeline()
    facts_onto(timeline, tmp_path / "table", [(0.0, event(boot, last_s))])
    assert [moment.text.split()[0] for moment in timeline.moments if moment.lane is Lane.FACT] == ["RoundOpened"]


def boot_of(folder: Path) -> str:
    """The boot that the facts of a journal are of."""

    with closing(open_reader(folder)) as reader:
        (boot,) = {read_fact(row.body).at.boot_id for row in reader.records()}
    return boot


def test_copy_of_journal_is_its_two_files_and_no_other(tmp_path: Path) -> None:
    unpack_journal(archive(journal_db=b"one", log_key=b"secret", x=b"y"), tmp_path)
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("journal.db", b"one")]
    assert FILES == ("journal.db", "journal.db-wal")


@pytest.mark.parametrize("data", [b"", b"no archive", archive(x=b"y")], ids=["nothing", "none", "of another file"])
def test_what_is_no_copy_of_a_journal_is_said(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="what came"):
        unpack_journal(data, tmp_path)
