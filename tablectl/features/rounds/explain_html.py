"""Explanation of a round as a self-contained page with drawn cards, for printing."""

from collections.abc import Iterable, Iterator
from html import escape
from typing import Any, Final

from tablectl.history.explain.model import Explanation, Money, Renderers, Step, inside, items_of, listed
from tablectl.history.explain.phrases import cited, label, say_source
from tablectl.history.explain.text import (
    amended_mark,
    bets,
    clock,
    corrected_lines,
    error,
    later,
    materials,
    named,
    sum_line,
    with_rules,
)
from tablectl.history.language import Speech
from tablectl.words import Language

STYLE: Final = """
:root { color: #111; background: #fff; font: 14px/1.45 system-ui, "Noto Sans", "Noto Sans CJK TC", sans-serif }
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
h1 { font-size: 1.5rem; margin: 0 } h2 { font-size: 1.1rem; border-bottom: 1px solid #999; margin: 2rem 0 .6rem }
.demo { border: 2px solid #111; padding: 0 .4rem; font-weight: 700 }
.hand { display: flex; flex-wrap: wrap; align-items: center; gap: .3rem; margin: .5rem 0 }
.who { min-width: 8rem; font-weight: 600 } .made { margin-left: .6rem } .gap { width: .8rem }
.card { display: inline-flex; flex-direction: column; align-items: center; justify-content: center; width: 2.3rem;
  height: 3.1rem; border: 1px solid #444; border-radius: .3rem; font-size: 1.1rem; line-height: 1.1; background: #fff }
.red { color: #b00020 } .back { background: repeating-linear-gradient(45deg, #246 0 4px, #468 4px 8px) }
.die { display: inline-flex; align-items: center; justify-content: center; width: 2rem; height: 2rem; font-weight: 700;
  border: 1px solid #444; border-radius: .3rem }
table { border-collapse: collapse; margin: .6rem 0 } th, td { padding: .15rem .7rem .15rem 0; text-align: left }
th { border-bottom: 1px solid #999 } .n { text-align: right; font-variant-numeric: tabular-nums }
.step { border-top: 1px solid #ddd; padding: .4rem 0; break-inside: avoid }
.time, .frame, .no { font-family: ui-monospace, "Noto Sans Mono", monospace; font-size: .85em }
.frame { color: #444; margin-left: 1.2rem; overflow-wrap: anywhere } .hex { display: block; margin-left: 1.2rem }
.message { margin-left: 1.2rem } .rule { margin-left: 2.4rem; font-style: italic } .refused { font-weight: 700 }
@media print { body { margin: 0; max-width: none; font-size: 10pt } .back { print-color-adjust: exact } }
"""

_SUITS: Final = {"s": "♠", "h": "♥", "c": "♣", "d": "♦"}


def html_of(explanation: Explanation, rendering: Renderers, language: Language) -> str:
    """The whole page."""
    title = label("title", language, round=explanation.round_id)
    return page(title, language, "".join(body_of(explanation, rendering, language)))


def page(title: str, language: Language, body: str) -> str:
    """A page with its style in it, and nothing that is fetched from elsewhere."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    head = f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
    width = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    titled = f"<title>{escape(title)}</title><style>{STYLE}</style>"
    inner = f"<head>{head}{width}{titled}</head><body><main>{body}</main></body>"
    return f'<!doctype html>\n<html lang="{language}">{inner}</html>\n'


def body_of(explanation: Explanation, rendering: Renderers, language: Language) -> Iterator[str]:
    """The page's inside: what the round came to first, then how."""
    speaks = rendering.voices[language].words
    demo = f' <span class="demo">{escape(label("simulated", language))}</span>' if explanation.simulated else ""
    yield f"<h1>{escape(label('title', language, round=explanation.round_id))}{demo}</h1>"
    yield _paragraphs(_facts_of(explanation, speaks, language))
    heading = label("outcome", language)
    yield f"<h2>{escape(heading[:1].upper() + heading[1:])}</h2>"
    yield from drawn(explanation, speaks, language)
    when = ""
    for step in explanation.steps:
        if step.when != when:
            when = step.when
            yield f"<h2>{escape(label(f'when.{when}', language))}</h2>"
        yield from _step(step, explanation, language)
    yield _paragraphs(label(f"missing.{key}", language) for key in explanation.missing)


