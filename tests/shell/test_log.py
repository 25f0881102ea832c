"""The daemon's log."""

import io
import sys

import pytest

from tablectl.shell.log import configure, logger


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
