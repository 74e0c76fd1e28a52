"""The gate: each allowed shape passes once, and every neighbour of it is stopped."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.gmail.calls import CALLS
from pipeline.gmail.capability import FORMATS, METHODS
from pipeline.gmail.gate import Allowed, WireRequest, check
from pipeline.refusals import RequestRefused
from tests.strategies.operations import batch_bodies, foreign_keys, system_labels
from tests.sweeps import sweep

ORIGIN = "https://gmail.googleapis.com"
EVERYTHING = Allowed(frozenset(CALLS), ORIGIN, "", frozenset({"full", "minimal", "raw"}))
TAIL = "prettyPrint=false&alt=json"
LABEL = b'{"name": "Interview", "labelListVisibility": "labelShow", "messageListVisibility": "show"}'
BATCH = b'{"ids": ["18f0a1"], "addLabelIds": ["Label_1"], "removeLabelIds": ["INBOX"]}'

GOOD: Mapping[str, tuple[str, str, bytes]] = {
    "getProfile": ("GET", f"profile?{TAIL}", b""),
    "labels.list": ("GET", f"labels?{TAIL}", b""),
    "labels.create": ("POST", f"labels?{TAIL}", LABEL),
    "messages.list": ("GET", f"messages?q=in%3Ainbox&labelIds=INBOX&labelIds=Label_1&maxResults=500&{TAIL}", b""),
    "messages.get": ("GET", f"messages/18f0a1?format=minimal&{TAIL}", b""),
    "messages.batchModify": ("POST", "messages/batchModify?prettyPrint=false", BATCH),
    "messages.trash": ("POST", f"messages/18f0a1/trash?{TAIL}", b""),
    "messages.untrash": ("POST", f"messages/18f0a1/untrash?{TAIL}", b""),
    "threads.list": ("GET", f"threads?includeSpamTrash=true&pageToken=p2&{TAIL}", b""),
    "threads.get": ("GET", f"threads/18f0a1?format=full&{TAIL}", b""),
    "history.list": ("GET", f"history?startHistoryId=900100&historyTypes=labelAdded&{TAIL}", b""),
    "drafts.list": ("GET", f"drafts?{TAIL}", b""),
    "drafts.get": ("GET", f"drafts/r-77?format=raw&{TAIL}", b""),
    "settings.filters.list": ("GET", f"settings/filters?{TAIL}", b""),
}


def request(verb: str, tail: str, body: bytes = b"", **headers: str) -> WireRequest:
    return WireRequest(verb, f"{ORIGIN}/gmail/v1/users/me/{tail}", headers, body)


def refused(wire_request: WireRequest, allowed: Allowed = EVERYTHING) -> str:
    with pytest.raises(RequestRefused) as caught:
        check(wire_request, allowed)
    return str(caught.value)


def batch(**changes: Any) -> WireRequest:
    body = {**json.loads(BATCH), **changes}
    return request("POST", "messages/batchModify?prettyPrint=false", json.dumps(body).encode())


@pytest.mark.contract("ID-2")
@pytest.mark.parametrize("method", sorted(CALLS))
def test_each_method_passes_in_its_own_shape(method: str) -> None:
    assert check(request(*GOOD[method]), EVERYTHING).method == method


@pytest.mark.contract("ID-2")
@pytest.mark.parametrize("stage", sorted(METHODS))
@pytest.mark.parametrize("method", sorted(CALLS))
def test_a_method_passes_only_in_the_stages_that_have_it(stage: Any, method: str) -> None:
    allowed = Allowed(METHODS[stage], ORIGIN, "", EVERYTHING.formats)
    if method in METHODS[stage]:
        assert check(request(*GOOD[method]), allowed).method == method
    else:
        refused(request(*GOOD[method]), allowed)


def test_permit_tells_what_was_asked_without_constants() -> None:
    assert check(request(*GOOD["messages.list"]), EVERYTHING).parameters == {
        "q": "in:inbox",
        "labelIds": ("INBOX", "Label_1"),
        "maxResults": "500",
    }
    assert check(request(*GOOD["messages.get"]), EVERYTHING).parameters == {"id": "18f0a1", "format": "minimal"}
    assert check(request(*GOOD["messages.batchModify"]), EVERYTHING).parameters["ids"] == ("18f0a1",)


@pytest.mark.contract("ID-2", "OU-4")
@pytest.mark.parametrize(
    "url",
    [
        "http://gmail.googleapis.com/gmail/v1/users/me/profile?prettyPrint=false",
        "https://gmail.googleapis.com.evil.example/gmail/v1/users/me/profile?prettyPrint=false",
        "https://gmail.googleapis.com:444/gmail/v1/users/me/profile?prettyPrint=false",
        "https://me@gmail.googleapis.com/gmail/v1/users/me/profile?prettyPrint=false",
        "https://GMAIL.googleapis.com/gmail/v1/users/me/profile?prettyPrint=false",
        "https://gmail.googleapis.com@evil.example/gmail/v1/users/me/profile?prettyPrint=false",
        "https://gmail.googleapis.com\\@evil.example/gmail/v1/users/me/profile?prettyPrint=false",
        "https://gmail.googleapis.com//gmail/v1/users/me/profile?prettyPrint=false",
        "https://gmail.googleapis.com/peer/gmail/v1/users/me/profile?prettyPrint=false",
        "https://gmail.googleapis.com/gmail/v1/users/casey.rivers%40example.com/profile?prettyPrint=false",
        "https://gmail.googleapis.com/gmail/v1/users/you/profile?prettyPrint=false",
        "https://gmail.googleapis.com/gmail/v1/users/me/./profile?prettyPrint=false",
        "https://gmail.googleapis.com/gmail/v1/users/me/messages/../profile?prettyPrint=false",
        "https://gmail.googleapis.com/gmail/v1/users/me/profile/?prettyPrint=false",
        "https://gmail.googleapis.com/gmail/v1/users/me/profile;x?prettyPrint=false",
        "https://gmail.googleapis.com/gmail/v1/users/me/profile?prettyPrint=false#top",
        "https://gmail.googleapis.com/gmail/v1/users/me/profile?prettyPrint=false\n",
        "https://gmail.googleapis.com/gmail/v1/users/me/prof\u0131le?prettyPrint=false",
        "https://gmail.googleapis.com/gmail/v1/users/me/profile",
        "https://gmail.googleapis.com/batch?prettyPrint=false",
        "https://gmail.googleapis.com/batch/gmail/v1?prettyPrint=false",
        "https://gmail.googleapis.com/upload/gmail/v1/users/me/messages?uploadType=media",
        "https://gmail.googleapis.com/resumable/upload/gmail/v1/users/me/drafts?prettyPrint=false",
        "/gmail/v1/users/me/profile?prettyPrint=false",
    ],
)
def test_url_that_is_not_exactly_ours(url: str) -> None:
    for verb in ("GET", "POST"):
        refused(WireRequest(verb, url))


@pytest.mark.contract("ID-2")
@pytest.mark.parametrize("verb", ["get", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "CONNECT", ""])
def test_verb_that_is_not_the_methods(verb: str) -> None:
    refused(request(verb, *GOOD["getProfile"][1:]))


@pytest.mark.contract("ID-2")
@pytest.mark.parametrize(
    "extra",
    [
        "access_token=x",
        "oauth_token=x",
        "key=x",
        "%24.xgafv=1",
        "callback=f",
        "uploadType=media",
        "upload_protocol=raw",
        "fields=id",
        "quotaUser=x",
        "alt=media",
        "alt=json",
        "prettyPrint=true",
        "prettyPrint=false",
        "format=minimal",
        "metadataHeaders=From",
        "trace=x",
        "userip=127.0.0.1",
        "Format=raw",
        "format%00=raw",
    ],
)
def test_query_name_or_value_that_is_not_listed(extra: str) -> None:
    refused(request("GET", f"messages/18f0a1?format=minimal&{TAIL}&{extra}"))


@pytest.mark.contract("ID-2")
@pytest.mark.parametrize(
    ("resource", "query"),
    [
        ("labels", "prettyPrint=true&alt=json"),
        ("labels", "prettyPrint=false&alt=media"),
        ("labels", "prettyPrint=False"),
        ("messages", "maxResults=501&prettyPrint=false"),
        ("messages", "maxResults=0&prettyPrint=false"),
        ("messages", "maxResults=-1&prettyPrint=false"),
        ("messages", "includeSpamTrash=yes&prettyPrint=false"),
        ("messages", "labelIds=a%2Fb&prettyPrint=false"),
        ("messages", "labelIds=INBOX&labelIds=&prettyPrint=false"),
        ("messages", "q=&prettyPrint=false"),
        ("messages", "q=a%0Ab&prettyPrint=false"),
        ("messages", "pageToken=a+b&prettyPrint=false"),
        ("messages/18f0a1", "format=metadata&prettyPrint=false"),
        ("messages/18f0a1", "format=Full&prettyPrint=false"),
        ("history", "prettyPrint=false"),
        ("history", "startHistoryId=x1&prettyPrint=false"),
        ("history", "startHistoryId=1&historyTypes=labelMoved&prettyPrint=false"),
        ("history", "startHistoryId=1&labelId=A&labelId=B&prettyPrint=false"),
    ],
)
def test_parameter_whose_value_is_not_of_its_form(resource: str, query: str) -> None:
    refused(request("GET", f"{resource}?{query}"), replace(EVERYTHING, formats=frozenset({"full", "metadata", "Full"})))


@pytest.mark.contract("ID-2")
@pytest.mark.parametrize(
    "query",
    [
        "format=minimal&prettyPrint=false;alt=json",
        "format=m%69nimal&prettyPrint=false",
        "format=minimal&&prettyPrint=false",
        "format=minimal&prettyPrint=false&",
        "format=minimal&prettyPrint",
        "format=minimal&prettyPrint=false?x",
        "format=%FFminimal&prettyPrint=false",
        "prettyPrint=false&alt=json",
    ],
)
def test_query_in_another_spelling_or_without_its_format(query: str) -> None:
    refused(request("GET", f"messages/18f0a1?{query}"))


@pytest.mark.contract("ID-2")
@pytest.mark.parametrize("stage", ["execute", "undo"])
@pytest.mark.parametrize("value", ["full", "raw", "metadata", "Minimal", "minimal,full", ""])
@pytest.mark.parametrize("resource", ["messages", "threads"])
def test_stages_that_change_something_never_ask_for_a_body(stage: Any, value: str, resource: str) -> None:
    allowed = Allowed(METHODS[stage], ORIGIN, "", FORMATS[stage])
    check(request("GET", f"{resource}/18f0a1?format=minimal&{TAIL}"), allowed)
    refused(request("GET", f"{resource}/18f0a1?format={value}&{TAIL}"), allowed)


@pytest.mark.contract("ID-2")
@pytest.mark.parametrize(
    "headers",
    [
        {"X-HTTP-Method-Override": "DELETE"},
        {"x-http-method-override": "GET"},
        {"X-Method-Override": "POST"},
        {"X-Goog-Upload-Protocol": "raw"},
        {"x-upload-content-type": "message/rfc822"},
        {"Authorization": "Bearer other"},
        {"Host": "evil.example"},
        {"Cookie": "a=b"},
        {"Transfer-Encoding": "chunked"},
        {"X-Goog-User-Project": "other"},
        {"accept": "a\r\nX-HTTP-Method-Override: DELETE"},
        {"Accept": "a", "accept": "b"},
        {"content-length": "5"},
        {"content-length": "0, 5"},
    ],
)
def test_header_that_is_not_on_the_list(headers: dict[str, str]) -> None:
    check(request("GET", f"profile?{TAIL}", **{"accept": "application/json", "content-length": "0"}), EVERYTHING)
    refused(request("GET", f"profile?{TAIL}", **headers))


@pytest.mark.contract("OU-4")
@settings(max_examples=sweep(3000), deadline=None)
@given(
    st.text(min_size=1, max_size=140)
    | st.text("/.%?#&;\\ \n\x00aZ_-", min_size=1, max_size=12)
    | st.text("aZ9_-", min_size=120, max_size=140)
    | st.text("a.", min_size=1, max_size=3)
)
def test_ids_that_are_not_ids_never_become_paths(text: str) -> None:
    is_id = len(text) <= 128 and text.isascii() and all(c.isalnum() or c in "-_" for c in text)
    target = request("GET", f"messages/{text}?format=minimal&{TAIL}")
    if is_id:
        assert check(target, EVERYTHING).parameters["id"] == text
    else:
        refused(target)


@pytest.mark.contract("ID-4")
@settings(max_examples=sweep(2000), deadline=None)
@given(batch_bodies(), foreign_keys, st.sampled_from([None, True, "x", ["INBOX"]]))
def test_body_with_one_foreign_key_never_passes(body: dict[str, Any], key: str, value: object) -> None:
    check(request("POST", "messages/batchModify?prettyPrint=false", json.dumps(body).encode()), EVERYTHING)
    if key in body:
        key = f"{key}X"
    foreign = json.dumps({**body, key: value}).encode()
    refused(request("POST", "messages/batchModify?prettyPrint=false", foreign))


@pytest.mark.contract("ID-4")
@settings(max_examples=sweep(500), deadline=None)
@given(batch_bodies(), system_labels, st.sampled_from(["addLabelIds", "removeLabelIds"]))
def test_system_labels_are_in_no_payload(body: dict[str, Any], label: str, key: str) -> None:
    changed = json.dumps({**body, key: [*body[key], label]}).encode()
    refused(request("POST", "messages/batchModify?prettyPrint=false", changed))


@pytest.mark.contract("ID-4")
@pytest.mark.parametrize(
    "changes",
    [
        {"ids": []},
        {"ids": "18f0a1"},
        {"ids": ["18f0a1", "18f0a1"]},
        {"ids": ["18f0/a1"]},
        {"ids": [1]},
        {"ids": [f"18f0{n:04x}" for n in range(101)]},
        {"addLabelIds": ["Label_1", "INBOX"]},
        {"addLabelIds": ["INBOX"], "removeLabelIds": ["INBOX"]},
        {"addLabelIds": [], "removeLabelIds": []},
        {"addLabelIds": None},
        {"addLabelIds": ["Label_1"], "removeLabelIds": ["Label_1"]},
    ],
)
def test_batch_body_out_of_bounds(changes: dict[str, object]) -> None:
    check(batch(ids=[f"18f0{n:04x}" for n in range(100)]), EVERYTHING)
    refused(batch(**changes))


@pytest.mark.contract("ID-4")
def test_only_an_undo_puts_mail_back_into_the_inbox() -> None:
    undo = Allowed(METHODS["undo"], ORIGIN, "", FORMATS["undo"], can_add_inbox=True)
    back = batch(addLabelIds=["INBOX"], removeLabelIds=["Label_1"])
    assert check(back, undo).parameters["addLabelIds"] == ("INBOX",)
    assert "only an undo" in refused(back)


@pytest.mark.contract("ID-4")
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{}",
        b'{"name": "A"}',
        LABEL + b" {}",
        LABEL.replace(b"Interview", b""),
        LABEL.replace(b"Interview", b"a\\u0000"),
        LABEL.replace(b'"Interview"', b"7"),
        LABEL.replace(b"labelShow", b"labelHide"),
        LABEL.replace(b'"name"', b'"color": {}, "name"'),
        LABEL.replace(b'"name"', b'"name": "A", "name"'),
    ],
)
def test_label_body_that_is_not_a_plain_label(body: bytes) -> None:
    check(request(*GOOD["labels.create"]), EVERYTHING)
    refused(request("POST", f"labels?{TAIL}", body))


@pytest.mark.contract("ID-2")
def test_body_where_none_belongs_and_body_over_its_cap() -> None:
    refused(request("POST", f"messages/18f0a1/trash?{TAIL}", b"{}"))
    refused(request("GET", f"profile?{TAIL}", b"{}"))
    refused(request("POST", f"labels?{TAIL}", b" " * 40_000 + LABEL))


@pytest.mark.contract("ID-2")
@pytest.mark.parametrize(
    ("q", "passes"), [("a" * 1500, True), ("a" * 1501, False), ("é" * 250, True), ("é" * 251, False)]
)
def test_q_is_capped_as_it_stands_in_the_url(q: str, passes: bool) -> None:
    target = request("GET", f"messages?{urlencode({'q': q})}&{TAIL}")
    if passes:
        check(target, EVERYTHING)
    else:
        refused(target)


@pytest.mark.contract("ID-2")
def test_base_path_must_be_there() -> None:
    allowed = Allowed(frozenset({"getProfile"}), "http://127.0.0.1:8080", "/peer", frozenset())
    root = "http://127.0.0.1:8080"
    check(WireRequest("GET", f"{root}/peer/gmail/v1/users/me/profile?{TAIL}"), allowed)
    refused(WireRequest("GET", f"{root}/gmail/v1/users/me/profile?{TAIL}"), allowed)
    refused(WireRequest("GET", f"{root}/peer/../gmail/v1/users/me/profile?{TAIL}"), allowed)


@pytest.mark.contract("ID-2")
@settings(max_examples=sweep(3000), deadline=None)
@given(st.sampled_from(sorted(GOOD)), st.data())
def test_no_single_changed_character_of_a_url_opens_another_method(method: str, data: st.DataObject) -> None:
    """One edit passes only as a request of the same method (another id, query, token or count), or not at all."""
    verb, tail, body = GOOD[method]
    url = request(verb, tail).url
    position = data.draw(st.integers(0, len(url) - 1))
    letter = data.draw(st.sampled_from("abz019/.?&=%#;:@-_ \n\\é+"))
    edited = WireRequest(verb, url[:position] + letter + url[position + 1 :], {}, body)
    try:
        permit = check(edited, EVERYTHING)
    except RequestRefused:
        return
    assert permit.method == method


def test_refusals_never_quote_the_request() -> None:
    told = Counter(
        refused(target)
        for target in (
            request("GET", f"messages?q=secret+words&access_token=ya29.EXAMPLE&{TAIL}"),
            request("POST", f"labels?{TAIL}", b'{"name": "secret words"}'),
            request("GET", f"profile?{TAIL}", Authorization="Bearer ya29.EXAMPLE"),
        )
    )
    assert not any(word in text for text in told for word in ("secret", "ya29", "http"))
