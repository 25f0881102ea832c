"""Messages as short lines for people, in a language of the house."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from tablectl.history.device_lines import (
    dice_thrown,
    draw_committed,
    draw_shown,
    draw_void,
    wheel_invalid,
    wheel_started,
    wheel_stopped,
)
from tablectl.history.explain.amended import amended_lines
from tablectl.history.language import BOLD, DIM, RED, YELLOW, Form, Speech, form_of
from tablectl.history.settlement_table import settled_lines
from tablectl.history.statistics.stream_names import stream_title
from tablectl.words import Language
from tablectl.words.reason import heard
from tablectl.words.terminal import visible_form

TYPE_PREFIX: Final = "mo.tablectl."
_INDENT: Final = " " * 4


class Renderer:
    """Says what messages mean. Keeps nothing: each message explains itself.

    Args:
        colour: whether ANSI colours may support what the text says without them.
        width: columns of the lines' widest table, its indent included; None where there is no limit.
    """

    def __init__(self, language: Language = "en", *, colour: bool = False, width: int | None = None) -> None:
        self.say = Speech(language, colour, None if width is None else width - len(_INDENT))

    def lines(self, message: Form) -> list[str]:
        """The lines for one message, an event or a status.

        They have its time, its number, a mark where it is simulated, and its content. A message of a later version,
        whose form isn't known here, is shown as its type and its fields.
        """
        message = form_of(visible_form(message))
        kind = str(message.get("type", "")).removeprefix(TYPE_PREFIX)
        data = form_of(message.get("data"))
        try:
            tell, codes = _TELLERS[kind]
            first, *rest = tell(self.say, data)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            first, rest, codes = " ".join([kind, *(f"{name}={value}" for name, value in data.items())]), [], ()
        return [f"{self._head(message)}{self.say.paint(first, *codes)}", *(_INDENT + line for line in rest)]

    def _head(self, message: Form) -> str:
        time = str(message.get("time", ""))[11:23]
        sequence = str(message.get("sequence", "")).lstrip("0")
        simulated = self.say.label("simulated") if message.get("simulated") else ""
        parts = [self.say.paint(time, DIM), f"#{sequence}" if sequence else "", simulated]
        return "".join(f"{part}  " for part in parts if part)


def _opened(say: Speech, data: Form) -> list[str]:
    numbers = [place for place in data["places"] if isinstance(place, int)]
    whole = numbers[2:] and numbers == list(range(numbers[0], numbers[-1] + 1))
    told = [f"{numbers[0]}–{numbers[-1]}"] if whole else [str(number) for number in numbers]
    named = [say.place(place) for place in data["places"] if not isinstance(place, int)]
    places = say.listed(told + named)
    game = say.term("game", data["game"])
    return [say.label("opened", round=data["round_id"], game=game, rules=data["rules_version"], places=places)]


def _closed(say: Speech, data: Form) -> list[str]:
    return [say.label("closed", by=say.label(f"by.{data['by']}"), total=data["total_stakes"])]


def _revealed(say: Speech, data: Form) -> list[str]:
    hand = say.term("hand", data["hand"]) if data.get("hand") else ""
    said = say.label("revealed", place=say.place(data["place"]), cards=say.cards(data["cards"]), hand=hand)
    return [said.rstrip()]


def _decided(say: Speech, data: Form) -> list[str]:
    decision = say.term("decision", data["decision"])
    return [say.label("decided", place=say.place(data["place"]), bettor=data["bettor"], decision=decision)]


def _irregular(say: Speech, data: Form) -> list[str]:
    article, consequence = say.article(data["article"]), say.term("consequence", data["consequence"])
    return [say.label("irregular", article=article, text=say.text(data["text"]), consequence=consequence)]


def _settled(say: Speech, data: Form) -> list[str]:
    return [say.label("settled", round=data["round_id"]), *settled_lines(say, data)]


def _void(say: Speech, data: Form) -> list[str]:
    reason, article = say.term("irregular", data["reason"]), say.article(data["article"])
    said = say.label("void", round=data["round_id"], article=article, reason=reason, by=data["by"])
    paid = (say.label("paid_before", **_net(say, each)) for each in data.get("paid", ()))
    back = (say.label("taken_back", **each) for each in data.get("to_take_back", ()))
    return [said, *(say.label("returned", **_bet(say, stake)) for stake in data.get("returned", ())), *paid, *back]


def _part_settled(say: Speech, data: Form) -> list[str]:
    part = data["part"]
    named = say.place(part) if isinstance(part, int) else say.term("bet", part)
    bets = (say.label("part_bet", **_net(say, each)) for each in data["bets"])
    return [say.label("part_settled", part=named), *bets]


def _paid(say: Speech, data: Form) -> list[str]:
    place = data.get("place")
    by = str(data["by"])
    said = say.label("paid_all", by=by) if place is None else say.label("paid", place=say.place(place), by=by)
    return [said, *(say.label("taken_back", **each) for each in data["taken_back"])]


def _net(say: Speech, data: Form) -> dict[str, str]:
    bet = say.term("bet", data.get("bet", "place"))
    return {
        "place": say.place(data["place"]),
        "bettor": say.bettor(data["bettor"]),
        "bet": bet,
        "net": str(data["net"]),
    }


def _corrected(say: Speech, data: Form) -> list[str]:
    names = ("corrects", "reason", "by")
    said = say.label("corrected", round=data.get("round_id", ""), **{name: data[name] for name in names})
    nets = {each["bettor"]: each["net"] for each in data["settlement"]["bettors"]}
    changed = [say.label("corrected_net", **change, net=nets[change["bettor"]]) for change in data["changes"]]
    return [said, *changed, say.label("corrected_house", amount=data["house"], net=data["settlement"]["house"])]


def _amended(say: Speech, data: Form) -> list[str]:
    head = say.label("amended", round=data["round_id"], reason=data["reason"], by=_both(say, data))
    return [head, *amended_lines(say, say.language, data)]


def _reopened(say: Speech, data: Form) -> list[str]:
    return [say.label("reopened", round=data["round_id"], reason=data["reason"], by=_both(say, data))]


def _both(say: Speech, data: Form) -> str:
    return say.listed((data["by"], data.get("second") or ""))


def _bet_placed(say: Speech, data: Form) -> list[str]:
    return [say.label("bet_placed", **_bet(say, data))]


def _bet_withdrawn(say: Speech, data: Form) -> list[str]:
    return [say.label("bet_withdrawn", **_bet(say, data))]


def _bet_refused(say: Speech, data: Form) -> list[str]:
    article, text = say.article(data["article"]), say.text(data["text"])
    return [say.label("bet_refused", article=article, text=text, **_bet(say, data))]


def _bet(say: Speech, data: Form) -> dict[str, str]:
    return {
        "place": say.place(data["place"]),
        "bettor": say.bettor(data["bettor"]),
        "bet": say.term("bet", data["bet"]),
        "stake": str(data["stake"]),
    }


def _dealt(say: Speech, data: Form) -> list[str]:
    return [say.label("dealt", index=data["index"], place=say.place(data["place"]))]


def _exposed(say: Speech, data: Form) -> list[str]:
    cards = say.cards(data.get("cards", ()))
    return [say.label("exposed", index=data["index"], place=say.place(data["place"]), cards=cards).rstrip()]


def _cut_reached(say: Speech, _data: Form) -> list[str]:
    return [say.label("cut_reached")]


def _out_of_round(say: Speech, data: Form) -> list[str]:
    return [say.label("out_of_round", device=say.term("device", data.get("device", "")))]


def _fault_raised(say: Speech, data: Form) -> list[str]:
    device = say.term("device", data["device"]) if data.get("device") else ""
    parts = [device, heard(str(data.get("detail") or ""), say.language)]
    detail = "".join(f" — {part}" for part in parts if part)
    severity = say.term("severity", data["severity"])
    return [say.label("fault_raised", code=data["code"], severity=severity, text=say.text(data["text"]), detail=detail)]


def _fault_cleared(say: Speech, data: Form) -> list[str]:
    return [say.label("fault_cleared", code=data["code"], text=say.text(data["text"]))]


def _fault_acknowledged(say: Speech, data: Form) -> list[str]:
    return [say.label("fault_acknowledged", code=data["code"], by=data["by"], text=say.text(data["text"]))]


def _log_began(say: Speech, data: Form) -> list[str]:
    return [say.label("log_began", log=data["log"], predecessor=data.get("predecessor") or say.label("nothing"))]


def _session_began(say: Speech, data: Form) -> list[str]:
    previous = say.term("session_end", data["previous"])
    return [say.label("session_began", version=data["version"], previous=previous)]


def _session_ended(say: Speech, data: Form) -> list[str]:
    return [say.label("session_ended", reason=say.term("session_end", data["reason"]))]


def _program_verified(say: Speech, data: Form) -> list[str]:
    occasion = say.term("verified", data["occasion"])
    if data["result"] == "mismatch":
        return [say.label("program_differs", occasion=occasion, findings="; ".join(data["findings"]))]
    result = say.term("verified", data["result"])
    return [say.label("program_verified", occasion=occasion, version=data["version"], result=result)]


def _weighed(say: Speech, data: Form) -> list[str]:
    return [f"{stream_title(data['stream'], data['subject'], say.language)}: {data['text'][say.language]}"]


def _certificate_expiring(say: Speech, data: Form) -> list[str]:
    return [say.label("certificate_expiring", file=say.term("certificate_file", data["file"]), until=data["until"])]


def _clock_stepped(say: Speech, data: Form) -> list[str]:
    return [say.label("clock_stepped", before=data["before"], after=data["after"])]


def _played_before(say: Speech, data: Form) -> list[str]:
    return [say.label("played_before", log=data["log"], type=data["type"], occurred=data["occurred"])]


def _key_changed(say: Speech, data: Form) -> list[str]:
    return [say.label("key_changed", fingerprint=data["fingerprint"])]


def _handed_over(say: Speech, data: Form) -> list[str]:
    step = say.term("hand_over", data["step"])
    return [say.label("handed_over", before=data["from_session"], after=data["to_session"], step=step)]


def _signed_on(say: Speech, data: Form) -> list[str]:
    return [say.label("signed_on", by=data["by"], role=say.term("role", data.get("role", "")))]


def _sign_on_failed(say: Speech, data: Form) -> list[str]:
    kind = "locked_out" if data.get("locked") else "sign_on_failed"
    return [say.label(kind, person=data["person"] or say.label("nobody"), tries=data["tries"])]


def _config_changed(say: Speech, data: Form) -> list[str]:
    return [say.label("config_changed", previous_version=data["previous_version"], version=data["version"])]


def _override(say: Speech, data: Form) -> list[str]:
    said = say.label("override", by=data["by"], what=data["what"], reason=data["reason"])
    changes = [say.label("regiven", **change) for change in data.get("changes", ())]
    return [said, *changes, *([say.label("regiven_house", amount=data["house"])] if changes else [])]


def _recalled(say: Speech, data: Form) -> list[str]:
    return [say.label("recalled", by=data["by"], count=len(data["rounds"]))]


def _bookmark(say: Speech, data: Form) -> list[str]:
    return [say.label("bookmark", by=data["by"], note=data["note"])]


def _material_changed(say: Speech, data: Form) -> list[str]:
    key = "material_changed" if data["fit"] else "material_unfit"
    kind = say.label(f"material.{data['kind']}")
    return [say.label(key, by=data["by"], kind=kind, name=data["name"])]


def _status(say: Speech, data: Form) -> list[str]:
    return [say.label(f"status.{data['state']}")]


_Teller = Callable[[Speech, Form], list[str]]

_TELLERS: Final[Mapping[str, tuple[_Teller, tuple[str, ...]]]] = MappingProxyType(
    {
        "round.opened.v1": (_opened, (BOLD,)),
        "round.betting_closed.v1": (_closed, ()),
        "round.revealed.v1": (_revealed, ()),
        "round.decided.v1": (_decided, ()),
        "round.irregular.v1": (_irregular, (YELLOW,)),
        "round.settled.v1": (_settled, (BOLD,)),
        "round.void.v1": (_void, (BOLD, YELLOW)),
        "round.corrected.v1": (_corrected, (BOLD, YELLOW)),
        "round.amended.v1": (_amended, (BOLD, YELLOW)),
        "round.reopened.v1": (_reopened, (BOLD, YELLOW)),
        "round.part_settled.v1": (_part_settled, ()),
        "round.paid.v1": (_paid, ()),
        "bet.placed.v1": (_bet_placed, ()),
        "bet.withdrawn.v1": (_bet_withdrawn, ()),
        "bet.refused.v1": (_bet_refused, (YELLOW,)),
        "card.dealt.v1": (_dealt, (DIM,)),
        "card.exposed.v1": (_exposed, (YELLOW,)),
        "card.cut_reached.v1": (_cut_reached, ()),
        "card.out_of_round.v1": (_out_of_round, (YELLOW,)),
        "draw.committed.v1": (draw_committed, ()),
        "draw.shown.v1": (draw_shown, (BOLD,)),
        "draw.void.v1": (draw_void, (YELLOW,)),
        "wheel.started.v1": (wheel_started, (DIM,)),
        "wheel.stopped.v1": (wheel_stopped, ()),
        "wheel.invalid.v1": (wheel_invalid, (YELLOW,)),
        "dice.thrown.v1": (dice_thrown, ()),
        "fault.raised.v1": (_fault_raised, (RED,)),
        "fault.cleared.v1": (_fault_cleared, ()),
        "fault.acknowledged.v1": (_fault_acknowledged, ()),
        "fairness.evidence.v1": (_weighed, (YELLOW,)),
        "fairness.alarm.v1": (_weighed, (RED,)),
        "audit.log_began.v1": (_log_began, ()),
        "audit.session_began.v1": (_session_began, ()),
        "audit.session_ended.v1": (_session_ended, ()),
        "audit.program_verified.v1": (_program_verified, ()),
        "audit.clock_stepped.v1": (_clock_stepped, (YELLOW,)),
        "audit.certificate_expiring.v1": (_certificate_expiring, (YELLOW,)),
        "audit.played_before.v1": (_played_before, (YELLOW,)),
        "audit.key_changed.v1": (_key_changed, (YELLOW,)),
        "audit.handed_over.v1": (_handed_over, (YELLOW,)),
        "audit.signed_on.v1": (_signed_on, ()),
        "audit.sign_on_failed.v1": (_sign_on_failed, (YELLOW,)),
        "audit.config_changed.v1": (_config_changed, ()),
        "audit.override.v1": (_override, (YELLOW,)),
        "audit.recalled.v1": (_recalled, ()),
        "audit.bookmark.v1": (_bookmark, (BOLD,)),
        "audit.material_changed.v1": (_material_changed, (YELLOW,)),
        "status.v1": (_status, (BOLD,)),
    }
)
"""How each type of message is told, and in which colour."""
