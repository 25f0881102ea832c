"""Public view of a Chinese dice table: next step, seats, bank, bets and dice."""

from collections.abc import Mapping
from typing import Any

from tablectl.core.events.text import Saying, saying
from tablectl.core.games.chinese_dice.banking import candidates, due_place, kept_capital, limit_reached
from tablectl.core.games.chinese_dice.dice import due_to_throw
from tablectl.core.games.chinese_dice.hands import INDECISIVE, combination_of
from tablectl.core.games.chinese_dice.rules import ChineseDiceRules
from tablectl.core.games.chinese_dice.settlement import cover
from tablectl.core.games.chinese_dice.settling import bank_now, key_of_place, places_in_order, settled_places, stakes_at
from tablectl.core.games.chinese_dice.state import (
    AWAITS_THROW,
    ChineseDice,
    Doubt,
    Phase,
    Settings,
    laid,
    open_round,
    seated,
    thrower,
    throws_of,
)
from tablectl.core.money import format_money
from tablectl.core.table import Table, device, entry, stopping_fault


def waiting(table: Table[ChineseDice], settings: Settings) -> Saying:
    """Message that says what the table waits for.

    An obstacle comes first, then the next step of the procedure.
    """
    state = table.game
    match state.phase:
        case Phase.IDLE:
            return _between_rounds(table, settings)
        case Phase.BETTING | Phase.BANKER_THROWING | Phase.THROWING:
            return _throw(table, settings)
        case Phase.PAYING:
            return saying("prompt.chinese_dice.pay", place=state.due)


def public(state: ChineseDice, settings: Settings, rules: ChineseDiceRules) -> Mapping[str, Any]:
    """Public view of the round: seats, bank, bets, throws, and payments.

    The bets are in the order placed.
    """
    return {
        "round_id": open_round(state),
        "phase": state.phase.value,
        "seats": [{"place": seat.place, "bettor": seat.bettor} for seat in state.seats],
        "banker": _banker(state, settings),
        "bank": _bank(state, rules),
        "due": _due(state, settings),
        "bets": [
            {"place": bet.place, "bettor": bet.bettor, "bet": bet.bet, "stake": format_money(bet.stake)}
            for bet in (laid(state) if state.phase is not Phase.IDLE else ())
        ],
        "places": [_place(state, place) for place in places_in_order(state)],
        "payments": _payments(state, rules),
        "paid": list(state.paid),
        "doubt": state.doubt.value or None,
        "by_hand": state.by_hand,
    }


def _between_rounds(table: Table[ChineseDice], settings: Settings) -> Saying:
    state, banker = table.game, table.game.banker
    if (fault := stopping_fault(table)) is not None:
        return saying("prompt.chinese_dice.fault", code=fault.code, fault=entry(fault.code).key)
    if not state.seats:
        return saying("prompt.chinese_dice.seats")
    if (due := due_place(state, settings)) is not None:
        if banker.place:
            return saying("prompt.chinese_dice.bank_passes", place=due, bettor=seated(state, due))
        return saying("prompt.chinese_dice.bank", place=due, bettor=seated(state, due))
    if not banker.place or limit_reached(state, settings):
        return _nobody_takes_it(state, settings)
    if banker.capital:
        return saying("prompt.chinese_dice.open_round", place=banker.place, bettor=banker.bettor)
    return _capital(state, settings)


def _nobody_takes_it(state: ChineseDice, settings: Settings) -> Saying:
    """The bank without a taker: who else may take it, or the banker if all agree."""
    places = ", ".join(map(str, candidates(state, settings)))
    if not places:
        return saying("prompt.chinese_dice.limit", place=state.banker.place or state.tenure.place)
    return saying("prompt.chinese_dice.bank_open", places=places)


def _capital(state: ChineseDice, settings: Settings) -> Saying:
    banker, kept = state.banker, kept_capital(state, state.banker)
    least = format_money(max(kept, settings.least_capital, 1))
    if kept:
        return saying("prompt.chinese_dice.capital_kept", place=banker.place, bettor=banker.bettor, least=least)
    return saying("prompt.chinese_dice.capital", place=banker.place, bettor=banker.bettor, least=least)


