import random
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.shoe.angel_eye import LOCK, MAX_BODY, RANKS, SUITS, CommandType, FrameParser, decode_report, encode_command
from drivers.shoe.reports import (
    CardDrawn,
    CardRetransmitted,
    Copy,
    CutCardReached,
    ErrorCancelled,
    ErrorRaised,
    GameResult,
    LockReported,
    PresetChanged,
    Reject,
    ReplyReceived,
    Report,
    ShoeError,
    StandBy,
    Started,
    Target,
    Undecodable,
    Winner,
)
from drivers.shoe.vote import WINDOW_S, Confirmed, RepeatsDisagree, ReportLost, ShoeReceiver, Unconfirmed, Voter
from drivers.sim.shoe import encode_report, frame_report

CARDS = [rank + suit for rank in RANKS.values() for suit in SUITS.values()]
GOLDEN = [
    ("05 31 44 81 B8 03 34 46", "1", CardDrawn(in_game=True, target=Target.PLAYER, index=1, card="8s")),
    ("05 32 47 91 03 45 37", "2", GameResult(Winner.PLAYER, player_pair=True, banker_pair=False)),
    ("05 33 43 03 37 33", "3", CutCardReached()),
    ("05 34 45 C1 03 42 33", "4", ErrorRaised(1, ShoeError.CANNOT_READ, error_mode=True)),
]
reports: st.SearchStrategy[Report] = st.one_of(
    st.builds(
        CardDrawn,
        in_game=st.just(True),
        target=st.sampled_from(tuple(Target)[:5]),
        index=st.integers(0, 10),
        card=st.sampled_from(CARDS),
    ),
    st.builds(
        CardDrawn,
        in_game=st.just(False),
        target=st.sampled_from(tuple(Target)[5:]),
        index=st.integers(0, 10),
        card=st.sampled_from(CARDS),
    ),
    st.builds(CardRetransmitted, st.sampled_from(tuple(Target)[:5]), st.integers(0, 10), st.sampled_from(CARDS)),
    st.builds(GameResult, st.sampled_from(Winner), player_pair=st.booleans(), banker_pair=st.booleans()),
    st.builds(LockReported, locked=st.booleans()),
    st.builds(PresetChanged, st.just("A1"), st.just("0042")),
    st.sampled_from([Started(), StandBy(), CutCardReached()]),
    st.integers(1, 7).map(lambda code: ErrorRaised(code, tuple(ShoeError)[code - 1], error_mode=True)),
    st.integers(1, 7).map(lambda code: ErrorCancelled(code, tuple(ShoeError)[code - 1], error_mode=False)),
)


def drawn(card: str, index: int = 1) -> CardDrawn:
    return CardDrawn(in_game=True, target=Target.PLAYER, index=index, card=card)


def parsed(data: bytes) -> list[Copy | ReplyReceived]:
    return list(FrameParser().feed(data))


