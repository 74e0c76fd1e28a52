"""Rule files as bytes: a small complete set to change one thing in, and generated ones from small pools."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from pipeline.models.rules import RuleSet, parse_rules

ROOT = Path(__file__).resolve().parent.parent.parent
Files = tuple[tuple[str, bytes], ...]
Rule = Mapping[str, Any]

CLASSES = (
    ("Interview", "Job Search/Interview", False),
    ("Application Received", "Job Search/Application Received", True),
    ("Job Alert", "Job Search/Job Alert", True),
    ("Review Manually", "Job Search/Review Manually", False),
)
WORDS = ("interview", "apply", "digest", "new jobs", "C++", "reply by", "invoice", "jobly", "hello")
SENDER_MARKERS = ("jobly", "alerts", "jobly alerts", "news@jobly.example", "jobly.example", ".jobly.example")
SAYINGS = (
    "new & jobs",
    "digest|reply & jobly|apply*",
    "interview|new & apply|jobs & !reply by|hel*",
    "new jobs & jobs|invoice & !jobly",
)
DOMAINS = ("jobly.example", "mail.jobly.example", "corp.example")


def toml_of(value: Mapping[str, Any]) -> bytes:
    """TOML of plain keys, tables and arrays of tables; strings as JSON writes them."""
    lines = [f"{key} = {_value(item)}" for key, item in value.items() if not _is_table(item)]
    for key, item in value.items():
        for table in (item,) if isinstance(item, Mapping) else item if _is_table(item) else ():
            lines.append(f"[{key}]" if isinstance(item, Mapping) else f"[[{key}]]")
            lines += [f"{name} = {_value(inner)}" for name, inner in table.items()]
    return ("\n".join(lines) + "\n").encode()


def _is_table(item: object) -> bool:
    return isinstance(item, Mapping) or (
        isinstance(item, (list, tuple)) and bool(item) and all(isinstance(one, Mapping) for one in item)
    )


def _value(item: object) -> str:
    if isinstance(item, (list, tuple)):
        return "[" + ", ".join(map(_value, item)) + "]"
    if isinstance(item, float):
        return repr(item)
    return json.dumps(item, ensure_ascii=False)


def files(
    *,
    overrides: Sequence[Rule] = (),
    templates: Sequence[Rule] = (),
    senders: Sequence[Rule] = (),
    patterns: Sequence[Rule] = (),
    examples: Sequence[Rule] = (),
    irrelevant: Rule | None = None,
    classes: Sequence[tuple[str, str, bool]] = CLASSES,
    review: str = "Review Manually",
    actions: Sequence[Rule] = ({"name": "asks", "makes_relevant": True, "text_contains": ["reply by", "interview"]},),
    protected: Sequence[Rule] = (
        {"name": "money words", "protects": "money", "text_contains": ["invoice"]},
        {"name": "work words", "protects": "employment", "text_contains": ["apply"]},
    ),
) -> Files:
    """A complete set of the six files with small defaults."""
    taxonomy = [
        {"name": name, "label": label, "archivable": archivable, "description": "For tests."}
        for name, label, archivable in classes
    ]
    pack: dict[str, Any] = {"version": 1, "pack": "test", "relevance": {"text_contains": ["your application"]}}
    pack |= {
        "pattern": list(patterns),
        "action": list(actions),
        "protected": list(protected),
        "example": list(examples),
    }
    return (
        ("irrelevant_senders.toml", toml_of({"version": 1, **(irrelevant or {})})),
        ("manual_overrides.toml", toml_of(_listed(overrides))),
        ("patterns.toml", toml_of({key: item for key, item in pack.items() if item != []})),
        ("sender_rules.toml", toml_of(_listed(senders))),
        ("taxonomy.toml", toml_of({"version": 1, "review": review, "classification": taxonomy})),
        ("template_rules.toml", toml_of(_listed(templates))),
    )


def _listed(rules: Sequence[Rule]) -> dict[str, Any]:
    return {"version": 1, **({"rule": list(rules)} if rules else {})}


def rule_set(**changes: Any) -> RuleSet:
    """The rules of `files(**changes)`."""
    return parse_rules(files(**changes))


def shipped() -> Files:
    """The repository's own rule files."""
    return tuple((path.name, path.read_bytes()) for path in sorted((ROOT / "rules").glob("*.toml")))


def sender_rule(name: str = "boards", **changes: Any) -> dict[str, Any]:
    """A sender rule for jobly.example that files job alerts."""
    return {
        "name": name,
        "domain_equals": ["jobly.example"],
        "classification": "Job Alert",
        "confidence": 0.95,
        **changes,
    }


def override(name: str = "mine", *, safe: bool = True, **changes: Any) -> dict[str, Any]:
    """An override on the word digest."""
    base = {"name": name, "subject_contains": ["digest"], "classification": "Job Alert", "confidence": 0.95}
    return {**base, "safe_to_archive": safe, **changes}


def some(pool: Sequence[str]) -> st.SearchStrategy[list[str]]:
    """A non-empty list of different members of a pool."""
    return st.lists(st.sampled_from(pool), min_size=1, max_size=3, unique=True)


@st.composite
def rule_sets(draw: st.DrawFn) -> RuleSet:
    """Rule sets of every tier whose words also stand in generated mail."""
    verdict = st.fixed_dictionaries(
        {
            "classification": st.sampled_from(["Job Alert", "Job Alert", *(name for name, _, _ in CLASSES)]),
            "confidence": st.sampled_from([0.0, 0.79, 0.8, 0.9, 0.95, 1.0]),
        }
    )

    def ruled(prefix: str, conditions: Mapping[str, Sequence[str]], **fixed: st.SearchStrategy[Any]) -> list[Rule]:
        many = draw(st.integers(0, 2))
        rules = []
        for number in range(many):
            keys = draw(st.lists(st.sampled_from(sorted(conditions)), min_size=1, max_size=2, unique=True))
            found = {key: draw(some(conditions[key])) for key in keys}
            rules.append({"name": f"{prefix} {number}", **found, **draw(verdict), **draw(st.fixed_dictionaries(fixed))})
        return rules

    texts = {"sender_contains": SENDER_MARKERS, "subject_contains": WORDS}
    return rule_set(
        overrides=ruled("override", {**texts, "body_contains_any": WORDS}, safe_to_archive=st.booleans()),
        patterns=ruled(
            "pattern",
            {**texts, "body_contains": WORDS, "text_contains": WORDS, "sentence_says": SAYINGS},
            only_to_file=st.booleans(),
        ),
        templates=ruled("template", {"sender_contains": SENDER_MARKERS, "body_contains_any": WORDS}),
        senders=ruled("sender", {"sender_contains": SENDER_MARKERS, "domain_equals": DOMAINS, "domain_under": DOMAINS}),
        irrelevant={"domains": ["corp.example"]} if draw(st.booleans()) else {},
    )
