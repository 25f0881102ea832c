"""Rounds and money: each round ends once, and nothing is won that nobody lost."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from tests.simulation.checker.case import Case, Lines, kind_of
from tests.simulation.history import EventRow, Form

BANK: Final = frozenset({"capital", "casino", "associate"})
"""What is laid down to hold the bank, not against it."""


def money_is_conserved(case: Case) -> Lines:
    """Every stake that was laid is settled or given back, once; what is won is lost by somebody."""
    bets: dict[str, dict[str, Form]] = defaultdict(dict)
    for row, form in zip(case.final.events, case.events, strict=True):
        data = form["data"]
        of_round = bets[str(data.get("round_id"))]
        match kind_of(form):
            case "bet.placed" | "bet.withdrawn":
                of_round[form["id"]] = form
            case "round.amended":
                for struck in data["amends"]:
                    of_round.pop(struck, None)
            case "round.settled":
                yield from _settled(row, data, laid_in(of_round.values()))
            case "round.void":
                yield from _given_back(row, data["round_id"], data["returned"], laid_in(of_round.values()))
            case "round.corrected" if data.get("void"):
                yield from _given_back(row, data["round_id"], data["void"]["returned"], laid_in(of_round.values()))
            case "round.corrected" if not data["by_hand"]:
                yield from _settled(row, {**data, "settlement": data["result"]}, laid_in(of_round.values()))
            case _:
                pass


def laid_in(events: Iterable[Form]) -> "Counter[Bet]":
    """The stakes that lie by these events."""
    laid = Counter[Bet]()
    for form in events:
        placed = kind_of(form) == "bet.placed"
        laid[bet_of(form["data"])] = laid[bet_of(form["data"])] + cents(form["data"]["stake"]) if placed else 0
    return Counter({bet: stake for bet, stake in laid.items() if stake})


def _given_back(row: EventRow, name: str, returned: Iterable[Form], laid: "Counter[Bet]") -> Lines:
    given = Counter[Bet]()
    for bet in returned:
        given[bet_of(bet)] += cents(bet["stake"])
    if given != laid:
        yield f"{name} is void, and not every stake was given back (event {row.sequence})"


Bet = tuple[Any, str, str]
"""Place, bettor, bet."""


def bet_of(form: Form) -> Bet:
    """What a bet is."""
    return form["place"], form["bettor"], form["bet"]


def cents(text: str) -> int:
    """A decimal string in hundredths."""
    return int(Decimal(text) * 100)


def _settled(row: EventRow, data: Form, laid: Counter[Bet]) -> Lines:
    name, settlement = data["round_id"], data["settlement"]
    settled = Counter[tuple[str, str]]()
    for bet in settled_bets(settlement):
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


def settled_bets(form: Any) -> Iterator[Form]:
    """The bets of a settlement, wherever they stand."""
    if isinstance(form, Mapping):
        if {"bettor", "stake", "net"} <= form.keys():
            yield dict(form)
        else:
            for value in form.values():
                yield from settled_bets(value)
    elif isinstance(form, list):
        for item in form:
            yield from settled_bets(item)


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
    """Every round that is opened ends once, settled or void, before the next is opened; one may be opened again."""
    opened: str | None = None
    ended: list[str] = []
    for _, form in case.kinds("round.opened", "round.settled", "round.void", "round.reopened"):
        name = form["subject"]
        match kind_of(form):
            case "round.opened" | "round.reopened" if opened is not None:
                yield f"{name} was opened while {opened} was"
                opened = name
            case "round.opened":
                opened = name
            case "round.reopened":
                if name != ended[-1]:
                    yield f"{name} was opened again after {ended[-1]}"
                opened = ended.pop()
            case _ if name != opened:
                yield f"{name} ended {'again' if name in ended else 'without being open'}"
            case _:
                ended.append(name)
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
