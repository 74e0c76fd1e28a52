"""One source, many mutants: each differs from it in one place.

Changed are comparisons, and/or, not, conditions, any/all, plus/minus, numbers, truth values, texts, parts of tuples,
and whole statements that ask, yield or call, in functions and in module constants; not annotations, docstrings or the
fields of classes.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
SWAPPED = {"any": "all", "all": "any", "min": "max", "max": "min"}


@dataclass(frozen=True)
class Mutant:
    """A changed source. `id` says where and what, without line numbers, so that an explanation outlives edits."""

    id: str
    source: str


def mutants(source: str) -> tuple[Mutant, ...]:
    """Every mutant of a module, in the order of its lines; a change that changes nothing is none."""
    tree = ast.parse(source)
    original = ast.unparse(tree)
    found: dict[str, Mutant] = {}
    for name, root in _roots(tree):
        for node in _inside(root):
            for changed in _changes(node):
                mutated = _with(tree, node, changed)
                if mutated != original:
                    found.setdefault(_id(name, node, changed, found), Mutant("", mutated))
    return tuple(Mutant(name, one.source) for name, one in found.items())


def _id(name: str, node: ast.AST, changed: ast.AST, taken: dict[str, Mutant]) -> str:
    text = f"{name}: {_short(node)}  ->  {_short(changed)}"
    number = sum(one == text or one.startswith(f"{text} #") for one in taken)
    return f"{text} #{number + 1}" if number else text


def _short(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())[:90] or "nothing"


def _roots(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """Functions, methods and module constants, each with its name."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{one.name}", one) for one in node.body if isinstance(one, ast.FunctionDef))
        elif isinstance(node, ast.Assign | ast.AnnAssign) and not isinstance(node.value, ast.Subscript):
            yield "constants", node


def _inside(root: ast.AST) -> Iterator[ast.AST]:
    """The nodes that may change; annotations, decorators, defaults' types and docstrings may not."""
    waiting = [getattr(root, "value", None)] if not isinstance(root, ast.FunctionDef) else _body(root)
    while waiting:
        node = waiting.pop(0)
        if node is None:
            continue
        yield node
        left = [(name, value) for name, value in ast.iter_fields(node) if name not in ("annotation", "returns")]
        values = [one for _, value in left for one in (value if isinstance(value, list) else [value])]
        waiting = [*(one for one in values if isinstance(one, ast.AST)), *waiting]


def _body(function: ast.FunctionDef) -> list[ast.AST | None]:
    has_manual = ast.get_docstring(function) is not None
    return [*function.args.defaults, *function.args.kw_defaults, *function.body[has_manual:]]


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare(left, ops, comparators):
            for at, op in enumerate(ops):
                if type(op) in COMPARED:
                    yield ast.Compare(left, [*ops[:at], COMPARED[type(op)](), *ops[at + 1 :]], comparators)
        case ast.BoolOp(op, values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            yield from (
                ast.BoolOp(op, [*values[:at], *values[at + 1 :]]) for at in range(len(values)) if len(values) > 2
            )
        case ast.UnaryOp(ast.Not(), operand):
            yield operand
        case ast.IfExp(test, body, orelse):
            yield ast.IfExp(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.BinOp(left, op, right) if type(op) in COMPUTED:
            yield ast.BinOp(left, COMPUTED[type(op)](), right)
        case ast.Call(ast.Name(name), args, keywords) if name in SWAPPED:
            yield ast.Call(ast.Name(SWAPPED[name]), args, keywords)
        case ast.comprehension(target, source, ifs, is_async) if ifs:
            yield ast.comprehension(target, source, ifs[1:], is_async)
        case ast.Tuple(elements) | ast.List(elements) if len(elements) > 1 and isinstance(node.ctx, ast.Load):
            for at in range(len(elements)):
                yield type(node)([*elements[:at], *elements[at + 1 :]], node.ctx)
        case ast.Constant(value) if not isinstance(value, bytes) and value is not None and value is not ...:
            yield from _constants(value)
        case ast.If(test, body, orelse):
            yield ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)
            yield ast.Pass() if not orelse else ast.If(ast.Constant(False), body, orelse)
        case ast.Expr(ast.Yield() | ast.YieldFrom() | ast.Call()):
            yield ast.Pass()


def _constants(value: object) -> Iterator[ast.AST]:
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield ast.Constant(value + 1)
    elif isinstance(value, float):
        yield ast.Constant(value + 0.01)
    elif isinstance(value, str):
        yield ast.Constant(f"{value}XX" if value else "XX")


def _with(tree: ast.Module, node: ast.AST, changed: ast.AST) -> str:
    """The source with one node changed; the tree itself stays as it is."""
    return ast.unparse(ast.fix_missing_locations(_rebuilt(tree, node, changed)))


def _rebuilt(value: Any, node: ast.AST, changed: ast.AST) -> Any:
    if value is node:
        return changed
    if isinstance(value, list):
        return [_rebuilt(one, node, changed) for one in value]
    if isinstance(value, ast.AST):
        return type(value)(**{name: _rebuilt(one, node, changed) for name, one in ast.iter_fields(value)})
    return value
