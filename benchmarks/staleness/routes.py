"""Verdicts along real release histories, on several routes to the same commit.

python -m benchmarks.staleness.routes --git DIR --scratch DIR --readers FILE.toml [--half seen|kept|unseen|final|fresh|later] [--only NAME]

Memories are pinned at the first tag of `routes.toml`. Each later tag is then reached stepwise, directly, in a new worktree,
and backwards from the last tag. Labels come from each language's own parser (`labels.py`) and from the lines' content.
"""

import argparse
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import tomllib
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from benchmarks.staleness import histories, labels, reading
from benchmarks.staleness.histories import History, Language
from benchmarks.staleness.product import STATUS
from benchmarks.staleness.scores import CHANGED, FRESH, GONE, MOVED, RIGHT

from waypost import Memory, config
from waypost.flows.links.staleness import looked_at
from waypost.flows.versions.current import find
from waypost.model.time import Moment

DEFINITIONS = 30  # pins in each repository, as far as labels exist
PIECES = {"line inside": 15, "line outside": 12, "constant": 10, "block": 12}
MOST_IN_FILE = 3  # of one kind
CONSTANT = re.compile(r"\s*(?:[\w.<>\[\]()]+\s+){0,5}[A-Z_][A-Z0-9_]{2,}\b[^=(]*=(?![=>])")  # its name is in capitals
ROUTES = ("stepwise", "direct", "worktree", "backwards")
IMPORT = frozenset(
    {"import", "from", "namespace", "require", "require_relative", "use"}
)  # first tokens of lines that say only what is used
WORD = re.compile(r"[\w$]+")
LARGEST = 1_000_000  # bytes; what a larger file says is not known
SHORTEST_LINE = 12  # letters, digits and signs; shorter ones are everywhere
ABSENT = "absent"  # none of its lines is left: it must be flagged, as changed or as gone


@dataclass(frozen=True, slots=True)
class Case:
    id: str
    kind: str  # function, method, type, constant, line inside, line outside or block
    path: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Expected:
    label: str
    status: str | None  # None: any that flags
    path: str | None = None
    start: int | None = None


Labelled = tuple[Case, list[Expected | None]]  # with its labels at the later tags


@dataclass(frozen=True, slots=True)
class Repository:
    repo: str
    half: str
    language: Language
    history: History
    tags: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.repo.partition("/")[2]


class Source:
    """A file as its parser reads it, and its text for comments."""

    def __init__(self, text: str, read: reading.ReadFile | None) -> None:
        self.text = text
        self.words = frozenset(WORD.findall(text))
        self.definitions = read.definitions if read is not None else []
        self.is_read = read is not None
        self.tokens, self.rows = (read.tokens, read.rows) if read is not None else ((), ())
        self.lines = {number: line for number, line in enumerate(map(_bare, text.split("\n")), start=1) if line}
        self.bare = frozenset(self.lines.values())
        self.said = {number: " ".join(WORD.findall(line)) for number, line in self.lines.items()}
        self.whole = " ".join(self.said.values())
        rows = set(self.rows)
        self.code = frozenset(line for number, line in self.lines.items() if number in rows) or self.bare
        self.loose = _joined(token for token in self.tokens if token not in labels.BRACKETS)
        self._joined = _joined(self.tokens)
        self._starts = [0, *accumulate(len(token) + 1 for token in self.tokens)]
        self.inside: dict[int, reading.Definition] = {}  # row to the innermost definition
        for definition in self.definitions:
            for row in range(definition.start, definition.end + 1):
                before = self.inside.get(row)
                if before is None or definition.end - definition.start <= before.end - before.start:
                    self.inside[row] = definition

    def between(self, first: int, last: int) -> tuple[str, ...]:
        """The tokens that begin on these lines."""
        return self.tokens[bisect_left(self.rows, first) : bisect_right(self.rows, last)]

    def is_import(self, first: int, last: int) -> bool:
        return all(row[0] in IMPORT for at in range(first, last + 1) if (row := self.between(at, at)))

    def places(self, tokens: Sequence[str]) -> list[tuple[int, bool]]:
        """The line where these tokens begin, and whether they are all tokens of their lines."""
        wanted = _joined(tokens)
        out = []
        at = self._joined.find(wanted)
        while at >= 0:
            first = bisect_left(self._starts, at)
            behind = first + len(tokens)
            alone = first == 0 or self.rows[first - 1] < self.rows[first]
            alone = alone and (behind == len(self.rows) or self.rows[behind] > self.rows[behind - 1])
            out.append((self.rows[first], alone))
            at = self._joined.find(wanted, at + 1)
        return out

    def name_around(self, row: int) -> str:
        return self.inside[row].qualname if row in self.inside else ""


