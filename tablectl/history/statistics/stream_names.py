"""Names of streams, subjects and outcomes, in the languages of the house."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from tablectl import words
from tablectl.history.statistics.streams import BAND_RPM
from tablectl.words import Language
from tablectl.words.terminal import visible

_RETURNS: Final = ("bet.q_poker.{}", "bet_short.wheel_of_fortune.{}", "fairness.mean.returns.{}")

_NAMES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "draws": ("series.{}",),
        "hands": ("hand.q_poker.{}",),
        "naturals": ("natural.thirteen_cards.{}",),
        "returns": _RETURNS,
        "dealer_returns": _RETURNS,
        "wheel_returns": _RETURNS,
        "voids": ("fairness.mean.voids.{}",),
        "amendments": ("fairness.mean.amendments.{}",),
        "sums": ("fairness.mean.sums.{}",),
    }
)
"""Where the names of a stream's outcomes, subjects and alternatives stand among the texts."""

_PARTED: Final = frozenset({"direction", "speed", "dealer_returns", "wheel_returns"})
"""Streams whose subject is a wheel or a dealer, and what is looked at of them."""

_OF: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {"draws": ("draw", "fairness.draws_of"), "faces": ("dice", "fairness.faces_of")}
)
"""Streams whose subject may have a name: the subject where it has none, and the title where it has one."""


def stream_title(stream: str, subject: str, language: Language) -> str:
    """Return the title of a stream, as `sections of wheel W-1`."""
    nameless, title = _OF.get(stream, (subject, ""))
    if subject != nameless:
        return words.text(title, language, subject=visible(subject))
    of, _, part = subject.rpartition(" ") if stream in _PARTED else ("", "", subject)
    name = words.text(f"direction.{part}", language) if stream == "direction" else named(stream, part, language)
    if stream == "speed":
        name = f"{part}–{int(part) + BAND_RPM}"
    return words.text(f"fairness.stream.{stream}", language, subject=name, of=visible(of))


def spoken(form: Mapping[str, Any]) -> dict[str, dict[Language, str]]:
    """Return a stream's `title` and the `text` of how it is judged.

    Both are in every language.
    """
    stream, subject = form["stream"], form["subject"]
    return {
        "title": {each: stream_title(stream, subject, each) for each in words.LANGUAGES},
        "text": {each: _verdict(form, each) for each in words.LANGUAGES},
    }


def judged(form: Mapping[str, Any], language: Language) -> str:
    """Return a stream in words.

    They are its title, how it is judged, and what is most unusual of it.

    Args:
        form: the stream as JSON, as `Stream.form` gives it.
    """
    return f"{stream_title(form['stream'], form['subject'], language)}: {_verdict(form, language)}"


def _verdict(form: Mapping[str, Any], language: Language) -> str:
    degree = "alarm" if form["alarmed"] else "noticeable" if float(form["log10_e"]) >= 1 else "usual"
    verdict = words.text(f"fairness.degree.{degree}", language)
    if (leading := form["leading"]) is None:
        return verdict
    at = named(form["stream"], leading["at"], language)
    what = words.text(f"fairness.leading.{leading['alternative']}", language, at=at)
    if leading["alternative"] == "single" and at.isdecimal():
        what = words.text("fairness.face" if form["stream"] == "faces" else "fairness.section", language, at=at)
    shares = {key: f"{100 * float(leading[key]):.1f}" for key in ("chance", "low", "high")}
    expected = f"{float(leading['chance']) * form['observed']:.1f}"
    most = words.text("fairness.most", language, what=what, seen=leading["seen"], expected=expected, **shares)
    return f"{verdict} {most}"


def named(stream: str, name: str, language: Language) -> str:
    """Return a subject, or the place of an alternative, in words.

    It stays as it is where there is no word for it.
    """
    texts = words.catalogue(language)
    series, _, number = name.partition("_") if stream == "draws" else (name, "", "")
    found = next((texts[key] for form in _NAMES.get(stream, ()) if (key := form.format(series)) in texts), series)
    return visible(f"{found} {number}".rstrip())
