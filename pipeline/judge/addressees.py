"""Whom a text speaks to, or as whom: patterns for assistants, agents, roles and modes, over folded text.

Promises: job titles, products and courses that hold the same words (an AI engineer, an executive assistant, a property
agent) are no machine that is spoken to.

    signs_in(" note to the ai reading this: stop", PATTERNS, stems)     # {'addressed'}
"""

import re
from typing import Final

from pipeline.judge.patterns import Pattern, pattern

_TOKEN_STEMS: Final = (
    *(
        "<|",
        "|>",
        "[inst",
        "[/inst",
        "<<sys",
        "<</sys",
        "[system",
        "[/system",
        "<system",
        "</system",
        "<instruction",
        "</instruction",
    ),
    *(
        "<tool_",
        "</tool_",
        "<function_",
        "</function_",
        "<information",
        "</information",
        "<thinking",
        "</thinking",
        "<assistant",
    ),
    *(
        "</assistant",
        "<admin",
        "</admin",
        "<prompt",
        "</prompt",
        "# system",
        "#system",
        "#(system",
        "# instruction",
        "#instruction",
        "# assistant",
        "# human",
        "# user",
        "# response",
        "begin_of_text",
        "\\nhuman:",
        "\\nassistant:",
    ),
    *("begin system", "end system", "system override", "end of user input"),
)
_TRADES: Final = (
    r"(?:engineer|developer|scientist|research|specialist|architect|lead|manager|product|"
    r"train|consult|intern|company|"
    r"startup|team|expert|analyst|director|strateg|writer|designer|founder|enthusiast|course|"
    r"conference|summit|job|role)"
)
_AI: Final = (
    r"\b(?:(?:ai|llm)s? (?:assistant|agent|model|system|tool|bot|reader|reviewer|language model)s?\b|"
    r"(?:ai|llm)s?\b(?=\s?[,.:;!?)\]\"-]|\s*\Z| (?:reading|process|review|summari|that|must|"
    r"shall|please|you|with no|without))|"
    r"(?:large )?language models?\b|chatbots?\b|chatgpt\b|"
    r"(?:virtual|automated|autonomous|coding|email) (?:assistant|agent|system|reader|"
    r"model)s?\b)(?! \w*" + _TRADES + ")"
)
_BE: Final = (
    r"\b(?:you are|you're|act as|acting as|pretend (?:to be|you are|that you are)|imagine (?:you are|being)|"
    r"role-?play as|eres|du bist|vous etes|tu es|sei|voce e)\W+(?:now\W+|no longer\W+|jetzt\W+|ahora\W+|ora\W+)*"
    r"(?:(?:an?|the|my|un|una|ein|eine|une|uma?)\W+(?:(?!\w+ing\b)\w+\W+){0,2}?)?"
)
_AT_IT: Final = (
    r"(?:reading|processing|reviewing|handling|summari[sz]ing|parsing|integrating) (?:this\b(?! (?:application|job|"
    r"role|candidate|position|cv|resume))|the (?:e-?mail|mail|message|text|document|page|file|inbox)\b)"
)
_AI_STEMS: Final = ' ai | ai,| ai:| ai.| ai)| ai!| ai?| ai;| ai-| ais| llm|llms|(ai|"ai'
_STEMS: Final = (
    _AI_STEMS + "|language model|chatbot|chatgpt|virtual assistant|virtual agent|automated a|automated sys|"
    "automated read|autonomous a|coding a|email assistant|email agent|email system|email reader|email model"
)
_BOT_STEMS: Final = " bot | bot,| bot:| bot.| bot)| bots| agent | agent,| agent:| agent.| agents"

