"""Whether a text is in the languages that the rules can read: English, German, French, Spanish.

Promises: no guess at which other language it is, only whether any sentence is not one of these four; bounded time.
A sentence is foreign when it holds a letter that none of the four has (outside names, which begin with a capital), a
script that is not Latin, two function words of another language, or hardly any function word of the four.

>>> is_foreign("We received your application and will write to you soon.")
False
>>> is_foreign("We received your application. Vi vill gärna träffa dig på torsdag.")
True
"""

import re
import unicodedata
from functools import lru_cache
from typing import Final

MAX_CHARACTERS: Final = 200_000
_FEWEST: Final = 3
"""Words without a capital that a sentence must have before the lack of known words says something."""
_MANY: Final = 5
_LOWEST_SHARE: Final = 0.2
_ENDS: Final = r"[.!?;:|\u2022\u00b7\u2026\u3002\n]"
_SENTENCE: Final = re.compile(rf"{_ENDS}(?:{_ENDS}*(?=\s|$)|(?<=\n)\n*)")
_ROW: Final = re.compile(r"\s[-\u2013\u2014]\s[^\n]{1,200}?\s[-\u2013\u2014]\s")
"""A row of a list (title - company - place) is no sentence: it has no function words in any language."""
_NO_PROSE: Final = re.compile(r"[@0-9_\\=#&]|:(?=//)|\.(?<=\w\.)(?=\w)")
"""Addresses, numbers and names of things; each takes the token it stands in with it."""
_ONLY_PROSE: Final = re.compile(r"[^@0-9_\\=#&:.]*+\Z")
"""What most lines are; found much faster than that nothing else is there."""
_WORD: Final = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_LETTERS_AND_BLANKS: Final = str.maketrans({code: " " for code in range(128) if not chr(code).isalpha()})
_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyzäöüßéèêëàâçîïôûùœæÿáíóúñ'\u2019")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ENGLISH: Final = _words(
    """
    a an the and or but if then than as at by for from in into of off on onto out over per to up via with within without
    about above after again against all also am any are around be been before being below between both can could did do
    does done down during each either else every few had has have having he her here hers him his how i is it its just
    let like many may me might more most much must my near need neither new next no nor not now once one only other our
    ours own please same she should since so some soon still such take thank thanks that their them there these they
    this those through too two under until us very view was we were what when where which while who whom whose why will
    would yes yet you your yours apply applied application applications applying job jobs role roles team work working
    email mail received review company click read see find manage unsubscribe alert alerts week today day days time
    careers career search match matches matching position positions interest candidate candidates remote hours ago
    it's don't we're we'll you're i'm that's we've you've i've can't won't didn't isn't aren't get make know help best
    """
)
_GERMAN: Final = _words(
    """
    ab aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bereits bis bitte da damit
    dann das dass dein deine deinem deinen deiner dem den denn der des deshalb die dich dies diese diesem diesen dieser
    dieses dir doch du durch ein eine einem einen einer eines er es etwas euch euer eure für gegen haben hat hatte hier
    ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede jeden jeder jetzt kann kein keine keinen können
    man mehr mein meine mich mit mir muss möchten nach neue neuen nicht noch nun nur ob oder ohne sehr sein seine sich
    sie sind so sobald sollte sowie um und uns unser unsere unserem unseren unserer unter vielen vom von vor war wegen
    weil weiter wenn werden wie wieder wir wird wurde wurden zu zum zur über prüfen haben hatten sorgfältig
    """
)
_FRENCH: Final = _words(
    """
    au aucun aussi autre autres aux avec avez avoir avons bien ce cela ces cet cette chez comme dans de depuis des donc
    du elle elles en encore entre est et être eu fait ici il ils je la le les leur leurs lors lui ma mais me mes moi mon
    même ne nos notre nous nouvelle nouvelles on ont ou où par pas plus pour puis qu que quel quelle qui sa sans se sera
    ses si son sont sous sur ta te tes toi ton tous tout toute toutes très tu un une vers vos votre vous à été
    candidature
    """
)
_SPANISH: Final = _words(
    """
    a al algo ante antes aquí así aún cada casi como con cual cuando de del desde donde el ella ellos en entre era es
    esa ese eso esta estamos estar este esto está están fue ha hace han hasta hay la las le les lo los me mi mientras
    muchas muchos muy más nada ni no nos nosotros nuestra nuestras nuestro nuestros o otra otras otro otros para pero
    por porque pronto que quien se ser si sin sobre son su sus sí también te tiene todas todo todos tu tus un una unas
    uno unos usted ustedes y ya él gracias solicitud
    """
)
KNOWN: Final = _ENGLISH | _GERMAN | _FRENCH | _SPANISH
_ABROAD: Final = (
    # Swedish, Norwegian, Danish, Finnish, Icelandic
    "och att är inte för på med som till av om vi dig din ditt dina vill har kan från eller jag gärna är hos vara blev"
    " ikke og jeg deg ditt vår våre hos fra ønsker gerne gjerne meg oss når skal hvis også din dit dine være blevet"
    " että ja ei on sinun sinulle kanssa olemme olet mutta jos kun voit haluamme sinut hän tämä teille meidän ovat"
    " það við þú ekki með fyrir hefur"
    # Polish, Czech, Slovak, Slovene, Croatian
    " się nie jest że na dla pana pani państwa twój twoje kod oraz przez prosimy został aby czy ale jak już po ze od"
    " chcielibyśmy chcielibysmy zapraszamy rozmowe dziekujemy dziękujemy je že pro vás vám jsme není jste byl nebo jsou"
    " ako sme vaše ste bude smo vas bi ali za"
    # Turkish, Hungarian, Romanian
    " ve bir bu için icin ile siz sizi size sizin lütfen lutfen olarak değil daha çok var ediyoruz davet istiyoruz"
    " és az egy nem hogy van meg önt kérjük vagy vagyunk és és si și nu este pentru cu sunt din va vă sau mai dvs"
    # Italian, Portuguese, Dutch, Catalan
    " il di che gli della dello degli delle nel nella alla sono siamo anche ti vi per una con non abbiamo vorremmo"
    " lei suo sua tuo tua questo questa dal dalla più perché lieti incontrarla incontrarti"
    " não uma você voce seu sua com em nos na da do dos das são para nós gostaríamos gostariamos estamos também até ao"
    " het een van niet zijn je jij jou jouw wij ons onze met voor naar bij ook graag wordt heeft hebben maar dat wil"
    " willen aan uw amb els dels nosaltres"
    # Indonesian, Malay, Tagalog, Vietnamese
    " yang dan untuk dengan anda kami tidak akan dari pada ini adalah saya ang mga sa ng ay kayo namin không bạn của"
)
FOREIGN: Final = _words(_ABROAD) - KNOWN


