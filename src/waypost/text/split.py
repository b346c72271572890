"""Splitting long texts into passages that an embedding model reads whole.

Token counts are estimated without a vocabulary. So splitting needs no model and does not change with the model.
"""

import re
from array import array
from bisect import bisect_left, bisect_right
from functools import cache
from math import ceil
from pathlib import Path

PASSAGE_TOKENS = 256
FRAME_TOKENS = 2.0  # added by a model before and after a text
MARGIN = 1.03  # with it, 99.7 % of passages have no more tokens than estimated

# Tokens of MiniLM's WordPiece, fitted on English and German prose, code, digests and base64.
WORD_BASE, WORD_PER_LETTER = 0.4, 0.37  # for words outside the common English list
ACCENTED_PER_LETTER = 0.44  # for words with letters beyond English
MIXED_PER_CHARACTER = 0.76  # for letters mixed with digits, or irregular capitals
TOKENS_PER_DIGIT = 0.6
OTHER_SCRIPT_WORD = 1.6  # as the multilingual model counts
OTHER_SCRIPT_PER_LETTER = 0.2  # for scripts without spaces
_SURE_LETTERS = 2  # a word this short is one token

_DATA = Path(__file__).with_name("data") / "common-english.txt"
_IDEOGRAPHS = "\u2e80-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_UNIT = re.compile(rf"[^\W_{_IDEOGRAPHS}]+|\S")
_LATIN_WORD = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]+")
_DISORDERED = re.compile("[a-z][A-Z]{1,2}[a-z]?[A-Z]")
_LONGEST_UNIT = 80  # a longer run without a boundary is cut anywhere

_PARAGRAPH, _LINE, _SENTENCE, _WORD, _INSIDE = 4, 3, 2, 1, 0
_SENTENCE_END = re.compile("[.!?…:;。！？][\"'»”’)\\]]*$")
_FROM_IDEAL, _BEYOND_IDEAL = 0.6, 1.3  # within this range a better boundary outweighs unequal parts


def estimate_tokens(text: str) -> int:
    """About how many tokens a model sees: rather too many than too few."""
    return ceil(FRAME_TOKENS + MARGIN * sum(map(_cost, _UNIT.findall(text))))


def split(text: str, limit: int = PASSAGE_TOKENS) -> list[tuple[int, int]]:
    """(start, end) of each passage, with at most `limit` estimated tokens.

    Cuts between paragraphs, else lines, sentences or words. A word is cut only if it is longer than a passage. Only
    white space lies outside the spans. The passages have about equal length, with no small rest at the end.
    """
    budget = (limit - FRAME_TOKENS) / MARGIN - 0.01  # rounding
    if budget < 1:
        raise ValueError(f"a passage of {limit} tokens has no room for text")
    if len(text) <= budget:  # surely one passage: a token has at least one character
        whole = _without_leading_space(text, 0, len(text.rstrip()))
        return [whole] if whole[0] < whole[1] else []
    ends, totals, levels = _boundaries(text)
    spans: list[tuple[int, int]] = []
    start, first, before = 0, 0, 0.0
    while first < len(ends):
        cut = _next_cut(totals, levels, first, before, budget)
        spans.append(_without_leading_space(text, start, ends[cut]))
        start, first, before = ends[cut], cut + 1, totals[cut]
    return spans


def _next_cut(totals: "array[float]", levels: "array[int]", first: int, before: float, budget: float) -> int:
    """Index of the boundary that ends the passage starting after `before`."""
    rest = totals[-1] - before
    if rest <= budget:
        return len(totals) - 1
    ideal = rest / ceil(rest / budget)
    low = bisect_left(totals, before + _FROM_IDEAL * ideal, first)
    high = bisect_right(totals, before + min(budget, _BEYOND_IDEAL * ideal), first)
    if low >= high:  # a single unit as large as a passage
        return max(first, bisect_right(totals, before + budget, first) - 1)
    return max(range(low, high), key=lambda at: (levels[at], -abs(totals[at] - before - ideal)))


def _boundaries(text: str) -> tuple["array[int]", "array[float]", "array[int]"]:
    """Every possible cut: its position, the tokens before it, and its level."""
    ends, totals, levels = array("q"), array("d"), array("b")
    total = 0.0
    end = 0
    for unit in _UNIT.finditer(text):
        begin, stop = unit.span()
        if begin > end and ends:
            levels[-1] = _level(text, end, begin)
        while begin < stop:
            end = min(begin + _LONGEST_UNIT, stop)
            total += _cost(text[begin:end])
            ends.append(end)
            totals.append(total)
            levels.append(_INSIDE)
            begin = end
    return ends, totals, levels


def _level(text: str, end: int, begin: int) -> int:
    gap = text[end:begin]
    if "\n" in gap:
        return _PARAGRAPH if gap.count("\n") > 1 else _LINE
    return _SENTENCE if _SENTENCE_END.search(text, max(0, end - 3), end) else _WORD


def _without_leading_space(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    return start, end


_costs: dict[str, float] = {}


def _cost(unit: str) -> float:
    cost = _costs.get(unit)
    if cost is None:
        if len(_costs) > 50_000:
            _costs.clear()
        cost = _costs[unit] = _compute_cost(unit)
    return cost


def _compute_cost(unit: str) -> float:
    length = len(unit)
    if length == 1:
        return 1.0
    if unit.isdecimal():
        return 1.2 if length == 4 and unit[:2] in {"19", "20"} else max(1.0, TOKENS_PER_DIGIT * length)
    if not unit.isalpha() or _DISORDERED.search(unit):
        return max(1.0, MIXED_PER_CHARACTER * length)
    if _LATIN_WORD.fullmatch(unit):
        return _cost_of_word(unit)
    return max(OTHER_SCRIPT_WORD, OTHER_SCRIPT_PER_LETTER * length)


def _cost_of_word(word: str) -> float:
    if len(word) <= _SURE_LETTERS or word.lower() in common_words():
        return 1.0
    return WORD_BASE + (WORD_PER_LETTER if word.isascii() else ACCENTED_PER_LETTER) * len(word)


@cache
def common_words() -> frozenset[str]:
    """Frequent English words, in lower case."""
    return read_words(_DATA)


def read_words(path: Path) -> frozenset[str]:
    """The words of a data file, without its comment lines."""
    lines = [line for line in path.read_text("utf-8").splitlines() if not line.startswith("#")]
    return frozenset(" ".join(lines).split())
