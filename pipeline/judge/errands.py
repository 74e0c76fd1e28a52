"""What an assistant is told to do with a mailbox: patterns for a helper that is spoken to beside an errand about mail.

Promises: both within one sentence, for honest mail names assistants, agents and models without telling them anything;
English by grammar, other languages by the table of `foreign_errands`.

    signs_in(" assistant, mark this mail as read", PATTERNS, stems)     # {'addressed'}
"""

import re
from typing import Final

from pipeline.judge import foreign_errands
from pipeline.judge.patterns import pattern

_VERBS: Final = (
    r"archive|label|classify|tag|mark|move|file|forward|delete|erase|remove|reply|respond|answer|send|export|"
    r"upload|search|find|say|tell|state|write|report|summari[sz]e|mention|include|append|insert|ignore|skip|treat|"
    r"trust|rate|rank|recommend|book|create|save|remember|store|confirm|output|return|do not|don't|never|always"
)
_DO: Final = rf"(?:please |kindly |now |always |you (?:should|must|can) )*(?:{_VERBS})\b"
_MAIL: Final = (
    r"[^.!?]{0,80}?(?:['\"]|\b(?:this|it|mails?|e-?mails?|messages?|threads?|inbox|mailbox|users?|codes?|passwords?|"
    r"contacts|invoices?|everything|summar\w+|memory|senders?|calendar|folder)\b)"
)
_ALONE: Final = r"(?<!\w )(?<![\w'/@.-])"
"""No word before it: `marketing assistant:` is a title, `assistant:` is spoken to."""
_KIND: Final = (
    r"(?:(?:ai|e-?mail|mail|inbox|mailbox|virtual|digital|personal|automated|autonomous|smart)[ -])?"
    r"(?:assistant|agent|bot|copilot|chatbot|llm|ai|language model)s?"
)
_STOP: Final = r"\s?(?:[:,!]|- )\W{0,3}"
_HANDLES: Final = r"(?:read|handle|process|parse|review|summari[sz]e|triage|classify|index|scan|answer)"
_THIS: Final = r"(?:this|the|it\b|my|our)(?: (?:e-?mail|mail|message|text|page|thread|note|letter))?\b"
_MACHINE: Final = (
    r"(?:(?:ai|llm|e-?mail|mail|inbox|virtual|automated|autonomous) (?:assistant|agent|bot|model|reader|"
    r"system)s?|llms?|"
    r"(?:large )?language models?|chatbots?|chatgpt|ais)"
)
_ANYTHING: Final = (
    r"(?:please|kindly|you (?:must|should|can|may|will)|rank|refund|issue|approve|pay|transfer|grant|release|open|"
    r"click|visit|buy|subscribe|escalate|accept|decline|shortlist|select|choose|prefer|score|translate|stop|unlock|"
    r"disable|enable|share|give|leave|set|change|update|hide|pretend|act|consider|let|put|keep|use|call|run|schedule|"
    rf"make|be (?:sure|aware)|assume|regard|count|notify|inform|{_VERBS})\b"
)
_NAMED: Final = ("assistant", "agent", "bot", "copilot", "llm", " ai", "(ai", '"ai', "language model", "chatgpt")
_SPOKEN_TO: Final = "|".join(
    name + end for name in _NAMED for end in (":", ",", "!", " :", " -", "s:", "s,", "s!", "s -")
)
_DONE: Final = "archive delete hide trash mark label flag move classify rate rank treat summarise summarize"
_DONE_TO_IT: Final = "|".join(f"{verb} {it}" for verb in _DONE.split() for it in ("this", "it", "the"))
SPOKEN: Final = pattern(
    "addressed", _SPOKEN_TO, _ALONE + r"(?:dear |hi |hey |hello |okay |ok |attention,? )?" + _KIND + _STOP + _DO + _MAIL
)
ENGLISH: Final = (
    SPOKEN,
    pattern(
        "addressed",
        " assistant,| agent,| bot,| copilot,| assistants,| agents,| bots,",
        r"\b(?:assistant|agent|bot|copilot)s?, (?:please )?(?:mark|label|archive|forward|delete|move|classify|"
        r"report|hide) "
        r"(?:all|every|this|these|the|any)\b[^.!?]{0,50}\b(?:e-?mails?|mails?|messages?|inbox|threads?)\b",
    ),
    pattern(
        "addressed",
        "claude|gemini|copilot|chatgpt|gpt-| siri| alexa",
        r"\b(?:gemini|copilot|chatgpt|gpt-\d\w*|siri|alexa)(?:" + _STOP + r"| (?:should|must|"
        r"shall) )" + _DO + _MAIL + "|"
        r"\bclaude(?:" + _STOP + r"| (?:should|must|shall) )(?:please )?(?:label|classify|archive|tag|"
        r"summari[sz]e|mark|ignore)"
        r" (?:this|it|the|all)\b",
    ),
    pattern(
        "addressed",
        " assistant| agent| bot| copilot| llm| ai | ai,| ai:| ai!| tool|'s ai",
        _ALONE + r"(?:to|for) (?:the |any |every |all |whatever |\w{2,20}'s |my |your )?(?:\w+ )?"
        r"(?:assistant|agent|bot|copilot|llm|ai|tool)s?(?: of \w{2,20})?\s?[:!]|"
        r"\b(?:note|notes|message|instructions?|hint|request|word) (?:to|for) (?:the |any |every |all |my |"
        r"your |\w{2,20}'s )?"
        r"(?:triage|sorting|mail|e-?mail|inbox|filing|summary|ai)[ -](?:assistant|agent|bot|tool|system|filter)s?\b|"
        r"\b(?:hi|hey|hello|dear|to),? \w{2,20}'s (?:ai|llm|bot|copilot|chatbot)\b",
    ),
    pattern(
        "addressed",
        " assistant| agent| bot| model| llm| ais |automated| script|automatically|or whatever|whatever read",
        r"\b(?:assistants?|agents?|bots?|llms?|(?:language )?models?|ais?) (?:that|who|which|to|may|might) "
        + _HANDLES
        + r"s? "
        + _THIS
        + "|"
        r"\b(?:automated|automatic|machine|software|artificial) (?:reader|system|tool|agent|assistant|script|scanner|"
        r"classifier|processor)s? (?:\w+ ){0,2}?" + _HANDLES + r"s? " + _THIS + "|"
        r"\b(?:whoever|whatever|anyone|anything) (?:\w+ ){0,2}?" + _HANDLES + r"\w{0,3} [^.!?]{0,30}\bautomatically\b|"
        r"\b(?:whoever|whomever) \(?or whatever\)? " + _HANDLES,
    ),
    pattern(
        "addressed",
        "authorise the|authorize the|authorise my|authorize my|authorise any|authorize any|authorise your|"
        "authorize your",
        r"\bauthori[sz]e (?:the|this|any|my|your) (?:\w+ )?(?:agent|assistant|ai|bot|model)\b",
    ),
    pattern(
        "about_the_user",
        "the user|the owner|the recipient|your user|your owner|your human|your principal",
        r"\b(?:tell|inform|advise|assure|remind|show|warn|report to) (?:the|your) (?:user|owner|recipient|human|"
        r"principal)"
        r"(?: (?:that|to|this)|:)|"
        r"\b(?:the|your) (?:user|human|principal) (?:should|must|needs? to|has to|will want to|prefers?|would like)\b",
    ),
    pattern(
        "addressed",
        _SPOKEN_TO + "|robot| bot | bots | ai | llm",
        _ALONE + r"(?:dear |hi |hey |hello |attention,? |all )?" + _MACHINE + _STOP + _ANYTHING + "|"
        r"\bif (?:you(?:'re| are)|any|an?|some|there are any|the) (?:\w+ )?(?:robot|machine|algorithm|computer|"
        r"bot|ai|llm)s?"
        r" (?:is |are )?(?:now )?(?:read|process|summari|scann?|pars|look)\w*(?: at)? (?:this|the (?:mail|"
        r"message|text))|"
        r"\brobots? (?:reading|processing|summari[sz]ing|scanning) this\b",
    ),
    pattern(
        "ranks",
        "candidate|applicant|resume| cv|profile",
        r"\b(?:rank|rate|score|recommend|shortlist|select|prefer|treat)\b[^.!?]{0,30}\b(?:this|the above|the present) "
        r"(?:candidate|applicant|resume|cv|profile)\b[^.!?]{0,60}\b(?:first|highest|top|best|10|ten|perfect|"
        r"exceptional|"
        r"strongest|above all|hire)\b",
    ),
    pattern(
        "dictates_summary",
        "summar| sum ",
        r"\b(?:when|if|whenever|before|while) you (?:\w+ )?sum\w*\b[^.!?]{0,40}?,? (?:please )?(?:say|state|"
        r"mention|write|"
        r"include|add|report|tell)\b|"
        r"\b(?:when|if|while) (?:automatically )?summari[sz]ing (?:this|the)\b[^.!?]{0,40}, ?(?:please )?(?:say|"
        r"state|mention|"
        r"include|tell|report|note|omit|add)\b|"
        r"\b(?:any|the|your|every) (?:ai|automatic|automated|generated|machine)(?:-generated)? (?:summar\w+|"
        r"repl\w+|digest|"
        r"answer)\b[^.!?]{0,30}\b(?:should|must|has to|needs to)\b|"
        r"\bsummari[sz]e (?:this|it|the (?:e-?mail|mail|message))[^.!?]{0,20} as ['\"]|"
        r"\b(?:your|any|every) summar(?:y|ies)\b[^.!?]{0,40}\b(?:should|must|has to|needs? to) (?:say|state|"
        r"mention|include)",
    ),
    pattern(
        "mail_call",
        'tool call|tool_call|function call|(message|(mail|(thread|(email|(id|"action"|action:',
        r"\b(?:tool|function)[ _]calls?\s?[:=]|"
        r"\b(?:archive|forward|delete|label|mark|send|move|trash)\w{0,12}\((?:message|mail|thread|email|ids?)\w*|"
        r"\"action\"\s?: ?\"(?:archive|delete|forward|label|trash|reply)|"
        r"\b(?:classification|category|label|verdict): ?[^.!?;\n]{1,40}[;,] ?action: ?\w",
    ),
    pattern(
        "chat_token",
        "{{system|{{ system|{{assistant|{{ assistant|{{instruction|memory write|memory update|tool output]|tool_result",
        r"\{\{ ?(?:system|assistant|instructions?) ?\}\}|"
        r"\[/?(?:assistant|system|agent|model|ai|tool) (?:memory|message|note|instructions?|prompt|override|"
        r"command|output)"
        r"(?: \w+)?\]",
    ),
    pattern(
        "addressed",
        "assistant:",
        r"\b(?:user|human): [^:]{1,160}\bassistant:|\bassistant: ?(?:sure|certainly|of course|okay|ok|"
        r"understood|done|noted)\b",
    ),
    pattern(
        "remembers",
        " memory",
        r"\b(?:save|store|add|write|commit|keep|remember|put)\b[^.!?]{0,60}\b(?:long[- ]term|permanent|"
        r"persistent|your) memory\b",
    ),
    pattern(
        "vouches",
        "as trusted|as safe|as verified|as legitimate|as genuine",
        r"\b(?:treat|regard|consider|mark|handle)\b[^.!?]{0,60}\b(?:senders?|mails?|e-?mails?|messages?|domain|"
        r"address|links?)\b"
        r"[^.!?]{0,40}\bas (?:always )?(?:trusted|safe|verified|legitimate|genuine)\b",
    ),
    pattern(
        "takes_away",
        "forward ",
        r"(?<!not )(?<!n't )(?<!never )\bforward (?![^.!?]{0,90}(?:suspicious|phish|scam|spam|abuse|report|"
        r"fraud|spoof))"
        r"[^.!?]{0,60}\b(?:mails?|e-?mails?|messages?|inbox|invoices?|contacts|codes?)\b[^.!?]{0,30}\bto \S{1,60}@\w",
    ),
    pattern(
        "takes_away",
        "one-time|reset |verification code|security code|login code|2fa|mfa| otp|passcode",
        r"(?<!not )(?<!n't )(?<!never )\b(?:send|forward|reply with|give|paste|return)\b[^.!?]{0,40}\b(?:newest|"
        r"latest|last|"
        r"current|recent) (?:\w+ )?(?:one-time|reset|verification|security|login|2fa|mfa|otp)[ -]?(?:code|"
        r"password|pin|link)",
    ),
    pattern(
        "takes_away",
        "export |dump |exfiltrat|leak |send the inbox|send the contacts|forward the inbox",
        r"\b(?:export|dump|leak|exfiltrat\w+|send|forward) (?:the |all |every )?(?:\w+ )?(?:contacts|inbox|"
        r"mailbox|address book)\b",
    ),
    pattern(
        "mail_errand",
        _DONE_TO_IT,
        r"\b(?:archive|delete|hide|trash) (?:this|it)(?: (?:one|mail|e-?mail|message|thread))?\b|"
        r"\b(?:mark|label|flag) (?:this|it)(?: (?:mail|e-?mail|message))? as (?:read|spam|important|handled|done)\b|"
        r"\bmove (?:this|it)(?: (?:mail|e-?mail|message))? to (?:the |my )?(?:archive|trash|bin|top)\b|"
        r"\b(?:mark|label|classify|archive|rate|rank|treat|summari[sz]e) (?:this|the) (?:\w+ )?"
        r"(?:e-?mail|mail|message|sender|invoice|offer|candidate)\b",
    ),
    pattern(
        "no_matter",
        "without ask|without conf|without check|without human|without review|without approv",
        r"\bwithout (?:asking|confirm\w+|checking|human|review\w*|approval)\b",
    ),
    pattern(
        "instruction",
        "ignore |forget |disregard ",
        r"(?<!not )(?<!n't )(?<!never )\b(?:ignore|forget|disregard) (?:the (?:rest|above)|everything|above|"
        r"all (?:of )?"
        r"(?:the |this |that |else|above|other \w+ ?)+)(?: and| then|[,;:.]) ?(?:then |instead |just |please )*"
        r"(?:say|tell|reply|respond|answer|output|print|write|approve|send|forward|mark|archive|label|classify|"
        r"delete|rank|"
        r"rate)\b",
    ),
    pattern(
        "drops_above",
        "you were doing|you were told|told you|no heed|no attention",
        r"\b(?:drop|stop|abandon|leave|cease) (?:what(?:ever)?|everything|anything) you (?:were|are) (?:doing|"
        r"told|asked)|"
        r"\b(?:pay no (?:heed|attention)|disobey|do not listen) (?:to )?(?:what|anything|whatever|your)\b[^.!?]{0,30}\b"
        r"(?:told|said|instruct|operator|developer)",
    ),
    pattern(
        "your_insides",
        "your operator|your principal|your handler|your human",
        r"\byour (?:operator|principal|handler|human) (?:has|have|wants?|told|gave|says|said|is|asked|authori)",
    ),
    pattern(
        "boundary",
        "trusted content|trusted data|trusted input|system content|verified content|privileged",
        r"\b(?:begin|end|start of|end of) (?:un)?(?:trusted|verified|system|privileged) (?:content|data|context|"
        r"input|section)\b",
    ),
)

SPOKEN_LINE: Final = re.compile(rf"^\W{{0,8}}({_KIND}{_STOP}.{{3,200}})", re.IGNORECASE | re.MULTILINE)
"""A line of raw text that may speak to a helper: what stands before it is on another line."""

PATTERNS: Final = (*ENGLISH, *foreign_errands.PATTERNS)
