"""A topic in a few words that its entries use and others do not."""

import re
from collections import Counter
from collections.abc import Sequence
from math import log

from waypost.journal.summary.items import SummaryItem
from waypost.journal.wording import SummaryWords, language_at_start, plain_lines, summary_words
from waypost.text.keywords import keyword_terms, stop_words
from waypost.text.stems import fold

MOST_WORDS = 5
_SHORT_NAME = 3
_MOST_SOURCES = 3  # a word that more entries share has no particular source
_READ_CHARACTERS = 600  # of one entry
_NAME_WORTH = 2.0  # weight of a word written as a name in the middle of a sentence
_WORD = re.compile(r"(?<![\w@#/.-])[^\W\d_][\w-]{2,30}(?![\w@/’'])")
_AFTER_END = re.compile(r"(?:^|[.!?:;…\"„“«()\]–—-]\s*)$")
_BEFORE_NOUN = re.compile(
    r"\b(?:an?|the|my|your|his|her|its|our|their|this|these|those|some|any|each|every|of|in|for|with|on|about|at|from|new|many|more|most|few|all|no|other|own|\d+)\s$",
    re.I,
)
_VERB = {
    "en": re.compile(r"(?:ing|ed|ly)$"),
    "ru": re.compile(
        r"(?:ть|ться|тся|л|ла|ло|ли|лся|лась|лись|ет|ют|ут|ат|ят|ешь|ишь|ем|им|ю|ый|ая|ое|ые|ой|ого|ую|но)$"
    ),
}


class TopicWords:
    """The words of all entries of a period, each entry read once."""

    def __init__(self, items: Sequence[SummaryItem]) -> None:
        self._words = {id(item): _subject_words(item) for item in items}
        self._spread = Counter(stem for words in self._words.values() for stem in {stem for stem, _, _ in words})
        self._people = tuple({part for item in items for part in fold(item.entry.speaker or "").split()})

    def of(self, own: Sequence[SummaryItem], label: str) -> list[str]:
        """At most five words as written, first those that most of these entries share and others lack."""
        label_stems = {stem for token in label.split() for stem in _stems(token, "en") | _stems(token, "de")}
        forms: dict[str, Counter[str]] = {}
        counts: Counter[str] = Counter()
        names: Counter[str] = Counter()
        for item in own:
            words = self._words[id(item)]
            for stem, form, is_name in words:
                forms.setdefault(stem, Counter())[form] += 1
                names[stem] += is_name
            counts.update(list(dict.fromkeys(stem for stem, _, _ in words)))
        weights = {
            stem: count * log(1 + len(self._words) / self._spread[stem]) * (_NAME_WORTH if names[stem] else 1.0)
            for stem, count in counts.items()
            if stem not in label_stems and (count > 1 or names[stem]) and not self._is_person(stem)
        }
        first = {stem: index for index, stem in enumerate(counts)}
        best = sorted(weights, key=lambda stem: (-round(weights[stem], 6), first[stem]))[:MOST_WORDS]
        return [min(forms[stem], key=lambda form: (-forms[stem][form], form)) for stem in best]

    def _is_person(self, stem: str) -> bool:
        """Whether it is a speaker's name or its short form: Mel and Mell for Melanie."""
        return any(
            person.startswith(stem[:_SHORT_NAME]) and abs(len(person) - len(stem)) < 6 for person in self._people
        )


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


def _subject_words(item: SummaryItem) -> list[tuple[str, str, bool]]:
    """(stem, as written, whether it is written as a name) of words that could name a subject."""
    words = summary_words(language_at_start(item.text))
    stops = stop_words(words.language)
    result = []
    for line in plain_lines(item.text[:_READ_CHARACTERS]):
        for match in _WORD.finditer(line):
            form = match[0]
            folded = fold(form)
            if folded in stops or folded in words.time or folded in words.month_names:
                continue
            opens = _AFTER_END.search(line[max(0, match.start() - 4) : match.start()]) is not None
            is_name = form[0].isupper() and not opens
            if is_name or _could_be_noun(form, words, opens, line[max(0, match.start() - 8) : match.start()]):
                result += [(stem, form, is_name) for stem in list(_stems(form, words.language))[:1]]
    return result


def _could_be_noun(form: str, words: SummaryWords, opens: bool, before: str) -> bool:
    if words.language == "de":
        return form[0].isupper() and not opens  # nouns have a capital; the first word of a sentence may be anything
    if words.language == "en" and not _BEFORE_NOUN.search(before):
        return False
    verb = _VERB.get(words.language)
    return len(form) >= 4 and not (verb and verb.search(form.lower()))


def _stems(token: str, language: str) -> set[str]:
    return set(keyword_terms(token, language).stems[-1:])
