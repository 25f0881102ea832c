"""Legal actions at a Football Poker table, all of them, and the table's layout."""

from tablectl.core.actions.layout import (
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
from tablectl.core.cards import COMMON, Place
from tablectl.core.dealing import deal
from tablectl.core.dealing.hands import Hand, first_face_down
from tablectl.core.facts.game_requests import (
    CardExposed,
    CardMended,
    CardMisplaced,
    CardsCounted,
    DealFinished,
    Dealing,
    HandOpened,
    MalfunctionDeclared,
    MisdealDeclared,
)
from tablectl.core.facts.table_requests import BettingClosed, IrregularityDeclared, PatternAsked, SelfTestAsked
from tablectl.core.games.football_poker.declared import ARTICLES, NEEDS, Kind
from tablectl.core.games.football_poker.rules import BetName, FootballPokerRules
from tablectl.core.games.football_poker.state import HAND_MOST, FootballPoker, Settings


def candidates(state: FootballPoker, settings: Settings) -> Candidates:
    """Every request that the game knows, as it could be made now."""
    return (
        *packs_confirmed(),
        *rounds_opened(),
        *dealings_changed(),
        *(bet_on(name, settings.limits) for name in BetName),
        *taken_back(state.bets, BetName.EVEN),
        Candidate(BettingClosed()),
        Candidate(DealFinished()),
        *each((_opened(state, settings, hand) for hand in deal.live_hands(state.deal.hands)), HandOpened(COMMON)),
        *_of_cards(state, settings),
        *(Candidate(IrregularityDeclared(kind, _where(state, kind)), ("place", "bettor")) for kind in Kind),
        Candidate(SelfTestAsked(settings.draw)),
        Candidate(PatternAsked(settings.display)),
    )


def layout(settings: Settings, rules: FootballPokerRules) -> Layout:
    """The table as rules and settings make it."""
    ways = sorted(Dealing, key=lambda way: way is not settings.dealing)
    return Layout(
        places=tuple(range(1, settings.places + 1)),
        bets=tuple(
            BetSpace(name, label("bet.football_poker", name), settings.limits, {"": rules.pays[name]})
            for name in BetName
        ),
        hands=(COMMON,),
        chips=chips_for(settings.limits),
        irregularities=tuple(
            Declarable(
                IrregularityDeclared, kind, label("kind.football_poker", kind), ARTICLES[kind], NEEDS.get(kind, ())
            )
            for kind in Kind
        ),
        dealing=tuple(Named(way, label("dealing.football_poker", way)) for way in ways),
        cards=HAND_MOST,
        packs=settings.packs,
    )


def _where(state: FootballPoker, kind: Kind) -> Place:
    """A place at which this can be declared."""
    shut = (hand.place for hand in deal.live_hands(state.deal.hands) if hand.place != COMMON and not hand.opened)
    return next(shut, 1) if kind is Kind.DID_NOT_SHOW else 1


def _opened(state: FootballPoker, settings: Settings, hand: Hand) -> Candidate:
    """A hand turned up; its cards are named where not all were read."""
    if None not in hand.cards:
        return Candidate(HandOpened(hand.place))
    cards = deal.could_be(state.deal, hand, packs=settings.packs, used=state.used)
    return Candidate(HandOpened(hand.place, cards), ("cards",))


def _of_cards(state: FootballPoker, settings: Settings) -> Candidates:
    places: tuple[Place, ...] = (*range(1, settings.places + 1), COMMON)
    exposed = (
        Candidate(CardExposed(hand.place, first_face_down(hand)), ("index", "card"))
        for hand in deal.hands_at_places(state.deal)
    )
    return (
        *each(exposed, CardExposed(COMMON, 1)),
        *(Candidate(CardMisplaced(place)) for place in places),
        Candidate(CardMended()),
        Candidate(CardsCounted(deal.cards_on_table(state.deal)), ("count",)),
        Candidate(MisdealDeclared(COMMON), ("place",)),
        Candidate(MalfunctionDeclared()),
    )
