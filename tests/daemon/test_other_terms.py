"""A journal goes on only at its own table, and an open round only by the terms that it was begun by."""

import asyncio
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import apsw
import pytest

from tablectl.config import load
from tablectl.config.checks import state_dir
from tablectl.config.game_setup import game_of, played
from tablectl.config.models import Config
from tablectl.core import fold
from tablectl.core.facts import Body, LogBegan, SessionBegan
from tablectl.core.facts.table_requests import BetOffered, BettingClosed, RoundOpened, RoundVoided
from tablectl.core.game_step import Game
from tablectl.core.protocols import Reply
from tablectl.core.table import Table
from tablectl.daemon.host.clock import SystemClock
from tablectl.daemon.room_settings import StartError
from tablectl.daemon.run import run
from tablectl.daemon.table import LiveTable
from tablectl.features.doctor.machine import look_at_state
from tablectl.features.doctor.report import Level
from tablectl.journal.journal import open_journal
from tablectl.journal.reading.reader import FILE
from tablectl.journal.records import Record
from tablectl.journal.replay import OtherTermsError, Past, PastError, terms_of
from tablectl.rule_tables import GAMES, shipped
from tests.support.sitting import fact

WHEEL = shipped("tables/wheel-of-fortune.demo.toml")
NO_CHANGES: Final[Mapping[str, str]] = MappingProxyType({})
EIGHT: Final = MappingProxyType({"wheel_of_fortune.places": "8"})
ROUND = "5eed0001-000001"
UP_TO_THE_BET = (RoundOpened(), BetOffered(12, "Ho", "symbol_1", 100_00))


def config_in(folder: Path, changes: Mapping[str, str]) -> Config:
    return load(WHEEL, {"paths.state": str(folder), **changes})


def live(config: Config) -> LiveTable[Any]:
    played = game_of(config)
    place = (config.table.site, config.table.name)
    journal = open_journal(state_dir(config))
    return LiveTable(played.make(config), journal, SystemClock(), place, played.table, played.by_terms)


def began(session: str, game: Game[Any]) -> SessionBegan:
    return SessionBegan(session, "1", "hash", game.name, game.rules_version, terms=terms_of(game))


def recovered(config: Config) -> LiveTable[Any]:
    table = live(config)
    try:
        table.recover()
    except BaseException:
        table.shut()
        raise
    return table


async def told(config: Config, *bodies: Body) -> list[Reply]:
    """What a table answers to these facts; it ends without a word."""
    table = await asyncio.to_thread(recovered, config)
    try:
        async with asyncio.TaskGroup() as group:
            at_work = group.create_task(table.run())
            replies = [await table.ask(table.note(body)) for body in bodies]
            at_work.cancel()
    finally:
        await asyncio.to_thread(table.shut)
    return replies


def play(folder: Path, session: str, *bodies: Body, changes: Mapping[str, str] = NO_CHANGES) -> Table[Any]:
    """A session with these facts, all accepted; the state that it came to."""
    config = config_in(folder, changes)
    game = game_of(config).make(config)
    beginning = () if (folder / FILE).exists() else (LogBegan("5eed0001", "demo", "wheel-demo", session=session),)
    replies = asyncio.run(told(config, *beginning, began(session, game), *bodies))
    assert [reply for reply in replies if reply.refused] == []
    return state_of(folder, changes)


def state_of(folder: Path, changes: Mapping[str, str] = NO_CHANGES) -> Table[Any]:
    """What is recovered under this configuration."""
    table = recovered(config_in(folder, changes))
    table.shut()
    return table.state


def refused_start(folder: Path, changes: Mapping[str, str] = NO_CHANGES, config: Path = WHEEL) -> StartError:
    with pytest.raises(StartError) as error:
        run(config, {"paths.state": str(folder), **changes})
    return error.value


@pytest.mark.parametrize("name", GAMES)
def test_a_game_comes_back_from_its_terms_as_it_was(name: str) -> None:
    config = load(shipped(f"tables/{name.replace('_', '-')}.demo.toml"))
    played = game_of(config)
    game = played.make(config)
    assert played.by_terms(terms_of(game)) == game
    assert terms_of(played.by_terms(terms_of(game))) == terms_of(game)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (EIGHT, "settings.places was 12 and is 8"),
        ({"wheel_of_fortune.stakes.least": '"200"'}, "settings.limits.least was 1000 and is 20000"),
        ({"wheel_of_fortune.rules": "rules/wheel_of_fortune.big-wheel.toml"}, "rules.version was "),
    ],
)
def test_open_round_is_not_gone_on_with_by_other_terms(tmp_path: Path, changes: Mapping[str, str], said: str) -> None:
    before = play(tmp_path, "s1", *UP_TO_THE_BET)
    error = refused_start(tmp_path, changes)
    assert error.exit_code == os.EX_CONFIG
    assert f"round {ROUND} is open, and the configuration was changed since it began: " in str(error)
    assert said in str(error)
    assert "put that back until the round is over" in str(error)
    assert state_of(tmp_path) == before  # Nothing was done to it meanwhile.


def test_settings_outside_the_game_may_change_in_mid_round(tmp_path: Path) -> None:
    before = play(tmp_path, "s1", *UP_TO_THE_BET)
    assert state_of(tmp_path, {"log.level": "debug"}) == before


