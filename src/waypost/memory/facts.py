"""`memory.facts`: learning, review, levels and lifetimes of facts."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from waypost import flows
from waypost.memory.handle import MemoryHandle, When
from waypost.model.candidate import Candidate, CandidateRow
from waypost.model.draft import Draft
from waypost.model.receipt import Receipt
from waypost.model.review_item import Learned


class MemoryFacts:
    """The facts of a memory: how they are learned, approved, ordered and ended."""

    def __init__(self, handle: MemoryHandle) -> None:
        self._handle = handle

    def for_agents_file(self) -> str:
        """Return the rules and decisions that people stated, as the block that `waypost setup agents-md` keeps in AGENTS.md."""
        return flows.context.agents_file.memories_block(self._handle.current)

    # -- learning and review ------------------------------------------------------------------------------

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
        """Learn facts from changes: by default from uncommitted ones. Certain facts are stored, others need approval.

        Args:
            staged: From staged changes.
            diff: From the commits since a revision, or of a range `A..B`.
            file: From one file.
            yes: Approve all at once, with owner rights.
            dry_run: Store nothing.
            report: Called with the phase, how many are done, and the total.

        Returns:
            The stored facts, and the candidates for approval.
        """
        source = flows.learn.changes.LearnSource(staged, diff, None if file is None else str(file))
        return flows.learn.changes.learn(
            self._handle.space, self._handle.caller, source, yes=yes, dry_run=dry_run, report=report
        )

    def discover(self, task: str | None = None, *, dry_run: bool = False) -> "flows.learn.cold_start.Discovered":
        """Learn the first facts of a repository: what it is, how to run and test it, its parts.

        Args:
            task: Only facts that this task needs.
            dry_run: Store nothing.

        Returns:
            The facts, stored or found.
        """
        return flows.learn.cold_start.discover(self._handle.space, self._handle.caller, task=task, dry_run=dry_run)

    def review(self, *, include_archived: bool = False) -> "flows.facts.review.Review":
        """Return what needs a person: candidates for approval and expired facts; with `include_archived`, archived too."""
        return flows.facts.review.review(self._handle.space, include_archived=include_archived)

    def approve(self, candidates: str | Iterable[str], *, text: str | None = None) -> tuple[tuple[str, Receipt], ...]:
        """Store candidates as facts that a person confirmed. Only a person may.

        Args:
            candidates: One id or several.
            text: Store this text instead.

        Returns:
            Each id with the receipt of its fact.
        """
        chosen = self._ids(candidates)
        with self._handle.own_memories():
            return flows.facts.approval.approve(self._handle.space, chosen, self._handle.caller, text=text)

    def reject(self, candidates: str | Iterable[str]) -> tuple[str, ...]:
        """Reject one or several `candidates`: they are not proposed again. Only a person may. Returns their ids."""
        return flows.facts.approval.decline(self._handle.space, self._ids(candidates), self._handle.caller)

    def rejected(self, limit: int = 20) -> Sequence[tuple[CandidateRow, Candidate]]:
        """Return the last rejected candidates, at most `limit`, newest first."""
        return flows.facts.review.declined(self._handle.space, limit)

    def reconsider(self, candidates: str | Iterable[str]) -> tuple[str, ...]:
        """Undo `reject` for one or several `candidates`. Only a person may. Returns those that need review again."""
        return flows.facts.approval.reconsider(self._handle.space, self._ids(candidates), self._handle.caller)

    def edit(self, candidate: str, text: str) -> str:
        """Change the text of a `candidate` to `text`; it still needs review. Returns its id."""
        return flows.facts.approval.edit(self._handle.space, self._handle.full_id(candidate), text, self._handle.caller)

    def lift_rejection(
        self,
        text: str,
        *,
        kind: str = "fact",
        domain: str | None = None,
        session: str | None = None,
        speaker: str | None = None,
        time: When = None,
        key: str | None = None,
    ) -> bool:
        """Allow a rejected or forgotten value again. Only a person may. The arguments are those it was stored with.

        Args:
            text: The value.
            kind: Its kind.
            domain: Its domain.
            session: The conversation, for entries of the journal. So are `speaker` and `time`.
            speaker: Who said it.
            time: When it was said.
            key: Its key, if it had one.

        Returns:
            Whether it had been rejected or forgotten.
        """
        fields = {
            "text": text, "kind": kind, "domain": domain, "session": session, "speaker": speaker, "time": time,
            "key": key,
        }  # fmt: skip
        return flows.write.lifecycle.lift(
            self._handle.space, Draft.of(self._handle.resolved(fields)), self._handle.caller
        )

    def remember_drafts(self, drafts: Sequence[Draft]) -> Iterator[Receipt]:
        """Store checked `drafts`. Yields each receipt after its transaction was committed."""
        with self._handle.own_memories():
            yield from flows.write.remember.remember(self._handle.space, drafts, self._handle.caller, direct=False)

    # -- levels and links ---------------------------------------------------------------------------------

    def infer_place(self, text: str, kind: str = "fact", refs: Sequence[str] = ()) -> dict[str, Any]:
        """Return the level, domain and lifetime (`ttl`) that the text of a fact gives away, as far as it does.

        Args:
            text: The text of the fact, in English, German or Russian.
            kind: Its kind.
            refs: The code it is about.

        Returns:
            Arguments for `remember`.
        """
        return flows.facts.placing.infer_place(self._handle.space, text, kind, refs).fields()

    def promote(
        self,
        memory_id: str,
        level: int | None = None,
        *,
        parent: str | None = None,
        domain: str | None = None,
        module: str | None = None,
    ) -> Receipt:
        """Change where a fact belongs. An empty text removes a parent, domain or module.

        Args:
            memory_id: The fact.
            level: 0 project, 1 domain, 2 module, 3 code.
            parent: Id of the memory that contains it.
            domain: Its domain.
            module: Its module.

        Returns:
            The receipt of the changed fact.
        """
        memory_id = self._handle.full_id(memory_id)
        place = flows.facts.levels.FactPlace.of(level, parent, domain, module)
        with self._handle.own_memories(memory_id, parent):
            return flows.facts.levels.promote(self._handle.space, memory_id, place, self._handle.caller)

    def subtree(
        self, memory_id: str, *, depth: int = 100, as_of: When = None, known_at: When = None
    ) -> Sequence[dict[str, Any]]:
        """Return a fact and all facts below it, depth first.

        Args:
            memory_id: The fact.
            depth: How many levels to go down.
            as_of: Answer for this instant; now by default.
            known_at: Use only what was recorded by then.
        """
        memory_id = self._handle.full_id(memory_id)
        view = self._handle.view("all", as_of, known_at)
        return flows.facts.levels.subtree(self._handle.space, memory_id, view, depth=depth)

    def related(self, memory_id: str) -> "tuple[flows.recall.related.RelatedMemory, ...]":
        """Return the memories linked with `memory_id`: parent, children, causes, effects, and what it replaced."""
        memory_id = self._handle.full_id(memory_id)
        return flows.recall.related.related(self._handle.current, memory_id)

    # -- lifetimes ----------------------------------------------------------------------------------------

    def set_ttl(
        self,
        memory_id: str,
        seconds: int | None = None,
        *,
        refresh: Sequence[str] = (),
        on_expire: str | None = None,
        ttl_class: str | None = None,
    ) -> "flows.write.lifetime.LifetimeStatus":
        """Set when a fact expires. Without arguments, it never does.

        Args:
            memory_id: The fact.
            seconds: Its lifetime.
            refresh: Globs of files. A change of such a file restarts the lifetime.
            on_expire: `stale`, `archive` or `delete`.
            ttl_class: A named lifetime instead of `seconds`.

        Returns:
            Its lifetime and its end.
        """
        memory_id = self._handle.full_id(memory_id)
        with self._handle.own_memories(memory_id):
            return flows.write.lifetime.set_ttl(
                self._handle.space,
                memory_id,
                self._handle.caller,
                seconds=seconds,
                refresh=refresh,
                on_expire=on_expire,
                ttl_class=ttl_class,
            )

    def expire(self, *, dry_run: bool = False) -> "flows.erase.expiry.Expired":
        """Mark expired memories stale, archive or delete them; with `dry_run`, change nothing. Returns those affected."""
        return flows.erase.expiry.process_expired(self._handle.space, self._handle.caller, dry_run=dry_run, wait=False)

    def _ids(self, candidates: str | Iterable[str]) -> list[str]:
        given = [candidates] if isinstance(candidates, str) else candidates
        return list(dict.fromkeys(map(self._handle.full_id, given)))
