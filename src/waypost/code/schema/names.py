"""Names that frameworks derive: `BlogPost` is stored in `blog_posts`, `articles` is a list of `Article`."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

# Relations of JPA and TypeORM.
ORM_RELATIONS = {
    "ManyToOne": "belongs_to",
    "OneToMany": "has_many",
    "OneToOne": "has_one",
    "ManyToMany": "belongs_to_many",
}
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@cache
def data(name: str) -> Mapping[str, object]:
    """A data file in `data/`."""
    source = files("waypost.code.schema").joinpath("data", f"{name}.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))


def text_table(name: str, key: str) -> Mapping[str, str]:
    """One table of texts in a data file."""
    entries = data(name)[key]
    assert isinstance(entries, dict)
    return entries


@cache
def _irregular() -> tuple[frozenset[str], Mapping[str, str], Mapping[str, str]]:
    pairs = text_table("inflections", "irregular")
    return (
        frozenset(str(data("inflections")["uncountable"]).split()),
        pairs,
        {plural: single for single, plural in pairs.items()},
    )


def snake(name: str) -> str:
    """`BlogPost` → `blog_post`, `HTTPServer` → `http_server`, `Admin::Role` → `admin_role`."""
    return _HUMP.sub("_", name).replace("::", "_").replace("\\", "_").replace("-", "_").lower()


def plural(name: str) -> str:
    """The name with its last word in plural. The name is in lower case or camel case."""
    head, word = _last_word(name)
    low = word.lower()
    uncountable, irregular, back = _irregular()
    if low in uncountable or low in back:
        return name
    if low in irregular:
        return head + _cased(word, irregular[low])
    if re.search(r"(?:s|x|z|ch|sh)$", low):
        return name if low.endswith("ss") is False and low.endswith("s") and not low.endswith("us") else name + "es"
    if re.search(r"[^aeiou]y$", low):
        return name[:-1] + "ies"
    return name + "s"


def singular(name: str) -> str:
    head, word = _last_word(name)
    low = word.lower()
    uncountable, _, back = _irregular()
    if low in back:
        return head + _cased(word, back[low])
    if low in uncountable or low.endswith(("ss", "us", "is")) or not low.endswith("s"):
        return name
    if low.endswith("ies") and len(low) > 4:
        return name[:-3] + "y"
    if re.search(r"(?:ss|x|zz|ch|sh)es$", low):
        return name[:-2]
    return name[:-1]


def camel(name: str) -> str:
    """`blog_post` → `BlogPost`."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[_\W]+", name) if part)


def _last_word(name: str) -> tuple[str, str]:
    cut = max(name.rfind("_"), name.rfind("."), name.rfind("-")) + 1
    humps = list(_HUMP.finditer(name, cut))
    if humps:
        cut = humps[-1].start()
    return name[:cut], name[cut:]


def _cased(like: str, word: str) -> str:
    return word[:1].upper() + word[1:] if like[:1].isupper() else word
