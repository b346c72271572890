"""Configuration of any format as a flat table: dotted key → value as text.

Nothing is built from what a file says but strings: YAML's aliases stay names, its tags are not obeyed.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

from waypost.code.files.languages import language_of_path

MASKED = "masked-secret"  # stands where a secret was
_MASK = re.compile(r"\[secret: [\w-]{1,60}\]")
_LARGEST = 100_000  # characters; longer configuration is data
_MOST_BRACKETS = 60
_BRACKET = re.compile(r"[\[{\]}]")
_DASHES = re.compile(r"(?:[-?:] ){60}")
_MOST_KEYS = 4_000
_DEEPEST = 12
_NAMING = (
    "name",
    "id",
    "key",
    "repo",
    "uses",
    "image",
    "source",
    "path",
    "title",
    "file",
    "module",
    "package-ecosystem",
)
_ACTIONS = frozenset({"run", "script", "command", "args"})
_SHORT = 30
_VERSION = re.compile(r"@[\w./-]{1,100}$")
_TRAILING = re.compile(r",(\s*[\]}])")
_JSON_PART = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|//|/\*')
_INI_KEY = re.compile(r"([^=:\n]{1,200}?)\s{0,20}[=:](.*)")
_DOCKER = re.compile(
    r"^[ \t]{0,20}(FROM|EXPOSE|CMD|ENTRYPOINT|WORKDIR|USER|HEALTHCHECK|ENV|ARG)[ \t]+([^\n]{1,500})",
    re.IGNORECASE | re.MULTILINE,
)
_STAGE = re.compile(r"(?:--platform=\S{1,100}\s+)?(\S{1,300})(?:\s+AS\s+(\S{1,100}))?", re.IGNORECASE)

_Rows = Iterator[tuple[str, str]]


def flat_settings(path: str, text: str) -> dict[str, str] | None:
    """The settings in a file; None when it cannot be read or is of no format that has any."""
    reader = _reader(path)
    if reader is None:
        return None
    found: dict[str, str] = {}
    if not text.strip():
        return found
    if len(text) > _LARGEST or _is_deep(text):
        return None
    text = _MASK.sub(MASKED, text)  # brackets and a colon have a meaning of their own in YAML
    try:
        for key, value in reader(text):
            name, number = key, 2
            while name in found and number < 50:
                name, number = f"{key} ({number})", number + 1
            found.setdefault(name, value)
            if len(found) >= _MOST_KEYS:
                return None
    except (ValueError, RecursionError):
        return None
    return found


def _is_deep(text: str) -> bool:
    """Whether brackets stand in each other as nobody writes them: parsers take very long over that."""
    depth = 0
    for sign in _BRACKET.findall(text):
        depth = depth + 1 if sign in "[{" else max(0, depth - 1)
        if depth > _MOST_BRACKETS:
            return True
    return _DASHES.search(text) is not None


def _reader(path: str) -> Callable[[str], _Rows] | None:
    name = path.rpartition("/")[2].lower()
    if name.endswith((".properties", ".env.example", ".env.sample")):
        return _properties
    if name.startswith((".eslintrc", ".babelrc", ".prettierrc", ".stylelintrc")) and "." not in name[1:]:
        return _json
    return {"toml": _toml, "json": _json, "yaml": _yaml, "ini": _ini, "dockerfile": _dockerfile}.get(
        language_of_path(path)
    )


def _toml(text: str) -> _Rows:
    return _flat(tomllib.loads(text))


def _json(text: str) -> _Rows:
    """JSON with comments and trailing commas, as tools allow it."""
    try:
        data = json.loads(text)
    except ValueError:
        data = json.loads(_TRAILING.sub(r"\1", _without_comments(text)))
    return _flat(data)


def _without_comments(text: str) -> str:
    parts: list[str] = []
    position = 0
    while (found := _JSON_PART.search(text, position)) is not None:
        parts.append(text[position : found.start()])
        closing = {"//": "\n", "/*": "*/"}.get(found[0])
        if closing is None:
            parts.append(found[0])
            position = found.end()
            continue
        end = text.find(closing, found.end())
        position = len(text) if end < 0 else end if closing == "\n" else end + 2
    return "".join((*parts, text[position:]))


def _flat(data: Any) -> _Rows:
    """Keys of tables in tables. A list of plain values is one value; members of others are told by what names them."""
    stack: list[tuple[str, Any, int]] = [("", data, 0)]
    while stack:
        key, value, depth = stack.pop()
        if depth > _DEEPEST:
            continue
        if isinstance(value, dict):
            inner = [(_joined(key, str(name)), one, depth + 1) for name, one in value.items()]
            stack += reversed(inner)
        elif isinstance(value, list) and any(isinstance(one, (dict, list)) for one in value):
            stack += reversed([(_joined(key, _member(one, at)), one, depth + 1) for at, one in enumerate(value)])
        elif key:
            yield key, _text(value)


def _joined(above: str, name: str) -> str:
    name = " ".join(name.split())[:120]
    name = f'"{name}"' if "." in name else name
    return f"{above}.{name}" if above else name


def _member(value: Any, place: int) -> str:
    if isinstance(value, dict):
        for key in _NAMING:
            if isinstance(value.get(key), str) and value[key]:
                return _VERSION.sub("", value[key])[:80]
        for key, one in value.items():  # `python: 3.13` of a matrix; what is run is no name
            if isinstance(one, (str, int, float)) and key not in _ACTIONS and len(str(one)) <= _SHORT:
                return f"{key}={one}"
    return str(place)


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_text(one) for one in value) + "]"
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _yaml(text: str) -> _Rows:
    """Values as they are written: `3.10` stays `3.10`, and `on` is a key like others."""
    import yaml

    class Loader(yaml.SafeLoader):
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                event = self.get_event()  # type: ignore[no-untyped-call]
                return yaml.ScalarNode("tag:yaml.org,2002:str", f"*{event.anchor}", event.start_mark, event.end_mark)
            return super().compose_node(parent, index)

    try:
        documents = [_plain(node) for node in yaml.compose_all(text, Loader)]
    except yaml.YAMLError as error:
        raise ValueError("not YAML") from error
    if len(documents) == 1:
        return _flat(documents[0])
    return _flat({_document(one, place): one for place, one in enumerate(documents)})


def _plain(node: Any) -> Any:
    import yaml

    if isinstance(node, yaml.MappingNode):
        return {str(getattr(key, "value", "?")): _plain(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_plain(value) for value in node.value]
    return node.value if isinstance(node, yaml.ScalarNode) else None


def _document(value: Any, place: int) -> str:
    """One of several documents in a file: the kind and name of a Kubernetes object, or its number."""
    if not isinstance(value, dict):
        return str(place)
    about = value.get("metadata")
    name = about.get("name") if isinstance(about, dict) else None
    return f"{value['kind']} {name}" if isinstance(name, str) and isinstance(value.get("kind"), str) else str(place)


def _ini(text: str) -> _Rows:
    """Sections, keys, and values that go on in lines that are indented."""
    section = key = ""
    value: list[str] = []
    for line in text.splitlines():
        bare = line.strip()
        if not bare or bare[0] in "#;":
            continue
        if line[0] in " \t" and key:
            value.append(bare)
            continue
        if key:
            yield _joined(section, key), ", ".join(one for one in value if one)
            key, value = "", []
        if bare.startswith("[") and bare.endswith("]"):
            section = " ".join(bare[1:-1].split())
        elif found := _INI_KEY.match(bare[:4_000]):
            key, value = found[1].strip(), [found[2].strip()]
    if key:
        yield _joined(section, key), ", ".join(one for one in value if one)


def _properties(text: str) -> _Rows:
    for line in text.splitlines():
        bare = line.strip().removeprefix("export ")
        if bare and bare[0] not in "#!" and (found := _INI_KEY.match(bare[:4_000])):
            yield found[1].strip(), found[2].strip()


def _dockerfile(text: str) -> _Rows:
    for found in _DOCKER.finditer(text.replace("\\\n", " ")):
        word, rest = found[1].upper(), found[2].strip()
        stage = _STAGE.match(rest) if word == "FROM" else None
        if stage is not None:
            yield f"FROM {stage[2]}" if stage[2] else "FROM", stage[1]
        elif word in ("ENV", "ARG"):
            name, _, value = rest.replace(" ", "=", 1).partition("=") if "=" not in rest else rest.partition("=")
            yield f"{word} {name.strip()[:80]}", value.strip()
        else:
            yield word, rest
