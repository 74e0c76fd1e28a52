"""Derived files may be edited by anyone who can write here: no seal, approval or rule may rest on one."""

from pathlib import Path

import polars as pl
import pytest

from pipeline.cli import run
from pipeline.cli.loop import Loop
from pipeline.config import REPOSITORY
from pipeline.session import Request, Session, open_session
from pipeline.tables import PROPOSALS as PROPOSALS_TABLE
from stages.decide import DECISIONS
from stages.mine import PROPOSALS


def forge_decisions(session: Session) -> str:
    """Turn a message that was to be labelled into one to archive, in the stored table; its id."""
    frame = DECISIONS.load(session.place)
    assert isinstance(frame, pl.DataFrame)
    victim = str(frame.filter(pl.col("action") == "label")["message_id"][0])
    is_victim = pl.col("message_id") == victim
    action = pl.when(is_victim).then(pl.lit("label+archive")).otherwise("action").alias("action")
    DECISIONS.save(session.place, frame.with_columns(action))
    return victim


@pytest.mark.contract("AP-1", "JU-3", "P4")
def test_a_forged_decisions_table_reaches_no_manifest(tmp_path: Path) -> None:
    with open_session(Request("demo", tmp_path / "demo", REPOSITORY)) as session:
        loop = Loop(session)
        loop.fetch()
        loop.plan()
        victim = forge_decisions(session)
        manifest = loop.freeze()
        assert {t.change.kind for t in manifest.targets if t.message_id == victim} == {"label"}
        forge_decisions(session)
        loop.approve(manifest)
        loop.execute(manifest)


@pytest.mark.contract("LE-1", "LE-2")
def test_a_forged_proposal_is_no_proposal(tmp_path: Path) -> None:
    where = ["--workspace", str(tmp_path / "demo"), "--config", str(REPOSITORY)]
    assert run(["fetch", *where]) == 0
    with open_session(Request("demo", tmp_path / "demo", REPOSITORY)) as session:
        row = {
            "digest": "a" * 64,
            "name": "mined boss@bank.example",
            "sender_contains": "boss@bank.example",
            "domain_equals": None,
            "classification": "Job Alert",
            "confidence": 0.9,
            "message_count": 9,
            "evidence": [],
            "reasons_against": [],
        }
        PROPOSALS.save(session.place, PROPOSALS_TABLE.frame([row]))
    rules = {path: path.read_bytes() for path in (REPOSITORY / "rules").iterdir()}
    assert run(["promote", "a" * 64, *where]) == 3
    assert {path: path.read_bytes() for path in (REPOSITORY / "rules").iterdir()} == rules
