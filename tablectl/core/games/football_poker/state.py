"""State of a Football Poker table, the phases of a round and their transitions."""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from tablectl.core import step
from tablectl.core.bets.stakes import Bet, Limits
from tablectl.core.cards import COMMON, Card, Place
from tablectl.core.dealing.deal import Deal, live_hands
from tablectl.core.dealing.hands import Hand, Hands
from tablectl.core.dealing.pack import Pack
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.games.football_poker.hands import FIRST_CARDS
from tablectl.core.games.football_poker.rules import FootballPokerRules
from tablectl.core.outcomes import Draw
from tablectl.lazy_dataclass import dataclass

HAND_MOST = 3
PAST_DRAWS_KEPT = 8
MOST_FAILED_DRAWS = 3
"""After so many in one round the table asks the draw system no more."""


class Phase(StrEnum):
    """Where a round stands."""

    IDLE = "idle"
    DRAWING = "drawing"
    BETTING = "betting"
    CLOSED = "closed"
    DEALING = "dealing"
    LOOKING = "looking"
    THIRDS = "thirds"
    OPENING = "opening"


class Cause(StrEnum):
    """Cause of a transition from phase to phase."""

    OPENED = "round opened"
    DRAW_SHOWN = "draw shown"
    CLOSED = "betting closed"
    FIRST_CARD = "first card"
    TAKEN_BACK = "last card belongs to a dead hand"
    NOT_READ = "first two cards of a hand not known"
    THIRD_DUE = "third card due"
    DEALT = "every hand dealt"
    DEALT_UNREAD = "two cards to every hand, by the dealer's word"
    SETTLED = "every hand open"
    VOIDED = "void"


TRANSITIONS: Mapping[Phase, Mapping[Cause, Phase]] = {
    Phase.IDLE: {Cause.OPENED: Phase.DRAWING},
    Phase.DRAWING: {Cause.DRAW_SHOWN: Phase.BETTING, Cause.VOIDED: Phase.IDLE},
    Phase.BETTING: {
        Cause.CLOSED: Phase.CLOSED,
        Cause.FIRST_CARD: Phase.DEALING,
        Cause.DEALT_UNREAD: Phase.LOOKING,
        Cause.VOIDED: Phase.IDLE,
    },
    Phase.CLOSED: {
        Cause.FIRST_CARD: Phase.DEALING,
        Cause.DEALT_UNREAD: Phase.LOOKING,
        Cause.VOIDED: Phase.IDLE,
    },
    Phase.DEALING: {
        Cause.NOT_READ: Phase.LOOKING,
        Cause.THIRD_DUE: Phase.THIRDS,
        Cause.DEALT: Phase.OPENING,
        Cause.VOIDED: Phase.IDLE,
    },
    Phase.LOOKING: {
        Cause.TAKEN_BACK: Phase.DEALING,
        Cause.THIRD_DUE: Phase.THIRDS,
        Cause.DEALT: Phase.OPENING,
        Cause.SETTLED: Phase.IDLE,
        Cause.VOIDED: Phase.IDLE,
    },
    Phase.THIRDS: {
        Cause.TAKEN_BACK: Phase.DEALING,
        Cause.NOT_READ: Phase.LOOKING,
        Cause.DEALT: Phase.OPENING,
        Cause.VOIDED: Phase.IDLE,
    },
    Phase.OPENING: {
        Cause.TAKEN_BACK: Phase.DEALING,
        Cause.NOT_READ: Phase.LOOKING,
        Cause.THIRD_DUE: Phase.THIRDS,
        Cause.SETTLED: Phase.IDLE,
        Cause.VOIDED: Phase.IDLE,
    },
}
"""The only ways from phase to phase; diagrams are drawn from it."""


class Need(StrEnum):
    """Need of a hand, in the order in which needs are met."""

    FIRST_CARDS = "its first two cards"
    NAMES = "somebody to say what they are"
    THIRD_CARD = "its third card"
    OPENING = "to be opened"


CAUSES: Mapping[Need, Cause] = {
    Need.FIRST_CARDS: Cause.TAKEN_BACK,
    Need.NAMES: Cause.NOT_READ,
    Need.THIRD_CARD: Cause.THIRD_DUE,
    Need.OPENING: Cause.DEALT,
}
PHASES: Mapping[Need, Phase] = {
    Need.FIRST_CARDS: Phase.DEALING,
    Need.NAMES: Phase.LOOKING,
    Need.THIRD_CARD: Phase.THIRDS,
    Need.OPENING: Phase.OPENING,
}


class Hold(StrEnum):
    """Reason why a round can't continue with its draw.

    All but a mismatch end only with the round.
    """

    NONE = ""
    MISMATCH = "mismatch"
    CONFLICT = "conflict"
    NO_DRAW = "no_draw"


@dataclass(frozen=True, slots=True)
class Settings:
    """How this table is set up. Money in hundredths.

    Args:
        places: how many seated places there are, 1 to 10; numbered from the dealer's left.
        packs: how many packs are shuffled together, 1 to 8.
        dealing: how cards are dealt unless the dealer asks for the other way.
        shoe: the name of the shoe reader; empty where there is none.
        shuffler: the name of the shuffler; empty where there is none.
        draw: the name of the draw system, without which no round is opened.
        display: the name of the display; empty where the table's own page shows the draw.
        limits: the stakes that the house takes.
        confirm_payment: whether the dealer confirms what they have paid and collected.
        no_show: what follows where the holder of a place doesn't open its cards.
    """

    places: int = 10
    packs: int = 1
    dealing: Dealing = Dealing.SHOE
    shoe: str = "shoe"
    shuffler: str = "shuffler"
    draw: str = "draw"
    display: str = "display"
    limits: Limits = field(default_factory=Limits)
    confirm_payment: bool = False
    no_show: step.HouseRule = step.HouseRule.ASK_AGAIN


