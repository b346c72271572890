"""Where the tests of a project are: in their own folders, or beside the code."""

import re
from collections import Counter, defaultdict

from waypost.facts.coldstart.slots import OBSERVED, Slots, code, seen_slot
from waypost.facts.coldstart.tree import ProjectTree
from waypost.text.plural import join_items

_FOLDER = re.compile(r"tests?|specs?|__tests__|e2e|e2e-tests|test_suite|testing", re.I)
_PROJECT = re.compile(r"^[a-z]\w*Test$|(?:Tests?|UnitTests|FunctionalTests|IntegrationTests)$")
_NOT_TESTS = frozenset(
    {
        *("docs", "doc", "examples", "samples", "fixtures", "testdata", "node_modules", "vendor", "vendored", "deps"),
        *("third_party", "third-party", "thirdparty", "extern", "external", "externals", "subprojects"),
    }
)
_NAMES = (
    (re.compile(r"[^/]_test\.go$"), "`*_test.go`"),
    (re.compile(r"[^/]\.test\.[mc]?[jt]sx?$"), "`*.test.*`"),
    (re.compile(r"[^/]\.(?:spec|cy)\.[mc]?[jt]sx?$"), "`*.spec.*`"),
    (re.compile(r"(?:^|/)(?:test_[^/]+|[^/]+_tests?|tests)\.py$"), "`test_*.py`"),
    (re.compile(r"[^/](?:_spec|_test)\.rb$"), "`*_spec.rb`"),
    (re.compile(r"[^/]Tests?\.(?:java|kt|cs|php|swift)$"), "`*Test.*`"),
)
_LEAST = 3  # test files beside the code that make a convention
_LEAST_SHARE = 0.02  # of all files in test folders
_MOST_FOLDERS = 5


def test_slots(tree: ProjectTree) -> Slots:
    """`test_folders` or `test_names`, whichever has most tests, or both if neither is rare.

    A folder called `test` may contain only helpers. If a language has test files with test names elsewhere, the folder
    counts only if it has such a file.
    """
    paths_by_folder: dict[str, list[str]] = defaultdict(list)
    names_beside_code: Counter[str] = Counter()
    test_endings = {_ending(path) for path in tree.paths if _name_pattern(path)}
    for path in tree.paths:
        folder = _test_folder(path)
        if folder:
            paths_by_folder[folder].append(path)
        elif (shape := _name_pattern(path)) and not _NOT_TESTS.intersection(path.split("/")):
            names_beside_code[shape] += 1
    counts = {folder: len(paths) for folder, paths in paths_by_folder.items() if _has_tests(paths, test_endings)}
    total = sum(counts.values())
    folders = [folder for folder, count in Counter(counts).most_common() if count >= max(2, total * _LEAST_SHARE)]
    shapes = [shape for shape, count in names_beside_code.most_common(2) if count >= max(_LEAST, total / 10)]
    slots: Slots = {}
    if folders and total * 10 >= names_beside_code.total():
        shown_folders = folders[:_MOST_FOLDERS]
        names = join_items(code(f"{folder}/") for folder in shown_folders)
        slots["test_folders"] = seen_slot(names, shown_folders, OBSERVED + 0.05)
    if shapes:
        examples = [path for path in tree.paths if _name_pattern(path) in shapes and not _test_folder(path)]
        slots["test_names"] = seen_slot(join_items(shapes), examples[:2], OBSERVED)
    return slots


def _test_folder(path: str) -> str:
    parts = path.split("/")[:-1]
    for length, part in enumerate(parts, 1):
        if _FOLDER.fullmatch(part) or _PROJECT.search(part):
            return "/".join(parts[:length])
        if part.lower() in _NOT_TESTS:
            return ""
    return ""


def _has_tests(paths: list[str], test_endings: set[str]) -> bool:
    sources = [path for path in paths if _ending(path) not in _NO_CODE]
    return any(_name_pattern(path) or _ending(path) not in test_endings for path in sources)


_NO_CODE = frozenset(
    {"", "md", "txt", "json", "yml", "yaml", "toml", "html", "css", "snap", "lock", "xml", "sql", "png"}
)


def _name_pattern(path: str) -> str:
    return next((shape for pattern, shape in _NAMES if pattern.search(path)), "")


def _ending(path: str) -> str:
    name = path.rpartition("/")[2]
    ending = name.rpartition(".")[2] if "." in name else ""
    return "js" if ending in ("ts", "tsx", "jsx", "mjs", "cjs", "mts", "cts") else ending
