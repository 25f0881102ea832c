"""What the technician's page asks of a table: only for technicians, nothing said to a device, no card named."""

import asyncio
import io
import json
import tarfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from drivers.diagnostics.capture import Bounds, Capture, Way
from tablectl.config import load
from tablectl.config.models import Config
from tablectl.console.workshop_routes import routes
from tablectl.core.protocols import DeviceCounters
from tablectl.daemon.host.clock import SystemClock
from tablectl.daemon.host.log import configure, levels
from tablectl.daemon.workshop import TableWorkshop
from tablectl.rule_tables import shipped
from tests.console.rig import House, error, house
from tests.support.kept import config, names_of_cards, shoe_frame
from tests.support.patience import LONG_PATIENCE_S

PATHS = tuple(f"/v1/workshop/{path}" for path in ("devices", "devices/shoe/frames", "frames", "bundle", "log"))
CARD, NUMBER = "Qh", 5


@asynccontextmanager
async def workshop(settings: Config) -> AsyncGenerator[House]:
    """A console with the workshop of this configuration."""
    counters = {name: DeviceCounters(bytes=7, frames=3) for name in settings.devices}
    here = await asyncio.to_thread(lambda: TableWorkshop(settings, lambda: counters, SystemClock()))
    async with house(more=lambda desk: routes(desk, here, settings.table.name)) as made:
        yield made


@pytest.fixture(name="settings")
async def _settings(tmp_path: Path) -> Config:
    return await asyncio.to_thread(captured, tmp_path)


def captured(folder: Path) -> Config:
    """A Q Poker table whose shoe gave a card, and whose shuffler said something, a moment ago."""
    about = {"shoe": {"kind": "shoe", "protocol": "angel_eye"}, "shuffler": {"kind": "shuffler", "protocol": "link"}}
    capture = Capture(folder / "state" / "capture", about, SystemClock().now, Bounds())
    capture.start()
    capture.tap("shoe")(Way.IN, shoe_frame(CARD, NUMBER))
    capture.tap("shuffler")(Way.IN, b"\0\x01\x02\0")
    capture.close()
    return config(folder / "state")


@pytest.mark.parametrize("path", PATHS)
async def test_only_a_technician_sees_the_workshop(settings: Config, path: str) -> None:
    async with workshop(settings) as here:
        assert (await here.screen().http.get(path)).status_code == 401
        for person in ("ana", "sam", "eve"):
            answer = await (await here.signed_on(person)).http.get(path)
            assert error(answer)[:2] == (403, "role_may_not")
        assert (await (await here.signed_on("tom")).http.get(path)).status_code == 200


async def test_last_frames_are_explained_without_a_card(settings: Config) -> None:
    async with workshop(settings) as here:
        answer = await (await here.signed_on("tom")).http.get("/v1/workshop/devices/shoe/frames")
    frames = answer.json()["frames"]
    assert [(frame["device"], frame["way"], frame["hex"]) for frame in frames] == [("shoe", "in", None)] * len(frames)
    assert any("CardDrawn" in frame["said"] and "(hidden)" in frame["said"] for frame in frames)
    assert not [name for name in names_of_cards(CARD, NUMBER) if name in answer.text]


async def test_a_device_that_is_not_there_is_named(settings: Config) -> None:
    async with workshop(settings) as here:
        answer = await (await here.signed_on("tom")).http.get("/v1/workshop/devices/wheel/frames")
    assert error(answer)[:2] == (404, "no_such_round")
    assert "wheel" in answer.json()["error"]["message"]


async def test_frames_of_all_devices_are_taken_away_without_a_card(settings: Config) -> None:
    async with workshop(settings) as here:
        tom = await here.signed_on("tom")
        answer = await tom.http.get("/v1/workshop/frames", params={"hours": "1"})
        assert answer.headers["content-disposition"] == 'attachment; filename="q-demo-frames.jsonl"'
        assert {json.loads(line)["device"] for line in answer.text.splitlines()} == {"shoe"}
        assert not [name for name in names_of_cards(CARD, NUMBER) if name in answer.text]
        for wrong in ("", "0", "-1", "1000", "one", "\u0661"):
            refused = await tom.http.get("/v1/workshop/frames", params={"hours": wrong})
            assert error(refused)[:2] == (422, "wrong_fields")


async def test_one_archive_for_support_is_made_at_a_time(settings: Config) -> None:
    async with workshop(settings) as here:
        tom = await here.signed_on("tom")
        answer, other = await asyncio.gather(
            *(tom.http.get("/v1/workshop/bundle", timeout=LONG_PATIENCE_S) for _ in "12")
        )
    one, refused = (answer, other) if answer.status_code == 200 else (other, answer)
    assert error(refused)[:2] == (503, "overloaded")
    assert one.headers["content-disposition"] == 'attachment; filename="q-demo-bundle.tar.gz"'
    with tarfile.open(fileobj=io.BytesIO(one.content)) as archive:
        files = {name.partition("/")[2] for name in archive.getnames()}
    assert {"manifest.json", "configuration.toml", "doctor.txt"} <= files


async def test_a_bundle_that_cannot_be_made_says_why(settings: Config) -> None:
    settings.found_by(Path("/nowhere/q1.toml"), {})
    async with workshop(settings) as here:
        refused = await (await here.signed_on("tom")).http.get("/v1/workshop/bundle", timeout=LONG_PATIENCE_S)
    assert error(refused)[:2] == (503, "overloaded")
    assert "/nowhere/q1.toml" in refused.json()["error"]["message"]


async def test_a_level_is_set_by_name_until_the_daemon_ends(
    settings: Config, capsys: pytest.CaptureFixture[str]
) -> None:
    configure("info", "json")
    try:
        async with workshop(settings) as here:
            tom = await here.signed_on("tom")
            turned = await tom.http.post("/v1/workshop/log", json={"level": "trace", "area": "drivers"})
            assert (turned.json()["areas"]["drivers"], levels().areas["drivers"]) == ("trace", "trace")
            for wrong in ({"level": "loud"}, {"level": "info", "area": "cards"}, {"area": "log"}, {"level": 5}):
                refused = await tom.http.post("/v1/workshop/log", json=wrong)
                assert error(refused)[:2] == (422, "wrong_fields")
            assert levels().areas["drivers"] == "trace"
    finally:
        configure("error", "text")
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines() if "level changed" in line]
    assert [(line["of"], line["to"], line["by"]) for line in lines] == [("drivers", "trace", "tom")]


async def test_a_wheel_shows_its_pegs_and_each_device_its_counters() -> None:
    settings = await asyncio.to_thread(lambda: load(shipped("tables/wheel-of-fortune.demo.toml"), {}))
    async with workshop(settings) as here:
        (wheel,) = (await (await here.signed_on("tom")).http.get("/v1/workshop/devices")).json()["devices"]
    assert (wheel["kind"], wheel["protocol"], wheel["counters"]["frames"]) == ("wheel", "qsb", 3)
    assert len(wheel["pegs"]["pegs_mdeg"]) == 52
    assert wheel["pegs"]["version"] == "52-even-1"
