"""Topics in lines: whether a name fits, and which entries a name comes from."""

from collections.abc import Sequence

from waypost.journal.period_pages.items import SummaryItem
from waypost.journal.wording import language_at_start
from waypost.text.keywords import keyword_terms, stop_words
from waypost.text.stems import fold

_MOST_SOURCES = 3  # a word that more entries share has no particular source
_READ_CHARACTERS = 600  # of one entry


def label_fits(label: str, text: str) -> bool:
    """Whether a text contains one of the label's words, in any form."""
    language = language_at_start(text)
    stops = stop_words(language)
    own = set(keyword_terms(text[:_READ_CHARACTERS], language).stems)
    return any(stem in own and stem not in stops for stem in keyword_terms(label, language).stems)


def source_ids(own: Sequence[SummaryItem], words: Sequence[str]) -> list[str]:
    """The ids of the entries that contain these words, counting only words with few entries if there are any."""
    texts = [fold(item.text) for item in own]
    holders = [[index for index, text in enumerate(texts) if fold(word) in text] for word in words]
    rare = {index for holder in holders if len(holder) <= _MOST_SOURCES for index in holder}
    common = next((holder for holder in holders if holder), list(range(len(own))))
    return [entry_id for index in sorted(rare or common[:_MOST_SOURCES]) for entry_id in own[index].ids]
