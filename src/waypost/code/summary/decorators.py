"""Decorators, annotations and attributes, and test titles."""

import re

from waypost.code.source import Symbol
from waypost.code.summary.names import plain_words, raw_words

_TEST_MARKS = frozenset({"test", "fact", "theory", "testcase", "parameterizedtest"})
_A_SENTENCE = 5  # words: `testConcurrentRemovalIsSafe` is a test in any file
_NAME = re.compile(r"[\w.:\\]+")


def mark_of(decorator: str) -> str:
    """The last name of a decorator in lower case: `app.route("/x")` is `route`."""
    name = _NAME.match(decorator.lstrip("@#[ "))
    return re.split(r"[.:\\]", name[0])[-1].lower() if name else ""


def test_title(symbol: Symbol, *, within_tests: bool) -> str:
    """What a test is about, by its name. "" if the symbol is not a test."""
    raw = raw_words(symbol.name)
    named = raw[:1] == ("test",) and len(raw) > 1 and (within_tests or len(raw) >= _A_SENTENCE)
    if not named and _TEST_MARKS.isdisjoint(map(mark_of, symbol.decorators)):
        return ""
    return " ".join(plain_words(symbol.name)[1 if named else 0 :])
