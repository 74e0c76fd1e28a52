"""Whether a person wrote it: by the shape of the sender, never by the absence of an unsubscribe header alone.

Newsletters often lack that header, replies by people over lists carry it, and today nearly all machine mail has it. So
an address that names a machine is not a person; a desk (careers@, hello@) is one when it answers, or when it bears a
person's name or none and no list headers; any other address is, unless list headers are there and the name does not
look like a person's. A name is read whole: Steve Jobs, Anna Lever and Elihu Root are persons, and so is who lives at a
domain of their own name.

Who writes on a discussion list is a person unless the address says otherwise; a broadcast (shapes.py) is nobody's
letter whatever name it bears, but for the free-mail addresses that only people have.

>>> looks_like_a_person("Priya Nair", "priya.nair@workmate.example", Build(is_listed=True))
True
>>> looks_like_a_person("Priya of Jobly", "priya@jobly.example", Build(is_listed=True, is_broadcast=True))
False
>>> looks_like_a_person("Jobly Alerts", "no-reply@jobly.example")
False
>>> looks_like_a_person("Steve Jobs", "steve.jobs@workmate.example", Build(is_listed=True))
True
>>> looks_like_a_person("Anna Quill", "mail@anna-quill.example")
True
>>> looks_like_a_person("Seabright Veterinary", "seabright@hire.example")
False
"""

import re
from dataclasses import dataclass
from typing import Final

from pipeline.judge.given_names import GIVEN_NAMES, KIN, TITLES
from pipeline.mail import domains
from pipeline.mail.fold import fold, word_set, words

DESKS: Final = word_set(
    """
    hello hallo contact kontakt team info support office people hr humanresources careers career karriere jobs job
    recruiting recruitment recruiter talent hiring bewerbung bewerbungen application applications apply applicants
    candidates candidate help helpdesk service community events press media sales account accounts billing shop
    customercare care admin desk hiringteam talentteam talentacquisition peopleteam recrutement emploi candidature
    candidatures carriere carrieres rh empleo seleccion rrhh talento personalabteilung lavoro vacature vacatures reply
    recruit recrute personnel personeel drh agence accueil secretariat secretary reception talents ressources humaines
    personalwesen campus graduates resourcing vacancies postulation postulations mobilite
    """
)
"""Words by which a desk calls itself, behind which people sit too, and from which they write."""
MACHINES: Final = DESKS | word_set(
    """
    noreply no-reply donotreply do-not-reply nicht-antworten noresponder nepasrepondre bounce bounces mailer daemon
    postmaster notification notifications notify notice notices alert alerts update updates news newsletter
    newsletters digest bulletin marketing promo promos promotions offers deals information services invoice invoices
    orders order store security administrator webmaster root system auto automated robot bot mail mailing list lists
    subscribe unsubscribe jobalert jobalerts applicant workday greenhouse lever ats membership members weekly daily
    feedback survey surveys subscriptions subscription donotuse confirmation confirmations reminder reminders messages
    message msg inmail customer workflow
    """
)
"""Words of a local part or a name by which a machine, a desk or a list calls itself."""
FIRMS: Final = word_set(
    """
    academy aerospace agency airlines airways architects associates association assurance assurances authority bakery
    bank banking banque biotech board boutique brasserie brewery brewing bureau cabinet capital centre center chambers
    charity church city civil clinic clinique club co college commission commune communaute community company conseil
    constructeurs construction consultants consulting corp corporation council county credit creche dairy dental
    department diagnostics digital distribution district division ecole education electric electronics elementary
    energie energy engineering enterprise enterprises entreprise etablissement fabrik family farm federation finance
    financial fintech fondation foods foundation freight games garage general gesellschaft global gmbh government
    group groupe gruppe health healthcare hopital hospital hospitality hotel hotels housing hydro imprimerie inc
    industries industrie institut institute insurance interim international investments kanton klinik laboratoire
    laboratoires laboratories labs landratsamt lettings library limited lines llc llp lodge logistics logistik ltd
    lycee mairie maison management manufacturing marine market markets media medical ministere ministry mobilite
    mobility museum mutual mutuelle national networks office opera partners partnership pepinieres pharma
    pharmaceuticals pharmacie pharmacy pizza plc police port power precision press primary productions properties
    public publishing rail railway rectorat regie region resorts resources restaurant restaurants retail robotics
    sante sarl school schools schule science sciences search secondary securite security services shipping societe
    software solutions spa staffing stadt stiftung store stores studio studios supermarkets surgery syndicat systems
    tech technologies technology telecom theatre transit transport transports trust union universitat universite
    university veterinary village ville water werke works
    """
)
"""Words of a firm's or an office's name, and of no person's."""
_SURNAMES: Final = word_set("bot care desk jobs lever list mail order press root sales service shop store support")
"""Words of machines that people bear too, below a given name that no list has."""
_EVIDENT: Final = word_set(
    """
    alert alerts bulletin confirmation confirmations digest helpdesk jobalert jobalerts mailing marketing newsletter
    newsletters noreply notification notifications postmaster promotions reminder reminders robot subscriptions
    unsubscribe updates webmaster
    """
)
"""Words of machines that nobody is called by."""
_OWN_DESKS: Final = DESKS | {"info", "mail"}
"""Where people write from who have a domain to themselves."""
_GIVEN: Final = GIVEN_NAMES | KIN
_COMMON: Final = MACHINES | FIRMS
_OF: Final = re.compile(r"\s+(?:from|at|of|von|bei|de|chez|van|@)\s+|[,|(/]")
_BULK_DOMAINS: Final = word_set(
    "newsletter newsletters news email mailer mailing bounce bounces marketing promo alerts notifications"
)
_FOR_ONE_MAILING: Final = re.compile(r"[#=]|\d{9,}")
_NAMELESS: Final = word_set("the from at via of and for your & team group inc ltd llc gmbh ag sa plc co company com")
_IMPERSONAL: Final = _COMMON | _NAMELESS
_MOST_NAMES: Final = 4
_MARKS: Final = (
    "re r aw antw antwort sv vs vl rv res rif odp pd ynt ilt va bls atb doorst fw fwd wg weitergeleitet"
    " tr trs trans transf enc i wtr"
)
"""Marks of an answer or a forwarded mail in the mail programs of some twenty languages, folded."""
_REPLY: Final = re.compile(
    # A list's tag, or what a mail server or an answering machine puts first, may stand before the mark.
    r"(?:\[[^\]]{1,60}\]\s*|(?:extern|external|ext|auto|automatic)\s?:\s?(?=\S{1,20}\s?:))*"
    rf"(?:(?:{_MARKS.replace(' ', '|')})\s?(?:[\[(^]\s?\d{{1,3}}\s?[\])]?)?\s?[:;]|\(fwd\))"
)


