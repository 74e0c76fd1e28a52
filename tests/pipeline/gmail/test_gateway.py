"""Gateways: only their own methods exist, changes need the journal's token and happen once, reads lose nothing."""

import json
import logging
import re
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline.evidence.captures import Exchange
from pipeline.gmail.answers import Answer, GmailError, Unanswered
from pipeline.gmail.gateway import ExecuteGateway, FetchGateway, UndoGateway
from pipeline.gmail.retry import TRIES
from pipeline.gmail.wire import UrllibWire
from pipeline.models.operation import BATCH_LIMIT, CreateLabel, IntentToken, ModifyLabels, Trash, Untrash, journal_token
from pipeline.refusals import (
    AccountDisabled,
    AnswerRefused,
    QueryRefused,
    QuotaExhausted,
    RequestRefused,
    SignInAgain,
    StatusForbids,
    Unattested,
    Unreachable,
    WrongAccount,
)
from tests.pipeline.gmail.local import ADDRESS, PROFILE, SECRET, Script, account, attested, loopback, rim

CASES = Path(__file__).parents[2] / "cases"
GATEWAYS: Any = {"fetch": FetchGateway, "execute": ExecuteGateway, "undo": UndoGateway}
ARCHIVE = ModifyLabels(message_ids=("18f0a1", "18f0a2"), add=("Label_1",), remove=("INBOX",))
PRIVATE_QUERY = "from:doctor@clinic.example test results"
DROP = ConnectionResetError("dropped")
RATE = (403, {"error": {"code": 403, "errors": [{"reason": "userRateLimitExceeded"}], "message": "slow down"}})


def case(name: str, file: str) -> Any:
    return json.loads((CASES / name / file).read_bytes())


def gateway(stage: str, script: Any, **changes: Any) -> Any:
    return GATEWAYS[stage](attested(stage, script, **changes))


def public(value: object) -> set[str]:
    return {name for name in dir(value) if not name.startswith("_")}


READS = {"attested", "meter", "get_profile", "reattest", "list_labels", "list_history", "get_message", "get_thread"}


@pytest.mark.contract("ID-2", "ID-7")
def test_each_gateway_has_only_its_own_names() -> None:
    fetch, execute, undo = (public(gateway(stage, Script())) for stage in ("fetch", "execute", "undo"))
    assert fetch == READS | {"list_messages", "list_threads", "list_filters", "list_drafts", "get_draft"}
    assert execute == undo == READS | {"perform"}
    assert not any("send" in name or "delete" in name for name in fetch | execute | undo)


@pytest.mark.contract("ID-1")
@pytest.mark.parametrize("stage", sorted(GATEWAYS))
def test_gateway_without_its_own_attestation(stage: str) -> None:
    for other in GATEWAYS:
        value = attested(other, Script())
        if other == stage:
            assert GATEWAYS[stage](value).attested is value
        else:
            with pytest.raises(Unattested):
                GATEWAYS[stage](value)
    for value in (None, account(), ADDRESS):
        with pytest.raises(Unattested):
            GATEWAYS[stage](value)


OPERATIONS: Any = {
    "modify_labels": (ARCHIVE, "messages/batchModify"),
    "create_label": (CreateLabel(name="Interview"), "labels"),
    "trash": (Trash(message_id="18f0a1"), "messages/18f0a1/trash"),
    "untrash": (Untrash(message_id="18f0a1", is_to_inbox=True), "messages/18f0a1/untrash"),
}
MAY = {
    ("organize-only", "execute"): {"modify_labels", "create_label"},
    ("organize-only", "undo"): {"modify_labels", "create_label"},
    ("cleanup-enabled", "execute"): {"modify_labels", "create_label", "trash"},
    ("cleanup-enabled", "undo"): {"modify_labels", "create_label", "untrash"},
}


@pytest.mark.contract("ID-5", "ID-4")
@pytest.mark.parametrize("status", ["disabled", "read-only", "draft-only", "organize-only", "cleanup-enabled"])
@pytest.mark.parametrize("stage", ["execute", "undo"])
@pytest.mark.parametrize("kind", sorted(OPERATIONS))
def test_status_bounds_every_operation(status: str, stage: str, kind: str) -> None:
    operation, path = OPERATIONS[kind]
    script = Script()
    if kind in MAY.get((status, stage), set()):
        gateway(stage, script, record_of=account(status=status)).perform(journal_token(operation, 1))
        assert [url.partition("/me/")[2].partition("?")[0] for url in script.mutations] == [path]
        return
    with pytest.raises((StatusForbids, AccountDisabled)):
        gateway(stage, script, record_of=account(status=status)).perform(journal_token(operation, 1))
    assert script.mutations == []


