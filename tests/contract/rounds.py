"""The messages of one round together: its course, its money, and what may be known of its cards."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from tests.contract import form as f
from tests.contract.form import Form

Bet = tuple[str, int, str]
"""Bettor, place and bet."""

ENDS = frozenset({"round.settled", "round.void"})
NEVER_STRUCK = ENDS | {"round.opened", "round.amended", "round.corrected", "round.paid", "bet.refused"}
"""Events of a round that an amendment leaves as they are."""


@dataclass(slots=True)
class Round:
    """A round as a subscriber knows it so far.

    Args:
        public: the cards that were named, each with the time at which the first event that does so was stored.
    """

    opened: Form
    places: list[int]
    bets: dict[Bet, Decimal] = field(default_factory=dict[Bet, Decimal])
    closed: bool = False
    hands: dict[Any, list[str]] = field(default_factory=dict[Any, list[str]])
    public: dict[str, str] = field(default_factory=dict[str, str])
    dead: set[Any] = field(default_factory=set[Any])
    decisions: dict[Bet, str] = field(default_factory=dict[Bet, str])
    articles: list[str] = field(default_factory=list[str])
    voided_by: str = ""
    ended: bool = False
    ending: str = ""
    nets: Counter[str] = field(default_factory=Counter[str])
    events: list[tuple[str, Form]] = field(default_factory=list[tuple[str, Form]])


def amended(round_: Round, data: Form) -> tuple[Round, list[str]]:
    """The round without the events that an amendment strikes, and what is wrong with that.

    A round that was over is open until its correction comes.
    """
    own = [(kind, event) for kind, event in round_.events if _can_be_struck(kind)]
    ids = [event["id"] for _, event in own]
    kept = len(ids) - len(data["amends"])
    wrong = [] if data["amends"] == ids[kept:] else ["amends isn't all of the round's own events from one of them on"]
    anew = Round(round_.opened, round_.places, public=round_.public, ending=round_.ending, nets=round_.nets)
    for kind, event in own[: max(kept, 0)]:
        wrong += complaints_in_round(anew, kind, event)
    return anew, wrong


def _can_be_struck(kind: str) -> bool:
    return kind.startswith(("round.", "bet.", "card.")) and kind not in NEVER_STRUCK


def complaints_in_round(round_: Round, kind: str, event: Form) -> Iterator[str]:
    """What is wrong with the round's next event; the round has taken it in afterwards."""
    if round_.ended and kind not in {"round.corrected", "round.paid", "audit.override"}:
        yield "the round has ended already"
        return
    round_.events.append((kind, event))
    if kind in _STEPS:
        yield from _STEPS[kind](round_, event["data"], event)
    hidden = f.cards_named(event["data"]) - round_.public.keys()
    if hidden:
        yield f"names cards that nobody has seen: {sorted(hidden)}"


def _placed(round_: Round, data: Form, _event: Form) -> Iterator[str]:
    if round_.closed:
        yield "a bet after the end of betting"
    if data["place"] not in round_.places:
        yield "a bet on a place that the round doesn't have"
    bet = data["bettor"], data["place"], data["bet"]
    round_.bets[bet] = round_.bets.get(bet, Decimal()) + Decimal(data["stake"])


def _withdrawn(round_: Round, data: Form, _event: Form) -> Iterator[str]:
    laid = round_.bets.pop((data["bettor"], data["place"], data["bet"]), None)
    if round_.closed or laid != Decimal(data["stake"]):
        yield "more or less is withdrawn than lies there"


def _closed(round_: Round, data: Form, _event: Form) -> Iterator[str]:
    if round_.closed:
        yield "betting closes twice"
    round_.closed = True
    if Decimal(data["total_stakes"]) != sum(round_.bets.values()):
        yield "total_stakes isn't the sum of the bets"


def _dealt(round_: Round, data: Form, _event: Form) -> Iterator[str]:
    if not round_.closed:
        yield "a card before the end of betting"
    if data["index"] < 1 or data["place"] not in {"dealer", *round_.places}:
        yield "a card at no place"
    if set(data) != {"round_id", "place", "index"}:
        yield "a dealt card says more than where it lies"


def _exposed(round_: Round, data: Form, event: Form) -> Iterator[str]:
    if data["place"] in round_.dead or len(data["cards"]) > 1:
        yield "a dead hand's card, or more than one, is named"
    _name(round_, event)
    yield from ()


def _revealed(round_: Round, data: Form, event: Form) -> Iterator[str]:
    cards, place = data["cards"], data["place"]
    if len(set(cards)) != 3 or any(set(cards) & set(other) for other in round_.hands.values()):
        yield "a hand isn't three cards of its own"
    if place in round_.hands or place in round_.dead:
        yield "a hand is revealed that is dead or was already"
    if place != "dealer" and all(bet[1] != place for bet in round_.bets):
        yield "a hand is revealed that nobody bet on"
    if "dealer" in round_.hands or (place == "dealer" and set(_undecided(round_)) - set(round_.decisions)):
        yield "the dealer's hand comes last, after every decision"
    round_.hands[place] = cards
    _name(round_, event)


def _name(round_: Round, event: Form) -> None:
    for card in event["data"]["cards"]:
        round_.public.setdefault(card, event["recordedtime"])


