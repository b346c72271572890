"""What a path says against its file as an answer: it only accompanies the code, or there is a better one beside it.

All of it holds unless the question asks for such a file: "tests of the parser", "v3 errors", "on windows".
"""

import re
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass

from waypost.retrieve.code_question import CodeQuestion
from waypost.retrieve.code_words import code_words

TEST = -1.5
SIDE = -0.3  # examples, benchmarks, scripts, vendored and generated code
DOCUMENT = -0.5
DECLARATION = -0.4  # `idna.h`, `api.d.ts`, `core.pyi` where the file with the code is a candidate too
OLD = -1.2  # `v3` where there is a `v4`
PLATFORM = -1.0

_DOCUMENT_WORDS = frozenset(
    (
        *("readme", "documentation", "docs", "changelog", "tutorial", "guide", "installation", "notes", "contributing"),
        *("license", "licence", "dokumentation", "anleitung", "лицензия", "документация", "руководство"),
    )
)
_DECLARES = re.compile(r"\.(?:h|hh|hpp|hxx|pyi|d\.[mc]?ts)$")
_PATH_WORD = re.compile(r"[^/_.\-]+")
_VERSION = re.compile(r"(?<![a-z0-9])v(\d{1,3})(?![\d.])")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the other candidates' files are."""

    newest: Mapping[str, int]  # what stands before a version in a path → the highest version there
    coded: Set[str]  # names, without endings, of files that do not only declare

    @classmethod
    def of(cls, paths: Collection[str]) -> "Surroundings":
        newest: dict[str, int] = {}
        for path in paths:
            for before, number in _versions(path):
                newest[before] = max(newest.get(before, 0), number)
        return cls(newest, {_stem(path) for path in paths if not _DECLARES.search(path)})


def only_declares(path: str) -> bool:
    """Whether a file says what there is and other files do it: every file that uses those includes this one."""
    return _DECLARES.search(path) is not None


def role_of(question: CodeQuestion, path: str, around: Surroundings, *, is_test: bool, is_document: bool) -> float:
    """How much less a file counts, 0 or below; `around` must be of paths with this one among them."""
    words = code_words()
    role = 0.0
    if is_test and not question.asks_tests:
        role += TEST
    if is_document and question.words.isdisjoint(_DOCUMENT_WORDS):
        role += DOCUMENT
    side = words.side_folders.intersection(path.lower().split("/")[:-1])
    if side and question.words.isdisjoint(side):
        role += SIDE
    platforms = words.platforms.intersection(_PATH_WORD.findall(path.lower()))
    if platforms and question.words.isdisjoint(platforms):
        role += PLATFORM
    if any(
        number < around.newest[before] and str(number) not in question.versions for before, number in _versions(path)
    ):
        role += OLD
    if _DECLARES.search(path) and _stem(path) in around.coded:
        role += DECLARATION
    return role


def _stem(path: str) -> str:
    """The name of a file without directories and endings: headers often have a folder of their own."""
    return path.rpartition("/")[2].split(".")[0]


def _versions(path: str) -> list[tuple[str, int]]:
    """`src/v3/x.ts` has version 3 after `src/`."""
    return [(path[: match.start()], int(match[1])) for match in _VERSION.finditer(path.lower())]
