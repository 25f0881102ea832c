"""Round of an amendment as everybody sees it, from which a dry run is computed.

By the contract on amendments ("Face-down cards stay secret").
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from tablectl.core.amending.placed import Placed, as_amended
from tablectl.core.amending.refold import Refolded, Refolds
from tablectl.core.cards import Place
from tablectl.core.copies import replace
from tablectl.core.facts import Body
from tablectl.core.facts.amendments import Amendment, Basis, Edit
from tablectl.core.facts.card_requests import CardExposed, HandOpened, TiersShown
from tablectl.core.facts.reports import CardDrawn
from tablectl.core.game_step import Game

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

    Where the changes name a card, or move one, those face down are taken as unread. One that the deal had use for by
    the others' names, as a third card, lies where it was dealt.
    """
    facts = as_amended(basis.known(), basis.earlier)
    before = refold(then, basis.opening, facts)
    if not any(_names(edit) for edit in in_full(basis.edits)):
        after = refold(then, basis.opening, as_amended(basis.known(), (*basis.earlier, this)))
        if _places(before) == _places(after):
            return basis
    hidden = dict.fromkeys((each for each in facts if _is_read(each) and not before.was_seen(each)), "")
    if not hidden:
        return basis
    unread = _unread(basis, hidden)
    now = as_amended(unread.known(), unread.earlier)
    dealt = refold(then, basis.opening, now).cards
    lies = {
        each: before.cards[each][0] if each in before.cards and dealt.get(its) != before.cards[each] else ""
        for each, its in zip(facts, now, strict=True)
        if each in hidden
    }
    seen = _unread(basis, lies)
    said = refold(then, basis.opening, as_amended(seen.known(), seen.earlier)).events
    return replace(seen, standing=(0,) * len(said))


def _names(edit: Edit) -> bool:
    return "card" in edit.stated if isinstance(edit.body, CardDrawn) else names_cards(edit.body)


def _is_read(placed: Placed) -> bool:
    return isinstance(placed.fact.body, CardDrawn) and placed.fact.body.card is not None


def _places(done: Refolded) -> Mapping[Any, Any]:
    """Where each card was counted for, by its record, or by the change that put it in."""
    return {each.record or each.made_by: where for each, where in done.cards.items()}


def _unread(basis: Basis, lies: Mapping[Placed, Place]) -> Basis:
    """Return the basis without these readings.

    Args:
        lies: where each card lies, where it has to be said.
    """
    hidden = {each.record: where for each, where in lies.items() if each.record is not None}
    put_in = any(each.record is None for each in lies)
    dropped = (
        replace(_dropped(each), lies=each.lies or where) for each, where in lies.items() if each.record is not None
    )
    earlier = (replace(each, edits=_without_names(each.edits, {}, put_in=put_in)) for each in basis.earlier)
    return replace(
        basis,
        earlier=(*earlier, Amendment(_NOBODYS, None, None, tuple(dropped))),
        edits=_without_names(basis.edits, hidden, put_in=False),
    )


def _dropped(placed: Placed) -> Edit:
    assert placed.record is not None
    return Edit(placed.record, placed.verb, nameless(placed.fact.body), lies=placed.lies, stated=placed.stated)


def _without_names(edits: Iterable[Edit], hidden: Mapping[int, Place], *, put_in: bool) -> tuple[Edit, ...]:
    """Return edits without the names that they keep of hidden cards.

    Args:
        put_in: whether cards that were put in lose their names too.
    """
    return tuple(
        replace(
            edit,
            body=edit.body and nameless(edit.body) if _keeps(edit, hidden) or (put_in and edit.inserted) else edit.body,
            lies=edit.lies or ("" if edit.inserted or "lies" in edit.stated else hidden.get(edit.record, "")),
            edits=_without_names(edit.edits, hidden, put_in=put_in),
        )
        for edit in edits
    )


def _keeps(edit: Edit, hidden: Mapping[int, Place]) -> bool:
    return not edit.inserted and edit.record in hidden and "card" not in edit.stated


def nameless(body: Body) -> Body:
    """The fact without the card that it names."""
    return replace(body, card=None) if isinstance(body, CardDrawn) else body
