"""What the benchmark of freshness is made of: functions of two commits, what they say of themselves, and who asks.

Everything is read from a bare git directory by Python's own parser, not by Waypost's. See `benchmarks/freshness.py`.
"""

import ast
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

from benchmarks.staleness.histories import History, Language, blobs, chosen, commits, files, git_directory

PAIRS = 2  # of each repository
DAYS = 365  # from the first commit of a pair to the second, and from that to the last one that asks
# Sorted by name: the first half of every two chooses the constants, the other one is reported apart.
REPOSITORIES: dict[str, tuple[str, tuple[str, ...]]] = {  # the last commit of the history; folders of the source
    "django/django": ("03988c5a5ba2", ("django",)),
    "encode/starlette": ("cb8f84f5284d", ("starlette",)),
    "pallets/click": ("2c8cd3ac958a", ("src/click", "click")),
    "pallets/flask": ("2ac89889f4cc", ("src/flask", "flask")),
    "pre-commit/pre-commit": ("a9bba55a3f74", ("pre_commit",)),
    "psf/requests": ("1f6589ec3a1e", ("src/requests", "requests")),
    "pydata/xarray": ("b1c1dc549b62", ("xarray",)),
    "pytest-dev/pytest": ("df87db7b0462", ("src/_pytest", "_pytest")),
    "sphinx-doc/sphinx": ("e44a40eb2f81", ("sphinx",)),
    "wagtail/wagtail": ("c2ae43b9265d", ("wagtail",)),
}
_SINCE = "2016-01-01"
_PYTHON = Language("python", (".py",), ("/test", "/migrations/", "/vendor", "packages/", "/locale/"), ())
_SENTENCE = re.compile(r"(?<=[.!?:])\s|\n\s*\n")
_NOISE = re.compile(r"\s*\(#\d+\)|^(?:Fixed|Refs|Fix) #\d+(?:, #\d+)* -- |^\[[\w.]+\] |#\d+|^(?:Closes|Fixes) ")
_BOTS = re.compile(r"dependabot|pre-commit-ci|renovate|^Bump |^Merge |^Revert |^Release|^Version ", re.IGNORECASE)
_FEWEST_WORDS = 4
_MOST_FILES = 6  # that a commit touches which asks: a sweep over everything asks about nothing


@dataclass(frozen=True, slots=True)
class Function:
    path: str
    name: str  # with its classes
    code: str  # its syntax tree without docstring and types: another tree is another meaning, as far as a rule can tell
    typed: str  # the same with types
    summary: str  # the first sentence of its docstring
    text: str  # what a memory says of it

    @property
    def reference(self) -> str:
        return f"{self.path}#{self.name}"


@dataclass(frozen=True, slots=True)
class Commit:
    subject: str
    body: str
    touched: frozenset[tuple[str, str]]  # functions whose code it changed: path and name


@dataclass(frozen=True, slots=True)
class Pair:
    repo: str
    a: str
    b: str
    day_a: date
    day_b: date
    before: dict[tuple[str, str], Function]
    after: dict[tuple[str, str], Function]
    between: dict[tuple[str, str], Function] = field(repr=False)
    asking: tuple[Commit, ...] = field(repr=False)  # after b
    told: tuple[Commit, ...] = field(repr=False)  # before a

    @property
    def changed(self) -> list[tuple[str, str]]:
        return [key for key in self._both if self.before[key].code != self.after[key].code]

    @property
    def unchanged(self) -> list[tuple[str, str]]:
        """Without those of which only types have changed: whether that is another meaning, nobody has to say here."""
        return [key for key in self._both if self.before[key].typed == self.after[key].typed]

    @property
    def _both(self) -> list[tuple[str, str]]:
        return sorted(self.before.keys() & self.after.keys())


