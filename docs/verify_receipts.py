"""Check a folder of manifests, approvals, decisions logs and receipts without gmailtriage.

    python3 verify_receipts.py FOLDER [--control FOLDER] [--key-file FILE | --demo-key] [--without-mail] [--json]

One file, nothing but Python's standard library (3.11 or newer), and not one line of the program that wrote the
documents: what it says rests on the bytes alone. FOLDER is a workspace, or a copy of one:

    manifests/<sha256>.json   manifests/<sha256>.approval.json   manifests/inputs/<sha256>
    data/decisions/<account>/<run>.jsonl   receipts/<run>.jsonl   data/raw/<account>/<capture>/

It checks that every document is canonical JSON (RFC 8785) of the known shape, that names are digests and no other file
lies among the manifests, that captures are as their seals and indexes say and as manifests pin them, that an approval
binds its manifest and the decisions log of its run, that a receipt is one unbroken chain which announces nothing but
approved changes (or, in an undo, their exact inverse), that each "verified" is what the labels read back say, that the
counts add up, and that markers and closing digests stand beside their receipts. It writes nothing.

The key (64 hex digits, in a file or in GMAILTRIAGE_APPROVAL_KEY) also shows who wrote: without it nobody can tell a
folder that was forged as a whole from a true one, and the output says so. --demo-key is the key of the mailbox that
does not exist. --control names the folder of the markers of a live mailbox, which lie apart from its receipts.
--without-mail says that data/raw was left out on purpose (a copy for somebody who may not read the mail): then the
pinned captures are not called missing.

Exit code: 0 all holds (what is merely unfinished is told), 2 usage, 3 something was altered or is missing.
"""

import argparse
import hashlib
import hmac
import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

Json = dict[str, Any]
Check = Callable[[Any], bool]
GENESIS = "0" * 64
DEMO_KEY = b"gmailtriage published demo key.."
KEY_VARIABLE = "GMAILTRIAGE_APPROVAL_KEY"
STATUSES = ("verified", "conflict", "vanished", "not_sent", "failed", "indeterminate")
SYSTEM = {"INBOX", "SPAM", "TRASH", "UNREAD", "STARRED", "IMPORTANT", "SENT", "DRAFT", "CHAT"}
BATCH_LIMIT, LONGEST, TOLERANCE = 100, timedelta(minutes=60), timedelta(seconds=60)
KEPT_IN_TRASH = timedelta(days=30)
LONGEST_GRANT = timedelta(days=90)


class Altered(Exception):  # noqa: N818  it says what it found, and that is no error of this program
    """Something does not hold; the text says what."""


# --- canonical JSON (RFC 8785) -------------------------------------------------------------------------------------


def canonical(value: object) -> bytes:
    """The one sequence of bytes of a JSON value. Raises Altered for what JSON cannot hold exactly."""
    try:
        return _spelled(value).encode()
    except (UnicodeEncodeError, RecursionError):
        raise Altered("it has no canonical form") from None


def _spelled(value: object) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, list):
        return f"[{','.join(map(_spelled, value))}]"
    if isinstance(value, dict):
        pairs = sorted(value.items(), key=lambda pair: pair[0].encode("utf-16-be"))
        return f"{{{','.join(f'{_spelled(key)}:{_spelled(inner)}' for key, inner in pairs)}}}"
    raise Altered("it holds what is no JSON")


def _number(value: float) -> str:
    """As ECMAScript writes it: plain digits from 1e-6 to 1e21, else an exponent without leading zeros."""
    if isinstance(value, int):
        if abs(value) > 2**53 - 1:
            raise Altered("it holds a whole number that is not exact")
        return str(value)
    if not math.isfinite(value):
        raise Altered("it holds a number that is not finite")
    if value == 0 or 1e-6 <= abs(value) < 1e21:
        text = format(Decimal(repr(abs(value))), "f")
        sign = "-" if value < 0 else ""
        return sign + (text.rstrip("0").rstrip(".") if "." in text else text)
    mantissa, _, exponent = repr(value).partition("e")
    return f"{mantissa.removesuffix('.0')}e{exponent[0]}{exponent[1:].lstrip('0')}"


