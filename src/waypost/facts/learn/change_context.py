"""One change with everything by which facts about it are told: its message, its files, the layout of the project."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from waypost.facts.domains import Layout
from waypost.facts.learn.message import CommitMessage, read
from waypost.facts.learn.vocabulary import content, words
from waypost.facts.learn.wording import MOST_TEXT, clean, clip, is_nameable, last_part, printable, shown
from waypost.model.candidate import CERTAIN, Candidate
from waypost.model.change import ADDED, REMOVED, ChangeSet, FileChange, SymbolChange
from waypost.text.identifiers import identifier_parts

Still = Callable[[str, str], bool]  # (path, symbol or "") → whether it is there today

_NEARLY_ALL = 0.85
_MOST_OF_IT = 0.6
_MAIN_PART = 0.4  # of the largest file's changed lines: what has less is not where the change is
_MOST_FILES = 400  # that are looked at; a commit of more is an import
_MOST_SYMBOLS = 400  # of one file
_MOST_REFS = 4
_FEW, _MOST_NAMED = 3, 8  # files of a change, up to which its largest symbol stands for it; the same if it is named
_SHARE = 0.02  # of the changed lines: what has less is named for another reason than that the change is there
_STEM, _KINSHIP = 5, 0.2  # a name that shares a word with the subject is more likely what it is about
_DOUBTFUL = 0.5  # the most for what a message says that speaks to its reader
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
_TYPES_OF_CLASS = frozenset(("class", "struct", "interface", "trait", "enum", "record", "protocol", "object", "type"))


@dataclass(frozen=True, slots=True)
class Touched:
    """A symbol with its file."""

    file: FileChange
    symbol: SymbolChange

    @property
    def ref(self) -> str:
        return f"{self.file.path}#{self.symbol.name}"

    @property
    def is_offered(self) -> bool:
        """Whether it is for others: public, and so is every part of its name and path."""
        is_hidden = is_private(self.symbol.name) or _is_helper(self.symbol.name.partition(".")[0])
        return self.symbol.is_public and not is_hidden and not is_inner(self.file.path)


@dataclass(frozen=True, slots=True)
class Scene:
    change: ChangeSet
    message: CommitMessage
    layout: Layout
    still: Still | None = None

    @classmethod
    def of(cls, change: ChangeSet, layout: Layout, still: Still | None = None) -> "Scene":
        files = tuple(_tame(file) for file in change.files[:_MOST_FILES] if is_nameable(file.path))
        return cls(replace(change, files=files), read(change.subject, change.body), layout, still)

    @property
    def sources(self) -> tuple[FileChange, ...]:
        """Files of the product itself, where more than the layout changed."""
        return tuple(
            file
            for file in self.change.files
            if file.role == "source"
            and not file.layout_only
            and not is_aside(file.path)
            and not is_for_tests(file.path)
            and not _STYLE.search(file.path)
        )

    @property
    def has_tests(self) -> bool:
        return any(file.role == "test" and not file.layout_only for file in self.change.files)

    @property
    def is_announced(self) -> bool:
        """Whether users are told of it: a list of changes was written on."""
        return any(_ANNOUNCEMENT.search(file.path) for file in self.change.files if file.change != REMOVED)

    @property
    def commit(self) -> str:
        return clean(self.change.commit, 40)[:8]

    def is_there(self, path: str, symbol: str = "") -> bool:
        return self.still is None or self.still(path, symbol)

    def touched(self, *changes: str) -> Iterator[Touched]:
        for file in self.sources:
            for symbol in file.symbols:
                if not changes or symbol.change in changes:
                    yield Touched(file, symbol)

    def main(self, most: int = 2) -> tuple[Touched, ...]:
        """The symbols that the change is about: named in the message, then offered to others, then the largest."""
        there = [
            one
            for one in self.touched()
            if one.symbol.change != REMOVED and self.is_there(one.file.path, one.symbol.name)
        ]
        inner = {(one.file.path, one.symbol.name.rpartition(".")[0]) for one in there}
        leaves = [one for one in there if (one.file.path, one.symbol.name) not in inner or self._is_meant(one)]
        leaves = [one for one in leaves if self._is_where(one.file) or self.message.names(last_part(one.symbol.name))]
        lines = sum(max(file.lines_added, file.lines_removed) for file in self.sources)
        spoken = {word[:_STEM] for word in content(self.message.subject) if len(word) >= _STEM}
        weights = {id(one): self._weight(one, lines) + _KINSHIP * _shares_word(one, spoken) for one in leaves}
        leaves.sort(key=lambda one: (-weights[id(one)], one.file.path, one.symbol.line))
        if not leaves:
            return ()
        least = weights[id(leaves[0])] * 0.3
        alone = {one.ref: one for one in reversed(leaves)}  # overloads have one name
        return tuple(one for one in leaves if alone[one.ref] is one and weights[id(one)] >= least)[:most]

    @property
    def _product(self) -> tuple[FileChange, ...]:
        """What the change could be about: also files that nobody parses."""
        aside = ("test", "document", "generated", "pipeline", "example")
        return tuple(
            file
            for file in self.change.files
            if file.role not in aside
            and not file.layout_only
            and not is_aside(file.path)
            and not is_for_tests(file.path)
        )

    def _is_where(self, file: FileChange) -> bool:
        """Whether a good part of the change is in this file: others were only adapted to it."""
        most = max((_size(one) for one in self._product), default=0)
        return _size(file) >= _MAIN_PART * most

    def _is_all(self, main: list[Touched]) -> bool:
        """Whether nearly all that changed is in these definitions: else one of many would pass for the place."""
        touched = [one for one in self.touched() if one.symbol.change != REMOVED]
        outer = {(one.file.path, one.symbol.name.rpartition(".")[0]) for one in touched}
        total = sum(_lines(one) for one in touched if (one.file.path, one.symbol.name) not in outer)
        return sum(_lines(one) for one in main) >= _NEARLY_ALL * total

    def _is_meant(self, one: Touched) -> bool:
        return one.symbol.change == ADDED or self.message.names(last_part(one.symbol.name))

    def _weight(self, one: Touched, total: int) -> float:
        lines = _lines(one)
        weight = min(lines, 60) / 60 + (0.4 if one.is_offered else 0.0)
        weight *= 0.3 if _CALLED_BY_LANGUAGE.search(one.symbol.name) else 1.0
        if lines < _SHARE * total:
            return weight
        if self.message.names(last_part(one.symbol.name)):
            return weight + 3
        return weight + (0.8 if self.message.mentions(last_part(one.symbol.name)) else 0.0)

    def place(self, most: int = 2) -> tuple[str, tuple[str, ...]]:
        """Where the change is, as words of a sentence and as references: symbols, else the largest file."""
        main = self.main(most)
        is_meant = bool(main) and self.message.mentions(last_part(main[0].symbol.name))
        near = [one for one in main if one.file.path == main[0].file.path]
        if main and len(self.sources) <= (_MOST_NAMED if is_meant else _FEW) and (is_meant or self._is_all(near)):
            named = " and ".join(f"`{one.symbol.name}`" for one in near)
            return f"{named} ({shown(main[0].file.path)})", tuple(one.ref for one in main)
        files = [
            file
            for file in self._product
            if file.change != REMOVED
            and self.is_there(file.path)
            and self._is_where(file)
            and not _STYLE.search(file.path)
        ]
        files.sort(key=lambda file: (-_size(file), file.path))
        if not files:
            return "", ()
        if 1 < len(files) <= 3 and _size(files[0]) < _MOST_OF_IT * sum(map(_size, files)):
            return "", tuple(file.path for file in files[:2])  # in several places: none of them is the place
        if len(files) > 3 and (folder := common_folder([file.path for file in files])):
            return f"`{folder}/`", tuple(file.path for file in files[:_MOST_REFS])
        return " and ".join(f"`{shown(file.path)}`" for file in files[:2]), tuple(file.path for file in files[:2])

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
        """The candidate with what all have in common. `from_message`: its words are the message's."""
        kept = tuple(dict.fromkeys(ref for ref in refs if is_nameable(ref.partition("#")[0])))[:_MOST_REFS]
        home = path or (kept[0].partition("#")[0] if kept else "")
        if self.message.is_doubtful:
            confidence = min(confidence, _DOUBTFUL if from_message else _WAITING)
        return Candidate(
            text=clip(printable(text), MOST_TEXT),
            confidence=round(max(0.0, min(confidence, 0.95)), 2),
            origin=origin,
            kind=kind,
            level=level,
            domain=self.layout.domain(home) if home else "",
            module=self.layout.module(home) if home and level >= 2 else "",
            topic=printable(topic)[:400],
            refs=kept,
            evidence=self.evidence(),
            ttl_class=ttl_class or ("api_contract" if level == 1 and is_interface(home) else None),
            time=self.change.time,
            reason=reason,
        )

    def evidence(self) -> tuple[str, ...]:
        if not self.change.commit:
            return ()
        said = clip(self.message.subject, 100)
        return (f"commit {self.commit}: {said}" if said else f"commit {self.commit}", *self.message.references[:2])


