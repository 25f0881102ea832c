"""Small changes to a module's source, each of which should make a test fail."""

import ast
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from types import CodeType
from typing import Any, Final, TypeGuard


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change.

    Args:
        name: of the function, class or constant around it; its docstring's `Rule:` makes it `ruled`.
        before: the statement, of one with a body its first line.
        after: the same changed.
        node: number of the changed node in the walk through the tree.
        variant: which of the node's changes it is.
    """

    name: str
    ruled: bool
    line: int
    before: str
    after: str
    node: int
    variant: int


Changed = Iterator[ast.AST]

# Each comparison with what it nearly is and with what it is not.
_COMPARES: Final[dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_OPERATORS: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
_OPPOSITES: Final = {"min": "max", "max": "min", "all": "any", "any": "all"}


def _with(node: ast.AST, **fields: object) -> ast.AST:
    """A shallow copy with some fields changed."""
    changed = copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _compare(node: ast.Compare) -> Changed:
    for index, operator in enumerate(node.ops):
        for other in _COMPARES[type(operator)]:
            yield _with(node, ops=[*node.ops[:index], other(), *node.ops[index + 1 :]])


def _boolean(node: ast.BoolOp) -> Changed:
    yield _with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())


def _arithmetic(node: ast.BinOp | ast.AugAssign) -> Changed:
    if type(node.op) in _OPERATORS:
        yield _with(node, op=_OPERATORS[type(node.op)]())
    if isinstance(node, ast.AugAssign):
        yield ast.Pass()


def _sign(node: ast.UnaryOp) -> Changed:
    yield node.operand


def _constant(node: ast.Constant) -> Changed:
    match node.value:
        case bool(value):
            yield _with(node, value=not value)
        case int(value):
            yield _with(node, value=value + 1)
            yield _with(node, value=value - 1)
        case str(value):
            yield _with(node, value=f"{value}?")
        case _:
            return


def _condition(node: ast.If | ast.IfExp | ast.While) -> Changed:
    """Both branches change places; a single comparison or a `not` is turned round by itself."""
    if not isinstance(node.test, ast.UnaryOp) and not (isinstance(node.test, ast.Compare) and len(node.test.ops) == 1):
        yield _with(node, test=ast.UnaryOp(ast.Not(), node.test))


def _filter(node: ast.comprehension) -> Changed:
    for index in range(len(node.ifs)):
        yield _with(node, ifs=node.ifs[:index] + node.ifs[index + 1 :])


def _return(node: ast.Return) -> Changed:
    if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
        yield _with(node, value=ast.Constant(None))
    if isinstance(node.value, ast.Tuple) and len(node.value.elts) > 1:
        first, second, *rest = node.value.elts
        yield _with(node, value=_with(node.value, elts=[second, first, *rest]))


def _cases(node: ast.Match) -> Changed:
    for index, (one, other) in enumerate(zip(node.cases, node.cases[1:], strict=False)):
        swapped = [_with(one, body=other.body), _with(other, body=one.body)]
        yield _with(node, cases=[*node.cases[:index], *swapped, *node.cases[index + 2 :]])


def _call(node: ast.Call) -> Changed:
    if isinstance(node.func, ast.Name) and node.func.id in _OPPOSITES:
        yield _with(node, func=ast.Name(_OPPOSITES[node.func.id], ast.Load()))


def _statement(node: ast.Expr | ast.Raise) -> Changed:
    if isinstance(node, ast.Raise) or isinstance(node.value, ast.Call):
        yield ast.Pass()


_CHANGES: Final[dict[type[ast.AST], Callable[..., Changed]]] = {
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.BinOp: _arithmetic,
    ast.AugAssign: _arithmetic,
    ast.UnaryOp: _sign,
    ast.Constant: _constant,
    ast.If: _condition,
    ast.IfExp: _condition,
    ast.While: _condition,
    ast.comprehension: _filter,
    ast.Return: _return,
    ast.Match: _cases,
    ast.Call: _call,
    ast.Expr: _statement,
    ast.Raise: _statement,
}

# What no test is asked to tell: types, decorators, docstrings, imports, assertions for the type checker, the words of
# an error.
_LEFT_OUT: Final = (ast.Import, ast.ImportFrom, ast.Assert, ast.JoinedStr, ast.stmt, ast.arg)
_LEFT_OUT_FIELDS: Final = frozenset({"annotation", "returns", "decorator_list", "bases", "exc"})


def mutants(source: str) -> Iterator[Mutant]:
    """Every change of a module, in the order of the source."""
    tree = ast.parse(source)
    numbers = {id(node): number for number, node in enumerate(_walk(tree))}
    for name, statement, ruled in _statements(tree.body, "", ruled=False):
        before = _shown(statement)
        for node in _changeable(statement):
            for variant, changed in enumerate(_variants(node)):
                after = _shown(_replaced(statement, node, changed))
                line = getattr(node, "lineno", statement.lineno)
                yield Mutant(name, ruled, line, before, after, numbers[id(node)], variant)


def compiled(source: str, mutant: Mutant, file: str) -> CodeType:
    """The changed module, ready to run."""
    tree = ast.parse(source)
    node = next(node for number, node in enumerate(_walk(tree)) if number == mutant.node)
    changed = list(_variants(node))[mutant.variant]
    whole = _replaced(tree, node, changed)
    assert isinstance(whole, ast.Module)
    return compile(ast.fix_missing_locations(whole), file, "exec")


def _walk(tree: ast.AST) -> Iterator[ast.AST]:
    yield tree
    for child in ast.iter_child_nodes(tree):
        yield from _walk(child)


def _variants(node: ast.AST) -> Iterator[ast.AST]:
    change = _CHANGES.get(type(node))
    return change(node) if change else iter(())


def _statements(body: Sequence[ast.stmt], within: str, *, ruled: bool) -> Iterator[tuple[str, ast.stmt, bool]]:
    """Every statement with its owner's name and whether the owner's docstring, or an outer one's, names a rule."""
    for index, statement in enumerate(body):
        if _text_of(statement):
            continue
        name, by_rule = within, ruled
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            name = f"{within}.{statement.name}".lstrip(".")
            by_rule = ruled or "Rule:" in (ast.get_docstring(statement) or "")
        elif not within:
            name = _assigned(statement)
            by_rule = "Rule:" in "".join(map(_text_of, body[index + 1 : index + 2]))
        yield name, statement, by_rule
        for inner in _bodies(statement):
            yield from _statements(inner, name, ruled=by_rule)


