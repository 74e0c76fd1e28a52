"""One frozen document a file. A document forbids unknown fields and has one sequence of bytes."""
