"""What a question asks for, as far as words show it.

    question = read_question("When did Caroline go to Paris?", language="en", now=now, speakers=("Caroline", "Melanie"))
    question.keywords    # ("go", "paris"): what the keyword index is asked for; stem them as the index was
    question.speakers    # {"caroline"}: dropped from the keywords, for a speaker's name stands in every second turn
    question.asks_when   # True

`speakers` are the names of all who speak in the space (roles like "user" may be among them; they are no names).
Words that are not names of speakers, numbers and quoted strings stay keywords.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from waypost.retrieve.lexicon import words_of
from waypost.retrieve.times.question_times import DaySpan, Span, days_named, spans_in, words_of_time
from waypost.text.stems import fold

# Who answers in a conversation with a machine, and who asks.
ASSISTANTS = frozenset(("assistant", "ai", "agent", "bot", "model", "system", "tool"))
ROLES = ASSISTANTS | {"user", "human", "person"}

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    language: str
    keywords: tuple[str, ...]  # lower case, in order, each once
    speakers: frozenset[str] = frozenset()  # those named in it, in lower case and in full
    asks_when: bool = False
    asks_how_many: bool = False
    asks_several: bool = False  # its answer is a list
    about_self: bool = False  # about the asker: answered by what the asker said
    about_answers: bool = False  # what an assistant said before
    spans: tuple[Span, ...] = ()  # the times it names
    days: tuple[DaySpan, ...] = ()  # the same as the calendar has them
    only_time: bool = False  # it asks for what was said then, and names no subject


def read_question(text: str, *, language: str, now: datetime, speakers: Collection[str] = ()) -> Question:
    """`now` is by the clock of the asker: "yesterday" is the day before that one's today."""
    lists = words_of(language)
    low = text.lower()
    words = list(dict.fromkeys(_WORD.findall(low)))
    named, parts = _named(words, speakers)
    telling = [word for word in words if fold(word) not in lists.stop]
    # A question of nothing but names and stop words still looks for what it has.
    keywords = [word for word in telling if word not in parts] or telling or words
    recalled = lists.recalled.search(low) is not None
    days = days_named(text, language, now.date())
    return Question(
        text=text,
        language=language,
        keywords=tuple(keywords),
        speakers=named,
        asks_when=lists.when.search(low) is not None,
        asks_how_many=lists.how_many.search(low) is not None,
        asks_several=lists.several.search(low) is not None,
        about_self=not recalled and lists.self.search(low) is not None,
        about_answers=recalled,
        spans=spans_in(text, language, now.date()),
        days=days,
        only_time=bool(days) and not _subjects(text, language, now, keywords),
    )


def _subjects(text: str, language: str, now: datetime, keywords: Collection[str]) -> list[str]:
    """The telling words of a question that neither name its time nor merely ask what was said."""
    of_time, speaking = words_of_time(text, language, now.date()), words_of(language).speaking
    return [word for word in keywords if word not in of_time and not speaking.fullmatch(word)]


def _named(words: list[str], speakers: Collection[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The speakers that the question names by their full or first name, and the words by which it does.

    German puts its genitive directly behind a name: "Carolines Hund".
    """
    spellings = {word: word for word in words} | {word.removesuffix("s"): word for word in words if word.endswith("s")}
    named, parts = set[str](), set[str]()
    for speaker in speakers:
        full = speaker.lower()
        names = _WORD.findall(full)
        if full in ROLES or not names or names[0] not in spellings:
            continue
        named.add(full)
        parts.update(spellings[name] for name in names if name in spellings)
    return frozenset(named), frozenset(parts)
