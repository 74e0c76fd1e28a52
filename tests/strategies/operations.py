"""Operation documents, sound ones and ones with a foreign key or a forbidden label."""

from typing import Any

from hypothesis import strategies as st

ids = st.text("0123456789abcdef", min_size=16, max_size=16)
user_labels = st.integers(1, 99).map(lambda number: f"Label_{number}")
system_labels = st.sampled_from(
    ["SENT", "DRAFT", "SPAM", "CHAT", "TRASH", "UNREAD", "STARRED", "IMPORTANT", "CATEGORY_PROMOTIONS", "CATEGORY_NEW"]
)

modify_operations = st.builds(
    lambda message_ids, add, archives: {
        "kind": "modify_labels",
        "message_ids": message_ids,
        "add": [add],
        "remove": ["INBOX"] if archives else [],
    },
    st.lists(ids, min_size=1, max_size=5, unique=True),
    user_labels,
    st.booleans(),
)
operations = st.one_of(
    modify_operations,
    st.builds(lambda name: {"kind": "create_label", "name": name}, st.sampled_from(["Interview", "Triage/Offer"])),
    st.builds(lambda one: {"kind": "trash", "message_id": one}, ids),
    st.builds(lambda one, inbox: {"kind": "untrash", "message_id": one, "is_to_inbox": inbox}, ids, st.booleans()),
)
foreign_keys = st.sampled_from(
    ["forward", "raw", "to", "deleted", "color", "addTo", "emailAddress", "body", "threadId", "payload", "ids", "Kind"]
) | st.text("abcdefghijklmnopqrstuvwxyz_", min_size=3, max_size=12).map(lambda text: f"x{text}")


@st.composite
def foreign_operations(draw: st.DrawFn) -> dict[str, Any]:
    """A sound operation with one key that does not belong."""
    document = draw(operations)
    return {**document, draw(foreign_keys): draw(st.sampled_from([None, True, "x", ["INBOX"], {"a": 1}]))}


@st.composite
def batch_bodies(draw: st.DrawFn) -> dict[str, Any]:
    """The body of a sound batchModify request."""
    operation = draw(modify_operations)
    return {
        "ids": operation["message_ids"],
        "addLabelIds": operation["add"],
        "removeLabelIds": operation["remove"],
    }