def _lines(one: Touched) -> int:
    return one.symbol.lines_changed or max(1, one.symbol.end_line - one.symbol.line)


def _size(file: FileChange) -> int:
    return file.lines_added + file.lines_removed


def _shares_word(one: Touched, spoken: set[str]) -> bool:
    parts = identifier_parts(re.sub(r"\W+", "_", last_part(one.symbol.name)))
    return any(part[:_STEM].lower() in spoken for part in parts)


def is_private(name: str) -> bool:
    parts = name.replace("::", ".").split(".")
    is_hidden = any(part in _HIDDEN for part in parts[:-1])
    return is_hidden or any(part.startswith(("_", "#")) and not part.endswith("__") for part in parts)


def is_inner(path: str) -> bool:
    """Whether a path says that what lies there is not for others."""
    parts = path.split("/")
    return (
        parts[0] in _TOOLS
        or any(part in _HIDDEN for part in parts[:-1])
        or any(part.startswith("_") and not part.startswith("__") for part in parts)
    )


def is_aside(path: str) -> bool:
    """Whether a file is not of the product itself: of examples, tests, documents, others' code."""
    return any(_ASIDE.fullmatch(part) for part in path.split("/")[:-1])


def is_for_tests(path: str) -> bool:
    """Whether the name of a file says that only tests use it: "FakeDns.kt", "call_tester.py"."""
    name = path.rpartition("/")[2]
    return ".stories." in name or _is_helper(name.partition(".")[0])


def _is_helper(name: str) -> bool:
    parts = [part.lower() for part in identifier_parts(re.sub(r"\W+", "_", name))]
    return len(parts) > 1 and not words().helpers.isdisjoint(parts)  # `testing.py` is what a library offers its users


def is_interface(path: str) -> bool:
    return "api" in path.split("/")[:-1]


def is_class(symbol: SymbolChange) -> bool:
    return symbol.type in _TYPES_OF_CLASS


def common_folder(paths: list[str]) -> str:
    """The deepest folder that holds all of them, "" where that is the root."""
    split = [path.split("/")[:-1] for path in paths]
    shared: list[str] = []
    for parts in zip(*split, strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return "/".join(shared)


def _tame(file: FileChange) -> FileChange:
    """Without names that no sentence can hold, and without tests that live beside what they test."""
    symbols = tuple(
        symbol
        for symbol in file.symbols[:_MOST_SYMBOLS]
        if is_nameable(symbol.name, 120) and not _TEST_INSIDE.match(symbol.name)
    )
    return file if len(symbols) == len(file.symbols) else replace(file, symbols=symbols)
