"""Our WordPiece gives the ids of the `tokenizers` library."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer
from tokenizers.models import WordPiece as LibraryWordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from waypost.embed.wordpiece import WordPiece, words
from waypost.errors import EngineUnavailable, ModelCorrupt

START, END = 101, 102

TEXTS = [
    "",
    " ",
    "Hello, world!",
    "def resolve(path: Path) -> str:  # don't",
    "snake_case camelCase SCREAMING_CASE kebab-case v1.2.3 a/b/c.py:42",
    "user@example.org https://example.org/?q=1&r=2#top",
    "tabs\tand\nlines\r\nand\x0bodd\x0cones",
    "zero\x00width\u200bjoin\u200dbom\ufeffreplaced\ufffdc1\x85end",
    "Grüße aus Köln: Straße, Übermut, ÄÖÜ ẞ",
    "Ёлка, Йод и съёмка — «кавычки» №5",
    "ΟΔΥΣΣΕΥΣ Σίσυφος",
    "İstanbul ılık DIŞ ﬁnance ǅ",
    "naïve café résumé e\u0301a\u0308o\u0302 \u0301lone",
    "日本語のテキスト、中文和한국어 문장。",
    "\u3400\u4dbf\u4e00\u9fff\uf900\ufaff\U00020000\U0002a6df\U0002b740\U0002f800",
    "emoji 😀 🎉 👍🏽 ❤️ 🇩🇪",
    "ไทย हिन्दी العربية עברית",
    "math ∑∫√≤≥ ½ ℃ €100 £5 ¥9 §3 ©",
    "quotes “double” ‘single’ „deutsch“ … – —",
    "[CLS] [SEP] [UNK] [MASK] ##ing",
    "a" * 100,
    "a" * 101,
    "antidisestablishmentarianism " * 3,
    "é" * 100 + " " + "é" * 101,
    "\u00a0no\u00a0break\u2003em\u3000wide\u2028line",
    "private\ue000use unassigned\u0378here",
]

# Blocks that were complete in Unicode 8, and code points of every class among them.
_BLOCKS = [
    (0x00, 0x37F - 0x10),
    (0x390, 0x3A1),
    (0x3A3, 0x52F),
    (0x5D0, 0x5EA),
    (0x620, 0x6FF),
    (0x900, 0x97F),
    (0xE01, 0xE3A),
    (0x1E00, 0x1EFF),
    (0x2000, 0x2064),
    (0x20A0, 0x20BE),
    (0x2190, 0x23FA),
    (0x2600, 0x27BF),
    (0x3000, 0x30FF),
    (0x4E00, 0x4EFF),
    (0xAC00, 0xACFF),
    (0xFB00, 0xFB06),
    (0xFF01, 0xFF9F),
    (0xFFFD, 0xFFFD),
    (0x1F300, 0x1F64F),
    (0x20000, 0x20010),
]
_characters = st.one_of(
    *(st.characters(min_codepoint=low, max_codepoint=high, exclude_categories=["Cs"]) for low, high in _BLOCKS)
)


@pytest.fixture(scope="module")
def ours(minilm_folder: Path) -> WordPiece:
    return WordPiece.load(minilm_folder / "vocab.txt")


@pytest.fixture(scope="module")
def library(minilm_folder: Path) -> Tokenizer:
    vocabulary = LibraryWordPiece.read_file(str(minilm_folder / "vocab.txt"))
    tokenizer = Tokenizer(LibraryWordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = BertNormalizer()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    return tokenizer


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_has_the_ids_that_the_library_gives_it(text: str, ours: WordPiece, library: Tokenizer) -> None:
    assert ours.encode(text, 10_000) == [START, *library.encode(text).ids, END]


@pytest.mark.slow
def test_any_mixture_of_scripts_has_the_ids_that_the_library_gives_it(ours: WordPiece, library: Tokenizer) -> None:
    @settings(max_examples=300, deadline=None, derandomize=True, database=None)
    @given(st.text(_characters, max_size=60))
    def check(text: str) -> None:
        assert ours.encode(text, 10_000) == [START, *library.encode(text).ids, END]

    check()


def test_a_long_text_is_cut_and_still_ends_with_the_closing_token(ours: WordPiece) -> None:
    whole = ours.encode("memory " * 600, 10_000)
    cut = ours.encode("memory " * 600, 256)
    assert len(whole) == 602
    assert len(cut) == 256
    assert cut[-1] == END
    assert cut[:-1] == whole[:255]


def test_a_text_of_exactly_the_limit_is_kept_whole(ours: WordPiece) -> None:
    assert ours.encode("memory " * 254, 256) == ours.encode("memory " * 254, 10_000)


def test_tokens_are_counted_beyond_the_limit_and_without_the_frame(ours: WordPiece) -> None:
    assert ours.count_tokens("memory " * 600) == 600
    assert ours.count_tokens("") == 0


def test_lone_surrogates_do_not_matter(ours: WordPiece) -> None:
    assert ours.encode("a\ud800b", 10) == ours.encode("ab", 10)


def test_words_lose_case_and_accents_and_keep_punctuation_apart() -> None:
    assert words("Größe: naïve!") == ["große", ":", "naive", "!"]


def test_a_vocabulary_without_special_tokens_is_refused(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("[CLS]\n[UNK]\nhello\n")
    with pytest.raises(ModelCorrupt, match=r"\[SEP\]"):
        WordPiece.load(tmp_path / "vocab.txt")


def test_a_vocabulary_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ModelCorrupt, match="UTF-8"):
        WordPiece.load(tmp_path / "vocab.txt")


def test_a_vocabulary_that_is_gone_makes_the_engine_unavailable(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable, match="cannot be read"):
        WordPiece.load(tmp_path / "vocab.txt")