def test_between_rounds_the_terms_may_change(tmp_path: Path) -> None:
    play(tmp_path, "s1", *UP_TO_THE_BET, RoundVoided("the wheel broke"))
    changed = play(tmp_path, "s2", RoundOpened(), changes=EIGHT)
    assert json.loads(changed.terms)["settings"]["places"] == 8
    assert "round 5eed0001-000002 is open" in str(refused_start(tmp_path))


def test_without_snapshot_each_session_is_folded_by_its_own_terms(tmp_path: Path) -> None:
    play(tmp_path, "s1", *UP_TO_THE_BET, BettingClosed(), RoundVoided("the wheel broke"))
    after = play(tmp_path, "s2", RoundOpened(), BetOffered(8, "Ho", "symbol_2", 100_00), changes=EIGHT)
    connection = apsw.Connection(str(tmp_path / FILE))
    connection.execute("DELETE FROM snapshot")
    connection.close()
    assert state_of(tmp_path, EIGHT) == after


def records_in(folder: Path) -> list[Record]:
    journal = open_journal(folder)
    try:
        return list(journal.replay(0))
    finally:
        journal.close()


def wheel(folder: Path, places: int) -> Game[Any]:
    config = config_in(folder, {"wheel_of_fortune.places": str(places)})
    return game_of(config).make(config)


def test_what_was_accepted_and_is_refused_now_is_found(tmp_path: Path) -> None:
    """As after an update of the program that changes what the law is taken to say."""
    play(tmp_path, "s1", *UP_TO_THE_BET)
    changed = wheel(tmp_path, places=8)
    with pytest.raises(PastError, match=r"record 4 was accepted when it was made, and is refused now"):
        Past(changed).folded(fold.begin(changed), records_in(tmp_path))


def test_a_refusal_stays_one(tmp_path: Path) -> None:
    play(tmp_path, "s1", *UP_TO_THE_BET)
    (reply,) = asyncio.run(told(config_in(tmp_path, {}), BetOffered(13, "Ho", "symbol_1", 100_00)))
    assert reply.refused
    assert len(state_of(tmp_path).game.bets) == 1


def test_terms_that_cannot_be_read_stop_the_start(tmp_path: Path) -> None:
    play(tmp_path, "s1", *UP_TO_THE_BET)
    game = wheel(tmp_path, places=8)

    def lost(_: str) -> Game[Any]:
        raise ValueError("no rule table is like that")

    with pytest.raises(PastError, match=r"the terms of a session can't be read: no rule table is like that"):
        Past(game, lost).folded(fold.begin(game), records_in(tmp_path))


def test_the_log_of_another_table_is_left_alone(tmp_path: Path) -> None:
    play(tmp_path, "s1", *UP_TO_THE_BET)
    error = refused_start(tmp_path, {"table.name": "w9"})
    assert error.exit_code == os.EX_CONFIG
    assert "the journal in it is of demo/wheel-demo, not of demo/w9" in str(error)
    assert "a folder of its own ([paths] state)" in str(error)


def test_the_log_of_another_game_is_left_alone(tmp_path: Path) -> None:
    play(tmp_path, "s1", *UP_TO_THE_BET)
    dice = shipped("tables/chinese-dice.demo.toml")
    error = refused_start(tmp_path, {"table.name": load(WHEEL).table.name}, dice)
    assert error.exit_code == os.EX_CONFIG
    assert "the journal in it is of wheel_of_fortune, not of chinese_dice" in str(error)


def folded(then: str, now: Game[Any]) -> tuple[Past[Any], Table[Any]]:
    """An open round of a session that played by these terms, as a table of now recovers it."""
    session = replace(began("s1", now), terms=then)
    past, table = Past(now, played("wheel_of_fortune").by_terms), fold.begin(now)
    bodies: tuple[Body, ...] = (LogBegan("5eed0001", "demo", "wheel-demo"), session, *UP_TO_THE_BET)
    for each in (fact(body, nth) for nth, body in enumerate(bodies)):
        table, _ = fold.step(past.at(each), table, each)
    return past, table


def test_log_without_terms_is_folded_by_the_configuration(tmp_path: Path) -> None:
    past, table = folded("", wheel(tmp_path, places=12))
    assert (table.terms, len(table.game.bets)) == ("", 1)
    past.see_that_it_can_go_on(table)


def test_new_settings_and_wording_end_no_open_round(tmp_path: Path) -> None:
    now = wheel(tmp_path, places=12)
    older = json.loads(terms_of(now))
    del older["settings"]["places"]  # It has its default.
    older["rules"]["source"] = "a page that was given wrongly"
    past, table = folded(json.dumps(older), now)
    past.see_that_it_can_go_on(table)
    older["rules"]["pays"][0] = 2
    past, table = folded(json.dumps(older), now)
    with pytest.raises(OtherTermsError, match=r"rules\.pays was \[2,"):
        past.see_that_it_can_go_on(table)


def test_doctor_finds_the_log_of_another_table(tmp_path: Path) -> None:
    play(tmp_path, "s1", *UP_TO_THE_BET)
    ours, theirs = (look_at_state(config_in(tmp_path, changes)) for changes in (NO_CHANGES, {"table.name": "w9"}))
    assert [found.key for found in ours if found.area == "journal"] == ["journal"]
    (strange,) = (found for found in theirs if found.area == "journal")
    assert (strange.level, strange.key) == (Level.BAD, "journal_strange")
    assert strange.values == {"its": "demo/wheel-demo", "ours": "demo/w9"}
