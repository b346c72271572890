"""Anchors are small, survive a round trip, and are rejected if damaged. Hashes find blocks again."""

import hashlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.refs.anchor import (
    AT_COMMENT,
    PART,
    SYMBOL,
    Anchor,
    clip_name,
    code_hash,
    follow_hash,
    pack,
    unpack,
)
from waypost.refs.sketch import MOST_PARTS, PieceSketch

SMALL = Anchor(
    what=SYMBOL, meaning=b"m" * 12, count=3, sketch=PieceSketch(0, (1, 2, 3)), qualified="Cart.add", kind="method"
)
LARGE = Anchor(
    what=PART,
    meaning=b"\xff" * 12,
    count=2**31,
    sketch=PieceSketch(30, tuple(range(65_535, 65_535 - MOST_PARTS, -1))),
    qualified="C" * 96,
    kind="section",
    begin=AT_COMMENT,
    ordinal=1000,
    many=1001,
    twin=True,
    alone=b"a" * 8,
    offset=2**31,
    lead=100_000,
    trail=100_000,
    opening=(65_535, 0, 1),
    before=65_535,
    after=65_535,
    text=b"t" * 6,
    height=100_000,
    broken=True,
)


@pytest.mark.parametrize("anchor", [SMALL, LARGE, replace(SMALL, lines=False, kind="")])
def test_an_anchor_comes_back_as_it_was(anchor: Anchor) -> None:
    assert unpack(pack(anchor)) == anchor


def test_an_anchor_is_small() -> None:
    assert len(pack(SMALL)) < 50
    assert len(pack(LARGE)) <= 280


def test_a_long_name_is_kept_by_its_end_and_told_from_others() -> None:
    left, right = "a." * 500 + "name", "b." * 500 + "name"
    assert len(clip_name(left).encode()) <= 96
    assert clip_name(left).endswith(".name")
    assert clip_name(left) != clip_name(right)
    assert clip_name(clip_name(left)) == clip_name(left)
    assert clip_name("ü" * 400).endswith("ü")
    assert unpack(pack(replace(SMALL, qualified=left))) == replace(SMALL, qualified=clip_name(left))


@given(st.binary(max_size=300))
def test_what_is_no_anchor_is_not_read_as_one(data: bytes) -> None:
    anchor = unpack(data)
    assert anchor is None or pack(anchor) is not None


@given(st.integers(0, len(pack(LARGE)) - 1))
def test_an_anchor_cut_short_is_not_read(length: int) -> None:
    assert unpack(pack(LARGE)[:length]) is None


def test_an_anchor_of_another_version_is_not_read() -> None:
    data = pack(SMALL)
    assert unpack(bytes((data[0] + 1,)) + data[1:]) is None
    assert unpack(data + b"x") is None


def test_a_code_hash_is_that_of_the_lines_with_their_line_feeds() -> None:
    expected = "sha256:" + hashlib.sha256(b"def f():\n    pass\n").hexdigest()
    assert code_hash(["def f():", "    pass"]) == expected
    assert code_hash(["def f():\n", "    pass\n"]) == expected
    assert code_hash(["def f():\r\n", "    pass"]) == expected
    assert code_hash(["def  f():", "pass"], ignore_space=True) == code_hash(["deff():pass"], ignore_space=True)


LINES = ["a", "b", "c", "", "a", "b", "d"]


def test_a_block_is_found_again_by_its_hash_nearest_to_where_it_was() -> None:
    block = code_hash(["a", "b"])
    assert follow_hash(block, 2, LINES, near=1) == 1
    assert follow_hash(block, 2, LINES, near=6) == 5
    assert follow_hash(code_hash(["b", "d"]), 2, LINES, near=1) == 6
    assert follow_hash(code_hash(["x"]), 1, LINES, near=1) is None
    assert follow_hash(block, 9, LINES, near=1) is None


def test_a_hash_without_white_space_finds_the_block_that_was_indented() -> None:
    lines = ["", "    a = 1", "    b =  2"]
    assert follow_hash(code_hash(["a = 1", "b = 2"], ignore_space=True), 2, lines, near=1) == 2
    assert follow_hash(code_hash(["a = 1", "b = 2"]), 2, lines, near=1) is None


def test_a_hash_of_the_end_of_a_file_without_a_line_feed_is_found() -> None:
    expected = "sha256:" + hashlib.sha256(b"b\nd").hexdigest()
    assert follow_hash(expected, 2, LINES, near=1) == 6
