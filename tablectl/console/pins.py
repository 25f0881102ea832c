"""PINs: their hashes, and checking them slowly enough for whoever guesses."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from argon2 import PasswordHasher, Type, extract_parameters
from argon2.exceptions import InvalidHashError, VerificationError

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
_WAITING_MAX: Final = 8
_STRANGERS_MAX: Final = 64


def hash_pin(pin: str) -> str:
    """The argon2id hash of a PIN, with a new salt.

    Raises:
        ValueError: the PIN is too short or too long.
    """
    if not PIN_LENGTH_MIN <= len(pin) <= PIN_LENGTH_MAX:
        raise ValueError(f"a PIN has {PIN_LENGTH_MIN} to {PIN_LENGTH_MAX} characters")
    return _HASHER.hash(pin)


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
    """The name or the PIN is wrong, for the ``tries``-th time in a row; which one it is, who asks isn't told."""

    def __init__(self, tries: int) -> None:
        super().__init__(tries)
        self.tries = tries


class LockedOutError(Exception):
    """Too many wrong PINs in a row: not even the right one is taken for ``wait_s`` seconds."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(wait_s)
        self.wait_s = wait_s


class CrowdedError(Exception):
    """Too many wait for their PIN to be checked."""


@dataclass(frozen=True, slots=True)
class _Tries:
    wrong: int = 0
    locked_until_s: float = float("-inf")


@dataclass(slots=True)
class PinDesk:
    """Checks PINs one at a time, and locks out whoever is wrong too often.

    Each wrong PIN after the last allowed one locks again, until a right one comes: a guesser has one try in
    each ``lockout_s``.

    Args:
        hashes: each person's hash by name.
        wrong_max: wrong PINs in a row that are let through.
    """

    hashes: Mapping[str, str]
    wrong_max: int
    lockout_s: float
    _tries: dict[str, _Tries] = field(default_factory=dict[str, _Tries])
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock)
    _waiting: int = 0

    async def check(self, name: str, pin: str, now_s: float) -> int:
        """Returns where the PIN is this person's.

        Args:
            now_s: the monotonic clock.

        Returns:
            How many wrong ones came before it in a row.

        Raises:
            WrongPinError: it isn't, or nobody has this name.
            LockedOutError: no PIN of this name is taken at present.
            CrowdedError: too many others wait.
        """
        if self._waiting >= _WAITING_MAX:
            raise CrowdedError
        self._waiting += 1
        try:
            async with self._one_at_a_time:
                return await self._check(name, pin, now_s)
        finally:
            self._waiting -= 1

    async def _check(self, name: str, pin: str, now_s: float) -> int:
        tries = self._tries.get(name, _Tries())
        if tries.locked_until_s > now_s:
            raise LockedOutError(tries.locked_until_s - now_s)
        if await asyncio.to_thread(_fits, self.hashes.get(name, _NOBODYS_HASH), pin):
            self._tries.pop(name, None)
            return tries.wrong
        wrong = tries.wrong + 1
        until_s = now_s + self.lockout_s if wrong >= self.wrong_max else tries.locked_until_s
        self._tries[name] = _Tries(wrong, until_s)
        self._forget_a_stranger()
        raise WrongPinError(wrong)

    def _forget_a_stranger(self) -> None:
        """Invented names count like people's, so that nobody learns who exists; the newest are remembered."""
        strangers = [name for name in self._tries if name not in self.hashes]
        if len(strangers) > _STRANGERS_MAX:
            del self._tries[strangers[0]]


def _fits(pin_hash: str, pin: str) -> bool:
    try:
        return _HASHER.verify(pin_hash, pin)
    except VerificationError:
        return False
