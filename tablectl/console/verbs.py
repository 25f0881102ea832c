"""The table of requests: verb, form, who may ask, and an example. API and description are made from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from tablectl.console import forms, mishaps
from tablectl.console.forms import Form
from tablectl.console.people import ANYBODY, FLOOR, SUPERVISORS, Role


@dataclass(frozen=True, slots=True)
class Verb:
    """One kind of request.

    Args:
        form: the class of its body.
        roles: who may ask.
        example: its own fields, beside those that every request has.
    """

    form: type[Form]
    roles: frozenset[Role]
    example: Mapping[str, Any]


VERBS: Final[Mapping[str, Verb]] = MappingProxyType(
    {
        "confirm_pack": Verb(forms.ConfirmPack, FLOOR, {"shuffle": "hand"}),
        "open_round": Verb(forms.OpenRound, FLOOR, {"dealing": "shoe"}),
        "change_dealing": Verb(forms.ChangeDealing, FLOOR, {"dealing": "shuffler"}),
        "bet": Verb(forms.Bet, FLOOR, {"place": 1, "bettor": "A", "bet": "versus_dealer", "stake": "100"}),
        "take_back_bet": Verb(forms.TakeBackBet, FLOOR, {"place": 1, "bettor": "A", "bet": "versus_dealer"}),
        "close_betting": Verb(forms.CloseBetting, FLOOR, {}),
        "decide": Verb(forms.Decide, FLOOR, {"place": 1, "bettor": "A", "decision": "play"}),
        "open_hand": Verb(forms.OpenHand, FLOOR, {"place": "dealer", "cards": ["As", "Kd", "7c"]}),
        "expose_card": Verb(mishaps.ExposeCard, FLOOR, {"place": 1, "index": 2, "card": "Qh"}),
        "misplace_card": Verb(mishaps.MisplaceCard, FLOOR, {"place": 3}),
        "mend_card": Verb(mishaps.MendCard, FLOOR, {}),
        "count_cards": Verb(mishaps.CountCards, FLOOR, {"count": 6}),
        "declare_misdeal": Verb(mishaps.DeclareMisdeal, FLOOR, {"place": 1}),
        "declare_malfunction": Verb(mishaps.DeclareMalfunction, FLOOR, {}),
        "report_cards_held_away": Verb(mishaps.ReportCardsHeldAway, FLOOR, {"place": 1, "bettor": "A"}),
        "void_round": Verb(mishaps.VoidRound, SUPERVISORS, {"reason": "the table was knocked over"}),
        "acknowledge_fault": Verb(mishaps.AcknowledgeFault, ANYBODY, {"code": 901, "device": "shoe"}),
    }
)
"""Every request by its verb. Which fault a role may acknowledge, ``people.may_clear`` says besides."""
