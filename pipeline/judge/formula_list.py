"""The formulas of plain answers to applications, in four languages: sayings (see mail/sayings.py), one a paragraph.
`<applied>` and `<told>` stand for the two lists of words below.

Promises: data only; each of them is what an acknowledgement, an update or a refusal says without asking anything.
"""

from typing import Final

APPLIED: Final = """
    apply|applying|applied|application*|candidacy|candidature*|resume|cv|cover letter|submission|expression of interest|
    profile|profil|details|coordonnees|documents|experience|background|qualification*|skill*|materials|answers|dossier|
    postul*|lettre|courrier|courriel|demande|book|portfolio|curriculum|bewerbung*|unterlagen|lebenslauf|solicitud|
    candidatura|interest|interet|interesse|role|position|poste|offre|job|stelle|motivation|competences|parcours|
    inscrit*
"""
"""What somebody applied with, or for."""
TOLD: Final = """
    contact*|in touch|hear|heard|get back|getting back|come back|back to you|notif*|inform*|update*|let you know|email*|
    e mail*|reach out|reached out|write to|reply|respond*|answer*|call|ring|in the loop|get a text|revien*|reviendr*|
    revenir|tiendr*|tenu|tenus|tenue|recontact*|reponse|repond*|informe*|nouvelles|retour|signe|dit|dis|redis|dira|
    connaitre|part de|communiqu*|melden|informier*|ruckmeldung|horen|erhalten|comunic*|respuesta|updates
"""
"""How somebody is told the outcome."""
_PARAGRAPHS: Final = """
    thank*|thx|grateful|appreciat*|cheers|merci*|remerci*|dank*|gracias & <applied>|patience|time|taking|choosing|
    considering|thinking|getting in touch|your email|your message|your trust|temps|confiance|envoi|attention|
    sincerement|demarche

    delighted|pleased|glad|happy|chuffed|thrilled|excited|ravi*|heureu*|plaisir|joy|lovely & interest*|consider*|
    applied|apply|application|confirm*|received|work with us|join us|postul*|candidature|interet|your time|meet you|
    lire

    received|recieved|receipt|arrived|reached|submitted|sent|forwarded|passed|registered|recorded|logged|safe*|landed|
    confirm*|acknowledg*|added|complete|completed|recu|recue|recus|reception|parvenu*|arrive|arrivee|transmis*|
    enregistre*|deposee|depose|soumise|soumis|envoye*|partie|entre les mains|partage|eingegangen|erhalten|recibido|
    successful*|succes|is in|viewed|in the queue|on file|got|referred|noted & <applied>

    review*|consider*|assess*|evaluat*|read*|look*|check*|screen*|process*|study|examin*|sift*|compar*|etudi*|etude|
    examen|analys*|lit|lu|lue|lire|traite*|traitement|instruction|tri|consultable|pruf*|sicht*|revis*|
    scored & <applied>|candidat*|applicant*|application*

    <told> & we|we'll|us|i|i'll|our|they|she|he|team|colleague|nous|je|elle|il|on|wir|notre|recruiter*|employer*|
    company|hiring|shortly|soon|weeks|days|hours|outcome|decision|either way|once|status|serez|vous recevrez|vous aurez|
    recevrez|delais|semaine*|jours|progresses|quinzaine|will

    only|shortlisted|selected|successful|suitable|qualified|uniquement|seuls|seules|retenu* & <told>

    status|track|view|check|manage|see|follow|log in|login|sign in|signing in|visit|access|update|withdraw|suivre|
    suivez|consulter|suivi|gerer|statut|mettre a jour|rectification & <applied>|account|portal|progress|site|website|
    page|dashboard|donnees|espace|compte|offres|in process

    keep|retain*|hold|store|stored|kept|talent pool|talent community|conserv*|gard*|valable|delete|on file & <applied>|
    details|information|future|months|year|on file|data|annee|our records|database

    wish*|luck|best|every success|all the best|bonne chance|viel erfolg|suerte|bonne|excellente|belle|reussite & you|
    your|search|future|vous|votre|ta|te|career|day|week|weekend|luck|recherche*|chance

    receiv*|sent|getting|intended|addressed|recevez|recu & email|e mail|message|mail|notification|address|because|list|
    car

    do not|don't|please|merci de ne|veuillez ne|ne pas|cannot|bitte|nicht|unmonitored|not monitored|
    pas surveill* & reply|respond|repondre|antworten|responda|monitored|unattended|deter|worry|print

    any questions|further questions|other questions|a question|enquir*|inquir*|queries|faq*|frequently & contact*|
    let us know|email|visit|see|call|feel free|our page|answer*|help

    unsubscrib*|preferences|opt out|notifications|settings|alerts|turn & you|your|these|this|manage|from|them off

    privacy|data|gdpr|personal|confidential|rgpd|donnees|datenschutz|loi informatique|complaint|droits|droit & you|your|
    vos|ihre|our|policy|process*|information|vous|right|acces

    unfortunately|regret*|sorry|afraid|malheureusement|leider|unsuccessful|declined|other candidate*|another candidate*|
    more closely|not successful|not been|not be|unable|won't be|difficult decision|not the news|isn't the news|
    disappointed|impressed|no reflection|not reflect|retenu*|suite|favorable*|regrets & <applied>|time|occasion|forward|
    successful|selected|you|your|vous|votre|offer|further|decision*

    volume|number|many|high|hundreds|nombre|zahlreiche & application*|applicant*|candidat*|response*|interest|
    bewerbung*

    encourage|invite|invitons|welcome|feel free|keep an eye|explore|browse|follow|check|view|see|connect|hesitez|
    consulter|decourage & future|apply|openings|opportunities|jobs|vacancies|site|page|website|careers|roles|us|similar|
    offres

    process|decision|stage*|round|step|weeks|days|delai|traitement & take*|may|can|will|usually|typically|about|up to|
    long|hear|know|durer|prend|semaines|patience

    happens next|what happens|what next|next steps & you|your|application|now|after|if

    applicants|candidates|candidats & equal|all|regardless|employment|qualified|fair|monitoring|examin*

    applied|apply|application|postule|postuler|candidature & you|your|vous|votre|ta|tu & on|for|to|with|at|via|through|
    a|au|chez|le|pour

    considering|choosing|joining|interest & us|our|we|company|team|career*

    need to do anything|need to do|nothing further|nothing else|no action|no further action|need to call|
    need to contact & not|no|nothing|don't

    reference|confirmation|candidate|application|dossier|job|requisition & number|id|numero|no

    intended recipient|not the intended|destinataire & delete|notify|avertir|detruire|if|si|error|received

    in the meantime|while you wait|stay up to date|learn more & our|us|you|website|company|newsletter*|handbook|page

    agreer|salutations|sentiments|cordiale*|expression|grusse* & vous|prions|prie|recevoir|agreer|mit

    disposition|a votre disposition & reste*|restons|est|questions|conseiller

    for your records|summary of your|copy of your|recapitulatif & email|application|candidature|here|keep|this|de

    automated|automatically|automatic|automatique*|automatically generated|system generated & message|email|e mail|mail|
    notification|courriel|reply|envoye|generated

    diversity|inclusion|inclusive|equal|equality|discriminat*|disabilit*|veteran*|safeguarding|drug free|e verify|
    at will|equitable & we|our|employer|workplace|committed|opportunity|all|status|participates

    compensation|benefits|culture|growth|mission|values & we|our|offer|competitive|company|people

    rights reserved|registered in|registered office|powered by|sent via|sent by|follow us|mailing address|
    view in browser|terms of|company number|charity number|all rights & reserved|england|powered|sent|us|address|
    browser|use|service|number|wales|registered|on|c

    those which|those who|which come & passed|closest|manager|decides|match

    service provider|software|platform|provider|employer & selection|candidates|influence|behalf|hiring|does not|
    not involved

    founded|employs|employees|customers|communities|countries|culture|thrive|belong|heart of|proud|great place & our|we|
    people|more than|years|since|everyone|work

    residents|notice at collection|ordinance|pursuant|policy|law|federal & california|applicants|state|qualified|
    records|consider|employment|applies|privacy

    depends|typically|varies|usually & role|applications|weeks|property|team|time|number

    undeliverable|will not reach|not monitored|unattended & replies|reply|message|mailbox|address|inbox

    technology|automated tools|responsible use|algorithm & hiring|recruiters|applications|our|we

    understanding|patience|bear with & ask|thank|kindly|may take|time|appreciate|us|for

    withdraw it|submit a new|change it|rolling basis|until the closing & closing|application|applications|reviewed|date|
    may|can

    vacancy|post|position|role & drawn|good deal|popular|competitive|many

    security team|genuine|fraud|beware|scam|never asks|impersonat* & message|recruiters|address|emails|us|money|
    candidates

    unsubscribe|preferences|view & click|here|link|browser|online|help centre|submissions|status

    people|applicants|candidates & applied|so far|this role|through

    a real human|a real person|every single|every one|each one|everything & reads|read|look|with|we|partners|team|
    review

    let people know|let everyone know|let applicants know|aim|aiming & we|outcome|weeks|days|before|close|stand

    employeur|postes ouverts|tous nos postes|diversite|egalite|handicap & engage*|ouverts|chances|situation|faveur|
    personnes

    confidentiel*|interdite|destine*|reproduction|fichiers & message|courriel|utilisation|exclusivement|personnes|
    diffusion|joints

    collaborateurs|clients|sites|metiers|actualite|en savoir plus|a propos|retrouvez|decouvrez|suivez nous & plus|nos|
    notre|sur|de|au

    charges de recrutement|recruteurs|managers|equipe* & connaissance|dossiers|candidatures|transmettent|lisent|etudi*

    informations recueillies|traitement informatique|conformement & recrutement|donnees|objet|loi

    autres candidats|personnes & ont postule|postule|contactees|preselectionnees

    automate|automatique|automatiquement & courriel|message|mail|envoye|adresse

    j'accuse|accusons|accuse & reception|reception de

    par avance|d'avance & remerci*|patience|comprehension

    elle|celle ci|celui ci|it|this|ceci|ce & enregistre*|transmis*|etude|instruction|forwarded|routed|recorded|pile|
    desk|safely|acknowledged|received|pick this up|passed|logged

    processus|process|etapes|steps|how we hire & generally|looks like|suivantes|usually|comprend|written up|looks|passe

    go through|look at|pick up|reads|review it|evalu*|get round to|collecting|regarde|transmets & them|it|this|
    applications|submissions|dossiers|all|tout ca|cv|everything

    no need|please don't|not required|rien a faire|nothing & again|further|send|de plus|your side|cote|do anything

    vous pouvez|you can & profil|suppression|supprimer|acceder|erase*|delete|amend|espace|withdraw

    vacancies|vacancy|jobs|postes & listed|retires|similar|like|arise|filled

    scanned|viruses|unmonitored|generique|automated|service email|only acknowledgement & email|e mail|mailbox|adresse|
    message|response|this|reponses

    chose|chosen|decided|selected|hired|gone|offered|move forward|moving forward|entschieden|elegido|choisi|
    retenu & another|other candidate*|other applicant*|someone|andere|otros|autre*|profils

    closing date|deadline|date limite|bewerbungsschluss & is|on|le|am|fixee|was|has

    team|committee|panel|managers|leadership|recruiters|client & evaluating|reviewing|reviews|review|considering|
    assess*|looking|reading|going through & applications|submissions|application|cv|candidates|profiles|them
"""


def formulas() -> tuple[str, ...]:
    """Every formula, its lists of words spelled out."""
    named = {"<applied>": _joined(APPLIED), "<told>": _joined(TOLD)}
    return tuple(_spelled(_joined(paragraph), named) for paragraph in _PARAGRAPHS.strip().split("\n\n"))


def _joined(text: str) -> str:
    return "".join(line.strip() + (" " if line.rstrip().endswith("&") else "") for line in text.strip().splitlines())


def _spelled(text: str, named: dict[str, str]) -> str:
    for name, words in named.items():
        text = text.replace(name, words)
    return text
