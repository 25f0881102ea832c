"""Round of an amendment as everybody sees it, from which a dry run is computed.

By the contract on amendments ("Face-down cards stay secret").
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final

from tablectl.core.amending.placed import Placed, as_amended
from tablectl.core.amending.refold import Refolded, Refolds
from tablectl.core.cards import PACK, Card, Place
from tablectl.core.facts import Body
from tablectl.core.facts.amendments import Amendment, Basis, Edit
from tablectl.core.facts.game_requests import CardExposed, HandOpened, TiersShown
from tablectl.core.facts.reports import CardDrawn
from tablectl.core.game_step import Game
from tablectl.lazy_dataclass import replace

_NOBODYS: Final = 0
"""The record of the amendment that leaves readings out."""


def names_cards(body: Body | None) -> bool:
    """Return True if a request says which cards lie there."""
    match body:
        case HandOpened(cards=cards):
            return bool(cards)
        case CardExposed(card=card):
            return card is not None
        case _:
            return isinstance(body, TiersShown)


def in_full(edits: Iterable[Edit]) -> Iterator[Edit]:
    """Yield the edits, and those of amendments that are put right themselves."""
    for edit in edits:
        yield edit
        yield from in_full(edit.edits)


def as_everybody_sees(then: Game[Any], basis: Basis, this: Amendment, refold: Refolds) -> Basis:
    """Return the basis of a dry run that tells nothing of cards that lie face down.

    Where the changes name a card, or move one, those face down are taken as unread, but where everybody knows what they
    call for: there others stand for them. One that the deal had use for by the others' names, as a third card, lies
    where it was dealt.
    """
    facts = as_amended(basis.known(), basis.earlier)
    before = refold(then, basis.opening, facts)
    if not any(_names(edit) for edit in in_full(basis.edits)):
        after = refold(then, basis.opening, as_amended(basis.known(), (*basis.earlier, this)))
        if _places(before) == _places(after):
            return basis
    open_once = _seen_before_amendments(then, basis, refold)
    hidden = [
        each for each in facts if _is_read(each) and not before.was_seen(each) and _identity(each) not in open_once
    ]
    if not hidden:
        return basis
    unread = _read_as(basis, dict.fromkeys(hidden, (None, "")))
    now = as_amended(unread.known(), unread.earlier)
    dealt = refold(then, basis.opening, now).cards
    lies: dict[Placed, Place] = {
        each: before.cards[each][0] if each in before.cards and dealt.get(its) != before.cards[each] else ""
        for each, its in zip(facts, now, strict=True)
        if each in hidden
    }
    due = _due_anyway(then, unread, this, refold)
    shifted = [each for each in hidden if lies[each] and each.record in due]
    seen = _read_as(basis, {each: (None, lies[each]) for each in hidden}, shifted)
    public = then.public_needs(before.table.game)
    if public:
        public -= _changed_places(then, seen, this, refold)
        names = _stand_ins(then, basis, before, lies, public, refold)
        seen = _read_as(basis, {each: (names.get(each), lies[each]) for each in hidden}, shifted)
    said = _recorded(then, seen, refold).events
    return replace(seen, standing=(0,) * len(said))


def _seen_before_amendments(then: Game[Any], basis: Basis, refold: Refolds) -> set[tuple[Any, Any]]:
    """Return the cards that lay face up when an earlier amendment was made.

    That amendment may have taken them out of sight.
    """
    seen: set[tuple[Any, Any]] = set()
    for nth, amendment in enumerate(basis.earlier):
        until_then = [each for each in basis.known() if each.record < amendment.record]
        done = refold(then, basis.opening, as_amended(until_then, basis.earlier[:nth]))
        seen.update(_identity(each) for each in done.cards if done.was_seen(each))
    return seen


def _identity(placed: Placed) -> tuple[Any, Any]:
    return placed.record or placed.made_by, getattr(placed.fact.body, "card", None)


def _recorded(then: Game[Any], basis: Basis, refold: Refolds) -> Refolded:
    return refold(then, basis.opening, as_amended(basis.known(), basis.earlier))


def _due_anyway(then: Game[Any], unread: Basis, this: Amendment, refold: Refolds) -> set[int | None]:
    """Return the records of cards that a hand lacks after the amendment.

    It lacks them whatever lies face down.
    """
    facts = as_amended(unread.known(), (*unread.earlier, replace(this, edits=unread.edits)))
    return {each.record for each in refold(then, unread.opening, facts).cards if not each.lies}


def _changed_places(then: Game[Any], seen: Basis, this: Amendment, refold: Refolds) -> set[Place]:
    """Return the places where other cards lie after the amendment.

    As far as everybody sees.
    """
    facts = as_amended(seen.known(), (*seen.earlier, replace(this, edits=seen.edits)))
    recorded = as_amended(seen.known(), seen.earlier)
    after = _cards_at(refold(then, seen.opening, facts), facts)
    before = _cards_at(refold(then, seen.opening, recorded), recorded)
    # What is added behind the cards of a hand, or taken off, changes nothing for the others.
    pairs = ((place, zip(before.get(place, ()), after.get(place, ()), strict=False)) for place in {*before, *after})
    return {place for place, cards in pairs if any(was != now for was, now in cards)}


def _cards_at(done: Refolded, facts: Iterable[Placed]) -> dict[Place, list[Any]]:
    lying: dict[Place, list[Any]] = {}
    for each in facts:
        if isinstance(each.fact.body, CardDrawn):
            place, index = done.cards.get(each, ("", 0))
            lying.setdefault(each.lies or place, []).append((each.record or each.made_by, place, index))
    return lying


def _stand_ins(
    then: Game[Any],
    basis: Basis,
    before: Refolded,
    lies: Mapping[Placed, Place],
    public: Iterable[Place],
    refold: Refolds,
) -> Mapping[Placed, Card | None]:
    """Names for face-down cards at places of which everybody knows what they call for.

    They call for the same, and are none that the changes name; at a hand that these open, they are as it is opened.
    """
    given = [edit.body for edit in in_full(basis.edits) if edit.body and _names(edit)]
    places = {*public} - {body.place for body in given if isinstance(body, CardExposed)}
    places -= {before.cards.get(each, ("", 0))[0] for each in lies if each.record is None}
    mine = [each for each in lies if each in before.cards and not before.lies_open(each)]
    mine = [each for each in mine if (each.lies or before.cards[each][0]) == before.cards[each][0] in places]
    taken: set[Card | None] = {card for body in given for card in _cards_named(body)}
    taken |= {body.card for each in before.cards if isinstance(body := each.fact.body, CardDrawn)}
    names: dict[Placed, Card | None] = {}
    for each in mine:
        card: Card | None = getattr(each.fact.body, "card", None)
        place = before.cards[each][0]
        if card is not None and any(
            card in _cards_named(body) for body in given if getattr(body, "place", None) != place
        ):
            card = next((other for other in PACK if other[0] == card[0] and other not in taken), None)
            taken.add(card)
        names[each] = card
    for body in given:
        if isinstance(body, HandOpened) and any(before.cards[each][0] == body.place for each in mine):
            names = _as_opened(then, basis, before, lies, names, body, refold)
    return names


def _as_opened(
    then: Game[Any],
    basis: Basis,
    before: Refolded,
    lies: Mapping[Placed, Place],
    names: dict[Placed, Card | None],
    opened: HandOpened,
    refold: Refolds,
) -> dict[Placed, Card | None]:
    """Return the names with those of a hand as it is opened.

    They stay as they were where the opened cards call for something else. Its first two cards may be named in either
    order.
    """
    given = opened.cards
    hand = [(each, before.cards[each][1]) for each in names if before.cards[each][0] == opened.place]
    old = _recorded(then, _read_as(basis, {each: (names.get(each), lies[each]) for each in lies}), refold)
    for cards in (given, (*given[1::-1], *given[2:])):
        tried = {**names, **{each: cards[nth - 1] for each, nth in hand if nth <= len(cards)}}
        new = _recorded(then, _read_as(basis, {each: (tried.get(each), lies[each]) for each in lies}), refold)
        if old.events == new.events and then.phase(old.table.game) == then.phase(new.table.game):
            return tried
    return names


def _cards_named(body: Body) -> Iterable[Card]:
    match body:
        case HandOpened(cards=cards):
            return cards
        case CardExposed(card=card) | CardDrawn(card=card) if card is not None:
            return (card,)
        case _:
            return ()


def _names(edit: Edit) -> bool:
    return "card" in edit.stated if isinstance(edit.body, CardDrawn) else names_cards(edit.body)


def _is_read(placed: Placed) -> bool:
    return isinstance(placed.fact.body, CardDrawn) and placed.fact.body.card is not None


def _places(done: Refolded) -> Mapping[Any, Any]:
    """Where each card was counted for, by its record, or by the change that put it in."""
    return {each.record or each.made_by: where for each, where in done.cards.items()}


def _read_as(
    basis: Basis, hidden: Mapping[Placed, tuple[Card | None, Place]], shifted: Collection[Placed] = ()
) -> Basis:
    """Return the basis in which these readings were others.

    Args:
        hidden: as what each card was read, and where it lies, where that has to be said.
        shifted: those that the changes move on to the hand whose turn it is then.
    """
    moved = {each: (hidden[each][0], "") for each in shifted}
    own = {edit.record for edit in basis.edits if not edit.inserted}
    of = {each.record: its for each, its in hidden.items() if each.record is not None}
    put_in = any(each.record is None for each in hidden)
    nested = {inner.record for edit in basis.edits for inner in in_full(edit.edits) if "card" in inner.stated}
    edits = (_read(each, *its) for each, its in hidden.items() if each.record not in {None, *nested})
    earlier = (replace(each, edits=_edits_read_as(each.edits, {}, put_in=put_in)) for each in basis.earlier)
    return replace(
        basis,
        earlier=(*earlier, Amendment(_NOBODYS, None, None, tuple(edits))),
        edits=(
            *_edits_read_as(
                basis.edits, {**of, **{each.record: its for each, its in moved.items() if each.record}}, put_in=False
            ),
            *(_read(each, *its) for each, its in moved.items() if each.record not in own),
        ),
    )


def _read(placed: Placed, card: Card | None, lies: Place) -> Edit:
    assert placed.record is not None
    body = _named(placed.fact.body, card)
    return Edit(placed.record, placed.verb, body, lies=placed.lies or lies, stated=placed.stated)


def _edits_read_as(
    edits: Iterable[Edit], hidden: Mapping[int, tuple[Card | None, Place]], *, put_in: bool
) -> tuple[Edit, ...]:
    """Return edits in which hidden cards have these names.

    Args:
        put_in: whether cards that were put in lose their names.
    """
    found = ((edit, *hidden.get(edit.record, (None, ""))) for edit in edits)
    return tuple(
        replace(
            edit,
            body=edit.body and _named(edit.body, card)
            if _keeps(edit, hidden) or (put_in and edit.inserted)
            else edit.body,
            lies=edit.lies or ("" if edit.inserted or "lies" in edit.stated else lies),
            edits=_edits_read_as(edit.edits, hidden, put_in=put_in),
        )
        for edit, card, lies in found
    )


def _keeps(edit: Edit, hidden: Mapping[int, Any]) -> bool:
    return not edit.inserted and edit.record in hidden and "card" not in edit.stated


def _named(body: Body, card: Card | None) -> Body:
    return replace(body, card=card) if isinstance(body, CardDrawn) else body


def nameless(body: Body) -> Body:
    """The fact without the card that it names."""
    return _named(body, None)
