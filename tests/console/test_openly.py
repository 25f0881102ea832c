"""What needs no sign-on: layout, words, the players' display."""

import json
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidStatus

from tablectl import words
from tablectl.console.auth.people import Role
from tablectl.console.public_routes import words_content
from tablectl.console.requests.action_fields import CHOICES, TYPES, verbs_form
from tablectl.console.requests.table import VERBS
from tablectl.console.websocket import DISPLAYS_MAX
from tablectl.core.facts.reports import CutCardReached
from tests.console.rig import House, error, house, quick, until


async def test_words_come_in_every_language_below_the_asked_prefix() -> None:
    async with house() as here:
        answer = await here.screen().http.get("/v1/words?prefix=page.verb.")
        told: dict[str, dict[str, str]] = answer.json()
        assert tuple(told) == words.LANGUAGES
        assert {len(texts) for texts in told.values()} == {len(told["en"])}
        assert told["en"]["page.verb.bet"] == "Bet"
        assert all(key.startswith("page.verb.") for texts in told.values() for key in texts)


async def test_words_keep_their_placeholders() -> None:
    async with house() as here:
        told = (await here.screen().http.get("/v1/words?prefix=place.")).json()
        assert told["en"]["place.number"] == "place {number}"


async def test_unknown_prefix_gives_nothing_and_one_too_long_is_refused() -> None:
    async with house() as here:
        http = here.screen().http
        assert (await http.get("/v1/words?prefix=nothing.")).json() == {"en": {}, "pt": {}, "zh-Hant": {}}
        assert error(await http.get(f"/v1/words?prefix={'x' * 81}")) == (422, "wrong_fields", "query prefix")


def test_strangers_choices_of_words_make_no_second_copy() -> None:
    first = {prefix: words_content(prefix) for prefix in ("", "p", "refuse.")}
    for nth in range(200):
        assert len(words_content(f"strange{nth}").plain) < 100
    for key in sorted(words.catalogue("en"))[:500]:
        words_content(key)
    assert all(words_content(prefix) is content for prefix, content in first.items())
    assert words_content("refuse") is first["refuse."]  # the same texts


@pytest.mark.parametrize("path", ["/v1/words?prefix=page.", "/v1/layout"])
async def test_what_does_not_change_is_sent_once(path: str) -> None:
    async with house() as here:
        http = here.screen().http
        first = await http.get(path)
        again = await http.get(path, headers={"If-None-Match": first.headers["ETag"]})
        assert (again.status_code, again.content) == (304, b"")


def test_every_verb_is_offered_with_its_label_fields_and_roles() -> None:
    offered = {verb["verb"]: verb for verb in verbs_form(None)}
    assert list(offered) == list(VERBS)
    assert all(text != f"page.verb.{name}" for name, verb in offered.items() for text in verb["label"].values())
    assert offered["bet"]["fields"] == [
        {"name": "place", "type": "place", "optional": False},
        {"name": "bettor", "type": "bettor", "optional": False},
        {"name": "bet", "type": "bet", "optional": False},
        {"name": "stake", "type": "money", "optional": False},
    ]
    assert offered["report_cards_held_away"]["fields"][0] == {"name": "place", "type": "seat", "optional": False}
    assert offered["confirm_pack"]["fields"] == [
        {"name": "shuffle", "type": "choice", "optional": True, "choices": ["hand", "machine"]}
    ]
    assert (offered["void_round"]["second"], offered["correct_round"]["second"]) == (True, True)
    assert sum(verb["second"] for verb in offered.values()) == 2
    assert offered["join_casino"]["roles"] == ["supervisor"]
    assert offered["bookmark"]["roles"] == list(Role)


def test_reason_is_a_text_but_where_game_names_its_kinds() -> None:
    offered = {verb["verb"]: verb["fields"] for verb in verbs_form(["void_round", "invalidate_spin"])}
    assert list(offered) == ["void_round", "bookmark", "invalidate_spin"]
    assert offered["void_round"][0]["type"] == "text"
    assert offered["invalidate_spin"][0]["type"] == "kind"


