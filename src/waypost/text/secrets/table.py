"""The table of formats, names, placeholders and paths of secrets (`data/secrets.toml`), read once when first needed."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def data() -> dict[str, Any]:
    """The parsed data file."""
    return tomllib.loads(Path(__file__).with_name("secrets.toml").read_text(encoding="utf-8"))
