"""Whether what `law.toml` names for people's and material's articles is there, and says something of the article."""

import ast
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from scripts.citations import docstring_citations, page_citations, parse

PAGES: Final = "docs/reference/law/"
_ABSENT: Final = "isn't there"


def why_not(by: str, root: Path, words: frozenset[str], article: tuple[str, str]) -> str:
    """Why that carries nothing of an article; empty where it does.

    Args:
        by: as `text:prompt.q_poker.pack`, `code:FILE:NAME` or `page:FILE`.
        words: the keys of the catalogue.
        article: instrument and key.
    """
    kind, _, name = by.partition(":")
    file, _, defined = name.partition(":")
    if kind == "text":
        return "" if name in words else _ABSENT
    if kind not in {"page", "code"} or not (root / file).is_file():
        return _ABSENT
    if kind == "page" and file.startswith(PAGES):
        return "is written by this program and proves nothing"
    if kind == "code" and defined not in _defined(parse(root / file)):
        return _ABSENT
    named = page_citations(root / file) if kind == "page" else _cited_by(root / file, defined)
    law, key = article
    return "" if any(law == other and key in ends for other, *ends in named) else f"doesn't name {law} {key}"


def _cited_by(file: Path, defined: str) -> Iterator[tuple[str, str, str]]:
    """What the docstring of a function or class names."""
    for citation in docstring_citations(parse(file), ""):
        if citation.spot.name == defined:
            yield citation.law, citation.article, citation.last


def _defined(tree: ast.Module) -> set[str]:
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}


Words = Mapping[str, "str | Words"]
"""A catalogue as its file has it: tables in tables."""


def words_of(file: Path) -> frozenset[str]:
    """The keys of a catalogue, dotted."""
    return _flat(tomllib.loads(file.read_text("utf-8")))


def _flat(words: Words, within: str = "") -> frozenset[str]:
    keys: set[str] = set()
    for key, value in words.items():
        keys |= {within + key} if isinstance(value, str) else _flat(value, f"{within}{key}.")
    return frozenset(keys)
