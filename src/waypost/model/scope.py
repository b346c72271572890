"""The smart context of a task: the task itself, documents about the code, and how well they match."""

from dataclasses import dataclass
from datetime import datetime

GENERAL = "general"  # the type of a task whose type is unclear


@dataclass(frozen=True, slots=True)
class ScopeTask:
    description: str
    keywords: tuple[str, ...]  # lower case, in order, each once
    expanded: tuple[str, ...]  # the keywords and the terms related to them
    task_type: str  # bug, feature, database, test, refactor, general
    topics: tuple[str, ...] = ()  # English terms for the keywords: `login` for `Anmeldung` and `вход`

    @property
    def query(self) -> str:
        """The search query: keywords and topics, then the whole description, so that keywords count twice.

        Topics let an English-only embedding model match German and Russian tasks with English code.
        """
        return " ".join((*dict.fromkeys((*self.keywords, *self.topics)), self.description))


@dataclass(frozen=True, slots=True)
class ScopeDocument:
    """An indexed part of the repository. Names, paths and content are untrusted."""

    id: str
    content: str
    type: str  # function, method, class, file, table, migration, pattern, architecture, config, test …
    name: str = ""
    path: str = ""
    line: int | None = None
    collection: str = ""
    changed_at: datetime | None = None  # the file's last change, not its indexing
    cosine: float | None = None  # to the task's query; None if it has no vector yet
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
