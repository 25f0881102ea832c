"""An explanation for a terminal: plain lines of 80 columns at most, no colour."""

from collections.abc import Iterator, Sequence
from typing import Any

from tablectl import words
from tablectl.history.explain.cards import HIDDEN
from tablectl.history.explain.columns import folded, table
from tablectl.history.explain.model import (
    ExplainedMessage,
    Explanation,
    Form,
    Frame,
    Money,
    Renderers,
    Step,
    inside,
    listed,
)
from tablectl.history.explain.phrases import cited, label, say_cards, say_source
from tablectl.history.language import Speech
from tablectl.words import Language


def text_of(explanation: Explanation, renderers: Renderers, language: Language) -> Iterator[str]:
    """The lines of the explanation."""
    speaks = renderers.voices[language].words
    yield from heading(explanation, speaks, language)
    yield from ("", *folded(label("legend", language), ""))
    when = ""
    for step in explanation.steps:
        if step.when != when:
            when = step.when
            yield from ("", label(f"when.{when}", language).upper())
        yield from _step(step, explanation, language)
    yield from ("", label("outcome", language).upper())
    yield from outcome(explanation, speaks, language)
    for key in explanation.missing:
        yield from ("", *folded(label(f"missing.{key}", language), ""))


def heading(explanation: Explanation, speaks: Speech, language: Language) -> Iterator[str]:
    """Which round it is, when it was, and how far its times can be believed."""
    game = speaks.term("game", explanation.game)
    parts = [
        label("title", language, round=explanation.round_id),
        f"{explanation.site}/{explanation.table}",
        f"{game} ({explanation.rules_version})",
        *([label("simulated", language)] if explanation.simulated else []),
    ]
    yield from folded("  ".join(parts), "")
    end = label(f"end.{explanation.end or 'open'}", language)
    corrected = later(explanation, language)
    times = [f"{label('opened', language)} {_moment(explanation.opened)}"]
    if explanation.ended:
        times.append(f"{label('ended', language)} {_moment(explanation.ended)} UTC")
    yield from folded(f"{end}{corrected}  {'  '.join(times)}", "")
    events = label("events", language, first=explanation.first, last=explanation.last)
    yield from folded(f"{clock(explanation, language)}  {events}", "")
    yield from (line for each in materials(explanation, speaks, language) for line in folded(each, ""))


def materials(explanation: Explanation, speaks: Speech, language: Language) -> Iterator[str]:
    """Pack, dice and shoe in use when the round was opened, where somebody named them."""
    for each in explanation.materials:
        kind, since = speaks.label(f"material.{each['kind']}"), _moment(each["since"])
        yield label("material", language, kind=kind, name=each["name"], since=since, by=each["by"])


def later(explanation: Explanation, language: Language) -> str:
    """That the round was amended or corrected, behind how it ended."""
    keys = {"amended": explanation.amended, "corrected": explanation.corrections}
    return "".join(f", {label(key, language)}" for key, found in keys.items() if found)


def clock(explanation: Explanation, language: Language) -> str:
    """The clock's state in the round, and the largest bound of its error."""
    states = words.listed((label(f"clock_state.{state}", language) for state in explanation.clock.states), language)
    return f"{label('clock', language)}: {states or '?'}, {bound(explanation.clock.error_us, language)}"


def bound(error_us: int | None, language: Language) -> str:
    """The bound of a clock's error in words."""
    if error_us is None:
        return label("no_bound", language)
    return label("bound", language, bound=f"±{error_us / 1000:.3f} ms")


def error(clock: str, error_us: int | None) -> str:
    """The bound of the time's error, as it stands behind the time.

    It is `±0.850ms`, or a question mark where it isn't known.
    """
    return f"±{error_us / 1000:.3f}ms{'' if clock == 'synced' else '?'}" if error_us is not None else "?"


def _moment(time: str) -> str:
    return time.replace("T", " ").removesuffix("Z")


