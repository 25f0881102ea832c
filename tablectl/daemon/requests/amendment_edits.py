"""Parser of an amendment's changes.

It reads them with the forms of the requests and reports that the facts are.
"""

import json
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field, PlainValidator, TypeAdapter, ValidationError

from tablectl.console.requests.body import problem_path
from tablectl.console.requests.fields import STRICT, CardName, Dice, Flaw, Section, Turns, card_place
from tablectl.console.requests.table import VERBS
from tablectl.console.requests.verb import asked
from tablectl.core.amending.case import no
from tablectl.core.amending.placed import REPORTS, Placed, as_amended, fact_form, is_amendable
from tablectl.core.amending.refold import UNNUMBERED
from tablectl.core.cards import Place
from tablectl.core.effects import Refuse
from tablectl.core.events.text import saying
from tablectl.core.facts import Body, Stamp
from tablectl.core.facts.amendments import AMEND, MOST_CHANGES, Basis, Change, Edit, Recorded, RoundAmended
from tablectl.core.facts.game_requests import PlacePaid
from tablectl.core.facts.reports import CardDrawn, DiceThrown, DrawCommitted, DrawShown, PacketDelivered, SpinStopped
from tablectl.core.facts.table_requests import RoundOpened
from tablectl.core.money import utc_instant
from tablectl.core.outcomes import Series
from tablectl.lazy_dataclass import dataclass, replace

Lies = Annotated[Place, PlainValidator(card_place)]


class _Card(BaseModel):
    """A card: which it is, as far as anybody may know, and where it lies."""

    model_config = STRICT
    card: CardName | None = None
    lies: Lies = ""


class _Packet(BaseModel):
    """A packet: how many cards, and where they lie."""

    model_config = STRICT
    count: Annotated[int, Field(ge=0, le=52)] = 0
    lies: Lies = ""


class _Dice(BaseModel):
    """A throw."""

    model_config = STRICT
    dice: Dice
    flaw: Flaw = ""


class _Spin(BaseModel):
    """A spin as a person states it."""

    model_config = STRICT
    turns: Turns
    section: Section = None


class _Draw(BaseModel):
    """A draw as it was displayed."""

    model_config = STRICT
    series: Annotated[Series, Field(strict=False)]
    combination: Annotated[int, Field(ge=1, le=8)]


_FORMS: Final[Mapping[str, type[BaseModel]]] = {
    "card": _Card,
    "packet": _Packet,
    "dice": _Dice,
    "spin": _Spin,
    "draw": _Draw,
    "shown_draw": _Draw,
}
_INSERTABLE: Final[Mapping[str, str]] = {
    "card": "shoe",
    "packet": "shuffler",
    "dice": "dice",
    "draw": "draw",
    "shown_draw": "display",
}
"""Reports of which one can be missing, and the kind of device that makes them."""

_DECLARED: Final[Mapping[str, str]] = {"spin": "declare_spin"}
"""Reports that are stated as a request when no sensor made them."""

_ASKABLE: Final = frozenset(
    verb.asks
    for verb in VERBS.values()
    if verb.asks is PlacePaid or (is_amendable(verb.asks) and verb.asks not in {RoundOpened, RoundAmended})
)
"""Requests of which one can be missing."""


class _EditError(Exception):
    """A change can't be made: the refusal."""

    def __init__(self, refused: Refuse) -> None:
        super().__init__(refused.code)
        self.refused = refused


