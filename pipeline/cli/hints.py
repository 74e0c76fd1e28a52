"""The next command, as it must be typed here: with the account, workspace and configuration that were given.

>>> with_options("gmailtriage plan, then gmailtriage freeze", ["fetch", "--workspace", "build/try"])
'gmailtriage plan --workspace build/try, then gmailtriage freeze --workspace build/try'
"""

import re

GIVEN = ("--account", "--workspace", "--config")
_WORD = r"""(?:'[^']*'|"[^"]*"|[A-Za-z0-9_.@=/-])+"""
_COMMAND = re.compile(rf"gmailtriage [a-z][a-z-]*(?: (?!then\b|or\b){_WORD})*")


def with_options(text: str, arguments: list[str]) -> str:
    """The text with each command in it completed by the options that the caller gave and it does not name."""
    given = {flag: value for flag in GIVEN if (value := value_of(flag, arguments))}
    return _COMMAND.sub(lambda found: _completed(found.group(), given), text)


def value_of(flag: str, arguments: list[str]) -> str:
    """What was given for a flag, as two words or as one with `=`; empty when it was not given."""
    for number, word in enumerate(arguments):
        if word == flag and number + 1 < len(arguments):
            return arguments[number + 1]
        if word.startswith(f"{flag}="):
            return word.partition("=")[2]
    return ""


def _completed(command: str, given: dict[str, str]) -> str:
    missing = [f"{flag} {value}" for flag, value in given.items() if flag not in command]
    return " ".join([command, *missing])