def _step(step: Step, explanation: Explanation, language: Language) -> Iterator[str]:
    for frame in step.frames:
        yield from _frame(frame, language)
    fact = step.fact
    head = f"{fact.time[11:26]}{error(fact.clock, fact.error_us)}"
    if fact.name:
        source = say_source(fact.source, language)
        who = f"{fact.by} ({source})" if fact.by else source
        yield from folded(f"{head} [{step.record}] {who}: {fact.text[language]}", " " * 4, "")
    else:
        yield head
    if fact.hides and HIDDEN in fact.text[language]:
        yield from folded(f"?? = {label('hidden', language)}", " " * 6)
    if mark := amended_mark(step, language):
        yield from folded(mark, " " * 6, "    ✎ ")
    if step.refused:
        said = label("refused", language, text=step.refused.text.get(language, step.refused.code))
        yield from folded(said, " " * 6, "    ✗ ")
        yield f"      § {cited(step.refused.article, '', explanation.rules_version, language)}"
    for message, rule in with_rules(step.messages, explanation, language):
        first, *rest = message.shown(language)
        struck = f"[{label('struck', language)}] " if message.struck else ""
        yield from folded(f"{struck}{first}", " " * 6, f"    → #{message.sequence} ")
        for line in rest:
            yield from folded(line.strip(), " " * 8)
        if rule:
            yield f"      § {rule}"


def amended_mark(step: Step, language: Language) -> str:
    """The effect of an amendment on the fact; empty where there is none."""
    if step.amended_by is None:
        return ""
    return label("struck_by" if step.struck else "put_right_by", language, record=step.amended_by)


def _frame(frame: Frame, language: Language) -> Iterator[str]:
    if frame.more:
        yield f"      {frame.device}: {label('more', language, count=frame.more)}"
    arrow = ">" if frame.way == "in" else "<"
    times = f" ({label('times', language, count=frame.times)})" if frame.times > 1 else ""
    yield from folded(f"{frame.device} {arrow} {frame.said}{times}", " " * 8, f"  {frame.time[11:26]} ")
    if frame.hex:
        yield from folded(frame.hex, " " * 8)


def with_rules(
    messages: Sequence[ExplainedMessage], explanation: Explanation, language: Language
) -> Iterator[tuple[ExplainedMessage, str]]:
    """The messages, each with the rule that it follows.

    Of several in a row under one rule only the last has it.
    """
    rules = [cited(each.article, each.rule, explanation.rules_version, language) for each in messages]
    for message, rule, after in zip(messages, rules, [*rules[1:], ""], strict=False):
        yield message, "" if rule == after else rule


# --- what it came to


def outcome(explanation: Explanation, speaks: Speech, language: Language) -> Iterator[str]:
    """The hands, the bets and the money; of a void round what goes back and why."""
    if explanation.end == "void":
        said = cited(explanation.article, "", explanation.rules_version, language)
        reason = speaks.term("irregular", explanation.reason, explanation.game)
        yield from folded(f"{label('end.void', language)}: {reason}  § {said}", "  ")
        for stake in explanation.returned:
            yield from folded(f"{label('returned', language)}: {_bet(stake, speaks, explanation.game)}", "    ", "  ")
    for who, cards, hand in hands(explanation, speaks):
        yield from folded("  ".join(part for part in (f"{who}:", cards, hand) if part), "    ", "  ")
    yield from _bets(explanation, speaks)
    if explanation.money:
        yield from _money(explanation.money, speaks, language)
    for correction in explanation.corrections:
        yield from folded(f"{label('corrected', language)}: {correction['reason']} ({correction['by']})", "    ", "  ")
        yield from (f"    {line}" for line in corrected_lines(correction, language))


def corrected_lines(correction: Form, language: Language) -> Iterator[str]:
    """The lines of a correction.

    They have the amount that each bettor gets more or gives back, and their net result after it.
    """
    nets = {str(each["bettor"]): str(each["net"]) for each in listed(inside(correction, "settlement"), "bettors")}
    for change in listed(correction, "changes"):
        now = nets.get(str(change["bettor"]))
        said = label("corrected_now", language, net=now) if now else ""
        yield f"{change['bettor']} {change['amount']}{said}"


