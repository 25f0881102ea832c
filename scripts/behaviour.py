"""`python scripts/behaviour.py [GAME …] [--write]`: which scenarios fail when a rule is replaced by "nothing happens".

Replaced is each entry of a game's table `{fact type: rule}`, and each function whose docstring names an article: its
result is then what it would be if there were nothing to do (the state as it was, no refusal, an empty list). Where one
function carries several articles, or a rule table does, `law.toml` says what stands there without each. All is tried in
the pure core. What was found is kept in `shown.json`, from which the pages of the law name scenarios. The exit
code is 1 if an entry is missed by every scenario and `mutants_allowed.toml` gives no reason for that, or if the file
says otherwise than what was found.
"""

import argparse
import ast
import asyncio
import importlib
import inspect
import json
import os
import sys
import threading
import tomllib
from array import array
from collections.abc import Callable, Generator, Iterator, Mapping, MutableMapping, Sequence, Set
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, Final

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts import law
from scripts.citations import Citation, Spot, parse
from scripts.mutate import ALLOWED
from tablectl import rule_tables
from tablectl.config.errors import ConfigError
from tablectl.edited_files import read_text
from tablectl.rule_tables import GAMES
from tablectl.testing.levels.levels import CoreLevel
from tablectl.testing.scenarios.parser import read_scenario
from tablectl.testing.scenarios.scenario import Scenario
from tablectl.testing.scenarios.suite import Verdict, played

SCENARIOS: Final = law.ROOT / "tests/scenarios"
CORE: Final = "tablectl/core/"
FILE: Final = "scripts/shown.json"
MOST_NAMED: Final = 3
"""So many scenarios are looked for of each rule, those first that name its article, then the short ones."""

BROKEN: Final = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError, ExceptionGroup)
"""The errors of code that meets a nothing where there never is one."""

_EMPTY: Final = {
    "bool": ("True", "False"),
    "int": ("0",),
    "str": ("''",),
    "None": ("None",),
    "Effects": ("()",),
    "Bets": ("()",),
    "Throws": ("()",),
    "tuple": ("()",),
    "list": ("[]",),
    "set": ("set()",),
    "frozenset": ("frozenset()",),
    "Mapping": ("{}",),
    "Iterator": ("iter(())",),
}
"""What a function returns of each type if there is nothing; a truth is tried both ways."""

_REMEMBERED: Final = {
    "q_poker.hands": ("_KEYS",),
    "thirteen_cards.hands": ("_KEYS", "_FLUSHES", "_FIRST_KEYS"),
}
"""What games keep of hands ranked before, with a rule or without it."""


@dataclass(frozen=True, slots=True)
class Removal:
    """A rule of a game without effect.

    Args:
        name: the fact's type, module and name of the function, or the row of the law.
        rows: the rows of the law that are shown by it; empty for an entry of the table.
        code: what runs where the rule applies.
        without: a block in which it has none.
    """

    name: str
    rows: tuple[str, ...]
    code: CodeType
    without: Callable[[], AbstractContextManager[None]]


def scenarios_of(game: str) -> tuple[Scenario, ...]:
    """The game's scenarios, by their names."""
    return tuple(scenario for scenario in _all_scenarios() if scenario.game == game)


@cache
def _all_scenarios() -> tuple[Scenario, ...]:
    return tuple(map(read_scenario, sorted(SCENARIOS.glob("*.toml"))))


def fails(scenario: Scenario) -> bool:
    """Return True if the scenario doesn't go as written; code that breaks on what is missing counts too.

    Where no table can be set up any more, nothing is said of how one is played.
    """
    try:
        return asyncio.run(played(scenario, CoreLevel())).verdict is not Verdict.PASSED
    except ConfigError:
        return False
    except BROKEN:
        return True


def entries(game: str) -> Iterator[Removal]:
    """Each entry of the table `{fact type: rule}`, answered by nothing."""
    table = importlib.import_module(f"tablectl.core.games.{game}.game").RULES
    for kind in tuple(table):
        yield Removal(kind.__name__, (), table[kind].__code__, partial(_with, table, kind, _unanswered))


def _unanswered(step: Any, _: object) -> tuple[Any, tuple[()]]:
    return step.state, ()


@contextmanager
def _with(table: MutableMapping[Any, Any], key: object, instead: object) -> Generator[None]:
    before = table[key]
    table[key] = instead
    try:
        yield
    finally:
        table[key] = before


@cache
def _cited() -> tuple[Citation, ...]:
    return tuple(law.in_code(law.ROOT))


def rules(game: str) -> Iterator[Removal]:
    """Each row of the game's regulation that has its own removal, then each function that carries others."""
    regulation = next(one for one in law.load(law.ROOT) if one.game == game)
    own = [row for row in regulation.rows if row.without]
    yield from map(_own, own)
    yield from _functions(regulation, {row.key for row in own})


