from waypost.code.documents.sections import read_together
from waypost.code.source import DocumentSection
from waypost.model.reference import LineRange


def section(title: str, start: int, end: int) -> DocumentSection:
    return DocumentSection(title, LineRange(start, end))


def test_short_neighbours_under_one_heading_are_read_together() -> None:
    sections = [
        section("Settings > DEBUG", 1, 5),
        section("Settings > CACHE", 6, 9),
        section("Settings > LONG", 10, 60),
    ]
    assert read_together(sections) == (section("Settings > DEBUG; CACHE", 1, 9), section("Settings > LONG", 10, 60))


def test_a_short_opening_is_read_with_what_follows_under_it() -> None:
    assert read_together([section("Shop", 1, 4), section("Shop > Deployment", 5, 20)]) == (
        section("Shop; Deployment", 1, 20),
    )


def test_chapters_of_their_own_stay_apart() -> None:
    sections = [section("A > a", 1, 20), section("B > b", 21, 25), section("B > c", 26, 60)]
    assert [one.title for one in read_together(sections)] == ["A > a", "B > b; c"]


def test_together_they_are_no_longer_than_one_reads() -> None:
    sections = [section(f"News > {n}", 10 * n + 1, 10 * n + 10) for n in range(12)]
    joined = read_together(sections)
    assert [one.lines.end - one.lines.start + 1 for one in joined] == [40, 40, 40]
    assert (joined[0].lines.start, joined[-1].lines.end) == (1, 120)