def hands(explanation: Explanation, speaks: Speech) -> Iterator[tuple[str, str, str]]:
    """The hands of the settlement, in its order.

    Each has its owner, its cards or dice, and its rank.
    """
    played, settlement = inside(explanation.settled, "round"), inside(explanation.settled, "settlement")
    for name in ("dealer", "banker"):
        if name in played:
            yield speaks.place(name), shown(played[name]), named(speaks, inside(settlement, name), explanation.game)
    results = {str(each["place"]): each for each in listed(settlement, "places")}
    for place in listed(played, "places"):
        result = results.get(str(place["place"]), {})
        yield speaks.place(place["place"]), shown(place), named(speaks, result, explanation.game)
    if draw := inside(played, "draw"):
        yield speaks.term("series", draw["series"]), str(draw["combination"]), ""
    if spin := inside(played, "spin"):
        symbol = speaks.term("bet", f"symbol_{spin['symbol']}", explanation.game)
        yield speaks.term("device", "wheel"), symbol, str(spin["turns"])


def shown(hand: Any) -> str:
    """The cards or dice of a hand, however its game writes them."""
    if isinstance(hand, list):
        return say_cards(hand)
    if "throws" in hand:
        return "  ".join("-".join(map(str, throw)) for throw in hand["throws"] if throw)
    return say_cards(hand.get("rows") or hand.get("cards") or [])


def named(speaks: Speech, result: Form, game: str) -> str:
    """The rank of the cards or dice, in the game's words."""
    for family in ("natural", "hand", "combination", "total"):
        if result.get(family) is not None:
            return speaks.term("hand" if family == "total" else family, result[family], game)
    return " | ".join(speaks.term("hand", name, game) for name in result.get("rows") or ())


def bets(explanation: Explanation) -> Iterator[tuple[Any, Form]]:
    """Every bet with its place, of a settlement."""
    settlement = inside(explanation.settled, "settlement")
    yield from ((None, bet) for bet in listed(settlement, "bets"))
    yield from ((place["place"], bet) for place in listed(settlement, "places") for bet in listed(place, "bets"))


def _bets(explanation: Explanation, speaks: Speech) -> Iterator[str]:
    rows = [
        (
            speaks.place(place) if place else "",
            str(bet["bettor"]),
            speaks.term("bet", bet["bet"], explanation.game) if "bet" in bet else "",
            str(bet["stake"]),
            speaks.term("outcome", bet["outcome"]),
            str(bet["net"]),
        )
        for place, bet in bets(explanation)
    ]
    if rows:
        yield ""
    yield from table(rows, right={3, 5}, most=(12, 14, 22, 10, 12, 10))


def _bet(stake: dict[str, Any], speaks: Speech, game: str) -> str:
    bet = speaks.term("bet", stake["bet"], game)
    return f"{speaks.place(stake['place'])}, {speaks.bettor(stake['bettor'])}, {bet}, {stake['stake']}"


def _money(money: Money, speaks: Speech, language: Language) -> Iterator[str]:
    rows = [tuple(label(key, language) for key in ("bettor", "staked", "net", "commission"))]
    rows += [(share.name, share.staked, share.net, share.commission) for share in money.bettors]
    layer = label("layer", language)
    rows += [
        (f"{layer}: {speaks.bettor(share.name)}", share.staked, share.net, share.commission) for share in money.bank
    ]
    yield ""
    yield from table(rows, right={1, 2, 3}, most=(24, 14, 14, 14))
    yield from folded(sum_line(money, language), "    ", "  ")


def sum_line(money: Money, language: Language) -> str:
    """That all of it sums to zero."""
    return label(
        "sum",
        language,
        bettors=money.bettors_net,
        bank=money.bank_net,
        commission=money.commission,
        house=money.house,
        sum=money.sum,
    )


# --- lines
