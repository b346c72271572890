"""Similar names."""

import pytest

from waypost.refs.links.spelling import distance, is_typo, similar_names, singular, spellings, typos


@pytest.mark.parametrize(
    "name", ["createFileUploads", "create_file_uploads", "CreateFileUploads", "CREATE_FILE_UPLOADS"]
)
def test_every_style_is_looked_up_by_the_same_names(name: str) -> None:
    assert {"createfileuploads", "create_file_uploads"} <= set(spellings(name))


def test_all_names_one_slip_away_are_listed() -> None:
    listed = set(typos("load_rows"))
    assert {"load_row", "laod_rows", "load_rowz", "loads_rows", "loadrows"} <= listed
    assert all(distance("load_rows", name, 2) <= 1 for name in listed)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [("abc", "abc", 0), ("abc", "abd", 1), ("abc", "acb", 1), ("abc", "ab", 1), ("abcd", "badc", 2), ("abc", "xyz", 3)],
)
def test_distance_counts_changed_added_missing_and_swapped_letters(left: str, right: str, expected: int) -> None:
    assert distance(left, right, 2) == expected


def test_long_names_forgive_two_slips_and_short_ones_one() -> None:
    assert is_typo("createfileuploads", "craetefileupload")
    assert not is_typo("loadrows", "laodrow")


def test_the_nearest_are_found_among_others() -> None:
    assert similar_names("load_rows", ["load_row", "save_rows", "load_rows_of_a_table"]) == ["load_row"]


@pytest.mark.parametrize(
    ("name", "expected"), [("QuerySets", "QuerySet"), ("Status", ""), ("Process", ""), ("Row", "")]
)
def test_a_plural_has_a_singular(name: str, expected: str) -> None:
    assert singular(name) == expected
