"""Word lists that separate code names from prose."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from waypost.text.keywords import stop_words
from waypost.text.stems import fold

_DATA = Path(__file__).with_name("words.toml")


@cache
def link_words() -> Mapping[str, frozenset[str]]:
    """The lists of the data file, all in lower case except `products`."""
    lists = {key: frozenset(words.split()) for key, words in tomllib.loads(_DATA.read_text("utf-8")).items()}
    stops = stop_words("en") | stop_words("de") | stop_words("ru")
    lists["common"] |= stops | lists["keywords"] | lists["cues"] | lists["builtins"]
    return lists


def is_common(name: str) -> bool:
    """Whether this is a common word of English, German or Russian prose."""
    return fold(name) in link_words()["common"]
