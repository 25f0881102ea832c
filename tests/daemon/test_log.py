"""The daemon's log."""

import asyncio
import io
import json
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tablectl.daemon.host.log import Levels, LevelSwitch, configure, is_traced, leave_request, levels, logger, trace
from tests.support.patience import PATIENCE_S


class Full(io.StringIO):
    """A disk with no room."""

    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")


def test_lines_are_json_with_their_area(capsys: pytest.CaptureFixture[str]) -> None:
    configure("info", "json")
    logger("table").info("ready", log="ab")
    line = capsys.readouterr().err
    assert '"area": "table"' in line
    assert '"event": "ready"' in line


def test_lines_below_the_level_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    configure("warning", "text")
    logger("table").info("ready")
    assert capsys.readouterr().err == ""


def test_a_line_that_nobody_can_take_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Full())
    configure("info", "json")
    logger("table").info("ready")


def test_area_has_a_level_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    configure("warning", "json", {"round": "debug"})
    logger("round").debug("closed")
    logger("table").info("ready")
    assert [json.loads(line)["event"] for line in capsys.readouterr().err.splitlines()] == ["closed"]


def test_traced_line_says_its_level_and_is_below_debug(capsys: pytest.CaptureFixture[str]) -> None:
    configure("debug", "json")
    trace("drivers", "a frame")
    assert capsys.readouterr().err == ""
    levels().turn("trace", "drivers")
    assert is_traced("drivers")
    assert not is_traced("round")
    trace("drivers", "a frame", device="shoe")
    line = json.loads(capsys.readouterr().err)
    assert (line["level"], line["area"], line["event"], line["device"]) == ("trace", "drivers", "a frame", "shoe")


def test_level_of_every_area_takes_the_place_of_each(capsys: pytest.CaptureFixture[str]) -> None:
    configure("info", "json", {"round": "trace"})
    levels().turn("error", None)
    logger("round").info("opened")
    logger("table").warning("up without all devices")
    assert capsys.readouterr().err == ""


async def test_switch_takes_what_was_left_and_takes_the_file_away(tmp_path: Path) -> None:
    configure("error", "json")
    switch = LevelSwitch(tmp_path)
    running = asyncio.create_task(switch.run())
    for text in (None, '{"level": "loud", "area": null}', "nothing", "[" * 100_000, '{"area": "round"}'):
        request = await asyncio.to_thread(leave_request, tmp_path, "debug", "round")
        if text is not None:
            request.write_text(text)
        switch.signal()
        async with asyncio.timeout(PATIENCE_S):
            while await asyncio.to_thread(request.exists):  # noqa: ASYNC110  # looked at from outside
                await asyncio.sleep(0.01)
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    assert levels() == Levels("error", {"round": "debug"})
