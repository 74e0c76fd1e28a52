"""The words by which a sentence of an answer asks, matters, names a day, or is known to do none of it. Folded.

Promises: data only; every pattern is bounded. What each is for is said beside it; plain_answers.py asks them.
"""

import re
from typing import Final

APOSTROPHES: Final = str.maketrans({"\u2019": "'", "\u2018": "'", "\u02bc": "'", "`": "'"})


def _any(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{part})" for part in parts))


ADDRESS: Final = re.compile(r"<?https?://\S+|\bwww\.\S+|\S+@\S+")
_DAY: Final = (
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|tonight|today|next week|this week|"
    r"this afternoon|montag|dienstag|mittwoch|donnerstag|freitag|lundi|mardi|mercredi|jeudi|vendredi|demain|"
    r"semaine prochaine|lunes|martes|miercoles|jueves|viernes"
)
_MONTH: Final = (
    r"january|february|march|april|may|june|july|august|september|october|november|december|janvier|fevrier|mars|"
    r"avril|mai|juin|juillet|aout|septembre|octobre|novembre|decembre|januar|februar|marz|juni|juli|oktober|dezember"
)
DATE: Final = _any(
    rf"\b(?:{_DAY})\b",
    r"\b(?:\d{1,2}/\d{1,2}(?:/\d{2,4})?|\d{4}-\d{2}-\d{2})\b(?!/)|\bthe (?:first|second|third|fourth|fifth|sixth|"
    r"seventh|eighth|ninth|twelfth|twentieth)(?=\W*$|, | at | of )",
    rf"\b\d{{1,2}}(?:st|nd|rd|th|er|\.)? (?:of )?(?:{_MONTH})\b|\b(?:{_MONTH}) \d{{1,2}}\b|\bthe \d{{1,2}}(?:st|nd|"
    rf"rd|th)\b",
    r"(?<![$\u00a3\u20ac\d.,])\b\d{1,2}[:.h]\d{2}\b(?! ?(?:per|an|a|/) ?h)|\b\d{1,2} ?(?:am|pm|uhr|o'clock)\b|"
    r"\bbetween (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|noon)(?! and \w+ (?:weeks|days|months|"
    r"working))\b|\bat (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|noon)\b|\b(?:half past|"
    r"quarter (?:to|past))\b|\b(?:twentieth|fifteenth|thirtieth|tenth)\b",
)
_VERBS: Final = (
    r"accept|add|answer|apply|arrange|attach|attend|authori[sz]e|begin|book|bring|call|check|choose|click|come|"
    r"complete|confirm|consent|contact|create|decide|do|download|email|enter|expect|fill|find|finish|follow|forward|"
    r"get|give|go|hit|join|keep|let|log|look|mail|make|meet|open|pay|phone|pick|plan|prepare|present|print|provide|"
    r"read|record|register|remember|reply|reserve|respond|return|review|ring|save|schedule|see|select|send|set|share|"
    r"sign|solve|start|state|submit|take|talk|tap|tell|translate|try|turn|update|upload|use|verify|view|visit|watch|"
    r"wear|write"
)
HARD: Final = _any(
    r"\bplease (?!print this|go to|note|be (?:aware|assured|advised|patient|informed)|do not|don't|allow|bear|"
    r"accept (?:our|my|this)|understand|keep (?:an eye|in touch|in mind|this|your application)|check out|"
    r"look in your|use it wisely|refrain|contact|visit|see our|refer to|check (?:our|your (?:spam|junk))|notify|"
    r"delete|disregard|ignore|read our|feel free|rest assured|consider (?:applying|your application|that|"
    r"this (?:message|email)|us|the environment|other)|assume|add|know that|continue to|take this|get in touch if|"
    r"email us if|write to us if|let us know if you (?:have|need|require|wish|want|would like|no longer)|"
    r"remember that we|find (?:our|more|further|a (?:summary|copy))|apply|reapply|stay|follow us|excuse|forgive|"
    r"expect)",
    r"\bkindly (?!note|be|do not|ask for your patience|bear|ignore|ask you to consider|ask for|ask that you refrain|"
    r"consider)",
    r"\b(?<!nothing )(?<!nothing further )(?<!nothing else )(?<!nothing more )(?:you|applicants?|candidates?|"
    r"everyone|everybody|all of you) (?:must|need to|have to|are (?:required|asked|requested|expected|invited) to|"
    r"are to|will be (?:asked|required|expected) to|should (?!you|have received|hear|expect|receive|not|assume|"
    r"consider))\b",
    r"\b(?<!what )(?<!than )(?<!that )(?<!skills )(?:we|i) (?:need (?!someone|somebody|people|time|a little|"
    r"some time|to (?:fill|go|review|read|consider|compare|decide))|require|ask (?!for (?:your|a little|"
    r"some) (?:patience|understanding))|want you|invite you(?! to (?:apply|visit|check|follow|browse|keep|explore|"
    r"re-?apply|continue|look|join our talent))|still need|are (?:still )?missing|lack|look forward to (?:meeting|"
    r"speaking|seeing|your reply|your response|hearing from you|talking))\b",
    r"\b(?<!if )(?<!than )(?<!whom )(?<!whilst )(?<!while )(?:we|i)(?:'d| would) (?:like|love|be (?:grateful|happy|"
    r"glad|delighted)) (?!to (?:thank|keep|stay|make the|get back|let |inform you|let you know|confirm|take this|"
    r"wish|acknowledge|remind you that|assure|encourage you to (?:apply|keep|check|visit)|retain|express|update you|"
    r"share)|if you (?:applied|considered))",
    r"\b(?:pleased|delighted|happy|excited|thrilled|glad) to (?:offer|invite|inform|tell|"
    r"let you know(?! (?:that )?(?:we|your application|you have been added))|extend|announce|share|move|meet|"
    r"schedule|welcome)",
    r"\b(?:could|can|would|will|are|have|did|does|is) you\b|\bdo you (?!not)\b",
    r"\b(?:congratulations|(?<!whether )(?<!if )you have been (?:selected|shortlisted|chosen|invited|sent|asked)|"
    r"(?<!whether )(?<!if )you've been (?:selected|shortlisted|chosen|invited|sent|asked)|you are invited|"
    r"you're invited|welcome (?:aboard|to the team)|the job is yours|hire you)\b",
    r"\b(?:let (?:us|me) know (?!if you (?:have|need|require|wish|want|would like|no longer))|get back to me|"
    r"give (?:me|us) a (?!few|week|couple|little|bit|moment)|call me|ring me|ring us|tell me|"
    r"(?<!not )(?<!don't )(?:reply|respond) (?:to this|by|with|yes|before)|at your earliest|by return|expires?|"
    r"will lapse|due (?:by|on|date)|no later than|by close of|(?<!aim to )(?:complete|return|finish|answer|"
    r"done)\w* \w* ?within|book (?:a|your)|pick (?:a|your)|choose a|select a|sign (?:and|the|your|it)|send (?:us|me|"
    r"it|your|over)|upload (?:your|the|a|it|them)|complete (?:the|your|this|a|an|all|these|it)|fill (?:in|out)|"
    r"set up your|attached (?:form|contract|exercise|task|document|test)|enclosed (?:form|contract|exercise|task|"
    r"document)|your (?:interview|test|assessment|offer|start date|first day|contract|salary|availability|signature|"
    r"references|referees|passport|documents|slot|meeting|appointment|call) (?!.*\b(?:arrived|received|"
    r"reached)\b)(?:is|are|has|have|will|with|on|at|for|must|was))\b",
    r"\b(?:need|needs|requires?|await|awaiting|waiting (?:for|on)) (?:your|you)\b(?! (?:any|to do anything))|"
    r"\bask(?:ed|s|ing) (?:whether|if|me|us|you|about|for (?:a|an|your|the|some))\b|\bwant(?:s|ed)? (?:to (?:see|"
    r"meet|talk|speak|hear|know)|a word|you)\b|\b(?:keen|hopes?|hoping) to (?:see|meet)\b|\b(?:sees?|would see|"
    r"expects?) you\b|\bsee you (?:in|on|at) \b|\byou(?:'re| are) (?:hired|the one\b|in\W*$|through|our first|"
    r"one of (?:two|three|four|five|six)|on (?:the|our) (?:short)?list)|\byou (?:made|got) it\b|\b(?:is|are|"
    r"it's) yours\b|\bone more step\b|\bwelcome (?:on board|aboard|to the team)\b|\b(?:room|raum|salle|sala|"
    r"floor) \d|\b(?:at|on|under|number is|call|ring|reach \w+ on) (?:\+|0)\d[\d -]{5,}|\bapplication (?:is|was|has|"
    r"cannot|could not|remains?|waits?)\b(?: \w+){0,2} (?:not (?:yet )?(?:been )?(?:submitted|complete\w*|received|"
    r"finished|signed)|a draft|as a draft|be processed|in draft|convinced|on hold until|for a|open until you)|"
    r"\bwithout (?:a|an|the|your) (?:cv|resume|cover letter|signature|confirmation|attachment|photo|code|id)\b|"
    r"\ba draft\b|\bhalf of (?:it|your|the)\b|\b(?:the )?originals\b|\bconvinced us\b|\breached the last\b|"
    r"\btried to (?:reach|call|ring|contact|phone)\b|\b(?:cannot|could not|couldn't|can't) open\b|\bstill to come\b|"
    r"\bthank\w* (?:you )?in advance for \w+ing\b|\bmerci (?:d'avance|par avance) (?:de|pour l'envoi)\b|"
    r"\bone click\b|\broom number\b|\bat the gate\b|\bthank\w* for (?:ringing|bringing|returning|coming in)\b|"
    r"\bdes originaux\b|\bleft (?:you )?a (?:message|voicemail|note)\b|\bcall(?:ed|ing)? (?:\w+ )?back\b|\b(?:would|"
    r"we'd|i'd) appreciate (?:a|an|your|it if|hearing)\b(?! patience)|\bmissed (?:you|your call)\b|\blast two\b|"
    r"\bin the lobby\b|\bover (?:coffee|lunch)\b",
    r"\bqu'(?:apres|une fois|a condition|a reception)\b|\brappel\b|\bn'a pas encore ete\b|\bn'avez pas encore\b|"
    r"\bevaluations? en ligne\b|\ble lien (?:se trouve|est|figure)\b|\bcandidatures? (?:accompagnee|completee)s?\b|"
    r"\btant que\b|\b(?:reste|restera|demeure) (?:en attente|incomplet)|\b(?:aimerais|aimerions|souhaiterais|"
    r"souhaiterions|voudrais|voudrions) (?:savoir|vous|te|connaitre)\b(?! (?:remercier|informer))|\b(?:vous|te|"
    r"t') ?(?:attend|attendent|attendons|espere)\b|\b(?:veut|veulent|souhaite|souhaitent|aimerait|"
    r"aimeraient) (?:vous|te) (?:voir|rencontrer|parler|recevoir|entendre)\b|\bvous (?:voit|recoit|recevra|"
    r"recevrons)\b(?! (?:une?|un|la|le|notre|cet?|des) )|\b(?:profil|candidature|dossier) (?:nous )?(?:plait|a plu|"
    r"est retenue?|convainc|nous a convaincus?)\b|\ba (?:etre retenus)\b|\bc'est oui\b|\b(?:vous|"
    r"te) joindre\b(?! a )|\bde mobilite est envisageable\b|\benvisageable pour vous\b",
    r"\berwarten (?:sie|dich)\b(?! (?:nicht|keine))|\bfreuen uns auf (?:sie|dich)\b|\bsehen wir (?:sie|dich)\b|"
    r"\buberzeug\w+|\bunleserlich\b|\b(?:te|le) espera(?:mos)?\b|\bquier(?:e|en) verte\b|\bqueremos (?:verte|"
    r"conocerte)\b|\bestas dentro\b|\bte parece bien\b",
    r"\b(?:good|great|fantastic|wonderful|exciting) news\b|\bhas been accepted\b|\baccepted by\b",
    r"\bwonder(?:ed|ing)? (?:if|whether)\b|\b(?:thrilled|delighted|glad|pleased|happy|grateful) if you\b|"
    r"\bwe'd (?:like|value),?\b(?! to)|\bwould (?:dearly |very much |also )?(?:like|love) (?:explained|to (?:see|"
    r"know|hear|meet|speak|talk))\b|\bwould be acceptable\b|\bare expected (?:at|in|on)\b|\byour answers\b|"
    r"\boverleaf\b|\bhas said yes\b|\ba yes (?:or|from)\b|\buntil (?:she|he|they) hears?\b|\bour client (?:has|is|"
    r"would)\b|\b(?:could|may|might) (?:i|we) (?:trouble|ask|ring|call|have)\b|\b(?:two|three|four|five|six|"
    r"few) questions\b|\bcodes?\b|\btried the number\b|\bat (?:her|his|my|their) desk\b|\bhas (?:passed|expired|"
    r"lapsed)\b|\bown view\b",
    r"\bwe have (?:a |some |one |two |three |few |additional |further |more |couple of |following )+questions?\b",
    r"\b(?:il nous serait|nous serions|voudrez bien|voudriez|ouvrez|verifiez|finalis(?:ez|er)|connectez|"
    r"rendez-vous sur|il conviendra|saurions gre|saurais gre|vos reponses|ne peut s'en passer|restee? sans|"
    r"etapes sur|votre (?:retour|avis|accord|confirmation|presence) (?:sur|quant|avant|par|au|a)|sera demande|"
    r"joignez|apprecierions|serait apprecie|dites|precis(?:er|ez)|indiquez|aurions besoin|aimerai(?:t|ent)|renvoyez|"
    r"donnez|faites|adressez|fournissez|attendus?|munis?|illisible|curieux|essaye deux fois|vide|signee|a dit oui|"
    r"perdue? en route|reste a savoir|serait acceptable|agenda|finalistes|avec les conditions|(?:excellente|bonne|"
    r"grande) nouvelle|a ete acceptee?|priere de (?!ne pas)|comptons sur vous|compte sur vous|entre vos mains|"
    r"faute de quoi|vous entendre|en suspens|est a (?:deposer|remettre|fournir|retourner|completer|signer))\b",
    r"\b(?:merci de (?!le supprimer|le detruire|n'imprimer|ne |noter|nous en avertir|prevenir l'expediteur|votre|"
    r"l'interet|l'attention|le detruire|ne pas|considerer|noter|patienter|nous avoir|cette|cet|vous)|"
    r"merci d'(?!avoir)|veuillez (?!noter|considerer|agreer|recevoir|croire|ne pas|accepter|excuser|patienter|"
    r"trouver nos|le detruire|le supprimer|l'ignorer|en avertir|en informer|vous connecter a votre profil|"
    r"consulter notre)|pourriez|pouvez-vous|seriez|etes-vous|avez-vous|souhaitez-vous|"
    r"nous (?:vous invitons(?! a (?:consulter|postuler|suivre|visiter|renouveler|rester|conserver|continuer|"
    r"decouvrir))|vous convions|souhaitons vous rencontrer|souhaiterions vous|aimerions vous (?!remercier)|"
    r"vous demandons|vous prions de (?!patienter|croire|ne pas|bien vouloir (?:accepter|excuser|agreer|patienter)|"
    r"recevoir|agreer|trouver)|avons besoin|attendons)|vous (?:devez|devrez|etes (?:invite|convoque|convie|retenu|"
    r"attendu|prie)|avez jusqu)|il (?:nous manque|manque|faut|vous reste)|votre (?:entretien|test|contrat|"
    r"rendez-vous|presence|signature) (?:est|aura|avec|du|a)|felicitations(?! \w+,? votre candidature est)|"
    r"bienvenue dans|ci-joint|piece jointe|completez|(?<!si vous )remplissez|envoyez|transmettez|confirmez|"
    r"(?<!ne )repondez|cliquez (?!ici pour vous desabonner)|choisissez|reservez|preparez|apportez|signez|"
    r"au plus tard|avant le|d'ici (?:le|au|lundi))",
    r"\b(?:bitte (?!beachten|haben|antworten sie nicht|nicht|wenden|sehen sie von|berucksichtigen|entschuldigen|"
    r"betrachten)|konnten sie|konnen sie|mochten sie|haben sie (?:zeit|noch)|wir (?:bitten (?:sie|"
    r"dich) (?!um (?:verstandnis|geduld|etwas geduld|ihr|dein))|benotigen (?!etwas|noch etwas|einige|fur die)|"
    r"laden sie|laden dich|mochten sie (?!informieren|bitten, von|darauf)|wurden sie gerne|freuen uns, sie)|"
    r"sie mussen|sie haben die stelle|gluckwunsch|willkommen|anbei|bis zum|spatestens|senden sie|schicken sie|"
    r"teilen sie|melden sie|rufen sie|reichen sie|fullen sie|waren wir ihnen|wurden wir uns|eintrittstermin|"
    r"nicht offnen|offen ist|kommission|schritten?|neugierig|ihr (?:gesprach|termin|test|vertrag) (?:ist|findet|am|"
    r"wurde))",
    r"\b(?:por favor(?!, no| no)|puedes|podrias|podria|tienes que|debes|debe|necesitamos (?!tiempo|unos|algo)|"
    r"te invitamos (?!a (?:visitar|seguir|consultar))|enhorabuena|felicidades|envia\w*|adjunta\w*|confirma(?:nos|r)?|"
    r"completa (?:la|el|tu)|indica(?:nos|r)?)\b",
    r"\b(?:begin (?:your|here|now|the)|start here|missing|incomplete|not (?:yet )?complete|needs (?:one|a|an|your|"
    r"to)|get to know you|hear more (?:from|about) you|on our shortlist|compensation|your employment with|"
    r"following up|second stage|action required|we're inviting|we are inviting|you are one of|you're one of|"
    r"proposer le poste|ofrecer\w*|anbieten|siguiente (?:paso|fase)|ejercicio|evaluacion|etude de cas|bienvenid\w|"
    r"unvollstandig|geben sie)\b",
    r"\byou(?:'ll| will) (?:earn|be paid|start (?:on|work)|join us|report to)|\b(?:bonus|per annum|a year|"
    r"starting pay|hourly)\b",
    r"\byour (?:answer|reply|response|decision)\b|\bhear back from you\b|\bhear from you\b",
)
MATTERS: Final = _any(
    r"\b(?:interview(?:s|ed|ing)?|assessments?|tests?|quiz(?:zes)?|exercises?|challenges?|assignments?|case study|"
    r"offers?|contracts?|passports?|visas?|permits?|certificates?|diplomas?|transcripts?|references|referees?|"
    r"presentations?|portfolios?|start date|meetings?|appointments?|calls?|chat|conversation|slots?|calendar|"
    r"availability|available|notice period|signatures?|documents?|paperwork|form|questionnaires?|talk (?:to|with)|"
    r"a talk|speak (?:to|with)|come (?:in|by|over)|next (?:round|stage|steps?)|second round|shortlisted|visit us|"
    r"attachments?|buttons?|direct line|in person|finalists?|left blank|blank|missing|empty|illegible|unreadable|"
    r"unsigned|certified cop\w+|envelope|permission|curious|photo card|pencilled|penciled|bank details|direct number|"
    r"work history|earliest|nights (?:and|or)|(?:and|or) weekends|saturdays|sundays|steps? as done|terms|unanimous|"
    r"last step|final step|licen[cs]es?|rings|ring you|testing partner|both sides|bank account|payslips?|"
    r"salary expectations?|insurance number|identity|tax forms?|counter-?sign\w*|keys|badge|right to work|"
    r"right-to-work|background check|proof|scan|samples?|video|phone|zoom|(?:on|via|microsoft|over) teams|"
    r"teams (?:call|meeting|link)|trial|panel)\b",
    r"\b(?:entretiens?|tests?|exercices?|contrats?|pieces?|documents?|justificatifs?|creneaux?|disponibilites?|"
    r"rendez-vous|references|diplomes?|signature|visio|appel|appeler|telephon\w+|echanger|rencontrer|promesse|"
    r"proposition|date de debut|prochaine etape|cas pratique|mise en situation|permis|casier|carte (?:vitale|"
    r"d'identite)|rib|formulaires?|etape suivante|questionnaires?|portfolio|pretentions)\b",
    r"\b(?:\w*gesprach\w*|termine?s?|terminvorschlag\w*|aufgabe\w*|vertrag\w*|zeugnis\w*|ausweis\w*|anruf\w*|"
    r"telefonat\w*|telefonieren|kennenlernen|fragebogen|angebot|entrevista\w*|prueba\w*|contrato|documentos?|llamada|"
    r"colloquio|gesprek)\b",
)
"""What an answer must not speak of, except to say that there is none, or to thank for what has been."""
NONE_OF_IT: Final = _any(
    r"\binterview(?:ing)? (?:tips?|advice|guides?|skills|coach\w*|hacks|mistakes)\b",
    r"(?:\b(?:not|unable|cannot|can't|won't|never|no longer|unfortunately|without|no)|"
    r"n't) (?:\w+ ){0,6}(?:interview\w*|offer\w*|shortlisted|selected|invit\w+|next|calls?|(?:tele)?phone|reference|"
    r"available|form|documents?|chat|assessment|test)\b",
    r"\b(?:thank\w*|appreciate|enjoyed|pleasure|lovely|great|nice|after|following|since|during|met|attending|"
    r"time) (?:\w+ ){0,7}(?:interview\w*|conversation|call|meeting|assessment|test|chat|presentation|documents?|"
    r"references|portfolio|form|phone|video|exercise|challenge)\b",
    r"\b(?:pieces jointes sont|par telephone ou par|contactees par telephone|envoye de mon telephone|"
    r"aucun renseignement|type de contrat|candidats? retenus?|autres candidats?)\b.{0,80}",
    r"\b(?:pas|ne|malheureusement|regret|n'a|n'avons|n'ont|merci|remerci\w+|suite a|"
    r"lors de) (?:\S+ ){0,8}(?:entretien|echang\w+|test|rencontr\w+|suite|proposition|appel\w*|documents?|pieces?)\b",
    r"\b(?:nicht|kein\w*|leider|dank\w*|nach) (?:\w+ ){0,8}(?:gesprach\w*|angebot|termin\w*|vertrag\w*)\b",
    r"\b(?:offre d'emploi|offre de|l'offre|votre offre|notre offre|job offers?|form letter|visit our|telephone:|"
    r"phone:|tel)\b",
    r"\b(?:only (?:those |the )?shortlisted(?: candidates| applicants| individuals| people)?|those (?:that|"
    r"who) (?:are|have been) shortlisted|(?:acknowledge\w*|receipt of) (?:\w+ ){0,3}your (?:\w+ ){0,2}form|"
    r"on your (?:application )?form)\b|\b(?:examin\w+|etudi\w+|analys\w+|lir\w+|verifi\w+|recu) (?:\S+ ){0,4}(?:vos|"
    r"tes|votre|les) (?:\S+ ){0,2}(?:documents?|pieces?|diplomes?|references?|portfolio)\b",
    r"\b(?:received|got|check|checking|review|reviewing|examine|examining|confirm\w*) (?:\w+ ){0,5}(?:your|"
    r"the) (?:\S+ ){0,6}(?:documents?|transcripts?|samples?|form|references?|portfolio)\b",
    r"\bpanel (?:will (?:assess|review|consider|meet|read|sift)|meets|assesses|reviews)\b|\bcalls may be recorded\b|"
    r"\bavailable (?:up)?on request\b|\bthey come in\b|\bany attachments?\b|\bsent from my \w+|\bby phone\b|"
    r"\bcall (?:centre|center)\b",
    r"\b(?:in touch|update you|inform you|contact you|hear from us|let you know|e-?mail you|notify you|"
    r"contacted) (?:\w+ ){0,4}(?:about|regarding|on|with|of|for) (?:\w+ ){0,3}next (?:steps?|(?:\w+ )?phases?)\b",
    r"\b(?:background|cv|resume|portfolio|documents?|form|references) (?:\w+ ){0,3}(?:received|uploaded|submitted|"
    r"attached to your)\b",
)
_RARER: Final = (
    r"acquire|activate|analy[sz]e|arrive|block|build|calculate|capture|certify|claim|clear|code|collect|compose|"
    r"compute|copy|courier|deliver|demonstrate|describe|design|dial|draft|draw|dress|drop|explain|film|gather|hand|"
    r"hold|indicate|install|introduce|key|launch|list|mark|measure|message|name|nominate|note|obtain|offer|order|"
    r"outline|pack|paste|pencil|photograph|pop|post|practi[sc]e|press|produce|propose|prove|push|renew|request|"
    r"research|revise|run|scan|ship|show|specify|step|stop|study|suggest|summari[sz]e|supply|swing|tape|test|text|"
    r"tick|type|unlock|validate|walk"
)
"""Also nouns that a title or a line begins with: an order only before what it is about."""
_ABOUT: Final = (
    r"your|yourself|yourselves|the|an?|this|these|it|us|me|our|all|both|one|two|three|down|by|in|out|off|how|why"
)
TOLD: Final = re.compile(
    rf"^(?:then |now |next |first |just |also |and |so |to )?(?:(?:{_VERBS})\b|(?:{_RARER}) (?:{_ABOUT})\b)"
)
HARMLESSLY: Final = re.compile(
    r"^(?:just |also |and |so |to )?(?:talk soon|see application|visit candidate|view or update|follow us|"
    r"keep track of|find us on|see you soon|visit (?:our|us|the)|check (?:out |our|your (?:application )?status|"
    r"your (?:spam|junk)|the status)|(?:edit|update|change) your (?:profile|preferences|details|data|settings|"
    r"e-?mail|account|information)|(?:view|track|check|manage|withdraw|delete|see|stop) (?:your|the|all|my|our|more|"
    r"these) ?(?:application|status|job|profile|progress|preferences|similar|data|careers|open|details|emails?|"
    r"settings|alerts?|other)?|keep (?:an eye|your eyes|in touch|up)|read (?:our|more|the|about)|learn (?:more|how|"
    r"about)|contact (?:us|our|the)|log ?in to (?:view|check|track|see|manage|your)|sign in to (?:view|check|track|"
    r"see|manage)|apply (?:again|for|now|today|here|easily|directly)|(?:view|see|show|browse|open) (?:this |the |"
    r"all |more |new |other |matching |similar )*(?:jobs?|roles?|positions?|vacanc|openings?|offers?|details|online|"
    r"in)|unsubscribe|look out|see (?:our|you around)|add us|save this|find out|let us know if you (?:have|need)|"
    r"give us (?:a )?(?:little|bit|week|few|some)|meet the team|take care|do not|don't|get in touch if|go to our|"
    r"write to us if|keep doing|enter)\b"
)
"""Told to do what an answer may tell: where to look, whom to ask, how to leave."""
LABEL: Final = re.compile(
    r"^(?:next steps?|what(?:'s| is| happens) next|nice to meet you|take care|pour exercer vos droits.*|"
    r"talk soon.*)\W*$"
)
FAQ: Final = re.compile(
    r"^(?:(?:how|what|when|where|why|who|whom|which) |(?:(?:still )?(?:is|are|do|does|may|can|will) (?=.*\b(?:i|my|"
    r"the role|the pay)\b)))(?:(?!\b(?:you|your|suit|work|monday|tuesday|wednesday|thursday|friday)\b).)*\?$|"
    r"\b(?:hear from|(?:any|have|got|further|other|more|des|autres|d'autres) questions?|need help|happens next|"
    r"do you give|want to stop|not interested|no longer want|what's next|wrong (?:person|address)|et maintenant|"
    r"que se passe|comment se deroule|quand aurai|qui sommes|pas de (?:retour|reponse|nouvelles)|et apres|et ensuite|"
    r"no (?:news|reply|answer|word)|don't want|have friends|know someone|does it matter|having trouble|trouble|"
    r"can't see|cannot see|applied by mistake|where you are in the process|imprimer ce (?:courriel|mail|message)|"
    r"mot de passe oublie|donnees vous concernant|que deviennent vos donnees|comment se passe|qu'en est-il|"
    r"raconte la suite)\b"
)


