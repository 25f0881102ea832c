"""The next step of the procedure: the request behind the prompt."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tablectl.core.events.text import Saying

VERBS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "pack": "confirm_pack",
        "cut": "confirm_pack",
        "reshuffle": "confirm_pack",
        "pack_unfit": "confirm_pack",
        "open_round": "open_round",
        "betting": "close_betting",
        "betting_shuffling": "close_betting",
        "betting_shake": "close_betting",
        "betting_deal": "close_betting",
        "betting_by_hand": "enter_dice",
        "betting_reader_away": "enter_dice",
        "betting_enter_dice": "enter_dice",
        "banker_throwing_by_hand": "enter_dice",
        "banker_throwing_reader_away": "enter_dice",
        "throwing_by_hand": "enter_dice",
        "throwing_reader_away": "enter_dice",
        "closed_enter_dice": "enter_dice",
        "away": "enter_dice",
        "unread": "enter_dice",
        "misplaced": "mend_card",
        "misplaced_whose": "mend_card",
        "surplus": "misplace_card",
        "count": "count_cards",
        "deal": "finish_deal",
        "deal_unread": "finish_deal",
        "deal_thirds": "finish_deal",
        "closed_deal": "finish_deal",
        "look": "open_hand",
        "open_hands": "open_hand",
        "open_dealer": "open_hand",
        "decisions": "decide",
        "declare": "declare_spin",
        "declare_again": "declare_spin",
        "declare_away": "declare_spin",
        "declare_away_again": "declare_spin",
        "state_spin": "declare_spin",
        "confirm": "confirm_spin",
        "confirm_declared": "confirm_spin",
        "seats": "take_seat",
        "bank": "take_bank",
        "bank_passes": "take_bank",
        "bank_open": "take_bank",
        "capital": "take_bank",
        "capital_kept": "take_bank",
        "limit": "waive_bank_limit",
        "pay": "pay_place",
        "pay_part": "pay_place",
        "pay_changes": "pay_place",
        "banker_sets": "show_tiers",
        "banker_foul": "show_tiers",
        "compare": "show_tiers",
        "pick_up": "pick_up_cards",
        "players_set": "finish_setting",
        "set_on": "finish_setting",
        "call_time": "call_time",
        "lateness": "confirm_late",
        "name_pack": "name_material",
        "no_holder": "take_back_bet",
    }
)
"""The request that a prompt asks for, by the last part of its key; any other prompt waits for a device or a person."""

DEVICE_ACTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "card": "deal",
        "third_card": "deal",
        "closed": "deal",
        "packet": "packet",
        "spin": "spin",
        "spin_again": "spin",
        "spinning": "spin",
        "declare_away": "spin",
        "declare_away_again": "spin",
        "closed_shake": "throw",
        "banker_throwing": "throw",
        "throwing": "throw",
        "drawing": "draw",
        "showing": "draw",
    }
)
"""What is done at a device while a prompt stands, by the last part of its key."""


def next_step(waiting: Saying) -> Mapping[str, str | None]:
    """The request, or else the act at a device, that the table waits for.

    Args:
        waiting: the sentence that the table shows.
    """
    name = waiting.key.rpartition(".")[2]
    return {"prompt": name, "verb": VERBS.get(name), "device": DEVICE_ACTS.get(name)}
