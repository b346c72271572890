"""One change with its context for proposing facts: the message, the files, the project's layout."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import takewhile

from waypost.facts.domains import Layout
from waypost.facts.learn.message import CommitMessage, read_message
from waypost.facts.learn.vocabulary import STEM, content_words, name_stems, vocabulary
from waypost.facts.learn.wording import MOST_TEXT, clean, clip, is_nameable, last_part, printable, short_path
from waypost.model.candidate import CERTAIN, Candidate
from waypost.model.change import ADDED, REMOVED, ChangeSet, FileChange, SymbolChange
from waypost.text.identifiers import identifier_parts

ExistsToday = Callable[[str, str], bool]  # (path, symbol or "") → whether it exists today

_NEARLY_ALL = 0.85
_MOST_OF_IT = 0.6
_MAIN_PART = 0.4  # of the largest file's changed lines; files with less are not the location of the change
_MOST_FILES = 400  # examined; a larger commit is an import
_MOST_SYMBOLS = 400  # of one file
_MOST_REFS = 4
_FEW, _MOST_NAMED = 3, 8  # most files for which the largest symbol is the location; the same if it is named
_SHARE = 0.02  # of the changed lines; a symbol with less is mentioned for another reason
_KINSHIP = 0.2  # bonus for a name that shares a word stem with the subject
_DOUBTFUL = 0.5  # highest confidence for text of a message that addresses its reader
_WAITING = CERTAIN - 0.01
_ANNOUNCEMENT = re.compile(
    r"(?:^|/)(?:(?:changes?|changelog|history|news|releases?|release[-_]notes|upgrad\w{1,8}|whatsnew)(?:\.\w{1,8})?$"
    r"|(?:\.?changes?ets?|newsfragments|changelog\.d|changes|releases|changelog|news|whatsnew)/)",
    re.I,
)
_CALLED_BY_LANGUAGE = re.compile(r"__(?!init|call)\w{1,30}__$")
_ASIDE = re.compile(
    r"(?:\.?examples?|tests?|testlib|test[-_]?utils?|test[-_]?helpers?|testdata|_*mocks?_*|_*fakes?_*|test[-_].*|.*[-_]tests?|docs?|samples?|demos?|benchmarks?|bench|e2e|playground|fixtures|website"
    r"|www|site|fuzz|\.github|ci|recipes?|vendor|vendored|_vendor|third[-_]?party|node_modules)",
    re.I,
)
_TEST_INSIDE = re.compile(r"(?:tests?|test_\w{1,80}|\w{1,80}_tests?)(?:\.|::|$)", re.I)
_HIDDEN = frozenset(("internal", "private", "impl", "_internal", "detail", "details"))  # folders and name spaces
_STYLE = re.compile(r"\.(?:css|s[ac]ss|less|styl|pcss)$", re.I)
_TOOLS = frozenset(
    ("ci", "tools", "scripts", "script", "hack", "build", "dev", "util", "benches", "bench", "benchmarks")
)
_OTHER_ROLES = frozenset(("test", "document", "generated", "pipeline", "example"))
_TYPES_OF_CLASS = frozenset(("class", "struct", "interface", "trait", "enum", "record", "protocol", "object", "type"))


@dataclass(frozen=True, slots=True)
class ChangedSymbol:
    """A changed symbol with its file."""

    file: FileChange
    symbol: SymbolChange

    @property
    def path(self) -> str:
        return self.file.path

    @property
    def name(self) -> str:
        return self.symbol.name

    @property
    def last_name(self) -> str:
        return last_part(self.symbol.name)

    @property
    def ref(self) -> str:
        return f"{self.path}#{self.name}"

    @property
    def is_public_api(self) -> bool:
        """Whether it is for others: public, with no private part in its name or path."""
        is_hidden = is_private(self.name) or _is_helper(self.name.partition(".")[0])
        return self.symbol.is_public and not is_hidden and not is_internal(self.path)


@dataclass(frozen=True, slots=True)
class ChangeContext:
    change: ChangeSet
    message: CommitMessage
    layout: Layout
    exists_today: ExistsToday | None = None

    @classmethod
    def of(cls, change: ChangeSet, layout: Layout, exists_today: ExistsToday | None = None) -> "ChangeContext":
        files = tuple(_without_unusable_symbols(file) for file in change.files[:_MOST_FILES] if is_nameable(file.path))
        return cls(replace(change, files=files), read_message(change.subject, change.body), layout, exists_today)

    @property
    def sources(self) -> tuple[FileChange, ...]:
        """Files of the product itself in which more than the formatting changed."""
        return tuple(file for file in self._product if file.role == "source" and not _STYLE.search(file.path))

    @property
    def has_tests(self) -> bool:
        return any(file.role == "test" and not file.layout_only for file in self.change.files)

    @property
    def is_announced(self) -> bool:
        """Whether the change is announced to users, in a changelog."""
        return any(_ANNOUNCEMENT.search(file.path) for file in self.change.files if file.change != REMOVED)

    @property
    def commit(self) -> str:
        return clean(self.change.commit, 40)[:8]

    @property
    def lines_changed(self) -> int:
        return sum(max(file.lines_added, file.lines_removed) for file in self.sources)

    def exists(self, path: str, symbol: str = "") -> bool:
        return self.exists_today is None or self.exists_today(path, symbol)

    def changed_symbols(self, *changes: str) -> Iterator[ChangedSymbol]:
        for file in self.sources:
            for symbol in file.symbols:
                if not changes or symbol.change in changes:
                    yield ChangedSymbol(file, symbol)

    def main(self, most: int = 2) -> tuple[ChangedSymbol, ...]:
        """The main symbols of the change: named in the message, then public ones, then the largest."""
        existing = [
            changed
            for changed in self.changed_symbols()
            if changed.symbol.change != REMOVED and self.exists(changed.path, changed.name)
        ]
        inner = {(changed.path, changed.name.rpartition(".")[0]) for changed in existing}
        leaves = [leaf for leaf in existing if (leaf.path, leaf.name) not in inner or self._is_meant(leaf)]
        leaves = [leaf for leaf in leaves if self._is_main_file(leaf.file) or self.message.names(leaf.last_name)]
        lines = self.lines_changed
        subject_stems = {word[:STEM] for word in content_words(self.message.subject) if len(word) >= STEM}
        weights = {
            id(changed): self._weight(changed, lines)
            + _KINSHIP * (not subject_stems.isdisjoint(name_stems(changed.last_name)))
            for changed in leaves
        }
        leaves.sort(key=lambda changed: (-weights[id(changed)], changed.path, changed.symbol.line))
        if not leaves:
            return ()
        least = weights[id(leaves[0])] * 0.3
        unique = {changed.ref: changed for changed in reversed(leaves)}  # overloads have one name
        heavy = [changed for changed in leaves if unique[changed.ref] is changed and weights[id(changed)] >= least]
        return tuple(heavy[:most])

    @property
    def _product(self) -> tuple[FileChange, ...]:
        """Files that the change could be about, including those without a parser."""
        files = [file for file in self.change.files if file.role not in _OTHER_ROLES and not file.layout_only]
        return tuple(file for file in files if not is_not_product(file.path) and not is_for_tests(file.path))

    def _is_main_file(self, file: FileChange) -> bool:
        """Whether a good part of the change is in this file. Others were only adapted to it."""
        most = max((_size(file) for file in self._product), default=0)
        return _size(file) >= _MAIN_PART * most

    def _is_all(self, main: list[ChangedSymbol]) -> bool:
        """Whether nearly all changes are in these definitions. Otherwise one of many would pass for the location."""
        symbols = [changed for changed in self.changed_symbols() if changed.symbol.change != REMOVED]
        outer = {(changed.path, changed.name.rpartition(".")[0]) for changed in symbols}
        total = sum(_lines(changed) for changed in symbols if (changed.path, changed.name) not in outer)
        return sum(_lines(changed) for changed in main) >= _NEARLY_ALL * total

    def _is_meant(self, changed: ChangedSymbol) -> bool:
        return changed.symbol.change == ADDED or self.message.names(changed.last_name)

    def _weight(self, changed: ChangedSymbol, total: int) -> float:
        lines = _lines(changed)
        weight = min(lines, 60) / 60 + (0.4 if changed.is_public_api else 0.0)
        weight *= 0.3 if _CALLED_BY_LANGUAGE.search(changed.name) else 1.0
        if lines < _SHARE * total:
            return weight
        if self.message.names(changed.last_name):
            return weight + 3
        return weight + (0.8 if self.message.mentions(changed.last_name) else 0.0)

    def place(self, most: int = 2) -> tuple[str, tuple[str, ...]]:
        """The location of the change, as a phrase and as references: symbols, else the largest file."""
        main = self.main(most)
        is_meant = bool(main) and self.message.mentions(main[0].last_name)
        near = [changed for changed in main if changed.path == main[0].path]
        if main and len(self.sources) <= (_MOST_NAMED if is_meant else _FEW) and (is_meant or self._is_all(near)):
            names = " and ".join(f"`{changed.name}`" for changed in near)
            return f"{names} ({short_path(main[0].path)})", tuple(changed.ref for changed in main)
        files = [
            file
            for file in self._product
            if file.change != REMOVED
            and self.exists(file.path)
            and self._is_main_file(file)
            and not _STYLE.search(file.path)
        ]
        files.sort(key=lambda file: (-_size(file), file.path))
        if not files:
            return "", ()
        if 1 < len(files) <= 3 and _size(files[0]) < _MOST_OF_IT * sum(map(_size, files)):
            return "", tuple(file.path for file in files[:2])  # several places: none of them is the location
        if len(files) > 3 and (folder := common_folder([file.path for file in files])):
            return f"`{folder}/`", tuple(file.path for file in files[:_MOST_REFS])
        return " and ".join(f"`{short_path(file.path)}`" for file in files[:2]), tuple(file.path for file in files[:2])

    def candidate(
        self,
        text: str,
        confidence: float,
        *,
        topic: str,
        refs: Iterable[str],
        level: int,
        reason: str,
        kind: str = "fact",
        origin: str = "git_diff",
        ttl_class: str | None = None,
        from_message: bool = False,
        path: str = "",
    ) -> Candidate:
        """A candidate with the common fields filled in. `from_message`: its text comes from the message."""
        kept_refs = tuple(dict.fromkeys(ref for ref in refs if is_nameable(ref.partition("#")[0])))[:_MOST_REFS]
        main_path = path or (kept_refs[0].partition("#")[0] if kept_refs else "")
        if self.message.is_doubtful:
            confidence = min(confidence, _DOUBTFUL if from_message else _WAITING)
        return Candidate(
            text=clip(printable(text), MOST_TEXT),
            confidence=round(max(0.0, min(confidence, 0.95)), 2),
            origin=origin,
            kind=kind,
            level=level,
            domain=self.layout.domain(main_path) if main_path else "",
            module=self.layout.module(main_path) if main_path and level >= 2 else "",
            topic=printable(topic)[:400],
            refs=kept_refs,
            evidence=self.evidence(),
            ttl_class=ttl_class or ("api_contract" if level == 1 and is_interface(main_path) else None),
            time=self.change.time,
            reason=reason,
        )

    def evidence(self) -> tuple[str, ...]:
        if not self.change.commit:
            return ()
        subject = clip(self.message.subject, 100)
        commit = f"commit {self.commit}: {subject}" if subject else f"commit {self.commit}"
        return (commit, *self.message.references[:2])


def _lines(changed: ChangedSymbol) -> int:
    return changed.symbol.lines_changed or max(1, changed.symbol.end_line - changed.symbol.line)


def _size(file: FileChange) -> int:
    return file.lines_added + file.lines_removed


def is_private(name: str) -> bool:
    parts = name.replace("::", ".").split(".")
    is_hidden = any(part in _HIDDEN for part in parts[:-1])
    return is_hidden or any(part.startswith(("_", "#")) and not part.endswith("__") for part in parts)


def is_internal(path: str) -> bool:
    """Whether a path says that its content is not for others."""
    parts = path.split("/")
    return (
        parts[0] in _TOOLS
        or any(part in _HIDDEN for part in parts[:-1])
        or any(part.startswith("_") and not part.startswith("__") for part in parts)
    )


def is_not_product(path: str) -> bool:
    """Whether a file is not part of the product: examples, tests, documents, third-party code."""
    return any(_ASIDE.fullmatch(part) for part in path.split("/")[:-1])


def is_for_tests(path: str) -> bool:
    """Whether a file's name says that only tests use it: "FakeDns.kt", "call_tester.py"."""
    name = path.rpartition("/")[2]
    return ".stories." in name or _is_helper(name.partition(".")[0])


def _is_helper(name: str) -> bool:
    parts = [part.lower() for part in identifier_parts(re.sub(r"\W+", "_", name))]
    # A library may offer a `testing.py` to its users.
    return len(parts) > 1 and not vocabulary().helpers.isdisjoint(parts)


def is_interface(path: str) -> bool:
    return "api" in path.split("/")[:-1]


def is_class(symbol: SymbolChange) -> bool:
    return symbol.type in _TYPES_OF_CLASS


def common_folder(paths: list[str]) -> str:
    """The deepest folder that contains all of them, or an empty string for the root."""
    folders = zip(*(path.split("/")[:-1] for path in paths), strict=False)
    return "/".join(parts[0] for parts in takewhile(lambda parts: len(set(parts)) == 1, folders))


def _without_unusable_symbols(file: FileChange) -> FileChange:
    """The file without names that no sentence can contain, and without tests beside the tested code."""
    symbols = tuple(
        symbol
        for symbol in file.symbols[:_MOST_SYMBOLS]
        if is_nameable(symbol.name, 120) and not _TEST_INSIDE.match(symbol.name)
    )
    return file if len(symbols) == len(file.symbols) else replace(file, symbols=symbols)
