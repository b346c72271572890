"""Do names of code in real prose lead to the right code? `python -m benchmarks.linking GIT_DIRECTORY… [--out links.tsv]`

The prose is commit messages (subject and body), and with `--documents` the paragraphs of changelogs and documentation
that the commit added. The index is what `waypost.code` reads in the tree of that commit. Nobody says which symbol a
message means, so two rules stand in for that:

touched: a link counts as right if it leads into a file that the commit changed. It is too strict: messages also name
code which they leave alone. So `--out` writes every link with its sentence, to be judged by a person.
covered: a message is about code if it has a word in backticks, with dots, with `()`, with `_` or with a capital inside
whose last part is the name of a symbol in the tree, or a path of it. It should get a link, or at least a suggestion.
"""

import argparse
import pickle
import re
import statistics
import subprocess
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from waypost.code.files.decoding import decode
from waypost.code.files.languages import is_document, is_test_path, language_of_path
from waypost.code.parse import parse
from waypost.code.source import SourceFile
from waypost.refs.links.find import LinkedText, index_query, link, typo_lookups
from waypost.refs.links.index_entry import IndexEntry
from waypost.refs.links.mentions import mentions

_LARGEST = 400_000
_BOTS = re.compile(r"dependabot|pre-commit-ci|renovate|^Bump |^Merge ", re.IGNORECASE | re.MULTILINE)
_TRAILERS = re.compile(r"^(?:Co-authored-by|Signed-off-by|Reviewed-by|Change-Id):.*$", re.IGNORECASE | re.MULTILINE)
# Written apart from the rules of waypost.refs, to judge them.
_NAMED = re.compile(
    r"`([\w.:#/]+)(?:\(\))?`|\b([A-Za-z]\w+(?:(?:\.|::|#)[A-Za-z]\w+)+)|\b(\w+)\(\)|\b([A-Za-z]+_\w+)|\b([A-Za-z]+[a-z][A-Z]\w+)"
)
_PLAIN_IN_TICKS = re.compile(r"[a-z]+")


class Row(NamedTuple):
    name: str
    qualified: str
    kind: str
    line: int
    end_line: int


@dataclass(slots=True)
class Tree:
    """What a commit's tree defines, by lower-cased name; files by their name as written."""

    symbols: dict[str, list[IndexEntry]] = field(default_factory=lambda: defaultdict(list))
    files: dict[str, list[IndexEntry]] = field(default_factory=lambda: defaultdict(list))
    exact: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Tally:
    texts: int = 0
    about_code: int = 0
    linked: int = 0
    answered: int = 0  # a link or a suggestion
    links: int = 0
    touched: int = 0
    suggestions: int = 0
    suggested_touched: int = 0  # one of the candidates is in a file that was changed
    reading: list[float] = field(default_factory=list)  # seconds
    linking: list[float] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)


