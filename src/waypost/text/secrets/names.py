"""Secrets recognised by the name before them: `password = …`, `Passwort: …`, `пароль — …`, `"api_key": "…"`.

A plain search finds the name. Bounded patterns then read what follows: closing quotes, a sign or verb, a value. So the
work per name is constant, and a text made only of names takes linear time.
"""

import re
from collections.abc import Iterator

from waypost.text.secrets.layouts import ValueSpan, find_apart, find_plain_pass
from waypost.text.secrets.letters import end_of_assigned_word, end_of_stated_word, is_quoted_word_password
from waypost.text.secrets.scan import Scan, Span
from waypost.text.secrets.sentences import find_in_sentence, find_pair
from waypost.text.secrets.table import data
from waypost.text.secrets.values import is_code, is_name_like, is_password, is_short_number, is_token, is_word_password

_PASSWORD, _TOKEN = "password", "token"  # the kind of name decides how much the value must prove
_MAX_VALUE = 2048
_LINE_REACH = 120

_SUFFIX = (
    r"(?:[_.-]?(?:access[_-]?key|key|token|secret|value|text|plain|prod(?:uction)?|dev|staging|live|test|"
    r"root|admin|user|db|str|string|raw|hex|base64|base|b64|\d{1,2}))"
)
_NAME_END = re.compile(
    rf"(?:wor[dt]|wörter|woerter|wd|phrase|code|ort|örter|oerter|ьн(?:ая|ой|ую)[ ]фраз[аыу]|ь|я|ю|ями|ям|ях|ем|ей|е|и|а|у|ом)?(?:es|s)?{_SUFFIX}{{0,3}}(?:[ ](?:API|доступа))?(?!\w)"
    r"(?P<close>(?:\\{0,3}[\"'`]|&quot;)?[\])]{0,2}(?:\*{1,3}(?=[ \t]?[:=|\t]))?)",
    re.I,
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
"""An apparent type before a sign without a blank (`key: c2=`) is the beginning of a value."""
_VERB = re.compile(
    _ABOUT + r"[ ]{0,2}(?:[ ](?P<verb>(?:is|was|has been)[ ](?:set|changed|reset)[ ]to|is|was|are|"
    r"(?:ist|wurde)[ ]auf|ist|lautet|lauten|war|sei|heißt|heisst|auf|это|был|будет|теперь)"
    r"(?:[ ](?:still|now|jetzt|nun|теперь|auf))?:?[ ]|[ ]?(?P<dash>[—–])[ ]|(?P<colon>:)[ ]{1,4})",
    re.I,
)
_EMPHASIS = re.compile(r"\*{1,3}(?=[^\s*])")
_TAG = re.compile(r"(?:[ ][^<>\n]{0,80})?>[ \t]{0,8}")
_VALUE_ATTRIBUTE = re.compile(r"[\"']?[ ]?[,;]?\s{0,80}(?:\\?[\"'])?value(?:\\?[\"'])?[ ]?[:=][ ]{0,8}", re.I)
_ARGUMENT = re.compile(r"[ ]?[(,][ ]?(?=[\"'`])")
_OPTION = re.compile(r"[ ]{1,4}")
_SETTER = re.compile(
    r"(?i)(?:define|set\w{0,60}|put\w{0,60}|add\w{0,60}|append|header|env|property|param\w{0,60}|attr\w{0,60}|with\w{0,60})\([\"'][\w.-]*\Z"
)
_TAG_LEAD = re.compile(r"<[\w:.-]*\Z|(?:name|key)=[\"'][\w:.-]*\Z", re.I)
_ATTRIBUTE_LEAD = re.compile(r"(?:name|key|id|field)(?:\\?[\"'])?[ ]?[:=][ ]?(?:\\?[\"'])?[\w:. -]*\Z", re.I)
_OPTION_LEAD = re.compile(r"(?:\A|[\s\"'`(\[])--?[\w-]*\Z")
_NO_NAME = re.compile(r"(?:::|\$\{)[\w-]*\Z|[\w*]:\Z|\[(?:secret:[ ][\w-]*)?\Z")
"""Part of Waypost's mark, a type (`AWS::IAM::AccessKey`), a resource (`arn:aws:secret:…`) or a variable."""
_CALL_LEAD = re.compile(r"(?i)(?:\A|[^\w])(?:set|with|use|add|put)?_?(?:user|db|the|api|auth|access|client)?_?\Z")
_ANOTHER_NAME = re.compile(r"[a-z_]{0,20}(?:pass|pwd|token|secret|key)[a-z_]{0,20}[=:]", re.I)
_BARE = re.compile(r"[^\s\"'`<>«»„“”\\]{1,512}")
_BARE_LINE = re.compile(r"[^\s]{1,512}")
_OPENING = re.compile(r"(?:[rbuf]{1,2}(?=[\"']))?(?P<quote>\\{1,3}[\"']|[\"'`«„“‘]|&quot;|&#39;)")
_CLOSING = {"«": "»", "„": "[“”]", "“": "”", "‘": "’"}
_LINE_KEY = re.compile(r"[ \t]*(?:(?:export|set|setx|ENV|ARG|[-*>+#•]|//)[ \t]+)*[\"']?[\w.\-$:/]*\Z")
_TRAILING = ".,;:)]}>"


def find_named(scan: Scan) -> Iterator[Span]:
    """Every believable value that is assigned to the name of a secret."""
    names = data()["names"]
    for rule in (_PASSWORD, _TOKEN):
        for literal in names[rule]:
            for at in scan.places_in_any_case(literal):
                for start, end in _values_after(scan.text, at, literal, rule == _PASSWORD):
                    yield start, end, rule
    for literal in names["pair"]:
        for at in scan.places_in_any_case(literal):
            if span := find_pair(scan.text, at + len(literal)):
                yield *span, _PASSWORD


def _values_after(text: str, at: int, literal: str, password: bool) -> Iterator[ValueSpan]:
    """The believable values of the name at `at`, by the first way of assigning that matches."""
    name = _NAME_END.match(text, at + len(literal)) if _names_a_secret(text, at, literal, password) else None
    if not name:
        if literal == "pass" and (span := find_plain_pass(text, at, tuple(data()["names"]["pass_leads"]))):
            yield span
        return
    if value := _value_after(text, at, name.end(), password):
        yield value
        return
    if not name["close"] or text.startswith(("'s ", "’s "), name.start("close")):
        yield from find_in_sentence(text, at, name.start("close"), password=password)
    yield from find_apart(text, at, name.end(), password=password)


def _value_after(text: str, at: int, after: int, password: bool) -> ValueSpan | None:
    if sign := _SIGN.match(text, after):
        plain = _COLON.match(text, after) if _TIGHT_TYPE.search(sign["sign"]) else None
        return _assigned_value(text, at, plain or sign, password)
    for reader in (_argument_value, _tag_value, _attribute_value, _option_value):
        if value := reader(text, at, after, password):
            return value
    return _sentence_value(text, after, password)


def _names_a_secret(text: str, at: int, literal: str, password: bool) -> bool:
    words = data()["names"]
    lead = text[max(0, at - 40) : at].lower()
    if literal == "key" and not lead.rstrip("_- ").endswith(tuple(words["key_leads"])):
        return False
    if literal == "pass":
        after = text[at + 4 : at + 10].lower()
        if not after.startswith(tuple(words["pass_ends"])) and not lead.endswith(tuple(words["pass_leads"])):
            return False
    attached = lead.rstrip("_-")
    is_inner = literal == "pw" and lead[-1:].isalnum()
    if is_inner or _NO_NAME.search(lead) or attached.endswith(tuple(words["unreadable"])):
        return False
    return password or not attached.endswith(tuple(words["not_the_secret"]))


def _argument_value(text: str, at: int, after: int, password: bool) -> ValueSpan | None:
    """`setPassword("…")`, `put("password", "…")`. A list of names alone assigns nothing."""
    argument = _ARGUMENT.match(text, after)
    lead = text[max(0, at - 60) : at]
    if not argument or not (_SETTER if "," in argument[0] else _CALL_LEAD).search(lead):
        return None
    return _quoted_value(text, argument.end(), password)


def _tag_value(text: str, at: int, after: int, password: bool) -> ValueSpan | None:
    """`<password>…</password>`, `<property name="password">…</property>`."""
    tag = _TAG.match(text, after)
    if not tag or not _TAG_LEAD.search(text[max(0, at - 60) : at]):
        return None
    end = text.find("<", tag.end(), tag.end() + _MAX_VALUE)
    if end < 0 or text[end : end + 2] != "</":
        return None
    value = text[tag.end() : end].rstrip()
    return (tag.end(), tag.end() + len(value)) if _is_believable(value, password) else None


def _attribute_value(text: str, at: int, after: int, password: bool) -> ValueSpan | None:
    """`name="password" value="…"`, `- name: DB_PASSWORD` with `value: …` on the next line."""
    attribute = _VALUE_ATTRIBUTE.match(text, after)
    if not attribute or not _ATTRIBUTE_LEAD.search(text[max(0, at - 60) : at]):
        return None
    return _quoted_value(text, attribute.end(), password) or _bare_value(text, attribute.end(), password, line=True)


def _option_value(text: str, at: int, after: int, password: bool) -> ValueSpan | None:
    """`--db-password …` on a command line."""
    gap = _OPTION.match(text, after)
    if not gap or text[gap.end() : gap.end() + 1] == "-" or not _OPTION_LEAD.search(text[max(0, at - 40) : at]):
        return None
    return _quoted_value(text, gap.end(), password) or _bare_value(text, gap.end(), password, line=True)


def _sentence_value(text: str, after: int, password: bool) -> ValueSpan | None:
    """`the password is …`: a quoted value may be a plain word, an unquoted one must not be."""
    verb = _VERB.match(text, after)
    if not verb:
        return None
    opening = _OPENING.match(text, verb.end())
    if not opening:
        emphasis = _EMPHASIS.match(text, verb.end())
        bare = _bare_value(text, emphasis.end() if emphasis else verb.end(), password, line=False, in_sentence=True)
        if bare or not password:
            return bare
        end = end_of_stated_word(text, verb.end(), verb["verb"] or "")
        return (verb.end(), end) if end else None
    end = _closing_position(text, opening.end(), opening["quote"])
    value = text[opening.end() : end] if end > 0 else ""
    plain = password and " " not in value and is_word_password(value)
    return (opening.end(), end) if value and (plain or _is_believable(value, password, quoted=True)) else None


def _assigned_value(text: str, at: int, sign: re.Match[str], password: bool) -> ValueSpan | None:
    begin = sign.end()
    if value := _quoted_value(text, begin, password):
        return value
    start = _line_start(text, at)
    alone = start >= 0 and bool(_LINE_KEY.match(text[start:at]))
    value = _bare_value(text, begin, password, line=alone)
    if value and text[at].isascii() and is_short_number(text[slice(*value)]):
        return None
    if value or not password:
        return value
    if sign["sign"] == ":" and text[sign.start()] == ":" and (word := _word_after_colon(text, at, begin)):
        return word
    if sign["sign"] not in (":", "="):
        return None
    end = end_of_assigned_word(text, at, sign.span(), text[start:at] if start >= 0 else None)
    return (begin, end) if end else None


def _quoted_value(text: str, begin: int, password: bool) -> ValueSpan | None:
    opening = _OPENING.match(text, begin)
    if not opening:
        return None
    end = _closing_position(text, opening.end(), opening["quote"])
    if end < 0:
        return None
    value = text[opening.end() : end]
    letters = password and is_quoted_word_password(value)
    return (opening.end(), end) if letters or _is_believable(value, password, quoted=True) else None


def _closing_position(text: str, begin: int, quote: str) -> int:
    """Where the quoted value ends, or -1 if that is not on its line or too far away."""
    if quote in ('"', "'", "`"):
        closing = re.compile(rf"(?:[^{quote}\\\n]|\\.){{1,{_MAX_VALUE}}}(?={quote})").match(text, begin)
        return closing.end() if closing else -1
    pattern = _CLOSING.get(quote) or re.escape(quote)
    closing = re.compile(pattern).search(text, begin, begin + _MAX_VALUE)
    return closing.start() if closing and "\n" not in text[begin : closing.start()] else -1


def _bare_value(text: str, begin: int, password: bool, *, line: bool, in_sentence: bool = False) -> ValueSpan | None:
    """An unquoted value. On its own line it ends at a blank. Elsewhere code and URL separators end it too."""
    bare = (_BARE_LINE if line else _BARE).match(text, begin)
    if not bare or _OPENING.match(text, begin) or _ANOTHER_NAME.match(text, begin):
        return None
    value = bare.group()
    if in_sentence:
        value = value.rstrip(_TRAILING + "*")
    elif not line:
        value = value.partition("&")[0]
    core = value.rstrip(_TRAILING + "\"'`")
    if is_code(value) or value.endswith(":") or is_name_like(core.rstrip("/|")) or not _is_believable(core, password):
        return None
    return (begin, begin + len(core))


def _word_after_colon(text: str, at: int, begin: int) -> ValueSpan | None:
    """`Passwort: Sonnenblume` alone on its line, with a capital as in a form, or in a language without code."""
    word = text[begin : begin + 60].partition("\n")[0].rstrip()
    start = _line_start(text, at)
    lead = text[start:at].strip(" \t-*>•")
    if start < 0 or not word.isalpha() or len(word) > 40 or len(lead) > 40 or "<" in lead or '"' in lead:
        return None
    begins = at == 0 or not (text[at - 1].isalnum() or text[at - 1] in "_-.")
    formal = (text[at].isupper() and text[at + 1].islower()) or not text[at].isascii()
    return (begin, begin + len(word)) if begins and formal and is_word_password(word) else None


def _line_start(text: str, at: int) -> int:
    """Where the line begins, or -1 if that is further away than any key of a file."""
    low = max(0, at - _LINE_REACH)
    start = text.rfind("\n", low, at) + 1
    return start if start or low == 0 else -1


def _is_believable(value: str, password: bool, *, quoted: bool = False) -> bool:
    return (is_password if password else is_token)(value, quoted=quoted)
