"""Put the code of a changed source into a module that is loaded, and take it out again.

Functions keep their identity, so whoever imported one by name runs the mutant too. That is why no process has to be
started for each mutant: a start costs more than most tests.
"""

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from types import FunctionType, ModuleType
from typing import Any

from tests.mutants.mutate import Mutant

_CODE = ("__code__", "__defaults__", "__kwdefaults__")


@contextmanager
def in_place_of(module: ModuleType, mutant: Mutant) -> Iterator[None]:
    """The module with the mutant's functions and constants; afterwards as it was. Raises what the source raises."""
    changed: dict[str, Any] = {"__name__": module.__name__}
    exec(compile(mutant.source, "<mutant>", "exec"), changed)  # noqa: S102  our own source with one change
    before = _state(module.__dict__)
    _put(module.__dict__, _state(changed), mutant.source)
    try:
        yield
    finally:
        _put(module.__dict__, before, mutant.source)


def _state(namespace: dict[str, Any]) -> dict[str, Any]:
    """Name -> code of a function (also `Class.method`), or the value of a constant."""
    found: dict[str, Any] = {}
    for name, value in namespace.items():
        if isinstance(value, type):
            methods = {f"{name}.{key}": one for key, one in [*vars(value).items()] if _function(one) is not None}
            found |= {key: _code(one) for key, one in methods.items()}
        else:
            found[name] = _code(value) if _function(value) is not None else value
    return found


def _function(value: object) -> FunctionType | None:
    """The function itself, also of a property or behind a cache."""
    inner = getattr(value, "fget", None) or getattr(value, "__wrapped__", value)
    return inner if isinstance(inner, FunctionType) else None


def _code(value: object) -> tuple[Any, ...]:
    function = _function(value)
    return tuple(getattr(function, name) for name in _CODE)


def _put(namespace: dict[str, Any], state: dict[str, Any], source: str) -> None:
    """Only what the source defines: what it imports stays."""
    for name in _defined(source):
        owner, _, method = name.partition(".")
        value = vars(namespace[owner])[method] if method else namespace.get(name)
        function = _function(value)
        if function is None:
            namespace[name] = state[name]
            continue
        for key, part in zip(_CODE, state[name], strict=True):
            setattr(function, key, part)
        getattr(value, "cache_clear", lambda: None)()


def _defined(source: str) -> Iterator[str]:
    """Functions, methods and module constants of a source, by name; classes keep their identity."""
    for node in ast.parse(source).body:
        match node:
            case ast.FunctionDef(name):
                yield name
            case ast.ClassDef(owner, body=body):
                yield from (f"{owner}.{one.name}" for one in body if isinstance(one, ast.FunctionDef))
            case ast.Assign([ast.Name(name)]) | ast.AnnAssign(ast.Name(name), value=ast.expr()):
                yield name
