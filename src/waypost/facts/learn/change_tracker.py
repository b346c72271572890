"""What became of each file, definition and dependency over several commits."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from waypost.model.change import ADDED, REMOVED, RENAMED, ChangeSet, FileChange, SymbolChange


@dataclass(slots=True, eq=False)
class _Thing:
    """A file, definition or dependency by its name then and at the end."""

    path: str
    name: str = ""
    home: "_Thing | None" = None  # the file that it is in
    was_there: bool = True  # before the first commit
    is_there: bool = True  # after the last
    doc: str = ""
    signature: str = ""
    signature_before: str = ""
    wanted: str = ""
    wanted_before: str = ""


@dataclass(slots=True)
class Track:
    """Follows names from the oldest commit to the newest, then answers for each commit what is left of it."""

    _files: dict[str, _Thing] = field(default_factory=dict)  # by the path at the moment
    _symbols: dict[tuple[int, str], _Thing] = field(default_factory=dict)  # by file and name at the moment
    _needs: dict[tuple[int, str, bool], _Thing] = field(default_factory=dict)
    _by_change: dict[int, dict[object, _Thing]] = field(default_factory=dict)
    _changes: list[ChangeSet] = field(default_factory=list)  # kept, so that their ids stay theirs

    @classmethod
    def of(cls, changes: Iterable[ChangeSet]) -> "Track":
        track = cls()
        for change in changes:
            track._follow(change)
        return track

    def at_the_end(self, change: ChangeSet) -> ChangeSet:
        """The change in the words of the end: names, documentation and signatures as they are then.

        What was added and removed again, or removed and put back, is not in it.
        """
        known = self._by_change.get(id(change))
        if known is None:
            return change
        files = [self._file_at_the_end(file, known) for file in change.files]
        return replace(change, files=tuple(file for file in files if file is not None))

    # --- forwards

    def _follow(self, change: ChangeSet) -> None:
        known: dict[object, _Thing] = {}
        for file in change.files:
            known[file.path] = thing = self._follow_file(file)
            for symbol in file.symbols:
                if symbol.change == REMOVED:  # first, so that a definition that moved is not lost
                    known[(file.path, symbol.name, symbol.line)] = self._follow_symbol(thing, symbol)
        for file in change.files:
            thing = known[file.path]
            for symbol in file.symbols:
                if symbol.change != REMOVED:
                    known[(file.path, symbol.name, symbol.line)] = self._follow_symbol(thing, symbol)
            for need in file.dependencies:
                key = (id(thing), need.name, need.group == "language")
                one = self._needs.get(key)
                if one is None:
                    one = self._needs[key] = _Thing(
                        file.path, was_there=need.change != ADDED, wanted_before=need.wanted_before
                    )
                one.is_there, one.wanted = need.change != REMOVED, need.wanted
                known[(file.path, need.name, need.group)] = one
        self._by_change[id(change)] = known
        self._changes.append(change)

    def _follow_file(self, file: FileChange) -> _Thing:
        before = file.path_before if file.change == RENAMED and file.path_before else file.path
        thing = self._files.pop(before, None) or _Thing(file.path, was_there=file.change != ADDED)
        thing.path, thing.is_there = file.path, file.change != REMOVED
        if file.purpose and file.purpose not in {symbol.doc for symbol in file.symbols}:  # else it speaks of that
            thing.doc = file.purpose
        self._files[file.path] = thing
        return thing

    def _follow_symbol(self, file: _Thing, symbol: SymbolChange) -> _Thing:
        home = file
        if symbol.change == RENAMED and symbol.path_before not in ("", file.path):
            home = self._files.get(symbol.path_before, file)
        before = symbol.name_before if symbol.change == RENAMED and symbol.name_before else symbol.name
        one = self._symbols.pop((id(home), before), None)
        if one is None:
            one = _Thing(file.path, was_there=symbol.change != ADDED, signature_before=symbol.signature_before)
        one.name, one.home, one.is_there = symbol.name, file, symbol.change != REMOVED
        one.doc, one.signature = symbol.doc or one.doc, symbol.signature or one.signature
        self._symbols[(id(file), symbol.name)] = one
        return one

    # --- backwards

    def _file_at_the_end(self, file: FileChange, known: dict[object, _Thing]) -> FileChange | None:
        thing = known[file.path]
        if (file.change == REMOVED) == thing.is_there or (not thing.was_there and not thing.is_there):
            return None
        symbols = [
            self._symbol_at_the_end(symbol, known.get((file.path, symbol.name, symbol.line)), thing)
            for symbol in file.symbols
        ]
        needs = [
            replace(need, wanted=one.wanted or need.wanted)
            for need in file.dependencies
            if (one := known[(file.path, need.name, need.group)]).is_there == (need.change != REMOVED)
            and (one.was_there or one.is_there)
            and not (need.change == ADDED and one.was_there and one.wanted == one.wanted_before)
        ]
        return replace(
            file,
            path=thing.path,
            purpose=thing.doc or file.purpose,
            symbols=tuple(symbol for symbol in symbols if symbol is not None),
            dependencies=tuple(needs),
        )

    def _symbol_at_the_end(self, symbol: SymbolChange, one: _Thing | None, file: _Thing) -> SymbolChange | None:
        if one is None:
            return symbol
        if one.home is not file or one.is_there != (symbol.change != REMOVED) or not (one.is_there or one.was_there):
            return None
        if symbol.change == REMOVED:
            return symbol
        if symbol.change == RENAMED and not one.was_there:
            return None  # told where it came, under the name that it has
        is_retyped = bool(symbol.signature_before) and symbol.signature != symbol.signature_before
        return replace(
            symbol,
            name=one.name,
            doc=one.doc or symbol.doc,
            signature=one.signature if is_retyped else symbol.signature,
            signature_before=(one.signature_before or symbol.signature_before) if is_retyped and one.was_there else "",
        )
