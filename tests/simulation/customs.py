"""What comes up at every table now and then, beside the plain course of a round; the dealer tells the table of it."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from tests.simulation.hall import IDLE, Hall
from tests.simulation.history import Form

CUSTOMS: Final = "customs"
"""This kind of accidents' name."""

TOO_MUCH: Final = "90000000"
FIRST_RATE: Final = 0.2
"""What hasn't come up yet does so sooner."""

NAMES: Final = (
    "did not decide",
    "did not shake",
    "did not show",
    "did not throw",
    "foreign card",
    "material named",
    "place paid",
    "round without bets",
    "same bets again",
    "stake over the limit",
)
"""All that comes up."""

MATERIALS: Final = {"dice": "dice", "shoe": "shoe", "shuffler": "pack"}
"""What a table with such a device can name."""

Way = tuple[str, str, Form]
"""What it is, and the request with its fields."""


@dataclass(slots=True)
class Customs:
    """Whatever came up, by what the table shows.

    Attributes:
        rate: how often something comes up before the dealer's next step.
        bettors: who has bet at this table.
        come: what has come up already.
    """

    hall: Hall
    chance: random.Random
    rate: float = 0.0
    bettors: set[str] = field(default_factory=set[str])
    come: set[str] = field(default_factory=set[str])

    async def come_up(self, sight: Form, *, calm: bool) -> bool:
        """Whether something came up that the table was told of; in calm only what has to be put right."""
        self.bettors |= {bet["bettor"] for bet in sight["round"]["bets"]}
        unfit = [each["kind"] for each in sight["materials"] if not each["fit"] and sight["phase"] == IDLE]
        if not unfit and (calm or not self.rate):
            return False
        ways = [self._named(kind) for kind in unfit] or [*self._ways(sight)]
        names = sorted({way[0] for way in ways})
        rate = FIRST_RATE if {*names} - self.come else self.rate
        if not names or (not unfit and self.chance.random() >= rate):
            return False
        name = self.chance.choice([*sorted({*names} - self.come)] or names)
        _, verb, fields = self.chance.choice([way for way in ways if way[0] == name])
        person = self.hall.supervisor if name == "foreign card" else self.hall.dealer
        said = await person.ask(sight, verb, **fields)
        if said is not None and said.accepted != (name == "stake over the limit"):
            self.hall.history.fault(name)
            self.come.add(name)
        return True

    def _ways(self, sight: Form) -> Iterator[Way]:
        table = sight["round"]
        match sight["phase"]:
            case "idle":
                for device in sight["devices"]:
                    if kind := MATERIALS.get(device["name"]):
                        yield self._named(kind)
            case "betting":
                yield from self._while_betting(table)
            case "paying":
                for due in sight["payment"][:1]:
                    for place in sorted({line["place"] for line in due["bets"]}, key=str):
                        yield "place paid", "pay_place", {"place": place}
            case _:
                yield from self._left_undone(sight["phase"], table)

    def _named(self, kind: str) -> Way:
        return "material named", "name_material", {"kind": kind, "name": f"{kind}-{self.chance.randrange(100)}"}

    def _while_betting(self, table: Form) -> Iterator[Way]:
        if not table["bets"]:
            yield "round without bets", "end_round", {}
        for bettor in sorted(self.bettors):
            yield "same bets again", "repeat_bets", {"bettor": bettor}
        for bet in table["bets"][:1]:
            named = {name: bet[name] for name in ("place", "bettor", "bet")}
            yield "stake over the limit", "bet", {**named, "stake": TOO_MUCH}
        if table.get("shaker"):
            yield _undone("did_not_shake")

    def _left_undone(self, phase: str, table: Form) -> Iterator[Way]:
        shut = [hand["place"] for hand in table.get("hands", ()) if not hand["opened"]]
        bets = [bet for bet in table["bets"] if bet["place"] in shut]
        match phase:
            case "deciding":
                for bet in table["bets"]:
                    if bet["bet"] == "versus_dealer" and not bet["decision"]:
                        yield _undone("did_not_decide", place=bet["place"], bettor=bet["bettor"])
            case "throwing":
                yield _undone("did_not_throw")
            case "comparing" | "looking" | "opening":
                for bet in bets:
                    yield _undone("did_not_show", place=bet["place"], bettor=bet["bettor"])
            case _:
                pass
        if phase in {"opening", "deciding", "players_setting"} and self.chance.random() < 0.3:
            yield "foreign card", "declare_irregularity", {"kind": "foreign_card", "place": "", "bettor": ""}


def _undone(kind: str, **whose: Any) -> Way:
    return kind.replace("_", " "), "declare_irregularity", {"kind": kind, "place": "", "bettor": "", **whose}