def parsed(data: bytes) -> Json:
    """One JSON object whose bytes are its canonical form: no duplicate key, no other spelling. Raises Altered."""
    try:
        value = json.loads(data.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Altered("it is not one JSON object") from None
    if not isinstance(value, dict):
        raise Altered("it is no JSON object")
    if canonical(value) != data:
        raise Altered("its bytes are not the canonical form of what they say")
    return value


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("duplicate key")
    return dict(pairs)


def _no_constant(name: str) -> object:
    raise ValueError(name)


def sha256(data: bytes) -> str:
    """Lowercase hex."""
    return hashlib.sha256(data).hexdigest()


# --- shapes: every field of every document, nothing more and nothing less ------------------------------------------


def like(pattern: str) -> Check:
    """A text of this pattern."""
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None


@dataclass(frozen=True)
class OneOf:
    """One of these values (true is not 1)."""

    known: tuple[object, ...]

    def __call__(self, value: Any) -> bool:
        """Whether it is."""
        return any(type(value) is type(one) and value == one for one in self.known)


def one_of(*known: object) -> OneOf:
    """One of these values."""
    return OneOf(known)


def between(low: float, high: float = math.inf, *, whole: bool = True) -> Check:
    """A number from low to high."""
    kinds = (int,) if whole else (int, float)
    return lambda value: isinstance(value, kinds) and not isinstance(value, bool) and low <= value <= high


def many(check: Check, low: int = 0, high: int = 2**53) -> Check:
    """A list of them."""
    return lambda value: isinstance(value, list) and low <= len(value) <= high and all(map(check, value))


def table(keys: Check, values: Check) -> Check:
    """An object with any keys of that kind."""
    return lambda value: isinstance(value, dict) and all(keys(k) and values(v) for k, v in value.items())


def either(*checks: Check) -> Check:
    """Any of these."""
    return lambda value: any(check(value) for check in checks)


@dataclass(frozen=True)
class Shape:
    """An object with exactly these fields; `may_lack` names those that may be absent."""

    fields: Mapping[str, Check]
    may_lack: frozenset[str] = frozenset()

    def __call__(self, value: Any) -> bool:
        """Whether it has them, each of its kind."""
        is_whole = isinstance(value, dict) and value.keys() | self.may_lack == self.fields.keys() | self.may_lack
        return is_whole and all(self.fields[name](value[name]) for name in value)


def shape(**fields: Check) -> Shape:
    """An object with exactly these fields."""
    return Shape(fields)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_time(value: Any) -> bool:
    try:
        return like(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z")(value) and moment(value) is not None
    except ValueError:
        return False


TEXT, TIME, COUNT, SHARE = _is_text, _is_time, between(0), between(0, 1, whole=False)
NULL, SHA, RUN, ID = one_of(None), like(r"[0-9a-f]{64}"), like(r"[0-9a-f]{16}"), like(r"[A-Za-z0-9_-]{1,128}")
ACCOUNT, HISTORY = like(r"[a-z0-9][a-z0-9-]{0,62}"), like(r"[0-9]{1,20}")
NAME = like(r"(?s).{1,225}")
CAPTURE_ID, FILE_NAME = like(r"[0-9]{8}T[0-9]{6}Z-[0-9]{2}"), like(r"[a-z0-9][a-zA-Z0-9._-]{0,80}")
WHOLE = between(-math.inf)
SCREEN = one_of("clean", "suspicious", "injection", "unreadable", "partial")
LABEL = either(shape(id=ID, name=NAME), shape(create=NAME))
CHANGE = either(shape(kind=one_of("label", "archive"), label=LABEL), shape(kind=one_of("trash")))
FINGERPRINT = shape(
    label_ids=many(ID), thread_members=many(ID), internal_date_ms=between(-math.inf), history_id=either(NULL, HISTORY)
)
TARGET = shape(
    message_id=ID,
    thread_id=ID,
    change=CHANGE,
    fingerprint=FINGERPRINT,
    classification=either(NULL, TEXT),
    confidence=SHARE,
    source=TEXT,
    rule=either(NULL, TEXT),
    screen=SCREEN,
    protected=many(TEXT),
    reasons=many(TEXT),
)
FILE = shape(name=TEXT, sha256=SHA)
PINS = shape(
    captures=many(shape(id=CAPTURE_ID, sha256=SHA)),
    receipts=many(shape(run=RUN, sha256=SHA)),
    rules=many(FILE),
    policy=FILE,
    registry_record=FILE,
    decisions=SHA,
)
COUNTS = shape(
    label=COUNT,
    archive=COUNT,
    create_label=COUNT,
    trash=COUNT,
    excluded=COUNT,
    protected=COUNT,
    uncertain=COUNT,
    over_cap=COUNT,
)
LIMITS = shape(
    drift_share=SHARE,
    batch_size=between(1, 100),
    history_above_targets=COUNT,
    budget_units=COUNT,
    quota=shape(units_per_minute=between(1, 1_000_000), costs=table(TEXT, between(0, 10_000))),
)
MANIFEST = shape(
    schema_version=one_of(1),
    policy_version=one_of(1),
    account=ACCOUNT,
    address=TEXT,
    status=one_of("disabled", "read-only", "draft-only", "organize-only", "cleanup-enabled"),
    history_id=HISTORY,
    request=shape(window_days=either(between(1), one_of("all")), query=TEXT),
    pins=PINS,
    targets=many(TARGET, 1),
    new_labels=many(NAME),
    counts=COUNTS,
    limits=LIMITS,
    rollback=shape(
        method=one_of("inverse-label-delta", "untrash-then-label-delta"), created_labels_stay=one_of(True), command=TEXT
    ),
    price=shape(units=COUNT, requests=COUNT, minutes=between(0, whole=False)),
    created_at=TIME,
    expires_at=TIME,
)
OPERATIONS = shape(label=COUNT, archive=COUNT, create_label=COUNT, trash=COUNT)
APPROVED: dict[str, Check] = {
    "schema_version": one_of(1),
    "manifest": SHA,
    "account": ACCOUNT,
    "operations": OPERATIONS,
    "message_ids": many(ID, 1),
    "decisions_log": SHA,
    "approved_by": one_of("terminal", "stated", "grant"),
    "approved_at": TIME,
    "expires_at": TIME,
    "mac": SHA,
}
OWN_APPROVAL, GRANTED_APPROVAL = Shape(APPROVED), Shape({**APPROVED, "grant": SHA})
APPROVAL = either(OWN_APPROVAL, GRANTED_APPROVAL)
GRANT = shape(
    schema_version=one_of(1),
    kind=one_of("standing-label-grant"),
    account=ACCOUNT,
    address=TEXT,
    registry_record=SHA,
    policy=SHA,
    rules=SHA,
    labels=many(NAME, 1, 100),
    new_labels=many(NAME),
    per_run=between(1, 1000),
    per_day=between(1, 10_000),
    granted_at=TIME,
    expires_at=TIME,
    nonce=like(r"[0-9a-f]{32}"),
    mac=SHA,
)
DECISION = shape(
    schema_version=one_of(1),
    as_of=TIME,
    message_id=ID,
    thread_id=ID,
    sender=either(NULL, TEXT),
    subject=TEXT,
    phase=one_of("decide", "discard"),
    classification=either(NULL, TEXT),
    confidence=SHARE,
    source=one_of("irrelevant", "none", "override", "tier1", "template", "sender", "claude", "review", "policy"),
    rule=either(NULL, TEXT),
    evidence=many(TEXT),
    reasons=many(TEXT),
    screen=TEXT,
    protected=many(TEXT),
    action=one_of("leave", "label", "label+archive", "trash"),
    approved=one_of(True, False),
)
MODIFY = shape(kind=one_of("modify_labels"), message_ids=many(ID, 1, BATCH_LIMIT), add=many(ID), remove=many(ID))
OPERATION = either(
    MODIFY,
    shape(kind=one_of("create_label"), name=NAME),
    shape(kind=one_of("trash"), message_id=ID),
    shape(kind=one_of("untrash"), message_id=ID, is_to_inbox=one_of(True, False)),
)
CAPTURE = shape(
    schema_version=one_of(1),
    id=CAPTURE_ID,
    account=ACCOUNT,
    source=one_of("fetch", "ingest"),
    attested_address=either(NULL, TEXT),
    purposes=many(one_of("inbox", "sent", "promotions", "updates", "labels", "filters", "profile", "history")),
    window=shape(days=either(WHOLE, one_of("all")), query=TEXT),
    started_at=TIME,
    finished_at=TIME,
    files=many(shape(name=FILE_NAME, sha256=SHA, size=WHOLE)),
    counts=table(TEXT, COUNT),
    history_id=either(NULL, HISTORY),
    quota_units=WHOLE,
    checksum=either(SHA, one_of("")),
)
INDEX_ROW = shape(
    method=TEXT,
    parameters=table(TEXT, either(TEXT, WHOLE, one_of(True, False), many(TEXT))),
    status=WHOLE,
    file=either(NULL, FILE_NAME),
    offset=either(NULL, WHOLE),
    length=either(NULL, WHOLE),
    sha256=either(NULL, SHA),
)
HEAD = shape(run=RUN, lines=COUNT, tail=SHA, mac=SHA)


def _line(event: str, may_lack: str = "", /, **fields: Check) -> Shape:
    common = shape(schema_version=one_of(1), sequence=COUNT, previous=SHA, event=one_of(event), **fields)
    return Shape(common.fields, frozenset(may_lack.split()))


EVENTS: dict[str, Shape] = {
    "opened": _line(
        "opened",
        "after",
        run=RUN,
        purpose=one_of("execute", "undo"),
        account=ACCOUNT,
        address=TEXT,
        manifest=SHA,
        approval=SHA,
        undoes=either(NULL, RUN),
        undoes_sha256=either(NULL, SHA),
        message_ids=many(ID),
        leaves=many(ID),
        after=RUN,
        at=TIME,
        trash_kept_until=either(NULL, TIME),
    ),
    "excluded": _line("excluded", message_id=ID, reason=TEXT, labels=many(ID)),
    "intent": _line("intent", operation=OPERATION, before=many(shape(message_id=ID, label_ids=many(ID)))),
    "answered": _line("answered", intent=COUNT, status=either(NULL, between(-math.inf)), reason=either(NULL, TEXT)),
    "label_created": _line("label_created", name=TEXT, id=TEXT, is_ours=one_of(True, False)),
    "read_back": _line(
        "read_back",
        intent=COUNT,
        via=one_of("read", "history"),
        after=many(shape(message_id=ID, label_ids=either(NULL, many(ID)), status=one_of(*STATUSES))),
    ),
    "closed": _line(
        "closed",
        statuses=table(one_of(*STATUSES), COUNT),
        not_sent=many(ID),
        units=COUNT,
        requests=COUNT,
        at=TIME,
        mac=SHA,
    ),
}


def require(is_so: bool, otherwise: str) -> None:
    """Silent when it is so. Raises Altered."""
    if not is_so:
        raise Altered(otherwise)


def document(data: bytes, check: Check, name: str) -> Json:
    """A canonical document of a known shape. Raises Altered."""
    value = parsed(data)
    require(check(value), f"it has not the shape of {name}")
    return value


def moment(text: str) -> datetime:
    """The time that a document states."""
    return datetime.fromisoformat(text)


# --- what a receipt's lines add up to ------------------------------------------------------------------------------


@dataclass
class Story:
    """One receipt: its lines, and for each message the last change announced and what was read back."""

    run: str
    digest: str
    events: list[Json]
    is_torn: bool
    before: dict[str, list[str]] = field(default_factory=dict)
    changes: dict[str, Json] = field(default_factory=dict)
    after: dict[str, Json] = field(default_factory=dict)
    pending: dict[str, int] = field(default_factory=dict)

    @property
    def opened(self) -> Json:
        """Its first line."""
        return self.events[0]

    @property
    def is_closed(self) -> bool:
        """Whether the run came to its end."""
        return bool(self.events[-1]["event"] == "closed")

    def status(self, message_id: str) -> str:
        """How a target ended."""
        if message_id in self.pending:
            return "indeterminate"
        return str(self.after[message_id]["status"]) if message_id in self.after else "not_sent"

    def made(self) -> dict[str, tuple[set[str], set[str]]]:
        """Message id -> labels that the run put there and labels that it took."""
        found = {one: self._made(one) for one in self.changes}
        return {one: pair for one, pair in found.items() if pair[0] or pair[1]}

    def _made(self, one: str) -> tuple[set[str], set[str]]:
        change, before = self.changes[one], set(self.before[one])
        add, remove = (change["add"], change["remove"]) if "add" in change else (["TRASH"], ["INBOX"])
        added, removed = set(add) - before, set(remove) & before
        if self.status(one) not in ("verified", "conflict", "indeterminate", "vanished"):
            return set(), set()
        now = self.after.get(one, {}).get("label_ids")
        if self.status(one) == "indeterminate" or now is None:
            return added, removed
        return added & set(now), removed - set(now)


def read_story(data: bytes, run: str) -> Story:
    """A receipt whose chain holds. A torn last line is dropped. Raises Altered."""
    *lines, rest = data.split(b"\n")
    events, previous = [], GENESIS
    for number, line in enumerate(lines):
        events.append(_event(line, number, previous))
        previous = sha256(line)
    require(bool(events), "it holds no whole line")
    require([one["event"] for one in events].count("opened") == 1, "it does not open once")
    require(
        events[0]["event"] == "opened" and events[0]["run"] == run, "it is not the receipt of the run it is named by"
    )
    require(all(one["event"] != "closed" for one in events[:-1]), "something follows its closing line")
    story = Story(run, sha256(data), events, bool(rest))
    for event in events:
        _tell(story, event)
    return story


def _event(line: bytes, number: int, previous: str) -> Json:
    try:
        value = parsed(line)
    except Altered as why:
        raise Altered(f"line {number + 1}: {why}") from None
    known = EVENTS.get(str(value.get("event")))
    require(known is not None and known(value), f"line {number + 1} is no event")
    require((value["sequence"], value["previous"]) == (number, previous), f"the chain breaks at line {number + 1}")
    return value


def _tell(story: Story, event: Json) -> None:
    if event["event"] == "intent":
        _announce(story, event)
    elif event["event"] == "answered":
        require(_intent(story, event) is not None, f"line {event['sequence'] + 1} answers nothing")
    elif event["event"] == "read_back":
        _read_back(story, event)
    elif event["event"] == "closed":
        _close(story, event)


def _announce(story: Story, event: Json) -> None:
    operation, before = event["operation"], {one["message_id"]: one["label_ids"] for one in event["before"]}
    ids = ids_of(operation)
    where = f"line {event['sequence'] + 1}"
    require(sorted(before) == sorted(ids) and len(set(ids)) == len(ids), f"{where} does not know the labels before")
    for one in ids:
        require(one in story.opened["message_ids"], f"{where} changes a message that is not of the run")
        story.pending[one], story.changes[one] = event["sequence"], operation
        story.before.setdefault(one, before[one])


def ids_of(operation: Json) -> list[str]:
    """The messages that an operation changes."""
    one = [operation["message_id"]] if "message_id" in operation else []
    return list(operation.get("message_ids", one))


def _intent(story: Story, event: Json) -> Json | None:
    number = event["intent"]
    found = story.events[number] if number < event["sequence"] else None
    return found if found is not None and found["event"] == "intent" else None


def _read_back(story: Story, event: Json) -> None:
    where, intent = f"line {event['sequence'] + 1}", _intent(story, event)
    if intent is None:
        raise Altered(f"{where} reads back nothing that was announced")
    before = {one["message_id"]: set(one["label_ids"]) for one in intent["before"]}
    for seen in event["after"]:
        one, now = seen["message_id"], seen["label_ids"]
        require(one in before, f"{where} reads back a message that was not changed")
        is_done = now is not None and is_reached(intent["operation"], before[one], set(now))
        require(is_done == (seen["status"] == "verified"), f"{where}: the labels do not say {seen['status']}")
        require(
            now is not None or seen["status"] in ("vanished", "indeterminate"), f"{where}: labels and status differ"
        )
        story.after[one] = seen
        if story.pending.get(one) == event["intent"]:
            del story.pending[one]


def is_reached(operation: Json, before: set[str], now: set[str]) -> bool:
    """Whether a message wears exactly what the operation must leave; Gmail's trash may keep INBOX or take it."""
    if operation["kind"] == "trash":
        return now in (before | {"TRASH"}, (before | {"TRASH"}) - {"INBOX"})
    if operation["kind"] == "untrash":
        return now == (before - {"TRASH", "INBOX"}) | ({"INBOX"} if operation["is_to_inbox"] else set())
    return now == (before - set(operation["remove"])) | set(operation["add"])


def _close(story: Story, event: Json) -> None:
    ended = {one: story.status(one) for one in story.opened["message_ids"]}
    counted = {status: list(ended.values()).count(status) for status in STATUSES}
    require(event["statuses"] == counted, "its last line counts other ends than its lines tell")
    require(
        event["not_sent"] == [one for one in ended if ended[one] == "not_sent"],
        "its last line lists others as not sent",
    )


def is_user_label(label: str) -> bool:
    """Whether a label id is one that a person or the program made."""
    return label not in SYSTEM and not label.startswith("CATEGORY_")


# --- the folder ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Finding:
    """What does not hold (`altered`, `missing`) or merely waits (`unfinished`), by file."""

    kind: str
    file: str
    what: str


@dataclass
class Folder:
    """A folder under examination."""

    root: Path
    control: Path
    key: bytes | None
    is_without_mail: bool = False
    findings: list[Finding] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    manifests: dict[str, Json] = field(default_factory=dict)
    approvals: dict[str, Json] = field(default_factory=dict)
    approval_digests: dict[str, str] = field(default_factory=dict)
    stories: dict[str, Story] = field(default_factory=dict)

    def names(self, *parts: str, ending: str = "") -> list[str]:
        """Names in a folder, sorted; what begins with a dot is not yet a document."""
        return listed(self.root.joinpath(*parts), ending)

    def read(self, *parts: str) -> bytes:
        """The bytes of a plain file. Raises Altered."""
        return plain_bytes(self.root.joinpath(*parts))

    def tell(self, kind: str, file: str, what: str) -> None:
        """Note a finding."""
        self.findings.append(Finding(kind, file, what))

    def tried(self, file: str, check: Callable[[], None]) -> bool:
        """Whether a check held; what it found otherwise is noted."""
        try:
            check()
        except Altered as why:
            self.tell("altered", file, str(why))
            return False
        return True


def listed(folder: Path, ending: str = "") -> list[str]:
    """Names in a folder, sorted."""
    found = (path.name for path in folder.iterdir()) if folder.is_dir() else ()
    return sorted(name for name in found if name.endswith(ending) and not name.startswith("."))


def plain_bytes(path: Path) -> bytes:
    """The bytes of a plain file: a link or a device is none. Raises Altered."""
    try:
        require(path.is_file() and not path.is_symlink(), "it is no plain file")
        return path.read_bytes()
    except OSError as error:
        raise Altered(f"it cannot be read ({error.strerror})") from None


DOCUMENT = re.compile(r"[0-9a-f]{64}(\.approval)?\.json")
GRANTED = re.compile(r"[0-9a-f]{64}\.json")


def check_strays(folder: Folder) -> None:
    """Among sealed documents lies nothing else: what has no document's name may be one that was renamed."""
    for name in folder.names("manifests"):
        if name not in ("inputs", "grants") and not DOCUMENT.fullmatch(name):
            folder.tell("foreign", f"manifests/{name}", NO_DOCUMENT)
    for name in folder.names("manifests", "grants"):
        if not GRANTED.fullmatch(name):
            folder.tell("foreign", f"manifests/grants/{name}", NO_DOCUMENT)


NO_DOCUMENT = "no document here has such a name"


def check_manifests(folder: Folder) -> None:
    """Names, shape and sums of every manifest, then the copies of what it pins."""
    names = [name for name in folder.names("manifests", ending=".json") if not name.endswith(".approval.json")]
    folder.counts["manifests"] = len(names)
    for name in names:
        file = f"manifests/{name}"
        if folder.tried(file, partial(_load_manifest, folder, name)):
            manifest = folder.manifests[name[:-5]]
            folder.tried(file, partial(check_plan, manifest))
            _check_copies(folder, manifest)
    for name in folder.names("manifests", "inputs"):
        folder.tried(f"manifests/inputs/{name}", partial(_check_copy, folder, name))


def _load_manifest(folder: Folder, name: str) -> None:
    data = folder.read("manifests", name)
    require(name == f"{sha256(data)}.json", "its name is not its sha256")
    folder.manifests[name[:-5]] = document(data, MANIFEST, "a manifest")


def _check_copies(folder: Folder, manifest: Json) -> None:
    pins = manifest["pins"]
    for pinned in (*pins["rules"], pins["policy"], pins["registry_record"]):
        if not (folder.root / "manifests" / "inputs" / pinned["sha256"]).exists():
            folder.tell("missing", f"manifests/inputs/{pinned['sha256']}", f"the copy of {pinned['name']}")


def _check_copy(folder: Folder, name: str) -> None:
    require(sha256(folder.read("manifests", "inputs", name)) == name, "its name is not its sha256")


def check_plan(manifest: Json) -> None:
    """What a manifest says adds up. Raises Altered."""
    targets, counts = manifest["targets"], manifest["counts"]
    ids = [target["message_id"] for target in targets]
    require(ids == sorted(set(ids)), "its targets are not sorted, or one stands twice")
    require(operations_of(targets).items() <= counts.items(), "its counts are not those of its targets")
    require(manifest["new_labels"] == new_labels(targets), "its new labels are not those of its targets")
    window = moment(manifest["expires_at"]) - moment(manifest["created_at"])
    require(timedelta(0) < window <= LONGEST, "it is valid for too long or not at all")
    kinds = {target["change"]["kind"] for target in targets}
    is_trash = "trash" in kinds
    require(not is_trash or kinds == {"trash"}, "it holds trash beside other changes")
    require(not is_trash or manifest["status"] == "cleanup-enabled", "its account may not trash")
    require(is_trash == (manifest["rollback"]["method"] != "inverse-label-delta"), "its way back is another")
    for target in targets:
        _check_target(target)


def _check_target(target: Json) -> None:
    is_free = target["screen"] == "clean" and not target["protected"]
    kind, label = target["change"]["kind"], target["change"].get("label", {}).get("id")
    require(kind == "label" or is_free, "it takes away what is protected or was not screened clean")
    require((target["classification"] is None) == (kind == "trash"), "a target is named otherwise than its kind is")
    require(kind != "trash" or target["rule"] is not None, "it trashes without a rule")
    require(label is None or is_user_label(label), "it adds a label of Gmail's own")


def operations_of(targets: Iterable[Json]) -> dict[str, int]:
    """How many of each operation these targets need."""
    listed_targets = list(targets)
    kinds = [target["change"]["kind"] for target in listed_targets]
    return {
        "label": kinds.count("label"),
        "archive": kinds.count("archive"),
        "create_label": len(new_labels(listed_targets)),
        "trash": kinds.count("trash"),
    }


def new_labels(targets: Iterable[Json]) -> list[str]:
    """Names of labels that these targets need made, sorted."""
    refs = (target["change"].get("label", {}) for target in targets)
    return sorted({ref["create"] for ref in refs if "create" in ref})


def check_approvals(folder: Folder) -> None:
    """Every approval with its manifest, its subset, its times, its MAC and the decisions log of its run."""
    names = folder.names("manifests", ending=".approval.json")
    folder.counts["approvals"] = len(names)
    for name in names:
        digest, file = name.removesuffix(".approval.json"), f"manifests/{name}"
        if not (folder.root / "manifests" / f"{digest}.json").exists():
            folder.tell("missing", f"manifests/{digest}.json", "its approval is there")
        elif folder.tried(file, partial(_load_approval, folder, digest, name)):
            folder.tried(file, partial(_check_binding, folder, digest))
            run = folder.approval_digests[digest][:16]
            log = f"data/decisions/{folder.approvals[digest]['account']}/{run}.jsonl"
            folder.tried(log, partial(_check_log, folder, digest, log))


def _load_approval(folder: Folder, digest: str, name: str) -> None:
    data = folder.read("manifests", name)
    folder.approvals[digest] = document(data, APPROVAL, "an approval")
    folder.approval_digests[digest] = sha256(data)


def _check_binding(folder: Folder, digest: str) -> None:
    approval, manifest = folder.approvals[digest], folder.manifests.get(digest)
    if folder.key is not None:
        require(is_authentic(approval, folder.key), "its MAC was not made with this key")
    require(approval["manifest"] == digest, "it names another manifest")
    if manifest is None:
        return
    targets = approved_targets(manifest, approval)
    made, approved = moment(manifest["created_at"]), moment(approval["approved_at"])
    ends = moment(manifest["expires_at"])
    require(approval["account"] == manifest["account"], "it names another account")
    require((approval["approved_by"] == "grant") == ("grant" in approval), "it does not say whose yes it is")
    require(len(targets) == len(approval["message_ids"]), "it approves what is no target")
    require(approval["message_ids"] == sorted(set(approval["message_ids"])), "its targets are not sorted")
    require(approval["operations"] == operations_of(targets), "its operations are not those of its targets")
    require(moment(approval["expires_at"]) <= ends, "it outlives the manifest")
    require(made <= approved + TOLERANCE and approved < ends, "it was given outside the manifest's life")


def is_authentic(signed: Json, key: bytes) -> bool:
    """Whether the MAC covers every other field under this key."""
    unsigned = {name: value for name, value in signed.items() if name != "mac"}
    wanted = hmac.new(key, canonical(unsigned), hashlib.sha256).hexdigest()
    return hmac.compare_digest(wanted, signed["mac"])


def approved_targets(manifest: Json, approval: Json) -> list[Json]:
    """The approved subset."""
    wanted = set(approval["message_ids"])
    return [target for target in manifest["targets"] if target["message_id"] in wanted]


ACTIONS = {"label": "label", "archive": "label+archive", "trash": "trash"}


def _check_log(folder: Folder, digest: str, log: str) -> None:
    approval, manifest = folder.approvals[digest], folder.manifests.get(digest)
    path = folder.root / log
    require(path.exists(), "it is missing, and the approval names its digest")
    data = plain_bytes(path)
    require(sha256(data) == approval["decisions_log"], "it is not the log that the approval names")
    rows = [document(line, DECISION, "a decision") for line in data.splitlines()]
    yes = [row["message_id"] for row in rows if row["approved"]]
    wanted = [] if "grant" in approval else approval["message_ids"]  # under a grant no person approved anything
    require(sorted(yes) == wanted, "it approves other messages than the approval")
    if manifest is None:
        return
    decided = b"".join(canonical(_as_decided(row)) + b"\n" for row in rows)
    require(sha256(decided) == manifest["pins"]["decisions"], "its decisions are not those that the manifest pins")
    actions = {row["message_id"]: row["action"] for row in rows}
    for target in approved_targets(manifest, approval):
        is_so = actions.get(target["message_id"]) == ACTIONS[target["change"]["kind"]]
        require(is_so, f"it does not decide what is done to {target['message_id']}")


def _as_decided(row: Json) -> Json:
    return {name: value for name, value in row.items() if name not in ("schema_version", "approved")}


def check_grants(folder: Folder) -> None:
    """Every standing grant by name, shape and MAC; that each approval under one has it; every revocation."""
    grants: dict[str, Json] = {}
    for name in folder.names("manifests", "grants", ending=".json"):
        folder.tried(f"manifests/grants/{name}", partial(_load_grant, folder, name, grants))
    for digest, approval in folder.approvals.items():
        if "grant" in approval and not (folder.root / "manifests" / "grants" / f"{approval['grant']}.json").exists():
            folder.tell("missing", f"manifests/grants/{approval['grant']}.json", "an approval is under it")
        elif approval.get("grant") in grants and digest in folder.manifests:
            file = f"manifests/{digest}.approval.json"
            folder.tried(file, partial(_check_granted, folder, digest, grants[approval["grant"]]))
    for name in listed(folder.control, ".revoked"):
        words = canonical({"grant": name.removesuffix(".revoked")})
        if plain_bytes(folder.control / name) != words:
            folder.tell("altered", f"receipts/{name}", "it does not name the grant that it revokes")


def _load_grant(folder: Folder, name: str, grants: dict[str, Json]) -> None:
    data = folder.read("manifests", "grants", name)
    require(name == f"{sha256(data)}.json", "its name is not its sha256")
    grant = document(data, GRANT, "a grant")
    require(folder.key is None or is_authentic(grant, folder.key), "its MAC was not made with this key")
    life = moment(grant["expires_at"]) - moment(grant["granted_at"])
    require(timedelta(0) < life <= LONGEST_GRANT, "it stands for too long or not at all")
    grants[name[:64]] = grant


def _check_granted(folder: Folder, digest: str, grant: Json) -> None:
    approval, manifest = folder.approvals[digest], folder.manifests[digest]
    targets = approved_targets(manifest, approval)
    names = [target["change"].get("label", {}) for target in targets]
    granted = {name.casefold() for name in grant["labels"]}
    worn = {str(ref.get("name", ref.get("create"))).casefold() for ref in names}
    require(
        {target["change"]["kind"] for target in targets} == {"label"} and worn <= granted, "its grant does not allow it"
    )
    require(len(targets) <= grant["per_run"], "it is about more messages than its grant allows a run")
    require(moment(approval["expires_at"]) <= moment(grant["expires_at"]), "it outlives its grant")
    require(grant["account"] == approval["account"], "its grant is of another account")


def check_logs(folder: Folder) -> None:
    """A decisions log that no approval names: an approval was interrupted."""
    known = {digest[:16] for digest in folder.approval_digests.values()}
    for account in folder.names("data", "decisions"):
        for name in folder.names("data", "decisions", account):
            if name.removesuffix(".jsonl") not in known:
                folder.tell("unfinished", f"data/decisions/{account}/{name}", "no approval names it")


def check_receipts(folder: Folder) -> None:
    """Every receipt: chain, what allowed it, its closing, and what stands beside it."""
    names = folder.names("receipts", ending=".jsonl")
    folder.counts["receipts"] = len(names)
    for name in names:
        folder.tried(f"receipts/{name}", partial(_load_story, folder, name))
    for run, story in folder.stories.items():
        if folder.tried(f"receipts/{run}.jsonl", partial(_check_story, folder, story)):
            _check_control(folder, story)
    for name in listed(folder.control):
        run, _, kind = name.rpartition(".")
        if kind in ("closed", "head") and not (folder.root / "receipts" / f"{run}.jsonl").exists():
            _check_lost(folder, run, kind)
    for account in sorted({story.opened["account"] for story in folder.stories.values()}):
        _check_order(folder, {run: one for run, one in folder.stories.items() if one.opened["account"] == account})


def _check_order(folder: Folder, stories: Mapping[str, Story]) -> None:
    """Each run names the one that was the newest when it began: none may be gone from the middle, nor name itself."""
    after = {run: one.opened["after"] for run, one in stories.items() if "after" in one.opened}
    seen: set[str] = set()
    for run, earlier in sorted(after.items()):
        file = f"receipts/{earlier}.jsonl"
        is_there = earlier in stories or (earlier not in folder.stories and (folder.root / file).exists())
        if not is_there and earlier not in seen:
            folder.tell("missing", file, f"run {run} came after it")
        elif earlier in seen:
            folder.tell("unfinished", f"receipts/{run}.jsonl", f"two copies of this went on apart after run {earlier}")
        seen.add(earlier)
    for run in sorted(after):
        if _comes_round(run, after):
            folder.tell("altered", f"receipts/{run}.jsonl", "runs name each other as the earlier one")


def _comes_round(run: str, after: Mapping[str, str]) -> bool:
    """Whether the way back from a run leads to it again."""
    at: str | None = after[run]
    for _ in after:
        if at is None or at == run:
            break
        at = after.get(at)
    return at == run


def _load_story(folder: Folder, name: str) -> None:
    run = name.removesuffix(".jsonl")
    folder.stories[run] = read_story(folder.read("receipts", name), run)


def _check_story(folder: Folder, story: Story) -> None:
    opened = story.opened
    manifest, approval = folder.manifests.get(opened["manifest"]), folder.approvals.get(opened["manifest"])
    if manifest is None or approval is None:
        raise Altered("its manifest or approval is not here as it was")
    require(opened["approval"] == folder.approval_digests[opened["manifest"]], "it names another approval")
    require(
        (opened["account"], opened["address"]) == (manifest["account"], manifest["address"]), "it is of another mailbox"
    )
    if opened["purpose"] == "execute":
        _check_execution(story, manifest, approval)
    else:
        _check_undo(folder, story)
    last = story.events[-1]
    if story.is_closed and folder.key is not None:
        require(is_authentic(last, folder.key), "its last line was not written with this key")


def _check_execution(story: Story, manifest: Json, approval: Json) -> None:
    opened = story.opened
    require(opened["run"] == opened["approval"][:16], "it is not the run that the approval allows")
    require(opened["message_ids"] == approval["message_ids"], "its messages are not the approved ones")
    require(opened["undoes"] is None and opened["undoes_sha256"] is None, "an execution undoes nothing")
    require(opened["leaves"] == [], "an execution does all that was approved")
    at = moment(opened["at"])
    require(moment(approval["approved_at"]) <= at + TOLERANCE, "it began before it was approved")
    require(at < moment(approval["expires_at"]), "it began after the approval expired")
    kept = moment(opened["trash_kept_until"]) if opened["trash_kept_until"] else None
    is_trash = manifest["counts"]["trash"] > 0
    require(kept == (at + KEPT_IN_TRASH if is_trash else None), "it states another deadline than the trash has")
    targets = {target["message_id"]: target for target in approved_targets(manifest, approval)}
    made = {(e["name"].casefold(), e["id"]) for e in story.events if e["event"] == "label_created"}
    for event in story.events:
        if event["event"] == "intent":
            is_so = is_approved(event["operation"], targets, made)
            require(is_so, f"line {event['sequence'] + 1} announces what was not approved")


def is_approved(operation: Json, targets: Mapping[str, Json], made: set[tuple[str, str]]) -> bool:
    """Whether an operation is one that these targets need."""
    if operation["kind"] == "create_label":
        return operation["name"] in new_labels(targets.values())
    return all(one in targets and _is_planned(operation, targets[one]["change"], made) for one in ids_of(operation))


def _is_planned(operation: Json, change: Json, made: set[tuple[str, str]]) -> bool:
    if "trash" in (operation["kind"], change["kind"]):
        return bool(operation["kind"] == change["kind"])
    if operation["kind"] != "modify_labels" or len(operation["add"]) != 1 or not is_user_label(operation["add"][0]):
        return False
    ref, label = change["label"], operation["add"][0]
    is_label = label == ref["id"] if "id" in ref else (ref["create"].casefold(), label) in made
    return is_label and operation["remove"] == (["INBOX"] if change["kind"] == "archive" else [])


def _check_undo(folder: Folder, story: Story) -> None:
    opened = story.opened
    source = folder.stories.get(str(opened["undoes"]))
    if source is None or source.digest != opened["undoes_sha256"]:
        raise Altered("the receipt that it undid is not here as it was")
    require(source.opened["purpose"] == "execute", "it undoes an undo")
    attempts = sum(one.opened["undoes_sha256"] == source.digest for one in folder.stories.values())
    names = {undo_run(source.digest, number) for number in range(attempts)}
    require(story.run in names, "it is not named as an undo of that receipt")
    made = source.made()
    ids, leaves = set(opened["message_ids"]), set(opened["leaves"])
    require(ids | leaves <= made.keys() and not ids & leaves, "it is about a message that the run did not change")
    for event in story.events:
        if event["event"] == "intent":
            require(is_inverse(event["operation"], made), f"line {event['sequence'] + 1} announces what is no inverse")


def undo_run(receipt: str, attempt: int) -> str:
    """The run id of the undo of a receipt."""
    return sha256(canonical({"undo": receipt, "attempt": attempt}))[:16]


def is_inverse(operation: Json, made: Mapping[str, tuple[set[str], set[str]]]) -> bool:
    """Whether an edit takes back only what was made."""
    return operation["kind"] in ("modify_labels", "untrash") and all(
        one in made and _takes_back(operation, *made[one]) for one in ids_of(operation)
    )


def _takes_back(operation: Json, added: set[str], removed: set[str]) -> bool:
    """Of mail that the run trashed, INBOX alone is put as it was."""
    is_trashed = "TRASH" in added
    if operation["kind"] == "untrash":
        return is_trashed
    if is_trashed:
        return {*operation["add"], *operation["remove"]} == {"INBOX"}
    return set(operation["add"]) <= removed and set(operation["remove"]) <= added


def _check_control(folder: Folder, story: Story) -> None:
    """What stands beside a sound receipt: its closing digest, or its head; and the marker of its approval."""
    file, closing = f"receipts/{story.run}.jsonl", folder.control / f"{story.run}.closed"
    if closing.exists():
        is_kept = plain_bytes(closing) == story.digest.encode()
        if not is_kept:
            folder.tell("altered", f"receipts/{closing.name}", "it is not the digest of its receipt")
    elif story.is_closed:
        folder.tell("unfinished", file, "its digest is not kept apart yet")
    else:
        folder.tell("unfinished", file, "the run was interrupted")
        folder.tried(file, partial(_check_head, folder, story))
    if story.opened["purpose"] == "execute":
        _check_marker(folder, story)


def _check_head(folder: Folder, story: Story) -> None:
    path, lines = folder.control / f"{story.run}.head", len(story.events)
    require(path.exists(), f"it was cut: its head is gone ({path.name})")
    head = parsed(plain_bytes(path))
    require(HEAD(head), f"its head has not the shape of one ({path.name})")
    ends = {(lines, sha256(canonical(story.events[-1]))), (lines - 1, story.events[-1]["previous"])}
    is_so = head["run"] == story.run and (head["lines"], head["tail"]) in ends
    require(is_so, f"it was cut: its head says another end ({path.name})")
    require(
        folder.key is None or is_authentic(head, folder.key), f"its head was not written with this key ({path.name})"
    )


def _check_lost(folder: Folder, run: str, kind: str) -> None:
    """A first head alone is a run that died before its first line; nothing was sent."""
    if kind == "closed":
        folder.tell("missing", f"receipts/{run}.jsonl", "it was closed once")
    elif plain_bytes(folder.control / f"{run}.head").startswith(b'{"lines":1,'):
        folder.tell("unfinished", f"receipts/{run}.head", "a run did not begin")
    else:
        folder.tell("altered", f"receipts/{run}.jsonl", "it is gone, and its head is here")


def _check_marker(folder: Folder, story: Story) -> None:
    opened = story.opened
    path = folder.control / f"{opened['approval']}.consumed"
    words = canonical({name: opened[name] for name in ("approval", "manifest", "run")})
    if not path.exists():
        kind = "missing" if story.is_closed else "unfinished"
        folder.tell(kind, f"receipts/{path.name}", "the marker of a run that has a receipt")
    elif plain_bytes(path) != words:
        folder.tell("altered", f"receipts/{path.name}", "it names another run")


def check_evidence(folder: Folder) -> None:
    """Captures, where they are here, against their seals; captures and receipts against the manifests' pins."""
    for account in folder.names("data", "raw"):
        for name in folder.names("data", "raw", account):
            _check_capture(folder, account, name)
    for digest, manifest in folder.manifests.items():
        for pinned in manifest["pins"]["receipts"]:
            path = folder.root / "receipts" / f"{pinned['run']}.jsonl"
            if not path.is_file() or sha256(plain_bytes(path)) != pinned["sha256"]:
                folder.tell("altered", f"receipts/{path.name}", f"manifest {digest[:16]} pins another digest")
        if (folder.root / "data" / "raw").is_dir() or not folder.is_without_mail:
            _check_pinned_captures(folder, digest, manifest)


def _check_capture(folder: Folder, account: str, name: str) -> None:
    file, place = f"data/raw/{account}/{name}", folder.root / "data" / "raw" / account / name
    if not (place / "capture.json").exists():
        return folder.tell("missing", f"{file}/capture.json", "a capture without its seal does not exist")
    folder.counts["captures"] = folder.counts.get("captures", 0) + 1
    folder.tried(file, partial(_check_seal, place, account))
    return None


def _check_seal(place: Path, account: str) -> None:
    seal = document(plain_bytes(place / "capture.json"), CAPTURE, "a seal")
    unsealed = sha256(canonical({**seal, "checksum": ""}))
    require(seal["checksum"] == unsealed and seal["id"] == place.name, "its seal was altered")
    require(seal["account"] == account, "it belongs to another account")
    files = {one["name"]: one for one in seal["files"]}
    here = sorted(path.name for path in place.iterdir())
    require(sorted([*files, "capture.json"]) == here, "it holds other files than its seal names")
    held = {name: plain_bytes(place / name) for name in files}
    for name, data in held.items():
        is_so = (len(data), sha256(data)) == (files[name]["size"], files[name]["sha256"])
        require(is_so, f"{name} was altered")
    rows = [document(line, INDEX_ROW, "a row of the index") for line in held.get("index.jsonl", b"").splitlines()]
    methods = [row["method"] for row in rows]
    require(seal["counts"] == {one: methods.count(one) for one in methods}, "its requests are not those it counted")
    for row in rows:
        _check_body(row, held)


def _check_body(row: Json, held: Mapping[str, bytes]) -> None:
    """The bytes that a row of the index points to are those that came."""
    if row["file"] is None:
        return
    start, length, data = row["offset"] or 0, row["length"] or 0, held.get(row["file"])
    is_inside = data is not None and 0 <= start <= start + length <= len(data)
    require(is_inside and row["sha256"] is not None, f"its index points beyond {row['file']}")
    require(sha256((data or b"")[start : start + length]) == row["sha256"], f"a body of {row['file']} was altered")


def _check_pinned_captures(folder: Folder, digest: str, manifest: Json) -> None:
    for pinned in manifest["pins"]["captures"]:
        file = f"data/raw/{manifest['account']}/{pinned['id']}/capture.json"
        path = folder.root / file
        if not path.is_file():
            folder.tell("missing", file, f"manifest {digest[:16]} pins it")
        elif sha256(plain_bytes(path)) != pinned["sha256"]:
            folder.tell("altered", file, f"manifest {digest[:16]} pins another digest")


CHECKS = (check_strays, check_manifests, check_approvals, check_grants, check_logs, check_receipts, check_evidence)


def examine(root: Path, control: Path | None, key: bytes | None, *, is_without_mail: bool = False) -> Folder:
    """Everything that was found in a folder."""
    folder = Folder(root, control or root / "receipts", key, is_without_mail)
    for check in CHECKS:
        try:
            check(folder)
        except Altered as why:
            folder.tell("altered", str(root), str(why))
    return folder


def unchecked(folder: Folder) -> Iterator[str]:
    """What nobody can tell from these files alone."""
    if folder.key is None:
        yield "who wrote them: without the key a folder that was forged as a whole looks true"
    if not folder.counts.get("captures"):
        yield "the captures: there is none in this folder"
    yield "what the mailbox wears now: a receipt says what was read back then"


# --- the command ---------------------------------------------------------------------------------------------------


def inert(text: str) -> str:
    """Text of files without controls."""
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)


def key_of(arguments: argparse.Namespace) -> bytes | None:
    """The key that was given, if any. Raises ValueError for one that is not hex."""
    if arguments.demo_key:
        return DEMO_KEY
    text = Path(arguments.key_file).read_text().strip() if arguments.key_file else os.environ.get(KEY_VARIABLE, "")
    return bytes.fromhex(text) or None


def report(folder: Folder, *, is_json: bool) -> str:
    """What was found, for a person or as one JSON document."""
    refused = [one for one in folder.findings if one.kind != "unfinished"]
    if is_json:
        found = [{"kind": one.kind, "file": one.file, "what": one.what} for one in folder.findings]
        words = {"holds": not refused, "checked": folder.counts, "findings": found, "unchecked": [*unchecked(folder)]}
        return json.dumps(words, indent=2) + "\n"
    counts = ", ".join(f"{number} {name}" for name, number in folder.counts.items())
    lines = [
        *(f"{one.kind:<10} {inert(one.file)}: {inert(one.what)}" for one in folder.findings),
        f"checked    {counts}",
        *(f"unchecked  {what}" for what in unchecked(folder)),
        f"verdict    {'every digest and chain holds' if not refused else f'{len(refused)} do not hold'}",
    ]
    return "\n".join(lines) + "\n"


def arguments_of(words: list[str]) -> argparse.Namespace:
    """The command line; argparse leaves with exit code 2 on a wrong one."""
    parser = argparse.ArgumentParser(description="Check manifests, approvals, decisions logs and receipts.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--control", type=Path, help="where the markers lie, when not in FOLDER/receipts")
    parser.add_argument("--key-file", help=f"a file with the approval key as hex (or set {KEY_VARIABLE})")
    parser.add_argument("--demo-key", action="store_true", help="use the key of the mailbox that does not exist")
    parser.add_argument("--without-mail", action="store_true", help="data/raw was left out of this copy on purpose")
    parser.add_argument("--json", action="store_true", dest="is_json")
    return parser.parse_args(words)


def main(words: list[str]) -> int:
    """Check, say what was found, return the exit code."""
    arguments = arguments_of(words)
    try:
        key = key_of(arguments)
    except (OSError, ValueError):
        sys.stderr.write("usage: the key is 64 hex digits in a file that can be read\n")
        return 2
    if not arguments.folder.is_dir():
        sys.stderr.write("usage: there is no such folder\n")
        return 2
    folder = examine(arguments.folder, arguments.control, key, is_without_mail=arguments.without_mail)
    sys.stdout.write(report(folder, is_json=arguments.is_json))
    return 3 if any(one.kind != "unfinished" for one in folder.findings) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
