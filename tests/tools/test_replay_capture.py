"""`tablectl dev replay` and `tablectl dev decode`: bytes in words, cards hidden, differences found."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from drivers.buzzer import codec as buzzer
from drivers.buzzer.codec import Pattern, Sound, Sounded
from drivers.diagnostics.explain import KINDS, PROTOCOLS, DecodeError, explain, explainer, read_hex
from drivers.display.am03127 import encode_frame as led_frame
from drivers.link.frame import Frame, FrameType, NakReason, encode_frame
from drivers.link.identity import Kind, encode_identity
from drivers.link.messages import REPLIES, Accepted
from drivers.link.notices import COMMAND_ID
from drivers.shoe.reports import CardDrawn, CutCardReached, Target
from drivers.shuffler import codec as shuffler
from drivers.shuffler.codec import EventKind, Shuffle, ShuffleCompleted
from drivers.sim.link_device import simulated
from drivers.sim.shoe import encode_report
from drivers.wheel import qsb
from drivers.wheel.facts import Reading
from drivers.wheel.usb_sensor import Packet, encode_packet
from tablectl.cli import main

CARD = encode_report("1", CardDrawn(in_game=True, target=Target.PLAYER, index=1, card="8s"))
CUT = encode_report("2", CutCardReached())
DONE = encode_frame(Frame(FrameType.EVENT, seq=3, boot=7, payload=shuffler.EVENTS.encode(ShuffleCompleted(9, 52))))


def frame(kind: FrameType, payload: bytes = b"") -> str:
    return encode_frame(Frame(kind, seq=3, boot=7, payload=payload)).hex()


def ran(*args: str) -> Result:
    return CliRunner().invoke(main, list(args))


# --- one frame


@pytest.mark.parametrize(
    ("protocol", "text", "kind", "said"),
    [
        ("angel_eye", CUT.hex(), "", "seq 2: CutCardReached"),
        ("angel_eye", "06", "", "ReplyReceived (code , meaning accepted)"),
        ("link", DONE.hex(" "), "shuffler", "EVENT seq 3 ack 0 boot 00000007: ShuffleCompleted (op 9, count 52)"),
        ("link", DONE.strip(b"\0").hex(), "shuffler", "EVENT seq 3 ack 0 boot 00000007: ShuffleCompleted"),
        ("link", DONE.hex(), "", "bytes of a device of unknown kind"),
        ("link", frame(FrameType.HEARTBEAT), "", "HEARTBEAT seq 3 ack 0 boot 00000007"),
        ("link", frame(FrameType.GET_EVENTS, b"\5\0"), "", "GET_EVENTS seq 3 ack 0 boot 00000007: from 5"),
        ("link", frame(FrameType.NAK, bytes((NakReason.BUSY, 7))), "", "busy, about a frame of type 7"),
        ("link", frame(FrameType.IDENTITY, encode_identity(simulated(Kind.DICE))), "", "Identity (maker tablectl"),
        ("link", frame(FrameType.IDENTITY, b"?"), "", "not intelligible"),
        (
            "link",
            frame(FrameType.COMMAND, COMMAND_ID.pack(4) + shuffler.COMMANDS.encode(Shuffle(9))),
            "shuffler",
            "command 0000000000000004: Shuffle (op 9)",
        ),
        (
            "link",
            frame(FrameType.REPLY, COMMAND_ID.pack(4) + REPLIES.encode(Accepted())),
            "draw",
            "command 0000000000000004: Accepted",
        ),
        (
            "link",
            frame(FrameType.COMMAND, COMMAND_ID.pack(4) + buzzer.COMMANDS.encode(Sound(1, Pattern.TIME_IS_UP))),
            "buzzer",
            "Sound (op 1, pattern time_is_up)",
        ),
        ("link", frame(FrameType.EVENT, buzzer.EVENTS.encode(Sounded(1, verified=True))), "buzzer", "Sounded (op 1"),
        ("am03127", b"ACK".hex(), "", "ACK"),
        ("am03127", led_frame(1, "<D*>").hex(), "", "board 1 is given <D*>"),
        ("am03127", b"<ID01><D*>00<E>".hex(), "", "with wrong check characters"),
        ("qsb", b"s 0E 00000010 00000200 !\r\n".hex(), "", "s count 16 at tick 512"),
        ("qsb", b"QSB-D  0E!\r\n".hex(), "", "banner"),
        ("qsb", qsb.encode_write(qsb.Register.INTERVAL, 2).hex(), "", "set interval 2"),
        ("qsb", b"nonsense\r\n".hex(), "", "damaged line"),
        ("usb", encode_packet(Packet(1, 7, 0, 0, 1000, (Reading(5, 6),))).hex(), "", "packet 1 boot 00000007: 1 read"),
    ],
)
def test_a_frame_of_every_protocol_is_explained(protocol: str, text: str, kind: str, said: str) -> None:
    assert any(said in line for line in explain(protocol, text, kind))


def test_a_card_is_named_only_where_that_is_asked_for() -> None:
    assert "card (hidden)" in explain("angel_eye", CARD.hex())[0]
    assert "8s" not in explain("angel_eye", CARD.hex())[0]
    assert "card 8s" in explain("angel_eye", CARD.hex(), cards=True)[0]


def test_an_order_of_cards_is_named_nowhere() -> None:
    order = encode_frame(Frame(FrameType.EVENT, payload=bytes((EventKind.CARD_ORDER,)) + bytes(range(52)))).hex()
    for kind in ("", *KINDS):
        (line,) = explain("link", order, kind, cards=True)
        assert "0a 0b" not in line
        assert "10, 11" not in line


@pytest.mark.parametrize(
    ("protocol", "text", "told"),
    [
        ("angel_eye", "0", "pairs of hexadecimal digits"),
        ("angel_eye", "xy", "pairs of hexadecimal digits"),
        ("angel_eye", " ", "there are no bytes"),
        ("angel_eye", CARD[:4].hex(), "not whole"),
        ("angel_eye", (CARD[:-1] + b"0").hex(), "damaged"),
        ("link", DONE[:-3].hex(), "damaged"),
        ("usb", "00", "damaged"),
        ("am03127", "00", "damaged"),
        ("qsb", "41", "not whole"),
        ("telex", "00", "no protocol 'telex'"),
    ],
)
def test_bytes_that_mean_nothing_say_why(protocol: str, text: str, told: str) -> None:
    with pytest.raises(DecodeError, match=told):
        explain(protocol, text)


def test_a_kind_that_is_not_on_our_link_is_refused() -> None:
    with pytest.raises(DecodeError, match="not a 'wheel'"):
        explainer("link", "wheel")
    assert all(explainer(protocol) for protocol in PROTOCOLS)


def test_hexadecimal_may_be_written_as_people_do() -> None:
    assert read_hex("0x05 31:44,81\nB8") == bytes.fromhex("05314481b8")


def test_the_command_explains_and_refuses() -> None:
    good = ran("dev", "decode", "angel_eye", *CARD.hex(" ").split())
    assert (good.exit_code, good.output) == (
        0,
        "seq 1: CardDrawn (in_game True, target player, index 1, card (hidden))\n",
    )
    bad = ran("dev", "decode", "link", "00", "11")
    assert bad.exit_code == 65
    assert "no link frame" in bad.output


# --- captures


def line(device: str, way: str, data: bytes, second: int = 0) -> dict[str, Any]:
    return {"utc_us": second * 1_000_000, "mono_ns": 0, "device": device, "way": way, "hex": data.hex()}


HEAD = {
    "capture": 1,
    "devices": {
        "shoe": {"kind": "shoe", "protocol": "angel_eye"},
        "shuffler": {"kind": "shuffler", "protocol": "link"},
    },
}


def written(path: Path, *forms: dict[str, Any], end: str = "\n") -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(map(json.dumps, forms)) + end)
    return path


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    folder = tmp_path / "capture"
    written(folder / "links-000009.jsonl", HEAD, line("shoe", "in", CARD[:5]), {"lost": 7})
    written(folder / "links-000010.jsonl", HEAD, line("shoe", "in", CARD[5:], 1), line("shuffler", "in", DONE, 2))
    return folder


def test_a_capture_is_replayed_over_its_files_with_cards_hidden(folder: Path) -> None:
    result = ran("dev", "replay", str(folder))
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "1970-01-01T00:00:01.000000Z shoe > seq 1: CardDrawn (in_game True, target player, index 1, card (hidden))",
        "1970-01-01T00:00:02.000000Z shuffler > EVENT seq 3 ack 0 boot 00000007: ShuffleCompleted (op 9, count 52)",
    ]
    assert "the capture lost 7 bytes" in result.stderr
    assert "card 8s" in ran("dev", "replay", str(folder), "--cards").stdout


def test_same_bytes_replay_to_same_whenever_and_however_they_came(folder: Path, tmp_path: Path) -> None:
    other = written(tmp_path / "x" / "links-000001.jsonl", HEAD, line("shoe", "in", CARD), line("shuffler", "in", DONE))
    result = ran("dev", "replay", str(folder), "--against", str(other))
    assert (result.exit_code, result.output) == (0, "no difference\n")
    text = tmp_path / "expected.txt"
    text.write_text(ran("dev", "replay", str(folder), "--no-times").stdout)
    assert ran("dev", "replay", str(folder), "--against", str(text)).exit_code == 0


@pytest.mark.parametrize(("data", "there"), [(CUT, "CutCardReached"), (b"", "ShuffleCompleted")])
def test_the_first_difference_is_shown(folder: Path, tmp_path: Path, data: bytes, there: str) -> None:
    other = written(tmp_path / "x" / "links-000001.jsonl", HEAD, line("shoe", "in", data), line("shuffler", "in", DONE))
    result = ran("dev", "replay", str(folder), "--against", str(other))
    assert result.exit_code == 1
    assert result.stderr.startswith("line 1\n  now:      shoe > seq 1: CardDrawn")
    assert there in result.stderr


def test_pieces_that_mean_nothing_are_counted_by_device(tmp_path: Path) -> None:
    path = written(tmp_path / "x" / "links-000001.jsonl", HEAD, line("shoe", "in", b"zz"))
    assert "shoe: 2 pieces without meaning" in ran("dev", "replay", str(path)).stderr


def test_last_line_that_a_power_cut_left_is_no_error(tmp_path: Path) -> None:
    path = written(tmp_path / "x" / "links-000001.jsonl", HEAD, line("shoe", "in", CUT), {"utc_us": 1}, end="")
    assert ran("dev", "replay", str(path)).stdout.count("CutCardReached") == 1


@pytest.mark.parametrize(
    ("forms", "told"),
    [
        (({"utc_us": 1},), "no capture of links"),
        (({**HEAD, "capture": 2},), "form 1 of captures, not 2"),
        ((HEAD, line("lamp", "in", b"x")), "doesn't say what 'lamp' is"),
        ((HEAD, {"device": "shoe"}), "'way'"),
    ],
)
def test_what_is_no_capture_says_where(tmp_path: Path, forms: tuple[dict[str, Any], ...], told: str) -> None:
    path = written(tmp_path / "x" / "links-000001.jsonl", *forms)
    result = ran("dev", "replay", str(path))
    assert result.exit_code == 65
    assert told in result.stderr
    assert f"{path}:" in result.stderr


def test_line_nested_without_end_is_no_line_of_a_capture(tmp_path: Path) -> None:
    path = written(tmp_path / "x" / "links-000001.jsonl", HEAD, end="\n" + "[" * 100_000 + "\n")
    result = ran("dev", "replay", str(path))
    assert (result.exit_code, f"{path}:2: not a line of a capture" in result.stderr) == (65, True)


def test_folder_without_capture_and_file_that_isn_t_there_say_so(tmp_path: Path) -> None:
    assert "no capture in this folder" in ran("dev", "replay", str(tmp_path)).stderr
    assert ran("dev", "replay", str(tmp_path / "none.jsonl")).exit_code == 66
