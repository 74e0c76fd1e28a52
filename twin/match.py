"""Decides which messages a parsed query means.

`compile_node` turns a tree into one function of a message. Spam and trash are hidden unless the query,
outside a negation, names them (`in:anywhere`, `in:trash`, `in:spam`): `shown_places` says which it names.
"""

from twin.operators import HIDING, NAMED, Context, Test, label_named, term_test
from twin.query import And, Node, Not, Or, Term, Text

__all__ = ["HIDING", "Context", "Test", "compile_node", "is_relative", "required_label", "shown_places"]


def compile_node(node: Node, context: Context) -> Test:
    """The test that the tree means, spam and trash not hidden."""
    if isinstance(node, Text):
        return lambda m: m.source.doc.anywhere(node.value)
    if isinstance(node, Term):
        return term_test(node, context)
    if isinstance(node, Not):
        inner = compile_node(node.item, context)
        return lambda m: not inner(m)
    tests = tuple(compile_node(item, context) for item in node.items)
    if isinstance(node, Or):
        return lambda m: any(test(m) for test in tests)
    return lambda m: all(test(m) for test in tests)


def shown_places(node: Node) -> frozenset[str]:
    """Which of SPAM and TRASH the query asks to see; a negated mention does not ask."""
    if isinstance(node, And | Or):
        return frozenset().union(*(shown_places(item) for item in node.items))
    if not isinstance(node, Term) or node.op not in ("in", "label"):
        return frozenset()
    name = node.value.lower()
    return HIDING if name == "anywhere" else HIDING & {NAMED.get(name, "")}


def required_label(node: Node, context: Context) -> str | None:
    """A label that every hit must wear, if the query says so at its top: then only its wearers are tested."""
    terms = node.items if isinstance(node, And) else (node,)
    for term in terms:
        if isinstance(term, Term) and term.op in ("in", "label"):
            found = label_named(term.value, context)
            if found is not None and term.value.lower() not in ("anywhere", "read", "archive"):
                return found
    return None


def is_relative(node: Node) -> bool:
    """Whether the answer depends on the time of asking."""
    if isinstance(node, And | Or):
        return any(is_relative(item) for item in node.items)
    if isinstance(node, Not):
        return is_relative(node.item)
    return isinstance(node, Term) and node.op in ("newer_than", "older_than")
