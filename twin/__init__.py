"""A small loopback Gmail. It imports nothing of `pipeline` or `stages`, so it cannot share their mistakes."""
