"""Legal actions at a table of 13 Cards, all of them, and the layout of the table."""

from collections.abc import Iterator
from itertools import combinations, islice
from typing import Final

from tablectl.core.actions.layout import (
    BetSpace,
    Candidate,
    Candidates,
    Declarable,
    Layout,
    each,
    label,
    packs_confirmed,
    stranger,
    taken_back,
)
from tablectl.core.bets.stakes import Limits
from tablectl.core.cards import BANKER, PACK, Place
from tablectl.core.dealing.hands import Hand, known, lies_up
from tablectl.core.facts.game_requests import (
    CardExposed,
    CardMended,
    CardMisplaced,
    CardsCounted,
    CardsHeldAway,
    CardsPickedUp,
    DealCancelled,
    DealFinished,
    DiceEntered,
    HandOpened,
    LatenessConfirmed,
    PackCut,
    SettingFinished,
    ThrowInvalidated,
    TiersShown,
    TimeCalled,
)
from tablectl.core.facts.table_requests import (
    BetOffered,
    BettingClosed,
    IrregularityDeclared,
    RoundOpened,
    SeatLeft,
    SeatTaken,
)
from tablectl.core.games.thirteen_cards.betting import lawful_stakes
from tablectl.core.games.thirteen_cards.dealing import in_doubt
from tablectl.core.games.thirteen_cards.dice import DICE, FLAWS
from tablectl.core.games.thirteen_cards.hands import SIZES, Cards, Keys, Rows, ascends, rank_five, rank_rows
from tablectl.core.games.thirteen_cards.irregularities import KINDS
from tablectl.core.games.thirteen_cards.rules import ThirteenCardsRules
from tablectl.core.games.thirteen_cards.seats import holder, shakers_place
from tablectl.core.games.thirteen_cards.showdown import unshown
from tablectl.core.games.thirteen_cards.state import (
    BET,
    HAND_SIZE,
    PLACES,
    PLAYERS,
    Phase,
    Settings,
    ThirteenCards,
    dealt,
    hand_at,
    places_with_bets,
    tiers_of,
)

PACK_CUT: Final = 20
A_SHAKE: Final = (1, 2, 3, 4)
_THIRDS: Final = 60
"""Third tiers that are tried, from the strongest: the best setting is nearly always among them."""
OF_NO_PLACE: Final = frozenset({"cut_wrongly", "shaken_by_another", "total_disputed", "did_not_shake"})
"""What concerns the whole table."""


def candidates(state: ThirteenCards, settings: Settings) -> Candidates:
    """Every request that the game knows, as it could be made now."""
    somebody = stranger({*(bet.bettor for bet in state.bets), *(seat.bettor for seat in state.seats)})
    return (
        *packs_confirmed(),
        Candidate(PackCut(PACK_CUT), ("count", "bettor")),
        Candidate(RoundOpened()),
        *(Candidate(SeatTaken(place, somebody), ("bettor",)) for place in PLAYERS),
        *_leaving(state),
        *(_bet(state, settings, place, somebody) for place in PLAYERS),
        *taken_back(state.bets, BET),
        Candidate(BettingClosed()),
        Candidate(DiceEntered(shakers_place(state) or PLAYERS[0], A_SHAKE), ("dice", "flaw")),
        Candidate(ThrowInvalidated(FLAWS[0]), ("flaw",)),
        *_of_cards(state, settings),
        *_of_setting(state),
    )


def layout(settings: Settings, rules: ThirteenCardsRules) -> Layout:
    """The table as rules and settings make it."""
    stakes = _stakes(settings)
    limits = Limits(stakes[0], stakes[-1], settings.unit)
    return Layout(
        places=PLAYERS,
        bets=(BetSpace(BET, label("bet.thirteen_cards", BET), limits, {"": rules.prize}),),
        hands=(BANKER,),
        chips=stakes,
        irregularities=tuple(_declarable(kind) for kind in KINDS),
        reasons=tuple(Declarable(ThrowInvalidated, flaw, label("dice_flaw", flaw), "2(c)") for flaw in FLAWS),
        cards=HAND_SIZE,
        packs=1,
        dice=DICE,
        tiers=SIZES,
    )


def _declarable(kind: str) -> Declarable:
    named = label("kind.thirteen_cards", kind)
    needs = () if kind in OF_NO_PLACE else ("place",)
    return Declarable(IrregularityDeclared, kind, named, KINDS[kind].article, needs)


def _bet(state: ThirteenCards, settings: Settings, place: int, somebody: str) -> Candidate:
    """Return the least stake at a place, by a bettor who may bet there first.

    It is one who sits there, unless somebody holds the place's cards.
    """
    seated = (seat.bettor for seat in state.seats if seat.place == place)
    bettor = somebody if holder(state, place) else next(seated, somebody)
    return Candidate(BetOffered(place, bettor, BET, _stakes(settings)[0]), ("bettor", "stake"))