def test_every_field_of_every_verb_has_type_of_its_own() -> None:
    names = {field["name"] for verb in verbs_form(None) for field in verb["fields"]}
    assert names == set(TYPES)
    assert set(CHOICES) == {name for name, kind in TYPES.items() if kind == "choice"}


async def test_the_layout_has_what_the_table_says_and_the_verbs() -> None:
    async with house() as here:
        layout = (await here.screen().http.get("/v1/layout")).json()
        assert layout["places"] == [1, 2, 3]
        assert [verb["verb"] for verb in layout["verbs"]] == list(VERBS)


async def test_what_could_be_asked_is_for_those_who_run_game() -> None:
    async with house() as here:
        for person, role in (("ana", "dealer"), ("sam", "supervisor")):
            screen = await here.signed_on(person)
            told = (await screen.http.get("/v1/actions")).json()
            assert (told["seen"], told["round_id"]) == (here.table.table.records, None)
            assert told["actions"][0]["for"] == role
        for person in ("tom", "eve"):
            screen = await here.signed_on(person)
            assert error(await screen.http.get("/v1/actions"))[:2] == (403, "role_may_not")


async def test_the_state_has_what_the_last_round_came_to() -> None:
    async with house(result=lambda: {"round_id": "a-000001", "void": False}) as here:
        dealer = await here.signed_on("ana")
        assert (await dealer.state())["result"] == {"round_id": "a-000001", "void": False}


async def test_the_display_is_shown_to_whoever_asks() -> None:
    async with house() as here:
        told = (await here.screen().http.get("/v1/display")).json()
        assert told == {"type": "display", "display": {"table": "t1", "game": "q_poker", "phase": "idle", "seen": 3}}


async def test_a_display_follows_the_table_without_a_sign_on() -> None:
    async with house() as here, _live(here) as screen:
        first = await _heard(screen)
        assert first["display"]["seen"] == 3
        assert first["build"] in (await here.screen().http.get("/display")).text
        here.table.report(CutCardReached("shoe"))
        assert (await _heard(screen))["display"]["seen"] == 4


async def test_a_display_hears_a_heartbeat_where_nothing_changes() -> None:
    async with house(limits=quick(heartbeat_s=0.02)) as here, _live(here) as screen:
        assert [(await _heard(screen))["type"] for _ in range(3)] == ["display", "heartbeat", "heartbeat"]


async def test_a_display_that_says_something_is_closed() -> None:
    async with house() as here, _live(here) as screen:
        await screen.send('{"token":"x"}')
        await screen.wait_closed()
        assert screen.close_code == 4400
        await until(lambda: here.table.watchers == [])


async def test_another_sites_page_sees_no_display() -> None:
    async with house() as here:
        with pytest.raises(InvalidStatus) as refused:
            async with _live(here, origin="http://evil.example"):
                pass
        assert refused.value.response.status_code == 403


async def test_displays_take_no_screen_from_those_who_work() -> None:
    async with house() as here:
        displays = [await _live(here) for _ in range(DISPLAYS_MAX)]
        with pytest.raises(InvalidStatus) as refused:
            async with _live(here):
                pass
        assert refused.value.response.status_code == 503
        dealer = await here.signed_on("ana")
        token = {"Authorization": f"Bearer {dealer.token}"}
        url = f"ws://127.0.0.1:{here.port}/v1/live"
        async with connect(url, proxy=None, additional_headers=token) as screen:
            assert (await _heard(screen))["type"] == "state"
        for display in displays:
            await display.close()


async def test_the_same_news_is_written_once_for_all_screens() -> None:
    written: list[object] = []

    def display() -> dict[str, Any]:
        written.append(None)
        return {"seen": len(written)}

    async with house(display=display) as here:
        screens = [await _live(here) for _ in range(DISPLAYS_MAX)]
        for screen in screens:
            await _heard(screen)
        written.clear()
        here.table.report(CutCardReached("shoe"))
        shown = [(await _heard(screen))["display"] for screen in screens]
        assert shown == [{"seen": 1}] * DISPLAYS_MAX
        for screen in screens:
            await screen.close()


async def _heard(screen: ClientConnection) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(await screen.recv())
    return message


def _live(here: House, **more: Any) -> connect:
    return connect(f"ws://127.0.0.1:{here.port}/v1/display/live", proxy=None, **more)
