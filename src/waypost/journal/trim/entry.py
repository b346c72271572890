"""Soft trim: after a day, unimportant answers and long tool output keep only their core.

People's text and protected entries are never trimmed, and no entry is trimmed twice or after an edit. The full text is
in the archive.
"""

from dataclasses import replace

from waypost.journal.trim.answer import core_sentence
from waypost.journal.trim.tool_output import gist_of_results, head_and_tail
from waypost.journal.wording import summary_words
from waypost.model.journal import Entry, mark_of
from waypost.text.language import language_of

PASSING = 1  # highest score of an answer that is shortened
KEPT_WHOLE = 8  # from this score on, tool output is not shortened either
_NEVER = frozenset({"note", "preference"})


def trim_entry(entry: Entry, score: int, role: str, question: str | None = None) -> Entry:
    """The entry itself if there is nothing to trim, else a shorter one with the mark of its new text.

    `role` is "person", "assistant" or "tool". `question` is what the person asked, so that the core can answer it.
    """
    if not may_be_trimmed(entry, score, role):
        return entry
    return with_shorter_text(entry, _shorter_text(entry, role, question or ""))


def may_be_trimmed(entry: Entry, score: int, role: str) -> bool:
    """Whether this entry may be shortened at all."""
    if role not in {"assistant", "tool"} or entry.kind in _NEVER or entry.protected:
        return False
    if entry.trimmed is not None or entry.amendments:
        return False
    return score <= PASSING or (role == "tool" and score < KEPT_WHOLE)


def with_shorter_text(entry: Entry, text: str | None) -> Entry:
    """The entry with this text, if it is shorter."""
    if not text or not text.strip() or len(text) >= len(entry.text):
        return entry
    return replace(entry, text=text, trimmed=mark_of(text))


def _shorter_text(entry: Entry, role: str, question: str) -> str | None:
    words = summary_words(language_of(f"{question}\n{entry.text}" if role == "assistant" else entry.text))
    gist = gist_of_results(entry.text, words)
    if gist is not None:
        return gist
    if role == "tool":
        return head_and_tail(entry.text, words)
    return core_sentence(entry.text, entry.at.date(), words, question)
