"""The stages that read mail, from captures: what the chain of stages does, in one call each."""

from typing import Any

import polars as pl

from pipeline.evidence.captures import RawCapture
from pipeline.evidence.gather import evidence_of
from pipeline.evidence.raw import read_mail
from stages.match import match
from stages.normalize import normalize
from stages.screen import screen


def normalized(captures: tuple[RawCapture, ...], receipts: tuple[Any, ...] = ()) -> dict[str, pl.DataFrame]:
    """The snapshot of these captures."""
    return normalize(evidence_of(captures), receipts)


def screened(captures: tuple[RawCapture, ...], account: Any) -> pl.DataFrame:
    """The screen of these captures."""
    return screen(read_mail(captures), account, evidence_of(captures).circle)


def matched(captures: tuple[RawCapture, ...], rules: Any) -> pl.DataFrame:
    """The hits in these captures."""
    return match(read_mail(captures), rules)
