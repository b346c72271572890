"""Tokens of a fact that are not plain words: quotations, identifiers, times, dates, numbers, signs."""

import re
from collections.abc import Iterator

_TOKEN = re.compile(
    r"""
    (?P<quotation> "[^"\n]+" | “[^“”\n]+” | „[^„“”\n]+[“”] | «[^«»\n]+» | ‘[^‘’\n]+’ | `[^`\n]+` | (?<!\w)'[^'\n]+'(?!\w) )
  | (?P<identifier>
        \w+://[^\s<>"]*[^\s<>".,;:!?)\]] | [\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}(?![\w-]) | --?[A-Za-z][\w-]*(?:=\S*\w)?
      | \#\w+ | @\w[\w.-]*\w | (?:~|\.{1,2})?/[\w.@*~+-]*\w(?:/[\w.@*~+-]*\w)*/?
      | [^\W\d][\w.-]{0,100}(?:/[\w.@*+-]{0,100}\w){1,50}/? | [^\W\d][\w.-]{0,100}/(?=[\s.,;:!?)\]'"`]|$) | \.[A-Za-z][\w.-]*\w
      | \w+(?:(?:::|->|\.)[^\W\d]\w*)+(?:\(\))? | [^\W\d]\w*\(\) | \w*[^\W_]_\w+ | _+\w+
      | [^\W\d_]+-\d+ | \d+(?:\.\d+){2,}(?:[-+][\w.]+)? | v\d+(?:\.\d+)*\b
      | \b(?=\w*\d)(?=\w*[^\W\d_])(?!\d+(?:st|nd|rd|th|[^\W\d_]{1,3})\b)\w+
      | [^\W\d_]*[^\W\d_A-ZА-ЯÄÖÜ][A-ZА-ЯÄÖÜ]\w* )
  | (?P<time> \d{1,2}:\d{2}(?::\d{2})? | \d{1,2}\ ?[ap]\.?m\b )
  | (?P<iso> \d{4}-\d{2}(?:-\d{2})? )
  | (?P<number> (?<![\w.])[-−]?\d[\d.,]*\d | (?<![\w.])[-−]?\d | \d+ )
  | (?P<word> [^\W\d_]+(?:['’-][^\W\d_]+)* | \w+ )
  | (?P<stop> [.!…;:]{1,40}(?=\s|$) | \n+ )
  | (?P<punctuation> [,()\[\]—–"“”„«»‘’'`;:.!…-] )
  | (?P<symbol> \S )
    """,
    re.VERBOSE,
)
_LONGEST_NAME = 200  # characters of a quotation that may be one identifier
_GROUPED_SPACES = re.compile("(?<![0-9.,])[0-9]{1,3}(?:[ \u00a0\u202f][0-9]{3})+(?![0-9])")
_DOTTED_DATE = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})$")
_COMMA_GROUPS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_DOT_GROUPS = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?")
_EMPHASIS = re.compile(r"(?<!\S)\*\*(?=\w)|(?<=\w)\*\*(?=[\s.,;:!?]|$)")
_NO_SPACE = str.maketrans("", "", " \u00a0\u202f")


def tokens(text: str) -> Iterator[tuple[str, str]]:
    """The tokens of `text` with their groups. 1 000 is one number, and the stars of **bold** words are dropped."""
    text = _EMPHASIS.sub("", text)
    text = _GROUPED_SPACES.sub(lambda number: number[0].translate(_NO_SPACE), text)
    for match in _TOKEN.finditer(text):
        yield match.lastgroup or "symbol", match[0]


def literal(group: str, token: str, language: str) -> tuple[str, str]:
    """Kind and value of a token that is not a word."""
    if group == "quotation":
        inner = token[1:-1].strip()
        match = _TOKEN.fullmatch(inner) if len(inner) <= _LONGEST_NAME else None
        return ("identifier" if match and match.lastgroup == "identifier" else "quotation"), inner
    if group == "identifier":
        dotted = _DOTTED_DATE.match(token)
        return ("date", f"{dotted[3]}-{int(dotted[2]):02}-{int(dotted[1]):02}") if dotted else (group, token)
    if group == "number":
        return group, _number(token, language)
    if group == "time":
        return "date", _clock(token)
    return ("date" if group == "iso" else "symbol"), token


def _number(token: str, language: str) -> str:
    """`token` without grouping and with a decimal point: 1,000 in English, 1.000 in German, 0,5 in German and Russian.

    Trailing zeros stay: 3.1 and 3.10 are two versions.
    """
    token = token.replace("−", "-")
    if language == "en":
        return token.replace(",", "") if _COMMA_GROUPS.fullmatch(token.lstrip("-")) else token
    if language == "de" and _DOT_GROUPS.fullmatch(token.lstrip("-")):
        token = token.replace(".", "")
    return token.replace(",", ".")


def _clock(token: str) -> str:
    half = token.lower().replace(".", "").replace(" ", "")
    if half[-1] == "m":
        hour = int(half[:-2]) % 12 + (12 if half[-2] == "p" else 0)
        return f"{hour:02}:00"
    return token.zfill(5) if token.count(":") == 1 else token.zfill(8)
