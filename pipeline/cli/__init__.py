"""The command line: the one place that prints. It imports only the stage it was asked for.

Every command takes --account, --workspace, --config and --json. Results go to stdout (with --json exactly one JSON
document), progress, hints and refusals to stderr. The exit code of a refusal is its class's.
"""

import gc
import json
import sys

from pipeline.refusals import FaultOfOurs, Refusal, Stopped, UsageRefused


def main() -> None:
    """Entry point of the console script."""
    # Nearly all that a command makes lives until it ends: searching it for garbage 700 objects at a time is in vain.
    gc.set_threshold(200_000)
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command line; returns the exit code. Refusals are printed, never traced."""
    from pipeline.cli.build import application

    try:
        code = application(arguments)(args=arguments or ["--help"], prog_name="gmailtriage", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except Refusal as refusal:
        print_refusal(refusal, arguments)
        return refusal.exit_code
    except BrokenPipeError:
        return 0
    except Exception as fault:  # noqa: BLE001  a traceback could quote mail or a token; kind and place are printed
        outcome = _usage_or_fault(fault)
        if isinstance(outcome, int):
            return outcome
        print_refusal(outcome, arguments)
        return outcome.exit_code


def print_refusal(refusal: Refusal, arguments: list[str]) -> None:
    """What was refused, the evidence and the next command, on stderr; with --json as one document on stdout."""
    from pipeline.cli.hints import with_options
    from pipeline.untrusted import show

    next_command = with_options(refusal.next_command or refusal.fallback, arguments)
    if "--json" in arguments:
        fields = {
            "refused": refusal.slug,
            "what": refusal.what,
            "evidence": refusal.evidence,
            "next": next_command,
            "exit_code": refusal.exit_code,
        }
        print(json.dumps(fields, ensure_ascii=True))
    # Part by part, not line by line: a line break in what was refused must not make a line of its own.
    print(show(f"refused ({refusal.slug}): {refusal.what}"), file=sys.stderr)
    for name, text in (("evidence", refusal.evidence), ("next", next_command)):
        if text:
            print(show(f"  {name}: {text}"), file=sys.stderr)


def _usage_or_fault(error: Exception) -> Refusal | int:
    """Typer's own complaints about words are usage (2); anything else is a fault of ours (1) without mail in it."""
    import typer
    from typer._click.exceptions import ClickException

    if isinstance(error, typer.Exit):
        return int(error.exit_code)
    if isinstance(error, ClickException):
        return UsageRefused(error.format_message() or "no command", next_command="gmailtriage --help")
    if isinstance(error, typer.Abort):
        return Stopped("stopped", evidence="interrupted, or the end of the input")
    # The message of an unexpected error may quote mail or a token: only its kind and place are told.
    return FaultOfOurs(f"fault of ours: {type(error).__name__}", evidence=_place(error))


def _place(error: Exception) -> str:
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    return f"{place.tb_frame.f_code.co_filename}:{place.tb_lineno}" if place is not None else "?"
