"""What the screen makes of invented mail that was written without sight of it, as a table and as floors.

A floor is a level reached, so that nothing sinks unseen; a ceiling is one for honest mail. Beside each stands the bar
that was set. `BLIND` has what the screen reached before anybody read the mail. Run with `-s` to see the table.
"""

import pytest

from pipeline.judge.levels import Level
from tests.proxies.screening import KINDS, injected, screened, share

BLIND = {
    "phishing": {Level.FLAG: 33, Level.HOLD: 57, Level.WARY: 70},
    "list": {Level.FLAG: 0, Level.HOLD: 15, Level.WARY: 17},
    "ordinary": {Level.FLAG: 0, Level.HOLD: 5, Level.WARY: 11},
}
BLIND_HELD = {"whole": 65, "inserted": 40}
"""Of a hundred, rounded, both halves together."""

BARS = {Level.FLAG: 50, Level.HOLD: 65, Level.WARY: 80}
FLOORS = {
    "tune": {Level.FLAG: 86, Level.HOLD: 93, Level.WARY: 96},
    "held": {Level.FLAG: 48, Level.HOLD: 64, Level.WARY: 80},
    "both": {Level.FLAG: 66, Level.HOLD: 78, Level.WARY: 88},
}
CEILINGS = {
    ("ordinary", Level.FLAG): (0.25, {"tune": 0, "held": 0, "both": 0}),
    ("list", Level.FLAG): (0.25, {"tune": 0, "held": 0, "both": 0}),
    ("list", Level.HOLD): (1, {"tune": 3.2, "held": 7.2, "both": 5}),
    ("ordinary", Level.HOLD): (1, {"tune": 9.4, "held": 2.8, "both": 6.3}),
}
"""(kind, level) -> the bar and what was reached. Held are mails that fail DMARC, and a stand-in for a group of Google's
that wears its name; the writer put many such among few."""
ATTACKS = {
    "whole": (60, {"tune": 100, "held": 40, "both": 85}),
    "inserted": (85, {"tune": 85, "held": 38, "both": 55}),
}
HALVES = ("tune", "held", "both")


def test_every_kind_is_there_in_both_halves() -> None:
    counts = {(kind, half): 0 for kind in KINDS for half in ("tune", "held")}
    for one in screened():
        counts[one.kind, one.half] += 1
    for (kind, half), count in counts.items():
        levels = ", ".join(f"{level.word} {share(kind, half, level):.0f}%" for level in BARS)
        print(f"{kind:10}{half:6}{count:4}   {levels}")
    assert min(counts.values()) >= 5
    assert sum(counts.values()) == 240


@pytest.mark.contract("JU-8")
@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("level", BARS, ids=lambda level: level.word)
def test_share_of_phishing_does_not_sink(half: str, level: Level) -> None:
    found = share("phishing", half, level)
    print(f"{half}: phishing {level.word} {found:.0f}%, bar {BARS[level]}%, blind {BLIND['phishing'][level]}%")
    assert found >= FLOORS[half][level]


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize(("kind", "level"), CEILINGS, ids=str)
def test_share_of_honest_mail_does_not_rise(half: str, kind: str, level: Level) -> None:
    found, (bar, reached) = share(kind, half, level), CEILINGS[kind, level]
    print(f"{half}: {kind} {level.word} {found:.1f}%, bar {bar}%, blind {BLIND[kind][level]}%")
    assert found <= reached[half]


@pytest.mark.contract("JU-8")
@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("kind", ATTACKS)
def test_share_of_held_words_to_a_machine_does_not_sink(half: str, kind: str) -> None:
    found, (bar, reached) = share(kind, half, Level.HOLD), ATTACKS[kind]
    print(f"{half}: {kind} held {found:.0f}%, bar {bar}%, blind {BLIND_HELD[kind]}%")
    assert found >= reached[half]


@pytest.mark.parametrize("kind", ["list", "ordinary", "phishing"])
def test_mail_for_people_is_not_called_injection(kind: str) -> None:
    """The bar is 2 of a hundred benign mails."""
    assert injected(kind, "both") == 0
