"""Headings of prose: where each section begins, and its title with its parents."""

import re
from collections.abc import Sequence

Start = tuple[int, str]  # index of a line and the title of the section that begins there

_HEADING_LENGTH = 300  # characters of a line that are read
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})(.*)")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]++(.*))?$")
_SETEXT = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
_NOT_A_PARAGRAPH = re.compile(r"[ \t]*(?:[-*+>|#<]|\d{1,9}[.)][ \t]|$)")
_LINK = re.compile(r"!?\[([^\[\]]{0,200})\](?:\([^()]{0,500}\)|\[[^\[\]]{0,200}\])")
_ANCHOR = re.compile(r"(?<![ \t])[ \t]*+\{[#:.][^{}]{0,100}\}[ \t]*+$")
_TAG = re.compile(r"<[^<>]{0,300}>")
_HTML_HEADING = re.compile(r"[ \t]*<h([1-6])\b([^<>]{0,300})>(.*)", re.IGNORECASE)
_TEMPLATE_BLOCK = re.compile(
    r"""[ \t]*(?:\{%-?[ \t]*block[ \t]+(\w+)|@section\([ \t]*['"]([^'"]{1,80})|<(script|style|template|body)\b)""",
    re.IGNORECASE,
)
_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*\r?$")
_ASCIIDOC = re.compile(r"(={1,6})[ \t]+(\S.*)")
_ASCIIDOC_BLOCK = re.compile(r"(-{4,}|\.{4,}|\+{4,}|/{4,}|`{3,})[ \t]*\r?$")
_ORG = re.compile(r"(\*{1,8})[ \t]+(\S.*)")
_TEX = re.compile(r"[ \t]*\\(part|chapter|section|subsection|subsubsection)\*?\{(.{1,200}?)\}")
_TEX_LEVELS = {"part": 0, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4}


class _Outline:
    """Collects headings with their parents."""

    def __init__(self) -> None:
        self.starts: list[Start] = []
        self._above: list[tuple[int, str]] = []

    def add(self, line: int, level: int, title: str) -> None:
        while self._above and self._above[-1][0] >= level:
            self._above.pop()
        self._above.append((level, title))
        self.starts.append((line, " > ".join(name for _, name in self._above if name)))


def markdown_starts(lines: Sequence[str]) -> list[Start]:
    """ATX, setext and one-line HTML headings, except in fenced code, comments or front matter."""
    outline = _Outline()
    fence = ""
    in_comment = False
    first = front_matter_end(lines)
    for place in range(first, len(lines)):
        line = lines[place][:_HEADING_LENGTH].rstrip()
        if fence:
            if (closing := _FENCE.match(line)) and closing[1].startswith(fence) and not closing[2].strip():
                fence = ""
            continue
        if in_comment or line.lstrip().startswith("<!--"):
            in_comment = "-->" not in lines[place]
            continue
        opening = _FENCE.match(line)
        if opening and not (opening[1][0] == "`" and "`" in opening[2]):
            fence = opening[1]
        elif heading := _ATX.match(line):
            outline.add(place, len(heading[1]), plain_title(heading[2] or ""))
        elif place > first and _SETEXT.match(line) and _is_paragraph_line(lines, place - 1, outline):
            outline.add(place - 1, 1 if "=" in line else 2, plain_title(lines[place - 1][:_HEADING_LENGTH]))
        elif heading := _HTML_HEADING.match(line):
            outline.add(place, int(heading[1]), plain_title(heading[3]))
    return outline.starts


def front_matter_end(lines: Sequence[str]) -> int:
    """How many lines of front matter (`---` or `+++`) a document starts with."""
    if not lines or lines[0].rstrip() not in {"---", "+++"}:
        return 0
    closing = {"---": {"---", "..."}, "+++": {"+++"}}[lines[0].rstrip()]
    for place in range(1, min(len(lines), 200)):
        if lines[place].rstrip() in closing:
            return place + 1
    return 0


def plain_title(title: str) -> str:
    """A heading without Markdown and HTML markup."""
    title = _ANCHOR.sub("", title.strip())
    if title.endswith("#"):
        bare = title.rstrip("#")
        title = bare.rstrip() if bare.endswith((" ", "\t")) or not bare else title
    title = _TAG.sub("", _LINK.sub(r"\1", title))
    return " ".join(title.replace("**", "").replace("`", "").replace("\\", "").split())


def html_starts(lines: Sequence[str]) -> list[Start]:
    """HTML headings and named template blocks at the start of a line."""
    outline = _Outline()
    for place, line in enumerate(lines):
        line = line[:_HEADING_LENGTH]  # noqa: PLW2901 - only the start of the line matters
        if heading := _HTML_HEADING.match(line):
            outline.add(place, int(heading[1]), plain_title(heading[3]))
        elif block := _TEMPLATE_BLOCK.match(line):
            outline.add(place, 0, block[1] or block[2] or block[3].lower())
    return outline.starts


def rst_starts(lines: Sequence[str]) -> list[Start]:
    """Titles with an underline or with lines above and below. Levels follow the order in which styles appear."""
    outline = _Outline()
    styles: list[tuple[str, bool]] = []
    taken = -1  # the last line of a title
    for place in range(1, len(lines)):
        mark = _ADORNMENT.match(lines[place])
        if mark is None or place - 1 <= taken:
            continue
        title = lines[place - 1][:_HEADING_LENGTH].rstrip()
        if not title.strip() or _ADORNMENT.match(title) or len(lines[place].rstrip()) < min(len(title), 4):
            continue
        over = place > 1 and place - 2 > taken and lines[place - 2].rstrip() == lines[place].rstrip()
        if not over and (title[0].isspace() or (place > 1 and lines[place - 2].strip() and place - 2 > taken)):
            continue  # an indented line, or the end of a paragraph or a table
        style = (mark[1], over)
        if style not in styles:
            styles.append(style)
        outline.add(place - 2 if over else place - 1, styles.index(style), plain_title(title))
        taken = place
    return outline.starts


def asciidoc_starts(lines: Sequence[str]) -> list[Start]:
    outline = _Outline()
    block = ""
    for place, line in enumerate(lines):
        line = line[:_HEADING_LENGTH]  # noqa: PLW2901 - only the start of the line matters
        if delimiter := _ASCIIDOC_BLOCK.match(line):
            block = delimiter[1] if not block else "" if delimiter[1] == block else block
        elif not block and (heading := _ASCIIDOC.match(line)):
            outline.add(place, len(heading[1]), plain_title(heading[2]))
    return outline.starts


def org_starts(lines: Sequence[str], pattern: re.Pattern[str] = _ORG) -> list[Start]:
    outline = _Outline()
    for place, line in enumerate(lines):
        if heading := pattern.match(line[:_HEADING_LENGTH]):
            level = _TEX_LEVELS.get(heading[1], len(heading[1]))
            outline.add(place, level, " ".join(heading[2].split()))
    return outline.starts


def tex_starts(lines: Sequence[str]) -> list[Start]:
    return org_starts(lines, _TEX)


def _is_paragraph_line(lines: Sequence[str], place: int, outline: _Outline) -> bool:
    """Whether an underline makes this line a heading: a paragraph of one or two lines, not a list or quote."""
    if _NOT_A_PARAGRAPH.match(lines[place][:_HEADING_LENGTH]) or (outline.starts and outline.starts[-1][0] == place):
        return False
    return place < 2 or not lines[place - 1].strip() or not lines[place - 2].strip()
