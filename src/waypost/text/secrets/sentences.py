"""Secrets stated loosely in a sentence: `set the password to …`, `пароль сервера: …`, `with password …`.

Other words stand between the name and its value, or there is no sign. So the value must prove more than after a sign:
letters and digits together, and not the name of a technique. Each pattern reads a bounded stretch of text.
"""

import re
from collections.abc import Iterator

from waypost.text.secrets.letters import end_of_stated_word
from waypost.text.secrets.values import is_name_like, is_password, is_placeholder, is_token

_WORD = r"[^\s:=,;!?\"'«»„“”`<>(){}\[\]|—–]{1,30}"
_GIVEN = re.compile(
    rf"(?P<words>(?:[ ]{_WORD}){{0,4}}?)"
    r"(?:(?P<sign>[ ]?[:=])[ ]{0,4}|[ ](?P<dash>[—–-])[ ]|(?P<genitive>['’]s[ ])"
    r"|(?:[ ](?:is|was|has been|been|ist|wurde|был|была))?[ ](?:set|changed|reset|updated|rotated|geändert|gesetzt"
    r"|изменён|изменен|сменён|сменен|поменян|установлен|задан)(?:[ ]from[ ](?P<old>\S{4,64}))?[ ](?:to|на|auf|in)[ ]"
    r"|[ ](?P<verb>is|was|are|equals|ist|war|lautet|heißt|heisst|является|равен|равна|равно|будет|был|это|такой|такая)"
    r"(?:[ ](?:now|still|jetzt|nun|теперь|такой))?:?[ ])",
    re.I,
)
_BESIDE = tuple(re.compile(rf"(?P<words>(?:[ ]{_WORD}){{{count}}})[ ](?=\S{{6}})") for count in range(3))
"""The value right beside the name, or after one or two other words."""
_TO = re.compile(r"[ ](?:to|на|auf|in)[ ]", re.I)
_CHANGE = re.compile(
    r"(?:\b(?:set|chang|reset|updat|rotat|setz|änder|stell)\w{0,8}|(?:поменя|смени|измени|установи|зада)\w{0,8})"
    r"(?:[ ]\w{1,20}){0,3}[ ][\w-]{0,20}\Z",
    re.I,
)
_CUE = re.compile(
    r"(?:\b(?:with|mit|user|login|log in|admin|root|account)|(?:с|под|логин|пользовател\w{1,3}))\b[^\n]{0,30}\Z",
    re.I,
)
_BEFORE = re.compile(
    r"(?<!\S)(?P<value>[^\s\"'`«»„“”<>()]{6,64})[ ](?:as|is|was|for|als|ist|war|как|в качестве|это|—|–|-)[ ]"
    r"(?:[\w-]{1,20}[ ]){0,3}[\w-]{0,20}\Z",
    re.I,
)
_ENDS = re.compile(
    r"[ ]{0,2}(?:[.,;!?)\n]|\Z|(?:for|of|to|on|für|von|vom|zum|der|от|для|к|на)[ ]"
    r"|(?:verwenden|verwende|benutzen|nutzen|nehmen|setzen|eintragen|hinterlegen|использовать|использу\w{1,4}|установить)\b)",
    re.I,
)
_PAIR = re.compile(r"[ ]?[:=][ ]{0,4}[^\s/|:]{1,40}[ ]?[/|:][ ]?(?=\S{6})")
_QUOTED = re.compile(r"[\"'`«„“‘](?P<value>[^\"'`«»„“”‘’\n]{4,64})[\"'`»“”’]")
_BARE = re.compile(r"(?:\*\*|__|\*|`|\|\|)?(?P<value>[^\s\"'`«»„“”<>]{4,128})")
_PREPOSITION = re.compile(
    r"[ ](?:for|of|to|on|at|from|in|by|via|für|fuer|vom|von|zum|zur|am|im|auf|bei|от|для|к|на|у|в|из|по)\Z",
    re.I,
)
_TECHNIQUE = re.compile(
    r"(?i)(?:utf|ipv?|md|sha|base|oauth|aes|rsa|des|x|http|h|s|k8|i18|l10|web|py|python|java|es|node|php|ruby|vue|log|ec|v|rc|"
    r"beta|alpha|step|phase|test|user|part|page|tier|q|mp|win|windows|ubuntu|debian|ios|android|postgres\w{0,20}|mysql|server|host|"
    r"node|db|vm|web|app|client|room|line|level|version|pbkdf|argon|bcrypt|scrypt|crypt|totp|u|fido|pkcs|tls|ssl|ssh|wpa|"
    r"wifi|ntlm|ntlmv|kerberos|gpg|pgp|otp|pin|id)[-_.]?\d[\w.-]*"
)
_CODE = re.compile(r"[()\[\]{}=;<>,|\\]|\w\.[a-z]{2,}\b|[a-z]_[a-z]")
_TRAILING = ".,;:)]}>*_|"


