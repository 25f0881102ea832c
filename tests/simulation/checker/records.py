"""What lies in the journal: all that was acknowledged, once, in order, under its chain, and nothing else."""

import hashlib
import struct
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from pydantic_core import from_json

from tests.simulation.checker.case import Case, Lines, leaf
from tests.simulation.history import Answered, EventRow, Form, Image, Row

FACTS: Final[Mapping[str, str]] = {
    "open_round": "round_opened",
    "bet": "bet_offered",
    "take_back_bet": "bet_taken_back",
    "repeat_bets": "bets_repeated",
    "close_betting": "betting_closed",
    "decide": "decision_declared",
    "take_seat": "seat_taken",
    "leave_seat": "seat_left",
    "declare_irregularity": "irregularity_declared",
    "end_round": "round_ended",
    "void_round": "round_voided",
    "amend": "round_amended",
    "correct_round": "round_corrected",
    "name_material": "material_named",
    "bookmark": "bookmarked",
    "acknowledge_fault": "fault_acknowledged",
    "confirm_pack": "pack_confirmed",
    "change_dealing": "dealing_changed",
    "open_hand": "hand_opened",
    "expose_card": "card_exposed",
    "misplace_card": "card_misplaced",
    "mend_card": "card_mended",
    "count_cards": "cards_counted",
    "declare_misdeal": "misdeal_declared",
    "declare_malfunction": "malfunction_declared",
    "report_cards_held_away": "cards_held_away",
    "finish_deal": "deal_finished",
    "cancel_deal": "deal_cancelled",
    "show_tiers": "tiers_shown",
    "pick_up_cards": "cards_picked_up",
    "finish_setting": "setting_finished",
    "call_time": "time_called",
    "confirm_late": "lateness_confirmed",
    "cut_pack": "pack_cut",
    "declare_spin": "spin_declared",
    "confirm_spin": "spin_confirmed",
    "invalidate_spin": "spin_invalidated",
    "enter_dice": "dice_entered",
    "invalidate_throw": "throw_invalidated",
    "pay_place": "place_paid",
    "take_bank": "bank_taken",
    "decline_bank": "bank_declined",
    "waive_bank_limit": "bank_limit_waived",
    "join_casino": "casino_joined",
    "join_associate": "associate_joined",
    "run_self_test": "self_test_asked",
    "show_test_pattern": "pattern_asked",
}
"""What a request is called in the journal."""


def answered_is_kept(case: Case) -> Lines:
    """Every request that was answered is the record that its answer named, then and at the end."""
    for said in case.history.answered:
        if (why := _not_kept(said, case.final.rows, case.facts)) is not None:
            yield f"{said.request_id} ({said.verb}) was answered at {said.at_s:.3f} s: {why}"
    for image in case.history.images:
        before = [said for said in case.history.answered if said.at_s <= image.at_s]
        if lost := [said for said in before if said.record > len(image.rows)]:
            yield f"life {image.life} began without record {lost[0].record}, which was answered to {lost[0].request_id}"


def _not_kept(said: Answered, rows: Sequence[Row], facts: Sequence[Form]) -> str | None:
    if said.record > len(rows):
        return f"record {said.record} is missing"
    fact = facts[said.record - 1]
    if fact.get("request_id") != said.request_id or fact["fact"] != FACTS[said.verb]:
        return f"record {said.record} is {fact['fact']} {fact.get('request_id')}"
    return None


def asked_is_done_once(case: Case) -> Lines:
    """A request that was made again does nothing again."""
    of_record: dict[int, int] = Counter(row.record for row in case.final.events)
    first: dict[tuple[str, str], int] = {}
    for number, fact in enumerate(case.facts, 1):
        name = fact.get("request_id")
        if name is None:
            continue
        key = fact.get("by", ""), name
        if key in first and of_record.get(number, 0):
            yield f"{name} was done at record {first[key]} and again at {number}"
        first.setdefault(key, number)


def stored_is_kept(case: Case) -> Lines:
    """Every report that a device was told to forget is in the journal, then and at the end."""
    kept = _deliveries(case.facts)
    told = _told(case)
    for word in case.history.stored:
        lost = [n for n in told[word.device, word.boot] if n <= word.number and (word.device, word.boot, n) not in kept]
        if lost:
            yield f"{word.device} forgot report {lost[0]} of {word.boot:08x}, and the journal hasn't it"
    for image in case.history.images:
        here = _deliveries(case.facts[: len(image.rows)])
        for word in case.history.stored:
            if word.at_s > image.at_s:
                continue
            lost = [
                n for n in told[word.device, word.boot] if n <= word.number and (word.device, word.boot, n) not in here
            ]
            if lost:
                yield f"life {image.life} began without report {lost[0]} of {word.device}, which has forgotten it"
                return


