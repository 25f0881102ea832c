"""Step of a game by one fact: the input of its rules, and common outcomes."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, ClassVar, Final, Generic, Protocol, TypeVar, get_args

from tablectl.core.bets.payments import with_paid
from tablectl.core.bets.stakes import Bets, returned
from tablectl.core.cards import Place
from tablectl.core.effects import Effects, Refuse, announce, refusal
from tablectl.core.events.round import Consequence, Irregular, Voided
from tablectl.core.events.text import saying
from tablectl.core.facts import Body, Fact
from tablectl.core.facts.table_requests import FaultAcknowledged, MaterialNamed, Request, RoundCorrected, RoundVoided
from tablectl.core.table import Table, device, entry, stopping_fault
from tablectl.lazy_dataclass import dataclass, replace

S = TypeVar("S")
T = TypeVar("T")
R = TypeVar("R")

Outcome = tuple[S, Effects]
"""The game's state after a step, and what follows."""

ABOUT_ANY_GAME: Final = (FaultAcknowledged, MaterialNamed, RoundCorrected)
"""The requests that the table answers itself, whatever its game and its round."""


class RoundState(Protocol):
    """Fields about the round that every game's state has, a frozen dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def round_id(self) -> str:
        """The round in being, or the last one."""
        ...

    @property
    def irregularities(self) -> tuple[str, ...]:
        """The articles of what went wrong so far."""
        ...


G = TypeVar("G", bound=RoundState)


class HouseRule(StrEnum):
    """The house's rule for somebody who doesn't act, where the law is silent."""

    ASK_AGAIN = "ask_again"
    NEXT_HIGHEST = "next_highest"
    PLAYS = "plays"
    DEALER_OPENS = "dealer_opens"


@dataclass(frozen=True, slots=True)
class Step(Generic[S, T, R]):
    """Input of a step: game, table before it, fact, settings and rules that hold."""

    game: str
    table: Table[S]
    fact: Fact
    settings: T
    rules: R

    @property
    def state(self) -> S:
        """The game's state before the step."""
        return self.table.game

    @property
    def who(self) -> str:
        """The person behind the fact, or both of them, or its source."""
        return ", ".join(filter(None, (self.fact.by or self.fact.source, self.fact.second)))

    def attached(self, name: str) -> bool:
        """Return True if the table has a device of this name and it is attached."""
        return bool(name) and device(self.table, name).attached


Rules = Mapping[type[Body], Callable[[Any, Any], Outcome[S]]]
"""A game's dispatch table: the rule that answers each type of fact. A rule takes the step and the fact's body."""


def apply_rule(rules: Rules[S], step: Step[S, T, R]) -> Outcome[S]:
    """Apply the rule for the step's fact.

    Where the game has none, a request is refused and what a device or the table reports leaves the state as it is.
    """
    body = step.fact.body
    if (rule := rules.get(type(body))) is not None:
        return rule(step, body)
    if isinstance(body, get_args(Request)) and not isinstance(body, ABOUT_ANY_GAME):
        return refuse(step, "table", "not_played_here")
    return step.state, ()


def then(effects: Effects, outcome: Outcome[S]) -> Outcome[S]:
    """The outcome, after these effects."""
    state, more = outcome
    return state, effects + more


def refuse(step: Step[S, T, R], article: str, code: str, **values: object) -> Outcome[S]:
    """The state unchanged, and a refusal for the requester.

    Args:
        article: the article that forbids it, or `"table"`.
    """
    return step.state, (refusal(step.game, article, code, **values),)


def irregular(
    step: Step[G, T, R],
    state: G,
    article: str,
    code: str,
    place: Place | None = None,
    consequence: Consequence = Consequence.CONTINUES,
    bettor: str = "",
    **values: object,
) -> Outcome[G]:
    """The irregularity noted in the round, and published with its article.

    Args:
        bettor: who is meant; empty where nobody is.
        values: what its text names besides the place.
    """
    text = saying(f"irregular.{step.game}.{code}", place=place or "", **values)
    event = Irregular(state.round_id, article, code, text, consequence, place, step.fact.by, bettor)
    return replace(state, irregularities=(*state.irregularities, article)), announce(event)


def left_undone(
    step: Step[G, T, R],
    state: G,
    setting: str,
    code: str,
    place: Place,
    bettor: str,
    follows: HouseRule | None = None,
) -> Outcome[G]:
    """Record that somebody doesn't act, and what follows by the house's rule.

    Args:
        setting: the setting that is the rule.
        follows: what follows here, where the rule can't be followed.
    """
    rule: HouseRule = getattr(step.settings, setting)
    text = saying(f"irregular.{step.game}.{code}", place=place)
    consequence, source = Consequence((follows or rule).value), f'{setting} = "{rule.value}"'
    event = Irregular(state.round_id, "table", code, text, consequence, place, step.fact.by, bettor, source)
    return replace(state, irregularities=(*state.irregularities, "table")), announce(event)


def voided(step: Step[G, T, R], state: G, article: str, reason: str, bets: Bets) -> Effects:
    """Announce a round that ended without a result, for this reason.

    Every stake is returned.
    """
    event = Voided(state.round_id, reason, article, step.who, returned(bets))
    return announce(with_paid(event, step.table.payments))


def end_without_bets(step: Step[S, T, R], bets: Bets, void: Callable[[Any, RoundVoided], Outcome[S]]) -> Outcome[S]:
    """A round that nobody has bet in is over, without a result.

    Args:
        void: the game's rule that voids a round.
    """
    return refuse(step, "table", "bets_placed") if bets else void(step, RoundVoided("no_bets"))


def fault_forbids(table: Table[S], game: str) -> Refuse | None:
    """The refusal of a round or a bet while a fault stands that lets none begin."""
    if (fault := stopping_fault(table)) is None:
        return None
    return refusal(game, "table", "fault_stands", fault=entry(fault.code).key, number=fault.code)
