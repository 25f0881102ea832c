"""Customs and slips of any table's people.

Bettors bet the same again or leave something undone, and entries are put right.
"""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any, Final

from tablectl import words
from tablectl.features.demo.console import IDLE, View
from tablectl.features.demo.playing import Mistyped, Playing
from tablectl.features.demo.script import DICE, SHOE, SHUFFLER
from tablectl.players.moves import Ask, Move, Throw


class Custom(StrEnum):
    """Something that may come up at a table; each game names what can at its own."""

    SAME_BETS_AGAIN = "same_bets_again"
    ENDED_WITHOUT_BETS = "ended_without_bets"
    STAKE_AMENDED = "stake_amended"
    ROUND_AMENDED = "round_amended"
    MATERIAL_NAMED = "material_named"
    FOREIGN_CARD = "foreign_card"
    DID_NOT_DECIDE = "did_not_decide"
    DID_NOT_SHAKE = "did_not_shake"
    DID_NOT_SHOW = "did_not_show"
    DID_NOT_THROW = "did_not_throw"


EVERYWHERE: Final = (
    Custom.SAME_BETS_AGAIN,
    Custom.ENDED_WITHOUT_BETS,
    Custom.STAKE_AMENDED,
    Custom.ROUND_AMENDED,
)
"""What may come up at every table."""

MATERIAL: Final[Mapping[str, str]] = {SHUFFLER: "pack", SHOE: "shoe", DICE: "dice"}
"""What can be exchanged, by the device that the table has for it."""

OF_THE_BANK: Final = frozenset({"capital", "associate", "casino", "bank"})
"""What lies in the bank of Chinese dice, by the names that bets have."""

OUTCOME_SEEN: Final = frozenset({"throwing", "paying"})
"""The phases with which an outcome can be seen as soon as the betting is over."""


async def come_up(playing: Playing, view: View, move: Move) -> bool:
    """Carry out what comes up before a move.

    Returns:
        Whether the move was made, or became void.
    """
    if view.phase != "betting" and playing.plan.mishap == Custom.STAKE_AMENDED:
        await _amend(playing, view)
    match move:
        case Ask("confirm_pack" | "open_round") if view.phase == IDLE:
            await _see_to_materials(playing, view)
        case Ask("bet", fields) if not laid(view):
            return await _before_bets(playing, fields)
        case Ask("pick_up_cards" | "open_hand", {"place": place}) if playing.strikes(Custom.FOREIGN_CARD):
            await _declare(playing, place)
            return True
        case Ask("open_hand" | "show_tiers" | "decide" as verb, {"place": place}):
            left = Custom.DID_NOT_DECIDE if verb == "decide" else Custom.DID_NOT_SHOW
            if (bettor := _bettor(view, place, verb)) and playing.strikes(left):
                await _declare(playing, place, bettor)
                return True
        case Throw() if playing.strikes(Custom.DID_NOT_SHAKE, Custom.DID_NOT_THROW):
            await _declare(playing)
            return True
        case _:
            pass
    return False


async def come_up_afterwards(playing: Playing, view: View) -> None:
    """Carry out what comes up once the round is over."""
    if playing.mistyped is not None:
        await playing.company.pace.take(2.0)
        await _amend(playing, view)


async def _see_to_materials(playing: Playing, view: View) -> None:
    """Exchange what is unfit, which takes a supervisor, or what the plan says."""
    staff, pace = playing.company.staff, playing.company.pace
    changes = [(staff.supervisor, each["kind"]) for each in view.state["materials"] if not each["fit"]]
    if playing.strikes(Custom.MATERIAL_NAMED):
        changes.append((staff.dealer, next(kind for name, kind in MATERIAL.items() if name in view.attached)))
    for person, kind in changes:
        await pace.take(2.0)
        await person.do("name_material", kind=kind, name=f"{kind[0].upper()}-{playing.plan.number:02}")


async def _before_bets(playing: Playing, fields: Mapping[str, Any]) -> bool:
    dealer = playing.company.staff.dealer
    if playing.strikes(Custom.ENDED_WITHOUT_BETS):
        await dealer.do("end_round")
        return True
    if playing.strikes(Custom.SAME_BETS_AGAIN):
        for offer in await dealer.offers("repeat_bets"):
            await playing.company.pace.take(0.7)
            await dealer.ask("repeat_bets", **offer)
        lie_again = bool(laid(await playing.company.look()))
        if lie_again:
            planned = [name for name in ("bets", "stakes") if hasattr(playing.plan, name)]
            playing.plan = replace(playing.plan, **dict.fromkeys(planned, ()))
        return lie_again
    if playing.strikes(Custom.STAKE_AMENDED, Custom.ROUND_AMENDED):
        answer = await dealer.do("bet", **{**fields, "stake": "100" if fields["stake"] != "100" else "200"})
        round_id = (await playing.company.look()).round_id
        playing.mistyped = Mistyped(round_id, answer.record, fields["stake"])
        return True
    return False


async def _amend(playing: Playing, view: View) -> None:
    """Put the mistyped stake right.

    The dealer may alone before an outcome can be seen; then a supervisor. Once the round is over both do together, and
    what the bettors get or give back is paid.
    """
    wrong, staff = playing.mistyped, playing.company.staff
    if wrong is None:
        return
    playing.mistyped = None
    changes = [{"record": wrong.record, "to": {"stake": wrong.stake}}]
    reason = words.text("demo.amended", staff.dealer.language)
    amended: dict[str, Any] = {"round_id": wrong.round_id, "reason": reason, "changes": changes}
    if view.phase == IDLE:
        amended["second"] = {"person": staff.supervisor.name, "pin": staff.supervisor.pin}
    by = staff.supervisor if view.phase in OUTCOME_SEEN else staff.dealer
    await by.do("amend", **amended)
    if view.phase == IDLE:
        for due in (await playing.company.look()).state["payment"]:
            await staff.dealer.do("pay_place", round_id=due["round_id"])


async def _declare(playing: Playing, place: Any = "", bettor: str = "") -> None:
    """Have a supervisor declare what the plan says: some of it voids the round."""
    await playing.company.pace.take(1.5)
    supervisor = playing.company.staff.supervisor
    await supervisor.do("declare_irregularity", kind=str(playing.plan.mishap), place=place, bettor=bettor)


def laid(view: View) -> list[Mapping[str, Any]]:
    """The bets that lie; what the banker and who joins them put on the table is none."""
    return [bet for bet in view.round["bets"] if bet["bet"] not in OF_THE_BANK]


def _bettor(view: View, place: Any, verb: str) -> str:
    """Return who has a bet at a place; empty where nobody has.

    For a decision it is one that is to be decided.
    """
    bets = [each for each in view.round["bets"] if each["place"] == place]
    if verb == "decide":
        bets = [each for each in bets if each["bet"] == "versus_dealer" and not each["decision"]]
    return next((str(each["bettor"]) for each in bets), "")
