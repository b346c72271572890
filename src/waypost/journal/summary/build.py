"""Summaries of weeks, months and years without a language model, in the words of the entries.

They are made from the original entries, never from other summaries. The page is Markdown under five headings in the
language of the entries; empty headings are left out. The same entries in any order give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from waypost.journal.summary.items import summary_items
from waypost.journal.summary.page import Period, language_of_items, render_page
from waypost.journal.summary.sections import SummarySections
from waypost.journal.wording import summary_words
from waypost.model.journal import ScoredEntry

if TYPE_CHECKING:
    from waypost.journal.summary.text_rank import Matrix

Vectors = Mapping[str, "Matrix"]
SeeAlso = Mapping[str, Sequence[str]]


def summarise(
    period: Period,
    entries: Sequence[ScoredEntry],
    vectors: Vectors,
    language: str | None = None,
    see_also: SeeAlso | None = None,
) -> str:
    """The summary of a week, month or year from its scored entries.

    `vectors` and `see_also` (labels, or paths of the journal) are keyed by entry id. Both may be empty.
    """
    items = summary_items(entries)
    words = summary_words(language or language_of_items(items))
    return render_page(period, words, SummarySections(period, items, words, vectors, see_also or {}).sections())
