"""The owner's rules as one value: taxonomy, irrelevant senders, overrides, templates, sender rules and patterns.

Six TOML files and any number of packs (`pack-NAME.toml`), each strict: an unknown file or key, an empty condition, an
empty marker, two equal markers or names, a classification that the taxonomy lacks, a confidence outside 0..1 or a
label name that Gmail would not take stops the run at load (RulesRefused, LabelNameRefused). The files themselves
document their format in comments.

How a rule is read: every condition that it names must hold, and of each list one marker is enough
(`domain_equals` and `domain_under` together are one condition). Of one tier the first rule in the file that holds wins.

    rules = parse_rules((("taxonomy.toml", b"..."), ("patterns.toml", b"..."), ...))
    rules.label_of("Interview")                # 'Job Search/Interview'
    rules.rules[0].tier                        # 'override'
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from pipeline.mail.fold import fold
from pipeline.mail.matcher import Hit, Marker, MarkerField, Role
from pipeline.models import rulefiles as forms
from pipeline.models.document import Frozen, read_toml
from pipeline.models.labelname import read_label_name
from pipeline.models.rulefiles import Classification, Example, ProtectedClass
from pipeline.refusals import RulesRefused

Tier = Literal["override", "tier1", "template", "sender"]
TIERS: Final[tuple[Tier, ...]] = ("override", "tier1", "template", "sender")
IRRELEVANT: Final = "irrelevant"
RELEVANCE: Final = "relevance"
HARMLESS: Final = "harmless"
"""The names of the sets that have none of their own: irrelevant senders, relevance words, harmless phrases.

Those of a pack are named after it: `relevance of job-search`."""
READING: Final = "reading"
"""The name under which `match` says that words cannot tell what a mail says: no rule's."""
SHAPE: Final = "shape"
"""The name under which `match` says what a mail is by its build: no rule's either."""
RESERVED: Final = (IRRELEVANT, RELEVANCE, HARMLESS, READING, SHAPE)
"""Names that the pipeline itself uses among hits; a rule of such a name would be taken for what it is not."""
_OF_A_PACK: Final = re.compile(rf"(?:{RELEVANCE}|{HARMLESS}) of \S")

