"""Marks of articles under which nothing can fail."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from scripts.citations import Spot

_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class IdleMark:
    """A mark under which nothing can fail, and why."""

    spot: Spot
    why: str


def sharp_names(tree: ast.Module) -> set[str]:
    """The functions of a module that check something themselves."""
    return {node.name for node in ast.walk(tree) if isinstance(node, _FUNCTIONS) and _checks(node)}


def _checks(node: ast.AST) -> bool:
    return any(
        isinstance(inner, ast.Assert) or (isinstance(inner, ast.Attribute) and inner.attr == "raises")
        for inner in ast.walk(node)
    )


def idle_marks(tree: ast.Module, file: str, sharp: frozenset[str]) -> Iterator[IdleMark]:
    """The marks on what isn't a test, on tests that are left out, and on tests that check nothing.

    Args:
        sharp: the functions that check something, of all modules: a test may leave it to them.
    """
    for node in ast.walk(tree):
        if not isinstance(node, _FUNCTIONS) or not any(_is_mark(each, "article") for each in node.decorator_list):
            continue
        if why := _why_idle(node, sharp):
            yield IdleMark(Spot(file, node.lineno, node.name), why)


def _is_mark(node: ast.expr, *names: str) -> bool:
    called = node.func if isinstance(node, ast.Call) else node
    match called:
        case ast.Attribute(attr=name, value=ast.Attribute(attr="mark")):
            return name in names
        case _:
            return False


def _why_idle(node: ast.FunctionDef | ast.AsyncFunctionDef, sharp: frozenset[str]) -> str:
    if not node.name.startswith("test_"):
        return "isn't a test"
    if any(_is_mark(each, "skip", "xfail") for each in node.decorator_list):
        return "is left out"
    called = {inner.func for inner in ast.walk(node) if isinstance(inner, ast.Call)}
    names = {name.id for name in called if isinstance(name, ast.Name)} | {
        name.attr for name in called if isinstance(name, ast.Attribute)
    }
    return "" if _checks(node) or names & sharp else "checks nothing"
