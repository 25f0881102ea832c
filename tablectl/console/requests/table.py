"""The table of requests, from which the API and its OpenAPI description are made."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tablectl.console.auth.people import ANYBODY, SUPERVISORS, Role
from tablectl.console.requests import fields
from tablectl.console.requests.verb import ALWAYS_TWO, SUPERVISED, Verb, verb_of
from tablectl.console.requests.verb import Row as _Row
from tablectl.core import facts
from tablectl.core.facts.amendments import RoundAmended
from tablectl.core.facts.game_requests import (
    AssociateJoined,
    BankDeclined,
    BankLimitWaived,
    BankTaken,
    CardExposed,
    CardMended,
    CardMisplaced,
    CardsCounted,
    CardsHeldAway,
    CardsPickedUp,
    CasinoJoined,
    DealCancelled,
    DealFinished,
    Dealing,
    DealingChanged,
    DiceEntered,
    HandOpened,
    LatenessConfirmed,
    MalfunctionDeclared,
    MisdealDeclared,
    PackConfirmed,
    PackCut,
    PlacePaid,
    SettingFinished,
    Shuffle,
    SpinConfirmed,
    SpinDeclared,
    SpinInvalidated,
    ThrowInvalidated,
    TiersShown,
    TimeCalled,
)
from tablectl.core.facts.table_requests import (
    BetOffered,
    BetsRepeated,
    BetTakenBack,
    BettingClosed,
    DecisionDeclared,
    FaultAcknowledged,
    IrregularityDeclared,
    Material,
    MaterialNamed,
    PatternAsked,
    RoundCorrected,
    RoundEnded,
    RoundOpened,
    RoundVoided,
    SeatLeft,
    SeatTaken,
    SelfTestAsked,
)


def _of_betting() -> Mapping[str, _Row]:
    bet = {"place": fields.Place, "bettor": fields.Bettor, "bet": fields.BetName}
    return {
        "open_round": _Row(
            RoundOpened,
            "A new round; without `dealing`, dealt in the table's usual way.",
            {"dealing": Dealing | None},
            {"dealing": "shoe"},
        ),
        "bet": _Row(
            BetOffered,
            "A stake on a bet of a place; more on the same bet adds to it.",
            {**bet, "stake": fields.Money},
            {"place": 1, "bettor": "A", "bet": "versus_dealer", "stake": "100"},
        ),
        "take_back_bet": _Row(
            BetTakenBack,
            "A whole bet off the layout.",
            bet,
            {"place": 1, "bettor": "A", "bet": "versus_dealer"},
        ),
        "repeat_bets": _Row(
            BetsRepeated,
            "A bettor's bets of the last round lie again, all of them or none, once they have confirmed it.",
            {"bettor": fields.Bettor},
            {"bettor": "A"},
        ),
        "close_betting": _Row(BettingClosed, "No more bets.", {}, {}),
        "decide": _Row(
            DecisionDeclared,
            "What a bettor does with their bet.",
            {"place": fields.Seat, "bettor": fields.Bettor, "decision": fields.Decision},
            {"place": 1, "bettor": "A", "decision": "play"},
        ),
    }


def _of_the_round() -> Mapping[str, _Row]:
    return {
        "take_seat": _Row(
            SeatTaken,
            "A person sat down at a place.",
            {"place": fields.Seat, "bettor": fields.Bettor},
            {"place": 2, "bettor": "A"},
        ),
        "leave_seat": _Row(
            SeatLeft,
            "A person left their place; `bettor` says who, where several sit there.",
            {"place": fields.Seat, "bettor": fields.Anybody},
            {"place": 2, "bettor": "A"},
        ),
        "declare_irregularity": _Row(
            IrregularityDeclared,
            "Something that the law forbids or that spoils a step, of a kind that the game names.",
            {"kind": fields.Kind, "place": fields.PlaceOrNone, "bettor": fields.Anybody},
            {"kind": "looked_early", "place": 2, "bettor": "A"},
        ),
        "end_round": _Row(RoundEnded, "A round in which nobody has bet is over, without a result.", {}, {}),
        "void_round": _Row(
            RoundVoided,
            "The round ends without a result.",
            {"reason": fields.Reason},
            {"reason": "the table was knocked over"},
            second=SUPERVISED,
        ),
    }


def _of_the_past() -> Mapping[str, _Row]:
    return {
        "correct_round": _Row(
            RoundCorrected,
            "What bettors get more, or give back, after a round that is over was settled wrongly.",
            {
                "corrects": fields.CorrectedRound,
                "reason": fields.Reason,
                "changes": fields.Changes,
            },
            {
                "corrects": "1c0ffee1-000001",
                "reason": "a bet at place 1 was read wrongly",
                "changes": [{"bettor": "A", "amount": "-100"}],
            },
            second=ALWAYS_TWO,
        ),
        "amend": _Row(
            RoundAmended,
            "Recorded facts of a round put right: what lay or was said, not what was read or typed. `round_id` names "
            "the round. With `?dry_run=true` nothing changes, and the answer says what would follow.",
            {"reason": fields.AmendReason, "changes": fields.AmendedFacts},
            {
                "reason": "the second card of place 1 was misread",
                "changes": [{"record": 41, "to": {"card": "Kd"}}, {"after": 44, "verb": "bet", "fields": {}}],
            },
        ),
        "name_material": _Row(
            MaterialNamed,
            "This pack, these dice, this shoe are used from now on.",
            {"kind": Material, "name": fields.MaterialName},
            {"kind": "pack", "name": "P-17"},
        ),
    }


def _of_the_record() -> Mapping[str, _Row]:
    return {
        "bookmark": _Row(
            facts.Bookmarked,
            "This moment, or an earlier event, is marked so that it is found again.",
            {"note": fields.Note, "sequence": fields.Sequence},
            {"note": "chip pushed after the call", "sequence": 1234},
            ANYBODY,
        ),
        "acknowledge_fault": _Row(
            FaultAcknowledged,
            "A fault has been seen and dealt with.",
            {"code": fields.FaultCode, "device": fields.DeviceName},
            {"code": 901, "device": "shoe"},
            ANYBODY,
        ),
    }


def _of_the_pack() -> Mapping[str, _Row]:
    return {
        "confirm_pack": _Row(
            PackConfirmed,
            "A whole, shuffled pack lies in the shoe.",
            {"shuffle": Shuffle},
            {"shuffle": "hand"},
        ),
        "cut_pack": _Row(
            PackCut,
            "The pack was cut, by a player or, without `bettor`, by the dealer; `count` cards lie in the smaller part.",
            {"count": fields.Count, "bettor": fields.Anybody},
            {"count": 20, "bettor": "A"},
        ),
        "change_dealing": _Row(
            DealingChanged,
            "This round is dealt the other way; before its first card only.",
            {"dealing": Dealing},
            {"dealing": "shuffler"},
        ),
        "open_hand": _Row(
            HandOpened,
            "A hand turned face up; without `cards` where a device has read them all.",
            {"place": fields.Place, "cards": fields.Cards},
            {"place": "dealer", "cards": ["As", "Kd", "7c"]},
        ),
    }


def _of_cards() -> Mapping[str, _Row]:
    return {
        "expose_card": _Row(
            CardExposed,
            "A card showed that should not have; `card` where no device has read it.",
            {"place": fields.Place, "index": fields.Index, "card": fields.CardName | None},
            {"place": 1, "index": 2, "card": "Qh"},
        ),
        "misplace_card": _Row(
            CardMisplaced,
            "The last card or packet really lies at this place.",
            {"place": fields.Place},
            {"place": 3},
        ),
        "mend_card": _Row(
            CardMended,
            "The misplaced card lies where it belongs again; `place` says where, if it was found after further cards.",
            {"place": fields.PlaceOrNone},
            {"place": 3},
        ),
        "count_cards": _Row(
            CardsCounted,
            "How many cards lie on the table, counted after a reader was away.",
            {"count": fields.Count},
            {"count": 6},
        ),
        "declare_misdeal": _Row(
            MisdealDeclared,
            "A hand was dealt out of order, or not its number of cards, and it is too late to mend that.",
            {"place": fields.Place},
            {"place": 1},
        ),
        "declare_malfunction": _Row(MalfunctionDeclared, "The shuffler failed during the deal.", {}, {}),
        "report_cards_held_away": _Row(
            CardsHeldAway,
            "A bettor held their cards away from the table, or left it with them.",
            {"place": fields.Seat, "bettor": fields.Anybody},
            {"place": 1, "bettor": "A"},
        ),
    }


def _of_tiers() -> Mapping[str, _Row]:
    seat = {"place": fields.Seat}
    return {
        "finish_deal": _Row(DealFinished, "Every card is dealt, where no reader counts them.", {}, {}),
        "cancel_deal": _Row(
            DealCancelled,
            "Misdealt cards can't be given to the places they belong to: all cards are gathered in again.",
            {},
            {},
        ),
        "show_tiers": _Row(
            TiersShown,
            "A place's cards lie face up on the table as set.",
            {"place": fields.Place, "rows": fields.Tiers},
            {
                "place": "banker",
                "rows": [
                    ["2s", "2d", "5c"],
                    ["7h", "7c", "9s", "9d", "Kc"],
                    ["3h", "6h", "8h", "Th", "Qh"],
                ],
            },
        ),
        "pick_up_cards": _Row(CardsPickedUp, "A player took up the cards of a place.", seat, {"place": 2}),
        "finish_setting": _Row(SettingFinished, "A place has its cards set.", seat, {"place": 2}),
        "call_time": _Row(TimeCalled, "The dealer called aloud that the time for setting is over.", {}, {}),
        "confirm_late": _Row(
            LatenessConfirmed,
            "A place had not set its cards when the signal was given.",
            seat,
            {"place": 2},
        ),
    }


def _of_the_wheel() -> Mapping[str, _Row]:
    return {
        "declare_spin": _Row(
            SpinDeclared,
            "The dealer read the wheel themselves, where no sensor does.",
            {"turns": fields.Turns, "section": fields.Section},
            {"turns": 4, "section": 17},
        ),
        "confirm_spin": _Row(SpinConfirmed, "The dealer agrees with what the sensor read.", {}, {}),
        "invalidate_spin": _Row(
            SpinInvalidated,
            "Invalid rotation, for what no sensor sees.",
            {"reason": fields.Kind},
            {"reason": "interference"},
        ),
    }


def _of_dice() -> Mapping[str, _Row]:
    return {
        "enter_dice": _Row(
            DiceEntered,
            "The dealer read the dice themselves, where no reader does.",
            {"place": fields.Place, "dice": fields.Dice, "flaw": fields.Flaw},
            {"place": "banker", "dice": [4, 5, 6], "flaw": ""},
        ),
        "invalidate_throw": _Row(
            ThrowInvalidated, "The last throw isn't valid.", {"flaw": fields.Kind}, {"flaw": "away"}
        ),
        "pay_place": _Row(
            PlacePaid,
            "The bets of a place are paid and collected; all that is due, where no place is named.",
            {"place": fields.PaidPlace},
            {"place": 3},
        ),
    }


def _of_the_bank() -> Mapping[str, _Row]:
    return {
        "take_bank": _Row(
            BankTaken,
            "A bettor took the bank and put their capital on the table.",
            {"place": fields.Seat, "bettor": fields.Bettor, "capital": fields.Money},
            {"place": 1, "bettor": "B", "capital": "1000"},
        ),
        "decline_bank": _Row(
            BankDeclined,
            "A place didn't take the bank, or gave it up.",
            {"place": fields.Seat},
            {"place": 1},
        ),
        "waive_bank_limit": _Row(
            BankLimitWaived, "All others agreed that the banker goes on beyond the limit.", {}, {}
        ),
        "join_casino": _Row(
            CasinoJoined,
            "The casino joined the bank with its share for this round; 0 takes it back.",
            {"share": fields.Money},
            {"share": "500"},
            SUPERVISORS,
        ),
        "join_associate": _Row(
            AssociateJoined,
            "A bettor handed their money to the banker and plays as part of their capital.",
            {"bettor": fields.Bettor, "stake": fields.Money},
            {"bettor": "C", "stake": "200"},
        ),
    }


def _of_devices() -> Mapping[str, _Row]:
    technical = frozenset({Role.TECHNICIAN, Role.SUPERVISOR})
    return {
        "run_self_test": _Row(
            SelfTestAsked,
            "The draw system tests its random source; between rounds only, and what it finds is recorded.",
            {"device": fields.DeviceName},
            {"device": "draw"},
            technical,
        ),
        "show_test_pattern": _Row(
            PatternAsked,
            "The display lights all that it has; between rounds only, the next picture ends it.",
            {"device": fields.DeviceName},
            {"device": "display"},
            technical,
        ),
    }


_ROWS: Final = {
    **_of_betting(),
    **_of_the_round(),
    **_of_the_past(),
    **_of_the_record(),
    **_of_the_pack(),
    **_of_cards(),
    **_of_tiers(),
    **_of_the_wheel(),
    **_of_dice(),
    **_of_the_bank(),
    **_of_devices(),
}

VERBS: Final[Mapping[str, Verb]] = MappingProxyType({name: verb_of(name, row) for name, row in _ROWS.items()})
"""Every request by its verb. Which fault a role may acknowledge, `people.may_clear` says besides."""