class Labels:
    """What became of pinned code at each later tag."""

    def __init__(self, repository: Repository, directory: Path, scratch: Path, command: Sequence[str]) -> None:
        tags = repository.tags
        trees = [histories.files(directory, tag, repository.history, repository.language, LARGEST) for tag in tags]
        every = replace(repository.language, skip=())
        all_trees = [histories.files(directory, tag, repository.history, every, LARGEST) for tag in tags]
        texts = histories.blobs(directory, (blob for tree in all_trees for blob in tree.values()))
        words = {blob: frozenset(WORD.findall(text)) for blob, text in texts.items()}
        self._left_out = [  # words of the files without labels at each later tag: tests, examples and the like
            [words[blob] for path, blob in all_files.items() if path not in tree and blob in words]
            for all_files, tree in zip(all_trees[1:], trees[1:], strict=True)
        ]
        trees = [{path: blob for path, blob in tree.items() if blob in texts} for tree in trees]
        suffixes = {blob: Path(path).suffix for tree in trees for path, blob in tree.items()}
        wanted = {blob: (suffixes[blob], texts[blob]) for blob in suffixes}
        read = reading.read_files(command, repository.language.name, wanted, scratch)
        sources = {blob: Source(texts[blob], read[blob]) for blob in suffixes}
        self._trees = [{path: sources[blob] for path, blob in tree.items()} for tree in trees]
        definitions = {blob: source.definitions for blob, source in sources.items()}
        self._placed = [labels.place(trees[0], tree, definitions, texts) for tree in trees[1:]]
        self._labellers = [
            labels.Labeller(
                placed,
                labels.place(tree, trees[0], definitions, texts),
                {path: sources[blob].words for path, blob in trees[0].items()},
                {path: sources[blob].words for path, blob in tree.items()},
            )
            for placed, tree in zip(self._placed, trees[1:], strict=True)
        ]

    def definitions(self) -> Iterator[Labelled]:
        by_key = [{placed.key: placed for placed in rows} for rows in self._placed]
        for key, placed in sorted(by_key[0].items(), key=lambda item: _hash(*item[0])):
            if not 3 <= len(placed.lines) <= 300:
                continue
            expected: list[Expected | None] = []
            for number, (labeller, rows) in enumerate(zip(self._labellers, by_key, strict=True)):
                label = labeller.label(rows[key])
                is_elsewhere = label.label == "deleted" and self._may_be_left_out(number, placed.of.tokens)
                if label.label == "out" or is_elsewhere:
                    expected.append(None)
                    continue
                now = label.now
                place = (now.path, now.of.start) if now is not None else (None, None)
                expected.append(Expected(label.label, RIGHT[label.label], *place))
            yield Case(_hash(*key)[:12], placed.of.kind, placed.path, placed.of.start, placed.of.end), expected

    def _may_be_left_out(self, number: int, tokens: Sequence[str]) -> bool:
        """Whether a file without labels has all words of this code: it may have gone there."""
        wanted = {word for token in tokens for word in WORD.findall(token)}
        return any(wanted <= words for words in self._left_out[number])

    def pieces(self, kind: str) -> Iterator[Labelled]:
        """Lines, constants or blocks whose tokens occur once in the tree."""
        height = 3 if kind == "block" else 1
        for path, source in sorted(self._trees[0].items(), key=lambda item: _hash(item[0])):
            left = MOST_IN_FILE
            for first in sorted(source.lines, key=lambda row: _hash(path, str(row), kind)) if source.is_read else ():
                last = first + height - 1
                if not self._fits(kind, source, first, last):
                    continue
                expected = [self._label(tree, path, first, last) for tree in self._trees]
                tokens = source.between(first, last) or source.text.split("\n")[first - 1 : last]
                for number, label in enumerate(expected[1:]):
                    if label is not None and label.label == ABSENT and self._may_be_left_out(number, tokens):
                        expected[number + 1] = None
                if expected[0] is not None and expected[0].start == first:
                    yield Case(_hash(path, str(first), kind)[:12], kind, path, first, last), expected[1:]
                    left -= 1
                    if not left:
                        break

    def _fits(self, kind: str, source: Source, first: int, last: int) -> bool:
        texts = [source.lines.get(row, "").replace(" ", "") for row in range(first, last + 1)]
        if not all(len(text) >= SHORTEST_LINE and WORD.search(text) for text in texts):
            return False
        tokens = source.between(first, last)
        if len(tokens) == len(source.tokens) or any("\n" in token or "\\n" in token for token in tokens):
            return False  # all code of a file is a pin of the file; a text of several lines goes beyond the piece
        around = [source.inside.get(row) for row in range(first, last + 1)]
        if kind == "line inside":
            return all(around)
        in_code = any(definition is not None and definition.kind != "type" for definition in around)
        if kind == "constant":
            return not in_code and CONSTANT.match(source.text.split("\n")[first - 1]) is not None
        return not any(around)

    def _label(self, tree: Mapping[str, Source], path: str, first: int, last: int) -> Expected | None:
        source = self._trees[0][path]
        tokens = source.between(first, last)
        if not tokens:
            return self._comment_label(tree, path, first, last)
        here = tree[path].places(tokens) if path in tree else []
        there = [(other, place) for other in tree if other != path for place in self._in_file(tree[other], tokens)]
        if len(here) == 1 and here[0][1] and (tree is not self._trees[0] or not there):
            row = here[0][0]
            same_name = tree[path].name_around(row) == source.name_around(first)
            return Expected("same code", FRESH, path, row) if same_name or len(tokens) >= labels.SMALL else None
        if not here and len(there) == 1 and there[0][1][1]:
            other, (row, _) = there[0]
            is_import = source.is_import(first, last)
            sure = (len(tokens) >= labels.SMALL and not is_import) or self._is_moved_file(tree, path, other)
            return Expected("same code", MOVED, other, row) if sure else None
        if here or there:
            return None
        pieces = [source.between(row, row) for row in range(first, last + 1)]
        return None if any(self._is_left(tree, piece) for piece in [tokens, *pieces]) else Expected(ABSENT, None)

    def _in_file(self, file: Source, tokens: Sequence[str]) -> list[tuple[int, bool]]:
        return file.places(tokens) if all(token in file.words for token in tokens if WORD.fullmatch(token)) else []

    def _is_left(self, tree: Mapping[str, Source], tokens: Sequence[str]) -> bool:
        """Whether these tokens are somewhere, brackets and commas aside."""
        loose = [token for token in tokens if token not in labels.BRACKETS]
        return bool(loose) and any(_joined(loose) in file.loose for file in tree.values())

    def _comment_label(self, tree: Mapping[str, Source], path: str, first: int, last: int) -> Expected | None:
        """For lines without tokens, by their words."""
        source = self._trees[0][path]
        texts = [source.said[row] for row in range(first, last + 1)]
        places = [
            (other, row)
            for other, file in tree.items()
            if texts[0] in file.whole
            for row in file.said
            if [file.said.get(row + number) for number in range(len(texts))] == texts
        ]
        if len(places) == 1:
            other, row = places[0]
            if other == path:
                same_name = tree[path].name_around(row) == source.name_around(first)
                return Expected("same text", FRESH, path, row) if same_name else None
            return Expected("same text", MOVED, other, row) if self._is_moved_file(tree, path, other) else None
        if places or any(text in file.whole for file in tree.values() for text in texts):
            return None
        return Expected(ABSENT, None)

    def _is_moved_file(self, tree: Mapping[str, Source], path: str, other: str) -> bool:
        """Whether the file is gone and half of its lines of code are in the other; many files have the same licence."""
        lines = self._trees[0][path].code
        return path not in tree and 2 * len(lines & tree[other].code) >= len(lines)


