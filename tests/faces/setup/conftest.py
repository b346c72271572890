"""Random texts in the JSON that agents write: comments anywhere, trailing commas, any space, both line ends."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import strategies as st

Draw = Callable[[st.SearchStrategy[Any]], Any]

KEYS = st.sampled_from(["mcpServers", "hooks", "waypost", "other", "a", "", 'qu"ote', "ключ", "SessionStart"])
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-9, 9), st.text(max_size=5), st.sampled_from(["//", "/*", ","])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=4)


def spelled(draw: Draw, value: Any, newline: str) -> str:
    """One of the many ways to write the value."""
    gaps = st.sampled_from(
        ["", "", " ", newline, newline + "\t", f" // it{newline}", "/* so */", f"/* so{newline} */ "]
    )

    def gap() -> str:
        return str(draw(gaps))

    def write(one: Any) -> str:
        if isinstance(one, dict):
            rows = [
                f"{gap()}{json.dumps(key, ensure_ascii=False)}{gap()}:{gap()}{write(v)}{gap()}"
                for key, v in one.items()
            ]
            return "{" + closed(rows) + "}"
        if isinstance(one, list):
            return "[" + closed([f"{gap()}{write(item)}{gap()}" for item in one]) + "]"
        return json.dumps(one, ensure_ascii=bool(draw(st.booleans())))

    def closed(rows: list[str]) -> str:
        if not rows:
            return gap()
        return ",".join(rows) + str(draw(st.sampled_from(["", ",", f",{gap()}"])))

    mark = draw(st.sampled_from(["", "", "\ufeff"]))
    return f"{mark}{gap()}{write(value)}{gap()}"


@st.composite
def jsonc_texts(draw: Draw) -> tuple[dict[str, Any], str]:
    value = draw(OBJECTS)
    return value, spelled(draw, value, draw(st.sampled_from(["\n", "\r\n"])))


@pytest.fixture(scope="session")
def random_jsonc() -> st.SearchStrategy[tuple[dict[str, Any], str]]:
    return jsonc_texts()
