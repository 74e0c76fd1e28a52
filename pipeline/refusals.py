"""Every way this product says no, as one tree of exceptions.

A refusal tells what was refused, the evidence, and the one command to go on with. It has its own exit code and a
slug (its class name in kebab case) that scripts may rely on. Only the command line prints one; nothing else exits.

    Refusal                          exit
    ├── UsageRefused ── SelectorRefused   2
    ├── InputRefused                  3   evidence, rules or documents that may not be used
    │   ├── NotJson (TooDeep)  NotVerbatim  MetadataOnly  TruncatedThread  MissingPage  DroppedOn429
    │   ├── ForeignAccount  DuplicateIdConflict  UnknownShape  IncompleteCapture  TamperedCapture
    │   ├── RulesRefused  PolicyRefused  RegistryRefused  LabelNameRefused
    │   ├── DocumentRefused ── NotCanonical  WrongDigest
    │   ├── WorkspaceRefused ── InsideGit  InTempFolder  LoosePermissions  WrongKind  NameRefused
    │   ├── MissingArtifact  TableRefused  StageRefused  QueryRefused  ProposalRefused
    │   ├── NothingToDo  UnknownMessage  AnswerRefused  CannotContinue
    │   └── WriteFailed
    ├── IdentityRefused               4
    │   ├── UnknownAlias  AccountDisabled  WrongAccount  CredentialMissing  KeyringRefused
    │   └── ScopesDiffer  SignInAgain  Unattested  StatusForbids
    ├── ApprovalRefused               5
    │   ├── NotApproved  AlreadyApproved  Expired  FromTheFuture  WindowTooLong  Consumed  Tampered
    │   └── NotATerminal  Busy  AlreadyUndone  UndoOfUndo  KillSwitchOn  NoGrant
    ├── DriftAborted                  6
    ├── PartlyDone                    7
    ├── BudgetRefused                 8   ── QuotaExhausted  Unreachable; GmailError and Unanswered (gmail/answers.py)
    ├── FindingsLeft                  9
    ├── RequestRefused                1   the transport's gate stopped a request: a fault of ours
    ├── FaultOfOurs                   1   anything unexpected, told without the text of the error
    └── Stopped                       1   interrupted at the terminal

>>> Consumed("manifest 12ab", evidence="receipts/12ab.consumed exists", next_command="gmailtriage undo").slug
'consumed'
"""

import re
from typing import Final

_WORD_START: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[a-z])(?=[0-9])")