class Repository:
    def __init__(self, directory: Path, cache: Path) -> None:
        self.directory = directory
        self.name = (directory.parent.name if directory.name in {"repo", ".git"} else directory.stem).split("+")[-1]
        self._cache = cache / f"{self.name}.pickle"
        self._rows: dict[str, tuple[Row, ...]] = pickle.loads(self._cache.read_bytes()) if self._cache.exists() else {}

    def git(self, *arguments: str) -> bytes:
        return subprocess.run(
            ["git", f"--git-dir={self.directory}", *arguments], check=True, capture_output=True
        ).stdout

    def messages(self, newest: int, count: int) -> list[tuple[str, str]]:
        """Commits spread evenly over the newest ones, with their messages; merges and robots left out."""
        raw = self.git("log", "--no-merges", f"-n{newest}", "--format=%H%x00%an%n%B%x01").decode("utf-8", "replace")
        found = []
        for entry in raw.split("\x01"):
            commit, _, body = entry.strip().partition("\0")
            if commit and not _BOTS.search(body):
                found.append((commit, _TRAILERS.sub("", body.partition("\n")[2]).strip()))
        step = max(1, len(found) // count)
        return found[::step][:count]

    def touched(self, commit: str) -> set[str]:
        raw = self.git("diff-tree", "--root", "--no-commit-id", "--name-only", "-r", "-z", commit)
        return {path for path in raw.decode("utf-8", "replace").split("\0") if path}

    def added_prose(self, commit: str) -> Iterator[str]:
        """Paragraphs that the commit added to its documents."""
        raw = self.git("show", "--format=", "-U0", commit, "--", "*.md", "*.rst", "*.txt").decode("utf-8", "replace")
        added = "\n".join(
            line[1:].strip() for line in raw.splitlines() if line.startswith("+") and not line.startswith("+++")
        )
        yield from (part for part in re.split(r"\n\s*\n", added) if 40 <= len(part) <= 1500)

    def tree(self, commit: str) -> Tree:
        tree = Tree()
        listed = self._listed(commit)
        self._parse_missing(listed)
        for sha, path in listed:
            name = path.rsplit("/", 1)[-1]
            is_test = is_test_path(path)
            tree.files[name].append(IndexEntry(name, path, "file", path, is_test=is_test))
            for row in self._rows.get(sha, ()):
                tree.exact.add(row.name)
                tree.symbols[row.name.lower()].append(
                    IndexEntry(row.name, row.qualified, row.kind, path, row.line, row.end_line, is_test=is_test)
                )
        return tree

    def save(self) -> None:
        self._cache.write_bytes(pickle.dumps(self._rows))

    def _listed(self, commit: str) -> list[tuple[str, str]]:
        listed = []
        for entry in self.git("ls-tree", "-r", "-z", "-l", commit).decode("utf-8", "replace").split("\0"):
            head, _, path = entry.partition("\t")
            if path and head.startswith("100") and (size := head.split()[3]).isdigit() and int(size) < _LARGEST:
                listed.append((head.split()[2], path))
        return listed

    def _parse_missing(self, listed: Sequence[tuple[str, str]]) -> None:
        missing = {sha: path for sha, path in listed if sha not in self._rows and _is_source(path)}
        if not missing:
            return
        batch = subprocess.run(
            ["git", f"--git-dir={self.directory}", "cat-file", "--batch"],
            input="\n".join(missing).encode(), check=True, capture_output=True,
        ).stdout  # fmt: skip
        position = 0
        for sha, path in missing.items():
            end = batch.index(b"\n", position)
            size = int(batch[position:end].split()[2])
            raw, position = batch[end + 1 : end + 1 + size], end + 2 + size
            self._rows[sha] = _rows(path, raw)


def _is_source(path: str) -> bool:
    language = language_of_path(path)
    return bool(language) and not is_document(language)


def _rows(path: str, raw: bytes) -> tuple[Row, ...]:
    decoded = decode(raw)
    if decoded is None:
        return ()
    parsed = parse(SourceFile(path, language_of_path(path), decoded.text))
    return tuple(Row(one.name, one.qualified, one.kind, one.lines.start, one.lines.end) for one in parsed.symbols)


def is_about_code(text: str, tree: Tree) -> bool:
    for found in _NAMED.finditer(text):
        word = next(group for group in found.groups() if group)
        name = re.split(r"::|[.#/]", word)[-1]
        if name in tree.exact and not (_PLAIN_IN_TICKS.fullmatch(word) and len(word) < 5):
            return True
        if word.rsplit("/", 1)[-1] in tree.files:
            return True
    return False


def linked(text: str, tree: Tree, project: str, tally: Tally) -> LinkedText:
    started = time.perf_counter()
    found = mentions(text)
    tally.reading.append(time.perf_counter() - started)
    asked = index_query(found)
    known: dict[str, list[IndexEntry]] = {name: tree.symbols[name] for name in asked.names if name in tree.symbols}
    for name in asked.file_names:
        if name in tree.files:
            known[name.lower()] = [*known.get(name.lower(), []), *tree.files[name]]
    for name in typo_lookups(found, known):
        if name in tree.symbols:
            known[name] = tree.symbols[name]
    started = time.perf_counter()
    answer = link(found, known, project=[project])
    tally.linking.append(time.perf_counter() - started)
    return answer


def measure(repository: Repository, options: argparse.Namespace, out: list[str]) -> Tally:
    tally = Tally()
    for commit, message in repository.messages(options.newest, options.commits):
        tree = repository.tree(commit)
        touched = repository.touched(commit)
        texts = repository.added_prose(commit) if options.documents else [message]
        for text in texts:
            _count(text, linked(text, tree, repository.name, tally), tree, touched, tally)
            out += _lines(repository.name, commit, text, linked(text, tree, repository.name, Tally()), tree, touched)
    repository.save()
    return tally


def _count(text: str, answer: LinkedText, tree: Tree, touched: set[str], tally: Tally) -> None:
    tally.texts += 1
    if is_about_code(text, tree):
        tally.about_code += 1
        tally.linked += bool(answer.links)
        tally.answered += bool(answer.links or answer.suggestions)
    tally.links += len(answer.links)
    tally.touched += sum(one.entry.path in touched for one in answer.links)
    tally.suggestions += len(answer.suggestions)
    tally.suggested_touched += sum(any(one.path in touched for one in asked.candidates) for asked in answer.suggestions)


def _lines(name: str, commit: str, text: str, answer: LinkedText, tree: Tree, touched: set[str]) -> Iterator[str]:
    for one in answer.links:
        context = text[max(0, one.mention.start - 60) : one.mention.start + len(one.mention.text) + 40]
        place = f"{one.entry.path}:{one.entry.line} {one.entry.kind} {one.entry.qualified}"
        state = "touched" if one.entry.path in touched else "other"
        yield "\t".join(
            ("link", name, commit[:10], state, str(one.confidence), one.mention.text, place, " ".join(context.split()))
        )
    for asked in answer.suggestions:
        places = " | ".join(f"{one.path} {one.qualified}" for one in asked.candidates[:3])
        yield "\t".join(("ask", name, commit[:10], asked.why, "", asked.text, places, ""))
    if not answer.links and is_about_code(text, tree):
        yield "\t".join(("none", name, commit[:10], "", "", "", "", " ".join(text.split())[:300]))


def _row(name: str, tally: Tally) -> str:
    return (
        f"{name:12} texts {tally.texts:4}  about code {tally.about_code:4}  linked {_share(tally.linked, tally.about_code)}"
        f"  or asked {_share(tally.answered, tally.about_code)}  links {tally.links:4}"
        f"  touched {_share(tally.touched, tally.links)}  questions {tally.suggestions:4}"
        f" (touched {_share(tally.suggested_touched, tally.suggestions)})"
        f"  read {statistics.median(tally.reading) * 1000:.2f} ms (max {max(tally.reading) * 1000:.1f})"
        f"  link {statistics.median(tally.linking) * 1000:.2f} ms (max {max(tally.linking) * 1000:.1f})"
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else " -  "


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", nargs="+", type=Path)
    parser.add_argument("--commits", type=int, default=150, help="of each repository")
    parser.add_argument("--newest", type=int, default=1500, help="commits to spread them over")
    parser.add_argument("--documents", action="store_true", help="paragraphs added to documents, not messages")
    parser.add_argument(
        "--cache", type=Path, default=Path(tempfile.gettempdir()) / "linking", help="where parsed files are kept"
    )
    parser.add_argument("--out", type=Path, help="every link, question and miss, one a line")
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    out: list[str] = []
    for directory in options.directories:
        repository = Repository(directory, options.cache)
        print(_row(repository.name, measure(repository, options, out)), flush=True)
    if options.out:
        options.out.write_text("\n".join(out) + "\n", "utf-8")


if __name__ == "__main__":
    main()
