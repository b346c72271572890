"""Sentences that retract or correct what was said just before them: "Just kidding.", "Wir kommen doch erst am Montag." """

import re
import tomllib
from functools import cache
from importlib.resources import files

from waypost.journal.importance.word_lists import LANGUAGES, sentences_of

_APOSTROPHES = str.maketrans({"’": "'", "ʼ": "'", "`": "'", "´": "'", "ё": "е"})
_LONGEST = 600  # characters of a sentence that is read


def retracts(sentence: str) -> bool:
    """Whether the sentence says that what came before was not meant, or is not so. In any language."""
    return _found("joke", sentence)


def corrects(sentence: str) -> bool:
    """Whether what came before misleads without the sentence: it retracts that, or says what is so instead."""
    return _found("joke", sentence) or _found("correction", sentence)


def in_context(sentence: str, text: str, language: str) -> str:
    """The sentence with the corrections that follow it in its text. Empty if it is retracted."""
    spoken = [" ".join(part.written.split()) for part in sentences_of(text, language)]
    place = next((place for place, part in enumerate(spoken) if part and sentence.endswith(part)), None)
    whole = sentence
    for part in spoken[place + 1 :] if place is not None else ():
        if retracts(part):
            return ""
        if not corrects(part):
            break
        whole += f" {part}"
    return whole


def _found(kind: str, sentence: str) -> bool:
    text = sentence[:_LONGEST].lower().translate(_APOSTROPHES)
    of_languages = map(_words, LANGUAGES)
    return any(words[f"{kind}_start"].match(text) or words[kind].search(text) for words in of_languages)


@cache
def _words(language: str) -> dict[str, re.Pattern[str]]:
    table = tomllib.loads((files("waypost.journal") / "data" / "corrections.toml").read_text("utf-8"))[language]
    return {
        kind: re.compile(
            (r"\W{0,9}" if kind.endswith("_start") else r"(?<!\w)") + f"(?:{'|'.join(alternatives)})(?!\\w)"
        )
        for kind, alternatives in table.items()
    }
