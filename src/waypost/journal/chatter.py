"""Whether something said answers no question: it only asks, commands, greets or acknowledges."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

LONGEST = 500  # characters; a longer text also states something
MOST_WORDS = 20  # of a command; a longer one states something
_DATA = Path(__file__).with_name("data") / "chatter.toml"
_SENTENCE = re.compile(r"[^.!?…\n;]+[.!?…]*")
_INNER_DOT = re.compile(r"(?<=\w)\.(?=\w)")  # of a number, a file name or a call
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_CACHED = 5_000
_WORD_LISTS = ("questions", "subjects", "commands", "fillers", "states", "rules", "requests")


@dataclass(frozen=True, slots=True)
class _ChatterWords:
    questions: frozenset[str]
    subjects: frozenset[str]
    commands: frozenset[str]
    fillers: frozenset[str]
    states: frozenset[str]
    rules: frozenset[str]
    requests: frozenset[str]  # of one or two words, with _ between them
    phrases: re.Pattern[str]


@lru_cache(maxsize=_CACHED)
def is_chatter(text: str) -> bool:
    """Whether every sentence of a text is a question, a command or small talk. The answer follows in a later turn."""
    if len(text) > LONGEST or "```" in text:
        return False
    sentences = [sentence for sentence in _SENTENCE.findall(_INNER_DOT.sub("_", text)) if _WORD.search(sentence)]
    return all(_is_idle(sentence.strip().lower()) for sentence in sentences)


def adds_something(sentence: str) -> bool:
    """Whether a sentence has a word beside fillers and greetings, and is no question or command."""
    lists = _lists()
    words = _WORD.findall(lists.phrases.sub(" ", sentence.lower().replace("’", "'")))
    left = [word for word in words if word not in lists.fillers]
    return bool(left) and not sentence.rstrip().endswith("?") and left[0] not in lists.commands


def _is_idle(sentence: str) -> bool:
    lists = _lists()
    words = _WORD.findall(sentence.replace("’", "'"))
    if sentence.endswith("?") or len(sentence.split()) < 2:
        return True
    if not all(word in lists.fillers for word in _WORD.findall(lists.phrases.sub(" ", sentence))):
        opening, following = [*(word for word in words if word not in lists.fillers), "", ""][:2]
        if len(words) > MOST_WORDS or ":" in sentence:
            return False
        if any("_".join(words[:count]) in lists.requests for count in (1, 2)):
            return lists.rules.isdisjoint(words)
        if opening in lists.questions:  # but not "It was …", though German asks with "was"
            return following not in lists.subjects and lists.subjects.isdisjoint(words[: words.index(opening)])
        return opening in lists.commands and (lists.states | lists.rules).isdisjoint(words)
    return True


@cache
def _lists() -> _ChatterWords:
    data = tomllib.loads(_DATA.read_text("utf-8"))
    words = {name: frozenset(data[name].split()) for name in _WORD_LISTS}
    return _ChatterWords(phrases=re.compile(rf"(?<!\w)(?:{'|'.join(data['phrases'])})(?!\w)"), **words)
