"""Asking."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from waypost import flows
from waypost.errors import InvalidInput, NotFound, StoreCorrupt
from waypost.memory.handle import OpenMemoryBase, When, when
from waypost.model.code_link import LinkedMemory
from waypost.model.draft import MAX_LEVEL, check_line, check_whole
from waypost.model.ids import check_id
from waypost.model.kinds import KEPT_COLLECTIONS, kind_of
from waypost.model.recall import Answer, View
from waypost.store.protocol import AuditEntry, Filter

MOST_LISTED = 1_000_000
BRIEF_TOKENS = 2000  # what a briefing may cost unless told
SCOPE_TOKENS = 500
PRESETS = ("scope", "route", "inject", "journal")


class MemoryReading(OpenMemoryBase):
    def recall(
        self,
        question: str,
        k: int = 5,
        *,
        scope: str = "all",
        as_of: When = None,
        known_at: When = None,
        now: When = None,
        fresh: bool = False,
        min_confidence: float = 0.0,
        exclude_tags: Sequence[str] = (),
        archived: bool = False,
        shared: bool = True,
    ) -> Answer:
        """The memories that answer best. `now` is the moment of the question, for words like "yesterday".

        `fresh` leaves out what is stale; so do `min_confidence` and `exclude_tags` (names, or name=value) with others.
        `archived` adds what was put away when its time had run out. Without `shared`, only this memory's own are told, and
        nothing that other projects let it read.
        """
        space, view = self._current, self._view(scope, as_of, known_at, archived=archived)
        wanted = flows.recall.search.RecallFilter(fresh, min_confidence, tuple(exclude_tags))
        return flows.recall.search.recall(
            space, question, view, k=k, now=when(now, "now"), wanted=wanted, shared=shared
        )

    def brief(
        self,
        task: str,
        tokens: int | None = None,
        *,
        preset: str | None = None,
        include_stale: bool = False,
        include_l0: bool = True,
        as_of: When = None,
        known_at: When = None,
        now: When = None,
    ) -> "flows.context.brief.Briefing":
        """What an agent should know before it starts on a task, fenced as data, within the budget.

        Preset `scope` tells about the code only, in 500 tokens; without one it is everything, in 2,000. `route` chooses
        facts by level and domain; for it, `include_stale` adds those that are stale and `include_l0=False` leaves out
        what is true of the whole project. `now` is the moment of the question, for words like "yesterday".
        """
        space, view = self._current, self._view("all", as_of, known_at)
        if preset == "scope":
            return flows.context.scope.scope_brief(space, task, view, tokens=SCOPE_TOKENS if tokens is None else tokens)
        budget = BRIEF_TOKENS if tokens is None else tokens
        if preset == "route":
            return flows.context.route.route_brief(
                space, task, view, tokens=budget, include_stale=include_stale, include_l0=include_l0
            )
        if preset == "inject":
            return flows.context.inject.inject_brief(space, task, view, tokens=budget, now=when(now, "now"))
        if preset == "journal":
            return flows.context.journal.journal_brief(space, task, view, tokens=tokens, now=when(now, "now"))
        if preset is not None:
            raise InvalidInput(f"There is no preset {preset[:40]!r}.", f"Presets: {', '.join(PRESETS)}.")
        return flows.context.brief.brief(space, task, view, tokens=budget, now=when(now, "now"))

    def show(self, memory_id: str, *, as_of: When = None, known_at: When = None) -> LinkedMemory:
        """One memory, with what became of the code that it points at. Also one that another project shares, which it
        names."""
        space, moment = self._current, self._moment(as_of, known_at)
        try:
            return flows.links.staleness.find_linked(space, memory_id, moment)
        except NotFound:
            self._refuse_unreadable(memory_id)
            shared = flows.share.owner.find_shared(space, memory_id, moment)
            if shared is None:
                raise
            return shared

    def list(
        self,
        *,
        kind: str | None = None,
        level: int | None = None,
        domain: str | None = None,
        module: str | None = None,
        session: str | None = None,
        tags: Mapping[str, str] | None = None,
        limit: int = 50,
        archived: bool = False,
        as_of: When = None,
        known_at: When = None,
    ) -> Sequence[dict[str, Any]]:
        """Memories in the order they were recorded, the newest last. What was read out of the tree is listed only when
        its kind is asked for."""
        chosen = _filter(kind, level, domain, module, session, tags)
        most = check_whole(limit, "limit", 1, MOST_LISTED)
        return flows.move.export.listed(self._current, self._listed(kind, as_of, known_at, archived), chosen, most)

    def page(
        self,
        *,
        kind: str | None = None,
        level: int | None = None,
        domain: str | None = None,
        module: str | None = None,
        session: str | None = None,
        tags: Mapping[str, str] | None = None,
        limit: int = 50,
        archived: bool = False,
        as_of: When = None,
        known_at: When = None,
        before: int | None = None,
    ) -> "flows.recall.listing.ListingPage":
        """The same, the newest first, page by page: hand `before` and `known_at` of a page to the next, and all show what
        was known when the first was asked for. What is forgotten meanwhile is gone."""
        chosen = _filter(kind, level, domain, module, session, tags)
        most, space = check_whole(limit, "limit", 1, MOST_LISTED), self._current
        view = self._listed(kind, as_of, known_at, archived)
        begun = when(known_at, "known_at") or space.clock()
        return flows.recall.listing.page(space, view, chosen, most, before, begun)

    def _listed(self, kind: str | None, as_of: When, known_at: When, archived: bool) -> View:
        view = self._view("all", as_of, known_at, archived=archived)
        return view if kind is not None else replace(view, collections=KEPT_COLLECTIONS)

    def history(self, memory_id: str, *, as_of: When = None, known_at: When = None) -> "flows.write.lifecycle.History":
        """All that was ever recorded of it; by `known_at`, and about the instant `as_of`, where these are given."""
        try:
            return flows.write.lifecycle.history(self._current, memory_id, self._moment(as_of, known_at))
        except NotFound:
            self._refuse_unreadable(memory_id)
            raise

    def damage_notices(self) -> tuple[str, ...]:
        """What an answer that was given just now may lack, because the database is damaged; mostly nothing."""
        return flows.admin.recovery_notices.damage_notices(self._space.store)

    def _refuse_unreadable(self, memory_id: str) -> None:
        """Raise StoreCorrupt for a memory that is there and cannot be read."""
        store = self._space.store
        if store.known_damage() and memory_id in store.unreadable():
            raise StoreCorrupt(
                f"The memory {memory_id} cannot be read: the database is damaged.", flows.admin.finding.DATABASE.remedy
            )

    def audit(self, memory_id: str | None = None, limit: int = 50) -> Sequence[AuditEntry]:
        with self._space.store.read() as reader:
            return reader.audit_entries(
                None if memory_id is None else check_id(memory_id), check_whole(limit, "limit", 1, MOST_LISTED)
            )


def _filter(
    kind: str | None,
    level: int | None,
    domain: str | None,
    module: str | None,
    session: str | None,
    tags: Mapping[str, str] | None,
) -> Filter:
    return Filter(
        (kind_of(kind).name,) if kind else (),
        None if level is None else check_whole(level, "level", 0, MAX_LEVEL),
        check_line(domain, "domain") if domain else domain,
        check_line(session, "session") if session else session,
        tuple((check_line(name, "tag name"), check_line(value, "tag")) for name, value in (tags or {}).items()),
        check_line(module, "module") if module else module,
    )
