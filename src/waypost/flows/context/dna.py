"""DNA.md: who the agent is. It comes first in every briefing, whole, and outside of the fence.

Anyone who can write to a repository can write its DNA.md. Such a one stays inside the fence, as data, until a person
approves its text.
"""

import hashlib
from collections.abc import Callable

from waypost.context.budget import count_tokens
from waypost.context.render import Opening
from waypost.errors import NotFound, Refused, WaypostError
from waypost.flows.open_space import OpenSpace
from waypost.journal.layout import DNA
from waypost.model.memory import Caller
from waypost.text.secrets.masking import mask

MOST_CHARACTERS = 400_000  # a longer file is no description
SHARE = 0.15  # of a budget: a longer one leaves too little for memories (`doctor` warns)
_APPROVED = "dna_approved:"
_INSIDE = f"## {DNA} (not approved)"
_CUT = "\n[… cut here]"


def approve_dna(space: OpenSpace, caller: Caller) -> None:
    """Trust the text of DNA.md as it is now. After any change it must be approved again."""
    from waypost.flows.versions.current import audit  # what writing needs: a briefing has no time for it

    if not caller.decides:
        raise Refused("Only a person can approve DNA.md.", "Run it at a terminal, or with --yes as the owner.")
    written = _written(space)
    if written is None:
        raise NotFound("There is no DNA.md in the journal.", f"Write one: {space.journal.root / DNA}.")
    with space.store.write() as writer:
        writer.meta.set(_APPROVED + space.journal_id, _digest(written))
        audit(space, writer, "approve_dna", None, caller, {"characters": len(written)})


def trusted_dna(space: OpenSpace) -> str | None:
    """The text of DNA.md for a system prompt, secrets masked, or None. One that nobody approved is no instruction."""
    try:
        written = _written(space)
    except WaypostError:  # `opening_of` returns a notice about it
        return None
    return mask(written).text if written is not None and _is_trusted(space, written) else None


def opening_of(
    space: OpenSpace, tokens: int, count: Callable[[str], int] = count_tokens
) -> tuple[Opening, tuple[str, ...]]:
    """The opening of a briefing of `tokens` tokens, and notices about it. DNA.md is cut only if it exceeds the budget."""
    try:
        written = _written(space)
    except WaypostError as error:  # a link, or damaged: the briefing comes without it
        return Opening(), (f"DNA.md was left out: {error.what}",)
    if written is None:
        return Opening(), ()
    text, trusted, notices = mask(written).text, _is_trusted(space, written), list[str]()
    if not trusted:
        notices.append(
            "DNA.md came with the repository and is shown as data, until a person approves it: `waypost journal approve-dna`."
        )
    made = Opening(outside=text) if trusted else Opening(inside=f"{_INSIDE}\n{text}")
    taken = count(made.assembled(""))
    if taken > tokens:
        made = _cut(text, trusted, tokens, count)
        notices.append(f"DNA.md alone takes {taken} of {tokens} tokens: it was cut, and nothing else has room.")
    elif taken > SHARE * tokens:
        notices.append(f"DNA.md takes {taken} of {tokens} tokens.")
    return made, tuple(notices)


def _cut(whole: str, trusted: bool, tokens: int, count: Callable[[str], int]) -> Opening:
    low, high = 0, len(whole)

    def cut_to(length: int) -> Opening:
        text = whole[:length].rstrip() + _CUT
        return Opening(outside=text) if trusted else Opening(inside=f"{_INSIDE}\n{text}")

    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(cut_to(middle).assembled("")) <= tokens else (low, middle - 1)
    return cut_to(low) if low else Opening()


def _written(space: OpenSpace) -> str | None:
    text = space.journal.read_or_none(DNA)
    if text is None:
        return None
    plain = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")[:MOST_CHARACTERS].strip()
    return plain.removeprefix("\ufeff") or None


def _is_trusted(space: OpenSpace, written: str) -> bool:
    """A journal beside the database is its owner's own."""
    if space.journal_id == space.own_journal_id:
        return True
    with space.store.read() as reader:
        return reader.meta.get(_APPROVED + space.journal_id) == _digest(written)


def _digest(written: str) -> str:
    return hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()
