"""Whether the same words in another order still say the same.

"On Fridays deploys stop" moves a phrase. "The ledger calls billing" and "billing calls the ledger" swap roles. Without
a parser, what moved shows the difference. A phrase may move together with its preposition. Two blocks may swap around a
verb only in a passive, or if a preposition still marks the roles.
"""

from collections.abc import Iterator
from typing import NamedTuple

from waypost.facts.commitments import CommitmentKey, Keys
from waypost.facts.lexicon import ComparisonLexicon

# A block may not end with one of these: they belong to the word after them.
_LEANS_FORWARD = frozenset(("negation", "modal", "quantifier", "condition", "relation", "tense", "ordinal"))
# "the TTL of a session", "the session TTL", "the session's TTL": prepositions of "session" in the two texts.
_POSSESSION = frozenset((("of", ""), ("of", "'s"), ("", "of"), ("'s", "of")))
# Words that make the order of others meaningful, and words that compare: "faster than", "then".
_ORDERED = frozenset(
    ("respectively", "соответственно", "jeweils", "than", "then", "als", "dann", "чем", "затем", "потом")
)


# Longer texts are not one sentence in two orders, and the search for blocks would be slow.
_LONGEST = 40


_DESIGNATORS = frozenset(("identifier", "quotation", "acronym", "number", "date"))


class Voice(NamedTuple):
    """One of two texts is a passive that names who acts, at the key `agent`."""

    left_is_passive: bool
    agent: int


def keeps_roles(left: Keys, right: Keys, words: ComparisonLexicon, voice: Voice | None) -> bool:
    """Whether `right`, with the same keys as `left`, keeps who does what to whom.

    With a `voice`, the order must change as in a passive: the same order would mean other roles.
    """
    if _identities(left) == _identities(right):
        return voice is None and _same_places(left, right, words) and _same_voice(left, right)
    if voice:
        passive, active = (left, right) if voice.left_is_passive else (right, left)
        return _is_passive_of(active, passive, voice.agent)
    if len(left) > _LONGEST or any(key.value in _ORDERED for key in left):
        return False
    return _is_rearrangement(left, right, words) and _is_rearrangement(right, left, words)


def _is_rearrangement(left: Keys, right: Keys, words: ComparisonLexicon) -> bool:
    """Whether `left` becomes `right` by moves that keep the roles."""
    return _blocks_swapped(left, right) or any(
        _same_places(rest, other_rest, words) or (words.language == "de" and _is_inverted(rest, other_rest))
        for rest, other_rest in _without_shared_phrase(left, right, words)
    )


def _identities(keys: Keys) -> list[tuple[str, str]]:
    return [key.identity for key in keys]


def _same_places(left: Keys, right: Keys, words: ComparisonLexicon) -> bool:
    """Whether the keys and their order are equal, and prepositions may replace each other."""
    if _identities(left) != _identities(right):
        return False
    for ours, theirs in zip(left, right, strict=True):
        marks = {ours.preposition, theirs.preposition} - {""}
        if len(marks) > 1 and not marks <= words.places:
            return False
    return True


def _same_voice(left: Keys, right: Keys) -> bool:
    """Whether the voice is equal: not "the service monitors" and "the service is monitored"."""
    return all(
        ours.passive == theirs.passive or _is_we_form(ours, theirs) or ours.text[:2].lower() != theirs.text[:2].lower()
        for ours, theirs in zip(left, right, strict=True)
    )


def _is_we_form(first: CommitmentKey, second: CommitmentKey) -> bool:
    """Whether one form of a Russian verb is passive and the other says "we": that leaves the roles open."""
    return first.passive != second.passive and (second if first.passive else first).text.endswith(("ем", "им"))


def _blocks_swapped(left: Keys, right: Keys) -> bool:
    """Whether two blocks swapped places and the text around them did not change."""
    left_ids, right_ids = _identities(left), _identities(right)
    start, end = 0, len(left_ids)
    while left_ids[start] == right_ids[start]:
        start += 1
    while left_ids[end - 1] == right_ids[end - 1]:
        end -= 1
    if end < len(left_ids) and not (left[end].gap and right[end].gap):
        return False
    # Bare blocks in the middle of a sentence are its subject and object: "Marta hat Ivan … beigebracht".
    bare = start == 0 and (end == len(left_ids) or bool(left[end].preposition) or left[end].kind in ("number", "date"))
    left, right = left[start:end], right[start:end]
    return _blocks_rotated(left, right, bare) or _blocks_mirrored(left, right)


def _blocks_rotated(left: Keys, right: Keys, bare: bool) -> bool:
    """X Y became Y X, each block with its own preposition (without one only if `bare`), or as a possession."""
    left_ids, right_ids = _identities(left), _identities(right)
    for cut in range(1, len(left_ids)):
        if left_ids[cut:] + left_ids[:cut] != right_ids:
            continue
        back = len(left_ids) - cut
        if _leans(left, cut) or _leans(right, back):
            return False
        is_we_form = _is_we_form(left[0], right[back]) or _is_we_form(left[cut], right[0])
        if not (left[cut].gap or right[back].gap or is_we_form):
            return False
        marks = (left[cut].preposition, right[back].preposition)
        keep_marks = left[0].preposition == right[back].preposition and left[cut].preposition == right[0].preposition
        is_marked = bool(left[0].preposition or left[cut].preposition)
        keep_marks = keep_marks and (is_marked or (bare and _tells_apart(left, right)))
        return keep_marks or (marks in _POSSESSION and not left[0].preposition and not right[0].preposition)
    return False


