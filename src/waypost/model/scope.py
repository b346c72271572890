"""The smart context of a task: what the task asks for, what is known about it, and how well the two fit."""

from dataclasses import dataclass
from datetime import datetime

GENERAL = "general"  # the type of a task that says nothing about its type


@dataclass(frozen=True, slots=True)
class ScopeTask:
    description: str
    keywords: tuple[str, ...]  # lower case, in order, each once
    expanded: tuple[str, ...]  # the keywords and the terms related to them
    task_type: str  # bug, feature, database, test, refactor, general
    topics: tuple[str, ...] = ()  # in English, what the keywords lead to: for `Anmeldung` and `вход` it is `login`

    @property
    def query(self) -> str:
        """What to search for: the keywords count twice, the words between them give the meaning.

        The topics make a German or Russian task resemble English code, also for an engine that knows English only.
        """
        return " ".join((*dict.fromkeys((*self.keywords, *self.topics)), self.description))


@dataclass(frozen=True, slots=True)
class ScopeDocument:
    """One thing known about a tree, as it was stored: names, paths and content are a stranger's words."""

    id: str
    content: str
    type: str  # function, method, class, file, table, migration, pattern, architecture, config, test …
    name: str = ""
    path: str = ""
    line: int | None = None
    collection: str = ""
    changed_at: datetime | None = None  # the file's last change, not its indexing
    cosine: float | None = None  # to the task's query; None when it has no vector yet
    parameters: tuple[str, ...] = ()  # of a function
    returns: str | None = None
    columns: tuple[str, ...] = ()  # of a table
    functions: tuple[str, ...] = ()  # of a file


@dataclass(frozen=True, slots=True)
class ScopeScored:
    document: ScopeDocument
    semantic: float  # all of them 0..1
    keyword: float
    recency: float
    bonus: float
    final: float
