"""`tablectl void` and `correct`: two persons, on record in their names, from a command line."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from tablectl.console.http.tls import Tls
from tablectl.core.facts.table_requests import Correction, RoundCorrected, RoundVoided
from tablectl.features.bookmark import bookmark
from tablectl.features.common.api_client import RequestFailedError, Where, Who, send_request
from tablectl.features.common.table_requests import only, trusting
from tablectl.features.correct import correct, void
from tests.console.rig import PINS, House, dealt, house
from tests.support.authority import Authority
from tests.support.config import SHOE
from tests.support.kept import played as kept

WHY = "a bet at place 1 was read wrongly"


async def run(here: House, folder: Path, command: click.Command, words: Sequence[str], *persons: str) -> Result:
    """The command in a thread, as a process of its own would be; the persons' PINs lie in files."""
    for name in persons:
        await asyncio.to_thread((folder / name).write_text, f"{PINS[name]}\n")
    given = [*words, "--url", here.url]
    options = (("--person", "--pin-file"), ("--second", "--second-pin-file"))
    for (option, pin), name in zip(options, persons, strict=False):
        given += [option, name, pin, str(folder / name)]
    return await asyncio.to_thread(CliRunner().invoke, command, given)


async def played(here: House) -> str:
    """The id of a round in play, whose cards are dealt."""
    state = await (await dealt(here)).state()
    return str(state["round_id"])


async def over(here: House) -> str:
    """The id of a round that is over."""
    round_id = await played(here)
    await (await here.signed_on("sam")).done("void_round", reason="so that it is over")
    return round_id


async def test_a_supervisor_voids_the_round_in_play(tmp_path: Path) -> None:
    async with house() as here:
        round_id = await played(here)
        result = await run(here, tmp_path, void, [round_id, "the table was knocked over"], "sam")
        assert (result.exit_code, result.stdout, result.stderr) == (0, f"recorded as {here.table.table.records}\n", "")
        fact = here.table.facts[-1]
        assert (fact.body, fact.by) == (RoundVoided("the table was knocked over"), "sam")
        assert here.table.state()["round_id"] is None


async def test_dealer_voids_with_a_supervisor_and_both_are_on_record(tmp_path: Path) -> None:
    async with house() as here:
        round_id = await played(here)
        result = await run(here, tmp_path, void, [round_id, "knocked over"], "ana", "sam")
        assert (result.exit_code, result.stderr) == (0, "")
        assert (here.table.facts[-1].by, here.table.facts[-1].second) == ("ana", "sam")


async def test_a_dealer_alone_is_told_to_name_a_second_person(tmp_path: Path) -> None:
    async with house() as here:
        round_id = await played(here)
        result = await run(here, tmp_path, void, [round_id, "knocked over"], "ana")
        assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
        assert "supervisor" in result.stderr
        assert "--second" in result.stderr
        assert here.table.state()["round_id"] == round_id


async def test_round_not_in_play_is_not_voided_by_mistake(tmp_path: Path) -> None:
    async with house() as here:
        round_id = await played(here)
        result = await run(here, tmp_path, void, ["a1b2c3d4-000009", "knocked over"], "sam")
        assert (result.exit_code, f"{round_id} is: nothing was done" in result.stderr) == (1, True)
        assert here.table.state()["round_id"] == round_id


def table_file(folder: Path, listen: str) -> Path:
    """The configuration of a table on this machine, whose journal has one round."""
    kept(folder / "state")
    file = folder / "q1.toml"
    file.write_text(f'{SHOE}[paths]\nstate = "{folder}/state"\n[console]\nlisten = "{listen}"\n')
    return file


@pytest.mark.parametrize(
    ("event", "said"),
    [("event:5", "event:5 is of round 5eed0001-000001\n"), ("event:99999", "has no event 99999 of a round")],
)
@pytest.mark.parametrize(("command", "more"), [(void, ()), (correct, ("--change", "Ho=1"))])
async def test_event_means_its_round_by_the_tables_own_journal(
    tmp_path: Path, command: click.Command, more: Sequence[str], event: str, said: str
) -> None:
    async with house() as here:
        await over(here)
        file = await asyncio.to_thread(table_file, tmp_path, here.url.removeprefix("http://"))
        for name in ("sam", "ana"):
            await asyncio.to_thread((tmp_path / name).write_text, PINS[name])
        words = [event, WHY, *more, "--config", str(file), "--person", "sam", "--pin-file", str(tmp_path / "sam")]
        words += ["--second", "ana", "--second-pin-file", str(tmp_path / "ana")]
        result = await asyncio.to_thread(CliRunner().invoke, command, words)
    assert (result.exit_code, said in result.stderr) == (1, True), result.stderr


async def test_between_rounds_there_is_nothing_to_void(tmp_path: Path) -> None:
    async with house() as here:
        round_id = await over(here)
        result = await run(here, tmp_path, void, [round_id, "knocked over", "--lang", "pt"], "sam")
        assert (result.exit_code, result.stderr.count("nada foi feito")) == (1, 1)


