"""Sentences from project files, made fit for facts: one sentence on one line, without markup and control characters."""

import re

from waypost.facts.coldstart.tree import without_blocks

_LONGEST = 280
_SHORTEST = 12
_READ = 6_000  # characters of a text; what comes later is no description

_ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]"
)
_IMAGE = re.compile(r"!\[[^\[\]]{0,200}\]\([^()]{0,500}\)|!\[[^\[\]]{0,200}\]\[[^\[\]]{0,100}\]")
_LINK = re.compile(r"\[([^\[\]]{1,200})\](?:\([^()]{0,500}\)|\[[^\[\]]{0,100}\])")
_ROLE = re.compile(r":[\w:+\-]{1,30}:`([^`<]{1,100}?)(?:\s*<[^<>`]{0,200}>)?`")
_RST_LINK = re.compile(r"`([^`<]{1,200}?)\s*<[^<>`]{1,300}>`__?")
_RST_NAMED = re.compile(r"`([^`]{1,100})`__?|\b(\w{2,40})_(?=[\s.,;:)]|$)")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,300}>")
_EMPHASIS = re.compile(r"(\*\*|__|\*|~~)(?=\S)([^*\n]{1,200}?)(?<=\S)\1")
_SUBSTITUTION = re.compile(r"\|[\w \-]{1,40}\|_?")
_EMOJI_CODE = re.compile(r":[a-z_]{2,30}:")
_BARE_ADDRESS = re.compile(r"<(https?://[^\s<>]{1,300})>")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]?\s+(?=[\"'(\[]?\w)")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|Inc|Ltd|Co|Mr|Dr|St|No|approx|incl|resp)|\b[A-Z])\.[\"')\]]?$")
_WORD = re.compile(r"[^\W\d_]{2,}")
_NAME = re.compile(r"@[\w./-]{1,100}|https?://\S{1,500}")  # of packages and pages
# Cut before a list or an example, or a link that is not a sentence.
_UNFINISHED = re.compile(
    r"\b(?:such as|including|like|by|via|the|of|to|with|and|or|for|following|command)\W{0,2}$|^\W{0,3}https?://",
    re.I,
)


def first_sentence(text: str) -> str:
    """The first sentence of a text without markup, or an empty string if it says too little."""
    plain_text = _without_markup(text[:_READ])
    result = ""
    for part in _SENTENCE_END.split(plain_text):
        result = f"{result} {part}" if result else part
        if not _ABBREVIATION.search(result):
            break
    if len(result) < _SHORTEST or len(_WORD.findall(_NAME.sub("", result))) < 3 or _UNFINISHED.search(result):
        return ""
    if len(result) > _LONGEST:
        return ""  # a sentence is quoted whole
    return result if result[-1] in ".!?…" else result.rstrip(" :;,-") + "."


def _without_markup(text: str) -> str:
    text = _TAG.sub(" ", _IMAGE.sub(" ", without_blocks(text, "<!--", "-->")))
    for pattern in (_LINK, _ROLE, _RST_LINK):
        text = pattern.sub(r"\1", text)
    text = _RST_NAMED.sub(lambda match: match[1] or match[2], text)
    text = _SUBSTITUTION.sub(" ", _BARE_ADDRESS.sub(r"\1", text))
    text = _EMOJI_CODE.sub(" ", _EMPHASIS.sub(r"\2", text))
    text = _ACTING.sub(" ", text.replace("`", ""))
    text = re.sub(r"(?<!\s)\s++([.,;:!?])(?=\s|$)", r"\1", " ".join(text.split()))
    return text.strip(" -*#>=|\u2014\u2013")


_BLOCK = re.compile(r"</?(?:h[1-6]|p|div|br|center|table|tr|td|ul|li|hr)\b[^<>]{0,300}>", re.I)
_BADGE_LINE = re.compile(
    r"\s*(?:\[?!\[|<(?:img|a|p|div|h\d|br|picture|source|center|sub|table|tr|td)\b|</|\.\. |:\w+:\s)", re.I
)
_UNDERLINE = re.compile(r"\s*([=\-~^\"'*+#])\1{2,}\s*$")
_RULE_OR_META = re.compile(r"\s*(?:---|\+\+\+|\*\*\*|===|\|)")
_LIST = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_QUOTE = re.compile(r"^\s*>\s?")
_NOTICE = re.compile(
    r"\s*\[!\w+\]|\W{0,4}(?:warning|note|important|caution|notice|attention|announcement|news|deprecated)\b\W", re.I
)
_MOST_LINES = 250
_MOST_PARAGRAPHS = 5
_MOST_TITLES = 2  # that of the README and of its first section
_IS = re.compile(
    r"^(?:an?|the)\s|\b(?:is|are|provides?|implements?|contains?|aims?|makes?|helps?|lets?|allows?|enables?|offers?|это|ist|sind)\b",
    re.I,
)


def readme_sentence(text: str) -> str:
    """What a README says its project is: the first sentence of a paragraph near the top.

    A sentence about the README's title is best, then any sentence that says what something is.
    """
    name = readme_title(text).split(" ", 1)[0].lower() or None
    options: list[str] = []
    for paragraph in _paragraphs(text):
        option = first_sentence(paragraph) if len(options) < _MOST_PARAGRAPHS else ""
        if option and not _NOTICE.match(paragraph) and _is_informative(option):
            options.append(option)
    about = [option for option in options if name and _IS.search(option) and option.lower().startswith(name)]
    statements = [option for option in options if not option.endswith(("!", "?"))]
    return next((option for option in (*about, *options) if _IS.search(option)), statements[0] if statements else "")


