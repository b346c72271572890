"""The data file of formats, names, placeholders and paths of secrets (`secrets.toml`), read once when needed."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def data() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("secrets.toml").read_text(encoding="utf-8"))
