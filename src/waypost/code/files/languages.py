"""The language of a file, by its name and first lines, and whether it is a test.

The table is in languages.toml. Nothing here reads the file itself.
"""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HEAD_CHARACTERS = 8000  # enough for a header

_DATA = Path(__file__).with_name("languages.toml")
_SHEBANG = re.compile(r"#![ \t]*(\S{1,200})((?:[ \t]+\S{1,100}){0,6})")
_EMACS_MODE = re.compile(r"-\*-[ \t]*(?:mode:[ \t]*)?([\w+#-]{1,20})[^\n]{0,60}-\*-", re.IGNORECASE)
_CPP_MARK = re.compile(
    r"^[ \t]*(?:(?:enum[ \t]+)?class[ \t]+\w|namespace\b|template[ \t]*<|using[ \t]+\w|(?:public|private|protected)[ \t]*:"
    r"|#[ \t]*include[ \t]*<(?:[a-z_]+|c(?:std\w+|math|assert))>)|\b(?:std::|constexpr\b|nullptr\b|virtual[ \t]|noexcept\b)",
    re.MULTILINE,
)
_OBJECTIVE_C_MARK = re.compile(r"^[ \t]*(?:@(?:interface|implementation|protocol|import|class|end)\b|#import\b)", re.M)
_PERL_MARK = re.compile(r"\A#!.{0,100}perl|^[ \t]*(?:use[ \t]+[\w:]+|package[ \t]+[\w:]+[ \t]*;|sub[ \t]+\w)", re.M)
_PASCAL_MARK = re.compile(r"^[ \t]*(?:unit|program|begin)\b", re.MULTILINE | re.IGNORECASE)
_MATLAB_MARK = re.compile(r"^[ \t]*(?:%|function\b|classdef\b)", re.MULTILINE)
_XML_START = re.compile(r"\A\s*<(?:\?xml|!DOCTYPE|\w)")
_PHP_START = re.compile(r"\A\s*<\?php")
# Extension, pattern, language if the pattern matches, language if not.
_SHARED = (
    (".m", _MATLAB_MARK, "matlab", "objectivec"),
    (".ts", _XML_START, "xml", "typescript"),  # Qt's translations
    (".t", _PERL_MARK, "perl", ""),
    (".pp", _PASCAL_MARK, "pascal", ""),  # Puppet's manifests have the same ending
    (".module", _PHP_START, "php", ""),  # Drupal's
    (".install", _PHP_START, "php", ""),
    (".theme", _PHP_START, "php", ""),
    (".config", _XML_START, "xml", "ini"),
)
_MODES = {"c++": "cpp", "objc": "objectivec", "sh": "shell", "shell-script": "shell", "js": "javascript", "c": "c"}

_TEST_FOLDERS = frozenset({"test", "tests", "__tests__", "spec", "specs", "testing", "e2e", "testdata", "unittests"})
_TEST_NAME = re.compile(
    r"(?:test_.*|.*[._-]tests?|.*[._-]specs?|tests?|conftest|.*[._-]cy|.*[._-]e2e)\.\w{1,10}"
    r"|(?:.*[a-z0-9](?:Test|Tests|TestCase|Spec|IT)|Test[A-Z0-9].*)\.(?:java|kt|kts|scala|groovy|cs|vb|fs|php|swift|dart|cpp|cc|m)"
)
_NAME_LIMIT = 300  # file names have at most 255 bytes


@dataclass(frozen=True, slots=True)
class _Table:
    names: dict[str, str]
    kinds: dict[str, str]
    extensions: dict[str, str]
    files: dict[str, str]
    prefixes: tuple[tuple[str, str], ...]
    interpreters: dict[str, str]


