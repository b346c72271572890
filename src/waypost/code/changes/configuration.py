"""Configuration of any format as a flat table: dotted key → value as text.

Only strings are built from a file: YAML aliases stay names, and tags are ignored.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

from waypost.code.files.languages import language_of_path
from waypost.code.resolve.ecmascript import plain_json

MASKED = "masked-secret"  # replaces a secret
_MASK = re.compile(r"\[secret: [\w-]{1,60}\]")
_LARGEST = 100_000  # characters; longer files are data
_MOST_BRACKETS = 60
_BRACKET = re.compile(r"[\[{\]}]")
_DASHES = re.compile(r"(?:[-?:] ){60}")
_MOST_KEYS = 4_000
_DEEPEST = 12
_NAMING = (
    *("name", "id", "key", "repo", "uses", "image", "source", "path", "title", "file", "module"),
    "package-ecosystem",
)
_ACTIONS = frozenset({"run", "script", "command", "args"})
_SHORT = 30
_VERSION = re.compile(r"@[\w./-]{1,100}$")
_INI_KEY = re.compile(r"([^=:\n]{1,200}?)\s{0,20}[=:](.*)")
_DOCKER = re.compile(
    r"^[ \t]{0,20}(FROM|EXPOSE|CMD|ENTRYPOINT|WORKDIR|USER|HEALTHCHECK|ENV|ARG)[ \t]+([^\n]{1,500})",
    re.IGNORECASE | re.MULTILINE,
)
_STAGE = re.compile(r"(?:--platform=\S{1,100}\s+)?(\S{1,300})(?:\s+AS\s+(\S{1,100}))?", re.IGNORECASE)

_Rows = Iterator[tuple[str, str]]


def flat_settings(path: str, text: str) -> dict[str, str] | None:
    """The settings in a file, or None if it is unreadable or has no settings format."""
    reader = _reader(path)
    if reader is None:
        return None
    settings: dict[str, str] = {}
    if not text.strip():
        return settings
    if len(text) > _LARGEST or _is_deep(text):
        return None
    text = _MASK.sub(MASKED, text)  # brackets and colons have a meaning in YAML
    try:
        for key, value in reader(text):
            name, number = key, 2
            while name in settings and number < 50:
                name, number = f"{key} ({number})", number + 1
            settings.setdefault(name, value)
            if len(settings) >= _MOST_KEYS:
                return None
    except (ValueError, RecursionError):
        return None
    return settings


def _is_deep(text: str) -> bool:
    """Whether brackets nest too deeply: parsers take very long on such files."""
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
    """JSON with comments and trailing commas."""
    try:
        data = json.loads(text)
    except ValueError:
        data = json.loads(plain_json(text))
    return _flat(data)


def _flat(data: Any) -> _Rows:
    """Keys of nested tables. A list of plain values is one value; other members get a name from their content."""
    stack: list[tuple[str, Any, int]] = [("", data, 0)]
    while stack:
        key, value, depth = stack.pop()
        if depth > _DEEPEST:
            continue
        if isinstance(value, dict):
            inner = [(_join_key(key, str(name)), member, depth + 1) for name, member in value.items()]
            stack += reversed(inner)
        elif isinstance(value, list) and any(isinstance(member, (dict, list)) for member in value):
            stack += reversed(
                [(_join_key(key, _member(member, at)), member, depth + 1) for at, member in enumerate(value)]
            )
        elif key:
            yield key, _text(value)


def _join_key(above: str, name: str) -> str:
    name = " ".join(name.split())[:120]
    name = f'"{name}"' if "." in name else name
    return f"{above}.{name}" if above else name


def _member(value: Any, place: int) -> str:
    if isinstance(value, dict):
        for key in _NAMING:
            if isinstance(value.get(key), str) and value[key]:
                return _VERSION.sub("", value[key])[:80]
        for key, scalar in value.items():  # `python: 3.13` of a matrix; commands are not names
            if isinstance(scalar, (str, int, float)) and key not in _ACTIONS and len(str(scalar)) <= _SHORT:
                return f"{key}={scalar}"
    return str(place)


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_text(member) for member in value) + "]"
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _yaml(text: str) -> _Rows:
    """Values as written: `3.10` stays `3.10`, and `on` is an ordinary key."""
    import yaml

    class Loader(yaml.SafeLoader):
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                event = self.get_event()  # type: ignore[no-untyped-call]
                return yaml.ScalarNode("tag:yaml.org,2002:str", f"*{event.anchor}", event.start_mark, event.end_mark)
            return super().compose_node(parent, index)

    try:
        documents = [_node_value(node) for node in yaml.compose_all(text, Loader)]
    except yaml.YAMLError as error:
        raise ValueError("not YAML") from error
    if len(documents) == 1:
        return _flat(documents[0])
    return _flat({_document_name(document, place): document for place, document in enumerate(documents)})


def _node_value(node: Any) -> Any:
    import yaml

    if isinstance(node, yaml.MappingNode):
        return {str(getattr(key, "value", "?")): _node_value(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_node_value(value) for value in node.value]
    return node.value if isinstance(node, yaml.ScalarNode) else None


def _document_name(value: Any, place: int) -> str:
    """The name of one of several documents: kind and name of a Kubernetes object, or its number."""
    if not isinstance(value, dict):
        return str(place)
    about = value.get("metadata")
    name = about.get("name") if isinstance(about, dict) else None
    return f"{value['kind']} {name}" if isinstance(name, str) and isinstance(value.get("kind"), str) else str(place)


def _ini(text: str) -> _Rows:
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
            yield _join_key(section, key), ", ".join(part for part in value if part)
            key, value = "", []
        if bare.startswith("[") and bare.endswith("]"):
            section = " ".join(bare[1:-1].split())
        elif match := _INI_KEY.match(bare[:4_000]):
            key, value = match[1].strip(), [match[2].strip()]
    if key:
        yield _join_key(section, key), ", ".join(part for part in value if part)


def _properties(text: str) -> _Rows:
    for line in text.splitlines():
        bare = line.strip().removeprefix("export ")
        if bare and bare[0] not in "#!" and (match := _INI_KEY.match(bare[:4_000])):
            yield match[1].strip(), match[2].strip()


def _dockerfile(text: str) -> _Rows:
    for instruction in _DOCKER.finditer(text.replace("\\\n", " ")):
        word, rest = instruction[1].upper(), instruction[2].strip()
        stage = _STAGE.match(rest) if word == "FROM" else None
        if stage is not None:
            yield f"FROM {stage[2]}" if stage[2] else "FROM", stage[1]
        elif word in ("ENV", "ARG"):
            name, _, value = rest.replace(" ", "=", 1).partition("=") if "=" not in rest else rest.partition("=")
            yield f"{word} {name.strip()[:80]}", value.strip()
        else:
            yield word, rest
