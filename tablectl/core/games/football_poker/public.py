"""Public view of a Football Poker table: next step, draw, and cards face up."""

from collections.abc import Mapping
from typing import Any

from tablectl.core.cards import Place
from tablectl.core.dealing.deal import face_down, hands_at_places, live_hands
from tablectl.core.dealing.hands import Hand, lies_up
from tablectl.core.dealing.pack import PackState
from tablectl.core.dealing.ways import device_of, unread
from tablectl.core.events.text import Saying, saying
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.games.football_poker.dealing import CARDS_DUE
from tablectl.core.games.football_poker.rules import FootballPokerRules
from tablectl.core.games.football_poker.state import (
    HAND_MOST,
    FootballPoker,
    Hold,
    Need,
    Phase,
    Settings,
    most_cards,
    need_of,
    needy,
    open_round,
)
from tablectl.core.money import format_money
from tablectl.core.table import Fault, Table, device, entry, spoiling_fault, stopping_fault

CARDS_MAY_COME = frozenset({Phase.IDLE, Phase.BETTING, Phase.CLOSED, Phase.DEALING, Phase.THIRDS})


def waiting(table: Table[FootballPoker], settings: Settings, rules: FootballPokerRules) -> Saying:
    """Message that says what the table waits for.

    An obstacle comes first, then the next step of the procedure.
    """
    return _obstacle(table, settings) or _next_step(table, settings, rules)


def public(state: FootballPoker, rules: FootballPokerRules) -> Mapping[str, Any]:
    """Public view of the round: draw, bets, numbers of cards, and cards face up."""
    return {
        "round_id": open_round(state),
        "phase": state.phase.value,
        "dealing": state.dealing.value,
        "pack": state.pack.state.value,
        "count_due": state.deal.doubtful,
        "misplaced": state.deal.misplaced or None,
        "surplus": len(state.deal.surplus),
        "draw": _public_draw(state, rules),
        "hold": state.drawing.hold.value or None,
        "bets": [
            {"place": bet.place, "bettor": bet.bettor, "bet": bet.bet, "stake": format_money(bet.stake)}
            for bet in state.bets
        ],
        "hands": [_public_hand(hand, rules) for hand in hands_at_places(state.deal)],
    }


def public_needs(state: FootballPoker, rules: FootballPokerRules) -> frozenset[Place]:
    """The places of which everybody knows whether they get a third card.

    They have it, or their turn has come; it is all of them once hands are opened.

    Rule: 41/2003 art. 10(1); reading 11.
    """
    hands = [hand for hand in live_hands(state.deal.hands) if need_of(hand, rules) is not Need.NAMES]
    third = {hand.place for hand in hands if len(hand.cards) == HAND_MOST}
    match state.phase:
        case Phase.OPENING:
            return frozenset(hand.place for hand in hands)
        case Phase.THIRDS:
            due = next(nth for nth, hand in enumerate(hands, 1) if need_of(hand, rules) is Need.THIRD_CARD)
            return frozenset(hand.place for hand in hands[:due]) | third
        case _:
            return frozenset(third)


def unrevealed(state: FootballPoker) -> frozenset[str]:
    """The known cards that lie face down."""
    return frozenset(face_down(state.deal))


def _public_draw(state: FootballPoker, rules: FootballPokerRules) -> Mapping[str, Any] | None:
    draw = state.drawing.draw
    if draw is None:
        return None
    numbers = rules.numbers_of(draw.combination)
    return {
        "draw_id": str(state.drawing.draw_id),
        "series": draw.series.value,
        "combination": draw.combination,
        "upper": list(numbers.upper),
        "lower": list(numbers.lower),
        "shown": state.drawing.shown,
    }


def _public_hand(hand: Hand, rules: FootballPokerRules) -> Mapping[str, Any]:
    read = tuple(card for card in hand.cards if card is not None)
    return {
        "place": hand.place,
        "opened": hand.opened,
        "dead": hand.dead,
        "cards": [card if lies_up(hand, nth) else None for nth, card in enumerate(hand.cards, 1)],
        "total": rules.total_of(read) if hand.opened else None,
    }


def _obstacle(table: Table[FootballPoker], settings: Settings) -> Saying | None:
    state = table.game
    if state.phase is Phase.IDLE and (fault := _forbidding(table, settings)) is not None:
        return saying("prompt.football_poker.fault", code=fault.code, fault=entry(fault.code).key)
    if (fault := _spoiling(table, settings)) is not None:
        return saying("prompt.football_poker.shuffler_fault", code=fault.code, fault=entry(fault.code).key)
    if (held := _held(state)) is not None:
        return held
    if state.deal.misplaced:
        return saying("prompt.football_poker.misplaced", place=state.deal.misplaced, due=state.deal.last)
    if state.deal.surplus:
        return saying("prompt.football_poker.surplus")
    if (name := _missing(table, settings)) is not None:
        return saying("prompt.football_poker.device", device=name)
    if state.deal.doubtful and not _by_hand(table, settings):
        return saying("prompt.football_poker.count")
    return None


def _forbidding(table: Table[FootballPoker], settings: Settings) -> Fault | None:
    """The fault that lets no round begin, at least not dealt in the table's usual way."""
    by_shuffler = settings.dealing is Dealing.SHUFFLER
    return stopping_fault(table) or (spoiling_fault(table, settings.shuffler) if by_shuffler else None)


