import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.text.split import PASSAGE_TOKENS, estimate_tokens, split

PROSE = "The upload service retries three times before it gives up. Then it writes the reason to the log. "


def pieces(text: str, limit: int = PASSAGE_TOKENS) -> list[str]:
    return [text[start:end] for start, end in split(text, limit)]


def test_a_short_text_is_one_passage_without_the_space_around_it() -> None:
    assert pieces("  One thing.\n") == ["One thing."]
    assert pieces(" " + PROSE * 3) == [(PROSE * 3).rstrip()]


@pytest.mark.parametrize("text", ["", " ", "\n\n\t\u3000"])
def test_nothing_has_no_passages(text: str) -> None:
    assert split(text) == []


def test_paragraphs_are_preferred_to_lines_sentences_and_words() -> None:
    paragraph = (PROSE * 5).strip()
    text = "\n\n".join([paragraph] * 4)
    assert pieces(text) == ["\n\n".join([paragraph] * 2)] * 2


def test_lines_are_preferred_to_sentences() -> None:
    line = (PROSE * 2).strip()
    for piece in pieces("\n".join([line] * 30)):
        assert piece.startswith("The upload")
        assert piece.endswith("to the log.")


def test_sentences_are_preferred_to_words() -> None:
    passages = pieces(PROSE * 40)
    assert len(passages) > 3
    assert all(piece[0] in "T" and piece.endswith((".",)) for piece in passages)


def test_words_are_not_cut_while_they_fit() -> None:
    words = [f"word{n}" for n in range(2000)]
    assert " ".join(pieces(" ".join(words))).split() == words


def test_the_parts_are_about_equal() -> None:
    for count in (300, 520, 777, 1030):
        sizes = [estimate_tokens(piece) for piece in pieces("some words " * (count // 2))]
        assert min(sizes) > 0.6 * max(sizes)


def test_a_word_longer_than_a_passage_is_cut_inside() -> None:
    blob = "x" * 10_000
    passages = pieces(blob)
    assert "".join(passages) == blob
    assert len(passages) > 5


@pytest.mark.slow
def test_a_long_single_line_takes_linear_time() -> None:
    def seconds(text: str) -> float:
        begin = time.process_time()
        split(text)
        return time.process_time() - begin

    for sample in ("abc def. ", "a", "x,"):
        small, large = sample * (50_000 // len(sample)), sample * (500_000 // len(sample))
        assert seconds(large) < 40 * max(seconds(small), 0.005)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 2),
        ("the user", 4),
        ("Hello, world!", 6),
        ("foo_bar(1, 2)", 10),
        ("東京", 4),
        ("привет мир", 6),
    ],
)
def test_the_estimate_counts_words_signs_and_ideographs(text: str, tokens: int) -> None:
    assert abs(estimate_tokens(text) - tokens) <= 1


def test_what_no_tokenizer_knows_costs_more() -> None:
    assert estimate_tokens("Donaudampfschifffahrtsgesellschaft") > estimate_tokens("the company of the ships")
    assert estimate_tokens("9f86d081884c7d659a2feaa0c55ad015") > 20


_TEXTS = st.text() | st.text(st.sampled_from("aZ9 \n.,;é東ж_\u0301"), max_size=600)


@given(_TEXTS, st.integers(8, 64))
def test_spans_cover_all_but_white_space_in_order_and_within_the_limit(text: str, limit: int) -> None:
    end = 0
    for start, stop in split(text, limit):
        assert not text[end:start].strip()
        assert text[start:stop].strip() == text[start:stop] != ""
        if stop - start > 1:
            assert estimate_tokens(text[start:stop]) <= limit or not text[start:stop].split(maxsplit=1)[1:]
        end = stop
    assert not text[end:].strip()


def test_a_limit_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="no room"):
        split("text", 2)