def is_foreign(text: str) -> bool:
    """Whether any sentence of the text (as written, not folded) is in another language than the four."""
    lines = unicodedata.normalize("NFKC", text[:MAX_CHARACTERS]).splitlines()
    prose = "\n".join(map(_prose, lines))
    return any(_is_foreign_sentence(sentence) for sentence in _SENTENCE.split(prose) if sentence.strip())


def _prose(line: str) -> str:
    """The line's words, a blank apart, without those that are no prose."""
    spaced = " ".join(line.split())
    if _ONLY_PROSE.match(spaced):
        return spaced
    kept, end = [], 0
    while (found := _NO_PROSE.search(spaced, end)) is not None:
        kept.append(spaced[end : spaced.rfind(" ", end, found.start()) + 1 or end])
        end = spaced.find(" ", found.end()) + 1 or len(spaced)
    return "".join([*kept, spaced[end:]]).strip()


def is_mostly_foreign(text: str) -> bool:
    """Whether most of its words are of another language or another script.

    >>> is_mostly_foreign("Our newsletter: news of the week from Malmö, with all the best of it. Vi vill tacka dig.")
    False
    """
    head = text[:MAX_CHARACTERS]
    words = _words_of((head if head.isascii() else unicodedata.normalize("NFKC", head)).casefold())
    if not head.isascii() and 3 * sum(not _is_latin(word) for word in words) > len(words):
        return True
    least, foreign = sum(map(KNOWN.__contains__, words)), sum(map(FOREIGN.__contains__, words))
    if foreign <= least and 10 * least >= len(words):
        return False  # contractions, which cost most to take apart, could only add to the known words
    known = sum(map(_is_known, words))
    return foreign > known or 10 * known < len(words)


def _is_foreign_sentence(sentence: str) -> bool:
    every = _words_of(sentence)
    if not sentence.isascii() and any(not _is_latin(word) for word in every):
        return True
    words = [word.casefold() for word in every] if sentence.isupper() else [w for w in every if w[0].islower()]
    words = [word for word in words if len(word) > 1]
    if not words:
        return False
    if not _has_known_letters("".join(words)) or len(FOREIGN.intersection(words)) > 1:
        return True
    return _has_few_known(words) and not _ROW.search(sentence)


def _words_of(sentence: str) -> list[str]:
    """The runs of letters; in ASCII without an apostrophe they are what remains beside blanks, five times as fast."""
    if sentence.isascii() and "'" not in sentence:
        return sentence.translate(_LETTERS_AND_BLANKS).split()
    return _WORD.findall(sentence)


def _has_known_letters(text: str) -> bool:
    return text.islower() if text.isascii() else _LETTERS.issuperset(text)


def _has_few_known(words: list[str]) -> bool:
    """Whether hardly any word is one of the four languages'; contractions are taken apart only where it matters."""
    if sum(map(KNOWN.__contains__, words)) >= len(words) * _LOWEST_SHARE:
        return False
    share = sum(map(_is_known, words)) / len(words)
    return (len(words) >= _FEWEST and share == 0) or (len(words) >= _MANY and share < _LOWEST_SHARE)


def _is_known(word: str) -> bool:
    return word in KNOWN or word.partition("'")[0] in KNOWN or word.partition("\u2019")[0] in KNOWN


def _is_latin(word: str) -> bool:
    return word.isascii() or all(_is_latin_letter(letter) for letter in word)


@lru_cache(maxsize=4_096)
def _is_latin_letter(letter: str) -> bool:
    return letter in "'\u2019" or unicodedata.name(letter, "").startswith("LATIN ")