def cut(data: bytes, cuts: Iterable[int]) -> list[bytes]:
    edges = [0, *sorted(point % (len(data) + 1) for point in cuts), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


@pytest.mark.parametrize(("text", "seq", "report"), GOLDEN)
def test_golden_bytes_are_read_and_made(text: str, seq: str, report: Report) -> None:
    data = bytes.fromhex(text)
    (copy,) = parsed(data)
    assert isinstance(copy, Copy)
    assert (copy.seq, copy.report) == (seq, report)
    assert encode_report(seq, report) == data


@given(reports)
def test_every_report_survives_the_wire(report: Report) -> None:
    (copy,) = parsed(encode_report("7", report))
    assert isinstance(copy, Copy)
    assert copy.report == report


def test_every_card_byte_is_a_card_of_pack_or_rejected() -> None:
    decoded = [decode_report(bytes((0x44, 0x81, byte))) for byte in range(256)]
    cards = [report.card for report in decoded if isinstance(report, CardDrawn)]
    assert sorted(cards) == sorted(CARDS)
    assert sum(report == Undecodable("D", Reject.BAD_CARD) for report in decoded) == 256 - 52


def test_every_place_byte_is_known_target_and_index_or_rejected() -> None:
    in_game = [decode_report(bytes((0x44, byte, 0xB8))) for byte in range(256)]
    outside = [decode_report(bytes((0x64, byte, 0xB8))) for byte in range(256)]
    assert sum(isinstance(report, CardDrawn) for report in in_game) == 5 * 11
    assert sum(isinstance(report, CardDrawn) for report in outside) == 3 * 11


@pytest.mark.parametrize(
    ("content", "report"),
    [
        (b"", Undecodable("", Reject.UNKNOWN_CODE)),
        (b"Z", Undecodable("Z", Reject.UNKNOWN_CODE)),
        (b"S\x80", Undecodable("S", Reject.BAD_LENGTH)),
        (b"D\x81", Undecodable("D", Reject.BAD_LENGTH)),
        (b"G\x11", Undecodable("G", Reject.BAD_VALUE)),
        (b"G\xb0", Undecodable("G", Reject.BAD_VALUE)),
        (b"G\x94", Undecodable("G", Reject.BAD_VALUE)),
        (b"M\x8012345", Undecodable("M", Reject.BAD_VALUE)),
        (b"E\x89", ErrorRaised(9, ShoeError.UNRECOGNISED, error_mode=False)),
    ],
)
def test_impossible_content_is_named_not_guessed(content: bytes, report: Report) -> None:
    assert decode_report(content) == report


def test_a_card_is_in_no_printed_form_of_a_notice() -> None:
    receiver = ShoeReceiver()
    notices = receiver.receive(encode_report("1", drawn("8s")) * 2 + encode_report("2", drawn("8s")), 0.0)
    notices += receiver.poll(9.0)
    assert [type(notice) for notice in notices] == [Confirmed, Unconfirmed]
    assert "8s" not in repr(notices)
    assert "8s" not in repr(parsed(encode_report("1", drawn("8s"))))


@given(st.lists(st.tuples(st.sampled_from("0123456789"), reports), max_size=8), st.lists(st.integers(0)))
def test_chunking_changes_nothing(sent: list[tuple[str, Report]], cuts: list[int]) -> None:
    data = b"".join(encode_report(seq, report) for seq, report in sent)
    parser, single = FrameParser(), FrameParser()
    in_chunks = [item for chunk in cut(data, cuts) for item in parser.feed(chunk)]
    by_byte = [item for byte in data for item in single.feed(bytes((byte,)))]
    assert in_chunks == by_byte == parsed(data)
    assert len(in_chunks) == len(sent)


@given(st.binary(max_size=300).filter(lambda data: b"\x15" not in data[-2:]), reports)
def test_garbage_before_a_report_does_not_hide_it(garbage: bytes, report: Report) -> None:
    last = parsed(garbage + encode_report("5", report))[-1]
    assert isinstance(last, Copy)
    assert (last.seq, last.report) == ("5", report)


def test_a_copy_cut_anywhere_does_not_cost_the_next_one() -> None:
    good = encode_report("1", drawn("8s"))
    for length in range(1, len(good)):
        assert [copy.report for copy in parsed(good[:length] + good) if isinstance(copy, Copy)] == [drawn("8s")]


def test_each_cause_of_rejection_has_its_counter() -> None:
    parser = FrameParser()
    good = encode_report("1", drawn("8s"))
    parser.feed(b"xyz")
    parser.feed(good[:4] + good)
    parser.feed(b"\x05" + b"\xff" * 200)
    parser.feed(good[:-1] + b"0")
    parser.feed(frame_report("\x07", b"S") + b"\x15zz" + b"\x06" + b"\x1502")
    parser.feed(frame_report("1", b"Z") + frame_report("1", b"S1") + frame_report("1", b"D\x81\x80"))
    parser.feed(frame_report("1", b"L\x01"))
    counters = parser.counters
    assert (counters.truncated, counters.overflow, counters.bad_bcc, counters.bad_seq) == (1, 1, 1, 1)
    assert (counters.unknown_code, counters.bad_length, counters.bad_card, counters.bad_value) == (1, 1, 1, 1)
    assert (counters.bad_reply, counters.replies, counters.copies) == (1, 2, 5)
    assert counters.garbage_bytes == 3 + (200 - MAX_BODY) + 1
    assert counters.rejected == 9


def test_lower_case_check_characters_are_a_flipped_bit() -> None:
    good = encode_report("1", drawn("8s"))
    assert good[-2:] == b"4F"
    assert parsed(good[:-1] + b"f") == []


def test_no_single_flipped_bit_gives_valid_copy_with_other_content() -> None:
    samples: list[Report] = [
        drawn("8s"),
        drawn("As", 10),
        GameResult(Winner.TIE, player_pair=True, banker_pair=True),
    ]
    for report in samples:
        data = encode_report("3", report)
        for position in range(len(data) * 8):
            hurt = bytearray(data)
            hurt[position // 8] ^= 1 << position % 8
            assert not any(isinstance(item, Copy) for item in parsed(bytes(hurt)))


def test_random_and_mutated_streams_never_crash_and_stay_small() -> None:
    source = random.Random(11)
    receiver = ShoeReceiver()
    for number in range(20_000):
        data = bytearray(encode_report(str(number % 10), drawn(source.choice(CARDS), number % 11)))
        for _ in range(source.randrange(4)):
            data[source.randrange(len(data))] = source.randrange(256)
        receiver.receive(bytes(data) if number % 3 else source.randbytes(20), number / 100)
        assert len(receiver._parser._body) <= MAX_BODY
        assert len(receiver._voter._ballots) <= 4
    assert receiver.counters.bad_bcc > 1000


@pytest.mark.parametrize(
    ("includes_stx", "check"),
    [(True, b"1B"), (False, b"19")],
)
def test_lock_command_has_the_check_characters_of_either_reading(includes_stx: bool, check: bytes) -> None:
    command = encode_command(CommandType.LOCK, LOCK, bcc_includes_stx=includes_stx)
    assert command == b"\x02OPLK02\x03" + check


def test_a_command_number_of_three_digits_is_an_error() -> None:
    with pytest.raises(ValueError, match="0 to 99"):
        encode_command(CommandType.CANCEL_ERROR, 100, bcc_includes_stx=True)


def test_replies_are_read_between_reports() -> None:
    data = b"\x06" + encode_report("1", drawn("8s")) + b"\x1521"
    accepted, copy, refused = parsed(data)
    assert isinstance(accepted, ReplyReceived)
    assert accepted.accepted
    assert isinstance(copy, Copy)
    assert refused == ReplyReceived("21", "busy")


# -- the vote


def voted(*steps: tuple[float, str, Report]) -> list[object]:
    voter = Voter()
    out: list[object] = []
    for now_s, seq, report in steps:
        for item in parsed(encode_report(seq, report)):
            assert isinstance(item, Copy)
            out += voter.receive(item, now_s)
    out += voter.poll(1e9)
    return out


A, B, C = drawn("As"), drawn("Kd"), drawn("2c")


DAMAGE: Mapping[str, Callable[[bytes], bytes]] = {
    "check": lambda copy: copy[:-1] + b"\0",
    "start": lambda copy: b"\x45" + copy[1:],
    "end": lambda copy: copy.replace(b"\x03", b"\x43"),
    "all": lambda copy: b"\x99" * len(copy),
}


@pytest.mark.parametrize(
    ("copies", "notices"),
    [
        ("1aa", [Confirmed("1", A)]),
        ("1a-a", [Confirmed("1", A)]),
        ("1-aa", [Confirmed("1", A)]),
        ("1--a", [Unconfirmed("1", (A,))]),
        ("1---", [ReportLost()]),
        ("1aaa 2---", [Confirmed("1", A), ReportLost()]),
        ("1--- 2aaa", [ReportLost(), Confirmed("2", A)]),
        ("1aaa 2--- 3aaa", [Confirmed("1", A), ReportLost(), Confirmed("3", A)]),
        ("1--- 2a", [ReportLost(), Unconfirmed("2", (A,))]),
        ("1--- 2a--", [ReportLost(), Unconfirmed("2", (A,))]),
        ("1--- 2--a", [ReportLost(), Unconfirmed("2", (A,))]),
        ("1a-- 2---", [Unconfirmed("1", (A,)), ReportLost()]),
        ("1aa- 2---", [Confirmed("1", A), ReportLost()]),
        ("1a-- 2--- 3a--", [Unconfirmed("1", (A,)), ReportLost(), Unconfirmed("3", (A,))]),
        ("1-aa 2-aa 3aa-", [Confirmed("1", A), Confirmed("2", A), Confirmed("3", A)]),
    ],
)
@pytest.mark.parametrize("damage", ["check", "start", "end", "all"])
def test_a_report_of_which_every_copy_is_damaged_is_missed(copies: str, damage: str, notices: list[object]) -> None:
    receiver = ShoeReceiver()
    out: list[object] = []
    for burst in copies.split():
        for copy in burst[1:]:
            sent = encode_report(burst[0], A)
            out += receiver.receive(sent if copy == "a" else DAMAGE[damage](sent), 0.0)
    while (deadline_s := receiver.next_deadline()) is not None:
        out += receiver.poll(deadline_s)
    assert out == notices


def test_bytes_outside_any_frame_may_have_been_a_report() -> None:
    receiver = ShoeReceiver()
    assert receiver.receive(b"\x99" * 18, 0.0) == ()
    assert receiver.poll(WINDOW_S - 0.01) == ()
    assert receiver.poll(WINDOW_S) == (ReportLost(),)
    assert receiver.poll(9.0) == ()


def test_the_second_equal_copy_decides_and_the_third_is_silent() -> None:
    voter = Voter()
    (copy,) = parsed(encode_report("1", A))
    assert isinstance(copy, Copy)
    given_back = [voter.receive(copy, now_s) for now_s in (0.0, 0.02, 0.04)]
    assert given_back == [(), (Confirmed("1", A),), ()]


@pytest.mark.parametrize(
    ("copies", "notices"),
    [
        ([A, A, B], [Confirmed("1", A), RepeatsDisagree("1")]),
        ([A, B, A], [RepeatsDisagree("1"), Confirmed("1", A)]),
        ([B, A, A], [RepeatsDisagree("1"), Confirmed("1", A)]),
        ([A, B, C], [RepeatsDisagree("1"), Unconfirmed("1", (A, B, C))]),
        ([A, B], [RepeatsDisagree("1"), Unconfirmed("1", (A, B))]),
        ([A], [Unconfirmed("1", (A,))]),
        ([A, A], [Confirmed("1", A)]),
        ([A, A, A, A], [Confirmed("1", A)]),
        ([A, A, B, B, B], [Confirmed("1", A), RepeatsDisagree("1")]),
    ],
)
def test_every_outcome_of_a_vote(copies: list[Report], notices: list[object]) -> None:
    assert voted(*[(0.01 * n, "1", report) for n, report in enumerate(copies)]) == notices


def test_one_copy_is_unconfirmed_when_window_closes_and_not_before() -> None:
    voter = Voter(window_s=0.6)
    (copy,) = parsed(encode_report("1", A))
    assert isinstance(copy, Copy)
    voter.receive(copy, 10.0)
    assert voter.next_deadline() == pytest.approx(10.6)
    assert voter.poll(10.59) == ()
    assert voter.poll(10.6) == (Unconfirmed("1", (A,)),)
    assert voter.next_deadline() is None


def test_another_report_ends_the_wait_at_once_and_in_order() -> None:
    assert voted((0, "1", A), (0.1, "2", B), (0.1, "2", B)) == [Unconfirmed("1", (A,)), Confirmed("2", B)]


def test_a_confirmed_report_has_no_deadline() -> None:
    voter = Voter()
    for item in parsed(encode_report("1", A) * 2):
        assert isinstance(item, Copy)
        voter.receive(item, 0.0)
    assert voter.next_deadline() is None


@pytest.mark.parametrize("late", [1, 2, 4])
def test_copies_that_come_after_a_stall_are_no_second_card(late: int) -> None:
    assert voted((0, "1", A), (0, "1", A), *[(1.4, "1", A)] * late) == [Confirmed("1", A)]


def test_same_sequence_after_the_window_is_a_new_report() -> None:
    assert voted((0, "1", A), (0, "1", A), (0.61, "1", B), (0.62, "1", B)) == [Confirmed("1", A), Confirmed("1", B)]


def test_the_same_report_after_another_one_is_a_new_report() -> None:
    steps = [(0, "1", A), (0, "1", A), (1, "2", B), (1, "2", B), (2, "1", A), (2, "1", A)]
    assert voted(*steps) == [Confirmed("1", A), Confirmed("2", B), Confirmed("1", A)]


def test_late_copy_inside_the_window_is_no_new_report() -> None:
    steps = [(0, "1", A), (0, "1", A), (0.1, "2", B), (0.1, "2", B), (0.2, "1", A), (0.3, "1", A)]
    assert voted(*steps) == [Confirmed("1", A), Confirmed("2", B)]


def test_burst_after_stall_keeps_reports_apart_although_characters_come_again() -> None:
    cards = [drawn(card, index % 11) for index, card in enumerate(CARDS)]
    burst = [(5.0, str(number % 10), card) for number, card in enumerate(cards) for _ in range(3)]
    assert voted(*burst) == [Confirmed(str(n % 10), card) for n, card in enumerate(cards)]


def test_an_unreadable_card_is_confirmed_as_unreadable() -> None:
    receiver = ShoeReceiver()
    notices = receiver.receive(frame_report("1", b"D\x81\x80") * 3, 0.0)
    assert notices == (Confirmed("1", Undecodable("D", Reject.BAD_CARD)),)
    assert receiver.counters.bad_card == 3


@pytest.mark.parametrize(
    ("content", "report"),
    [
        (b"D\x81\x80", Undecodable("D", Reject.BAD_CARD)),
        (b"R\x81\x80", Undecodable("R", Reject.BAD_CARD)),
        (b"C", CutCardReached()),
    ],
)
def test_an_unconfirmed_report_names_what_may_have_come(content: bytes, report: Report) -> None:
    receiver = ShoeReceiver()
    receiver.receive(frame_report("1", content), 0.0)
    assert receiver.poll(1.0) == (Unconfirmed("1", (report,)),)


@given(st.data())
def test_no_damage_to_one_copy_confirms_another_card(data: st.DataObject) -> None:
    report = drawn(data.draw(st.sampled_from(CARDS)), data.draw(st.integers(0, 10)))
    copy = encode_report("4", report)
    kind = data.draw(st.sampled_from(["replace", "forge", "drop", "insert"]))
    if kind == "forge":  # the worst case: wrong content whose check characters fit
        other = data.draw(reports)
        hurt = encode_report(data.draw(st.sampled_from("345")), other)
    else:
        hurt = data.draw(st.binary(max_size=len(copy)))
        at = data.draw(st.integers(0, len(copy)))
        keep = {"replace": at + len(hurt), "drop": at + len(hurt), "insert": at}[kind]
        hurt = copy[:at] + (b"" if kind == "drop" else hurt) + copy[keep:]
    place = data.draw(st.integers(0, 2))
    copies = [copy, copy, copy]
    copies[place] = hurt
    receiver = ShoeReceiver()
    notices = [*receiver.receive(b"".join(copies), 0.0), *receiver.poll(9.0)]
    confirmed = [notice.report for notice in notices if isinstance(notice, Confirmed)]
    assert confirmed in ([report], [])
    # A forged other report between two good copies may cost the confirmation, never the notice.
    assert confirmed or any(isinstance(notice, Unconfirmed) for notice in notices)


def test_flipped_bits_in_one_copy_leave_the_right_card() -> None:
    report = drawn("8s")
    copy = encode_report("1", report)
    bits = len(copy) * 8
    for first in range(bits):
        for second in range(first):
            hurt = int.from_bytes(copy) ^ (1 << first) ^ (1 << second)
            receiver = ShoeReceiver()
            notices = [
                *receiver.receive(copy + copy + hurt.to_bytes(len(copy)), 0.0),
                *receiver.poll(9.0),
            ]
            assert [n.report for n in notices if isinstance(n, Confirmed)] == [report]


def test_copies_that_come_after_wait_are_not_a_second_card() -> None:
    """A stall between the first copy and the others must not make two cards of one."""
    card = drawn("8s")
    late = voted((0.0, "1", card), (5.0, "1", card), (5.0, "1", card))
    assert [type(notice) for notice in late] == [Unconfirmed]
    following = voted((0.0, "1", card), (5.0, "2", card), (5.0, "2", card), (60.0, "1", card), (60.0, "1", card))
    assert [type(notice) for notice in following] == [Unconfirmed, Confirmed, Confirmed]
