"""Basis of an amendment as JSON in its record.

It consists of the round's facts, the changes, and the table before the round.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, cast

from pydantic import TypeAdapter

from tablectl.core.effects import Refuse
from tablectl.core.facts import Fact, Stamp
from tablectl.core.facts.amendments import Amendment, Basis, Edit, Recorded
from tablectl.core.table import Table

Form = Mapping[str, Any]
_NO_TIME: Final = Stamp(0, 0, "")


def basis_form(basis: Basis | Refuse, write: Callable[[Fact], dict[str, Any]]) -> dict[str, Any]:
    """The form of a basis, or of the refusal that stands in its place.

    Args:
        write: the form of a fact.
    """
    if isinstance(basis, Refuse):
        return {"refused": adapter(Refuse).dump_python(basis, mode="json")}
    state: Any = type(basis.opening.game)  # pyright: ignore[reportUnknownVariableType]  # of any game
    return {
        "state": state.__name__,
        "opening": adapter(cast("Any", Table)[state]).dump_python(basis.opening, mode="json"),
        "facts": [_recorded(each, write) for each in basis.facts],
        "tail": [_recorded(each, write) for each in basis.tail],
        "earlier": [
            {
                "record": each.record,
                "by": each.by,
                "second": each.second,
                "edits": _edits(each.edits, write),
                "reason": each.reason,
            }
            for each in basis.earlier
        ],
        "edits": _edits(basis.edits, write),
        "standing": list(basis.standing),
        "fresh_from": basis.fresh_from,
        **({"later": [_recorded(each, write) for each in basis.later]} if basis.later else {}),
        **({"outcome_shown": True} if basis.outcome_shown else {}),
    }


def read_basis(form: Form, read: Callable[[Any], Fact]) -> Basis | Refuse:
    """The basis in a form.

    Args:
        read: the fact in a form.

    Raises:
        ValueError, KeyError, TypeError: it isn't one.
    """
    if "refused" in form:
        return cast("Refuse", adapter(Refuse).validate_python(form["refused"]))
    return Basis(
        _table(form["state"]).validate_python(form["opening"]),
        tuple(_read_recorded(each, read) for each in form["facts"]),
        tuple(_read_recorded(each, read) for each in form["tail"]),
        tuple(
            Amendment(
                each["record"], each["by"], each["second"], _read_edits(each["edits"], read), each.get("reason", "")
            )
            for each in form["earlier"]
        ),
        _read_edits(form["edits"], read),
        tuple(form["standing"]),
        form["fresh_from"],
        tuple(_read_recorded(each, read) for each in form.get("later", ())),
        form.get("outcome_shown", False),
    )


def _recorded(each: Recorded, write: Callable[[Fact], dict[str, Any]]) -> Form:
    return {"record": each.record, "verb": each.verb, "counts": each.counts, "fact": write(each.fact)}


def _read_recorded(form: Form, read: Callable[[Any], Fact]) -> Recorded:
    return Recorded(form["record"], read(form["fact"]), form["verb"], form["counts"])


def _edits(edits: tuple[Edit, ...], write: Callable[[Fact], dict[str, Any]]) -> list[Form]:
    return [
        {
            "record": each.record,
            "verb": each.verb,
            "fact": None if each.body is None else write(Fact(each.body, each.at or _NO_TIME, "console")),
            "inserted": each.inserted,
            "timed": each.at is not None,
            "lies": each.lies,
            "stated": list(each.stated),
            "edits": _edits(each.edits, write),
            **({"own": list(each.own)} if each.own else {}),
        }
        for each in edits
    ]


def _read_edits(forms: Any, read: Callable[[Any], Fact]) -> tuple[Edit, ...]:
    return tuple(_read_edit(form, None if form["fact"] is None else read(form["fact"]), read) for form in forms)


def _read_edit(form: Form, fact: Fact | None, read: Callable[[Any], Fact]) -> Edit:
    return Edit(
        form["record"],
        form["verb"],
        None if fact is None else fact.body,
        form["inserted"],
        fact.at if fact is not None and form["timed"] else None,
        form["lies"],
        tuple(form["stated"]),
        _read_edits(form["edits"], read),
        tuple(form.get("own", ())),
    )


@cache
def adapter(kind: Any) -> TypeAdapter[Any]:
    """Return the validator and serializer of a type.

    Making one takes long, so each is made once.
    """
    return TypeAdapter(kind)


def _table(state: str) -> TypeAdapter[Any]:
    """Return the adapter for the table of the game with this state."""
    # Imported here: few journals have an amendment, and tools that read the others start without the games.
    from tablectl.config.game_setup import played  # noqa: PLC0415
    from tablectl.rule_tables import GAMES  # noqa: PLC0415

    return adapter(next(each.table for each in map(played, GAMES) if each.state == state))