def _facts_of(explanation: Explanation, speaks: Speech, language: Language) -> Iterator[str]:
    game = speaks.term("game", explanation.game)
    yield f"{explanation.site}/{explanation.table} · {game} ({explanation.rules_version})"
    end = label(f"end.{explanation.end or 'open'}", language)
    times = {"opened": explanation.opened, "ended": explanation.ended or "–"}
    yield " · ".join(
        [f"{end}{later(explanation, language)}", *(f"{label(key, language)} {time}" for key, time in times.items())]
    )
    events = label("events", language, first=explanation.first, last=explanation.last)
    yield f"{clock(explanation, language)} · {events}"
    yield from materials(explanation, speaks, language)


def _paragraphs(lines: Iterable[str]) -> str:
    return "".join(f"<p>{escape(line)}</p>" for line in lines)


# --- the round drawn


def drawn(explanation: Explanation, speaks: Speech, language: Language) -> Iterator[str]:
    """The hands as cards or dice, every bet, and the money."""
    if explanation.end == "void":
        yield _void(explanation, speaks, language)
    for who, hand, made in _hands(explanation, speaks):
        made_of = f'<span class="made">{escape(made)}</span>'
        yield f'<div class="hand"><span class="who">{escape(who)}</span>{hand}{made_of}</div>'
    yield _bets(explanation, speaks, language)
    if explanation.money:
        yield _money(explanation.money, speaks, language)
    for each in explanation.corrections:
        said = f"{label('corrected', language)}: {each['reason']} ({each['by']})"
        yield _paragraphs([said, *corrected_lines(each, language)])


def _void(explanation: Explanation, speaks: Speech, language: Language) -> str:
    rule = cited(explanation.article, "", explanation.rules_version, language)
    reason = speaks.term("irregular", explanation.reason, explanation.game)
    rows = [
        (speaks.place(bet["place"]), bet["bettor"], speaks.term("bet", bet["bet"], explanation.game), bet["stake"])
        for bet in explanation.returned
    ]
    said = _paragraphs([f"{label('end.void', language)}: {reason} § {rule}"])
    heads = ("", label("bettor", language), label("returned", language), label("staked", language))
    return said + _table(heads, rows, {3})


def _hands(explanation: Explanation, speaks: Speech) -> Iterator[tuple[str, str, str]]:
    played, settlement = inside(explanation.settled, "round"), inside(explanation.settled, "settlement")
    for name in ("dealer", "banker"):
        if name in played:
            yield speaks.place(name), _drawn(played[name]), named(speaks, inside(settlement, name), explanation.game)
    results = {str(each["place"]): each for each in listed(settlement, "places")}
    for place in listed(played, "places"):
        made = named(speaks, results.get(str(place["place"]), {}), explanation.game)
        yield speaks.place(place["place"]), _drawn(place), made
    if draw := inside(played, "draw"):
        yield speaks.term("series", draw["series"]), f'<span class="die">{int(draw["combination"])}</span>', ""
    if spin := inside(played, "spin"):
        symbol = speaks.term("bet", f"symbol_{spin['symbol']}", explanation.game)
        yield speaks.term("device", "wheel"), escape(symbol), f"{spin['turns']} ↻"


def _drawn(hand: Any) -> str:
    if isinstance(hand, list):
        return "".join(map(card, items_of(hand)))
    gap = '<span class="gap"></span>'
    if "throws" in hand:
        throws = [throw for throw in hand["throws"] if throw]
        return gap.join("".join(f'<span class="die">{int(die)}</span>' for die in throw) for throw in throws)
    rows = items_of(hand.get("rows") or [hand.get("cards")])
    return gap.join("".join(map(card, items_of(row))) for row in rows)


