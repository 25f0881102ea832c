"""Texts that somebody chose to do harm with: on the daemon's log, in its journal, in its clock's neighbour's answer."""

import json
import struct

import pytest

from tablectl.daemon.host import log
from tablectl.daemon.host.ntp import decode_answer
from tablectl.journal.encoding import WireError, read_fact

EVIL = "x\x1b[2J\x9b\u202e\x07"
CLEAN = "x\ufffd[2J\ufffd\ufffd\ufffd"


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_line_of_the_log_moves_a_cursor(form: log.Form, capsys: pytest.CaptureFixture[str]) -> None:
    log.configure("info", form)
    log.logger("devices").info("attached", device=EVIL, detail=f"a\n{EVIL}")
    try:
        raise ValueError(f"a\n{EVIL}")
    except ValueError:
        log.logger("devices").exception("failed")
    said = capsys.readouterr().err
    assert not set(said) & set(EVIL[1:].replace("[2J", ""))
    assert CLEAN in said


def test_line_of_log_is_one_line_whatever_a_device_says(capsys: pytest.CaptureFixture[str]) -> None:
    log.configure("info", "json")
    log.logger("devices").info("attached", device='x\n{"event":"settled"}')
    (line,) = capsys.readouterr().err.splitlines()
    assert json.loads(line)["event"] == "attached"


@pytest.mark.parametrize("text", [b"6", b"[]", b"null", b'"a"', b"[" * 100_000, b'{"v":1}', b"\xff", b"{}"])
def test_what_is_no_fact_is_refused_in_the_one_way(text: bytes) -> None:
    with pytest.raises(WireError):
        read_fact(text)


@pytest.mark.parametrize("which", [5, 6, 7])
def test_clock_error_bound_is_never_negative(which: int) -> None:
    floats = [0] * 9
    floats[which] = 0x01_FF_FF_FF  # -1 in chrony's form
    head = struct.pack(">BBBBHHHHHHIII", 6, 2, 0, 0, 33, 5, 0, 0, 0, 0, 7, 0, 0)
    quality = decode_answer(head + struct.pack(">I20sHH3I9I", 1, bytes(20), 1, 0, 0, 0, 0, *floats), 7)
    assert quality is None or (quality[1] or 0) >= 0
