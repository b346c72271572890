"""Whether the same words in another order still say the same.

"On Fridays deploys stop" moves a phrase; "the ledger calls billing" against "billing calls the ledger" changes roles.
Without a parser the difference is seen in what moved: a phrase may move if it takes its preposition along, and two
blocks may change places around a verb only by a passive or where a preposition still marks the roles.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from waypost.facts.commitments import CommitmentKey
from waypost.facts.lexicon import ComparisonLexicon

# A block may not end with one of these: it belongs to the word behind it.
_LEANS_FORWARD = frozenset(("negation", "modal", "quantifier", "condition", "relation", "tense", "ordinal"))
# "the TTL of a session", "the session TTL", "the session's TTL": the marks of the latter in one and the other text.
_POSSESSION = frozenset((("of", ""), ("of", "'s"), ("", "of"), ("'s", "of")))
# Words by which the order of the others becomes the meaning, and those that compare: "faster than", "then".
_ORDERED = frozenset(
    ("respectively", "соответственно", "jeweils", "than", "then", "als", "dann", "чем", "затем", "потом")
)


# Longer texts are not one sentence said in two ways, and the search for blocks would take its time.
_LONGEST = 40


_DESIGNATORS = frozenset(("identifier", "quotation", "acronym", "number", "date"))


class Voice(NamedTuple):
    """One of two texts is a passive that names who acts, at the key `agent`."""

    left_is_passive: bool
    agent: int


def keeps_roles(
    left: Sequence[CommitmentKey], right: Sequence[CommitmentKey], words: ComparisonLexicon, voice: Voice | None
) -> bool:
    """Whether `right`, with the same keys as `left`, keeps who does what to whom.

    With a `voice` the order must have changed as a passive changes it: the same order would be other roles.
    """
    if _identities(left) == _identities(right):
        return voice is None and _same_places(left, right, words) and _same_voice(left, right)
    if voice:
        passive, active = (left, right) if voice.left_is_passive else (right, left)
        return _turned(active, passive, voice.agent)
    if len(left) > _LONGEST or any(key.value in _ORDERED for key in left):
        return False
    return _rearranged(left, right, words) and _rearranged(right, left, words)


def _rearranged(left: Sequence[CommitmentKey], right: Sequence[CommitmentKey], words: ComparisonLexicon) -> bool:
    """Whether `left` becomes `right` by moves that change no roles."""
    return _exchanged(left, right) or any(
        _same_places(rest, other_rest, words) or (words.language == "de" and _inverted(rest, other_rest))
        for rest, other_rest in _without_a_phrase(left, right, words)
    )


def _identities(keys: Sequence[CommitmentKey]) -> list[tuple[str, str]]:
    return [key.identity for key in keys]


def _same_places(left: Sequence[CommitmentKey], right: Sequence[CommitmentKey], words: ComparisonLexicon) -> bool:
    """The same keys in the same order, with prepositions that may stand for one another."""
    if _identities(left) != _identities(right):
        return False
    for one, other in zip(left, right, strict=True):
        marks = {one.preposition, other.preposition} - {""}
        if len(marks) > 1 and not marks <= words.places:
            return False
    return True


def _same_voice(left: Sequence[CommitmentKey], right: Sequence[CommitmentKey]) -> bool:
    """No "the service monitors" against "the service is monitored"."""
    return all(
        one.passive == other.passive or _said_by_us(one, other) or one.text[:2].lower() != other.text[:2].lower()
        for one, other in zip(left, right, strict=True)
    )


def _said_by_us(one: CommitmentKey, other: CommitmentKey) -> bool:
    """A Russian verb of which one form is a passive and the other says "we": no role that could be taken."""
    return one.passive != other.passive and (other if one.passive else one).text.endswith(("ем", "им"))


def _exchanged(left: Sequence[CommitmentKey], right: Sequence[CommitmentKey]) -> bool:
    """Two blocks changed places and what stands around them did not change."""
    one, other = _identities(left), _identities(right)
    start, end = 0, len(one)
    while one[start] == other[start]:
        start += 1
    while one[end - 1] == other[end - 1]:
        end -= 1
    if end < len(one) and not (left[end].gap and right[end].gap):
        return False
    # Bare blocks in the middle of a sentence are its subject and its object: "Marta hat Ivan … beigebracht".
    bare = start == 0 and (end == len(one) or bool(left[end].preposition) or left[end].kind in ("number", "date"))
    left, right = left[start:end], right[start:end]
    return _moved(left, right, bare) or _mirrored(left, right)


def _moved(left: Sequence[CommitmentKey], right: Sequence[CommitmentKey], bare: bool) -> bool:
    """X Y became Y X, each block with its own preposition (without any only if `bare`) or as one possession."""
    one, other = _identities(left), _identities(right)
    for cut in range(1, len(one)):
        if one[cut:] + one[:cut] != other:
            continue
        back = len(one) - cut
        if _leans(left, cut) or _leans(right, back):
            return False
        ours = _said_by_us(left[0], right[back]) or _said_by_us(left[cut], right[0])
        if not (left[cut].gap or right[back].gap or ours):
            return False
        marks = (left[cut].preposition, right[back].preposition)
        own = left[0].preposition == right[back].preposition and left[cut].preposition == right[0].preposition
        marked = bool(left[0].preposition or left[cut].preposition)
        own = own and (marked or (bare and _tells_apart(left, right)))
        return own or (marks in _POSSESSION and not left[0].preposition and not right[0].preposition)
    return False


def _tells_apart(left: Sequence[CommitmentKey], right: Sequence[CommitmentKey]) -> bool:
    """Whether bare blocks may change places: a name and what it is, or a verb and what it is done to.

    Two plain nouns may not: that all admins are users does not make the users admins.
    """
    there = {key.identity: key for key in right}
    return any(
        key.kind in _DESIGNATORS
        or key.capital
        or there[key.identity].capital
        or key.passive != there[key.identity].passive
        or (key.capital is None and key.text[0].islower() and key.kind == "word")  # a verb among German nouns
        for key in left
    )


def _leans(keys: Sequence[CommitmentKey], cut: int) -> bool:
    """Whether the last key of the block that ends at `cut` belongs to what follows: "not", "public" in "public API"."""
    last = keys[cut - 1]
    if last.kind == "opposite" and not keys[cut].gap:
        return cut < 2 or keys[cut - 2].kind not in ("negation", "modal")  # "don't allow" is a verb, no attribute
    return last.kind in _LEANS_FORWARD


def _mirrored(left: Sequence[CommitmentKey], right: Sequence[CommitmentKey]) -> bool:
    """X M Y became Y M X, and a preposition that one of the two keeps still tells them apart."""
    one, other = _identities(left), _identities(right)
    for first in range(1, len(one) - 1):
        for second in range(first + 1, len(one)):
            if one[second:] + one[first:second] + one[:first] != other:
                continue
            x_here, y_here = left[0].preposition, left[second].preposition
            x_there, y_there = right[len(one) - first].preposition, right[0].preposition
            leans = left[first - 1].kind in _LEANS_FORWARD or left[-1].kind in _LEANS_FORWARD
            crowded = sum(key.kind != "negation" for key in left[first:second]) > 1  # more than the verb
            return (
                not leans and not crowded and x_here == x_there and y_here == y_there and bool(x_here) != bool(y_here)
            )
    return False


def _turned(active: Sequence[CommitmentKey], passive: Sequence[CommitmentKey], agent: int) -> bool:
    """Subject, verb, object became object, verb, agent (English) or object, agent, verb (German)."""
    one, other = _identities(active), _identities(passive)
    size = len(one)
    while size and one[size - 1] == other[size - 1] and size - 1 > agent:
        size -= 1
    one, other = one[:size], other[:size]
    for first in range(1, size - 1):
        for second in range(first + 1, size):
            x, m, y = one[:first], one[first:second], one[second:]
            if other == y + m + x and agent >= len(y + m):
                return True
            if other == y + x + m and len(y) <= agent < len(y + x):
                return True
    return False


def _without_a_phrase(
    left: Sequence[CommitmentKey], right: Sequence[CommitmentKey], words: ComparisonLexicon
) -> Iterator[tuple[Sequence[CommitmentKey], Sequence[CommitmentKey]]]:
    """Both texts without one phrase of time or place that stands in both; only texts of a single clause."""
    there = dict(_phrases(right, words))
    for phrase, (start, end) in _phrases(left, words):
        place = there.get(phrase)
        if place is None or _clauses(left, end) or _clauses(right, place[1]):
            continue
        yield [*left[:start], *left[end:]], [*right[: place[0]], *right[place[1] :]]


_Phrase = tuple[str, tuple[tuple[str, str], ...]]


def _phrases(keys: Sequence[CommitmentKey], words: ComparisonLexicon) -> Iterator[tuple[_Phrase, tuple[int, int]]]:
    """The phrases that may change their place: led by one of the mobile prepositions, or a date by itself."""
    for start, key in enumerate(keys):
        if key.preposition not in words.mobile and key.kind != "date":
            continue
        if start and keys[start - 1].kind == "relation":
            continue  # it began with the relation
        end = start + 1 + (key.kind == "relation")
        yield (key.preposition, tuple(_identities(keys[start:end]))), (start, end)
        while end < len(keys) and not (keys[end].gap and keys[end].kind != "unit"):
            end += 1
            yield (key.preposition, tuple(_identities(keys[start:end]))), (start, end)


def _clauses(keys: Sequence[CommitmentKey], front: int) -> bool:
    """Whether a text has more than one clause; a comma behind the phrase at its front makes none."""
    return any(key.clause for at, key in enumerate(keys) if at and at != front)


def _inverted(left: Sequence[CommitmentKey], right: Sequence[CommitmentKey]) -> bool:
    """German: with a phrase in front the verb comes before its subject."""
    one, other = _identities(left), _identities(right)
    if one[2:] != other[2:] or one[:2] != [*reversed(other[:2])]:
        return False
    return all(key.kind == "word" and not key.preposition for key in left[:2]) and (
        left[0].text[0].isupper() != left[1].text[0].isupper()
        or right[0].text[0].isupper() != right[1].text[0].isupper()
    )
