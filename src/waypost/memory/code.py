"""`memory.code`: the repository, its index, and the memories about its code."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from waypost import flows
from waypost.memory.handle import MemoryHandle, When
from waypost.model.code_link import AboutHit, StaleReport
from waypost.model.receipt import Receipt


class MemoryCode:
    """The repository of a memory, and the memories about it."""

    def __init__(self, handle: MemoryHandle) -> None:
        self._handle = handle

    @property
    def root(self) -> Path:
        """The root of the checkout that this memory was opened in; `Path()` without a checkout on this machine."""
        return self._handle.identity.root or Path()

    # -- the index ----------------------------------------------------------------------------------------

    def update(self, paths: Iterable[str | Path]) -> "flows.index.build.Indexed":
        """Index the files `paths` again, now. They may be new, changed or deleted. Returns what was indexed."""
        return flows.index.track.update(self._handle.space, [str(path) for path in paths])

    def track(self, path: str | Path, action: str = "edit") -> None:
        """Index a file again in the background.

        Args:
            path: The file.
            action: What happened to it: `edit`, `create`, `delete` or `rename`.
        """
        flows.index.track.track(self._handle.space, [str(path)], action)

    def git_changed(self) -> None:
        """Update the index and the stale marks after a commit, merge, rebase or checkout."""
        flows.index.track.git_changed(self._handle.space)

    def finish_task(self, description: str, files: Iterable[str | Path] | None = None) -> Receipt:
        """Index the files of a finished task, and remember that it was done.

        Args:
            description: What was done.
            files: The files it changed; all changed files by default.

        Returns:
            The receipt of the memory.
        """
        paths = None if files is None else [str(path) for path in files]
        return flows.index.track.finish(self._handle.space, description, paths, self._handle.caller)

    def ignores(self) -> Callable[[str], bool]:
        """Return a test whether the index leaves out a path. Folders end with `/`."""
        return flows.index.track.ignores(self._handle.space)

    def files(self) -> "tuple[flows.index.source_view.FileSeen, ...]":
        """Return the indexed files and the files that memories point at, with the number of these memories."""
        return flows.index.source_view.files(self._handle.space)

    def source(self, path: str | Path, first: int = 1, most: int = 2000) -> "flows.index.source_view.SourceSeen":
        """Return lines of a file of the repository with secrets masked, and its outline.

        Args:
            path: The file.
            first: The first line.
            most: How many lines at most.
        """
        return flows.index.source_view.source(self._handle.space, str(path), first, most)

    def analyze(self, path: str | Path = ".") -> "flows.index.analyze.Analysis":
        """Return symbols, imports and calls of the file or folder `path`. Reads the files, not the index."""
        return flows.index.analyze.analyze(self._handle.space, str(path))

    def architecture(self) -> dict[str, Any]:
        """Return frameworks, patterns, endpoints, layers and the like, with the code that shows them."""
        return flows.index.analyze.architecture(self._handle.space)

    def summarize(
        self,
        path: str | Path | None = None,
        *,
        force: bool = False,
        report: "flows.index.build.Report" = lambda *_: None,
    ) -> "flows.index.summarize.Summarised":
        """Describe in words what files do.

        Args:
            path: One file; every file by default.
            force: Describe files again that have a description.
            report: Called with the phase, how many are done, and the total.

        Returns:
            How many files were described.
        """
        chosen = None if path is None else str(path)
        return flows.index.summarize.summarize(self._handle.space, chosen, force=force, report=report)

    def summary(self, path: str | Path) -> str:
        """Return what the file `path` does, in words."""
        return flows.index.summarize.summary(self._handle.space, str(path))

    def export_index(self, path: str | Path, *, wait: bool = True) -> "flows.index.index_export.IndexExport":
        """Write what was read from code, with vectors, to the new file `path`. Contains no kept memories.

        Args:
            path: The new file.
            wait: Embed everything first, tests included, so that other clones need not.

        Returns:
            The file, and what it contains.
        """
        if wait:
            flows.admin.init.wait_for_vectors(self._handle.space, tests=True)
        return flows.index.index_export.export_index(self._handle.space, Path(path).absolute())

    def import_index(
        self, path: str | Path, *, wait: bool = True, report: "flows.index.build.Report" = lambda *_: None
    ) -> "flows.admin.index_import.ImportedIndex":
        """Index the repository, taking over from an exported index what has the same content here.

        Args:
            path: A file that `export_index` wrote.
            wait: Wait for embeddings of what was not taken over.
            report: Called with the phase, how many are done, and the total.

        Returns:
            What was indexed, and how much of it was taken over.
        """
        handle = self._handle
        return flows.admin.index_import.import_index(handle.space, handle.caller, Path(path), wait=wait, report=report)

    # -- the structure of the code -------------------------------------------------------------------------

    def symbol_names(self, prefix: str, limit: int = 50) -> list[str]:
        """Return at most `limit` names of symbols whose last part begins with `prefix`, in any case."""
        return flows.structure.lookup.symbol_names(self._handle.space, prefix, limit)

    def symbols(
        self,
        name: str = "",
        *,
        path: str | Path | None = None,
        kind: str | None = None,
        members: bool = False,
        limit: int = 100,
    ) -> "flows.structure.answers.SymbolList":
        """Return the symbols with exactly this name, or the outline of a file or folder.

        Args:
            name: `write`, `Store.write`, `path#Store.write`, `path:line` or an id.
            path: Only symbols of this file or folder.
            kind: Only this kind, such as `class`, `function` or `method`.
            members: Return what is directly inside of these symbols.
            limit: How many at most. `total` counts all.

        Returns:
            The symbols. None means that there is no such symbol; `nearest` then has similar names.
        """
        chosen = "" if path is None else str(path)
        return flows.structure.lookup.symbols(
            self._handle.space, name, path=chosen, kind=kind or "", members=members, limit=limit
        )

    def uses(
        self,
        symbol: str,
        direction: str = "callers",
        *,
        depth: int | None = None,
        tests: bool | None = None,
        limit: int = 100,
    ) -> "flows.structure.answers.UseList":
        """Return who uses a symbol, what it uses, or its relatives, with the line of each use.

        Args:
            symbol: `write`, `Store.write`, `path#Store.write`, `path:line`, a file or an id.
            direction: `callers`, `callees`, `implementors`, `supertypes`, `subtypes`, `importers` or `references`.
            depth: How many steps, 1 to 5; 1 by default, all for implementors.
            tests: Only uses in tests (True), or none of them (False).
            limit: How many rows at most. `total` counts all.

        Returns:
            The rows. If several symbols have the name, `candidates` lists them. If none has it, `nearest` lists similar
            names.
        """
        return flows.structure.uses.uses(self._handle.space, symbol, direction, depth=depth, tests=tests, limit=limit)

    def impact(
        self, symbol: str = "", *, staged: bool = False, diff: str | None = None, limit: int = 100
    ) -> "flows.structure.answers.ImpactReport":
        """Return what may break: dependent code, tests, endpoints, tables, environment variables and memories.

        Args:
            symbol: The symbol that changes, as in `uses`. Without any option: everything that is not committed.
            staged: What is staged in git instead.
            diff: All changes since this git revision instead.
            limit: How many rows and how many tests at most. `total` and `total_tests` count all.
        """
        return flows.structure.impact.impact(self._handle.space, symbol, staged=staged, diff=diff, limit=limit)

    def unused(
        self, path: str | Path | None = None, *, kind: str | None = None, limit: int = 100
    ) -> "flows.structure.answers.UnusedList":
        """Return symbols that nothing in the repository uses, without entry points and framework handlers.

        Args:
            path: Only in this file or folder.
            kind: Only this kind, such as `class`, `function` or `method`.
            limit: How many at most. `total` counts all.
        """
        chosen = "" if path is None else str(path)
        return flows.structure.unused.unused(self._handle.space, chosen, kind=kind or "", limit=limit)

    # -- memories about code ------------------------------------------------------------------------------

    def about(
        self, path: str | Path, line: int | None = None, *, limit: int = 50, as_of: When = None, known_at: When = None
    ) -> tuple[AboutHit, ...]:
        """Return the memories about a file, a line or a folder, then those about what it calls or overrides.

        Args:
            path: The file or folder.
            line: A line of the file. The memories nearest to it come first.
            limit: How many at most.
            as_of: Answer for this instant; now by default.
            known_at: Use only what was recorded by then.
        """
        moment = self._handle.moment(as_of, known_at)
        return flows.structure.about.about(self._handle.space, str(path), line, limit=limit, moment=moment)

    def stale(self, files: Iterable[str | Path] | None = None, *, check: bool = False) -> StaleReport:
        """Return the memories whose code has changed.

        Args:
            files: Only memories about these files.
            check: Compare again what has not changed since the last comparison.
        """
        paths = None if files is None else [str(path) for path in files]
        return flows.links.about.stale(self._handle.space, files=paths, again=check)

    def relink(
        self,
        memory_id: str | None = None,
        refs: Sequence[str] | None = None,
        *,
        add: bool = False,
        every: bool = False,
        drop: bool = False,
    ) -> "flows.links.repair.Repaired":
        """Change the code references of memories.

        Args:
            memory_id: The memory.
            refs: Its new references; by default where its code is now.
            add: Keep its other references.
            every: All memories whose code has moved, instead of one.
            drop: Remove references to code that is gone from all known branches and checkouts.

        Returns:
            The changed memories, and those that could not be changed.
        """
        memory_id = memory_id if memory_id is None else self._handle.full_id(memory_id)
        with self._handle.own_memories(memory_id):
            return flows.links.repair.relink(
                self._handle.space, self._handle.caller, memory_id, refs, add=add, every=every, drop=drop
            )

    def code_behind(
        self, memory_id: str, *, as_of: When = None, known_at: When = None
    ) -> "tuple[flows.links.code_changes.Behind, ...]":
        """Return the code that a memory points at, now and as it was then, with secrets masked.

        Args:
            memory_id: The memory.
            as_of: The version that held at this instant; now by default.
            known_at: Use only what was recorded by then.
        """
        memory_id = self._handle.full_id(memory_id)
        moment = self._handle.moment(as_of, known_at)
        return flows.links.code_changes.code_behind(self._handle.current, memory_id, moment)