FILES: Final[dict[str, type[Frozen]]] = {
    "irrelevant_senders.toml": forms.IrrelevantFile,
    "manual_overrides.toml": forms.OverridesFile,
    "patterns.toml": forms.PatternsFile,
    "sender_rules.toml": forms.SenderRulesFile,
    "taxonomy.toml": forms.TaxonomyFile,
    "template_rules.toml": forms.TemplatesFile,
}
PACK_FILE: Final = re.compile(r"pack-([a-z0-9]+(?:-[a-z0-9]+)*)\.toml")
"""The name of a pack's file, with the pack's name in it."""
_SENDER_FIELDS: Final = frozenset({"domain_equals", "domain_under"})


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of one tier. `conditions` maps a field to its markers, in the order written."""

    name: str
    tier: Tier
    classification: str
    confidence: float
    is_safe_to_archive: bool
    """Whether the rule itself allows archive; only an override can say no."""
    conditions: tuple[tuple[MarkerField, tuple[str, ...]], ...]
    unless: tuple[str, ...] = ()
    """The shapes of mail for which it is not meant."""
    asks: bool = False
    """Whether its class is one that never leaves the inbox: its words are not looked for in harmless phrases."""
    only_to_file: bool = False
    """Whether its label is worth nothing on mail that stays in the inbox."""

    def holds(self, hits: Iterable[Hit]) -> bool:
        """Whether every condition has a hit of this rule."""
        found = {hit.field for hit in hits if hit.rule == self.name and hit.role == self.role}
        named = {name for name, _ in self.conditions}
        domains = named & _SENDER_FIELDS
        return bool(named) and named - domains <= found and (not domains or bool(domains & found))

    @property
    def role(self) -> Role:
        """The role of its markers among the hits."""
        return "pattern" if self.tier == "tier1" else "rule"


@dataclass(frozen=True, slots=True)
class MarkerSet:
    """A pack's words: action language, protected words, or what makes mail relevant at all."""

    name: str
    role: Role
    conditions: tuple[tuple[MarkerField, tuple[str, ...]], ...]
    makes_relevant: bool = False
    only_for: tuple[str, ...] = ()
    """The classifications that an action set holds; empty = whatever there is."""
    protects: ProtectedClass | None = None
    unless: tuple[str, ...] = ()
    """The shapes of mail in which its words do not count."""

    @property
    def is_named(self) -> bool:
        """Whether its owner named it: the sets of irrelevant senders, relevance and harmless phrases are not."""
        return self.role in ("action", "protected")


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Everything that the owner wrote about mail, checked; rules in the order of tiers, then of their file."""

    review: str
    classifications: tuple[Classification, ...]
    rules: tuple[Rule, ...]
    sets: tuple[MarkerSet, ...]
    examples: tuple[Example, ...]

    def classification(self, name: str | None) -> Classification | None:
        """The class of that name, or None for one that the taxonomy does not know."""
        return next((found for found in self.classifications if found.name == name), None)

    def label_of(self, name: str) -> str:
        """The label name of a classification; of the review class for a name the taxonomy does not know."""
        found = self.classification(name) or self.classification(self.review)
        if found is None:
            raise RulesRefused("the taxonomy lacks its own review class", evidence=self.review)
        return found.label

    def label_names(self) -> dict[str, str]:
        """Classification -> label name, in the order of the taxonomy."""
        return {found.name: found.label for found in self.classifications}

    def tier(self, tier: Tier) -> tuple[Rule, ...]:
        """The rules of one tier in file order."""
        return tuple(rule for rule in self.rules if rule.tier == tier)

    def rule(self, name: str) -> Rule | None:
        """The rule of that name."""
        return next((rule for rule in self.rules if rule.name == name), None)

    @property
    def folded_label_names(self) -> frozenset[str]:
        """Our own labels as Gmail compares them: without letter case."""
        return frozenset(found.label.casefold() for found in self.classifications)

    def markers(self) -> tuple[Marker, ...]:
        """Every marker of every rule and set, for the matcher."""
        return tuple(_markers(self.rules, self.sets))


def _markers(rules: Iterable[Rule], sets: Iterable[MarkerSet]) -> Iterator[Marker]:
    owners: tuple[Rule | MarkerSet, ...] = (*rules, *sets)
    for owner in owners:
        for field, texts in owner.conditions:
            for number, text in enumerate(texts, 1):
                asks = isinstance(owner, Rule) and owner.asks
                yield Marker(owner.role, owner.name, field, str(number), text, owner.unless, asks)


def parse_rules(files: tuple[tuple[str, bytes], ...]) -> RuleSet:
    """The rules of (file name, bytes) pairs. Raises RulesRefused or LabelNameRefused; examples are not run here."""
    read = _read_files(files)
    taxonomy = read["taxonomy.toml"]
    if not isinstance(taxonomy, forms.TaxonomyFile):
        raise RulesRefused("rule files were read under each other's form")
    rules = RuleSet(
        review=taxonomy.review,
        classifications=taxonomy.classification,
        rules=tuple(_rules(read)),
        sets=tuple(_sets(read)),
        examples=tuple(example for form in read.values() for example in getattr(form, "example", ())),
    )
    _check(rules)
    return rules


def _read_files(files: tuple[tuple[str, bytes], ...]) -> dict[str, Frozen]:
    names = [name for name, _ in files]
    known = {*FILES, *(name for name in names if PACK_FILE.fullmatch(name))}
    unknown, missing = sorted(set(names) - known), sorted(set(FILES) - set(names))
    if unknown or len(set(names)) != len(names):
        what = "a rule file is neither one of the six nor a pack"
        raise RulesRefused(what, evidence=", ".join(unknown) or "one stands twice")
    if missing:
        raise RulesRefused("a rule file is missing", evidence=", ".join(missing), next_command="copy rules/ anew")
    read = {name: read_toml(FILES.get(name, forms.PackFile), data, name, RulesRefused) for name, data in sorted(files)}
    for name, form in read.items():
        if isinstance(form, forms.PackFile) and name != "patterns.toml" and name != f"pack-{form.pack}.toml":
            raise RulesRefused("a pack has another name than its file", evidence=name)
    return read


def packs_of(read: dict[str, Frozen]) -> list[forms.PackFile]:
    """patterns.toml and the packs, in the order in which they are asked, their sayings spelled out."""
    found = (form.spelled_out() for form in read.values() if isinstance(form, forms.PackFile))
    return sorted(found, key=lambda form: (form.order, form.pack))


def _rules(read: dict[str, Frozen]) -> Iterator[Rule]:
    sources: tuple[tuple[Tier, list[forms.RuleForm]], ...] = (
        ("override", getattr(read["manual_overrides.toml"], "rule", [])),
        ("tier1", [pattern for pack in packs_of(read) for pattern in pack.pattern]),
        ("template", getattr(read["template_rules.toml"], "rule", [])),
        ("sender", getattr(read["sender_rules.toml"], "rule", [])),
    )
    taxonomy = getattr(read["taxonomy.toml"], "classification", ())
    staying = {found.name for found in taxonomy if not found.archivable}
    for tier, listed in sources:
        for form in listed:
            is_safe, unless = getattr(form, "safe_to_archive", True), getattr(form, "unless_shape", None) or ()
            asks, is_guess = tier == "tier1" and form.classification in staying, getattr(form, "only_to_file", False)
            conditions = _conditions(form)
            yield Rule(
                form.name, tier, form.classification, form.confidence, is_safe, conditions, unless, asks, is_guess
            )


def _sets(read: dict[str, Frozen]) -> Iterator[MarkerSet]:
    yield MarkerSet(IRRELEVANT, "rule", _irrelevant(read["irrelevant_senders.toml"]))
    for pack in packs_of(read):
        yield from _pack_sets(pack)


def _pack_sets(pack: forms.PackFile) -> Iterator[MarkerSet]:
    of = "" if isinstance(pack, forms.PatternsFile) else f" of {pack.pack}"
    if pack.relevance is not None:
        conditions = _conditions(pack.relevance)
        yield MarkerSet(RELEVANCE + of, "pattern", conditions, True, unless=pack.relevance.unless_shape or ())
    if pack.harmless is not None:
        yield MarkerSet(HARMLESS + of, "harmless", _conditions(pack.harmless))
    for form in pack.action:
        unless = form.unless_shape or ()
        yield MarkerSet(form.name, "action", _conditions(form), form.makes_relevant, form.only_for or (), unless=unless)
    for words in pack.protected:
        unless = words.unless_shape or ()
        yield MarkerSet(words.name, "protected", _conditions(words), protects=words.protects, unless=unless)


def _irrelevant(form: Frozen) -> tuple[tuple[MarkerField, tuple[str, ...]], ...]:
    return (("sender", getattr(form, "sender_contains", ())), ("domain_equals", getattr(form, "domains", ())))


def _conditions(form: object) -> tuple[tuple[MarkerField, tuple[str, ...]], ...]:
    named = ((field, getattr(form, key, None)) for key, field in forms.CONDITION_KEYS.items())
    return tuple((field, markers) for field, markers in named if markers)


def _check(rules: RuleSet) -> None:
    """What no single file can see: unique names and labels, known classes, an unarchivable review class."""
    _refuse_reserved(rules)
    _refuse_repeats("rule name", [*(rule.name for rule in rules.rules), *(found.name for found in rules.sets)])
    _refuse_repeats("classification", [found.name for found in rules.classifications])
    _refuse_repeats("label", [read_label_name(found.label) for found in rules.classifications])
    _refuse_repeats("example name", [example.name for example in rules.examples])
    known = {found.name for found in rules.classifications}
    strangers = {rule.classification for rule in rules.rules} - known
    strangers |= {name for found in rules.sets for name in found.only_for} - known
    strangers |= {example.classification for example in rules.examples} - known - {"none"}
    if strangers:
        raise RulesRefused("a classification is not in taxonomy.toml", evidence=", ".join(sorted(strangers))[:200])
    review = rules.classification(rules.review)
    if review is None or review.archivable:
        raise RulesRefused("the review class must be in the taxonomy and not archivable", evidence=rules.review)
    if "none" in known:
        raise RulesRefused('"none" means not relevant and cannot be a classification')


def _refuse_reserved(rules: RuleSet) -> None:
    """Names of the owner's that the pipeline uses itself; its own sets have them by right."""
    owners = [rule.name for rule in rules.rules] + [found.name for found in rules.sets if found.is_named]
    taken = sorted({name for name in owners if fold(name) in RESERVED or _OF_A_PACK.match(fold(name))})
    if taken:
        raise RulesRefused("a rule bears a name that the pipeline uses itself", evidence=", ".join(taken)[:200])


def _refuse_repeats(what: str, names: list[str]) -> None:
    folded = [fold(name) for name in names]
    repeated = sorted({name for name, key in zip(names, folded, strict=True) if folded.count(key) > 1})
    if repeated:
        raise RulesRefused(f"a {what} stands twice", evidence=", ".join(repeated)[:200])
