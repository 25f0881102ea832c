"""The procedure of high card, and the game's record."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from tablectl.core import step as steps
from tablectl.core.actions.layout import BetSpace, Candidate, Candidates, Layout, bet_on, chips_for, label, taken_back
from tablectl.core.bets.stakes import (
    Bet,
    Limits,
    bet_placed,
    bet_refused,
    bet_withdrawn,
    find,
    house_forbids,
    lay,
    lift,
    total,
)
from tablectl.core.cards import DEALER, Card
from tablectl.core.cards import Place as AnyPlace
from tablectl.core.effects import Command, Effects, Refuse, announce, refusal
from tablectl.core.events.round import BettingOver, CardOutOfRound, Revealed, RoundBegan, Settled
from tablectl.core.events.text import Saying, saying
from tablectl.core.facts import Fact
from tablectl.core.facts.reports import CardDrawn
from tablectl.core.facts.table_requests import (
    BetOffered,
    BetTakenBack,
    BettingClosed,
    RoundEnded,
    RoundOpened,
    RoundVoided,
)
from tablectl.core.game_record import GameRecord
from tablectl.core.money import format_money, utc_text
from tablectl.core.step import apply_rule, end_without_bets, fault_forbids, refuse, voided
from tablectl.core.table import Table, round_id
from tests.extension.higher_card import HERE, NAME
from tests.extension.higher_card import settlement as settling
from tests.extension.higher_card.settlement import BET, HighCardRules, Place, Round, read_rules, settle_form


class Phase(StrEnum):
    """Where a round stands."""

    IDLE = "idle"
    BETTING = "betting"
    DEALING = "dealing"


TRANSITIONS: Final[Mapping[Phase, Mapping[str, Phase]]] = {
    Phase.IDLE: {"round opened": Phase.BETTING},
    Phase.BETTING: {"no more bets": Phase.DEALING, "void": Phase.IDLE},
    Phase.DEALING: {"settled": Phase.IDLE, "void": Phase.IDLE},
}


PROMPTS: Final[Mapping[Phase, str]] = {Phase.IDLE: "open_round", Phase.BETTING: "betting", Phase.DEALING: "card"}
"""What the table waits for, by the names behind which the pages know a step (`daemon.views.next_step`)."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How this table is set up."""

    places: int = 5
    shoe: str = "shoe"
    limits: Limits = field(default_factory=Limits)
    confirm_payment: bool = False


@dataclass(frozen=True, slots=True)
class HighCard:
    """The table's state: its round, the bets, and the cards in the order dealt."""

    phase: Phase = Phase.IDLE
    round_id: str = ""
    bets: tuple[Bet, ...] = ()
    cards: tuple[Card, ...] = ()
    opened_us: int = 0
    irregularities: tuple[str, ...] = ()


Step = steps.Step[HighCard, Settings, HighCardRules]
Outcome = steps.Outcome[HighCard]


def due(state: HighCard) -> tuple[int | str, ...]:
    """Who is dealt a card, in their order. Rule: toy 2."""
    return (*sorted({int(bet.place) for bet in state.bets}), DEALER)


def round_opened(step: Step, _: RoundOpened) -> Outcome:
    """Open a round. Rule: toy 1."""
    if step.state.phase is not Phase.IDLE:
        return refuse(step, "1", "round_open")
    if (no := fault_forbids(step.table, NAME)) is not None:
        return step.state, (no,)
    opened = HighCard(Phase.BETTING, round_id(step.table), opened_us=step.fact.at.utc_us)
    places = tuple(range(1, step.settings.places + 1))
    return opened, announce(RoundBegan(opened.round_id, NAME, step.rules.version, places, step.rules.hash))


def bet_offered(step: Step, offered: BetOffered) -> Outcome:
    """Take a bet. Rule: toy 1."""
    state = step.state
    if (no := _why_not(step, offered)) is not None:
        return state, (no, bet_refused(_open_round(state), offered, no))
    return replace(state, bets=lay(state.bets, offered)), announce(bet_placed(state.round_id, offered))