@dataclass(frozen=True, slots=True)
class Drawing:
    """The draw of the round in being.

    Args:
        draw_id: under which it was asked for; 0 where none is asked for.
        draw: what was drawn, once the draw system has committed itself.
        shown: whether everybody can have read it.
        failures: how many draws of this round came to nothing.
        hold: why the round can't go on with it.
    """

    draw_id: int = 0
    draw: Draw | None = None
    shown: bool = False
    failures: int = 0
    hold: Hold = Hold.NONE


@dataclass(frozen=True, slots=True)
class PastDraw:
    """Draw of a round that is over.

    It has no values where the draw system had not answered.
    """

    draw_id: int
    round_id: str
    draw: Draw | None


@dataclass(frozen=True, slots=True)
class FootballPoker:
    """A Football Poker table's state.

    Args:
        round_id: the round in being, or the last one; empty before the first.
        dealing: how this round is dealt.
        pack: the state of the pack, or of the packs shuffled together.
        left: how many cards the shoe holds, as of the last round's end.
        used: cards out of the shoe that were seen in rounds before this one.
        drawing: this round's draw.
        past: the last rounds' draws, the latest last.
        bets: in the order placed.
        deal: the cards on the table: the places' hands in their order, then the common place's, then dead hands.
        opened_us: when the round was opened, UTC microseconds.
        irregularities: the articles of what went wrong so far.
        shoe_ended: whether the cut card has come out since the pack went in.
    """

    phase: Phase = Phase.IDLE
    round_id: str = ""
    dealing: Dealing = Dealing.SHOE
    pack: Pack = field(default_factory=Pack)
    left: int = 0
    used: tuple[Card, ...] = ()
    drawing: Drawing = field(default_factory=Drawing)
    past: tuple[PastDraw, ...] = ()
    bets: tuple[Bet, ...] = ()
    deal: Deal = field(default_factory=Deal)
    opened_us: int = 0
    irregularities: tuple[str, ...] = ()
    shoe_ended: bool = False


Step = step.Step[FootballPoker, Settings, FootballPokerRules]
Outcome = step.Outcome[FootballPoker]


def after(phase: Phase, cause: Cause) -> Phase:
    """The phase that follows; the table of transitions knows no other way."""
    return TRANSITIONS[phase][cause]


def open_round(state: FootballPoker) -> str | None:
    """The id of the round in being, where there is one."""
    return state.round_id if state.phase is not Phase.IDLE else None


def order_of_dealing(state: FootballPoker) -> tuple[Place, ...]:
    """Return the places in the order of dealing.

    These are the places with a bet, from the dealer's left, and last the common place, with a bet or without.

    Rule: 41/2003 art. 6(3), 6(4); reading 11.
    """
    return (*sorted({int(bet.place) for bet in state.bets if bet.place != COMMON}), COMMON)


def need_of(hand: Hand, rules: FootballPokerRules) -> Need | None:
    """Return the first need of a hand; None where it is complete and open.

    Rule: 41/2003 art. 10(1); reading 2.
    """
    two = tuple(card for card in hand.cards[:FIRST_CARDS] if card is not None)
    if len(hand.cards) < FIRST_CARDS:
        return Need.FIRST_CARDS
    if len(two) < FIRST_CARDS:
        return Need.NAMES
    if len(hand.cards) < rules.cards_due(two):
        return Need.THIRD_CARD
    return None if hand.opened else Need.OPENING


def needy(hands: Hands, rules: FootballPokerRules) -> tuple[Need | None, Hands]:
    """Return the next need, and the hands that still have it, in order of dealing.

    Rule: 41/2003 art. 6(3), 10(1); reading 11: two cards to each, third cards, then the hands are opened.
    """
    needs = [(need_of(hand, rules), hand) for hand in live_hands(hands)]
    first = next((need for need in Need if any(need is other for other, _ in needs)), None)
    return first, tuple(hand for need, hand in needs if need is first)


def next_place(state: FootballPoker, rules: FootballPokerRules) -> Place | None:
    """The place that the next card or packet is for; None where no hand lacks one.

    Rule: 41/2003 art. 6(3), 6(4), 10(1).
    """
    need, hands = needy(state.deal.hands, rules)
    return hands[0].place if need in {Need.FIRST_CARDS, Need.THIRD_CARD} else None


def most_cards(settings: Settings) -> int:
    """How many cards a round can take: three for each place and for the common one.

    Rule: 41/2003 art. 8(1); reading 7 (33 at ten places).
    """
    return HAND_MOST * (settings.places + 1)


def cleared(state: FootballPoker, cause: Cause) -> FootballPoker:
    """Return the state between rounds, with nothing on the table.

    Only the shoe may hold cards from which a next round is dealt.
    """
    return FootballPoker(
        phase=after(state.phase, cause),
        round_id=state.round_id,
        dealing=state.dealing,
        pack=state.pack,
        left=state.left,
        used=state.used,
        past=state.past,
        irregularities=state.irregularities,
        shoe_ended=state.shoe_ended,
    )