def _own(row: law.Row) -> Removal:
    """A row without what `law.toml` names in a function or a rule table.

    Raises:
        ValueError: it isn't there, or more than once.
    """
    file, old, new = row.without
    text = (law.ROOT / file).read_text("utf-8")
    if text.count(old) != 1:
        raise ValueError(f"{row.key}: {file} doesn't say this once: {old}")
    instead = text.replace(old, new)
    if not file.endswith(".py"):
        says = partial(_table_says, law.ROOT / file, instead)
        return Removal(row.key, (row.key,), rule_tables.load_rules.__code__, says)
    name = _name_at(file, text[: text.index(old)].count("\n") + 1)
    function = _function(Spot(file, 1, name))
    code = next(
        one for one in compile(instead, file, "exec").co_consts if isinstance(one, CodeType) and one.co_name == name
    )
    return Removal(row.key, (row.key,), function.__code__, partial(_code_of, function, code))


@contextmanager
def _table_says(file: Path, text: str) -> Generator[None]:
    def read(path: Path) -> str:
        return text if path == file else read_text(path)

    with _with(rule_tables.__dict__, "read_text", read):
        yield


def _name_at(file: str, line: int) -> str:
    """The function of a module in which a line is."""
    defined = [one for one in parse(law.ROOT / file).body if isinstance(one, ast.FunctionDef)]
    return next(one.name for one in defined if one.lineno <= line <= (one.end_lineno or 0))


def _functions(regulation: law.Regulation, shown: Set[str]) -> Iterator[Removal]:
    """Each function that carries rows that aren't shown otherwise, in each way in which it can do nothing."""
    rows: dict[Spot, dict[str, None]] = {}
    for citation in _cited():
        if citation.law == regulation.instrument:
            others = [key for key in regulation.keys_of(citation) or () if key not in shown]
            rows.setdefault(citation.spot, {}).update(dict.fromkeys(others))
    for spot, keys in sorted(rows.items(), key=lambda item: (item[0].file, item[0].line)):
        for nothing in _nothings(spot) if keys and spot.file.startswith(CORE) else ():
            function = _function(spot)
            code = _returning(spot, nothing).replace(co_freevars=function.__code__.co_freevars)
            name = f"{_module(spot)}.{spot.name}"
            yield Removal(name, tuple(keys), function.__code__, partial(_code_of, function, code))


@contextmanager
def _code_of(function: FunctionType, code: CodeType) -> Generator[None]:
    before = function.__code__
    function.__code__ = code
    _forget()
    try:
        yield
    finally:
        function.__code__ = before
        _forget()


def _forget() -> None:
    for module, names in _REMEMBERED.items():
        for name in names:
            kept: dict[int, int] | array[int] = getattr(importlib.import_module(f"tablectl.core.games.{module}"), name)
            if isinstance(kept, array):
                kept[:] = array(kept.typecode, bytes(kept.itemsize * len(kept)))
            else:
                kept.clear()


def _module(spot: Spot) -> str:
    return spot.file.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def _function(spot: Spot) -> FunctionType:
    found: Any = importlib.import_module(_module(spot))
    for part in spot.name.split("."):
        found = inspect.getattr_static(found, part)
    found = getattr(found, "fget", None) or getattr(found, "__func__", found)
    function: FunctionType = inspect.unwrap(found)
    return function


def _nothings(spot: Spot) -> tuple[str, ...]:
    """The expressions that are nothing of the type that a function returns; empty for what is no function."""
    node = _node(spot)
    if node is None or node.returns is None:
        return ()
    names = [argument.arg for argument in node.args.args]
    kind = ast.unparse(node.returns)
    types = {argument.arg: ast.unparse(argument.annotation) for argument in node.args.args if argument.annotation}
    if kind.endswith("| None"):
        return ("None",)
    if kind.partition("[")[0] == "Outcome":
        return ("(state, ())",) if "state" in names else ("(step.state, ())",) if "step" in names else ()
    same = [name for name in names if types.get(name) == kind]
    return tuple(same[:1]) or _EMPTY.get(kind.partition("[")[0], ())


def _node(spot: Spot) -> ast.FunctionDef | None:
    body: Sequence[ast.stmt] = parse(law.ROOT / spot.file).body
    node = None
    for part in spot.name.split("."):
        defined = [one for one in body if isinstance(one, ast.FunctionDef | ast.ClassDef) and one.name == part]
        if not defined:
            return None
        node, body = defined[0], defined[0].body
    return node if isinstance(node, ast.FunctionDef) else None


def _returning(spot: Spot, expression: str) -> CodeType:
    """The code of a function with the same parameters that only returns this."""
    node = _node(spot)
    assert node is not None
    source = f"def {node.name}({_parameters(node)}):\n    return {expression}\n"
    return next(one for one in compile(source, spot.file, "exec").co_consts if isinstance(one, CodeType))


