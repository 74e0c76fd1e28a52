"""Sealed documents: where they lie, what they bind, and what is refused when a byte of them differs."""
