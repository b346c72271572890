"""The word lists that judge what people say: `data/importance_<language>.toml` and `data/questions_<language>.toml`."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

LANGUAGES = ("en", "de", "ru")
LONGEST_READ = 4000  # characters; in a long paste the beginning matters
_APOSTROPHES = str.maketrans({"’": "'", "ʼ": "'", "`": "'", "´": "'", "ё": "е"})
_SENTENCE = re.compile(r"[^.!?…\n]+(?:[.!?…]+[\"'»«”“’)\]]{0,3})?\s?|[.!?…]+")  # with the quotation mark that ends it
_CYRILLIC = re.compile("[а-яё]{2}", re.I)
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_INNER_DOT = re.compile(
    r"(?<=\d)\.(?=\s?\d)|(?<=(?<![\d.,])\d)\.(?=\s\w)|(?<=(?<![\d.,])\d\d)\.(?=\s\w)|(?<=\b\w)\.(?=\w)|(?<=\b\w\w)\.(?=\w)"
    r"|(?<=\b(?:Dr|Mr|Ms|St|Nr|ca))\.(?=\s\w)|(?<=\b(?:Mrs|bzw|ggf))\.(?=\s\w)|(?<=\bProf)\.(?=\s\w)"
)
ImportanceWords = Mapping[str, re.Pattern[str]]
_DOT = "\u2024"  # stands for a dot that does not end a sentence


@cache
def importance_words(language: str) -> ImportanceWords:
    """The lists of a language, which the comments in the English files explain. English for any other language."""
    name = language if language in LANGUAGES else "en"
    table: dict[str, list[str]] = {}
    for subject in ("importance", "questions"):
        source = files("waypost.journal") / "data" / f"{subject}_{name}.toml"
        table |= tomllib.loads(source.read_text("utf-8"))
    return {list_: re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)") for list_, words in table.items()}


def language_of_lists(text: str, language: str) -> str:
    """The language whose lists fit a text best: short Russian texts can look like another language in Cyrillic."""
    if language in LANGUAGES:
        return language
    return "ru" if _CYRILLIC.search(text[:LONGEST_READ]) else "en"


def _clauses(text: str, language: str) -> Iterator[str]:
    """Sentences, with a statement before a request split off: "I want to learn Finnish, can you make a plan?" """
    request = importance_words(language)["request"]
    for sentence in _SENTENCE.findall(text):
        statement, comma, question = sentence.partition(",")
        while comma and (not request.match(question.lower().lstrip()) or _tag(language).fullmatch(question.lower())):
            more, comma, question = question.partition(",")
            statement = f"{statement},{more}"
        yield statement
        if comma:
            yield question


@dataclass(frozen=True, slots=True)
class UtteranceSentence:
    text: str  # in lower case, one spelling
    written: str
    asks: bool  # a question or a command
    words: int


@cache
def _opening(language: str) -> re.Pattern[str]:
    """Matches the start of a request, also after "and", "so", a greeting or a name. Not after "He writes, that …"."""
    return re.compile(
        rf"\W*(?:\w+, (?!(?:что|dass|that) )){{0,2}}(?:and |but |so |then |und |aber |also |dann |а |и |но )?{importance_words(language)['asks'].pattern}"
    )


@cache
def _tag(language: str) -> re.Pattern[str]:
    """Matches a whole clause that only shares surprise: "can you believe it?" """
    return re.compile(rf"\W{{0,9}}(?:{importance_words(language)['surprise'].pattern})\W{{0,9}}")


def _without_tag(low: str, language: str) -> str:
    """What a sentence states before a tag to which its question mark belongs: "We opened today, can you believe it?"

    A tag that asks for agreement counts only beside a first person: not "The shop opens at nine, right?"
    """
    statement, tag = "", low.rstrip(" \"'”“»«)*_?!")
    at = max(tag.rfind(mark) for mark in (",", "—", "–", " - "))
    if at > 0:
        statement, tag = tag[:at], tag[at:].lstrip(" ,—–-")
    words = importance_words(language)
    if words["surprise"].fullmatch(tag):
        return statement
    is_own = words["first"].search(statement) is not None and words["second"].search(statement) is None
    return statement if is_own and words["agreement"].fullmatch(tag) else ""


def sentences_of(text: str, language: str) -> list[UtteranceSentence]:
    """The sentences of an utterance, without code."""
    plain = _FENCE.sub("\n", text[:LONGEST_READ]) if "```" in text else text[:LONGEST_READ]
    plain = _INNER_DOT.sub(_DOT, plain)
    result = []
    for part in _clauses(plain, language):
        written = " ".join(part.replace(_DOT, ".").split())
        low = written.lower().translate(_APOSTROPHES)
        count = sum(1 for word in low.split() if any(map(str.isalnum, word)))
        if count:
            asks = low.rstrip(" \"'”“»«)*_").endswith("?")
            stated = _without_tag(low, language) if asks else ""
            asks = (asks and not stated) or _opening(language).match(low) is not None
            low = stated if stated and not asks else low
            result.append(UtteranceSentence(low, written, asks, count))
    return result