def _paragraphs(text: str) -> list[str]:
    """The first paragraphs, without titles, badges, lists, tables, code and front matter."""
    text = without_blocks(text[: 10 * _READ], "<!--", "-->")
    text = _BLOCK.sub("\n\n", text)
    lines = _TAG.sub(lambda match: "\n" if "\n" in match[0] else match[0], text).split("\n")[:_MOST_LINES]
    paragraphs: list[str] = []
    current: list[str] = []
    fenced = front = False
    titles = 0
    for number, whole in enumerate(lines):
        line = whole[:2_000]
        following = lines[number + 1][:200] if number + 1 < len(lines) else ""
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        front = line.strip() == "---" if number == 0 else front and line.strip() != "---"
        is_title = line.lstrip().startswith("#") or _UNDERLINE.match(following) or _UNDERLINE.match(line)
        titles += bool(is_title) and not fenced and bool(_WORD.search(line))
        if titles > _MOST_TITLES:
            break  # the rest of a README is about details
        is_badge = _BADGE_LINE.match(line) and not first_sentence(line)
        is_other = _RULE_OR_META.match(line) or _LIST.match(line) or is_badge
        if fenced or front or is_title or is_other or not line.strip() or (not current and line[:4] == "    "):
            if current:
                paragraphs.append(" ".join(current))
            current = []
        else:
            current.append(_QUOTE.sub("", line))
    return [*paragraphs, " ".join(current)] if current else paragraphs


_SAYS_NOTHING = re.compile(
    r"^(?:english|language|translations?|docs?|documentation|website|home ?page|table of contents|read this|click|see\b|"
    r"this (?:readme|file|document|page|project (?:uses|requires|follows))|for (?:more|full)|please\b|if you|you can|we (?:are|have) (?:moved|hiring)|"
    r"this repo(?:sitory)? is functionality|copyright|licen[cs]ed?|we\b|we'|check\b|check out|visit\b|follow\b|join\b|star\b|thanks?\b|sponsor|install|to \w+\b|when\b|before\b|after\b|over time|in order|"
    r"first,|in other words|it\b|they\b|that\b|help\b|run\b|use\b|learn\b|read\b|welcome\b|get\b|make sure|create\b|add\b|there (?:is|are)\b|these (?:are|instructions))",
    re.I,
)


def _is_informative(text: str) -> bool:
    separators = text.count(" | ") + text.count(" • ") + text.count(" · ") + text.count(" ∙ ")
    return separators < 2 and not _SAYS_NOTHING.match(text)


_GENERIC = frozenset(
    {
        *("readme", "installation", "install", "introduction", "overview", "about", "usage", "documentation", "docs"),
        *("getting started", "quick start", "quickstart", "table of contents", "contents", "features", "description"),
        *("development", "what is this", "what is this?", "setup", "background", "summary", "welcome", "home"),
    }
)


def readme_title(text: str) -> str:
    """The name at the top of a README. Empty if its first heading is a sentence or a picture."""
    lines = text[:_READ].split("\n")[:60]
    if lines[0].strip() == "---" and "---" in lines[1:]:
        lines = lines[lines.index("---", 1) + 1 :]
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        heading = re.match(r"\s{0,3}#\s++(.{1,200}?)\s*+#*+\s*+$", line)
        heading = heading or re.search(r"<h1[^<>]{0,200}>(.{1,200}?)</h1>", line)
        heading_text = heading[1] if heading else line.strip() if line.strip() and _UNDERLINE.match(following) else ""
        if heading_text:
            name = _without_markup(heading_text)
            return name if 0 < len(name) <= 40 and name.lower() not in _GENERIC else ""
    return ""


_LEGAL = re.compile(
    r"this repo(?:sitory)? is functionality|copyright|licen[cs]e|all rights reserved|SPDX|eslint|@ts-|generated|use strict|backwards? compat|noqa|type: ignore|TODO",
    re.I,
)
_FIRST_WORDS = 40
_OPENS = ('"""', "'''", 'r"""', "//", "/*", "#", "--", "(*", "{-", "%", ";", "<!--", "<?php", "=begin", "*", 'u"""')


def file_description(text: str, description: str) -> str:
    """What a source file says about itself at its top. Empty for legal text and notes to tools.

    `description` is what a parser takes for it. A comment on the first import describes only the import.
    """
    paragraphs = [
        part for part in re.split(r"\n\s*\n", description[:_READ]) if not part.lstrip().startswith(("#", "="))
    ]
    first = first_sentence(paragraphs[0]) if paragraphs else ""
    if not first or _LEGAL.search(first):
        return ""
    position = text.find(description[:_FIRST_WORDS].split("\n", 1)[0].strip()) if description.strip() else -1
    before = text[: max(position, 0)][:_READ].lstrip("\ufeff").split("\n")
    if position < 0 or any(line.strip() and not line.strip().startswith(_OPENS) for line in before):
        return ""
    return re.sub(r"^Package \w{1,40} ", "", first)
