"""What a fact is about and what it states, read by rules in English, German and Russian.

A statement has a subject (entity and attribute) and a value. Its verb separates them: words before it lead, words after
it follow. A purpose ("for CI") belongs to the subject. "Instead of", "no longer" and their like mark a former value.
Reasons and dates since when it is so are set aside. Words come from `data/statements.toml`.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from waypost.facts.lexicon import ComparisonLexicon, lexicon
from waypost.facts.tokens import literal, tokens

LEAD, TAIL, PURPOSE, FORMER, ASIDE = "lead", "tail", "purpose", "former", "aside"
BE, HAVE, CHANGE, MOVE, TAKEOVER = "be", "have", "change", "move", "takeover"
CHANGES = frozenset((CHANGE, MOVE, TAKEOVER))
WORD = "word"
MOST_TERMS = 40  # of a text that is compared: a longer one is a document, not a fact
SECONDS = {"ms": 0.001, "s": 1, "min": 60, "h": 3600, "d": 86_400, "week": 604_800, "month": 2_629_800}
_PHRASES = (
    *(
        "signals",
        "fresh",
        "ceasing",
        "former",
        "replaced",
        "past",
        "hedges",
        "additions",
        "asides",
        "since",
        "purposes",
    ),
    "times",
)
_FLAGS = {"signals": "signal", "fresh": "fresh", "past": "past", "hedges": "hedged", "additions": "adds"}
_ZONES = {"former": FORMER, "asides": ASIDE, "purposes": PURPOSE}
_VERB = "verb:"  # how the roles of verbs of several words begin
_UNNAMED = frozenset(("date", "quantifier"))
_LONGEST_SIGN = 2  # letters of a unit's sign: ms, km
_OFTEN = ("ly", "lich")  # how adverbs of frequency end: weekly, täglich
_CEASING_LATER = frozenset(("mehr", "больше"))  # after a negation: "keinen Kaffee mehr"
_TRANSITIVE = frozenset(("locate", "run", "write", "send"))
_RUSSIAN_VERB = re.compile(r"(?:[еи]т|[еи]м|[юуая]т|л[аои]?|ся|сь)$")
_ABBREVIATION = re.compile(r"\b(Dr|St|Mr|Mrs|Ms|Prof|No|Nr|Hr|Fr|ca|vs|approx|г|ул)\.(?=\s)")
_FRONTED = frozenset((PURPOSE, FORMER, ASIDE))
# Names that the tokens of a comparison would split: stage-01.acme.net, #help-desk.
_NAME = re.compile(r"(?<![\w@/.#-])(?:#\w[\w-]*\w|[^\W\d_]\w*(?:-\w+)+(?:\.\w[\w-]*\w)+)")
_ISO_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_YEAR = re.compile(r"(?:19|20)\d\d")
_VERSION = re.compile(r"v?\d+(\.\d+)*([-+].*)?")
_SHAPES = (
    ("channel", re.compile("#")),
    ("path", re.compile(r"~|.*/")),
    ("version", re.compile(_VERSION.pattern + "$")),
    ("dotted", re.compile(r".*\.")),
)
_ORDINAL_DOT = re.compile(r"\b(\d{1,2})\.(?=\s+[^\W\d_])")
_LONGEST = 600  # characters


class Term(NamedTuple):
    """A word or literal of a statement."""

    kind: str  # "word", or the type of a literal: "number", "clock", "day", "path", "host" …
    value: str  # its stem or canonical form
    text: str
    zone: str
    preposition: str = ""
    unit: str = ""  # of a number: its unit, or the stem of the noun after it
    definite: bool = False  # after an article or a possessive
    capital: bool = False  # written like a name, not at the start of a sentence

    @property
    def identity(self) -> tuple[str, str]:
        return self.kind, self.value


@dataclass(frozen=True, slots=True)
class Statement:
    language: str
    terms: tuple[Term, ...]
    verb: str  # the class of its verb, or "" without a known one
    signal: bool = False  # its wording says that something changed
    fresh: bool = False  # it speaks of a new one
    negated: bool = False
    past: bool = False  # history: it was so once
    hedged: bool = False  # no statement that it is so: a plan, a condition, a guess
    adds: bool = False  # "also": it leaves other values as they are

    def zone(self, *zones: str) -> tuple[Term, ...]:
        return tuple(term for term in self.terms if term.zone in zones)


@dataclass(frozen=True, slots=True)
class StatementWords:
    """The word lists of one language."""

    lexicon: ComparisonLexicon
    phrases: Mapping[str, tuple[tuple[tuple[str, ...], str], ...]]  # by their first word, longest first
    verbs: Mapping[str, str]  # class by stem or word
    generic: frozenset[str]
    qualifiers: frozenset[str]
    states: frozenset[str]
    goals: frozenset[str]
    sources: frozenset[str]
    pronouns: frozenset[str]
    speakers: frozenset[str]
    contrasts: frozenset[str]
    moments: frozenset[str]
    references: frozenset[str]
    places: frozenset[str]
    attributes: frozenset[str]
    events: frozenset[str]  # prepositions of an event after which something is so
    ones: frozenset[str]  # words for one
    rejects_before: frozenset[str]  # phrases before a value that no longer holds
    rejects_after: frozenset[str]


@cache
def statement_words(language: str) -> StatementWords:
    text = files("waypost.facts").joinpath("data", "statements.toml").read_text(encoding="utf-8")
    data, words = tomllib.loads(text)[language], lexicon(language)
    phrases: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for role in _PHRASES:
        for phrase in data.get(role, "").split(","):
            parts = tuple(phrase.split())
            phrases.setdefault(parts[0] if parts else "", []).append((parts, role))
    verbs: dict[str, str] = {}
    for name, forms in data["verbs"].items():
        for form in forms.split():
            parts = tuple(form.split("_"))
            if len(parts) > 1:
                phrases.setdefault(parts[0], []).append((parts, _VERB + name))
            else:
                # English verbs are listed as written, since most are nouns as well.
                verbs[form if language == "en" and name not in CHANGES else words.stem(form)] = name
    by_length = {
        first: tuple(sorted(entries, key=lambda entry: -len(entry[0]))) for first, entries in phrases.items() if first
    }

    def stems(name: str) -> frozenset[str]:
        return frozenset(words.stem(word.lower()) for word in data.get(name, "").split())

    def phrases_of(name: str) -> frozenset[str]:
        return frozenset(" ".join(phrase.split()) for phrase in data[name].split(",") if phrase.strip())

    def listed(name: str) -> frozenset[str]:
        return frozenset(data.get(name, "").replace(",", " ").split())

    return StatementWords(
        lexicon=words,
        phrases=by_length,
        verbs=verbs,
        generic=stems("generic"),
        qualifiers=stems("qualifiers"),
        states=stems("states"),
        goals=listed("goals"),
        sources=listed("sources"),
        pronouns=listed("pronouns"),
        speakers=listed("speakers"),
        contrasts=listed("contrasts"),
        moments=listed("moments"),
        references=listed("references"),
        places=listed("places"),
        attributes=stems("attributes"),
        events=phrases_of("events"),
        ones=listed("ones"),
        rejects_before=phrases_of("rejects_before"),
        rejects_after=phrases_of("rejects_after"),
    )


@lru_cache(maxsize=1024)
def statements(text: str, language: str) -> tuple[Statement, ...]:
    """The statements of a text in order. Empty if it is too long to be one fact."""
    if len(text) > _LONGEST:
        return ()
    words = statement_words(language)
    read = list[Statement]()
    for sentence in _sentences(text, words):
        new = _Clauses(sentence, words).read()
        if read and new and sentence[0].word in words.references:
            new[0] = _continued(read[-1], new[0])
        read += new
    return tuple(read) if sum(len(statement.terms) for statement in read) <= MOST_TERMS else ()


def _continued(before: Statement, statement: Statement) -> Statement:
    """A statement that begins with "it": about the subject before. What that denied is its former value."""
    former = [term._replace(zone=FORMER) for term in before.zone(TAIL)] if before.negated and before.signal else []
    signal = statement.signal or bool(former)
    return replace(statement, terms=(*before.zone(LEAD), *former, *statement.terms), signal=signal)


class _Token(NamedTuple):
    group: str
    text: str
    word: str  # lower case, with е for ё
    role: str = ""  # of a phrase


def _sentences(text: str, words: StatementWords) -> Iterator[list[_Token]]:
    """The tokens of each sentence, with phrases of the word lists joined."""
    months = words.lexicon.months

    def without_dot(match: re.Match[str]) -> str:
        following = text[match.end() :].split(maxsplit=1)[0].strip(".,;:").lower()
        return match[1] if following in months else match[0]

    sentence: list[_Token] = []
    for group, token in _tokens(_ABBREVIATION.sub(r"\1", _ORDINAL_DOT.sub(without_dot, text))):
        if group == "stop" and ":" not in token:
            yield _joined(sentence, words)
            sentence = []
        elif token.lower().endswith(("n't", "n’t")) and group == "word":
            base = token[:-3]
            sentence += [_Token(group, base, base.lower()), _Token(group, "not", "not")]
        else:
            word = token.lower().replace("ё", "е")
            sentence.append(_Token(group, token, word.removesuffix("'s").removesuffix("’s")))
    yield _joined(sentence, words)


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    end = 0
    for name in _NAME.finditer(text):
        yield from tokens(text[end : name.start()])
        yield "identifier", name[0]
        end = name.end()
    yield from tokens(text[end:])


def _joined(sentence: Sequence[_Token], words: StatementWords) -> list[_Token]:
    joined: list[_Token] = []
    place = 0
    while place < len(sentence):
        for phrase, role in words.phrases.get(sentence[place].word, ()):
            if tuple(token.word for token in sentence[place : place + len(phrase)]) == phrase:
                text = " ".join(token.text for token in sentence[place : place + len(phrase)])
                joined.append(_Token("phrase", text, " ".join(phrase), role))
                place += len(phrase)
                break
        else:
            joined.append(sentence[place])
            place += 1
    return joined


@dataclass(slots=True)
class _Draft:
    """A statement that is being read."""

    terms: list[Term] = field(default_factory=list)
    verb: str = ""
    has_verb: bool = False
    signal: bool = False
    fresh: bool = False
    ceases: bool = False
    negations: int = 0
    past: bool = False
    hedged: bool = False
    adds: bool = False
    clause_start: int = 0  # where the terms of the current clause begin


class _Clauses:
    """Reads the clauses of one sentence."""

    def __init__(self, sentence: list[_Token], words: StatementWords) -> None:
        self._tokens, self._words = sentence, words
        self._draft = _Draft()
        self._zone, self._preposition, self._definite = LEAD, "", False
        self._pronoun = False  # the subject is "we"
        self._awaiting = False  # the subject comes after the verb
        self._denied = False  # a value is denied, and another follows: "not X, but Y"
        self._changing = any(self._class_of(token) in CHANGES for token in sentence)
        self._done: list[Statement] = []

    def read(self) -> list[Statement]:
        place = 0
        while place < len(self._tokens):
            place = self._step(place)
        self._finish()
        return self._done

    def _class_of(self, token: _Token) -> str:
        if token.role.startswith(_VERB):
            return token.role.removeprefix(_VERB)
        if token.role or token.group not in ("word", "symbol", "punctuation"):
            return ""
        if token.text.isupper() and len(token.text) > 1:
            return ""
        verbs, stem = self._words.verbs, self._words.lexicon.stem(token.word)
        if self._draft.ceases and token.word.endswith("ing"):  # "stopped teaching"
            base = token.word[:-3]
            return next((verbs[form] for form in (f"{base}s", f"{base}es") if form in verbs), "")
        after_pronoun = self._pronoun and not self._draft.terms and not self._draft.has_verb
        if after_pronoun and self._words.lexicon.language == "en":  # only some forms are listed
            forms = (f"{token.word}{ending}" for ending in ("s", "d", "ed"))
            return (
                verbs.get(token.word) or verbs.get(stem) or next((verbs[form] for form in forms if form in verbs), "")
            )
        return verbs.get(token.word) or verbs.get(stem, "")

    def _step(self, place: int) -> int:
        """Read the token at this place; returns the next place."""
        token, words = self._tokens[place], self._words
        following = self._tokens[place + 1] if place + 1 < len(self._tokens) else None
        if token.role:
            return self._phrase(place, token, following)
        if token.group in ("stop", "punctuation"):
            self._mark(token, following)
            return place + 1
        closed = words.lexicon.closed.get(token.word, ("", ""))[0] if token.group in ("word", "symbol") else ""
        if self._person(token) or self._function_word(place, token, closed):
            return place + 1
        return self._content(place)

    def _person(self, token: _Token) -> bool:
        """Read "we" and "I". Returns whether the token is such a word."""
        if token.group == "word" and token.word in self._words.pronouns:
            self._pronoun = self._pronoun or not self._draft.terms
            return True
        if token.group == "word" and token.word in self._words.speakers:
            self._add(WORD, token.word, token)
            return True
        return False

    def _function_word(self, place: int, token: _Token, closed: str) -> bool:
        """Read a word that gives the sentence its structure. Returns False for any other word."""
        words = self._words
        if self._is_name(place, token, closed):
            return False
        if self._contrast(token, closed):
            return True
        if closed == "negation":
            self._negate(place)
        elif closed == "conjunction" and self._begins_clause(place):
            self._next_clause()
        elif self._is_state(place):
            self._add(WORD, words.lexicon.stem(token.word), token)
        elif self._is_verb(place):
            self._found_verb(token, closed)
        elif closed in ("preposition", "relation") or (token.group == "word" and token.word in words.goals):
            self._enter(token.word)
        elif closed in ("determiner", "person") or token.word in words.lexicon.articles:
            self._boundary()
            self._definite = True
        elif closed == "tense":
            self._draft.past = True
        elif closed == "modal" and self._draft.terms and not self._draft.has_verb:
            self._verb(BE)
        else:
            return closed in ("auxiliary", "universal", "condition", "modal", "conjunction")
        return True

    def _is_name(self, place: int, token: _Token, closed: str) -> bool:
        """Whether a listed word is a name here: MIT is no preposition, and Herr Lang is not long."""
        if token.text.isupper() and len(token.text) > 1:
            return closed != "negation"
        return closed == "determiner" and self._words.lexicon.language == "de" and place > 0 and token.text[0].isupper()

    def _contrast(self, token: _Token, closed: str) -> bool:
        """Read "but" and "sondern" after a value that is denied. Returns whether the token is such a word."""
        if token.word not in self._words.contrasts:
            return False
        if self._draft.ceases and self._zone == FORMER:
            self._zone = TAIL
            return True
        return closed == "negation"

    def _found_verb(self, token: _Token, closed: str) -> None:
        if self._zone == FORMER and closed == "tense" and not self._draft.ceases:
            return  # "(was 3)"
        self._draft.past = self._draft.past or closed == "tense"
        self._verb(self._class_of(token))

    # -- phrases and marks

    def _phrase(self, place: int, token: _Token, following: _Token | None) -> int:
        draft = self._draft
        if token.role.startswith(_VERB):
            self._verb(token.role.removeprefix(_VERB))
        elif token.role == "past" and self._is_former(place):
            draft.signal, self._zone = True, FORMER
        elif token.role in _FLAGS:
            setattr(draft, _FLAGS[token.role], True)
            if token.role == "past" and not draft.terms:
                self._zone = ASIDE
            self._boundary()
        elif token.role in _ZONES:
            if token.role == "former":
                draft.signal = True
                if not draft.has_verb and self._class_of(token._replace(role="", group="word")) in CHANGES:
                    draft.has_verb, draft.verb = True, CHANGE
            self._zone, self._preposition = _ZONES[token.role], token.word
        elif token.role == "ceasing":
            self._cease(place)
        elif token.role == "replaced":
            draft.signal = True
            draft.terms = [term._replace(zone=FORMER) for term in draft.terms]
            draft.has_verb, draft.verb, self._zone = True, CHANGE, TAIL
        elif token.role == "since":
            return self._since(place, following)
        if token.role == "signals" and " " in token.word:
            self._returning(token.word.split()[-1])
        elif token.role == "signals":
            self._implied_verb(place)
        return place + 1

    def _implied_verb(self, place: int) -> None:
        """Russian has no word for "is": "Мой редактор теперь Helix"."""
        draft, rest = self._draft, self._tokens[place + 1 :]
        if self._words.lexicon.language != "ru" or not draft.terms or draft.has_verb or draft.ceases:
            return
        if rest and not any(self._class_of(token) or _RUSSIAN_VERB.search(token.word) for token in rest):
            self._verb(BE)

    def _is_former(self, place: int) -> bool:
        """Whether a value follows this word for the past, after the current value: "9090, previously 8080"."""
        has_value = self._draft.has_verb and any(term.zone == TAIL for term in self._draft.terms)
        before = self._tokens[place - 1].text if place else ""
        return has_value and before in (",", "(") and place + 1 < len(self._tokens)

    def _returning(self, last: str) -> None:
        """ "Back to": what follows is the value."""
        if last in self._words.goals:
            if not self._draft.has_verb:
                self._verb(CHANGE)
            self._enter(last)

    def _since(self, place: int, following: _Token | None) -> int:
        """Skip "seit dem Umbau", "с версии 2.4". Elsewhere "с" means with or from."""
        token, words = self._tokens[place], self._words
        if words.moments and not self._is_moment(following):
            self._enter(token.word)
            return place + 1
        place += 1
        taken = False
        while place < len(self._tokens):
            token = self._tokens[place]
            closed = words.lexicon.closed.get(token.word, ("", ""))[0] if token.group == "word" else ""
            is_literal = token.group not in ("word", "punctuation", "stop", "phrase") or closed in ("number", "date")
            weightless = closed in ("determiner", "preposition")
            if taken and not is_literal:
                break
            if token.role or token.group in ("punctuation", "stop"):
                break
            taken = taken or not weightless
            place += 1
        return place

    def _is_moment(self, token: _Token | None) -> bool:
        if token is None:
            return False
        closed = self._words.lexicon.closed.get(token.word, ("", ""))[0]
        return token.word in self._words.moments or token.group in ("number", "time", "iso") or closed == "date"

    def _mark(self, token: _Token, following: _Token | None) -> None:
        """A comma, colon or dash."""
        draft = self._draft
        if token.text in ":—–-" or token.text == ":":
            if not draft.has_verb and any(term.zone != ASIDE for term in draft.terms):
                self._verb(BE)
                self._definite = True
            return
        if token.text not in (",", "(", ")"):
            return
        if not draft.has_verb and token.text == ",":
            if any(term.zone == LEAD and term.kind != WORD for term in draft.terms):  # its verb is not listed
                draft.terms, draft.has_verb, self._zone = _without_verb(draft.terms, self._words), True, ASIDE
                return
            draft.terms = [term._replace(zone=ASIDE) if term.zone == LEAD else term for term in draft.terms]
            draft.clause_start = len(draft.terms)
            self._zone, self._pronoun = LEAD, False
            return
        if following is not None and following.word in self._words.references:
            self._next_clause()  # "…, it lands at 19:05"
            self._zone = LEAD
            return
        draft.clause_start, self._denied = len(draft.terms), False
        closed = "" if following is None else self._words.lexicon.closed.get(following.word, ("", ""))[0]
        contrast = following is not None and (
            following.word in self._words.contrasts or (draft.ceases and following.role == "signals")
        )
        has_value = any(term.zone == TAIL for term in draft.terms)
        if closed == "tense" and has_value:  # "5 (was 3)"
            draft.signal = True
        is_former = closed == "negation" or (closed == "tense" and has_value)
        self._zone = TAIL if contrast else FORMER if is_former else ASIDE

    def _negate(self, place: int) -> None:
        """ "Not X, but Y" gives a former value; any other negation denies the statement."""
        if self._zone == FORMER:
            return
        if self._draft.negations and self._tokens[place].word in _CEASING_LATER:
            self._draft.negations = 0
            self._cease(place)
            return
        rest = self._tokens[place + 1 :]
        commas = [at for at, token in enumerate(rest) if token.text == ","]
        if any(at + 1 < len(rest) and rest[at + 1].word in self._words.contrasts for at in commas):
            self._zone = FORMER if self._draft.has_verb else self._zone
            self._draft.signal = self._denied = True
            return
        self._draft.negations += 1

    def _cease(self, place: int) -> None:
        """What ends here: the rest of the clause, or what came before at its end."""
        draft = self._draft
        draft.signal = draft.ceases = True
        rest = next((token for token in self._tokens[place + 1 :] if token.role not in ("signals",)), None)
        ends = rest is None or rest.group in ("stop", "punctuation") or self._is_conjunction(rest)
        if ends:
            start = draft.clause_start
            draft.terms[start:] = [
                term._replace(zone=FORMER) if term.zone in (TAIL, ASIDE) else term for term in draft.terms[start:]
            ]
        else:
            self._zone = FORMER

    # -- structure

    def _is_conjunction(self, token: _Token) -> bool:
        return self._words.lexicon.closed.get(token.word, ("", ""))[0] == "conjunction" or token.word == "и"

    def _begins_clause(self, place: int) -> bool:
        """Whether a verb follows this conjunction, after a verb before it."""
        if not self._draft.has_verb and not self._draft.ceases:
            return False
        return any(self._class_of(token) for token in self._tokens[place + 1 : place + 3] if not token.role)

    def _next_clause(self) -> None:
        """Another clause about the same subject. What the first one ended is the former value of the second."""
        draft = self._draft
        lead = [term for term in draft.terms if term.zone == LEAD]
        former = [term for term in draft.terms if term.zone == FORMER]
        if not draft.ceases:
            self._finish()
        self._draft = _Draft([*lead, *former], signal=draft.signal, past=draft.past and not draft.ceases)
        self._draft.clause_start = len(lead) + len(former)
        self._zone, self._preposition = TAIL, ""

    def _is_verb(self, place: int) -> bool:
        """Whether the token is the verb. English words may be nouns as well: "support questions", "the build"."""
        token, draft = self._tokens[place], self._draft
        verb = self._class_of(token)
        if not verb:
            return False
        if self._words.lexicon.language != "en" or verb == BE:
            return not self._definite or verb == BE
        if not draft.has_verb and (draft.ceases or (self._pronoun and not draft.terms)):
            return True  # "we store", "stopped using"
        if self._definite or not (draft.terms or draft.has_verb or draft.signal):
            return verb == "use" and place == 0  # "Use tabs"
        if draft.has_verb:
            return token.word.endswith(("ed", "en", "ing")) or draft.verb in (BE, HAVE)
        return verb == HAVE or not self._copula_follows(place)

    def _copula_follows(self, place: int) -> bool:
        """Whether a form of "be" comes later in the clause: then a word before it is a noun."""
        for token in self._tokens[place + 1 :]:
            if token.group in ("stop", "punctuation") or token.role in ("asides", "since"):
                return False
            if self._class_of(token) == BE:
                return True
        return False

    def _is_state(self, place: int) -> bool:
        """Whether the token is a state that is also a preposition or an adverb: "is off", "ist an"."""
        token = self._tokens[place]
        if token.group != "word" or self._words.lexicon.stem(token.word) not in self._words.states:
            return False
        following = self._tokens[place + 1] if place + 1 < len(self._tokens) else None
        if token.word not in self._words.goals and token.word not in self._words.lexicon.closed:
            return False
        ends = following is None or following.group in ("stop", "punctuation", "phrase") or following.word == "by"
        return self._draft.has_verb and ends

    def _verb(self, name: str) -> None:
        draft = self._draft
        if self._zone == ASIDE and draft.has_verb:
            draft.signal = draft.signal or name in CHANGES
            return
        is_object = self._words.lexicon.language == "en" and any(term.zone == TAIL for term in draft.terms)
        if draft.has_verb and is_object and name not in CHANGES:
            return  # "a dog called Bruno"
        if not draft.has_verb:
            subject = any(term.zone == LEAD for term in draft.terms)
            fronted = any(term.zone in _FRONTED for term in draft.terms)
            self._awaiting = not subject and (fronted or name in CHANGES or self._names_object(name))
            self._zone = FORMER if draft.ceases and self._zone == FORMER else LEAD if self._awaiting else TAIL
            self._preposition = ""
            draft.clause_start = len(draft.terms) if subject else draft.clause_start
        if not draft.has_verb or draft.verb in (BE, HAVE) or name in CHANGES:
            draft.verb = name if not (draft.verb and name in (BE, HAVE)) else draft.verb
        draft.has_verb = True
        self._definite = False

    def _names_object(self, verb: str) -> bool:
        """Whether the object is the subject, as in "we store uploads in S3"."""
        if not self._pronoun:
            return False
        return self._changing or (
            verb in _TRANSITIVE and any(token.word in self._words.goals for token in self._tokens)
        )

    def _enter(self, preposition: str) -> None:
        """A phrase begins with this preposition."""
        self._preposition = preposition
        self._definite = False
        if (self._draft.ceases or self._denied) and self._zone == FORMER:
            return
        if preposition in self._words.sources and self._changing and self._draft.has_verb:
            self._zone, self._awaiting = FORMER, False
        elif self._draft.has_verb and self._zone != ASIDE:
            self._zone, self._awaiting = TAIL, False
        elif self._zone in (PURPOSE, FORMER):
            self._zone = LEAD

    def _boundary(self) -> None:
        """A subject after the verb ends here."""
        if self._awaiting and any(term.zone == LEAD for term in self._draft.terms):
            self._zone, self._awaiting = TAIL, False

    # -- content

    def _content(self, place: int) -> int:
        token, words = self._tokens[place], self._words
        lexicon_ = words.lexicon
        if token.group != "word":
            return self._literal(place, token)
        kind, value = lexicon_.closed.get(token.word, ("", ""))
        if token.text.isupper() and len(token.text) > 1:
            self._add(WORD, lexicon_.stem(token.word), token)
        elif kind == "number":
            return self._number(place, value)
        elif kind == "ordinal":
            self._add("ordinal", value, token)
        elif kind == "date" and value.startswith("month"):
            return self._day(place, place + 1, value)
        elif kind == "date" and value.startswith("weekday"):
            self._add("weekday", value, token)
        elif kind == "unit" and len(token.word) > _LONGEST_SIGN:
            often = token.word.endswith(_OFTEN)
            self._add("duration" if often else "per", _seconds("1", SECONDS.get(value)) if often else value, token)
        elif token.word != "uhr" and not (kind in _UNNAMED and not token.text[0].isupper()):
            stem = lexicon_.stem(token.word)
            self._add(WORD, lexicon_.synonym.get(stem, stem), token)
        return place + 1

    def _literal(self, place: int, token: _Token) -> int:
        kind, value = literal(token.group, token.text, self._words.lexicon.language)
        if kind == "number":
            return self._number(place, value)
        if iso := _ISO_DATE.fullmatch(value) if kind == "date" else None:
            self._add("year", iso[1], token)
            self._add("day", f"month {int(iso[2])} {int(iso[3])}", token)
        elif kind != "symbol":
            shape, plain = _shape(kind, value), value.lower().replace("ё", "е")
            self._add(shape, self._words.lexicon.stem(plain) if shape == WORD else value, token)
        return place + 1

    def _number(self, place: int, value: str) -> int:
        """A number with its unit, a clock time, or the day of a month."""
        token, words = self._tokens[place], self._words
        following = self._tokens[place + 1] if place + 1 < len(self._tokens) else None
        if following is None:
            self._add("number", value, token)
            return place + 1
        kind, unit = words.lexicon.closed.get(following.word, ("", "")) if following.group != "phrase" else ("", "")
        if following.word == "uhr" and value.isdecimal():
            self._add("clock", f"{int(value):02}:00", token)
        elif kind == "date" and unit.startswith("month"):
            return self._day(place + 1, place, unit)
        elif kind == "number" and following.text.isalpha():  # 2 million
            self._add("number", f"{value} {unit}", token._replace(text=f"{token.text} {following.text}"))
        elif kind == "unit":
            whole = token._replace(text=f"{token.text} {following.text}")
            seconds = SECONDS.get(unit)
            self._add(
                "duration" if seconds else "number", _seconds(value, seconds), whole, unit="" if seconds else unit
            )
        else:
            is_noun = following.group == "word" and kind == "" and following.word not in words.goals
            noun = words.lexicon.stem(following.word) if is_noun and not self._class_of(following) else ""
            self._add("number", value, token, unit=noun)
            return place + 1
        return place + 2

    def _day(self, month: int, day: int, value: str) -> int:
        token = self._tokens[day] if day < len(self._tokens) else None
        number = "" if token is None else re.match(r"\d{1,2}", token.text)
        if token is None or not number or token.group not in ("number", "identifier"):
            self._add("month", value, self._tokens[month])
            return month + 1
        first, last = sorted((month, day))
        text = " ".join(part.text for part in self._tokens[first : last + 1])
        self._add("day", f"{value} {int(number[0])}", token._replace(text=text))
        rest = [at for at in (last + 1, last + 2) if at < len(self._tokens)]
        year = next((at for at in rest if _YEAR.fullmatch(self._tokens[at].text)), None)
        if year is None:
            return last + 1
        self._add("year", self._tokens[year].text, self._tokens[year])
        return year + 1

    def _add(self, kind: str, value: str, token: _Token, *, unit: str = "") -> None:
        draft = self._draft
        if self._awaiting and kind != WORD:
            self._boundary()
        capital = bool(draft.terms) and token.text[0].isupper()
        draft.terms.append(Term(kind, value, token.text, self._zone, self._preposition, unit, self._definite, capital))
        self._definite = False

    def _finish(self) -> None:
        draft = self._draft
        terms = draft.terms if draft.has_verb else _without_verb(draft.terms, self._words)
        if not any(term.zone == TAIL for term in terms) and any(term.zone == PURPOSE for term in terms):
            terms = [term._replace(zone=TAIL) if term.zone == LEAD else term for term in terms]  # for the cache: Redis
        new_value = any(term.zone == TAIL for term in terms)
        if draft.ceases and not new_value:
            terms = [term._replace(zone=TAIL) if term.zone == FORMER else term for term in terms]
        if not terms:
            return
        negated = draft.ceases and not new_value if draft.ceases else draft.negations % 2 == 1
        past = draft.past and draft.verb not in CHANGES and not draft.ceases
        self._done.append(
            Statement(
                self._words.lexicon.language,
                tuple(terms),
                draft.verb,
                signal=draft.signal or draft.verb in CHANGES,
                fresh=draft.fresh,
                negated=negated,
                past=past,
                hedged=draft.hedged,
                adds=draft.adds,
            )
        )


def _without_verb(terms: Sequence[Term], words: StatementWords) -> list[Term]:
    """A statement without a verb: the literals at its end are the value, else its last phrase."""
    leading = [at for at, term in enumerate(terms) if term.zone == LEAD]
    value = list[int]()
    if leading and terms[leading[-1]].value in words.states:
        value.append(leading.pop())
    for at in reversed(leading):
        if terms[at].kind == WORD and not (value and terms[at].value == terms[value[-1]].unit):
            break
        value.append(at)
    units = {terms[at].unit for at in leading if terms[at].unit}
    if not value and leading and terms[leading[-1]].value in units:  # 5 МБ
        first = next(at for at in leading if terms[at].unit == terms[leading[-1]].value)
        value = [at for at in leading if at >= first]
    if not value and leading and terms[leading[-1]].preposition:
        last = terms[leading[-1]].preposition
        for at in reversed(leading):
            if terms[at].preposition != last:
                break
            value.append(at)
    return [term._replace(zone=TAIL) if at in value else term for at, term in enumerate(terms)]


def _shape(kind: str, value: str) -> str:
    """The type of a literal: two values of one attribute have the same."""
    if kind == "date":
        return "clock" if ":" in value else "date"
    if value.isalpha() or (kind == "identifier" and value.isalnum() and not _VERSION.fullmatch(value)):
        return WORD  # GitHub, Auth0
    if kind != "identifier":
        return kind
    return next((shape for shape, form in _SHAPES if form.match(value)), kind)


def _seconds(value: str, seconds: float | None) -> str:
    if seconds is None:
        return value
    try:
        return f"{float(value) * seconds:g}"
    except ValueError:
        return value
