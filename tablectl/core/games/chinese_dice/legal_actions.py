"""Legal actions at a table of Chinese dice, all of them, and the table's layout."""

from typing import Final

from tablectl.core.actions.layout import (
    BetSpace,
    Candidate,
    Candidates,
    Declarable,
    Layout,
    chips_for,
    each,
    label,
    least_stake,
    stranger,
    taken_back,
)
from tablectl.core.bets.ratios import Ratio
from tablectl.core.cards import BANKER
from tablectl.core.facts.game_requests import (
    AssociateJoined,
    BankDeclined,
    BankLimitWaived,
    BankTaken,
    CasinoJoined,
    DiceEntered,
    PlacePaid,
    ThrowInvalidated,
)
from tablectl.core.facts.table_requests import (
    BetOffered,
    BettingClosed,
    IrregularityDeclared,
    RoundOpened,
    SeatLeft,
    SeatTaken,
)
from tablectl.core.games.chinese_dice.banking import least_capital
from tablectl.core.games.chinese_dice.chips import gathered
from tablectl.core.games.chinese_dice.dice import FLAWS, IRREGULAR, due_to_throw
from tablectl.core.games.chinese_dice.hands import DICE
from tablectl.core.games.chinese_dice.settlement import PLACE_MAX
from tablectl.core.games.chinese_dice.settling import places_in_order
from tablectl.core.games.chinese_dice.state import (
    ARTICLES,
    Banker,
    BetName,
    ChineseDice,
    Kind,
    Phase,
    Seat,
    Settings,
    laid,
)

PLACES: Final = tuple(range(1, PLACE_MAX + 1))
A_THROW: Final = (1, 2, 2)


def candidates(state: ChineseDice, settings: Settings) -> Candidates:
    """Every request that the game knows, as it could be made now."""
    somebody = stranger({*(bet.bettor for bet in laid(state)), *(seat.bettor for seat in state.seats)})
    return (
        *(Candidate(SeatTaken(place, somebody), ("bettor",)) for place in PLACES),
        *each((Candidate(SeatLeft(seat.place)) for seat in state.seats), SeatLeft(1)),
        *each((_bank_taken(state, settings, seat) for seat in state.seats), BankTaken(1, somebody, 1)),
        *each((Candidate(BankDeclined(seat.place)) for seat in state.seats), BankDeclined(1)),
        Candidate(BankLimitWaived()),
        Candidate(RoundOpened()),
        *_of_bets(state, settings, somebody),
        *_of_dice(state),
        *each((Candidate(PlacePaid(place)) for place in places_in_order(state)), PlacePaid(1)),
        *(Candidate(IrregularityDeclared(kind), ("place", "bettor")) for kind in Kind),
    )


def layout(settings: Settings) -> Layout:
    """The table as its settings make it."""
    pays: dict[BetName, dict[str, Ratio]] = {BetName.PLACE: {"": Ratio(1, 1)}, BetName.BANK: {}}
    return Layout(
        places=PLACES,
        bets=tuple(BetSpace(name, label("bet.chinese_dice", name), settings.limits, its) for name, its in pays.items()),
        hands=(BANKER,),
        chips=chips_for(settings.limits),
        irregularities=tuple(
            Declarable(IrregularityDeclared, kind, label("kind.chinese_dice", kind), ARTICLES[kind], ("place",))
            for kind in Kind
        ),
        reasons=tuple(_reason(flaw) for flaw in sorted(FLAWS)),
        dice=DICE,
    )


def _of_bets(state: ChineseDice, settings: Settings, somebody: str) -> Candidates:
    """Bets against the banker at every place, and with them at their own."""
    stake, own = least_stake(settings.limits), state.banker.place or 1
    spaces = (*((place, BetName.PLACE) for place in PLACES), (own, BetName.BANK))
    back = (Candidate(CasinoJoined(0)),) if state.casino else ()
    return (
        *(Candidate(BetOffered(place, somebody, name, stake), ("bettor", "stake")) for place, name in spaces),
        *taken_back(gathered(state.bets), BetName.PLACE),
        Candidate(AssociateJoined(somebody, stake), ("bettor", "stake")),
        Candidate(CasinoJoined(stake), ("share",)),
        *back,
        Candidate(BettingClosed()),
    )


def _of_dice(state: ChineseDice) -> Candidates:
    due = due_to_throw(state) or 1
    return (
        Candidate(DiceEntered(due, A_THROW), ("dice", "flaw")),
        Candidate(ThrowInvalidated(min(FLAWS)), ("flaw",)),
    )


def _bank_taken(state: ChineseDice, settings: Settings, seat: Seat) -> Candidate:
    capital = least_capital(state, Banker(seat.place, seat.bettor), settings)
    if state.phase is not Phase.IDLE:
        capital = state.banker.capital + settings.limits.step
    return Candidate(BankTaken(seat.place, seat.bettor, capital), ("capital",))


def _reason(flaw: str) -> Declarable:
    """Return a reason why a throw isn't valid, with its article.

    The article is the irregularity's, where the reason is one as well.

    Rule: 108/89/M art. 2(d) (the dice fall together), 2(e).
    """
    article = ARTICLES[IRREGULAR[flaw]] if flaw in IRREGULAR else "2(d)" if flaw == "apart" else "2(e)"
    return Declarable(ThrowInvalidated, flaw, label("dice_flaw", flaw), article)
