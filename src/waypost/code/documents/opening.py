"""What a document says about itself: its description, or its first informative paragraph."""

import re
from collections.abc import Iterable, Sequence

from waypost.code.documents.headings import front_matter_end, plain_title

OPENING_LENGTH = 600  # characters
_READ_LINES = 200
_LINE_LENGTH = 600

_DESCRIPTION = re.compile(
    r"""[ \t]*["']?(?:description|summary)["']?[ \t]*[:=][ \t]*["']?([^"'\s|>{\[].{3,580})""", re.I
)
_XML_DESCRIPTION = re.compile(r"<(?:description|title|summary)\b[^<>]{0,100}>([^<>]{4,600})<", re.IGNORECASE)
_META_DESCRIPTION = re.compile(
    r"""<meta[^<>]{0,100}name=["']description["'][^<>]{0,50}content=["']([^"'<>]{4,500})""", re.I
)
_NO_PROSE = re.compile(
    r"[ \t]*(?:[#=|<>~`]|!\[|\[!\[|\[[^\]]{1,80}\]:|:\w+:[ \t]|\.\. |[-*_=~^+]{3,}[ \t]*$|\{[%{]|import |export |@)"
)
_LIST = re.compile(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+")
_COMMENT = re.compile(r"[ \t]*(?:#+!?|;+|//+)[ \t]?(.*)")
_LEGAL = re.compile(r"copyright|\blicen[cs]e|SPDX-|all rights reserved|-\*-|vim:|coding[:=]|!/", re.IGNORECASE)
_WORDS = re.compile(r"[^\W\d_]{2,}")

_PROSE = frozenset({"markdown", "rst", "text", "asciidoc", "org", "tex"})
_TAGGED = frozenset({"xml", "html", "blade", "erb", "jinja"})


def opening_of(language: str, lines: Sequence[str]) -> str:
    """The document's own description, or ""."""
    head = [line[:_LINE_LENGTH] for line in lines[:_READ_LINES]]
    if language in _PROSE:
        return _first_paragraph(head)
    if language in _TAGGED:
        text = "\n".join(head)
        description = _META_DESCRIPTION.search(text) or _XML_DESCRIPTION.search(text)
        return _clean([description[1]]) if description else ""
    return _description(head) or _leading_comment(head)


def _first_paragraph(lines: Sequence[str]) -> str:
    first = front_matter_end(lines)
    description = _description(lines[:first])
    if description:
        return description
    paragraph: list[str] = []
    fenced = False
    for place, line in enumerate(lines[first:], first):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        following = lines[place + 1] if place + 1 < len(lines) else ""
        is_title = bool(line.strip()) and len(following.strip()) > 2 and set(following.strip()) <= set("=-~^\"'*+#")
        if fenced or is_title or _NO_PROSE.match(line) or not line.strip():
            if _is_informative(paragraph):
                return _clean(paragraph)
            paragraph = []
        elif not (not paragraph and _LIST.match(line)):
            paragraph.append(line)
    return _clean(paragraph) if _is_informative(paragraph) else ""


def _description(lines: Iterable[str]) -> str:
    for line in lines:
        match = _DESCRIPTION.match(line)
        if match:
            return _clean([match[1].rstrip(" ,\"'\\")])
    return ""


def _leading_comment(lines: Sequence[str]) -> str:
    comment: list[str] = []
    for line in lines:
        match = _COMMENT.match(line)
        if match and not _LEGAL.search(line):
            comment.append(match[1])
        elif (not match and line.strip()) or _is_informative(comment):
            break
        else:
            comment = []
    return _clean(comment) if _is_informative(comment) else ""


def _is_informative(paragraph: Sequence[str]) -> bool:
    text = " ".join(paragraph)
    return not _LEGAL.search(text[:120]) and len(_WORDS.findall(text[:_LINE_LENGTH])) >= 3


def _clean(paragraph: Sequence[str]) -> str:
    return plain_title(" ".join(paragraph)[: 2 * OPENING_LENGTH])[:OPENING_LENGTH].rstrip()
