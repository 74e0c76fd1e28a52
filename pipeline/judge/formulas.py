"""Whether a sentence is one of those that plain answers to applications are made of.

No list of requests is complete, however long; the list of formulas nearly is, since employers write the same few. A
sentence that is none of them may ask for something, and the mail stays. What a formula holds is no proof of
harmlessness either: requests are looked for besides (plain_answers.py).

>>> is_formula("we will contact you if your profile fits"), is_formula("any half hour in hannah's diary is yours")
(True, False)
"""

import re
from functools import cache
from typing import Final

from pipeline.judge.formula_list import formulas
from pipeline.mail.sayings import Sayings, read_saying

_HELLO: Final = re.compile(
    r"^(?:dear|hi|hello|hey|good (?:morning|afternoon|day|evening)|bonjour|cher|chere|madame|monsieur|hallo|liebe\w*|"
    r"sehr geehrte\w?|guten tag|hola|estimad\w+)\b(?: [\w.'/-]+){0,5}?\s*(?:[,!:.]+\s*|$)"
)
"""A greeting and whom it greets; what follows it in the sentence is a sentence of its own."""
_CLOSING: Final = re.compile(
    r"^(?:have an? (?:nice|great|good|lovely|wonderful)|nice to meet|yours|best|kind|kindest|warm|warmest|"
    r"with (?:kind|best|warm)|many thanks|thanks|thank you|regards|sincerely|cheers|see you soon|veuillez agreer|"
    r"je vous prie d|nous vous prions d'agreer|recevez|mit freundlichen|viele|beste|herzliche|freundliche|au plaisir|"
    r"dans l'attente|dans cette attente|bonne|belle|excellente|bien cordialement|bien a (?:vous|toi)|cordialement|"
    r"a bientot|a tres (?:vite|bientot)|restant a votre|saludos|un saludo|atentamente|tschuss|"
    r"felicitations \w+, votre candidature|your \w+(?: \w+){0,4} team\W*$|good luck)\b"
)
_CLOSED: Final = re.compile(
    r"^(?:(?:thank you|thanks)(?: (?:again|so much|very much|once again|in advance|for your (?:time|patience|"
    r"interest)))*|yours (?:sincerely|faithfully|truly)|have an? \w+ (?:day|week|weekend|evening)|(?:your|votre|ta|"
    r"ihre) (?:application|candidature|bewerbung|profile?|details)|au plaisir|bien (?:cordialement|sincerement|"
    r"a (?:vous|toi))|belle (?:journee|soiree|semaine)(?: a (?:vous|toi))?|a (?:bientot|tres vite|"
    r"tres bientot)(?: peut-etre| chez \w+)?|restant a votre (?:entiere )?disposition|prenez soin de vous|"
    r"(?:nous )?vous (?:en )?remerci(?:ons|ant)|nous vous en remercions|talk soon|speak soon)\W*$"
)
_LONGEST_CLOSING: Final = 10
_OF_THE_READER: Final = re.compile(
    r"\b(?:you|yours|you're|you've|you'll|vous|toi|te|tu|sie|ihnen|dich|dir|usted|ti|hired|needed|required|rsvp|pls|"
    r"plz|asap|urgent|yes|oui|ja|room|rm|floor|raum|salle|sala|gate|lobby|sharp|ten|nine|eleven|noon|bring|phone|"
    r"ring|rang|waits|welcome|bienvenue|willkommen|bienvenid\w|half|draft|convaincu|uberzeugt)\b|\d[.:/h]\d|"
    r"\b\d{2,3}[,.]\d{3}\b|\b(?:hours?|minutes) of\b|\bcamera\b|\blaptop\b|\b\d{1,2} ?(?:am|pm|a|p|h)\b"
)
"""What a few words may say to a reader without a verb."""
_BETWEEN: Final = re.compile(
    r";|:(?=\s)|\s[-\u2013\u2014|\u2022]\s|,? (?:and|but|so(?! that)|et|mais|und|aber|y|pero) (?=(?:you|we|i|it|they|"
    r"he|she|this|that|there|our|your|the|nous|vous|elle|il|on|je|notre|votre|wir|sie|ihre?|es|das|for that|say|"
    r"want)\b)"
)
_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_FEW: Final = 3
_SHORT: Final = 8
_HAS_A_VERB: Final = re.compile(
    r"\b(?:is|are|was|were|be|will|would|can|could|has|have|had|needs?|wants?|asks?|hopes?|keeps?|waits?|awaits?|"
    r"expects?|likes?|wish(?:es)?|holds?|looks?|meets?|says?|said|tr(?:y|ies|ied)|calls?|rings?|loves?|decides?|"
    r"stands?|shows?|goes?|comes?|came|went|sends?|sent|sees?|saw|knows?|thinks?|finds?|found|makes?|made|takes?|"
    r"took|gives?|gave|gets?|got|lets?|speaks?|talks?|joins?|brings?|signs?|starts?|must|should|may|might|shall|do|"
    r"does|did|please|kindly|until|before|missing|required|due|est|sont|sera|seront|a|ont|attend\w*|souhaite\w*|veut|"
    r"demande\w*|reste\w*|faut|doit|doivent|peut|pouvez|pourr\w+|vient|manque\w*|merci|aimer\w*|avant|ist|sind|wird|"
    r"hat|haben|wartet|bittet|muss|soll|kann|braucht|fehl\w+|bitte)\b"
)
_DATUM: Final = re.compile(
    r"^-? ?(?:job|position|role|post|vacancy|requisition|req|ref|reference|date|submitted|applied|received|location|"
    r"company|department|employer|title|id|candidate|application|applicant|name|email|e-mail|salary|hours|contract|"
    r"duration|agency|announcement|posting|poste|offre|lieu|societe|numero|type|delai|stelle|ort|"
    r"referenz)\b[\w .#/()-]{0,25}:"
)


def is_formula(said: str) -> bool:
    """Whether a folded sentence is one of the formulas, a greeting, a datum, a few words without a verb, or too short
    to be anything. Each of its clauses must be one."""
    return all(map(_is_plain, clauses(_HELLO.sub("", said))))


def clauses(said: str) -> tuple[str, ...]:
    """The parts of a sentence that could stand alone, without the marks between them.

    >>> clauses("we have read your application, and you are the one; call us")
    ('we have read your application', 'you are the one', 'call us')
    """
    return tuple(part for part in map(str.strip, _BETWEEN.split(said)) if part)


def _is_plain(said: str) -> bool:
    size = len(_WORD.findall(said))
    if not size or _DATUM.search(said) or _CLOSED.search(said):
        return True
    if size <= _FEW or (size <= _SHORT and not _HAS_A_VERB.search(said)):
        return not _OF_THE_READER.search(said) or _is_known(said)
    if size <= _LONGEST_CLOSING and _CLOSING.search(said) and not _HAS_A_VERB.search(said.partition(" ")[2]):
        return True
    return _is_known(said)


def _is_known(said: str) -> bool:
    return bool(_known().said_in(said))


@cache
def _known() -> Sayings:
    return Sayings([read_saying(formula) for formula in formulas()])
