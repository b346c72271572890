"""Secrets that show by the name before them: `password = …`, `Passwort: …`, `пароль — …`, `"api_key": "…"`.

A name is found by a plain search; what follows it (closing quotes, a sign or verb of giving, a value) is then read by
bounded patterns, so that the work per name is constant and a text of nothing but names stays linear.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from waypost.text.secret_formats import Span, data
from waypost.text.secret_values import is_name_like, is_password, is_token, is_word_password

_MAX_VALUE = 2048

_SUFFIX = (
    r"(?:[_-]?(?:access[_-]?key|key|token|secret|value|text|plain|prod(?:uction)?|dev|staging|live|test|"
    r"root|admin|user|db|str|string|raw|hex|base64|b64|\d{1,2}))"
)
_NAME_END = re.compile(
    rf"(?P<rest>ord|ort|d|phrase|ь|я|ю|ем|и|а|у|ом|s|es)?(?:es|en|s)?{_SUFFIX}{{0,3}}(?![\w])"
    r"(?P<close>(?:\\{0,3}[\"'`]|&quot;)?[\])]{0,2})",
    re.IGNORECASE,
)
_ABOUT = (
    r"(?:[ ]\([^()\n]{1,40}\))?"
    r"(?:[ ](?:for|of|to|on|at|from|für|fuer|vom|von|zum|zur|am|im|der|des|от|для|к|на|у)[ ][^\n:=,;!?\"'«„“`]{1,40}?)?"
)
_SIGN = re.compile(
    r"[ \t]{0,20}(?P<sign>:[ ]?[A-Za-z][\w.\[\]| ]{0,30}?[ ]?=(?!=)|:=|=>|={1,3}|!={1,2}|:{1,2}|->|\?=)[ \t]{0,20}"
)
_VERB = re.compile(
    _ABOUT + r"[ ]{0,2}(?:[ ](?P<verb>is|was|are|ist|lautet|lauten|war|sei|heißt|heisst|это|был|будет|теперь|"
    r"(?:is|was|has been|wurde|ist)[ ](?:set|changed|reset)[ ]to|auf)"
    r"(?:[ ](?:still|now|jetzt|nun|теперь|auf))?:?[ ]|[ ]?(?P<dash>[—–])[ ]|(?P<colon>:)[ ]{1,4})",
    re.IGNORECASE,
)
_TAG = re.compile(r"(?:[ ][^<>\n]{0,80})?>[ \t]{0,8}")
_VALUE_ATTRIBUTE = re.compile(r"[\"']?[ ]?[,;]?\s{0,80}(?:\\?[\"'])?value(?:\\?[\"'])?[ ]?[:=][ ]{0,8}", re.IGNORECASE)
_ARGUMENT = re.compile(r"[ ]?[(,][ ]?(?=[\"'`])")
_OPTION = re.compile(r"[ ]{1,4}")
_BARE = re.compile(r"[^\s\"'`<>«»„“”\\]{1,512}")
_BARE_LINE = re.compile(r"[^\s]{1,512}")
_OPENING = re.compile(r"(?:[rbuf]{1,2}(?=[\"']))?(?P<quote>\\{1,3}[\"']|[\"'`«„“‘]|&quot;|&#39;)")
_CLOSING = {"«": "»", "„": "[“”]", "“": "”", "‘": "’"}
_LINE_KEY = re.compile(r"[ \t]*(?:(?:export|set|setx|ENV|ARG|[-*>+#•]|//)[ \t]+)*[\"']?[\w.\-$:/]*\Z")
_TRAILING = ".,;:!?)]}>"


class Kind(Enum):
    PASSWORD = "password"
    TOKEN = "token"


@dataclass(frozen=True, slots=True)
class _Value:
    start: int
    end: int
    quoted: bool


def find_named(text: str, low: str) -> Iterator[Span]:
    """Every value that a name of a secret is given; `low` is the text in small letters, of the same length."""
    for kind in Kind:
        for literal in data()["names"][kind.value]:
            at = low.find(literal)
            while at >= 0:
                value = _value_after(text, at, at + len(literal), kind)
                if value:
                    yield value.start, value.end, kind.value
                at = low.find(literal, at + 1)


def _value_after(text: str, at: int, end: int, kind: Kind) -> _Value | None:
    name = _NAME_END.match(text, end)
    if not name:
        return None
    after = name.end()
    if sign := _SIGN.match(text, after):
        return _assigned(text, at, sign, kind)
    if argument := _ARGUMENT.match(text, after):
        return _quoted(text, argument.end(), kind)
    if (tag := _TAG.match(text, after)) and text[max(0, at - 60) : at].rpartition("<")[1]:
        return _tagged(text, tag.end(), kind)
    if attribute := _VALUE_ATTRIBUTE.match(text, after):
        return _quoted(text, attribute.end(), kind) or _bare(text, attribute.end(), kind, line=True)
    if (option := _OPTION.match(text, after)) and _is_option(text, at):
        return _quoted(text, option.end(), kind) or _bare(text, option.end(), kind, line=True)
    if verb := _VERB.match(text, after):
        return _said(text, verb.end(), kind)
    return None


def _assigned(text: str, at: int, sign: re.Match[str], kind: Kind) -> _Value | None:
    begin = sign.end()
    if found := _quoted(text, begin, kind):
        return found
    if _OPENING.match(text, begin):
        return None
    alone = bool(_LINE_KEY.match(text[text.rfind("\n", 0, at) + 1 : at])) and at - text.rfind("\n", 0, at) < 120
    found = _bare(text, begin, kind, line=alone)
    if not found and kind is Kind.PASSWORD and sign["sign"] == ":" and text[sign.start()] == ":":
        return _word_after_colon(text, at, begin)
    return found


def _quoted(text: str, begin: int, kind: Kind) -> _Value | None:
    opening = _OPENING.match(text, begin)
    if not opening:
        return None
    quote = opening["quote"]
    end = _closing(text, opening.end(), quote)
    if end < 0:
        return None
    value = text[opening.end() : end]
    return _Value(opening.end(), end, True) if _believable(value, kind) else None


def _closing(text: str, begin: int, quote: str) -> int:
    """Where the quoted value ends, or -1: it must end on its line and be of a value's length."""
    if quote in ('"', "'", "`"):
        found = re.compile(rf"(?:[^{quote}\\\n]|\\.){{1,{_MAX_VALUE}}}(?={quote})").match(text, begin)
        return found.end() if found else -1
    pattern = _CLOSING.get(quote) or re.escape(quote)
    found = re.compile(pattern).search(text, begin, begin + _MAX_VALUE)
    return found.start() if found and "\n" not in text[begin : found.start()] else -1


