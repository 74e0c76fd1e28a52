"""A mailbox that does not exist: 440 mails over 90 days to one invented job seeker.

The same seed gives the same bytes on every Python and every machine. The newest mail is of the
afternoon of 27 November 2026; whoever triages it looks on 28 November 2026, 09:00 UTC.

>>> box = resources(seed=2026)
>>> box["address"], box["labels"][0]["name"]
('mara.quill@example.com', 'Family')

The texts are in `mail/*.mail`, as they were written, with no rule in sight:

| files                                 | mails | hold                                                          |
|---------------------------------------|-------|---------------------------------------------------------------|
| board_*                               |   106 | job alerts of six boards, three interviews among them         |
| applications_*, application_threads   |   111 | acknowledgements, tasks, rejections, interviews, offers       |
| recruiters                            |    26 | from personal to blast                                        |
| newsletters, purchases                |    71 | letters, receipts, parcels, tickets                           |
| accounts                              |    30 | codes, banking, doctor, court, flat, taxes                    |
| family, lists_and_notes               |    44 | people, lists, notes to oneself, own replies                  |
| starred_and_filed                     |    10 | what the owner has marked                                     |
| lookalikes, hidden_words, broken_*,   |    42 | false senders, spam, trash, hidden instructions, broken       |
| odd_bodies                            |       | headers, old charsets, mail in mail                           |
"""

from base64 import urlsafe_b64encode
from collections import defaultdict
from typing import TypedDict

from twin.demo.compose import Writer
from twin.demo.dice import Dice
from twin.demo.schedule import Planned, first_ids, label_ids, plan
from twin.demo.templates import read_pools, read_senders, read_templates

ADDRESS = "mara.quill@example.com"
OWNER_NAME = "Mara Quill"


class Resource(TypedDict):
    """One message as Gmail's raw format gives it; `raw` is base64url of its exact bytes."""

    id: str
    threadId: str
    labelIds: list[str]
    internalDate: str
    raw: str


class Label(TypedDict):
    """A label of the owner's own."""

    id: str
    name: str


class Mailbox(TypedDict):
    """All there is; `messages` oldest first."""

    address: str
    messages: list[Resource]
    labels: list[Label]


def resources(seed: int = 2026) -> Mailbox:
    """The demo mailbox of this seed."""
    dice = Dice(seed)
    planned = plan(dice, read_templates())
    threads = first_ids(planned)
    writer = Writer(dice, ADDRESS, OWNER_NAME, read_pools(), read_senders())
    earlier: defaultdict[str, tuple[Planned, ...]] = defaultdict(tuple)
    messages = []
    for mail in planned:
        raw = writer.write(mail, earlier[mail.thread_name])
        earlier[mail.thread_name] += (mail,)
        messages.append(_resource(dice, mail, threads[mail.thread_name], raw))
    labels = [Label(id="Label_1", name="Family"), Label(id="Label_2", name="Taxes 2026")]
    return Mailbox(address=ADDRESS, messages=messages, labels=labels)


def kinds(seed: int = 2026) -> dict[str, str]:
    """Message id to what its author meant it to be; for tests, no mail carries it."""
    return {mail.id: mail.template.kind for mail in plan(Dice(seed), read_templates())}


def _resource(dice: Dice, mail: Planned, thread_id: str, raw: bytes) -> Resource:
    return Resource(
        id=mail.id,
        threadId=thread_id,
        labelIds=list(label_ids(dice, mail)),
        internalDate=str(mail.received_ms),
        raw=urlsafe_b64encode(raw).decode("ascii"),
    )
