"""Scripts inside other files: Vue and Svelte components, Astro pages, HTML.

A script has the length of its file, with everything else blanked, so that lines and columns stay the same.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from waypost.code.documents.parse import lines_of
from waypost.code.source import Call, SourceFile, Symbol
from waypost.model.reference import LineRange

MOST_SCRIPTS = 50  # per file
MOST_USES = 300  # component uses per template

_TAG = re.compile(
    r"""<!--|<(script|style)(?![\w-])((?:[^<>"'{}]|"[^"]{0,1000}"|'[^']{0,1000}'){0,200}+)>""", re.IGNORECASE
)
_CLOSING = {"script": re.compile(r"</script\s{0,20}>", re.I), "style": re.compile(r"</style\s{0,20}>", re.I)}
_ATTRIBUTE = re.compile(r"""\b(lang|type)\s{0,5}=\s{0,5}["']?([\w/+.-]{1,60})""", re.IGNORECASE)
_FRONT_MATTER = re.compile(r"\A\s{0,100}---[ \t]*\r?\n(.*?)^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
_LINE = re.compile(r"[^\n]+")
_JAVASCRIPT = ("", "js", "jsx", "javascript", "text/javascript", "application/javascript", "module", "text/babel")
_TYPESCRIPT = ("ts", "typescript", "text/typescript")
_LANGUAGES = dict.fromkeys(_JAVASCRIPT, "javascript") | dict.fromkeys(_TYPESCRIPT, "typescript") | {"tsx": "tsx"}

_LEADING_COMMENT = re.compile(r"\A\s{0,200}<!--(.{1,2000}?)-->", re.DOTALL)
_LEGAL = re.compile(r"copyright|\blicen[cs]e|SPDX-|eslint", re.IGNORECASE)
_COMPONENT_TAG = re.compile(
    r"<([A-Z][A-Za-z0-9]{0,80}(?:\.[A-Z][A-Za-z0-9]{0,80})?|[a-z][a-z0-9]{0,40}(?:-[a-z0-9]{1,40}){1,6})(?=[\s/>])"
)
_EXPORTED_LET = re.compile(r"^\s{0,40}export\s+let\s+([A-Za-z_$][\w$]{0,80})", re.MULTILINE)
_PROPS = re.compile(r"\bdefineProps\s{0,5}(<\s{0,20}\{|\(\s{0,20}[\[{])|\bprops\s{0,5}:\s{0,5}[\[{]")
_RUNE_PROPS = re.compile(r"\blet\s{1,5}\{([^{}]{0,600})\}(?:\s{0,5}:[^=]{0,600})?\s{0,5}=\s{0,5}\$props\(")
_PROP_NAME = re.compile(
    r"""(?:^|[,;{\[\n])\s{0,40}(?:readonly\s+)?["']?([A-Za-z_$][\w$]{0,80})["']?\s{0,5}(?=[?:,=\]\n}]|$)"""
)
_PROPS_LENGTH = 3000


@dataclass(frozen=True, slots=True)
class Script:
    language: str
    text: str


def scripts_of(source: SourceFile) -> list[Script]:
    """The scripts of a component or page, in order. Other languages are left out."""
    return [
        Script(language, _blank(source.text[:start]) + source.text[start:end] + _blank(source.text[end:]))
        for language, start, end in islice(_spans(source), MOST_SCRIPTS)
        if language and source.text[start:end].strip()
    ]


def component_symbol(source: SourceFile) -> Symbol:
    """The component in a file: named after the file, with its props and the components its template uses."""
    *folders, file = source.path.split("/")
    stem = file.split(".", 1)[0]
    name = folders[-1] if stem.lower() == "index" and folders else stem
    comment = _LEADING_COMMENT.match(source.text)
    return Symbol(
        name=name,
        qualified=name,
        kind="class",
        lines=LineRange(1, max(1, len(lines_of(source.text)))),
        first_line=1,
        signature=f"component {name}",
        parameters=tuple(_props(source)),
        doc=" ".join(comment[1].split()) if comment and not _LEGAL.search(comment[1]) else "",
        calls=tuple(_used_components(source)),
    )


def _spans(source: SourceFile) -> Iterator[tuple[str, int, int]]:
    """Language, start and end of every script. The language is "" for styles and data."""
    position = 0
    if source.language == "astro" and (front := _FRONT_MATTER.match(source.text)):
        yield "typescript", front.start(1), front.end(1)
        position = front.end()
    while tag := _TAG.search(source.text, position):
        if tag[1] is None:
            position = source.text.find("-->", tag.end())
            if position < 0:
                return
            continue
        kind = tag[1].lower()
        closing = _CLOSING[kind].search(source.text, tag.end())
        end = closing.start() if closing else len(source.text)
        yield _script_language(tag[2]) if kind == "script" else "", tag.end(), end
        if closing is None:
            return
        position = closing.end()


def _script_language(attributes: str) -> str:
    values = {name.lower(): value.lower() for name, value in _ATTRIBUTE.findall(attributes)}
    return _LANGUAGES.get(values.get("lang") or values.get("type", ""), "")


def _blank(text: str) -> str:
    return _LINE.sub(lambda line: " " * len(line[0]), text)


def _props(source: SourceFile) -> Iterator[str]:
    names: dict[str, None] = {}
    for script in scripts_of(source):
        text = script.text
        names.update(dict.fromkeys(_EXPORTED_LET.findall(text)))
        if rune := _RUNE_PROPS.search(text):
            names.update(dict.fromkeys(_PROP_NAME.findall(rune[1])))
        if props := _PROPS.search(text):
            names.update(dict.fromkeys(_PROP_NAME.findall(_outer_level(text, props.end() - 1))))
    yield from names


def _outer_level(text: str, opening: int) -> str:
    """The text between a bracket and its partner, without nested brackets."""
    kept: list[str] = []
    depth = 0
    for character in text[opening : opening + _PROPS_LENGTH]:
        depth += (character in "{[(") - (character in "}])")
        if depth == 0:
            break
        if depth == 1:
            kept.append(character)
    return "".join(kept)


def _used_components(source: SourceFile) -> Iterator[Call]:
    """Components in the template, as calls."""
    parts: list[str] = []
    position = 0
    for _, start, end in islice(_spans(source), MOST_SCRIPTS):
        parts += [source.text[position:start], _blank(source.text[start:end])]
        position = end
    template = "".join([*parts, source.text[position:]])
    line, position = 1, 0
    for tag in islice(_COMPONENT_TAG.finditer(template), MOST_USES):
        line += template.count("\n", position, tag.start())
        position = tag.start()
        *receiver, name = tag[1].split(".")
        if "-" in name:
            name = "".join(part.capitalize() for part in name.split("-"))
        yield Call(name, ".".join(receiver), line)
