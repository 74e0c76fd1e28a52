"""Run the benchmarks, print the table, write results.json."""

import argparse
import sys

from bench import cascade, checking, growth, measure, quota, sieve, snapshot, startup

BENCHMARKS = {
    "B1": snapshot.against_floor,
    "B2": snapshot.against_node,
    "B3": snapshot.threads_against_node,
    "B4": snapshot.cold_start,
    "B5": cascade.judged,
    "B6": sieve.against_sieve,
    "B8": growth.memory,
    "B9": growth.reruns,
    "B10": quota.limit_used,
    "B11": checking.through_history,
    "B12": startup.start_up,
}


def main(arguments: list[str]) -> int:
    """Run those that were asked for; a missed bar is printed, not an error."""
    parser = argparse.ArgumentParser(prog="bench")
    parser.add_argument("--only", default="", help="ids, comma-separated")
    parser.add_argument("--smoke", action="store_true", help="small sizes")
    asked = parser.parse_args(arguments)
    names = [name for name in asked.only.split(",") if name] or list(BENCHMARKS)
    unknown = sorted(set(names) - set(BENCHMARKS))
    if unknown:
        print(f"unknown: {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}", file=sys.stderr)
        return 2
    found = []
    for name in names:
        for one in BENCHMARKS[name](is_smoke=asked.smoke):
            print(one.line(), flush=True)
            found.append(one)
    measure.write(found)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
