"""From the opening of the players' hands to the settlement."""

from tablectl.core import cards
from tablectl.core.bets.stakes import Bet
from tablectl.core.cards import DEALER, Card
from tablectl.core.dealing.deal import Comparison, compare_named, too_many, with_seen
from tablectl.core.dealing.hands import Hand, hand_of
from tablectl.core.effects import Effects, announce, momentary
from tablectl.core.events.round import Decided, PartBet, PartSettled, Revealed, Settled
from tablectl.core.facts.game_requests import HandOpened
from tablectl.core.facts.table_requests import DecisionDeclared
from tablectl.core.faults import Code
from tablectl.core.games.q_poker import hands, settlement, shapes
from tablectl.core.games.q_poker.rules import QPokerRules
from tablectl.core.games.q_poker.settlement import BetName, Decision, Place, Round
from tablectl.core.games.q_poker.state import Cause, Outcome, Phase, QPoker, Step, after, cleared, players_hands
from tablectl.core.money import format_money, utc_text
from tablectl.core.step import HouseRule, left_undone, refuse, then
from tablectl.lazy_dataclass import replace


def hand_opened(step: Step, opened: HandOpened) -> Outcome:
    """Open a hand: players' hands first, the dealer's when every bet is decided.

    Rule: 89/2004 art. 9(1), 9(3); readings 8 and 11.
    """
    if (no := _too_early(step.state, opened)) is not None:
        return refuse(step, *no)
    hand = hand_of(step.state.deal.hands, opened.place)
    if hand is None or hand.dead:
        return refuse(step, "11(4)", "hand_not_live", place=opened.place)
    if hand.opened:
        return refuse(step, "9(1)", "hand_already_open", place=opened.place)
    return _turn_up(step, hand, opened.cards)


def decision_declared(step: Step, declared: DecisionDeclared) -> Outcome:
    """A bettor plays against the dealer or withdraws, once and for all.

    Rule: 89/2004 art. 9(2), 9(3); readings 8 to 10.
    """
    state = step.state
    if state.phase is not Phase.DECIDING:
        return refuse(step, *_no_decision_now(state.phase))
    bet = next((bet for bet in state.bets if _is_his(bet, declared)), None)
    if bet is None:
        return refuse(step, "9(2)", "nothing_to_decide", place=declared.place, bettor=declared.bettor)
    if bet.decision:
        return refuse(step, "9(3)", "already_decided", place=declared.place, bettor=declared.bettor)
    if declared.decision not in tuple(Decision):
        return refuse(step, "9(2)", "no_such_decision", decision=declared.decision)
    return _decide(state, bet, declared.decision)


def no_decision(step: Step, place: cards.Place, bettor: str) -> Outcome:
    """Record that a bettor doesn't decide.

    What follows is for the house to say, as the law is silent.

    Rule: 89/2004 art. 9(2), 9(3).
    """
    state = step.state
    if state.phase is not Phase.DECIDING:
        return refuse(step, *_no_decision_now(state.phase))
    silent = [bet for bet in undecided(state) if bet.place == place and bettor in {"", bet.bettor}]
    if len(silent) != 1:
        return refuse(step, "9(2)", "nothing_to_decide", place=place, bettor=bettor)
    noted, said = left_undone(step, state, "no_decision", "did_not_decide", place, silent[0].bettor)
    if step.settings.no_decision is not HouseRule.PLAYS:
        return noted, said
    return then(said, _decide(noted, silent[0], Decision.PLAY.value))


def undecided(state: QPoker) -> tuple[Bet, ...]:
    """The bets against the dealer that have no decision yet."""
    return tuple(bet for bet in state.bets if bet.bet == BetName.VERSUS_DEALER and not bet.decision)


def _too_early(state: QPoker, opened: HandOpened) -> tuple[str, str] | None:
    if state.phase in {Phase.IDLE, Phase.BETTING, Phase.CLOSED, Phase.DEALING}:
        return "9(1)", "not_dealt"
    if state.deal.surplus or state.deal.misplaced:
        return "11(1)", "card_to_be_placed"
    if state.deal.doubtful:
        return "11(1)", "count_first"
    if opened.place == DEALER and state.phase is Phase.OPENING:
        return "9(1)", "players_first"
    if opened.place == DEALER and state.phase is Phase.DECIDING:
        return "9(3)", "decisions_first"
    return None


