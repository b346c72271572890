"""What was done to a memory, in words: the audit for people."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from waypost.store.protocol import AuditEntry

# What somebody did, for one memory or none, and for several.
_DEEDS: Mapping[str, tuple[str, str]] = {
    "remember": ("remembered something", "remembered {count} things"),
    "merge": ("said again what was known", "said {count} known things again"),
    "correct": ("corrected a memory", "corrected {count} memories"),
    "retract": ("took a memory back", "took {count} memories back"),
    "reject": ("rejected a memory", "rejected {count} memories"),
    "propose": ("proposed a change of a memory", "proposed {count} changes of memories"),
    "restore": ("restored a memory", "restored {count} memories"),
    "reinstate": ("had a memory hold again that was replaced", "had {count} memories hold again that were replaced"),
    "approve": ("approved a candidate", "approved {count} candidates"),
    "edit": ("changed the words", "changed the words {count} times"),
    "lift": ("allowed a value again", "allowed {count} values again"),
    "forget": ("had a memory forgotten", "had {count} memories forgotten"),
    "protect": ("protected a memory", "protected {count} memories"),
    "unprotect": ("ended the protection of a memory", "ended the protection of {count} memories"),
    "verify": ("verified a memory", "verified {count} memories"),
    "relink": ("pointed a memory at other code", "pointed {count} memories at other code"),
    "promote": ("moved a memory to another place", "moved {count} memories to other places"),
    "ttl": ("set how long a memory lives", "set how long {count} memories live"),
    "renew": ("gave a memory its time again", "gave {count} memories their time again"),
    "expire": ("saw the time of a memory run out", "saw the time of {count} memories run out"),
    "link": ("linked memories", "linked memories {count} times"),
    "index": ("read the code", "read the code {count} times"),
    "rebuild": ("made the index again", "made the index again {count} times"),
    "curate": ("put an entry into MEMORY.md", "put {count} entries into MEMORY.md"),
    "approve_dna": ("approved DNA.md", "approved DNA.md {count} times"),
    "end": ("ended what was true until then", "ended what was true until then, {count} times"),
    "share_offer": ("offered to share with another project", "offered {count} times to share with other projects"),
    "share_accept": ("accepted to read what is shared", "accepted {count} times to read what is shared"),
    "share_revoke": ("ended a share", "ended {count} shares"),
    "import": ("imported memories", "imported memories {count} times"),
}


@dataclass(frozen=True, slots=True)
class Deed:
    """What one actor did at one time: to one memory, or the same to several."""

    at: datetime
    actor: str
    is_person: bool
    action: str
    says: str
    memory_ids: tuple[str, ...]


def deeds(entries: Iterable[AuditEntry]) -> tuple[Deed, ...]:
    """Newest first, as they come; the same done to several memories on one day is one line."""
    alike = groupby(entries, lambda one: (one.action, one.source, one.actor, one.at.date()))
    return tuple(_deed(action, source, actor, list(some)) for (action, source, actor, _), some in alike)


def _deed(action: str, source: str, actor: str, entries: list[AuditEntry]) -> Deed:
    one, many = _DEEDS.get(action, (action.replace("_", " "), f"{action.replace('_', ' ')}, {{count}} times"))
    says = one if len(entries) == 1 else many.format(count=len(entries))
    ids = tuple(dict.fromkeys(entry.memory_id for entry in entries if entry.memory_id))
    return Deed(entries[0].at, actor, source == "person", action, says, ids)
