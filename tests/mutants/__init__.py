"""Mutation testing of the gate and the matcher: change one thing, and some test must go red.

    make mutants                     all of them; ends with 1 when a survivor is not explained or too many survive
    make mutants ONLY=gate           one module
    make mutants LIMIT=40            evenly chosen: a look, no verdict

The mutant's code is put into the functions of the module that the tests have loaded, and taken out again; no file
changes. Survivors that no test can kill are explained in `explained.toml`.
"""
