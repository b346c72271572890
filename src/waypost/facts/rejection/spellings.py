"""The statements of a text without wrapping, so that Waypost recognises one inside another text.

A rejected value may return with quotes, Markdown, "Note: " or accents around it. It may stand beside another sentence
or carry an extra clause ("…, as agreed", "… because it is fast"). `spellings` returns the spellings of one value.
`statements` yields the parts that a text states as a whole. A part does not count if the rest narrows, denies or
revokes it: "…, but only in tests" is another statement. Statements are compared word for word; paraphrases are not
recognised.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path

from waypost.text.normal import fingerprint_text
from waypost.text.stems import fold

_FEWEST_WORDS = 3
"""Shorter parts are too common to compare: "Yes" and "Use tabs" occur in many texts."""
_MOST_SENTENCES = 40
_MOST_RUNS = 6
_MOST_CUTS = 12
_LONGEST = 4000
"""Characters of a sentence that is searched for clauses. Longer sentences are not values that somebody rejected."""

_LONGEST_MARKED = 20_000
"""Characters of a text whose Markdown is stripped. A longer text is a document, not a value."""

_QUOTES = "\"'`´‘’‚‛′‹›“”„‟″«»〝〞＂＇"
_NO_QUOTES = str.maketrans("", "", _QUOTES)
_LINE_MARK = re.compile(
    r"^[ \t]{0,8}(?:>[ \t]?){0,4}(?:#{1,6}[ \t]+|[-*+•‣▪][ \t]+|\d{1,3}[.)][ \t]+)?(?:\[[ xX]\][ \t]+)?", re.M
)
_FENCE = re.compile(r"^[ \t]{0,8}(?:```|~~~)[\w+-]{0,20}[ \t]*$", re.M)
_LINK = re.compile(r"!?\[([^\[\]\n]{1,300})\]\([^()\s]{0,500}(?:[ ][^()\n]{0,100})?\)")
_TAG = re.compile(
    r"</?(?:b|i|u|s|em|strong|code|kbd|mark|ins|span|p|br|q|blockquote|small|sub|sup)(?: [^<>]{0,100})?/?>", re.I
)
_EMPHASIS = re.compile(
    r"(?<![\w*~])(?P<mark>\*{1,3}|_{1,3}|~~|==)(?=[\w\"'`«„“(])(?P<text>[^\n]{1,600}?)(?<=[\w\"'`»“”).!?:,;])(?P=mark)(?![\w*~])"
)
_SENTENCE = re.compile(r"(?<=[.!?…;])[\"'»“”)]{0,3}\s+|\n+")
_CUT = re.compile(r"(?P<sign>[,;:…])[ \t]+|[ \t]+(?P<dash>[-–—]{1,2}|//|\|)[ \t]+|[ \t]+")
_COMPOUND = re.compile(r"(?<![\w./@-])[^\W\d_]{1,40}(?:-[^\W\d_]{1,40}){1,4}(?![\w/@-])")
"""Hyphenated words. Options, paths and versions keep their hyphens."""
_PICTURES = re.compile(
    "[\u2300-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff\U0001fb00-\U0001fbff\ufe0e\ufe0f\u20e3\u200d]+"
)
_REFUSING = re.compile("[\u2716\u2717\u2718\u274c\u274e\u26d4\u2612\U0001f6ab\U0001f44e\U0001f645\U0001f6d1]")
"""Signs that mean "no": before a statement they deny it."""
_ENDS = " \t.!?…,;:()[]-–—|"
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    data = tomllib.loads((Path(__file__).with_name("spellings.toml")).read_text("utf-8"))
    any_of = {name: f"(?:{'|'.join(rows)})" for name, rows in data.items()}
    word = {name: re.compile(rf"(?<!\w){any_of[name]}(?!\w)") for name in ("contrary", "foil_but", "joining")}
    return word | {
        "lead": re.compile(rf"(?:{any_of['labels']}[ ]?(?::|[-–—](?=\s))|{any_of['leads']}(?=[,:\s]))[,:\s]*"),
        "tail": re.compile(rf"(?:^|[\s,;:.!?…(\[–—-]){any_of['tails']}[\s.!?…,)\]]{{0,40}}$"),
        "opener": re.compile(rf"{any_of['openers']}(?!\w)"),
        "giver": re.compile(rf"{any_of['givers']}(?!\w)"),
        "speaker": re.compile(
            rf"(?:\S{{1,60}}\s{{1,9}}){{1,4}}{any_of['speakers']}(?:\s+(?:me|us|mir|uns|мне|нам))?(?:\s*[:,]\s*|\s+)(?:(?:that|dass|что)\s+)?"
        ),
        "foil": re.compile(rf"{any_of['foil']}\s"),
        "pronoun": re.compile(rf"(?<!\w){any_of['pronouns']}(?!\w)"),
        "filler": re.compile(rf",[ ]?{any_of['fillers']}[ ]?,|(?<![\w./-]){any_of['fillers']}(?![\w./-])", re.I),
    }


def spellings(text: str) -> list[str]:
    """The spellings under which Waypost recognises a value.

    Umlauts are spelled out or dropped; filler words and hyphens are kept or removed.
    """
    core = _core(_without_markup(text)) or text
    variants = dict.fromkeys((core, _without_filler(core)))
    bare = [fingerprint_text(variant).translate(_NO_QUOTES).strip(_ENDS) for variant in variants]
    return [*dict.fromkeys(form for variant in bare for form in (fold(variant), fold(_without_marks(variant))))]


def _without_filler(text: str) -> str:
    if len(text) > _LONGEST:
        return text
    joined = _COMPOUND.sub(lambda compound: compound[0].replace("-", " "), text)
    return _patterns()["filler"].sub("", joined) or text


def statements(text: str) -> Iterator[str]:
    """The text itself, then each part that it states as a whole."""
    yield text
    sentences = [part for part in _SENTENCE.split(_without_markup(text)) if part.strip(_ENDS)]
    revoked = [bool(_patterns()["contrary"].search(sentence.lower())) for sentence in sentences]
    if len(sentences) > 1:
        for start, end in _runs(len(sentences)):
            if not any(revoked[:start]) and not any(revoked[end:]):
                yield " ".join(sentences[start:end])
    for index, sentence in enumerate(sentences[:_MOST_SENTENCES]):
        if len(sentence) <= _LONGEST and not any(revoked[:index]) and not any(revoked[index + 1 :]):
            yield from _clauses(_core(sentence))


def _runs(count: int) -> Iterator[tuple[int, int]]:
    """Single sentences, then runs of sentences at the beginning or end of the text."""
    for index in range(min(count, _MOST_SENTENCES)):
        yield index, index + 1
    for size in range(2, min(count, _MOST_RUNS)):
        yield 0, size
        yield count - size, count
    yield from ((0, count - 1), (1, count)) if count > _MOST_RUNS else ()


def _clauses(sentence: str) -> Iterator[str]:
    """The sentence without a clause that only adds to it, in front or behind."""
    patterns, low = _patterns(), sentence.lower()
    if len(low) != len(sentence):
        return
    speaker = patterns["speaker"].match(low)
    if speaker and not patterns["contrary"].search(speaker[0]):
        yield sentence[speaker.end() :]
    line = _Line.of(low)
    clauses = 0
    for cut in _CUT.finditer(low):
        if line.only_adds(cut):
            clauses += 1
            yield sentence[: cut.start()]
        if cut["sign"] in (",", ":") and line.contrary_from > cut.start() and patterns["giver"].match(low):
            clauses += 1
            yield sentence[cut.end() :]
        if clauses >= _MOST_CUTS:
            return


@dataclass(frozen=True, slots=True)
class _Line:
    """A sentence in lower case, with the positions of the words that decide about cuts."""

    text: str
    contrary_from: int  # start of the first word that makes a different statement; past the end without one
    contrary: int  # start of the last such word, or -1
    pronoun: int
    joining: int

    @classmethod
    def of(cls, text: str) -> "_Line":
        patterns = _patterns()
        contrary = [match.start() for match in patterns["contrary"].finditer(text)]
        return cls(
            text,
            contrary[0] if contrary else len(text) + 1,
            contrary[-1] if contrary else -1,
            max((match.start() for match in patterns["pronoun"].finditer(text)), default=-1),
            max((match.start() for match in patterns["joining"].finditer(text)), default=-1),
        )

    def only_adds(self, cut: "re.Match[str]") -> bool:
        """Whether the text after the cut leaves the statement before it unchanged."""
        patterns, sign, begin = _patterns(), cut["sign"] or cut["dash"] or "", cut.end()
        while begin < len(self.text) and self.text[begin] in _ENDS:
            sign, begin = sign or self.text[begin], begin + 1
        if begin >= len(self.text):
            return False
        if foil := patterns["foil"].match(self.text, begin):
            rest = self.text[foil.end() :]
            return bool(sign) and not patterns["foil_but"].search(rest) and not patterns["contrary"].search(rest)
        if self.contrary >= begin:
            return False
        if sign != "," or patterns["opener"].match(self.text, begin) or self.pronoun >= begin:
            return bool(sign) or bool(patterns["opener"].match(self.text, begin))
        return self.joining < begin and sum(1 for _ in islice(_WORD.finditer(self.text, begin), 4)) > _FEWEST_WORDS


def is_statement(part: str) -> bool:
    """Whether a part of a text is long enough to be recognised again."""
    return len(_WORD.findall(part)) >= _FEWEST_WORDS


def _without_markup(text: str) -> str:
    """The text without Markdown and tags. Similar signs inside paths, names and globs stay."""
    if len(text) > _LONGEST_MARKED:
        return text.strip()
    if not text.isascii() and not _REFUSING.search(text):
        text = _PICTURES.sub(" ", text).strip()
    text = _LINE_MARK.sub("", _FENCE.sub("", text))
    text = _TAG.sub("", _LINK.sub(r"\1", text))
    for _ in range(3):  # bold inside italics
        text, changed = _EMPHASIS.subn(lambda emphasis: emphasis["text"], text)
        if not changed:
            break
    return text.strip()


def _core(text: str) -> str:
    patterns = _patterns()
    for _ in range(4):
        text = text.strip(" \t\n" + _QUOTES)
        low = text.lower()
        if len(low) != len(text):
            return text
        lead = patterns["lead"].match(low) or (
            None if low.isascii() else patterns["lead"].match(_in_plain_letters(low))
        )
        if lead and lead.end() < len(text):
            text = text[lead.end() :]
            continue
        tail = patterns["tail"].search(low, max(0, len(low) - 120))
        if not tail or not text[: tail.start()].strip(_ENDS):
            return text
        text = text[: tail.start()]
    return text


def _in_plain_letters(text: str) -> str:
    """The text without accents, one letter for one: `décision` becomes `decision`."""
    return "".join(base if len(base := _base(letter)) == 1 else letter for letter in text)


def _without_marks(text: str) -> str:
    """Latin letters without accents. Cyrillic ones keep theirs: й and и are different letters."""
    return "".join(_base(letter) for letter in text)


@cache
def _base(letter: str) -> str:
    if letter == "ß":
        return "ss"
    base = unicodedata.normalize("NFD", letter)[0] if not letter.isascii() else letter
    return base if base.isascii() else letter
