"""Audit records of failed sign-ons.

They are few enough that a storm of wrong PINs can't fill the journal, and no attempt goes unseen.
"""

from collections.abc import Callable
from typing import Final

from tablectl.core.facts.table_requests import SignOnFailed
from tablectl.lazy_dataclass import dataclass

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
