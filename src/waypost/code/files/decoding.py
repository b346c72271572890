"""Decode bytes of unknown encoding.

Tried in this order:

1. a byte order mark
2. UTF-16 and UTF-32, by the position of zeros
3. UTF-8
4. the encoding that a Python, XML, HTML or CSS file declares
5. UTF-8 with a few broken bytes
6. Windows-1252 or Windows-1251, whichever makes words
"""

import codecs
import re
from dataclasses import dataclass

_SAMPLE = 8_192
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: it begins with the same mark
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = (
    re.compile(rb"\A(?:[^\n]{0,400}\n)?[ \t\f]{0,80}#[^\n]{0,400}?coding[:=][ \t]{0,20}([-\w.]{2,40})"),
    re.compile(rb"\A\s{0,80}<\?xml[^>]{0,200}?encoding\s{0,20}=\s{0,20}[\"']([-\w.]{2,40})"),
    re.compile(rb"<meta[^>]{0,200}?charset\s{0,20}=\s{0,20}[\"']?([-\w.]{2,40})", re.IGNORECASE),
    re.compile(rb"\A@charset \"([-\w.]{2,40})\""),
)
# Encodings of text. Python's registry has others, which unpack archives or interpret escapes.
_KNOWN = re.compile(
    r"ascii|latin\d*|iso8859_\d+|cp\d+|windows\d+|koi8_[rtu]|mac_\w+|gb2312|gbk|gb18030|hz|big5\w*|shift_jis\w*|euc_\w+"
    r"|iso2022_\w+|johab|tis_620|ptcp154|kz1048|utf_8|utf_16\w*|utf_32\w*"
)
_SEVEN_BIT = re.compile(r"iso2022_\w+|hz")
_NOT_TEXT = bytes(set(range(32)) - set(b"\t\n\r\f\b\v\x1a\x1b"))


@dataclass(frozen=True, slots=True)
class Decoded:
    text: str
    encoding: str  # Python's name; "utf-8 (damaged)" if bytes were replaced


def decode(raw: bytes) -> Decoded | None:
    """The text without its byte order mark; None for bytes that are not text."""
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            text = _try(raw[len(mark) :], encoding)
            if text is not None and (encoding == "utf-8" or _plausible(text)):
                return Decoded(text, encoding)
    sample = raw[:_SAMPLE]
    if b"\0" in raw:
        wide = _wide_encoding(sample)
        text = _try(raw, wide) if wide else None
        return Decoded(text, wide) if text is not None and _plausible(text) else None
    if len(sample) - len(sample.translate(None, _NOT_TEXT)) > len(sample) // 20:
        return None
    return _decode_bytes(raw, _declared(sample))


def _decode_bytes(raw: bytes, declared: str) -> Decoded:
    """Decode UTF-8, the declared encoding or a code page.

    Valid UTF-8 is hardly ever anything else, whatever the file declares. Seven-bit encodings are the exception.
    """
    attempts = [declared, "utf-8"] if _SEVEN_BIT.fullmatch(declared) else ["utf-8", declared]
    for encoding in attempts:
        if encoding and (text := _try(raw, encoding)) is not None:
            return Decoded(text, encoding)
    return _damaged(raw) or _code_page(raw)


def _try(raw: bytes, encoding: str) -> str | None:
    try:
        return raw.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _plausible(text: str) -> bool:
    """Whether the text looks like writing: hardly any unprintable characters, no zeros."""
    sample = text[: _SAMPLE // 2]
    odd = sum(not (sign.isprintable() or sign in "\t\n\r\f\v\u3000\xa0\ufeff\u200b\u200c\u200d") for sign in sample)
    return odd * 50 <= len(sample) and "\0" not in sample


def _wide_encoding(sample: bytes) -> str:
    """UTF-16 or UTF-32 without a mark: ASCII characters have zeros at the same positions."""
    whole = sample[: len(sample) // 4 * 4]
    zeros = [whole[place::4].count(0) for place in range(4)]
    quarter = max(1, len(whole) // 4)
    if len(whole) >= 8 and zeros[2] == zeros[3] == quarter and zeros[0] == 0:
        return "utf-32-le"
    if len(whole) >= 8 and zeros[0] == zeros[1] == quarter and zeros[3] == 0:
        return "utf-32-be"
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    enough = max(1, len(sample) // 20)
    if odd >= enough and even == 0:
        return "utf-16-le"
    if even >= enough and odd == 0:
        return "utf-16-be"
    return ""


def _declared(sample: bytes) -> str:
    for pattern in _DECLARED:
        declaration = pattern.search(sample[:2_048])
        if declaration:
            try:
                name = codecs.lookup(declaration[1].decode("ascii", "replace")).name.replace("-", "_")
            except LookupError:
                continue
            if _KNOWN.fullmatch(name):
                return name
    return ""


def _damaged(raw: bytes) -> Decoded | None:
    """UTF-8 with a few broken characters: a cut or joined file, not another encoding."""
    text = raw.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    right = sum(sign > "\x7f" for sign in text) - broken
    return Decoded(text, "utf-8 (damaged)") if right > 2 * broken else None


def _code_page(raw: bytes) -> Decoded:
    western = _try(raw, "cp1252")
    if western is None:
        western = raw.decode("latin-1")
    cyrillic = _try(raw, "cp1251")
    if cyrillic is not None and _cyrillic_score(cyrillic) > _western_score(western):
        return Decoded(cyrillic, "cp1251")
    return Decoded(western, "cp1252")


_CYRILLIC_WORDS = re.compile(r"[А-Яа-яЁёІіЇїЄєҐґ]{2,}")
_MIXED = re.compile(r"[A-Za-z][А-Яа-яЁё]|[А-Яа-яЁё][A-Za-z]")
_ACCENTED = "À-ÖØ-öø-ÿŠšŽžŒœŸ"
_WESTERN_WORDS = re.compile(rf"(?<![{_ACCENTED}])[{_ACCENTED}](?![{_ACCENTED}])")
_ACCENTS_IN_A_ROW = re.compile(rf"[{_ACCENTED}]{{3,}}")


def _cyrillic_score(text: str) -> int:
    """Count Cyrillic letters in words, minus those next to Latin ones: `für` read as Cyrillic is `fьr`."""
    sample = text[: 16 * _SAMPLE]
    return sum(map(len, _CYRILLIC_WORDS.findall(sample))) - 4 * len(_MIXED.findall(sample))


def _western_score(text: str) -> int:
    """Count single accented letters, minus rows of them: no western word has three in a row."""
    sample = text[: 16 * _SAMPLE]
    return 2 * len(_WESTERN_WORDS.findall(sample)) - sum(map(len, _ACCENTS_IN_A_ROW.findall(sample)))
