"""The rules as a fact: read strictly, their examples judged, before any stage may use them."""

from pipeline.artifacts import Fact
from pipeline.judge.examples import check_examples
from pipeline.models.rules import RuleSet, parse_rules


def read_rules(files: tuple[tuple[str, bytes], ...]) -> RuleSet:
    """The checked rules of (file name, bytes) pairs. Raises RulesRefused or LabelNameRefused."""
    return check_examples(parse_rules(files))


RULES = Fact(
    "rules",
    "evidence",
    "the owner's rule files, checked with their examples",
    load=lambda place: read_rules(place.config.rules),
    is_in_config=True,
)
