"""A witness cosigns what continues all that it cosigned before, and nothing else, whatever it is asked."""

import random
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from tablectl.config import load
from tablectl.config.errors import ConfigError
from tablectl.features.common.settings_file import load_form
from tablectl.features.witness.serve import app_of
from tablectl.features.witness.settings import load_witness_config
from tablectl.features.witness.witness import LONGEST, SIZE, Cosigned, Witness, keys_by_log
from tablectl.proof.checkpoint import Checkpoint, sign_checkpoint
from tablectl.proof.cosignature import cosigned_at, read_policy, witness_key
from tablectl.proof.note import NoteError, Signer, base64_lines, read_note, sign_note, verifier_key
from tablectl.proof.tree import Frontier, consistency_proof, leaf_hash
from tablectl.rule_tables import shipped
from tests.proof.keys import signer
from tests.support.long import first

ORIGIN, NAME, NOW_S = "tablectl/macau/q1/0a0b0c0d", "witness.example/w", 1_790_000_000
LOG, OURS = (signer(bytes([nth]) * 32) for nth in (1, 2))
"""Always the same, so that each process names the tests alike."""


@pytest.fixture(name="witness")
def _witness(tmp_path: Path) -> Iterator[Witness]:
    cosigned = Cosigned(tmp_path / "w" / "witness.db")
    yield Witness(NAME, OURS, keys_by_log([verifier_key(ORIGIN, LOG.public)]), cosigned, lambda: NOW_S)
    cosigned.close()


def events(count: int, other: int = 0) -> list[bytes]:
    """Leaves of a log; the last `other` of them are another history's."""
    return [leaf_hash(f"{nth}{'!' * (nth >= count - other)}".encode()) for nth in range(count)]


def root(leaves: Sequence[bytes]) -> bytes:
    return Frontier().grown(leaves).root


def note_of(leaves: Sequence[bytes], key: Signer = LOG, origin: str = ORIGIN) -> str:
    return sign_checkpoint(Checkpoint(origin, len(leaves), root(leaves)), key)


def proof(old: int, leaves: Sequence[bytes]) -> tuple[bytes, ...]:
    return consistency_proof(old, len(leaves), lambda low, high: root(leaves[low:high]))


def asked(witness: Witness, old: int, leaves: Sequence[bytes], *, note: str = "") -> tuple[int, str]:
    hashes = base64_lines(proof(old, leaves)) if old <= len(leaves) else ""
    answer = witness.add_checkpoint(f"old {old}\n{hashes}\n{note or note_of(leaves)}".encode())
    return answer.status, answer.text


def test_a_log_that_grows_is_cosigned_each_time(witness: Witness) -> None:
    old = 0
    for size in (1, 2, 7, 8, 8, 100):
        status, line = asked(witness, old, events(size))
        assert (status, old) == (200, old)
        assert cosigned_at(read_note(note_of(events(size)) + line), NAME, OURS.public) == NOW_S
        old = size


def test_who_asks_from_another_size_is_told_the_right_one(witness: Witness) -> None:
    assert asked(witness, 0, events(5))[0] == 200
    for old in (0, 3, 6):
        assert asked(witness, old, events(9)) == (409, "5\n")
    answer = witness.add_checkpoint(f"old 0\n\n{note_of(events(9))}".encode())
    assert answer.media == SIZE
    assert asked(witness, 5, events(9))[0] == 200


def test_no_other_history_is_cosigned(witness: Witness) -> None:
    assert asked(witness, 0, events(8))[0] == 200
    assert asked(witness, 8, events(8, other=1)) == (409, "8\n")
    assert asked(witness, 8, events(20, other=13))[0] == 422
    assert asked(witness, 8, events(7))[0] == 400
    assert asked(witness, 0, events(7)) == (409, "8\n")
    assert asked(witness, 8, events(20))[0] == 200


def test_what_was_cosigned_outlives_the_witness(witness: Witness, tmp_path: Path) -> None:
    assert asked(witness, 0, events(8))[0] == 200
    witness.cosigned.close()
    again = Cosigned(tmp_path / "w" / "witness.db")
    other = Witness(NAME, OURS, witness.logs, again, lambda: NOW_S)
    assert asked(other, 0, events(9, other=9)) == (409, "8\n")
    again.close()


def test_only_logs_that_it_knows_are_cosigned(witness: Witness) -> None:
    stranger = note_of(events(3), origin="tablectl/macau/q2/0a0b0c0d")
    assert asked(witness, 0, events(3), note=stranger)[0] == 404
    assert asked(witness, 0, events(3), note=note_of(events(3), signer()))[0] == 403
    text = Checkpoint(ORIGIN, 3, root(events(3))).text
    assert asked(witness, 0, events(3), note=sign_note(text, "another", LOG))[0] == 403


@pytest.mark.parametrize(
    "body",
    [
        b"", b"\n\n", b"old\n\nx", b"old -1\n\nx", b"old 1 2\n\nx", b"old 0\nAAAA\n\n" + note_of(events(3)).encode(),
        b"old 0\n\nno note", "old \u0661\n\n".encode() + note_of(events(3)).encode(), b"\xff\xfe",
        b"old 0\n" + b"A" * 43 + b"=\n" * 64 + b"\n" + note_of(events(3)).encode(),
        b"old 0\n\n" + sign_note("three\nlines\nhere\n", ORIGIN, LOG).encode(),
    ],
)  # fmt: skip
def test_what_is_no_request_is_refused(witness: Witness, body: bytes) -> None:
    assert witness.add_checkpoint(body).status == 400


