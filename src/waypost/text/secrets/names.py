"""Secrets that show by the name before them: `password = …`, `Passwort: …`, `пароль — …`, `"api_key": "…"`.

A name is found by a plain search; what follows it (closing quotes, a sign or verb of giving, a value) is then read by
bounded patterns, so that the work per name is constant and a text of nothing but names stays linear.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from waypost.text.secrets.layouts import find_apart, find_plain_pass
from waypost.text.secrets.letters import word_given, word_quoted, word_said
from waypost.text.secrets.scan import Scan, Span
from waypost.text.secrets.sentences import find_loosely, find_pair
from waypost.text.secrets.table import data
from waypost.text.secrets.values import (
    is_code,
    is_name_like,
    is_password,
    is_short_number,
    is_token,
    is_word_password,
)

_MAX_VALUE = 2048
_LINE_REACH = 120

_SUFFIX = (
    r"(?:[_.-]?(?:access[_-]?key|key|token|secret|value|text|plain|prod(?:uction)?|dev|staging|live|test|"
    r"root|admin|user|db|str|string|raw|hex|base64|base|b64|\d{1,2}))"
)
_NAME_END = re.compile(
    rf"(?:wor[dt]|wörter|woerter|wd|phrase|code|ort|örter|oerter|ьн(?:ая|ой|ую)[ ]фраз[аыу]|ь|я|ю|ями|ям|ях|ем|ей|е|и|а|у|ом)?(?:es|s)?{_SUFFIX}{{0,3}}(?:[ ](?:API|доступа))?(?!\w)"
    r"(?P<close>(?:\\{0,3}[\"'`]|&quot;)?[\])]{0,2}(?:\*{1,3}(?=[ \t]?[:=|\t]))?)",
    re.IGNORECASE,
)
_ABOUT = (
    r"(?:[ ]\([^()\n]{1,40}\))?"
    r"(?:[ ](?:for|of|to|on|at|from|für|fuer|vom|von|zum|zur|am|im|der|des|от|для|к|на|у)[ ][^\n:=,;!?\"'«„“`]{1,40}?)?"
)
_SIGN = re.compile(
    r"[ \t]{0,20}(?P<sign>:[ ]?[A-Za-z][\w.\[\]| ]{0,30}?[ ]?=(?!=)|:=|=>|={1,3}|!={1,2}|:{1,2}|->|\?=)[ \t]{0,20}"
)
_COLON = re.compile(r"[ \t]{0,20}(?P<sign>:)[ \t]{0,20}")
_TIGHT_TYPE = re.compile(r":.{0,80}[^ :]=")
"""What looks like a type before a sign without a blank (`key: c2=`) is the beginning of a value."""
_VERB = re.compile(
    _ABOUT + r"[ ]{0,2}(?:[ ](?P<verb>(?:is|was|has been)[ ](?:set|changed|reset)[ ]to|is|was|are|"
    r"(?:ist|wurde)[ ]auf|ist|lautet|lauten|war|sei|heißt|heisst|auf|это|был|будет|теперь)"
    r"(?:[ ](?:still|now|jetzt|nun|теперь|auf))?:?[ ]|[ ]?(?P<dash>[—–])[ ]|(?P<colon>:)[ ]{1,4})",
    re.IGNORECASE,
)
_EMPHASIS = re.compile(r"\*{1,3}(?=[^\s*])")
_TAG = re.compile(r"(?:[ ][^<>\n]{0,80})?>[ \t]{0,8}")
_VALUE_ATTRIBUTE = re.compile(r"[\"']?[ ]?[,;]?\s{0,80}(?:\\?[\"'])?value(?:\\?[\"'])?[ ]?[:=][ ]{0,8}", re.IGNORECASE)
_ARGUMENT = re.compile(r"[ ]?[(,][ ]?(?=[\"'`])")
_OPTION = re.compile(r"[ ]{1,4}")
_SETTER = re.compile(
    r"(?i)(?:define|set\w{0,60}|put\w{0,60}|add\w{0,60}|append|header|env|property|param\w{0,60}|attr\w{0,60}|with\w{0,60})\([\"'][\w.-]*\Z"
)
_TAG_LEAD = re.compile(r"<[\w:.-]*\Z|(?:name|key)=[\"'][\w:.-]*\Z", re.IGNORECASE)
_ATTRIBUTE_LEAD = re.compile(r"(?:name|key|id|field)(?:\\?[\"'])?[ ]?[:=][ ]?(?:\\?[\"'])?[\w:. -]*\Z", re.IGNORECASE)
_OPTION_LEAD = re.compile(r"(?:\A|[\s\"'`(\[])--?[\w-]*\Z")
_NO_NAME = re.compile(r"(?:::|\$\{)[\w-]*\Z|[\w*]:\Z|\[(?:secret:[ ][\w-]*)?\Z")
"""Part of one of our own marks, of a type (`AWS::IAM::AccessKey`), of a resource (`arn:aws:secret:…`), or a variable that is read (`${TOKEN:-}`)."""
_CALL_LEAD = re.compile(r"(?i)(?:\A|[^\w])(?:set|with|use|add|put)?_?(?:user|db|the|api|auth|access|client)?_?\Z")
_ANOTHER_NAME = re.compile(r"[a-z_]{0,20}(?:pass|pwd|token|secret|key)[a-z_]{0,20}[=:]", re.IGNORECASE)
_BARE = re.compile(r"[^\s\"'`<>«»„“”\\]{1,512}")
_BARE_LINE = re.compile(r"[^\s]{1,512}")
_OPENING = re.compile(r"(?:[rbuf]{1,2}(?=[\"']))?(?P<quote>\\{1,3}[\"']|[\"'`«„“‘]|&quot;|&#39;)")
_CLOSING = {"«": "»", "„": "[“”]", "“": "”", "‘": "’"}
_LINE_KEY = re.compile(r"[ \t]*(?:(?:export|set|setx|ENV|ARG|[-*>+#•]|//)[ \t]+)*[\"']?[\w.\-$:/]*\Z")
_TRAILING = ".,;:)]}>"


class NameKind(Enum):
    """Which name was found, and so how much the value must prove."""

    PASSWORD = "password"  # noqa: S105
    TOKEN = "token"  # noqa: S105


@dataclass(frozen=True, slots=True)
class _Value:
    start: int
    end: int


def find_named(scan: Scan) -> Iterator[Span]:
    """Every believable value that a name of a secret is given."""
    names = data()["names"]
    for kind in NameKind:
        for literal in names[kind.value]:
            for at in scan.places_in_any_case(literal):
                for start, end in _values_after(scan.text, at, literal, kind):
                    yield start, end, kind.value
    for literal in names["pair"]:
        for at in scan.places_in_any_case(literal):
            if span := find_pair(scan.text, at + len(literal)):
                yield *span, NameKind.PASSWORD.value


def _values_after(text: str, at: int, literal: str, kind: NameKind) -> Iterator[tuple[int, int]]:
    """The believable values that the name at `at` is given, by whichever way of giving matches first."""
    name = _NAME_END.match(text, at + len(literal)) if _names_a_secret(text, at, literal, kind) else None
    if not name:
        leads = tuple(data()["names"]["pass_leads"])
        if literal == "pass" and (span := find_plain_pass(text, at, leads)):
            yield span
        return
    if value := _value_after(text, at, name.end(), kind):
        yield value.start, value.end
        return
    if not name["close"] or text.startswith(("'s ", "’s "), name.start("close")):
        yield from find_loosely(text, at, name.start("close"), password=kind is NameKind.PASSWORD)
    yield from find_apart(text, at, name.end(), password=kind is NameKind.PASSWORD)


def _value_after(text: str, at: int, after: int, kind: NameKind) -> _Value | None:
    if sign := _SIGN.match(text, after):
        if _TIGHT_TYPE.search(sign["sign"]) and (plain := _COLON.match(text, after)):
            return _assigned(text, at, plain, kind)
        return _assigned(text, at, sign, kind)
    for way in (_as_argument, _as_tag, _as_attribute, _as_option):
        if found := way(text, at, after, kind):
            return found
    return _as_sentence(text, after, kind)


def _names_a_secret(text: str, at: int, literal: str, kind: NameKind) -> bool:
    words = data()["names"]
    lead = text[max(0, at - 40) : at].lower()
    if literal == "key" and not lead.rstrip("_- ").endswith(tuple(words["key_leads"])):
        return False
    if literal == "pw" and lead[-1:].isalnum():
        return False
    if literal == "pass":
        after = text[at + 4 : at + 10].lower()
        if not after.startswith(tuple(words["pass_ends"])) and not lead.endswith(tuple(words["pass_leads"])):
            return False
    if _NO_NAME.search(lead):
        return False
    attached = lead.rstrip("_-")
    if attached.endswith(tuple(words["unreadable"])):
        return False
    return kind is NameKind.PASSWORD or not attached.endswith(tuple(words["not_the_secret"]))


def _as_argument(text: str, at: int, after: int, kind: NameKind) -> _Value | None:
    """`setPassword("…")`, `put("password", "…")`; a bare list of names gives nothing."""
    found = _ARGUMENT.match(text, after)
    lead = text[max(0, at - 60) : at]
    if not found or not (_SETTER if "," in found[0] else _CALL_LEAD).search(lead):
        return None
    return _quoted(text, found.end(), kind)


def _as_tag(text: str, at: int, after: int, kind: NameKind) -> _Value | None:
    """`<password>…</password>`, `<property name="password">…</property>`."""
    tag = _TAG.match(text, after)
    if not tag or not _TAG_LEAD.search(text[max(0, at - 60) : at]):
        return None
    end = text.find("<", tag.end(), tag.end() + _MAX_VALUE)
    if end < 0 or text[end : end + 2] != "</":
        return None
    value = text[tag.end() : end].rstrip()
    return _Value(tag.end(), tag.end() + len(value)) if _believable(value, kind) else None


def _as_attribute(text: str, at: int, after: int, kind: NameKind) -> _Value | None:
    """`name="password" value="…"`, `- name: DB_PASSWORD` with `value: …` on the next line."""
    found = _VALUE_ATTRIBUTE.match(text, after)
    if not found or not _ATTRIBUTE_LEAD.search(text[max(0, at - 60) : at]):
        return None
    return _quoted(text, found.end(), kind) or _bare(text, found.end(), kind, line=True)


def _as_option(text: str, at: int, after: int, kind: NameKind) -> _Value | None:
    """`--db-password …` on a command line."""
    found = _OPTION.match(text, after)
    if not found or text[found.end() : found.end() + 1] == "-" or not _OPTION_LEAD.search(text[max(0, at - 40) : at]):
        return None
    return _quoted(text, found.end(), kind) or _bare(text, found.end(), kind, line=True)


def _as_sentence(text: str, after: int, kind: NameKind) -> _Value | None:
    """`the password is …`: marked by quotes it may be a plain word, unmarked it must not be one."""
    verb = _VERB.match(text, after)
    if not verb:
        return None
    opening = _OPENING.match(text, verb.end())
    if not opening:
        emphasis = _EMPHASIS.match(text, verb.end())
        found = _bare(text, emphasis.end() if emphasis else verb.end(), kind, line=False, told=True)
        if found or kind is not NameKind.PASSWORD:
            return found
        end = word_said(text, verb.end(), verb["verb"] or "")
        return _Value(verb.end(), end) if end else None
    end = _closing(text, opening.end(), opening["quote"])
    value = text[opening.end() : end] if end > 0 else ""
    plain = kind is NameKind.PASSWORD and " " not in value and is_word_password(value)
    return _Value(opening.end(), end) if value and (plain or _believable(value, kind, quoted=True)) else None


def _assigned(text: str, at: int, sign: re.Match[str], kind: NameKind) -> _Value | None:
    begin = sign.end()
    if found := _quoted(text, begin, kind):
        return found
    start = _line_start(text, at)
    alone = start >= 0 and bool(_LINE_KEY.match(text[start:at]))
    found = _bare(text, begin, kind, line=alone)
    if found and text[at].isascii() and is_short_number(text[found.start : found.end]):
        return None
    if found or kind is not NameKind.PASSWORD:
        return found
    if sign["sign"] == ":" and text[sign.start()] == ":" and (word := _word_after_colon(text, at, begin)):
        return word
    if sign["sign"] not in (":", "="):
        return None
    end = word_given(text, at, sign.span(), text[start:at] if start >= 0 else None)
    return _Value(begin, end) if end else None


def _quoted(text: str, begin: int, kind: NameKind) -> _Value | None:
    opening = _OPENING.match(text, begin)
    if not opening:
        return None
    quote = opening["quote"]
    end = _closing(text, opening.end(), quote)
    if end < 0:
        return None
    value = text[opening.end() : end]
    letters = kind is NameKind.PASSWORD and word_quoted(value)
    return _Value(opening.end(), end) if letters or _believable(value, kind, quoted=True) else None


def _closing(text: str, begin: int, quote: str) -> int:
    """Where the quoted value ends, or -1: it must end on its line and be of a value's length."""
    if quote in ('"', "'", "`"):
        found = re.compile(rf"(?:[^{quote}\\\n]|\\.){{1,{_MAX_VALUE}}}(?={quote})").match(text, begin)
        return found.end() if found else -1
    pattern = _CLOSING.get(quote) or re.escape(quote)
    found = re.compile(pattern).search(text, begin, begin + _MAX_VALUE)
    return found.start() if found and "\n" not in text[begin : found.start()] else -1


