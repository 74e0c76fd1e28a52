"""Gmail behind a gate: attest an account, get its stage's gateway, and nothing else exists.

    rim = Rim(wire=UrllibWire(), credential=credential, meter=Meter(record.quota, monotonic), record=keep)
    gateway = FetchGateway(attest(record, "fetch", rim, workspace_kind="live"))
    for page in gateway.list_messages(q="in:inbox"):
        page.document

Two independent barriers hold: the pruned discovery document (a method that is not allowed cannot be named) and the
transport's gate (a request that is not allowed does not leave). Every request is counted, priced and recorded.
"""
