"""Public view of a Q Poker table: the next step, and the cards that lie face up."""

from collections.abc import Mapping
from typing import Any

from tablectl.core.cards import DEALER
from tablectl.core.dealing.deal import face_down, hands_at_places
from tablectl.core.dealing.hands import Hand, lies_up
from tablectl.core.dealing.pack import PackState
from tablectl.core.dealing.ways import device_of, unread
from tablectl.core.events.text import Saying, saying
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.games.q_poker.dealing import CARDS_COME, next_hand, open_round
from tablectl.core.games.q_poker.hands import combination
from tablectl.core.games.q_poker.showdown import undecided
from tablectl.core.games.q_poker.state import HAND_SIZE, Phase, QPoker, Settings, players_hands
from tablectl.core.money import format_money
from tablectl.core.table import Fault, Table, device, entry, spoiling_fault, stopping_fault


def waiting(table: Table[QPoker], settings: Settings) -> Saying:
    """Message that says what the table waits for.

    An obstacle comes first, then the next step of the procedure.
    """
    return _obstacle(table, settings) or _next_step(table, settings)


def public(state: QPoker) -> Mapping[str, Any]:
    """Public view of the round: bets, numbers of cards, and the cards face up."""
    return {
        "round_id": open_round(state),
        "phase": state.phase.value,
        "dealing": state.dealing.value,
        "pack": state.pack.state.value,
        "count_due": state.deal.doubtful,
        "misplaced": state.deal.misplaced or None,
        "surplus": len(state.deal.surplus),
        "bets": [
            {
                "place": bet.place,
                "bettor": bet.bettor,
                "bet": bet.bet,
                "stake": format_money(bet.stake),
                "decision": bet.decision or None,
            }
            for bet in state.bets
        ],
        "hands": [_public_hand(hand) for hand in hands_at_places(state.deal)],
    }


def unrevealed(state: QPoker) -> frozenset[str]:
    """The known cards that lie face down."""
    return frozenset(face_down(state.deal))


def _public_hand(hand: Hand) -> Mapping[str, Any]:
    known = tuple(card for card in hand.cards if card is not None)
    ranked = hand.opened and not hand.dead and len(known) == len(hand.cards) == HAND_SIZE
    return {
        "place": hand.place,
        "opened": hand.opened,
        "dead": hand.dead,
        "cards": [card if lies_up(hand, nth) else None for nth, card in enumerate(hand.cards, 1)],
        "hand": combination(known).value if ranked else None,
    }


def _obstacle(table: Table[QPoker], settings: Settings) -> Saying | None:
    state = table.game
    if state.phase is Phase.IDLE and (fault := _forbidding(table, settings)) is not None:
        return saying("prompt.q_poker.fault", code=fault.code, fault=entry(fault.code).key)
    if state.deal.misplaced:
        return saying("prompt.q_poker.misplaced", place=state.deal.misplaced, due=state.deal.last)
    if state.deal.surplus:
        return saying("prompt.q_poker.surplus")
    if (name := _dealer_device(state, settings)) and not device(table, name).attached:
        return saying("prompt.q_poker.device", device=name)
    if state.deal.doubtful and state.phase is not Phase.IDLE and not _by_hand(table, settings):
        return saying("prompt.q_poker.count")
    return None


def _forbidding(table: Table[QPoker], settings: Settings) -> Fault | None:
    """The fault that lets no round begin, at least not dealt in the table's usual way."""
    by_shuffler = settings.dealing is Dealing.SHUFFLER
    return stopping_fault(table) or (spoiling_fault(table, settings.shuffler) if by_shuffler else None)


def _dealer_device(state: QPoker, settings: Settings) -> str:
    """Return the device that this round, or the next one, still needs.

    It is empty once every card is dealt, and where the dealer can say what is dealt.
    """
    if state.phase is Phase.IDLE and settings.dealing is not Dealing.BY_HAND:
        return device_of(settings.dealing, settings.shoe, settings.shuffler)
    return settings.shuffler if state.phase in CARDS_COME and state.dealing is Dealing.SHUFFLER else ""


def _by_hand(table: Table[QPoker], settings: Settings) -> bool:
    """Return True if the dealer has to say what is dealt: no reader is there.

    Rule: 89/2004 reading 24.
    """
    away = not (settings.shoe and device(table, settings.shoe).attached)
    return away and table.game.phase in CARDS_COME and unread(table, table.game.dealing, settings.shoe)


def _next_step(table: Table[QPoker], settings: Settings) -> Saying:
    state = table.game
    by_hand = unread(table, state.dealing, settings.shoe)
    match state.phase:
        case Phase.IDLE:
            return _between_rounds(state, settings)
        case Phase.BETTING | Phase.CLOSED:
            return _before_the_deal(state, by_hand=by_hand)
        case Phase.DEALING if by_hand:
            return saying("prompt.q_poker.deal")
        case Phase.DEALING:
            key = "card" if state.dealing is Dealing.SHOE else "packet"
            hand = next_hand(state)
            return saying(f"prompt.q_poker.{key}", place=hand.place if hand else "")
        case Phase.OPENING:
            unopened = (str(hand.place) for hand in players_hands(state) if not hand.opened)
            return saying("prompt.q_poker.open_hands", places=", ".join(unopened))
        case Phase.DECIDING:
            places = sorted({bet.place for bet in undecided(state)})
            return saying("prompt.q_poker.decisions", places=", ".join(map(str, places)))
        case Phase.SHOWDOWN:
            return saying("prompt.q_poker.open_dealer", place=DEALER)


def _between_rounds(state: QPoker, settings: Settings) -> Saying:
    if settings.dealing is not Dealing.SHUFFLER and (state.pack.state is not PackState.READY or state.shoe_ended):
        return saying("prompt.q_poker.pack")
    return saying("prompt.q_poker.open_round")


def _before_the_deal(state: QPoker, *, by_hand: bool) -> Saying:
    if state.pack.state is PackState.SHUFFLING:
        return saying(f"prompt.q_poker.{state.phase.value}_shuffling")
    if state.pack.state is not PackState.READY:
        return saying("prompt.q_poker.pack_unfit")
    if by_hand:
        return saying(f"prompt.q_poker.{state.phase.value}_deal")
    return saying(f"prompt.q_poker.{state.phase.value}")