def _parameters(node: ast.FunctionDef) -> str:
    plain = ast.arguments(
        posonlyargs=[ast.arg(one.arg) for one in node.args.posonlyargs],
        args=[ast.arg(one.arg) for one in node.args.args],
        vararg=node.args.vararg and ast.arg(node.args.vararg.arg),
        kwonlyargs=[ast.arg(one.arg) for one in node.args.kwonlyargs],
        kw_defaults=[None] * len(node.args.kwonlyargs),
        kwarg=node.args.kwarg and ast.arg(node.args.kwarg.arg),
        defaults=[],
    )
    return ast.unparse(plain)


def reached(scenario: Scenario) -> frozenset[CodeType]:
    """The code that runs in a scenario, in whatever thread."""
    ran: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            ran.add(frame.f_code)

    _forget()
    threading.setprofile(note)  # what blocks runs in a thread of its own
    sys.setprofile(note)
    try:
        fails(scenario)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return frozenset(ran)


class Trial:
    """The scenarios of a game, and what they reach.

    Raises:
        ValueError: a scenario doesn't go as written before anything is removed.
    """

    def __init__(self, game: str) -> None:
        self.scenarios = sorted(scenarios_of(game), key=lambda one: (len(one.steps), one.name))
        self.ran = {one.name: reached(one) for one in self.scenarios}
        if wrong := [one.name for one in self.scenarios if fails(one)]:
            raise ValueError(f"not as written before anything is removed: {', '.join(wrong)}")

    def failing(self, removal: Removal, most: int) -> list[str]:
        """The scenarios that fail without a rule, so many of them."""
        cited = {*removal.rows}
        reaching = [one for one in self.scenarios if removal.code in self.ran[one.name]]
        found: list[str] = []
        with removal.without():
            for one in sorted(reaching, key=lambda one: not cited & {*rows_named(one)}):
                if len(found) == most:
                    break
                found += [one.name] if fails(one) else []
        return found


def rows_named(scenario: Scenario) -> Iterator[str]:
    """The rows of the law that a scenario says it is about: `2(c)` is the row `2.c`."""
    for article in scenario.articles:
        yield article.replace("(", ".").replace(")", "")


def measured(game: str) -> dict[str, dict[str, list[str]]]:
    """Scenarios of a game that fail without an entry of its table, or without the code of a row of its regulation."""
    trial, rows = Trial(game), dict[str, list[str]]()
    shown = {removal.name: trial.failing(removal, 1) for removal in entries(game)}
    for removal in rules(game):
        found = trial.failing(removal, MOST_NAMED)
        for row in removal.rows:
            rows.setdefault(row, []).extend(found)
    about = {one.name: {*rows_named(one)} for one in trial.scenarios}
    return {"entries": shown, "rows": {row: _best(row, found, about) for row, found in rows.items()}}


def _best(row: str, found: list[str], about: Mapping[str, set[str]]) -> list[str]:
    """Those that name the row first, then those that fail for most of its functions."""
    return sorted({*found}, key=lambda name: (row not in about[name], -found.count(name), name))[:MOST_NAMED]


def allowed(root: Path) -> dict[tuple[str, str], str]:
    """The entries that every scenario may miss, by game and type, and why."""
    listed = tomllib.loads((root / ALLOWED).read_text("utf-8"))["entries"]
    return {(entry["game"], fact): entry["why"] for entry in listed for fact in entry["facts"]}


def kept() -> dict[str, Any]:
    """What was found when the file was written."""
    found: dict[str, Any] = json.loads((law.ROOT / FILE).read_text("utf-8"))
    return found


def complaints(game: str, shown: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The entries that every scenario misses without a reason, and the reasons that nothing needs."""
    reasons = allowed(law.ROOT)
    for name, found in shown.items():
        if not found and (game, name) not in reasons:
            yield f"{game}: no scenario fails when nothing answers {name}"
        if found and (game, name) in reasons:
            yield f"{ALLOWED}: {found[0]} fails when nothing answers {name} in {game}, so no reason is needed"


def main(arguments: Sequence[str] | None = None) -> int:
    """Tries what is asked for."""
    parser = argparse.ArgumentParser(prog="behaviour", description=__doc__)
    parser.add_argument("game", nargs="*", help="q_poker, …; all, if none is named")
    parser.add_argument("--write", action="store_true", help=f"write what is found to {FILE}")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time")
    asked = parser.parse_args(arguments)
    games = [game.replace("-", "_") for game in asked.game] or list(GAMES)
    before = kept()
    with ProcessPoolExecutor(asked.jobs) as pool:
        found = dict(zip(games, pool.map(measured, games), strict=True))
    wrong = [line for game in games for line in complaints(game, found[game]["entries"])]
    if asked.write:
        (law.ROOT / FILE).write_text(json.dumps({**before, **found}, indent=1, sort_keys=True) + "\n", "utf-8")
    else:
        wrong += [f"{FILE}: {game} isn't what was found; --write" for game in games if before.get(game) != found[game]]
    for game in games:
        rows = found[game]["rows"]
        print(
            f"{game}: {len(found[game]['entries'])} entries, {sum(map(bool, rows.values()))} of {len(rows)} rows shown"
        )
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