def _bare(text: str, begin: int, kind: NameKind, *, line: bool, told: bool = False) -> _Value | None:
    """An unquoted value: to the next blank on a line of its own, else to what ends a value in code or an address."""
    found = (_BARE_LINE if line else _BARE).match(text, begin)
    if not found or _OPENING.match(text, begin) or _ANOTHER_NAME.match(text, begin):
        return None
    value = found.group()
    if told:
        value = value.rstrip(_TRAILING + "*")
    elif not line:
        value = value.partition("&")[0]
    kept = value.rstrip(_TRAILING + "\"'`")
    if is_code(value) or value.endswith(":") or is_name_like(kept.rstrip("/|")) or not _believable(kept, kind):
        return None
    return _Value(begin, begin + len(kept))


def _word_after_colon(text: str, at: int, begin: int) -> _Value | None:
    """`Passwort: Sonnenblume` alone on its line, with the capital of a form or in a language of no code."""
    word = text[begin : begin + 60].partition("\n")[0].rstrip()
    start = _line_start(text, at)
    lead = text[start:at].strip(" \t-*>•")
    if start < 0 or not word.isalpha() or len(word) > 40 or len(lead) > 40 or "<" in lead or '"' in lead:
        return None
    begins = at == 0 or not (text[at - 1].isalnum() or text[at - 1] in "_-.")
    formal = (text[at].isupper() and text[at + 1].islower()) or not text[at].isascii()
    return _Value(begin, begin + len(word)) if begins and formal and is_word_password(word) else None


def _line_start(text: str, at: int) -> int:
    """Where the line begins, or -1 if that is further away than any key of a file."""
    low = max(0, at - _LINE_REACH)
    found = text.rfind("\n", low, at) + 1
    return found if found or low == 0 else -1


def _believable(value: str, kind: NameKind, *, quoted: bool = False) -> bool:
    return (is_password if kind is NameKind.PASSWORD else is_token)(value, quoted=quoted)
