"""Text of the project that has a question word for word: it answers, whatever else ranks before it."""

from collections.abc import Mapping
from heapq import nlargest
from typing import TYPE_CHECKING

from waypost.retrieve.code_question import CodeQuestion
from waypost.retrieve.passages import code_text
from waypost.retrieve.relevance import FEWEST_QUOTED, plain_words, share_quoted
from waypost.store.protocol import Reader

if TYPE_CHECKING:
    from waypost.flows.recall.candidates import Gathered
    from waypost.store.protocol import CodeSketch

_MOST_READ = 20  # with most of the question's words: what has them in a row is among these for 57 of 60 sentences
_MOST_WORDS = 60  # of a question


def quotations(reader: Reader, question: CodeQuestion, gathered: "Gathered[CodeSketch]") -> Mapping[int, float]:
    """The versions that quote a short question, with the share of its telling words in a row."""
    words = plain_words(question.text)
    if question.is_long or not FEWEST_QUOTED <= len(words) <= _MOST_WORDS:
        return {}
    candidates = (number for number in gathered.keyword if number not in gathered.not_shown)
    likely = nlargest(_MOST_READ, candidates, key=gathered.keyword.__getitem__)
    shares = {
        number: share_quoted(words, question.language, code_text(memory).body)
        for number, memory in reader.memories.by_number(likely).items()
    }
    return {number: share for number, share in shares.items() if share}
