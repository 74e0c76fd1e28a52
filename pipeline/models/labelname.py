"""Label names that Gmail takes and a person can tell apart; anything else is refused when the rules are read.

Gmail answers 400 to reserved names in any letter case and language, in the middle of a run. So names are checked
before anything is fetched. System labels are addressed by id and never created.

>>> read_label_name("Job Search/Interview")
'Job Search/Interview'
"""

from typing import Final

from pipeline.mail.fold import fold, is_invisible
from pipeline.refusals import LabelNameRefused

MAX_CHARACTERS: Final = 225

# Sources: Gmail's system label ids, its folder names over IMAP, and its own translations as far as public reports go.
_RESERVED: Final = frozenset(
    fold(name)
    for name in """
    all mail
    archive
    archived
    bin
    category
    chat
    chats
    conversation history
    draft
    drafts
    forums
    gmail
    [gmail]
    [google mail]
    google mail
    [imap]
    important
    inbox
    junk
    junk e-mail
    muted
    outbox
    personal
    primary
    promotions
    read
    scheduled
    sent
    sent mail
    snoozed
    social
    spam
    starred
    trash
    unread
    updates
    voicemail
    posteingang
    gesendet
    entwurfe
    papierkorb
    markiert
    wichtig
    alle nachrichten
    boite de reception
    messages envoyes
    brouillons
    corbeille
    suivis
    tous les messages
    recibidos
    bandeja de entrada
    enviados
    borradores
    papelera
    destacados
    posta in arrivo
    posta inviata
    bozze
    cestino
    caixa de entrada
    rascunhos
    lixeira
    postvak in
    verzonden
    prullenbak
    """.splitlines()
    if name.strip()
)


def read_label_name(name: str) -> str:
    """The name itself. Raises LabelNameRefused for reserved, empty, dirty or overlong names."""
    problem = _problem(name)
    if problem:
        raise LabelNameRefused(
            f"label name {name!r} may not be used",
            evidence=problem,
            next_command="choose another label in taxonomy.toml",
        )
    return name


def _problem(name: str) -> str:
    if not name.strip():
        return "it is empty"
    if len(name) > MAX_CHARACTERS:
        return f"it is longer than {MAX_CHARACTERS} characters"
    if any(is_invisible(c) or (c.isspace() and c != " ") or not (c.isprintable()) for c in name):
        return "it holds a control, line-breaking or invisible character"
    if name != " ".join(name.split(" ")) or "  " in name:
        return "it holds repeated blanks"
    if name.startswith("^"):
        return "names that begin with ^ are Gmail's own"
    return _segment_problem(name)


def _segment_problem(name: str) -> str:
    segments = name.split("/")
    if any(segment != segment.strip() or not segment for segment in segments):
        return "a part between slashes is empty or begins or ends with a blank"
    first = fold(segments[0])
    if first in _RESERVED or first.startswith("category_"):
        return f"{segments[0]!r} is a name of Gmail's own"
    return ""
