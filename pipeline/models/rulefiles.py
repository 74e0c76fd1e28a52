"""The strict forms of the six rule files, key by key. What is not named here may not be written there.

An unknown key, an empty condition or marker, two markers that fold to the same, a marker of one letter or of mere
punctuation, a gap in an owner's exact words, a saying that nobody can read, a number that is not finite, a name with
control characters: each is a ValueError here, which `parse_rules` turns into RulesRefused with the file's name.
"""

import unicodedata
from typing import Annotated, Final, Literal, Self, TypeVar

from pydantic import AfterValidator, Field, model_validator

from pipeline.judge.shapes import Shape
from pipeline.mail import domains
from pipeline.mail.fold import fold, is_invisible
from pipeline.mail.matcher import GAP, MarkerField, plain, sender_marker_problem
from pipeline.mail.sayings import read_choices, read_saying
from pipeline.models.document import Frozen

ProtectedClass = Literal[
    "account_security", "money", "legal", "health", "employment", "orders", "housing_family", "travel_delivery"
]
"""The classes that words can raise; structure raises the others (see stages/protect.py)."""
ExpectedAction = Literal["leave", "label", "label+archive"]

CONDITION_KEYS: Final[dict[str, MarkerField]] = {
    "sender_contains": "sender",
    "domain_equals": "domain_equals",
    "domain_under": "domain_under",
    "subject_contains": "subject",
    "body_contains_any": "body",
    "body_contains": "body",
    "text_contains": "text",
    "sentence_says": "sentence",
    "shape_is": "shape",
}
"""Each condition key and the field of a mail that its markers are looked for in."""
_MAX_NAME: Final = 80


def _clean_name(name: str) -> str:
    if not name.strip() or name != name.strip() or len(name) > _MAX_NAME:
        raise ValueError(f"a name is 1 to {_MAX_NAME} characters without blanks around it")
    if not name.isprintable() or any(is_invisible(character) for character in name):
        raise ValueError("a name holds a control or invisible character")
    return name


def _text_markers(markers: tuple[str, ...]) -> tuple[str, ...]:
    """Markers compared with mail as the matcher writes both: none empty, none twice, none in almost every mail."""
    folded = [plain(marker) for marker in markers]
    if not folded or not all(folded):
        raise ValueError("a condition or a marker is empty")
    if any(map(_is_everywhere, folded)):
        raise ValueError("a marker of one character, or of punctuation alone, would match almost all mail")
    return _without_repeats(markers, folded)


def _is_everywhere(folded: str) -> bool:
    """Punctuation alone, or one letter or digit; a picture, a currency or a Chinese character does say something."""
    if len(folded) == 1 and not (unicodedata.category(folded)[0] == "S" and not folded.isascii()):
        return unicodedata.east_asian_width(folded) not in "WF"
    return all(unicodedata.category(character)[0] in "PZ" for character in folded)


def _exact_markers(markers: tuple[str, ...]) -> tuple[str, ...]:
    """The owner's own words, compared as they are written: a gap would stand for words that nobody wrote."""
    if any(GAP in plain(marker) for marker in markers):
        raise ValueError('" ... " stands for other words only in a pack: name whole words here')
    return _text_markers(markers)


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


def _sayings(markers: tuple[str, ...]) -> tuple[str, ...]:
    """Sayings as written, with the names of word lists in them; their words are looked up by the pack."""
    return _without_repeats(markers, [fold(marker) for marker in markers])


def _choices(texts: tuple[str, ...]) -> tuple[str, ...]:
    read_choices("|".join(texts))
    return _without_repeats(texts, [fold(text) for text in texts])


Name = Annotated[str, AfterValidator(_clean_name)]
TextMarkers = Annotated[tuple[str, ...], AfterValidator(_text_markers)]
ExactMarkers = Annotated[tuple[str, ...], AfterValidator(_exact_markers)]
SenderMarkers = Annotated[tuple[str, ...], AfterValidator(_sender_markers)]
Domains = Annotated[tuple[str, ...], AfterValidator(_domains)]
Sayings = Annotated[tuple[str, ...], Field(min_length=1), AfterValidator(_sayings)]
Choices = Annotated[tuple[str, ...], Field(min_length=1), AfterValidator(_choices)]
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
    shape: tuple[Shape, ...] = ()
    classification: Name
    action: ExpectedAction


Shapes = Annotated[tuple[Shape, ...], Field(min_length=1)]


class RuleForm(Frozen):
    """What every rule has, and the conditions that some have; the files' own models say which may be written."""

    name: Name
    classification: Name
    confidence: Confidence

    @model_validator(mode="after")
    def _has_a_condition(self) -> "RuleForm":
        if not any(getattr(self, key, None) for key in CONDITION_KEYS):
            raise ValueError("the rule has no condition")
        return self


class OverrideForm(RuleForm):
    """manual_overrides.toml: wins first; archives only if it says so."""

    sender_contains: SenderMarkers | None = None
    subject_contains: ExactMarkers | None = None
    body_contains_any: ExactMarkers | None = None
    safe_to_archive: bool


class TemplateForm(RuleForm):
    """template_rules.toml: a known sender's usual wording."""

    sender_contains: SenderMarkers | None = None
    body_contains_any: ExactMarkers | None = None


class SenderRuleForm(RuleForm):
    """sender_rules.toml: grown only by promote."""

    sender_contains: SenderMarkers | None = None
    domain_equals: Domains | None = None
    domain_under: Domains | None = None


