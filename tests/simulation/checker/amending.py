"""Amendments: what was put right counts, everywhere, and nobody puts right alone what takes another's word."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tablectl.rule_tables import game_record
from tests.referee.comparing import GAMES, same
from tests.referee.forms import RefusedError, read_json
from tests.simulation.checker.case import Case, Lines, kind_of
from tests.simulation.checker.rounds import BANK, bet_of, cents, settled_bets
from tests.simulation.history import EventRow, Form

SUPERVISORS: Final = frozenset({"rui"})
REPORTS: Final = frozenset({"card_drawn", "packet_delivered", "dice_thrown", "spin_stopped", "draw_committed"})
"""The facts that devices report."""

SHOWN: Final = 20
"""How many results a board has."""


@dataclass(slots=True)
class Round:
    """A round as whoever reads the events in order has it.

    Attributes:
        events: those that count, by id.
        end: the data of what ended it; None while it is open.
    """

    events: dict[str, Form] = field(default_factory=dict[str, Form])
    end: Form | None = None

    def take(self, form: Form) -> None:
        """Reads one more event."""
        kind, data = kind_of(form), form["data"]
        match kind:
            case "round.amended":
                for struck in data["amends"]:
                    self.events.pop(struck, None)
            case "round.reopened":
                self.end = None
            case "round.settled" | "round.void":
                self.end = data
            case "round.corrected" if not data["by_hand"]:
                self.end = data
            case _:
                self.events[form["id"]] = form

    def of(self, *kinds: str) -> list[Form]:
        """What the events of these kinds say."""
        return [form["data"] for form in self.events.values() if kind_of(form) in kinds]


def _read(case: Case) -> Iterator[tuple[EventRow, Form, Round, dict[str, Round]]]:
    """Each event of a round, the round before it, and all rounds."""
    rounds: dict[str, Round] = {}
    for row, form in zip(case.final.events, case.events, strict=True):
        name = form["data"].get("round_id")
        if name is None or kind_of(form).startswith(("fault.", "audit.")):
            continue
        known = rounds.setdefault(name, Round())
        yield row, form, known, rounds
        known.take(form)


def amended_counts(case: Case) -> Lines:
    """An amendment says what was asked for, and what it says stands; each round is settled as it stands."""
    rounds: dict[str, Round] = {}
    said: dict[str, dict[int, Form]] = {}
    for row, form, _, rounds in _read(case):  # noqa: B007  # the last ones are looked at below
        if kind_of(form) != "round.amended":
            continue
        data, fact = form["data"], case.facts[row.record - 1]
        asked = fact["body"]["changes"]
        if len(asked) != len(data["changes"]):
            made = len(data["changes"])
            yield f"{data['round_id']}: {len(asked)} changes were asked for, {made} made (event {row.sequence})"
        newest = said.setdefault(data["round_id"], {})
        newest.update({each["record"]: each for each in data["changes"] if each["record"] is not None})
        for again in data["asks_again"]:
            newest.pop(again["record"], None)
    for name, known in rounds.items():
        yield from (f"{name}: {line}" for line in _not_so(known, said.get(name, {}).values()))


def _not_so(known: Round, said: Any) -> Iterator[str]:
    for each in said:
        if (
            each["now"] is not None
            and (looks := STANDS.get(each["verb"])) is not None
            and not looks(known, each["now"])
        ):
            yield f"record {each['record']} was put right to {each['now']}, and doesn't stand so"
    bettors = {(bet["place"], bet["bettor"]) for bet in known.of("bet.placed")}
    for decided in known.of("round.decided"):
        if decided["decision"] in {"play", "withdraw"} and (decided["place"], decided["bettor"]) not in bettors:
            yield f"{decided['bettor']} decides at place {decided['place']} without a bet"
    yield from _settled_otherwise(known)


def _bet_stands(known: Round, now: Form) -> bool:
    wanted = bet_of(now), cents(now["stake"])
    return any((bet_of(bet), cents(bet["stake"])) == wanted for bet in known.of("bet.placed"))


def _decision_stands(known: Round, now: Form) -> bool:
    return any(all(decided[name] == now[name] for name in now) for decided in known.of("round.decided"))


def _hand_stands(known: Round, now: Form) -> bool:
    revealed = known.of("round.revealed")
    return any(hand["place"] == now["place"] and {*hand["cards"]} >= {*now["cards"]} for hand in revealed)


def _throw_stands(known: Round, now: Form) -> bool:
    return any(throw["dice"] == now["dice"] for throw in known.of("dice.thrown", "dice.cast"))


STANDS: Final[Mapping[str, Callable[[Round, Form], bool]]] = {
    "bet": _bet_stands,
    "decide": _decision_stands,
    "open_hand": _hand_stands,
    "dice": _throw_stands,
}
"""How what an amendment says of a fact shows among the events that count."""


def _settled_otherwise(known: Round) -> Iterator[str]:
    """What a second settlement, written from the law alone, makes of the round otherwise."""
    end = known.end
    if end is None or "game" not in end or end["game"] is None:
        return
    result = end["result"] if "result" in end else end["settlement"]
    if end["game"] not in GAMES:  # a game without a second implementation
        return
    try:
        ruled = GAMES[end["game"]].settle(read_json(json.dumps(end["round"])), end.get("rules") or {})
    except RefusedError as refused:
        ruled = {"error": {"path": refused.path}}
    if not same({**result, "line": 1}, {**ruled, "line": 1}):
        yield f"settled as {result}, and the law has {ruled}"
    if "result" in end:
        yield from _wrong_nets(known, end)


def _wrong_nets(known: Round, end: Form) -> Iterator[str]:
    """Bettors of a corrected round whose money isn't what the result gives them; a banker's has other parts."""
    banks = {bet["bettor"] for bet in known.of("bet.placed") if bet["bet"] in BANK}
    nets = Counter[str]()
    for bet in settled_bets(end["result"]):
        nets[bet["bettor"]] += cents(bet["net"])
    given = {each["bettor"]: cents(each["net"]) for each in end["settlement"]["bettors"]}
    for bettor, net in nets.items():
        if bettor not in banks and given.get(bettor, 0) != net:
            yield f"{bettor} has {given.get(bettor, 0)} hundredths after the correction, and the result gives {net}"


def only_who_may_amends(case: Case) -> Lines:
    """A round that is over takes two persons; a report, and all that can be seen already, a supervisor."""
    for row, form, before, _ in _read(case):
        if kind_of(form) != "round.amended":
            continue
        data = form["data"]
        persons = {data["by"], data["second"]} - {None}
        supervised = bool(persons & SUPERVISORS)
        if before.end is not None and not (supervised and len(persons) > 1):
            yield f"{data['round_id']} was over, and {persons} amended it (event {row.sequence})"
        elif not supervised and (_outcome_seen(before) or _states_a_report(case, data["changes"])):
            yield f"{data['by']} alone amended {data['round_id']} (event {row.sequence})"


def _outcome_seen(known: Round) -> bool:
    """Whether a card that a player has, a spin, or a banker's throw that decides can be seen."""
    if known.of("round.revealed") or any(
        dealt["index"] == 3 for dealt in known.of("card.dealt") if _is_football(known)
    ):
        return True
    return any(throw["combination"] for throw in known.of("dice.thrown"))


