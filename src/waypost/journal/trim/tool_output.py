"""Shortened tool output: its beginning and end, or the titles of search results."""

import json
import re
from collections.abc import Iterator
from typing import Any

from waypost.journal.wording import SummaryWords, clip, safe_cut, without_markdown

LONGEST_OUTPUT = 500  # characters
HEAD = TAIL = 200
_NEAR = 60  # characters around the cut within which a line end is preferred
_LEAST_RESULTS = 3
_MOST_TITLES = 8
_LONGEST_TITLE = 70
_MOST_READ = 200_000  # characters; longer output is not searched for results
_TITLE_KEYS = ("title", "name", "headline")
_LINK_KEYS = ("url", "link", "href")
_FENCE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})", re.MULTILINE)
_URL = re.compile(r"https?://[^\s<>)\]]+")
_LINKED_TITLE = re.compile(r"\[([^\[\]\n]{3,300})\]\(\s*<?https?://")
_LABELLED_TITLE = re.compile(
    r"^[^\w\n]{0,20}(?:title|titel|заголовок)[^\w\n]{1,4}(\S[^\n]{0,300})$", re.I | re.MULTILINE
)
_LABEL = re.compile(r"^\W{0,20}(?:url|link|source|quelle|ссылка|источник|snippet|description)\b\W*", re.I)
_NUMBER = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)]|\[\d{1,3}\])[ \t]+")


def head_and_tail(text: str, words: SummaryWords) -> str | None:
    """The first and last 200 characters with the number left out between, or None if the output is short enough.

    Cuts at a near line end, never inside a character. A code block that a cut leaves open is closed.
    """
    if len(text) <= LONGEST_OUTPUT:
        return None
    end = _end_of_head(text)
    start = _start_of_tail(text)
    head, tail = text[:end].rstrip(), text[start:].lstrip("\n")
    omitted = len(text) - len(head) - len(tail)
    mark = f"[… {words.say('left_out', count=omitted)} …]"
    head_fence = open_fence(head)
    before = f"\n{head_fence}" if head_fence else ""
    tail_fence = open_fence(tail)
    after = f"{head_fence or tail_fence}\n" if tail_fence else ""
    return f"{head}{before}\n{mark}\n{after}{tail}"


def _end_of_head(text: str) -> int:
    line_end = text.rfind("\n", HEAD - _NEAR, HEAD + 1)
    return line_end if line_end > 0 else safe_cut(text, HEAD)


def _start_of_tail(text: str) -> int:
    start = len(text) - TAIL
    line_end = text.find("\n", start - 1, start + _NEAR)
    if line_end >= 0:
        return line_end + 1
    cut = safe_cut(text, start)
    return cut if start - cut < _NEAR else start


def open_fence(text: str) -> str:
    """The fence of a code block that is open at the end of the text, or an empty string."""
    fence_sign = ""
    for fence in _FENCE.finditer(text):
        if not fence_sign:
            fence_sign = fence[1]
        elif fence[1].startswith(fence_sign):
            fence_sign = ""
    return fence_sign


def gist_of_results(text: str, words: SummaryWords) -> str | None:
    """The number of search results and their titles, or None if this is not a list of search results."""
    if len(text) <= LONGEST_OUTPUT or len(text) > _MOST_READ or "http" not in text:
        return None
    titles = list(dict.fromkeys(title for raw in _titles(text) if (title := without_markdown(raw).strip(" .:-–—"))))
    if len(titles) < _LEAST_RESULTS:
        return None
    shown_titles = "; ".join(clip(title, _LONGEST_TITLE) for title in titles[:_MOST_TITLES])
    more = f"; {words.say('more', count=len(titles) - _MOST_TITLES)}" if len(titles) > _MOST_TITLES else ""
    return f"{words.say('results', count=len(titles))}: {shown_titles}{more}"


def _titles(text: str) -> list[str]:
    linked = _LINKED_TITLE.findall(text)
    return _titles_in_json(text) or _LABELLED_TITLE.findall(text) or linked or list(_titles_beside_links(text))


def _titles_in_json(text: str) -> list[str]:
    if text.lstrip()[:1] not in {"[", "{"}:
        return []
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return []
    rows: Any = value
    if isinstance(value, dict):
        rows = next((inner for inner in value.values() if isinstance(inner, list) and inner), [])
    if not isinstance(rows, list):
        return []
    linked_rows = [row for row in rows if isinstance(row, dict) and any(key in row for key in _LINK_KEYS)]
    titles = [next((row[key] for key in _TITLE_KEYS if isinstance(row.get(key), str)), "") for row in linked_rows]
    return [title for title in titles if title]


def _titles_beside_links(text: str) -> Iterator[str]:
    previous = ""
    links = 0
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if 2 * sum(bool(_URL.search(line)) for line in lines) < len(lines) / 2:
        return  # a few addresses in a text are not a list
    for line in lines:
        if not _URL.search(line):
            previous = previous if links and not _NUMBER.match(line) and previous else _NUMBER.sub("", line)
            continue
        links += 1
        title = _LABEL.sub("", _NUMBER.sub("", _URL.sub("", line))).strip(" -–—:|()<>")
        yield title or previous
        previous = ""
