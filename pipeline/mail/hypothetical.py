"""Sentences that ask for nothing because they say what would happen if: cut out before requests are looked for.

"If your profile is a match, we will invite you to an interview" invites nobody; nor does "shortlisted applicants
complete a test". What depends on the reader stays ("if you are free, pick a time"), and so does whatever names a day,
a place to act or a wish: a sentence is cut only if nothing in it stands against that. In doubt it stays, and with it
the mail.

    ours        it depends on what the sender decides, finds or sees: if we ..., if your application ..., once selected
    others      it speaks of candidates at large, and not of the reader
    silence     what it means when nothing is heard any more
    small print privacy, equal opportunities, confidentiality, fraud, adjustments

>>> certain("We have your application. If there is a match, we will call you for an interview.").strip()
'We have your application.'
>>> certain("If you are free on Monday, we could do the interview then.")
'If you are free on Monday, we could do the interview then.'
"""

import re
from functools import lru_cache
from itertools import groupby
from typing import Final

from pipeline.mail.fold import fold, is_plain_ascii

MAX_CHARACTERS: Final = 400_000
_REMEMBERED: Final = 400
"""The characters of the longest sentence that is remembered: all of them take a few MB."""
_WRAPPED: Final = 44
"""A line as long as this goes on in the next one, unless it ends a sentence."""
_FEWEST_WORDS: Final = 4
_TORN: Final = 8
_END: Final = re.compile(r"(?<=[.!?\u3002])[\"')\u2019\u201d]*\s+")
_TITLES: Final = ("mr.", "mrs.", "dr.", "prof.")
_NUMBERED: Final = ("ref.", "réf.", "no.", "req.")
"""Words whose stop ends no sentence: before a name, and before a number."""
_STOP: Final = tuple(".!?:;\u3002")
_APOSTROPHES: Final = str.maketrans({"\u2019": "'", "\u2018": "'", "\u02bc": "'", "`": "'"})
_LIKELY: Final = re.compile(
    r"\b(?:if|should|once|when|unless|where|candidates?|applicants?|applications|those|shortlist\w*|process|privacy|"
    r"personal|accommodations?|adjustments?|opportunit\w+|fraud\w*|confidential\w*|error|hear|heard|contacted|might|"
    r"may|si|sans|absence|defaut|seuls|seules|candidats?|candidatures|processus|donnees|lorsque|des que|falls|wenn|"
    r"sollten?|bewerber\w*|datenschutz\w*|candidatos|seleccionad\w+|datos)\b"
)


def _any(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{part})" for part in parts))


