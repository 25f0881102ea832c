"""`tablectl pin` as people use it: at a terminal, and in a pipe."""

import subprocess
import sys
import tomllib

import pexpect
import pytest
from pydantic import TypeAdapter, ValidationError

from tablectl.config.values import PinHash
from tablectl.console.auth.people import Person, Role
from tablectl.console.auth.pins import check_pin_hash
from tests.support.patience import PATIENCE_S

COMMAND = [sys.executable, "-m", "tablectl", "pin"]


def person_of(line: str) -> Person:
    return Person("ana", Role.DEALER, tomllib.loads(line)["pin_hash"])


def test_a_pin_from_a_pipe_becomes_one_line_of_configuration() -> None:
    done = subprocess.run([*COMMAND, "--stdin"], input="2741\n", capture_output=True, text=True, check=True)
    assert done.stdout.count("\n") == 1
    assert "2741" not in done.stdout
    assert person_of(done.stdout).pin_hash.startswith("$argon2id$")


@pytest.mark.parametrize("typed", ["", "123\n"])
def test_a_pin_too_short_is_refused(typed: str) -> None:
    done = subprocess.run([*COMMAND, "--stdin"], input=typed, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "4 to 64" in done.stderr


def test_a_terminal_asks_twice_and_shows_nothing_of_the_pin() -> None:
    with pexpect.spawn(COMMAND[0], COMMAND[1:], encoding="utf-8", timeout=PATIENCE_S) as terminal:
        terminal.expect("PIN: ")
        terminal.sendline("2741")
        terminal.expect("The same again: ")
        terminal.sendline("2741")
        terminal.expect('(pin_hash = ".+?")\r\n')
        assert "2741" not in terminal.before
        assert person_of(terminal.match.group(1)).name == "ana"
        terminal.expect(pexpect.EOF)


def test_two_different_pins_are_asked_for_anew() -> None:
    with pexpect.spawn(COMMAND[0], COMMAND[1:], encoding="utf-8", timeout=PATIENCE_S) as terminal:
        terminal.expect("PIN: ")
        terminal.sendline("2741")
        terminal.expect("The same again: ")
        terminal.sendline("2581")
        terminal.expect("Error.*PIN: ")
        terminal.sendintr()


SALT_AND_HASH = "Y+Qdx3xUtsER2BRsSQcMIQ$s7Fr2LHGOtLAyEM9vvrj81IROLxTOJYoX2PJ0ec/G9Q"


@pytest.mark.parametrize("cost", ["argon2id$v=19$m=19456,t=2,p=1", "argon2id$v=19$m=65536,t=10,p=4"])
def test_hash_within_the_bounds_is_taken_by_configuration_and_console(cost: str) -> None:
    pin_hash = f"${cost}${SALT_AND_HASH}"
    check_pin_hash(pin_hash)
    assert TypeAdapter(PinHash).validate_python(pin_hash) == pin_hash


@pytest.mark.parametrize(
    "cost",
    [
        "argon2id$v=19$m=65537,t=10,p=4",
        "argon2id$v=19$m=65536,t=11,p=4",
        "argon2id$v=19$m=65536,t=10,p=5",
        "argon2i$v=19$m=19456,t=2,p=1",
    ],
)
def test_hash_beyond_the_bounds_is_refused_by_configuration_and_console(cost: str) -> None:
    pin_hash = f"${cost}${SALT_AND_HASH}"
    with pytest.raises(ValueError, match="pin_hash"):
        check_pin_hash(pin_hash)
    with pytest.raises(ValidationError):
        TypeAdapter(PinHash).validate_python(pin_hash)
