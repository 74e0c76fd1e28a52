"""An owner's rules as a Sieve script: the same cascade, written for Dovecot's Pigeonhole.

Each rule is one test and one folder, named after it, in the order of the tiers; mail of a class that may be filed goes
to another folder when an action word stands in it. Sieve compares without letter case and knows no fold, no gaps, no
shapes and no words of a display name: rules with these are refused, not translated.

    print(script_of(rules))
"""

import json
from collections.abc import Iterable, Iterator
from typing import Final

from pipeline.mail.matcher import GAP, MarkerField
from pipeline.models.rules import IRRELEVANT as IRRELEVANT_SET
from pipeline.models.rules import MarkerSet, Rule, RuleSet

Condition = tuple[MarkerField, tuple[str, ...]]
IRRELEVANT: Final = "irrelevant"
ASKS: Final = "+asks"
_HEAD: Final = 'require ["fileinto", "body"];\n'


class UntranslatableError(ValueError):
    """What a Sieve script cannot say."""


def script_of(rules: RuleSet) -> str:
    """The script. Raises UntranslatableError."""
    irrelevant = [one for one in rules.sets if one.name == IRRELEVANT_SET and any(texts for _, texts in one.conditions)]
    asking = _any(test for one in rules.sets if one.role == "action" for test in _set_tests(one))
    blocks = [f'if {_any(_set_tests(one))} {{ fileinto "{IRRELEVANT}"; stop; }}\n' for one in irrelevant]
    return _HEAD + "".join([*blocks, *(_block(rule, asking, rules) for rule in rules.rules)])


def _block(rule: Rule, asking: str, rules: RuleSet) -> str:
    found = rules.classification(rule.classification)
    stored = f"fileinto {json.dumps(rule.name)};"
    if found is not None and found.archivable:
        stored = f"if {asking} {{ fileinto {json.dumps(rule.name + ASKS)}; }} else {{ {stored} }}"
    return f"if {_rule_test(rule)} {{ {stored} stop; }}\n"


def _rule_test(rule: Rule) -> str:
    if rule.unless or rule.asks:
        raise UntranslatableError(f"{rule.name} looks at shapes or at harmless phrases")
    domains = [test for field, texts in rule.conditions if field.startswith("domain") for test in _tests(field, texts)]
    others = [_any(_tests(field, texts)) for field, texts in rule.conditions if not field.startswith("domain")]
    tests = [*([_any(domains)] if domains else []), *others]
    return tests[0] if len(tests) == 1 else f"allof({', '.join(tests)})"


def _set_tests(one: MarkerSet) -> Iterator[str]:
    if one.unless or one.only_for:
        raise UntranslatableError(f"{one.name} counts in some shapes or classes only")
    for field, texts in one.conditions:
        yield from _tests(field, texts)


def _any(tests: Iterable[str]) -> str:
    listed = list(tests)
    if not listed:
        return "false"
    return listed[0] if len(listed) == 1 else f"anyof({', '.join(listed)})"


def _tests(field: MarkerField, texts: tuple[str, ...]) -> Iterator[str]:
    """The tests of one field, any of which is enough."""
    if field in ("subject", "body", "text"):
        yield from _text_tests(field, texts)
    elif field == "domain_equals":
        yield _address(":domain :is", texts)
    elif field == "domain_under":
        yield from _under(texts)
    elif field == "sender":
        yield from _sender(texts)
    else:
        raise UntranslatableError(f"no test for {field}")


def _text_tests(field: MarkerField, texts: tuple[str, ...]) -> Iterator[str]:
    bad = [text for text in texts if GAP in text or not text.isascii() or text != " ".join(text.split())]
    if bad:
        raise UntranslatableError(f"not plain words: {bad[0]}")
    if field != "body":
        yield f'header :contains "subject" {_list(texts)}'
    if field != "subject":
        yield f"body :text :contains {_list(texts)}"


def _sender(texts: tuple[str, ...]) -> Iterator[str]:
    words = [text for text in texts if "@" not in text and "." not in text]
    if words:
        raise UntranslatableError(f"whole words of a name: {words[0]}")
    kinds = {
        ":all :is": tuple(text for text in texts if "@" in text),
        ":domain :is": tuple(text for text in texts if "@" not in text and not text.startswith(".")),
    }
    yield from (_address(kind, found) for kind, found in kinds.items() if found)
    yield from _under(tuple(text.removeprefix(".") for text in texts if text.startswith(".")))


def _under(names: tuple[str, ...]) -> Iterator[str]:
    if names:
        yield _address(":domain :is", names)
        yield _address(":domain :matches", tuple(f"*.{name}" for name in names))


def _address(kind: str, values: tuple[str, ...]) -> str:
    return f'address {kind} "from" {_list(values)}'


def _list(values: tuple[str, ...]) -> str:
    return json.dumps(list(values))
