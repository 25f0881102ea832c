"""Every input that was found worth keeping, and thousands near them, at every entrance for bytes from outside.

`make fuzz` follows the coverage to new ones; what it finds stands in `corpus`, a line for each input.
"""

import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from drivers.link import host
from drivers.link.frame import Frame, encode_frame
from tablectl.core.bets.settle import settle_line
from tablectl.core.facts import Fact
from tablectl.core.json_form import FormError
from tablectl.features.tail import follower
from tablectl.history import render
from tablectl.journal import encoding, records
from tablectl.journal.reading import verify
from tablectl.mqtt import requests as bus_request
from tablectl.proof import judge, note
from tablectl.rule_tables import settlers
from tests.fuzz.inputs import ROUNDS
from tests.fuzz.keeping import FOLDER, kept, known
from tests.fuzz.shrink import shrunk, taken
from tests.fuzz.target import Target, WrongError, edited, obeyed, reformed
from tests.fuzz.targets import TARGETS
from tests.support.codec_fuzz import hurt
from tests.support.long import by_turn

SEED = 20261120
SLOW = {
    "case": 100,
    "restored": 150,
    "rows": 200,
    "capture": 200,
    "journal": 300,
    "recovery": 300,
    "config": 300,
    "fact": 1_000,
    "settle": 1_000,
    "console_body": 1_000,
    "session": 1_200,
    "angel_eye": 1_500,
    "envelope": 1_500,
    "feed": 1_500,
    "note": 2_000,
    "link": 2_000,
}
"""How many are tried where one takes long; the codecs' own frames have their 50,000 in `test_fuzz_codecs`."""

USUALLY = 3_000
MOST_KEPT = 64 * 1024


def near(name: str, count: int, seed: int = SEED) -> Iterator[bytes]:
    """Inputs near those that are known, and now and then any bytes."""
    chance, begin, longest = random.Random(seed), known(name), TARGETS[name].longest
    for nth in range(count):
        data = hurt(chance, chance.choice(begin)) if nth % 8 else chance.randbytes(chance.randrange(longest))
        yield data[:longest]


@pytest.mark.parametrize("name", TARGETS)
def test_every_input_that_is_kept_is_dealt_with_rightly(name: str) -> None:
    for data in known(name):
        TARGETS[name].judge(data)