def _bodies(statement: ast.stmt) -> Iterator[Sequence[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        yield getattr(statement, name, [])
    for part in (*getattr(statement, "cases", []), *getattr(statement, "handlers", [])):
        yield part.body


def _text_of(statement: ast.stmt) -> str:
    value = statement.value if isinstance(statement, ast.Expr) else None
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def _assigned(statement: ast.stmt) -> str:
    match statement:
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
            return name
        case _:
            return "(module)"


def _changeable(node: ast.AST) -> Iterator[ast.AST]:
    """The node and what belongs to it, without the statements of its body."""
    yield node
    if isinstance(node, ast.Import | ast.ImportFrom | ast.Assert):
        return
    for name, value in ast.iter_fields(node):
        for child in value if _is_list(value) else [value]:
            if isinstance(child, ast.AST) and name not in _LEFT_OUT_FIELDS and not _is_left_out(child):
                yield from _changeable(child)


def _is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def _is_left_out(node: ast.AST) -> bool:
    match node:
        case ast.Subscript(value=ast.Name(id="Literal")):
            return True
        case _:
            return isinstance(node, _LEFT_OUT)


def _replaced(tree: ast.AST, node: ast.AST, changed: ast.AST) -> ast.AST:
    """The tree with another node in place of this one; what doesn't hold it is shared, not copied."""
    if tree is node:
        return changed
    for name, value in ast.iter_fields(tree):
        if _is_list(value):
            parts = [_replaced(part, node, changed) if isinstance(part, ast.AST) else part for part in value]
            if any(one is not other for one, other in zip(parts, value, strict=True)):
                return _with(tree, **{name: parts})
        elif isinstance(value, ast.AST):
            new = _replaced(value, node, changed)
            if new is not value:
                return _with(tree, **{name: new})
    return tree


def _shown(statement: ast.AST) -> str:
    """The statement on one line; of one with a body only its head, of a `match` the heads of its cases too."""
    if isinstance(statement, ast.Match):
        cases = "; ".join(f"case {ast.unparse(case.pattern)}: {_shown(case.body[0])}" for case in statement.cases)
        return f"match {ast.unparse(statement.subject)}: {cases}"
    return ast.unparse(ast.fix_missing_locations(_with(statement))).splitlines()[0]