def _told(case: Case) -> dict[tuple[str, int], list[int]]:
    told: dict[tuple[str, int], list[int]] = defaultdict(list)
    for report in case.history.told:
        told[report.device, report.boot].append(report.number)
    return told


def _deliveries(facts: Sequence[Form]) -> dict[tuple[str, int, int], int]:
    """The first record of each report of a device."""
    found: dict[tuple[str, int, int], int] = {}
    for nth, fact in enumerate(facts, 1):
        if delivery := fact.get("delivery"):
            boot, _, number = delivery.partition(":")
            found.setdefault((fact["source"], int(boot, 16), int(number)), nth)
    return found


def reports_are_in_order_and_once(case: Case) -> Lines:
    """The reports of a device come in the order in which it made them, and what comes again moves nothing."""
    newest: dict[tuple[str, int], int] = {}
    of_record = Counter(row.record for row in case.final.events)
    seen: dict[str, int] = {}
    for number, fact in enumerate(case.facts, 1):
        delivery = fact.get("delivery")
        if not delivery:
            continue
        boot, _, report = delivery.partition(":")
        key = fact["source"], int(boot, 16)
        name = f"{fact['source']} {delivery}"
        if int(report) < newest.get(key, 0) and of_record[number]:
            yield f"{name} came after report {newest[key]}, and counted (record {number})"
        if name in seen and seen[name] != number - 1 and of_record[number]:
            yield f"{name} counted at record {seen[name]} and again at {number}"
        newest[key] = max(newest.get(key, 0), int(report))
        seen[name] = number if of_record[number] or name not in seen else seen[name]


def chain_holds(case: Case) -> Lines:
    """The records follow one another without a gap, each under the link that covers all before it."""
    yield from _broken_chain(case.final)


def _broken_chain(image: Image) -> Lines:
    events: dict[int, list[EventRow]] = defaultdict(list)
    for event in image.events:
        events[event.record].append(event)
    link = bytes(32)
    for nth, row in enumerate(image.rows, 1):
        if row.number != nth:
            yield f"record {nth} is missing"
            return
        link = _link(link, row, events[nth])
        if link != row.link:
            yield f"record {nth} isn't what its link says"
            return
    for nth, event in enumerate(image.events, 1):
        if event.sequence != nth or from_json(event.payload)["sequence"] != f"{nth:016d}":
            yield f"event {nth} is missing"
            return


def _link(link: bytes, row: Row, events: Sequence[EventRow]) -> bytes:
    parts = [
        b"tablectl.record.v2\0",
        link,
        row.salt,
        struct.pack(">qqq", row.number, row.recorded_us, len(row.body)),
        row.body,
    ]
    for event in events:
        topic = event.topic.encode()
        parts += [struct.pack(">qq", event.sequence, len(topic)), topic, leaf(event.payload)]
    return hashlib.sha256(b"".join(parts)).digest()


def past_is_unchanged(case: Case) -> Lines:
    """What lay on the disk when a life began is the beginning of what lies there at the end."""
    for image in case.history.images:
        if case.final.rows[: len(image.rows)] != image.rows:
            yield f"records of life {image.life}'s beginning were changed or lost"
        if case.final.events[: len(image.events)] != image.events:
            yield f"events of life {image.life}'s beginning were changed or lost"


def nothing_is_invented(case: Case) -> Lines:
    """Every fact was caused by a person who asked, or by a device that told."""
    asked = {(word.by, word.request_id): word for word in case.history.asked}
    told = {(word.device, word.boot, word.number) for word in case.history.told}
    for number, fact in enumerate(case.facts, 1):
        if (name := fact.get("request_id")) is not None:
            word = asked.get((fact.get("by", ""), name))
            if word is None or FACTS[word.verb] != fact["fact"]:
                yield f"record {number}: nobody asked for {fact['fact']} as {name}"
            elif wrong := _altered(word.fields, fact["body"]):
                yield f"record {number}: {name} asked for another {wrong}"
        if delivery := fact.get("delivery"):
            boot, _, report = delivery.partition(":")
            if (fact["source"], int(boot, 16), int(report)) not in told:
                yield f"record {number}: {fact['source']} never told {delivery}"
    yield from _invented_cards(case)


def _altered(fields: Form, body: Form) -> str:
    """The name of a plain field that says something else than was asked for."""
    for name in ("place", "bettor", "bet", "count", "decision", "code", "device", "cards", "card", "shuffle"):
        if name in fields and name in body and fields[name] != body[name]:
            return name
    return ""


def _invented_cards(case: Case) -> Lines:
    """The shoe's cards are those that were drawn, in that order; some may be missing."""
    drawn = iter([word.card for word in case.history.cards])
    for number, fact in enumerate(case.facts, 1):
        if fact["fact"] == "card_drawn" and not fact.get("delivery"):
            card = fact["body"]["card"]
            if card and not any(card == real for real in drawn):
                yield f"record {number}: the shoe reports {card}, and nobody drew it then"
                return
