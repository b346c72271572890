"""Keys of configuration files and where their blocks begin. Works by line, so no input can exhaust a parser."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LONG = 40  # lines; a longer block is split at its inner keys
SHORT = 3  # lines; adjacent blocks up to this size form one section
TOGETHER = 12  # lines that short neighbours form at most
DEEPEST = 3  # levels of keys

_LINE_LENGTH = 300
_NAME_LENGTH = 80
_SCALAR_BLOCK = re.compile(r"(?:^|[ \t])[|>][-+0-9]{0,3}[ \t]*(?:#.*)?\r?$")
_TOML_TABLE = re.compile(r"[ \t]*+\[{1,2}[ \t]*+([^\[\]\n,=]{1,200}?)[ \t]*\]{1,2}[ \t]*+(?:#.*)?\r?$")
_ASSIGNMENT = re.compile(r"""[ \t]*(?:export[ \t]+)?([\w.$@/"'-]{1,100})[ \t]*[=:]""")
_INI_SECTION = re.compile(r"[ \t]*\[([^\[\]\n]{1,200})\]")
_JSON_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*+)(?:"|$)|//.*|[{}\[\]:,]')
_NAMING_KEYS = frozenset({"name", "id", "title", "key", "label"})


@dataclass(slots=True)
class ConfigKey:
    line: int  # from 0
    depth: int  # 0 for the top level
    name: str


def key_starts(keys: Sequence[ConfigKey], lines: Sequence[str]) -> list[tuple[int, str]]:
    """Where sections begin: at top-level keys, at inner keys of long blocks, at the first of several short blocks."""
    _include_comments(keys, lines)
    starts: list[tuple[int, str]] = []
    for line, names in _divide(keys, 0, len(keys), len(lines), ()):
        starts.append((line, ".".join(name for name in names if name)))
    if starts and not any(character.isalnum() for line in lines[: starts[0][0]] for character in line):
        starts[0] = (0, starts[0][1])  # only a bracket or `---` before it
    return starts


def _divide(
    keys: Sequence[ConfigKey], first: int, last: int, end: int, above: tuple[str, ...]
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The sections of `keys[first:last]`, which end before line `end`."""
    depth = len(above)
    places = [place for place in range(first, last) if keys[place].depth == depth]
    run: list[tuple[int, str]] = []  # short neighbours that form one section
    for order, place in enumerate(places):
        following = places[order + 1] if order + 1 < len(places) else last
        start, stop = keys[place].line, keys[following].line if following < last else end
        if stop - start <= SHORT and (not run or stop - run[0][0] <= TOGETHER):
            run.append((start, keys[place].name))
            continue
        if run:
            yield _join_short(run, above)
            run = []
        names = (*above, keys[place].name)
        if stop - start <= SHORT:
            run.append((start, keys[place].name))
            continue
        inner: list[tuple[int, tuple[str, ...]]] = []
        if stop - start > LONG and depth + 1 < DEEPEST:
            inner = list(_divide(keys, place + 1, following, stop, names))
        if inner and inner[0][0] - start < SHORT:  # the line of the key joins its first inner section
            inner[0] = (start, inner[0][1])
        else:
            yield start, names
        yield from inner
    if run:
        yield _join_short(run, above)


def _join_short(run: Sequence[tuple[int, str]], above: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
    names = [name for _, name in run if name]
    title = ", ".join(names[:6]) + (", …" if len(names) > 6 else "")
    return run[0][0], (*above, title)


def _include_comments(keys: Sequence[ConfigKey], lines: Sequence[str]) -> None:
    """Let each key begin at the comment right above it."""
    before = -1
    for key in keys:
        line = key.line
        while line - 1 > before and lines[line - 1].lstrip()[:2].startswith(("#", ";", "//")):
            line -= 1
        before = key.line
        key.line = line


def yaml_keys(lines: Sequence[str]) -> list[ConfigKey]:
    """Keys and list items by indentation. Several documents in a file add one level."""
    breaks = [place for place, line in enumerate(lines) if line.startswith("---") and not line[3:4].strip()]
    several = len(breaks) > 1 or (len(breaks) == 1 and any(_yaml_name(line) for line in lines[: breaks[0]]))
    keys: list[ConfigKey] = []
    levels: list[int] = []  # doubled indentation of the parent keys; a list item adds one
    scalar: int | None = None  # indentation of the key whose text block continues
    for place, line in enumerate(lines):
        text = line[:_LINE_LENGTH].lstrip(" ")
        indent = len(line) - len(line.lstrip(" "))
        if not text.strip() or text[0] in "#%":
            continue
        if scalar is not None:
            if indent > scalar:
                continue
            scalar = None
        is_break = line.startswith("---")
        if several and (is_break or not keys):
            keys.append(ConfigKey(place, 0, _document_name(lines, place)))
            levels = [-1]
        if is_break:
            continue
        is_item = text.startswith("- ") or text.rstrip() == "-"
        name = _item_name(text) if is_item else _yaml_name(text)
        if not is_item and not name:
            continue
        level = 2 * indent + is_item
        while levels and levels[-1] >= level:
            levels.pop()
        if len(levels) < DEEPEST:
            keys.append(ConfigKey(place, len(levels), name))
        levels.append(level)
        if _SCALAR_BLOCK.search(text):
            scalar = indent
    return keys


def _yaml_name(line: str) -> str:
    """The key of a line `key: value`, or ""."""
    line = line[:_LINE_LENGTH].strip()
    if line[:1] in {'"', "'"}:
        close = line.find(line[0], 1)
        return line[1:close][:_NAME_LENGTH] if close > 0 and line[close + 1 :].lstrip().startswith(":") else ""
    colon = line.find(": ")
    name = line[:colon] if colon > 0 else line[:-1] if line.endswith(":") else ""
    return name.strip() if len(name) <= _NAME_LENGTH and not name.startswith(("-", "{", "[", "#")) else ""


def _item_name(text: str) -> str:
    text = text[1:].strip()
    name = _yaml_name(text)
    if not name:
        return text.strip("\"'")[:_NAME_LENGTH]
    value = text[len(name) + 1 :].strip(" \"'")
    return value[:_NAME_LENGTH] if name in _NAMING_KEYS and value else name


def _document_name(lines: Sequence[str], first: int) -> str:
    """The kind and name of a Kubernetes object, to name one of several documents."""
    kind = name = ""
    for line in lines[first + 1 : first + 40]:
        if line.startswith("---"):
            break
        if line.startswith("kind:"):
            kind = line[5:].strip()
        elif not name and line.strip().startswith("name:"):
            name = line.strip()[5:].strip()
    return f"{kind} {name}".strip()[:_NAME_LENGTH]


def toml_keys(lines: Sequence[str]) -> list[ConfigKey]:
    keys: list[ConfigKey] = []
    inside = False  # a table: its keys are one level deeper
    quote = ""
    for place, line in enumerate(lines):
        if quote:
            if quote in line:
                quote = ""
            continue
        if table := _TOML_TABLE.match(line[:_LINE_LENGTH]):
            inside = True
            keys.append(ConfigKey(place, 0, table[1]))
        elif assignment := _ASSIGNMENT.match(line[:_LINE_LENGTH]):
            keys.append(ConfigKey(place, int(inside), assignment[1].strip("\"'")))
        for mark in ('"""', "'''"):
            if not quote and line.count(mark) % 2:
                quote = mark
    return keys


def ini_keys(lines: Sequence[str]) -> list[ConfigKey]:
    keys: list[ConfigKey] = []
    inside = False
    for place, line in enumerate(lines):
        if line[:1] in {"#", ";", ""} or (line[0].isspace() and not line.lstrip().startswith("[")):
            continue
        if section := _INI_SECTION.match(line[:_LINE_LENGTH]):
            inside = True
            keys.append(ConfigKey(place, 0, section[1].strip()))
        elif assignment := _ASSIGNMENT.match(line[:_LINE_LENGTH]):
            keys.append(ConfigKey(place, int(inside), assignment[1].strip("\"'")))
    return keys


def json_keys(lines: Sequence[str]) -> list[ConfigKey]:
    """Keys of objects and members of lists, by brackets. A file on one line has none."""
    if len(lines) < 3:
        return []
    keys: list[ConfigKey] = []
    brackets: list[str] = []
    members: list[ConfigKey | None] = []  # the list member of each open bracket
    for place, line in enumerate(lines):
        text = ""
        naming: ConfigKey | None = None
        for token in _JSON_TOKEN.finditer(line):
            sign = token[0]
            if sign[0] == '"':
                if naming is not None and not naming.name:
                    naming.name = token[1][:_NAME_LENGTH]
                naming, text = None, token[1]
            elif sign == ":" and text and brackets and brackets[-1] == "{":
                if len(brackets) <= DEEPEST:
                    keys.append(ConfigKey(place, len(brackets) - 1, text[:_NAME_LENGTH]))
                naming, text = members[-1] if text in _NAMING_KEYS else None, ""
            elif sign in "{[":
                member = None
                if brackets and brackets[-1] == "[" and len(brackets) <= DEEPEST:
                    member = ConfigKey(place, len(brackets) - 1, "")
                    keys.append(member)
                brackets.append(sign)
                members.append(member)
                text = ""
            elif sign in "}]" and brackets:
                brackets.pop()
                members.pop()
    return keys
