"""Every guarantee that this project gives, by ID, in one line each. docs/guarantees.md is written from this table.

The IDs stand in tests as `@pytest.mark.contract("AP-3")`; an ID without a test fails `make check`.
"""

from collections.abc import Mapping
from typing import Final

GROUPS: Final[tuple[tuple[str, str], ...]] = (
    ("P", "Promises"),
    ("ID-", "Identity and capability"),
    ("EV-", "Evidence"),
    ("JU-", "Judgement"),
    ("AP-", "Approval and execution"),
    ("LE-", "Learning"),
    ("OU-", "Outward effects and untrusted text"),
)
"""Prefix of the IDs and the heading under which they stand."""

INVARIANTS: Final[Mapping[str, str]] = {
    "P1": "Gmail is sent exactly the approved message ids with exactly the approved label changes, or the exact "
    "inverse of a receipt; nothing else.",
    "P2": "After a kill at any point one more run ends with every target verified or listed as not done, and the "
    "receipt holds the labels that were there before.",
    "P3": "Undo gives back every label that the run changed, except where a person changed it since, and lists those.",
    "P4": "One altered byte in a raw file, manifest, approval or receipt is refused by name.",
    "P5": "Text of a mail can neither cause an operation, nor reach a terminal unescaped, nor reach the disk outside "
    "the raw files and the named columns.",
    "P6": "Nothing is sent and nothing is deleted for good; mail that we are unsure of stays in the inbox.",
    "ID-1": "Each call to Gmail is bound to one attested account: one enabled registry record whose address "
    "getProfile confirms, again before each batch of changes.",
    "ID-2": "Only the Gmail methods that a stage lists exist for it: a pruned description of Gmail, and a gate that "
    "checks the whole request before a byte leaves.",
    "ID-3": "A token's scopes are exactly those of the stage's profile; more is as wrong as fewer.",
    "ID-4": "The only changes that exist: user labels on and off, INBOX off and back on, trash and untrash, create a "
    "label.",
    "ID-5": "The account's status in the registry is a ceiling on what any stage may do with it.",
    "ID-6": "Secrets lie in the operating system's keyring only; any other backend is refused; what was written is "
    "read back.",
    "ID-7": "No code path, dependency or schema can send mail.",
    "EV-1": "A capture holds answers byte for byte, its index their sha256, its seal both; without the seal it does "
    "not exist.",
    "EV-2": "The snapshot is built column by column against an exact schema; nothing unnamed gets in, and no mail "
    "text gets anywhere else.",
    "EV-3": "One-time codes in subjects are masked in everything that lasts outside the raw files.",
    "EV-4": "Incomplete, edited, foreign or unknown input is refused by name before anything is written.",
    "EV-5": "One bad message is a row in the refused table and changes no other row.",
    "EV-6": "Same facts, same result: rebuilt in an empty place, every derived file has the same digest.",
    "EV-7": "Parsers are bounded and total: too big or undecodable is uncertain, never a crash.",
    "EV-8": "A live mailbox's data never lies in a git tree, in a temp folder or readable by others.",
    "JU-1": "Every message is screened first and alone, and nothing later takes one that was not.",
    "JU-2": "Archive needs everything at once: an archivable class, finite confidence within bounds, a clean screen, "
    "a body read in full, no protected class, no action language.",
    "JU-3": "Protection wins, last and always; unknown reads as protected; one more signal never makes an action "
    "stronger.",
    "JU-4": "Words that ask the owner for something stop every archive, whatever the subject says.",
    "JU-5": "An override archives only when it says so; an unknown class becomes Review Manually; a loose rule file "
    "stops the run at load.",
    "JU-6": "Rules match parsed addresses and whole domains; an ambiguous sender matches no rule.",
    "JU-7": "A model is asked nothing: there is no stage, no client and no option for one yet.",
    "JU-8": "A message under suspicion of injection or spoofing is left alone.",
    "AP-1": "A manifest has one sequence of bytes, is named by their sha256 and pins all that it was made from; any "
    "other bytes are refused.",
    "AP-2": "An approval binds digest, account, operations, exact targets and expiry, comes from a person or from a "
    "caller who states all of it, and is authenticated with a key.",
    "AP-3": "The executor reads a manifest and its approval, runs no search and cannot import planning.",
    "AP-4": "An approval is used once, one run an account at a time; after expiry a resumed run only closes what is "
    "open.",
    "AP-5": "Whatever is pinned and changed aborts the run; a changed target is left out and listed; too much drift "
    "or any growth aborts.",
    "AP-6": "An intent with the true prior labels is on the disk before each request, and each target's verdict comes "
    "from reading back.",
    "AP-7": "Requests are counted, not calls; nothing is repeated in secret; a label is created at most once, then "
    "looked for.",
    "AP-8": "A file is whole or absent, also on a full or failing disk; a receipt is a chain of which only a torn "
    "last line may be dropped.",
    "AP-9": "Undo reverts only what we changed where it still is as we left it; a second undo does nothing, undoing "
    "an undo is refused; what was undone may be triaged again.",
    "AP-10": "After a run the next plan is empty.",
    "AP-11": "Looking writes nothing, and a refused approval leaves the tree as it was.",
    "AP-12": "A standing grant allows labels alone: exact account, policy, rules and label names, counts a run and a "
    "day, an end, revocable; each run still has its manifest, approval and receipt, and nothing is archived.",
    "LE-1": "Learning only proposes; a rule becomes active when a person promotes its digest, and only promote writes "
    "rules.",
    "LE-2": "Nothing is learned from a rule's own hits, free-mail domains, lists, mixed or unauthenticated senders, "
    "or people whom the owner wrote to.",
    "LE-3": "Gmail filters can be listed and not made: there is no operation or method for creating one yet.",
    "OU-1": "Nothing unsubscribes: there is no operation, request or command for it yet.",
    "OU-2": "Drafts can be read and not written: there is no operation or method for creating or changing one yet.",
    "OU-3": "Text from outside is shown inert, through one function.",
    "OU-4": "Ids and label names are checked before they become paths, queries or URLs; files are opened once and "
    "links are not followed.",
}
