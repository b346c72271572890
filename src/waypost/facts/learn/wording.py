"""How a fact is worded: one or two sentences of plain text, bounded, that name the thing and what it does.

Everything that comes in is hostile. What goes out has no control characters, no markup and no cut words: half a secret
is one that no mask recognizes.
"""

import re
import unicodedata
from itertools import pairwise

from waypost.facts.learn.vocabulary import content, words
from waypost.text.identifiers import identifier_parts

MOST_TEXT = 320
_MOST_READ = 4_000  # characters of one piece of text
_LONGEST_WORD = 80  # without a space: no word of a sentence, and nothing to be cut
_LONGEST_PATH = 48
_NOT_PRINTED = frozenset(("Cc", "Cf", "Cs", "Co", "Cn"))
_SPACES = re.compile(r"\s+")
_ROLE = re.compile(r":[a-z:]{1,20}:`~?([^`]{1,100})`")
_DOUBLE_TICKS = re.compile(r"``([^`]{1,100})``")
_JAVADOC = re.compile(r"\{@\w{1,12}\s+([^{}]{1,100})\}")
_LINK = re.compile(r"!?\[([^\[\]]{1,120})\]\([^()\s]{0,300}\)")
_RUST_LINK = re.compile(r"\[(`[^`\[\]]{1,100}`)\](?:\[[^\[\]]{0,100}\])?")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,80}>")
_DUNDER = re.compile(r"(?<![\w`])__[a-z]\w{1,30}__(?![\w`])")  # `__str__` is a name, not a loud word
_EMPHASIS = re.compile(r"\*\*|__(?=\s|$)|(?<=\s)__|^#{1,6}\s+|^[*>-]\s+")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"'`(*A-ZА-ЯЁÄÖÜ])")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|z\.B|d\.h|bzw|resp|approx|incl|No|Nr|т\.е|т\.д)\.)$")
_URL = re.compile(r"https?://\S{1,400}")
SUBORDINATE = frozenset(
    ("when", "if", "since", "because", "as", "while", "after", "before", "although", "wenn", "weil", "если", "когда")
)
_DANGLING = frozenset(
    [
        "with",
        "so",
        "the",
        "a",
        "an",
        "and",
        "but",
        "that",
        "which",
        "to",
        "of",
        "in",
        "for",
        "or",
        "by",
        "as",
        "from",
        "on",
        "at",
        "is",
        "was",
        "when",
        "if",
        "because",
        "und",
        "der",
        "die",
        "das",
        "mit",
        "и",
        "в",
        "на",
        "с",
    ]
)
_CLAUSE_END = re.compile(  # a comma alone may stand in a list
    r"[;:] |, (?=(?:so|but|which|because|while|instead|leaving|causing|where|since|although|yet|making|resulting|meaning|even"
    r"|sodass|aber|weil|wodurch|но|поэтому|который|которая|так)\b)"
)
_AFTER_ORDER = frozenset(
    (
        "a",
        "an",
        "the",
        "this",
        "that",
        "all",
        "any",
        "each",
        "every",
        "whether",
        "if",
        "its",
        "it",
        "for",
        "to",
        "one",
        "no",
    )
)
_QUALIFIER = re.compile(r"^(?:\(\w+\)|\[\w+\])\s*")


def clean(text: str, most: int = _MOST_READ) -> str:
    """One line without control characters, invisible ones and runs of white space."""
    return " ".join(word for word in printable(text[:most]).split(" ") if word and len(word) <= _LONGEST_WORD)


def printable(text: str) -> str:
    """One line of visible characters, words of every length."""
    text = _SPACES.sub(" ", text)
    if not text.isprintable():
        text = "".join(sign for sign in text if unicodedata.category(sign) not in _NOT_PRINTED)
    return text.strip()


def shown(path: str) -> str:
    """A path as a sentence names it: of a long one its end, for the reference has it whole."""
    return path if len(path) <= _LONGEST_PATH else "/".join(path.split("/")[-2:])


def is_nameable(name: str, most: int = 200) -> bool:
    """Whether a path or the name of a symbol can stand in a sentence as it is."""
    return bool(name) and len(name) <= most and name.isprintable() and "`" not in name and "#" not in name


def plain(text: str) -> str:
    """Documentation without its markup: reStructuredText, Markdown, Javadoc, HTML."""
    text = clean(text)
    for pattern in (_ROLE, _DOUBLE_TICKS, _JAVADOC, _RUST_LINK):
        text = pattern.sub(lambda found: f"`{found[1].strip('`')}`", text)
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


def clip(text: str, most: int) -> str:
    """At most so many characters, cut between words; better where a clause ends."""
    text = text.strip()
    if len(text) <= most:
        return text
    whole = clause_of(text, most)
    return whole or _balanced(text[:most].rpartition(" ")[0].rstrip(" ,;:(–—")) + " …"


