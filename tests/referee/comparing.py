"""The referee beside `tablectl settle`: the same lines to both, and where they differ."""

import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from io import BufferedReader, BytesIO
from random import Random
from types import ModuleType
from typing import Final

from tablectl.features.rounds.settle import settle_all
from tests.referee import chinese_dice, football_poker, q_poker, thirteen_cards, wheel_of_fortune
from tests.referee.forms import Fields, RefusedError, fields, one_of, read_json
from tests.referee.spoiling import spoilt

GAMES: Final[dict[str, ModuleType]] = {
    "q_poker": q_poker,
    "football_poker": football_poker,
    "wheel_of_fortune": wheel_of_fortune,
    "chinese_dice": chinese_dice,
    "thirteen_cards": thirteen_cards,
}

SEED: Final = int(os.environ.get("REFEREE_SEED", "1"))
TIMES: Final = int(os.environ.get("REFEREE_TIMES", "1"))
"""How many times as many rounds as `make test` looks at."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A round that the two settle differently."""

    given: str
    product: object
    referee: object


@dataclass(frozen=True, slots=True)
class Heard:
    """Lines, and what the product answers."""

    lines: list[str]
    answers: list[object]

    def difference(self) -> Difference | None:
        """The first line that the referee settles otherwise."""
        return next(differences(self.lines, self.answers), None)

    def seen(self, *keys: str) -> set[object]:
        """The values that the fields have anywhere in the answers."""
        return {value for answer in self.answers for value in _values(answer, keys)}


def _values(answer: object, keys: Collection[str]) -> Iterator[object]:
    if isinstance(answer, dict):
        yield from (answer[key] for key in keys if isinstance(answer.get(key, ()), str | int | None))
    parts = answer.values() if isinstance(answer, dict) else answer if isinstance(answer, list) else ()
    for part in parts:
        yield from _values(part, keys)


def heard(make: Callable[[Random], Fields], count: int, *, spoil: bool = False) -> Heard:
    """Random rounds, whole or spoilt in one spot each, with what the product answers."""
    random = Random(SEED)  # the same rounds in every run, until another seed is asked for
    forms = (make(random) for _ in range(count * TIMES))
    lines = [written(spoilt(random, form) if spoil else form) for form in forms]
    return Heard(lines, by_product(lines))


def refereed(text: str, number: int) -> Fields:
    """The referee's line of output for one line of input."""
    try:
        form = fields(read_json(text), "", ("game", "round"), ("id", "rules"))
        game = one_of(form["game"], "game", GAMES)
        settled: Fields = GAMES[game].settle(form["round"], form.get("rules", {}))
    except RefusedError as error:
        return {"line": number, "error": {"path": error.path}}
    echoed = {"id": form["id"]} if "id" in form else {}
    return {"line": number, "game": game, **echoed, **settled}


def by_product(lines: Iterable[str]) -> list[object]:
    """What `tablectl settle` writes for the lines."""
    target = BytesIO()
    settle_all(BufferedReader(BytesIO("\n".join(lines).encode())), target)
    return [read_json(line) for line in target.getvalue().decode().splitlines()]


def differences(lines: list[str], answers: list[object]) -> Iterator[Difference]:
    """The lines on which the answers differ from the referee's, one after another as they are found."""
    for number, (text, answer) in enumerate(zip(lines, answers, strict=True), 1):
        ruled = refereed(text, number)
        if not same(answer, ruled):
            yield Difference(text, answer, ruled)


def same(product: object, referee: Fields) -> bool:
    """Whether the two answers say the same, type by type.

    An error's message is its writer's own. Where two things are wrong, one inside the other, either path is right.
    """
    match product, referee:
        case {"error": {"path": str(path), "message": str(), **rest}, **line}, {"error": {"path": str(ruled)}}:
            inside = bool(path and ruled) and (path.startswith(ruled) or ruled.startswith(path))
            return (path == ruled or inside) and not rest and line == {"line": referee["line"]}
        case _:
            return _typed(product) == _typed(referee)


def _typed(answer: object) -> str:
    """A text in which 1, true and "1" differ, and the fields' order doesn't count."""
    return json.dumps(answer, sort_keys=True, default=str)


def written(form: object) -> str:
    """A line of input; a decimal is the number that it was written as."""
    text = json.dumps(form, default=lambda decimal: f"@{decimal}@")
    return re.sub(r'"@(.*?)@"', r"\1", text)