def find_in_sentence(text: str, at: int, after: int, *, password: bool) -> Iterator[tuple[int, int]]:
    """Spans of the values that a sentence loosely assigns to the name between `at` and `after`."""
    sign = _GIVEN.match(text, after)
    if sign and (sign["words"] or not sign["sign"]):  # a value right after a sign was judged before
        if sign["old"] and is_strong(sign["old"].rstrip(_TRAILING)):
            yield sign.start("old"), sign.start("old") + len(sign["old"].rstrip(_TRAILING))
        span = _value(text, sign.end(), password=password, aside=False)
        if not span and password and sign["dash"] and not text[at].isascii():
            span = (sign.end(), end) if (end := end_of_stated_word(text, sign.end(), "")) else None
        if span:
            yield span
            return
    if not password:
        return
    lead = text[max(0, at - 100) : at].rpartition("\n")[2]
    to = _TO.match(text, after) if _CHANGE.search(lead) else None
    span = _value(text, to.end(), aside=False) if to else None
    if span := span or _beside(text, after, aside=not _CUE.search(lead)):
        yield span
    if (before := _BEFORE.search(lead)) and _ENDS.match(text, after) and stands_out(before["value"]):
        start = at - len(lead) + before.start("value")
        yield start, start + len(before["value"])


def _beside(text: str, after: int, *, aside: bool) -> tuple[int, int] | None:
    for pattern in _BESIDE:
        beside = pattern.match(text, after)
        if not beside:
            continue  # the next word is too short to be a value
        if _PREPOSITION.search(beside["words"]):
            return None
        if span := _value(text, beside.end(), aside=aside or bool(beside["words"])):
            return span
    return None


def find_pair(text: str, after: int) -> tuple[int, int] | None:
    """`credentials: admin / …`: the second part is the password."""
    pair = _PAIR.match(text, after)
    return _value(text, pair.end(), aside=False) if pair else None


def _value(text: str, begin: int, *, password: bool = True, aside: bool) -> tuple[int, int] | None:
    """The believable value that begins here. `aside`: its place beside the name is the only evidence."""
    if quoted := _QUOTED.match(text, begin):
        return quoted.span("value") if is_believable(quoted["value"], password, aside=False) else None
    bare = _BARE.match(text, begin)
    value = bare["value"].rstrip(_TRAILING) if bare else ""
    if not bare or not is_believable(value, password, aside=aside):
        return None
    return bare.start("value"), bare.start("value") + len(value)


def is_believable(value: str, password: bool, *, aside: bool) -> bool:
    """Whether a loosely placed value can be the password or token."""
    if not password:
        return is_token(value)
    return stands_out(value) if aside else is_strong(value)


def is_strong(value: str) -> bool:
    """Whether letters and digits stand together, and it is not a version, technique or variable."""
    if len(value) < 6 or not any(map(str.isalpha, value)) or not any(map(str.isdigit, value)):
        return False
    if _TECHNIQUE.fullmatch(value) and not is_token(value):
        return False
    if _CODE.search(value) or is_placeholder(value) or is_name_like(value):
        return False
    return is_password(value, quoted=True)


def stands_out(value: str) -> bool:
    """Whether it cannot be a word with a number appended: it has a digit or capital inside, or ends with a sign."""
    core = value.rstrip("!?$#%&")
    if not is_strong(value) or any(sign in core for sign in "-/._+:@\\="):
        return False
    letters = core.rstrip("0123456789")
    inside = any(map(str.isdigit, letters)) or (letters[1:] != letters[1:].lower() and not letters.isupper())
    return inside or core != value
