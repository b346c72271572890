"""What a session taught: learnings, decisions and fixes, found in its turns by rules, without a language model.

A lesson is a sentence in which somebody tells as settled what holds beyond the moment: what was the case or the cause, how
things are done here, what was chosen, or what made an error that was named before go away. Questions, guesses, plans, reports
of work, what is quoted and what is shown as code are none. Rather one too few than one too many: each waits for a person.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from waypost.facts.learn.wording import clip, closed
from waypost.facts.lessons.errors import error_named
from waypost.facts.lessons.rules import FIX, RuleMatch, told_in
from waypost.facts.lessons.sentences import LessonSentence, sentences_of
from waypost.model.session_turn import USER, SessionTurn
from waypost.text.normal import fingerprint_text
from waypost.text.secrets.masking import mask

MOST_LESSONS = 40  # of a session: somebody is to read them
_MOST_TEXT = 400
_MOST_FILES = 5
_PASTED = 1500  # characters: who sends more at once has pasted what others wrote
_REMEMBERED = 6  # turns for which an error stays the one that is spoken of
_USERS_WORD = 0.05  # what the person says is surer,
_NAMES_CODE = 0.03  # and so is what names a file or a piece of code
_FILE = re.compile(r"(?<![\w/.@:-])(?:[\w@.+-]{1,60}/){0,12}[\w@+-][\w@.+-]{0,80}\.[A-Za-z][A-Za-z0-9]{0,7}(?![\w/])")
_FOLDER = re.compile(r"(?<![\w/.@:-])(?:[\w@.+-]{1,60}/){1,12}(?![\w/])")


@dataclass(frozen=True, slots=True)
class Lesson:
    kind: str  # "learning", "decision" or "fix"
    text: str
    turn: SessionTurn  # in which it was said
    quote: str  # the sentence as it was said
    confidence: float
    files: tuple[str, ...] = ()  # as they are named; whether they exist is asked elsewhere
    reason: str = ""  # by which rule


def lessons(turns: Iterable[SessionTurn]) -> list[Lesson]:
    """What the turns teach, in their order, each once; of very many the surest."""
    found: dict[tuple[str, str], Lesson] = {}
    error, since = "", 0
    for turn in turns:
        since += 1
        named = error_named(turn.text)
        spoken_of = error if since <= _REMEMBERED else ""
        for lesson in _in_turn(turn, spoken_of or named):
            key = lesson.kind, fingerprint_text(lesson.text)
            if key not in found or found[key].confidence < lesson.confidence:
                found[key] = lesson
        if named:
            error, since = named, 0
    return _surest(list(found.values()))


def _surest(found: Sequence[Lesson]) -> list[Lesson]:
    if len(found) <= MOST_LESSONS:
        return list(found)
    kept = sorted(range(len(found)), key=lambda place: (-found[place].confidence, place))[:MOST_LESSONS]
    return [found[place] for place in sorted(kept)]


def _in_turn(turn: SessionTurn, error: str) -> list[Lesson]:
    """Secrets are masked before a sentence is cut out: half of one no mask would know."""
    is_pasted = turn.speaker == USER and len(turn.text) > _PASTED
    found = [] if is_pasted else list(_told(turn, turn.text, error))
    if not found:
        return []
    hidden = mask(turn.text).text
    return found if hidden == turn.text else list(_told(turn, hidden, mask(error).text))


def _told(turn: SessionTurn, text: str, error: str) -> Iterator[Lesson]:
    for sentence in sentences_of(text):
        kept = [told for told in told_in(sentence, turn.speaker) if told.rule.kind != FIX or error]
        if kept:
            best = max(kept, key=lambda told: (told.rule.kind == FIX, told.rule.sure))
            yield _lesson(turn, best, error if best.rule.kind == FIX else "")


def _lesson(turn: SessionTurn, told: RuleMatch, error: str) -> Lesson:
    text = closed(clip(told.text, _MOST_TEXT))
    files = _files(f"{error} {told.sentence.text}")
    sure = (
        told.rule.sure
        + (_USERS_WORD if turn.speaker == USER else 0)
        + (_NAMES_CODE if _names_code(told.sentence) else 0)
    )
    return Lesson(
        told.rule.kind,
        f"{error} → {text}" if error else text,
        turn,
        told.sentence.text,
        round(sure, 2),
        files,
        f"said in a session ({told.rule.name})",
    )


def _files(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found[0].removeprefix("./") for found in _FILE.finditer(text)))[:_MOST_FILES]


def _names_code(sentence: LessonSentence) -> bool:
    return "`" in sentence.text or _FOLDER.search(sentence.text) is not None or _FILE.search(sentence.text) is not None
