"""A small loopback Gmail. It imports nothing of `pipeline` or `stages`, so it cannot share their mistakes.

    from twin.running import Twin
    from twin.serve import serve

    twin = Twin.from_resources("me@demo.example", messages, labels)
    with serve(twin) as server:        # HTTP on 127.0.0.1; or twin.in_process().request(...)
        print(server.url)

| what it does                                          | where                                        |
|-------------------------------------------------------|----------------------------------------------|
| the pure machine: state and request in, state and response out | core, routes, state, call           |
| methods                                               | messages, threads, account, history, arrivals |
| the mailbox as a value                                | mailbox, labels, source                      |
| mail bytes to Gmail JSON and back                     | rawmail, decode, resource                    |
| search and paging                                     | query, querytokens, match, operators, searchdoc, listing |
| who may, and how much                                 | auth, quota, paramspec, fields, wire         |
| clocks, locks, faults, sockets, disk, command line    | running, faults, inprocess, serve, folder, seeding, command |
| the demo mailbox                                      | demo                                         |
"""
