"""What is known of a project: facts on levels, learned from changes, approved by a person, with their reasons."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from waypost import flows
from waypost.memory.handle import OpenMemoryBase, When
from waypost.model.candidate import Candidate
from waypost.model.receipt import Receipt
from waypost.model.review_item import Learned
from waypost.model.session_turn import SessionTurn
from waypost.store.fact_protocol import CandidateRow


class Knowledge(OpenMemoryBase):
    # -- levels -------------------------------------------------------------------------------------------

    def promote(
        self,
        memory_id: str,
        level: int | None = None,
        *,
        parent: str | None = None,
        domain: str | None = None,
        module: str | None = None,
    ) -> Receipt:
        """Give a fact another level, parent, domain or module; an empty text takes one away."""
        place = flows.facts.levels.FactPlace.of(level, parent, domain, module)
        with self._own(memory_id, parent):
            return flows.facts.levels.promote(self._space, memory_id, place, self._caller)

    def subtree(
        self, memory_id: str, *, depth: int = 100, as_of: When = None, known_at: When = None
    ) -> Sequence[dict[str, Any]]:
        """A fact and all that stands under it, each followed by what is below it."""
        return flows.facts.levels.subtree(self._space, memory_id, self._view("all", as_of, known_at), depth=depth)

    # -- learning -----------------------------------------------------------------------------------------

    def learn(
        self,
        *,
        staged: bool = False,
        diff: str | None = None,
        file: str | Path | None = None,
        yes: bool = False,
        dry_run: bool = False,
        report: "flows.index.build.Report" = lambda *_: None,
    ) -> Learned:
        """Facts from what changed: in the working tree, in what is `staged`, since or in the commits of `diff` (a revision,
        or a range `A..B`), or in one file.

        What is certain is stored; the rest waits for approval, which `yes` gives at once where a person decides.
        """
        asked = flows.learn.changes.LearnSource(staged, diff, None if file is None else str(file))
        return flows.learn.changes.learn(self._space, self._caller, asked, yes=yes, dry_run=dry_run, report=report)

    def review(self, *, include_archived: bool = False) -> "flows.facts.review.Review":
        """What waits for a person: candidates for approval, and facts whose time has run out."""
        return flows.facts.review.review(self._space, include_archived=include_archived)

    def approve(self, candidates: str | Iterable[str], *, text: str | None = None) -> tuple[tuple[str, Receipt], ...]:
        """Remember candidates as a person's word, with `text` in other words. Only a person may."""
        return flows.facts.approval.approve(self._space, _many(candidates), self._caller, text=text)

    def decline(self, candidates: str | Iterable[str]) -> tuple[str, ...]:
        """Reject candidates: they are not proposed again. Only a person may."""
        return flows.facts.approval.decline(self._space, _many(candidates), self._caller)

    def declined(self, limit: int = 20) -> "Sequence[tuple[CandidateRow, Candidate]]":
        """The candidates that were rejected last, newest first."""
        return flows.facts.review.declined(self._space, limit)

    def reconsider(self, candidates: str | Iterable[str]) -> tuple[str, ...]:
        """Undo `decline`: these candidates wait again. Returns those that do. Only a person may."""
        return flows.facts.approval.reconsider(self._space, _many(candidates), self._caller)

    def edit(self, candidate: str, text: str) -> str:
        """Put a candidate's words right, and leave it waiting."""
        return flows.facts.approval.edit(self._space, candidate, text, self._caller)

    def keep_session(
        self, session: str, turns: Iterable[SessionTurn], *, notices: Sequence[str] = ()
    ) -> "flows.learn.session.Kept":
        """Append what was said in an agent's session to the journal, each turn once, and put what it teaches up for review."""
        return flows.learn.session.keep_session(self._space, session, turns, self._caller, notices=notices)

    def discover(self, task: str | None = None, *, dry_run: bool = False) -> "flows.learn.cold_start.Discovered":
        """The first facts of a repository: what it is, how it is run and tested, its parts; or those that a task needs."""
        return flows.learn.cold_start.discover(self._space, self._caller, task=task, dry_run=dry_run)

    # -- lifetimes ----------------------------------------------------------------------------------------

    def set_ttl(
        self,
        memory_id: str,
        seconds: int | None = None,
        *,
        refresh: Sequence[str] = (),
        on_expire: str | None = None,
        ttl_class: str | None = None,
    ) -> "flows.write.lifetime.Lasting":
        """How long a fact lives, what starts its time anew, and what happens at the end; without any, it lives on."""
        with self._own(memory_id):
            return flows.write.lifetime.set_ttl(
                self._space,
                memory_id,
                self._caller,
                seconds=seconds,
                refresh=refresh,
                on_expire=on_expire,
                ttl_class=ttl_class,
            )

    def expire(self, *, dry_run: bool = False) -> "flows.write.expiry.Expired":
        """Do to every memory whose time has run out what was said for its end: mark it stale, archive or delete it."""
        return flows.write.expiry.process_expired(self._space, self._caller, dry_run=dry_run, wait=False)

    # -- reasons ------------------------------------------------------------------------------------------

    def decide(
        self,
        text: str,
        *,
        because: Sequence[str] = (),
        leads_to: Sequence[str] = (),
        given: Sequence[str] = (),
        **options: Any,
    ) -> "flows.facts.decide.Decided":
        """Record a decision with its reasons, consequences and constraints, each a text or the id of a memory."""
        told: Mapping[str, Any] = options
        with self._own(text, *because, *leads_to, *given, options.get("replaces")):
            return flows.facts.decide.decide(
                self._space, text, self._caller, because=because, leads_to=leads_to, given=given, options=told
            )

    def why(
        self, question: str, *, depth: int = 5, as_of: When = None, known_at: When = None
    ) -> "flows.recall.why.CausalChain":
        """The decision that a question is about, with what led to it and what follows from it."""
        return flows.recall.why.why(self._space, question, self._view("facts", as_of, known_at), depth=depth)


def _many(ids: str | Iterable[str]) -> list[str]:
    return [ids] if isinstance(ids, str) else list(dict.fromkeys(ids))