def _stakes(settings: Settings) -> tuple[int, ...]:
    """Return the stakes that the law and the table limits allow, the least first.

    It is one unit, where the limits allow none of the law's stakes.
    """
    limits, lawful = settings.limits, lawful_stakes(settings.unit)
    taken = tuple(stake for stake in lawful if limits.least <= stake <= limits.most and not stake % limits.step)
    return taken or lawful[:1]


def _of_cards(state: ThirteenCards, settings: Settings) -> Candidates:
    return (
        Candidate(DealFinished()),
        Candidate(DealCancelled()),
        *(Candidate(CardExposed(place, _exposable(state, settings, place)), ("index", "card")) for place in PLACES),
        *(Candidate(CardMisplaced(place)) for place in PLACES),
        *_mended(state),
        Candidate(CardsCounted(dealt(state)), ("count",)),
        Candidate(CardsHeldAway(PLAYERS[0]), ("place", "bettor")),
        *(Candidate(IrregularityDeclared(kind, _where(state, kind)), ("place", "bettor")) for kind in KINDS),
    )


def _where(state: ThirteenCards, kind: str) -> Place:
    """A place at which this can be declared, where it needs one."""
    return next(iter(unshown(state)), "") if kind == "did_not_show" else ""


def _mended(state: ThirteenCards) -> Candidates:
    """The card put right: at the place that the table knows, or else at any other."""
    if not state.misplaced or state.owner:
        return (Candidate(CardMended()),)
    if state.phase is Phase.DEALING:
        return (Candidate(CardMended(), ("place",)),)
    return tuple(Candidate(CardMended(place)) for place in PLACES if place != state.misplaced)


def _exposable(state: ThirteenCards, settings: Settings, place: Place) -> int:
    """Return the index of a card at a place that can turn up; 1 where none can.

    Where the dealer deals unseen, any card can.
    """
    hand = hand_at(state, place) or Hand(place)
    dealt_there = len(hand.cards) if settings.shoe else HAND_SIZE
    hidden = (nth for nth in range(1, dealt_there + 1) if not lies_up(hand, nth) and not in_doubt(state, place, nth))
    return next(hidden, 1)


def _of_setting(state: ThirteenCards) -> Candidates:
    places = places_with_bets(state)
    shown: tuple[Place, ...] = (BANKER, *places)
    return (
        *(Candidate(HandOpened(place)) for place in shown),
        *(_tiers(state, place) for place in shown),
        *each((Candidate(CardsPickedUp(place)) for place in places), CardsPickedUp(PLAYERS[0])),
        *each((Candidate(SettingFinished(place)) for place in places), SettingFinished(PLAYERS[0])),
        Candidate(TimeCalled()),
        *each((Candidate(LatenessConfirmed(place)) for place in places), LatenessConfirmed(PLAYERS[0])),
    )


def _leaving(state: ThirteenCards) -> Iterator[Candidate]:
    """The seats that could be left: by name where several sit at a place."""
    for place in PLAYERS:
        seated = [seat.bettor for seat in state.seats if seat.place == place]
        yield from (Candidate(SeatLeft(place, bettor if len(seated) > 1 else "")) for bettor in seated or [""])


def _tiers(state: ThirteenCards, place: Place) -> Candidate:
    """Return the showing of a place's tiers, proposed where its cards lie face up.

    The proposal is how they lie, or else how somebody could well have set them. For other places the example has the
    cards known to be there, and cards that nobody has seen.
    """
    hand = hand_at(state, place) or Hand(place)
    own, seen = known((hand,)), {*known(state.hands)}
    if hand.opened and len(own) == HAND_SIZE:
        return Candidate(TiersShown(place, tiers_of(state, place) or set_cards(own)), ("rows",), proposed=True)
    cards = iter([*own, *(card for card in PACK if card not in seen)])
    return Candidate(TiersShown(place, tuple(tuple(islice(cards, size)) for size in SIZES)), ("rows",))


def set_cards(cards: Cards) -> Rows:
    """Return thirteen cards as somebody could well set them, in ascending order.

    Naturals that have to be set aren't looked for.

    Rule: 51/89/M art. 7.
    """
    thirds = sorted(combinations(cards, 5), key=rank_five, reverse=True)[:_THIRDS]
    return max((rows for third in thirds for rows in _settings(cards, third)), key=_strength)


def _settings(cards: Cards, third: Cards) -> Iterator[Rows]:
    """Every setting in ascending order under this third tier."""
    rest = tuple(card for card in cards if card not in third)
    for first in combinations(rest, 3):
        rows = first, tuple(card for card in rest if card not in first), third
        if ascends(rank_rows(rows)):
            yield rows


def _strength(rows: Rows) -> Keys:
    first, second, third = rank_rows(rows)
    return second, first, third
