"""Word lists that separate code names from prose."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from waypost.text.keywords import stop_words
from waypost.text.stems import fold

_DATA = Path(__file__).with_name("words.toml")


@dataclass(frozen=True, slots=True)
class LinkWords:
    """All in lower case except `products`."""

    cues: frozenset[str]
    type_cues: frozenset[str]
    only_before: frozenset[str]
    keywords: frozenset[str]
    selves: frozenset[str]
    products: frozenset[str]
    product_files: frozenset[str]
    common: frozenset[str]
    builtins: frozenset[str]
    members: frozenset[str]
    extensions: frozenset[str]
    files: frozenset[str]
    domains: frozenset[str]
    roles: frozenset[str]
    aside: frozenset[str]

    def is_common(self, name: str) -> bool:
        """Whether this is a common word of English, German or Russian prose."""
        return fold(name) in self.common


@cache
def link_words() -> LinkWords:
    lists = {key: frozenset(words.split()) for key, words in tomllib.loads(_DATA.read_text("utf-8")).items()}
    stops = stop_words("en") | stop_words("de") | stop_words("ru")
    lists["common"] |= stops | lists["keywords"] | lists["cues"] | lists["builtins"]
    return LinkWords(**lists)
