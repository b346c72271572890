"""What a text states, sentence by sentence, separately from how important it is.

Rules decide by word lists (`data/statements_<language>.toml`, `data/life_events_<language>.toml`). Questions, commands
and small talk state nothing.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Literal

from waypost.journal.chatter import adds_something, is_chatter
from waypost.journal.importance.word_lists import (
    LANGUAGES,
    ImportanceWords,
    UtteranceSentence,
    importance_words,
    language_of_lists,
    sentences_of,
)
from waypost.journal.statements.news import is_outcome

StatementKind = Literal["event", "result", "progress", "decision", "goal", "preference", "fact", "promise", "remark"]
Area = Literal["family", "health", "work", "money", "travel", "personal"]
AREAS: tuple[Area, ...] = ("family", "health", "work", "money", "travel", "personal")
_ORDER: tuple[StatementKind, ...] = (
    *("remark", "event", "progress", "promise", "result", "decision", "fact", "preference", "goal"),
)
# In which order kinds are tried: their own lists, lists of importance, and a list of what does not count.
_KINDS: tuple[tuple[StatementKind, tuple[str, ...], tuple[str, ...], str], ...] = (
    ("goal", ("goal",), ("goal",), "not_goal"),
    ("promise", ("promise",), (), ""),
    ("decision", ("decision",), ("decision",), "not_decision"),
    ("preference", ("preference",), ("preference",), "not_preference"),
    ("fact", ("fact",), ("trait",), "not_fact"),
    ("promise", ("appointment",), ("keep",), ""),
    ("remark", ("mood",), (), ""),
    ("result", ("result",), (), ""),
    ("progress", ("progress",), (), ""),
    ("remark", ("remark",), (), ""),
)
_CACHED = 20_000
_FEWEST_WORDS = 3  # of an event without a number or an area
_FEWEST_WITH_NUMBER = 2
_FEWEST_SHORT = 2  # of an outcome: "We opened!"
_SHORT_THANKS = 7  # words; longer thanks also state something
_MOST_BESIDE = 6  # words of a remark on what is imagined
_LEAST_EVENT = 8  # words of a remark that also says what happened
_DIGIT = re.compile(r"\d")
_CYRILLIC = re.compile("[а-яё]", re.I)
_LONG_QUOTE = re.compile(r"[\"“„«»]\w+[^\"“”„«»\w]+\w+[^\"“”„«»\w]+\w+[^\"“”„«»]*")
JOY = re.compile("!!|[🎉🥳🎊💍🎓👶💙🩷🏆🥇😭🙌🔥💪🍾👏]")  # beside few words: they announce something


@dataclass(frozen=True, slots=True)
class SpokenStatement:
    """One sentence that states something."""

    kind: StatementKind
    sentence: str  # as written
    area: Area | None = None
    is_milestone: bool = False  # an event that changes a life
    is_real: bool = True  # not imagined, joked or denied
    is_own: bool = True  # not what somebody else says of themselves
    is_speakers: bool = True  # nobody else decides or wants it

    @property
    def rank(self) -> tuple[bool, int]:
        return self.is_milestone, _ORDER.index(self.kind)


@dataclass(frozen=True, slots=True)
class _StatementWords:
    lists: dict[str, re.Pattern[str]]
    milestones: dict[str, re.Pattern[str]]
    no_milestone: re.Pattern[str]
    negated: re.Pattern[str]  # at the end of what comes before a milestone
    stays: re.Pattern[str]  # nobody left or lost a job
    beside: re.Pattern[str]  # there too: "without", "for the"
    areas: dict[str, re.Pattern[str]]


@lru_cache(maxsize=_CACHED)
def statements_of(text: str, language: str) -> tuple[SpokenStatement, ...]:
    """The sentences of a person's text that state something, in order."""
    language = language_of_lists(text, language)
    spoken = [
        sentence
        for sentence in sentences_of(text, language)
        if not sentence.asks or _is_lasting_wish(sentence, language)
    ]
    if asks_about_wording(text):
        spoken = [sentence for sentence in spoken if not _is_sample(sentence.written, text)]
    read = [(sentence, _statement(sentence, language)) for sentence in spoken]
    if any(statement is not None and not statement.is_real for _, statement in read):
        read = [(sentence, _beside_imagined(sentence, statement)) for sentence, statement in read]
    informs = any(statement is not None and statement.kind != "remark" for _, statement in read)
    stated = tuple(
        statement or SpokenStatement("remark", sentence.written)
        for sentence, statement in read
        if statement or (informs and _is_fragment(sentence, language))
    )
    if _statement_words(language).lists["denied"].search(text.lower()):  # none of it holds without the denial
        return tuple(replace(statement, kind="remark", is_milestone=False, is_real=False) for statement in stated)
    return stated