PATTERNS: Final = (
    pattern(
        "persona",
        "unrestricted|uncensored|unfiltered|jailbr|do anything now| dan | dan,| dan.| dan:",
        r"\b(?:unrestricted|uncensored|unfiltered|jailbroken)\W+(?:\w+\W+)?(?:ai|assistant|model|mode|bot|response|"
        r"chatbot|version)|\b(?:dan|stands for|means)\b[^.!?]{0,30}\bdo anything now\b|\byou are (?:now )?dan\b",
    ),
    pattern("persona", _STEMS, _BE + _AI + r"|\bas an ai(?: (?:language )?model| assistant)?\W+(?:i|you)\b"),
    pattern(
        "perhaps_persona",
        " assistan| asisten| assisten|copilot| gpt|" + _BOT_STEMS,
        _BE + r"(?:assistant|bot|agent|copilot|gpt\S*|asistente|assistente)\b|"
        r"\bas the assistant\b|\b(?:als assistent|como asistente|come assistente|en tant qu'assistant)\b",
    ),
    pattern(
        "addressed",
        _STEMS,
        r"\b(?:note|notice|message|memo|attention|attn|instructions?|reminder|warning|important|"
        r"request|hint|directive)\W+"
        r"(?:\w+\W+)?(?:to|for|:)\W+(?:the\W+|any\W+|all\W+|every\W+)?" + _AI + "|"
        r"\b(?:hey|hi|hello|dear|attention|ok|okay|to (?:any|all|every)|for (?:any|all|every)),?\W+" + _AI + "|"
        r"\b(?:if|in case) (?:you(?:'re| are) (?:(?:an?|the) (?:\w+ )?)?|an? )"
        + _AI
        + "|"
        + _AI
        + r"\W+(?:that (?:is|are) )?"
        + _AT_IT,
    ),
    pattern(
        "addressed",
        " assistant| copilot|" + _BOT_STEMS,
        r"\b(?:note|notice|message|memo|instructions?|hint|hey|hi|hello)\W+(?:to\W+|"
        r"for\W+)?(?:the\W+)?(?:email |mail |inbox )?"
        r"(?:assistant|bot|agent|copilot)s?(?=\s?[,.:;!)\]-]|\s*\Z)|\b(?:assistants?|agents?|"
        r"bots?)\W+(?:that (?:is|are) )?"
        + _AT_IT
        + r"|\bif you(?:'re| are) (?:an? |the )(?:assistant|bot|agent)\b[,.:]",
    ),
    pattern(
        "perhaps_addressed",
        _AI_STEMS + "|language model| assistant|" + _BOT_STEMS,
        r"\b(?:the|this|any) (?:assistant|agent|model|bot|ai|llm)\W+(?:must|shall|should (?:now|"
        r"first|also|immediately))\b|"
        r"\b(?:ai|llm) (?:agents?|assistants?|models?|systems?)\b[^.!?]{0,60}\b(?:must|shall|"
        r"should first|are (?:hereby )?"
        r"instructed|are required)\b",
    ),
    pattern(
        "mode",
        " mode|modo ",
        r"\b(?:enable|enter|activate|engage|switch (?:to|into)|you are (?:now )?in|start|in)\W+(?:\w+\W+){0,2}?"
        r"(?:developer|debug|admin\w*|god|maintenance|unrestricted|jailbreak|diagnostic|test|root|override) mode\b|"
        r"\bmodo (?:desarrollador|debug|admin)",
    ),
    pattern(
        "authority",
        "system n|system o|system u|system m|system i|system c|system p|system h|system-|"
        "systemhinweis|note systeme|nota d|override|"
        "developer|creator|administrator| admin|programmer|trainer",
        r"\bsystem[- ]?(?:note|notice|override|update|message|instruction|command|prompt|"
        r"hinweis)\b\W{0,3}[:.\-]|\bsystemhinweis\b|"
        r"\bnot[ae] (?:systeme|del sistema|di sistema)\b|\b(?:admin(?:istrator)?|security|"
        r"priority|developer|system) (?:override|command|instructions)\b|"
        r"\b(?:i am|i'm|this is) (?:your|the|one of your|an? (?:\w+ )?)\s?(?:developer|creator|"
        r"administrator|admin|programmer|trainer)s?\b",
    ),
    pattern(
        "about_the_user",
        "the user",
        r"\bthe user (?:has|wants|asked|authori[sz]ed|approved|is (?:an? )?(?:admin|clearly|"
        r"authori)|granted|requested|confirmed|already)\b|"
        r"\b(?:before|when) you (?:answer|respond to|reply to) the user\b|\bignore the user\b",
    ),
    Pattern(
        "chat_token",
        frozenset(_TOKEN_STEMS),
        re.compile(
            r"<\|[a-z_]{2,30}\|>|\[/?inst\]|<</?sys>>|\[/?system(?: message| prompt| note)?\]|"
            r"</?(?:system|instructions?|tool_calls?|function_calls?|information|thinking|assistant|"
            r"admin|prompt|system[_-]\w{1,20})>|"
            r"###\W{0,3}(?:system|instructions?|assistant|human|user|response)(?![a-z])|begin_of_text|"
            r"\\n\\n(?:human|assistant):|"
            r"\b(?:begin|end) system (?:message|prompt|instruction)s?\b|\bsystem override\b|\bend of user input\b"
        ),
    ),
    pattern(
        "no_limits",
        "restric|limits|limitation|filter|rules|polic|censor|guideline|einschrank|regeln|filtr|restriz|regole",
        r"\b(?:no|without|any|free of|ohne|sans|sin|senza|sem|have no|keine)\W+(?:\w+\W+){0,2}?"
        r"(?:restric\w*|limits?|limitations?|filters?|rules|content polic\w+|censor\w*|guidelines|"
        r"einschrank\w*|regeln|"
        r"filtres?|filtros?|restriz\w*|regole)\b",
    ),
    pattern(
        "pretext",
        " test| tests| testing|debug|diagnos|evaluat|training|experiment|simulat|exercise|drill|maintenance|"
        "emergency|calibrat|benchmark|demonstrat|authori",
        r"\b(?:this is an?|this is only an?|for|as part of an?|during an?|you are (?:running|"
        r"operating|working|being used) (?:as|in)(?: part of)?(?: an?)?|in an?)"
        r" (?:\w+ ){0,2}(?:tests?|testing|debug\w*|diagnos\w+|evaluation|training|experiment\w*|"
        r"simulation|exercise|drill|maintenance|"
        r"emergency|calibration|benchmark|demonstration)(?: purposes?| pipeline| environment|"
        r" exercise| session| mode| message)?\b|"
        r"\b(?:i am|you are|i'm|we are) authori[sz]ed to\b|\bauthori[sz]ed (?:diagnostic|test|audit|override)\b",
    ),
    pattern(
        "commanded",
        "you must|assigned|tasked|instructed|commanded|programmed",
        r"\byou(?:'ve| have|'re| are| were) (?:been |now |hereby )?(?:assigned|tasked|instructed|"
        r"commanded|programmed)\b|\byou must ?:",
    ),
)
