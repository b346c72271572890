"""Judging whether a value in the place of a secret really is one.

After a name such as `password` or `token`, a type, variable, call or placeholder is far more common than a secret.
These functions see only the value and whether it was quoted. A quoted value is data; an unquoted one may be code.
"""

import re
from functools import cache

from waypost.text.secrets.table import data
from waypost.text.split import common_words

_MIN_PASSWORD = 4
_MIN_TOKEN = 12
_MAX_PASSWORD = 128
_MAX_TOKEN = 2048
_LONG_TOKEN = 40
_TURNS_PER_CHAR = 0.22
"""Changes between lower case, capital and digit per character. Camel case has 0.1 to 0.2, random values 0.35 up."""

_TURNS_OF_LETTERS = 0.3
"""The same for a value of letters only, which more often is a name."""

_LETTERS = "A-Za-zÀ-ÖØ-öø-ÿА-яЁё"
_BLANK = re.compile(r"\s")
_SEPARATORS = re.compile(r"[\s_.\-]+")
_ESCAPE = re.compile(r"(?<!\\)\\++[nrt]")
_CODE_START = re.compile(
    r"""
      [$%&*{<@\[()|\\!?:^,;]                    # ${VAR} $VAR %s %(x)s &ref *ptr {x} <x> @x [..] (..) !tag
    | (?:new|function|lambda|await|return|type|typeof|async|not|self|this|os|process|config|settings|env|ENV)\b
    """,
    re.VERBOSE,
)
_CODE = re.compile(r"\w\(|\)[.\[]|\w\[|\)$|\[['\"\w]*\]|->|::|=>|\|\||&&|\w==\w|\\[uxd]")
_ADDRESS = re.compile(
    r"(?i)\.{0,2}/|~/|[a-z]:\\|(?:https?|file|vault|env|arn|secret|ssm|data|op|keyring):|[a-z][a-z0-9+.-]{1,15}://"
)
_TEMPLATE = re.compile(
    r"""
      \A[<\[{(].*[>\]})]\Z | %[sdr]\b | %\( | \{\w*\} | \{\{ | \}\} | [#$]\{ | \$\( | <% | %> | </
    | \A\$\w+\Z | \A%\w+%\Z | \$[A-Za-z_]{4,}\b | \A[*•.x#?\-_=~+]+\Z
    """,
    re.VERBOSE,
)
_NAMED = re.compile(
    r"""(?ix)
      [\w-]*(?:password|passwd|passwort|kennwort)[_-]?\d? | (?:pwd|pass)\d?      # the name again: password1
    | [a-z]+(?:[-_:.\ |,][a-z]+)+[-_:]?\d{0,2} | [a-z]+(?:_[a-z0-9]+)+            # words, a constant's name: ROLE_1
    | [a-z_/]+\#[a-z_]+ | \^\w+\^ | -\d+
    | [\^~>=v]*\d+\.\d[\w.-]* | 0x[0-9a-f]{1,8} | --.* | .*:              # a version, a code, an option, a label
    | u?int\d+ | float\d+ | utf-?8 | base64 | sha\d+ | md5 | bcrypt\W? | argon2\w* | .*\b(?:min|max):\d.*
    """
)
_PASSPHRASE = re.compile(r"(?=.*[-_])(?:[A-ZÄÖÜА-ЯЁ][a-zäöüßа-яё]{2,20}[-_]?){1,5}\d{2,6}[!?.]?\Z")
"""Words with a capital each, a sign between and digits behind: Red-Tiger-42. Code writes its names otherwise."""

_ALGORITHM = re.compile(r"(?i)hmac|sha-?[125]\d\d|pbkdf2|pkcs|aes[-_/]|rsa[-_/]|withrsa|bcrypt|scrypt|argon2")
_PLAIN_NAME = re.compile(r"[A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)*\Z")
_CONSTANT = re.compile(r"[A-Z]+\d\Z")
_KEYWORD_IN_NAME = re.compile(r"(?i)pass|pwd|secret|token|key|cred|auth|user|hash|login|парол|kennw")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
_HEX = re.compile(r"(?=.*[0-9])(?=.*[a-fA-F])[0-9a-fA-F]{32,}\Z")
_BASE64 = re.compile(r"(?=.*[0-9])[A-Za-z0-9+/]{30,}={0,2}\Z")
_WORDY = re.compile(rf"[{_LETTERS}]+(?:[-_. ’'][{_LETTERS}]+)*\Z")
_LONG_WORD = re.compile(rf"[{_LETTERS}]{{10}}")
_CLASS = bytes(
    ord("d") if 48 <= i <= 57 else ord("u") if 65 <= i <= 90 else ord("l") if 97 <= i <= 122 else ord(".")
    for i in range(256)
)
_SIGNS_BETWEEN = re.compile(r"[^A-Za-z0-9]+")
_TELLING_PART = 8
_LETTER_RUN = re.compile(r"[a-z]+")
_LONGEST_RUN = 40
_LETTER_DIGIT_TURN = re.compile(r"(?<=[a-z])[0-9]|(?<=[0-9])[a-z]")
_UNSPEAKABLE = re.compile(
    r"[bcdfghjklmnpqrstvwxz]{5}|q(?!u)[a-z]|[jqxz][bcdfghjkmnpqrstvwx]|[bcdfghjkmpqtvwxz][jqx]|v[bcdfghjkmpqtwxz]"
)
_TURN = re.compile(rb"(?<=l)[ud]|(?<=d)[lu]|(?<=u)d|(?<=uu)l")