@pytest.mark.contract("ID-5")
@pytest.mark.parametrize("status", ["read-only", "draft-only", "organize-only", "cleanup-enabled"])
def test_every_enabled_status_may_be_read(status: str) -> None:
    assert gateway("fetch", Script(), record_of=account(status=status)).get_profile().status == 200


@pytest.mark.contract("AP-6", "P1")
def test_change_without_the_journals_token_is_not_possible() -> None:
    script = Script()
    execute = gateway("execute", script)
    for value in (ARCHIVE, None, 1, {"operation": ARCHIVE}):
        with pytest.raises(TypeError):
            execute.perform(value)
    with pytest.raises(TypeError):
        IntentToken(ARCHIVE, 1, seal=object())
    assert script.mutations == []
    assert execute.perform(journal_token(ARCHIVE, 1)) == Answer(200, {})
    assert json.loads(script.calls[-1][2]) == {
        "ids": ["18f0a1", "18f0a2"],
        "addLabelIds": ["Label_1"],
        "removeLabelIds": ["INBOX"],
    }


@pytest.mark.contract("AP-7", "AP-6")
@pytest.mark.parametrize("stage", ["execute", "undo"])
@pytest.mark.parametrize(
    ("reply", "trouble"),
    [
        (DROP, Unanswered),
        ((200, b"<html>"), Unanswered),
        ((200, b'{"cut": '), Unanswered),
        ((200, b""), Unanswered),
        ((500, {}), GmailError),
        ((429, {}), GmailError),
        (RATE, GmailError),
        ((401, {}), GmailError),
        ((404, {}), GmailError),
        ((409, {"error": {"errors": [{"reason": "aborted"}]}}), GmailError),
        ((302, {}), GmailError),
    ],
)
@pytest.mark.parametrize("operation", [ARCHIVE, CreateLabel(name="Interview")])
def test_change_is_tried_once_whatever_comes_back(stage: str, reply: Any, trouble: Any, operation: Any) -> None:
    script = Script([reply])
    changing = gateway(stage, script)
    with pytest.raises(trouble):
        changing.perform(journal_token(operation, 1))
    assert len(script.mutations) == 1
    assert changing.meter.requests == 2  # the profile and the change


def test_executor_can_tell_refusals_apart() -> None:
    script = Script([(409, {"error": {"errors": [{"reason": "aborted"}], "status": "ABORTED"}}), DROP])
    execute = gateway("execute", script)
    with pytest.raises(GmailError) as told:
        execute.perform(journal_token(CreateLabel(name="Interview"), 1))
    assert (told.value.status, told.value.reason, told.value.method) == (409, "aborted", "labels.create")
    assert all(word in str(told.value) for word in ("labels.create", "409", "aborted"))
    with pytest.raises(Unanswered) as silent:
        execute.perform(journal_token(ARCHIVE, 2))
    assert (silent.value.method, silent.value.is_surely_unsent) == ("messages.batchModify", False)


@pytest.mark.parametrize(("stage", "passes"), [("undo", True), ("execute", False)])
def test_only_undo_puts_mail_back_into_the_inbox(stage: str, passes: bool) -> None:
    back = journal_token(ModifyLabels(message_ids=("18f0a1",), add=("INBOX",), remove=("Label_1",)), 1)
    script = Script()
    if passes:
        assert gateway(stage, script).perform(back).status == 200
    else:
        with pytest.raises(RequestRefused):
            gateway(stage, script).perform(back)
        assert script.mutations == []


def test_batch_modify_may_answer_204_and_nothing_else_may() -> None:
    script = Script([(204, b""), (204, b"")])
    execute = gateway("execute", script)
    assert execute.perform(journal_token(ARCHIVE, 1)) == Answer(204, {})
    with pytest.raises(AnswerRefused):
        execute.list_labels()


@pytest.mark.contract("EV-4")
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b"<html></html>",
        b'{"a": 1',
        b'{"a": 1, "a": 2}',
        b'{"a": NaN}',
        b"\xff{}",
        b"{} {}",
        b'"x"',
    ],
)
def test_200_that_is_not_one_json_object_is_refused_by_name(body: bytes) -> None:
    kept: list[Exchange] = []
    fetch = gateway("fetch", Script([(200, body)]), record=kept.append)
    with pytest.raises(AnswerRefused):
        fetch.list_labels()
    assert kept[-1].body == body


@pytest.mark.contract("AP-7")
@pytest.mark.parametrize("trouble", [DROP, (500, {}), (503, b"<html>"), (429, {}), RATE])
def test_read_is_repeated_in_the_open(trouble: Any) -> None:
    kept: list[Exchange] = []
    fetch = gateway("fetch", Script([trouble, trouble, (200, {"id": "18f0a1"})]), record=kept.append)
    assert fetch.get_message("18f0a1").document == {"id": "18f0a1"}
    assert [row.method for row in kept] == ["getProfile"] + ["messages.get"] * 3
    assert (fetch.meter.requests, fetch.meter.spent_units) == (4, 61)
    assert fetch.meter.monotonic.now() >= 3


