from waypost.code.documents.sections import join_small_sections
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
    assert join_small_sections(sections) == (
        section("Settings > DEBUG; CACHE", 1, 9),
        section("Settings > LONG", 10, 60),
    )


def test_a_short_opening_is_read_with_what_follows_under_it() -> None:
    assert join_small_sections([section("Shop", 1, 4), section("Shop > Deployment", 5, 20)]) == (
        section("Shop; Deployment", 1, 20),
    )


def test_chapters_of_their_own_stay_apart() -> None:
    sections = [section("A > a", 1, 20), section("B > b", 21, 25), section("B > c", 26, 60)]
    assert [section.title for section in join_small_sections(sections)] == ["A > a", "B > b; c"]


def test_together_they_are_no_longer_than_one_reads() -> None:
    sections = [section(f"News > {n}", 10 * n + 1, 10 * n + 10) for n in range(12)]
    joined = join_small_sections(sections)
    assert [section.lines.end - section.lines.start + 1 for section in joined] == [40, 40, 40]
    assert (joined[0].lines.start, joined[-1].lines.end) == (1, 120)
