"""Where a peer is known to differ from Gmail, by check: the check must keep failing there.

Keys are (check, peer), the check with its other parameters when it has some. Nothing is listed for the twin:
what it does where the peers differ rests on the discovery document of the Gmail API or on the documented
fact named here.
"""

NO_ROUTE = "has no such method"
NAMES = "does not reserve names; Gmail answers 400 Invalid label name (public report mbrt/gmailctl#300)"
NEW_HEADERS = "writes its own headers; Gmail keeps what was inserted, raw is byte-exact (messages.get, format=raw)"
WORDS = "knows neither OR, groups nor quotes; Google's search help documents them"
NO_OPERATOR = "has no such operator; Google's search help documents it"
NO_TOKENS = "accepts any token as its first user"
PAGES = "tokens are bare offsets; Google calls them opaque, of one list call"
TYPES = "history holds no true label events"
EMPTY = "sends an empty list; Gmail leaves the key out"

DISAGREE: dict[tuple[str, str], str] = {
    ("test_profile_names_the_owner_and_counts", "emulate"): NO_ROUTE,
    ("test_a_missing_token_is_401_with_the_error_shape", "emulate"): NO_TOKENS,
    ("test_an_unknown_token_is_401", "emulate"): NO_TOKENS,
    ("test_another_address_is_403", "emulate"): "answers 404; Gmail says delegation denied",
    ("test_chat_is_a_system_label", "emulate"): "lists no CHAT",
    ("test_a_label_look_alike_is_409", "emulate"): "answers 400; Gmail 409 (public reports gauteh/lieer#207)",
    ("test_a_label_conflict_has_the_reason_aborted", "myworld"): "reason conflict; Gmail's is aborted",
    ("test_a_label_conflict_has_the_reason_aborted", "emulate"): "reason failedPrecondition; Gmail's is aborted",
    ("test_a_system_name_cannot_be_made INBOX", "emulate"): NAMES,
    ("test_a_system_name_cannot_be_made inbox", "emulate"): NAMES,
    ("test_a_system_name_cannot_be_made Trash", "emulate"): NAMES,
    ("test_a_reserved_name_cannot_be_made", "myworld"): NAMES,
    ("test_a_reserved_name_cannot_be_made", "emulate"): NAMES,
    ("test_import_stores_a_message", "myworld"): NO_ROUTE,
    ("test_import_takes_the_date_header", "myworld"): NO_ROUTE,
    ("test_newest_first", "myworld"): NO_ROUTE,
    ("test_insert_takes_the_date_header_when_asked", "myworld"): "ignores internalDateSource",
    ("test_raw_is_byte_exact", "myworld"): NEW_HEADERS,
    ("test_full_keeps_every_header", "myworld"): NEW_HEADERS,
    ("test_full_keeps_every_header", "emulate"): NEW_HEADERS,
    ("test_full_decodes_an_encoded_subject", "emulate"): "shows the encoded word; Gmail the decoded subject",
    ("test_metadata_has_the_named_headers_only", "emulate"): "compares names by case; header names have none",
    ("test_snippets_are_html_escaped", "emulate"): "strips tags; Gmail escapes the text",
    ("test_an_unknown_format_is_400", "emulate"): "reads it as full; the discovery document lists four formats",
    ("test_an_empty_list_has_no_messages_key", "emulate"): EMPTY,
    ("test_an_empty_thread_list_has_no_threads_key", "emulate"): EMPTY,
    ("test_an_empty_history_has_only_the_id", "emulate"): EMPTY,
    ("test_an_invented_page_token_is_400", "emulate"): PAGES,
    ("test_a_page_token_of_another_query_is_400", "myworld"): PAGES,
    ("test_a_page_token_of_another_query_is_400", "emulate"): PAGES,
    ("test_spam_and_trash_are_hidden_unless_asked_for", "emulate"): "hides trash even when labelIds names it",
    ("test_in_anywhere_shows_spam_and_trash", "emulate"): NO_OPERATOR,
    ("test_search rfc822msgid:alpha-1@mail.example a", "myworld"): NEW_HEADERS,
    ("test_search rfc822msgid:<alpha-1@mail.example> a", "myworld"): NEW_HEADERS,
    ("test_search rfc822msgid:alpha-1@mail.example a", "emulate"): "cuts the value at the wrong place",
    ("test_search rfc822msgid:<alpha-1@mail.example> a", "emulate"): "cuts the value at the wrong place",
    ('test_search subject:"weekly digest" b', "emulate"): WORDS,
    ("test_search -from:ann@corp.example b", "emulate"): NO_OPERATOR,
    ("test_search label:job-search a", "emulate"): "wants the name as written; Gmail takes hyphens for blanks",
    ("test_search category:promotions b", "emulate"): NO_OPERATOR,
    ("test_search has:userlabels a", "emulate"): NO_OPERATOR,
    ("test_search has:nouserlabels b", "emulate"): NO_OPERATOR,
    ("test_search cc:bob@demo.example b", "emulate"): NO_OPERATOR,
    ("test_search from:ann@corp.example OR from:news@list.example ab", "emulate"): WORDS,
    ("test_search {from:ann@corp.example subject:digest} ab", "emulate"): WORDS,
    ("test_search is:starred (from:ann@corp.example OR from:news@list.example) b", "emulate"): WORDS,
    ("test_search from:(ann@corp.example OR news@list.example) is:unread a", "emulate"): WORDS,
    ("test_search inter ", "emulate"): "finds parts of words; Gmail whole words",
    ("test_search smaller:1M ab", "emulate"): NO_OPERATOR,
    ("test_search newer_than:2000d ab", "emulate"): NO_OPERATOR,
    ("test_sent_and_draft_cannot_be_added", "emulate"): "allows it; labels.list says these cannot be applied",
    ("test_batch_modify_over_1000_ids_is_400", "emulate"): "has no limit; the discovery document says 1000",
    ("test_history_from_long_ago_is_404", "emulate"): "never forgets; Google documents 404",
    ("test_label_changes_are_in_the_history_with_what_changed", "myworld"): TYPES,
    ("test_history_types_filter", "myworld"): TYPES,
    ("test_fields_selects", "emulate"): "ignores the selector",
}
