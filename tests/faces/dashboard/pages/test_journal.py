"""The journal through all its stages."""

from datetime import UTC, datetime

import pytest
from tests.conftest import TestClock
from tests.faces.dashboard.conftest import HOSTILE, READER, Browse, Sample

from waypost import Memory
from waypost.faces.dashboard.pages.journal_period import name_of


@pytest.fixture
def condensed(sample: Sample, clock: TestClock) -> Sample:
    """The sample after months of condensing: only the last days stand word for word."""
    sample.memory.journal.condense(force=True)
    return sample


def note_day(sample: Sample, number: int) -> str:
    return f"{sample.memory.show(sample[f'note{number}']).version.time:%Y-%m-%d}"


@pytest.mark.slow
def test_the_calendar_leads_to_every_day_on_which_something_was_said(sample: Sample, browse: Browse) -> None:
    page = browse(sample.memory).get("journal")
    for number in range(5):
        day = note_day(sample, number)
        assert f'/journal/{day}" aria-label="{day}: 3 entries"' in page
    assert "Entries of 2026" in page
    assert "Entries of 2025" in page
    assert "Entries by month" in page
    assert "Entries of 2026" not in browse(sample.memory).get("journal", year="2025")
    assert "Entries of 2025" in browse(sample.memory).get("journal", year="1900")
    browse(sample.memory).get("journal", 400, year="10000")


def test_a_day_shows_who_said_what_when(sample: Sample, browse: Browse) -> None:
    page = browse(sample.memory).get(f"journal/{note_day(sample, 2)}")
    assert "Which tests are slow, part 2?" in page
    assert "<strong>assistant</strong>" in page
    assert f'id="e-{sample["note2"]}"' in page
    assert "meeting 3" not in page


@pytest.mark.parametrize("when", ["2025-11", "2025", "2025-W46"])
def test_longer_times_have_pages_with_their_entries(sample: Sample, browse: Browse, when: str) -> None:
    assert "Met the payment team" in browse(sample.memory).get(f"journal/{when}")


def test_before_and_after_lead_to_times_that_have_something(sample: Sample, browse: Browse) -> None:
    page = browse(sample.memory).get(f"journal/{note_day(sample, 2)}")
    assert f'/journal/{note_day(sample, 1)}" rel="prev"' in page
    assert f'/journal/{note_day(sample, 3)}" rel="next"' in page


@pytest.mark.slow
def test_what_was_condensed_keeps_its_words_names_its_original_and_is_found(condensed: Sample, browse: Browse) -> None:
    day, browser = note_day(condensed, 1), browse(condensed.memory)
    page = browser.get(f"journal/{day}")
    for part in (
        "Met the payment team, meeting 1.",
        f"archive/daily/{day}.md",
        "originals in the archive",
        "Importance",
    ):
        assert part in page
    overview = browser.get("journal")
    assert "Weeks, summarised" in overview or "Months, summarised" in overview
    assert "journal/file?path=" in overview
    found = browser.get("journal", q="meeting 0")
    assert "Met the payment team, meeting 0." in found
    assert "archive/daily" in found
    assert "No matching lines." in browser.get("journal", q="zebra xyzzy")


@pytest.mark.slow
def test_an_original_is_brought_back_and_released(condensed: Sample, browse: Browse) -> None:
    day, browser = note_day(condensed, 1), browse(condensed.memory)
    assert not (condensed.memory.journal.root / "daily" / f"{day}.md").exists()
    to = browser.post("journal/restore", what=day, back=day)
    assert to.endswith(f"/journal/{day}?told=restored")
    assert (condensed.memory.journal.root / "daily" / f"{day}.md").exists()
    assert "not condensed until released" in browser.get(f"journal/{day}")
    assert browser.post("journal/release", what=day, back=day).endswith("told=let_go")
    assert "not condensed until released" not in browser.get(f"journal/{day}")


def test_an_entry_is_protected_and_released(sample: Sample, browse: Browse) -> None:
    day, browser = note_day(sample, 3), browse(sample.memory)
    to = browser.post("journal/protect", id=sample["note3"], on="1", back=day)
    assert to.endswith(f"/journal/{day}?told=protected")
    assert sample.memory.show(sample["note3"]).state.protected
    assert "Unprotect" in browser.get(f"journal/{day}")
    browser.post("journal/protect", id=sample["note3"], on="0", back=day)
    assert not sample.memory.show(sample["note3"]).state.protected


@pytest.mark.slow
def test_a_note_is_written_as_the_person(sample: Sample, browse: Browse) -> None:
    browser = browse(sample.memory)
    assert browser.post("journal/note", text="The fair was a success.").endswith("/journal?told=noted")
    browser.post("journal/note", text="A late thought.", time="2025-12-24 18:00")
    assert "The fair was a success." in browser.get("journal", q="fair success")
    assert "A late thought." in browser.get("journal/2025-12-24")
    browser.post("journal/note", 400, text="   ")
    browser.post("journal/note", 400, text="x", time="when pigs fly")


def test_a_conversation_shows_its_turns_and_similar_ones(sample: Sample, browse: Browse) -> None:
    browser = browse(sample.memory)
    page = browser.get("journal/conversation", id="s1")
    assert "Which tests are slow, part 1?" in page
    assert "journal/conversation?id=s" in page.split("Similar conversations", 1)[1]
    browser.get("journal/conversation", 404, id="<script>")
    browser.get("journal/conversation", 404)