def main_statement(text: str, language: str) -> SpokenStatement | None:
    """The statement that matters most, or None if the text only asks or chats."""
    statements = statements_of(text, language)
    return max(statements, key=lambda statement: statement.rank) if statements else None


def is_event(text: str, language: str) -> bool:
    """Whether a text states what happened, which is no preference, however important."""
    statement = main_statement(text, language)
    return statement is not None and (statement.is_milestone or statement.kind in ("event", "result", "progress"))


@lru_cache(maxsize=_CACHED)
def asks_about_wording(text: str) -> bool:
    """Whether somebody asks how to say or answer something, or whether a text is right: in any language."""
    pattern = _wording_questions()
    return any(
        sentence.asks and pattern.search(sentence.text) is not None
        for sentence in (sentences_of(text, "en") if "?" in text or ":" in text else ())
    )


def _beside_imagined(sentence: UtteranceSentence, statement: SpokenStatement | None) -> SpokenStatement | None:
    """A few words beside what is only imagined are a remark on it: "If I won, … But I don't play"."""
    is_plain = statement is not None and statement.kind == "event" and not statement.is_milestone
    return replace(statement, kind="remark") if statement and is_plain and sentence.words <= _MOST_BESIDE else statement


def _is_sample(sentence: str, text: str) -> bool:
    """Whether a sentence is the text that somebody asks about: quoted, or in other letters than the question."""
    if _LONG_QUOTE.search(sentence):
        return True
    question = next((part.written for part in reversed(sentences_of(text, "en")) if part.asks), "")
    return bool(_CYRILLIC.search(question)) != bool(_CYRILLIC.search(sentence))


def _is_fragment(sentence: UtteranceSentence, language: str) -> bool:
    """Whether a few words belong to what is stated beside them: "All of them.", "Light." But not "Hello!" or "Thanks"."""
    if _statement_words(language).lists["idle"].match(sentence.text) or importance_words(language)["heed"].search(
        sentence.text
    ):
        return False
    rest = importance_words(language)["pleasant"].sub(" ", sentence.text)
    return adds_something(rest)


def _is_lasting_wish(sentence: UtteranceSentence, language: str) -> bool:
    """Whether a command holds for longer: "Always answer in German", "Remember: …"."""
    if sentence.text.rstrip(" \"'”»)*_").endswith("?"):
        return False
    words = importance_words(language)
    return any(words[name].search(sentence.text) for name in ("keep", "preference", "stress"))


def _statement(sentence: UtteranceSentence, language: str) -> SpokenStatement | None:
    own = _statement_words(language)
    is_hearsay = own.lists["hearsay"].search(sentence.text) is not None or _quotes_another(own, sentence.text)
    milestone = None if is_hearsay else _milestone(own, sentence.text)
    if milestone is None and _is_small_talk(sentence, language):
        return None
    if own.lists["unreal"].search(sentence.text):
        return SpokenStatement("remark", sentence.written, _area(own, sentence.text), is_real=False)
    if is_hearsay:
        return SpokenStatement("event", sentence.written, is_own=False)
    kind = _kind(own.lists, importance_words(language), sentence.text)
    if kind == "remark" and sentence.words >= _LEAST_EVENT and _area(own, sentence.text):
        kind = "remark" if own.lists["mood"].search(sentence.text) else "event"
    if kind in ("event", "fact") and milestone is None and _denies_milestone(own, sentence.text):
        kind = "remark"
    if kind == "promise" and milestone and not own.lists["promise"].search(sentence.text):
        kind = "event"  # with a date
    if milestone is None or kind in ("goal", "promise"):  # wished or promised: it has not happened yet
        area = _area(own, sentence.text) or milestone
        return SpokenStatement(kind, sentence.written, area, is_speakers=_is_speakers(own, sentence.text))
    return SpokenStatement(
        "decision" if kind == "decision" else "event", sentence.written, milestone, is_milestone=True
    )


