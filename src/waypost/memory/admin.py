"""`memory.admin`: repair, maintenance, export, import, snapshots, sharing and checkouts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waypost import compat, flows
from waypost.errors import NotFound, SecurityError, StoreCorrupt
from waypost.flows.open_space import OpenSpace
from waypost.memory.facade import Memory, check_limit, listing_filter, listing_view
from waypost.memory.handle import MemoryHandle, When
from waypost.memory.location import locate
from waypost.model.checkout import Checkout
from waypost.model.ids import check_id
from waypost.model.memory import AuditEntry
from waypost.model.receipt import Receipt
from waypost.model.share import Offer

if TYPE_CHECKING:
    from waypost.memory.backups import Backups
    from waypost.memory.maintain_all import MaintainedMemory


class MemoryAdmin:
    """Operations on a whole memory."""

    def __init__(self, handle: MemoryHandle) -> None:
        self._handle = handle

    @property
    def backups(self) -> "Backups":
        """Snapshots of this memory, and how to go back to one."""
        from waypost.memory.backups import Backups

        return Backups(self._handle)

    @property
    def shares(self) -> "Shares":
        """What this memory and others let each other read."""
        return Shares(self._handle)

    # -- health -------------------------------------------------------------------------------------------

    def doctor(self, *, fix: bool = False) -> "Sequence[flows.findings.Finding]":
        """Look for problems, also in a database that can't be opened. With `fix`, repair them. Returns the findings."""
        handle = self._handle
        try:
            return flows.admin.doctor.doctor(handle.current, handle.caller, fix=fix)
        except StoreCorrupt as error:
            from waypost.memory.damaged import damage_findings, repair_damaged  # only for a damaged database

            about = handle.identity, handle.settings, handle.clock, error
            if not fix:
                return damage_findings(*about)
            salvaged = repair_damaged(*about)
            if salvaged is None:
                return damage_findings(*about)
        space = handle.space
        findings = list(flows.admin.recovery.repaired_findings(space, salvaged))
        return [*findings, *flows.admin.doctor.doctor(space, handle.caller, fix=fix)]

    def damage_notices(self) -> tuple[str, ...]:
        """Return what the last answer may lack because the database is damaged; usually nothing."""
        return flows.recall.damage_notices.damage_notices(self._handle.space.store)

    def maintain(
        self, *, force: bool = False, dry_run: bool = False, report: "flows.admin.maintenance.Report" = lambda *_: None
    ) -> "Sequence[flows.admin.maintenance.StepResult]":
        """Run the maintenance steps that are due.

        Args:
            force: Run all steps.
            dry_run: Only return what there is to do.
            report: Called with the step, how many are done, and the total.

        Returns:
            The result of each step.
        """
        by_person = self._handle.caller.decides
        return flows.admin.maintenance.maintain(
            self._handle.current, force=force, dry_run=dry_run, by_person=by_person, report=report
        )

    def maintain_all(self, *, force: bool = False, dry_run: bool = False) -> "Sequence[MaintainedMemory]":
        """Run the due maintenance of every memory in the data directory: all projects and persons.

        Args:
            force: Run all steps.
            dry_run: Only return what there is to do.

        Returns:
            The steps of each memory, or why it was left out. A memory that fails stops no other.
        """
        from waypost.memory.maintain_all import maintain_all  # opens other memories

        handle = self._handle
        return maintain_all(handle.settings, handle.caller, handle.clock, force=force, dry_run=dry_run)

    def rebuild(self, *, progress: "flows.engines.pending_vectors.Progress" = lambda *_: None) -> dict[str, int]:
        """Rebuild everything derived from stored memories. `progress` gets each embedding model and the number of texts left.

        Returns:
            How many texts still need embedding, by model.
        """
        return flows.engines.pending_vectors.rebuild(self._handle.current, self._handle.caller, progress=progress)

    def embed_pending(self, *, progress: "flows.engines.pending_vectors.Progress" = lambda *_: None) -> dict[str, int]:
        """Embed all pending texts now. `progress` gets each embedding model and the number of texts left.

        Returns:
            How many texts still need embedding, by model.
        """
        return flows.engines.pending_vectors.settle(self._handle.space, progress=progress)

    def run_worker(self, *, inherited: int | None = None) -> dict[str, int] | None:
        """Do the pending background work in this process, unless another process does. Runs until it is done.

        Args:
            inherited: File descriptor of a lock that the parent process holds.

        Returns:
            How many texts still need embedding, by model; None if another process works.
        """
        return flows.admin.worker.work(self._handle.space, inherited=inherited)

    def growth(self, points: int = 16) -> "tuple[flows.admin.status.GrowthPoint, ...]":
        """Return the number of memories by collection at `points` moments, evenly spread since the first."""
        return flows.admin.status.growth(self._handle.current, points)

    def short_ids(self, ids: Iterable[str]) -> dict[str, str]:
        """Return the shortest unique beginnings of `ids`, for people and agents. Methods that take an id take these."""
        return self._handle.short_ids(ids)

    def full_id(self, text: str) -> str:
        """Return the whole id that begins with `text`. Raises NotFound, or InvalidInput if several do."""
        return check_id(self._handle.full_id(text))

    def audit(self, memory_id: str | None = None, limit: int = 50) -> Sequence[AuditEntry]:
        """Return the latest entries of the audit log.

        Args:
            memory_id: Only entries about this memory.
            limit: How many at most.
        """
        memory_id = memory_id if memory_id is None else self._handle.full_id(memory_id)
        with self._handle.space.store.read() as reader:
            return reader.audit.entries(None if memory_id is None else check_id(memory_id), check_limit(limit))

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
        """List memories newest first, page by page.

        Args:
            kind: Only this kind. Memories derived from code are listed only by their kind.
            level: Only this level.
            domain: Only this domain.
            module: Only this module.
            session: Only this conversation.
            tags: Only memories with these tags and values.
            limit: How many on a page.
            archived: Include archived memories.
            as_of: List what was true at this instant; now by default.
            known_at: `known_at` of the first page, so that all pages show the same state.
            before: `before` of the page before.

        Returns:
            The page. A memory forgotten meanwhile is missing.
        """
        chosen, most = listing_filter(kind, level, domain, module, session, tags), check_limit(limit)
        space = self._handle.current
        view = listing_view(self._handle, kind, as_of, known_at, archived)
        begun = self._handle.time(known_at, "known_at") or space.clock()
        return flows.recall.listing.page(space, view, chosen, most, before, begun)

    # -- export and import --------------------------------------------------------------------------------

    def export(
        self,
        path: str | Path | None = None,
        *,
        form: str = "jsonl",
        embeddings: bool = False,
        code: bool = False,
        as_of: When = None,
        known_at: When = None,
    ) -> "flows.move.export.Export":
        """Write all memories to a file. From a damaged database, everything that can be read.

        Args:
            path: The file; by default a new one in the folder of exports.
            form: `jsonl` or `json`.
            embeddings: Include vectors.
            code: Include memories derived from code.
            as_of: Export what was true at this instant; now by default.
            known_at: Use only what was recorded by then.

        Returns:
            The file and its size; `skipped` are memories that could not be read.
        """
        target = None if path is None else Path(path).absolute()
        try:
            space, moment = self._sound_space, self._handle.moment(as_of, known_at)
            return flows.move.export.export(space, moment, path=target, form=form, embeddings=embeddings, code=code)
        except StoreCorrupt as error:
            with self._salvaged(error) as (space, skipped):
                moment = self._handle.moment(as_of, known_at)
                done = flows.move.export.export(space, moment, path=target, form=form, embeddings=embeddings, code=code)
                return replace(done, skipped=tuple(skipped), is_damaged=True)

    def export_rows(
        self, as_of: When = None, known_at: When = None, *, embeddings: bool = False, code: bool = False
    ) -> Iterator[dict[str, Any]]:
        """Yield every memory as in an export. From a damaged database, yield what can be read, then raise StoreCorrupt.

        Args:
            as_of: What was true at this instant; now by default.
            known_at: Use only what was recorded by then.
            embeddings: Include vectors.
            code: Include memories derived from code.
        """
        has_begun = False
        try:
            space, moment = self._sound_space, self._handle.moment(as_of, known_at)
            for row in flows.move.export.rows(space, moment, embeddings=embeddings, code=code):
                has_begun = True
                yield row
        except StoreCorrupt as error:
            if not has_begun:
                with self._salvaged(error) as (space, _):
                    moment = self._handle.moment(as_of, known_at)
                    yield from flows.move.export.rows(space, moment, embeddings=embeddings, code=code)
            raise

    @property
    def _sound_space(self) -> OpenSpace:
        """The space, checked first: SQLite can mistake a damaged page for the end of a table without an error."""
        space = self._handle.current
        if not space.store.is_sound():
            raise StoreCorrupt(f"The database in {space.store.place} is damaged.", flows.findings.DATABASE.remedy)
        return space

    def _salvaged(self, error: StoreCorrupt) -> "AbstractContextManager[tuple[OpenSpace, Sequence[str]]]":
        from waypost.memory.damaged import salvaged_space  # only for a damaged database

        return salvaged_space(self._handle.identity, self._handle.settings, self._handle.clock, error)

    def exports(self) -> "Sequence[flows.move.export.Export]":
        """Return the exports in this memory's folder, newest first."""
        return flows.move.export.exports(self._handle.current)

    def import_file(self, path: str | Path) -> Iterator[Receipt]:
        """Import the export `path`. Nothing is overwritten. Yields one receipt for each line."""
        return flows.move.import_rows.import_file(self._handle.space, Path(path), self._handle.caller)

    def import_rows(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[Receipt]:
        """Import `rows` as `export_rows` yields them. Nothing is overwritten. Yields one receipt for each."""
        numbered = ((number, dict(row)) for number, row in enumerate(rows, 1))
        return flows.move.import_rows.import_rows(self._handle.space, numbered, self._handle.caller)

    def import_coding_brain(self, path: str | Path) -> "compat.coding_brain.importer.Imported":
        """Import memories of Coding Brain from `path`, with the code references in their tags. Returns a report."""
        return compat.coding_brain.importer.import_tags(self._handle.space, Path(path), self._handle.caller)

    def import_memory_bridge(self, path: str | Path) -> "compat.memory_bridge.importer.BridgeReport":
        """Import facts, their hierarchy and their reasons from the Memory Bridge database `path`. Returns a report."""
        return compat.memory_bridge.importer.import_bridge(self._handle.space, Path(path), self._handle.caller)

    def import_notes(
        self, origin: str, path: str | Path | None = None, *, project: str | None = None
    ) -> "flows.move.imports.Imported":
        """Import from another memory of agents. Stored memories are not overwritten.

        Args:
            origin: `rules`, `claude-code`, `basic-memory`, `claude-mem`, `mcp-memory-service`, `server-memory` or `mem0`.
            path: Its file or folder; by default where that program keeps it.
            project: Of claude-mem; by default the name of this folder.

        Returns:
            What was added, and what was skipped and why.
        """
        place = None if path is None else Path(path)
        return compat.agent_memory.importer.import_notes(
            self._handle.space, origin, place, self._handle.caller, project=project
        )

    def undo_import(self, which: str | Path | None = None, *, origin: str | None = None) -> "flows.move.imports.Undone":
        """Retract what an import added.

        Args:
            which: Id of the import, or its file; the latest import by default.
            origin: Only imports from this product.

        Returns:
            What was retracted.
        """
        return flows.move.imports.undo_import(self._handle.space, which, self._handle.caller, origin=origin)

    # -- checkouts ----------------------------------------------------------------------------------------

    def checkouts(self) -> tuple[Checkout, ...]:
        """Return the checkouts that used this memory, on any machine; first the one compared with it last."""
        with self._handle.space.store.read() as reader:
            return flows.checkouts.treeless.checkouts_of(reader, self._handle.clock())

    def shown_checkout(self) -> Checkout | None:
        """Return the checkout whose code this memory shows; None if its own checkout is on this machine."""
        space = self._handle.space
        with space.store.read() as reader:
            return flows.checkouts.treeless.seen_elsewhere(space, reader)

    def as_of_checkout(self, checkout: str) -> Memory:
        """Return this memory with the code of another checkout, by its id. Only if no checkout is on this machine.

        Args:
            checkout: The id, as in `checkouts`.
        """
        identity = self._handle.identity
        if identity.is_away and checkout in {used.id for used in self.checkouts()}:
            return self._memory(replace(self._handle, identity=replace(identity, checkout_id=checkout)))
        remedy = "Name one of its checkouts by its id." if identity.is_away else "It uses the checkout on this machine."
        raise NotFound(f"{checkout[:40]!r} is not another checkout of this memory.", remedy)

    def for_path(self, path: str | Path) -> Memory:
        """Return this memory for the checkout that `path` is in, such as a clone or a worktree.

        Args:
            path: Relative to the root of this checkout. A path in another project raises SecurityError.
        """
        handle = self._handle
        root = handle.identity.root or Path()
        identity = locate(root / path, handle.settings, handle.clock)
        is_inside = identity.root is not None and handle.identity.has_tree and identity.root.is_relative_to(root)
        if identity.source == "directory" and is_inside:
            return self._memory(handle)  # a folder of this checkout that is no repository of its own
        if identity.space_id != handle.identity.space_id:
            raise SecurityError(
                f"{str(path)[:200]!r} is not in this project.", "Name a folder of this project, or open the other one."
            )
        return self._memory(replace(handle, identity=identity))

    def relatives(self) -> "Sequence[flows.checkouts.relatives.Relative]":
        """Return memories of the same repository under another id. `waypost adopt` can bring them here."""
        return flows.checkouts.relatives.look_for_relatives(self._handle.space)

    def _memory(self, handle: MemoryHandle) -> Memory:
        return Memory(handle.identity, handle.settings, handle.caller, handle.clock)


class Shares:
    """What this memory and others let each other read. Only a person may change it."""

    def __init__(self, handle: MemoryHandle) -> None:
        self._handle = handle

    def offer(
        self,
        project: str,
        *,
        kinds: Iterable[str] = (),
        domains: Iterable[str] = (),
        levels: Iterable[int] = (),
        code: bool = False,
    ) -> "flows.share.agreements.Share":
        """Offer facts and decisions to another project, which can read them after it accepts.

        Args:
            project: Its path, name or id.
            kinds: Only these kinds.
            domains: Only these domains.
            levels: Only these levels.
            code: Include memories derived from code.

        Returns:
            The offer.
        """
        offer = Offer.of(kinds, domains, levels, code)
        return flows.share.agreements.offer(self._handle.space, project, offer, self._handle.caller)

    def accept(self, project: str) -> "flows.share.agreements.Share":
        """Accept the offer of `project`, by its path, name or id. Returns the share."""
        return flows.share.agreements.accept(self._handle.space, project, self._handle.caller)

    def revoke(self, project: str, *, role: str | None = None) -> "tuple[flows.share.agreements.Share, ...]":
        """End sharing with another project at once.

        Args:
            project: Its path, name or id.
            role: `gives` ends what it can read here, `takes` what is read from it; both by default.

        Returns:
            The ended shares.
        """
        return flows.share.agreements.revoke(self._handle.space, project, self._handle.caller, role=role)

    def list(self) -> "tuple[flows.share.agreements.Share, ...]":
        """Return all shares and offers of this memory, revoked ones too."""
        return flows.share.agreements.shares(self._handle.space)
