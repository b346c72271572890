"""What a text asserts: its statements without wrapping, so that one is known again inside of another text.

A rejected value comes back with quotes, Markdown, "Note: " or accents around it, with another sentence beside it, or
with a clause behind it ("…, as agreed", "… because it is fast"). `forms` are the spellings of one value; `asserted` are
the parts of a text that it states as a whole. A part does not count where the rest narrows, denies or revokes it: "…, but
only in tests" is another statement. Only what stands there word for word is found; other words are not.
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
"""A shorter part of a text says too little: "Yes" and "Use tabs" stand in many."""
_MOST_SENTENCES = 40
_MOST_RUNS = 6
_MOST_CUTS = 12
_LONGEST = 4000
"""Characters of a sentence in which clauses are looked for. What is longer is no statement that somebody rejected."""

_LONGEST_MARKED = 20_000
"""Characters of a text whose Markdown is read: a longer one is a document and no value."""

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
"""Words with hyphens between them. Options, paths and versions keep theirs."""
_PICTURES = re.compile(
    "[\u2300-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff\U0001fb00-\U0001fbff\ufe0e\ufe0f\u20e3\u200d]+"
)
_REFUSING = re.compile("[\u2716\u2717\u2718\u274c\u274e\u26d4\u2612\U0001f6ab\U0001f44e\U0001f645\U0001f6d1]")
"""Signs of "no": before a statement they deny it."""
_ENDS = " \t.!?…,;:()[]-–—|"
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class _Words:
    lead: re.Pattern[str]
    tail: re.Pattern[str]
    opener: re.Pattern[str]
    giver: re.Pattern[str]
    speaker: re.Pattern[str]
    contrary: re.Pattern[str]
    foil: re.Pattern[str]
    foil_but: re.Pattern[str]
    pronoun: re.Pattern[str]
    joining: re.Pattern[str]
    filler: re.Pattern[str]


@cache
def _words() -> _Words:
    data = tomllib.loads((Path(__file__).with_name("data") / "claims.toml").read_text("utf-8"))
    one = {name: f"(?:{'|'.join(rows)})" for name, rows in data.items()}
    return _Words(
        lead=re.compile(rf"(?:{one['labels']}[ ]?(?::|[-–—](?=\s))|{one['leads']}(?=[,:\s]))[,:\s]*"),
        tail=re.compile(rf"(?:^|[\s,;:.!?…(\[–—-]){one['tails']}[\s.!?…,)\]]{{0,40}}$"),
        opener=re.compile(rf"{one['openers']}(?!\w)"),
        giver=re.compile(rf"{one['givers']}(?!\w)"),
        speaker=re.compile(
            rf"(?:\S{{1,60}}\s{{1,9}}){{1,4}}{one['speakers']}(?:\s+(?:me|us|mir|uns|мне|нам))?(?:\s*[:,]\s*|\s+)(?:(?:that|dass|что)\s+)?"
        ),
        contrary=re.compile(rf"(?<!\w){one['contrary']}(?!\w)"),
        foil=re.compile(rf"{one['foil']}\s"),
        foil_but=re.compile(rf"(?<!\w){one['foil_but']}(?!\w)"),
        pronoun=re.compile(rf"(?<!\w){one['pronouns']}(?!\w)"),
        joining=re.compile(rf"(?<!\w){one['joining']}(?!\w)"),
        filler=re.compile(rf",[ ]?{one['fillers']}[ ]?,|(?<![\w./-]){one['fillers']}(?![\w./-])", re.IGNORECASE),
    )


def forms(text: str) -> list[str]:
    """The spellings by which a value is known again, whatever stands around it: with umlauts spelled out, and without; as it
    is, and without words and hyphens that change nothing."""
    core = _core(_plain(text)) or text
    bare = [fingerprint_text(one).translate(_NO_QUOTES).strip(_ENDS) for one in dict.fromkeys((core, _trimmed(core)))]
    return [*dict.fromkeys(form for one in bare for form in (fold(one), fold(_without_marks(one))))]


def _trimmed(text: str) -> str:
    if len(text) > _LONGEST:
        return text
    joined = _COMPOUND.sub(lambda found: found[0].replace("-", " "), text)
    return _words().filler.sub("", joined) or text


def asserted(text: str) -> Iterator[str]:
    """The text, and each part that it states as a whole."""
    yield text
    sentences = [part for part in _SENTENCE.split(_plain(text)) if part.strip(_ENDS)]
    revoked = [bool(_words().contrary.search(one.lower())) for one in sentences]
    if len(sentences) > 1:
        for start, end in _runs(len(sentences)):
            if not any(revoked[:start]) and not any(revoked[end:]):
                yield " ".join(sentences[start:end])
    for place, sentence in enumerate(sentences[:_MOST_SENTENCES]):
        if len(sentence) <= _LONGEST and not any(revoked[:place]) and not any(revoked[place + 1 :]):
            yield from _clauses(_core(sentence))


def _runs(count: int) -> Iterator[tuple[int, int]]:
    """Single sentences, and those that begin or end the text together."""
    for place in range(min(count, _MOST_SENTENCES)):
        yield place, place + 1
    for size in range(2, min(count, _MOST_RUNS)):
        yield 0, size
        yield count - size, count
    yield from ((0, count - 1), (1, count)) if count > _MOST_RUNS else ()


def _clauses(sentence: str) -> Iterator[str]:
    """What is left of a sentence without a clause that only adds to it, in front or behind."""
    words, low = _words(), sentence.lower()
    if len(low) != len(sentence):
        return
    told = words.speaker.match(low)
    if told and not words.contrary.search(told[0]):
        yield sentence[told.end() :]
    line = _Line.of(low)
    found = 0
    for cut in _CUT.finditer(low):
        if line.only_adds(cut):
            found += 1
            yield sentence[: cut.start()]
        if cut["sign"] in (",", ":") and line.contrary_from > cut.start() and words.giver.match(low):
            found += 1
            yield sentence[cut.end() :]
        if found >= _MOST_CUTS:
            return


@dataclass(frozen=True, slots=True)
class _Line:
    """A sentence in small letters, with the places of telling words, found once for all cuts."""

    text: str
    contrary_from: int  # where the first word begins that makes what it stands in another statement
    contrary: int  # where the last one begins; -1: there is none
    pronoun: int
    joining: int

    @classmethod
    def of(cls, text: str) -> "_Line":
        words = _words()
        contrary = [found.start() for found in words.contrary.finditer(text)]
        return cls(
            text,
            contrary[0] if contrary else len(text) + 1,
            contrary[-1] if contrary else -1,
            max((found.start() for found in words.pronoun.finditer(text)), default=-1),
            max((found.start() for found in words.joining.finditer(text)), default=-1),
        )

    def only_adds(self, cut: "re.Match[str]") -> bool:
        """Whether what follows the cut leaves what stands before it as it was."""
        words, sign, begin = _words(), cut["sign"] or cut["dash"] or "", cut.end()
        while begin < len(self.text) and self.text[begin] in _ENDS:
            sign, begin = sign or self.text[begin], begin + 1
        if begin >= len(self.text):
            return False
        if foil := words.foil.match(self.text, begin):
            rest = self.text[foil.end() :]
            return bool(sign) and not words.foil_but.search(rest) and not words.contrary.search(rest)
        if self.contrary >= begin:
            return False
        if sign != "," or words.opener.match(self.text, begin) or self.pronoun >= begin:
            return bool(sign) or bool(words.opener.match(self.text, begin))
        return self.joining < begin and sum(1 for _ in islice(_WORD.finditer(self.text, begin), 4)) > _FEWEST_WORDS


def is_statement(part: str) -> bool:
    """Whether a part of a text is long enough to be known again."""
    return len(_WORD.findall(part)) >= _FEWEST_WORDS


def _plain(text: str) -> str:
    """The text without Markdown and tags. What looks like them inside of paths, names and globs stays."""
    if len(text) > _LONGEST_MARKED:
        return text.strip()
    if not text.isascii() and not _REFUSING.search(text):
        text = _PICTURES.sub(" ", text).strip()
    text = _FENCE.sub("", text)
    text = _LINE_MARK.sub("", text)
    text = _TAG.sub("", _LINK.sub(r"\1", text))
    for _ in range(3):  # bold inside of italics
        text, changed = _EMPHASIS.subn(lambda found: found["text"], text)
        if not changed:
            break
    return text.strip()


def _core(text: str) -> str:
    """The text without labels, beginnings and endings that add nothing."""
    words = _words()
    for _ in range(4):
        text = text.strip(" \t\n" + _QUOTES)
        low = text.lower()
        if len(low) != len(text):
            return text
        lead = words.lead.match(low) or (None if low.isascii() else words.lead.match(_in_plain_letters(low)))
        if lead and lead.end() < len(text):
            text = text[lead.end() :]
            continue
        tail = words.tail.search(low, max(0, len(low) - 120))
        if not tail or not text[: tail.start()].strip(_ENDS):
            return text
        text = text[: tail.start()]
    return text


def _in_plain_letters(text: str) -> str:
    """The same without accents, a letter for a letter: `décision` is read as `decision`."""
    return "".join(base if len(base := _base(one)) == 1 else one for one in text)


def _without_marks(text: str) -> str:
    """Latin letters without their accents. Cyrillic ones keep theirs: й is another letter than и."""
    return "".join(_base(one) for one in text)


@cache
def _base(letter: str) -> str:
    if letter == "ß":
        return "ss"
    base = unicodedata.normalize("NFD", letter)[0] if not letter.isascii() else letter
    return base if base.isascii() else letter
