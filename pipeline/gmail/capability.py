"""Who may do what: stage to methods, status to stages, capability profile to exact scopes.

The registry's status is a ceiling: `read-only` and `draft-only` accounts have no gateway that changes anything,
`organize-only` ones label and archive, only `cleanup-enabled` ones trash. A token is asked for exactly one profile's
scopes; more is as wrong as fewer. What is not built (drafts, filters, unsubscribe) has no row here.

>>> sorted(stages_of("read-only"))
['fetch']
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from pipeline.gmail.discovery import Endpoint
from pipeline.gmail.gate import Allowed
from pipeline.models.registry import AccountRecord, Status
from pipeline.refusals import AccountDisabled, ScopesDiffer, StatusForbids

StageName = Literal["fetch", "execute", "undo"]
Profile = Literal["read", "organize"]

_READS = frozenset(
    {
        "getProfile",
        "messages.list",
        "messages.get",
        "threads.list",
        "threads.get",
        "labels.list",
        "history.list",
        "settings.filters.list",
        "drafts.list",
        "drafts.get",
    }
)
_CHECKS = frozenset({"getProfile", "labels.list", "history.list", "threads.get", "messages.get"})
_CHANGES = frozenset({"labels.create", "messages.batchModify"})

METHODS: Mapping[StageName, frozenset[str]] = MappingProxyType(
    {
        "fetch": _READS,
        "execute": _CHECKS | _CHANGES | {"messages.trash"},
        "undo": _CHECKS | _CHANGES | {"messages.untrash"},
    }
)
"""The Gmail methods of each stage; no method that lists mail by a search is in a stage that changes anything."""

FORMATS: Mapping[StageName, frozenset[str]] = MappingProxyType(
    {
        "fetch": frozenset({"full", "minimal", "raw"}),
        "execute": frozenset({"minimal"}),
        "undo": frozenset({"minimal"}),
    }
)
"""Values of `format`: a process that writes never sees a body."""

PROFILES: Mapping[StageName, Profile] = MappingProxyType({"fetch": "read", "execute": "organize", "undo": "organize"})

_SCOPE = "https://www.googleapis.com/auth/"
SCOPES: Mapping[Profile, frozenset[str]] = MappingProxyType(
    {"read": frozenset({f"{_SCOPE}gmail.readonly"}), "organize": frozenset({f"{_SCOPE}gmail.modify"})}
)
"""Exact scopes of a profile. gmail.modify is the smallest that archives; it could do more, hence the gate."""

_STAGES: Mapping[Status, frozenset[StageName]] = MappingProxyType(
    {
        "disabled": frozenset(),
        "read-only": frozenset({"fetch"}),
        "draft-only": frozenset({"fetch"}),
        "organize-only": frozenset({"fetch", "execute", "undo"}),
        "cleanup-enabled": frozenset({"fetch", "execute", "undo"}),
    }
)
_TRASHING = frozenset({"messages.trash", "messages.untrash"})


def stages_of(status: Status) -> frozenset[StageName]:
    """The stages that an account of this status may have a gateway for."""
    return _STAGES[status]


def allowed_for(record: AccountRecord, stage: StageName, endpoint: Endpoint) -> Allowed:
    """What the gate lets through for an account and stage. Raises AccountDisabled or StatusForbids."""
    check_status(record, stage)
    methods = METHODS[stage] if record.status == "cleanup-enabled" else METHODS[stage] - _TRASHING
    return Allowed(methods, endpoint.origin, endpoint.base_path, FORMATS[stage], can_add_inbox=stage == "undo")


def check_status(record: AccountRecord, stage: StageName) -> None:
    """Silent when the account's status has this stage. Raises AccountDisabled or StatusForbids."""
    if record.status == "disabled":
        raise AccountDisabled(f"account {record.id} is disabled", evidence="mailboxes.toml: status = disabled")
    if stage not in stages_of(record.status):
        raise StatusForbids(
            f"account {record.id} may not {stage}",
            evidence=f"mailboxes.toml: status = {record.status}",
            next_command="change the status in mailboxes.toml if you mean it",
        )


def check_scopes(granted: frozenset[str], profile: Profile) -> None:
    """Silent when the granted scopes are exactly the profile's. Raises ScopesDiffer with how many differ."""
    wanted = SCOPES[profile]
    if granted != wanted:
        raise ScopesDiffer(
            f"the token's scopes are not exactly those of the profile {profile!r}",
            evidence=f"{len(granted - wanted)} too many, {len(wanted - granted)} missing",
            next_command="sign in again and grant exactly what is asked",
        )
