"""What `doctor` finds, and every kind of finding that has a remedy.

Commands in a remedy are in backticks. A test provokes each kind, runs its remedy, and checks that the finding is gone
(`tests/faces/cli/test_doctor.py`).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from waypost.model.json_row import json_row

Severity = Literal["ok", "note", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One result of a check. A note is not a problem: background work, or good to know."""

    check: str
    ok: bool
    message: str
    remedy: str = ""
    kind: str = ""  # the name of its `FindingKind`, if it has one
    is_note: bool = False

    @property
    def severity(self) -> Severity:
        if not self.ok:
            return "problem"
        return "note" if self.is_note else "ok"

    def to_json(self) -> dict[str, Any]:
        return json_row(self, "is_note", severity=self.severity)


@dataclass(frozen=True, slots=True)
class FindingKind:
    """A kind of problem or note that has a remedy."""

    name: str
    check: str
    remedy: str  # with {placeholders} for the arguments of `finding`
    is_note: bool = False

    def finding(self, message: str, *, check: str = "", **places: object) -> Finding:
        remedy = self.remedy.format(**places)
        return Finding(check or self.check, self.is_note, message, remedy, self.name, self.is_note)


DATABASE = FindingKind("database", "database", "Run `waypost doctor --fix`. It keeps a copy of the damaged file.")
EMPTIED = FindingKind(
    "empty database",
    "database",
    "Run `waypost backup restore latest --yes`: it goes back to that snapshot. To begin a new memory instead, move {folder} away.",
)
SERVER_DATABASE = FindingKind(
    "server database", "database", "Have the database's administrator restore it from a backup."
)
LOST = FindingKind("lost memories", "lost memories", "Look for them in a backup, or in {old}.")
LOST_VERSIONS = FindingKind(
    "lost versions", "lost versions", "To see what is left of one, run `waypost history {memory_id}`."
)
NOT_AS_WRITTEN = FindingKind(
    "changed memories",
    "changed memories",
    "Read each one. If it is right, run `waypost verify {memory_id}`; if not, `waypost correct {memory_id} TEXT`.",
)
LOST_WRITES = FindingKind(
    "lost writes",
    "log",
    "The log is kept beside {old}. Compare what you wrote last with `waypost list`, then run `waypost doctor --fix`.",
)
LOST_ROWS = FindingKind("lost rows", "table", "The old file is {old}.")
UNFINISHED_REPAIR = FindingKind("unfinished repair", "repair", "Run `waypost doctor --fix`.")
DISK = FindingKind("disk", "disk", "Free some space on it.")
KEYWORDS = FindingKind("keyword index", "keyword index", "Run `waypost doctor --fix`.")
UNFINISHED_INDEX = FindingKind("unfinished index", "database", "Run this in the database: `REINDEX INDEX {index}`.")
MODEL = FindingKind("model", "model", "Run `waypost model install`.")
EMBEDDING = FindingKind(
    "embedding",
    "vectors",
    "Make the embedding model reachable again, or choose another engine in {config}. Then run `waypost doctor --fix`.",
)
PENDING_VECTORS = FindingKind("pending vectors", "vectors", "To do it now, run `waypost doctor --fix`.", is_note=True)
PENDING_FILES = FindingKind("pending files", "index", "To do it now, run `waypost doctor --fix`.", is_note=True)
WORKER = FindingKind(
    "worker", "background work", "Run `waypost doctor --fix`: it does what is pending, and says what fails."
)
TRACES = FindingKind(
    "forgotten text",
    "forgotten text",
    "Close other programs that use this memory, then run `waypost doctor --fix`.",
)
UPKEEP = FindingKind(
    "upkeep", "upkeep", "Run `waypost maintain`. To have it run every day, run `waypost schedule install`."
)
JOURNAL_FILE = FindingKind(
    "journal file", "journal", "Move {path} out of the journal, or put a readable copy in its place."
)
JOURNAL_DNA = FindingKind("journal DNA", "journal", "Shorten it in your editor.")
JOURNAL_CONFLICT = FindingKind("journal conflict", "journal", "Resolve it in your editor.")
JOURNAL_SECRET = FindingKind("journal secret", "journal", "Delete the secret from the file in your editor.")
JOURNAL_LEFT_OUT = FindingKind("journal left out", "journal", "Delete the entry from the file in your editor.")
HOOKS = FindingKind("agent hooks", "agent hooks", "To try them now, run `waypost doctor --fix`.")
PERMISSIONS = FindingKind("permissions", "permissions", "Run `chmod -R go= {folder}`.")

KINDS = tuple(value for value in list(globals().values()) if isinstance(value, FindingKind))


def report_of(findings: Iterable[Finding]) -> dict[str, Any]:
    """What faces return for `doctor`. Keys are part of the contract."""
    rows = [finding.to_json() for finding in findings]
    problems = [row for row in rows if row["severity"] == "problem"]
    notes = [row for row in rows if row["severity"] == "note"]
    return {"ok": not problems, "findings": rows, "problems": problems, "notes": notes}