def _spoiling(table: Table[FootballPoker], settings: Settings) -> Fault | None:
    """The fault with which the shuffler can't deal on."""
    state = table.game
    deals = state.dealing is Dealing.SHUFFLER and state.phase in {Phase.DEALING, Phase.THIRDS}
    return spoiling_fault(table, settings.shuffler) if deals else None


def _held(state: FootballPoker) -> Saying | None:
    match state.drawing.hold:
        case Hold.NONE:
            return None
        case Hold.MISMATCH:
            return saying("prompt.football_poker.mismatch")
        case Hold.CONFLICT:
            return saying("prompt.football_poker.conflict")
        case Hold.NO_DRAW:
            return saying("prompt.football_poker.no_draw")


def _missing(table: Table[FootballPoker], settings: Settings) -> str | None:
    """The first device that the next step needs and that isn't there."""
    return next((name for name in _needed(table.game, settings) if not device(table, name).attached), None)


def _needed(state: FootballPoker, settings: Settings) -> tuple[str, ...]:
    dealing = settings.dealing if state.phase is Phase.IDLE else state.dealing
    told = Dealing.BY_HAND if state.phase is Phase.IDLE else Dealing.SHOE  # The dealer can say what is dealt.
    reads = state.phase in CARDS_MAY_COME and dealing not in {told, Dealing.BY_HAND}
    deals = (device_of(dealing, settings.shoe, settings.shuffler),) if reads else ()
    shows = (settings.display,) if settings.display else ()
    match state.phase:
        case Phase.IDLE:
            return (settings.draw, *shows, *deals)
        case Phase.DRAWING:
            return (settings.draw,) if state.drawing.draw is None else shows
        case Phase.BETTING if not state.drawing.shown:
            return (*shows, *deals)
        case _:
            return deals


def _by_hand(table: Table[FootballPoker], settings: Settings) -> bool:
    """Return True if the dealer has to say what is dealt: no reader is there.

    Rule: 41/2003 reading 13.
    """
    away = not (settings.shoe and device(table, settings.shoe).attached)
    return away and table.game.phase in CARDS_DUE and unread(table, table.game.dealing, settings.shoe)


def _next_step(table: Table[FootballPoker], settings: Settings, rules: FootballPokerRules) -> Saying:
    state = table.game
    by_hand = unread(table, state.dealing, settings.shoe)
    match state.phase:
        case Phase.IDLE:
            return _between_rounds(state, settings)
        case Phase.DRAWING:
            if state.drawing.draw is None:
                return saying("prompt.football_poker.drawing")
            return saying("prompt.football_poker.showing")
        case Phase.BETTING if not state.drawing.shown:
            return saying("prompt.football_poker.shown_again")
        case Phase.BETTING | Phase.CLOSED:
            return _before_the_deal(state, by_hand=by_hand)
        case Phase.DEALING | Phase.LOOKING | Phase.THIRDS | Phase.OPENING:
            return _with_cards_out(state, rules, by_hand=by_hand)


def _between_rounds(state: FootballPoker, settings: Settings) -> Saying:
    short = state.shoe_ended or state.left < most_cards(settings)
    if settings.dealing is not Dealing.SHUFFLER and (state.pack.state is not PackState.READY or short):
        return saying("prompt.football_poker.pack")
    return saying("prompt.football_poker.open_round")


def _before_the_deal(state: FootballPoker, *, by_hand: bool) -> Saying:
    match state.pack.state, state.phase:
        case PackState.SHUFFLING, Phase.CLOSED:
            return saying("prompt.football_poker.closed_shuffling")
        case PackState.SHUFFLING, _:
            return saying("prompt.football_poker.betting_shuffling")
        case PackState.READY, Phase.CLOSED if by_hand:
            return saying("prompt.football_poker.closed_deal")
        case PackState.READY, _ if by_hand:
            return saying("prompt.football_poker.betting_deal")
        case PackState.READY, Phase.CLOSED:
            return saying("prompt.football_poker.closed")
        case PackState.READY, _:
            return saying("prompt.football_poker.betting")
        case _:
            return saying("prompt.football_poker.pack_unfit")


def _with_cards_out(state: FootballPoker, rules: FootballPokerRules, *, by_hand: bool) -> Saying:
    _, hands = needy(state.deal.hands, rules)
    place, number = (hands[0].place if hands else ""), len(hands)
    match state.phase:
        case Phase.LOOKING:
            return saying("prompt.football_poker.look", place=place, number=number)
        case Phase.THIRDS if by_hand:
            return saying("prompt.football_poker.deal_thirds", place=place, number=number)
        case Phase.THIRDS:
            return saying("prompt.football_poker.third_card", place=place)
        case Phase.OPENING:
            return saying("prompt.football_poker.open_hands", place=place, number=number)
        case _ if by_hand:
            return saying("prompt.football_poker.deal")
        case _:
            by_shoe = state.dealing is not Dealing.SHUFFLER
            return (
                saying("prompt.football_poker.card", place=place)
                if by_shoe
                else saying("prompt.football_poker.packet", place=place)
            )