def _is_speakers(own: _StatementWords, text: str) -> bool:
    """Whether the speaker may be the subject: named by a pronoun before the first comma, or nobody else is."""
    clause = text.partition(",")[0]
    return own.lists["own_subject"].search(clause) is not None or own.lists["other_subject"].match(text) is None


def _quotes_another(own: _StatementWords, text: str) -> bool:
    """Whether a sentence quotes what somebody says of themselves: Tom: "I'm getting divorced"."""
    match = own.lists["quoted"].search(text)
    return match is not None and match.start() > 0 and not own.lists["own_quote"].search(text[: match.start()])


def _milestone(own: _StatementWords, text: str) -> Area | None:
    if own.no_milestone.search(text) or own.stays.search(text):
        return None
    for area in AREAS:
        for match in own.milestones[area].finditer(text):
            before = text[: match.start()]
            if area == "work" or not (own.negated.search(before) or own.beside.search(before)):
                return area
    return None


def _denies_milestone(own: _StatementWords, text: str) -> bool:
    """Whether a sentence says of a milestone that it is not so: "I'm not pregnant"."""
    if own.stays.search(text):
        return True
    matches = (own.milestones[area].search(text) for area in AREAS if area != "work")
    return any(match and own.negated.search(text[: match.start()]) for match in matches)


def _kind(own: Mapping[str, re.Pattern[str]], words: ImportanceWords, text: str) -> StatementKind:
    """The first kind whose words occur. `own` are the lists of statements, `words` those of importance."""
    for kind, own_lists, other_lists, excluded in _KINDS:
        said = any(own[name].search(text) for name in own_lists) or any(
            words[name].search(text) for name in other_lists
        )
        if said and not (excluded in words and words[excluded].search(text)):
            if excluded in own and own[excluded].search(text):
                continue
            return kind
    return "event"


def _is_small_talk(sentence: UtteranceSentence, language: str) -> bool:
    words = importance_words(language)
    if _DIGIT.search(sentence.text):
        return sentence.words < _FEWEST_WITH_NUMBER
    idle = _statement_words(language).lists["idle"].match(sentence.text) or words["heed"].search(sentence.text)
    plain = sentence.written if sentence.asks else sentence.written.replace("?", ".")  # "We opened today, right?"
    if is_chatter(plain) or (idle and sentence.words <= _SHORT_THANKS):
        return True
    rest = words["pleasant"].sub(" ", sentence.text)
    left = [word for word in rest.split() if any(map(str.isalnum, word))]
    is_news = sentence.text.endswith("!") or words["first"].search(sentence.text) is not None
    is_short_news = JOY.search(sentence.text) or (is_news and is_outcome(sentence.text, language))
    fewest = _FEWEST_SHORT if is_short_news else _FEWEST_WORDS
    return len(left) < fewest and not _statement_words(language).areas["any"].search(sentence.text)


def _area(own: _StatementWords, text: str) -> Area | None:
    return next((area for area in AREAS if area in own.areas and own.areas[area].search(text)), None)


@cache
def _wording_questions() -> re.Pattern[str]:
    return _pattern([words for name in LANGUAGES for words in _table(f"statements_{name}.toml")["wording"]])


@cache
def _statement_words(language: str) -> _StatementWords:
    name = language if language in LANGUAGES else "en"
    table, life = _table(f"statements_{name}.toml"), _table(f"life_events_{name}.toml")
    areas = {area: _pattern([words]) for area, words in table["area"].items()}
    areas["any"] = _pattern(list(table["area"].values()))
    return _StatementWords(
        {list_: _pattern(words) for list_, words in table.items() if isinstance(words, list)},
        {area: _pattern([words]) for area, words in life["event"].items()},
        _pattern(life["other"]),
        re.compile(rf"(?<!\w)(?:{'|'.join(life['negated'])}) $"),
        _pattern(life["stays"]),
        re.compile(rf"(?<!\w)(?:{'|'.join(life['beside'])}) $"),
        areas,
    )


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads((files("waypost.journal") / "data" / name).read_text("utf-8"))


def _pattern(alternatives: list[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(alternatives)})(?!\w)")
