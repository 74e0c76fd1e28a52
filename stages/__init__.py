"""One module a stage: docstring = its manual, one pure function, one STAGE declaration."""