def bet_taken_back(step: Step, asked: BetTakenBack) -> Outcome:
    """Give a bet back. Rule: toy 1."""
    state = step.state
    if (no := _too_late(state)) is not None:
        return state, (no,)
    if (gone := find(state.bets, asked)) is None:
        return refuse(step, "1", "no_such_bet", place=asked.place, bettor=asked.bettor, bet=asked.bet)
    return replace(state, bets=lift(state.bets, gone)), announce(bet_withdrawn(state.round_id, gone))


def betting_closed(step: Step, _: BettingClosed) -> Outcome:
    """Call the end of betting. Rule: toy 1."""
    state = step.state
    if (no := _too_late(state)) is not None:
        return state, (no,)
    if not state.bets:
        return refuse(step, "1", "no_bets")
    closed = replace(state, phase=TRANSITIONS[state.phase]["no more bets"])
    return closed, announce(BettingOver(state.round_id, "dealer", total(state.bets)))


def card_drawn(step: Step, drawn: CardDrawn) -> Outcome:
    """Turn a card up at the next hand; the dealer's ends the round. Rule: toy 2."""
    state = step.state
    if state.phase is not Phase.DEALING or drawn.card is None:
        return state, announce(CardOutOfRound(_open_round(state), drawn.device))
    dealt = replace(state, cards=(*state.cards, drawn.card))
    shown = announce(Revealed(state.round_id, due(state)[len(state.cards)], (drawn.card,), None))
    return (dealt, shown) if len(dealt.cards) < len(due(dealt)) else _settle(step, dealt, shown)


def round_voided(step: Step, asked: RoundVoided) -> Outcome:
    """End the round without a result; every stake goes back."""
    state = step.state
    if state.phase is Phase.IDLE:
        return refuse(step, "1", "no_round")
    if not asked.reason.strip():
        return refuse(step, "table", "reason_missing")
    over = HighCard(TRANSITIONS[state.phase]["void"], state.round_id)
    return over, voided(step, state, "table", asked.reason, state.bets)


def round_ended(step: Step, _: RoundEnded) -> Outcome:
    """End a round in which nobody has bet."""
    return end_without_bets(step, step.state.bets, round_voided)


def _settle(step: Step, state: HighCard, said: Effects) -> Outcome:
    """Settle every bet against the dealer's card. Rule: toy 3, 4."""
    hands = zip(due(state)[:-1], state.cards, strict=False)
    places = tuple(
        Place(int(place), card, tuple(settling.Bet(bet.bettor, bet.stake) for bet in state.bets if bet.place == place))
        for place, card in hands
    )
    played = Round(state.cards[-1], places)
    event = Settled(
        round_id=state.round_id,
        game=NAME,
        rules={},
        round=settling.write_round(played),
        settlement=settling.settlement_form(played, step.rules),
        rules_version=step.rules.version,
        opened=utc_text(state.opened_us),
        settled=utc_text(step.fact.at.utc_us),
        irregularities=state.irregularities,
    )
    return HighCard(TRANSITIONS[state.phase]["settled"], state.round_id), said + announce(event)


def _open_round(state: HighCard) -> str | None:
    return None if state.phase is Phase.IDLE else state.round_id


def _too_late(state: HighCard) -> Refuse | None:
    if state.phase is Phase.IDLE:
        return refusal(NAME, "1", "no_round")
    return None if state.phase is Phase.BETTING else refusal(NAME, "1", "betting_over")


def _why_not(step: Step, offered: BetOffered) -> Refuse | None:
    if (no := _too_late(step.state)) is not None:
        return no
    places = step.settings.places
    if not isinstance(offered.place, int) or not 1 <= offered.place <= places:
        return refusal(NAME, "table", "no_such_place", place=offered.place, places=places)
    if offered.bet != BET:
        return refusal(NAME, "table", "no_such_bet_name", bet=offered.bet)
    return house_forbids(NAME, step.settings.limits, step.state.bets, offered)


RULES: Final[steps.Rules[HighCard]] = {
    RoundOpened: round_opened,
    BetOffered: bet_offered,
    BetTakenBack: bet_taken_back,
    BettingClosed: betting_closed,
    CardDrawn: card_drawn,
    RoundVoided: round_voided,
    RoundEnded: round_ended,
}


