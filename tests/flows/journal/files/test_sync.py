"""What people do to the journal's files by hand is noticed by the next read."""

import gzip
import os
from datetime import timedelta
from pathlib import Path

import pytest
from tests.conftest import Git, OpenMemory, TestClock, agree_to_journal_in_repository

from waypost.flows.journal_files.changes import _looked_at
from waypost.flows.journal_files.reconcile import changes_by_waypost
from waypost.memory import Memory

DAY = "daily/2026-01-30.md"


def turns(memory: Memory, *texts: str, speaker: str = "user") -> list[str]:
    given = [
        {"text": text, "kind": "conversation", "session": "s1", "speaker": speaker, "time": f"2026-01-30T18:00:{n:02}Z"}
        for n, text in enumerate(texts, 10)
    ]
    return [receipt.id or "" for receipt in memory.remember_many(given)]


def file_of(memory: Memory, path: str = DAY) -> Path:
    return memory.space.folder / "journal" / path


def said(memory: Memory) -> list[str]:
    return sorted(row["text"] for row in memory.list(limit=1000))


def save(place: Path, text: str) -> None:
    """As an editor does some minutes later."""
    place.write_bytes(text.encode())
    state = place.stat()
    os.utime(place, ns=(state.st_atime_ns, state.st_mtime_ns + 60 * 10**9))


def without(text: str, words: str) -> str:
    """The text without the entry that says these words."""
    start = text.rindex("### ", 0, text.index(words))
    end = text.find("### ", start + 1)
    return text[:start] + (text[end:] if end > 0 else "")


def test_an_entry_stands_in_the_file_of_its_day_and_is_found(memory: Memory) -> None:
    turns(memory, "The cat is called Minka.")
    assert "### 18:00:10 · user" in file_of(memory).read_text()
    assert memory.recall("what is the cat called")[0].text == "The cat is called Minka."


def test_words_changed_by_hand_are_a_new_version(memory: Memory) -> None:
    [cat] = turns(memory, "The cat is called Minka.")
    save(file_of(memory), file_of(memory).read_text().replace("Minka", "Luna"))
    assert said(memory) == ["The cat is called Luna."]
    versions = memory.history(cat).versions
    assert [version.text for version in versions] == ["The cat is called Minka.", "The cat is called Luna."]
    assert versions[-1].source == "journal"


def test_an_entry_deleted_by_hand_is_not_recalled_and_its_history_stays(memory: Memory) -> None:
    _, dog, _ = turns(memory, "The cat is called Minka.", "The dog is called Rex.", "The parrot is called Coco.")
    save(file_of(memory), without(file_of(memory).read_text(), "Rex"))
    assert said(memory) == ["The cat is called Minka.", "The parrot is called Coco."]
    assert memory.history(dog).versions[-1].text == "The dog is called Rex."


def test_the_last_entry_can_be_deleted_by_hand_too(memory: Memory) -> None:
    turns(memory, "The cat is called Minka.", "The dog is called Rex.")
    save(file_of(memory), without(file_of(memory).read_text(), "Rex"))
    assert said(memory) == ["The cat is called Minka."]


def test_an_entry_put_back_by_hand_is_recalled_again(memory: Memory) -> None:
    turns(memory, "The cat is called Minka.", "The dog is called Rex.")
    whole = file_of(memory).read_text()
    save(file_of(memory), without(whole, "Rex"))
    assert "The dog is called Rex." not in said(memory)
    save(file_of(memory), whole)
    assert "The dog is called Rex." in said(memory)


def test_an_entry_written_by_hand_is_found_with_its_time_and_speaker(memory: Memory) -> None:
    turns(memory, "The cat is called Minka.")
    save(file_of(memory), file_of(memory).read_text() + "### 19:05 · anna\nOur goldfish is called Bubbles.\n")
    hit = memory.recall("goldfish")[0]
    assert (hit.text, hit.speaker) == ("Our goldfish is called Bubbles.", "anna")
    assert hit.time is not None and (hit.time.hour, hit.time.minute) == (19, 5)


def test_a_note_without_a_heading_keeps_its_id_when_it_is_changed(memory: Memory) -> None:
    turns(memory, "The cat is called Minka.")
    file = file_of(memory)
    note = "Ask Peter about the heating and the broken window in the cellar."
    save(file, file.read_text().replace("# 2026-01-30\n", f"# 2026-01-30\n\n{note}\n"))
    [before] = memory.list(kind="note")
    save(file, file.read_text().replace("Peter", "Paula"))
    [after] = memory.list(kind="note")
    assert (after["id"], after["text"]) == (before["id"], note.replace("Peter", "Paula"))


