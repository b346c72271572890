import pytest

from waypost.text.identifiers import identifier_parts, is_hash


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("getUserById", "get User By Id"),
        ("get_user_by_id", "get user by id"),
        ("HTTPServer2", "HTTP Server 2"),
        ("XMLHttpRequest", "XML Http Request"),
        ("parseURLs", "parse URLs"),
        ("IDs", "IDs"),
        ("IOError", "IO Error"),
        ("SCREAMING_SNAKE_CASE", "SCREAMING SNAKE CASE"),
        ("__init__", "init"),
        ("utf8", "utf 8"),
        ("sha256sum", "sha 256 sum"),
        ("word", "word"),
        ("Word", "Word"),
        ("WORD", "WORD"),
        ("2026", "2026"),
        ("größeÄndern", "größe Ändern"),
        ("получитьИмя2", "получить Имя 2"),
        ("ГОСТСтандарт", "ГОСТ Стандарт"),
        ("_", ""),
    ],
)
def test_a_name_is_split_where_its_words_begin(name: str, parts: str) -> None:
    assert identifier_parts(name) == parts.split()


def test_a_hash_has_digits_and_letters_of_hexadecimal() -> None:
    assert is_hash("deadbeef12")
    assert is_hash("a1b2c3d")
    assert not is_hash("defaced")
    assert not is_hash("1234567")
    assert not is_hash("a1b2c3")
    assert not is_hash("a1b2c3g")
