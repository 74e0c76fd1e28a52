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
    r"this afternoon|"
    r"montag|dienstag|mittwoch|donnerstag|freitag|lundi|mardi|mercredi|jeudi|vendredi|demain|semaine prochaine|"
    r"lunes|martes|miercoles|jueves|viernes"
)
_MONTH: Final = (
    r"january|february|march|april|may|june|july|august|september|october|november|december|janvier|fevrier|mars|"
    r"avril|mai|"
    r"juin|juillet|aout|septembre|octobre|novembre|decembre|januar|februar|marz|juni|juli|oktober|dezember"
)
DATE: Final = _any(
    rf"\b(?:{_DAY})\b",
    r"\b(?:\d{1,2}/\d{1,2}(?:/\d{2,4})?|\d{4}-\d{2}-\d{2})\b(?!/)|"
    r"\bthe (?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|twelfth|twentieth)(?=\W*$|, | at | of )",
    rf"\b\d{{1,2}}(?:st|nd|rd|th|er|\.)? (?:of )?(?:{_MONTH})\b|\b(?:{_MONTH}) \d{{1,2}}\b|\bthe \d{{1,2}}(?:st|nd|"
    rf"rd|th)\b",
    r"(?<![$\u00a3\u20ac\d.,])\b\d{1,2}[:.h]\d{2}\b(?! ?(?:per|an|a|/) ?h)|\b\d{1,2} ?(?:am|pm|uhr|o'clock)\b|"
    r"\bbetween (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|noon)(?! and \w+ (?:weeks|days|months|"
    r"working))\b|\bat (?:one|two|three|four|five|six|"
    r"seven|eight|nine|ten|eleven|noon)\b|\b(?:half past|quarter (?:to|past))\b|\b(?:twentieth|fifteenth|thirtieth|"
    r"tenth)\b",
)
_VERBS: Final = (
    r"accept|add|answer|apply|arrange|attach|attend|authori[sz]e|begin|book|bring|call|check|choose|click|come|"
    r"complete|"
    r"confirm|consent|contact|create|decide|do|download|email|enter|expect|fill|find|finish|follow|forward|get|"
    r"give|go|hit|"
    r"join|keep|let|log|look|mail|make|meet|open|pay|phone|pick|plan|prepare|present|print|provide|read|record|"
    r"register|"
    r"remember|reply|reserve|respond|return|review|ring|save|schedule|see|select|send|set|share|sign|solve|start|"
    r"state|"
    r"submit|take|talk|tap|tell|translate|try|turn|update|upload|use|verify|view|visit|watch|wear|write"
)
HARD: Final = _any(
    r"\bplease (?!print this|go to|note|be (?:aware|assured|advised|patient|informed)|do not|don't|"
    r"allow|bear|accept (?:our|my|this)|understand|keep (?:an eye|in touch|in mind|this|your application)|check out|"
    r"look in your|use it wisely|refrain|contact|"
    r"visit|see our|refer to|check (?:our|your (?:spam|junk))|notify|delete|disregard|ignore|read our|feel free|"
    r"rest assured|"
    r"consider (?:applying|your application|that|this (?:message|email)|us|the environment|other)|assume|add|"
    r"know that|"
    r"continue to|take this|get in touch if|email us if|write to us if|let us know if you (?:have|need|require|"
    r"wish|want|"
    r"would like|no longer)|remember that we|find (?:our|more|further|a (?:summary|copy))|apply|reapply|stay|"
    r"follow us|excuse|forgive|expect)",
    r"\bkindly (?!note|be|do not|ask for your patience|bear|ignore|ask you to consider|ask for|ask that you refrain|"
    r"consider)",
    r"\b(?<!nothing )(?<!nothing further )(?<!nothing else )(?<!nothing more )(?:you|applicants?|candidates?|everyone|"
    r"everybody|all of you) (?:must|need to|have to|"
    r"are (?:required|asked|requested|expected|invited) to|are to|will be (?:asked|required|expected) to|"
    r"should (?!you|have "
    r"received|hear|expect|receive|not|assume|consider))\b",
    r"\b(?<!what )(?<!than )(?<!that )(?<!skills )(?:we|i) (?:need (?!someone|somebody|people|time|a little|"
    r"some time|to (?:fill|go|review|read|consider|compare|decide))|require|ask (?!for (?:your|a little|"
    r"some) (?:patience|understanding))|want you|"
    r"invite you(?! to (?:apply|visit|check|"
    r"follow|browse|keep|explore|re-?apply|continue|look|join our talent))|still need|are (?:still )?missing|lack|"
    r"look "
    r"forward to (?:meeting|speaking|seeing|your reply|your response|hearing from you|talking))\b",
    r"\b(?<!if )(?<!than )(?<!whom )(?<!whilst )(?<!while )(?:we|i)(?:'d| would) (?:like|love|be (?:grateful|happy|"
    r"glad|"
    r"delighted)) (?!to (?:thank|keep|stay|make the|get back|let |"
    r"inform you|let you know|"
    r"confirm|take this|wish|acknowledge|remind you that|assure|encourage you to (?:apply|keep|check|visit)|"
    r"retain|express|"
    r"update you|share)|if you (?:applied|considered))",
    r"\b(?:pleased|delighted|happy|excited|thrilled|glad) to (?:offer|invite|inform|tell|"
    r"let you know(?! (?:that )?(?:we|your "
    r"application|you have been added))|extend|announce|share|move|meet|schedule|welcome)",
    r"\b(?:could|can|would|will|are|have|did|does|is) you\b|\bdo you (?!not)\b",
    r"\b(?:congratulations|(?<!whether )(?<!if )you have been (?:selected|shortlisted|chosen|invited|sent|asked)|"
    r"(?<!whether )(?<!if )you've been (?:selected|shortlisted|"
    r"chosen|invited|sent|asked)|you are invited|you're invited|welcome (?:aboard|to the team)|the job is yours|"
    r"hire you)\b",
    r"\b(?:let (?:us|me) know (?!if you (?:have|need|require|wish|want|would like|no longer))|get back to me|"
    r"give (?:me|us) a (?!few|week|couple|little|bit|moment)|"
    r"call me|ring me|ring us|tell me|(?<!not )(?<!don't )(?:reply|respond) (?:to this|by|with|yes|before)|"
    r"at your earliest|"
    r"by return|expires?|will lapse|due (?:by|on|date)|no later than|by close of|(?<!aim to )(?:complete|return|"
    r"finish|answer|"
    r"done)\w* \w* ?within|"
    r"book (?:a|your)|pick (?:a|your)|choose a|select a|sign (?:and|the|your|it)|send (?:us|me|it|your|over)|"
    r"upload (?:your|the|a|"
    r"it|them)|complete (?:the|your|this|a|an|all|these|it)|fill (?:in|out)|set up your|attached (?:form|contract|"
    r"exercise|task|"
    r"document|test)|enclosed (?:form|contract|exercise|task|document)|your (?:interview|test|assessment|offer|"
    r"start date|first "
    r"day|contract|salary|availability|signature|references|referees|passport|documents|slot|meeting|appointment|"
    r"call) (?!.*\b(?:arrived|received|reached)\b)(?:is|are|"
    r"has|have|will|with|on|at|for|must|was))\b",
    r"\b(?:need|needs|requires?|await|awaiting|waiting (?:for|on)) (?:your|you)\b(?! (?:any|to do anything))|"
    r"\bask(?:ed|s|ing) (?:whether|if|me|us|you|about|for (?:a|an|your|the|some))\b|"
    r"\bwant(?:s|ed)? (?:to (?:see|meet|talk|speak|hear|know)|a word|you)\b|\b(?:keen|hopes?|hoping) to (?:see|meet)\b|"
    r"\b(?:sees?|would see|expects?) you\b|\bsee you (?:in|on|at) \b|"
    r"\byou(?:'re| are) (?:hired|the one\b|in\W*$|through|our first|one of (?:two|three|four|five|six)|on (?:the|"
    r"our) (?:short)?list)|"
    r"\byou (?:made|got) it\b|\b(?:is|are|it's) yours\b|\bone more step\b|\bwelcome (?:on board|aboard|to the team)\b|"
    r"\b(?:room|raum|salle|sala|floor) \d|\b(?:at|on|under|number is|call|ring|reach \w+ on) (?:\+|0)\d[\d -]{5,}|"
    r"\bapplication (?:is|was|has|cannot|could not|remains?|"
    r"waits?)\b(?: \w+){0,2} (?:not (?:yet )?(?:been )?(?:submitted|complete\w*|"
    r"received|finished|signed)|a draft|as a draft|be processed|in draft|convinced|on hold until|for a|open until you)|"
    r"\bwithout (?:a|an|the|your) (?:cv|resume|cover letter|signature|confirmation|attachment|photo|code|id)\b|"
    r"\ba draft\b|\bhalf of (?:it|your|the)\b|\b(?:the )?originals\b|\bconvinced us\b|\breached the last\b|"
    r"\btried to (?:reach|call|ring|contact|phone)\b|\b(?:cannot|could not|couldn't|can't) open\b|\bstill to come\b|"
    r"\bthank\w* (?:you )?in advance for \w+ing\b|\bmerci (?:d'avance|par avance) (?:de|pour l'envoi)\b|\bone click\b|"
    r"\broom number\b|\bat the gate\b|\bthank\w* for (?:ringing|bringing|returning|coming in)\b|\bdes originaux\b|"
    r"\bleft (?:you )?a (?:message|voicemail|note)\b|\bcall(?:ed|ing)? (?:\w+ )?back\b|\b(?:would|we'd|"
    r"i'd) appreciate (?:a|an|your|it if|"
    r"hearing)\b(?! patience)|\bmissed (?:you|your call)\b|"
    r"\blast two\b|\bin the lobby\b|\bover (?:coffee|lunch)\b",
    r"\bqu'(?:apres|une fois|a condition|a reception)\b|\brappel\b|\bn'a pas encore ete\b|\bn'avez pas encore\b|"
    r"\btant que\b|\b(?:reste|restera|demeure) (?:en attente|incomplet)|\b(?:aimerais|aimerions|souhaiterais|"
    r"souhaiterions|"
    r"voudrais|voudrions) (?:savoir|vous|te|connaitre)\b(?! (?:remercier|informer))|\b(?:vous|te|t') ?(?:attend|"
    r"attendent|attendons|espere)\b|"
    r"\b(?:veut|veulent|souhaite|souhaitent|aimerait|aimeraient) (?:vous|te) (?:voir|rencontrer|parler|recevoir|"
    r"entendre)\b|"
    r"\bvous (?:voit|recoit|recevra|recevrons)\b(?! (?:une?|un|la|le|notre|cet?|des) )|"
    r"\b(?:profil|candidature|dossier) (?:nous )?(?:plait|a plu|est retenue?|convainc|nous a convaincus?)\b|"
    r"\ba (?:etre retenus)\b|"
    r"\bc'est oui\b|\b(?:vous|te) joindre\b(?! a )|\bde mobilite est envisageable\b|\benvisageable pour vous\b",
    r"\berwarten (?:sie|dich)\b(?! (?:nicht|keine))|\bfreuen uns auf (?:sie|dich)\b|\bsehen wir (?:sie|dich)\b|"
    r"\buberzeug\w+|"
    r"\bunleserlich\b|\b(?:te|le) espera(?:mos)?\b|\bquier(?:e|en) verte\b|\bqueremos (?:verte|conocerte)\b|"
    r"\bestas dentro\b|\bte parece bien\b",
    r"\b(?:good|great|fantastic|wonderful|exciting) news\b|\bhas been accepted\b|\baccepted by\b",
    r"\bwonder(?:ed|ing)? (?:if|whether)\b|\b(?:thrilled|delighted|glad|pleased|happy|grateful) if you\b|"
    r"\bwe'd (?:like|value),?\b(?! to)|"
    r"\bwould (?:dearly |very much |also )?(?:like|love) (?:explained|to (?:see|know|hear|meet|speak|talk))\b|"
    r"\bwould be acceptable\b|"
    r"\bare expected (?:at|in|on)\b|\byour answers\b|\boverleaf\b|\bhas said yes\b|\ba yes (?:or|from)\b|"
    r"\buntil (?:she|he|they) hears?\b|"
    r"\bour client (?:has|is|would)\b|\b(?:could|may|might) (?:i|we) (?:trouble|ask|ring|call|have)\b|"
    r"\b(?:two|three|four|five|six|few) questions\b|\bcodes?\b|\btried the number\b|\bat (?:her|his|my|their) desk\b|"
    r"\bhas (?:passed|expired|lapsed)\b|\bown view\b",
    r"\bwe have (?:a |some |one |two |three |few |additional |further |more |couple of |following )+questions?\b",
    r"\b(?:il nous serait|nous serions|voudrez bien|voudriez|ouvrez|verifiez|finalis(?:ez|er)|connectez|"
    r"rendez-vous sur|"
    r"il conviendra|saurions gre|saurais gre|vos reponses|ne peut s'en passer|restee? sans|etapes sur|votre (?:retour|"
    r"avis|accord|confirmation|presence) (?:sur|quant|avant|"
    r"par|au|a)|sera demande|joignez|apprecierions|serait apprecie|dites|precis(?:er|ez)|indiquez|aurions besoin|"
    r"aimerai(?:t|ent)|renvoyez|"
    r"donnez|faites|adressez|fournissez|attendus?|munis?|illisible|curieux|"
    r"essaye deux fois|vide|signee|a dit oui|perdue? en route|reste a savoir|serait acceptable|agenda|finalistes|"
    r"avec les conditions|"
    r"(?:excellente|bonne|grande) nouvelle|a ete acceptee?|priere de (?!ne pas)|comptons sur vous|compte sur vous|"
    r"entre vos mains|faute de quoi|vous entendre|en suspens|est a (?:deposer|remettre|fournir|retourner|completer|"
    r"signer))\b",
    r"\b(?:merci de (?!le supprimer|le detruire|n'imprimer|ne |noter|nous en avertir|prevenir l'expediteur|votre|"
    r"l'interet|l'attention|le detruire|ne pas|considerer|noter|patienter|nous avoir|cette|cet|"
    r"vous)|"
    r"merci d'(?!avoir)|veuillez "
    r"(?!noter|considerer|agreer|recevoir|croire|ne pas|accepter|excuser|patienter|trouver nos|le detruire|"
    r"le supprimer|"
    r"l'ignorer|en avertir|en informer|vous connecter a votre profil|consulter notre)|pourriez|"
    r"pouvez-vous|seriez|"
    r"etes-vous|avez-vous|souhaitez-vous|nous (?:vous invitons(?! a (?:consulter|postuler|suivre|visiter|"
    r"renouveler|rester|"
    r"conserver|continuer|decouvrir))|vous convions|souhaitons vous rencontrer|souhaiterions vous|"
    r"aimerions vous (?!remercier)|"
    r"vous demandons|vous prions de (?!patienter|croire|ne pas|bien vouloir (?:accepter|excuser|agreer|patienter)|"
    r"recevoir|"
    r"agreer|trouver)|"
    r"avons besoin|attendons)|vous (?:devez|devrez|etes (?:invite|convoque|convie|retenu|attendu|prie)|"
    r"avez jusqu)|il (?:nous "
    r"manque|manque|faut|vous reste)|votre (?:entretien|test|contrat|rendez-vous|presence|signature) (?:est|aura|"
    r"avec|du|a)|"
    r"felicitations(?! \w+,? votre candidature est)|bienvenue dans|ci-joint|piece jointe|completez|"
    r"(?<!si vous )remplissez|envoyez|transmettez|confirmez|"
    r"(?<!ne )repondez|cliquez "
    r"(?!ici pour vous desabonner)|choisissez|reservez|preparez|apportez|signez|au plus tard|avant le|d'ici (?:le|"
    r"au|lundi))",
    r"\b(?:bitte (?!beachten|haben|antworten sie nicht|nicht|wenden|sehen sie von|berucksichtigen|entschuldigen|"
    r"betrachten)|"
    r"konnten sie|konnen sie|mochten sie|haben sie (?:zeit|noch)|wir (?:bitten (?:sie|dich) (?!um (?:verstandnis|"
    r"geduld|etwas "
    r"geduld|ihr|dein))|benotigen (?!etwas|noch etwas|einige|fur die)|laden sie|laden dich|"
    r"mochten sie (?!informieren|bitten, "
    r"von|darauf)|wurden sie gerne|freuen uns, sie)|sie mussen|sie haben die stelle|gluckwunsch|willkommen|anbei|"
    r"bis zum|"
    r"spatestens|senden sie|schicken sie|teilen sie|melden sie|rufen sie|reichen sie|fullen sie|waren wir ihnen|"
    r"wurden wir uns|eintrittstermin|nicht offnen|offen ist|kommission|schritten?|neugierig|ihr (?:gesprach|"
    r"termin|test|"
    r"vertrag) (?:ist|findet|am|wurde))",
    r"\b(?:por favor(?!, no| no)|puedes|podrias|podria|tienes que|debes|debe|necesitamos (?!tiempo|unos|algo)|"
    r"te invitamos (?!a "
    r"(?:visitar|seguir|consultar))|enhorabuena|felicidades|envia\w*|adjunta\w*|confirma(?:nos|r)?|completa (?:la|"
    r"el|tu)|indica(?:nos|r)?)\b",
    r"\b(?:begin (?:your|here|now|the)|start here|missing|incomplete|not (?:yet )?complete|needs (?:one|a|an|your|"
    r"to)|get to know you|"
    r"hear more (?:from|about) you|on our shortlist|compensation|your employment with|following up|second stage|"
    r"action required|"
    r"we're inviting|we are inviting|you are one of|you're one of|proposer le poste|ofrecer\w*|anbieten|"
    r"siguiente (?:paso|fase)|ejercicio|"
    r"evaluacion|etude de cas|bienvenid\w|unvollstandig|geben sie)\b",
    r"\byou(?:'ll| will) (?:earn|be paid|start (?:on|work)|join us|report to)|\b(?:bonus|per annum|a year|"
    r"starting pay|hourly)\b",
    r"\byour (?:answer|reply|response|decision)\b|\bhear back from you\b|\bhear from you\b",
)
MATTERS: Final = _any(
    r"\b(?:interview(?:s|ed|ing)?|assessments?|tests?|quiz(?:zes)?|exercises?|challenges?|assignments?|case study|"
    r"offers?|contracts?|"
    r"passports?|visas?|permits?|certificates?|diplomas?|transcripts?|references|referees?|presentations?|"
    r"portfolios?|"
    r"start date|meetings?|appointments?|calls?|chat|conversation|slots?|calendar|availability|available|"
    r"notice period|"
    r"signatures?|documents?|paperwork|form|questionnaires?|talk (?:to|with)|a talk|speak (?:to|with)|come (?:in|"
    r"by|over)|next (?:round|stage|steps?)|second round|shortlisted|"
    r"visit us|attachments?|buttons?|direct line|in person|finalists?|left blank|blank|missing|empty|illegible|"
    r"unreadable|unsigned|"
    r"certified cop\w+|envelope|permission|curious|photo card|pencilled|penciled|bank details|direct number|"
    r"work history|earliest|"
    r"nights (?:and|or)|(?:and|or) weekends|saturdays|sundays|steps? as done|terms|unanimous|last step|final step|"
    r"licen[cs]es?|rings|ring you|testing partner|both sides|"
    r"bank account|"
    r"payslips?|salary expectations?|insurance number|identity|tax forms?|counter-?sign\w*|keys|badge|"
    r"right to work|right-to-work|background check|proof|scan|samples?|video|phone|zoom|(?:on|via|microsoft|"
    r"over) teams|teams (?:call|meeting|link)|trial|panel)\b",
    r"\b(?:entretiens?|tests?|exercices?|contrats?|pieces?|documents?|justificatifs?|creneaux?|disponibilites?|"
    r"rendez-vous|references|"
    r"diplomes?|signature|visio|appel|appeler|telephon\w+|echanger|rencontrer|promesse|proposition|date de debut|"
    r"prochaine etape|cas pratique|mise en situation|permis|casier|carte (?:vitale|d'identite)|rib|formulaires?|"
    r"etape suivante|questionnaires?|portfolio|pretentions)\b",
    r"\b(?:\w*gesprach\w*|termine?s?|terminvorschlag\w*|aufgabe\w*|vertrag\w*|zeugnis\w*|ausweis\w*|anruf\w*|"
    r"telefonat\w*|telefonieren|kennenlernen|"
    r"fragebogen|"
    r"angebot|entrevista\w*|prueba\w*|contrato|documentos?|llamada|colloquio|gesprek)\b",
)
"""What an answer must not speak of, except to say that there is none, or to thank for what has been."""
NONE_OF_IT: Final = _any(
    r"\binterview(?:ing)? (?:tips?|advice|guides?|skills|coach\w*|hacks|mistakes)\b",
    r"(?:\b(?:not|unable|cannot|can't|won't|never|no longer|unfortunately|without|no)|"
    r"n't) (?:\w+ ){0,6}(?:interview\w*|"
    r"offer\w*|shortlisted|"
    r"selected|invit\w+|next|calls?|(?:tele)?phone|reference|available|form|documents?|chat|assessment|test)\b",
    r"\b(?:thank\w*|appreciate|enjoyed|pleasure|lovely|great|nice|after|following|since|during|met|attending|"
    r"time) (?:\w+ ){0,7}(?:interview\w*|conversation|call|"
    r"meeting|assessment|test|chat|presentation|documents?|references|portfolio|form|phone|video|exercise|"
    r"challenge)\b",
    r"\b(?:pieces jointes sont|par telephone ou par|contactees par telephone|envoye de mon telephone|"
    r"aucun renseignement|type de contrat|"
    r"candidats? retenus?|autres candidats?)\b.{0,80}",
    r"\b(?:pas|ne|malheureusement|regret|n'a|n'avons|n'ont|merci|remerci\w+|suite a|"
    r"lors de) (?:\S+ ){0,8}(?:entretien|echang\w+|test|"
    r"rencontr\w+|suite|proposition|appel\w*|documents?|pieces?)\b",
    r"\b(?:nicht|kein\w*|leider|dank\w*|nach) (?:\w+ ){0,8}(?:gesprach\w*|angebot|termin\w*|vertrag\w*)\b",
    r"\b(?:offre d'emploi|offre de|l'offre|votre offre|notre offre|job offers?|form letter|visit our|telephone:|"
    r"phone:|tel)\b",
    r"\b(?:only (?:those |the )?shortlisted(?: candidates| applicants| individuals| people)?|those (?:that|"
    r"who) (?:are|have been) "
    r"shortlisted|(?:acknowledge\w*|receipt of) (?:\w+ ){0,3}your (?:\w+ ){0,2}form|on your (?:application )?form)\b|"
    r"\b(?:examin\w+|etudi\w+|analys\w+|lir\w+|verifi\w+|recu) (?:\S+ ){0,4}(?:vos|tes|votre|"
    r"les) (?:\S+ ){0,2}(?:documents?|pieces?|"
    r"diplomes?|references?|portfolio)\b",
    r"\b(?:received|got|check|checking|review|reviewing|examine|examining|confirm\w*) (?:\w+ ){0,5}(?:your|"
    r"the) (?:\S+ ){0,6}"
    r"(?:documents?|transcripts?|samples?|form|references?|portfolio)\b",
    r"\bpanel (?:will (?:assess|review|consider|meet|read|sift)|meets|assesses|reviews)\b|\bcalls may be recorded\b|"
    r"\bavailable (?:up)?on request\b|\bthey come in\b|\bany attachments?\b|\bsent from my \w+|\bby phone\b|"
    r"\bcall (?:centre|center)\b",
    r"\b(?:in touch|update you|inform you|contact you|hear from us|let you know|e-?mail you|notify you|contacted)"
    r" (?:\w+ ){0,4}(?:about|regarding|on|with|of|for) (?:\w+ ){0,3}next (?:steps?|(?:\w+ )?phases?)\b",
    r"\b(?:background|cv|resume|portfolio|documents?|form|references) (?:\w+ ){0,3}(?:received|uploaded|submitted|"
    r"attached to your)\b",
)
_RARER: Final = (
    r"acquire|activate|analy[sz]e|arrive|block|build|calculate|capture|certify|claim|clear|code|collect|compose|"
    r"compute|"
    r"copy|courier|deliver|demonstrate|describe|design|dial|draft|draw|dress|drop|explain|film|gather|hand|hold|"
    r"indicate|install|introduce|key|launch|list|mark|measure|message|name|nominate|note|obtain|offer|order|outline|"
    r"pack|paste|pencil|photograph|pop|post|practi[sc]e|press|produce|propose|prove|push|renew|request|research|"
    r"revise|run|scan|ship|show|specify|step|stop|study|suggest|summari[sz]e|supply|swing|tape|test|text|tick|type|"
    r"unlock|validate|walk"
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
    r"keep track of|find us on|see you soon|visit (?:our|us|the)|"
    r"check (?:out |our|"
    r"your (?:application )?status|your (?:spam|junk)|the status)|"
    r"(?:edit|update|change) your (?:profile|preferences|details|data|settings|e-?mail|account|information)|"
    r"(?:view|track|check|manage|withdraw|delete|see|stop) (?:your|the|all|my|our|more|"
    r"these) ?(?:application|status|job|profile|"
    r"progress|preferences|similar|data|careers|open|details|emails?|settings|alerts?|other)?|keep (?:an eye|"
    r"your eyes|in touch|up)|"
    r"read (?:our|more|the|about)|learn (?:more|how|about)|contact (?:us|our|the)|log ?in to (?:view|check|track|"
    r"see|manage|your)|"
    r"sign in to (?:view|check|track|see|manage)|apply (?:again|for|now|today|here|easily|directly)|(?:view|see|"
    r"show|browse|open) (?:this |the |all |more |new |other |matching |similar )*(?:jobs?|roles?|positions?|"
    r"vacanc|openings?|offers?|details|online|in)|unsubscribe|look out|see (?:our|you around)|add us|"
    r"save this|find out|"
    r"let us know if you (?:have|need)|give us (?:a )?(?:little|bit|week|few|some)|meet the team|take care|do not|"
    r"don't|get in touch if|"
    r"go to our|write to us if|keep doing|enter)\b"
)
"""Told to do what an answer may tell: where to look, whom to ask, how to leave."""
LABEL: Final = re.compile(
    r"^(?:next steps?|what(?:'s| is| happens) next|nice to meet you|take care|pour exercer vos droits.*|"
    r"talk soon.*)\W*$"
)
FAQ: Final = re.compile(
    r"^(?:(?:how|what|when|where|why|who|whom|which) |(?:(?:still )?(?:is|are|do|does|may|can|will) (?=.*\b(?:i|"
    r"my|the role|the pay)\b)))"
    r"(?:(?!\b(?:you|your|suit|work|monday|tuesday|wednesday|thursday|friday)\b).)*\?$"
    r"|\b(?:hear from|(?:any|have|got|further|other|more|des|autres|d'autres) questions?|need help|happens next|"
    r"do you give|want to stop|not interested|no longer want|"
    r"what's next|"
    r"wrong (?:person|address)|et maintenant|que se passe|comment se deroule|quand aurai|qui sommes|pas de (?:retour|"
    r"reponse|nouvelles)|et apres|"
    r"et ensuite|no (?:news|reply|answer|word)|don't want|have friends|know someone|does it matter|having trouble|"
    r"trouble|can't see|cannot see|applied by mistake|where you are in the process|imprimer ce (?:courriel|mail|"
    r"message)|mot de passe oublie|"
    r"donnees vous concernant|que deviennent vos donnees|comment se passe|qu'en est-il|raconte la suite)\b"
)


