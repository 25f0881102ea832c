"""A settled round as a small table: who had what, on what, and what became of it."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from tablectl.history.language import Form, Speech, columns, form_of
from tablectl.words.terminal import cells

_COLUMNS: Final = ("place", "hand", "bettor", "bet", "stake", "outcome", "net", "commission")
_NUMBERS: Final = frozenset({4, 6, 7})
_COMMISSION: Final = 7
_OF_A_BET: Final = 2
"""The first column that is of a bet and not of its place."""


def settled_lines(say: Speech, data: Form) -> list[str]:
    """The table, its header first; of any game of the settlement contract."""
    settlement, played, game = data["settlement"], data["round"], str(data.get("game", ""))
    rows = [
        [say.label(f"column.{name}") for name in _COLUMNS],
        *_house(say, settlement, played, game),
        *(row for place in settlement.get("places", ()) for row in _place(say, place, played, game)),
        *(_bet(say, bet, game) for bet in settlement.get("bets", ())),
        *(_layer(say, layer, game) for layer in settlement.get("bank", ())),
    ]
    if all(row[_COMMISSION] in {"", "0.00"} for row in rows[1:]):
        rows = [row[:_COMMISSION] for row in rows]
    if not any(row[:_OF_A_BET] != ["", ""] for row in rows[1:]):  # As at the wheel, which settles bets and no places.
        return _bets(rows)
    lines = columns(rows, _NUMBERS)
    if say.width is None or max(map(cells, lines)) <= say.width:
        return lines
    return list(_narrow(rows))


def _bets(rows: Sequence[Sequence[str]]) -> list[str]:
    return columns([row[_OF_A_BET:] for row in rows], {number - _OF_A_BET for number in _NUMBERS})


def _narrow(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The table with each place and its hand on a line of their own, above its bets."""
    for row, bet in zip(rows, _bets(rows), strict=True):
        if head := "  ".join(filter(None, row[:_OF_A_BET])):
            yield head
        if bet:
            yield f"  {bet}"


def _house(say: Speech, settlement: Form, played: Form, game: str) -> Iterator[list[str]]:
    """The rows of the dealer and the banker, where the game has one."""
    for name in ("dealer", "banker"):
        if (result := settlement.get(name)) is not None:
            cards = _shown(say, played.get(name))
            yield _row(say.place(name), _hand(say, cards, result, game), outcome=_qualifies(say, result))


def _place(say: Speech, place: Form, played: Form, game: str) -> Iterator[list[str]]:
    dealt = next((form for form in played.get("places", ()) if form["place"] == place["place"]), None)
    head = (say.place(place["place"]), _hand(say, _shown(say, dealt), place, game))
    bets: Sequence[Form] = place.get("bets") or [{}]
    for nth, bet in enumerate(bets):
        row = _bet(say, bet, game)
        yield [*(head if nth == 0 else ("", "")), *row[_OF_A_BET:]]


def _bet(say: Speech, bet: Form, game: str) -> list[str]:
    return _row(
        bettor=str(bet.get("bettor", "")),
        bet=say.short("bet", bet["bet"], game) if "bet" in bet else "",
        stake=str(bet.get("stake", "")),
        outcome=say.short("outcome", bet["outcome"]) if "outcome" in bet else "",
        net=_signed(bet.get("net", "")),
        commission=str(bet.get("commission", "")),
    )


def _layer(say: Speech, layer: Form, game: str) -> list[str]:
    """A share of the bank, in the games where players hold it."""
    return _row(
        say.label("bank"),
        bettor=str(layer.get("bettor") or say.term("layer", layer.get("layer", ""), game)),
        stake=str(layer.get("amount", "")),
        net=_signed(layer.get("net", "")),
        commission=str(layer.get("commission", "")),
    )


def _row(place: str = "", hand: str = "", **cells: str) -> list[str]:
    return [place, hand, *(cells.get(name, "") for name in _COLUMNS[_OF_A_BET:])]


def _hand(say: Speech, cards: str, result: Form, game: str) -> str:
    return "  ".join(part for part in (cards, _named(say, result, game)) if part)


def _named(say: Speech, result: Form, game: str) -> str:
    """The rank of the cards or dice, in the game's words.

    The formations of the tiers where the whole has no name.
    """
    for family in ("natural", "hand", "combination", "total"):
        if result.get(family) is not None:
            return say.short(family, result[family], game)
    return " | ".join(say.short("hand", name, game) for name in result.get("rows") or ())


def _shown(say: Speech, dealt: Any) -> str:
    """The cards or dice of a hand, however its game writes them."""
    form = form_of(dealt)
    if not form:
        return say.cards(dealt or ())
    if "throws" in form:
        return " ".join("-".join(map(str, throw)) for throw in form["throws"] if throw)
    rows = form.get("rows") or [form.get("cards", ())]
    return " | ".join(say.cards(row) for row in rows)


def _qualifies(say: Speech, result: Form) -> str:
    if "qualifies" not in result:
        return ""
    return say.label("qualifies" if result["qualifies"] else "below")


def _signed(net: str) -> str:
    """A gain with its plus sign, so that gains and losses differ at a glance."""
    return f"+{net}" if net and net[0].isdigit() and net.strip("0.") else net
