"""The first sentences of a documentation comment, as plain text on one line. Their language is kept."""

import html
import re

LONGEST = 220  # characters of a sentence that is shown
_READ = 2000  # characters of a comment that are looked at
_ROLE = re.compile(r":[\w:+-]{1,40}:`~?\.?([^`<]{1,200}?)\s*(?:<[^`>]{0,200}>)?`")
_LINK = re.compile(r"`([^`<]{1,200}?)\s*<[^`>]{1,300}>`_{0,2}|!?\[([^\]]{1,200})\]\([^)]{0,300}\)")
_INLINE_TAG = re.compile(r"\{@\w+\s*([^{}]{0,200})\}")
_ELEMENT = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
_SUMMARY_ELEMENT = re.compile(r"<summary>(.{0,1500}?)</summary>", re.DOTALL)
_QUOTING = re.compile(r"[`*]{1,3}(?=\S)|(?<=\S)[`*]{1,3}|\|(?=\w[^|\n]{0,80}\|)|(?<=\w)\|")
_BANNER = re.compile(r"^[ \t]*[^\w\s]{3,200}[ \t]*$", re.MULTILINE)
_SECTION = re.compile(
    r"^\s*(?:[@\\]\w+|:\w+[^:\n]{0,60}:|(?:Args|Arguments|Parameters|Params|Returns?|Raises|Throws|Yields|Examples?|Usage|Notes?"
    r"|Attributes|See also|Warning|Example usage|TODO|FIXME|XXX)\b\s*:?\s*$|(?:TODO|FIXME|XXX)\b|>>>|\.\. |```)",
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
_LICENCE = re.compile(r"copyright|\(c\)|licen[cs]e|spdx|all rights reserved|@author", re.IGNORECASE)
_CODE_LIKE = re.compile(r"[;{}]$|^[\w.]+\([^)]*\)$|^[\w.]+ = \S+$")
_LETTERS = re.compile(r"[^\W\d_]{2}")


def first_sentence(doc: str) -> str:
    """The first sentence of a comment, with its full stop; "" when the comment describes nothing."""
    return _join(_sentences(doc)[:1])


def first_sentences(doc: str, most: int = LONGEST) -> str:
    """As many sentences from the first paragraph as fit, at least one, at most two."""
    sentences = _sentences(doc)[:2]
    both = _join(sentences)
    return both if len(both) <= most else _join(sentences[:1])


def shortened(text: str, most: int = LONGEST) -> str:
    """At most so many characters, cut between words."""
    if len(text) <= most:
        return text
    return text[: most - 1].rsplit(" ", 1)[0].rstrip(" ,;:-–—") + "…"


def _sentences(doc: str) -> list[str]:
    paragraph = _first_paragraph(doc)
    if not _LETTERS.search(paragraph) or _LICENCE.search(paragraph[:200]) or _CODE_LIKE.search(paragraph):
        return []
    found: list[str] = []
    start = 0
    for end in _END.finditer(paragraph):
        after = paragraph[end.end() : end.end() + 2].lstrip()
        if after[:1].islower() or _ABBREVIATION.search(paragraph, max(start, end.end() - 8), end.end()):
            continue
        found.append(paragraph[start : end.end()].strip())
        start = end.end()
        if len(found) == 2:
            break
    rest = paragraph[start:].strip(" :,;-–—")
    if rest and len(found) < 2 and not found:
        found.append(rest if rest.endswith((".", "!", "?", "…")) else rest + ".")
    return found


def _first_paragraph(doc: str) -> str:
    """Without markup, up to the first blank line or section that describes parameters and the like."""
    text = doc[:_READ].strip()
    summary = _SUMMARY_ELEMENT.search(text)
    if summary:
        text = summary[1].strip()
    text = _BRIEF.sub("", text)
    text = _BANNER.sub("", text).strip()
    section = _SECTION.search(text)
    if section:
        text = text[: section.start()]
    for paragraph in _PARAGRAPH.split(text):
        plain = _plain(paragraph)
        if _LETTERS.search(plain):
            return plain
    return ""


def _plain(text: str) -> str:
    if ":" in text:
        text = _ROLE.sub(lambda match: match[1].rsplit(".", 1)[-1], text)
    if "<" in text or "](" in text:
        text = _LINK.sub(lambda match: match[1] or match[2], text)
    if "{@" in text:
        text = _INLINE_TAG.sub(lambda match: match[1].lstrip("#").replace("#", "."), text)
    if "<" in text:
        text = _ELEMENT.sub(" ", text)
    text = _QUOTING.sub("", text)
    if "&" in text:
        text = html.unescape(text)
    return _SPACE.sub(" ", text).strip(" -=#*/")


def _join(sentences: list[str]) -> str:
    text = shortened(" ".join(sentences))
    return text[:1].upper() + text[1:] if text[:1].islower() and text.split(" ", 1)[0].isalpha() else text
