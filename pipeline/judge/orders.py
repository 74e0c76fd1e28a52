"""What a text to a machine orders: patterns over folded text, each under the name of its sign.

Promises: structure before phrases: what is to be dropped, what the answer must hold, what is to be sent away, who must
not know.

    signs_in(" ignore all previous instructions", PATTERNS, stems)     # {'instruction'}
"""

from typing import Final

from pipeline.judge import addressees, errands, tongues
from pipeline.judge.patterns import pattern

_DROP: Final = (
    # Do not forget the instructions: an honest sentence in every language.
    r"(?<!not )(?<!n't )(?<!never )(?<!n')(?<!no )(?<!no se )(?<!non )(?<!nao )(?<!nao se )"
    r"\b(?:ignor|disregard|forget|overrid|overrul|bypass|neglect|supersed|discard|do not follow|"
    r"stop following|no longer follow|skip all|vergiss|vergess|missacht|umgeh|oubli|olvid|omit|descart|"
    r"dimentic|esquec|desconsider|negeer|vergeet)\w{0,6}\b(?!\W+(?:sie )?(?:pas|nicht|niet|to|de|di|que)\b)"
)
_TOLD: Final = (
    r"\b(?:\w{0,2}nstru[ck]|istruzion|directive|prompts?\b|guideline|programming|anweisung|befehl|richtlini|consigne|"
    r"indicacione|reglas|regole|regeln|diretri|lineamient)"
)
_WHOSE: Final = (
    r"(?=[^.!?]{0,50}\b(?:all|any|every|your|previous\w*|prior|above|earlier|preceding|former|"
    r"existing|original|initial|developer|"
    r"system|safety|security)\b)(?:\W+(?:all|any|every|everything|each|the|your|my|our|these|"
    r"those|previous\w*|prior|above|earlier|preceding|"
    r"former|existing|original|initial|current|other|of|and|or|safety|security|system|developer|user'?s?)){1,5}"
)
_SET: Final = (
    r"\W+(?:rules|orders|commands?|requests?|constraints?|restrictions?|training|context|polic\w+|limitations?|"
    r"filters?|safeguards?|protocols?|directions?|tasks?|goals?|programming|conversation|input|prompts?)\b"
)
_ANSWER: Final = (
    r"(?:response|reply|replies|answer|output|summar(?:y|ies)|completion|antwort|reponse|"
    r"respuesta|risposta|resposta)s?"
)
_READS: Final = r"(?:summari[sz]\w+|process\w*|pars\w+|analy[sz]\w+|review\w*|index\w*|ingest\w*|classif\w+|triag\w+)"

