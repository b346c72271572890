"""Search with filters and an explanation of each rank; without a query, the newest memories."""

from dataclasses import dataclass
from datetime import datetime

from waypost.faces.dashboard.memory_rows import MemoryRow, of_hit, of_row
from waypost.faces.dashboard.request_context import PageRequest, PageRoute, ShowPage
from waypost.model.draft import MAX_LEVEL
from waypost.model.kinds import KINDS, SCOPES

_SIZES = (10, 20, 50, 100)
_CONSIDERED = 300  # hits to filter
_NARROWED = "Filters by kind, level, domain, tag, speaker or conversation were applied to the best {count} results."


@dataclass(frozen=True, slots=True)
class SearchForm:
    """The search form; names as in the address."""

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
        """Whether hits are filtered by their properties."""
        return any((self.kind, self.level, self.domain, self.tag, self.speaker, self.session))

    @property
    def filters(self) -> bool:
        timed = self.as_of is not None or self.known_at is not None
        return self.narrows or self.fresh or self.archived or bool(self.confidence) or timed or self.scope != "all"

    def admits(self, row: MemoryRow) -> bool:
        name, mark, value = self.tag.partition("=")
        name, value = name.strip(), value.strip()
        return (
            self.kind in ("", row.kind)
            and self.level in ("", str(row.level))
            and self.domain in ("", row.domain)
            and self.session in ("", row.session)
            and (not self.speaker or self.speaker.lower() == (row.speaker or "").lower())
            and (not name or (row.tags.get(name) == value if mark else name in row.tags))
        )


def show(request: PageRequest) -> ShowPage:
    form = _form(request)
    rows, notices = _recalled(request, form) if form.q else _recent(request, form)
    values = {
        "chosen": form,
        "found": rows,
        "notices": notices,
        "scopes": tuple(SCOPES),
        "kinds": tuple(KINDS),
        "levels": tuple(str(level) for level in range(MAX_LEVEL + 1)),
        "sizes": _SIZES,
    }
    return ShowPage("search.html", "Search", values)


def _form(request: PageRequest) -> SearchForm:
    return SearchForm(
        q=request.text("q"),
        scope=request.one_of("scope", tuple(SCOPES), "all"),
        kind=request.one_of("kind", ("", *KINDS), ""),
        level=request.one_of("level", ("", *(str(level) for level in range(MAX_LEVEL + 1))), ""),
        domain=request.text("domain", limit=500),
        tag=request.text("tag", limit=500),
        speaker=request.text("speaker", limit=500),
        session=request.text("session", limit=500),
        fresh=request.is_set("fresh"),
        archived=request.is_set("archived"),
        confidence=request.share("confidence"),
        as_of=request.until("as_of"),
        known_at=request.until("known_at"),
        k=request.whole("k", 10, 1, 100),
    )


def _recalled(request: PageRequest, form: SearchForm) -> tuple[list[MemoryRow], tuple[str, ...]]:
    answer = request.memory.recall(
        form.q,
        _CONSIDERED if form.narrows else form.k,
        scope=form.scope,
        as_of=form.as_of,
        known_at=form.known_at,
        fresh=form.fresh,
        min_confidence=form.confidence,
        archived=form.archived,
        unlikely=form.narrows,  # the person chooses among them
    )
    rows = [row for row in map(of_hit, answer.hits) if form.admits(row)]
    notices = (_NARROWED.format(count=len(answer.hits)),) if form.narrows else ()
    return rows[: form.k], (*answer.notices, *notices)


def _recent(request: PageRequest, form: SearchForm) -> tuple[list[MemoryRow], tuple[str, ...]]:
    """The newest first. Filters that the store does not have are applied to more of them."""
    sifted = form.fresh or bool(form.speaker) or (bool(form.tag) and not form.tags) or form.scope != "all"
    rows = request.memory.list(
        kind=form.kind or None,
        level=int(form.level) if form.level else None,
        domain=form.domain or None,
        session=form.session or None,
        tags=form.tags or None,
        limit=_CONSIDERED if sifted else form.k,
        archived=form.archived,
        as_of=form.as_of,
        known_at=form.known_at,
    )
    collections = SCOPES[form.scope]
    matching = [
        memory_row
        for row in reversed(rows)
        if row["collection"] in collections and not (form.fresh and row["is_stale"])
        if form.admits(memory_row := of_row(row))
    ]
    return matching[: form.k], (("The confidence filter needs a query.",) if form.confidence else ())


PAGES = (PageRoute("/search", show, "search"),)