LEAVING: Final = re.compile(
    r"\b(?:don't|do not|no longer) (?:want|wish) to (?:receive|get|hear)\b|\bne (?:souhaitez|voulez|"
    r"desirez) plus recevoir\b|"
    r"\b(?:consulter|suivre|voir|connaitre|modifier|gerer|supprimer) .{0,60}\b(?:avancement|etat|statut|"
    r"preferences|donnees)\b"
    r".{0,60}(?:connectez-vous|rendez-vous sur|ouvrez une session|cliquez)|"
    r"\bremoved? from (?:our|this|the) (?:mailing |e-?mail |candidate )?(?:list|database)\b"
)
"""How to leave a list is no request."""
IS_OF_THE_FORM: Final = _any(
    r"\b(?:by|before|until|after|within|no later than|end of) .{0,40}\b(?:in touch|hear from (?:us|me)|get back|"
    r"reply to|"
    r"write to|know)\b|\b(?:in touch|hear from (?:us|me)|get back|reply to|write to|you know|be reviewed|"
    r"reviewing|be handled|be considered) .{0,60}\b(?:by|before|until|after|within|no later than|end of|"
    r"on my return)\b",
    r"\b(?:cloture|recue?s avant|delai|date limite|postule le|candidature (?:du|envoyee le)|limite de|epreuves|"
    r"se deroule|"
    r"revien\w+|reviendr\w+)\b",
    r"\b(?:date submitted|filing date|applied on|submitted (?:on|at)|received on|was submitted|submitted successfully|"
    r"closing date|"
    r"opening date|closes? on|posted|deadline is|"
    r"sift|shortlisting|longlisting|search committee|review applications|date:|sent on|on file until|since \d{4}|"
    r"office hours|opening hours|opens? (?:on|from|until)|open (?:until|from monday))\b",
    r"\b(?:en date du|enregistree le|recue le|deposee le|transmise le|soumise le|envoyee le|date :|(?:loi|reglement|"
    r"directive)\b.{0,80}\d{4}|submitted this application on|date of submission|application date|applied:|submitted:)",
    r"\b(?:monday (?:to|through|-|and) friday|mon-fri|lundi au vendredi|montag bis freitag)\b",
)
YOU: Final = re.compile(
    r"\b(?:you|your|yours|yourself|you're|you've|you'll|you'd|vous|votre|vos|toi|te|tu|ton|ta|tes|sie|ihnen|ihr|"
    r"ihre\w?|"
    r"du|dich|dir|dein\w*|usted|ustedes|sus|ti|tus|tuyo)\b"
)
"""Names its reader."""
