"""Statements of long sentences are found in time that grows with their length."""

import time

import pytest

from waypost.journal.statements.recognise import main_statement

WORDS = "varnish the urgent ticket in eighteen patient steps and look after the billing alarm each evening"


@pytest.mark.parametrize("text", [f"I would {WORDS}.", f"If {WORDS} we wait.", f"We'd {WORDS} {WORDS}."])
def test_what_may_be_imagined_is_read_at_once(text: str) -> None:
    started = time.process_time()
    main_statement(text, "en")
    assert time.process_time() - started < 0.5


def test_what_is_imagined_with_an_apostrophe_is_no_event() -> None:
    told = main_statement("If my brother's car hadn't broken down I'd have moved to Berlin.", "en")
    assert told is None or not told.is_real
