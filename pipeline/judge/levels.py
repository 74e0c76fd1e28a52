"""How much a message is mistrusted: one table says what each sign weighs and why; the sum gives the level.

Promises: a further sign never lowers a level; a sign that the table does not know weighs the most. The levels nest:
what is flagged is held too, and what is held is never unsubscribed from.

    none    nothing stands against it
    wary    never unsubscribe from it: an answer would tell a stranger that the mailbox is read
    hold    no action, not even a label, and no model sees it
    flag    the same, and it is called suspicious to the owner's face

>>> level_of(["dmarc_fail"]), level_of(["dmarc_fail", "name_claims_brand"]), level_of([])
(<Level.HOLD: 2>, <Level.FLAG: 3>, <Level.NONE: 0>)
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, Literal

Kind = Literal["injection", "disguise", "unreadable", "partial"]
Verdict = Literal["injection", "suspicious", "unreadable", "partial", "clean"]


class Level(IntEnum):
    """Ordered: a higher level forbids more."""

    NONE = 0
    WARY = 1
    HOLD = 2
    FLAG = 3

    @property
    def word(self) -> str:
        """How tables and people name it."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Sign:
    """What one kind of evidence weighs, in points, and why it weighs that."""

    kind: Kind
    points: int
    why: str


NEEDED: Final = {Level.WARY: 2, Level.HOLD: 4, Level.FLAG: 6}
"""Points from which a level holds."""

