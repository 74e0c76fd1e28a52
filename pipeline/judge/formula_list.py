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
    disappointed|impressed|no reflection|not reflect|pas retenu*|pas ete retenu*|non retenu*|pu etre retenu*|
    n'avons pas retenu|n'avons pas pu|n'a pas pu|
    sans suite|pas donner suite|donner une suite|suite favorable|favorablement|regrets & <applied>|time|occasion|
    forward|
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

    it|they|this|the same|application*|submission*|resumes|documents|details|file & under review|being reviewed|
    reviewing it|reviewing resumes|reviewing applications|with the hiring team|with our team|with the team|be reviewed|
    currently reviewing

    replies|reply|responses|emails & will not be read|not be read|not read|cannot be read|go unread|not seen

    computer generated|auto generated|system generated|machine generated|no signature & email|e mail|letter|mail|
    message|
    signature|required|needed|reply

    traditional custodians|first nations|aboriginal|indigenous|unceded|traditional owners & acknowledg*|respects|
    territor*|land*|elders|welcome

    no phone calls|telephone inquiries|phone enquiries|phone inquiries|telephone enquiries|agencies & please|status|
    accept*|
    unable|not

    do not contact|refrain|not possible to contact & update*|status|period|office*|unit|reason|team

    submission|acknowledgement|receipt|this email|this message & does not imply|does not mean|does not guarantee|
    does not constitute|not an offer

    does not|do not|never|no & charge*|appoint|fee*|payment*|money|bank details|agenc*|authoris*|authoriz* & recruit*|
    hiring|
    employment|candidate*|applicant*|job*|process

    environment & print*

    sent from & iphone|android|mobile|phone|ipad|samsung|galaxy|device

    canvassing & disqualif*

    time|effort|energy|thought|dedication|interest|work & invested|put in|put into|spent|spend|goes into|go into|took|
    taken|
    shown|given & you|your|application*|process|us|role

    position|vacancy|requisition|role|opening|job|search|competition & filled|cancelled|canceled|closed|on hold|pause*|
    withdrawn|concluded|no longer & not|been|now|is|has|have|we

    decided|decision|opted|chosen & different direction|not to proceed|not to move|not to progress|not to continue|
    not easy|
    not an easy|easy|difficult|pause|move ahead|moved ahead|go ahead|on hold|other|someone|reflection|tough|hard|final

    not|n't|haven't|weren't|unable & selected|progressing|progress|moving|proceed*|successful|shortlisted|suitable|
    continuing|continue|considered|taken & you|your|we|time|occasion|position|role|process|stage

    disappoint* & news|recogni*|know|understand|this|may|will

    thank* & attending|interviewing|interview|participating|participation|completing|meeting & with us|last|technical|
    examination|assessment|test|process|our|the team|recent|yesterday

    enjoyed|great|pleasure|lovely|nice|good & learning|conversation*|speaking|meeting|talking|reading|chatting & you|
    your|
    background|work|about|experience

    hope & message finds|doing well|are well|paths|apply again|again|future|well

    remain|stay|stored|visible & database|connected|in touch|in mind|records|system|talent

    strong|exceptional|high|large|number|pool|competition|competitive|standard|calibre|caliber & candidates|
    applications|
    applicants|jobs|process|received|field|pool

    views expressed|opinions expressed & sender|author|message|company

    other current openings|more jobs|similar jobs|other jobs|here are|jobs for you & you|jobs|openings|like

    the following & sent|submitted|items|documents|details|was|were|received

    donnees|loi|rgpd|reglement|cnil|caractere personnel|informations & droit*|conserv*|traite*|traitement|reclamation|
    collect*|transmis*|responsable|delegue|finalite|tiers|duree|dpo|protection

    boite|adresse|messagerie|reponses|courriel & surveillee|consultee|lues|lue|relevee|utilisee|envoi & pas|non|ne

    amenagement*|adaptation*|accommodement*|handicap & besoin*|recrutement|processus|etape|referent*|joignable

    connaissance & dossier|candidature|cv|parcours|profil & prend*|allons|attention|soin

    societe|sas|sarl|s.a|sa|anonyme & capital|rcs|siret|siege|tva

    carnet d'adresses|courriers indesirables|indesirables|spam* & ajout*|recevoir|verifi*|consult*|messages|dossier

    elements|documents & suivants & transmis|envoyes

    consentement & retirer|revoquer|consulter

    diversite|inclusion|charte|egalite|equite|entreprise a mission & signataire|valoris*|souscri*|engage*|attach*|
    mission|
    recrut*

    masculin|genre & texte|alleger|usage|utilise

    imprim*|impression & environnement|necessite|planete|pensez|pensons

    elle|celle ci|il|candidature|dossier|inscription & examin*|etudi*|revue|prise en compte|analys*|receptionn*|
    instruit*|
    traitee|enregistree

    reponse* & cette adresse|ce courriel|ce message|ce mail & suite|lue*|traitee*|lu

    consultants|collaborateurs|salaries|clients|entreprises & accompagn*|intervien*|reparti*|aide|emploi*|specialis*|
    present*

    jamais|ni & argent|paiement*|bancaires|frais & recrutement|candidat*|embauche|demand*

    prendre|durer|prend & jours|semaines|temps & cela|ceci|processus|traitement|peut

    offres|annonces|postes & interesser|similaires|pourraient

    desabonn*|desinscri*|ne plus recevoir|plus recevoir & communications|mails|messages|cliquez|profil|connect*|
    courriels

    authenticite|fraude*|arnaque* & message*|signal*|securite|attention|vigilan*

    reseaux sociaux|linkedin|facebook|instagram|blog & suivez*|retrouvez|page|decouvr*|savoir plus|en apprendre|suis

    destinataire|erreur|confidentiel* & supprimer|detruire|avertir|expediteur|message|diffusion

    passe ce delai|passe le delai|au dela de ce delai & candidature|cv|dossier|considere*|retenue*|conserv*|retour|suite

    pouvez|pourrez|peux & statut|avancement|etat|suivre|consulter & candidature*|dossier|espace|compte

    remerci*|merci & nous|vous|toi|en|je & comprehension|confiance|interet|patience|remercions|envoi|temps|
    candidature*|bien|
    d'avoir|cela|message

    repondez|repondre|relancer & pas

    grateful|thankful|appreciate & you chose|you took|you decided|you considered|you thought|that you|chose to

    postulation*|inscription*|candidature*|message|dossier|courriel & recu*|parvenu*|enregistre*|transmis*|receptionne*

    examen|etude|lecture & candidature*|dossiers|dossier|procedons|prendra|cours

    cet e mail|cet email|ce message|ce courriel|ce mail|e mail & envoye|adresse|destine*|genere

    lire|lira|lisons|etudier & documents|candidature*|dossier*|soin|tous

    hats in the ring|hat in the ring|your stuff|your email|your mail & got|thank*|throwing|received|have

    what to expect|a little about|our process|how we hire|who we are & here's|here is|know|about|below|you

    reached us|with us & application|cv|resume|it|which|and|your|has|is

    verification|procedure|epreuve* & generalement|effectuee|avant toute

    visible|disponible & profil|cv & responsables|recruteurs|etablissements|equipes

    coordonnees|profil & contacter|recontacter|employeur|recruteur*
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
