"""What a session taught: learnings, decisions and fixes, found in its turns by rules, without a language model.

A lesson is a sentence that states something lasting as settled: a fact or cause, how things are done here, what was
chosen, or what fixed an error named before. Questions, guesses, plans, reports of work, quotations and code do not
count. Rather one too few than one too many, as a person reviews each lesson.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from waypost.facts.learn.wording import clip, printable, with_full_stop
from waypost.facts.lessons.rules import FIX, RuleMatch, languages, matching_rules
from waypost.facts.lessons.sentences import MOST_READ, LessonSentence, sentences_of
from waypost.model.session_turn import USER, SessionTurn
from waypost.text.normal import fingerprint_text
from waypost.text.secrets.masking import mask

MOST_LESSONS = 40  # per session, as somebody reads them
_MOST_TEXT = 400
_MOST_FILES = 5
_PASTED = 1500  # characters: longer messages of a user are pasted
_ERROR_TURNS = 6  # turns for which an error stays the current one
_USER_BONUS = 0.05  # statements of the user are more certain
_CODE_BONUS = 0.03  # and so are those that name a file or code
_FILE = re.compile(r"(?<![\w/.@:-])(?:[\w@.+-]{1,60}/){0,12}[\w@+-][\w@.+-]{0,80}\.[A-Za-z][A-Za-z0-9]{0,7}(?![\w/])")
_FOLDER = re.compile(r"(?<![\w/.@:-])(?:[\w@.+-]{1,60}/){1,12}(?![\w/])")
_LONGEST_ERROR = 160  # characters of an error in a lesson
_ERROR = re.compile(
    r"\b(?:[a-z_][\w.]{0,60}\.)?[A-Z][A-Za-z]{1,40}(?:Error|Exception)\b\s?:\s?[^`\n]{3,300}"  # a name alone is code
    r"|\berror\s?\[?[A-Z]{1,4}\d{3,5}\]?(?:\s?:\s?[^`\n]{1,300})?"
    r"|\bE(?:CONN[A-Z]{3,8}|NOENT|ADDRINUSE|ACCES|PERM|EXIST|TIMEDOUT|PIPE|MFILE|NOSPC|NOTFOUND|RESOLVE|ISDIR|NOTDIR|BUSY)\b"
    r"(?:\s?:\s?[^`\n]{1,200})?"
    r"|\bSIG(?:SEGV|KILL|ABRT)\b|\b(?:panic|fatal|FATAL)\s?:\s?[^`\n]{4,300}|\bpanicked at [^`\n]{2,200}"
)
_ERROR_END = re.compile(r"`|(?<=[\w)'\"])[.!?](?:\s|$)|(?<=[.!?])\s+(?=[A-ZА-ЯЁÄÖÜ])|,? (?:when|if|wenn|beim|когда)\s")


@dataclass(frozen=True, slots=True)
class Lesson:
    kind: str  # "learning", "decision" or "fix"
    text: str
    turn: SessionTurn  # in which it was said
    quote: str  # the sentence as it was said
    confidence: float
    files: tuple[str, ...] = ()  # as named; they may not exist
    reason: str = ""  # the rule


def lessons(turns: Iterable[SessionTurn]) -> list[Lesson]:
    """The lessons of the turns, in order, each once. Of very many, the most certain."""
    lessons_by_key: dict[tuple[str, str], Lesson] = {}
    error, since = "", 0
    for turn in turns:
        since += 1
        error_in_turn = last_error(turn.text)
        current_error = error if since <= _ERROR_TURNS else ""
        for lesson in _in_turn(turn, current_error or error_in_turn):
            key = lesson.kind, fingerprint_text(lesson.text)
            if key not in lessons_by_key or lessons_by_key[key].confidence < lesson.confidence:
                lessons_by_key[key] = lesson
        if error_in_turn:
            error, since = error_in_turn, 0
    return _surest(list(lessons_by_key.values()))


def _surest(all_lessons: Sequence[Lesson]) -> list[Lesson]:
    if len(all_lessons) <= MOST_LESSONS:
        return list(all_lessons)
    best = sorted(range(len(all_lessons)), key=lambda index: (-all_lessons[index].confidence, index))[:MOST_LESSONS]
    return [all_lessons[index] for index in sorted(best)]


def _in_turn(turn: SessionTurn, error: str) -> list[Lesson]:
    """Secrets are masked before a sentence is cut out, as half a secret would not be recognised."""
    is_pasted = turn.speaker == USER and len(turn.text) > _PASTED
    unmasked = [] if is_pasted else list(_lessons_in(turn, turn.text, error))
    if not unmasked:
        return []
    masked_text = mask(turn.text).text
    return unmasked if masked_text == turn.text else list(_lessons_in(turn, masked_text, mask(error).text))


def _lessons_in(turn: SessionTurn, text: str, error: str) -> Iterator[Lesson]:
    for sentence in sentences_of(text):
        matches = [match for match in matching_rules(sentence, turn.speaker) if match.rule.kind != FIX or error]
        if matches:
            best = max(matches, key=lambda match: (match.rule.kind == FIX, match.rule.sure))
            yield _lesson(turn, best, error if best.rule.kind == FIX else "")


def _lesson(turn: SessionTurn, match: RuleMatch, error: str) -> Lesson:
    text = with_full_stop(clip(match.text, _MOST_TEXT))
    files = _files(f"{error} {match.sentence.text}")
    confidence = match.rule.sure + (_USER_BONUS if turn.speaker == USER else 0)
    confidence += _CODE_BONUS if _names_code(match.sentence) else 0
    return Lesson(
        match.rule.kind,
        f"{error} → {text}" if error else text,
        turn,
        match.sentence.text,
        round(confidence, 2),
        files,
        f"said in a session ({match.rule.name})",
    )


def _files(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path[0].removeprefix("./") for path in _FILE.finditer(text)))[:_MOST_FILES]


def _names_code(sentence: LessonSentence) -> bool:
    return "`" in sentence.text or _FOLDER.search(sentence.text) is not None or _FILE.search(sentence.text) is not None


def last_error(text: str) -> str:
    """The last error that a text names, or an empty string."""
    error = ""
    for line in text[:MOST_READ].splitlines():
        error = _error_in_line(line[:1000]) or error
    return error


def _error_in_line(line: str) -> str:
    match = _ERROR.search(line)
    if match is not None:
        return _trim_error(match[0])
    if line.rstrip().endswith("?"):
        return ""
    for language in languages():
        description = language.error.search(line)
        if description is not None:
            return _trim_error(next(group for group in description.groups() if group))
    return ""


def _trim_error(text: str) -> str:
    text = text.lstrip("`'\"„“« ")
    end = _ERROR_END.search(text, 3)
    text = printable(text[: end.start()] if end else text).strip(" `“”»,;.")
    text = text.rstrip("'\"") if (text.count("'") + text.count('"')) % 2 else text
    return clip(text, _LONGEST_ERROR) if any(sign.isalpha() for sign in text) else ""
