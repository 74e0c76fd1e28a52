"""Mail and attack texts from a folder of unpacked public packages; nothing of them is kept.

A folder with message files (*.txt, *.eml) is a class of mail, named by its path. `hand_read.tsv` beside this file takes
A folder with message files (*.txt, *.eml) is a class of mail, named by its path. `hand_read.tsv` beside this file moves
single messages of the SpamAssassin package from their folder into a class of their own. Attack texts come from the
is how the text is wrapped, never what it asks for.
"""

import ast
import json
import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from pipeline.mail.rawmail import read_eml
from pipeline.mail.reader import Mail

HAND_READ = Path(__file__).with_name("hand_read.tsv")
SAMPLE = 6
"""Instructions drawn for each wrapping."""


def mail_classes(folder: Path) -> dict[str, list[Mail]]:
    """Class name -> its readable messages, in the order of their names."""
    labels = hand_read()
    found: dict[str, list[Mail]] = defaultdict(list)
    for path in sorted(one for one in folder.rglob("*") if one.is_file() and one.suffix in {".txt", ".eml"}):
        mail = read_eml(path.read_bytes())
        if isinstance(mail, Mail) and mail.headers.pairs:
            name = str(path.parent.relative_to(folder)).removeprefix("package/data/")
            found[labels.get(f"{path.parent.name}/{path.name[:9]}", name)].append(mail)
    return dict(found)


def hand_read() -> dict[str, str]:
    """Folder and first nine characters of a file's name -> label; picked by sender, subject and key words."""
    rows = (line.split("\t") for line in HAND_READ.read_text("utf-8").splitlines())
    return {row[0]: row[1] for row in rows if len(row) > 1}


def attack_families(folder: Path) -> dict[str, list[str]]:
    """Family -> its texts, drawn from a seed."""
    dice = random.Random(7)
    found: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("jailbreaks.jsonl")):
        found.update(_spikee(path, dice))
    for path in sorted(folder.rglob("agentdojo/attacks")):
        found.update(_agentdojo(path.parent))
    for path in sorted([*folder.rglob("injections.jsonl"), *folder.rglob("aib/data/attacks.jsonl")]):
        found.update(_listed(path))
    return found


def _rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()] if path.exists() else []


def _spikee(path: Path, dice: random.Random) -> dict[str, list[str]]:
    """Each kind of wrapping, around some instructions in English; those in other languages apart."""
    told = {is_english: _instructions(path, is_english=is_english) for is_english in (True, False)}
    found: dict[str, list[str]] = defaultdict(list)
    for row in _rows(path):
        is_english = row.get("lang", "en") == "en"
        family = f"spikee/{path.parent.name.removeprefix('seeds-')[:12]}/{row['jailbreak_type']}"
        chosen = dice.sample(told[is_english], min(SAMPLE, len(told[is_english])))
        found[family if is_english else f"{family} (other languages)"] += [
            row["text"].replace("<INSTRUCTION>", one) for one in chosen
        ]
    return {name: texts for name, texts in found.items() if texts}


def _instructions(path: Path, *, is_english: bool) -> list[str]:
    rows = _rows(path.with_name("instructions.jsonl"))
    return [row["instruction"] for row in rows if (row.get("lang", "en") == "en") is is_english]


def _agentdojo(package: Path) -> dict[str, list[str]]:
    """Each attack's wrapping around every goal; read as source, so that nothing of it runs."""
    goals = [goal for path in sorted(package.rglob("injection_tasks.py")) for goal in _strings(path, "GOAL")]
    wraps = {name: text for path in sorted((package / "attacks").glob("*.py")) for name, text in _wraps(path)}
    return {
        f"agentdojo/{name}": [wrap.replace("{goal}", goal) for goal in dict.fromkeys(goals)]
        for name, wrap in sorted(wraps.items())
    }


def _strings(path: Path, name: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name and (text := _text(node.value)):
            yield text


def _wraps(path: Path) -> Iterator[tuple[str, str]]:
    """(class name, longest text with a place for the goal) of each attack class that has one."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.ClassDef):
            texts = [text for one in ast.walk(node) if (text := _text(one)) and "{goal}" in text]
            if texts:
                yield node.name, max(texts, key=len)


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) or "X" for part in node.values)
    return ""


def _listed(path: Path) -> dict[str, list[str]]:
    """Texts that a package lists whole, by its own families; its harmless ones under that name."""
    found: dict[str, list[str]] = defaultdict(list)
    for row in _rows(path):
        family = row.get("family") or row.get("category") or "all"
        kind = "harmless" if row.get("label") == "benign" else family
        found[f"{path.parent.parent.name}/{kind}"].append(row.get("injected") or row.get("text") or "")
    return dict(found)
