"""The table of formats, names, placeholders and paths of secrets (`data/secrets.toml`), read once when first needed."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def data() -> dict[str, Any]:
    """The parsed data file."""
    return tomllib.loads(files("waypost.text").joinpath("data/secrets.toml").read_text(encoding="utf-8"))
