"""No text makes a regular expression of ours slow: time grows with the text, not with its square.

Attacking every pattern takes half a minute. So `linear_patterns.txt` has the hash of each pattern that passed: the suite
attacks the others, the soak attacks all. `python -m tests.hostile.test_patterns` writes the file.
"""

import hashlib
import re
from collections import deque
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from tests.hostile import pattern_attacks
from tests.hostile.package_patterns import Use, uses
from tests.hostile.pattern_attacks import slowest

from waypost.text.secrets.formats import table

# Patterns that are given no more than so many characters, whatever the text: there they may take what they take.
BOUNDED = {
    ("waypost.code.syntax.signatures._TAIL", "search"): 300,  # MAX_SIGNATURE
    ("waypost.facts.tokens._TOKEN", "fullmatch"): 200,  # _LONGEST_NAME
    ("waypost.text.secrets.formats.table.compiled", "search"): 2_300,  # _REACH, and what is around it
}


def run_of(use: Use) -> Any:
    if use.method == "search":  # sub, split and findall go on after a match
        return lambda text: deque(use.pattern.finditer(text), maxlen=0)
    return getattr(use.pattern, use.method)


_ATTACKS = Path(pattern_attacks.__file__).read_bytes()  # patterns pass again when the attacks change
PASSED = Path(__file__).with_name("linear_patterns.txt")


def fingerprint(use: Use) -> str:
    """The same for the same pattern, used in the same way and attacked in the same way."""
    bound = BOUNDED.get((use.where, use.method))
    text = repr((use.pattern.pattern, int(use.pattern.flags), use.method, bound)).encode()
    return hashlib.sha256(text + _ATTACKS).hexdigest()[:16]


def all_uses() -> list[Use]:
    formats = table()
    for kind in (*chain(*formats.by_start.values()), *formats.led, *(kind for *_, kind in formats.anchored)):
        kind.pattern()  # else only those are compiled that an earlier test needed
    return uses()


def slow_ones(tried: Iterable[Use]) -> dict[str, str]:
    slow = {}
    for use in tried:
        worst = slowest(run_of(use), use.pattern, BOUNDED.get((use.where, use.method)))
        if worst is not None:
            slow[f"{use.where} ({use.method})"] = f"{use.pattern.pattern!r:.300}: {worst}"
    return slow


@pytest.mark.slow
def test_no_new_pattern_of_the_package_grows_faster_than_its_text() -> None:
    found = all_uses()
    assert len(found) > 1_000  # they are found at all
    assert any(use.where.startswith("waypost.journal.statements.recognise._statement_words") for use in found)
    passed = set(PASSED.read_text("ascii").split())
    slow = slow_ones(use for use in found if fingerprint(use) not in passed)
    assert slow == {}, "\n".join(f"{where}: {told}" for where, told in slow.items())


@pytest.mark.soak
def test_no_pattern_of_the_package_grows_faster_than_its_text() -> None:
    slow = slow_ones(all_uses())
    assert slow == {}, "\n".join(f"{where}: {told}" for where, told in slow.items())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pattern", "method"),
    [
        (r"^\s*gem", "search"),  # blank lines
        (r"\s*;", "search"),
        (r"(a|a)*b", "match"),  # exponential
        (r"x*y*x*z", "match"),
        (r"<!--.*?-->", "search"),  # openings without an end
        (r'"(?:[^"\\]|\\.)*"', "search"),
    ],
)
def test_the_attacks_find_what_is_slow(pattern: str, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pattern_attacks, "LIMIT_SECONDS", 0.2)  # what does not end is known soon
    use = Use("here", re.compile(pattern, re.MULTILINE), method)
    assert slowest(run_of(use), use.pattern) is not None


@pytest.mark.parametrize("pattern", [r"^[ \t]*+gem", r"(?<!\s)\s*+;", r"<!--[^<]{0,100}-->", r"\w+"])
def test_the_attacks_leave_alone_what_is_fast(pattern: str) -> None:
    use = Use("here", re.compile(pattern, re.MULTILINE), "search")
    assert slowest(run_of(use), use.pattern) is None


if __name__ == "__main__":
    every = all_uses()
    print(*(slow := slow_ones(every)).items(), sep="\n")
    kept = {fingerprint(use) for use in every if f"{use.where} ({use.method})" not in slow}
    PASSED.write_text("\n".join(sorted(kept)) + "\n", "ascii")
