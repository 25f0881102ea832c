"""Every request that a Wheel of Fortune knows, and the layout of its table."""

from tablectl.core.actions.layout import (
    BetSpace,
    Candidate,
    Candidates,
    Declarable,
    Layout,
    Section,
    bet_on,
    chips_for,
    label,
    taken_back,
)
from tablectl.core.facts.game_requests import SpinConfirmed, SpinDeclared, SpinInvalidated
from tablectl.core.facts.table_requests import BettingClosed, IrregularityDeclared, RoundOpened
from tablectl.core.games.wheel_of_fortune.irregularities import ARTICLES, Kind
from tablectl.core.games.wheel_of_fortune.reading import article_of
from tablectl.core.games.wheel_of_fortune.rules import WheelOfFortuneRules
from tablectl.core.games.wheel_of_fortune.sections import BetName
from tablectl.core.games.wheel_of_fortune.spin_result import CALLED
from tablectl.core.games.wheel_of_fortune.state import Settings, WheelOfFortune


def candidates(state: WheelOfFortune, settings: Settings) -> Candidates:
    """Every request that the game knows, as it could be made now."""
    return (
        Candidate(RoundOpened()),
        *(bet_on(name, settings.limits) for name in BetName),
        *taken_back(state.bets, BetName.SYMBOL_1),
        Candidate(BettingClosed()),
        Candidate(SpinDeclared(3, 1), ("turns", "section")),
        Candidate(SpinConfirmed()),
        *(Candidate(SpinInvalidated(reason)) for reason in CALLED),
        *(Candidate(IrregularityDeclared(kind, 1), ("place", "bettor")) for kind in Kind),
    )


def layout(settings: Settings, rules: WheelOfFortuneRules) -> Layout:
    """The table and its wheel as rules and settings make them."""
    pays = rules.most_pays()
    return Layout(
        places=tuple(range(1, settings.places + 1)),
        bets=tuple(
            BetSpace(name, label("bet.wheel_of_fortune", name), settings.limits, {"": pays[name]}) for name in BetName
        ),
        chips=chips_for(settings.limits),
        irregularities=tuple(_declarable(kind) for kind in Kind),
        reasons=tuple(
            Declarable(SpinInvalidated, reason, label("spin_flaw", reason), article_of(reason)) for reason in CALLED
        ),
        sections=tuple(
            Section(number, symbol, label("bet.wheel_of_fortune", f"symbol_{symbol}"))
            for number, symbol in enumerate(settings.layout, 1)
        ),
    )


def _declarable(kind: Kind) -> Declarable:
    named = label("kind.wheel_of_fortune", kind)
    return Declarable(IrregularityDeclared, kind, named, ARTICLES[kind], ("place",))
