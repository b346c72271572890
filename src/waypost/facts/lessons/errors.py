"""The error that somebody names: what they or a program call it, on one line."""

import re

from waypost.facts.learn.wording import clip, printable
from waypost.facts.lessons.rules import languages
from waypost.facts.lessons.sentences import MOST_READ

_LONGEST = 160  # characters of an error that is told again
_NAMED = re.compile(
    r"\b(?:[a-z_][\w.]{0,60}\.)?[A-Z][A-Za-z]{1,40}(?:Error|Exception)\b\s?:\s?[^`\n]{3,300}"  # a name alone is code
    r"|\berror\s?\[?[A-Z]{1,4}\d{3,5}\]?(?:\s?:\s?[^`\n]{1,300})?"
    r"|\bE(?:CONN[A-Z]{3,8}|NOENT|ADDRINUSE|ACCES|PERM|EXIST|TIMEDOUT|PIPE|MFILE|NOSPC|NOTFOUND|RESOLVE|ISDIR|NOTDIR|BUSY)\b"
    r"(?:\s?:\s?[^`\n]{1,200})?"
    r"|\bSIG(?:SEGV|KILL|ABRT)\b|\b(?:panic|fatal|FATAL)\s?:\s?[^`\n]{4,300}|\bpanicked at [^`\n]{2,200}"
)
_END = re.compile(r"`|(?<=[\w)'\"])[.!?](?:\s|$)|(?<=[.!?])\s+(?=[A-ZА-ЯЁÄÖÜ])|,? (?:when|if|wenn|beim|когда)\s")


def error_named(text: str) -> str:
    """The last error that a text names, "" if it names none."""
    found = ""
    for line in text[:MOST_READ].splitlines():
        found = _in_line(line[:1000]) or found
    return found


def _in_line(line: str) -> str:
    named = _NAMED.search(line)
    if named is not None:
        return _told(named[0])
    if line.rstrip().endswith("?"):
        return ""
    for language in languages():
        described = language.error.search(line)
        if described is not None:
            return _told(next(group for group in described.groups() if group))
    return ""


def _told(text: str) -> str:
    """Up to where the code or the sentence ends."""
    text = text.lstrip("`'\"„“« ")
    end = _END.search(text, 3)
    text = printable(text[: end.start()] if end else text).strip(" `“”»,;.")
    text = text.rstrip("'\"") if (text.count("'") + text.count('"')) % 2 else text
    return clip(text, _LONGEST) if any(sign.isalpha() for sign in text) else ""
