"""Where a process may die, by the last thing that it did, in the words of the contract."""

from random import Random

STATES = ("before intent", "intent written", "sent", "answered", "recorded", "read back", "closed")
"""sent: Gmail acted and the answer is on its way. answered: it arrived and is not noted yet. recorded: it is noted."""


def kill_points(random: Random, steps: int, change: str = "messages.batchModify") -> tuple[int, str]:
    """Any step up to `steps`, or one of the first three of a kind that is rare among all steps. `change`: the method
    by which the run changes messages."""
    if random.random() < 0.5:
        return random.randint(1, steps), ""
    name = random.choice(["intent written", f"{change} answered", "answered about to be written",
                          "answered written", "closed written", "closing about to be written"])  # fmt: skip
    return 1 if name.startswith("clos") else random.randint(1, 3), name


def state_of(steps: list[str]) -> str:
    """The state at the last of these steps (names as `killing` writes them)."""
    state = "before intent"
    for step in steps:
        state = _AFTER.get(step, state)
    return state


ENDED = "the command came to its end"
_AFTER = {
    ENDED: "not killed",
    "intent written": "intent written",
    "labels.create answered": "sent",
    "messages.batchModify answered": "sent",
    "messages.trash answered": "sent",
    "messages.untrash answered": "sent",
    "answered about to be written": "answered",
    "answered written": "recorded",
    "label_created written": "before intent",
    "read_back written": "read back",
    "closed written": "closed",
}
