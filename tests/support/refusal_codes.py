"""The codes of the refusals that a game's own source can give."""

import ast
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Final

CODE_AT: Final = {"refuse": 2, "refusal": 2, "_no": 1}
"""Which argument is the code, in each function that refuses."""

ARTICLE: Final = re.compile(r"\d.*|table")


def refusal_codes(game: str) -> set[str]:
    """Every text in the place of the code: in a call that refuses, and in a pair that begins with an article."""
    found: set[str] = set()
    for module in files(f"tablectl.core.games.{game}").iterdir():
        if module.name.endswith(".py"):
            for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
                found.update(_codes(node))
    return found


def _codes(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CODE_AT:
        nth = CODE_AT[node.func.id]
        yield from (text for argument in node.args[nth : nth + 1] for text in _texts(argument))
    if isinstance(node, ast.Tuple) and len(node.elts) == 2:
        article, code = ([*_texts(element)] for element in node.elts)
        if len(article) == 1 and ARTICLE.fullmatch(article[0]):
            yield from code


def _texts(node: ast.expr) -> Iterator[str]:
    return (each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str))