def _throw(table: Table[ChineseDice], settings: Settings) -> Saying:
    """Message that names the place and person to throw.

    Where the reader can't be relied on, it says that the dealer enters the throw.

    Rule: 108/89/M art. 2(a), 3(b); reading 11.
    """
    state, place = table.game, due_to_throw(table.game)
    bettor, step = thrower(state, place), state.phase.value
    if not settings.dice or state.by_hand:
        return saying(f"prompt.chinese_dice.{step}_by_hand", place=place, bettor=bettor)
    if not device(table, settings.dice).attached:
        return saying(f"prompt.chinese_dice.{step}_reader_away", place=place, bettor=bettor, device=settings.dice)
    if state.doubt is Doubt.AWAY:
        return saying("prompt.chinese_dice.away", place=place, bettor=bettor)
    if state.doubt is Doubt.UNREAD:
        return saying("prompt.chinese_dice.unread", place=place, bettor=bettor)
    return saying(f"prompt.chinese_dice.{step}", place=place, bettor=bettor)


def _banker(state: ChineseDice, settings: Settings) -> Mapping[str, Any] | None:
    """Public view of the bank's holder, and the marker with their throws.

    Rule: 108/89/M art. 2(b), 4(a), 4(d).
    """
    banker = state.banker
    if not banker.place:
        return None
    return {
        "place": banker.place,
        "bettor": banker.bettor,
        "capital": format_money(banker.capital),
        "least_capital": format_money(kept_capital(state, banker)),
        "rounds": state.tenure.rounds if state.tenure.place == banker.place else 0,
        "limit_reached": limit_reached(state, settings),
        "limit_waived": state.waived == banker.place,
        "throws": _throws(state, banker.place),
        "combination": _combination(state, banker.place),
    }


def _bank(state: ChineseDice, rules: ChineseDiceRules) -> Mapping[str, Any] | None:
    """Public view of the bank: capital on the table, result so far, and its room.

    The room is the amount that it may still win or lose.

    Rule: 108/89/M art. 4(c); reading 7.
    """
    if state.phase is Phase.IDLE:
        return None
    bank = bank_now(state, rules)
    return {
        "capital": format_money(bank.capital),
        "result": format_money(bank.result),
        "room": format_money(bank.room),
    }


def _due(state: ChineseDice, settings: Settings) -> Mapping[str, Any] | None:
    """Public view of the turn: place, person who acts for it, and action.

    The action is to take the bank, to throw, or to be paid.
    """
    if state.phase is Phase.IDLE:
        place = due_place(state, settings)
        return None if place is None else {"place": place, "bettor": seated(state, place), "to": "bank"}
    if state.phase in AWAITS_THROW:
        place = due_to_throw(state)
        return {"place": place, "bettor": thrower(state, place), "to": "throw"}
    return {"place": state.due, "bettor": thrower(state, state.due), "to": "pay"}


def _place(state: ChineseDice, place: int) -> Mapping[str, Any]:
    return {
        "place": place,
        "thrower": thrower(state, place),
        "throws": _throws(state, place),
        "combination": _combination(state, place),
    }


def _payments(state: ChineseDice, rules: ChineseDiceRules) -> list[Mapping[str, Any]]:
    """Public view of the bets of the places paid and of the one due.

    Each has its covered amount and its result.

    Rule: 108/89/M art. 2(c), 4(c), 7(b); reading 7.
    """
    places = (*state.paid, state.due) if state.phase is Phase.PAYING else state.paid
    told: list[Mapping[str, Any]] = [
        {
            "place": paid.place,
            "bettor": bet.bet.bettor,
            "covered": format_money(bet.covered),
            "outcome": bet.outcome.value,
            "net": format_money(bet.net),
            "commission": format_money(bet.commission),
        }
        for paid in settled_places(state, places, rules)
        for bet in paid.bets
    ]
    return told + (_covered(state, rules) if state.phase is Phase.THROWING else [])


def _covered(state: ChineseDice, rules: ChineseDiceRules) -> list[Mapping[str, Any]]:
    """Public view of each bet's part that the bank can meet at the place that throws.

    It is fixed before the place throws.
    """
    bets = stakes_at(state, state.due)
    covers = cover(bank_now(state, rules).room, bets)
    return [
        {"place": state.due, "bettor": bet.bettor, "covered": format_money(covered), "outcome": None}
        for bet, covered in zip(bets, covers, strict=True)
    ]


def _throws(state: ChineseDice, place: int) -> list[list[int] | None]:
    return [None if throw is None else [*throw] for throw in throws_of(state, place)]


def _combination(state: ChineseDice, place: int) -> str | None:
    key = key_of_place(state, place)
    return None if key == INDECISIVE else combination_of(key).value
