"""The wording of facts: one or two bounded sentences of plain text that name a thing and what it does.

All input is untrusted. The output has no control characters, no markup and no cut words, since no mask recognises half
a secret.
"""

import re
import unicodedata
from itertools import pairwise

from waypost.facts.learn.vocabulary import STEM, content_words, name_stems, vocabulary

MOST_TEXT = 320
_MOST_READ = 4_000  # characters of one piece of text
_LONGEST_WORD = 80  # a longer run without a space is not a word and cannot be cut
_LONGEST_PATH = 48
_NOT_PRINTED = frozenset(("Cc", "Cf", "Cs", "Co", "Cn"))
_SPACES = re.compile(r"\s+")
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
SUBORDINATE = frozenset(
    ("when", "if", "since", "because", "as", "while", "after", "before", "although", "wenn", "weil", "если", "когда")
)
_DANGLING = frozenset((
    "with", "so", "the", "a", "an", "and", "but", "that", "which", "to", "of", "in", "for", "or", "by", "as", "from",
    "on", "at", "is", "was", "when", "if", "because", "und", "der", "die", "das", "mit", "и", "в", "на", "с",
))  # fmt: skip
_CLAUSE_END = re.compile(  # a comma alone may be part of a list
    r"[;:] |, (?=(?:so|but|which|because|while|instead|leaving|causing|where|since|although|yet|making|resulting|meaning|even"
    r"|sodass|aber|weil|wodurch|но|поэтому|который|которая|так)\b)"
)
_AFTER_ORDER = frozenset((
    "a", "an", "the", "this", "that", "all", "any", "each", "every", "whether", "if", "its", "it", "for", "to", "one",
    "no",
))  # fmt: skip
_QUALIFIER = re.compile(r"^(?:\(\w+\)|\[\w+\])\s*")


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
    """The text in at most `longest` characters, cut at the end of a clause or between words."""
    text = text.strip()
    if len(text) <= longest:
        return text
    clause = clause_of(text, longest)
    return clause or _without_open_ends(text[:longest].rpartition(" ")[0].rstrip(" ,;:(–—")) + " …"


def clause_of(text: str, longest: int) -> str:
    """The beginning of a sentence that fits and stands alone, or an empty string."""
    text = text.strip()
    if len(text) <= longest:
        return text
    cut = text[:longest].rpartition(" ")[0]
    if text.split(" ", 1)[0].lower() in SUBORDINATE:
        return ""
    ends = [end.start() for end in _CLAUSE_END.finditer(cut)]
    clause = cut[: ends[-1]].rstrip() if ends else ""
    return clause if len(clause) > longest * 0.3 and _without_open_ends(clause) == clause else ""


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


def with_addition(text: str, more: str) -> str:
    """The text with an addition, unless it would become too long."""
    return text + more if len(text) + len(more) <= 290 else text


def lower_first(text: str) -> str:
    """The text with a lower-case first letter, unless the word is a name or an acronym."""
    first = text.split(" ", 1)[0]
    return text[0].lower() + text[1:] if first[1:].islower() or len(first) == 1 else text


def upper_first(text: str) -> str:
    first = text.split(" ", 1)[0]
    return text[0].upper() + text[1:] if first.replace("-", "").isalpha() and first.islower() else text


_RELATIVE = frozenset(("that", "which", "who", "what", "there", "they", "these", "those", "you", "we"))


def predicate(text: str, name: str = "") -> str:
    """A sentence as a predicate after a name: "Return it." becomes "returns it". Empty if impossible."""
    text = _QUALIFIER.sub("", first_sentence(without_markup(text))).rstrip(".")
    first, _, rest = text.partition(" ")
    first_word = first.strip("`()").lower()
    if name and rest and first_word == last_part(name).lower():
        text = rest.lstrip(" -–—:")
        first, _, rest = text.partition(" ")
        first_word = first.lower()
    lists = vocabulary()
    if not rest:
        return ""
    if first_word in ("is", "are", "has", "can", "will", "does"):
        return f"{first_word} {rest}"
    if first_word in ("a", "an", "the"):
        return "" if _is_clause(rest) else f"is {first_word} {rest}"
    if first_word.endswith("s") and has_plural_verb(rest):
        return ""
    may_be_order = first_word not in lists.nouns or rest.split(" ", 1)[0].lower() in _AFTER_ORDER
    is_order = may_be_order and first_word in lists.bases
    if is_order or (first_word in lists.thirds and first_word not in lists.bases):
        return f"{lists.verbs[first_word].third} {_in_third_person(rest)}"
    return ""


def without_name(text: str, name: str) -> str:
    """ "send - Sends a cart" becomes "Sends a cart"."""
    first, _, rest = text.partition(" ")
    is_label = first.strip("`():").lower() == last_part(name).lower() and (rest[:1] in "-–—:" or first.endswith(":"))
    return upper_first(rest.lstrip(" -–—:")) if is_label and rest else text


def _is_clause(rest: str) -> bool:
    """Whether the text has its own verb: "check holds no link" does, "function that holds a link" does not."""
    following = rest.lower().split()[:5]
    thirds, relative = vocabulary().thirds, ("that", "which", "who")
    return any(word in thirds and before not in relative for before, word in pairwise(following))


def has_plural_verb(rest: str) -> bool:
    """Whether an apparent verb is a plural noun: "(Calls) that may fail are tried again"."""
    following = rest.lower().split()
    return any(word in ("are", "were") and before not in _RELATIVE for before, word in pairwise(following))


def _in_third_person(rest: str) -> str:
    """ "… and return it" becomes "… and returns it"."""
    lists = vocabulary()

    def bend(match: re.Match[str]) -> str:
        verb = match[2].lower()
        return match[1] + (lists.verbs[verb].third if verb in lists.bases else match[2])

    return re.sub(r"((?:,|\band|\bor|\bthen) (?:then )?)([a-z]{2,12})(?= (?:a|an|the|it|its|them|their)\b)", bend, rest)


def last_part(name: str) -> str:
    return re.split(r"\.|::|#", name)[-1]


def says_more_than(text: str, *names: str, least: int = 2) -> bool:
    """Whether a text has at least so many words beyond the names."""
    stems = {stem for name in names for stem in (name.lower()[:STEM], *name_stems(name))}
    lists = vocabulary()
    new_words = [word for word in content_words(text) if word not in lists.filler and word[:STEM] not in stems]
    first = text.split(" ", 1)[0].lower()
    return len([word for word in new_words if not (word == first and word in lists.verbs)]) >= least