LEAVING: Final = re.compile(
    r"\b(?:don't|do not|no longer) (?:want|wish) to (?:receive|get|hear)\b|\bne (?:souhaitez|voulez|"
    r"desirez) plus recevoir\b|\b(?:consulter|suivre|voir|connaitre|modifier|gerer|supprimer) .{0,60}\b(?:avancement|"
    r"etat|statut|preferences|donnees)\b.{0,60}(?:connectez-vous|rendez-vous sur|ouvrez une session|cliquez)|"
    r"\bremoved? from (?:our|this|the) (?:mailing |e-?mail |candidate )?(?:list|database)\b"
)
"""How to leave a list is no request."""
IS_OF_THE_FORM: Final = _any(
    r"\b(?:by|before|until|after|within|no later than|end of) .{0,40}\b(?:in touch|hear from (?:us|me)|get back|"
    r"reply to|write to|know)\b|\b(?:in touch|hear from (?:us|me)|get back|reply to|write to|you know|be reviewed|"
    r"reviewing|be handled|be considered) .{0,60}\b(?:by|before|until|after|within|no later than|end of|"
    r"on my return)\b",
    r"\b(?:cloture|recue?s avant|delai|date limite|postule le|candidature (?:du|envoyee le)|limite de|epreuves|"
    r"se deroule|revien\w+|reviendr\w+)\b",
    r"\b(?:date submitted|filing date|applied on|submitted (?:on|at)|received on|was submitted|"
    r"submitted successfully|closing date|opening date|closes? on|posted|deadline is|sift|shortlisting|longlisting|"
    r"search committee|review applications|date:|sent on|on file until|since \d{4}|office hours|opening hours|"
    r"opens? (?:on|from|until)|open (?:until|from monday))\b",
    r"\b(?:en date du|enregistree le|recue le|deposee le|transmise le|soumise le|envoyee le|date :|(?:loi|reglement|"
    r"directive)\b.{0,80}\d{4}|submitted this application on|date of submission|application date|applied:|submitted:)",
    r"\b(?:monday (?:to|through|-|and) friday|mon-fri|lundi au vendredi|montag bis freitag)\b",
)
YOU: Final = re.compile(
    r"\b(?:you|your|yours|yourself|you're|you've|you'll|you'd|vous|votre|vos|toi|te|tu|ton|ta|tes|sie|ihnen|ihr|"
    r"ihre\w?|du|dich|dir|dein\w*|usted|ustedes|sus|ti|tus|tuyo)\b"
)
"""Names its reader."""
