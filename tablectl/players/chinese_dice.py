"""The player of Chinese Dice: a bank, and throws until everybody is paid."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from tablectl.players.moves import PEOPLE, Ask, Move, PlannedBet, PlannedStake, TableView, Throw, next_bet, next_seat

PLACES: Final = tuple(range(1, 9))


def next_move(view: TableView, plan: Any) -> Move:
    """The next move of a round, from the bank to the last payment."""
    table = view.round
    if view.phase == "idle":
        return next_seat(view, PLACES) or find_banker(view, plan) or Ask("open_round")
    if table["round_id"] is None:  # an amendment has moved money of a round that is over
        return Ask("pay_place")
    if view.phase == "betting":
        ends = Ask("close_betting") if plan.dealer_closes else Throw()
        return next_bet(view, _bets(table, plan)) or ends
    if table["due"]["to"] == "throw":
        return Throw()
    return Ask("pay_place", {"place": table["due"]["place"]})


def find_banker(view: TableView, plan: Any) -> Ask | None:
    """The bank taken by the person offered it, or declined; None where it is held.

    Rule: 108/89/M art. 4(a) to 4(d).
    """
    due, banker = view.round["due"], view.round["banker"]
    if due is not None:
        in_vain = view.last == _take_bank(due, plan.capital) and view.refused
        return Ask("decline_bank", {"place": due["place"]}) if in_vain else _take_bank(due, plan.capital)
    if banker is None:
        return _offer_again(view, plan)
    if Decimal(banker["capital"]) == 0:
        return _take_bank(banker, max(plan.capital, banker["least_capital"], key=Decimal))
    return None


def _take_bank(who: Mapping[str, Any], capital: str) -> Ask:
    return Ask("take_bank", {"place": who["place"], "bettor": who["bettor"], "capital": capital})


def _offer_again(view: TableView, plan: Any) -> Ask:
    """The bank offered to all in turn, as nobody took it; the table knows who may."""
    seats = [_take_bank(seat, plan.capital) for seat in view.round["seats"]]
    return seats[(seats.index(view.last) + 1) % len(seats) if view.last in seats else 0]


def _bets(table: Mapping[str, Any], plan: Any) -> list[PlannedBet]:
    """The stakes as bets, now that it is known where the banker sits."""
    banker, stakes = int(table["banker"]["place"]), tuple[PlannedStake, ...](plan.stakes)
    sits: dict[int, str] = {seat["place"]: seat["bettor"] for seat in table["seats"]}
    spots = [((banker + stake.steps - 1) % len(PLACES) + 1, stake) for stake in stakes]
    return [
        PlannedBet(place, stake.bettor or sits.get(place, PEOPLE[place - 1]), "place", stake.stake)
        for place, stake in spots
    ]
