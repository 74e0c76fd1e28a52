"""What other hands do to a mailbox between two fetches."""

from dataclasses import dataclass

from hypothesis import strategies as st

from tests.strategies.captures import ADDRESS, Letter
from twin.running import Twin

LETTERS = (
    Letter("a1", "a1"),
    Letter("a2", "a1", sender=f"Casey Rivers <{ADDRESS}>", labels=("SENT",)),
    Letter("b1", "b1", labels=("INBOX", "STARRED")),
    Letter("c1", "c1", labels=()),
    Letter("c2", "c1", labels=("Label_7",)),
    Letter("d1", "d1", age=400),
    Letter("e1", "e1", labels=("SPAM",)),
)
LABELS = ("IMPORTANT", "UNREAD", "STARRED", "Label_7", "Label_12")
KINDS = ("deliver", "reply", "send", "file", "label", "unlabel", "archive", "return", "trash", "untrash", "vanish",
         "delete label", "expire")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit: its kind, which message of those that are there, which label."""

    kind: str
    at: int
    label: str


def edits(kinds: tuple[str, ...] = KINDS) -> st.SearchStrategy[Edit]:
    """Edits of these kinds; an expiry is rare, or no chain would be long."""
    weighted = [kind for kind in kinds for _ in range(1 if kind in ("expire", "delete label") else 4)]
    return st.builds(Edit, kind=st.sampled_from(weighted), at=st.integers(0, 11), label=st.sampled_from(LABELS))


def played(twin: Twin, edit: Edit) -> None:
    """Do it; an edit of a message in an empty mailbox does nothing."""
    ids = sorted(twin.state.mail.messages)
    chosen = ids[edit.at % len(ids)] if ids else ""
    thread = twin.state.mail.messages[chosen].thread_id if chosen else ""
    arrivals = {"deliver": (("INBOX", "UNREAD"), ""), "reply": (("INBOX",), thread), "send": (("SENT",), thread),
                "file": ((), "")}  # fmt: skip
    changes = {
        "label": ((edit.label,), ()),
        "unlabel": ((), (edit.label,)),
        "archive": ((), ("INBOX",)),
        "return": (("INBOX",), ()),
        "trash": (("TRASH",), ("INBOX",)),
        "untrash": (("INBOX",), ("TRASH", "SPAM")),
    }
    if edit.kind in arrivals:
        labels, into = arrivals[edit.kind]
        twin.deliver(
            b"From: Ann <ann@vendor.example>\r\nSubject: Re: Your job alert for today\r\n\r\nSee you.", labels, into
        )
    elif edit.kind == "expire":
        twin.expire_history()
    elif edit.kind == "delete label" and edit.label in twin.state.mail.labels and edit.label.startswith("Label_"):
        twin.delete_label(edit.label)
    elif edit.kind in changes and chosen:
        add, remove = changes[edit.kind]
        known = twin.state.mail.labels
        twin.relabel(chosen, tuple(one for one in add if one in known), remove)
    elif edit.kind == "vanish" and chosen:
        twin.vanish(chosen)
