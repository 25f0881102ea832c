"""`python scripts/law.py [--markdown] [--write]`: what carries each article of the five regulations, and what shows it.

A row of `law.toml` that is the code's needs a docstring (`Rule: 89/2004 art. 9(7).`) and a test
(`@pytest.mark.article("q_poker", "9.7")`, also `"8.1 to 8.6"`, and `"reading 9"`) that name it. Naming a whole article
says where that is at home, but carries none of its paragraphs. What plays or looks on carries nothing, nor does a mark
under which nothing can fail. A row that is people's or material's names a text, or code or a page that
names the article in turn. The scenarios of a row are those that fail when its code does nothing, as
`scripts/behaviour.py` found (`shown.json`). The exit code is 1 if a row lacks what carries it, or if something names
what isn't there.
"""

import argparse
import json
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.citations import (
    READING,
    Citation,
    Spot,
    UnreadableMark,
    docstring_citations,
    mark_citations,
    parse,
    refusal_citations,
)
from scripts.founded import PAGES, why_not, words_of
from scripts.idle_marks import idle_marks, sharp_names

ROOT: Final = Path(__file__).resolve().parent.parent
DATA: Final = "scripts/law.toml"
SHOWN: Final = "scripts/shown.json"
SCENARIOS: Final = "tests/scenarios"
GAMES: Final = "tablectl/core/games"
CATALOGUE: Final = "tablectl/words/en.toml"
CODE: Final = ("tablectl", "drivers")
BESIDE: Final = ("tablectl/features", "tablectl/history", "tablectl/testing")
"""What plays at a table or looks on: it names the law and doesn't carry it."""


@dataclass(frozen=True, slots=True)
class Row:
    """An article, paragraph, letter or reading.

    Args:
        key: `9.7`, `2.a`, `reading 9`.
        says: in short.
        kind: `code`, `people` or `material`.
        by: what reminds people or checks the material; empty for the code's.
        without: a file, a text in it, and what stands there where the row has no effect; empty where the functions
            that name the row are tried instead.
        unshown: why no scenario can fail without it; empty where one does.
    """

    key: str
    says: str
    kind: str
    by: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    unshown: str = ""


@dataclass(frozen=True, slots=True)
class Regulation:
    """A regulation and its rows, in the order of the law, the readings last.

    Args:
        status: what became of it, as far as is known.
    """

    game: str
    title: str
    instrument: str
    status: str
    rows: tuple[Row, ...]

    def keys_of(self, citation: Citation) -> list[str] | None:
        """The rows that a citation carries, none for an article with paragraphs; None if there is no such article."""
        keys = [row.key for row in self.rows]
        ends = [_ends(keys, article) for article in (citation.article, citation.last)]
        if not all(ends):
            return None
        if citation.article == citation.last:
            return ends[0] if ends[0] == [citation.article] else []
        if any(end != [article] for end, article in zip(ends, (citation.article, citation.last), strict=True)):
            return []
        return keys[keys.index(citation.article) : keys.index(citation.last) + 1] or None


def _ends(keys: Sequence[str], article: str) -> list[str]:
    """The row of that name, or the paragraphs of the article of that name."""
    return [article] if article in keys else [key for key in keys if key.startswith(f"{article}.")]


@dataclass(slots=True)
class Carried:
    """Who names a row, and the scenarios that fail without its code."""

    code: list[Spot] = field(default_factory=list[Spot])
    tests: list[Spot] = field(default_factory=list[Spot])
    scenarios: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class Survey:
    """What was found: the carriers of each row by game and key, and what is wrong, with file and line."""

    regulations: tuple[Regulation, ...]
    carried: Mapping[tuple[str, str], Carried]
    wrong: tuple[str, ...]

    def missing(self, regulation: Regulation) -> Iterator[str]:
        """What the regulation's rows lack."""
        for row in self.rows_in_code(regulation):
            carried = self.carried[regulation.game, row.key]
            needed = ("function", carried.code), ("test", carried.tests), ("scenario", carried.scenarios or row.unshown)
            lacks = [name for name, there in needed if not there]
            if lacks:
                yield f"{regulation.instrument} {row.key}: no {' and no '.join(lacks)} ({row.says})"
            elif carried.scenarios and row.unshown:
                yield f"{regulation.instrument} {row.key}: a scenario shows it, so no reason is needed ({row.says})"

    @staticmethod
    def rows_in_code(regulation: Regulation) -> list[Row]:
        """The rows that code has to carry."""
        return [row for row in regulation.rows if row.kind == "code"]


def load(root: Path) -> tuple[Regulation, ...]:
    """The regulations of the data file."""
    return tuple(_regulation(game, form) for game, form in tomllib.loads((root / DATA).read_text("utf-8")).items())


def _regulation(game: str, form: Mapping[str, Any]) -> Regulation:
    articles = [_row(key, row) for key, row in form["articles"].items()]
    readings = [_row(READING + key, row) for key, row in form["readings"].items()]
    return Regulation(game, form["title"], form["instrument"], form["status"], (*articles, *readings))


