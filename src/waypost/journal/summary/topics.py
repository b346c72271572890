"""What a topic was about, in a few words that its entries use and others do not."""

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
_NAMERS = 3  # a word that more entries share does not come from any of them
_READ_CHARACTERS = 600  # of one entry
_NAME_WORTH = 2.0  # of a word that is written as a name in the middle of a sentence
_WORD = re.compile(r"(?<![\w@#/.-])[^\W\d_][\w-]{2,30}(?![\w@/’'])")
_AFTER_END = re.compile(r"(?:^|[.!?:;…\"„“«()\]–—-]\s*)$")
_BEFORE_NOUN = re.compile(
    r"\b(?:an?|the|my|your|his|her|its|our|their|this|these|those|some|any|each|every|of|in|for|with|on|about|at|from|new|many|more|most|few|all|no|other|own|\d+)\s$",
    re.IGNORECASE,
)
_VERB = {
    "en": re.compile(r"(?:ing|ed|ly)$"),
    "ru": re.compile(
        r"(?:ть|ться|тся|л|ла|ло|ли|лся|лась|лись|ет|ют|ут|ат|ят|ешь|ишь|ем|им|ю|ый|ая|ое|ые|ой|ого|ую|но)$"
    ),
}


class TopicWords:
    """Knows the words of all entries of a period, each read once."""

    def __init__(self, items: Sequence[SummaryItem]) -> None:
        self._told = {id(item): _told(item) for item in items}
        self._spread = Counter(stem for told in self._told.values() for stem in {stem for stem, _, _ in told})
        self._people = tuple({part for item in items for part in fold(item.entry.speaker or "").split()})

    def of(self, own: Sequence[SummaryItem], label: str) -> list[str]:
        """At most five words as they are written, those first that most of these entries share and others do not."""
        known = {stem for token in label.split() for stem in _stems(token, "en") | _stems(token, "de")}
        forms: dict[str, Counter[str]] = {}
        counts: Counter[str] = Counter()
        names: Counter[str] = Counter()
        for item in own:
            told = self._told[id(item)]
            for stem, form, is_name in told:
                forms.setdefault(stem, Counter())[form] += 1
                names[stem] += is_name
            counts.update(list(dict.fromkeys(stem for stem, _, _ in told)))
        worth = {
            stem: count * log(1 + len(self._told) / self._spread[stem]) * (_NAME_WORTH if names[stem] else 1.0)
            for stem, count in counts.items()
            if stem not in known and (count > 1 or names[stem]) and not self._is_person(stem)
        }
        first = {stem: place for place, stem in enumerate(counts)}
        best = sorted(worth, key=lambda stem: (-round(worth[stem], 6), first[stem]))[:MOST_WORDS]
        return [min(forms[stem], key=lambda form: (-forms[stem][form], form)) for stem in best]

    def _is_person(self, stem: str) -> bool:
        """Also a short form of a speaker's name: Mel and Mell for Melanie."""
        return any(
            person.startswith(stem[:_SHORT_NAME]) and abs(len(person) - len(stem)) < 6 for person in self._people
        )


def names(label: str, text: str) -> bool:
    """Whether a text has one of the words of a label, in any form."""
    language = language_at_start(text)
    stops = stop_words(language)
    own = set(keyword_terms(text[:_READ_CHARACTERS], language).stems)
    return any(stem in own and stem not in stops for stem in keyword_terms(label, language).stems)


def namers(own: Sequence[SummaryItem], shown: Sequence[str]) -> list[str]:
    """The ids of the entries without which a shown word would not be known: of each word that only few have."""
    texts = [fold(item.text) for item in own]
    holders = [[place for place, text in enumerate(texts) if fold(word) in text] for word in shown]
    rare = {place for found in holders if len(found) <= _NAMERS for place in found}
    common = next((found for found in holders if found), list(range(len(own))))
    return [one for place in sorted(rare or common[:_NAMERS]) for one in own[place].ids]


def _told(item: SummaryItem) -> list[tuple[str, str, bool]]:
    """(stem, as written, whether it is written as a name) of the words that could name a subject."""
    words = summary_words(language_at_start(item.text))
    stops = stop_words(words.language)
    found = []
    for line in plain_lines(item.text[:_READ_CHARACTERS]):
        for match in _WORD.finditer(line):
            form = match[0]
            folded = fold(form)
            if folded in stops or folded in words.time or folded in words.month_names:
                continue
            opens = _AFTER_END.search(line[max(0, match.start() - 4) : match.start()]) is not None
            is_name = form[0].isupper() and not opens
            if is_name or _could_be_noun(form, words, opens, line[max(0, match.start() - 8) : match.start()]):
                found += [(stem, form, is_name) for stem in list(_stems(form, words.language))[:1]]
    return found


def _could_be_noun(form: str, words: SummaryWords, opens: bool, before: str) -> bool:
    if words.language == "de":
        return form[0].isupper() and not opens  # nouns are, and the first word of a sentence may be anything
    if words.language == "en" and not _BEFORE_NOUN.search(before):
        return False
    verb = _VERB.get(words.language)
    return len(form) >= 4 and not (verb and verb.search(form.lower()))


def _stems(token: str, language: str) -> set[str]:
    return set(keyword_terms(token, language).stems[-1:])