@pytest.mark.contract("AP-7", "EV-4")
@pytest.mark.parametrize(
    ("trouble", "refusal"),
    [(DROP, Unreachable), ((500, {}), Unreachable), ((429, {}), QuotaExhausted), (RATE, QuotaExhausted)],
)
def test_read_gives_up_after_bounded_tries_and_says_so(trouble: Any, refusal: Any) -> None:
    script = Script([trouble] * 50)
    fetch = gateway("fetch", script)
    with pytest.raises(refusal):
        fetch.get_message("18f0a1")
    assert len(script.calls) == 1 + TRIES
    assert fetch.meter.monotonic.now() >= 60  # a minute's quota came back meanwhile


@pytest.mark.parametrize(
    "reply", [(404, {}), (400, {}), (403, {"error": {"errors": [{"reason": "forbidden"}]}}), (302, {})]
)
def test_read_that_waiting_cannot_mend_is_not_repeated(reply: Any) -> None:
    script = Script([reply])
    with pytest.raises(GmailError) as caught:
        gateway("fetch", script).get_message("18f0a1")
    assert (caught.value.status, len(script.calls)) == (reply[0], 2)


def test_dead_token_during_a_read_says_sign_in_again() -> None:
    with pytest.raises(SignInAgain):
        gateway("fetch", Script([(401, {})])).get_message("18f0a1")


def test_case_29_empty_history_page_with_token_is_not_the_end() -> None:
    pages = case("29-empty-history-page-with-token", "pages.json")
    kept: list[Exchange] = []
    fetch = gateway("fetch", Script([(200, page) for page in pages]), record=kept.append)
    answers = [page.document for page in fetch.list_history("900100", history_types=("messageAdded",))]
    added = [entry["messagesAdded"] for page in answers for entry in page.get("history", [])]
    assert len(added) == 1
    assert [json.loads(row.body) for row in kept[1:]] == pages
    assert kept[2].parameters["pageToken"] == "p2"


def test_case_31_list_pages_without_messages_lose_nothing() -> None:
    name = "31-list-page-no-messages-but-token"
    fetch = gateway("fetch", Script([(200, page) for page in case(name, "pages.json")]))
    found = [m["id"] for page in fetch.list_messages(q="in:inbox") for m in page.document.get("messages", [])]
    assert len(set(found)) == 2
    for file in ("empty.json", "braces.json"):
        fetch = gateway("fetch", Script([(200, case(name, file))]))
        assert [page.document for page in fetch.list_messages()] == [case(name, file)]


def test_case_31_paging_that_breaks_off_is_never_a_short_list() -> None:
    pages = [(200, page) for page in case("31-list-page-no-messages-but-token", "pages_cut.json")]
    with pytest.raises(Unreachable):
        list(gateway("fetch", Script([*pages, *[DROP] * TRIES])).list_messages())


@pytest.mark.parametrize("token", ["", 7, ["a"], "same"])
def test_list_whose_token_never_ends_is_refused(token: object) -> None:
    replies: list[Any] = [(200, {"nextPageToken": token})] * 5
    with pytest.raises(AnswerRefused):
        list(gateway("fetch", Script(replies)).list_threads())


def test_case_46_over_1000_ids_go_in_chunks_that_lose_none() -> None:
    told = case("46-over-1000-ids", "ids.json")
    ids = [told["pattern"] % number for number in range(told["count"])]
    chunks = [ids[start : start + BATCH_LIMIT] for start in range(0, len(ids), BATCH_LIMIT)]
    script = Script([(204, b"")] * len(chunks))
    execute = gateway("execute", script)
    for number, chunk in enumerate(chunks):
        operation = ModifyLabels(message_ids=tuple(chunk), add=("Label_1",))
        execute.perform(journal_token(operation, number))
    sent = [json.loads(body)["ids"] for verb, _, body in script.calls if verb == "POST"]
    assert [one for chunk in sent for one in chunk] == ids
    assert max(len(chunk) for chunk in sent) == 100
    with pytest.raises(ValueError, match="at most 100"):
        ModifyLabels(message_ids=tuple(ids), add=("Label_1",))


@pytest.mark.contract("ID-1")
@pytest.mark.parametrize("stage", sorted(GATEWAYS))
def test_credential_swapped_after_attestation_is_noticed(stage: str) -> None:
    script = Script()
    opened = gateway(stage, script)
    assert opened.reattest().document["emailAddress"] == ADDRESS
    script.profile = {**PROFILE, "emailAddress": "someone.else@example.com"}
    with pytest.raises(WrongAccount):
        opened.reattest()


