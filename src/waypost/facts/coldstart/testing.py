"""Where the tests of a project lie: in folders of their own, or beside the code."""

import re
from collections import Counter, defaultdict

from waypost.facts.coldstart.slots import SEEN, Slots, code, listed, there
from waypost.facts.coldstart.tree import ProjectTree

_FOLDER = re.compile(r"tests?|specs?|__tests__|e2e|e2e-tests|test_suite|testing", re.IGNORECASE)
_PROJECT = re.compile(r"^[a-z]\w*Test$|(?:Tests?|UnitTests|FunctionalTests|IntegrationTests)$")
_ELSEWHERE = frozenset({"docs", "doc", "examples", "node_modules", "vendor", "samples", "fixtures", "testdata"})
_NAMES = (
    (re.compile(r"[^/]_test\.go$"), "`*_test.go`"),
    (re.compile(r"[^/]\.test\.[mc]?[jt]sx?$"), "`*.test.*`"),
    (re.compile(r"[^/]\.(?:spec|cy)\.[mc]?[jt]sx?$"), "`*.spec.*`"),
    (re.compile(r"(?:^|/)(?:test_[^/]+|[^/]+_tests?|tests)\.py$"), "`test_*.py`"),
    (re.compile(r"[^/](?:_spec|_test)\.rb$"), "`*_spec.rb`"),
    (re.compile(r"[^/]Tests?\.(?:java|kt|cs|php|swift)$"), "`*Test.*`"),
)
_LEAST = 3  # files beside the code that make it a habit
_LEAST_SHARE = 0.02  # of all files in folders of tests
_MOST_FOLDERS = 5


def test_slots(tree: ProjectTree) -> Slots:
    """`test_folders` and `test_names`, each where most tests are, both where neither is rare.

    A folder called `test` may hold nothing but helpers: where files of a language are named as tests elsewhere, it
    counts only with such a file in it.
    """
    inside: dict[str, list[str]] = defaultdict(list)
    beside: Counter[str] = Counter()
    named = {_ending(path) for path in tree.paths if _shape(path)}
    for path in tree.paths:
        folder = _folder_of_tests(path)
        if folder:
            inside[folder].append(path)
        elif (shape := _shape(path)) and not _ELSEWHERE.intersection(path.split("/")):
            beside[shape] += 1
    real = {folder: len(paths) for folder, paths in inside.items() if _has_tests(paths, named)}
    whole = sum(real.values())
    folders = [one for one, count in Counter(real).most_common() if count >= max(2, whole * _LEAST_SHARE)]
    shapes = [shape for shape, count in beside.most_common(2) if count >= max(_LEAST, whole / 10)]
    found: Slots = {}
    if folders and whole * 10 >= beside.total():
        shown = folders[:_MOST_FOLDERS]
        found["test_folders"] = there(listed(code(f"{one}/") for one in shown), shown, SEEN + 0.05)
    if shapes:
        found["test_names"] = there(listed(shapes), (), SEEN)
    return found


def _folder_of_tests(path: str) -> str:
    """The outermost folder of tests that a path lies in; "" for none."""
    parts = path.split("/")[:-1]
    for length, part in enumerate(parts, 1):
        if _FOLDER.fullmatch(part) or _PROJECT.search(part):
            return "/".join(parts[:length])
        if part.lower() in _ELSEWHERE:
            return ""
    return ""


def _has_tests(paths: list[str], named: set[str]) -> bool:
    return any(_shape(path) or _ending(path) not in named for path in paths if _ending(path) not in _NO_CODE)


_NO_CODE = frozenset(
    {"", "md", "txt", "json", "yml", "yaml", "toml", "html", "css", "snap", "lock", "xml", "sql", "png"}
)


def _shape(path: str) -> str:
    return next((shape for pattern, shape in _NAMES if pattern.search(path)), "")


def _ending(path: str) -> str:
    name = path.rpartition("/")[2]
    ending = name.rpartition(".")[2] if "." in name else ""
    return "js" if ending in ("ts", "tsx", "jsx", "mjs", "cjs", "mts", "cts") else ending
