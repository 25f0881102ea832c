"""Daemons that lose evidence, or count it twice."""

from typing import Any

from tablectl.daemon.views import fairness
from tests.simulation.wrong import Patch


def forgets_the_evidence_at_a_restart() -> list[Patch]:
    """A daemon that goes on with nothing where its log goes on."""

    async def begin(self: Any) -> None:
        account = self._read("")
        account.sequence = self._table.journal.last_sequence()
        self._account, self._waiting = account, []

    return [(fairness.FairnessWatch, "_begin", begin)]


def weighs_the_past_again_after_a_restart() -> list[Patch]:
    """A daemon that takes what it reads for new."""

    def again(account: Any, event: Any) -> Any:
        account.sequence = min(account.sequence, int(event["sequence"]) - 1)
        return account.take(event)

    return [(fairness, "KEEP_EVERY_S", 1.0), (fairness, "catch_up", again)]
