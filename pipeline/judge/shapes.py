"""What a message is by its build alone: an answer, list mail, a broadcast. No rule word is needed to see it.

Promises: names only, one message at a time, bounded; what is not evidently sent to many is no broadcast.

    reply       it answers another mail: In-Reply-To, References, or an answer's subject
    list        it says of itself that it is list or bulk mail, or written by no person
    discussion  a list on which members write: it has an address to post to
    broadcast   sent to many, all of it: list mail that is no answer and no discussion, offers a way out to its
                readers, and has a letter's length or a page's links (then one click is a way out) or
                lies in Gmail's promotions; its sender is not known to be forged
    page         a broadcast of a page's links or length, which no letter to one reader has
    promotions, social, updates, forums    the tab that Gmail put it in
    greeted      it begins with its reader's name, or with a word for one reader
    pressing     some sentence says that something must be done (plain_answers.py)
    asking       some sentence asks, tells or speaks of a matter (plain_answers.py)
    unexplained  that, or it names a day: some sentence is none of those of plain answers

A word that protects where one person is written to says little in a broadcast. Marker sets name the shapes in which
they do not count, patterns those that they need.
"""

import re
from collections.abc import Iterator
from typing import Final, Literal, get_args

from pipeline.judge.people import is_reply
from pipeline.judge.plain_answers import asked_by, asking, pressing, unexplained
from pipeline.mail.fold import fold
from pipeline.mail.reader import Mail

Shape = Literal[
    "reply",
    "list",
    "discussion",
    "broadcast",
    "page",
    "promotions",
    "social",
    "updates",
    "forums",
    "greeted",
    "pressing",
    "asking",
    "unexplained",
]
SHAPES: Final[tuple[str, ...]] = get_args(Shape)
FEWEST_LETTERS: Final = 200
FEWEST_LINKS: Final = 4
PAGE_LETTERS: Final = 400
MAX_CHARACTERS: Final = 400_000
_HEAD_LINES: Final = 12
_GREETING: Final = re.compile(
    r"\W*(?:dear|hi|hello|hey|hiya|good (?:morning|afternoon|evening|day)|bonjour|bonsoir|cher|chere|salut|madame|"
    r"monsieur|hallo|liebe|lieber|guten tag|sehr geehrte\w?|hola|estimad[oa]|mr|mrs|ms|miss)\b(?! (?:all|everyone|"
    r"everybody|there|friends?|readers?|members?|subscribers?|customers?|neighbou?rs?|folks|team|a tous|a toutes|"
    r"zusammen|todos)\b)"
)
_TABS: Final = ("promotions", "social", "updates", "forums")
_BULK: Final = ("bulk", "list", "junk")
_OF_MACHINES: Final = (
    "feedback-id",
    "x-campaign",
    "x-campaignid",
    "x-mailgun-tag",
    "x-sg-eid",
    "x-mc-user",
    "x-csa-complaints",
)
_POSTED: Final = ("list-post", "x-beenthere", "mailing-list")
_WAYS_OUT: Final = tuple(
    """
    unsubscri|opt out|fewer emails|email frequency|how often you|too many emails|stop these|turn off these
    turn off email|pause these|mute these|not interested in these|change your settings|your email settings
    adjust your|edit your settings|opt-out|manage your preferences|email preferences|mail preferences
    manage preferences
    notification settings|email settings|update your preferences|subscription preferences|communication preferences
    manage your subscription|manage subscription|edit your preferences|manage your alerts|manage alerts|edit alert
    manage job alerts|manage your job alerts|turn off this alert|stop receiving|no longer wish to receive
    do not wish to receive|don't want to receive|view in browser|view this email in|view in your browser|view online
    remove yourself|be removed from|removed from this list|removed from our|leave this list|you are subscribed
    receiving this email because|receiving this because|received this email because|receiving these emails
    sent to you because|you subscribed|your subscription to
    stop this alert|cancel this alert|delete this alert|pause this alert|stop your alert|turn off your alert
    stop your job alert|cancel your job|off your alerts|amend or stop|no longer wish to be|how often you hear
    preference centre|preference center|want off this|off this list|to leave the list|rather not hear from us
    turn off offers|pause emails|if you no longer want|email subscription|subscription centre
    abmelden|abbestellen|abmeldung|austragen|im browser ansehen|online ansehen|newsletter erhalten
    desabonner|desinscri|desinscrire|se desinscrire|ne plus recevoir|version en ligne|voir dans votre navigateur
    gerer vos alertes|gerer mes alertes|vos preferences
    darse de baja|darte de baja|date de baja|cancelar la suscripcion|cancelar suscripcion|ver en el navegador
    dejar de recibir|gestionar alertas|disiscri|annulla l'iscrizione|afmelden|uitschrijven|cancelar inscricao
    """.replace("\n", "|").split("|")
)
"""What a mail to many tells its readers about how to leave, folded."""
_LEAVING: Final = tuple(sorted({phrase.strip() for phrase in _WAYS_OUT} - {""}))


