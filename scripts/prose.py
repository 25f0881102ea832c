"""Hold docstrings and names to the project's plain English: `prose.py [FOLDER ...]`, all of the product by default.

It fails on a first docstring line over 80 characters or one that begins with what, who or whether, on code in double
backquotes in a docstring, on a retired word as the name of a module, class, function or parameter, and on a public
function that raises to its caller without `Raises:`, and on a test's name of more than ten words.
"""

import argparse
import ast
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

ROOT: Final = Path(__file__).resolve().parent.parent
ROOMS: Final = ("tablectl", "drivers", "tests")

PUBLISHED: Final[Sequence[str]] = ("tablectl/core/events/", "tablectl/mqtt/schema/")
"""Folders whose classes' docstrings aren't held: they are descriptions in the AsyncAPI document, by its contract."""

LONGEST: Final = 80
MOST_WORDS: Final = 10
"""Words in a test's name; what an apostrophe leaves, as in `can_t`, is none."""

NO_NOUN: Final = re.compile(r"(what|who|whom|whose|whether|whoever|whatever)\b", re.IGNORECASE)
RETIRED: Final = frozenset(
    {"clerk", "errand", "fleet", "greeting", "heir", "lamps", "lying", "paper", "pulse", "sieve", "sight", "told"}
)
"""Words of the old private language; docs/glossary.md has the field's own beside them."""

ALLOWED: Final[Mapping[str, str]] = {}
"""`path: name`, and why it stays."""

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Documented: TypeAlias = ast.Module | ast.ClassDef | Function


def findings(path: Path) -> Iterator[str]:
    """Each finding in a module, as `path:line: what is wrong`."""
    tree = ast.parse(path.read_text("utf-8"))
    name = path.relative_to(ROOT).as_posix()
    if name.startswith("tests/"):
        yield from (f"{name}:{line}: {text}" for line, text in _of_tests(tree))
        return
    published = name.startswith(tuple(PUBLISHED))
    for line, text in (*_of_docstrings(tree, published=published), *_of_names(path, tree), *_of_raises(tree)):
        if f"{name}: {text.rpartition(' ')[2]}" not in ALLOWED:
            yield f"{name}:{line}: {text}"


def _of_docstrings(tree: ast.Module, *, published: bool) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if published and isinstance(node, ast.ClassDef):
            continue
        if isinstance(node, Documented) and (text := ast.get_docstring(node)):
            first, line = text.splitlines()[0], node.body[0].lineno
            if len(first) > LONGEST:
                yield line, f"the first line of the docstring has {len(first)} characters"
            if NO_NOUN.match(first):
                yield line, f"the docstring begins with {first.split()[0]}"
            if "``" in text:
                yield line, "the docstring has code in double backquotes"


def _of_names(path: Path, tree: ast.Module) -> Iterator[tuple[int, str]]:
    names = [(1, path.stem)]
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | Function):
            names.append((node.lineno, node.name))
        elif isinstance(node, ast.arg):
            names.append((node.lineno, node.arg))
    for line, name in names:
        if RETIRED & set(re.findall(r"[a-z]+", re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower())):
            yield line, f"retired word: {name}"


def _of_tests(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, Function) and node.name.startswith("test_"):
            words = len([word for word in node.name.split("_")[1:] if word not in {"s", "t"}])
            if words > MOST_WORDS:
                yield node.lineno, f"{words} words in {node.name}"


def _of_raises(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if not isinstance(node, Function) or node.name.startswith("_") or _is_exempt(node):
            continue
        if _raises(node) and "Raises:" not in (ast.get_docstring(node) or ""):
            yield node.lineno, f"no Raises: {node.name}"


def _is_exempt(node: Function) -> bool:
    """Return True if nobody sees it raise: it is abstract, or a command, whose docstring is its help."""
    decorators = [ast.unparse(each) for each in node.decorator_list]
    return any(word in each for each in decorators for word in ("abstract", "overload", ".command("))


def _raises(node: Function) -> bool:
    """Whether the body itself raises something new to its caller."""
    todo: list[ast.AST] = [*node.body]
    while todo:
        each = todo.pop()
        if isinstance(each, Function | ast.ClassDef | ast.Lambda | ast.Try):
            continue
        if isinstance(each, ast.Raise) and each.exc is not None and "SystemExit" not in ast.unparse(each.exc):
            return True
        todo += ast.iter_child_nodes(each)
    return False


def main(arguments: Sequence[str]) -> int:
    """Print the findings; 1 where there is one."""
    parser = argparse.ArgumentParser(prog="prose.py", description=__doc__)
    parser.add_argument("folders", nargs="*", default=ROOMS)
    found = [
        line for room in parser.parse_args(arguments).folders for path in _modules(room) for line in findings(path)
    ]
    print(*found, f"prose: {len(found)} findings", sep="\n")
    return int(bool(found))


def _modules(room: str) -> Iterator[Path]:
    place = ROOT / room
    yield from [place] if place.is_file() else sorted(place.rglob("*.py"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
