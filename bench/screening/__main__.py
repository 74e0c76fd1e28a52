"""Measure the screen on a folder of unpacked public packages and print the table of rates per class and family.

    python -m bench.screening FOLDER [--ordinary NAME ...]

Classes whose path holds one of the ordinary names carry the inserted attack texts.
"""

import argparse
import sys
from pathlib import Path

from bench.screening.corpora import attack_families, mail_classes
from bench.screening.rates import Rates, inserted, rates_of, whole
from pipeline.mail.reader import Mail

ORDINARY = ("easy-ham", "ordinary")


def main(arguments: list[str]) -> int:
    """Print the tables. 2 when the folder holds no mail."""
    parser = argparse.ArgumentParser(prog="bench.screening")
    parser.add_argument("folder", type=Path, help="unpacked packages")
    parser.add_argument("--ordinary", nargs="*", default=ORDINARY, help="parts of the names of ordinary classes")
    asked = parser.parse_args(arguments)
    classes = mail_classes(asked.folder)
    if not classes:
        print(f"no mail under {asked.folder}", file=sys.stderr)
        return 2
    for line in (*class_lines(classes), *family_lines(asked.folder, carriers(classes, asked.ordinary))):
        print(line)
    return 0


def class_lines(classes: dict[str, list[Mail]]) -> list[str]:
    """The table of mail."""
    head = f"{'mail':<44}{'count':>7}{'flag':>9}{'hold':>9}{'no unsub':>10}{'injection':>11}"
    return [head, *(_line(name, rates_of(mails)) for name, mails in sorted(classes.items()))]


def _line(name: str, found: Rates) -> str:
    shares = (found.flag, found.hold, found.wary, found.injection)
    return f"{name[-44:]:<44}{found.count:>7}" + "".join(
        f"{share:>{width}.2%}" for share, width in zip(shares, (9, 9, 10, 11), strict=True)
    )


def carriers(classes: dict[str, list[Mail]], ordinary: tuple[str, ...]) -> list[Mail]:
    """Ordinary mail, for texts to be put into; of all classes when none has such a name."""
    named = [mail for name, mails in sorted(classes.items()) for mail in mails if any(one in name for one in ordinary)]
    return named or [mail for _, mails in sorted(classes.items()) for mail in mails]


def family_lines(folder: Path, among: list[Mail]) -> list[str]:
    """The table of attack texts: alone in a mail, and inside ordinary mail."""
    lines = ["", f"{'attack family':<60}{'count':>7}{'whole':>9}{'inserted':>10}"]
    for name, texts in sorted(attack_families(folder).items()):
        alone = rates_of([whole(among[0], text) for text in texts])
        inside = rates_of([inserted(among[37 * at % len(among)], text) for at, text in enumerate(texts)])
        lines.append(f"{name[-60:]:<60}{len(texts):>7}{alone.injection:>9.1%}{inside.injection:>10.1%}")
    return lines


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