def clause_of(text: str, most: int) -> str:
    """The beginning of a sentence that stands alone and fits, "" where there is none."""
    text = text.strip()
    if len(text) <= most:
        return text
    cut = text[:most].rpartition(" ")[0]
    if text.split(" ", 1)[0].lower() in SUBORDINATE:
        return ""
    ends = [found.start() for found in _CLAUSE_END.finditer(cut)]
    clause = cut[: ends[-1]].rstrip() if ends else ""
    return clause if len(clause) > most * 0.3 and _balanced(clause) == clause else ""


def _balanced(text: str) -> str:
    """Without a code span or parenthesis that was opened and lost its end."""
    if text.count("`") % 2:
        text = text[: text.rfind("`")].rstrip(" (")
    if text.count("(") > text.count(")"):
        text = text[: text.rfind("(")].rstrip()
    while (last := text.rpartition(" "))[2].lower() in _DANGLING:
        text = last[0].rstrip(" ,;:")
    return text


def closed(text: str) -> str:
    """With a full stop at its end."""
    text = text.rstrip(" ,;:")
    return text if not text or text[-1] in ".!?…" else text + "."


def small(text: str) -> str:
    """Its first letter small, unless the word is a name or an acronym."""
    first = text.split(" ", 1)[0]
    return text[0].lower() + text[1:] if first[1:].islower() or len(first) == 1 else text


def capital(text: str) -> str:
    first = text.split(" ", 1)[0]
    return text[0].upper() + text[1:] if first.replace("-", "").isalpha() and first.islower() else text


_RELATIVE = frozenset(("that", "which", "who", "what", "there", "they", "these", "those", "you", "we"))


def predicate(text: str, name: str = "") -> str:
    """A sentence about a thing, as what follows its name: "Return the scheme." → "returns the scheme"; "" if it cannot."""
    text = _QUALIFIER.sub("", first_sentence(plain(text))).rstrip(".")
    first, _, rest = text.partition(" ")
    bare = first.strip("`()").lower()
    if name and rest and bare == last_part(name).lower():
        text = rest.lstrip(" -–—:")
        first, _, rest = text.partition(" ")
        bare = first.lower()
    known = words()
    if not rest:
        return ""
    if bare in ("is", "are", "has", "can", "will", "does"):
        return f"{bare} {rest}"
    if bare in ("a", "an", "the"):
        return "" if _is_clause(rest) else f"is {bare} {rest}"
    if bare.endswith("s") and is_of_many(rest):
        return ""
    is_order = bare in known.bases and (bare not in known.nouns or rest.split(" ", 1)[0].lower() in _AFTER_ORDER)
    if is_order or (bare in known.thirds and bare not in known.bases):
        return f"{known.verbs[bare].third} {_joined_verbs(rest)}"
    return ""


def without_name(text: str, name: str) -> str:
    """ "send - Sends a cart" → "Sends a cart"."""
    first, _, rest = text.partition(" ")
    is_label = first.strip("`():").lower() == last_part(name).lower() and (rest[:1] in "-–—:" or first.endswith(":"))
    return capital(rest.lstrip(" -–—:")) if is_label and rest else text


def _is_clause(rest: str) -> bool:
    """ "check holds no link" has its own verb; "function that holds a link" has not."""
    following = rest.lower().split()[:5]
    return any(
        word in words().thirds and before not in ("that", "which", "who") for before, word in pairwise(following)
    )


def is_of_many(rest: str) -> bool:
    """ "(Calls) that may fail are tried again": what looked like a verb is many things, and these have a verb."""
    following = rest.lower().split()
    return any(word in ("are", "were") and before not in _RELATIVE for before, word in pairwise(following))


def _joined_verbs(rest: str) -> str:
    """ "… and return it" → "… and returns it": the second verb bends as the first."""
    known = words()

    def bend(found: re.Match[str]) -> str:
        bare = found[2].lower()
        return found[1] + (known.verbs[bare].third if bare in known.bases else found[2])

    return re.sub(r"((?:,|\band|\bor|\bthen) (?:then )?)([a-z]{2,12})(?= (?:a|an|the|it|its|them|their)\b)", bend, rest)


def last_part(name: str) -> str:
    return re.split(r"\.|::|#", name)[-1]


def tells(text: str, *names: str, least: int = 2) -> bool:
    """Whether a text says more than the names themselves do: at least so many more words."""
    parts = {part.lower() for name in names for part in identifier_parts(re.sub(r"\W+", "_", name))}
    stems = {part[:5] for part in parts | {name.lower() for name in names}}
    known = words()
    said = [word for word in content(text) if word not in known.filler and word[:5] not in stems]
    first = text.split(" ", 1)[0].lower()
    return len([word for word in said if not (word == first and word in known.verbs)]) >= least
