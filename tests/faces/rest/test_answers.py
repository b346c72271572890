"""Answers are written whatever the stored words and file names hold."""

import os
from pathlib import Path
from typing import Any

import pytest

from waypost.faces.rest.answers import JsonAnswer


def test_a_byte_that_is_no_text_is_an_escape() -> None:
    assert (
        JsonAnswer({"path": os.fsdecode(b"a\xff.py"), "ß": "\u2028"}).body
        == b'{"path":"a\\udcff.py","\xc3\x9f":"\xe2\x80\xa8"}'
    )
    with pytest.raises(ValueError, match="JSON"):
        JsonAnswer(float("nan"))


def test_a_file_with_such_a_name_is_told(served: Any) -> None:
    (Path(served.memory.code.root) / os.fsdecode(b"a\xff.py")).write_text("x = 1\n")
    answer = served.reader.get("/api/v1/spaces/here/code/analyze")
    assert answer.status_code == 200
    answer.json()