def _tells_apart(left: Keys, right: Keys) -> bool:
    """Whether bare blocks may swap: a name and its description, or a verb and its object.

    Two plain nouns may not: "all admins are users" does not make users admins.
    """
    right_keys = {key.identity: key for key in right}
    return any(
        key.kind in _DESIGNATORS
        or key.capital
        or right_keys[key.identity].capital
        or key.passive != right_keys[key.identity].passive
        or (key.capital is None and key.text[0].islower() and key.kind == "word")  # a verb among German nouns
        for key in left
    )


def _leans(keys: Keys, cut: int) -> bool:
    """Whether the last key of the block before `cut` belongs to the next one: "not", "public" in "public API"."""
    last = keys[cut - 1]
    if last.kind == "opposite" and not keys[cut].gap:
        return cut < 2 or keys[cut - 2].kind not in ("negation", "modal")  # "don't allow" is a verb, not an attribute
    return last.kind in _LEANS_FORWARD


def _blocks_mirrored(left: Keys, right: Keys) -> bool:
    """X M Y became Y M X, and a preposition of one of them still shows the roles."""
    left_ids, right_ids = _identities(left), _identities(right)
    for first in range(1, len(left_ids) - 1):
        for second in range(first + 1, len(left_ids)):
            if left_ids[second:] + left_ids[first:second] + left_ids[:first] != right_ids:
                continue
            x_here, y_here = left[0].preposition, left[second].preposition
            x_there, y_there = right[len(left_ids) - first].preposition, right[0].preposition
            leans = left[first - 1].kind in _LEANS_FORWARD or left[-1].kind in _LEANS_FORWARD
            crowded = sum(key.kind != "negation" for key in left[first:second]) > 1  # more than the verb
            is_marked = (x_here, y_here) == (x_there, y_there) and bool(x_here) != bool(y_here)
            return is_marked and not leans and not crowded
    return False


def _is_passive_of(active: Keys, passive: Keys, agent: int) -> bool:
    """Subject, verb, object became object, verb, agent (English) or object, agent, verb (German)."""
    active_ids, passive_ids = _identities(active), _identities(passive)
    size = len(active_ids)
    while size and active_ids[size - 1] == passive_ids[size - 1] and size - 1 > agent:
        size -= 1
    active_ids, passive_ids = active_ids[:size], passive_ids[:size]
    for first in range(1, size - 1):
        for second in range(first + 1, size):
            x, m, y = active_ids[:first], active_ids[first:second], active_ids[second:]
            if passive_ids == y + m + x and agent >= len(y + m):
                return True
            if passive_ids == y + x + m and len(y) <= agent < len(y + x):
                return True
    return False


def _without_shared_phrase(left: Keys, right: Keys, words: ComparisonLexicon) -> Iterator[tuple[Keys, Keys]]:
    """Both texts without a phrase of time or place that they share, if each text is a single clause."""
    right_phrases = dict(_phrases(right, words))
    for phrase, (start, end) in _phrases(left, words):
        span = right_phrases.get(phrase)
        if span is None or _has_clauses(left, end) or _has_clauses(right, span[1]):
            continue
        yield [*left[:start], *left[end:]], [*right[: span[0]], *right[span[1] :]]


_Phrase = tuple[str, tuple[tuple[str, str], ...]]


def _phrases(keys: Keys, words: ComparisonLexicon) -> Iterator[tuple[_Phrase, tuple[int, int]]]:
    """The phrases that may move: after a mobile preposition, or a date by itself."""
    for start, key in enumerate(keys):
        if key.preposition not in words.mobile and key.kind != "date":
            continue
        if start and keys[start - 1].kind == "relation":
            continue  # the phrase began with the relation
        end = start + 1 + (key.kind == "relation")
        yield (key.preposition, tuple(_identities(keys[start:end]))), (start, end)
        while end < len(keys) and not (keys[end].gap and keys[end].kind != "unit"):
            end += 1
            yield (key.preposition, tuple(_identities(keys[start:end]))), (start, end)


def _has_clauses(keys: Keys, front: int) -> bool:
    """Whether a text has more than one clause. A comma after a leading phrase does not count."""
    return any(key.clause for index, key in enumerate(keys) if index and index != front)


def _is_inverted(left: Keys, right: Keys) -> bool:
    """German: after a leading phrase the verb comes before its subject."""
    left_ids, right_ids = _identities(left), _identities(right)
    if left_ids[2:] != right_ids[2:] or left_ids[:2] != [*reversed(right_ids[:2])]:
        return False
    return all(key.kind == "word" and not key.preposition for key in left[:2]) and (
        left[0].text[0].isupper() != left[1].text[0].isupper()
        or right[0].text[0].isupper() != right[1].text[0].isupper()
    )