@pytest.mark.parametrize("name", ["2026-01-30 animals.md", "animals.md"])
def test_a_renamed_file_keeps_its_entries_and_their_times(memory: Memory, name: str) -> None:
    [cat] = turns(memory, "The cat is called Minka.")
    time = memory.show(cat).version.time
    file_of(memory).rename(file_of(memory).with_name(name))
    shown = memory.show(cat).version
    assert (shown.text, shown.time) == ("The cat is called Minka.", time)
    assert len(memory.history(cat).versions) == 1
    assert [one.id for one in memory.journal.timeline("2026-01-30").entries] == [cat]
    assert memory.journal.timeline("2026-01-29").entries == ()


def test_a_file_with_windows_line_ends_says_the_same_and_keeps_them(memory: Memory) -> None:
    turns(memory, "The cat is called Minka.\nShe is black.")
    file = file_of(memory)
    save(file, file.read_text().replace("\n", "\r\n"))
    assert said(memory) == ["The cat is called Minka.\nShe is black."]
    turns(memory, "The cat is called Minka.\nShe is black.", "The dog is called Rex.\nHe is old.")
    content = file.read_bytes()
    assert b"Rex." in content and content.count(b"\n") == content.count(b"\r\n")
    assert said(memory) == ["The cat is called Minka.\nShe is black.", "The dog is called Rex.\nHe is old."]


def test_both_sides_of_a_merge_conflict_are_found_and_the_file_is_left_as_it_is(memory: Memory) -> None:
    turns(memory, "The cat is called Minka.")
    file = file_of(memory)
    conflict = (
        file.read_text()
        + "<<<<<<< HEAD\n### 20:00 · anna\nWe bought apples.\n=======\n### 20:01 · ben\nWe bought pears.\n>>>>>>> other\n"
    )
    save(file, conflict)
    assert said(memory) == ["The cat is called Minka.", "We bought apples.", "We bought pears."]
    assert file.read_text() == conflict


def test_a_correction_by_command_keeps_the_words_and_adds_a_dated_line(memory: Memory, clock: TestClock) -> None:
    [cat] = turns(memory, "The cat is called Minka.")
    clock.advance(days=1)
    memory.correct(cat, "The cat is called Luna.")
    text = file_of(memory).read_text()
    assert "The cat is called Minka." in text
    assert "> corrected 2026-01-31T12:00:00+00:00 by library: The cat is called Luna." in text
    assert said(memory) == ["The cat is called Luna."]


def test_a_retracted_entry_keeps_its_words_in_the_file_and_is_not_recalled(memory: Memory) -> None:
    cat, _ = turns(memory, "The cat is called Minka.", "The dog is called Rex.")
    memory.retract(cat)
    text = file_of(memory).read_text()
    assert "The cat is called Minka.\n\n> retracted 2026-01-30T12:00:00+00:00 by library" in text
    assert said(memory) == ["The dog is called Rex."]


def test_an_old_state_of_the_file_does_not_bring_back_what_was_corrected(memory: Memory) -> None:
    [cat] = turns(memory, "The cat is called Minka.")
    old = file_of(memory).read_text()
    memory.correct(cat, "The cat is called Luna.")
    save(file_of(memory), old)
    assert said(memory) == ["The cat is called Luna."]


def test_what_is_protected_says_so_in_its_heading_and_a_hand_can_say_it(memory: Memory) -> None:
    cat, dog = turns(memory, "The cat is called Minka.", "The dog is called Rex.")
    memory.protect(cat)
    file = file_of(memory)
    assert file.read_text().count(" protected ") == 1
    save(file, file.read_text().replace(f"id={dog} ", f"id={dog} protected "))
    assert memory.show(dog).state.protected


def test_a_secret_written_by_hand_is_masked_in_the_index(memory: Memory) -> None:
    file = file_of(memory)
    turns(memory, "The cat is called Minka.")
    save(
        file,
        file.read_text() + "### 20:00 · anna\nThe key is ghp_a8Kd93jfLs02mZ7qPx1vTb6cRn4wEy5uHg2i.\n",
    )
    assert not any("ghp_a8Kd93jfLs02mZ7qPx1vTb6cRn4wEy5uHg2i" in text for text in said(memory))
    assert any("The key is" in text for text in said(memory))