@dataclass(frozen=True, slots=True)
class EditReader:
    """Reads the changes of one amendment.

    Args:
        basis: the round.
        device: the name of the table's device of a kind.
        now: when the amendment is asked for.
    """

    basis: Basis
    device: Callable[[str], str]
    now: Stamp

    def edits(self, changes: tuple[Change, ...]) -> tuple[Edit, ...] | Refuse:
        """The changes with the facts that they make, or why one of them can't be made."""
        try:
            return self.made(changes, "changes")
        except _EditError as error:
            return error.refused

    def made(self, changes: tuple[Change, ...], path: str) -> tuple[Edit, ...]:
        """The facts that changes make.

        Args:
            path: where the changes stand in the request.

        Raises:
            _EditError: one of them can't be made, or they are too many.
        """
        if len(changes) > MOST_CHANGES:
            raise _EditError(no(saying("refuse.too_many_changes", most=MOST_CHANGES), path))
        counted = {each.record: each for each in as_amended(self.basis.known(), self.basis.earlier) if each.record}
        return tuple(self._edit(change, f"{path}[{nth}]", counted) for nth, change in enumerate(changes))

    def _edit(self, change: Change, where: str, counted: Mapping[int, Placed]) -> Edit:
        if change.inserted:
            return self._inserted(change, where)
        recorded = self._recorded(change.record, f"{where}.record")
        is_later = recorded.verb == AMEND and all(each.record != change.record for each in self.basis.earlier)
        if is_later or not recorded.counts or not is_amendable(type(recorded.fact.body)):
            raise _EditError(no(saying("refuse.not_amendable", record=change.record), f"{where}.record"))
        if change.fields is None:
            if isinstance(recorded.fact.body, RoundOpened):
                raise _EditError(no(saying("refuse.not_amendable", record=change.record), f"{where}.record"))
            return Edit(change.record, recorded.verb)
        given: dict[str, Any] = json.loads(change.fields)
        if not given:
            raise _EditError(no(saying("refuse.wrong_field", field=f"{where}.to"), f"{where}.to"))
        if recorded.verb == AMEND:
            return self._amended(recorded, given, f"{where}.to")
        now = counted.get(change.record)
        base = now.fact.body if now else recorded.fact.body
        lies = now.lies if now else ""
        stated = tuple(sorted({*given, *(now.stated if now else ())}))
        body, lies = self._read(recorded.verb, base, lies, given, f"{where}.to")
        own = tuple(sorted(given)) if now and now.made_by else ()
        return Edit(change.record, recorded.verb, body, lies=lies, stated=stated, own=own)

    def _amended(self, recorded: Recorded, given: Mapping[str, Any], where: str) -> Edit:
        """An amendment that is put right itself, its reason alone or what it changes."""
        record, before = recorded.record, recorded.fact.body
        assert isinstance(before, RoundAmended)
        kept = {"reason": before.reason or "-", "changes": [{"record": record, "to": None}]}
        now = asked(_read_form(VERBS[AMEND].form, kept, given, where), RoundAmended).body
        assert isinstance(now, RoundAmended)
        if "changes" not in given:
            edits = next(each.edits for each in self.basis.earlier if each.record == record)
            return Edit(record, AMEND, replace(now, changes=before.changes), edits=edits)
        earlier = tuple(each for each in self.basis.earlier if each.record < record)
        reader = replace(self, basis=replace(self.basis, earlier=earlier))
        return Edit(record, AMEND, now, edits=reader.made(now.changes, f"{where}.changes"))

    def _inserted(self, change: Change, where: str) -> Edit:
        follows = self._recorded(change.record, f"{where}.after")
        if follows not in self.basis.known():  # an amendment that was made while later rounds were played
            raise _EditError(no(saying("refuse.any.no_round"), f"{where}.after"))
        verb = _DECLARED.get(change.verb, change.verb)
        kind = _INSERTABLE.get(verb, "")
        if not (self.device(kind) if kind else verb in VERBS and VERBS[verb].asks in _ASKABLE):
            raise _EditError(no(saying("refuse.not_insertable", verb=verb), f"{where}.verb"))
        given: dict[str, Any] = json.loads(change.fields or "{}")
        body, lies = self._read(verb, None, "", given, f"{where}.fields")
        at = self._time(change, follows, where)
        return Edit(change.record, verb, body, inserted=True, at=at, lies=lies, stated=tuple(sorted(given)))

    def _recorded(self, number: int, where: str) -> Recorded:
        """The fact of this record, where it is one of the round."""
        found = next((each for each in self.basis.known() if each.record == number), None)
        if found is not None:
            return found
        made = next((each for each in self.basis.earlier if each.record == number), None)
        if made is None:
            raise _EditError(no(saying("refuse.not_of_the_round", record=number), where))
        changes = tuple(Change(each.record, None, each.inserted, each.verb) for each in made.edits)
        last = self.basis.facts[-1]
        return Recorded(number, replace(last.fact, body=RoundAmended(made.reason, changes), by=made.by), AMEND)

    def _time(self, change: Change, follows: Recorded, where: str) -> Stamp | None:
        """When an inserted fact happened, where that is said.

        It is not before the second of the fact that it follows, nor after the next one.
        """
        if not change.time:
            return None
        own, later = follows.fact.at, (each.fact.at for each in self.basis.known() if each.record > follows.record)
        utc_us = utc_instant(change.time)
        if utc_us is None or not own.utc_us // 1_000_000 * 1_000_000 <= utc_us <= next(later, self.now).utc_us:
            raise _EditError(no(saying("refuse.wrong_field", field=f"{where}.time"), f"{where}.time"))
        return replace(own, utc_us=utc_us)

    def _read(
        self, verb: str, base: Body | None, lies: Place, given: Mapping[str, Any], where: str
    ) -> tuple[Body, Place]:
        before = fact_form(base) if base is not None else {}
        if verb in _FORMS and verb in REPORTS.values():
            kept = {**before, "lies": lies} if verb in {"card", "packet"} else before
            form = _read_form(_FORMS[verb], kept, given, where)
            return self._report(form, base, verb), getattr(form, "lies", "")
        row = VERBS[verb]
        body = asked(_read_form(row.form, before, given, where), row.asks).body
        return body, ""

    def _report(self, form: BaseModel, base: Body | None, verb: str) -> Body:
        match form, base:
            case _Card(card=card), CardDrawn():
                return replace(base, card=card)
            case _Card(card=card), _:
                return CardDrawn(self.device("shoe"), card)
            case _Packet(count=count), PacketDelivered():
                return replace(base, count=count)
            case _Packet(count=count), _:
                return PacketDelivered(self.device("shuffler"), count)
            case _Dice(dice=dice, flaw=flaw), DiceThrown():
                return replace(base, dice=dice, flaw=flaw)
            case _Dice(dice=dice, flaw=flaw), _:
                return DiceThrown(self.device("dice"), dice, flaw)
            case _Spin(turns=turns, section=section), SpinStopped(spin=spin):
                stated = replace(
                    spin, turns_milli=turns * 1000, section=section, on_peg=section is None, flaws=(), margin_mdeg=0
                )
                return replace(base, spin=stated)
            case _Draw(series=series, combination=combination), DrawCommitted() | DrawShown():
                return replace(base, series=series, combination=combination)
            case _Draw(series=series, combination=combination), _ if verb == "draw":
                return DrawCommitted(self.device("draw"), UNNUMBERED, series, combination)
            case _Draw(series=series, combination=combination), _:
                return DrawShown(self.device("display"), UNNUMBERED, series, combination, read_back=False)
            case _:
                raise AssertionError("the form of another report")


_EVERY: Final[Mapping[str, Any]] = {"request_id": "amended", "round_id": None, "seen": 0}
_OF_ASKING: Final = frozenset({*_EVERY, "second"})
"""Fields of a request that say nothing of the fact."""


def _read_form(form: type[BaseModel], before: Mapping[str, Any], given: Mapping[str, Any], where: str) -> BaseModel:
    """The form of a fact with the fields given in the place of those before."""
    for name in given:
        if name in _OF_ASKING:
            raise _EditError(no(saying("refuse.wrong_field", field=f"{where}.{name}"), f"{where}.{name}"))
    every = {name: value for name, value in _EVERY.items() if name in form.model_fields}
    try:
        read: BaseModel = TypeAdapter(form).validate_json(json.dumps({**every, **before, **given}))
    except ValidationError as error:
        first = problem_path(error.errors(include_url=False, include_input=False)[0]["loc"])
        field = where if first == "body" else f"{where}.{first}"
        raise _EditError(no(saying("refuse.wrong_field", field=field), field)) from None
    return read
