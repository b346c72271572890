"""Masking as a caller sees it: the marks, the findings, the lines."""

from waypost.text.secrets import mask


def test_a_password_in_a_sentence_is_replaced_by_a_mark_and_named_with_its_line() -> None:
    result = mask("Hello.\nThe password is hunter2, do not tell.\n")
    assert result.text == "Hello.\nThe password is [secret: password], do not tell.\n"
    assert [(f.rule, f.line, f.start, f.end) for f in result.found] == [("password", 2, 23, 30)]