def _decided(round_: Round, data: Form, _event: Form) -> Iterator[str]:
    bet = data["bettor"], data["place"], "versus_dealer"
    if bet not in round_.bets or bet in round_.decisions or "dealer" in round_.hands:
        yield "nothing is to be decided"
    if data["place"] not in round_.hands:
        yield "a decision before the hand is open"
    round_.decisions[bet] = data["decision"]


def _irregular(round_: Round, data: Form, _event: Form) -> Iterator[str]:
    round_.articles.append(data["article"])
    if round_.voided_by:
        yield "an irregularity in a void round"
    if data["consequence"] == "round_void":
        round_.voided_by = data["article"]
    if data["consequence"] == "hand_void":
        round_.dead.add(data["place"])


def _settled(round_: Round, data: Form, event: Form) -> Iterator[str]:
    round_.ended = True
    if round_.voided_by:
        yield "a void round is settled"
    if data["irregularities"] != round_.articles:
        yield "irregularities aren't those of the round"
    if (data["opened"], data["settled"]) != (round_.opened["time"], event["time"]):
        yield "opened and settled aren't the times of the events"
    if (data["game"], data["rules_version"]) != tuple(round_.opened["data"][key] for key in ("game", "rules_version")):
        yield "game or rules aren't those of the opening"
    yield from _played(round_, data["round"])
    yield from _money(round_, data["settlement"])
    bets = [bet for place in data["settlement"]["places"] for bet in place["bets"]]
    _add(round_.nets, ((bet["bettor"], bet["net"]) for bet in bets))
    round_.ending = event["id"]


def _played(round_: Round, played: Form) -> Iterator[str]:
    hands = {"dealer": played["dealer"], **{place["place"]: place["cards"] for place in played["places"]}}
    if hands != round_.hands:
        yield "the hands aren't those that were revealed"
    bets = [(bet["bettor"], place["place"], bet["bet"], bet) for place in played["places"] for bet in place["bets"]]
    if sorted((*name, Decimal(bet["stake"])) for *name, bet in bets) != _stakes(round_):
        yield "the stakes aren't those that were laid"
    decided = {(bettor, place, name): bet["decision"] for bettor, place, name, bet in bets if "decision" in bet}
    if decided != round_.decisions:
        yield "the decisions aren't those that were declared"


def _money(round_: Round, settlement: Form) -> Iterator[str]:
    bets = [(bet["bettor"], place["place"], bet["bet"], bet) for place in settlement["places"] for bet in place["bets"]]
    if sorted((*name, Decimal(bet["stake"])) for *name, bet in bets) != _stakes(round_):
        yield "not every stake is settled once"
    for _bettor, _place, _name, bet in bets:
        if not (f.amount(bet["net"]) and bet["commission"] == "0.00" and _fits(bet)):
            yield f"net and commission don't fit the outcome: {bet}"


def _fits(bet: Mapping[str, str]) -> bool:
    net, stake = Decimal(bet["net"]), Decimal(bet["stake"])
    signs = {"win": net > 0, "lose": net == -stake, "push": net == 0, "half_lost": -stake < net < 0}
    return signs.get(bet["outcome"], False)


def _corrected(round_: Round, data: Form, event: Form) -> Iterator[str]:
    if data["corrects"] != round_.ending:
        yield "corrects isn't the event that ended the round, or its last correction"
    round_.ending = event["id"]
    _add(round_.nets, ((change["bettor"], change["amount"]) for change in data["changes"]))
    settlement = data["settlement"]
    nets = {each["bettor"]: _hundredths(each["net"]) for each in settlement["bettors"]}
    if nets != round_.nets:
        yield "the corrected settlement isn't the one before with the changes"
    if not data["by_hand"]:
        round_.ended = True
        yield from _played(round_, data["round"])
        yield from _money(round_, data["result"])
    if sum(nets.values()) + _hundredths(settlement["house"]) != 0:
        yield "the corrected settlement doesn't sum to nothing"


def _add(nets: Counter[str], changes: Iterable[tuple[str, str]]) -> None:
    for bettor, amount in changes:
        nets[bettor] += _hundredths(amount)


def _hundredths(amount: str) -> int:
    return int(Decimal(amount) * 100)


def _void(round_: Round, data: Form, event: Form) -> Iterator[str]:
    round_.ended, round_.ending = True, event["id"]
    if data["article"] != (round_.voided_by or "table"):
        yield "the article isn't that of the irregularity"
    returned = sorted((item["bettor"], item["place"], item["bet"], Decimal(item["stake"])) for item in data["returned"])
    if returned != _stakes(round_):
        yield "not every stake is returned once"


def _stakes(round_: Round) -> list[tuple[str, int, str, Decimal]]:
    return sorted((*bet, stake) for bet, stake in round_.bets.items())


def _undecided(round_: Round) -> list[Bet]:
    return [bet for bet in round_.bets if bet[2] == "versus_dealer"]


_STEPS: Mapping[str, Callable[[Round, Form, Form], Iterator[str]]] = {
    "bet.placed": _placed,
    "bet.withdrawn": _withdrawn,
    "round.betting_closed": _closed,
    "card.dealt": _dealt,
    "card.exposed": _exposed,
    "round.revealed": _revealed,
    "round.decided": _decided,
    "round.irregular": _irregular,
    "round.settled": _settled,
    "round.void": _void,
    "round.corrected": _corrected,
}
