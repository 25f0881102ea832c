import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from tablectl.cli import COMMANDS, main
from tablectl.core.cards import PACK
from tablectl.features.rounds.settle import CHUNK, JOBS_MAX, LINE_MAX, batches, settle_all
from tablectl.rule_tables import shipped
from tests.support.patience import PATIENCE_S
from tests.support.warm import tablectl_path

GOLDEN = Path(__file__).parent / "golden"
GOOD = b'{"game":"q_poker","round":{"dealer":["Qs","7h","2c"],"places":[]}}'
WRONG = b'{"game":"q_poker","round":{}}'


def run(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [tablectl_path(), "settle", *arguments]
    return subprocess.run(command, input=given, capture_output=True, check=False, timeout=PATIENCE_S)


def answers(given: bytes) -> list[tuple[int, bool]]:
    """Line number of every answer and whether it is a settlement."""
    target = io.BytesIO()
    settle_all(io.BytesIO(given), target)
    forms = [json.loads(line) for line in target.getvalue().splitlines()]
    return [(form["line"], "status" in form) for form in forms]


@pytest.mark.parametrize("file", sorted(GOLDEN.glob("*.in.jsonl")), ids=lambda file: file.stem)
def test_the_golden_rounds_give_the_golden_settlements_byte_for_byte(file: Path) -> None:
    expected = file.with_name(file.name.replace(".in.", ".out."))
    assert run(str(file)).stdout == expected.read_bytes()


@pytest.mark.parametrize(
    ("given", "status", "lines"),
    [(GOOD + b"\n" + GOOD, 0, 2), (GOOD + b"\n" + WRONG, 1, 2), (WRONG, 1, 1), (b"", 0, 0), (b"\n \n", 0, 0)],
)
def test_exit_status_is_0_when_settled_and_1_otherwise(given: bytes, status: int, lines: int) -> None:
    done = run(given=given)
    assert (done.returncode, done.stdout.count(b"\n"), done.stderr) == (status, lines, b"")


@pytest.mark.parametrize("arguments", [(), ("-",)])
def test_standard_input_is_read_without_file_or_for_dash(arguments: tuple[str, ...]) -> None:
    assert run(*arguments, given=GOOD).stdout.startswith(b'{"line":1,"game":"q_poker","status":"settled"')


def test_unreadable_file_exits_2_with_empty_standard_output(tmp_path: Path) -> None:
    for path in (tmp_path / "none.jsonl", tmp_path):
        done = run(str(path))
        assert (done.returncode, done.stdout) == (2, b"")
        assert str(path).encode() in done.stderr
        assert b"Traceback" not in done.stderr


def test_a_closed_standard_input_is_exit_status_2_and_named() -> None:
    done = subprocess.run(["sh", "-c", '"$0" -m tablectl settle <&-', sys.executable], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"tablectl settle: standard input can't be read: Bad file descriptor\n"


@pytest.mark.parametrize(
    ("output", "why"), [(">/dev/full", b"No space left on device"), (">&-", b"Bad file descriptor")]
)
def test_output_that_takes_nothing_is_exit_status_74(output: str, why: bytes) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"$0" -m tablectl settle {output}', sys.executable],
        input=GOOD,
        capture_output=True,
        check=False,
    )
    assert done.returncode == os.EX_IOERR
    assert done.stderr == b"tablectl settle: standard output can't be written: %s\n" % why


def test_an_answer_comes_before_the_input_ends() -> None:
    with subprocess.Popen([tablectl_path(), "settle"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in (1, 2):
            process.stdin.write(GOOD + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["line"] == number
        process.stdin.close()
        assert process.wait(timeout=PATIENCE_S) == 0


@pytest.mark.parametrize("jobs", [(), ("--jobs", "2")])
def test_input_set_not_to_block_is_read_to_its_end(jobs: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    with (
        os.fdopen(writing, "wb", buffering=0) as given,
        subprocess.Popen([tablectl_path(), "settle", *jobs], stdin=reading, stdout=subprocess.PIPE) as process,
    ):
        os.close(reading)
        assert process.stdout is not None
        for number in range(1, 101):  # after most of the answers nothing has come yet
            given.write(GOOD + b"\n")
            assert json.loads(process.stdout.readline())["line"] == number
        given.close()
        assert process.wait(timeout=PATIENCE_S) == 0


def test_a_reader_that_goes_away_ends_it_quietly(tmp_path: Path) -> None:
    many = tmp_path / "many.jsonl"
    many.write_bytes((GOOD + b"\n") * 20_000)
    with subprocess.Popen(
        [tablectl_path(), "settle", str(many)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=PATIENCE_S) == 141


def test_blank_lines_are_skipped_and_counted() -> None:
    assert answers(b"\n" + GOOD + b"\n \t \n\r\n" + WRONG + b"\n\n" + GOOD) == [
        (2, True),
        (5, False),
        (7, True),
    ]


@pytest.mark.parametrize("blank", [b"\f", b"\v", b"\x1c", b"\xc2\xa0"])
def test_only_what_json_takes_for_blank_makes_a_blank_line(blank: bytes) -> None:
    assert answers(b" \t\r\n" + blank + b"\n" + GOOD + blank + b"\n" + GOOD) == [(2, False), (3, False), (4, True)]


def told(given: bytes) -> str:
    target = io.BytesIO()
    assert not settle_all(io.BytesIO(given), target)
    return str(json.loads(target.getvalue())["error"]["message"])


@pytest.mark.parametrize("given", ["1.0", "8", "-0", "9" * 50, "1e3"])
def test_number_that_is_no_symbol_is_repeated_as_written(given: str) -> None:
    spin = f'"spin":{{"turns":4,"symbol":{given},"on_peg":false}}'
    line = f'{{"game":"wheel_of_fortune","round":{{{spin},"bets":[]}}}}'
    assert told(line.encode()) == f"an integer from 1 to 7 is expected, not {given}"


@pytest.mark.parametrize(
    ("given", "said"),
    [("0", "0"), ("-3", "-3"), ("1.0", "1.0"), ('"5"', "'5'"), ("null", "null"), ("true", "a boolean")],
)
def test_pays_that_are_none_are_told_as_they_were_written(given: str, said: str) -> None:
    spin = '"spin":{"turns":4,"symbol":1,"on_peg":false}'
    line = f'{{"game":"wheel_of_fortune","rules":{{"pays":[1,1,1,1,1,1,{given}]}},"round":{{{spin},"bets":[]}}}}'
    assert told(line.encode()) == f"an integer of at least 1 is expected, not {said}"


def test_a_very_long_number_is_cut_where_it_is_told() -> None:
    spin = f'"spin":{{"turns":4,"symbol":{"9" * 500},"on_peg":false}}'
    line = f'{{"game":"wheel_of_fortune","round":{{{spin},"bets":[]}}}}'
    assert told(line.encode()) == f"an integer from 1 to 7 is expected, not {'9' * 60}…"


def test_lines_may_end_in_crlf_and_the_last_in_nothing() -> None:
    assert answers(GOOD + b"\r\n" + GOOD) == [(1, True), (2, True)]


def test_byte_order_mark_is_allowed_at_start_of_file_only() -> None:
    mark = b"\xef\xbb\xbf"
    assert answers(mark + GOOD + b"\n" + mark + GOOD) == [(1, True), (2, False)]
    assert answers(mark + b"\n" + GOOD) == [(2, True)]


def test_bad_bytes_spoil_only_their_own_line() -> None:
    assert answers(GOOD + b"\n\xff\xfe\n\x00\n" + b"[" * 10**5 + b"\n" + GOOD) == [
        *((1, True), (2, False), (3, False), (4, False), (5, True)),
    ]


def test_line_longer_than_limit_is_error_and_next_line_settles() -> None:
    padded = GOOD + b" " * (LINE_MAX - len(GOOD))
    assert answers(padded + b"\n" + padded + b" \n" + GOOD) == [(1, True), (2, False), (3, True)]


def test_of_line_without_end_no_more_than_limit_is_kept() -> None:
    ((number, kept),) = next(batches(io.BytesIO(b"x" * (LINE_MAX + 10 * CHUNK) + b"\n").read1))
    assert (number, len(kept)) == (1, LINE_MAX + 1)


@given(st.lists(st.text(alphabet="ab\n", max_size=5).map(str.encode), max_size=12))
def test_lines_are_the_same_however_the_bytes_arrive(pieces: list[bytes]) -> None:
    arriving = iter([piece for piece in pieces if piece])
    lines = [pair for batch in batches(lambda _size: next(arriving, b"")) for pair in batch]
    assert lines == list(enumerate(b"".join(pieces).removesuffix(b"\n").split(b"\n"), 1)) or not b"".join(pieces)


def test_every_command_of_table_can_be_loaded_and_explains_itself() -> None:
    for name in COMMANDS:
        shown = CliRunner().invoke(main, [name, "--help"])
        assert shown.exit_code == 0
        assert shown.output.startswith("Usage: ")
    listed = CliRunner().invoke(main, ["--help"]).output
    assert all(f"  {name} " in listed for name in COMMANDS)


def test_an_unknown_command_is_a_usage_error() -> None:
    shown = CliRunner().invoke(main, ["deal"])
    assert shown.exit_code == 2
    assert "No such command 'deal'" in shown.output


def test_settling_starts_without_what_only_the_daemon_needs() -> None:
    probe = (
        "import sys, tablectl.features.rounds.settle; print({'asyncio','pydantic','apsw','aiomqtt'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


MANY = b"".join(GOOD.replace(b"Qs", card.encode()) + b"\n" for card in PACK) * 60 + WRONG + b"\n\n" + GOOD


@pytest.mark.parametrize("jobs", [("--jobs", "2"), ("--jobs", "3"), ("--jobs",)])
def test_several_processes_answer_as_one_does_and_in_order(tmp_path: Path, jobs: tuple[str, ...]) -> None:
    file = tmp_path / "many.jsonl"
    file.write_bytes(MANY * 3)
    alone, together = run(str(file)), run(str(file), *jobs)
    assert (together.stdout, together.stderr, together.returncode) == (alone.stdout, b"", 1)


def test_more_processes_than_may_be_asked_for_are_refused() -> None:
    done = run("--jobs", str(JOBS_MAX + 1), given=GOOD)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"--jobs" in done.stderr


def test_processes_that_cant_be_started_arent_told_of_the_output() -> None:
    line = 'ulimit -n 20; "$0" -m tablectl settle --jobs 16'
    done = subprocess.run(
        ["bash", "-c", line, sys.executable], input=GOOD, capture_output=True, check=False, timeout=PATIENCE_S
    )
    assert (done.returncode, done.stdout) == (os.EX_SOFTWARE, b"")
    assert b"with a smaller --jobs" in done.stderr


def test_processes_answer_before_the_input_ends() -> None:
    with subprocess.Popen(
        [tablectl_path(), "settle", "--jobs", "2"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in (1, 2, 3):
            process.stdin.write(GOOD + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["line"] == number
        process.stdin.close()
        assert process.wait(timeout=PATIENCE_S) == 0


def test_another_rule_table_settles_its_game(tmp_path: Path) -> None:
    table = (shipped("rules/q_poker.89-2004.toml")).read_text(encoding="utf-8")
    file = tmp_path / "ours.toml"
    file.write_text(table.replace('plays_from = "Q"', 'plays_from = "A"'), encoding="utf-8")
    assert json.loads(run("--rules", str(file), given=GOOD).stdout)["dealer"]["qualifies"] is False
    assert json.loads(run(given=GOOD).stdout)["dealer"]["qualifies"] is True


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('plays_from = "Q"', 'plays_from = "1"', "dealer.plays_from"),
        ('game = "q_poker"', 'game = "poker"', "game"),
        ('pair = "1:1"', 'pair = "1"', "pair_or_better.pair"),
    ],
)
def test_unplayable_rule_table_is_refused_with_its_key(tmp_path: Path, old: str, new: str, named: str) -> None:
    file = tmp_path / "ours.toml"
    file.write_text((shipped("rules/q_poker.89-2004.toml")).read_text(encoding="utf-8").replace(old, new, 1), "utf-8")
    done = run("--rules", str(file), given=GOOD)
    assert (done.returncode, done.stdout) == (2, b"")
    assert f"{file}: {named}: ".encode() in done.stderr
