"""`python -m twin`: one JSON line when ready, serves until a signal, says what is wrong with an option."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import urllib3

from tests.twin.client import mail
from twin.command import build, parser

ROOT = Path(__file__).parents[2]


def start(*options: str) -> subprocess.Popen[str]:
    argv = [sys.executable, "-m", "twin", *options]
    return subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_one_json_line_then_service_until_a_signal(number: int) -> None:
    with start("--empty", "--email", "x@demo.example", "--token", "t=gmail.readonly") as process:
        assert process.stdout is not None
        ready = json.loads(process.stdout.readline())
        assert set(ready) == {"url", "email"} and ready["email"] == "x@demo.example"
        assert ready["url"].startswith("http://127.0.0.1:")
        url = f"{ready['url']}/gmail/v1/users/me/profile"
        answer = urllib3.request("GET", url, headers={"Authorization": "Bearer t"}, retries=False, timeout=5)
        assert answer.json()["emailAddress"] == "x@demo.example"
        process.send_signal(number)
        rest, errors = process.communicate(timeout=10)
        assert (process.returncode, rest, errors) == (0, "", "")


def test_a_folder_of_mail_is_served(tmp_path: Path) -> None:
    (tmp_path / "1.eml").write_bytes(mail("One"))
    twin = build(mail=str(tmp_path), email="x@demo.example")
    assert len(twin.state.mail.messages) == 1 and twin.address == "x@demo.example"


def test_a_path_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    with start("--mail", str(tmp_path / "absent")) as process:
        out, errors = process.communicate(timeout=20)
    assert process.returncode == 2 and out == "" and "no mail at" in errors


@pytest.mark.parametrize(
    "options",
    [
        ["--token", "x"],
        ["--token", "x=gmail.nothing"],
        ["--token", "=all"],
        ["--port", "-1"],
        ["--port", "x"],
        ["--quota", "1.5"],
        ["--empty", "--mail", "x"],
        ["--nothing"],
    ],
)
def test_bad_options_are_refused(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parser().parse_args(options)
    assert caught.value.code == 2 and "error:" in capsys.readouterr().err


def test_tokens_are_the_given_ones_or_the_documented_three() -> None:
    assert set(build(is_empty=True).state.tokens) == {"demo", "demo-readonly", "seed"}
    given = dict(parser().parse_args(["--token", "a=all", "--token", "b=gmail.insert,gmail.labels"]).token)
    assert given["b"] == {"gmail.insert", "gmail.labels"} and "gmail.modify" in given["a"]


def test_quota_is_off_unless_given() -> None:
    assert build(is_empty=True).state.bucket is None
    bucket = build(is_empty=True, quota=77).state.bucket
    assert bucket is not None and bucket.per_minute == 77
