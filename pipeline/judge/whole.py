"""Was every member of a thread read? What is judged thread by thread needs a yes; null or unknown is a no.

A member that was read as part of another thread was not read as part of this one.

    whole_threads(threads, messages)        # {"18f0…": True, …}
"""

import polars as pl


def whole_threads(threads: pl.DataFrame, messages: pl.DataFrame) -> dict[str, bool]:
    """Thread id -> whether every member is a row of `messages` in this very thread, and none is listed as not read."""
    read = frozenset(messages.select("thread_id", "id").iter_rows())
    return {
        thread: unread == [] and members is not None and all((thread, one) in read for one in members)
        for thread, unread, members in threads.select("id", "unread_member_ids", "member_ids").iter_rows()
    }
