"""Where the law is named: in docstrings after `Rule:`, in refusals, and in the marks of tests. Nothing is imported."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

READING: Final = "reading "
"""What stands before a reading's number, in marks too."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A line of a file, and the name of what stands there."""

    file: str
    line: int
    name: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Citation:
    """An article, a range of articles or a reading that is named somewhere.

    Args:
        law: the instrument in docstrings, the game in marks and refusals.
        article: as in the list of articles; `last` as well, where a range ends.
    """

    law: str
    article: str
    last: str
    spot: Spot


@dataclass(frozen=True, slots=True)
class UnreadableMark:
    """A mark whose game or article can't be read off the source."""

    spot: Spot


def plain(item: str) -> str:
    """`9(7)` and `9.7` as `9.7`."""
    return item.replace("(", ".").replace(")", "")


_LAW: Final = r"\d+/\d+(?:/M)?"
_TOKENS: Final = re.compile(
    rf"(?P<law>{_LAW})|(?P<word>[Aa]rt\.|[Rr]eadings?\b)|(?P<item>\d+(?:\.\d+|\([0-9a-zI]+\))*)"
    r"|(?P<to>\bto\b)|(?P<and>,|\band\b)|(?P<other>[^\s,])"
)
_NOTE: Final = re.compile(r"(?<=\s)\(([^()]*(?:\([^()]*\)[^()]*)*)\)")


@dataclass(slots=True)
class _Reader:
    """What has been read of a rule so far: the instrument, and what a bare number would mean."""

    law: str = ""
    kind: str | None = None
    to: bool = False

    def take(self, token: re.Match[str]) -> tuple[str, bool] | None:
        """The article that the token names, and whether it ends a range."""
        if token.lastgroup == "item":
            return self._item(token["item"])
        self.to = token.lastgroup == "to" and self.kind is not None
        if token.lastgroup == "law":
            self.law, self.kind = token["law"], None
        elif token.lastgroup == "word":
            self.kind = READING if token["word"][0] in "Rr" else ""
        elif token.lastgroup == "other":
            self.kind = None
        return None

    def _item(self, item: str) -> tuple[str, bool] | None:
        if "(" in item:
            self.kind = ""
        ends, self.to = self.to, False
        return None if self.kind is None else (self.kind + plain(item), ends)


def cited(rule: str, law: str = "") -> Iterator[tuple[str, str, str]]:
    """Instrument, article and end of the range of all that a rule names, its asides in parentheses last.

    Args:
        rule: what stands after `Rule:`, as `89/2004 art. 9(4) to 9(7), art. 10; reading 6 (to one)`.
        law: the instrument of what precedes it.
    """
    reader = _Reader(law)
    found: list[tuple[str, str, str]] = []
    for token in _TOKENS.finditer(_NOTE.sub("", rule)):
        named = reader.take(token)
        if named and named[1] and found:
            found[-1] = (*found[-1][:2], named[0])
        elif named:
            found.append((reader.law, named[0], named[0]))
    yield from found
    for note in _NOTE.findall(rule):
        yield from cited(note, reader.law)


def instruments(rule: str) -> list[str]:
    """The instruments that a rule names."""
    return re.findall(_LAW, rule)


def rules_in(text: str) -> Iterator[str]:
    """What follows each `Rule:` of a docstring, to its blank line or the next rule."""
    for paragraph in re.split(r"\n\s*\n", text):
        yield from paragraph.split("Rule:")[1:]


def documented(tree: ast.Module) -> Iterator[tuple[str, int, str]]:
    """Every docstring of a module with its owner's name and line, those below constants too."""
    yield "(module)", 1, ast.get_docstring(tree, clean=False) or ""
    yield from _documented(tree, "")


def _documented(parent: ast.AST, within: str) -> Iterator[tuple[str, int, str]]:
    body = getattr(parent, "body", [])
    for before, node in zip([None, *body], body, strict=False):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield within + node.name, node.lineno, ast.get_docstring(node, clean=False) or ""
            yield from _documented(node, f"{within}{node.name}.")
        elif text := _text_of(node):
            named = _assigned(before)
            if named:
                yield within + named, node.lineno, text


def _text_of(node: ast.stmt) -> str:
    value = node.value if isinstance(node, ast.Expr) else None
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def _assigned(node: ast.stmt | None) -> str:
    match node:
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
            return name
        case _:
            return ""


def docstring_citations(tree: ast.Module, file: str) -> Iterator[Citation]:
    """What the docstrings of a module name; the law is "" where a rule names none."""
    for name, line, text in documented(tree):
        for rule in rules_in(text):
            spot = Spot(file, line, name)
            if not instruments(rule):
                yield Citation("", "", "", spot)
            for law, article, last in cited(rule):
                yield Citation(law, article, last, spot)


_REFUSED: Final = re.compile(r"\d+\([0-9a-zI]+\)")
_ARTICLE: Final = re.compile(r"\d+(?:\.\w+|\(\w+\))?")
_CODE: Final = re.compile(r"[a-z]+(?:_[a-z]+)+")


