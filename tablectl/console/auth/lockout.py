"""Lockout after failed sign-ons, by name and origin, and their audit records.

The delay grows up to a cap; the right PIN, and time, forgive them. The records are few enough that a storm of wrong
PINs can't fill the journal, and no attempt goes unseen.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import field, replace
from typing import Any, Final, cast

from tablectl.console.http.origins import HERE
from tablectl.core.facts.table_requests import SignOnFailed
from tablectl.lazy_dataclass import dataclass

DELAY_MAX_S: Final = 900.0
"""The longest delay after a wrong PIN, so that nobody is locked out for ever."""

FORGIVEN_S: Final = 8 * 3600.0
"""Wrong PINs are forgotten after it, without another one: who waits so long guesses no faster than under the cap."""

ANYWHERE: Final = "anywhere"
"""Counts what comes for a name from all origins from which it never signed on."""

ANYWHERE_TIMES: Final = 4
"""Of these, how many times as many wrong PINs are let through: many machines together guess no faster."""

ENTRIES_MAX: Final = 256
TRUSTED_MAX: Final = 8

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Failures:
    wrong: int = 0
    until_s: float = float("-inf")
    last_s: float = float("-inf")


@dataclass(slots=True)
class Lockouts:
    """Wrong PINs in a row by name and origin.

    The table's own screen has a count of its own, and so has each origin from which a name has signed on before:
    what others fail elsewhere never locks them.

    Args:
        wrong_max: wrong PINs in a row that are let through without a delay.
        lockout_s: the first delay; each further wrong PIN doubles it.
        known: the names that people have. Invented ones are counted alike, but not kept over a restart.
    """

    wrong_max: int
    lockout_s: float
    known: Collection[str]
    _failures: dict[Key, _Failures] = field(default_factory=dict[Key, _Failures])
    _trusted: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    _changed: bool = False

    def wait_s(self, name: str, origin: str, now_s: float) -> float:
        """How long no PIN of this name is taken from this origin; 0 where one is.

        Args:
            now_s: the monotonic clock.
        """
        return max(0.0, *(self._at(key).until_s - now_s for key, _ in self._counts(name, origin)))

    def failed(self, name: str, origin: str, now_s: float) -> int:
        """Count a wrong PIN.

        Returns:
            How many there were in a row from this origin.
        """
        for key, limit in self._counts(name, origin):
            before = self._at(key)
            wrong = 1 if now_s - before.last_s >= FORGIVEN_S else before.wrong + 1
            delay_s = min(self.lockout_s * 2.0 ** min(wrong - limit, 30), max(DELAY_MAX_S, self.lockout_s))
            self._failures.pop(key, None)
            self._failures[key] = _Failures(wrong, now_s + delay_s if wrong >= limit else float("-inf"), now_s)
        self._forget()
        self._changed |= name in self.known
        return self._at((name, origin)).wrong

    def succeeded(self, name: str, origin: str) -> int:
        """Forget this origin's wrong PINs of the name, and trust the origin from now on.

        Those that this origin added to the count of all new ones were the person's own, and are taken off it.

        Returns:
            How many there were in a row.
        """
        before = self._failures.pop((name, origin), _Failures()).wrong
        trusted = self._trusted.get(name, ())
        is_new = origin != HERE and origin not in trusted
        if is_new:
            self._take_off((name, ANYWHERE), before)
            self._trusted[name] = (*trusted, origin)[-TRUSTED_MAX:]
        self._changed |= bool(is_new or before)
        return before

    def release(self, name: str) -> None:
        """Forget every wrong PIN of a name."""
        self._failures = {key: each for key, each in self._failures.items() if key[0] != name}
        self._changed = True

    def restore(self, kept: Mapping[str, Any], now_s: float) -> None:
        """Restore the counts that an earlier run kept.

        A delay begins again in full: nobody knows how long the table was off. Entries that can't be understood are left
        out: a table starts without them.
        """
        for name, form in kept.items():
            if name not in self.known or not isinstance(form, dict):
                continue
            read = cast("dict[str, Any]", form)
            match read.get("trusted"):
                case [*trusted]:
                    self._trusted[name] = tuple(each for each in trusted if isinstance(each, str))[-TRUSTED_MAX:]
                case _:
                    pass
            failures = read.get("failures")
            for origin, pair in cast("dict[str, Any]", failures).items() if isinstance(failures, dict) else ():
                match pair:
                    case [int(wrong), int() | float() as wait_s] if wrong > 0 and wait_s >= 0:
                        until_s = now_s + min(wait_s, DELAY_MAX_S) if wait_s else float("-inf")
                        self._failures[name, str(origin)] = _Failures(wrong, until_s, now_s)
                    case _:
                        continue

    def changes(self, now_s: float) -> Mapping[str, Any] | None:
        """The counts of known names, for `restore`.

        None where nothing has changed since the last call.
        """
        if not self._changed:
            return None
        self._changed = False
        return {each: form for each in self.known if (form := self._form(each, now_s))}

    def _at(self, key: Key) -> _Failures:
        return self._failures.get(key, _Failures())

    def _take_off(self, key: Key, wrong: int) -> None:
        counted = self._failures.pop(key, _Failures())
        if counted.wrong > wrong:
            self._failures[key] = replace(counted, wrong=counted.wrong - wrong)

    def _counts(self, name: str, origin: str) -> tuple[tuple[Key, int], ...]:
        """The counts that a wrong PIN adds to, and how many each lets through."""
        own = ((name, origin), self.wrong_max)
        if origin == HERE or origin in self._trusted.get(name, ()):
            return (own,)
        return own, ((name, ANYWHERE), self.wrong_max * ANYWHERE_TIMES)

    def _forget(self) -> None:
        """Bound the number of counts.

        Those of invented names go first, the oldest of them before others.
        """
        for keys in (
            [key for key in self._failures if key[0] not in self.known],
            [key for key in self._failures if key[0] in self.known and key[1] not in {HERE, ANYWHERE}],
        ):
            for key in keys[: max(0, len(keys) - ENTRIES_MAX)]:
                del self._failures[key]

    def _form(self, name: str, now_s: float) -> dict[str, Any]:
        failures = {
            origin: [each.wrong, max(0.0, each.until_s - now_s)]
            for (whose, origin), each in self._failures.items()
            if whose == name
        }
        trusted = list(self._trusted.get(name, ()))
        return {"failures": failures, "trusted": trusted} if failures or trusted else {}


STRANGERS_FOR_S: Final = 3600.0
"""Names that nobody has are counted together for so long, then anew: each could be another."""


@dataclass(slots=True)
class Alarm:
    """Throttle of the audit records of wrong PINs.

    It reports the first wrong PIN of a row, the one that locks out, and after it each time their number has doubled.

    Args:
        report: takes what is to be recorded.
        wrong_max: wrong ones in a row that lock out.
    """

    report: Callable[[SignOnFailed], None]
    wrong_max: int
    _strangers: int = 0
    _since_s: float = float("-inf")

    def wrong(self, person: str, tries: int) -> None:
        """Notes a wrong PIN of somebody.

        Args:
            tries: wrong ones in a row, with this one.
        """
        if self._tells(tries):
            self.report(SignOnFailed(person, tries, locked=tries >= self.wrong_max))

    def stranger(self, now_s: float) -> None:
        """Notes a name that nobody has. It isn't told: it may be a PIN."""
        if now_s - self._since_s >= STRANGERS_FOR_S:
            self._strangers, self._since_s = 0, now_s
        self._strangers += 1
        if self._tells(self._strangers):
            self.report(SignOnFailed("", self._strangers))

    def over(self, person: str, tries: int) -> None:
        """Record the number of wrong PINs before the right one.

        There is no record where the last of them has one already.
        """
        if tries and not self._tells(tries):
            self.report(SignOnFailed(person, tries))

    def _tells(self, tries: int) -> bool:
        times, rest = divmod(tries, self.wrong_max)
        return tries == 1 or (rest == 0 and times & (times - 1) == 0)
