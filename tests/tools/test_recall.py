"""`tablectl recall`: the last rounds and what they came to, whatever state the table is in."""

import json
from contextlib import closing
from itertools import islice
from pathlib import Path

from click.testing import CliRunner, Result

from tablectl.core.facts import FaultRaised
from tablectl.core.facts.game_requests import CardExposed
from tablectl.core.facts.table_requests import Correction, RoundCorrected, RoundVoided
from tablectl.core.faults import Code
from tablectl.features.rounds.recall import recall
from tablectl.history.events import Wanted, look_for
from tablectl.history.explanation import make_renderers
from tablectl.history.rounds import RoundLine, rounds_back
from tablectl.journal.reading.reader import open_reader
from tablectl.words import LANGUAGES
from tablectl.words.terminal import cells
from tests.support.kept import CARDS, begun, played


def run(folder: Path, *options: str) -> Result:
    return CliRunner().invoke(recall, [*options, "--journal", str(folder)])


def lines(folder: Path, before: int = 1 << 40, text: str = "") -> list[RoundLine]:
    with closing(open_reader(folder)) as reader:
        return list(rounds_back(reader, make_renderers(), before, text))


def test_the_last_ten_rounds_are_recalled_the_newest_last(tmp_path: Path) -> None:
    ids = played(tmp_path / "state", 12)
    shown = run(tmp_path / "state").stdout.splitlines()
    assert [line.split()[0] for line in shown[1:]] == ids[2:]
    assert shown[-1].split()[1] == "settled"
    assert shown[-1].endswith("high card")


def test_requested_number_of_rounds_is_recalled_in_every_language(tmp_path: Path) -> None:
    played(tmp_path / "state", 4)
    for language in LANGUAGES:
        shown = run(tmp_path / "state", "--last", "3", "--lang", language).stdout.splitlines()
        assert len(shown) == 4
        assert max(map(cells, shown)) <= 80
        assert "recall." not in shown[0]


def test_one_round_is_named_by_number_log_or_event(tmp_path: Path) -> None:
    ids = played(tmp_path / "state", 3)
    first = json.loads(run(tmp_path / "state", ids[1], "--json").stdout)
    log, _, number = ids[1].rpartition("-")
    for name in (str(int(number)), f"{log}-{int(number)}", f"event:{first['last']}"):
        assert json.loads(run(tmp_path / "state", name, "--json").stdout) == first
    assert run(tmp_path / "state", "99").exit_code == 1
    assert run(tmp_path / "state", "event:999999").exit_code == 1


def test_script_gets_a_line_for_each_round_the_newest_first(tmp_path: Path) -> None:
    ids = played(tmp_path / "state", 3)
    forms = [json.loads(line) for line in run(tmp_path / "state", "--last", "2", "--json").stdout.splitlines()]
    assert [form["round_id"] for form in forms] == [ids[2], ids[1]]
    assert forms[0]["first"] == forms[1]["last"] + 1


def test_corrected_round_is_marked_and_counts_as_it_ended(tmp_path: Path) -> None:
    kept = begun(tmp_path / "state")
    with closing(kept.journal):
        first, second = kept.play(), kept.play()
        kept.tell(RoundCorrected(first, "misread", (Correction("bettor1", -50_00),)), by="rui", second="sam")
        kept.keep()
    assert [(line.round_id, line.end, line.corrected) for line in lines(kept.folder)] == [
        (second, "settled", False),
        (first, "settled", True),
    ]
    for language in LANGUAGES:
        shown = run(kept.folder, "--lang", language).stdout.splitlines()
        assert shown[1].split()[0] == f"{first}*"
        assert shown[3].startswith("  * ")
        assert max(map(cells, shown)) <= 80


def test_void_and_open_rounds_are_recalled_as_such(tmp_path: Path) -> None:
    kept = begun(tmp_path / "state")
    with closing(kept.journal):
        kept.bets(1)
        kept.draw(*CARDS[:6])
        kept.tell(CardExposed("dealer", 1))
        kept.bets(1, 2)
        kept.tell(RoundVoided("the fire alarm rang"), by="rui")
        kept.bets(2)
        kept.tell(FaultRaised(Code.STORAGE_FAILED))
        shown = run(kept.folder)
        assert (shown.exit_code, "not over yet" in shown.stdout) == (0, True)
        now, alarm, exposed = lines(kept.folder)
    assert (now.end, now.ended) == ("open", "")
    assert (alarm.end, alarm.article, alarm.result) == ("void", "table", "the fire alarm rang")
    assert (exposed.end, exposed.article, exposed.irregularities) == ("void", "11(3)", ("dealer_card_exposed",))


def test_an_empty_journal_says_so(tmp_path: Path) -> None:
    kept = begun(tmp_path / "state")
    kept.journal.close()
    assert run(tmp_path / "state").stdout == "the journal holds no round\n"


def test_page_of_rounds_goes_on_where_the_one_before_ended(tmp_path: Path) -> None:
    ids = played(tmp_path / "state", 7)
    found: list[str] = []
    before = 1 << 40
    with closing(open_reader(tmp_path / "state")) as reader:
        while page := list(islice(rounds_back(reader, make_renderers(), before), 3)):
            found += [line.round_id for line in page]
            before = page[-1].first
    assert found == ids[::-1]


def test_rounds_are_found_by_what_stands_in_their_messages(tmp_path: Path) -> None:
    kept = begun(tmp_path / "state")
    with closing(kept.journal):
        kept.play()
        kept.bets(5)
        kept.tell(RoundVoided("The Fire Alarm rang"), by="rui")
    assert [line.end for line in lines(tmp_path / "state", text="fire alarm")] == ["void"]
    assert [line.end for line in lines(tmp_path / "state", text="BETTOR2")] == ["settled"]
    assert lines(tmp_path / "state", text="nobody") == []


def test_card_is_found_where_it_lay_only(tmp_path: Path) -> None:
    kept = begun(tmp_path / "state")
    with closing(kept.journal):
        kept.play(["As", "Qd", "Ks", *CARDS[3:]])
        kept.bets(5)
        kept.tell(RoundVoided("The Fire Alarm rang"), by="rui")
    # Both rounds' messages have a "clockstate": letters in the name of a field aren't the king of spades.
    assert [line.end for line in lines(tmp_path / "state", text="Ks")] == ["settled"]
    assert lines(tmp_path / "state", text="clockstate") == []
    with closing(open_reader(tmp_path / "state")) as reader:
        kinds = {form["type"] for form in look_for(reader, Wanted(text="Ks"), make_renderers())["events"]}
    assert kinds == {"mo.tablectl.round.revealed.v1", "mo.tablectl.round.settled.v1"}