_IF: Final = r"\b(?:if|should|once|in case|as soon as|provided)\b"
_THINGS: Final = (
    r"(?:applications?|profile|background|experience|skills?|qualifications?|resume|cv|candidacy|submission|details|"
    r"credentials|portfolio|answers|materials|work)"
)
_CHOSEN: Final = (
    r"(?:selected|shortlisted|short-listed|successful|chosen|invited|considered|referred|picked|progressed|advanced|"
    r"moved|unsuccessful|longlisted|approved|eligible|among|through to|put forward|called|contacted|one of|"
    r"an? \w{0,12} ?(?:match|fit)|the right|a match|a fit)"
)
_OF_THE_READER: Final = (
    r"(?:documents?|assessments?|tests?|contracts?|forms?|passports?|interviews?|offers?|dates?|times?|slots?|links?|"
    r"calls?|appointments?|attachments?|cop(?:y|ies)|papers?|questionnaires?|tasks?|exercises?|numbers?|day|works?|"
    r"certificates?|references?|diplomas?|medical|salary|transcripts?|proof|sounds?|codes?|suits?|is (?:fine|ok|okay|"
    r"convenient|acceptable|agreeable|possible))"
)
"""What depends on the reader is theirs to send, to take or to agree to: no hypothesis of the sender's."""
_OURS: Final = _any(
    rf"{_IF} we\b(?!(?: do not| don't| have not| haven't)? (?:hear|receive|get|got)\b"
    r"| (?:do not |don't )?have (?:the|your|received|got|heard|two|three|both|all)\b)",
    rf"{_IF} (?:our|it|this|that|things|anything|there|the|a|an)\b(?! (?:\w+ )?{_OF_THE_READER}\b)",
    rf"{_IF} (?:he|she|they|someone|one of us|any of|either|\w+ from)\b",
    rf"{_IF} your \w{{0,15}} ?(?:and \w+ )?{_THINGS}\b",
    rf"{_IF} you(?:'re| are| were| have been|'ve been| get| become| be| make it| reach| move| advance|"
    rf" progress)? ?(?:also |then |not |eventually )?{_CHOSEN}",
    rf"{_IF} (?:you )?(?:make it|reach|move|advance|progress|get) (?:through |on |forward )?to\b",
    rf"{_IF} {_CHOSEN}",
    r"\bsi (?:votre|vos|ta|ton) (?:candidature|profil|dossier|cv|experience|parcours|competences|qualifications)",
    r"\bsi (?:vous (?:etes|etiez|faites partie)|tu es) \w{0,12} ?(?:retenu|selectionn|preselectionn|convoqu|convi|"
    r"choisi)",
    r"\b(?:si|lorsque|quand|des que) (?:nous|elle|elles|il|ils|le|la|les|notre|un|une|cela|celui-ci|celle-ci|"
    r"l')\b(?!.{0,40}\b(?:convien\w+|creneaux?|offre de|diplome|certificat|contrat|lien|suffit|interesse)\b)",
    r"\b(?:en cas d|le cas echeant|dans le cas ou|dans l'hypothese)",
    r"\b(?:falls|wenn|sollten?|sobald) (?:wir|unser\w*|es|ihre?|deine?|die|der|das|ein\w*) ?(?:profil|bewerbung\w*|"
    r"unterlagen|qualifikation\w*|erfahrung\w*|lebenslauf|uns|weitere|eine?)?\b(?! zeit)(?!.{0,30}\bpass(?:t|en)\b)",
    r"\bsi (?:tu|su) (?:candidatura|perfil|solicitud|experiencia|cv)",
    r"\bsi (?:eres|resultas|es usted) (?:seleccionad|preseleccionad)",
)
_OTHERS: Final = _any(
    r"\b(?:shortlisted|short-listed|successful|selected|suitable|qualified|chosen|unsuccessful|referred|most|many|"
    r"some|all|only|those|other|strong|relevant|potential|eligible|every|each|not every|few) (?:of )?(?:the |"
    r"those )?(?:candidates?|applicants?|applications|people)\b(?! (?:must|needs?|have to|has to|should|receives? th|"
    r"takes?|completes?|submits?|sends?|uploads?|brings?|meets?|sits?|have|starts?|attends?|joins?|gets?|only)\b)",
    r"\b(?:candidates|applicants) (?:who|whose|that|often|selected|shortlisted|may|might|will|can|with|ask|invited|"
    r"chosen|we|are (?:then |usually |typically |normally )?(?:selected|shortlisted|contacted|invited|assessed|"
    r"considered|informed|notified|reviewed|ranked))\b",
    r"\bthose (?:who|selected|shortlisted|we|invited|chosen)\b",
    r"\b(?:hiring|interview|interviewing|recruitment|recruiting|selection|application) (?:process|stages?|"
    r"rounds?) (?:usually|typically|normally|generally|often|includes?|consists?|takes?|involves?|has|may|can|varies|"
    r"is|for)\b",
    r"\binterviews (?:(?:are|will|may) (?:\w+ ){0,2}?(?:held|conducted|scheduled|arranged|usually|typically|normally|"
    r"generally|planned|expected|likely|take place|be|include|involve)|usually|typically|normally|take place|week|"
    r"to be)\b|\binterview week\b",
    r"\b(?:role|position|team|process) (?:goes|go) through\b",
    r"\b(?:may|might) (?:then )?(?:be (?:asked|invited|contacted|required|considered)|include|involve|contact you|"
    r"ask you)\b",
    r"\bles candidats? (?:retenu|selectionn|preselectionn|dont|qui|seront)",
    r"\b(?:seuls|seules|tous|toutes|chaque|certains) (?:les |nos )?(?:candidats?|candidatures|profils|"
    r"personnes)(?!.{0,80}\b(?:recoivent|doivent)\b)",
    r"\b(?:processus|parcours) de (?:recrutement|selection) (?:comporte|comprend|se deroule|peut|dure|est)",
    r"\b(?:les|des) entretiens,? (?:auront lieu|sont (?:prevus|organises|menes|planifies)|se derouleront|ont lieu|"
    r"seront)\b(?! en salle)",
    r"\b(?:bewerber\w*|kandidat\w*), (?:die|deren)\b",
    r"\b(?:solo|unicamente) (?:los|las|nos) ",
    r"\blos candidatos (?:seleccionad|que|cuyo)",
)
_SILENCE: Final = _any(
    r"\b(?:if|should|unless|where) you (?:do not|don't|have not|haven't|are not|aren't|hear|not|"
    r"have) ?(?:been )?(?:hear(?! the)|heard(?! (?:from|about) (?!us\b|me\b|our\b|any\w*|the (?:\w+ )?(?:team|"
    r"company|recruit\w+|hiring|hr)))|contacted|(?:receive|received)(?! (?:the|your|our|this|that) )|nothing|"
    r"back from)",
    r"\byou do not hear\b|\bhave not been contacted\b|\bnot heard from us\b|\byou hear nothing\b",
    r"\b(?:sans|absence de|defaut de|faute de) (?:\w+ )?(?:reponse|nouvelles?|retour|reception|convocation|contact|"
    r"message|appel)\b(?! (?:favorable |positif |positive )?de votre part)",
    r"\bpas de (?:reponse|nouvelles|retour) (?:d'ici|sous|dans|avant|apres|de notre)",
    r"\bsi (?:toutefois |cependant |neanmoins )?(?:vous (?:n'avez|n'aviez|ne recevez|ne receviez|n'etes|n'etiez)|"
    r"tu (?:n'as|n'avais|ne recois))",
    r"\bwenn sie (?:(?:bis|innerhalb|binnen) .{0,40})?(?:nichts (?:von uns|horen)|keine (?:nachricht|ruckmeldung|"
    r"antwort))|\bsi no (?:recib|tienes|tiene|te contact|le contact|has recib)",
)
_SMALL_PRINT: Final = _any(
    r"\bequal (?:employment )?opportunit|\bregardless of|\bwithout regard to|\bprotected veteran|\bdiscriminat",
    r"\b(?:reasonable|workplace|any) (?:accommodations?|adjustments?)\b|\baccommodations? (?:during|to|for|because)\b",
    r"\bprivacy (?:policy|policies|notice|statement|centre|center|information|rights|laws?|regulations?|matters)\b|"
    r"\byour privacy\b|\bpersonal (?:data|information)\b|\bdata protection\b|\bgdpr\b|\b(?:recruitment|recruiting|"
    r"hiring|selection|other|these|which|any|legal|statistical|reporting|monitoring) purposes\b|\bright to (?:know|"
    r"erase|access)|\bpurposes: ",
    r"\bconfidential\w*\b.{0,120}\b(?:e-?mail|message|communication|recipient|addressee|information|content|contents|"
    r"attachments?|transmission)\b|\b(?:e-?mail|message|communication|information|transmission|applications?|"
    r"enquir\w+)\b.{0,120}\bconfidential|\bin (?:strict|the strictest|full|complete) confidence\b|"
    r"\bintended (?:solely|only) for\b|\bnot the (?:intended|named) (?:recipient|addressee)\b|\b(?:received|"
    r"receive) (?:it|this \S+|the \S+) in error\b",
    r"\b(?:fraud|scam|phishing)\w*|\bnever asks?\b|\bwill never ask\b|\bnever (?:request|charge)s?\b",
    r"\bdonnees personnelles\b|\brgpd\b|\bconfidentialite\b|\bdatenschutz|\bdatos personales\b|"
    r"\bproteccion de datos\b",
)
_DAYS: Final = (
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|today|tonight|this (?:week|afternoon|morning|"
    r"evening)|montag|dienstag|mittwoch|donnerstag|freitag|morgen|heute|lundi|mardi|mercredi|jeudi|vendredi|samedi|"
    r"demain|aujourd'hui|cette semaine|lunes|martes|miercoles|jueves|viernes|manana|hoy"
)
_MONTHS: Final = (
    r"jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|fevrier|march|maerz|marz|mars|april|avril|may|mai|june|juni|juin|july|"
    r"juli|juillet|aug(?:ust)?|aout|sept?(?:ember|embre)?|oct(?:ober|obre)?|okt(?:ober)?|nov(?:ember|embre)?|"
    r"de[cz](?:ember|embre)?"
)
_DATED: Final = _any(
    rf"\b(?:{_DAYS})\b",
    rf"\b\d{{1,2}}(?:st|nd|rd|th|er|\.)? (?:of )?(?:{_MONTHS})\b|\b(?:{_MONTHS}) \d{{1,2}}\b",
    r"\b\d{1,2}[:.h]\d{2}\b|\b\d{1,2} ?(?:am|pm|a\.m|p\.m|uhr|o'clock|h)\b|\b(?:at|between) (?:one|two|three|four|"
    r"five|six|seven|eight|nine|ten|eleven|twelve|noon)\b|\b(?:half|quarter) (?:past|to)\b",
)
_ASKED: Final = _any(
    r"\?",
    r"\b(?:has|have) not (?:yet )?been (?:submitted|received|completed|signed|uploaded|returned|provided|paid)\b|"
    r"\bwithout (?:it|them|this|these|which)\b|\b(?:is|are) (?:still )?(?:missing|outstanding|unsigned|incomplete)\b|"
    r"\b(?:is|will be|would be) enough\b|\bsuffi(?:t|ces?)\b|\b(?:job|post|position|role) (?:is yours|went to|"
    r"goes to)\b|\bune question\b|\b(?:aimerais|aimerions|souhaiterais|souhaiterions|voudrais|voudrions) (?:savoir|"
    r"connaitre)\b|\b(?:le lien (?:se trouve|est)|the link is|candidatures (?:accompagnees|completees))\b|"
    r"\b(?:among them|that includes|where we are|days for|until the end of)\b|\b(?:still need|in the portal|(?:this|"
    r"the test|the following|ce|cet) (?:link|lien))\b|\b(?:call|ring|phone|text) (?:\w+ ){1,3}(?:at|on) \+?\d",
    r"\b(?:driving licen[cs]e|both sides|codes?|attachments?|signed|signature|counter-?sign\w*)\b",
    r"\b(?:all|every|each) (?:of the )?(?:candidates?|applicants?|people) (?:must|need(?:s)? to|ha(?:ve|s) to|(?:is|"
    r"are) (?:required|asked|requested|expected) to)\b",
    r"\bplease (?!note|be (?:aware|assured|advised|patient|informed)|allow|do not|don't|consider|assume|accept|"
    r"understand|keep|bear|refrain|contact|email|visit|see|refer|check|notify|delete|read|feel|"
    r"let us know (?:if you (?:need|require)|how we can))",
    r"\b(?:kindly (?!note|be|ask you to consider|consider)|you must (?!not)|you need to|you have to|"
    r"you should (?!take it|assume|consider|hear|receive|expect)|we need|we ask|next steps? (?:is|are|for you)|"
    r"next step's|we require|we want you|we'd like you|could you|can you|would you|will you|"
    r"let us know (?!if you (?:need|require))|let me know|tell us|reply|respond|confirm|click|below|attached|"
    r"enclosed|book a|pick a|choose (?!to (?:move|proceed|go|progress|pursue)|you\b|another|someone|not)|select a|"
    r"send us|send me|call me|congratulations|we are (?:pleased|delighted|happy|excited)|we're (?:pleased|delighted|"
    r"happy|excited)|good news|(?<!if )we'd love|(?<!if )we would (?:like|love) to (?!keep|thank)|you are now|"
    r"you're now|your (?:interview|test|assessment|offer|meeting|call) (?:is|has|will|with|on|at))\b(?! apply)",
    r"\b(?:merci (?:de|d')(?! (?:ne|votre|l'interet|considerer|noter|patienter))|veuillez (?!noter|considerer|"
    r"en deduire|agreer|recevoir|croire|ne)|pourriez|pouvez (?!considerer|partir du principe|en deduire|en conclure|"
    r"conclure|estimer)|seriez|etes-vous|dites|precisez|indiquez|saurions gre|attendus?|munis?|faute de quoi|"
    r"priere de|ci-joint|ci-dessous|cliquez|felicitations|votre (?:entretien|test) (?:est|aura))",
    r"\b(?:bitte (?!beachten|haben|antworten sie nicht|nicht)|konnten sie|konnen sie|melden sie|teilen sie|anbei|"
    r"gluckwunsch)",
    r"\b(?:por favor(?!, no)|podrias|puedes|indica|adjunt|enhorabuena)",
)
_LAW: Final = re.compile(
    r"\b(?:loi|law|act|reglement|regulation|directive|ordonnance|gesetz|verordnung|ley|rgpd|gdpr)\b.{0,60}?"
    rf"\b(?:\d{{1,2}} (?:{_MONTHS}) |(?:{_MONTHS}) \d{{1,2}}, )\d{{4}}"
)
"""The day of a law is nobody's appointment."""
_READER: Final = _any(
    r"\byou\b(?! (?:will|'ll) (?:receive|be (?:notified|informed|contacted)))|\byou're\b|\byour (?!application|"
    r"profile|details|background|qualifications|experience|skills|cv|resume)",
    r"\bvous (?:etes|avez|faites|invit)|\bvous invit|\bvotre (?!candidature|profil|dossier|cv)",
    r"\b(?:sie|ihnen|dich|dir|du)\b(?! (?:sich|haben))|\b(?:te|tu|usted|le) \w+",
)
_DECIDED: Final = re.compile(
    r"\b(?:decided|chosen to|chose|unfortunately|regret\w*|sorry|afraid|(?:have|has|had|been) (?:now )?(?:selected|"
    r"shortlisted|chosen|identified|filled|offered|appointed)|mov(?:e|ed|ing) (?:forward|ahead|on) with|pursuing|"
    r"(?:more|most) closely|better (?:fit|match|suited)|proceed(?:ed|ing)? with|your(?:s| application| cv| profile|"
    r" candidacy) (?:has|have|was|is|will|did|can) (?:not|no longer)|(?:will|would) not be|won't be|"
    r"made the decision|decision to|no longer be (?:considered|going)|closed out|malheureusement|avons (?:choisi|"
    r"retenu|decide)|leider|entschieden|lamentablemente)\b"
)
_READER_ASIDE: Final = re.compile(
    r"\b(?:contact you|ask you|be in touch with you|you may|you might|tell you|keep you)\b"
)


def certain(text: str) -> str:
    """The text without its hypothetical sentences; what surrounds them keeps its order, a line each."""
    head, rest = text[:MAX_CHARACTERS], text[MAX_CHARACTERS:]
    if not _is_likely(head):
        return text
    kept = [sentence for line in lines(head) for sentence in (*_certain_of(line), "\n")]
    return "".join(kept).rstrip("\n") + rest


def _is_likely(text: str) -> bool:
    """Whether a word stands there without which nothing is cut; the fold is only needed to find no such word."""
    if is_plain_ascii(text) and _LIKELY.search(text.lower()):
        return True
    return _LIKELY.search(_plain(text)) is not None


def _plain(text: str) -> str:
    return fold(text).translate(_APOSTROPHES)


def lines(text: str) -> list[str]:
    """Lines as written, those that only the width of a page broke put together again."""
    joined: list[str] = []
    is_open = False
    for line in _unbroken(text):
        stripped = line.strip()
        if is_open and stripped and not stripped.startswith(("-", "*", "\u2022", "\u2192", "http")):
            joined[-1] = f"{joined[-1]} {stripped}"
        else:
            joined.append(stripped)
        is_open = len(stripped) >= _WRAPPED and not stripped.endswith(_STOP)
    return joined


def _unbroken(text: str) -> list[str]:
    """The lines; where nearly every word has one of its own, those words as one, and what has more beside it."""
    found = text.splitlines()
    said = [line for line in found if line.strip()]
    is_torn = len(said) > _TORN and sum(map(_is_one_word, said)) > 0.5 * len(said)
    if not is_torn:
        return found
    runs = groupby(said, _is_one_word)
    return [line for is_word, run in runs for part in ([" ".join(run)] if is_word else run) for line in (part, "")]


def _is_one_word(line: str) -> bool:
    return len(line.split()) <= 1


def sentences(line: str) -> list[str]:
    """The sentences of one line."""
    found: list[str] = []
    for part in filter(None, _END.split(line)):
        before = found[-1][-5:].lower() if found else ""
        if before.endswith(_TITLES) or (before.endswith(_NUMBERED) and part[0].isdigit()):
            found[-1] = f"{found[-1]} {part}"
        else:
            found.append(part)
    return found


def _certain_of(line: str) -> list[str]:
    found = sentences(line)
    kept = [part for part in found if not is_hypothetical(part)]
    return [line] if len(kept) == len(found) else [f"{part} " for part in kept]


def is_hypothetical(sentence: str) -> bool:
    """Whether one sentence only says what would, could or does happen, and asks nothing of its reader."""
    return _remembered(sentence) if len(sentence) <= _REMEMBERED else _is_hypothetical(sentence)


@lru_cache(maxsize=16_384)
def _remembered(sentence: str) -> bool:
    """Both bodies of a mail say the same, two looks ask for it, and letters repeat their small print."""
    return _is_hypothetical(sentence)


def _is_hypothetical(sentence: str) -> bool:
    """Signs that it is come first, for they are rare; but a long sentence nearly always asks something early on."""
    said = _plain(sentence)
    if len(said.split()) < _FEWEST_WORDS or (len(said) > _REMEMBERED and _ASKED.search(said)):
        return False
    is_silence = _SILENCE.search(said) is not None
    is_print = not is_silence and _SMALL_PRINT.search(said) is not None
    is_ours = not (is_silence or is_print) and _OURS.search(said) is not None
    if not (is_silence or is_print or is_ours or _OTHERS.search(said)) or _ASKED.search(said):
        return False
    if is_silence or _DATED.search(_LAW.sub(" ", said)):
        return is_silence
    return is_print or is_ours or not (_DECIDED.search(said) or _READER.search(_READER_ASIDE.sub("", said)))