async def test_two_persons_put_right_what_a_round_did(tmp_path: Path) -> None:
    async with house() as here:
        round_id = await over(here)
        words = [round_id, WHY, "--change", "Ho=150", "--change", "Lei Mei=-0.50"]
        result = await run(here, tmp_path, correct, words, "sam", "ana")
        assert (result.exit_code, result.stderr) == (0, "")
        fact = here.table.facts[-1]
        changes = (Correction("Ho", 150_00), Correction("Lei Mei", -50))
        assert fact.body == RoundCorrected(round_id, WHY, changes)
        assert (fact.by, fact.second) == ("sam", "ana")


@pytest.mark.parametrize("persons", [("sam",), ("ana",), ("ana", "tom"), ("sam", "eve"), ("eve", "sam")])
async def test_one_person_or_two_without_supervisor_on_floor_correct_nothing(
    tmp_path: Path, persons: tuple[str, ...]
) -> None:
    async with house() as here:
        round_id = await over(here)
        result = await run(here, tmp_path, correct, [round_id, WHY, "--change", "Ho=150"], *persons)
        assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
        assert not any(isinstance(fact.body, RoundCorrected) for fact in here.table.facts)


async def test_what_came_of_it_is_said_to_a_script(tmp_path: Path) -> None:
    async with house() as here:
        round_id = await over(here)
        result = await run(here, tmp_path, correct, [round_id, WHY, "--change", "Ho=1", "--json"], "sam", "ana")
        assert json.loads(result.stdout) == {"record": here.table.table.records}
        words = ["a1b2c3d4-000009", WHY, "--change", "Ho=1", "--json"]
        result = await run(here, tmp_path, correct, words, "sam", "ana")
        assert (result.exit_code, json.loads(result.stdout).keys()) == (1, {"refused", "text"})


@pytest.mark.parametrize(
    ("lang", "said"),
    [("en", "wrong: nothing was done"), ("pt", "está errado: nada foi feito"), ("zh-Hant", "未有執行任何操作")],
)
async def test_wrong_pin_of_second_person_is_said_in_language(tmp_path: Path, lang: str, said: str) -> None:
    async with house() as here:
        round_id = await over(here)
        (tmp_path / "wrong").write_text("9999")
        words = [round_id, WHY, "--change", "Ho=1", "--second", "ana", "--second-pin-file", str(tmp_path / "wrong")]
        result = await run(here, tmp_path, correct, [*words, "--lang", lang], "sam")
        assert (result.exit_code, said in result.stderr) == (2, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["seventeen", "why", "--change", "Ho=1"], "is no round"),
        (["event:2", "why", "--change", "Ho=1"], "not --url"),
        (["a1b2c3d4-000001", " ", "--change", "Ho=1"], "it is empty"),
        (["a1b2c3d4-000001", "y" * 501, "--change", "Ho=1"], "501 characters"),
        (["a1b2c3d4-000001", "why"], "--change"),
        (["a1b2c3d4-000001", "why", "--change", "Ho"], "isn't BETTOR=AMOUNT"),
        (["a1b2c3d4-000001", "why", "--change", "=5"], "isn't BETTOR=AMOUNT"),
        (["a1b2c3d4-000001", "why", "--change", "Ho=0"], "isn't BETTOR=AMOUNT"),
        (["a1b2c3d4-000001", "why", "--change", "Ho=1.005"], "isn't BETTOR=AMOUNT"),
        (["a1b2c3d4-000001", "why", "--change", "Ho=1e9"], "isn't BETTOR=AMOUNT"),
    ],
)
def test_impossible_request_is_refused_before_anybody_is_asked(words: list[str], said: str) -> None:
    result = CliRunner().invoke(correct, [*words, "--url", "http://127.0.0.1:9", "--person", "sam"])
    assert (result.exit_code, said in result.stderr) == (2, True), result.output
    assert "PIN" not in result.output


async def test_the_consoles_own_certificate_is_trusted_and_no_other(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    ours, other = authority.sign("console"), authority.sign("other")
    who = Who("eve", PINS["eve"])
    async with house(tls=Tls(ours.cert, ours.key)) as here:
        for trusts in (await asyncio.to_thread(only, Path(ours.cert)), authority.browser()):
            where = Where(here.url, trusts)
            assert await asyncio.to_thread(send_request, where, who, "bookmark", {"note": "seen"}, "en")
        stranger = Where(here.url, await asyncio.to_thread(only, Path(other.cert)))
        with pytest.raises(RequestFailedError, match="certificate verify failed"):
            await asyncio.to_thread(send_request, stranger, who, "bookmark", {}, "en")


def test_authority_of_the_house_is_trusted_beside_the_machines_own(tmp_path: Path) -> None:
    trusted = trusting(Path(Authority(tmp_path).file))
    assert not isinstance(trusted, bool)
    assert "authority" in str(trusted.get_ca_certs())


def test_an_authority_that_is_none_is_said(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("nothing of the kind")
    words = ["note", "--url", "https://127.0.0.1:9", "--ca-file", str(tmp_path / "ca.pem")]
    result = CliRunner().invoke(bookmark, words)
    assert (result.exit_code, result.stderr.strip()) == (
        2,
        f"tablectl bookmark: {tmp_path}/ca.pem: no certificate in PEM form is in it",
    )
