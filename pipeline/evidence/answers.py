"""Small readings of answers that every judge of a capture needs.

>>> items({"messages": [{"id": "a"}]}, "messages"), items({}, "messages")
([{'id': 'a'}], [])
"""

from collections.abc import Mapping

from pipeline.refusals import UnknownShape

Resource = Mapping[str, object]


def items(document: Resource, key: str) -> list[Resource]:
    """The list under a key: [] when absent. Raises UnknownShape when it is something else."""
    found = document.get(key, [])
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise UnknownShape(f"{key} is no list of objects", evidence=type(found).__name__)
    return found