_I: Final[Kind] = "injection"
_D: Final[Kind] = "disguise"
SIGNS: Final[dict[str, Sign]] = {
    # words to a machine
    "instruction": Sign(_I, 6, "said to no person: an order to drop what a machine was told, or about this very mail"),
    "chat_token": Sign(_I, 6, "marks by which chat models tell roles apart; mail has no use for them"),
    "tag_characters": Sign(_I, 6, "letters that show nothing and that a model reads"),
    "encoded_order": Sign(_I, 6, "an order to a machine, packed so that a person cannot read it"),
    "orders:hidden": Sign(_I, 6, "what a reader cannot see gives orders"),
    "role_line": Sign(_I, 6, "a line that speaks as the system and commands"),
    "addressed": Sign(_I, 4, "speaks to whatever machine reads the mail"),
    "persona": Sign(_I, 4, "tells the reader that it is a machine of another kind"),
    "perhaps_addressed": Sign(_I, 2, "what an agent or model must do, as news and contracts say too"),
    "perhaps_persona": Sign(_I, 2, "you are an assistant, as job mail says too"),
    "secrets": Sign(_I, 4, "asks for what only a machine was told"),
    "concealment": Sign(_I, 4, "asks that the user be told nothing"),
    "image_of_answer": Sign(_I, 4, "an image address with a gap that an answer would fill"),
    "new_orders": Sign(_I, 3, "announces other orders; people do it to each other too"),
    "boundary": Sign(_I, 3, "claims that what was given to read ends here"),
    "bare_answer": Sign(_I, 3, "wants an answer of exactly these words and nothing else"),
    "shapes_answer": Sign(_I, 2, "says what must stand in an answer; list servers do too"),
    "errand": Sign(_I, 2, "an errand for somebody with a mailbox; lists say so about subscribing"),
    "drops_above": Sign(_I, 3, "what stands above is to be ignored; people correct themselves so too"),
    "earlier_orders": Sign(_I, 3, "refers to orders given earlier; a mail has no earlier orders"),
    "no_matter": Sign(_I, 2, "insists whatever else was said"),
    "does_following": Sign(_I, 2, "perform the following, as forms say too"),
    "pretext": Sign(_I, 2, "calls itself a test, an exercise or an emergency"),
    "commanded": Sign(_I, 2, "tells the reader that it was given a task"),
    "block": Sign(_I, 2, "wants the answer as a block of code"),
    "marks_answer": Sign(_I, 4, "says what must stand at the edge of every answer"),
    "speaks_output": Sign(_I, 2, "says output or print where people say tell"),
    "your_insides": Sign(_I, 2, "asks for the reader's own configuration or makers"),
    "what_stands_above": Sign(_I, 2, "refers to a text above that the reader of a mail does not have"),
    "banner": Sign(_I, 2, "a heading between stars; plain newsletters have them too"),
    "tag_pair": Sign(_I, 2, "marked up like data for a program"),
    "exact_words": Sign(_I, 2, "wants words repeated exactly"),
    "no_limits": Sign(_I, 2, "speaks of answers without rules or filters"),
    "mode": Sign(_I, 2, "switches to another mode, as devices do too"),
    "authority": Sign(_I, 2, "speaks as a system or its maker"),
    "about_the_user": Sign(_I, 2, "speaks to somebody else about the user"),
    "tool": Sign(_I, 2, "names a function to call; programmers do too"),
    "before_answer": Sign(_I, 2, "something to do before the answer"),
    "takes_away": Sign(_I, 2, "wants whole collections of data sent away"),
    "while_reading": Sign(_I, 2, "says what to do when one sums up or answers this text"),
    "code": Sign(_I, 2, "script where text is expected"),
    "dictates_summary": Sign(_I, 4, "says what a summary of this very mail must say"),
    "mail_call": Sign(_I, 4, "calls a function of a mailbox, which people do not type to each other"),
    "about_the_owner": Sign(_I, 2, "speaks to somebody else about the one whose mailbox it is"),
    "ranks": Sign(_I, 3, "says how whoever reads it has to rank somebody"),
    "remembers": Sign(_I, 3, "wants something kept in a memory"),
    "vouches": Sign(_I, 3, "says that senders or mail must pass for trusted"),
    "mail_errand": Sign(_I, 1, "what to do with this mail, as people ask each other too"),
    "from_now_on": Sign(_I, 2, "sets a rule for all answers to come"),
    # who it says it is
    "name_holds_address": Sign(_D, 4, "the name shows one address, the mail has another"),
    "name_mixes_scripts": Sign(_D, 6, "one word in two alphabets whose letters look alike"),
    "domain_lookalike": Sign(_D, 6, "a known domain one slip away"),
    "correspondent_lookalike": Sign(_D, 6, "the domain or mailbox of somebody the owner wrote to, one slip away"),
    "correspondent_elsewhere": Sign(_D, 2, "the name of somebody the owner wrote to; people have several addresses"),
    "correspondent_neighbour": Sign(_D, 2, "beside the domain or mailbox of somebody the owner wrote to"),
    "owner_lookalike": Sign(_D, 6, "the owner's mailbox in other letters that look the same"),
    "owner_neighbour": Sign(_D, 2, "beside the owner's domain or mailbox; relatives and branches are there too"),
    "disguised_word": Sign(_D, 6, "a lure or brand written with other letters that look the same"),
    "claims_owner": Sign(_D, 4, "the owner's address on mail that the owner did not send"),
    "name_claims_brand": Sign(_D, 3, "a brand's name on another domain; hiring systems and fans do that too"),
    "domain_wears_brand": Sign(_D, 4, "a brand's name as a part of somebody else's domain"),
    "plain_word_worn": Sign(_D, 2, "a brand that is also a plain word, in the name and in somebody else's domain"),
    "address_claims_brand": Sign(_D, 2, "a brand's name before the @ of another domain"),
    "name_claims_domain": Sign(_D, 1, "a domain in the name that is not the sender's; honest newsletters do it"),
    "office_on_free_mail": Sign(_D, 2, "a help desk or bank that writes from a free mailbox"),
    "sender_on_hosting": Sign(_D, 2, "a sender whose domain anyone gets for the asking"),
    "reply_elsewhere": Sign(_D, 1, "answers go to a free mailbox that is not the sender's"),
    "sender_missing": Sign("unreadable", 4, "nobody can say who sent it"),
    "sender_ambiguous": Sign("unreadable", 4, "nobody can say who sent it"),
    "unreadable": Sign("unreadable", 4, "nobody could read it"),
    # what Gmail found
    "dmarc_fail": Sign(_D, 4, "the domain says this mail is not its own"),
    "forges_own_domain": Sign(_D, 2, "such a failure in the name of the owner's own organisation"),
    "auth_unread": Sign(_D, 4, "what Gmail found cannot be read, and the sender chose a part of that text"),
    "not_authenticated": Sign(_D, 2, "nothing shows that the domain sent it; such mail has become rare"),
    "fails_in_part": Sign(_D, 2, "one check failed while another one vouches for the same domain"),
    "spf_fail": Sign(_D, 4, "the domain says this server is not its own"),
    "dkim_fail": Sign(_D, 4, "what was signed was changed"),
    "fails_through_list": Sign(_D, 2, "a signed mailing list changed it, which breaks signatures honestly"),
    # where it leads
    "link_to_number": Sign(_D, 4, "a link to a number instead of a name"),
    "number_among_many": Sign(_D, 2, "such a link among those of many sites, as in digests and lists of links"),
    "link_with_userinfo": Sign(_D, 4, "a host's name written in front of another host"),
    "link_lookalike": Sign(_D, 6, "a link to a known domain one slip away"),
    "link_shows_another_host": Sign(_D, 4, "the text shows one host, the link goes to another, and it asks to sign in"),
    "link_to_script": Sign(_D, 2, "a link that carries a program in itself; old newsletters do too"),
    "link_to_shortener": Sign(_D, 1, "a link that hides where it goes"),
    "link_to_hosting": Sign(_D, 1, "a link to where anyone may publish in a minute"),
    "mail_link_to_free": Sign(_D, 2, "a button in an organisation's mail that writes to a free mailbox"),
    "picture_leads_away": Sign(_D, 2, "nothing but a picture, and no link of the sender's own"),
    "link_names_owner": Sign(_D, 2, "the owner's address rides in a link to a stranger's page"),
    # what it wants
    "lure": Sign(_D, 1, "an account, prize or parcel that needs the reader; honest mail says so too"),
    "lure_leads_away": Sign(_D, 2, "such words, and no link of the sender's own"),
    "impersonal": Sign(_D, 1, "who has an account with the sender is not called a customer"),
    "bait_domain": Sign(_D, 2, "a sender's domain that joins a name with a word such as login or refund"),
    "link_to_bait": Sign(_D, 1, "a link to such a domain that is not the sender's"),
    "reply_to_other_mailbox": Sign(_D, 2, "from one free mailbox, with answers to another"),
    "chat_elsewhere": Sign(_D, 2, "an interview or a job over a private chat"),
    "cheque": Sign(_D, 3, "a stranger sends a cheque, to be spent before it bounces"),
    "wants_papers": Sign(_D, 3, "name, age and bank to be sent in an answer"),
    "gift_cards": Sign(_D, 4, "cards to be bought and their codes to be sent"),
    "in_private": Sign(_D, 2, "somebody above who cannot be called and wants it kept quiet"),
    "other_account": Sign(_D, 2, "payments are to go to another account from now on; suppliers do move banks"),
    "pressure": Sign(_D, 1, "a deadline or threat beside such words"),
    "fortune": Sign(_D, 2, "some of the vocabulary of a stranger's fortune"),
    "advance_fee": Sign(_D, 4, "the vocabulary of inheritances, transfers and donations from strangers"),
    "extortion": Sign(_D, 6, "a coin address beside a threat"),
    "attachment_executable": Sign(_D, 6, "a program as an attachment"),
    "attachment_page": Sign(_D, 4, "a page as an attachment that asks to be opened"),
    "attachment_locked": Sign(_D, 4, "an archive, and its password in the text: sealed against scanners"),
    "invisible_run": Sign(_D, 4, "many invisible characters in a row"),
    "broken_words": Sign(_D, 4, "invisible characters inside Latin words"),
    # what was not seen
    "headers_not_seen": Sign("partial", 0, "a shape without headers"),
    "body_not_fetched": Sign("partial", 0, "nobody asked for the body yet"),
    "body_lossy": Sign("partial", 0, "not all of the body could be read"),
    "subject_not_readable": Sign("partial", 0, "the subject could not be read"),
    "headers_over_cap": Sign("partial", 0, "more headers than are read"),
}
_UNKNOWN: Final = Sign(_D, NEEDED[Level.FLAG], "a sign that nobody described")


def sign_of(evidence: str) -> Sign:
    """The sign behind an evidence id (`name` or `name:place`); an unknown one weighs the most."""
    return SIGNS.get(evidence) or SIGNS.get(evidence.partition(":")[0]) or _UNKNOWN


def level_of(evidence: Iterable[str]) -> Level:
    """The level of a set of evidence ids; each counts once."""
    return _reached(sum(sign_of(one).points for one in set(evidence)))


def verdict_of(evidence: Iterable[str]) -> Verdict:
    """The worst verdict that the evidence bears. What is held or flagged is never `clean` or `partial`."""
    found = [sign_of(one) for one in set(evidence)]
    told = sum(sign.points for sign in found if sign.kind == "injection")
    kinds = {sign.kind for sign in found}
    if told >= NEEDED[Level.HOLD]:
        return "injection"
    if told + sum(sign.points for sign in found if sign.kind == "disguise") >= NEEDED[Level.HOLD]:
        return "suspicious"
    if "unreadable" in kinds:
        return "unreadable"
    return "partial" if "partial" in kinds else "clean"


def _reached(points: int) -> Level:
    return max((level for level, needed in NEEDED.items() if points >= needed), default=Level.NONE)
