"""Tracks each file, definition and dependency over several commits."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from waypost.model.change import ADDED, REMOVED, RENAMED, ChangeSet, FileChange, SymbolChange


@dataclass(slots=True, eq=False)
class _Tracked:
    """A file, definition or dependency, with its names before and at the end."""

    path: str
    name: str = ""
    home: "_Tracked | None" = None  # its file
    was_there: bool = True  # before the first commit
    is_there: bool = True  # after the last
    doc: str = ""
    signature: str = ""
    signature_before: str = ""
    wanted: str = ""
    wanted_before: str = ""


@dataclass(slots=True)
class ChangeTracker:
    """Follows names from the oldest commit to the newest, then says for each commit what remains of it."""

    _files: dict[str, _Tracked] = field(default_factory=dict)  # by current path
    _symbols: dict[tuple[int, str], _Tracked] = field(default_factory=dict)  # by file and current name
    _needs: dict[tuple[int, str, bool], _Tracked] = field(default_factory=dict)
    _by_change: dict[int, dict[object, _Tracked]] = field(default_factory=dict)
    _changes: list[ChangeSet] = field(default_factory=list)  # kept alive, so that their ids stay unique

    @classmethod
    def of(cls, changes: Iterable[ChangeSet]) -> "ChangeTracker":
        tracker = cls()
        for change in changes:
            tracker._follow(change)
        return tracker

    def at_the_end(self, change: ChangeSet) -> ChangeSet:
        """The change with names, documentation and signatures as they are after the last commit.

        It leaves out what was added and removed again, or removed and restored.
        """
        tracked = self._by_change.get(id(change))
        if tracked is None:
            return change
        files = [self._file_at_the_end(file, tracked) for file in change.files]
        return replace(change, files=tuple(file for file in files if file is not None))

    # --- forwards

    def _follow(self, change: ChangeSet) -> None:
        tracked: dict[object, _Tracked] = {}
        for file in change.files:
            tracked[file.path] = thing = self._follow_file(file)
            for symbol in file.symbols:
                if symbol.change == REMOVED:  # first, so that a moved definition is not lost
                    tracked[(file.path, symbol.name, symbol.line)] = self._follow_symbol(thing, symbol)
        for file in change.files:
            thing = tracked[file.path]
            for symbol in file.symbols:
                if symbol.change != REMOVED:
                    tracked[(file.path, symbol.name, symbol.line)] = self._follow_symbol(thing, symbol)
            for need in file.dependencies:
                key = (id(thing), need.name, need.group == "language")
                dependency = self._needs.get(key)
                if dependency is None:
                    was_there, before = need.change != ADDED, need.wanted_before
                    dependency = self._needs[key] = _Tracked(file.path, was_there=was_there, wanted_before=before)
                dependency.is_there, dependency.wanted = need.change != REMOVED, need.wanted
                tracked[(file.path, need.name, need.group)] = dependency
        self._by_change[id(change)] = tracked
        self._changes.append(change)

    def _follow_file(self, file: FileChange) -> _Tracked:
        before = file.path_before if file.change == RENAMED and file.path_before else file.path
        thing = self._files.pop(before, None) or _Tracked(file.path, was_there=file.change != ADDED)
        thing.path, thing.is_there = file.path, file.change != REMOVED
        if file.purpose and file.purpose not in {symbol.doc for symbol in file.symbols}:  # not that of a definition
            thing.doc = file.purpose
        self._files[file.path] = thing
        return thing

    def _follow_symbol(self, file: _Tracked, symbol: SymbolChange) -> _Tracked:
        home = file
        if symbol.change == RENAMED and symbol.path_before not in ("", file.path):
            home = self._files.get(symbol.path_before, file)
        before = symbol.name_before if symbol.change == RENAMED and symbol.name_before else symbol.name
        entry = self._symbols.pop((id(home), before), None)
        if entry is None:
            entry = _Tracked(file.path, was_there=symbol.change != ADDED, signature_before=symbol.signature_before)
        entry.name, entry.home, entry.is_there = symbol.name, file, symbol.change != REMOVED
        entry.doc, entry.signature = (symbol.doc or entry.doc, symbol.signature or entry.signature)
        self._symbols[(id(file), symbol.name)] = entry
        return entry

    # --- backwards

    def _file_at_the_end(self, file: FileChange, tracked: dict[object, _Tracked]) -> FileChange | None:
        thing = tracked[file.path]
        if (file.change == REMOVED) == thing.is_there or (not thing.was_there and not thing.is_there):
            return None
        entries = [(symbol, tracked.get((file.path, symbol.name, symbol.line))) for symbol in file.symbols]
        symbols = [self._symbol_at_the_end(symbol, entry, thing) for symbol, entry in entries]
        needs = [
            replace(need, wanted=dependency.wanted or need.wanted)
            for need in file.dependencies
            if (dependency := tracked[(file.path, need.name, need.group)]).is_there == (need.change != REMOVED)
            and (dependency.was_there or dependency.is_there)
            and not (need.change == ADDED and dependency.was_there and dependency.wanted == dependency.wanted_before)
        ]
        return replace(
            file,
            path=thing.path,
            purpose=thing.doc or file.purpose,
            symbols=tuple(symbol for symbol in symbols if symbol is not None),
            dependencies=tuple(needs),
        )

    def _symbol_at_the_end(self, symbol: SymbolChange, entry: _Tracked | None, file: _Tracked) -> SymbolChange | None:
        if entry is None:
            return symbol
        is_passing = not entry.is_there and not entry.was_there
        if entry.home is not file or entry.is_there != (symbol.change != REMOVED) or is_passing:
            return None
        if symbol.change == REMOVED:
            return symbol
        if symbol.change == RENAMED and not entry.was_there:
            return None  # already reported where it was added, under its current name
        is_retyped = bool(symbol.signature_before) and symbol.signature != symbol.signature_before
        return replace(
            symbol,
            name=entry.name,
            doc=entry.doc or symbol.doc,
            signature=entry.signature if is_retyped else symbol.signature,
            signature_before=(entry.signature_before or symbol.signature_before)
            if is_retyped and entry.was_there
            else "",
        )
