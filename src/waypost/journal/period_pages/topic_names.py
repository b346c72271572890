"""Topics in lines: whether a name fits, and which entries a name comes from."""

import re
from collections.abc import Sequence

from waypost.journal.period_pages.items import SummaryItem
from waypost.journal.statements.matters import persons_in
from waypost.journal.wording import language_at_start
from waypost.text.keywords import keyword_terms, stop_words
from waypost.text.stems import fold

_PREPOSITION = re.compile(
    r"(?:в|во|на|о|об|обо|к|ко|с|со|у|по|для|из|от|до|за|под|над|при|про|через|перед|без|между|около|после)$", re.I
)
_PERSONS_MATTER = "health"  # a topic must be about one person
_MOST_SOURCES = 3  # a word that more entries share has no particular source
_READ_CHARACTERS = 600  # of one entry


def label_fits(label: str, text: str) -> bool:
    """Whether a text contains one of the label's words, in any form."""
    language = language_at_start(text)
    stops = stop_words(language)
    own = set(keyword_terms(text[:_READ_CHARACTERS], language).stems)
    return any(stem in own and stem not in stops for stem in keyword_terms(label, language).stems)


def mentions(topic: int, label: str, items: Sequence[SummaryItem]) -> list[SummaryItem]:
    """What people said about a topic, and with the word that is its whole name, in any form."""
    is_word = len(label.split()) == 1
    return [
        item
        for item in items
        if item.role == "person"
        and ((item.topic == topic and item.label) or (is_word and label_fits(label, item.text)))
    ]


def can_be_counted(label: str, own: Sequence[SummaryItem]) -> bool:
    """Whether a label stands in a form that names a topic, and its items are about one matter.

    A Russian word that only follows prepositions, or has this form once, is in another case. What happens to the health of several people, or of
    nobody named, is more than one matter.
    """
    texts = [" ".join(item.text.split()) for item in own]
    forms = [match for text in texts for match in re.finditer(rf"(?<!\w){re.escape(label)}(?!\w)", text, re.I)]
    is_cyrillic = re.search("[а-яё]", label, re.I) is not None
    if is_cyrillic and forms and all(_PREPOSITION.search(match.string[: match.start()].rstrip()) for match in forms):
        return False
    if is_cyrillic and len(forms) == 1 and len(own) > 1:
        return False
    areas = {statement.area for item in own for statement in item.statements}
    if _PERSONS_MATTER not in areas:
        return True
    language = language_at_start(texts[0]) or "en"
    persons = [persons_in(text, language) for text in texts]
    return all(persons) and bool(frozenset.intersection(*persons))


def source_ids(own: Sequence[SummaryItem], words: Sequence[str]) -> list[str]:
    """The ids of the entries that contain these words, counting only words with few entries if there are any."""
    texts = [fold(item.text) for item in own]
    holders = [[index for index, text in enumerate(texts) if fold(word) in text] for word in words]
    rare = {index for holder in holders if len(holder) <= _MOST_SOURCES for index in holder}
    common = next((holder for holder in holders if holder), list(range(len(own))))
    return [entry_id for index in sorted(rare or common[:_MOST_SOURCES]) for entry_id in own[index].ids]
