"""Split documents, prose or configuration, into sections that cover the whole text.

Works by line, in linear time, and never fails: a broken document still has sections. Prose splits at headings,
configuration at keys, the rest at empty lines.
"""

from collections.abc import Sequence

from waypost.code.documents.blocks import block_starts, dockerfile_starts, makefile_starts
from waypost.code.documents.headings import (
    Start,
    asciidoc_starts,
    html_starts,
    markdown_starts,
    org_starts,
    rst_starts,
    tex_starts,
)
from waypost.code.documents.keys import ConfigKey, ini_keys, json_keys, key_starts, toml_keys, yaml_keys
from waypost.code.documents.opening import opening_of
from waypost.code.source import DocumentSection, Parsed, SourceFile
from waypost.model.reference import LineRange

MAX_TITLE = 200  # characters; a longer heading is a paragraph

_HEADINGS = {
    "markdown": markdown_starts,
    "rst": rst_starts,
    "text": rst_starts,  # plain text often has underlined titles
    "asciidoc": asciidoc_starts,
    "org": org_starts,
    "tex": tex_starts,
    **dict.fromkeys(("html", "blade", "erb", "jinja"), html_starts),
    "makefile": makefile_starts,
    "dockerfile": dockerfile_starts,
}
_KEYS = {"yaml": yaml_keys, "toml": toml_keys, "json": json_keys, "ini": ini_keys}
_SPARSE = 200  # average lines per heading; sparser headings are supplemented with blocks


def parse_document(source: SourceFile) -> Parsed:
    """The sections of a document, in order without gaps, and its description."""
    lines = lines_of(source.text)
    return Parsed(
        path=source.path,
        language=source.language,
        line_count=len(lines),
        sections=tuple(_sections(_starts(source.language, lines), lines)),
        doc=opening_of(source.language, lines),
        parser="document",
    )


def lines_of(text: str) -> list[str]:
    """Lines as an editor counts them: only a line feed ends a line, and none begins after the last."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines


def _starts(language: str, lines: Sequence[str]) -> list[Start]:
    if language in _KEYS:
        keys: list[ConfigKey] = _KEYS[language](lines)
        starts = key_starts(keys, lines)
    else:
        starts = _HEADINGS[language](lines) if language in _HEADINGS else []
    if len(lines) > _SPARSE * (len(starts) + 1):
        starts = sorted({**dict(block_starts(lines)), **dict(starts)}.items())
    return starts or block_starts(lines)


def _sections(starts: Sequence[Start], lines: Sequence[str]) -> list[DocumentSection]:
    if not any(not line.isspace() and line for line in lines):
        return []
    cuts = list({line: title for line, title in starts if line < len(lines)}.items())
    if cuts and cuts[0][0] > 0:
        # Text before the first heading is a section of its own, unless it is empty.
        if any(line.strip() for line in lines[: cuts[0][0]]):
            cuts.insert(0, (0, ""))
        else:
            cuts[0] = (0, cuts[0][1])
    cuts = cuts or [(0, "")]
    ends = [line for line, _ in cuts[1:]] + [len(lines)]
    return [
        DocumentSection(title=title[:MAX_TITLE], lines=LineRange(line + 1, end))
        for (line, title), end in zip(cuts, ends, strict=True)
    ]
