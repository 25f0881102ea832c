"""Legal actions at a Q Poker table, all of them, and the layout of the table."""

from tablectl.core.actions.layout import (
    SOMEBODY,
    BetSpace,
    Candidate,
    Candidates,
    Declarable,
    Layout,
    Named,
    bet_on,
    chips_for,
    dealings_changed,
    each,
    label,
    packs_confirmed,
    rounds_opened,
    taken_back,
)
from tablectl.core.cards import DEALER, Place
from tablectl.core.dealing import deal
from tablectl.core.dealing.hands import Hand, first_face_down
from tablectl.core.facts.game_requests import (
    CardExposed,
    CardMended,
    CardMisplaced,
    CardsCounted,
    CardsHeldAway,
    DealFinished,
    Dealing,
    HandOpened,
    MalfunctionDeclared,
    MisdealDeclared,
)
from tablectl.core.facts.table_requests import BettingClosed, DecisionDeclared, IrregularityDeclared
from tablectl.core.games.q_poker.rules import QPokerRules
from tablectl.core.games.q_poker.settlement import BetName, Decision
from tablectl.core.games.q_poker.showdown import undecided
from tablectl.core.games.q_poker.state import HAND_SIZE, KINDS, NEEDS, QPoker, Settings


def candidates(state: QPoker, settings: Settings) -> Candidates:
    """Every request that the game knows, as it could be made now."""
    return (
        *_of_the_round(state, settings),
        *_of_decisions(state),
        *each((_opened(state, hand) for hand in deal.live_hands(state.deal.hands)), HandOpened(1)),
        *_of_cards(state, settings),
    )


def layout(settings: Settings, rules: QPokerRules) -> Layout:
    """The table as rules and settings make it."""
    pays = {BetName.PAIR_OR_BETTER: rules.pair_or_better, BetName.VERSUS_DEALER: rules.versus_dealer}
    ways = sorted(Dealing, key=lambda way: way is not settings.dealing)
    return Layout(
        places=tuple(range(1, settings.places + 1)),
        bets=tuple(
            BetSpace(name, label("bet.q_poker", name), settings.limits, {str(hand): to for hand, to in its.items()})
            for name, its in pays.items()
        ),
        hands=(DEALER,),
        chips=chips_for(settings.limits),
        decisions=tuple(Named(name, label("decision.q_poker", name)) for name in Decision),
        irregularities=tuple(
            Declarable(IrregularityDeclared, kind, label("kind.q_poker", kind), article, NEEDS[kind])
            for kind, article in KINDS.items()
        ),
        dealing=tuple(Named(way, label("dealing", way)) for way in ways),
        cards=HAND_SIZE,
        packs=1,
    )


def _of_the_round(state: QPoker, settings: Settings) -> Candidates:
    return (
        *packs_confirmed(),
        *rounds_opened(),
        *dealings_changed(),
        *(bet_on(name, settings.limits) for name in BetName),
        *taken_back(state.bets, BetName.VERSUS_DEALER),
        Candidate(BettingClosed()),
        Candidate(DealFinished()),
    )


def _of_decisions(state: QPoker) -> Candidates:
    several = (
        Candidate(DecisionDeclared(int(bet.place), bet.bettor, decision))
        for bet in undecided(state)
        for decision in Decision
    )
    place, bettor = next(((bet.place, bet.bettor) for bet in undecided(state)), (1, SOMEBODY))
    return (
        *each(several, DecisionDeclared(1, SOMEBODY, Decision.PLAY)),
        Candidate(IrregularityDeclared("did_not_decide", place, bettor), ("place", "bettor")),
    )


def _opened(state: QPoker, hand: Hand) -> Candidate:
    """A hand turned up; its cards are named where not all were read."""
    if None not in hand.cards:
        return Candidate(HandOpened(hand.place))
    return Candidate(HandOpened(hand.place, deal.could_be(state.deal, hand)), ("cards",))


def _of_cards(state: QPoker, settings: Settings) -> Candidates:
    places: tuple[Place, ...] = (*range(1, settings.places + 1), DEALER)
    exposed = (
        Candidate(CardExposed(hand.place, first_face_down(hand)), ("index", "card"))
        for hand in deal.hands_at_places(state.deal)
    )
    return (
        *each(exposed, CardExposed(1, 1)),
        *(Candidate(CardMisplaced(place)) for place in places),
        Candidate(CardMended()),
        Candidate(CardsCounted(deal.cards_on_table(state.deal)), ("count",)),
        Candidate(MisdealDeclared(DEALER), ("place",)),
        Candidate(MalfunctionDeclared()),
        Candidate(CardsHeldAway(1), ("place", "bettor")),
        Candidate(IrregularityDeclared("foreign_card"), ("place", "bettor")),
    )
