"""Language detection, as far as Waypost distinguishes languages: English, German, Russian.

The script decides first, then frequent words, endings and letters (data/languages.txt). Code, identifiers, paths and
URLs do not count. An ambiguous short text counts as English, since most notes about code are English.
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

READ_CHARACTERS = 1500  # of a long text; more would not change its language
WORD_WEIGHT = 1.0
LETTER_WEIGHT = 0.7
ENDING_WEIGHT = 0.3
PART_WEIGHT = 0.15
ENGLISH_FIRST = 0.3  # head start of English: most notes about code are short and English
LEAD = 1.15  # factor by which another language must beat English

_DATA = Path(__file__).with_name("data") / "languages.txt"
_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_INLINE_CODE = re.compile(r"`[^`\n]*`")
_AROUND_WORDS = " .,;:!?…()[]{}<>\"'*_~“”„‘’‚«»-–—/\\|"
_NOT_WORD = re.compile(r"\W+")
_CYRILLIC = re.compile("[\u0400-\u052f]")
_LATIN = re.compile("[A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff]")
_NOT_RUSSIAN = re.compile("[іїєґўјљњћђџѓќѕәғқңөұүһӕӣӯҷӷӑӗҫҳӧӝӟӥӵӂ]")
_RUSSIAN_ONLY = re.compile("[ыэё]")
_BULGARIAN_SIGN = re.compile("ъ(?![еёюя])")

SURE_OTHER_WORDS = 8  # "Take care!" looks foreign by its function words; a text of eight words rarely does


def is_surely_foreign(text: str, language: str) -> bool:
    """Whether a text that `language_of` assigned to `language` is certainly not English."""
    return language in {"de", "ru"} or (language == "other" and len(text.split()) >= SURE_OTHER_WORDS)


def language_of(text: str) -> str:
    """`en`, `de`, `ru` or `other`. Empty if the text has no words of a language."""
    return _language_of(text[:READ_CHARACTERS])


@lru_cache(maxsize=2048)  # maintenance asks repeatedly about the same entries
def _language_of(text: str) -> str:
    words = _words_of_language(text)
    prose = " ".join(words)
    if not prose:
        return ""
    if prose.isascii():
        return _latin_language(words, prose)
    cyrillic, latin = len(_CYRILLIC.findall(prose)), len(_LATIN.findall(prose))
    # One Chinese character says as much as three letters.
    if 3 * (len(prose) - prose.count(" ") - cyrillic - latin) > max(cyrillic, latin):
        return "other"
    # Russian texts keep Latin letters in names and terms; the reverse is rare.
    return _cyrillic_language(words, prose) if 2 * cyrillic >= latin else _latin_language(words, prose)


def _words_of_language(text: str) -> list[str]:
    """Lower-case words, without code, identifiers, numbers, paths, URLs and addresses."""
    if "`" in text or "~~~" in text:
        text = _INLINE_CODE.sub(" ", _FENCE.sub(" ", text))
    words: list[str] = []
    for token in text.split():
        word = token if token.isalpha() else token.strip(_AROUND_WORDS)
        if word.isalpha():
            if word.islower() or word.istitle() or word.isupper():
                words.append(word.lower())
            elif not word.isascii() or not any(map(str.isupper, word[1:])):
                words.append(word.lower())  # scripts without case; camelCase is an identifier
        elif "'" in word or "’" in word:
            words.append(_without_apostrophe(word))
        elif word.replace("-", "").isalpha():
            words += word.lower().split("-")
        elif not word.isascii():  # a script without spaces and with its own punctuation
            words += [part.lower() for part in _NOT_WORD.split(word) if part.isalpha()]
    return words


def _without_apostrophe(word: str) -> str:
    bare = word.lower().replace("’", "'").removesuffix("'s")
    return bare if bare.replace("'", "").isalpha() else ""


def _cyrillic_language(words: list[str], prose: str) -> str:
    foreign = len(_NOT_RUSSIAN.findall(prose)) + len(_BULGARIAN_SIGN.findall(prose))
    russian = len(_RUSSIAN_ONLY.findall(prose))
    if 4 * foreign > russian and 80 * foreign > len(prose):  # one foreign name in a Russian text is not enough
        return "other"
    scores: dict[str, float] = {}
    _add(scores, words, _tables().cyrillic_words)
    best = max(scores.values(), default=0.0)
    # Without a letter unique to Russian, a related language may win by its words.
    return "other" if not russian and best > LEAD * scores.get("ru", 0.0) else "ru"


def _latin_language(words: list[str], prose: str) -> str:
    tables = _tables()
    scores: dict[str, float] = {}
    _add(scores, words, tables.words)
    for length in (2, 3, 4, 5):
        _add(scores, [word[-length:] for word in words if len(word) > length + 1], tables.endings)
    _add(scores, tables.part.findall(prose), tables.parts)
    if not prose.isascii():
        _add(scores, [letter for letter in prose if not letter.isascii()], tables.letters)
    english, german = scores.pop("en", 0.0) + ENGLISH_FIRST, scores.pop("de", 0.0)
    other = max(scores.values(), default=0.0)
    if german > other and german > LEAD * english:
        return "de"
    return "other" if other >= german and other > LEAD * english else "en"


_Weights = dict[str, tuple[tuple[str, float], ...]]


def _add(scores: dict[str, float], items: list[str], table: _Weights) -> None:
    for item in items:
        for language, weight in table.get(item, ()):
            scores[language] = scores.get(language, 0.0) + weight


@dataclass(frozen=True, slots=True)
class _Tables:
    words: _Weights
    cyrillic_words: _Weights
    endings: _Weights
    letters: _Weights
    parts: _Weights
    part: re.Pattern[str]


@cache
def _tables() -> _Tables:
    owners: dict[str, dict[str, list[str]]] = {"words": {}, "endings": {}, "letters": {}, "parts": {}}
    for line in _DATA.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            language, kind, rest = line.split(" ", 2)
            for item in dict.fromkeys(rest if kind == "letters" else rest.split()):
                owners[kind].setdefault(item, []).append(language)
    words = _weigh(owners["words"], WORD_WEIGHT)
    return _Tables(
        words={word: weights for word, weights in words.items() if not _CYRILLIC.match(word)},
        cyrillic_words={word: weights for word, weights in words.items() if _CYRILLIC.match(word)},
        endings=_weigh(owners["endings"], ENDING_WEIGHT),
        letters={k: tuple((language, LETTER_WEIGHT) for language in v) for k, v in owners["letters"].items()},
        parts=_weigh(owners["parts"], PART_WEIGHT),
        part=re.compile("|".join(owners["parts"])),
    )


def _weigh(owners: dict[str, list[str]], scale: float) -> _Weights:
    """Weights of each item for its languages. The more languages share an item, the less it counts."""
    weights: _Weights = {}
    for item, languages in owners.items():
        alone = 0.5 if len(item) == 1 and scale == WORD_WEIGHT else 1.0  # a one-letter word says little
        weights[item] = tuple((language, scale * alone / len(languages)) for language in languages)
    return weights
