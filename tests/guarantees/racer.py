"""A process that executes when it is told to, for races: it stays, so that two of them can start at the same moment.

A line on stdin: {"place", "config", "digest", "at"} (`at` by the wall clock); a line on stdout: how the run ended.
"""

import json
import os
import sys
import time
from pathlib import Path

from pipeline.refusals import Refusal
from pipeline.session import Request, open_session
from stages.execute import execute


def raced(line: str) -> str:
    """One execution, begun at the moment that the line names."""
    told = json.loads(line)
    request = Request("loop", Path(told["place"]), Path(told["config"]), dict(os.environ))
    with open_session(request) as session:
        while time.time() < told["at"]:
            pass
        try:
            execute(session.context, told["digest"], False)
        except Refusal as refusal:
            return refusal.slug
    return "done"


if __name__ == "__main__":
    for asked in sys.stdin:
        sys.stdout.write(raced(asked) + "\n")
        sys.stdout.flush()
