"""Keys of configuration: where the block of each begins, by lines, without a parser that could be made to blow up."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LONG = 40  # lines; a longer block is divided at its own keys
SHORT = 3  # lines; neighbours as short as this are one section
TOGETHER = 12  # lines that short neighbours make at most
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
    """Where sections begin: at every top-level key, at inner ones of long blocks, at the first of short neighbours."""
    _take_comments(keys, lines)
    starts: list[tuple[int, str]] = []
    for line, names in _divide(keys, 0, len(keys), len(lines), ()):
        starts.append((line, _title(names)))
    if starts and not any(character.isalnum() for line in lines[: starts[0][0]] for character in line):
        starts[0] = (0, starts[0][1])  # a lone bracket or `---`
    return starts


def _divide(
    keys: Sequence[ConfigKey], first: int, last: int, end: int, above: tuple[str, ...]
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """The sections of `keys[first:last]`, which end before line `end`."""
    depth = len(above)
    places = [place for place in range(first, last) if keys[place].depth == depth]
    run: list[tuple[int, str]] = []  # short neighbours, put together
    for order, place in enumerate(places):
        following = places[order + 1] if order + 1 < len(places) else last
        start, stop = keys[place].line, keys[following].line if following < last else end
        if stop - start <= SHORT and (not run or stop - run[0][0] <= TOGETHER):
            run.append((start, keys[place].name))
            continue
        if run:
            yield _joined(run, above)
            run = []
        names = (*above, keys[place].name)
        if stop - start <= SHORT:
            run.append((start, keys[place].name))
            continue
        inner: list[tuple[int, tuple[str, ...]]] = []
        if stop - start > LONG and depth + 1 < DEEPEST:
            inner = list(_divide(keys, place + 1, following, stop, names))
        if inner and inner[0][0] - start < SHORT:  # the bare line of the key goes with what is first in it
            inner[0] = (start, inner[0][1])
        else:
            yield start, names
        yield from inner
    if run:
        yield _joined(run, above)


def _joined(run: Sequence[tuple[int, str]], above: tuple[str, ...]) -> tuple[int, tuple[str, ...]]:
    names = [name for _, name in run if name]
    shown = ", ".join(names[:6]) + (", …" if len(names) > 6 else "")
    return run[0][0], (*above, shown)


def _title(names: Sequence[str]) -> str:
    return ".".join(name for name in names if name)


def _take_comments(keys: Sequence[ConfigKey], lines: Sequence[str]) -> None:
    """Let each key begin at the comment right above it."""
    before = -1
    for key in keys:
        line = key.line
        while line - 1 > before and lines[line - 1].lstrip()[:2].startswith(("#", ";", "//")):
            line -= 1
        before = key.line
        key.line = line


def yaml_keys(lines: Sequence[str]) -> list[ConfigKey]:
    """Keys and list items by their indentation; each of several documents in a file is a level of its own."""
    breaks = [place for place, line in enumerate(lines) if line.startswith("---") and not line[3:4].strip()]
    several = len(breaks) > 1 or (len(breaks) == 1 and any(_yaml_name(line) for line in lines[: breaks[0]]))
    keys: list[ConfigKey] = []
    levels: list[int] = []  # the indentation of the keys above, doubled; a list item counts half a step more
    scalar: int | None = None  # the indentation of the key whose text block goes on
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
    """The key of a line `key: value`; "" when there is none."""
    line = line[:_LINE_LENGTH].strip()
    if line[:1] in {'"', "'"}:
        close = line.find(line[0], 1)
        return line[1:close][:_NAME_LENGTH] if close > 0 and line[close + 1 :].lstrip().startswith(":") else ""
    found = line.find(": ")
    name = line[:found] if found > 0 else line[:-1] if line.endswith(":") else ""
    return name.strip() if len(name) <= _NAME_LENGTH and not name.startswith(("-", "{", "[", "#")) else ""


def _item_name(text: str) -> str:
    text = text[1:].strip()
    name = _yaml_name(text)
    if not name:
        return text.strip("\"'")[:_NAME_LENGTH]
    value = text[len(name) + 1 :].strip(" \"'")
    return value[:_NAME_LENGTH] if name in _NAMING_KEYS and value else name


def _document_name(lines: Sequence[str], first: int) -> str:
    """What a document among several is about: the kind and name of a Kubernetes object."""
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
    inside = False  # a table: the keys of one are a level deeper
    quote = ""
    for place, line in enumerate(lines):
        if quote:
            if quote in line:
                quote = ""
            continue
        if table := _TOML_TABLE.match(line[:_LINE_LENGTH]):
            inside = True
            keys.append(ConfigKey(place, 0, table[1]))
        elif found := _ASSIGNMENT.match(line[:_LINE_LENGTH]):
            keys.append(ConfigKey(place, int(inside), found[1].strip("\"'")))
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
        elif found := _ASSIGNMENT.match(line[:_LINE_LENGTH]):
            keys.append(ConfigKey(place, int(inside), found[1].strip("\"'")))
    return keys


def json_keys(lines: Sequence[str]) -> list[ConfigKey]:
    """Keys of objects and members of lists by their brackets; a file on one line has none."""
    if len(lines) < 3:
        return []
    keys: list[ConfigKey] = []
    brackets: list[str] = []
    members: list[ConfigKey | None] = []  # the list member that each open bracket belongs to
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