def test_topics_over_time_are_drawn(sample: Sample, browse: Browse, clock: TestClock) -> None:
    for month in (10, 11, 12):
        for part in range(3):
            at = datetime(2025, month, 3, 9, part, tzinfo=UTC)
            sample.memory.journal.add(f"The warehouse import fails again, take {part}.", session=f"w{month}", time=at)
    page = browse(sample.memory).get("journal/topics", by="month")
    assert "Topics over time" in page
    assert "2025-11" in page
    browse(sample.memory).get("journal/topics", 400, by="decade")


def test_a_file_shows_as_it_stands(sample: Sample, browse: Browse) -> None:
    day = note_day(sample, 4)
    page = browse(sample.memory).get("journal/file", path=f"daily/{day}.md")
    assert "Met the payment team, meeting 4." in page
    assert "###" in page


@pytest.mark.parametrize(
    "path",
    ["../metadata.md", "daily/../../x.md", "/etc/passwd.md", "..\\x.md", "daily//x.md", "../../memory.db", "a/../b.md"],
)
def test_files_outside_the_journal_are_not_shown(sample: Sample, browse: Browse, path: str) -> None:
    (sample.memory.journal.root.parent / "metadata.md").write_text("outside words")
    answer = browse(sample.memory).client.get(
        f"/s/{sample.memory.identity.space_id}/journal/file", params={"path": path}
    )
    assert answer.status_code in (400, 403, 404)
    assert "outside words" not in answer.text


@pytest.mark.parametrize(
    "when", ["x", "2026-13", "2026-02-30", "2026-W60", "0000", "%3Cscript%3E", "2026-01-30%0d%0a", "%2e%2e", "99999"]
)
def test_times_that_are_none_are_not_found(sample: Sample, browse: Browse, when: str) -> None:
    browser = browse(sample.memory)
    answer = browser.client.get(browser.address("journal/") + when)
    assert answer.status_code == 404, answer.text
    assert "<script>" not in answer.text.split("</head>")[1]


def test_a_time_of_which_nothing_is_known_says_so(sample: Sample, browse: Browse) -> None:
    assert "No entries in this period." in browse(sample.memory).get("journal/1999-01-01")


def test_back_leads_only_into_the_journal(sample: Sample, browse: Browse) -> None:
    for back in ("//evil.example", "https://evil.example", "../../logout", "2026-01-30/x"):
        to = browse(sample.memory).post("journal/protect", id=sample["note1"], on="1", back=back)
        assert to.endswith("/journal?told=protected")


@pytest.mark.slow
def test_only_a_person_who_may_write_can_act(sample: Sample, browse: Browse) -> None:
    day, browser = note_day(sample, 1), browse(sample.memory, READER)
    page = browser.get(f"journal/{day}")
    assert "Met the payment team" in page
    assert 'method="post"' not in page.split("<main", 1)[1]
    assert 'method="post"' not in browser.get("journal").split("<main", 1)[1]
    for action in ("note", "protect", "restore", "release"):
        browser.post(f"journal/{action}", 403, id=sample["note1"], what=day, text="x", on="1")
    assert not sample.memory.show(sample["note1"]).state.protected


def test_unknown_entries_and_times_are_refused(sample: Sample, browse: Browse) -> None:
    browser = browse(sample.memory)
    browser.post("journal/protect", 404, id="01kt17kja05te3ezezcdjqd9p3", on="1")
    browser.post("journal/protect", 400, on="1")
    browser.post("journal/restore", 404, what="1999-01-01")
    browser.post("journal/restore", 400, what="../x")
    browser.post("journal/restore", 400)


@pytest.mark.slow
def test_hostile_entries_show_as_text_everywhere(sample: Sample, browse: Browse, clock: TestClock) -> None:
    sample.memory.journal.add(HOSTILE, speaker="<b>eve</b>", session="<i>s</i>", time=clock.now)
    page = sample.memory.journal.root / "daily" / f"{clock.now:%Y-%m-%d}.md"
    page.write_text(page.read_text() + "\n<script>alert(5)</script> \x1b[31mred\n")
    browser = browse(sample.memory)
    shown = [
        browser.get(f"journal/{clock.now:%Y-%m-%d}"),
        browser.get("journal", q="alert"),
        browser.get("journal/file", path=f"daily/{page.name}"),
        browser.get("journal/conversation", id="<i>s</i>"),
    ]
    for one in shown:
        assert "&lt;script&gt;alert(" in one
        for bad in ("<script>alert", "<img src=x", "<b>eve", "<i>s</i>", "\u202e", "\x1b"):
            assert bad not in one


def test_an_empty_journal_says_what_to_do(person: Memory, browse: Browse) -> None:
    page = browse(person).get("journal")
    assert "The journal is empty." in page
    assert 'name="text"' in page and "you can write a note above" in page
    assert "machines are not shown here" not in page
    reader = browse(person, READER).get("journal")
    assert "The journal is empty." in reader and "note above" not in reader
    assert "No topics yet." in browse(person).get("journal/topics")


@pytest.mark.parametrize(
    ("path", "name"),
    [("daily/2026-01-30.md", "2026-01-30"), ("archive/weekly/2026-W05.md", "2026-W05"), ("monthly/2026-01.md", "2026-01"),
     ("yearly/2026.md", "2026"), ("MEMORY.md", "")],
)  # fmt: skip
def test_a_file_is_called_by_its_time(path: str, name: str) -> None:
    assert name_of(path) == name
