"""PINs: their hashes, and checking them slowly enough for whoever guesses."""

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import field
from itertools import pairwise
from typing import Any, Final

from argon2 import PasswordHasher, Type, extract_parameters
from argon2.exceptions import InvalidHashError, VerificationError

from tablectl.console.auth.lockout import Lockouts
from tablectl.console.http.origins import HERE, Places
from tablectl.lazy_dataclass import dataclass

PIN_LENGTH_MIN: Final = 4
PIN_LENGTH_MAX: Final = 64

_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19456, parallelism=1)
_NOBODYS_HASH: Final = (
    "$argon2id$v=19$m=19456,t=2,p=1$Y+Qdx3xUtsER2BRsSQcMIQ$s7Fr2LHGOtLAyEM9vvrj81IROLxTOJYoX2PJ0ec/G9Q"
)
"""Checked for a name that nobody has, so that the answer takes as long as for any other. No PIN fits it."""

_MEMORY_KIB_MAX: Final = 65536
_PASSES_MAX: Final = 10
_LANES_MAX: Final = 4

WAITING_MAX: Final = 16
WAITING_HERE: Final = 8
WAITING_EACH: Final = 2
"""PINs that wait to be checked: of all, those kept for the table's own screen, and those of one other origin."""

_WELL_KNOWN: Final = frozenset(
    {"2580", "0852", "1379", "1397", "7410", "0147", "2468", "1357", "159357", "147258", "147369", "258456", "password"}
    | {
        "qwerty",
        "qwertz",
        "azerty",
        "asdf",
        "asdfgh",
        "zxcvbn",
        "1q2w3e",
        "1q2w3e4r",
        "abc123",
        "admin",
        "letmein",
        "5683",
    }
)
_YEAR: Final = re.compile(r"(19|20)[0-9]{2}")


def hash_pin(pin: str) -> str:
    """The argon2id hash of a new PIN, with a new salt.

    Raises:
        ValueError: the PIN is too short or too long, or among those that are guessed first.
    """
    if not PIN_LENGTH_MIN <= len(pin) <= PIN_LENGTH_MAX:
        raise ValueError(f"a PIN has {PIN_LENGTH_MIN} to {PIN_LENGTH_MAX} characters")
    if is_weak(pin):
        raise ValueError(
            "this PIN is guessed within the first tries: no year, no row such as 1234, nothing that repeats"
        )
    return _HASHER.hash(pin)


def is_weak(pin: str) -> bool:
    """Return True if a PIN is among the first that an attacker tries.

    These are a year, a row, a repetition, and a pattern on the keys.
    """
    steps = {ord(after) - ord(before) for before, after in pairwise(pin)} - {0}
    around = {(ord(after) - ord(before)) % 10 for before, after in pairwise(pin)} if pin.isdigit() else steps
    return (
        len(set(pin)) <= 2
        or len(steps) == 1
        or around in ({1}, {9})
        or pin in (pin * 2)[1:-1]
        or pin == pin[::-1]
        or pin.lower() in _WELL_KNOWN
        or _YEAR.fullmatch(pin) is not None
    )


def check_pin_hash(pin_hash: str) -> None:
    """Does nothing for a hash that can be checked at a console.

    Raises:
        ValueError: it isn't argon2id, or one check of it would take too much memory or time.
    """
    try:
        cost = extract_parameters(pin_hash)
    except InvalidHashError:
        raise ValueError("pin_hash isn't an argon2 hash: make one with `tablectl pin`") from None
    if cost.type is not Type.ID:
        raise ValueError("pin_hash is of another kind than argon2id: make one with `tablectl pin`")
    if cost.memory_cost > _MEMORY_KIB_MAX or cost.time_cost > _PASSES_MAX or cost.parallelism > _LANES_MAX:
        raise ValueError("pin_hash costs too much to check: make one with `tablectl pin`")


class WrongPinError(Exception):
    """The name or the PIN is wrong, for the `tries`-th time in a row.

    The client isn't told which of the two it is.
    """

    def __init__(self, tries: int) -> None:
        super().__init__(tries)
        self.tries = tries


class LockedOutError(Exception):
    """Too many wrong PINs in a row.

    Not even the right one is accepted for `wait_s` seconds.
    """

    def __init__(self, wait_s: float) -> None:
        super().__init__(wait_s)
        self.wait_s = wait_s


class CrowdedError(Exception):
    """Too many wait for their PIN to be checked."""


@dataclass(slots=True)
class PinDesk:
    """Verification of PINs, one at a time for each of two groups.

    The groups are the table's own screen, and all others.

    Args:
        hashes: each person's hash by name.
        lockouts: counts wrong ones.
        keep: writes the counts to disk, so that they survive a restart. Blocks.
    """

    hashes: Mapping[str, str]
    lockouts: Lockouts
    keep: Callable[[Mapping[str, Any]], None] = lambda _: None
    _keeping: asyncio.Lock = field(default_factory=asyncio.Lock)
    _here: asyncio.Lock = field(default_factory=asyncio.Lock)
    _elsewhere: asyncio.Lock = field(default_factory=asyncio.Lock)
    _waiting: Places = field(default_factory=lambda: Places(WAITING_MAX, WAITING_HERE, WAITING_EACH))

    async def check(self, name: str, pin: str, origin: str, now_s: float) -> int:
        """Return where the PIN is this person's.

        Args:
            origin: that it comes from.
            now_s: the monotonic clock.

        Returns:
            How many wrong ones came before it in a row.

        Raises:
            WrongPinError: it isn't, or nobody has this name.
            LockedOutError: no PIN of this name is taken from this origin at present.
            CrowdedError: too many others wait.
        """
        if self._waiting.is_full(origin):
            raise CrowdedError
        with self._waiting.one(origin):
            async with self._here if origin == HERE else self._elsewhere:
                return await self._check(name, pin, origin, now_s)

    async def release(self, name: str, now_s: float) -> None:
        """Forget every wrong PIN of a name."""
        self.lockouts.release(name)
        await self._keep(now_s)

    async def _check(self, name: str, pin: str, origin: str, now_s: float) -> int:
        if (wait_s := self.lockouts.wait_s(name, origin, now_s)) > 0:
            raise LockedOutError(wait_s)
        if await asyncio.to_thread(_fits, self.hashes.get(name, _NOBODYS_HASH), pin):
            before = self.lockouts.succeeded(name, origin)
            await self._keep(now_s)
            return before
        tries = self.lockouts.failed(name, origin, now_s)
        await self._keep(now_s)
        raise WrongPinError(tries)

    async def _keep(self, now_s: float) -> None:
        async with self._keeping:
            if (changes := self.lockouts.changes(now_s)) is not None:
                await asyncio.to_thread(self.keep, changes)


def _fits(pin_hash: str, pin: str) -> bool:
    try:
        return _HASHER.verify(pin_hash, pin)
    except VerificationError:
        return False
