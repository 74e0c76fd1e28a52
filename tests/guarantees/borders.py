"""Reads the source as syntax trees and says where a border is crossed: floors, one-module rules, no mailing.

`violations(module, source)` judges one module; the test judges the whole tree with it, and planted sources too.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]

FLOORS: dict[str, float] = {
    "pipeline": 1,
    "pipeline.canonical": 1,
    "pipeline.clock": 1,
    "pipeline.mail": 1,
    "pipeline.refusals": 1,
    "pipeline.untrusted": 1,
    "pipeline.helpers": 2,
    "pipeline.judge": 2,
    "pipeline.keyrings": 2,
    "pipeline.models": 2,
    "pipeline.tables": 2,
    "pipeline.workspace": 2,
    "pipeline.artifacts": 3,
    "pipeline.config": 3,
    "pipeline.context": 3,
    "pipeline.credentials": 3,
    "pipeline.gmail": 3,
    "pipeline.holding": 3.6,
    "pipeline.oauth": 3,
    "pipeline.rulebook": 3,
    "pipeline.shelf": 3,
    "pipeline.ruleedits": 3.1,
    "pipeline.store": 3,
    "pipeline.evidence": 3,
    "pipeline.sealing": 3.3,
    "pipeline.changes": 3.6,
    "pipeline.stage": 4,
    "pipeline.looking": 4,
    "pipeline.gathering": 4.5,
    "pipeline.docs": 5,
    "pipeline.makerules": 5,
    "pipeline.rehearsing": 5,
    "pipeline.run": 5,
    "pipeline.session": 5,
    "pipeline.twinning": 5,
    "stages": 5,
    "pipeline.cli": 6,
}
"""The floor plan: a module imports from its own floor or a lower one. A new module or room needs a line here."""

ONLY_IN: dict[str, str] = {
    "googleapiclient": "pipeline.gmail.client",
    "urllib3": "pipeline.gmail.wire",
    "keyring": "pipeline.keyrings",
    "google": "pipeline.oauth",
    "filelock": "pipeline.store",
    "pickle": "pipeline.helpers",
    "subprocess": "pipeline.helpers",
}
"""Libraries that reach outside, and the one module each that may import them. The helpers start this interpreter with
one fixed command, and unpickle what they themselves wrote."""

NEVER = frozenset(
    {"aiohttp", "aiosmtplib", "asyncio", "ctypes", "ftplib", "google_auth_httplib2", "google_auth_oauthlib", "http"}
    | {"httplib2", "httpx", "imaplib", "multiprocessing", "nntplib", "poplib", "requests", "smtplib"}
    | {"socket", "socketserver", "ssl", "telnetlib", "urllib.request", "webbrowser", "xmlrpc"}
)
"""Other ways out of the process: no module of ours has a use for one."""

JOURNAL_ONLY = frozenset({"journal_token"})
FILE_CALLS = frozenset(
    {"open", "fdopen", "mkfifo", "symlink", "link", "unlink", "rename", "remove", "mkdir", "makedirs"}
)
FILE_METHODS = (
    FILE_CALLS
    | {"write_bytes", "write_text", "read_bytes", "read_text", "touch", "rmdir", "rmtree", "hardlink_to", "symlink_to"}
    | {"chmod", "copyfile", "copy2", "move", "write_parquet", "sink_parquet", "write_csv", "sink_csv", "write_ndjson"}
    | {"write_json", "scan_parquet"}
)
FILES_ALLOWED: dict[str, frozenset[str]] = {
    "pipeline.store": FILE_METHODS,
    "pipeline.gmail.discovery": frozenset({"read_bytes"}),  # package data, checked by digest
    "pipeline.gmail.prune": frozenset({"read_bytes", "write_bytes"}),  # a script of the repository itself
    "pipeline.tables": frozenset({"write_parquet"}),  # into memory; the store writes it
}
PRINTS_ALLOWED = ("pipeline.cli", "pipeline.gmail.prune", "pipeline.makerules", "pipeline.docs")
"""The command line, and scripts of the repository that say what they wrote."""

MAILING = re.compile(
    r"_*(send|sends|send_?(mail|message|msg|draft|raw|all|to)|forward|forward_to|auto_?forward\w*|deliver)",
    re.IGNORECASE,
)
MAILING_TEXT = re.compile(
    r"(messages|drafts)[./]send\b|/send\b|mail\.google\.com|auth/gmail\.(send|compose|insert|metadata|settings)"
    r"|batchDelete|/upload/"
)


def module_name(path: Path) -> str:
    """`pipeline.gmail.gate` for its file."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def sources(*packages: str) -> Iterator[tuple[str, str]]:
    """Every module of packages with its source."""
    for package in packages:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield module_name(path), path.read_text(encoding="utf-8")


def floor_of(module: str) -> float | None:
    """The floor of a module or of the nearest package above it; `pipeline` stands for its own file only."""
    parts = module.split(".")
    names = [".".join(parts[:length]) for length in range(len(parts), 0, -1)]
    return next((FLOORS[name] for name in names if name in FLOORS and (name != "pipeline" or module == name)), None)


def is_within(module: str, package: str) -> bool:
    """Whether a module is a package or lies in it."""
    return module == package or module.startswith(f"{package}.")


