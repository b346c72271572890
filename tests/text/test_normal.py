import re
import unicodedata
from importlib.resources import files

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from waypost.text.normal import _pass, fingerprint_text

SECRET = "The launch code is Pineapple 42"


@pytest.mark.parametrize(
    "spelling",
    [
        "THE LAUNCH CODE IS PINEAPPLE 42",
        "  the launch\tcode\n\nis pineapple \u00a0 42  ",
        "The launch code is Pineapple 42.",
        "The launch code is Pineapple 42 …!",
        "The\u200b lau\u00adnch c\u2060ode is\ufeff Pine\u200dapple 4\u200b2",
        "\u202eThe launch code is Pineapple 42\u202c\u061c",
        "The laun\U000e0063ch code is Pineapple 42\ufe0f\U000e0101",
        "The lau\u034fnch code\u3164is\u2800Pineapple\u115f42\x00\x07",
        "Ｔｈｅ ｌａｕｎｃｈ ｃｏｄｅ ｉｓ Ｐｉｎｅａｐｐｌｅ ４２",
        "𝓣𝓱𝓮 𝕝𝕒𝕦𝕟𝕔𝕙 𝖈𝖔𝖉𝖊 𝚒𝚜 𝘗𝘪𝘯𝘦𝘢𝘱𝘱𝘭𝘦 𝟒𝟐",
        "Ⓣhe launch code is Ⓟineapple 42",
        "The lаunсh соdе is Рinеаррlе 42",
        "Тне lаunсн соdе іѕ Ріnеаррlе 42",
        "ΤΗΕ LΑUΝCΗ CΟDΕ ΙS ΡΙΝΕΑΡΡLΕ 42",
        "The lɑuոch cօde ıs Pineɑpple 42",
        "The launch code is Pineapple ٤٢",
        "The launch code is Pineapple ४२",
        "T̶h̶e̶ launch c̷o̷d̷e is P̲i̲n̲e̲a̲p̲p̲l̲e̲ 42",
        "Ꭲhe launch code is ᏢineᎪpple 42",
    ],
)
def test_an_evasion_has_the_fingerprint_of_the_text(spelling: str) -> None:
    assert fingerprint_text(spelling) == fingerprint_text(SECRET)


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("Пароль: ВЕСНА", "пароль: весна"),
        ("Пароль: весна", "Пapoль: вecнa"),  # with Latin a, p, o, e, c
        ("ЕЩЁ НЕТ", "ещё нет"),
        ("сто́ит", "стоит"),
        ("Straße", "STRASSE"),
        ("Größe", "Gro\u0308ße"),
        ("Größe", "grӧße"),  # Cyrillic o with diaeresis
        ("“quoted” – it’s", '"quoted" - it\'s'),
        ("«ёлка» — да", '"ёлка" - да'),
        ("ﬁle ﬂow", "file flow"),
        ("1½ cups", "1 1/2 cups"),
        ("10² bytes", "10^2 bytes"),
        ("a  b", "ab"),
    ],
)
def test_two_spellings_of_one_text_are_the_same(first: str, other: str) -> None:
    assert fingerprint_text(first) == fingerprint_text(other)


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("Port 8080", "Port 8081"),
        ("1 5", "15"),
        ("10 000", "1 0000"),
        ("10²", "102"),
        ("1½", "11/2"),
        ("1①", "11"),
        ("H₂₀", "H₂ 0"),
        ("1₂", "12"),
        ("version 1.2", "version 12"),
        ("-5", "5"),
        ("x = y", "x ≠ y"),
        ("timeout 5 µs", "timeout 5 ms"),
        ("It works", "It works not"),
        ("It is enabled", "It isn't enabled"),
        ("Es geht", "Es geht nicht"),
        ("Он знает", "Он не знает"),
        ("Anna leads", "Anne leads"),
        ("кров", "кровь"),
        ("кровв", "кровь"),
        ("все", "всё"),
        ("мой", "мои"),
        ("резюме", "résumé"),
        ("résumé", "resume"),
        ("schön", "schon"),
        ("Mädchen", "Maedchen"),
        ("code O0", "code 00"),
        ("list l1", "list ll"),
        ("Il", "ll"),
        ("a.b", "ab"),
        ("a-b", "ab"),
        ("a_b", "ab"),
        ("C", "C++"),
        ("C", "C#"),
        ("5 €", "5 $"),
        ("東京", "京都"),
        ("שלום", "שלוס"),
        ("👍", "👎"),
        ("...", "?!"),
    ],
)
def test_different_texts_stay_different(first: str, other: str) -> None:
    assert fingerprint_text(first) != fingerprint_text(other)


def test_no_two_letters_of_an_alphabet_become_one() -> None:
    for alphabet in (
        "abcdefghijklmnopqrstuvwxyzäöü",
        "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
        "αβγδεζηθικλμνξοπρστυφχψω",
        "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
        "0123456789",
    ):
        assert len({fingerprint_text(letter) for letter in alphabet}) == len(alphabet)
        assert len({fingerprint_text(letter.upper()) for letter in alphabet}) == len(alphabet)


def test_the_case_of_a_letter_never_matters_within_an_alphabet() -> None:
    for alphabet in ("abcdefghijklmnopqrstuvwxyzäöü", "абвгдеёжзийклмнопрстуфхцчшщъыьэюя", "αβγδεζηθικλμνξοπρστυφχψω"):
        for letter in alphabet:
            assert fingerprint_text(letter) == fingerprint_text(letter.upper())


def test_a_text_of_nothing_visible_is_empty_and_signs_alone_are_kept() -> None:
    assert fingerprint_text("") == fingerprint_text(" \u200b\ufeff\n") == ""
    assert fingerprint_text("!!!") == "!!!"


def test_the_table_holds_what_the_normal_form_can_meet() -> None:
    data = files("waypost.text").joinpath("data/confusables.txt").read_text("utf-8")
    assert "Unicode, Inc." in data
    for line in data.splitlines():
        if line.startswith("#"):
            continue
        match = re.fullmatch(r"(~?)([a-z]) (\S+)", line)
        assert match is not None, line
        for letter in match[3]:
            assert unicodedata.normalize("NFKD", letter) == letter
            assert match[1] or letter.casefold() == letter
            assert not letter.isascii()


_LETTERS = st.sampled_from("aBnovßİıſŉǰΐνΝυΥμΜьЬйЁ1٤²½①Ⅷ⁄´'\u0301\u0338\u0345\u200b\u3164 .-…ﬁ가ᄀ̈")


@given(st.text() | st.text(_LETTERS, max_size=12))
@example("´")
@example("a\u0338\u0301")
def test_the_form_of_a_form_is_itself(text: str) -> None:
    once = fingerprint_text(text)
    assert fingerprint_text(once) == once


@given(st.text(st.characters(max_codepoint=127)))
def test_the_short_way_for_ascii_gives_what_the_long_way_gives(text: str) -> None:
    assert fingerprint_text(text) == _pass(text)


@given(st.text(st.sampled_from("abcXYZ абвГДЕ 123.äß"), max_size=30), st.data())
def test_case_white_space_and_invisible_characters_never_matter(text: str, data: st.DataObject) -> None:
    other = "".join(
        data.draw(st.sampled_from([c, c + "\u200b", c + "\u00ad", "\ufe0f" + c])) if not c.isspace() else "\u2003"
        for c in text.upper()
    )
    assert fingerprint_text(other) == fingerprint_text(text)