def _bare(text: str, begin: int, kind: Kind, *, line: bool) -> _Value | None:
    found = (_BARE_LINE if line else _BARE).match(text, begin)
    if not found:
        return None
    value = found.group()
    for stop in ("&", "#", "?") if not line else ():
        value = value.partition(stop)[0]
    kept = value.rstrip(_TRAILING + "\"'`")
    if value != kept and not line and kept + ")" in value + ")" and is_name_like(kept):
        return None
    value = kept
    if is_name_like(value) or not _believable(value, kind):
        return None
    return _Value(begin, begin + len(value), False)


def _tagged(text: str, begin: int, kind: Kind) -> _Value | None:
    end = text.find("<", begin, begin + _MAX_VALUE)
    if end < 0 or text[end : end + 2] != "</":
        return None
    value = text[begin:end].rstrip()
    return _Value(begin, begin + len(value), False) if _believable(value, kind) else None


def _said(text: str, begin: int, kind: Kind) -> _Value | None:
    """The value in a sentence: marked by quotes it may be a plain word, unmarked it must not be one."""
    opening = _OPENING.match(text, begin)
    if opening:
        end = _closing(text, opening.end(), opening["quote"])
        value = text[opening.end() : end] if end > 0 else ""
        plain = kind is Kind.PASSWORD and " " not in value and is_word_password(value)
        if value and (plain or _believable(value, kind)):
            return _Value(opening.end(), end, True)
        return None
    return _bare(text, begin, kind, line=False)


def _word_after_colon(text: str, at: int, begin: int) -> _Value | None:
    """`Passwort: Sonnenblume` alone on its line, with the capital of a form or in a language of no code."""
    end = text.find("\n", begin)
    word = text[begin : end if end >= 0 else len(text)].rstrip()
    start = text.rfind("\n", 0, at) + 1
    lead = text[start:at].strip(" \t-*>•")
    if len(word) > 40 or not word.isalpha() or len(lead) > 40 or "<" in lead or '"' in lead:
        return None
    formal = text[at].isupper() or not text[at].isascii()
    return _Value(begin, begin + len(word), False) if formal and is_word_password(word) else None


def _is_option(text: str, at: int) -> bool:
    """Whether the name is a command-line option: `--db-password`, or follows `login … ` as in a .netrc file."""
    word = text[max(0, at - 40) : at].rsplit(None, 1)
    return bool(word) and text[max(0, at - 40) : at][-1:] not in " \t\n" and word[-1].startswith("-")


def _believable(value: str, kind: Kind) -> bool:
    return is_password(value) if kind is Kind.PASSWORD else is_token(value)
