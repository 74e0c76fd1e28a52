"""Person or machine, by the shape of the sender."""

import pytest

from pipeline.judge.people import Build, is_a_machines, is_reply, looks_like_a_person


@pytest.mark.parametrize(
    ("name", "address", "has_list_headers", "is_person"),
    [
        ("Ada Lovelace", "x77@corp.example", True, True),
        ("Ada King Noel Lovelace", "x77@corp.example", True, True),
        ("Ada King Noel Gordon Lovelace", "x77@corp.example", True, False),
        ("Ada", "ada@corp.example", True, True),
        ("Ada", "x77@corp.example", True, False),
        ("Jobly", "jobly@jobly.example", True, False),
        ("", "x77@corp.example", True, True),
        ("Alerts", "x77@corp.example", True, False),
        ("Ada from Jobly", "ada@jobly.example", True, False),
        ("Ada 24", "x77@corp.example", True, False),
        ("Ada", "x77@corp.example", False, True),
        ("Jobly Team", "x77@corp.example", False, False),
        ("Ada of Jobly Team", "ada@jobly.example", False, True),
        ("Jobly Team", "jobly@ats.example", False, False),
        ("Jo Team Xu", "xu@ats.example", False, False),
        ("Ada", "careers@corp.example", False, True),
        ("Ada", "careers@corp.example", True, False),
        ("Ada King", "talent@corp.example", False, True),
        ("Ada from Corp", "hello@corp.example", False, True),
        ("Ada King, Corp", "jobs@corp.example", False, True),
        ("", "careers@corp.example", False, True),
        ("Corp", "careers@corp.example", False, False),
        ("Corp Careers", "careers@corp.example", False, False),
        ("Ada", "notifications@corp.example", False, False),
        ("Ada", "bestnewsletter@corp.example", False, False),
        ("Ada", "do-not-reply@corp.example", False, False),
        ("Ada", "xmailerx@corp.example", False, False),
        ("Gadgets Edition", "x7@newsletter.shop.example.com", False, False),
        ("Gadgets Edition", "x7#3.19658.4b@shop.example", False, False),
        ("Gadgets Edition", "x7_216095411795@shop.example", False, False),
        ("Ada Lovelace", "ada.lovelace@news.corp.example.com", True, True),
        ("Ada", "careers@gmail.com", False, True),
        ("Ada", "noreply77@gmail.com", False, False),
    ],
)
def test_shape_of_the_sender_tells(name: str, address: str, has_list_headers: bool, is_person: bool) -> None:
    assert looks_like_a_person(name, address, Build(is_listed=has_list_headers)) is is_person


@pytest.mark.contract("JU-3")
@pytest.mark.parametrize("is_listed", [False, True])
@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("Steve Jobs", "steve.jobs@corp.example"),
        ("Steve Jobs", "jobs.s@corp.example"),
        ("Anna Lever", "anna@lever.example"),
        ("Maria Sales", "msales@corp.example"),
        ("Kim Weiss", "kim@corp.example"),
        ("Root, Elihu", "elihu.root@corp.example"),
        ("Paul Q. Root", "paul.root@corp.example"),
        ("Xq Root", "xq.root2@corp.example"),
        ("Dr. Anna Church", "anna.church@corp.example"),
        ("Nkechi Obi", "x77@corp.example"),
        ("Oma Berg", "x77@corp.example"),
        ("Anna", "aberg@corp.example"),
    ],
)
def test_word_of_a_machine_in_a_name_of_a_person_is_a_name(name: str, address: str, is_listed: bool) -> None:
    assert looks_like_a_person(name, address, Build(is_listed=is_listed))


@pytest.mark.contract("JU-3")
@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("Steve Jobs", "x77@corp.example"),
        ("Kim Press", "kim@corp.example"),
        ("Anna Quill", "mail@anna-quill.example"),
        ("Anna Quill", "info@quill.example"),
        ("Anna", "mail@anna.example"),
        ("Dr. Anna Osei", "office@osei-law.example"),
        ("Grandma", "mail@grandma.example"),
        ("Anna Berg", "ab20041987123@corp.example"),
        ("Anna Berg", "x=y@corp.example"),
        ("Anna", "anna@email.corp.example"),
    ],
)
def test_given_name_without_list_headers_is_a_person_at_an_odd_address(name: str, address: str) -> None:
    assert looks_like_a_person(name, address)