@dataclass(frozen=True, slots=True)
class Build:
    """What counts of a message's build: list headers, a discussion list's, an answer, a broadcast."""

    is_listed: bool = False
    is_discussed: bool = False
    is_answer: bool = False
    is_broadcast: bool = False


PLAIN: Final = Build()


def looks_like_a_person(name: str, address: str, build: Build = PLAIN) -> bool:
    """Whether this sender is likely a human being; in doubt yes."""
    local, _, domain = address.rpartition("@")
    if build.is_broadcast and not domains.is_free_mail(domain):
        return False
    if _is_named_and_addressed_so(name, local, domain):
        return True
    if _is_sent_in_bulk(local, domain) and not _is_known_all_the_same(name, local, build):
        return False
    if _is_machine(local):
        return not _says_no_reply(local) and (
            domains.is_free_mail(domain)
            or build.is_answer
            or (not build.is_listed and _is_somebody_at_a_desk(name, local, domain))
            or (build.is_discussed and not build.is_broadcast)
        )
    if _is_a_firms_own(name, local):
        return build.is_answer
    if not build.is_listed:
        return not set(words(name)) & MACHINES or _is_full_name(name) or _is_somebody_of_a_desk(name, local)
    if build.is_answer or _is_called_so(name, local, domain) or _is_own_name(name, local, domain):
        return True
    return build.is_discussed and not set(words(name)) & MACHINES and not _has_digit(name)


def is_a_machines(address: str) -> bool:
    """Whether the address names a machine, a desk or a list."""
    return _is_machine(address.rpartition("@")[0])


def is_reply(subject: str) -> bool:
    """Whether the subject is an answer's; a list's tag may stand before the mark."""
    return _REPLY.match(fold(subject)) is not None


def _is_named_and_addressed_so(name: str, local: str, domain: str) -> bool:
    """A full name and an address made of it: steve.jobs, msales, kim. What its words mean elsewhere says nothing."""
    if _COMMON.isdisjoint(words(name)):
        return False  # whatever the address is, the words of the name are a name's
    used = _parts_of(name, local)
    if not any(len(part) > 1 for part in used) or _is_evidently_none(name):
        return False
    if _is_full_name(name):
        return (len(used) > 1 or used[0] in _GIVEN) and (len(used) > 1 or FIRMS.isdisjoint(words(name)))
    found = words(name)
    other = [word for word in found if word not in _SURNAMES]
    is_surname = len(found) == 2 and len(other) == 1 and not {*other} & _IMPERSONAL
    return is_surname and set(used) == set(found) and other[0] not in "".join(words(domain))


def _parts_of(name: str, local: str) -> list[str]:
    """The words and initials of the name that make up the local part, in one order or the other; else nothing."""
    found = _called(name)
    letters = "".join(character for character in "".join(words(local)) if not character.isdigit())
    for order in (found, found[::-1]) if letters and len(found) <= _MOST_NAMES else ():
        made = re.fullmatch("".join(f"({re.escape(word)}|{re.escape(word[0])})?" for word in order), letters)
        if made is not None:
            return [part for part in made.groups() if part]
    return []


def _called(name: str) -> tuple[str, ...]:
    """The words of the name without Dr. and Mrs."""
    return tuple(word for word in words(name) if word not in TITLES)


