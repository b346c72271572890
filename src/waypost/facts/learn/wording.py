"""The wording of facts: bounded plain text that quotes messages and code, and never rewrites them.

All input is untrusted. The output has no control characters, no markup and no cut words, since no mask recognises half
a secret.
"""

import re
import unicodedata

from waypost.facts.learn.vocabulary import STEM, content_words, name_stems, vocabulary

MOST_TEXT = 480
_MOST_READ = 4_000  # characters of one piece of text
_LONGEST_WORD = 80  # a longer run without a space is not a word and cannot be cut
_LONGEST_PATH = 48
_NOT_PRINTED = frozenset(("Cc", "Cf", "Cs", "Co", "Cn"))
_SPACES = re.compile(r"\s+")
_BRACKET_SPACE = re.compile(r"(?<=[(\[]) (?=\S)|,? (?=[)\]])")
_ROLE = re.compile(r":[a-z:]{1,20}:`~?([^`]{1,100})`")
_DOUBLE_TICKS = re.compile(r"``([^`]{1,100})``")
_JAVADOC = re.compile(r"\{@\w{1,12}\s+([^{}]{1,100})\}")
_LINK = re.compile(r"!?\[([^\[\]]{1,120})\]\([^()\s]{0,300}\)")
_RUST_LINK = re.compile(r"\[(`[^`\[\]]{1,100}`)\](?:\[[^\[\]]{0,100}\])?")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,80}>")
_DUNDER = re.compile(r"(?<![\w`])__[a-z]\w{1,30}__(?![\w`])")  # `__str__` is a name, not emphasis
_EMPHASIS = re.compile(r"\*\*|__(?=\s|$)|(?<=\s)__|^#{1,6}\s+|^[*>-]\s+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"'`(*A-ZА-ЯЁÄÖÜ])")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|z\.B|d\.h|bzw|resp|approx|incl|No|Nr|т\.е|т\.д)\.)$")
_URL = re.compile(r"https?://\S{1,400}")
_DANGLING = frozenset((
    "with", "so", "the", "a", "an", "and", "but", "that", "which", "to", "of", "in", "for", "or", "by", "as", "from",
    "on", "at", "is", "was", "when", "if", "because", "und", "der", "die", "das", "mit", "и", "в", "на", "с",
))  # fmt: skip


def clean(text: str, longest: int = _MOST_READ) -> str:
    """One line without control characters, invisible ones and repeated white space."""
    return " ".join(word for word in printable(text[:longest]).split(" ") if word and len(word) <= _LONGEST_WORD)


def printable(text: str) -> str:
    """One line of visible characters, with words of any length."""
    text = _SPACES.sub(" ", text)
    if not text.isprintable():
        text = "".join(sign for sign in text if unicodedata.category(sign) not in _NOT_PRINTED)
    return text.strip()


def short_path(path: str) -> str:
    """A path for use in a sentence: the end of a long one, as the reference has it whole."""
    return path if len(path) <= _LONGEST_PATH else "/".join(path.split("/")[-2:])


def is_nameable(name: str, most: int = 200) -> bool:
    """Whether a path or symbol name can be used in a sentence as it is."""
    return bool(name) and len(name) <= most and name.isprintable() and "`" not in name and "#" not in name


def without_markup(text: str) -> str:
    """Documentation without markup: reStructuredText, Markdown, Javadoc, HTML."""
    text = clean(text)
    for pattern in (_ROLE, _DOUBLE_TICKS, _JAVADOC, _RUST_LINK):
        text = pattern.sub(lambda match: f"`{match[1].strip('`')}`", text)
    text = _DUNDER.sub(r"`\g<0>`", text)
    text = _EMPHASIS.sub("", _TAG.sub("", _LINK.sub(r"\1", text)))
    return clean(_URL.sub("", text)).strip(" *-–—:;,")


def sentences(text: str) -> list[str]:
    """The sentences of one paragraph."""
    parts: list[str] = []
    for part in _SENTENCE.split(text):
        if parts and _ABBREVIATION.search(parts[-1]):
            parts[-1] += " " + part
        else:
            parts.append(part)
    return [part.strip() for part in parts if part.strip()]


def first_sentence(text: str) -> str:
    return next(iter(sentences(text)), "")


def clip(text: str, longest: int) -> str:
    """The text in at most `longest` characters, cut between words."""
    text = text.strip()
    if len(text) <= longest:
        return text
    return _without_open_ends(text[:longest].rpartition(" ")[0].rstrip(" ,;:(–—")) + " …"


def _without_open_ends(text: str) -> str:
    """The text without a code span or parenthesis that lost its end, and without dangling words."""
    if text.count("`") % 2:
        text = text[: text.rfind("`")].rstrip(" (")
    if text.count("(") > text.count(")"):
        text = text[: text.rfind("(")].rstrip()
    while (parts := text.rpartition(" "))[2].lower() in _DANGLING:
        text = parts[0].rstrip(" ,;:")
    return text


def with_full_stop(text: str) -> str:
    """The text with a full stop at its end."""
    text = text.rstrip(" ,;:")
    return text if not text or text[-1] in ".!?…" else text + "."


def on_one_line(signature: str) -> str:
    """A signature that was on several lines."""
    return _BRACKET_SPACE.sub("", " ".join(signature.split())).rstrip(",")


def in_quotes(text: str) -> str:
    """The text as a quotation. Quotation marks inside become single ones."""
    return f"“{text.replace('“', '‘').replace('”', '’')}”"


def last_part(name: str) -> str:
    return re.split(r"\.|::|#", name)[-1]


def says_more_than(text: str, *names: str, least: int = 2) -> bool:
    """Whether a text has at least so many words beyond the names."""
    stems = {stem for name in names for stem in (name.lower()[:STEM], *name_stems(name))}
    lists = vocabulary()
    new_words = [word for word in content_words(text) if word not in lists.filler and word[:STEM] not in stems]
    first = text.split(" ", 1)[0].lower()
    return len([word for word in new_words if not (word == first and word in lists.verbs)]) >= least
