"""The tree that a project is, and the memories about its places."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from waypost import flows
from waypost.memory.handle import OpenMemoryBase, When
from waypost.model.code_link import AboutHit, StaleReport
from waypost.model.receipt import Receipt


class MemoryTree(OpenMemoryBase):
    def index(
        self,
        *,
        include: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        force: bool = False,
        database: str | None = None,
        wait: bool = True,
        explain: bool = False,
        facts: bool = False,
        report: "flows.index.build.Report" = lambda *_: None,
    ) -> "flows.index.init.IndexReport":
        """Read the tree: what is new or changed since the last time, or with `force` all of it.

        Patterns hold until others are given. Without `wait`, vectors follow in the background. `database` is the URL
        of a live database whose schema is read too; `explain` tells of everything that is skipped. `facts`: what the
        project says of itself is remembered first, once (see `discover`).
        """
        return flows.index.init.init(
            self._space,
            self._caller,
            include=include,
            exclude=exclude,
            force=force,
            database=database,
            wait=wait,
            explain=explain,
            facts=facts,
            report=report,
        )

    def update(self, paths: Iterable[str | Path]) -> "flows.index.build.Indexed":
        """Bring these files up to date in the index, now, whatever became of them."""
        return flows.index.track.update(self._space, [str(path) for path in paths])

    def track(self, path: str | Path, action: str = "edit") -> None:
        """A file was changed, made or deleted: it is indexed again in the background. Returns at once."""
        flows.index.track.track(self._space, [str(path)], action)

    def ignores(self) -> Callable[[str], bool]:
        """Tells of a path (of a folder with `/` at its end) whether an index leaves it out; for whoever watches."""
        return flows.index.track.ignores(self._space)

    def finish(self, description: str, files: Iterable[str | Path] | None = None) -> Receipt:
        """A task is done: its files (or all that changed) are indexed, and that it was done is remembered."""
        chosen = None if files is None else [str(path) for path in files]
        return flows.index.track.finish(self._space, description, chosen, self._caller)

    def analyze(self, path: str | Path = ".") -> "flows.index.analyze.Analysis":
        """What a file, or every file of a folder, holds: symbols, imports, calls. Reads the tree, not the index."""
        return flows.index.analyze.analyze(self._space, str(path))

    def architecture(self) -> dict[str, Any]:
        """Frameworks, patterns, endpoints, layers and the like, with the places that show them."""
        return flows.index.analyze.architecture(self._space)

    def summarize(
        self,
        path: str | Path | None = None,
        *,
        force: bool = False,
        report: "flows.index.build.Report" = lambda *_: None,
    ) -> "flows.index.summarize.Summarised":
        """Describe in words what a file, or every file, does; those that have a description are left, without `force`."""
        chosen = None if path is None else str(path)
        return flows.index.summarize.summarize(self._space, chosen, force=force, report=report)

    def summary(self, path: str | Path) -> str:
        """What a file does, in words."""
        return flows.index.summarize.summary(self._space, str(path))

    def files(self) -> "tuple[flows.index.source_view.FileSeen, ...]":
        """The files of the index, and those beside that memories point at, with how many do."""
        return flows.index.source_view.files(self._space)

    def source(self, path: str | Path, first: int = 1, most: int = 2000) -> "flows.index.source_view.SourceSeen":
        """Lines of a file as they may be shown, secrets masked, with an outline; never of one outside the tree."""
        return flows.index.source_view.source(self._space, str(path), first, most)

    # -- memories about places --------------------------------------------------------------------------------

    def about(
        self,
        path: str | Path,
        line: int | None = None,
        *,
        limit: int = 50,
        as_of: When = None,
        known_at: When = None,
    ) -> tuple[AboutHit, ...]:
        """The memories about a file, a line of it, or a folder; those nearest to the line first."""
        moment = self._moment(as_of, known_at)
        return flows.links.about.about(self._space, str(path), line, limit=limit, moment=moment)

    def stale(self, files: Iterable[str | Path] | None = None, *, check: bool = False) -> StaleReport:
        """Which memories point at code that is not as it was, of all or of those about these files.

        What has not changed since it was looked at is not judged again, unless `check` says so.
        """
        chosen = None if files is None else [str(path) for path in files]
        return flows.links.about.stale(self._space, files=chosen, again=check)

    def verify(
        self,
        memory_ids: str | Iterable[str] = (),
        *,
        files: Iterable[str | Path] | None = None,
        every: bool = False,
    ) -> "flows.links.repair.Repaired":
        """What these memories say is true of the code as it is now; or those about these files; or every stale one."""
        chosen = [memory_ids] if isinstance(memory_ids, str) else list(memory_ids)
        where = None if files is None else [str(path) for path in files]
        with self._own(*chosen):
            return flows.links.repair.verify(self._space, self._caller, chosen, files=where, every=every)

    def relink(
        self,
        memory_id: str | None = None,
        refs: Sequence[str] | None = None,
        *,
        add: bool = False,
        every: bool = False,
        drop: bool = False,
    ) -> "flows.links.repair.Repaired":
        """Point a memory at `refs` (with `add`, at these too), or at where its code is now; `every` one whose code moved.
        `drop` takes references away whose code is gone."""
        with self._own(memory_id):
            return flows.links.repair.relink(
                self._space, self._caller, memory_id, refs, add=add, every=every, drop=drop
            )

    def git_changed(self) -> None:
        """The tree was committed, merged, rebased or checked out: bring what follows from it up to date."""
        flows.index.track.git_changed(self._space)
