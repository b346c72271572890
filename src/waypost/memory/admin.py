"""Keeping a memory in order, and carrying it elsewhere."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

from waypost import compat, flows
from waypost.errors import StoreCorrupt
from waypost.flows.open_space import OpenSpace
from waypost.memory.handle import OpenMemoryBase, When
from waypost.model.receipt import Receipt


class MemoryAdmin(OpenMemoryBase):
    def status(self) -> dict[str, Any]:
        return flows.admin.status.status(self._current)

    def doctor(self, *, fix: bool = False) -> "Sequence[flows.admin.finding.Finding]":
        """Look for problems, also in a database that cannot be opened; with `fix`, repair it and do what is pending."""
        try:
            return flows.admin.doctor.doctor(self._current, self._caller, fix=fix)
        except StoreCorrupt as error:
            from waypost.memory.damaged import damage_findings, repair_damaged  # only then

            about = self._identity, self._settings, self._clock, error
            if not fix:
                return damage_findings(*about)
            done = repair_damaged(*about)
            if done is None:
                return damage_findings(*about)
        space = self._space
        found = list(flows.admin.recovery.repaired_findings(space, done))
        return [*found, *flows.admin.doctor.doctor(space, self._caller, fix=fix)]

    def maintain(
        self, *, force: bool = False, dry_run: bool = False, report: "flows.admin.maintenance.Report" = lambda *_: None
    ) -> "Sequence[flows.admin.maintenance.StepResult]":
        """Upkeep: what is due, or with `force` everything; with `dry_run` only what there is to do."""
        by_person = self._caller.decides
        return flows.admin.maintenance.maintain(
            self._current, force=force, dry_run=dry_run, by_person=by_person, report=report
        )

    def settle(self, *, progress: "flows.engines.pending_vectors.Progress" = lambda *_: None) -> dict[str, int]:
        """Embed everything that is owed, now. Returns what is still owed, by engine."""
        return flows.engines.pending_vectors.settle(self._space, progress=progress)

    def work(self, *, inherited: int | None = None) -> dict[str, int] | None:
        """Be the space's worker: settle unless somebody else is at it. `inherited` is a lock handed over by a parent process."""
        return flows.admin.worker.work(self._space, inherited=inherited)

    def rebuild(self, *, progress: "flows.engines.pending_vectors.Progress" = lambda *_: None) -> dict[str, int]:
        """Make everything derived again from what is kept."""
        return flows.engines.pending_vectors.rebuild(self._current, self._caller, progress=progress)

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
        """Write all memories to a file; with `code`, what was read out of the tree too. Of a damaged database, all that can
        be read: `skipped` are the others."""
        target = None if path is None else Path(path).absolute()
        try:
            space, moment = self._sound, self._moment(as_of, known_at)
            return flows.move.export.export(space, moment, path=target, form=form, embeddings=embeddings, code=code)
        except StoreCorrupt as error:
            with self._salvaged(error) as (space, skipped):
                moment = self._moment(as_of, known_at)
                done = flows.move.export.export(space, moment, path=target, form=form, embeddings=embeddings, code=code)
                return replace(done, skipped=tuple(skipped), is_damaged=True)

    def rows(
        self, as_of: When = None, known_at: When = None, *, embeddings: bool = False, code: bool = False
    ) -> Iterator[dict[str, Any]]:
        """Every memory as an export has it. Of a damaged database, all that can be read; then StoreCorrupt is raised."""
        given = False
        try:
            for row in flows.move.export.rows(
                self._sound, self._moment(as_of, known_at), embeddings=embeddings, code=code
            ):
                given = True
                yield row
        except StoreCorrupt as error:
            if not given:
                with self._salvaged(error) as (space, _):
                    yield from flows.move.export.rows(
                        space, self._moment(as_of, known_at), embeddings=embeddings, code=code
                    )
            raise

    @property
    def _sound(self) -> OpenSpace:
        """The space, for whoever wants all of it: SQLite can take a damaged page for the end of a table, and say nothing."""
        space = self._current
        if not space.store.is_sound():
            raise StoreCorrupt(f"The database in {space.store.place} is damaged.", flows.admin.finding.DATABASE.remedy)
        return space

    def _salvaged(self, error: StoreCorrupt) -> "AbstractContextManager[tuple[OpenSpace, Sequence[str]]]":
        from waypost.memory.damaged import salvaged_space  # only for a database that is damaged

        return salvaged_space(self._identity, self._settings, self._clock, error)

    def exports(self) -> "Sequence[flows.move.export.Export]":
        return flows.move.export.exports(self._current)

    def relatives(self) -> "Sequence[flows.checkouts.relatives.Relative]":
        """Memories of this repository under another id, which `waypost adopt` can bring here."""
        return flows.checkouts.relatives.look_for_relatives(self._space)

    def import_file(self, path: str | Path) -> Iterator[Receipt]:
        """Read an export. Nothing that is here is overwritten; each receipt says what became of its line."""
        return flows.move.import_rows.import_file(self._space, Path(path), self._caller)

    def import_rows(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[Receipt]:
        """The same from rows as an export has them."""
        numbered = ((number, dict(row)) for number, row in enumerate(rows, 1))
        return flows.move.import_rows.import_rows(self._space, numbered, self._caller)

    def import_tags(self, path: str | Path) -> "compat.coding_brain.importer.Imported":
        """Read memories of Coding Brain, whose references to code stand in their tags."""
        return compat.coding_brain.importer.import_tags(self._space, Path(path), self._caller)

    def import_bridge(self, path: str | Path) -> "compat.memory_bridge.importer.Bridged":
        """Read the facts, their tree and their reasons out of a database of Memory Bridge."""
        return compat.memory_bridge.importer.import_bridge(self._space, Path(path), self._caller)

    def undo_import(self, which: str | Path | None = None, *, origin: str | None = None) -> "flows.move.imports.Undone":
        """Retract what such an import added: the one with this id, the latest of this file, or the latest."""
        return flows.move.imports.undo_import(self._space, which, self._caller, origin=origin)