def _row(key: str, form: Mapping[str, Any]) -> Row:
    kind = next((kind for kind in ("people", "material") if kind in form), "code")
    return Row(
        key, form["says"], kind, tuple(form.get(kind, ())), tuple(form.get("without", ())), form.get("unshown", "")
    )


def survey(root: Path) -> Survey:
    """Reads the code and the tests below a folder."""
    regulations = load(root)
    carried = {(regulation.game, row.key): Carried() for regulation in regulations for row in regulation.rows}
    by_law = {name: regulation for regulation in regulations for name in (regulation.instrument, regulation.game)}
    wrong = [*_unfounded(root, regulations), *_idle(root), *_shown(root, carried)]
    for what, found in ((_CODE, in_code(root)), (_TESTS, _in_tests(root)), (_REFUSALS, _in_refusals(root))):
        for citation in found:
            wrong += _enter(citation, what, by_law, carried)
    return Survey(regulations, carried, tuple(sorted(set(wrong), key=_by_line)))


def _shown(root: Path, carried: Mapping[tuple[str, str], Carried]) -> Iterator[str]:
    """Enters the scenarios at their rows, and says which aren't there."""
    file = root / SHOWN
    found: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.exists() else {}
    for game, shown in found.items():
        for key, names in shown["rows"].items():
            if (row := carried.get((game, key))) is None:
                yield f"{SHOWN}:1: {game} has no {key}: python scripts/behaviour.py --write"
                continue
            row.scenarios += names
            for name in names:
                if not (root / SCENARIOS / f"{name}.toml").exists():
                    yield f"{SHOWN}:1: there is no scenario {name}: python scripts/behaviour.py --write"


_CODE, _TESTS, _REFUSALS = "code", "tests", "refusals"


def _by_line(wrong: str) -> tuple[str, int]:
    file, line, *_ = wrong.split(":")
    return file, int(line)


def _enter(
    citation: Citation | UnreadableMark,
    what: str,
    by_law: Mapping[str, Regulation],
    carried: Mapping[tuple[str, str], Carried],
) -> Iterator[str]:
    """Enters a citation at its rows, and says what is wrong with it."""
    if isinstance(citation, UnreadableMark):
        yield f"{citation.spot}: game and article of a mark have to be plain texts, or from a plain table"
        return
    regulation = by_law.get(citation.law)
    if regulation is None:
        yield f"{citation.spot}: there is no regulation {citation.law or 'here'}"
        return
    keys = regulation.keys_of(citation)
    if keys is None:
        named = citation.article if citation.article == citation.last else f"{citation.article} to {citation.last}"
        yield f"{citation.spot}: {regulation.instrument} has no {named}"
    elif what is not _REFUSALS:
        for key in keys:
            entry = carried[regulation.game, key]
            spots = entry.code if what is _CODE else entry.tests
            spots += [citation.spot] if citation.spot not in spots else []


def in_code(root: Path) -> Iterator[Citation]:
    """What the docstrings of the code that plays name."""
    beside = tuple(root / folder for folder in BESIDE)
    for file in _sources(root, CODE):
        if any(file.is_relative_to(folder) for folder in beside):
            continue
        yield from docstring_citations(parse(file), _relative(file, root))


def _in_tests(root: Path) -> Iterator[Citation | UnreadableMark]:
    for file in _marked(root):
        yield from mark_citations(parse(file), _relative(file, root))


def _marked(root: Path) -> Iterator[Path]:
    """The files of tests that name articles."""
    return (file for file in _sources(root, ("tests",)) if b"mark.article" in file.read_bytes())


def _idle(root: Path) -> Iterator[str]:
    """The marks that nothing can fail under."""
    sharp = frozenset[str]().union(*(sharp_names(parse(file)) for file in _sources(root, ("tests",))))
    for file in _marked(root):
        tree = parse(file)
        if not file.name.startswith("test_"):
            for stray in mark_citations(tree, _relative(file, root)):
                yield f"{stray.spot}: no test is looked for here, so the mark carries no article"
        for mark in idle_marks(tree, _relative(file, root), sharp):
            yield f"{mark.spot}: {mark.spot.name} {mark.why}, so it carries no article"


def _in_refusals(root: Path) -> Iterator[Citation]:
    for file in _sources(root, (GAMES,)):
        game = file.relative_to(root / GAMES).parts[0]
        if not game.endswith(".py"):
            yield from refusal_citations(parse(file), _relative(file, root), game)


def _sources(root: Path, folders: Iterable[str]) -> Iterator[Path]:
    for folder in folders:
        yield from sorted((root / folder).rglob("*.py"))


def _relative(file: Path, root: Path) -> str:
    return file.relative_to(root).as_posix()