def refusal_citations(tree: ast.Module, file: str, game: str) -> Iterator[Citation]:
    """The articles that refusals and irregularities of a game's modules name: `"9(2)"`, and `"7"` before a code."""
    for node in ast.walk(tree):
        for article, line in _articles_in(node):
            yield Citation(game, plain(article), plain(article), Spot(file, line, "(text)"))


def _articles_in(node: ast.AST) -> Iterator[tuple[str, int]]:
    """Each article that stands in a node itself, and its line."""
    match node:
        case ast.Constant(value=str(text)) if _REFUSED.fullmatch(text):
            yield text, node.lineno
        case ast.Call(args=parts) | ast.Tuple(elts=parts):
            for before, after in pairwise(parts):
                match before, after:
                    case ast.Constant(value=str(article)), ast.Constant(value=str(code)):
                        if _ARTICLE.fullmatch(article) and _CODE.fullmatch(code):
                            yield article, before.lineno
                    case _:
                        pass
        case _:
            pass


def page_citations(file: Path) -> Iterator[tuple[str, str, str]]:
    """Instrument, article and end of the range of what a page names in parentheses, as `(42/2003 art. 3(4))`."""
    for note in _NOTE.findall(" ".join(file.read_text("utf-8").split())):
        if re.match(_LAW, note):
            yield from cited(note)


def mark_citations(tree: ast.Module, file: str) -> Iterator[Citation | UnreadableMark]:
    """What the marks of a module's tests name; a mark in a list of cases stands for the list's name."""
    constants = {_assigned(node): node.value for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)}
    for statement in tree.body:
        yield from _marks_in(statement, file, "", constants)


def _marks_in(
    statement: ast.AST, file: str, within: str, constants: Mapping[str, ast.expr | None]
) -> Iterator[Citation | UnreadableMark]:
    if isinstance(statement, ast.ClassDef):
        for inner in (*statement.decorator_list, *statement.body):
            yield from _marks_in(inner, file, f"{statement.name}.", constants)
        return
    named = getattr(statement, "name", "") or (_assigned(statement) if isinstance(statement, ast.stmt) else "")
    for call, scope in _calls(statement, {}):
        spot = Spot(file, call.lineno, f"{within}{named}".rstrip(".") or "(module)")
        games, articles = (_possible(argument, scope, constants) for argument in call.args[:2])
        if not games or not articles:
            yield UnreadableMark(spot)
        for game in games:
            yield from (Citation(game, *_range(article), spot) for article in articles)


def _range(article: str) -> tuple[str, str]:
    """Both ends of `8.1 to 8.6`, or the one article twice."""
    first, _, last = article.partition(" to ")
    return plain(first), plain(last or first)


Scope = Mapping[str, tuple[ast.expr, int | None]]
"""The names that comprehensions around a call bind: what they go through, and at which place of its items."""


def _calls(node: ast.AST, scope: Scope) -> Iterator[tuple[ast.Call, Scope]]:
    """Every `pytest.mark.article(game, article)` below a node."""
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        scope = {**scope, **{name: bound for generator in node.generators for name, bound in _bound(generator)}}
    match node:
        case ast.Call(func=ast.Attribute(attr="article", value=ast.Attribute(attr="mark")), args=[_, _]):
            yield node, scope
        case _:
            pass
    for child in ast.iter_child_nodes(node):
        yield from _calls(child, scope)


def _bound(generator: ast.comprehension) -> Iterator[tuple[str, tuple[ast.expr, int | None]]]:
    match generator.target:
        case ast.Name(id=name):
            yield name, (generator.iter, None)
        case ast.Tuple(elts=targets):
            for place, target in enumerate(targets):
                if isinstance(target, ast.Name):
                    yield target.id, (generator.iter, place)
        case _:
            pass


def _possible(argument: ast.expr, scope: Scope, constants: Mapping[str, ast.expr | None]) -> list[str]:
    """All texts that an argument may be, none if that can't be told."""
    match argument:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.Subscript(value=ast.Name(id=table)) if isinstance(constants.get(table), ast.Dict):
            return _texts(constants[table], lambda table: getattr(table, "values", []))
        case ast.Name(id=name) if name in scope:
            through, place = scope[name]
            items = constants.get(through.id) if isinstance(through, ast.Name) else through
            return _texts(items, lambda items: [_at(item, place) for item in getattr(items, "elts", [])])
        case _:
            return []


def _at(item: ast.expr, place: int | None) -> ast.expr:
    return item.elts[place] if place is not None and isinstance(item, ast.Tuple | ast.List) else item


def _texts(node: ast.expr | None, parts: Callable[[ast.expr | None], list[ast.expr]]) -> list[str]:
    """The different texts among the parts of a table, in their order; none if one of them isn't a plain text."""
    values = [part.value if isinstance(part, ast.Constant) else None for part in parts(node)]
    return list(dict.fromkeys(map(str, values))) if values and all(isinstance(value, str) for value in values) else []


def parse(file: Path) -> ast.Module:
    """The tree of a source file."""
    return ast.parse(file.read_bytes(), str(file))
