"""Payment place by place, and settlement: articles 2(c), 2(g), 4(c), 4(d)."""

from collections.abc import Iterator

from tablectl.core.effects import Effects, announce
from tablectl.core.events.round import PartBet, PartSettled, Settled
from tablectl.core.facts.game_requests import PlacePaid
from tablectl.core.games.chinese_dice import banking, settlement, shapes
from tablectl.core.games.chinese_dice.hands import INDECISIVE, rank_throw
from tablectl.core.games.chinese_dice.rules import ChineseDiceRules
from tablectl.core.games.chinese_dice.settlement import (
    PLACE_MAX,
    Bank,
    Round,
    SettledBet,
    Throws,
    banker_outcome,
    place_outcome,
    settle_place,
    share_out,
)
from tablectl.core.games.chinese_dice.state import (
    Banker,
    BetName,
    Cause,
    ChineseDice,
    Outcome,
    Phase,
    Step,
    Tenure,
    after,
    bets_at,
    cleared,
    named,
    number_of,
    steps_from,
    throws_of,
)
from tablectl.core.money import format_money, utc_text
from tablectl.core.step import refuse
from tablectl.lazy_dataclass import dataclass, replace


@dataclass(frozen=True, slots=True)
class Paid:
    """Place settled against the bank, and the bank after it.

    The bank is as the places before it left it.
    """

    place: int
    bets: tuple[SettledBet, ...]
    bank: Bank


def place_paid(step: Step, asked: PlacePaid) -> Outcome:
    """Note that the dealer paid or collected the place that was due.

    The next place begins, or the round is over.

    Rule: 108/89/M art. 2(c), 2(g), 4(c).
    """
    state = step.state
    if asked.place is not None and number_of(state, asked.place) is None:
        return refuse(step, "3(a)", "no_such_place", place=asked.place, places=PLACE_MAX)
    if state.phase is not Phase.PAYING:
        return refuse(step, "2(c)", "nothing_to_pay", place=asked.place or "")
    if asked.place not in {None, state.due}:
        return refuse(step, "2(c)", "not_the_place_due", place=asked.place, due=state.due)
    paid = replace(state, paid=(*state.paid, state.due))
    following = next_place(paid, step.rules)
    if following is None:
        return settle(step, paid)
    if banker_outcome(key_of_place(paid, paid.banker.place)) is not None:
        return replace(paid, due=following), ()
    return replace(paid, due=following, phase=after(paid.phase, Cause.NEXT_PLACE)), ()


def is_newly_due(before: ChineseDice, state: ChineseDice) -> bool:
    """Return True if a place is to be paid or collected that wasn't before."""
    if state.phase is not Phase.PAYING:
        return False
    return before.phase is not Phase.PAYING or (before.round_id, before.due) != (state.round_id, state.due)


def part_settled(state: ChineseDice, rules: ChineseDiceRules) -> Effects:
    """Announce the results of the place that is due.

    Its bets are paid and collected before the next place throws.

    Rule: 108/89/M art. 2(c), 4(c), 5.
    """
    *_, due = settled_places(state, (*state.paid, state.due), rules)
    bets = tuple(
        PartBet(
            due.place,
            each.bet.bettor,
            format_money(each.bet.stake),
            each.outcome.value,
            format_money(each.net),
            format_money(each.commission),
            covered=format_money(each.covered),
        )
        for each in due.bets
    )
    return announce(PartSettled(state.round_id, "chinese_dice", due.place, bets))


def next_place(state: ChineseDice, rules: ChineseDiceRules) -> int | None:
    """Return the next place with something to decide.

    It is None once all are paid, or the bank has won or lost all it may.

    Rule: 108/89/M art. 2(a), 2(c), 4(c); readings 2 and 7.
    """
    if bank_now(state, rules).room <= 0:
        return None
    return next((place for place in places_in_order(state) if place not in state.paid), None)


def places_in_order(state: ChineseDice) -> tuple[int, ...]:
    """The places with bets against the banker, counter-clockwise from their right.

    Rule: 108/89/M art. 2(a); reading 2.
    """
    places = {int(bet.place) for bet in named(state, BetName.PLACE)}
    return tuple(sorted(places, key=lambda place: steps_from(state.banker.place, place)))


def bank_now(state: ChineseDice, rules: ChineseDiceRules) -> Bank:
    """The bank as the places paid so far have left it."""
    return next((paid.bank for paid in reversed([*settled_places(state, state.paid, rules)])), whole_bank(state))


