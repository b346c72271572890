"""Whether the same words in another order still say the same.

"On Fridays deploys stop" moves a phrase; "the ledger calls billing" against "billing calls the ledger" changes roles.
Without a parser the difference is seen in what moved: a phrase may move as a block if it takes its preposition along,
and two blocks may change places around a verb only by a passive or where a preposition still marks the roles.
"""

from collections.abc import Sequence

from waypost.facts.commitments import Key

# A block may not end with one of these: it belongs to the word behind it.
_LEANS_FORWARD = frozenset(("negation", "modal", "quantifier", "condition", "relation", "tense", "ordinal", "opposite"))
# "the TTL of a session", "the session TTL", "the session's TTL": the marks of the latter in one and the other text.
_POSSESSION = frozenset((("of", ""), ("of", "'s"), ("", "of"), ("'s", "of")))
# Words by which the order of the others becomes the meaning.
_ORDERED = frozenset(("respectively", "соответственно", "jeweils"))


def keeps_roles(left: Sequence[Key], right: Sequence[Key], turned: bool) -> bool:
    """Whether `right`, with the same keys as `left`, keeps who does what to whom.

    `turned` says that exactly one of them is a passive with its agent named (the word of the agent, `by`, taken out):
    then the order must have changed, and without a change the roles have.
    """
    one, other = [key.identity for key in left], [key.identity for key in right]
    if one == other:
        return not turned and all(a.preposition == b.preposition or _loose(a, b) for a, b in zip(left, right, strict=True))
    if any(value in _ORDERED for _, value in one):
        return False
    start = 0
    while one[start] == other[start]:
        start += 1
    end = len(one)
    while one[end - 1] == other[end - 1]:
        end -= 1
    if end < len(one) and not (left[end].gap and right[end].gap):
        return False
    if turned:
        return start == 0 and _passive(one[:end], other[:end])
    return _moved(left[start:end], right[start:end]) or _mirrored(left[start:end], right[start:end])


def _loose(a: Key, b: Key) -> bool:
    """Prepositions that may change when nothing else does: those that make no key of their own."""
    return True


def _moved(left: Sequence[Key], right: Sequence[Key]) -> bool:
    """X Y became Y X, each block with its own preposition or as one possession."""
    one, other = [key.identity for key in left], [key.identity for key in right]
    for cut in range(1, len(one)):
        if one[cut:] + one[:cut] != other:
            continue
        back = len(one) - cut
        if left[cut - 1].kind in _LEANS_FORWARD or left[-1].kind in _LEANS_FORWARD:
            return False
        if not (left[cut].gap or right[back].gap):
            return False
        marks = (left[cut].preposition, right[back].preposition)
        own = left[0].preposition == right[back].preposition and left[cut].preposition == right[0].preposition
        return own or (marks in _POSSESSION and not left[0].preposition and not right[0].preposition)
    return False


def _mirrored(left: Sequence[Key], right: Sequence[Key]) -> bool:
    """X M Y became Y M X, and a preposition that one of the two keeps still tells them apart."""
    one, other = [key.identity for key in left], [key.identity for key in right]
    for first in range(1, len(one) - 1):
        for second in range(first + 1, len(one)):
            if one[second:] + one[first:second] + one[:first] != other:
                continue
            x_here, y_here = left[0].preposition, left[second].preposition
            x_there, y_there = right[len(one) - first].preposition, right[0].preposition
            leans = left[first - 1].kind in _LEANS_FORWARD or left[-1].kind in _LEANS_FORWARD
            return not leans and x_here == x_there and y_here == y_there and bool(x_here) != bool(y_here)
    return False


def _passive(one: Sequence[tuple[str, str]], other: Sequence[tuple[str, str]]) -> bool:
    """Subject, verb, object became object, verb, agent (English) or object, agent, verb (German)."""
    size = len(one)
    for first in range(1, size - 1):
        for second in range(first + 1, size):
            x, m, y = one[:first], one[first:second], one[second:]
            if other in ([*y, *m, *x], [*y, *x, *m]):
                return True
    return False