@pytest.mark.parametrize(
    ("name", "address", "is_listed"),
    [
        ("Anna Newsletter", "anna.newsletter@corp.example", False),
        ("April Alerts", "april.alerts@corp.example", True),
        ("Jobly Jobs", "jobly.jobs@jobly.example", True),
        ("Jobly Sales Team", "jobly.sales@ats.example", False),
        ("Corp Health Jobs", "corp.jobs@ats.example", True),
        ("Oscar Health", "oscar@oscar.example", True),
        ("Anna", "noreply@anna.example", False),
        ("Anna Quill", "mail@anna-quill.example", True),
        ("Jobly", "mail@jobly.example", False),
        ("Gadgets Edition", "info@gadgets.example", False),
        ("Alice", "offers@alice.example", True),
    ],
)
def test_firm_or_machine_with_a_name_like_a_persons_is_none(name: str, address: str, is_listed: bool) -> None:
    assert not looks_like_a_person(name, address, Build(is_listed=is_listed))


def test_broadcast_under_a_full_name_is_still_no_letter() -> None:
    build = Build(is_listed=True, is_broadcast=True)
    assert not looks_like_a_person("Steve Jobs", "steve.jobs@corp.example", build)


@pytest.mark.parametrize(
    "subject",
    [
        *("R: x", "Ynt: x", "Enc: x", "I: x", "PD: x", "VL: x", "V\u00e1: x", "Antwort: x", "Weitergeleitet: x"),
        *("EXTERN: Re: x", "[list] Auto: Re: x", "Re (2): x", "Re^2: x", "(fwd) x", "Re\uff1a x", "TRS : x"),
    ],
)
def test_answer_of_another_mail_program_is_known_by_its_mark(subject: str) -> None:
    assert is_reply(subject)


@pytest.mark.parametrize(
    "subject", ["Re: x", "RE : x", "AW: x", "[dev] Re: x", "[a] [b] Fwd: x", "Re[2]: x", "\u200bre: x"]
)
def test_answer_is_known_by_its_mark(subject: str) -> None:
    assert is_reply(subject)
    assert looks_like_a_person("Acme GmbH", "x77@acme.example", Build(is_listed=True, is_answer=True))


def test_desk_that_answers_is_a_person_and_a_machine_that_answers_is_none() -> None:
    assert looks_like_a_person("Corp Jobs", "jobs@corp.example", Build(is_listed=True, is_answer=True))
    assert not looks_like_a_person("Corp", "no-reply@corp.example", Build(is_answer=True))


@pytest.mark.parametrize(
    "subject",
    ["Report: x", "Results: re: x", "", "re x", "Regarding: x", "Ref: 77", "R2: x", "Auto: x", "Extern: x y: z"],
)
def test_word_that_begins_like_a_mark_is_none(subject: str) -> None:
    assert not is_reply(subject)


@pytest.mark.parametrize(
    ("name", "address", "build", "is_person"),
    [
        ("Harbour Analytics", "mail7@ats.example", Build(is_listed=True), False),
        ("Priya Nair", "mail7@ats.example", Build(is_listed=True), True),
        ("Xq Zzyv", "xq.zzyv@ats.example", Build(is_listed=True), True),
        ("Xq Zzyv", "xz7@ats.example", Build(is_listed=True), True),
        ("Rosso", "fork@garden.example", Build(is_listed=True), False),
        ("Rosso", "fork@garden.example", Build(is_listed=True, is_discussed=True), True),
        ("", "bug-daemon@garden.example", Build(is_listed=True, is_discussed=True), True),
        ("Priya of Jobly", "priya@jobly.example", Build(is_listed=True, is_broadcast=True), False),
        ("Priya", "priya@gmail.com", Build(is_listed=True, is_broadcast=True), True),
    ],
)
def test_build_of_the_mail_weighs_in(name: str, address: str, build: Build, is_person: bool) -> None:
    assert looks_like_a_person(name, address, build) is is_person


def test_machine_is_known_by_its_address_alone() -> None:
    assert is_a_machines("no-reply@x.example")
    assert is_a_machines("careers@x.example")
    assert not is_a_machines("ann.lee@x.example")