def test_what_was_forgotten_does_not_come_back_with_an_old_file(memory: Memory) -> None:
    cat, _ = turns(memory, "The cat is called Minka.", "The dog is called Rex.")
    old = file_of(memory).read_text()
    memory.forget(cat)
    save(file_of(memory), old)
    assert said(memory) == ["The dog is called Rex."]


def test_a_lost_database_is_made_again_from_the_files(memory: Memory, open_memory: OpenMemory) -> None:
    ids = turns(memory, "The cat is called Minka.", "The dog is called Rex.")
    memory.retract(ids[1])
    folder = memory.space.folder
    memory.close()
    for left in folder.glob("memory.db*"):
        left.unlink()
    again = open_memory()
    assert [(row["id"], row["text"], row["speaker"]) for row in again.list()] == [
        (ids[0], "The cat is called Minka.", "user")
    ]
    assert again.history(ids[1]).versions[-1].superseded_at is not None


def test_an_editor_that_saves_an_older_state_with_its_own_change_loses_nothing(memory: Memory) -> None:
    turns(memory, "The cat is called Minka.")
    loaded = file_of(memory).read_text()
    turns(memory, "The cat is called Minka.", "The dog is called Rex.")
    save(file_of(memory), loaded + "### 20:00 · anna\nWe bought apples.\n")
    assert said(memory) == ["The cat is called Minka.", "The dog is called Rex.", "We bought apples."]
    assert "Rex" in file_of(memory).read_text()


def test_what_the_database_held_before_there_were_files_is_moved_into_them(memory: Memory, clock: TestClock) -> None:
    cat, dog = turns(memory, "The cat is called Minka.", "The dog is called Rex.")
    clock.advance(days=1)
    memory.correct(cat, "The cat is called Luna.")
    memory.protect(dog)
    before = file_of(memory).read_text()
    space = memory.space
    with space.store.write() as writer:  # as an older version left it
        writer.meta.set("journal_moved", "")
        writer.journal.drop_file("", DAY)
    file_of(memory).unlink()
    assert said(memory) == ["The cat is called Luna.", "The dog is called Rex."]
    assert file_of(memory).read_text() == before


def test_files_that_waypost_changes_are_not_taken_for_hand_work(memory: Memory) -> None:
    [cat] = turns(memory, "The cat is called Minka.")
    with changes_by_waypost(memory.space, [DAY]) as folder:
        text = folder.read(DAY)
        folder.replace(DAY, text.replace("Minka", "M."), expected=text)
    assert memory.show(cat).version.text == "The cat is called Minka."


def test_a_process_killed_while_it_changed_files_leaves_no_hand_work(memory: Memory) -> None:
    [cat] = turns(memory, "The cat is called Minka.")
    with pytest.raises(KeyboardInterrupt), changes_by_waypost(memory.space, [DAY]) as folder:
        text = folder.read(DAY)
        folder.replace(DAY, text.replace("Minka", "M."), expected=text)
        raise KeyboardInterrupt
    assert memory.show(cat).version.text == "The cat is called Minka."


def test_preferences_that_a_person_writes_are_known(memory: Memory) -> None:
    file = file_of(memory, "important/preferences.md")
    file.parent.mkdir(parents=True)
    file.write_text("# Preferences\n\n- Prefers tea to coffee\n- Speaks German\n")
    assert [row["text"] for row in memory.list(kind="preference")] == ["Prefers tea to coffee", "Speaks German"]


def test_a_damaged_file_is_left_alone_and_what_it_held_stays_known(memory: Memory) -> None:
    turns(memory, "The cat is called Minka.")
    archive = file_of(memory, "archive/daily/2025-01-01.md.gz")
    archive.parent.mkdir(parents=True)
    archive.write_bytes(gzip.compress("### 10:00 · anna\nThe dog is called Rex.\n".encode()))
    assert said(memory) == ["The cat is called Minka.", "The dog is called Rex."]
    archive.write_bytes(b"\x1f\x8b garbage")
    memory.close()
    _looked_at.clear()
    assert said(memory) == ["The cat is called Minka.", "The dog is called Rex."]
    assert any("damaged" in one.message for one in memory.admin.doctor())


def test_a_link_in_the_journals_folder_is_not_followed(memory: Memory, tmp_path: Path) -> None:
    turns(memory, "The cat is called Minka.")
    elsewhere = tmp_path / "secret.md"
    elsewhere.write_text("# 2026-01-29\n\n### 10:00 · anna\nThe treasure lies below the oak.\n")
    file_of(memory, "daily/2026-01-29.md").symlink_to(elsewhere)
    assert said(memory) == ["The cat is called Minka."]


