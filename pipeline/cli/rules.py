"""Look after the rules: list what stands, check them against themselves and stored mail, take one out by its name.

gmailtriage rules                    what stands: files, counts, each rule with its class
gmailtriage rules check              strict load, the rules' own examples, lint; 9 when something is to be mended
gmailtriage rules --remove NAME      take one rule out; every other byte of the file stays
"""

import json as json_text
import sys
from typing import Annotated

import typer

from pipeline.cli.finding_lines import finding_lines, findings_document
from pipeline.cli.hints import with_options
from pipeline.cli.options import Account, AsJson, ConfigDir, WorkspaceDir, session
from pipeline.cli.rule_list import rule_list, rule_list_lines
from pipeline.cli.running import chain_to
from pipeline.config import Config
from pipeline.evidence.captures import capture_ids
from pipeline.judge.lint import lint
from pipeline.judge.lint_mail import lint_mail
from pipeline.judge.rule_places import placed
from pipeline.judge.stored import stored_from
from pipeline.models.findings import Finding, in_order, is_green
from pipeline.models.rules import RuleSet
from pipeline.refusals import FindingsLeft, RulesRefused, UsageRefused
from pipeline.rulebook import read_rules
from pipeline.ruleedits import cut
from pipeline.run import preview
from pipeline.session import Session
from pipeline.store import read_bytes, replace_file
from pipeline.untrusted import show


def command(
    what: Annotated[str, typer.Argument(help="list or check")] = "",
    remove: Annotated[str, typer.Option("--remove", help="name of the rule to take out")] = "",
    account: Account = "demo",
    workspace: WorkspaceDir = None,
    config: ConfigDir = None,
    json: AsJson = False,
) -> int:
    """List, check, or take one out."""
    asked = _asked(what, remove)
    with session(account, workspace, config) as opened:
        owner = opened.context.config
        if asked == "remove":
            document, lines = removed(owner, remove)
            return _say(document, lines, is_json=json)
        rules = read_rules(owner.rules)
        if asked == "list":
            listed = rule_list(rules, owner.rules, owner.rules_folder())
            return _say(listed, rule_list_lines(listed), is_json=json)
        findings = checked(rules, opened)
    green = f"{len(rules.rules)} rules, {len(rules.sets)} sets of words, {len(rules.examples)} examples hold"
    _say(findings_document(findings), finding_lines(findings, green), is_json=json)
    return 0 if is_green(findings) else FindingsLeft.exit_code


def _asked(what: str, remove: str) -> str:
    if what not in ("", "list", "check") or (what and remove):
        raise UsageRefused("rules takes list, check or --remove NAME", evidence=what, next_command="gmailtriage rules")
    return "remove" if remove else what or "list"


def _say(document: object, lines: list[str], *, is_json: bool) -> int:
    if is_json:
        print(json_text.dumps(document, ensure_ascii=True, sort_keys=True))
        return 0
    for line in lines:
        print(show(with_options(line, sys.argv[1:])))
    return 0


def checked(rules: RuleSet, opened: Session) -> tuple[Finding, ...]:
    """The lint of the rules, and of stored mail when there is a capture."""
    owner = opened.context.config
    found = lint(rules, owner.policy)
    if not capture_ids(opened.context.workspace):
        return placed(found, owner.rules)
    from stages.decide import STAGE  # the rules alone need no stage

    values = preview(chain_to(STAGE), opened.place)
    tables = {name: values[name] for name in ("hits", "decisions", "protected")}
    told = lint_mail(rules, stored_from(**tables))  # type: ignore[arg-type]  # tables by name
    return placed(in_order((*found, *told)), owner.rules)


def removed(owner: Config, name: str) -> tuple[dict[str, object], list[str]]:
    """Take a rule out; the bytes on the disk are read anew, and the new ones are read back. Raises RulesRefused."""
    folder = owner.rules_folder()
    files = tuple((file, read_bytes(folder / file)) for file, _ in owner.rules)
    edit = cut(files, name)
    path = folder / edit.file
    replace_file(path, edit.new)
    if read_bytes(path) != edit.new:
        raise RulesRefused(f"{edit.file} does not hold what was written", evidence=str(path))
    document: dict[str, object] = {"removed": name, "file": str(path), "text": edit.removed}
    return document, [
        f"removed: {name}, from {path}",
        *(f"    {line}" for line in edit.removed.splitlines()),
        "next: gmailtriage rules check",
    ]
