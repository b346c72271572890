"""Search over everything, with filters and reasons for each rank; without a question, what is new."""

from dataclasses import dataclass
from datetime import datetime

from waypost.faces.dashboard.memory_rows import MemoryRow, of_hit, of_row
from waypost.faces.dashboard.request_context import PagePlace, PageRequest, ShowPage
from waypost.model.draft import MAX_LEVEL
from waypost.model.kinds import KINDS, SCOPES

_SIZES = (10, 20, 50, 100)
_CONSIDERED = 300  # hits that are looked through where only some of them are wanted
_NARROWED = (
    "Filters by kind, level, domain, tag, speaker or conversation were applied to the best {count} that were found."
)


@dataclass(frozen=True, slots=True)
class SearchForm:
    """What was asked for. Names are those of the address."""

    q: str
    scope: str
    kind: str
    level: str
    domain: str
    tag: str
    speaker: str
    session: str
    fresh: bool
    archived: bool
    confidence: float
    as_of: datetime | None
    known_at: datetime | None
    k: int

    @property
    def tags(self) -> dict[str, str]:
        name, _, value = self.tag.partition("=")
        return {name.strip(): value.strip()} if self.tag and "=" in self.tag else {}

    @property
    def narrows(self) -> bool:
        """Whether some of what is found is left out by what it is."""
        return any((self.kind, self.level, self.domain, self.tag, self.speaker, self.session))

    @property
    def filters(self) -> bool:
        timed = self.as_of is not None or self.known_at is not None
        return self.narrows or self.fresh or self.archived or bool(self.confidence) or timed or self.scope != "all"

    def admits(self, one: MemoryRow) -> bool:
        name, mark, value = self.tag.partition("=")
        name, value = name.strip(), value.strip()
        return (
            self.kind in ("", one.kind)
            and self.level in ("", str(one.level))
            and self.domain in ("", one.domain)
            and self.session in ("", one.session)
            and (not self.speaker or self.speaker.lower() == (one.speaker or "").lower())
            and (not name or (one.tags.get(name) == value if mark else name in one.tags))
        )


def show(asked: PageRequest) -> ShowPage:
    chosen = _chosen(asked)
    found, notices = _recalled(asked, chosen) if chosen.q else _recent(asked, chosen)
    values = {
        "chosen": chosen,
        "found": found,
        "notices": notices,
        "scopes": tuple(SCOPES),
        "kinds": tuple(KINDS),
        "levels": tuple(str(level) for level in range(MAX_LEVEL + 1)),
        "sizes": _SIZES,
    }
    return ShowPage("search.html", "Search", values)


def _chosen(asked: PageRequest) -> SearchForm:
    return SearchForm(
        q=asked.text("q"),
        scope=asked.one_of("scope", tuple(SCOPES), "all"),
        kind=asked.one_of("kind", ("", *KINDS), ""),
        level=asked.one_of("level", ("", *(str(level) for level in range(MAX_LEVEL + 1))), ""),
        domain=asked.text("domain", limit=500),
        tag=asked.text("tag", limit=500),
        speaker=asked.text("speaker", limit=500),
        session=asked.text("session", limit=500),
        fresh=asked.is_set("fresh"),
        archived=asked.is_set("archived"),
        confidence=asked.share("confidence"),
        as_of=asked.until("as_of"),
        known_at=asked.until("known_at"),
        k=asked.whole("k", 10, 1, 100),
    )


def _recalled(asked: PageRequest, chosen: SearchForm) -> tuple[list[MemoryRow], tuple[str, ...]]:
    answer = asked.memory.recall(
        chosen.q,
        _CONSIDERED if chosen.narrows else chosen.k,
        scope=chosen.scope,
        as_of=chosen.as_of,
        known_at=chosen.known_at,
        fresh=chosen.fresh,
        min_confidence=chosen.confidence,
        archived=chosen.archived,
    )
    found = [one for one in map(of_hit, answer.hits) if chosen.admits(one)]
    notices = (_NARROWED.format(count=len(answer.hits)),) if chosen.narrows else ()
    return found[: chosen.k], (*answer.notices, *notices)


def _recent(asked: PageRequest, chosen: SearchForm) -> tuple[list[MemoryRow], tuple[str, ...]]:
    """The newest first. What cannot be asked of the store is looked for among more of them."""
    sifted = chosen.fresh or bool(chosen.speaker) or (bool(chosen.tag) and not chosen.tags) or chosen.scope != "all"
    rows = asked.memory.list(
        kind=chosen.kind or None,
        level=int(chosen.level) if chosen.level else None,
        domain=chosen.domain or None,
        session=chosen.session or None,
        tags=chosen.tags or None,
        limit=_CONSIDERED if sifted else chosen.k,
        archived=chosen.archived,
        as_of=chosen.as_of,
        known_at=chosen.known_at,
    )
    collections = SCOPES[chosen.scope]
    found = [
        one
        for row in reversed(rows)
        if row["collection"] in collections and not (chosen.fresh and row["is_stale"])
        if chosen.admits(one := of_row(row))
    ]
    return found[: chosen.k], (("How sure a memory is counts only with a question.",) if chosen.confidence else ())


PLACES = (PagePlace("/search", show, "search"),)