def test_a_journal_in_the_repository_is_written_there(open_memory: OpenMemory) -> None:
    memory = open_memory()
    agree_to_journal_in_repository(memory)
    turns(memory, "The cat is called Minka.")
    assert page_in_tree(memory).read_text().count("Minka") == 1
    assert not file_of(memory).exists()
    assert said(memory) == ["The cat is called Minka."]


def page_in_tree(memory: Memory) -> Path:
    """The only file of the day in the repository."""
    [page] = (memory.code.root / ".waypost" / "daily").glob("2026-01-30*.md")
    return page


@pytest.mark.slow
def test_two_checkouts_each_see_the_entries_of_their_own_tree(
    open_memory: OpenMemory, git: Git, tmp_path: Path
) -> None:
    first = tmp_path / "work" / "one"
    first.mkdir(parents=True)
    git(first, "init", "-q")
    git(first, "commit", "-q", "--allow-empty", "-m", "Begin")
    git(tmp_path / "work", "clone", "-q", str(first), "two")
    for name in ("one", "two"):
        config = tmp_path / "work" / name / ".git" / "config"
        config.write_text(
            f'{config.read_text()}[remote "origin"]\n\turl =\n\turl = https://example.org/team/project.git\n'
        )
    one, two = open_memory("one"), open_memory("two")
    for memory in (one, two):
        agree_to_journal_in_repository(memory)
    turns(one, "The cat is called Minka.", "The dog is called Rex.")
    page = page_in_tree(one)
    (two.code.root / ".waypost" / "daily" / page.name).write_text(without(page.read_text(), "Rex"))  # another branch
    turns(two, "The parrot is called Coco.")
    assert said(one) == ["The cat is called Minka.", "The dog is called Rex."]
    assert said(two) == ["The cat is called Minka.", "The parrot is called Coco."]
    assert [hit.text for hit in two.recall("dog called", k=5)].count("The dog is called Rex.") == 0
    save(page, without(page.read_text(), "Minka"))
    assert said(one) == ["The dog is called Rex."]
    assert said(two) == ["The cat is called Minka.", "The parrot is called Coco."]


