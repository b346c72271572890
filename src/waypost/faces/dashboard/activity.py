"""The audit log in plain language."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from waypost.model.memory import AuditEntry

# Text for one memory or none, and for several.
_DEEDS: Mapping[str, tuple[str, str]] = {
    "remember": ("stored a memory", "stored {count} memories"),
    "merge": ("repeated a stored memory", "repeated {count} stored memories"),
    "correct": ("corrected a memory", "corrected {count} memories"),
    "retract": ("retracted a memory", "retracted {count} memories"),
    "reject": ("rejected a memory", "rejected {count} memories"),
    "propose": ("proposed a change to a memory", "proposed {count} changes to memories"),
    "restore": ("restored a memory", "restored {count} memories"),
    "reinstate": ("reinstated a replaced memory", "reinstated {count} replaced memories"),
    "approve": ("approved a fact", "approved {count} facts"),
    "edit": ("edited a proposed fact", "edited {count} proposed facts"),
    "lift": ("allowed a rejected value again", "allowed {count} rejected values again"),
    "forget": ("deleted a memory permanently", "deleted {count} memories permanently"),
    "protect": ("protected a memory", "protected {count} memories"),
    "unprotect": ("unprotected a memory", "unprotected {count} memories"),
    "verify": ("verified a memory", "verified {count} memories"),
    "relink": ("pointed a memory at other code", "pointed {count} memories at other code"),
    "promote": ("changed the level of a memory", "changed the level of {count} memories"),
    "ttl": ("set the expiry of a memory", "set the expiry of {count} memories"),
    "renew": ("renewed a memory", "renewed {count} memories"),
    "expire": ("expired a memory", "expired {count} memories"),
    "link": ("linked memories", "linked memories {count} times"),
    "index": ("indexed the code", "indexed the code {count} times"),
    "rebuild": ("rebuilt the index", "rebuilt the index {count} times"),
    "curate": ("added an entry to MEMORY.md", "added {count} entries to MEMORY.md"),
    "approve_dna": ("approved DNA.md", "approved DNA.md {count} times"),
    "end": ("set an end date", "set {count} end dates"),
    "share_offer": ("offered to share with another project", "offered {count} times to share with other projects"),
    "share_accept": ("accepted a share", "accepted {count} shares"),
    "share_revoke": ("revoked a share", "revoked {count} shares"),
    "import": ("imported memories", "imported memories {count} times"),
}


@dataclass(frozen=True, slots=True)
class AuditLine:
    """What one actor did at one time, to one memory or to several."""

    at: datetime
    actor: str
    is_person: bool
    action: str
    says: str
    memory_ids: tuple[str, ...]


def audit_lines(entries: Iterable[AuditEntry]) -> tuple[AuditLine, ...]:
    """In the given order. The same action on several memories in one day is one line."""
    groups = groupby(entries, lambda entry: (entry.action, entry.source, entry.actor, entry.at.date()))
    return tuple(_line(action, source, actor, list(members)) for (action, source, actor, _), members in groups)


def _line(action: str, source: str, actor: str, entries: list[AuditEntry]) -> AuditLine:
    single, many = _DEEDS.get(action, (action.replace("_", " "), f"{action.replace('_', ' ')}, {{count}} times"))
    says = single if len(entries) == 1 else many.format(count=len(entries))
    ids = tuple(dict.fromkeys(entry.memory_id for entry in entries if entry.memory_id))
    return AuditLine(entries[0].at, actor, source == "person", action, says, ids)
