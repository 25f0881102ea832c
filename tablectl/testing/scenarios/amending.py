"""Amendments in a scenario: the recorded facts that they change, and the request."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from tablectl.lazy_dataclass import dataclass
from tablectl.testing.scenarios.scenario import Form, NotSoError, Step, listed, mapped
from tablectl.testing.scenarios.vocabulary import ROLES

NOTHING: Final = "none"
"""What a scenario writes for a field that has no value: TOML has no word for it."""

SECOND_NEEDED: Final = "second_needed"
"""How a rig names the refusal of somebody who may not amend alone, which has no article."""

_NAMED: Final[Mapping[type, str]] = {str: "text", int: "number", bool: "truth value", list: "list", dict: "table"}
_KINDS: Final[Mapping[str, type]] = {
    "changes": list,
    "by": str,
    "second": str,
    "round": int,
    "dry_run": bool,
    "gives": dict,
    "refused": str,
}
_OF_A_FIELD: Final[Mapping[str, type]] = {
    **dict.fromkeys(("the", "after", "verb"), str),
    **dict.fromkeys(("nth", "record"), int),
    **dict.fromkeys(("to", "fields"), dict),
    "struck": bool,
}
_OF_A_CHANGE: Final = (
    frozenset({"the", "to"}),
    frozenset({"the", "struck"}),
    frozenset({"record", "to"}),
    frozenset({"record", "struck"}),
    frozenset({"after", "verb", "fields"}),
    frozenset({"after", "verb"}),
)
_HOW: Final = 'write {the = "bet", nth = 2, to = {stake = "50"}}, {the = …, struck = true} or {after = …, verb = …}'


@dataclass(frozen=True, slots=True)
class Amending:
    """An amendment as persons ask for it.

    Args:
        changes: as the console's API has them.
        by: the role of whoever asks.
        second: the role of whoever agrees; empty where nobody does.
    """

    round_id: str
    reason: str
    changes: tuple[Form, ...]
    by: str
    second: str = ""
    dry_run: bool = False

    @property
    def roles(self) -> tuple[str, ...]:
        """Of everybody who is for it."""
        return (self.by, self.second) if self.second else (self.by,)

    @property
    def fields(self) -> Form:
        """The request's own fields."""
        return {"reason": self.reason, "changes": list(self.changes)}


@dataclass(frozen=True, slots=True)
class Amended:
    """The answer to an amendment.

    Args:
        refused: article and code of the refusal; empty where it isn't one.
        outcome: what follows, as the console's API has it.
    """

    refused: str
    outcome: Mapping[str, Any]


def amending(step: Step, round_id: str, records: Sequence[Form]) -> Amending:
    """The amendment of a step, with the numbers of the records that it names.

    Args:
        records: the facts of the round as the console lists them.

    Raises:
        NotSoError: the round has no such fact.
    """
    rest = step.rest
    return Amending(
        round_id,
        step.what,
        tuple(_change(change, records) for change in rest["changes"]),
        rest.get("by", "dealer"),
        rest.get("second", ""),
        rest.get("dry_run", False),
    )


def _change(change: Form, records: Sequence[Form]) -> Form:
    named = change.get("the", change.get("after"))
    number = _record(named, change.get("nth", 1), records) if named else change["record"]
    if "after" in change:
        return {"after": number, "verb": change["verb"], "fields": with_nothing(change.get("fields", {}))}
    return {"record": number, "to": None if change.get("struck") else with_nothing(change["to"])}


def _record(verb: str, nth: int, records: Sequence[Form]) -> int:
    found = [each["record"] for each in records if each["verb"] == verb]
    if not 1 <= nth <= len(found):
        verbs = ", ".join(dict.fromkeys(each["verb"] for each in records))
        raise NotSoError(f"the round has {len(found)} facts `{verb}`, so none is number {nth}; it has: {verbs}")
    return int(found[nth - 1])


def with_nothing(form: Form) -> Form:
    """The fields, None in those for which a scenario writes `NOTHING`."""
    return {name: None if value == NOTHING else value for name, value in form.items()}


def misfits(step: Step) -> Iterator[tuple[str, str]]:
    """Yield each error in an amendment's step, with its remedy."""
    for key, value in step.rest.items():
        if key not in _KINDS:
            yield f"an amendment has no `{key}`", f"known: {', '.join(_KINDS)}"
        elif not isinstance(value, _KINDS[key]):
            yield f"`{key}` can't be {value!r}", f"`{key}` is a {_NAMED[_KINDS[key]]}"
    if not isinstance(step.what, str):
        yield "the reason isn't a text", 'write amend = "the card was misread"'
    for key in ("by", "second"):
        if step.rest.get(key, "dealer") not in ROLES:
            yield f"nobody at the table is {step.rest[key]!r}", f"known: {', '.join(ROLES)}"
    changes = listed(step.rest.get("changes"))
    if not changes:
        yield "there are no changes", _HOW
    for change in changes or ():
        if not _is_change(change):
            yield f"this is no change: {change}", _HOW


def _is_change(change: object) -> bool:
    form = mapped(change)
    if form is None or frozenset(form.keys() - {"nth"}) not in _OF_A_CHANGE:
        return False
    return all(isinstance(value, _OF_A_FIELD[key]) for key, value in form.items())