def test_reading_does_not_open_files_that_have_not_changed(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    turns(memory, "The cat is called Minka.")
    said(memory)
    monkeypatch.setattr("waypost.journal.files.JournalFolder.read", lambda *_: pytest.fail("a file was opened"))
    assert said(memory) == ["The cat is called Minka."]


def test_times_are_those_of_the_journals_own_zone(open_memory: OpenMemory, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text('[journal]\ntimezone = "Asia/Tokyo"\n')
    memory = open_memory()
    turns(memory, "The cat is called Minka.")
    text = (memory.space.folder / "journal" / "daily" / "2026-01-31.md").read_text()
    assert "### 03:00:10 · user" in text and "at=2026-01-31T03:00:10+09:00" in text
    hit = memory.recall("cat")[0]
    assert hit.time is not None and hit.time.utcoffset() in (timedelta(0), timedelta(hours=9))


def test_a_correction_of_a_hand_written_entry_stands_in_its_file(memory: Memory, clock: TestClock) -> None:
    turns(memory, "The cat is called Minka.")
    file = file_of(memory)
    save(file, file.read_text() + "### 19:05 · anna\nOur goldfish is called Bubbles.\n")
    [fish] = [row["id"] for row in memory.list() if "goldfish" in row["text"]]
    clock.advance(hours=1)
    memory.correct(fish, "Our goldfish is called Splash.")
    assert "> corrected 2026-01-30T13:00:00+00:00 by library: Our goldfish is called Splash." in file.read_text()
    save(file, file.read_text().replace("Minka", "Luna"))
    assert said(memory) == ["Our goldfish is called Splash.", "The cat is called Luna."]


def test_what_was_corrected_does_not_come_back_after_it_was_protected(memory: Memory) -> None:
    [cat] = turns(memory, "The cat is called Minka.")
    old = file_of(memory).read_text()
    memory.correct(cat, "The cat is called Luna.")
    memory.protect(cat)
    save(file_of(memory), old)
    assert said(memory) == ["The cat is called Luna."]


def test_a_step_that_fails_does_not_hide_what_a_person_does_next(memory: Memory) -> None:
    turns(memory, "The cat is called Minka.", "The dog is called Rex.")
    with pytest.raises(ValueError), changes_by_waypost(memory.space, [DAY]):
        raise ValueError
    save(file_of(memory), without(file_of(memory).read_text(), "Minka").replace("Rex", "Max"))
    assert said(memory) == ["The dog is called Max."]


@pytest.mark.slow
def test_many_identical_notes_are_read_in_linear_time(memory: Memory) -> None:
    file = file_of(memory)
    file.parent.mkdir(parents=True)
    file.write_text("# 2026-01-30\n\n" + "### 10:00 · anna\nYes.\n\n" * 1500)
    assert len(memory.list(limit=5000)) == 1  # the same words of the same moment, said once


@pytest.mark.parametrize(
    "path", ["weekly/9999-W52.md", "monthly/9999-12.md", "yearly/9999.md", "daily/0001-01-01.md", "daily/9999-12-31.md"]
)
def test_names_at_the_ends_of_time_stop_nobody(memory: Memory, path: str) -> None:
    turns(memory, "The cat is called Minka.")
    file = file_of(memory, path)
    file.parent.mkdir(exist_ok=True)
    file.write_text("# x\n\n- A point.\n")
    assert "The cat is called Minka." in said(memory)
    memory.journal.condense(force=True)
    memory.journal.timeline("2026-01-30")


def test_a_day_whose_original_is_in_conflict_does_not_stop_reading(memory: Memory) -> None:
    turns(memory, "The cat is called Minka.", "The dog is called Rex.")
    archive = file_of(memory, f"archive/{DAY}")
    archive.parent.mkdir(parents=True)
    conflict = "<<<<<<< a\n### 20:00 · a\nApples.\n=======\n### 20:01 · b\nPears.\n>>>>>>> b\n"
    archive.write_text(file_of(memory).read_text() + conflict)
    said(memory)
    save(file_of(memory), without(file_of(memory).read_text(), "Minka"))
    assert said(memory) == ["Apples.", "Pears.", "The dog is called Rex."]


@pytest.mark.slow
def test_a_hand_written_note_changed_after_its_first_night_is_held_once(memory: Memory, clock: TestClock) -> None:
    turns(memory, "The cat is called Minka.")
    file = file_of(memory)
    save(file, file.read_text() + "### 19:05 · anna\nOur goldfish is called Bubbles, and it is three years old.\n")
    clock.advance(days=1)
    memory.admin.maintain()
    save(file, file.read_text().replace("Bubbles", "Splash"))
    changed = ["Our goldfish is called Splash, and it is three years old.", "The cat is called Minka."]
    assert said(memory) == changed
    for _ in range(8):
        clock.advance(days=1)
        memory.admin.maintain()
        assert said(memory) == changed
    assert "Bubbles" in memory.journal.show("2026-01-30").text  # the first words, with the others below


def test_what_a_person_changes_after_a_process_was_killed_is_their_work(memory: Memory) -> None:
    turns(memory, "The cat is called Minka.", "The dog is called Rex.", "The parrot is called Coco.")
    with pytest.raises(KeyboardInterrupt), changes_by_waypost(memory.space, [DAY]) as folder:
        text = folder.read(DAY)
        folder.replace(DAY, text.replace("# 2026-01-30", "# 2026-01-30 "), expected=text)
        raise KeyboardInterrupt
    save(file_of(memory), without(file_of(memory).read_text(), "Rex").replace("Minka", "Luna"))
    assert said(memory) == ["The cat is called Luna.", "The parrot is called Coco."]


@pytest.mark.slow
def test_a_heading_that_says_all_there_is_to_say_is_a_note(memory: Memory, clock: TestClock) -> None:
    turns(memory, "The cat is called Minka.")
    save(file_of(memory), file_of(memory).read_text() + "### 10:30 call the dentist\n\n### 11:00 anna\n")
    assert said(memory) == ["The cat is called Minka.", "call the dentist"]
    for _ in range(9):
        clock.advance(days=1)
        memory.admin.maintain()
    assert said(memory) == ["The cat is called Minka.", "call the dentist"]
    assert "call the dentist" in memory.journal.show("2026-01-30").text


def test_words_that_a_person_writes_into_the_comment_of_a_heading_stay(memory: Memory, clock: TestClock) -> None:
    turns(memory, "The cat is called Minka.")
    save(file_of(memory), file_of(memory).read_text().replace("<!-- conversation ", "<!-- conversation ask Zelda "))
    clock.advance(days=1)
    memory.admin.maintain()
    assert "Zelda" in file_of(memory).read_text()
