"""One call as a handler sees it: the mailbox, validated parameters, path ids, the body, the time.

Also the checks that several handlers share: JSON bodies, known labels, well-formed ids.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from twin.labels import FIXED
from twin.mailbox import Mail, Stored
from twin.paramspec import Args
from twin.state import Options
from twin.wire import Json, Request, bad, missing

MAX_EDITS = 100
HEX_ID = re.compile(r"[0-9a-f]{1,16}", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Call:
    """What a handler gets. `ids` are the variable parts of the path, in order."""

    mail: Mail
    address: str
    options: Options
    args: Args
    ids: tuple[str, ...]
    request: Request
    now_ms: int

    def json_body(self, allowed: Mapping[str, type] | None = None) -> Json:
        return json_object(self.request.body, allowed)


Answer = tuple[Mail, Json | None]


def json_object(body: bytes, allowed: Mapping[str, type] | None = None) -> Json:
    """The JSON object of a body (empty body = empty object); 400 for other JSON, unknown or wrong fields."""
    if not body.strip():
        return {}
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise bad("Invalid JSON payload received. Parse error.", reason="parseError") from error
    if not isinstance(value, dict):
        raise bad("Invalid JSON payload received. Expected an object.", reason="parseError")
    return {key: item for key, item in value.items() if _is_allowed(key, item, allowed)}


def _is_allowed(key: str, item: object, allowed: Mapping[str, type] | None) -> bool:
    if allowed is None or item is None:
        return item is not None
    if key not in allowed:
        raise bad(f'Invalid JSON payload received. Unknown name "{key}": Cannot find field.')
    if not isinstance(item, allowed[key]):
        raise bad(f"Invalid value at '{key}'")
    return True


def strings(body: Json, key: str) -> tuple[str, ...]:
    """A list of strings of a body; 400 when it holds anything else."""
    value = body.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise bad(f"Invalid value at '{key}' (TYPE_STRING)")
    return tuple(value)


def check_id(value: str, known: Mapping[str, object]) -> str:
    """The id when it is known; 404 when it could be one (hex), 400 when it could not."""
    if value in known:
        return value
    raise missing() if HEX_ID.fullmatch(value) else bad("Invalid id value")


def stored(call: Call, message_id: str) -> Stored:
    return call.mail.messages[check_id(message_id, call.mail.messages)]


def check_labels(mail: Mail, ids: tuple[str, ...], *, refused: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """The ids when all are labels that may be used here, else 400 naming the first that is not."""
    for label in ids:
        if label not in mail.labels or label in refused:
            raise bad(f"Invalid label: {label}")
    return ids


EDIT_FIELDS: Mapping[str, type] = {
    "addLabelIds": list,
    "removeLabelIds": list,
    "addClassificationLabels": list,
    "removeClassificationLabelIds": list,
}


def edits(call: Call, body: Json) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The labels to add and to remove, checked as Gmail checks them (its words, from public reports)."""
    add, remove = strings(body, "addLabelIds"), strings(body, "removeLabelIds")
    if not add and not remove:
        raise bad("No label add or removes specified")
    if max(len(add), len(remove)) > MAX_EDITS:
        raise bad(f"Too many labels: at most {MAX_EDITS} can be added and {MAX_EDITS} removed at once")
    check_labels(call.mail, (*add, *remove), refused=FIXED)
    if set(add) & set(remove):
        raise bad("Cannot both add and remove the same label")
    return add, remove