class PatternForm(RuleForm):
    """A pack's pattern: tier 1, whoever the sender is. `unless_shape`: not for mail of these shapes;
    `only_to_file`: a guess that is worth something only if the mail may leave the inbox; else it is left alone."""

    sender_contains: SenderMarkers | None = None
    subject_contains: TextMarkers | None = None
    body_contains: TextMarkers | None = None
    text_contains: TextMarkers | None = None
    sentence_says: Sayings | None = None
    shape_is: Shapes | None = None
    unless_shape: Shapes | None = None
    only_to_file: bool = False


class WordsForm(Frozen):
    """Words that mean the same where they stand: `<name>` in a saying of the same pack is any one of them."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z ]{0,39}$")]
    any_of: Choices


class MarkerSetForm(Frozen):
    """Markers by field; any one of them is a hit, except in mail of the shapes `unless_shape`."""

    sender_contains: SenderMarkers | None = None
    subject_contains: TextMarkers | None = None
    text_contains: TextMarkers | None = None
    sentence_says: Sayings | None = None
    shape_is: Shapes | None = None
    unless_shape: Shapes | None = None

    @model_validator(mode="after")
    def _has_a_marker(self) -> "MarkerSetForm":
        if not any(getattr(self, key, None) for key in CONDITION_KEYS):
            raise ValueError("the marker set is empty")
        return self


class HarmlessForm(Frozen):
    """Phrases that are cut out before requests are looked for, wherever they stand and whatever the mail is."""

    text_contains: TextMarkers


class ActionForm(MarkerSetForm):
    """Words that ask the owner for something: they suppress every archive."""

    name: Name
    makes_relevant: bool
    only_for: Annotated[tuple[Name, ...], Field(min_length=1)] | None = None


class ProtectedForm(MarkerSetForm):
    """Words that raise a protected class."""

    name: Name
    protects: ProtectedClass


SayingForm = TypeVar("SayingForm", bound=Frozen)


class RuleFile(Frozen):
    """What every rule file may carry."""

    version: Literal[1]
    example: tuple[Example, ...] = ()


class TaxonomyFile(Frozen):
    """taxonomy.toml; `review` names the class of relevant mail that no rule decides."""

    version: Literal[1]
    review: Name
    classification: Annotated[tuple[Classification, ...], Field(min_length=1)]


class IrrelevantFile(RuleFile):
    """irrelevant_senders.toml: mail that is none of this product's business."""

    sender_contains: Annotated[tuple[str, ...], AfterValidator(lambda m: _sender_markers(m) if m else m)] = ()
    domains: Annotated[tuple[str, ...], AfterValidator(lambda m: _domains(m) if m else m)] = ()


class OverridesFile(RuleFile):
    """manual_overrides.toml."""

    rule: tuple[OverrideForm, ...] = ()


class TemplatesFile(RuleFile):
    """template_rules.toml."""

    rule: tuple[TemplateForm, ...] = ()


class SenderRulesFile(RuleFile):
    """sender_rules.toml."""

    rule: tuple[SenderRuleForm, ...] = ()


class PackFile(RuleFile):
    """pack-NAME.toml: the patterns and words of one use. The packs are asked in the order of `order`, then of name."""

    pack: Name
    order: Annotated[int, Field(ge=1, le=99)] = 50
    relevance: MarkerSetForm | None = None
    harmless: HarmlessForm | None = None
    words: tuple[WordsForm, ...] = ()
    pattern: tuple[PatternForm, ...] = ()
    action: tuple[ActionForm, ...] = ()
    protected: tuple[ProtectedForm, ...] = ()

    @model_validator(mode="after")
    def _says_what_can_be_read(self) -> "PackFile":
        if len({form.name for form in self.words}) != len(self.words):
            raise ValueError("a list of words stands twice")
        relevance = () if self.relevance is None else (self.relevance,)
        forms: tuple[PatternForm | MarkerSetForm, ...] = (*relevance, *self.pattern, *self.action, *self.protected)
        for saying in (saying for form in forms for saying in form.sentence_says or ()):
            read_saying(self._spelled(saying))
        return self

    def spelled_out(self) -> Self:
        """The same with the words of the named lists in place of their names in every saying."""
        return self.model_copy(
            update={
                "relevance": self.relevance and self._spelled_form(self.relevance),
                "pattern": tuple(map(self._spelled_form, self.pattern)),
                "action": tuple(map(self._spelled_form, self.action)),
                "protected": tuple(map(self._spelled_form, self.protected)),
            }
        )

    def _spelled_form(self, form: SayingForm) -> SayingForm:
        sayings: tuple[str, ...] = getattr(form, "sentence_says", None) or ()
        return form.model_copy(update={"sentence_says": tuple(map(self._spelled, sayings))}) if sayings else form

    def _spelled(self, saying: str) -> str:
        for form in self.words:
            saying = saying.replace(f"<{form.name}>", "|".join(form.any_of))
        return saying


class PatternsFile(PackFile):
    """patterns.toml: what stands whichever packs are on. Without action and protected words there is no gate."""

    order: Annotated[int, Field(ge=0, le=99)] = 0
    action: Annotated[tuple[ActionForm, ...], Field(min_length=1)]
    protected: Annotated[tuple[ProtectedForm, ...], Field(min_length=1)]
