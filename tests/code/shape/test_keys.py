"""Landmarks of configuration keys, independent of their neighbours."""

import pytest

from waypost.code.shape.build import key_landmarks

YAML = """\
# which image
image: app
services:
  # the front
  web:
    port: 80

    name: web
  db:
    port: 5432
# the end of it
"""


def found(language: str, text: str) -> dict[str, tuple[int, int, int]]:
    return {
        landmark.qualified: (landmark.first, landmark.define, landmark.end)
        for landmark in key_landmarks(language, text)
    }


def test_every_key_has_its_lines_and_the_comment_above_it() -> None:
    assert found("yaml", YAML) == {
        "image": (1, 2, 2),
        "services": (3, 3, 10),
        "services.web": (4, 5, 8),
        "services.db": (9, 9, 10),
    }


def test_a_key_is_there_however_short_its_neighbours_are() -> None:
    assert found("yaml", "a: 1\nb: 2\nc: 3\n") == {"a": (1, 1, 1), "b": (2, 2, 2), "c": (3, 3, 3)}


def test_tables_and_sections_are_keys_too() -> None:
    assert found("toml", 'top = 1\n\n[tool.x]\n# why\ny = "z"\n') == {
        "top": (1, 1, 1),
        "tool.x": (3, 3, 5),
        "tool.x.y": (4, 5, 5),
    }
    assert found("ini", "[a]\n; why\nb = 1\n\n[c]\nd = 2\n") == {
        "a": (1, 1, 3),
        "a.b": (2, 3, 3),
        "c": (5, 5, 6),
        "c.d": (6, 6, 6),
    }


@pytest.mark.parametrize("text", ["", "\n\n", "# only\n", ":\n", "- \n-\n", "\t: x\n", "[", "a: |\n  b: c\n"])
def test_no_text_is_too_strange(text: str) -> None:
    for language in ("yaml", "toml", "ini"):
        for landmark in key_landmarks(language, text):
            assert 1 <= landmark.first <= landmark.define <= landmark.end


def test_of_very_many_keys_only_the_top_level_counts() -> None:
    many = "top:\n" + "".join(f"  k{number}: {number}\n" for number in range(6000))
    assert list(found("yaml", many)) == ["top"]