def _turn_up(step: Step, hand: Hand, given: tuple[Card, ...]) -> Outcome:
    """The hand's cards, as read and as the dealer sees them; the two have to agree."""
    state = step.state
    match compare_named(state.deal, hand, given):
        case Comparison.UNKNOWN:
            return refuse(step, "9(1)", "cards_unknown", place=hand.place)
        case Comparison.NO_HAND:
            return refuse(step, "7", "three_cards", place=hand.place)
        case Comparison.CONTRADICTION:
            unchanged, no = refuse(step, "9(1)", "cards_disagree", place=hand.place)
            return unchanged, no + momentary(Code.SHOE_CARDS_DISAGREE, step.settings.shoe)
        case Comparison.TWICE:
            twice = too_many(state.deal, hand, given)
            return refuse(step, "1(1)", "card_twice", cards=" ".join(sorted(twice)))
        case Comparison.AGREED:
            return _revealed(step, replace(hand, cards=given or hand.cards, opened=True))


def _revealed(step: Step, hand: Hand) -> Outcome:
    cards = face_up(hand)
    state = replace(step.state, deal=with_seen(step.state.deal, hand))
    said = announce(Revealed(state.round_id, hand.place, cards, hands.combination(cards)))
    if hand.place == DEALER:
        settled, ended = _settle(step, state)
        return settled, said + ended
    following = _next_phase(state)
    if following.phase is state.phase or not step.settings.confirm_payment:
        return following, said
    return following, said + _pair_bets_settled(following, step.rules)


def _pair_bets_settled(state: QPoker, rules: QPokerRules) -> Effects:
    """Announce the bets on a pair and winning combinations, paid before decisions.

    Rule: 89/2004 art. 9(1), 9(2); reading 21.
    """
    settled = settlement.settle_pairs(played_places(state), rules)
    bets = tuple(
        PartBet(
            place.place,
            each.bet.bettor,
            format_money(each.bet.stake),
            each.outcome.value,
            format_money(each.net),
            format_money(each.commission),
            each.bet.bet.value,
        )
        for place in settled
        for each in place.bets
    )
    return announce(PartSettled(state.round_id, "q_poker", BetName.PAIR_OR_BETTER.value, bets)) if bets else ()


def face_up(hand: Hand) -> tuple[Card, ...]:
    """The cards of an open hand."""
    return tuple(card for card in hand.cards if card is not None)


def _next_phase(state: QPoker) -> QPoker:
    """Decisions begin when the last of the players' hands is open.

    Rule: 89/2004 art. 9(1), 9(2).
    """
    if not all(hand.opened for hand in players_hands(state)):
        return state
    cause = Cause.HANDS_OPENED if undecided(state) else Cause.NOTHING_TO_DECIDE
    return replace(state, phase=after(state.phase, cause), deal=replace(state.deal, last=""))


def _no_decision_now(phase: Phase) -> tuple[str, str]:
    return ("9(3)", "decisions_over") if phase is Phase.SHOWDOWN else ("9(2)", "hands_first")


def _is_his(bet: Bet, declared: DecisionDeclared) -> bool:
    return (bet.place, bet.bettor, bet.bet) == (declared.place, declared.bettor, BetName.VERSUS_DEALER)


def _decide(state: QPoker, bet: Bet, decision: str) -> Outcome:
    marked = replace(bet, decision=decision)
    decided = replace(state, bets=tuple(marked if other is bet else other for other in state.bets))
    said = announce(Decided(state.round_id, bet.place, bet.bettor, decision))
    if undecided(decided):
        return decided, said
    return replace(decided, phase=after(state.phase, Cause.DECIDED)), said


def _settle(step: Step, state: QPoker) -> Outcome:
    """All bets settled from the cards on the table, and the round is over.

    Rule: 89/2004 art. 9(4) to 9(7), art. 10.
    """
    played = played_round(state)
    event = Settled(
        round_id=state.round_id,
        game="q_poker",
        rules={},
        round=shapes.write_round(played),
        settlement=shapes.settlement_form(played, step.rules),
        rules_version=step.rules.version,
        opened=utc_text(state.opened_us),
        settled=utc_text(step.fact.at.utc_us),
        irregularities=state.irregularities,
    )
    return cleared(state, Cause.SETTLED), announce(event)


def played_round(state: QPoker) -> Round:
    """Return the round as input of its settlement: open hands and bets.

    A dead hand stays face down and out of it.
    """
    dealer = hand_of(state.deal.hands, DEALER)
    return Round(face_up(dealer) if dealer else (), played_places(state))


def played_places(state: QPoker) -> tuple[Place, ...]:
    """The places that play, with their open hands and their bets."""
    return tuple(_played_place(state, hand) for hand in players_hands(state))


def _played_place(state: QPoker, hand: Hand) -> Place:
    bets = tuple(
        settlement.Bet(bet.bettor, BetName(bet.bet), bet.stake, Decision(bet.decision) if bet.decision else None)
        for bet in state.bets
        if bet.place == hand.place
    )
    return Place(int(hand.place), face_up(hand), bets)