def language_of_path(path: str, head: str = "") -> str:
    """The language of a file by its name, its extension and its first characters; "" if unknown."""
    table = _table()
    name = path.rsplit("/", 1)[-1].lower()[:_NAME_LIMIT]
    language = table.files.get(name, "")
    if not language:
        language = next((value for prefix, value in table.prefixes if name.startswith(prefix)), "")
    if not language:
        language = _by_extension(name, table)
    head = head[:HEAD_CHARACTERS]
    if not language:
        return _by_shebang(head, table)
    return _refine(language, name, head) if head else language


def is_document(language: str) -> bool:
    """Whether a file of this language is prose or configuration, read as sections instead of symbols."""
    return _table().kinds.get(language) == "document"


def display_name(language: str) -> str:
    """The name as people write it: "C#" for "csharp". Unknown languages keep their name."""
    return _table().names.get(language, language)


def is_test_path(path: str) -> bool:
    """Whether a path looks like a test, by the conventions of common languages and frameworks."""
    *folders, name = path.split("/")
    if any(folder.lower() in _TEST_FOLDERS or folder.endswith((".Tests", ".Test", "_test")) for folder in folders):
        return True
    if len(name) > _NAME_LIMIT:
        return False
    # `latest.js` and `contest.py` are not tests.
    return _TEST_NAME.fullmatch(name) is not None


def _by_extension(name: str, table: _Table) -> str:
    parts = name.split(".")
    for start in range(max(1, len(parts) - 2), len(parts)):  # "x.blade.php": "blade.php", then "php"
        language = table.extensions.get(".".join(parts[start:]))
        if language:
            # "page.html.erb" is a template; "user.rb.erb" and "nginx.conf.j2" too. "x.yml.j2" reads better as YAML.
            inner = table.extensions.get(parts[-2], "") if len(parts) > 2 and start == len(parts) - 1 else ""
            return (
                inner if language in {"jinja", "erb"} and inner in {"yaml", "ini", "sql", "json", "toml"} else language
            )
    return ""


def _refine(language: str, name: str, head: str) -> str:
    """Decide extensions that several languages share."""
    if name.endswith(".h"):
        return _header_language(head)
    for ending, mark, with_mark, without in _SHARED:
        if name.endswith(ending):
            return with_mark if mark.search(head) else without
    return language


def _header_language(head: str) -> str:
    mode = _EMACS_MODE.search(head[:300])
    if mode:
        language = _MODES.get(mode[1].lower(), "")
        if language in {"c", "cpp", "objectivec"}:
            return language
    if _OBJECTIVE_C_MARK.search(head):
        return "objectivec"
    return "cpp" if _CPP_MARK.search(_without_extern_c(head)) else "c"


def _without_extern_c(head: str) -> str:
    """Without the block by which C headers allow C++ to include them."""
    return re.sub(r"#[ \t]*ifdef[ \t]+__cplusplus\b[^#]{0,400}#[ \t]*endif", "", head)


def _by_shebang(head: str, table: _Table) -> str:
    match = _SHEBANG.match(head)
    if match is None:
        if _PHP_START.match(head):
            return "php"
        return "xml" if head.startswith("<?xml") else ""
    words = [match[1].rsplit("/", 1)[-1], *match[2].split()]
    if words[0] == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    if not words:
        return ""
    program = words[0].rsplit("/", 1)[-1].lower()
    return table.interpreters.get(program) or table.interpreters.get(program.rstrip("0123456789.-"), "")


@cache
def _table() -> _Table:
    table = _Table({}, {}, {}, {}, (), {})
    prefixes: list[tuple[str, str]] = []
    for language, entry in tomllib.loads(_DATA.read_text(encoding="utf-8")).items():
        table.names[language] = entry["name"]
        table.kinds[language] = entry.get("kind", "code")
        table.extensions.update(dict.fromkeys(entry.get("extensions", ()), language))
        table.files.update(dict.fromkeys(entry.get("files", ()), language))
        table.interpreters.update(dict.fromkeys(entry.get("interpreters", ()), language))
        prefixes += [(prefix, language) for prefix in entry.get("prefixes", ())]
    return _Table(table.names, table.kinds, table.extensions, table.files, tuple(prefixes), table.interpreters)