def _is_full_name(name: str) -> bool:
    """Two to four words with a given name among them; one may be a machine's or a firm's elsewhere: Kim Press."""
    found = _called(name)
    common = set(found) & _COMMON
    is_long = 2 <= len(found) <= _MOST_NAMES and len(common) <= 1 and not set(found) & _NAMELESS
    has_given = not _GIVEN.isdisjoint({*found} - common)
    return is_long and has_given and not _has_digit(name) and not _is_evidently_none(name)


def _is_evidently_none(name: str) -> bool:
    return bool(set(words(name)) & _EVIDENT) or _says_no_reply(name)


def _has_a_given_name(name: str) -> bool:
    """One to four words with a given name among them, none of which a company, a desk or a sentence would use."""
    found = _called(name)
    is_name = 1 <= len(found) <= _MOST_NAMES and not set(found) & _IMPERSONAL
    return is_name and not _GIVEN.isdisjoint(found) and not _has_digit(name)


def _is_known_all_the_same(name: str, local: str, build: Build) -> bool:
    """Whose address looks made for a mailing: a personal name that it repeats, or a given name and no list headers."""
    if _is_personal(name) and _shares_a_name(name, local):
        return True
    return not build.is_listed and _has_a_given_name(name)


def _is_somebody_at_a_desk(name: str, local: str, domain: str) -> bool:
    """Somebody's name over careers@ or hello@; one with a given name in it also over mail@, and at its own domain."""
    used = set(words(local)) & MACHINES
    return (used <= DESKS and _is_somebody(name, domain)) or (used <= _OWN_DESKS and _has_a_given_name(name))


def _is_machine(local: str) -> bool:
    return bool(set(words(local)) & MACHINES) or _says_no_reply(local)


def _is_somebody(name: str, domain: str) -> bool:
    """A person's name before "from Acme", or one that is not the domain's; no name at all says nothing against it."""
    first = words(_OF.split(fold(name), maxsplit=1)[0])
    if len(first) > _MOST_NAMES or set(first) & _IMPERSONAL or _has_digit(name):
        return False
    own = "".join(words(domain))
    return not any(len(word) > 2 and word in own for word in first)


def _is_sent_in_bulk(local: str, domain: str) -> bool:
    """A return address made for one mailing, or a sub-domain that says what it is for."""
    own = domains.registrable(domain) or domain
    below = domain.removesuffix(own).strip(".").split(".")
    return _FOR_ONE_MAILING.search(local) is not None or bool(_BULK_DOMAINS.intersection(below))


def _says_no_reply(local: str) -> bool:
    squeezed = "".join(words(local))
    return any(mark in squeezed for mark in ("noreply", "donotreply", "newsletter", "mailer"))


def _is_personal(name: str) -> bool:
    """Two to four words, none of which a company, a desk or a sentence would use."""
    found = words(name)
    return 2 <= len(found) <= _MOST_NAMES and not set(found) & _IMPERSONAL and not _has_digit(name)


def _is_called_so(name: str, local: str, domain: str) -> bool:
    """A personal name that the address bears out, or that holds a given name; two other words may be a firm's."""
    if not _is_personal(name):
        return False
    initials = "".join(word[0] for word in words(name))
    is_borne_out = _shares_a_name(name, local) or "".join(words(local)).startswith(initials)
    return is_borne_out or domains.is_free_mail(domain) or not _GIVEN.isdisjoint(words(name))


def _is_own_name(name: str, local: str, domain: str) -> bool:
    """No name at all, or a single one that the local part repeats and the domain does not: not a brand's.

    A given name is repeated by its initial too: `Anna <aberg@...>`.
    """
    found, squeezed = words(name), "".join(words(local))
    if len(found) > 1 or set(found) & MACHINES:
        return False
    if not found:
        return True
    is_repeated = found[0] in squeezed or (found[0] in _GIVEN and squeezed.startswith(found[0][0]))
    return is_repeated and found[0] not in "".join(words(domain))


def _is_somebody_of_a_desk(name: str, local: str) -> bool:
    """`Priya of Northwind Talent <priya@...>`, but not `Northwind Talent <northwind@...>`."""
    proper = " ".join(word for word in words(name) if word not in MACHINES)
    squeezed = "".join(words(local))
    return _shares_a_name(proper, local) and not all(word in squeezed for word in proper.split())


def _is_a_firms_own(name: str, local: str) -> bool:
    """`Seabright Veterinary <seabright@...>`: a firm's name, and an address that is called after it, not a person's."""
    found, squeezed = words(name), "".join(words(local))
    if FIRMS.isdisjoint(found) or not GIVEN_NAMES.isdisjoint(found) or not squeezed:
        return False
    return "".join(found).startswith(squeezed) or squeezed == "".join(word[0] for word in found)


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)


def _shares_a_name(name: str, local: str) -> bool:
    """Whether the local part holds one of the name's words: priya, p.nair, pnair."""
    squeezed = "".join(words(local))
    return any(len(word) > 2 and word in squeezed for word in words(name))