class Functions:
    """The functions of files, parsed once for each content."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[Function, ...]] = {}

    def of(self, path: str, blob: str, text: str) -> tuple[Function, ...]:
        if (path, blob) not in self._known:
            try:
                tree = ast.parse(text)
            except (SyntaxError, ValueError, RecursionError):  # Python 2, or a template
                self._known[path, blob] = ()
            else:
                self._known[path, blob] = tuple(_functions(path, tree, ""))
        return self._known[path, blob]


def _functions(path: str, node: ast.AST, inside: str) -> Iterator[Function]:
    for child in getattr(node, "body", ()):
        if isinstance(child, ast.ClassDef):
            yield from _functions(path, child, f"{inside}{child.name}.")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            summary = first_sentence(ast.get_docstring(child) or "")
            if summary:
                child.body = child.body[1:] or [ast.Pass()]
            name, typed = f"{inside}{child.name}", ast.dump(child)
            _drop_types(child)
            yield Function(path, name, ast.dump(child), typed, summary, _told(path, name, child, summary))


def _drop_types(function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None


def first_sentence(docstring: str) -> str:
    return " ".join(_SENTENCE.split(docstring.strip())[0].split())


def _told(path: str, name: str, node: ast.FunctionDef | ast.AsyncFunctionDef, summary: str) -> str:
    """What the function says of itself: its arguments and their defaults, its docstring, what it calls and raises."""
    called = dict.fromkeys(
        found.func.attr if isinstance(found.func, ast.Attribute) else found.func.id
        for found in ast.walk(node)
        if isinstance(found, ast.Call) and isinstance(found.func, ast.Attribute | ast.Name)
    )
    raised = dict.fromkeys(
        ast.unparse(found.exc.func if isinstance(found.exc, ast.Call) else found.exc)
        for found in ast.walk(node)
        if isinstance(found, ast.Raise) and found.exc is not None
    )
    parts = [f"{name}({ast.unparse(node.args)[:300]}) in {path}."]
    if summary:
        parts.append(summary if summary[-1] in ".!?" else f"{summary}.")
    if called:
        parts.append(f"It calls {', '.join(list(called)[:12])}.")
    if raised:
        parts.append(f"It raises {', '.join(list(raised)[:4])}.")
    return " ".join(parts)


def pairs(root: Path, repo: str) -> list[Pair]:
    head, folders = REPOSITORIES[repo]
    directory = git_directory(root, repo)
    history = History(repo=repo, head=head, folders=folders, pairs=PAIRS, since=_SINCE)
    line = commits(directory, history, _PYTHON.ends)
    days = dict(line)
    functions = Functions()
    found = []
    # As far apart again after the second commit as before it, so that commits which ask are there.
    for a, c in chosen(line, PAIRS, 2 * DAYS):
        b = next(sha for sha, day in line if day >= days[a] + timedelta(days=DAYS))
        middle = next(sha for sha, day in line if day >= days[a] + timedelta(days=DAYS // 2))
        before, after, between = (_tree(directory, sha, history, functions) for sha in (a, b, middle))
        found.append(
            Pair(
                repo,
                a,
                b,
                days[a],
                days[b],
                before,
                after,
                between,
                tuple(_commits(directory, f"{b}..{c}", history, functions)),
                tuple(_messages(directory, a)),
            )
        )
    return found


def _tree(directory: Path, sha: str, history: History, functions: Functions) -> dict[tuple[str, str], Function]:
    """The functions of a commit, without those that are defined twice under one name: nobody could ask for one of them."""
    tree = files(directory, sha, history, _PYTHON)
    texts = blobs(directory, tree.values())
    by_name: dict[str, list[Function]] = defaultdict(list)
    for path, blob in tree.items():
        for one in functions.of(path, blob, texts[blob]) if blob in texts else ():
            by_name[one.name].append(one)
    return {(named[0].path, name): named[0] for name, named in by_name.items() if len(named) == 1}


def _commits(directory: Path, span: str, history: History, functions: Functions) -> Iterator[Commit]:
    """The commits of a span and the functions that each changed."""
    changes = [(subject, body, _files(rows)) for subject, body, rows in _log(directory, span, history.folders)]
    changes = [(subject, body, rows) for subject, body, rows in changes if 0 < len(rows) <= _MOST_FILES]
    texts = blobs(directory, {blob for _, _, rows in changes for _, old, new in rows for blob in (old, new)})
    for subject, body, rows in changes:
        touched: set[tuple[str, str]] = set()
        for path, old, new in rows:
            if old in texts and new in texts:
                was = {one.name: one.code for one in functions.of(path, old, texts[old])}
                now = {one.name: one.code for one in functions.of(path, new, texts[new])}
                touched |= {(path, name) for name in was.keys() & now.keys() if was[name] != now[name]}
        yield Commit(subject, body, frozenset(touched))


def _messages(directory: Path, sha: str) -> Iterator[Commit]:
    for subject, body, _ in _log(directory, sha, (), "-n300"):
        yield Commit(subject, body, frozenset())


def _log(directory: Path, span: str, folders: Sequence[str], *options: str) -> Iterator[tuple[str, str, list[str]]]:
    command = ["git", f"--git-dir={directory}", "log", "--no-merges", "--no-renames", "--raw", "--no-abbrev"]
    command += ["--format=%x1e%s%x1f%b%x1f", *options, span, "--", *folders]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode("utf-8", "replace")
    for row in told.split("\x1e")[1:]:
        subject, body, raw = row.split("\x1f", 2)
        if not _BOTS.search(subject) and len(without_numbers(subject).split()) >= _FEWEST_WORDS:
            yield without_numbers(subject), body.strip(), raw.strip().splitlines()


def without_numbers(subject: str) -> str:
    """A subject without the number of its issue, which no memory has."""
    return " ".join(_NOISE.sub(" ", subject).split())


def _files(rows: Sequence[str]) -> list[tuple[str, str, str]]:
    """Path, old and new content of the Python files that were changed."""
    found = []
    for row in rows:
        head, _, path = row.partition("\t")
        _, _, old, new, status = head.split()
        if status == "M" and path.endswith(_PYTHON.ends):
            found.append((path, old, new))
    return found