def shapes_of(mail: Mail) -> tuple[str, ...]:
    """The shapes of one message, in the order above; none for what nobody has seen the headers of."""
    build = _shapes(mail) if mail.headers_seen else _tabs(mail)
    return (*build, *_of_sentences(mail))


def _of_sentences(mail: Mail) -> Iterator[str]:
    """Both bodies are read: either may be what the reader sees."""
    bodies = dict.fromkeys((mail.body.text, mail.body.visible_html_text))
    is_asked = asked_by(mail.subject)
    if any(map(_greets, bodies)):
        yield "greeted"
    if any(map(pressing, (mail.subject, *bodies))):
        yield "pressing"
    if is_asked or any(map(asking, bodies)):
        yield "asking"
    if is_asked or any(map(unexplained, bodies)):
        yield "unexplained"


def _greets(body: str) -> bool:
    """Whether one of the first lines speaks to a reader."""
    return any(_GREETING.match(fold(line)) for line in body.splitlines()[:_HEAD_LINES])


def _shapes(mail: Mail) -> Iterator[str]:
    is_answer, is_listed, is_discussed = answers(mail), is_list_mail(mail), _is_discussed(mail)
    if is_answer:
        yield "reply"
    if is_listed:
        yield "list"
    if is_discussed:
        yield "discussion"
    if is_listed and not is_answer and not is_discussed and mail.auth.dmarc != "fail" and _is_to_many(mail):
        yield "broadcast"
        if _is_page(mail):
            yield "page"
    yield from _tabs(mail)


def answers(mail: Mail) -> bool:
    """Whether it answers another mail, also under a new subject."""
    named = (mail.headers.first("in-reply-to"), mail.headers.first("references"))
    return any(value and value.strip() for value in named) or is_reply(mail.subject)


def is_list_mail(mail: Mail) -> bool:
    """Whether its own headers call it list mail, bulk mail or a machine's."""
    if mail.has_unsubscribe or mail.list_id is not None or any(mail.headers.first(name) for name in _OF_MACHINES):
        return True
    automatic = fold(mail.headers.first("auto-submitted") or "no")
    return fold(mail.headers.first("precedence") or "") in _BULK or not automatic.startswith("no")


def _is_discussed(mail: Mail) -> bool:
    values = [fold(mail.headers.first(name) or "") for name in _POSTED]
    return any(value and value != "no" and not value.startswith("no ") for value in values)


def _is_to_many(mail: Mail) -> bool:
    said = f"{mail.body.text}\n{mail.body.visible_html_text}"[:MAX_CHARACTERS]
    is_page = _has_a_pages_links(mail)
    if is_page and mail.one_click:
        return True
    is_long = is_page or "promotions" in _tabs(mail) or sum(map(str.isalpha, said)) >= FEWEST_LETTERS
    folded = fold(said) if is_long else ""
    return any(phrase in folded for phrase in _LEAVING)


def _is_page(mail: Mail) -> bool:
    bodies = (mail.body.text, mail.body.visible_html_text)
    return _has_a_pages_links(mail) or max(sum(map(str.isalpha, body)) for body in bodies) >= PAGE_LETTERS


def _has_a_pages_links(mail: Mail) -> bool:
    return len({link.href for link in mail.body.links}) >= FEWEST_LINKS


def _tabs(mail: Mail) -> Iterator[str]:
    worn = set(mail.label_ids or ())
    return (tab for tab in _TABS if f"CATEGORY_{tab.upper()}" in worn)