def card(name: str) -> str:
    """A card; its back where it isn't rendering."""
    if name[1:] not in _SUITS:
        return '<span class="card back">?</span>'
    rank, suit = "10" if name[0] == "T" else escape(name[0]), _SUITS[name[1]]
    red = " red" if name[1] in "hd" else ""
    return f'<span class="card{red}"><span>{rank}</span><span>{suit}</span></span>'


def _bets(explanation: Explanation, speaks: Speech, language: Language) -> str:
    rows = [
        (
            speaks.place(place) if place else "",
            bet["bettor"],
            speaks.term("bet", bet["bet"], explanation.game) if "bet" in bet else "",
            bet["stake"],
            speaks.term("outcome", bet["outcome"]),
            bet["net"],
            bet["commission"],
        )
        for place, bet in bets(explanation)
    ]
    keys = ("", "bettor", "", "staked", "outcome", "net", "commission")
    return _table([label(key, language) if key else "" for key in keys], rows, {3, 5, 6})


def _money(money: Money, speaks: Speech, language: Language) -> str:
    layer = label("layer", language)
    bank = ((each, f"{layer}: {speaks.bettor(each.name)}") for each in money.bank)
    shares = [*((each, each.name) for each in money.bettors), *bank]
    rows = [(name, each.staked, each.net, each.commission) for each, name in shares]
    heads = [label(key, language) for key in ("bettor", "staked", "net", "commission")]
    title = f"<h2>{escape(label('money', language))}</h2>"
    return title + _table(heads, rows, {1, 2, 3}) + _paragraphs([sum_line(money, language)])


def _table(heads: Iterable[str], rows: Iterable[Iterable[Any]], numbers: set[int]) -> str:
    lines = [_row("td", row, numbers) for row in rows]
    return f"<table>{_row('th', heads, numbers)}{''.join(lines)}</table>" if lines else ""


def _row(tag: str, cells: Iterable[Any], numbers: set[int]) -> str:
    inside = (
        f"<{tag}{' class=n' if nth in numbers else ''}>{escape(str(cell))}</{tag}>" for nth, cell in enumerate(cells)
    )
    return f"<tr>{''.join(inside)}</tr>"


# --- how it came


def _step(step: Step, explanation: Explanation, language: Language) -> Iterator[str]:
    fact = step.fact
    yield '<div class="step">'
    for frame in step.frames:
        more = f"{frame.device}: {label('more', language, count=frame.more)}; " if frame.more else ""
        times = f" ({label('times', language, count=frame.times)})" if frame.times > 1 else ""
        said = f"{more}{frame.time[11:26]} {frame.device} {'>' if frame.way == 'in' else '<'} {frame.said}{times}"
        raw = f'<span class="hex">{escape(frame.hex)}</span>' if frame.hex else ""
        yield f'<div class="frame">{escape(said)}{raw}</div>'
    source = say_source(fact.source, language)
    who = f"{fact.by} ({source})" if fact.by else source
    time = f"{fact.time[11:26]}{error(fact.clock, fact.error_us)} [{step.record}]"
    said = f" {escape(who)}: {escape(fact.text[language])}" if fact.name else ""
    yield f'<div><span class="time">{escape(time)}</span>{said}</div>'
    if mark := amended_mark(step, language):
        yield f'<div class="message refused">✎ {escape(mark)}</div>'
    if step.refused:
        said = label("refused", language, text=step.refused.text.get(language, step.refused.code))
        rule = cited(step.refused.article, "", explanation.rules_version, language)
        yield f'<div class="message refused">✗ {escape(said)}</div><div class="rule">§ {escape(rule)}</div>'
    for message, rule in with_rules(step.messages, explanation, language):
        first, *rest = message.shown(language)
        said = f"<s>{escape(first)}</s> [{escape(label('struck', language))}]" if message.struck else escape(first)
        yield f'<div class="message">→ <span class="no">#{message.sequence}</span> {said}</div>'
        yield from (f'<div class="rule">{escape(line)}</div>' for line in rest)
        if rule:
            yield f'<div class="rule">§ {escape(rule)}</div>'
    yield "</div>"
