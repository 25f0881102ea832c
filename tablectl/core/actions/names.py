"""Names of bettors, and the rule for new ones.

Everybody who reads a name shall see who is meant.

A name has the composed form (NFC), single blanks, marks only upon a letter, and nothing that can't be seen; and nobody
else of the round has one that looks the same. Names that the round knows already may be anything: they were taken under
an earlier rule.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from itertools import accumulate, takewhile
from types import MappingProxyType
from typing import Any, Final, cast
from unicodedata import category, combining, name, normalize

from tablectl.core.bets.results import Nets, ended
from tablectl.core.events.text import Saying, saying
from tablectl.core.facts import Fact
from tablectl.core.facts.amendments import Basis, Edit, RoundAmended
from tablectl.core.facts.table_requests import RoundCorrected
from tablectl.core.table import Table

_UNSEEN: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
"""Controls, format characters, unassigned and private ones, halves of a pair, ends of a line."""

_IGNORABLE: Final = frozenset(
    {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10)}
    | {*range(0xE0100, 0xE01F0)}
    | {0xFFFC, 0xFFFD, 0x16FE4, 0x1D159}
)
"""What of Default_Ignorable_Code_Point is in no category above; blanks of Braille, Khitan and music; stand-ins."""

_MARKS_MAX: Final = 4
"""Of Unicode's marks upon one letter (UTS 39, section 5.4); more of them run over the lines beside it."""


@cache
def _prototypes() -> Mapping[int, str]:
    """The look of each character, read with the first name."""
    from tablectl.core.actions.confusables import TABLE  # noqa: PLC0415 - most tables take no names

    found: dict[int, str] = {}
    for row in TABLE.replace("\n+", "+").split():
        prototype, sources = row.split("=")
        looks = "".join(chr(int(each, 36)) for each in prototype.split("."))
        found.update(dict.fromkeys(accumulate(int(each, 36) for each in sources.split("+")), looks))
    return MappingProxyType(found)


def skeleton(text: str) -> str:
    """The same for all texts that look alike. Not for people to read.

    Source: Unicode UTS 39, section 4.
    """
    decomposed = "".join(letter for letter in normalize("NFD", text) if not _is_unseen(letter))
    return normalize("NFD", decomposed.translate(_prototypes()))


def unfit(text: str) -> Saying | None:
    """Why this is no name, whoever else is there; None where it is one."""
    for position, letter in enumerate(text, 1):
        if _is_unseen(letter):
            return saying("refuse.name_unseen", character=_named(letter), position=position)
        if category(letter) == "Zs" and (letter != " " or position in {1, len(text)} or text[position] == " "):
            return saying("refuse.name_blank", character=_named(letter), position=position)
    composed = normalize("NFC", text)
    if composed != text:
        at = next(at for at in range(len(text)) if not composed.startswith(text[: at + 1]))
        marks = takewhile(combining, text[at + 1 :])
        return saying("refuse.name_form", character=" + ".join(map(_named, (text[at], *marks))), position=at + 1)
    if (mark := _loose_mark(text)) is not None:
        return saying("refuse.name_mark", character=_named(text[mark]), position=mark + 1)
    return None


def _loose_mark(text: str) -> int | None:
    """Where a mark stands upon no letter, or is one too many; None where none does.

    What is a mark, or a blank with one, once it is normalised (NFKC) may not begin a word either.
    """
    marks = _MARKS_MAX  # a word's beginning bears none
    for at, letter in enumerate(text):
        as_first = normalize("NFKC", letter)[:1] if at == 0 or text[at - 1] == " " else letter
        if category(as_first)[0] == "M" or (as_first == " " != letter):
            marks += 1
            if marks > _MARKS_MAX:
                return at
        else:
            marks = _MARKS_MAX if letter == " " else 0
    return None


def refused_name(table: Table[Any], fact: Fact) -> tuple[Saying, str] | None:
    """Why a request may not bring in a name, and the name's field; None where it may.

    A correction of a round whose names aren't remembered may name anybody.
    """
    body, basis = fact.body, fact.basis
    match body:
        case RoundAmended() if isinstance(basis, Basis):
            new = tuple(_edited(basis.edits, "changes"))
            known = {*bettors_in(basis.opening.game), *bettors_in(tuple(each.fact.body for each in basis.known()))}
        case RoundCorrected(corrects=corrects):
            known = {bettor for bettor, _ in nets} if (nets := _nets(table, corrects)) else {*bettors_in(body)}
            new = tuple(("bettor", bettor) for bettor in bettors_in(body))
        case _:
            new = tuple(("bettor", bettor) for bettor in bettors_in(body))
            known = {*bettors_in(table.game)} if new else set[str]()
    return _refused(new, known)


def _refused(new: Iterable[tuple[str, str]], known: set[str]) -> tuple[Saying, str] | None:
    for where, bettor in new:
        if bettor not in known and (no := unfit(bettor) or _alike(bettor, known)) is not None:
            return no, where
        known.add(bettor)
    return None


def bettors_in(value: object) -> Iterator[str]:
    """All that stands in fields with the name `bettor`."""
    if isinstance(value, tuple):
        for each in cast("tuple[object, ...]", value):
            yield from bettors_in(each)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            held = getattr(value, field.name)
            if field.name != "bettor":
                yield from bettors_in(held)
            elif isinstance(held, str) and held:
                yield held


def _nets(table: Table[Any], round_id: str) -> Nets:
    over = ended(table.endings, round_id)
    return over.nets if over else ()


def _edited(edits: Iterable[Edit], path: str) -> Iterator[tuple[str, str]]:
    """Yield the names that changes state, each with its field."""
    for nth, edit in enumerate(edits):
        where = f"{path}[{nth}].{'fields' if edit.inserted else 'to'}"
        yield from ((f"{where}.bettor", bettor) for bettor in bettors_in(edit.body))
        yield from _edited(edit.edits, f"{where}.changes")


def _alike(bettor: str, known: Iterable[str]) -> Saying | None:
    looks = skeleton(bettor)
    other = next((each for each in sorted(known) if skeleton(each) == looks), None)
    if other is None:
        return None
    at = next((at for at, (ours, theirs) in enumerate(zip(bettor, other, strict=False)) if ours != theirs), 0)
    return saying("refuse.name_alike", name=bettor, other=other, character=_named(bettor[at]), position=at + 1)


def _is_unseen(letter: str) -> bool:
    return category(letter) in _UNSEEN or ord(letter) in _IGNORABLE


def _named(letter: str) -> str:
    """A character by its number and name, never itself."""
    return f"U+{ord(letter):04X} {name(letter, '')}".rstrip()
