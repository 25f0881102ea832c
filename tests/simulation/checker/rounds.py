"""Rounds and money: each round ends once, and nothing is won that nobody lost."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from tests.simulation.checker.case import Case, Lines, kind_of
from tests.simulation.history import EventRow, Form

BANK: Final = frozenset({"capital", "casino", "associate"})
"""What is laid down to hold the bank, not against it."""


def money_is_conserved(case: Case) -> Lines:
    """Every stake that was laid is settled or given back, once; what is won is lost by somebody."""
    laid: dict[str, Counter[Bet]] = defaultdict(Counter)
    for row, form in zip(case.final.events, case.events, strict=True):
        kind, data = kind_of(form), form["data"]
        match kind:
            case "bet.placed":
                laid[form["subject"]][_bet(data)] += cents(data["stake"])
            case "bet.withdrawn":
                laid[form["subject"]][_bet(data)] = 0
            case "round.settled":
                yield from _settled(row, data, _without_nothing(laid[form["subject"]]))
            case "round.void":
                given = Counter[Bet]()
                for bet in data["returned"]:
                    given[_bet(bet)] += cents(bet["stake"])
                if given != _without_nothing(laid[form["subject"]]):
                    yield f"{form['subject']} is void, and not every stake was given back (event {row.sequence})"
            case _:
                pass


Bet = tuple[Any, str, str]
"""Place, bettor, bet."""


def _bet(form: Form) -> Bet:
    return form["place"], form["bettor"], form["bet"]


def _without_nothing(laid: Counter[Bet]) -> Counter[Bet]:
    return Counter({bet: stake for bet, stake in laid.items() if stake})


def cents(text: str) -> int:
    """A decimal string in hundredths."""
    return int(Decimal(text) * 100)


def _settled(row: EventRow, data: Form, laid: Counter[Bet]) -> Lines:
    name, settlement = data["round_id"], data["settlement"]
    settled = Counter[tuple[str, str]]()
    for bet in _bets(settlement):
        settled[bet["bettor"], bet.get("bet", "place")] += cents(bet["stake"])
        if (wrong := _wrong_net(bet)) is not None:
            yield f"{name}: {bet['bettor']} {wrong} (event {row.sequence})"
    wanted = Counter[tuple[str, str]]()
    for (_, bettor, name_of_bet), stake in laid.items():
        if name_of_bet not in BANK:
            wanted[bettor, name_of_bet] += stake
    if settled != wanted:
        yield f"{name}: the stakes that were settled aren't those that were laid (event {row.sequence})"
    if "bank" in settlement and (total := sum(_amounts(settlement))) != 0:
        yield f"{name} was settled {total} hundredths out of balance (event {row.sequence})"


def _bets(form: Any) -> Iterator[Form]:
    """The bets of a settlement, wherever they stand."""
    if isinstance(form, Mapping):
        if {"bettor", "stake", "net"} <= form.keys():
            yield dict(form)
        else:
            for value in form.values():
                yield from _bets(value)
    elif isinstance(form, list):
        for item in form:
            yield from _bets(item)


def _wrong_net(bet: Form) -> str | None:
    stake, net, commission = (
        cents(bet["covered"] if "covered" in bet else bet["stake"]),
        cents(bet["net"]),
        cents(bet["commission"]),
    )
    match bet["outcome"]:
        case "lose" if net != -stake or commission:
            return f"lost {bet['stake']} and has {bet['net']}"
        case "push" | "tie" if net or commission:
            return f"keeps {bet['stake']} and has {bet['net']}"
        case "win" if net <= 0 or commission < 0:
            return f"won and has {bet['net']}"
        case _:
            return None


def _amounts(form: Any) -> Iterator[int]:
    """Every net and every commission."""
    if isinstance(form, Mapping):
        for name, value in form.items():
            if name in {"net", "commission"}:
                yield cents(value)
            else:
                yield from _amounts(value)
    elif isinstance(form, list):
        for item in form:
            yield from _amounts(item)


def rounds_end_once(case: Case) -> Lines:
    """Every round that is opened ends once, settled or void, before the next is opened."""
    opened: str | None = None
    ended: set[str] = set()
    for _, form in case.kinds("round.opened", "round.settled", "round.void"):
        name = form["subject"]
        if kind_of(form) == "round.opened":
            if opened is not None:
                yield f"{name} was opened while {opened} was"
            opened = name
        elif name != opened:
            yield f"{name} ended {'again' if name in ended else 'without being open'}"
        else:
            ended.add(name)
            opened = None
    if opened is not None:
        yield f"{opened} never ended"


def something_happened(case: Case) -> Lines:
    """A run in which nothing was done or nothing went wrong proves nothing."""
    if not case.kinds("round.settled", "round.void"):
        yield "no round was played"
    if not case.history.faults:
        yield "nothing went wrong"


def program_is_sound(case: Case) -> Lines:
    """Nothing went wrong that nobody had arranged."""
    yield from case.history.errors[:3]
