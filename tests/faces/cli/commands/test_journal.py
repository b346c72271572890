"""The commands on the journal, as a person or a program calls them."""

import json
from pathlib import Path

import pytest
from tests.faces.cli.conftest import Waypost

PLAN = "I want to pass three certificates this year: the first in March, the second in May, the third in July."


@pytest.fixture
def said(waypost: Waypost) -> str:
    added = waypost(
        "journal", "add", PLAN, "--session", "aws", "--speaker", "user", "--time", "2026-01-15T14:30:00Z", "--json"
    )
    return str(json.loads(added.out)["id"])


def test_an_entry_is_written_to_the_file_of_its_day_and_shown(waypost: Waypost, said: str) -> None:
    shown = waypost("journal", "show", "2026-01-15")
    assert shown.code == 0
    assert "### 14:30:00 · user" in shown.out and PLAN in shown.out
    answer = json.loads(waypost("journal", "show", said, "--json").out)
    assert answer["path"] == "daily/2026-01-15.md"


def test_a_note_needs_nothing_but_its_words(waypost: Waypost) -> None:
    assert waypost("journal", "add", "Ask Peter about the heating").code == 0
    assert "Ask Peter about the heating" in waypost("journal", "show").out


@pytest.mark.slow
def test_the_timeline_of_a_day_tells_its_entries_also_from_the_archive(waypost: Waypost, said: str) -> None:
    assert waypost("journal", "condense", "--force").code == 0
    told = waypost("journal", "timeline", "2026-01-15", "--json")
    [entry] = json.loads(told.out)["entries"]
    assert (entry["id"], entry["text"]) == (said, PLAN)
    assert "2026-01" in waypost("journal", "timeline").out


def test_a_time_of_which_nothing_is_known_is_nothing_found(waypost: Waypost, said: str) -> None:
    assert waypost("journal", "timeline", "2020-02-02").code == 3
    assert waypost("journal", "show", "2020-02-02").code == 3
    assert waypost("journal", "search", "xylophone").code == 3


def test_what_is_no_time_is_wrong_usage(waypost: Waypost) -> None:
    done = waypost("journal", "timeline", "when pigs fly")
    assert done.code == 2
    assert "Traceback" not in done.err


def test_search_finds_words_in_the_packed_archive(waypost: Waypost, said: str) -> None:
    waypost("journal", "condense", "--force")
    lines = json.loads(waypost("journal", "search", "three certificates", "--json").out)["lines"]
    assert said in {line["id"] for line in lines if line["path"].startswith("archive/daily/")}


@pytest.mark.slow
def test_condensing_is_undone_by_restore_and_goes_on_after_release(waypost: Waypost, said: str) -> None:
    waypost("journal", "condense", "--force")
    restored = json.loads(waypost("journal", "restore", "2026-01-15", "--json").out)
    assert restored["files"] == ["daily/2026-01-15.md"]
    waypost("journal", "condense", "--force")
    assert json.loads(waypost("journal", "show", "2026-01-15", "--json").out)["archived"] is False
    waypost("journal", "restore", "--release", "2026-01-15")
    waypost("journal", "condense", "--force")
    assert json.loads(waypost("journal", "show", "2026-01-15", "--json").out)["archived"] is True


def test_an_entry_is_protected_by_words_that_it_contains(waypost: Waypost, said: str) -> None:
    done = json.loads(waypost("journal", "protect", "the first in March", "--json").out)
    assert done == {"id": said, "protected": True}
    assert json.loads(waypost("show", said, "--json").out)["protected"] is True


def test_words_that_mean_no_entry_protect_nothing(waypost: Waypost, said: str) -> None:
    assert waypost("journal", "protect", "xylophone concert").code == 3


def test_stats_count_and_name_the_metrics(waypost: Waypost, said: str) -> None:
    found = json.loads(waypost("journal", "stats", "--json").out)
    assert (found["entries"], found["conversations"]) == (1, 1)
    assert {"total_size_mb", "daily_files_count", "cleanup_runs", "tokens_saved_vs_v1"} <= set(found["metrics"])
    assert "conversations" in waypost("journal", "stats").out


def test_a_chat_is_imported_once_and_can_be_taken_back(waypost: Waypost, tmp_path: Path) -> None:
    chat = tmp_path / "chat.jsonl"
    rows = [
        {"role": "user", "content": "Where does the ferry leave?", "time": "2026-01-20T10:00:00Z"},
        {"role": "assistant", "content": "From pier 7.", "time": "2026-01-20T10:00:05Z"},
    ]
    chat.write_text("".join(json.dumps(row) + "\n" for row in rows))
    first = json.loads(waypost("journal", "import", str(chat), "--json").out)
    again = json.loads(waypost("journal", "import", str(chat), "--json").out)
    assert (first["entries"], again["entries"], again["duplicates"]) == (2, 0, 2)
    assert "From pier 7." in waypost("ask", "where does the ferry leave?", "--in", "journal").out
    assert waypost("journal", "import", "--undo", str(chat)).code == 0
    assert waypost("journal", "timeline", "2026-01-20").code == 3


