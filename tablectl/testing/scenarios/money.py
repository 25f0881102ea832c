"""Effect of a round on everybody's money, as its table published it last."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from tablectl.testing.scenarios.scenario import Form, Step, listed, mapped

ENDS: Final = ("round.settled", "round.void", "round.corrected", "round.reopened")


def nets(events: Sequence[tuple[str, Form]], round_id: str) -> dict[str, str] | None:
    """Return each bettor's money by the last event about a round; None before its end.

    Those for whom nothing changed are left out.

    Args:
        events: kind and data of each.
    """
    ends = [(kind, data) for kind, data in events if kind in ENDS and data["round_id"] == round_id]
    if not ends or ends[-1][0] == "round.reopened":
        return None
    sums: defaultdict[str, Decimal] = defaultdict(Decimal)
    for bettor, net in _nets_in(ends[-1][1].get("settlement", {})):
        sums[bettor] += Decimal(net)
    return {bettor: f"{net:.2f}" for bettor, net in sorted(sums.items()) if net}


def _nets_in(form: object) -> Iterator[tuple[str, str]]:
    """Yield everybody who has a net in a settlement, with that net."""
    if (fields := mapped(form)) is not None:
        if fields.get("bettor") and "net" in fields:
            yield fields["bettor"], fields["net"]
        for part in fields.values():
            yield from _nets_in(part)
    for part in listed(form) or ():
        yield from _nets_in(part)


def misfits(step: Step) -> Iterator[tuple[str, str]]:
    """Yield each error in a step that looks at the money, with its remedy."""
    amounts = mapped(step.what)
    if amounts is None or not all(isinstance(amount, str) for amount in amounts.values()):
        yield "`money` isn't a table of texts", 'write money = {ann = "100.00", bob = "-50.00"}'
    if step.rest.keys() - {"round"}:
        yield "of `money` only the `round` can be said", "write round = 1 for the first one"