@pytest.mark.contract("ID-2")
@pytest.mark.parametrize("q", ["a" * 1501, "é" * 251, "x " * 1000])
def test_query_over_the_cap_is_refused_before_the_client_can_rewrite_it(q: str) -> None:
    script = Script()
    with pytest.raises(QueryRefused) as caught:
        list(gateway("fetch", script).list_messages(q=q))
    assert len(script.calls) == 1
    assert q not in str(caught.value)


def test_longest_allowed_query_passes_with_labels_and_token() -> None:
    replies: list[Any] = [(200, {"nextPageToken": "p" * 100}), (200, {})]
    fetch = gateway("fetch", Script(replies))
    assert len(list(fetch.list_messages(q="a" * 1500, label_ids=("INBOX",), include_spam_trash=True))) == 2


@pytest.mark.contract("OU-4")
@pytest.mark.parametrize("dirty", ["../labels", "a/b", "a?format=full", "", "a" * 129, "a b", "é", "a\n"])
def test_dirty_id_never_reaches_the_wire(dirty: str) -> None:
    script = Script()
    with pytest.raises(RequestRefused):
        gateway("fetch", script).get_message(dirty)
    assert len(script.calls) == 1


def test_changing_gateways_read_labels_only() -> None:
    script = Script([(200, {"id": "18f0a1", "labelIds": ["INBOX"]})] * 2)
    execute = gateway("execute", script)
    execute.get_message("18f0a1")
    execute.get_thread("18f0a1")
    assert all("format=minimal" in url for _, url, _ in script.calls[1:])


@pytest.mark.contract("ID-2")
def test_environment_cannot_move_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "GOOGLE_CLOUD_UNIVERSE_DOMAIN": "evil.example",
        "GOOGLE_API_USE_MTLS_ENDPOINT": "always",
        "HTTPS_PROXY": "http://127.0.0.1:1",
        "HTTP_PROXY": "http://127.0.0.1:1",
    }.items():
        monkeypatch.setenv(name, value)
    with loopback(_profile_answer()) as heard:
        opened = attested("fetch", UrllibWire(), twin=heard.origin)
        assert FetchGateway(opened).get_profile().status == 200
        assert heard.requests == 2


def test_endpoint_with_a_base_path_over_real_http() -> None:
    with loopback(_profile_answer()) as heard:
        record = account(id="peer", endpoint=f"{heard.origin}/peer/gmail", credential="env:PEER_TOKEN")
        FetchGateway(attested("fetch", UrllibWire(), record_of=record)).get_profile()
        assert heard.data.count(b"GET /peer/gmail/gmail/v1/users/me/profile?") == 2


def _profile_answer() -> bytes:
    body = json.dumps(PROFILE).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


def troubles() -> Iterator[Any]:
    told = case("83-secrets-in-error-log", "error.json")
    yield (told["status"], told["body"])
    yield (400, {"error": {"errors": [{"reason": "your results are positive"}], "status": "casey"}})
    yield ConnectionResetError(told["uri"])
    yield (200, json.dumps(told["body"]).encode()[:-5])
    yield (200, {"nextPageToken": 7, "snippet": "your results are positive"})


@pytest.mark.parametrize("trouble", list(troubles()))
def test_case_83_errors_hold_no_token_query_address_or_body(trouble: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    fetch = gateway("fetch", Script([trouble] * 10))
    with pytest.raises((GmailError, AnswerRefused, Unreachable)) as caught:
        list(fetch.list_messages(q=PRIVATE_QUERY))
    assert_clean(caught.value, caplog.text + repr(fetch.attested) + repr(rim(Script())))


def test_case_83_holds_over_real_http_at_debug_level(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    told = case("83-secrets-in-error-log", "error.json")
    body = json.dumps(told["body"]).encode()
    answer = b"HTTP/1.1 %d No\r\nContent-Length: %d\r\n\r\n%b" % (told["status"], len(body), body)
    with loopback(answer) as heard, pytest.raises(GmailError) as caught:
        attested("fetch", UrllibWire(), twin=heard.origin)
    assert_clean(caught.value, caplog.text)
    with loopback(None) as heard, pytest.raises(Unreachable) as dropped:
        attested("fetch", UrllibWire(), twin=heard.origin)
    assert_clean(dropped.value, caplog.text)


def assert_clean(error: BaseException, logs: str) -> None:
    """No query, address or body in what a person sees; no token even where a traceback shows local values."""
    told = "".join(traceback.format_exception(error)) + repr(error) + str(error) + logs
    assert not re.search(r"clinic|casey|results are|Insufficient|EXAMPLE", told)
    frames = traceback.TracebackException.from_exception(error, capture_locals=True)
    assert SECRET not in told
    assert not any("googleapiclient" in frame.filename for frame in frames.stack)  # those hold the URL
    for frame in frames.stack:
        if "/tests/" not in frame.filename:
            assert SECRET not in str(frame.locals)
