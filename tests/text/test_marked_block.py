"""The block in somebody else's text: every byte around it stays, and what somebody wrote inside is never lost."""

import pytest

from waypost.text.marked_block import (
    MEMORIES,
    UnpairedMarks,
    block_body,
    is_edited,
    with_memories,
    without_block,
    without_marks,
)

TEXTS = [
    "# Shop\n\nUse uv.\n",
    "# Shop\r\n\r\nUse uv.\r\n",
    "\ufeff# Shop\n",
    "a\rb\n",
    "x\u2028y\n",
    "a\n<!-- waypost:begin x -->\n",
]
BODY = "- Never log a password.\n- Use ＠~/notes."


@pytest.mark.parametrize("text", TEXTS)
def test_the_block_goes_and_every_other_byte_is_as_before(text: str) -> None:
    first = with_memories(text, BODY)
    assert block_body(first, MEMORIES) is not None and not is_edited(first)
    renewed = with_memories(with_memories(first, "- Another."), BODY)
    assert renewed == first
    assert without_block(first, MEMORIES) == text


@pytest.mark.parametrize("count", [1, 50])
def test_renewing_never_makes_the_file_longer(count: int) -> None:
    text = first = with_memories("# Shop\n", BODY)
    for _ in range(count):
        text = with_memories(text, BODY)
    assert text == first


def test_a_change_inside_of_the_block_is_seen_and_stays_when_the_marks_go() -> None:
    text = with_memories("# Shop\r\n", BODY)
    for changed in (
        text.replace("log a", "print a"),
        text.replace("- Use", "- Mine\r\n- Use"),
        text.replace("begin ", "begin x"),
    ):
        assert is_edited(changed)
    assert (
        without_marks(text.replace("log a", "print a"))
        == "# Shop\r\n\r\n- Never print a password.\r\n- Use ＠~/notes.\r\n"
    )
    assert not is_edited(text.replace("\r\n", "\n"))


def test_two_blocks_after_a_merge_are_no_pair() -> None:
    text = with_memories("# Shop\n", BODY)
    for broken in (text + text, text.replace("waypost:memories:end", "end")):
        with pytest.raises(UnpairedMarks):
            without_block(broken, MEMORIES)
