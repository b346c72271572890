"""Sentences of strangers, fit to be told as facts: one sentence, one line, without markup and what acts on a reader."""

import re

from waypost.facts.coldstart.tree import without

_LONGEST = 280
_SHORTEST = 12
_READ = 6_000  # characters of a text: what comes later describes nothing

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


def sentence(text: str, longest: int = _LONGEST) -> str:
    """The first sentence of a text in plain words; "" when there is none that tells something."""
    plain = _plain(text[:_READ])
    found = ""
    for part in _SENTENCE_END.split(plain):
        found = f"{found} {part}" if found else part
        if not _ABBREVIATION.search(found):
            break
    if len(found) < _SHORTEST or len(_WORD.findall(found)) < 3:
        return ""
    if len(found) > longest:
        found = found[:longest].rsplit(" ", 1)[0].rstrip(" ,;:-") + " …"
    return found if found[-1] in ".!?…" else found.rstrip(" :;,-") + "."


def _plain(text: str) -> str:
    text = _TAG.sub(" ", _IMAGE.sub(" ", without(text, "<!--", "-->")))
    text = _LINK.sub(r"\1", text)
    text = _ROLE.sub(r"\1", text)
    text = _RST_LINK.sub(r"\1", text)
    text = _RST_NAMED.sub(lambda match: match[1] or match[2], text)
    text = _SUBSTITUTION.sub(" ", _BARE_ADDRESS.sub(r"\1", text))
    text = _EMPHASIS.sub(r"\2", text)
    text = _EMOJI_CODE.sub(" ", text)
    text = _ACTING.sub(" ", text.replace("`", ""))
    text = re.sub(r"(?<!\s)\s++([.,;:!?])(?=\s|$)", r"\1", " ".join(text.split()))
    return text.strip(" -*#>=|\u2014\u2013")


_BLOCK = re.compile(r"</?(?:h[1-6]|p|div|br|center|table|tr|td|ul|li|hr)\b[^<>]{0,300}>", re.IGNORECASE)
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
_MOST_TITLES = 2  # that of the README, and that of its first section
_IS = re.compile(
    r"^(?:an?|the)\s|\b(?:is|are|provides?|implements?|contains?|aims?|makes?|helps?|lets?|allows?|enables?|offers?|это|ist|sind)\b",
    re.I,
)


def readme_sentence(text: str) -> str:
    """What a README says its project is: the first sentence of a paragraph near its head, best one that says what the
    thing of its title is, or else at least what something is."""
    name = title(text).split(" ", 1)[0].lower() or None
    told = []
    for paragraph in _paragraphs(text)[:_MOST_PARAGRAPHS]:
        found = sentence(paragraph)
        if found and not _NOTICE.match(paragraph) and _tells(found):
            told.append(found)
    about = [found for found in told if name and _IS.search(found) and found.lower().startswith(name)]
    return next((found for found in (*about, *told) if _IS.search(found)), told[0] if told else "")


def _paragraphs(text: str) -> list[str]:
    """The first paragraphs: without titles, badges, lists, tables, code and front matter."""
    text = without(text[: 10 * _READ], "<!--", "-->")
    text = _BLOCK.sub("\n\n", text)
    lines = _TAG.sub(lambda match: "\n" if "\n" in match[0] else match[0], text).split("\n")[:_MOST_LINES]
    found: list[str] = []
    here: list[str] = []
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
            break  # further down, a README is about details
        is_other = _RULE_OR_META.match(line) or _LIST.match(line) or (_BADGE_LINE.match(line) and not sentence(line))
        if fenced or front or is_title or is_other or not line.strip() or (not here and line[:4] == "    "):
            if here:
                found.append(" ".join(here))
            here = []
        else:
            here.append(_QUOTE.sub("", line))
    return [*found, " ".join(here)] if here else found


_SAYS_NOTHING = re.compile(
    r"^(?:english|language|translations?|docs?|documentation|website|home ?page|table of contents|read this|click|see\b|"
    r"this (?:readme|file|document|page|project (?:uses|requires|follows))|for (?:more|full)|please\b|if you|you can|we (?:are|have) (?:moved|hiring)|"
    r"this repo(?:sitory)? is functionality|copyright|licen[cs]ed?|we\b|we'|check\b|check out|visit\b|follow\b|join\b|star\b|thanks?\b|sponsor|install|to \w+\b|when\b|before\b|after\b|over time|in order|"
    r"first,|run\b|use the|make sure|create\b|add\b|there (?:is|are)\b|these (?:are|instructions))",
    re.I,
)


def _tells(found: str) -> bool:
    separators = found.count(" | ") + found.count(" • ") + found.count(" · ") + found.count(" ∙ ")
    return separators < 2 and not _SAYS_NOTHING.match(found)


_GENERIC = frozenset(
    {
        *("readme", "installation", "install", "introduction", "overview", "about", "usage", "documentation", "docs"),
        *("getting started", "quick start", "quickstart", "table of contents", "contents", "features", "description"),
        *("development", "what is this", "what is this?", "setup", "background", "summary", "welcome", "home"),
    }
)


def title(text: str) -> str:
    """The name at the head of a README; "" when its first heading is a sentence or a picture."""
    lines = text[:_READ].split("\n")[:60]
    if lines[0].strip() == "---" and "---" in lines[1:]:
        lines = lines[lines.index("---", 1) + 1 :]
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        marked = re.match(r"\s{0,3}#\s++(.{1,200}?)\s*+#*+\s*+$", line) or re.search(
            r"<h1[^<>]{0,200}>(.{1,200}?)</h1>", line
        )
        named = marked[1] if marked else line.strip() if line.strip() and _UNDERLINE.match(following) else ""
        if named:
            plain = _plain(named)
            return plain if 0 < len(plain) <= 40 and plain.lower() not in _GENERIC else ""
    return ""


_LEGAL = re.compile(
    r"this repo(?:sitory)? is functionality|copyright|licen[cs]e|all rights reserved|SPDX|eslint|@ts-|generated|use strict|backwards? compat|noqa|type: ignore|TODO",
    re.IGNORECASE,
)
_FIRST_WORDS = 40
_OPENS = ('"""', "'''", 'r"""', "//", "/*", "#", "--", "(*", "{-", "%", ";", "<!--", "<?php", "=begin", "*", 'u"""')


def opening(text: str, told: str) -> str:
    """What a source file says of itself, where that stands at its head; "" for legal words and notes to tools.

    `told` is what a parser takes for the description. A comment on the first import describes the import.
    """
    found = sentence(told)
    if not found or _LEGAL.search(found):
        return ""
    place = text.find(told[:_FIRST_WORDS].split("\n", 1)[0].strip()) if told.strip() else -1
    before = text[: max(place, 0)][:_READ].lstrip("\ufeff").split("\n")
    if place < 0 or any(line.strip() and not line.strip().startswith(_OPENS) for line in before):
        return ""
    return re.sub(r"^Package \w{1,40} ", "", found)
