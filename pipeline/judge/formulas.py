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

_GREETED: Final = re.compile(
    r"^(?:dear|hi|hello|hey|have an? (?:nice|great|good|lovely|wonderful)|nice to meet|good (?:morning|afternoon|day|"
    r"evening)|bonjour|cher|chere|madame|monsieur|hallo|liebe\w*|"
    r"sehr|guten tag|hola|estimad\w+|yours|best|kind|warm|many thanks|thanks|thank you|see you soon|veuillez agreer|"
    r"je vous prie d|recevez|"
    r"mit freundlichen|viele|au plaisir|dans l'attente|dans cette attente|bonne|tschuss|"
    r"felicitations \w+, votre candidature|your \w+(?: \w+){0,4} team\W*$|good luck)\b"
)
_FEW: Final = 3
_SHORT: Final = 10
_HAS_A_VERB: Final = re.compile(
    r"\b(?:is|are|was|were|be|will|would|can|could|has|have|had|needs?|wants?|asks?|hopes?|keeps?|waits?|awaits?|"
    r"expects?|likes?|"
    r"wish(?:es)?|holds?|looks?|meets?|says?|said|tr(?:y|ies|ied)|calls?|rings?|loves?|decides?|stands?|shows?|goes?|"
    r"comes?|came|went|"
    r"sends?|sent|sees?|saw|knows?|thinks?|finds?|found|makes?|made|takes?|took|gives?|gave|gets?|got|lets?|speaks?|"
    r"talks?|"
    r"joins?|brings?|signs?|starts?|must|should|may|might|shall|do|does|did|please|kindly|until|before|missing|"
    r"required|due|"
    r"est|sont|sera|seront|a|ont|attend\w*|souhaite\w*|veut|demande\w*|reste\w*|faut|doit|doivent|peut|pouvez|"
    r"pourr\w+|vient|"
    r"manque\w*|merci|aimer\w*|avant|ist|sind|wird|hat|haben|wartet|bittet|muss|soll|kann|braucht|fehl\w+|bitte)\b"
)
_DATUM: Final = re.compile(
    r"^-? ?(?:job|position|role|post|vacancy|requisition|req|ref|reference|date|submitted|applied|received|location|"
    r"company|department|employer|title|id|candidate|application|applicant|name|email|e-mail|salary|hours|contract|"
    r"duration|"
    r"agency|announcement|posting|poste|offre|lieu|societe|numero|type|delai|stelle|ort|referenz)\b[\w .#/()-]{0,25}:"
)


def is_formula(said: str) -> bool:
    """Whether a folded sentence is one of the formulas, a greeting, a datum, a few words without a verb, or too short
    to be anything."""
    size = len(said.split())
    if size <= _FEW or _GREETED.search(said) or _DATUM.search(said):
        return True
    if size <= _SHORT and not _HAS_A_VERB.search(said):
        return True
    return bool(_known().said_in(said))


@cache
def _known() -> Sayings:
    return Sayings([read_saying(formula) for formula in formulas()])