class Refusal(Exception):  # noqa: N818  the field's word here is refusal; "Error" would hide that it is a decision
    """What was refused, the evidence for it, and the next command. `exit_code` is the process's answer."""

    exit_code = 3
    fallback = "gmailtriage show"
    """The next command where the place of the refusal knows none that fits better."""

    def __init__(self, what: str, *, evidence: str = "", next_command: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.evidence = evidence
        self.next_command = next_command

    @property
    def slug(self) -> str:
        """The class name in kebab case, e.g. `tampered-capture`."""
        return _WORD_START.sub("-", type(self).__name__).lower()

    def __str__(self) -> str:
        lines = [f"refused ({self.slug}): {self.what}"]
        if self.evidence:
            lines.append(f"  evidence: {self.evidence}")
        if self.next_command:
            lines.append(f"  next: {self.next_command}")
        return "\n".join(lines)


class UsageRefused(Refusal):
    """The command's own words are wrong."""

    exit_code = 2
    fallback = "gmailtriage --help"


class SelectorRefused(UsageRefused):
    """A selector of --only or --except matches no message, is none, or leaves nothing."""

    fallback = "gmailtriage show"


class InputRefused(Refusal):
    """Evidence, rules or documents that may not be used as they are."""

    exit_code = 3


class NotJson(InputRefused):
    """A body is not exactly one UTF-8 JSON object without duplicate keys or NaN."""


class TooDeep(NotJson):
    """A body is nested deeper than we read: mail can be made so, and is refused alone."""


class NotVerbatim(InputRefused):
    """A saved file shows signs of having been edited or retyped."""


class MetadataOnly(InputRefused):
    """A message shape lacks its sender or subject key."""


class TruncatedThread(InputRefused):
    """A thread holds fewer messages than its members."""


class MissingPage(InputRefused):
    """The last page of a list still names a next page."""


class DroppedOn429(InputRefused):
    """Listed ids have no body and the index shows rate-limit answers for them."""


class ForeignAccount(InputRefused):
    """Evidence names another account than the workspace's."""


class DuplicateIdConflict(InputRefused):
    """Two sources contradict each other about what cannot change in a message."""


class UnknownShape(InputRefused):
    """The JSON is none of the shapes that we read."""


class IncompleteCapture(InputRefused):
    """A capture lacks its seal or a file that its seal names."""


class CannotContinue(InputRefused):
    """A fetch may only continue the last capture: there is none, policy changed, or Gmail forgot what came after."""


class TamperedCapture(InputRefused):
    """A capture's bytes differ from its seal."""

    fallback = "gmailtriage verify"


class RulesRefused(InputRefused):
    """A rule file is not strict, or one of its examples gets another decision."""


class LabelNameRefused(RulesRefused):
    """A label name that Gmail reserves or would not take."""


class PolicyRefused(InputRefused):
    """policy.toml is not strict or weakens a floor of the contract."""


class RegistryRefused(InputRefused):
    """mailboxes.toml is not strict."""


class DocumentRefused(InputRefused):
    """A sealed document is not what its schema says."""

    fallback = "gmailtriage verify"


class NotCanonical(DocumentRefused):
    """File bytes differ from the canonical bytes of what they parse to."""


class WrongDigest(DocumentRefused):
    """A file's sha256 is not its name."""


class WorkspaceRefused(InputRefused):
    """The workspace may not hold this mailbox's data."""

    fallback = "gmailtriage show accounts"


class InsideGit(WorkspaceRefused):
    """A live mailbox's data may not lie in a git working tree."""


class InTempFolder(WorkspaceRefused):
    """A live mailbox's data may not lie in a temp folder."""


class LoosePermissions(WorkspaceRefused):
    """Folders must be 0700 and files 0600 for a live mailbox."""


class WrongKind(WorkspaceRefused):
    """The account belongs to another kind of workspace."""


class NameRefused(WorkspaceRefused):
    """An id, alias or path holds characters that make or a shell would misread."""


class MissingArtifact(InputRefused):
    """A derived file that a stage reads does not exist yet."""


class TableRefused(InputRefused):
    """A table differs from its exact schema."""


class StageRefused(InputRefused):
    """Stage declarations contradict each other."""


class QueryRefused(InputRefused):
    """A search query is unbalanced or too long."""


class ProposalRefused(InputRefused):
    """A proposed rule may not be promoted."""


class NothingToDo(InputRefused):
    """The plan is empty: an empty plan seals nothing."""


class UnknownMessage(InputRefused):
    """No message of that id is in the snapshot."""


class AnswerRefused(InputRefused):
    """Gmail answered 200 with something that is not one JSON object."""


class WriteFailed(InputRefused):
    """The disk refused a write; nothing half-written remains."""

    fallback = "make room on the disk, then the same command again"


class IdentityRefused(Refusal):
    """Who we are, or whom we speak for, is not certain."""

    exit_code = 4
    fallback = "gmailtriage show accounts"


class UnknownAlias(IdentityRefused):
    """An alias resolves to no registry record, or to more than one."""


class AccountDisabled(IdentityRefused):
    """The registry says that this account is disabled."""


class WrongAccount(IdentityRefused):
    """getProfile names another address than the registry."""


class CredentialMissing(IdentityRefused):
    """The credential that the registry refers to does not exist."""


class KeyringRefused(IdentityRefused):
    """The keyring is missing, locked, or not an operating system's keyring."""


class ScopesDiffer(IdentityRefused):
    """The granted scopes are not exactly the capability profile's."""


class SignInAgain(IdentityRefused):
    """The refresh token is no longer valid."""


class Unattested(IdentityRefused):
    """The captures hold no getProfile body of this account."""


class StatusForbids(IdentityRefused):
    """The account's status does not allow this operation."""


class ApprovalRefused(Refusal):
    """Nobody allowed exactly this, or not any more."""

    exit_code = 5


class NotApproved(ApprovalRefused):
    """No approval binds this manifest."""


class Expired(ApprovalRefused):
    """The manifest or approval is past its expiry."""


class FromTheFuture(ApprovalRefused):
    """A document's creation time lies after now."""


class AlreadyApproved(ApprovalRefused):
    """A manifest has one approval; a further subset is a new manifest."""


class WindowTooLong(ApprovalRefused):
    """A document is valid for longer than the policy or the contract allows."""


class Consumed(ApprovalRefused):
    """The approval was executed before."""


class Tampered(ApprovalRefused):
    """A manifest, approval or receipt is not the bytes that were sealed."""

    fallback = "gmailtriage verify"


class NotATerminal(ApprovalRefused):
    """No person at a terminal, and not everything was stated."""


class Busy(ApprovalRefused):
    """Another run of this account holds the lock."""

    fallback = "wait for the other run, then the same command again"


class AlreadyUndone(ApprovalRefused):
    """This receipt was undone before."""


class UndoOfUndo(ApprovalRefused):
    """A receipt of an undo cannot be undone."""


class KillSwitchOn(ApprovalRefused):
    """A person said stop: nothing that changes mail is sent until a person lifts it."""


class NoGrant(ApprovalRefused):
    """No standing grant allows this, or not any more."""

    fallback = "gmailtriage grants"


class DriftAborted(Refusal):
    """Something pinned changed, or too many targets did: aborted with zero mutations."""

    exit_code = 6


class PartlyDone(Refusal):
    """Some approved target is not verified."""

    exit_code = 7


class BudgetRefused(Refusal):
    """The price is over the budget."""

    exit_code = 8
    fallback = "wait a minute, then the same command again"


class QuotaExhausted(BudgetRefused):
    """Gmail kept answering 429 or 403 rate limit."""


class Unreachable(BudgetRefused):
    """Gmail did not answer, or answered with a server error, after bounded retries."""


class FindingsLeft(Refusal):
    """The audit found something."""

    exit_code = 9


class RequestRefused(Refusal):
    """The transport's gate stopped a request before any byte left."""

    exit_code = 1
    fallback = "report it: this is a fault of ours"


class FaultOfOurs(Refusal):
    """Something unexpected; only its kind and place are told, because an error's text may quote mail or a token."""

    exit_code = 1
    fallback = "report it with the place that is named"


class Stopped(Refusal):
    """Interrupted at the terminal."""

    exit_code = 1
    fallback = "the same command again"
