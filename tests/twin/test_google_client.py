"""Google's own client on the twin: what it builds is understood, what it gets back it accepts."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import googleapiclient
import httplib2
import pytest
from googleapiclient.discovery import build_from_document
from googleapiclient.errors import HttpError
from googleapiclient.http import MediaIoBaseUpload

from tests.twin.client import OWNER, encoded, mail, new_twin
from twin.serve import serve


class Signed:
    """An http object of the client's kind that sends the token itself."""

    def __init__(self) -> None:
        self._http = httplib2.Http(timeout=5)

    def request(self, uri: str, method: str = "GET", body: Any = None, headers: Any = None, **_: Any) -> Any:
        sent = {**(headers or {}), "authorization": "Bearer all"}
        return self._http.request(uri, method=method, body=body, headers=sent)

    def close(self) -> None:
        self._http.close()


@pytest.fixture
def gmail() -> Iterator[Any]:
    folder = Path(googleapiclient.__file__).parent / "discovery_cache" / "documents"
    document = json.loads((folder / "gmail.v1.json").read_text())
    with serve(new_twin()) as server:
        document["rootUrl"] = server.url + "/"
        document.pop("mtlsRootUrl", None)
        with build_from_document(document, http=Signed()) as service:
            yield service.users()


def test_the_whole_round(gmail: Any) -> None:
    body = {"raw": encoded(mail("Hi")), "labelIds": ["INBOX", "UNREAD"]}
    made = gmail.messages().insert(userId="me", body=body).execute()
    label = gmail.labels().create(userId="me", body={"name": "Jobs"}).execute()
    since = gmail.getProfile(userId="me").execute()["historyId"]
    edit = {"ids": [made["id"]], "addLabelIds": [label["id"]], "removeLabelIds": ["INBOX"]}
    assert gmail.messages().batchModify(userId="me", body=edit).execute() in ("", None)
    found = gmail.messages().list(userId="me", q="label:jobs", labelIds=["UNREAD"]).execute()
    assert found["messages"] == [{"id": made["id"], "threadId": made["threadId"]}]
    rows = gmail.history().list(userId="me", startHistoryId=since, historyTypes=["labelAdded"]).execute()["history"]
    assert rows[0]["labelsAdded"][0]["labelIds"] == [label["id"]]
    shown = gmail.messages().get(userId=OWNER, id=made["id"], format="metadata", metadataHeaders=["Subject"])
    assert shown.execute()["payload"]["headers"] == [{"name": "Subject", "value": "Hi"}]


def test_list_next_walks_all_pages(gmail: Any) -> None:
    ids = [
        gmail.messages().insert(userId="me", body={"raw": encoded(mail(str(number)))}).execute()["id"]
        for number in range(5)
    ]
    request, found = gmail.messages().list(userId="me", maxResults=2), []
    while request is not None:
        answer = request.execute()
        found += [row["id"] for row in answer["messages"]]
        request = gmail.messages().list_next(request, answer)
    assert found == ids[::-1]


def test_media_uploads_alone_and_with_labels(gmail: Any) -> None:
    def media() -> MediaIoBaseUpload:
        return MediaIoBaseUpload(io.BytesIO(mail("Media")), "message/rfc822", resumable=False)

    plain = gmail.messages().import_(userId="me", media_body=media()).execute()
    body = {"labelIds": ["STARRED"]}
    labelled = gmail.messages().insert(userId="me", body=body, media_body=media()).execute()
    assert labelled["labelIds"] == ["STARRED"]
    for key in (plain["id"], labelled["id"]):
        assert gmail.messages().get(userId="me", id=key, format="raw").execute()["raw"] == encoded(mail("Media"))


def test_a_long_query_that_the_client_turns_into_a_post(gmail: Any) -> None:
    made = gmail.messages().insert(userId="me", body={"raw": encoded(mail("Found"))}).execute()
    query = "subject:found " + " ".join(f"-subject:word{number}" for number in range(300))
    assert gmail.messages().list(userId="me", q=query).execute()["messages"][0]["id"] == made["id"]


def test_refusals_become_the_clients_errors(gmail: Any) -> None:
    with pytest.raises(HttpError) as caught:
        gmail.messages().get(userId="me", id="18c0ffee18c0ffee").execute()
    assert caught.value.status_code == 404 and "notFound" in str(caught.value.error_details)
    with pytest.raises(HttpError) as caught:
        gmail.messages().send(userId="me", body={"raw": encoded(mail())}).execute()
    assert caught.value.status_code == 403