PATTERNS: Final = (
    *addressees.PATTERNS,
    *tongues.PATTERNS,
    *errands.PATTERNS,
    pattern(
        "instruction",
        "nstruc|nstruk|istruzion|directive|prompt|guideline|programming|anweisung|befehl|richtlini|"
        "consigne|indicacione|reglas|regole|regeln|diretri|lineamient",
        _DROP + r"[^.!?]{0,50}?" + _TOLD,
    ),
    pattern(
        "instruction",
        "ignor|disregard|forget|overrid|overrul|bypass|neglect|abandon|discard|supersed",
        _DROP + _WHOSE + _SET,
    ),
    pattern(
        "instruction",
        "ignore |disregard |forget ",
        r"(?<!not )(?<!n't )(?<!never )\b(?:ignore|disregard|forget)\W+(?:about\W+)?(?:everything|"
        r"all|anything|whatever|"
        r"what)\W+(?:that\W+|of\W+the\W+)?"
        r"(?:above|before|prior|previous\w*|i\b|you\b|we\b|was\b|has been|came)",
    ),
    pattern(
        "instruction",
        "vergiss|oubli|olvid|dimentic|esquec",
        r"\b(?:vergiss|oublie[zr]?|olvida|dimentica|esqueca)\W+(?:alles|tout|todo|tutto|tudo)\b",
    ),
    pattern(
        "instruction",
        "protocol|safety check|security check|safety guideline|safety filter|safety restric",
        r"\b(?:override|safety|security)\W+(?:\w+\W+){0,2}?(?:protocols?|checks?|guidelines|restrictions|filters?)\W+"
        r"(?:\w+\W+){0,2}?(?:disabled|off|suspended|lifted|bypassed|removed|not apply)|"
        r"\bskip all (?:safety|security) checks",
    ),
    pattern(
        "new_orders",
        "instruction|directive|system prompt|orders|anweisung|consigne|instruccion|istruzion",
        r"\b(?:new|updated)\W+(?:\w+\W+){0,2}?(?:instructions?|directives?|system prompt|"
        r"orders)\b(?:[\s*#]*[:.!]|\W+(?:are|is|come|follow))|"
        r"\b(?:neue anweisung|nouvelles? (?:instruction|consigne)|nuevas? instruccion|"
        r"nuove istruzion|novas? instruc)",
    ),
    pattern(
        "new_orders",
        "your new|your real|your true|your actual|your only|your primary|your sole|your rules|"
        "your instructions|your guidelines|your task",
        r"\byour\W+(?:new|real|true|actual|only|primary|sole)\W+(?:\w+\W+)?"
        r"(?:task|goal|instructions?|directive|objective|mission|purpose|rules?)\W+(?:is|are|now|supersede)\w?\b|"
        r"\byour (?:rules|instructions|guidelines|task) (?:have|has) (?:now )?(?:changed|"
        r"been (?:changed|updated|replaced))",
    ),
    pattern(
        "secrets",
        "system prompt|system message|system instruction|system-prompt|systemprompt|"
        "systemanweisung|prompt sys|prompt del|"
        "prompt de|prompt di|instructions|instruction s|instrucciones del|istruzioni di|prompt|guidelines|rules",
        r"\b(?:reveal|show|print|paste|share|quote|provide|return|repeat|output|tell|display|leak|"
        r"disclose|expose|dump|recite|"
        r"verrate|zeige?|revele[zr]?|montre[zr]?|"
        r"muestra|revela|mostra|rivela|summari[sz]e|describe|"
        r"list)\b[^.!?]{0,50}?\b(?:system (?:prompt|message|instruction)s?|"
        r"system-?prompt|systemanweisung\w*|prompt (?:systeme?|del sistema|de sistema|di sistema)|"
        r"instructions? (?:systeme?)|"
        r"(?:tus )?instrucciones del sistema|istruzioni di sistema|(?:your|initial|hidden|"
        r"secret) (?:\w+ )?(?:instructions?|prompt))",
    ),
    pattern(
        "secrets",
        "you were|you have been| above|hidden prompt|context window",
        r"\b(?:exact|operating|all)? ?(?:instructions?|prompts?) (?:that )?you (?:were|have been) (?:given|told)|"
        r"\brepeat (?:the|all|every)[^.!?]{0,20}\b(?:words?|text|everything)\W+(?:\w+\W+)?above\b|\bhidden prompt\b|"
        r"\byour context window\b",
    ),
    pattern(
        "concealment",
        "the user|the owner|the recipient|the operator|the human",
        r"\b(?:do not|don't|don't|never|without)\W+(?:\w+\W+){0,3}?(?:tell|telling|inform\w*|"
        r"notify\w*|alert\w*|mention\w*|ask|asking|"
        r"reveal\w*|disclos\w*|warn\w*)\b[^.!?]{0,30}\b(?:the user|the owner|the recipient|the operator|the human)\b",
    ),
    pattern(
        "shapes_answer",
        "response|replies|reply|answer|output|summar|completion|antwort|reponse|respuesta|risposta|resposta",
        r"\b(?:append|include|add|insert|put|place|embed|begin|start|end|finish|preface|prefix|"
        r"output|print|repeat|write|say|display|"
        r"generate|contain|state|anfug\w*|angehangt|ajoute\w*|anadir\w*|aggiun\w+)\b[^.!?]{0,90}?\b"
        r"(?:your|every|each|any|all|the|jeder|toute|cualquier|ogni|toda)\W+(?:\w+\W+){0,3}?" + _ANSWER + r"\b|"
        r"\b(?:in|to|of|with|at the (?:start|end) of) (?:your|every|each|any|all) (?:\w+ ){0,2}?"
        + _ANSWER
        + r"\b[^.!?]{0,60}\b(?:include|append|add|insert|must|exact\w*)\b|\b(?:generate|produce|"
        r"give) an? (?:\w+ )?(?:response|answer)\b|"
        r"\b(?:antwort|reponse|respuesta|risposta|resposta)\w*\b[^.!?]{0,60}(?:angehangt|angefugt|"
        r"ajoute|anadir|aggiunt|inclu)|"
        r"\b(?:angehangt|angefugt|ajoute|anadir|aggiunt|inclu)\w*\b[^.!?]{0,60}\b(?:antwort|"
        r"reponse|respuesta|risposta|resposta)",
    ),
    pattern(
        "errand",
        "send an e|send one e|send another e|send a new e|send a mess|send the follow|"
        "email the text|with the body|with body|with the text|"
        "e-mail to|email to|todo",
        r"\bsend (?:an?|another|one|the following)(?: new)? (?:e-?mail|"
        r"message) to\b[^!?]{0,60}?\b(?:with (?:the )?(?:body|content|"
        r"text|message|subject)|saying|stating|containing|"
        r"that says)\b(?!\W{0,8}(?:line\W+)?(?:un)?(?:subscribe|help|remove|info|stop|signoff|"
        r"set))|"
        r"\b(?:e-?mail|send|post|write) the (?:text|message|word|phrase|"
        r"link)\W{1,3}[^.!?]{0,90}?\bto\b|\btodo ?: \w+",
    ),
    pattern("drops_above", " above", r"\b(?:ignore|disregard|forget)\W+(?:\w+\W+){0,3}?above\b"),
    pattern(
        "earlier_orders",
        "gave you|give you|given you|told you|asked you|ask you to|tell you to",
        r"\b(?:when|that|which|what) i (?:gave|have given|told|asked) you\b|\bgave you (?:your|"
        r"the|these|those) (?:\w+ )?(?:instructions?|task|prompt|orders?|rules)\b|"
        r"\bforg[eo]t to (?:ask|tell) you\b",
    ),
    pattern(
        "no_matter",
        "no matter what|regardless of|only this|and nothing more|whatever else|at all costs|without question",
        r"\bno matter what\b|\bregardless of (?:any|all|what|the|your|previous|prior|"
        r"other)\W+(?:\w+\W+){0,2}?(?:previous|prior|other|input|instructions?|"
        r"context|rules|said|above|else)\b|\band only this\b|\band nothing more\b|"
        r"\bat all costs\b|\bwithout question(?:ing)?\b",
    ),
    pattern(
        "does_following",
        "the following|what follows|this task|perform |execute |comply",
        r"\b(?:do|perform|execute|complete|carry out|obey|follow)\W+(?:exactly\W+|"
        r"only\W+)?(?:the following|what follows|this task|these instructions)\b|"
        r"\bperform ?: |\bexecute ?: |\b(?:must|will|shall|should) comply\b|\bcomply (?:fully|"
        r"with (?:every|all|the following))\b",
    ),
    pattern("block", " block", r"\b(?:code|txt|text|markdown) ?block\b"),
    pattern(
        "marks_answer",
        "of your resp|of your answer|of your output|of your repl|of your summar|of every resp|"
        "of each resp|of every repl",
        r"\b(?:at|in|to|from) the (?:very )?(?:end|start|beginning|top|bottom) of (?:your|every|each) (?:\w+ )?"
        + _ANSWER,
    ),
    pattern(
        "speaks_output",
        "output |print |dump |echo |repeat ",
        r"\b(?:output|print|dump|echo) (?:your|the|all|every|me|only|exactly|back)\b|"
        r"\brepeat\b[^.!?]{0,80}?\b(?:\d{2,}|many|forever) ?(?:times)?\b",
    ),
    pattern(
        "your_insides",
        "your unique|your config|your internal|your param|your training|your model|your memory|"
        "your context|your develop|"
        "your program|your creator|your knowledge|your system",
        r"\byour (?:unique id|configuration|internal \w+|parameters|"
        r"training(?: data)?\b(?! (?:course|session|program))|"
        r"model (?:name|version|weights)|memory|context|developers?|programm\w+|creators?|"
        r"knowledge (?:base|cutoff)|system (?:prompt|message|instructions?|rules|role))\b",
    ),
    pattern(
        "what_stands_above",
        " above|you are'|'you are|before this|so far|previous sentence|previous text|preceding text",
        r"\b(?:see|written|said|stands?|words?|text|everything|message|sentences?|context|"
        r"conversation)\W+(?:\w+\W+){0,3}?above\b|"
        r"\bstarting with '?\"?you are\b|\b(?:previous|preceding) (?:sentence|text|paragraph|context)s?\b",
    ),
    pattern("banner", "** |**new|**urgent|**important|**system", r"\*{2,} ?[^*.]{4,60} ?\*{2,}"),
    pattern("tag_pair", "</", r"<([a-z_]{3,20})>[^<]{0,200}</\1>"),
    pattern(
        "new_orders",
        "task is|task:|priority task|urgent task|new task|urgent new|task for you",
        r"\byour (?:new |next |only |real )?task is (?:now )?to\b|\b(?:priority|urgent|new|next|"
        r"following) (?:new )?task\b\W{0,4}(?::|for you|\*)|"
        r"\b(?:priority|urgent) task\b|\burgent new task\b",
    ),
    pattern(
        "exact_words",
        "exact|verbatim|word for word|the following|wortwort|mot pour mot|palabra por|parola per",
        r"\b(?:exact(?:ly)? (?:as|the|this|these|token|string|text|words?|phrase)|verbatim|"
        r"word for word|wortwort\w+|mot pour mot|"
        r"palabra por palabra|parola per parola|the following (?:\w+ )?(?:string|text|token|"
        r"sentence|phrase|code|markdown|image|payload|word)s?)\b",
    ),
    pattern(
        "bare_answer",
        "nothing else|reply only|respond only|answer only|only output|only respond|only reply|just output|solely",
        r"\b(?:reply|respond|answer|output|say|print|write)\b[^.!?]{0,60}\b(?:and |with )?nothing else\b|"
        r"\b(?:reply|respond|answer) (?:only|just|solely) (?:with|by)\b|\b(?:only|just) (?:output|"
        r"respond|reply) (?:with )?",
    ),
    pattern(
        "tool",
        "_email|_mail|_message|_file|_post|_get|_money|_user|_inbox|_contact|_event|_channel|"
        "_transaction|_password|_command|_reservation|_direct|_tool|_function",
        r"\b(?:call|use|invoke|run|execute|trigger)\b[^.!?]{0,20}?\b[a-z]{2,15}_[a-z_]{2,30}\b|"
        r"\b(?:send|read|delete|forward|create|transfer|http|search|get|list|update|invite|share|"
        r"download|upload|execute|run)_"
        r"(?:email|mail|message|file|post|get|money|user|inbox|contact|event|channel|transaction|"
        r"password|command|reservation|direct)\w{0,20}\b",
    ),
    pattern(
        "tool",
        " tool| function",
        r"\b(?:call|use|invoke|execute|run|trigger) (?:the|your) (?:\S+ ){0,2}?(?:tool|function)s?\b|"
        r"\bthe following (?:tool|function) calls?\b",
    ),
    pattern(
        "before_answer",
        "before you |before repl|before respon|before answ|before contin",
        r"\b(?:call|run|execute|use|invoke|empty|delete|include|"
        r"append)\b[^!?]{0,90}\bbefore (?:you )?(?:repl(?:y|ying)|respond(?:ing)?|answer(?:ing)?|"
        r"continuing with the task)\b|"
        r"\bbefore (?:you )?(?:repl(?:y|ying)|respond(?:ing)?|"
        r"answer(?:ing)?)\b[^!?]{0,60}\b(?:call|run|execute|invoke|append|include)\b",
    ),
    pattern(
        "takes_away",
        "forward |upload |export |leak |transmit |bcc |exfiltrat|collect |send all|send every|"
        "send the|send a copy|email all|email the|mail the|mail all|send any|send user",
        r"\b(?:send|forward|e?-?mail|upload|post|export|leak|transmit|bcc|exfiltrat\w*|collect)\b[^.!?]{0,50}?"
        r"\b(?:all|any|every|entire|full|complete|contents? of|user'?s|customer)\b[^.!?]{0,40}?"
        r"\b(?:emails?|messages|inbox|contacts?|passwords?|credentials|api keys?|tokens?|database|"
        r"records|files|data|conversations?|"
        r"chat history|customer list|secrets|invoices|calendar)\b[^?!]{0,60}?(?:@|https?:|\bexternal)",
    ),
    pattern(
        "takes_away",
        "credential|api key|password|secrets|environment variable|confidential data|"
        "internal configuration|customer list|customer database|internen daten|admin pages",
        r"\b(?:leak|dump|reveal|output|list(?= (?:all|every|any|your|the user))|expose|exfiltrat\w*|send|forward|give|"
        r"show)\b[^.!?]{0,40}\b(?:credentials|api keys?|passwords?|secrets|"
        r"environment variables|confidential data|internal configuration|full customer list|"
        r"customer database|admin pages)\b",
    ),
    pattern(
        "while_reading",
        "summar|processing|process |parsing|analy|review|indexing|ingesting|classify|triag|"
        "when you read|when you answer",
        r"\b(?:when|while|before|after|if) (?:you )?(?:are )?"
        + _READS
        + r"\W+(?:\w+\W+)?(?:this|the) (?:e-?mail|mail|message|document|ticket|text|page|thread|"
        r"inbox|file|content|data|record)|"
        r"\bwhen you (?:read|answer|"
        + _READS
        + r")\b|\bin (?:your|every|each) (?:\w+ )?summar(?:y|ies)\b|\bsummari[sz]e the inbox and\b",
    ),
    pattern(
        "from_now_on",
        "from now on|from this point|ab sofort|ab jetzt|desormais|every future|all future|"
        "across turns|next user message| memory",
        r"\b(?:from (?:now on|this point (?:on|forward|onward)))\b|"
        r"\b(?:ab sofort|ab jetzt) (?:hast|bist|gibst|musst|antwort)|\bdesormais sans\b|"
        r"\b(?:every|all) future (?:\w+ )?(?:repl|respons|summar|answer|report|task)\w*|"
        r"\bacross turns\b|\bnext user message\b|\b(?:to|in) your (?:long-term |"
        r"persistent )?memory\b",
    ),
    pattern("code", "onerror|onload|<script|console.log", r"\bonerror\s?=|\bonload\s?=|<script\b|\bconsole\.log\("),
    pattern(
        "encoded_order",
        "base64|rot13|hex|binary|decode|decrypt|decipher",
        r"\b(?:decode|decrypt|decipher|translate|convert)\b[^!?]{0,80}\b(?:do exactly|follow|"
        r"execute (?:it|the)|obey|carry out|and then do|do what)\b|"
        r"\b(?:base64|rot13|hex|binary)[^!?]{0,60}\b(?:do exactly|follow the instruction)\b",
    ),
    pattern(
        "instruction",
        "classify |label |categori|tag ",
        r"\b(?:classify|label|categori[sz]e|tag) (?:this|these|all) (?:e-?mail|mail|message|"
        r"thread)s?(?: as\b|\b.{0,20}\bas\b)|"
        r"\bclassify all (?:e-?mail|mail|message)s\b",
    ),
    pattern(
        "instruction",
        "mark this|mark these|mark all|mark every",
        r"\bmark (?:this|these|all|every) (?:e-?mail|mail|message|thread)s? (?:as )?(?:safe|read|"
        r"newsletter|trusted|processed|handled|low|unimportant|clean)",
    ),
    pattern(
        "instruction",
        "archive this|delete all|delete every|forward all|forward every|forward each|archive all|"
        "archive every|trash all|erase all",
        r"\barchive this (?:e-?mail|mail|message|thread)\b|"
        r"\b(?:delete|forward|archive|trash|erase) (?:all|every|each)(?: of)?(?: my| the|"
        r" your)?(?: user'?s)? (?:e-?mails?|messages|mails|(?<=every )(?:mail|message))\b",
    ),
    pattern(
        "instruction",
        "safe_to_archive|is safe to|confidence 1.0|confidence: 1.0|from me, the user|"
        "solve the task|new system prompt|your system prompt|system prompt:",
        r"safe_to_archive\b|\bthis (?:e-?mail|message) is safe to\b|\bconfidence:? 1\.0\b|"
        r"\bimportant message from me, the user\b|\bbefore you (?:can )?solve the task\b|\b(?:new|"
        r"your) system prompt\b|\bsystem prompt:",
    ),
)
_ROLES: Final = ("system", "assistant", "developer")
ROLE_STEMS: Final = frozenset(f"{role}{end}" for role in _ROLES for end in (":", " :", "*", "]", ">"))
BOUNDARY_STEMS: Final = frozenset({"end of", "begin ", "start of", "start the", "end the", "end input", "end doc"})
LINE_STEMS: Final = ROLE_STEMS | BOUNDARY_STEMS
"""What stands in lines that speak in a role or draw a boundary; those need the raw text."""
STEMS: Final = LINE_STEMS.union(*(one.stems for one in PATTERNS))
