"""`round/phase`: where the table is in its round, for those who may see neither cards nor bets."""

import json
import re
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from tablectl.core.facts.table_requests import BettingClosed, RoundOpened
from tablectl.core.game_step import shown_waiting
from tablectl.daemon.signing.keys import PublicKey
from tablectl.daemon.table import LiveTable
from tablectl.daemon.views.console import phase_form
from tablectl.daemon.views.state_topics import BOARD, HEALTH, PHASE, ROUND, About, StateTopics
from tablectl.mqtt.message import EXPIRY_S
from tablectl.words import LANGUAGES, catalogue
from tests.console.rig import VirtualClock
from tests.core.test_offers import WAYS
from tests.daemon.test_offered import window
from tests.daemon.test_table import BEGUN, ask, running

OPEN = {"card", "code", "device", "due", "fault", "number", "place", "places", "section", "symbol", "turns"}
"""Values in what a table waits for that say nothing of bettors and stakes; cards in it are numbers of cards."""


def topics_of(table: LiveTable[Any], clock: VirtualClock) -> StateTopics[Any]:
    about = About("0", "hash", PublicKey(bytes(32)), ())
    return StateTopics(table, window(table), clock, about, dict, dict, dict, dict)


def shown(topics: StateTopics[Any]) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(topics.render(PHASE))["data"]
    return data


@pytest.mark.parametrize("game", WAYS)
@pytest.mark.parametrize("seed", range(2))
def test_no_bettor_and_no_amount_is_named_in_a_phase(game: str, seed: int) -> None:
    way = WAYS[game]
    named: set[str] = set()
    for table in way.tables(seed):
        values = dict(shown_waiting(way.game, table).values)
        named |= values.keys()
        form = phase_form(way.game, table)
        assert form.keys() <= {"round_id", "phase", "waiting"}
        for text in form["waiting"].values():
            withheld = [values[name] for name in ("bettor", "least") if values.get(name)]
            assert not [value for value in withheld if re.search(rf"\b{re.escape(value)}\b", text)], text
    assert game != "Chinese dice" or {"bettor", "least"} <= named


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_value_in_a_prompt_is_either_open_or_withheld(language: str) -> None:
    prompts = [text for key, text in catalogue(language).items() if key.startswith("prompt.")]  # type: ignore[arg-type]
    placed = {name for text in prompts for _, name, _, _ in Formatter().parse(text) if name}
    assert placed <= OPEN | {"bettor", "least"}


async def test_state_that_expires_is_due_again_after_half_a_day(tmp_path: Path) -> None:
    clock = VirtualClock()
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN[:4])
        topics = topics_of(table, clock)
        for topic in topics.names:
            topics.render(topic)
        clock.at_s += EXPIRY_S / 2 - 1
        topics.render(BOARD)
        assert topics.aged() == ()
        clock.at_s += 1
        assert topics.aged() == (ROUND, PHASE, HEALTH)
        for topic in topics.aged():
            topics.render(topic)
        assert topics.aged() == ()


async def test_phase_is_new_only_when_it_changes(tmp_path: Path) -> None:
    clock = VirtualClock()
    async with running(tmp_path) as (table, _):
        await ask(table, *BEGUN[:4])
        topics = topics_of(table, clock)
        before = shown(topics)
        assert "round_id" not in before
        clock.at_s += 5
        assert not topics.is_new_phase()
        assert shown(topics) == before
        await ask(table, RoundOpened())
        assert topics.is_new_phase()
        opened = shown(topics)
        assert opened["round_id"] == table.state.log_id + "-000001"
        assert (opened["phase"], opened["since"]) == ("betting", "2023-11-14T22:30:05.000000Z")
        clock.at_s += 5
        await ask(table, *BEGUN[5:])
        topics.is_new_phase()
        assert shown(topics)["since"] == opened["since"]
        await ask(table, BettingClosed())
        assert topics.is_new_phase()
        assert shown(topics)["since"] == "2023-11-14T22:30:10.000000Z"