@dataclass(frozen=True, slots=True)
class HighCardGame:
    """High card under one rule table and one table's settings."""

    rules: HighCardRules
    settings: Settings = field(default_factory=Settings)
    name: str = NAME

    @property
    def rules_version(self) -> str:
        """The version of the house's rules."""
        return self.rules.version

    @property
    def rules_hash(self) -> str:
        """SHA-256 of the rule table."""
        return self.rules.hash

    @property
    def confirms_payment(self) -> bool:
        """Return True if the dealer confirms what they have paid and collected."""
        return self.settings.confirm_payment

    def begin(self) -> HighCard:
        """A table that has seen nothing."""
        return HighCard()

    def step(self, table: Table[HighCard], fact: Fact) -> tuple[HighCard, Effects]:
        """The game after one more fact, and what follows."""
        return apply_rule(RULES, steps.Step(self.name, table, fact, self.settings, self.rules))

    def candidates(self, table: Table[HighCard]) -> Candidates:
        """Every request that the game knows, as it could be made now."""
        bets = taken_back(table.game.bets, BET)
        return Candidate(RoundOpened()), bet_on(BET, self.settings.limits), *bets, Candidate(BettingClosed())

    def layout(self) -> Layout:
        """The table as rules and settings make it."""
        limits = self.settings.limits
        return Layout(
            places=tuple(range(1, self.settings.places + 1)),
            bets=(BetSpace(BET, label(f"bet.{NAME}", BET), limits),),
            hands=(DEALER,),
            chips=chips_for(limits),
            cards=1,
            packs=1,
        )

    def round_id(self, state: HighCard) -> str | None:
        """The round in being; None between rounds."""
        return _open_round(state)

    def phase(self, state: HighCard) -> str:
        """The phase's name."""
        return state.phase.value

    def waiting(self, table: Table[HighCard]) -> Saying:
        """The step that the table waits for."""
        return saying(f"prompt.{NAME}.{PROMPTS[table.game.phase]}")

    def public(self, state: HighCard) -> Mapping[str, Any]:
        """The public state of the round: every card lies open."""
        hands = zip(due(state), state.cards, strict=False)
        return {
            "round_id": _open_round(state),
            "phase": state.phase.value,
            "bets": [
                {"place": bet.place, "bettor": bet.bettor, "bet": bet.bet, "stake": format_money(bet.stake)}
                for bet in state.bets
            ],
            "hands": [{"place": place, "opened": True, "dead": False, "cards": [card]} for place, card in hands],
        }

    def outstanding(self, state: HighCard) -> tuple[Command, ...]:  # the protocol's form
        """Nothing: no device is commanded."""
        return ()

    def outcome_seen(self, state: HighCard) -> bool:
        """Return True if a card of the round lies on the table."""
        return bool(state.cards)

    def public_needs(self, state: HighCard) -> frozenset[AnyPlace]:  # the protocol's form
        """None: no step of the procedure depends on cards that lie face down."""
        return frozenset()

    def unrevealed(self, state: HighCard) -> frozenset[str]:  # the protocol's form
        """Nothing: every card lies open."""
        return frozenset()


def dealers_rank(data: Mapping[str, Any]) -> str:
    """The rank of the dealer's card, of the data of a settled round's end."""
    return str(data["settlement"]["dealer"]["rank"])


GAME: Final = GameRecord(
    name=NAME,
    rule_table=str(HERE / "rules.toml"),
    table=str(HERE / "table.toml"),
    setup=("places = 5", 'stakes = {least = "50", most = "5000", step = "50"}'),
    read_rules=read_rules,
    settle=settle_form,
    procedure=HighCardGame,
    settings=Settings,
    state=HighCard,
    transitions=TRANSITIONS,
    result=dealers_rank,
    articles={"round.opened": "1", "bet.placed": "1", "round.revealed": "2", "round.settled": "3, 4"},
    odds=f"{__package__}.odds:higher_card_odds",
    demo=f"{__package__}.demo",
    player=f"{__package__}.player:next_move",
    bets=(BET,),
    devices=("shoe",),
    usual=("shoe",),
    dealt_open=True,
)
