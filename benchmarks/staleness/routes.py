"""Verdicts along real release histories, on several routes to the same commit.

python -m benchmarks.staleness.routes --git DIR --scratch DIR --readers FILE.toml [--half seen|kept] [--only NAME]

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
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.staleness import histories, labels, reading
from benchmarks.staleness.histories import History, Language
from benchmarks.staleness.product import STATUS
from benchmarks.staleness.scores import CHANGED, FRESH, GONE, MOVED, RIGHT

from waypost import Memory, config

DEFINITIONS, LINES, BLOCKS = 30, 15, 15  # pins in each repository, as far as labels exist
ROUTES = ("stepwise", "direct", "worktree", "backwards")
WORD = re.compile(r"[\w$]+")
SHORTEST_LINE = 12  # letters, digits and signs; shorter ones are everywhere
ABSENT = "absent"  # none of its lines is left: it must be flagged, as changed or as gone


@dataclass(frozen=True, slots=True)
class Case:
    id: str
    kind: str  # function, method, type, line or block
    path: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Expected:
    label: str
    status: str | None  # None: any that flags
    path: str | None = None
    start: int | None = None


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


class Labels:
    """What became of pinned code at each later tag."""

    def __init__(self, repository: Repository, directory: Path, scratch: Path, command: Sequence[str]) -> None:
        tags = repository.tags
        self.trees = [histories.files(directory, tag, repository.history, repository.language) for tag in tags]
        self.texts = histories.blobs(directory, (blob for tree in self.trees for blob in tree.values()))
        self.trees = [{path: blob for path, blob in tree.items() if blob in self.texts} for tree in self.trees]
        suffixes = {blob: Path(path).suffix for tree in self.trees for path, blob in tree.items()}
        wanted = {blob: (suffixes[blob], self.texts[blob]) for blob in suffixes}
        self._read = reading.read(command, repository.language.name, wanted, scratch)
        self._words = {blob: frozenset(WORD.findall(text)) for blob, text in self.texts.items()}
        self._lines = {blob: _lines(text) for blob, text in self.texts.items()}
        self._placed = [
            labels.place(self.trees[0], self.trees[later], self._read, self.texts) for later in range(1, len(tags))
        ]
        self._labellers = [self._labeller(later) for later in range(1, len(tags))]
        self._index = [self._line_index(tree) for tree in self.trees]

    def _labeller(self, later: int) -> labels.Labeller:
        before, after = self.trees[0], self.trees[later]
        return labels.Labeller(
            self._placed[later - 1],
            labels.place(after, before, self._read, self.texts),
            {path: self._words[blob] for path, blob in before.items()},
            {path: self._words[blob] for path, blob in after.items()},
        )

    def _line_index(self, tree: Mapping[str, str]) -> dict[str, list[tuple[str, int]]]:
        index: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for path, blob in tree.items():
            for place, (_, text) in enumerate(self._lines[blob]):
                index[text].append((path, place))
        return index

    def definitions(self) -> Iterator[tuple[Case, list[Expected | None]]]:
        by_key = [{placed.key: placed for placed in rows} for rows in self._placed]
        for key, placed in sorted(by_key[0].items(), key=lambda item: _hash(*item[0])):
            if not 3 <= len(placed.lines) <= 300:
                continue
            expected: list[Expected | None] = []
            for labeller, rows in zip(self._labellers, by_key, strict=True):
                label = labeller.label(rows[key])
                if label.label == "out":
                    expected.append(None)
                    continue
                now = label.now
                place = (now.path, now.of.start) if now is not None else (None, None)
                expected.append(Expected(label.label, RIGHT[label.label], *place))
            yield Case(_hash(*key)[:12], placed.of.kind, placed.path, placed.of.start, placed.of.end), expected

    def pieces(self, height: int, outside: bool) -> Iterator[tuple[Case, list[Expected | None]]]:
        """Lines or blocks with a unique text; `outside` of all definitions or inside of them."""
        for path, blob in sorted(self.trees[0].items(), key=lambda item: _hash(*item)):
            inside = {row for one in self._read[blob] or () for row in range(one.start, one.end + 1)}
            rows = self._lines[blob]
            for place in sorted(range(len(rows) - height + 1), key=lambda place: _hash(path, str(place)))[:40]:
                block = rows[place : place + height]
                first, last = block[0][0], block[-1][0]
                texts = tuple(text for _, text in block)
                if last - first != height - 1 or any((row in inside) == outside for row, _ in block):
                    continue
                if not all(len(text) >= SHORTEST_LINE and WORD.search(text) for text in texts):
                    continue
                if len(self._found(0, texts)) == 1:
                    kind = "block" if height > 1 else "line"
                    case = Case(_hash(path, str(place), str(height))[:12], kind, path, first, last)
                    yield case, [self._piece_label(later, path, texts) for later in range(1, len(self.trees))]
                    break

    def _piece_label(self, later: int, path: str, texts: tuple[str, ...]) -> Expected | None:
        places = self._found(later, texts)
        if len(places) == 1:
            where, row = places[0]
            return Expected("same text", FRESH if where == path else MOVED, where, row)
        if not places and not any(text in self._index[later] for text in texts):
            return Expected(ABSENT, None)
        return None

    def _found(self, number: int, texts: tuple[str, ...]) -> list[tuple[str, int]]:
        out = []
        for path, place in self._index[number].get(texts[0], ()):
            rows = self._lines[self.trees[number][path]][place : place + len(texts)]
            if tuple(text for _, text in rows) == texts and rows[-1][0] - rows[0][0] == len(texts) - 1:
                out.append((path, rows[0][0]))
        return out


def _lines(text: str) -> list[tuple[int, str]]:
    """Line number and text without white space, quotes and a comma at the end, for lines that are not blank."""
    plain = str.maketrans("", "", "\"'")
    rows = (
        ("".join(line.translate(plain).split()).removesuffix(","), number)
        for number, line in enumerate(text.split("\n"), start=1)
    )
    return [(number, line) for line, number in rows if line]


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def cases_of(found: Labels) -> list[tuple[Case, list[Expected | None]]]:
    """Pins with the most interesting labels first: those whose labels differ from "unchanged"."""
    chosen: list[tuple[Case, list[Expected | None]]] = []
    definitions = [row for row in found.definitions() if any(row[1])]
    by_last = defaultdict(list)
    for row in definitions:
        last = next(expected for expected in reversed(row[1]) if expected is not None)
        by_last[last.label].append(row)
    while len(chosen) < DEFINITIONS and any(by_last.values()):
        for rows in by_last.values():
            if rows and len(chosen) < DEFINITIONS:
                chosen.append(rows.pop(0))
    for height, outside, most in ((1, False, LINES), (1, True, LINES), (3, True, BLOCKS)):
        rows = [row for row in found.pieces(height, outside) if any(row[1])]
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
            rows = {}
            for case_id, memory_id in self._ids.items():
                finding = memory.show(memory_id).links[0].finding
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
    parser.add_argument("--half", choices=("seen", "kept"), default="seen")
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