def whole_bank(state: ChineseDice) -> Bank:
    """All capital on the table, before the first place.

    Rule: 108/89/M art. 4(c), 4(e).
    """
    return Bank(own_layer(state) + state.casino + sum(bet.stake for bet in named(state, BetName.BANK)))


def own_layer(state: ChineseDice) -> int:
    """Return the banker's layer: their capital and the money of their associates.

    Rule: 108/89/M art. 4(e); reading 8.
    """
    return state.banker.capital + sum(bet.stake for bet in named(state, BetName.ASSOCIATE))


def settled_places(state: ChineseDice, places: tuple[int, ...], rules: ChineseDiceRules) -> Iterator[Paid]:
    """These places, each settled against what the ones before have left of the bank.

    Rule: 108/89/M art. 4(c), 5; reading 7.
    """
    bank, banker = whole_bank(state), key_of_place(state, state.banker.place)
    for place in places:
        outcome = place_outcome(banker, key_of_place(state, place) or None)
        bank, bets = settle_place(bank, stakes_at(state, place), outcome, rules)
        yield Paid(place, bets, bank)


def key_of_place(state: ChineseDice, place: int) -> int:
    """Return the key of a place's last throw.

    It is `INDECISIVE` where there is none or it doesn't count.
    """
    return key_of_last(throws_of(state, place))


def key_of_last(throws: Throws) -> int:
    """The key of the last of these throws."""
    last = throws[-1] if throws else None
    return INDECISIVE if last is None else rank_throw(last)


def settle(step: Step, state: ChineseDice) -> Outcome:
    """Settle all bets and all layers of the bank, and count the banker's round.

    The capital that the banker has to leave is fixed too.

    Rule: 108/89/M art. 4(c), 4(d), 5, 7(b); readings 6, 7, 9, 10 and 14.
    """
    played = played_round(state)
    event = Settled(
        round_id=state.round_id,
        game="chinese_dice",
        rules={},
        round=dict(shapes.write_round(played)),
        settlement=shapes.settlement_form(played, step.rules),
        rules_version=step.rules.version,
        opened=utc_text(state.opened_us),
        settled=utc_text(step.fact.at.utc_us),
        irregularities=state.irregularities,
    )
    return cleared(_after_the_round(state, step.rules), Cause.SETTLED), announce(event)


def played_round(state: ChineseDice) -> Round:
    """The round in the form of its settlement."""
    banker = state.banker
    holder = settlement.Banker(banker.place, banker.bettor, own_layer(state), throws_of(state, banker.place))
    partners = tuple(settlement.Bet(bet.bettor, bet.stake) for bet in named(state, BetName.BANK))
    places = tuple(
        settlement.Place(place, stakes_at(state, place), throws_of(state, place)) for place in places_in_order(state)
    )
    return Round(holder, state.casino, partners, places)


def _after_the_round(state: ChineseDice, rules: ChineseDiceRules) -> ChineseDice:
    """Return the state that fixes the next holder of the bank and their capital.

    A banker who won leaves their own capital and winnings, net of commission, within their turn of two rounds; any
    other is free, and states it anew.

    Rule: 108/89/M art. 4(a), 4(b), 4(d); readings 9, 10, 14, 15, 18, 20 and 21.
    """
    banker, before = state.banker, state.tenure
    own = share_out(played_round(state), bank_now(state, rules).result, rules)[0]
    rounds = before.rounds + 1 if before.place == banker.place else 1
    won = own_part(state, own.amount, own.net) - banker.capital
    tenure = banking.left_on(Tenure(banker.place, banker.bettor, rounds, 0, banker.capital, won, state.round_id))
    return replace(
        state,
        banker=Banker(banker.place, banker.bettor, tenure.least),
        tenure=tenure,
        played=tuple(sorted({bet.bettor for bet in state.bets})),
        declined=(),
    )


def own_part(state: ChineseDice, amount: int, net: int) -> int:
    """Return what the banker leaves of the capital layer.

    It is their capital, and of the layer's net gain their part, rounded down.

    Rule: 108/89/M art. 4(d), 4(e); reading 20.

    Args:
        amount: the money of the whole layer, associates' included, in hundredths.
        net: what the layer won, net of commission, in hundredths.
    """
    return state.banker.capital + net * state.banker.capital // amount


def stakes_at(state: ChineseDice, place: int) -> tuple[settlement.Bet, ...]:
    """The bets of a place as settlement takes them, in the order placed."""
    return tuple(settlement.Bet(bet.bettor, bet.stake) for bet in bets_at(state, place))
