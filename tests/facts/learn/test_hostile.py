"""The candidates of any change are clean, bounded, and only about the change."""

from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.facts.learn.conftest import candidates

from waypost.facts.domains import Layout
from waypost.facts.learn.commit_range import propose_for_range
from waypost.facts.learn.propose import MOST
from waypost.facts.learn.wording import MOST_TEXT, clip
from waypost.model.candidate import Candidate
from waypost.model.change import (
    ADDED,
    MODIFIED,
    REMOVED,
    RENAMED,
    ChangeSet,
    DependencyChange,
    FileChange,
    SettingChange,
    SymbolChange,
)

pytestmark = pytest.mark.slow  # too slow for the fast suite

LAYOUT = Layout.of(["src/shop/cart.py", "src/mail/send.py"])
WORDS = st.sampled_from(
    ["fix", "Add", "the", "cart", "support", "for", "because", "`x`", "to", "avoid", "leak", "of", "Error", "#12", "and",
     "total", "must", "remove", "Closes", "исправлено", "behebt", "weil", "(", ")", ":", "``", "\x00", "\u202e", "\n", "--", "<|x|>"]
)  # fmt: skip
# Drawn once and sampled from, as drawing every text again would take most of the time.
TEXT = st.one_of(
    st.sampled_from(
        [
            "",
            "Fix leak of total in Cart because it is lost",
            "Return the total of a cart.",
            "remove Cart\x00 `",
            "A" * 900,
        ]
    ),
    st.lists(WORDS, max_size=9).map(" ".join),
    st.text(max_size=12),
)
NAMES = st.one_of(
    st.sampled_from(["Cart", "Cart.total", "pay", "_x", "__init__", "default"]), st.text(min_size=1, max_size=12)
)
PATHS = st.one_of(
    st.sampled_from(["src/shop/cart.py", "README.md", "go.mod", "package.json", "api/v1/x.ts", "a/b/c/d.rs"]),
    st.text(min_size=1, max_size=20),
)
CHANGES = st.sampled_from([ADDED, REMOVED, MODIFIED, RENAMED])
SYMBOLS = st.builds(
    SymbolChange,
    name=NAMES,
    type=st.sampled_from(["class", "function", "method", "constant"]),
    change=CHANGES,
    line=st.integers(0, 99),
    end_line=st.integers(0, 999),
    signature=st.one_of(st.just("def pay(a, b=1)"), TEXT),
    signature_before=st.one_of(st.just("def pay(a)"), TEXT),
    doc=TEXT,
    name_before=st.one_of(st.just(""), NAMES),
    path_before=st.one_of(st.just(""), PATHS),
    is_public=st.booleans(),
    lines_changed=st.integers(0, 500),
)
FILES = st.builds(
    FileChange,
    path=PATHS,
    change=CHANGES,
    path_before=st.one_of(st.just(""), PATHS),
    language=st.sampled_from(["python", "go", "typescript", ""]),
    role=st.sampled_from(["source", "source", "test", "document", "manifest", "configuration", "generated"]),
    lines_added=st.integers(0, 500),
    layout_only=st.booleans(),
    purpose=TEXT,
    symbols=st.lists(SYMBOLS, max_size=2).map(tuple),
    dependencies=st.lists(
        st.builds(DependencyChange, TEXT, CHANGES, TEXT, TEXT, st.sampled_from(["runtime", "language", "build"])),
        max_size=3,
    ).map(tuple),
    settings=st.lists(st.builds(SettingChange, st.one_of(st.just("scripts.x"), TEXT), CHANGES, TEXT), max_size=3).map(
        tuple
    ),
)
SETS = st.builds(
    ChangeSet,
    files=st.lists(FILES, max_size=2).map(tuple),
    commit=st.one_of(st.just(""), st.text("0123456789abcdef", min_size=40, max_size=40)),
    time=st.one_of(st.none(), st.just(datetime(2026, 5, 1, tzinfo=UTC))),
    subject=TEXT,
    body=TEXT,
    is_merge=st.booleans(),
)
_QUICK = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def check(candidate: Candidate, *changes: ChangeSet) -> None:
    paths = {file.path for change in changes for file in change.files}
    names = {symbol.name for change in changes for file in change.files for symbol in file.symbols}
    assert candidate.text.strip()
    assert len(candidate.text) <= MOST_TEXT + 5
    assert candidate.topic
    assert 0.5 <= candidate.confidence <= 1
    assert candidate.level in (0, 1, 2, 3)
    for part in (candidate.text, candidate.topic, candidate.reason, *candidate.evidence, *candidate.refs):
        assert part.isprintable()
    for ref in candidate.refs:
        path, _, name = ref.partition("#")
        assert path in paths
        assert not name or name in names


@given(SETS)
@_QUICK
def test_any_change_gives_valid_candidates(change: ChangeSet) -> None:
    proposals = candidates(change, LAYOUT)
    assert len(proposals) <= MOST
    for candidate in proposals:
        check(candidate, change)


@given(st.lists(SETS, max_size=3))
@settings(_QUICK, max_examples=20)
def test_any_range_gives_valid_candidates(changes: list[ChangeSet]) -> None:
    proposals = propose_for_range(changes, LAYOUT)
    assert proposals.commits == len(changes)
    assert len({candidate.topic for candidate in proposals.candidates}) == len(proposals.candidates)
    for candidate in proposals.candidates:
        check(candidate, *changes)


@given(st.text(max_size=200), st.integers(5, 80))
@_QUICK
def test_a_cut_text_has_only_whole_words(text: str, most: int) -> None:
    cut = clip(text, most)
    assert len(cut) <= most + 2
    assert set(cut.removesuffix(" …").split()) <= {word.rstrip(" ,;:(–—") for word in text.split()} | set(
        text.split()
    ) | {""}


def test_a_large_import_is_read_in_bounded_time_and_says_little() -> None:
    symbols = tuple(SymbolChange(f"f{at}", "function", ADDED, doc="Do what has to be done.") for at in range(600))
    files = tuple(FileChange(f"src/p{at}/m.py", ADDED, lines_added=900, symbols=symbols) for at in range(600))
    assert len(candidates(ChangeSet(files, commit="a" * 40, subject="Import the whole project"), LAYOUT)) <= MOST
