"""`tablectl init --web`: a table made on a page, by whoever has the address and nobody else."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from argon2 import PasswordHasher
from click.testing import CliRunner

from tablectl.cli import main
from tablectl.config import load
from tablectl.config.remarks import NO_PIN
from tablectl.features.setup.web import WebSetup, begun_from
from tests.support.patience import PATIENCE_S
from tests.support.setup_page import serving

ANSWERS: dict[str, Any] = {
    "site": "macau",
    "table": "q1",
    "game": "q_poker",
    "broker": "mqtt://127.0.0.1:1883",
    "username": "",
    "devices": {"shoe": "serial:/dev/shoe"},
    "simulated": False,
    "people": [{"name": "ana", "role": "dealer", "pin": "8263"}, {"name": "rui", "role": "supervisor"}],
}


@dataclass
class Visit:
    """A page's connection to the set-up."""

    client: httpx.AsyncClient
    setup: WebSetup
    kept: dict[str, str]

    async def post(self, path: str, body: dict[str, Any]) -> httpx.Response:
        origin = {"Origin": str(self.client.base_url).rstrip("/")}
        return await self.client.post(f"/v1/setup/{path}", json=body, headers=origin)

    async def enter(self) -> None:
        entered = await self.post("enter", {"token": self.setup.token})
        assert entered.status_code == 200, entered.text

    async def said(self) -> Any:
        """What the device said, once it is something."""
        answer: dict[str, Any] = {"lines": []}
        for _ in range(int(20 * PATIENCE_S)):
            if answer["lines"]:
                break
            await asyncio.sleep(0.05)
            answer = (await self.client.get("/v1/setup/look")).json()
        return answer

    async def problems(self, **changed: Any) -> list[str]:
        answer = (await self.post("check", ANSWERS | changed)).json()
        assert all({*each["text"]} == {"en", "pt", "zh-Hant"} for each in answer["problems"])
        return [each["key"] for each in answer["problems"]]


def written(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


@asynccontextmanager
async def visiting(folder: Path) -> AsyncGenerator[Visit]:
    """A page that is served; the table may be made there."""
    async with serving(folder) as (setup, address, kept):
        base, _, token = address.partition("/#")
        assert token == setup.token
        async with httpx.AsyncClient(base_url=base, timeout=PATIENCE_S) as client:
            yield Visit(client, setup, kept)


async def test_the_address_works_once(tmp_path: Path) -> None:
    async with visiting(tmp_path) as visit:
        assert (await visit.client.get("/v1/setup")).status_code == 401
        assert (await visit.post("enter", {"token": "guessed"})).status_code == 401
        await visit.enter()
        assert (await visit.client.get("/v1/setup")).json()["given"]["game"]
        visit.client.cookies.clear()
        assert (await visit.post("enter", {"token": visit.setup.token})).status_code == 401
        assert (await visit.post("make", ANSWERS)).status_code == 401
        assert not written(tmp_path)


async def test_no_page_of_another_site_gets_in(tmp_path: Path) -> None:
    async with visiting(tmp_path) as visit:
        await visit.enter()
        foreign = await visit.client.post("/v1/setup/make", json=ANSWERS, headers={"Origin": "http://evil.example"})
        renamed = await visit.client.get("/v1/setup", headers={"Host": "evil.example"})
        assert (foreign.status_code, renamed.status_code) == (403, 403)
        assert not written(tmp_path)


async def test_each_answer_is_checked_by_the_configuration(tmp_path: Path) -> None:
    async with visiting(tmp_path) as visit:
        await visit.enter()
        assert await visit.problems() == []
        assert await visit.problems(site="Macau!") == ["table.site"]
        assert await visit.problems(broker="nowhere") == ["mqtt.url"]
        assert await visit.problems(devices={"shoe": "com1"}) == ["devices.shoe.port"]
        strange = await visit.post("check", ANSWERS | {"devices": {"wheel": "usb:1209:5251"}})
        assert strange.status_code == 422
        assert not written(tmp_path)


async def test_table_is_made_once_and_the_page_ends(tmp_path: Path) -> None:
    async with visiting(tmp_path) as visit:
        await visit.enter()
        weak = ANSWERS | {"people": [{"name": "ana", "role": "dealer", "pin": "1234"}]}
        assert [each["key"] for each in (await visit.post("make", weak)).json()["problems"]] == ["people.ana"]
        assert not written(tmp_path)
        made = (await visit.post("make", ANSWERS)).json()["lines"]
    config = await asyncio.to_thread(load, tmp_path / "q1.toml")
    assert (config.table.site, config.table.name, list(config.devices)) == ("macau", "q1", ["shoe"])
    assert PasswordHasher().verify(config.people["ana"].pin_hash or "", "8263")
    assert config.people["rui"].pin_hash == NO_PIN
    assert {language: lines[1] for language, lines in made.items()} == dict.fromkeys(("en", "pt", "zh-Hant"), "q1")


async def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "q1.toml").write_text("mine\n")
    async with visiting(tmp_path) as visit:
        await visit.enter()
        refused = (await visit.post("make", ANSWERS)).json()["problems"]
        assert "is there already" in refused[0]["text"]["en"]
    assert (tmp_path / "q1.toml").read_text() == "mine\n"


async def test_answers_are_kept_without_pins(tmp_path: Path) -> None:
    async with visiting(tmp_path) as visit:
        await visit.enter()
        await visit.problems()
        assert "8263" not in str(visit.kept)
        again = begun_from(visit.kept, "pt", simulated=False)
        assert (again.site, again.name, again.game, dict(again.devices)) == (
            "macau",
            "q1",
            "q_poker",
            ANSWERS["devices"],
        )
        assert [(each.name, each.role) for each in again.people] == [("ana", "dealer"), ("rui", "supervisor")]


async def _says_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()
    writer.close()


async def test_device_is_heard_until_another_is_looked_at(tmp_path: Path) -> None:
    silent = await asyncio.start_server(_says_nothing, "127.0.0.1", 0)
    async with silent, visiting(tmp_path) as visit, asyncio.timeout(PATIENCE_S):
        await visit.enter()
        address = f"tcp://127.0.0.1:{silent.sockets[0].getsockname()[1]}"
        await visit.post("look", {"kind": "shoe", "port": address, "game": "q_poker"})
        assert f"shoe, angel_eye, {address}" in (await visit.said())["lines"][0]
        assert (await visit.said())["runs"]
        await visit.post("look", {"kind": "shuffler", "port": "tcp://127.0.0.1:1", "game": "q_poker"})
        assert "shuffler" in (await visit.said())["lines"][0]
        await visit.post("look", {"kind": ""})
        assert not (await visit.said())["runs"]


def test_table_without_devices_is_offered_without_any() -> None:
    kept = {"game": "q_poker", "devices": "-"}
    assert not begun_from(kept, "en", simulated=False).devices
    assert set(begun_from({"game": "q_poker"}, "en", simulated=False).devices) == {"shoe"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--port", "8090"], "give --web as well"),
        (["--web", "--no-devices", "--simulated"], "don't go together"),
        (["--web", "--game", "q_poker", "--device", "wheel"], "is no device of this game"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(words: list[str], said: str) -> None:
    refused = CliRunner().invoke(main, ["init", *words, "--lang", "en"])
    assert (refused.exit_code, said in refused.output) == (2, True), refused.output


def test_a_page_asks_and_doesnt_go_with_yes() -> None:
    both = CliRunner().invoke(main, ["init", "--web", "--yes", "--lang", "en"])
    assert both.exit_code == 2
    assert "choose one" in both.output
