"""The floor: read the same packs, sha256 of each body, parse each with simdjson, one thread. Argument: a workspace."""

import hashlib
import json
import sys
from pathlib import Path

import simdjson


def main(root: Path) -> None:
    """Raises ValueError when a body is not what the index says."""
    parser = simdjson.Parser()
    for folder in sorted((root / "data" / "raw" / "demo").iterdir()):
        packs = {path.name: path.read_bytes() for path in folder.glob("*.pack")}
        for line in (folder / "index.jsonl").read_bytes().splitlines():
            row = json.loads(line)
            body = packs[row["file"]][row["offset"] : row["offset"] + row["length"]]
            if hashlib.sha256(body).hexdigest() != row["sha256"]:
                raise ValueError(row["offset"])
            parser.parse(body)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
