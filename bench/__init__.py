"""Speed as ratios against a floor or a peer, measured interleaved (A B A B ...) on whole processes.

    make bench                  every benchmark; writes bench/results.json
    make bench ONLY=B9,B12      some of them
    make bench-smoke            small sizes: keeps the code alive, its figures mean nothing

A result is {id, value, bar, better, unit, peer, runs, min, median, max, machine}. Absolute times mean nothing on a
shared machine; only the ratios are compared with the bars.
"""