def imports(tree: ast.AST, *, at_run_time: bool = False) -> Iterator[tuple[str, str, int]]:
    """(module, imported name or empty, line) of each import; `at_run_time` leaves out `if TYPE_CHECKING`."""
    skipped = {
        id(node) for block in ast.walk(tree) if at_run_time and _is_type_checking(block) for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, "", node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            yield from ((base, alias.name, node.lineno) for alias in node.names)


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def violations(module: str, source: str) -> list[str]:
    """What a module does that its place does not allow: `module:line rule`."""
    tree = ast.parse(source)
    found = [*_import_violations(module, tree), *_call_violations(module, tree), *_name_violations(tree)]
    return [f"{module}:{line} {rule}" for line, rule in sorted(found)]


def _import_violations(module: str, tree: ast.AST) -> Iterator[tuple[int, str]]:
    own = floor_of(module)
    if own is None:
        yield 1, "has no floor: give it a line in FLOORS"
        return
    for name, imported, line in imports(tree):
        yield from ((line, rule) for rule in _library_rules(module, name, imported))
        target = floor_of(f"{name}.{imported}") or floor_of(name)
        if target is not None and target > own:
            yield line, f"floor {own} imports {name} of floor {target}"
        if is_within(name, "stages") and is_within(module, "pipeline") and not is_within(module, "pipeline.cli"):
            yield line, "pipeline imports a stage"
        if is_within(name, "stages") and is_within(module, "stages") and not imported.isupper():
            yield line, "a stage imports more than an artifact constant of another"
        if imported in JOURNAL_ONLY and module != "pipeline.changes.journal":
            yield line, "only the journal makes intent tokens"


def _library_rules(module: str, name: str, imported: str) -> Iterator[str]:
    root = name.split(".")[0]
    if name.startswith("."):
        yield "relative import: borders are read by full names"
    if root in ONLY_IN and module != ONLY_IN[root]:
        yield f"only {ONLY_IN[root]} imports {root}"
    if root in NEVER or name in NEVER or f"{name}.{imported}" in NEVER:
        yield f"nobody imports {name}"
    if (
        root == "twin"
        and module not in {"pipeline.session", "pipeline.twinning"}
        and not is_within(module, "pipeline.cli")
    ):
        yield "only the rim starts a twin"


def _call_violations(module: str, tree: ast.AST) -> Iterator[tuple[int, str]]:
    allowed = FILES_ALLOWED.get(module, frozenset())
    prints = any(is_within(module, place) for place in PRINTS_ALLOWED)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = _called(node.func)
            is_method = isinstance(node.func, ast.Attribute)
            if name not in allowed and (name == "open" or (is_method and name in FILE_METHODS)):
                yield node.lineno, f"only the store touches files: {name}"
            if name in {"eval", "exec", "compile", "__import__"} and not is_method:
                yield node.lineno, f"{name} hides what a module does"
            if name == "print" and not prints:
                yield node.lineno, "only the command line prints"
        if isinstance(node, ast.Attribute) and _is_stream(node) and not prints:
            yield node.lineno, "only the command line speaks to the terminal"


def _called(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _is_stream(node: ast.Attribute) -> bool:
    is_sys = isinstance(node.value, ast.Name) and node.value.id == "sys"
    return is_sys and node.attr in {"stdout", "stderr", "stdin"}


def _name_violations(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        for name in _names(node):
            if MAILING.fullmatch(name):
                yield getattr(node, "lineno", 1), f"a name that mails: {name}"
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and MAILING_TEXT.search(node.value):
            yield node.lineno, "a text that names a forbidden method, scope or endpoint"


def _names(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name) | ast.FunctionDef(name=name) | ast.arg(arg=name):
            yield name
        case ast.ClassDef(name=name) | ast.alias(name=name):
            yield name
        case ast.keyword(arg=str(name)):
            yield name
        case ast.Constant(value=str(text)) if text.isidentifier():
            yield text


def reached_from(module: str) -> set[str]:
    """Every first-party module that importing a module loads or may load later, its own borders included."""
    known = dict(sources("pipeline", "stages"))
    seen: set[str] = set()
    waiting = {module}
    while waiting:
        name = waiting.pop()
        seen.add(name)
        found = imports(ast.parse(known[name]), at_run_time=True)
        near = {one for base, imported, _ in found for one in (base, f"{base}.{imported}") if one in known}
        waiting |= near - seen
    return seen


def cycles() -> list[list[str]]:
    """Import cycles among our modules at run time, each as its path."""
    known = dict(sources("pipeline", "stages"))
    graph = {
        name: {
            one
            for base, imported, _ in imports(ast.parse(source), at_run_time=True)
            for one in (base, f"{base}.{imported}")
            if one in known and one != name
        }
        for name, source in known.items()
    }
    return _cycles_of(graph)


def _cycles_of(graph: dict[str, set[str]]) -> list[list[str]]:
    """Peel off modules that import nothing left; what remains goes round in circles."""
    left = {name: set(near) for name, near in graph.items()}
    while ready := {name for name, near in left.items() if not near & left.keys()}:
        left = {name: near for name, near in left.items() if name not in ready}
    return [sorted(left)] if left else []