def _unfounded(root: Path, regulations: Iterable[Regulation]) -> Iterator[str]:
    """The reminders and checks of the data file that aren't there, or say nothing of the article."""
    lines = (root / DATA).read_text("utf-8").splitlines()
    words = words_of(root / CATALOGUE)
    for regulation in regulations:
        for row in regulation.rows:
            here = f"{DATA}:{_line_of(lines, row.says)}"
            if row.kind != "code" and not row.by:
                yield f"{here}: {regulation.instrument} {row.key}: nothing is named"
            for by in row.by:
                if why := why_not(by, root, words, (regulation.instrument, row.key)):
                    yield f"{here}: {by} {why}"


def _line_of(lines: Sequence[str], says: str) -> int:
    return next(number for number, line in enumerate(lines, 1) if f'says = "{says}"' in line)


def page_of(regulation: Regulation) -> str:
    """The file of a regulation's page."""
    return f"{PAGES}{regulation.game}.md"


def page(found: Survey, regulation: Regulation) -> str:
    """The page of a regulation: what carries each article, what people have to know, how silences are read."""
    head = [
        f"# {regulation.title}: {regulation.instrument}, article by article",
        "",
        "<!-- Written by `make law ARGS=--write`; a test compares. -->",
        "",
        "What each article says in short, the code that carries it, the tests that name it, and scenarios of",
        "`tests/scenarios` that fail without it (`make mutate` tries all), or why none can. What binds people only, or",
        "is equipment, says so, and where people are reminded or what checks it. Readings settle what the text leaves",
        "open.",
        "",
        f"Status: {regulation.status}.",
        "",
    ]
    articles = [row for row in regulation.rows if not row.key.startswith(READING)]
    readings = [row for row in regulation.rows if row.key.startswith(READING)]
    tables = [*_table("article", articles, found, regulation), "", "## Readings", ""]
    return "\n".join([*head, *tables, *_table("reading", readings, found, regulation), ""])


def _table(title: str, rows: Iterable[Row], found: Survey, regulation: Regulation) -> Iterator[str]:
    yield f"| {title} | says | code | tests | fails without it |"
    yield "|---|---|---|---|---|"
    for row in rows:
        carried = found.carried[regulation.game, row.key]
        shown = [f"`{name}`" for name in carried.scenarios] or ([row.unshown] if row.unshown else [])
        lists = _owners(carried.code, row), _tests(carried.tests), shown
        yield f"| {' | '.join((row.key.removeprefix(READING), row.says, *map(_cell, lists)))} |"


def _owners(spots: Iterable[Spot], row: Row) -> list[str]:
    """Module and name of each carrier; before them what reminds people or checks the material."""
    names = {f"`{_module(spot.file)}.{spot.name}`" for spot in spots}
    marked = [f"{row.kind}: {', '.join(f'`{by}`' for by in row.by)}"] if row.by else []
    return [*marked, *sorted(names)]


def _module(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").removeprefix(f"{GAMES}/").replace("/", ".")


def _tests(spots: Iterable[Spot]) -> list[str]:
    return sorted({f"`{spot.name}`" for spot in spots})


def _cell(lines: Sequence[str]) -> str:
    return "<br>".join(lines) or "–"


def text_table(found: Survey, regulation: Regulation) -> Iterator[str]:
    """The regulation for a terminal: a line for each row."""
    rows = found.rows_in_code(regulation)
    lacking = len(list(found.missing(regulation)))
    yield f"{regulation.instrument} {regulation.title}: {len(rows) - lacking} of {len(rows)} rows carried"
    for row in regulation.rows:
        carried = found.carried[regulation.game, row.key]
        names = sorted({f"{_module(spot.file).partition('.')[2]}.{spot.name}" for spot in carried.code})
        first = ", ".join(names[:2]) + (f" +{len(names) - 2}" if len(names) > 2 else "")
        who = first if row.kind == "code" else f"({row.kind}) {' '.join(row.by)}"
        short = row.says if len(row.says) <= 60 else f"{row.says[:59]}…"
        yield f"  {row.key:<11}{short:<61}{len(set(carried.tests)):>3} tests  {who or '-'}"
        if carried.scenarios:
            yield f"{'':13}fails without it: {', '.join(carried.scenarios)}"
        elif row.unshown:
            yield f"{'':13}no scenario: {row.unshown}"


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Prints or writes the tables, and what is missing or wrong."""
    parser = argparse.ArgumentParser(prog="law", description=__doc__)
    parser.add_argument("--markdown", action="store_true", help="print the pages instead of the tables")
    parser.add_argument("--write", action="store_true", help="write the pages to docs/reference/law")
    asked = parser.parse_args(arguments)
    found = survey(root)
    for regulation in found.regulations:
        if asked.write:
            (root / page_of(regulation)).write_text(page(found, regulation), "utf-8")
        else:
            print(page(found, regulation) if asked.markdown else "\n".join([*text_table(found, regulation), ""]))
    missing = [line for regulation in found.regulations for line in found.missing(regulation)]
    for line in (*found.wrong, *missing):
        print(line, file=sys.stderr)
    return 1 if found.wrong or missing else 0


if __name__ == "__main__":
    raise SystemExit(main())
