"""A round of any game as it lies on the table.

It has every part that the game has, and no card that lies face down.
"""

from collections.abc import Iterator
from typing import Any

from tablectl.features.monitor.language import Speech, say_hand
from tablectl.history.explain.model import Form, inside, items_of, listed


def said_of_play(speech: Speech, round_: Form) -> Iterator[str]:
    """Render draw, wheel, bank, dice, hands and bets, in this order.

    Only the parts that the game has are there.
    """
    yield from _draw(speech, inside(round_, "draw"))
    yield from _wheel(speech, round_)
    yield from _bank(speech, round_)
    yield from _hands(speech, round_)
    bets = listed(round_, "bets")
    yield from (_bet(speech, bet) for bet in bets)
    if not bets:
        yield speech.say("no_bets")


def _draw(speech: Speech, draw: Form) -> Iterator[str]:
    """Render the draw, once the display has shown it.

    Rule: 41/2003 art. 6(1).
    """
    if draw.get("shown"):
        yield speech.say("drawn", series=speech.term("series", draw["series"]), combination=draw["combination"])


def _wheel(speech: Speech, round_: Form) -> Iterator[str]:
    rotation = inside(round_, "rotation")
    if inside(round_, "wheel").get("turning"):
        yield speech.say("turning")
    elif rotation.get("valid"):
        yield speech.say("rotation", section=rotation["section"], symbol=rotation["symbol"])
    elif rotation:
        reasons = speech.voice.words.listed(speech.term("spin_flaw", each) for each in items_of(rotation["reasons"]))
        yield speech.say("invalid", reasons=reasons)


def _bank(speech: Speech, round_: Form) -> Iterator[str]:
    banker, bank = inside(round_, "banker"), inside(round_, "bank")
    if bank:
        yield speech.say("bank", capital=bank["capital"], room=bank["room"])
    if dice := items_of(round_.get("dice")):
        yield _dice(speech, speech.place(round_.get("first")), [dice], None)
    if banker:
        yield _dice(speech, speech.place("banker"), banker["throws"], banker.get("combination"))
    for place in listed(round_, "places"):
        yield _dice(speech, speech.place(place["place"]), place["throws"], place.get("combination"))


def _dice(speech: Speech, place: str, throws: Any, combination: str | None) -> str:
    said = " ".join("-".join(map(str, throw)) if throw else "?" for throw in throws) or "–"
    made = speech.term("combination", combination) if combination else ""
    return speech.say("throws", place=place, throws=said, combination=made).rstrip()


def _hands(speech: Speech, round_: Form) -> Iterator[str]:
    for hand in listed(round_, "hands"):
        made = hand.get("natural")
        marks = [speech.term("natural", made) if made else "", speech.say("dead") if hand.get("dead") else ""]
        said = speech.say("hand", place=speech.place(hand["place"]), cards=say_hand(hand))
        yield "  ".join(part for part in (said, *marks) if part)


def _bet(speech: Speech, bet: Form) -> str:
    place = speech.place(bet["place"])
    said = speech.say("bet", place=place, bettor=bet["bettor"], bet=speech.short("bet", bet["bet"]), stake=bet["stake"])
    decision = bet.get("decision")
    return f"{said}  {speech.term('decision', decision)}" if decision else said
