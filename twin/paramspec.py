"""Query parameters: which exist for a method, of which type, and Gmail's refusal for the others.

Types, defaults and enums are those of the public discovery document of the Gmail API.

>>> read("maxResults=7", {"maxResults": "uint"}).number("maxResults", 100)
7
"""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl

from twin.wire import Json, bad

GLOBAL = frozenset(
    (
        *("access_token", "alt", "callback", "fields", "key", "oauth_token", "prettyPrint", "quotaUser"),
        *("uploadType", "upload_protocol", "$.xgafv", "$alt", "$fields", "userId"),
    )
)
MAX_UINT = 2**32 - 1


def camel(name: str) -> str:
    """Google reads `label_ids` as `labelIds`."""
    head, *rest = name.split("_")
    return head + "".join(word[:1].upper() + word[1:] for word in rest)


@dataclass(frozen=True, slots=True)
class Args:
    """Validated parameters of one call, each name with all its values in order."""

    values: Mapping[str, tuple[str, ...]]

    def text(self, name: str, default: str = "") -> str:
        return self.values.get(name, (default,))[-1]

    def every(self, name: str) -> tuple[str, ...]:
        return self.values.get(name, ())

    def flag(self, name: str, default: bool = False) -> bool:
        value = self.text(name).lower()
        return value in ("true", "1", "") if name in self.values else default

    def number(self, name: str, default: int) -> int:
        """A zero means the default, as an unset number does on Google's side."""
        return int(self.text(name) or 0) or default


def unknown(name: str) -> Exception:
    message = (
        f'Invalid JSON payload received. Unknown name "{name}": Cannot bind query parameter. '
        f"Field '{name}' could not be found in request message."
    )
    detail: Json = {
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        "fieldViolations": [{"description": message}],
    }
    return bad(message, details=[detail])


def _check(name: str, value: str, kind: str) -> None:
    if kind == "bool" and value.lower() not in ("true", "false", "1", "0", ""):
        raise bad(f"Invalid value at '{name}' (TYPE_BOOL), \"{value}\"")
    if kind == "uint":
        is_number = value.isascii() and value.isdigit() and int(value[:12]) <= MAX_UINT and len(value) < 12
        if not is_number:
            raise bad(f"Invalid value at '{name}' (TYPE_UINT32), \"{value}\"")
    if kind.startswith("enum:") and value.lower() not in kind[5:].lower().split(","):
        raise bad(f"Invalid value at '{name}' (TYPE_ENUM), \"{value}\"")


def read(query: str, spec: Mapping[str, str]) -> Args:
    """The parameters of a query string, or 400 for an unknown name or a value of the wrong type."""
    values: dict[str, tuple[str, ...]] = {}
    for raw_name, value in parse_qsl(query, keep_blank_values=True, errors="replace"):
        name = raw_name if raw_name in spec or raw_name in GLOBAL else camel(raw_name)
        if name not in spec and name not in GLOBAL:
            raise unknown(raw_name)
        _check(name, value, "bool" if name == "prettyPrint" else spec.get(name, "text"))
        values[name] = (*values.get(name, ()), value)
    if values.get("alt", ("json",))[-1] not in ("json", "media", ""):
        raise bad("Invalid value for alt: only json is served here")
    return Args(values)