def test_a_bad_line_of_a_chat_is_named_and_nothing_is_written(waypost: Waypost, tmp_path: Path) -> None:
    chat = tmp_path / "chat.jsonl"
    chat.write_text('{"role": "user", "content": "Hello", "time": "2026-01-20T10:00:00Z"}\n{"role": "user"}\n')
    done = waypost("journal", "import", str(chat))
    assert done.code == 2 and "2" in done.err
    assert waypost("journal", "timeline", "2026-01-20").code == 3


def test_a_picture_is_kept_beside_its_entry(waypost: Waypost, tmp_path: Path) -> None:
    picture = tmp_path / "board.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + b"0" * 50)
    added = waypost("journal", "add", "The plan on the board", "--media", str(picture), "--json").json
    assert "media=archive/media/" in waypost("journal", "show").out
    kept = list(Path(waypost("journal", "stats", "--json").json["path"], "archive", "media").iterdir())
    assert [place.read_bytes() for place in kept] == [picture.read_bytes()]
    waypost("forget", added["id"], "--yes")
    assert not kept[0].exists()


def test_an_entry_is_curated_into_the_readers_own_part(waypost: Waypost, said: str) -> None:
    assert waypost("journal", "curate", said).code == 0
    shown = waypost("journal", "show", "MEMORY.md").out
    assert PLAN in shown.partition("<!-- waypost:begin")[0]


def test_a_path_out_of_the_journal_is_refused(waypost: Waypost) -> None:
    done = waypost("journal", "show", "../../config.md")
    assert done.code in (1, 2, 3)
    assert "Traceback" not in done.err


def test_the_journal_moves_into_the_repository_when_asked(waypost: Waypost, said: str, project: Path) -> None:
    refused = waypost("init", "--journal-in-repo", "--no-facts")
    assert (refused.code, "Only a person can agree" in refused.err) == (1, True)
    assert not (project / ".waypost").exists()
    assert waypost("init", "--journal-in-repo", "--no-facts", "--yes").code == 0
    [page] = (project / ".waypost" / "daily").glob("2026-01-15.*.md")
    assert PLAN in page.read_text()
    assert json.loads(waypost("show", said, "--json").out)["text"] == PLAN
    assert json.loads(waypost("ask", "three certificates", "--in", "code", "--json").out)["hits"] == []


def test_an_answer_says_in_which_file_and_under_which_heading_an_entry_stands(waypost: Waypost, said: str) -> None:
    told = waypost("ask", "certificates", "--in", "journal")
    assert "daily/2026-01-15.md 14:30:00" in told.out
    [hit] = json.loads(waypost("ask", "certificates", "--in", "journal", "--json").out)["hits"]
    assert (hit["page"], hit["heading"], hit["path"]) == ("daily/2026-01-15.md", "14:30:00", None)


def test_a_single_thing_is_told_as_one(waypost: Waypost, said: str) -> None:
    stats = waypost("journal", "stats").out
    assert "1 entry each" in stats and "1 file " in stats
    pruned = waypost("journal", "prune", "--dry-run", "--after-days", "0", "--unused-days", "0").out
    assert "1 entries" not in pruned and "1 old ones" not in pruned


def test_a_day_of_which_nothing_was_shortened_is_not_called_trimmed(waypost: Waypost) -> None:
    waypost("journal", "add", "We went for a walk.", "--time", "yesterday")
    told = waypost("journal", "condense", "--force").out
    assert "nothing to shorten" in told and "trimmed" not in told


def test_taking_back_an_import_says_what_went_and_what_stays(waypost: Waypost, project: Path) -> None:
    days = project / ".locai" / "memory"
    days.mkdir(parents=True)
    (days / "2026-01-05.md").write_text("## 14:30 user\n\nThe heating is loud.\n")
    (project / ".locai" / "MEMORY.md").write_text("# Memory\n\n- Lives in Graz\n")
    assert "1 entry of 1 day" in waypost("import", "--from", "locai", ".locai").out
    told = waypost("import", "--from", "locai", "--undo").out
    assert told.startswith("Undid the import ") and "Removed 1 entry" in told and "MEMORY.md" in told
