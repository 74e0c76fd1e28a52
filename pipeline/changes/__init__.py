"""Changing a mailbox so that a kill at any instruction loses nothing, and taking the change back."""
