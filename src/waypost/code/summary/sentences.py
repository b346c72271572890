"""The first sentences of a documentation comment, as plain text on one line, in their own language."""

import html
import re
from collections.abc import Iterable

from waypost.code.source import Symbol
from waypost.code.summary.words import words
from waypost.text.identifiers import identifier_parts

LONGEST = 240  # characters of two sentences; a second one that does not fit is left out
LONGEST_SENTENCE = 400  # a longer one is not shown: Waypost never cuts inside a sentence
_READ = 2000  # characters of a comment that are read
_ROLE = re.compile(r":[\w:+-]{1,40}:`~?\.?([^`<]{1,200}?)\s*(?:<[^`>]{0,200}>)?`")
_LINK = re.compile(r"`([^`<]{1,200}?)\s*<[^`>]{1,300}>`_{0,2}|!?\[([^\]]{1,200})\](?:\([^)]{0,300}\)|\[[^\]]{0,100}\])")
_NAMED = re.compile(r"(?<![\w\])])\[`?([A-Za-z_][\w.:#]{0,100}(?:\(\))?)`?\]")  # Kotlin, Rust, short Markdown links
_INLINE_TAG = re.compile(r"\{@\w+\s*([^{}]{0,200})\}")
_ELEMENT = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
_SUMMARY_ELEMENT = re.compile(r"<summary>(.{0,1500}?)</summary>", re.DOTALL)
_QUOTING = re.compile(r"[`*]{1,3}(?=\S)|(?<=\S)[`*]{1,3}|\|(?=\w[^|\n]{0,80}\|)|(?<=\w)\|")
_BANNER = re.compile(r"^[ \t]*[^\w\s]{3,200}[ \t]*$", re.MULTILINE)
_SECTION = re.compile(
    r"^[ \t]*+(?:[@\\]\w+|:\w+[^:\n]{0,60}:|(?:Args|Arguments|Parameters|Params|Returns?|Raises|Throws|Yields|Examples?|Usage|Notes?"
    r"|Attributes|See also|Warning|Example usage|TODO|FIXME|XXX)\b[ \t]*+:?+[ \t]*+$|(?:TODO|FIXME|XXX)\b|>>>|\.\. |```)",
    re.MULTILINE | re.IGNORECASE,
)
_BRIEF = re.compile(r"^\s*[@\\](?:brief|summary|description|desc|short|remarks)\s+", re.IGNORECASE)
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_SPACE = re.compile(r"\s+")
_END = re.compile(r"[.!?…。！？][\"'»”’)\]]*(?=\s|$)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|resp|incl|approx|aka|a\.k\.a|no|fig|dr|mr|mrs|st|z\.\s?b|d\.\s?h|bzw|usw|ca|nr|vgl|ggf|u\.\s?a|т\.\s?е|т\.\s?к|т\.\s?д|т\.\s?п|напр)"
    r"|(?:^|\s)\w)\.$",
    re.IGNORECASE,
)
_CODE_AFTER = re.compile(r"\s+\w+[.(]\w")  # an example follows: `router.Static("/")`
_MARGIN = re.compile(r"^[ \t]*\|[ \t]?", re.MULTILINE)  # of comments in a box
_LICENCE = re.compile(
    r"copyright|\(c\) \d|licensed (?:under|to)|spdx-|all rights reserved|@author|part of the|source code is governed",
    re.IGNORECASE,
)
_CODE_LIKE = re.compile(r"[;{}]$|^[\w.]+\([^)]*\)$|^[\w.]+ = \S+$")
_ADDRESS = re.compile(r"\bhttps?://\S{1,500}")
_LETTERS = re.compile(r"[^\W\d_]{2,}")


def documented(symbol: Symbol) -> str:
    """The first sentences of a symbol's documentation. "" if they only repeat its name and parameters."""
    text = first_sentences(symbol.doc) if symbol.doc else ""
    return "" if _repeats(text, (symbol.qualified, *symbol.parameters)) else text


def first_sentence(doc: str) -> str:
    """The first sentence of a comment, with its full stop. "" if the comment describes nothing."""
    return _join(_sentences(doc)[:1])


