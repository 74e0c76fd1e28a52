"""Where a process may die, by the last thing that it did, in the words of the contract."""

STATES = ("before intent", "intent written", "sent", "answered", "recorded", "read back", "closed")
"""sent: Gmail acted and the answer is on its way. answered: it arrived and is not noted yet. recorded: it is noted."""


def state_of(steps: list[str]) -> str:
    """The state at the last of these steps (names as `killing` writes them)."""
    state = "before intent"
    for step in steps:
        state = _AFTER.get(step, state)
    return state


_AFTER = {
    "intent written": "intent written",
    "labels.create answered": "sent",
    "messages.batchModify answered": "sent",
    "answered about to be written": "answered",
    "answered written": "recorded",
    "label_created written": "before intent",
    "read_back written": "read back",
    "closed written": "closed",
}