@given(st.binary(max_size=300))
def test_no_bytes_end_a_witness(body: bytes) -> None:
    with suppress(NoteError):
        keys_by_log([body.decode("latin-1")])
    witness = Witness(NAME, OURS, {}, None, lambda: NOW_S)  # type: ignore[arg-type]  # never reached
    assert witness.add_checkpoint(body).status in {400, 404}
    assert witness.add_checkpoint(b"old 0\n\n" + body).status in {400, 404}


@pytest.mark.parametrize("forks", first((300, 10_000)))
def test_one_honest_witness_shows_every_fork(witness: Witness, forks: int) -> None:
    """Of each two histories that part somewhere, at most one has its cosignature from there on."""
    draw = random.Random(26)
    held: list[bytes] = []
    for _ in range(forks):
        parts = draw.randrange(len(held) + 1)
        longer = held[:parts] + [leaf_hash(draw.randbytes(8)) for _ in range(draw.randrange(1, 12))]
        old = draw.choice((0, parts, len(held), len(held)))
        status, _ = asked(witness, old, longer) if old <= len(longer) else (0, "")
        continues_all = longer[: len(held)] == held and len(longer) >= len(held)
        assert (status == 200) == (continues_all and old == len(held)), (status, old, parts, len(held), len(longer))
        if status == 200:
            held = longer
    assert len(held) > forks // 40


def test_what_its_page_shows_is_taken(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "witness.md").read_text("utf-8")
    witness, table, policy = re.findall(r"^```(?:toml)?\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "w.toml").write_text(witness)
    assert list(keys_by_log(load_witness_config(tmp_path / "w.toml", {}).logs)) == ["tablectl/macau/q1/1a2b3c4d"]
    (tmp_path / "t.toml").write_text(shipped("tables/q-poker.example.toml").read_text("utf-8") + table)
    named = read_policy(policy)
    assert load(tmp_path / "t.toml", {}).witnesses["one"].key == witness_key(*named.witnesses["one"])
    assert named.holds({"one": 1, "three": 1})


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ('url = "http://witness.example"', "witnesses.one"),
        ('url = "witness.example"', "witnesses.one"),
        ('url = "https://"', "witnesses.one"),
        ('url = "https://w:99999"', "witnesses.one"),
        ('url = "https://[x:1"', "witnesses.one"),
        ('url = "https://ann:1@w"', "witnesses.one"),
        ('url = "https://w/?x"', "witnesses.one"),
        ('url = "ftp://127.0.0.1"', "witnesses.one"),
        (f'url = "https://w"\nkey = "{verifier_key(ORIGIN, LOG.public)}"', "witnesses.one"),
        ('url = "https://w"\nca_file = "ca.pem"', "witnesses.one.ca_file"),
        ('url = "https://w"\nca_file = "/nowhere/ca.pem"', "witnesses.one.ca_file"),
    ],
)
def test_a_table_takes_no_witness_that_it_cannot_ask(tmp_path: Path, line: str, key: str) -> None:
    own = "" if "key =" in line else f'\nkey = "{witness_key(NAME, OURS.public)}"'
    text = shipped("tables/q-poker.example.toml").read_text("utf-8")
    (tmp_path / "t.toml").write_text(f"{text}\n[witnesses.one]\n{line}{own}\n")
    with pytest.raises(ConfigError) as caught:
        load(tmp_path / "t.toml", {})
    assert [problem.key for problem in caught.value.problems] == [key]


async def test_a_witness_is_called_by_its_names_alone(witness: Witness) -> None:
    body = f"old 0\n\n{note_of(events(3))}"
    transport = httpx.ASGITransport(app_of(witness, ("w.example",)))
    async with httpx.AsyncClient(transport=transport, base_url="http://192.0.2.1:8095") as client:
        for name, status in (("elsewhere.example", 403), ("w.example", 200)):
            answer = await client.post("/add-checkpoint", content=body, headers={"Host": f"{name}:8095"})
            assert answer.status_code == status, answer.text
        named = {"Host": "w.example:8095"}
        assert (await client.post("/add-checkpoint", content=b"x" * (LONGEST + 1), headers=named)).status_code == 413


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('name = "a b"\nstate = "s"\nlogs = []', 1, "a witness's name has"),
        ('name = "w"\nstate = "s"\nlogs = ["x"]', 3, "not an Ed25519 verifier key"),
        ('name = "w"\nstate = "s"\nlogs = []\nport = 5', 4, "no such key"),
        ('name = "w"\nstate = "s"\nlogs = []\ncert_file = "c"', 4, "a certificate goes with its key"),
    ],
)
def test_a_wrong_configuration_is_named_with_its_line(tmp_path: Path, text: str, line: int, said: str) -> None:
    file = tmp_path / "w.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_witness_config(file, {})
    (problem,) = [each.render("en") for each in caught.value.problems]
    assert f"w.toml:{line}" in problem
    assert said in problem


class Pattern(BaseModel):
    """A form whose error has braces in its text."""

    x: str = Field(pattern="^a{1,3}$")


def test_a_message_with_braces_is_told_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text('x = "b"')
    with pytest.raises(ConfigError, match=r"a\{1,3\}"):
        load_form(Pattern, tmp_path / "x.toml", {}, lambda _: ())
