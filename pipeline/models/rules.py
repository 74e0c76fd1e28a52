"""The owner's rules as one value: taxonomy, irrelevant senders, overrides, templates, sender rules and patterns.

Six TOML files, each strict: an unknown file or key, an empty condition, an empty marker, two equal markers or names, a
classification that the taxonomy lacks, a confidence outside 0..1 or a label name that Gmail would not take stops the
run at load (RulesRefused, LabelNameRefused). The files themselves document their format in comments.

How a rule is read: every condition that it names must hold, and of each list one marker is enough
(`domain_equals` and `domain_under` together are one condition). Of one tier the first rule in the file that holds wins.

    rules = parse_rules((("taxonomy.toml", b"..."), ("patterns.toml", b"..."), ...))
    rules.label_of("Interview")            # 'Job Search/Interview'
    rules.rule("plain acknowledgement").tier   # 'tier1'
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Final, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, Field, model_validator

from pipeline.canonical import sha256_hex
from pipeline.mail import domains
from pipeline.mail.fold import fold, is_invisible
from pipeline.mail.matcher import MARKER_FIELDS, Marker, MarkerField, sender_marker_problem
from pipeline.models.document import Frozen, read_toml
from pipeline.models.labelname import read_label_name
from pipeline.refusals import RulesRefused

Tier = Literal["override", "tier1", "template", "sender"]
ProtectedClass = Literal[
    "account_security", "money", "legal", "health", "employment", "orders", "housing_family", "travel_delivery"
]
"""The classes that words can raise; structure raises the others (see stages/protect.py)."""
ExpectedAction = Literal["leave", "label", "label+archive"]

IRRELEVANT: Final = "irrelevant"
RELEVANCE: Final = "relevance"
_MAX_NAME: Final = 80


def _clean_name(name: str) -> str:
    if not name.strip() or name != name.strip() or len(name) > _MAX_NAME:
        raise ValueError(f"a name is 1 to {_MAX_NAME} characters without blanks around it")
    if not name.isprintable() or any(is_invisible(character) for character in name):
        raise ValueError("a name holds a control or invisible character")
    return name


def _text_markers(markers: tuple[str, ...]) -> tuple[str, ...]:
    """Markers compared literally with folded text: none empty, none twice, none a single letter."""
    folded = [fold(marker) for marker in markers]
    if not folded or not all(folded):
        raise ValueError("a condition or a marker is empty")
    if any(len(marker) == 1 and marker.isascii() for marker in folded):
        raise ValueError("a marker of one character would match almost all mail")
    return _without_repeats(markers, folded)


def _sender_markers(markers: tuple[str, ...]) -> tuple[str, ...]:
    problems = [problem for marker in markers if (problem := sender_marker_problem(marker))]
    if problems or not markers:
        raise ValueError(problems[0] if problems else "a condition is empty")
    return _without_repeats(markers, [fold(marker) for marker in markers])


def _domains(names: tuple[str, ...]) -> tuple[str, ...]:
    canonical = [domains.canonical(name) for name in names]
    if not names or None in canonical or any("." not in (name or "") for name in canonical):
        raise ValueError("a condition is empty or holds what is no domain")
    return _without_repeats(names, [name or "" for name in canonical])


def _without_repeats(markers: tuple[str, ...], normalised: list[str]) -> tuple[str, ...]:
    if len(set(normalised)) != len(normalised):
        raise ValueError("a marker stands twice (after folding case, accents and invisible characters)")
    return markers


Name = Annotated[str, AfterValidator(_clean_name)]
TextMarkers = Annotated[tuple[str, ...], AfterValidator(_text_markers)]
SenderMarkers = Annotated[tuple[str, ...], AfterValidator(_sender_markers)]
Domains = Annotated[tuple[str, ...], AfterValidator(_domains)]
Confidence = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]


class Classification(Frozen):
    """One class of the taxonomy: its label, and whether mail of it may leave the inbox at all."""

    name: Name
    label: str
    archivable: bool
    description: Annotated[str, Field(min_length=1, max_length=400)]


class Example(Frozen):
    """A message and the decision that it must get; `classification` is "none" for mail that is not relevant.

    It is judged as a clean, fully read message, alone in its thread, with employment waived for its classification.
    """

    name: Name
    sender: Annotated[str, Field(alias="from")]
    subject: str
    body: str = ""
    classification: Name
    action: ExpectedAction


class _Rule(Frozen):
    """What every rule has, and the conditions that some have; the files' own models say which may be written."""

    name: Name
    classification: Name
    confidence: Confidence

    @model_validator(mode="after")
    def _has_a_condition(self) -> "_Rule":
        if not any(getattr(self, key, None) for key in _CONDITION_KEYS):
            raise ValueError("the rule has no condition")
        return self


class _Override(_Rule):
    sender_contains: SenderMarkers | None = None
    subject_contains: TextMarkers | None = None
    body_contains_any: TextMarkers | None = None
    safe_to_archive: bool


class _Template(_Rule):
    sender_contains: SenderMarkers | None = None
    body_contains_any: TextMarkers | None = None


class _SenderRule(_Rule):
    sender_contains: SenderMarkers | None = None
    domain_equals: Domains | None = None
    domain_under: Domains | None = None


class _Pattern(_Rule):
    sender_contains: SenderMarkers | None = None
    subject_contains: TextMarkers | None = None
    body_contains: TextMarkers | None = None
    text_contains: TextMarkers | None = None


class _MarkerSet(Frozen):
    sender_contains: SenderMarkers | None = None
    subject_contains: TextMarkers | None = None
    text_contains: TextMarkers | None = None

    @model_validator(mode="after")
    def _has_a_marker(self) -> "_MarkerSet":
        if not (self.sender_contains or self.subject_contains or self.text_contains):
            raise ValueError("the marker set is empty")
        return self


class _Action(_MarkerSet):
    name: Name
    makes_relevant: bool


class _Protected(_MarkerSet):
    name: Name
    protects: ProtectedClass


class _File(Frozen):
    version: Literal[1]
    example: tuple[Example, ...] = ()


class _Taxonomy(Frozen):
    version: Literal[1]
    review: Name
    classification: Annotated[tuple[Classification, ...], Field(min_length=1)]


class _Irrelevant(_File):
    sender_contains: Annotated[tuple[str, ...], AfterValidator(lambda m: _sender_markers(m) if m else m)] = ()
    domains: Annotated[tuple[str, ...], AfterValidator(lambda m: _domains(m) if m else m)] = ()


class _Overrides(_File):
    rule: tuple[_Override, ...] = ()


class _Templates(_File):
    rule: tuple[_Template, ...] = ()


class _SenderRules(_File):
    rule: tuple[_SenderRule, ...] = ()


class _Patterns(_File):
    pack: Name
    relevance: _MarkerSet
    pattern: tuple[_Pattern, ...] = ()
    action: Annotated[tuple[_Action, ...], Field(min_length=1)]
    protected: Annotated[tuple[_Protected, ...], Field(min_length=1)]


_CONDITION_KEYS: Final[dict[str, MarkerField]] = {
    "sender_contains": "sender",
    "domain_equals": "domain_equals",
    "domain_under": "domain_under",
    "subject_contains": "subject",
    "body_contains_any": "body",
    "body_contains": "body",
    "text_contains": "text",
}
