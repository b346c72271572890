"""A budget of tokens that is never passed."""

from waypost.text.split import FRAME_TOKENS, estimate_tokens

CHARACTERS_PER_TOKEN = 4
_SMALLEST_PIECE = 24  # tokens; a shorter rest of a memory says nothing


def count_tokens(text: str) -> int:
    """An upper estimate: the larger of the word-piece estimate and four characters to a token."""
    if not text:
        return 0
    return max(estimate_tokens(text) - int(FRAME_TOKENS), -(-len(text) // CHARACTERS_PER_TOKEN))


def shorten(text: str, limit: int) -> str | None:
    """The text, cut at a word so that it takes at most `limit` tokens; None when too little would be left."""
    if count_tokens(text) <= limit:
        return text
    if limit < _SMALLEST_PIECE:
        return None
    low, high = 0, len(text)
    while low < high:  # the longest prefix that fits, with the mark that it was cut
        middle = (low + high + 1) // 2
        if count_tokens(text[:middle] + " …") <= limit:
            low = middle
        else:
            high = middle - 1
    cut = text[:low].rsplit(maxsplit=1)[0] if " " in text[:low] else text[:low]
    return cut.rstrip() + " …"
