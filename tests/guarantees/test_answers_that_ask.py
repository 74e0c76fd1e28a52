"""JU-3 and JU-4 with the shipped rules: an answer that is plain but for one sentence stays, however that one hides.

The sentences are those that fresh eyes got past an earlier judgement: a word of small print in them, an `if` that
depends on the reader, a greeting before them, a clause behind a formula, three words without a verb, a subject.
"""

import pytest

from tests.guarantees.test_disguised_requests import ACK, REJECTION, action
from tests.proxies.measuring import hostile, policy
from tests.strategies.judgement import capture_of, judge
from tests.strategies.mail import message

DRESSED_AS_SMALL_PRINT = (
    "Your interview slot, Thursday 3 December at 10:00, stays confidential.",
    "Interview: Thursday 3 December, 10:00, Room 4 (recorded for training purposes).",
    "Mara, the job is yours: 52,000 a year from 1 February, and this is confidential until the announcement.",
    "Your rejection was sent in error: the interview stands, Thursday 3 December, 10:00.",
    "For security purposes the reception needs a passport on Thursday.",
    "The privacy consent is unsigned, and without it we stop on Friday.",
    "If you have not received the test link by Friday, call Hannah at 030 1234.",
    "Sans réponse de votre part avant vendredi, le poste sera proposé à une autre personne.",
    "Conformément au RGPD, l'entretien de jeudi à 10h est enregistré.",
    "Die Datenschutzerklärung fehlt noch und ist bis Freitag zu unterschreiben.",
    "This is not a scam; the job went to Mara Quill.",
)
THE_READERS_IF = (
    "The interview is with Hannah Weiss, 45 minutes, by video.",
    "Candidates must upload a scan of the ID in the portal.",
    "Each applicant takes the online test, link in the portal.",
    "If a phone interview is fine, the number 030 1234 is ours.",
    "If that works, I will send an invitation for the interview.",
    "If our offer of 52,000 is acceptable, the contract goes out.",
    "Once we have the passport copy, the contract will be drawn up.",
    "If the assessment is not taken, the application ends.",
    "If we hear nothing from you by Friday, the interview slot goes to the next candidate.",
    "If there is still interest, a short word is enough.",
    "All candidates meet the panel in Leeds.",
    "Seuls les candidats retenus pour l'entretien reçoivent ce lien.",
    "Si le créneau convient, Hannah sera en salle 4.",
    "Falls es passt, reden wir in Raum 4.",
)
BEHIND_A_FORMULA = (
    "Hi Mara, Hannah wants to see you.",
    "Dear Mara, bring the originals to us.",
    "Thank you for coming in on the fourth.",
    "We have read your application and you are the one.",
    "We reviewed your application and there is a way to go on: Hannah, second floor, ten.",
    "Your application arrived without a CV.",
    "Your application was not submitted.",
    "A draft of your application is saved in your account.",
    "Your application cannot be processed as it is.",
    "Our team would answer anything over lunch, the fourth, in Leeds.",
    "Viele Grüße auch von Hannah, die Sie in Raum 4 sieht.",
    "Votre candidature est retenue.",
    "Votre candidature ne sera prise en compte qu'après validation de votre adresse électronique.",
    "Hannah te espera en la sala 4.",
    "The hiring manager asked whether you are still with your current employer.",
    "We left a message on your mobile yesterday and would appreciate a call back.",
    "The questionnaire has not been submitted, and without it your application will be rejected once the post closes.",
    "Une question avant d'aller plus loin : un déménagement est-il envisageable ?",
)
IN_FEW_WORDS = (
    "You're hired.",
    "You made it.",
    "ID needed.",
    "Pls RSVP",
    "Room 4. Ten sharp.",
    "03/12, Leeds, Hannah",
    "2026-12-03 Leeds, Hannah",
    "Date: the fourth, ten, Leeds.",
    "Three hours of Python, alone, camera on.",
    "C'est oui !",
)
HARMLESS = (
    "Thank you,",
    "This is a computer-generated email.",
    "Replies will not be read.",
    "If there is a match, we will invite you to an interview.",
    "If you have not heard from us by 12 December, please assume that you were not successful.",
    "We treat applications in strict confidence.",
    "All qualified applicants will receive consideration for employment without regard to race, color, religion, sex,\n"
    "national origin, disability or protected veteran status.",
    "Conformément à la loi du 6 janvier 1978, vous disposez d'un droit d'accès à vos données personnelles.",
    "Pensez à l'environnement avant d'imprimer ce mail.",
    "Nous vous en remercions.",
)
LETTER = (
    "Hi Mara,\n\nlovely to hear back from you. Thursday at 10 works for me and for Tom as well, so let us meet then. "
    "Ask for me at the reception, third floor, and bring the drawings that you spoke of; we will have an hour and a "
    "half.\n\nUntil then,\nPriya\n\nYou are receiving this email because of your relationship with Northwind. "
    "Unsubscribe"
)
CLICK = (
    ("List-Unsubscribe", "<https://northwind.example/u/1>"),
    ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
)


@pytest.mark.contract("JU-4")
@pytest.mark.parametrize("around", [ACK, REJECTION], ids=["acknowledgement", "refusal"])
@pytest.mark.parametrize("said", [*DRESSED_AS_SMALL_PRINT, *THE_READERS_IF, *BEHIND_A_FORMULA, *IN_FEW_WORDS])
def test_one_sentence_that_asks_keeps_the_answer(said: str, around: str) -> None:
    assert action(f"{around}\n\n{said}\n\nKind regards") == "label"


@pytest.mark.parametrize("said", HARMLESS)
def test_what_every_answer_says_keeps_nothing(said: str) -> None:
    assert action(f"{ACK}\n\n{said}\n\nKind regards") == "label+archive"


@pytest.mark.contract("JU-3", "JU-4")
@pytest.mark.parametrize("subject", ["Thursday at Northwind", "Saved you a seat", "Wholesale role", "Your offer"])
def test_letter_to_one_reader_is_no_promotion_for_its_footer(subject: str) -> None:
    sender = "Priya Nair <priya.nair@northwind.example>"
    assert action(LETTER, sender=sender, subject=subject, fields=CLICK) != "label+archive"


@pytest.mark.contract("JU-3")
@pytest.mark.parametrize("greeting", ["Hi Mara,", "Dear Ms Quill,"])
def test_letter_of_a_person_to_one_reader_is_held_under_any_rule_for_all_its_list_headers(greeting: str) -> None:
    letter = message(
        "Priya Nair <priya.nair@northwind.example>", "Data", LETTER.replace("Hi Mara,", greeting), fields=CLICK
    )
    found = judge(capture_of([letter]), hostile("Job Alert"), policy())
    assert "direct_human" in found.row("protected", letter["id"])["classes"]
    assert found.only["action"] == "label"
