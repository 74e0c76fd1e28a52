"""Evidence: what Gmail or another tool said, byte for byte, and the one way from there to mail."""