def _is_football(known: Round) -> bool:
    return any(opened["game"] == "football_poker" for opened in known.of("round.opened"))


def _states_a_report(case: Case, changes: Sequence[Form]) -> bool:
    return any(
        case.facts[each["record"] - 1]["fact"] in REPORTS and (each["now"] is None or _without_lies(each))
        for each in changes
        if each["record"] is not None
    )


def _without_lies(change: Form) -> bool:
    """Whether more than the place of a card is another now."""
    was, now = ({**form, "lies": None} for form in (change["was"] or {}, change["now"]))
    return was != now


def boards_follow(case: Case) -> Lines:
    """The last board has the results of the rounds that were settled, as they count at the end."""
    boards = [form["data"] for message, form in case.said if message.topic.endswith("/board") and form]
    rounds: dict[str, Round] = {}
    for _, _, _, rounds in _read(case):  # noqa: B007  # the last ones
        pass
    ended = [(name, known.end) for name, known in sorted(rounds.items()) if known.end is not None]
    due = [(name, _result(end)) for name, end in ended if end.get("game") is not None][-SHOWN:]
    shown = [(each["round_id"], each["result"]) for each in boards[-1]["last"]] if boards else []
    if shown != due:
        yield f"the board shows {shown}, and {due} were the results"


def _result(end: Form) -> str:
    """What a board calls the result: as told here, or by the record of a game that isn't."""
    if (told := RESULTS.get(end["game"])) is not None:
        return told(end)
    return game_record(end["game"]).result({"settlement": _settlement(end), "round": end["round"]})


def _settlement(end: Form) -> Form:
    return dict(end["result"] if "result" in end else end["settlement"])


RESULTS: Final[Mapping[str, Callable[[Form], str]]] = {
    "q_poker": lambda end: str(_settlement(end)["dealer"]["hand"]),
    "football_poker": lambda end: "{series}_{combination}".format(**end["round"]["draw"]),
    "wheel_of_fortune": lambda end: f"symbol_{end['round']['spin']['symbol']}",
    "chinese_dice": lambda end: str(_settlement(end)["banker"]["combination"]),
    "thirteen_cards": lambda end: str(_settlement(end)["banker"]["natural"] or "no_natural"),
}
"""What a board calls the result of a round."""