def first_sentences(doc: str, most: int = LONGEST) -> str:
    """The first sentence of the first paragraph, or two if they fit."""
    sentences = _sentences(doc)[:2]
    both = _join(sentences)
    return both if len(both) <= most else _join(sentences[:1])


def shortened(text: str, most: int = LONGEST) -> str:
    """At most `most` characters, cut between words."""
    if len(text) <= most:
        return text
    return text[: most - 1].rsplit(" ", 1)[0].rstrip(" ,;:-–—") + "…"


def _sentences(doc: str) -> list[str]:
    paragraph = _first_paragraph(doc)
    if not _LETTERS.search(paragraph) or _LICENCE.search(paragraph[:200]) or _CODE_LIKE.search(paragraph):
        return []
    sentences: list[str] = []
    start = 0
    for end in _END.finditer(paragraph):
        after = paragraph[end.end() : end.end() + 2].lstrip()
        if (after[:1].islower() and not _CODE_AFTER.match(paragraph, end.end())) or _ABBREVIATION.search(
            paragraph, max(start, end.end() - 8), end.end()
        ):
            continue
        sentences.append(paragraph[start : end.end()].strip())
        start = end.end()
        if len(sentences) == 2:
            break
    if not sentences:
        rest = paragraph.strip(" :,;-–—")
        sentences.append(rest if rest.endswith((".", "!", "?", "…")) else rest + ".")
    return sentences if _is_informative(sentences[0]) else []


def _repeats(text: str, names: Iterable[str]) -> bool:
    """Whether each word of the text is in the names, or adds nothing: "Gets the user." of `getUser`."""
    said = {_stem(word) for word in _LETTERS.findall(text.lower()) if word not in words().little_words}
    parts = (part for name in names for word in _LETTERS.findall(name) for part in identifier_parts(word))
    return said <= {_stem(part.lower()) for part in parts}


def _stem(word: str) -> str:
    for ending in ("ies", "es", "s", "ed", "ing", "e", "y"):
        if len(word) > len(ending) + 2 and word.endswith(ending):
            return word.removesuffix(ending)
    return word


def _is_informative(sentence: str) -> bool:
    """Whether it is more than a word, issue number, address or empty heading."""
    plain = sentence.lower().strip(" .:!*-")
    if not plain.isascii() and len(plain) > 12:  # scripts without spaces
        return True
    letters = _LETTERS.findall(_ADDRESS.sub("", plain))
    points_elsewhere = letters[:1] == ["see"] and len(plain) < 60
    return len(letters) > 1 and " " in plain and not points_elsewhere and plain not in words().empty_docs


def _first_paragraph(doc: str) -> str:
    """Without markup, up to the first blank line or section such as parameters."""
    text = doc[:_READ].strip()
    summary = _SUMMARY_ELEMENT.search(text)
    if summary:
        text = summary[1].strip()
    text = _BRIEF.sub("", text)
    if "|" in text:
        text = _MARGIN.sub("", text)
    text = _BANNER.sub("", text).strip()
    section = _SECTION.search(text)
    if section:
        text = text[: section.start()]
    for paragraph in _PARAGRAPH.split(text):
        plain = _without_markup(paragraph)
        if _LETTERS.search(plain):
            return plain
    return ""


def _without_markup(text: str) -> str:
    if ":" in text:
        text = _ROLE.sub(lambda match: match[1].rsplit(".", 1)[-1], text)
    if "<" in text or "](" in text or "][" in text:
        text = _LINK.sub(lambda match: match[1] or match[2], text)
    if "{@" in text:
        text = _INLINE_TAG.sub(lambda match: match[1].lstrip("#").replace("#", "."), text)
    if "<" in text:
        text = _ELEMENT.sub(" ", text)
    if "[" in text:
        text = _NAMED.sub(r"\1", text)
    text = _QUOTING.sub("", text)
    if "&" in text:
        text = html.unescape(text)
    return _SPACE.sub(" ", text).strip(" -=#*/")


def _join(sentences: list[str]) -> str:
    text = " ".join(sentences)
    if len(text) > LONGEST_SENTENCE:
        return ""
    first = text.split(" ", 1)[0]
    return text[:1].upper() + text[1:] if first.isalpha() and first.islower() else text
