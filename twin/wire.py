"""What crosses the wire: a request, a response, and the refusal that becomes an error body.

Promise: a response body is UTF-8 JSON in Gmail's layout (two-space indent unless `prettyPrint=false`),
and an error body always has `code`, `message`, `errors[0].reason` and `status`.

>>> ApiError(404, "Requested entity was not found.", "notFound").body()["error"]["status"]
'NOT_FOUND'
"""

import json
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

STATUS_NAMES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ABORTED",
    413: "INVALID_ARGUMENT",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    502: "UNAVAILABLE",
    503: "UNAVAILABLE",
}
JSON_TYPE = ("Content-Type", "application/json; charset=UTF-8")


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request. `target` is the path with its query, as it stands in the request line."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    def header(self, name: str) -> str:
        """The first header of that name in any case, or an empty string."""
        wanted = name.lower()
        return next((value for key, value in self.headers if key.lower() == wanted), "")

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        return self.target.partition("?")[2].partition("#")[0]


@dataclass(frozen=True, slots=True)
class Response:
    """One HTTP response. `note` is for the twin's own log and is never sent."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    note: str = ""


class ApiError(Exception):
    """A refusal in Gmail's own words; `handle` turns it into an error response."""

    def __init__(self, code: int, message: str, reason: str, **extra: Any) -> None:
        super().__init__(message)
        self.code, self.message, self.reason = code, message, reason
        self.status: str = extra.pop("status", STATUS_NAMES.get(code, "UNKNOWN"))
        self.short: str = extra.pop("short", message)
        self.note: str = extra.pop("note", "")
        self.details: list[Json] = extra.pop("details", [])
        self.place: Json = extra

    def body(self) -> Json:
        first = {"message": self.short, "domain": "global", "reason": self.reason, **self.place}
        error: Json = {"code": self.code, "message": self.message, "errors": [first], "status": self.status}
        return {"error": {**error, "details": self.details} if self.details else error}


def bad(message: str, **extra: Any) -> ApiError:
    """400 INVALID_ARGUMENT."""
    return ApiError(400, message, extra.pop("reason", "invalidArgument"), **extra)


def missing() -> ApiError:
    """404, in the words Gmail uses for every unknown entity."""
    return ApiError(404, "Requested entity was not found.", "notFound")


def encode(value: Json, *, is_pretty: bool = True) -> bytes:
    """JSON bytes; text stays UTF-8, as Gmail sends it."""
    if is_pretty:
        text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    else:
        text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "replace")


def reply(value: Json | None, *, is_pretty: bool = True) -> Response:
    """200 with a JSON body, or 204 when there is none."""
    if value is None:
        return Response(204)
    return Response(200, (JSON_TYPE,), encode(value, is_pretty=is_pretty))


def refuse(error: ApiError, *, is_pretty: bool = True) -> Response:
    """The error as a response; a 401 says which scheme it wants."""
    headers: tuple[tuple[str, str], ...] = (JSON_TYPE,)
    if error.code == 401:
        headers += (("WWW-Authenticate", 'Bearer realm="https://accounts.google.com/"'),)
    return Response(error.code, headers, encode(error.body(), is_pretty=is_pretty), error.note)
