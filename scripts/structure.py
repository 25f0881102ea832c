"""Print the structure of the code as one table of figures, with the bounds that are set for them.

`python scripts/structure.py [--no-daemon] [--list LINE] [--enforce]`. Two lines run a real daemon with a real broker;
`--no-daemon` leaves them out. `--enforce` fails where a line that is marked * is beyond its bound.
"""

import argparse
import ast
import io
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

ROOT: Final = Path(__file__).resolve().parent.parent
PRODUCTION: Final = ("tablectl", "drivers")
EXTENSIONS: Final = ROOT / "tests" / "extension"
SMALL_MODULE: Final = 50
CRUMB_LINES: Final = 3
Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Module:
    """A module of the production code.

    Args:
        lines: all of them.
        code: the numbers of those that hold code: no blanks, comments and docstrings.
    """

    path: str
    lines: int
    tree: ast.Module
    code: frozenset[int]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table.

    Args:
        bound: the most that it may be.
        items: what was counted, for `--list`.
        enforced: whether `--enforce` fails beyond the bound.
    """

    name: str
    value: int | None
    bound: int
    items: Sequence[str] = field(default=(), repr=False)
    enforced: bool = False

    @property
    def met(self) -> bool | None:
        """Whether the bound holds; None where nothing was measured."""
        return None if self.value is None else self.value <= self.bound


def modules() -> list[Module]:
    """The production modules that git knows."""
    listed = subprocess.run(
        ["git", "ls-files", *(f"{room}/**.py" for room in PRODUCTION)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [_module(path) for path in listed.stdout.split() if (ROOT / path).exists()]


def _module(path: str) -> Module:
    text = (ROOT / path).read_text("utf-8")
    tree = ast.parse(text)
    return Module(path, text.count("\n"), tree, frozenset(_code_lines(text, tree)))


def _code_lines(text: str, tree: ast.Module) -> set[int]:
    no_code = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in no_code:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(tree):  # docstrings, those of constants and fields as well
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return lines


def measured(found: Sequence[Module]) -> list[Line]:
    """The lines that follow from the text of the code."""
    bodies = sorted(_bodies(found))
    sizes = sorted((module.lines, module.path) for module in found)
    small = [
        f"{module.path}: {module.lines}"
        for module in found
        if module.lines < SMALL_MODULE and not module.path.endswith("__init__.py")
    ]
    flat = Counter(str(Path(module.path).parent) for module in found if not module.path.endswith("__init__.py"))
    crumbs, walls, lone = list(_crumbs(found)), list(_re_exports(found)), list(_lone_protocols(found))
    longest = [f"{name}: {size}" for size, name in reversed(bodies)]
    return [
        Line("lines of code", sum(len(module.code) for module in found), 38_500),
        Line("modules", len(found), 400, [module.path for module in found]),
        Line("folders", len(flat), 60, sorted(flat)),
        Line(
            "modules in the biggest flat folder", max(flat.values()), 16, [f"{p}: {n}" for p, n in flat.most_common()]
        ),
        Line("modules under 50 lines", len(small), 20, small, enforced=True),
        Line("private functions with one caller and at most 3 lines", len(crumbs), 150, crumbs),
        Line("re-export lines `X as X`", len(walls), 20, walls, enforced=True),
        Line("protocols with one implementation", len(lone), 5, lone, enforced=True),
        Line("function bodies, p90", bodies[len(bodies) * 9 // 10][0], 16, longest, enforced=True),
        Line("function bodies, longest", bodies[-1][0], 40, longest, enforced=True),
        Line("longest module", sizes[-1][0], 350, [f"{p}: {n}" for n, p in reversed(sizes)], enforced=True),
    ]


def _functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def _body_lines(function: Function, module: Module) -> int:
    first, last = function.body[0].lineno, function.end_lineno or function.lineno
    return len(module.code & set(range(first, last + 1)))


def _bodies(found: Sequence[Module]) -> Iterator[tuple[int, str]]:
    for module in found:
        for function in _functions(module.tree):
            yield _body_lines(function, module), f"{module.path}:{function.lineno} {function.name}"


def _crumbs(found: Sequence[Module]) -> Iterator[str]:
    for module in found:
        uses = Counter(_used_names(module.tree))
        for function in _functions(module.tree):
            private = function.name.startswith("_") and not function.name.startswith("__")
            called = private and uses[function.name] == 1 and not function.decorator_list
            if called and _body_lines(function, module) <= CRUMB_LINES:
                yield f"{module.path}:{function.lineno} {function.name}"


def _used_names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


def _re_exports(found: Sequence[Module]) -> Iterator[str]:
    for module in found:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                same = (name for name in node.names if name.asname == name.name)
                yield from (f"{module.path}:{name.lineno} {name.name}" for name in same)


def _lone_protocols(found: Sequence[Module]) -> Iterator[str]:
    """Protocols whose methods one class has, or none: by their names, as a type checker would find them."""
    classes = [(module, node) for module in found for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef)]
    concrete = [_members(node) for _, node in classes if not _is_protocol(node)]
    for module, node in classes:
        if not _is_protocol(node) or (wanted := _members(node)) == {"__call__"}:
            continue
        if sum(wanted <= members for members in concrete) <= 1:
            yield f"{module.path}:{node.lineno} {node.name}"


def _is_protocol(node: ast.ClassDef) -> bool:
    bases = (base.value if isinstance(base, ast.Subscript) else base for base in node.bases)
    return any(isinstance(base, ast.Name) and base.id == "Protocol" for base in bases)


def _members(node: ast.ClassDef) -> set[str]:
    own = {child.name for child in node.body if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)}
    fields = {
        target.id
        for child in node.body
        if isinstance(child, ast.AnnAssign | ast.Assign)
        for target in ([child.target] if isinstance(child, ast.AnnAssign) else child.targets)
        if isinstance(target, ast.Name)
    }
    made = {
        child.attr for child in ast.walk(node) if isinstance(child, ast.Attribute) and isinstance(child.ctx, ast.Store)
    }
    is_data = any("dataclass" in ast.unparse(decorator) for decorator in node.decorator_list)
    return own | fields | made | ({"__dataclass_fields__"} if is_data else set())


def extended() -> list[Line]:
    """How many Python files outside its package an added game and an added device touch."""
    return [_touched("toy game", "higher_card", 6), _touched("toy device", "door_contact", 8)]


def _touched(name: str, package: str, bound: int) -> Line:
    label, home = f"Python files outside its package that the {name} touches", EXTENSIONS / package
    if not home.exists():
        return Line(label, None, bound, enforced=True)
    listed = subprocess.run(
        ["git", "grep", "-lw", package, "--", "*.py"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    outside = [path for path in listed.stdout.split() if not (ROOT / path).is_relative_to(home)]
    return Line(label, len(outside), bound, outside, enforced=True)


def traced() -> list[Line]:
    """The lines that a real daemon gives: the path of one card, and what it has imported."""
    from bench import card_path  # noqa: PLC0415

    path = card_path.measure()
    card = "one card's byte to its acknowledged message"
    return [
        Line(f"{card}: own calls", len(path.calls), 300, path.calls),
        Line(f"{card}: functions", path.functions, 130, sorted(set(path.calls))),
        Line(f"{card}: modules", path.modules, 30, sorted({call.partition(":")[0] for call in path.calls})),
        Line("own modules imported by `tablectl run`", len(path.imported), 220, path.imported, enforced=True),
    ]


def show(lines: Iterable[Line]) -> None:
    """Prints the table."""
    width = 80
    for line in lines:
        mark = " *" if line.enforced else ""
        value = "-" if line.value is None else f"{line.value:,}"
        met = {None: "", True: "yes", False: "NO"}[line.met]
        print(f"{line.name + mark:<{width}} {value:>7}  <= {line.bound:>6,}  {met}".rstrip())


def main() -> int:
    """Prints the table, or what one of its lines counts; 1 where an enforced line is beyond its bound."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-daemon", action="store_true", help="leave out the lines that run a daemon")
    parser.add_argument("--enforce", action="store_true", help="fail where a line marked * is beyond its bound")
    parser.add_argument("--list", metavar="LINE", help="print what is counted by the lines whose name has this text")
    chosen = parser.parse_args()
    lines = [*measured(modules()), *extended(), *([] if chosen.no_daemon else traced())]
    if chosen.list:
        print("\n".join(item for line in lines if chosen.list in line.name for item in line.items))
        return 0
    show(lines)
    return int(chosen.enforce and any(line.enforced and line.met is False for line in lines))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    raise SystemExit(main())