@cache
def _placeholders() -> tuple[frozenset[str], re.Pattern[str]]:
    words = data()["placeholders"]
    return frozenset(words["whole"]), re.compile("|".join(re.escape(part) for part in words["part"]))


def is_placeholder(value: str) -> bool:
    """Whether the value only stands for a secret: `your-key`, `<token>`, `${VAR}`, `xxxx`, `changeme`."""
    low = _ESCAPE.sub("", value.lower())
    whole, part = _placeholders()
    if len(set(low)) <= 2 or part.search(low) or _TEMPLATE.search(value):
        return True
    return _SEPARATORS.sub("", low).strip("*'\"`.,;:!?") in whole


def is_reference(value: str, *, quoted: bool = False) -> bool:
    """Whether the value is code or an address that leads to the secret."""
    return bool(_ADDRESS.match(value)) or (not quoted and is_code(value))


def is_code(value: str) -> bool:
    """Whether an unquoted value is an expression: a call, an index, a marked variable."""
    return bool(_CODE_START.match(value) or _CODE.search(value))


def is_name_like(value: str) -> bool:
    """Whether an unquoted value reads as a variable, an attribute or a plain word."""
    if not _PLAIN_NAME.match(value) or is_generated(value) or _PASSPHRASE.match(value):
        return False
    if "." in value or "_" in value or _CONSTANT.match(value) or not any(c.isdigit() for c in value):
        return True
    return bool(_KEYWORD_IN_NAME.search(value))


def is_generated(value: str) -> bool:
    """Whether lower case, capitals and digits alternate as in random text, or the letters form no words."""
    return _turns_often(value) or _has_no_words(value)


def is_mixed(value: str) -> bool:
    """Whether lower case, capitals and digits all occur, as in nearly every random value of forty characters."""
    return any(map(str.isdigit, value)) and value != value.lower() and value != value.upper()


def _turns_often(value: str) -> bool:
    shape = value.encode("latin-1", "replace").translate(_CLASS)
    turns = len(_TURN.findall(shape))
    if b"d" not in shape and len(value) < _LONG_TOKEN:
        return turns >= _TURNS_OF_LETTERS * len(value) and len(value) >= _MIN_TOKEN
    return turns >= 3 and turns >= _TURNS_PER_CHAR * (len(value) - shape.count(b"."))


def _has_no_words(value: str) -> bool:
    """Whether digits stand among letters that no language combines, in a part that is long enough."""
    if len(value) < _MIN_TOKEN or not any(len(part) >= _TELLING_PART for part in _SIGNS_BETWEEN.split(value)):
        return False
    low = value.lower()
    runs = _LETTER_RUN.findall(low)
    if any(len(run) > _LONGEST_RUN or (len(run) >= 4 and _has_common_word(run)) for run in runs):
        return False
    digits = sum(map(str.isdigit, low))
    if digits >= 2 and len(_LETTER_DIGIT_TURN.findall(low)) >= 3:
        return True
    if not digits:
        return value not in (low, value.upper()) and len(_UNSPEAKABLE.findall(low)) >= 2
    return bool(_UNSPEAKABLE.search(low))


def _has_common_word(run: str) -> bool:
    return any(run[:size] in common_words() or run[-size:] in common_words() for size in range(4, len(run) + 1))


def is_password(value: str, *, quoted: bool = False) -> bool:
    """Whether a value assigned to a password's name is believable: letters with a digit or sign, or only digits."""
    if len(value) > _MAX_PASSWORD:
        return is_token(value, quoted=quoted)
    is_named = _NAMED.fullmatch(value) and not _PASSPHRASE.match(value)
    if len(value) < _MIN_PASSWORD or _BLANK.search(value) or _WORDY.match(value) or is_named:
        return False
    if is_placeholder(value) or is_reference(value, quoted=quoted):
        return False
    return any(c.isalnum() for c in value)


def is_short_number(value: str) -> bool:
    """Whether the value is a number too short to count without a sentence around it."""
    return value.isdecimal() and len(value) < 6


def is_word_password(value: str) -> bool:
    """Whether a plain word can be the password, if a sentence or a form presents it as one."""
    low = value.lower()
    return len(value) > _MIN_PASSWORD and not is_placeholder(value) and low not in data()["prose"]["words"]


def is_token(value: str, *, quoted: bool = False) -> bool:
    """Whether a value looks generated: a UUID, a long hexadecimal number, or letters and digits without words."""
    if not _MIN_TOKEN <= len(value) <= _MAX_TOKEN or _BLANK.search(value):
        return False
    if quoted and _is_noise(value):
        return True
    generated = is_generated(value)
    if not (generated or _UUID.match(value) or _HEX.match(value)):
        return False
    if is_placeholder(value) or _ALGORITHM.search(value):
        return False
    return bool(generated and _BASE64.match(value)) or not is_reference(value, quoted=quoted)


def _is_noise(value: str) -> bool:
    """Whether letters, digits and many signs are mixed without a word, as in a generated Django key."""
    signs = {c for c in value if not c.isalnum()}
    digits = sum(c.isdigit() for c in value)
    return len(value) >= _LONG_TOKEN and len(signs) >= 4 and digits >= 3 and not _LONG_WORD.search(value)
