"""Soft trim: after a day, answers of no lasting worth and long output of tools keep only their core (CM-5).

Never a person's words, never what is protected, and never twice: what was trimmed, or edited since, stays as it is.
The full words are in the archive; here they are only replaced.
"""

from dataclasses import replace

from waypost.journal.trim.answer import core_of
from waypost.journal.trim.tool_output import gist_of_results, head_and_tail
from waypost.journal.wording import summary_words
from waypost.model.journal import Entry, mark_of
from waypost.text.language import language_of

PASSING = 1  # the highest score of an answer that is shortened
KEPT_WHOLE = 8  # from this score on not even the output of a tool is shortened
_NEVER = frozenset({"note", "preference"})


def trim_entry(entry: Entry, score: int, role: str, question: str | None = None) -> Entry:
    """The entry itself when there is nothing to trim, else a shorter one that carries the mark of its new words.

    `role` is "person", "assistant" or "tool"; `question` is what a person had asked, so that the core can answer it.
    """
    if not may_be_trimmed(entry, score, role):
        return entry
    return trimmed_to(entry, _shorter(entry, role, question or ""))


def may_be_trimmed(entry: Entry, score: int, role: str) -> bool:
    """Whether CM-5 and CM-7 allow to shorten this entry at all."""
    if role not in {"assistant", "tool"} or entry.kind in _NEVER or entry.protected:
        return False
    if entry.trimmed is not None or entry.amendments:
        return False
    return score <= PASSING or (role == "tool" and score < KEPT_WHOLE)


def trimmed_to(entry: Entry, text: str | None) -> Entry:
    """The entry with other words, if these are fewer."""
    if not text or not text.strip() or len(text) >= len(entry.text):
        return entry
    return replace(entry, text=text, trimmed=mark_of(text))


def _shorter(entry: Entry, role: str, question: str) -> str | None:
    words = summary_words(language_of(f"{question}\n{entry.text}" if role == "assistant" else entry.text))
    gist = gist_of_results(entry.text, words)
    if gist is not None:
        return gist
    if role == "tool":
        return head_and_tail(entry.text, words)
    return core_of(entry.text, entry.at.date(), words, question)
