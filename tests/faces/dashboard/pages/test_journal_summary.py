"""Summaries are shown as they are meant; what people wrote in them stays as they wrote it."""

import time

from waypost.faces.dashboard.pages.journal_period import SummaryLine, SummaryPiece, lines_of

TEXT = """# 2025-W50
<!-- made by waypost -->

### Main topics
- **Tests, slow:** import ([2025-12-08](../archive/daily/2025-12-08.md)) <!-- id -->
  - Assistant: see [the page](javascript:alert(1)) and [2025-99x](a)
"""


def test_a_summary_is_told_by_headings_items_and_times() -> None:
    heading, item, inner = lines_of(TEXT)
    assert heading == SummaryLine("heading", 0, (SummaryPiece("Main topics"),))
    assert item.kind == "item"
    assert item.pieces[:4] == (
        SummaryPiece("Tests, slow:", "strong"),
        SummaryPiece(" import ("),
        SummaryPiece("2025-12-08", "time"),
        SummaryPiece(") "),
    )
    assert inner.depth == 1


def test_links_that_people_wrote_stay_words() -> None:
    (piece,) = lines_of(TEXT)[-1].pieces
    assert piece == SummaryPiece("Assistant: see [the page](javascript:alert(1)) and [2025-99x](a)")


def test_nothing_takes_long() -> None:
    begun = time.perf_counter()
    for text in ("**" * 50_000, "[2025](" * 20_000, "<!--" * 40_000, "[" * 100_000, " " * 100_000 + "-"):
        lines_of(text)
    assert time.perf_counter() - begun < 5
