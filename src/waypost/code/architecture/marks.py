"""Evidence from words in a file: authentication, settings, entry points, environment variables."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from waypost.code.architecture.evidence import ArchitectureEvidence, evidence
from waypost.code.architecture.frameworks import table
from waypost.code.source import SourceFile

_VARIABLE = r"([A-Z][A-Z0-9_]{1,60})"
_READ = re.compile(
    r"(?:\benviron(?:\.get\(|\.setdefault\(|\.pop\(|\[)|[gG]et_?[eE]nv\(|\b[eE]nv(?:\.[a-z]{1,8})?\(|env::var(?:_os)?\(|env!\("
    r"|ENV\[|ENV\.fetch\(|\$_ENV\[|\$_SERVER\[|LookupEnv\(|GetEnvironmentVariable\(|get_env\(|fetch_env!\(|env\.get\()"
    rf"\s{{0,4}}['\"]{_VARIABLE}['\"](?!\s{{0,4}}\]\s{{0,4}}=(?![=~]))"
    rf"|(?:process\.env|import\.meta\.env)(?:\.|\[['\"]){_VARIABLE}"
    rf"|%env\((?:\w{{1,20}}:){{0,4}}{_VARIABLE}\)"
)
# In these files `${NAME}` comes from the environment.
_PLACEHOLDER = re.compile(r"\$\{([A-Z][A-Z0-9_]{2,60})[:}]")
_PLACEHOLDER_FILES = re.compile(
    r"(?:^|/)(?:docker-)?compose[\w.\-]{0,100}\.ya?ml$|application[\w.\-]{0,100}\.(?:ya?ml|properties)$"
)
_WORDPRESS = ("register_rest_route(", "add_action( ", "add_action('", "add_filter( '", "add_filter('", "wp_enqueue_")
_LOCK = re.compile(r"(?:\.lock|[.\-]lock\.(?:json|ya?ml)|go\.sum|\.lockb|npm-shrinkwrap\.json)$")
_COMPOSE = re.compile(r"(?:^|/)(?:docker-)?compose[\w.\-]*\.ya?ml$")
_KINDS = ("auth", "settings", "entry", "design")
_WORD = re.compile(r"[A-Za-z_]\w+")
_ENVIRONMENT = frozenset(
    {"environ", "getenv", "env", "ENV", "_ENV", "_SERVER", "LookupEnv", "Getenv", "GetEnvironmentVariable"}
    | {"get_env", "fetch_env", "Env", "env_get"}
)
_MAX_VARIABLES = 200
_NOT_CODE = frozenset(("", "markdown", "json", "html", "css", "text", "rst", "xml", "sql", "svg", "dockerfile", "ini"))
_SERVER_VARIABLES = frozenset(
    ["REQUEST_METHOD", "REQUEST_URI", "HTTP_HOST", "DOCUMENT_ROOT", "SCRIPT_NAME", "REMOTE_ADDR"]
)


@dataclass(frozen=True, slots=True)
class _Mark:
    kind: str
    name: str
    languages: frozenset[str]
    mark: str


@cache
def _by_word() -> dict[str, tuple[_Mark, ...]]:
    """All marks by a word they contain, as a quick test before the full search."""
    marks_by_word: dict[str, list[_Mark]] = {}
    for kind in _KINDS:
        for entry in table("marks.toml")[kind]:
            for mark in entry["marks"]:
                languages = frozenset(entry.get("languages", ()))
                marks_by_word.setdefault(key_word(mark), []).append(_Mark(kind, entry["name"], languages, mark))
    return {word: tuple(marks) for word, marks in marks_by_word.items()}


def key_word(mark: str) -> str:
    """The longest whole word of a mark. A word at its end may continue in the text, so it counts only if alone."""
    words = list(_WORD.finditer(mark))
    whole = [match[0] for match in words if match.end() < len(mark)]
    return max(whole or [match[0] for match in words], key=len)


def auth_words() -> dict[str, str]:
    """What each mechanism is, by name."""
    return {entry["name"]: entry["what"] for entry in table("marks.toml")["auth"]}


def read_marks(source: SourceFile) -> Iterator[ArchitectureEvidence]:
    if _LOCK.search(source.path) or source.path.startswith((".github/", ".circleci/")):
        return
    if source.language in _NOT_CODE and not source.path.endswith((".yaml", ".yml", ".mix", ".exs")):
        yield from _compose_and_properties(source)
        return
    text = source.text
    words = set(_WORD.findall(text))
    yield from _marks(text, words, source.language)
    if source.language == "php" and any(mark in text for mark in _WORDPRESS):
        mark = next(mark for mark in _WORDPRESS if mark in text)
        yield evidence("import", "WordPress", mark, text.count("\n", 0, text.find(mark)) + 1)
    yield from _compose_and_properties(source)
    if words & _ENVIRONMENT:
        yield from _variables(_READ, text)


def _marks(text: str, words: set[str], language: str) -> Iterator[ArchitectureEvidence]:
    """The first place of each mark, at most five per name."""
    places: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for word in words & _by_word().keys():
        for candidate in _by_word()[word]:
            fits = not candidate.languages or language in candidate.languages
            if fits and (at := _place(text, candidate.mark)) >= 0:
                places.setdefault((candidate.kind, candidate.name), []).append((at, candidate.mark))
    for (kind, name), hits in sorted(places.items()):
        for at, mark in sorted(hits)[:5]:
            yield evidence(kind, name, mark, text.count("\n", 0, at) + 1, how="mark" if kind == "design" else "")


def _place(text: str, mark: str) -> int:
    """Where a mark first stands alone: not `lucia` in `fiducial`."""
    at = text.find(mark)
    while at >= 0:
        end = at + len(mark)
        before = at > 0 and text[at - 1].isalnum() and mark[0].isalnum()
        after = end < len(text) and mark[-1].isalnum() and (text[end].islower() or text[end].isdigit())
        if not before and not after and not _is_comment(text, at):
            return at
        at = text.find(mark, end)
    return -1


def _is_comment(text: str, at: int) -> bool:
    start = text.rfind("\n", max(0, at - 400), at) + 1
    line = text[start : start + 200].lstrip() if start or at < 400 else ""
    return line.startswith(("//", "/*", "* ", "<!--")) or (line.startswith("#") and not line.startswith("#["))


def _compose_and_properties(source: SourceFile) -> Iterator[ArchitectureEvidence]:
    if _COMPOSE.search(source.path):
        built = len(re.findall(r"^[ \t]+build:", source.text, re.MULTILINE))
        yield evidence("settings", "Docker Compose", str(built), 1)
    if "${" in source.text and (_PLACEHOLDER_FILES.search(source.path) or source.language == "properties"):
        yield from _variables(_PLACEHOLDER, source.text)


def variable_reads(text: str, name: str) -> list[int]:
    """The lines where code reads an environment variable."""
    return [text.count("\n", 0, match.start()) + 1 for match in _READ.finditer(text) if name in match.groups()]


def _variables(pattern: re.Pattern[str], text: str) -> Iterator[ArchitectureEvidence]:
    seen: set[str] = set()
    for match in pattern.finditer(text):
        name = next(group for group in match.groups() if group)
        if name not in seen and name not in _SERVER_VARIABLES:
            seen.add(name)
            yield evidence("env", name, "", text.count("\n", 0, match.start()) + 1)
            if len(seen) >= _MAX_VARIABLES:
                return
