"""Names offered in place of one that does not exist."""

from waypost.retrieve.nearest_names import nearest_names

NAMES = ("Flask.make_response", "make_response", "SessionInterface", "app.open_session", "close_file", "run")


def test_a_typo_finds_the_name() -> None:
    assert nearest_names("make_respone", NAMES)[0] in ("make_response", "Flask.make_response")
    assert nearest_names("SesionInterface", NAMES) == ["SessionInterface"]


def test_the_same_words_in_another_order_find_the_name() -> None:
    assert nearest_names("sessionOpen", NAMES) == ["app.open_session"]


def test_names_that_have_nothing_in_common_are_not_offered() -> None:
    assert nearest_names("compute_lunar_phase", NAMES) == []
    assert nearest_names("run", ()) == []
