"""getProfile and the users.labels methods: list, get with counts, create."""

from collections.abc import Mapping

from twin.call import Answer, Call
from twin.labels import Label, new_label
from twin.listing import wearers
from twin.mailbox import Mail, with_label
from twin.wire import Json, missing

LABEL_FIELDS: Mapping[str, type] = {
    "id": str,
    "name": str,
    "type": str,
    "messageListVisibility": str,
    "labelListVisibility": str,
    "color": dict,
    "messagesTotal": int,
    "messagesUnread": int,
    "threadsTotal": int,
    "threadsUnread": int,
}


def profile(call: Call) -> Answer:
    """getProfile."""
    return call.mail, {
        "emailAddress": call.address,
        "messagesTotal": len(call.mail.messages),
        "threadsTotal": len(call.mail.threads),
        "historyId": str(call.mail.history_id),
    }


def list_labels(call: Call) -> Answer:
    """labels.list: no counts, as in Gmail."""
    return call.mail, {"labels": [label.resource() for label in call.mail.labels.values()]}


def counts(mail: Mail, label: Label) -> Json:
    """Messages and threads that wear the label, and the unread ones among them."""
    index = wearers(mail)
    ids = index.get(label.label_id, frozenset())
    unread = ids & index.get("UNREAD", frozenset())
    return {
        "messagesTotal": len(ids),
        "messagesUnread": len(unread),
        "threadsTotal": len({mail.messages[key].thread_id for key in ids}),
        "threadsUnread": len({mail.messages[key].thread_id for key in unread}),
    }


def get_label(call: Call) -> Answer:
    """labels.get."""
    label = call.mail.labels.get(call.ids[0])
    if label is None:
        raise missing()
    return call.mail, {**label.resource(), **counts(call.mail, label)}


def create_label(call: Call) -> Answer:
    """labels.create."""
    label_id = f"Label_{call.mail.labels_made + 1}"
    body = call.json_body(LABEL_FIELDS)
    collide = call.options.separators_collide
    label = new_label(call.mail.labels, body, label_id, separators_collide=collide)
    return with_label(call.mail, label), label.resource()