def _joined(tokens: Iterable[str]) -> str:
    return "".join(token + "\n" for token in tokens)


def _bare(line: str) -> str:
    """A line without indentation, quotes, marks of comments and a comma at its end, and with single spaces."""
    return " ".join(line.translate(str.maketrans("", "", "\"'`")).split()).strip("/*# ").removesuffix(",")


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def cases_of(found: Labels) -> list[Labelled]:
    """Definitions of each label in turn; pieces that moved or went first, up to two thirds."""
    chosen: list[Labelled] = []
    by_last = defaultdict(list)
    for row in found.definitions():
        last = next((expected for expected in reversed(row[1]) if expected is not None), None)
        if last is not None:
            by_last[last.label].append(row)
    while len(chosen) < DEFINITIONS and any(by_last.values()):
        for rows in by_last.values():
            if rows and len(chosen) < DEFINITIONS:
                chosen.append(rows.pop(0))
    for kind, most in PIECES.items():
        rows = [row for row in found.pieces(kind) if any(row[1])]
        lively = [row for row in rows if any(one and (one.label == ABSENT or one.status == MOVED) for one in row[1])]
        quiet = [row for row in rows if row not in lively]
        chosen += [*lively[: most * 2 // 3], *quiet][:most]
    return chosen


class Run:
    """One repository with memories pinned at its first tag."""

    def __init__(self, repository: Repository, directory: Path, scratch: Path, cases: Sequence[Case]) -> None:
        self._folder = scratch / "run" / repository.name
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(parents=True)
        self._tree, self._home = self._folder / "tree", self._folder / "home"
        self._tags = repository.tags
        self._git(self._folder, "clone", "-q", str(directory), str(self._tree))
        self._git(self._tree, "checkout", "-q", self._tags[0])
        self._ids: dict[str, str] = {}
        with self._open(self._home, self._tree) as memory:
            memory.index(wait=False)
            for case in cases:
                made = memory.remember(f"About {case.id}", key=case.id, refs=[f"{case.path}#L{case.start}-L{case.end}"])
                assert made.id is not None, case
                self._ids[case.id] = made.id

    def _git(self, folder: Path, *arguments: str) -> None:
        quiet = ("-c", "advice.detachedHead=false", "-c", "core.autocrlf=false")
        subprocess.run(["git", "-C", str(folder), *quiet, *arguments], check=True, stdout=subprocess.DEVNULL)

    def _open(self, home: Path, tree: Path) -> Memory:
        settings = config.load({**os.environ, "WAYPOST_HOME": str(home), "WAYPOST_BACKGROUND": "0"})
        return Memory.open(tree, settings=replace(settings, models=(self._folder,)))  # without vectors

    def _copied_home(self, name: str) -> Path:
        home = self._folder / f"home-{name}"
        shutil.copytree(self._home, home)
        return home

    def _look(self, home: Path, tree: Path) -> dict[str, tuple[str, str | None, int | None]]:
        with self._open(home, tree) as memory:
            memory.code.stale(check=True)
            moment = Moment(memory.space.clock())
            versions = {case_id: find(memory.space, number, moment).version for case_id, number in self._ids.items()}
            with memory.space.store.read() as reader:
                shown = looked_at(memory.space, reader, list(versions.values()))  # as `show` does, for all at once
            rows = {}
            for case_id, version in versions.items():
                finding = shown[version.number].links[0].finding
                start = finding.lines.start if finding.lines else None
                rows[case_id] = (STATUS.get(finding.state, finding.state), finding.path, start)
            return rows

    def verdicts(self, route: str) -> dict[str, dict[str, tuple[str, str | None, int | None]]]:
        """Verdicts by tag."""
        later = self._tags[1:]
        if route == "worktree":
            out = {}
            for tag in later:
                tree = self._folder / f"tree-{tag.replace('/', '-')}"
                self._git(self._tree, "worktree", "add", "-q", "--detach", str(tree), tag)
                out[tag] = self._look(self._copied_home(f"worktree-{tag.replace('/', '-')}"), tree)
            return out
        home = self._copied_home(route)
        out = {}
        for tag in reversed(later) if route == "backwards" else later:
            if route == "direct":
                home = self._copied_home(f"direct-{tag.replace('/', '-')}")
            self._git(self._tree, "checkout", "-q", "--force", tag)
            out[tag] = self._look(home, self._tree)
        return out


def repositories() -> list[Repository]:
    table = tomllib.loads((Path(__file__).parent / "routes.toml").read_text("utf-8"))
    languages = {
        name: Language(name, tuple(row["ends"]), tuple(row["skip"]), ()) for name, row in table["languages"].items()
    }
    return [
        Repository(
            row["repo"],
            row["half"],
            languages[row["language"]],
            History(row["repo"], tuple(row.get("folders", [""])), 0, ""),
            tuple(row["tags"]),
        )
        for row in table["repository"]
    ]


def judge(expected: Expected, answer: tuple[str, str | None, int | None]) -> str:
    """`right`, or what is wrong: `missed`, `false alarm`, `status` or `place`."""
    status, path, start = answer
    flagged = status not in (FRESH, MOVED)
    stale = expected.status in (None, CHANGED, GONE)
    if stale and not flagged:
        return "missed"
    if not stale and flagged:
        return "false alarm"
    if expected.status not in (None, status) and expected.label != "moved_edited":
        return "status"
    if expected.path is not None and (path, start) != (expected.path, expected.start):
        return "place"
    return "right"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--git", type=Path, required=True, help="folder of bare git directories")
    parser.add_argument("--scratch", type=Path, required=True)
    parser.add_argument("--readers", type=Path, required=True, help='TOML: language = "command"')
    parser.add_argument("--half", choices=("seen", "kept", "unseen", "final", "fresh", "later"), default="seen")
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--wrong", type=Path, help="write every wrong or disagreeing verdict to this file")
    options = parser.parse_args()
    readers = tomllib.loads(options.readers.read_text("utf-8"))
    totals: Counter[str] = Counter()
    wrong: list[dict[str, object]] = []
    for repository in repositories():
        if repository.half != options.half or (options.only and repository.name not in options.only):
            continue
        directory = histories.git_directory(options.git, repository.repo)
        found = Labels(repository, directory, options.scratch, shlex.split(readers[repository.language.name]))
        chosen = cases_of(found)
        run = Run(repository, directory, options.scratch, [case for case, _ in chosen])
        verdicts = {route: run.verdicts(route) for route in ROUTES}
        counts: Counter[str] = Counter()
        for case, labelled in chosen:
            for number, tag in enumerate(repository.tags[1:]):
                answers = {route: verdicts[route][tag][case.id] for route in ROUTES}
                counts["verdicts"] += len(answers)
                agree = len(set(answers.values())) == 1
                counts["agree"] += len(answers) * agree
                expected = labelled[number]
                row = {"repo": repository.repo, "tag": tag, "case": vars_of(case), "answers": answers}
                if not agree:
                    wrong.append({**row, "wrong": "routes"})
                if expected is None:
                    continue
                stale = expected.status in (None, CHANGED, GONE)
                for route, answer in answers.items():
                    outcome = judge(expected, answer)
                    counts["labelled"] += 1
                    counts["stale" if stale else "sound"] += 1
                    counts["flagged right"] += stale and outcome != "missed"
                    counts[outcome] += 1
                    counts["placed"] += expected.path is not None
                    counts["place right"] += (
                        expected.path is not None
                        and outcome in ("right", "status")
                        and ((answer[1], answer[2]) == (expected.path, expected.start))
                    )
                    if outcome != "right":
                        wrong.append({**row, "route": route, "wrong": outcome, "expected": vars_of(expected)})
        print(repository.repo, _figures(counts), flush=True)
        totals += counts
    print("all", _figures(totals))
    if options.wrong is not None:
        options.wrong.write_text("".join(json.dumps(row) + "\n" for row in wrong), "utf-8")


def vars_of(value: Case | Expected) -> dict[str, object]:
    return {name: getattr(value, name) for name in value.__slots__}


def _figures(counts: Mapping[str, int]) -> str:
    hits, alarms = counts["flagged right"], counts["false alarm"]
    parts = {
        "precision": hits / max(1, hits + alarms),
        "recall": hits / max(1, counts["stale"]),
        "place": counts["place right"] / max(1, counts["placed"]),
        "agreement": counts["agree"] / max(1, counts["verdicts"]),
    }
    texts = [f"{name} {value:.4f}" for name, value in parts.items()]
    kinds = ", ".join(f"{counts[kind]} {kind}" for kind in ("missed", "false alarm", "status", "place") if counts[kind])
    return f"{counts['verdicts']} verdicts, {counts['labelled']} labelled; {'; '.join(texts)}{f' ({kinds})' if kinds else ''}"


if __name__ == "__main__":
    main()