@pytest.mark.parametrize("quarter", by_turn(range(4)))
@pytest.mark.parametrize("name", TARGETS)
def test_inputs_near_those_are_dealt_with_rightly(name: str, quarter: int) -> None:
    for data in near(name, SLOW.get(name, USUALLY) // 4, SEED + quarter):
        TARGETS[name].judge(data)


def test_every_target_keeps_inputs_and_few() -> None:
    for name in TARGETS:
        assert kept(name), name
        assert (FOLDER / f"{name}.hex").stat().st_size <= MOST_KEPT, name
    assert {path.stem for path in FOLDER.iterdir()} == set(TARGETS)


# --- what the targets are worth: each mistake is caught


def _acknowledges_what_it_delivered(patch: pytest.MonkeyPatch) -> None:
    def send(self: host.HostSession, kind: int, payload: bytes = b"", *, flags: int = 0) -> None:
        frame = Frame(kind, ack=self._delivered, boot=self._boot or 0, flags=flags, payload=payload)
        self._data += encode_frame(frame)

    patch.setattr(host.HostSession, "_send", send)


def _forgets_no_piece(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("drivers.link.frame.MAX_ENCODED", 1 << 20)


def _reads_a_line_too_far(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("drivers.wheel.qsb.MAX_LINE", 1 << 20)


def _believes_any_proof(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(judge, "includes", lambda *_: True)


def _believes_any_signature(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(note, "is_signed", lambda *_: True)


def _compares_no_checkpoint(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(verify, "_compare", lambda *_: None)


class _Fits:
    """Equal to whatever it is compared with."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = object.__hash__


def _believes_any_snapshot(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(records, "_seal", lambda *_: _Fits())


def _answers_wherever_it_is_asked_to(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(bus_request, "_is_own", lambda *_: True)


def _prints_what_it_hears(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(render, "visible_form", lambda form: form)
    patch.setattr(follower, "visible", lambda text: text)


def _stumbles_over_depth(patch: pytest.MonkeyPatch) -> None:
    def decode(_line: bytes) -> object:
        raise FormError("", "no")

    patch.setattr("tablectl.core.bets.settle.decode", decode)
    patch.setattr("tablectl.core.bets.settle.FormError", KeyError)


def _shows_a_secret(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("tablectl.config.source._is_secret", lambda _: False)


def _leaves_empty_texts_out(patch: pytest.MonkeyPatch) -> None:
    whole = encoding._fact_form

    def form(fact: Fact) -> dict[str, object]:
        return {name: value for name, value in whole(fact).items() if value != "" or name == "source"}

    patch.setattr(encoding, "_fact_form", form)


def _counts_no_event_of_a_case(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("tablectl.features.case.verify._check_complete", lambda *_: None)
    patch.setattr("tablectl.features.case.verify.includes", lambda *_: True)


def _asks_for_no_signature_of_a_case(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("tablectl.features.case.verify._check_signature", lambda *_: None)


def _announces_what_a_damaged_journal_says(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("tablectl.features.journal.restore.verify", lambda *_: None)


MISTAKES: list[tuple[str, Callable[[pytest.MonkeyPatch], None]]] = [
    ("session", _acknowledges_what_it_delivered),
    ("link", _forgets_no_piece),
    ("qsb", _reads_a_line_too_far),
    ("proof", _believes_any_proof),
    ("note", _believes_any_signature),
    ("journal", _compares_no_checkpoint),
    ("rows", _believes_any_snapshot),
    ("mqtt_request", _answers_wherever_it_is_asked_to),
    ("feed", _prints_what_it_hears),
    ("settle", _stumbles_over_depth),
    ("config", _shows_a_secret),
    ("fact", _leaves_empty_texts_out),
    ("case", _counts_no_event_of_a_case),
    ("case", _asks_for_no_signature_of_a_case),
    ("restored", _announces_what_a_damaged_journal_says),
]


@pytest.mark.parametrize(("name", "mistake"), MISTAKES, ids=[mistake.__name__[1:] for _, mistake in MISTAKES])
def test_a_mistake_in_the_code_is_caught(
    name: str, mistake: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    TARGETS[name].judge(known(name)[0])  # what it works on was made before the mistake
    mistake(monkeypatch)
    with pytest.raises((WrongError, FormError, ValueError)):
        _try_all(name)


def _try_all(name: str) -> None:
    for data in (*known(name), *near(name, 4 * USUALLY)):
        TARGETS[name].judge(data)


# --- the tools


def test_of_many_inputs_those_stay_that_go_somewhere_new() -> None:
    judged = TARGETS["envelope"].judge
    many = [*TARGETS["envelope"].seeds(), b"[]", b"{}", b"[ ]", b"{ }", b'{"sequence":"1"}']
    few = shrunk(judged, many)
    assert len(few) < len(many)
    assert b"[]" in few
    assert b"[ ]" not in few
    reached = [set[object]().union(*(taken(judged, data) for data in some)) for some in (few, many)]
    assert reached[0] == reached[1]


def test_what_one_line_decides_is_told_apart() -> None:
    assert shrunk(TARGETS["am03127"].judge, [b"\0", b"NACK", b"xNACK"]) == [b"\0", b"NACK"]


def test_a_round_of_each_game_is_settled_to_begin_with() -> None:
    games = settlers()
    answers = [settle_line(line, 1, games) for line in ROUNDS]
    assert all(answer.settled for answer in answers)
    assert {json.loads(answer.text)["game"] for answer in answers} == set(games.by_game)


def test_edits_change_a_json_document_as_they_say() -> None:
    form = {"a": 1, "b": [2, {"c": "d"}]}
    whole = json.dumps(form).encode()
    assert json.loads(reformed(whole, b"")) == form
    assert json.loads(reformed(whole, b"\0\0\0")) == {**form, "a": None}
    assert json.loads(reformed(whole, b"\2\1")) == {"a": 1, "b": [{"c": "d"}]}
    assert json.loads(reformed(whole, b"\0\2\3")) == {**form, "a": {"c": "d"}}
    assert json.loads(reformed(whole, b"\4\3\1x")) == {"a": 1, "b": [2, {"c": "x"}]}
    assert json.loads(reformed(whole, b"\0\4\1z")) == {**form, "z": 1}
    assert json.loads(reformed(whole, b"\2\4\1\0")) == {"a": 1, "b": [256, 2, {"c": "d"}]}


def test_edits_change_a_document_as_they_say() -> None:
    whole = bytes(range(100))
    assert edited(whole, b"") == whole
    assert edited(whole, b"\0\5\0\0") == whole[:5] + b"\4" + whole[6:]
    assert edited(whole, b"\0\5\5") == whole[:5]
    assert edited(whole, b"\0\5\2\3") == whole[:5] + whole[8:]


@pytest.mark.parametrize("letter", ["\x1b", "\n", "\x9b", "\u2028", "\u202e", "\ud800", "\0"])
def test_a_letter_that_moves_a_cursor_is_known(letter: str) -> None:
    assert obeyed(f"a{letter}b") == [letter]
    assert obeyed("a é 安　全 👩\u200d👧") == []


@pytest.mark.slow
@pytest.mark.skipif(find_spec("atheris") is None, reason="atheris has no build for this machine")
def test_a_run_follows_the_coverage_and_ends_well(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.fuzz", "key", "--seconds", "1"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("key ")
    assert int(run.stdout.split()[1].replace(",", "")) > 100


def test_an_input_that_was_printed_can_be_tried_again() -> None:
    command = [sys.executable, "-m", "tests.fuzz", "envelope", "--input", "5b5d"]
    assert subprocess.run(command, capture_output=True, check=False, timeout=60).returncode == 0


def test_a_target_that_fails_says_which_values() -> None:
    def wrong(data: bytes) -> None:
        raise WrongError(data.hex())

    with pytest.raises(WrongError, match="6162"):
        Target(wrong, list).judge(b"ab")
