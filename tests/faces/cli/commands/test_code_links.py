"""What the commands say about the code that memories point at."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.conftest import Git
from tests.faces.cli.conftest import Waypost

from waypost.faces.cli.commands.code_links import read_place
from waypost.faces.cli.output.code_links import hit_with_links, link_lines, print_about, print_stale, with_links
from waypost.faces.cli.output.editor_links import EditorLinks
from waypost.faces.cli.session import CommandSession
from waypost.model.code_link import OVERRIDDEN, AboutHit, CodeLink, LinkedMemory, RelatedCode, StaleReport
from waypost.model.code_verdict import AMBIGUOUS, CHANGED, DELETED, MOVED, UNCHANGED, UNCHECKED, CodeVerdict
from waypost.model.memory import State, Version
from waypost.model.reference import CodeReference, LineRange

DAY = datetime(2026, 11, 3, 9, tzinfo=UTC)
WAS = CodeReference("src/a.py", LineRange(3, 9))
HERE = CodeReference("src/b.py", LineRange(17, 23), stale_since=DAY)
ID = "01K9ZX6Y9D4T3N0V1M2B3C4D5E"

NO_LINKS = EditorLinks(None)


def said(link: CodeLink, places: EditorLinks = NO_LINKS) -> list[str]:
    return [line.plain for line in link_lines(link, places)]


def memory(*links: CodeLink, stale: bool = False) -> LinkedMemory:
    version = Version(ID, "decision", "Five tries, then we stop.", DAY, DAY, "person", "anna")
    return LinkedMemory(
        version, State(is_stale=stale, stale_reason="code_changed: …" if stale else None), links, 0.8, DAY
    )


CHANGED_LINK = CodeLink(
    CodeReference("src/a.py", LineRange(4, 9), stale_since=DAY), WAS, CodeVerdict(CHANGED, amount=0.35), True
)


def test_code_that_is_as_it_was_is_shown_with_its_place_and_name() -> None:
    assert said(CodeLink(WAS, WAS, CodeVerdict(UNCHANGED, "src/a.py", name="Cart.pay"))) == [
        "at src/a.py:3 Cart.pay, to line 9"
    ]


def test_changed_code_says_stale_in_words_since_when_and_how_much() -> None:
    assert said(CHANGED_LINK) == ["STALE since 2026-11-03: code changed: src/a.py:4 (35% changed)"]


def test_deleted_code_is_named_by_where_it_was() -> None:
    gone = CodeLink(CodeReference("src/a.py", stale_since=DAY), WAS, CodeVerdict(DELETED), True)
    assert said(gone) == ["STALE since 2026-11-03: code changed: deleted, was src/a.py:3"]


def test_moved_code_is_no_alarm() -> None:
    moved = CodeLink(HERE, WAS, CodeVerdict(MOVED, "src/b.py", name="Cart.pay_all"))
    assert said(moved) == ["moved: src/a.py:3 → src/b.py:17 Cart.pay_all"]


def test_code_that_moved_and_changed_says_both() -> None:
    both = CodeLink(HERE, WAS, CodeVerdict(CHANGED, "src/b.py", amount=0.5), True)
    assert said(both) == [
        "STALE since 2026-11-03: code changed: src/b.py:17 (50% changed)",
        "moved: src/a.py:3 → src/b.py:17",
    ]


def test_code_that_could_be_in_several_places_names_them() -> None:
    found = CodeVerdict(AMBIGUOUS, others=("x.py:1", "y.py:2"))
    assert said(CodeLink(WAS, WAS, found, True)) == ["STALE: code changed: src/a.py:3 (could be x.py:1 or y.py:2)"]


def test_code_that_nobody_could_check_says_so() -> None:
    pinned = replace(WAS, anchor=b"code")
    assert said(CodeLink(pinned, pinned, CodeVerdict(UNCHECKED), checked_at=DAY)) == [
        "at src/a.py:3, to line 9, could not be checked"
    ]
    assert said(CodeLink(WAS, WAS, CodeVerdict(UNCHECKED), checked_at=DAY)) == [
        "at src/a.py:3, to line 9 (file not found; staleness can't be checked)"
    ]


def test_names_out_of_the_code_cannot_act_on_the_terminal() -> None:
    hostile = CodeReference("a\x1b[31m.py")
    lines = said(CodeLink(hostile, hostile, CodeVerdict(UNCHANGED, name="x\x1b]8;;y\x07")))
    assert lines == ["at a\ufffd[31m.py x\ufffd]8;;y\ufffd"]


def test_the_stale_are_counted_and_the_next_step_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    moved = memory(CodeLink(HERE, WAS, CodeVerdict(MOVED, "src/b.py")))
    print_stale(StaleReport(3, 1, 2, 0, (memory(CHANGED_LINK, stale=True),), (moved,)), NO_LINKS)
    out = capsys.readouterr().out
    assert (
        f"{ID}  decision · person · 2026-11-03 · confidence 0.80\n   Five tries, then we stop.\n   STALE since" in out
    )
    assert "Still true, but the code moved" in out
    assert "3 memories point at code: 1 stale, 2 fresh.\n" in out
    assert "waypost verify ID" in out


def test_nothing_stale_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_stale(StaleReport(1, 0, 1, 0), NO_LINKS)
    assert capsys.readouterr().out == "1 memory points at code: 0 stale, 1 fresh.\n"


def test_a_memory_stale_for_another_reason_says_it(capsys: pytest.CaptureFixture[str]) -> None:
    print_about([AboutHit(memory(CodeLink(WAS, WAS), stale=True), "file", CodeLink(WAS, WAS))], "src/a.py", NO_LINKS)
    out = capsys.readouterr().out
    assert "STALE: code changed: …" in out
    assert "about this file" in out


def test_json_has_a_link_for_programs_and_one_for_editors() -> None:
    places = EditorLinks(Path("/p"), "vscode")
    row = with_links(AboutHit(memory(CHANGED_LINK), "direct", CHANGED_LINK).to_json(), places)
    for ref in (row["code_ref"], *row["code_refs"]):
        assert (ref["code_link"], ref["editor_link"]) == ("file:src/a.py#L4-L9", "vscode://file/p/src/a.py:4:1")
    hit = hit_with_links({"path": "a#L9.py", "line": 2, "end_line": None, "code_refs": []}, places)
    assert (hit["code_link"], hit["editor_link"]) == ("file:a#L9.py#L2-L2", "vscode://file/p/a%23L9.py:2:1")
    assert hit_with_links({"path": None}, places)["editor_link"] is None


# -- the commands, on a real tree -----------------------------------------------------------------------------

CODE = '''\
"""Uploads."""


def retry(send, tries=5):
    """Call until it works."""
    for attempt in range(tries):
        try:
            return send()
        except OSError:
            continue
    raise RuntimeError("gave up")


def checksum(data):
    total = 0
    for byte in data:
        total = (total * 31 + byte) % 65521
    return total
'''
CHANGED_CODE = CODE.replace(
    "            continue\n", "            wait(attempt)\n            log(attempt)\n            continue\n"
)
SAID = "We retry uploads five times because the store drops connections"
QUESTION = "how often do we retry uploads?"


@pytest.fixture
def file(project: Path, git: Git) -> Path:
    git(project, "init", "-q")
    (project / "src").mkdir()
    file = project / "src" / "upload.py"
    file.write_text(CODE)
    return file


@pytest.fixture
def remembered(waypost: Waypost, file: Path) -> str:
    """The id of a memory about `retry`."""
    receipt = waypost("remember", SAID, "--kind", "decision", "--ref", "src/upload.py#L4-L11", "--json").json
    assert receipt["links"] == ["src/upload.py#L4-L11"]
    return str(receipt["id"])


def test_about_a_line_finds_what_is_remembered_about_it(waypost: Waypost, remembered: str) -> None:
    done = waypost("about", "src/upload.py:6", "--json")
    (found,) = done.json["memories"]
    assert (done.code, found["id"], found["relevance"]) == (0, remembered, "direct")
    assert found["code_ref"]["code_link"] == "file:src/upload.py#L4-L11"
    out = waypost("about", "src/upload.py:6").out
    assert SAID in out
    assert "about this line" in out
    assert "at src/upload.py:4 retry, to line 11" in out
    assert waypost("about", "src/upload.py", "--json").json["memories"][0]["relevance"] == "file"


def test_about_a_place_that_nobody_knows_says_so(waypost: Waypost, remembered: str, project: Path) -> None:
    (project / "src" / "other.py").write_text("x = 1\n")
    done = waypost("about", "src/other.py:1")
    assert (done.code, done.out) == (3, "No memories about src/other.py:1.\n")
    assert waypost("about", "src/other.py", "--json").json["memories"] == []


def test_about_works_from_a_folder_below(
    waypost: Waypost, remembered: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "src")
    assert waypost("about", "upload.py:6", "--json").json["memories"][0]["id"] == remembered
    assert waypost("stale", "upload.py", "--json").json["checked"] == 1


@pytest.mark.parametrize("place", ["a" * 5000, "/etc/passwd", "../x.py:3", "src/upload.py:0", "a\x1b[31m.py", "."])
def test_what_is_no_place_of_the_tree_is_refused(waypost: Waypost, file: Path, place: str) -> None:
    done = waypost("about", place)
    assert done.code in (1, 2)
    assert "\x1b" not in done.err
    assert "Check the disk" not in done.err


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("src/upload.py", None),
        ("src/upload.py:6", 6),
        ("src/upload.py:6:", 6),
        ("src/upload.py:6:13", 6),
        ("src/upload.py:6-9", 6),
        ("src/upload.py#L6-L9", 6),
        ("file:src/upload.py#L6", 6),
        ("src/gone.py:6", 6),
        ("src/odd:6", None),
    ],
)
def test_a_place_is_read_as_compilers_and_links_write_it(file: Path, place: str, line: int | None) -> None:
    file.with_name("odd:6").write_text("")
    path, read = read_place(CommandSession(), place)
    assert read == line
    assert path in ("src/upload.py", "src/gone.py", "src/odd:6")


def test_code_that_only_shifts_keeps_its_memory_fresh(waypost: Waypost, remembered: str, file: Path) -> None:
    file.write_text("# one\n# two\n" + CODE)
    assert waypost("ask", QUESTION).out.splitlines()[0].endswith("  src/upload.py:6")
    assert waypost("stale", "--json").json["stale"] == 0


@pytest.mark.slow
def test_an_answer_about_changed_code_is_marked_stale(waypost: Waypost, remembered: str, file: Path) -> None:
    file.write_text(CHANGED_CODE)
    done = waypost("ask", QUESTION)
    assert "   STALE since 20" in done.out
    assert ": code changed: src/upload.py:4 (" in done.out
    assert "\x1b" not in done.out
    (hit,) = waypost("ask", QUESTION, "--json").json["hits"]
    (ref,) = hit["code_refs"]
    assert hit["is_stale"] is ref["is_stale"] is True
    assert hit["stale_reason"].startswith("code_changed: src/upload.py:4")
    keys = {"file_path", "line_range", "code_link", "editor_link", "is_stale", "stale_since", "last_verified_at"}
    assert ref.keys() >= keys | {"confidence_score"}
    assert waypost("ask", QUESTION, "--fresh").code == 3
    assert waypost("ask", QUESTION, "--min-confidence", "0.6").code == 3
    assert waypost("ask", QUESTION, "--min-confidence", "1.5").code == 2


def test_stale_counts_and_shows_what_changed(waypost: Waypost, remembered: str, file: Path) -> None:
    waypost("remember", "The checksum is that of the mobile client", "--ref", "src/upload.py#L14-L18")
    file.write_text(CHANGED_CODE)
    done = waypost("stale", "--check", "--json").json
    assert {key: done[key] for key in ("checked", "stale", "fresh", "errors")} == {
        "checked": 2, "stale": 1, "fresh": 1, "errors": 0,
    }  # fmt: skip
    assert [one["id"] for one in done["memories"]] == [remembered]
    out = waypost("stale").out
    assert "2 memories point at code: 1 stale, 1 fresh." in out
    assert "waypost verify ID" in out
    assert waypost("stale", "--files", "README.md", "--json").json["checked"] == 0
    assert waypost("stale", "README.md").out == "No memory points there.\n"


@pytest.mark.slow
def test_verify_makes_it_fresh_for_the_code_as_it_is_now(waypost: Waypost, remembered: str, file: Path) -> None:
    file.write_text(CHANGED_CODE)
    assert waypost("stale", "--json").json["stale"] == 1
    done = waypost("verify", remembered)
    assert (done.code, done.out.startswith(f"Verified {remembered[:8]}")) == (0, True)
    assert "at src/upload.py:4 retry, to line 13" in done.out
    assert waypost("stale", "--check", "--json").json["stale"] == 0
    file.write_text(CHANGED_CODE.replace("log(attempt)", "raise"))
    assert waypost("stale", "--json").json["stale"] == 1
    assert waypost("verify", "--all", "--json").json["count"] == 1
    assert waypost("verify", "--all").out == "Nothing to do: no memory was verified.\n"


@pytest.mark.parametrize(
    "arguments", [("verify",), ("verify", "--all", "--files", "a"), ("relink",), ("relink", "--ref", "a")]
)
def test_a_repair_of_nothing_in_particular_is_refused(waypost: Waypost, file: Path, arguments: tuple[str, ...]) -> None:
    done = waypost(*arguments)
    assert done.code == 2
    assert "waypost stale" in done.err


@pytest.mark.slow
def test_what_is_gone_cannot_be_verified_but_pointed_elsewhere(waypost: Waypost, remembered: str, file: Path) -> None:
    file.write_text('"""Uploads."""\n\n\n' + CODE[CODE.index("def checksum") :])
    done = waypost("verify", remembered)
    assert (done.code, done.out) == (1, "")
    assert f"note: not verified: {remembered}" in done.err
    out = waypost("stale").out
    assert "code changed: deleted, was " in out
    assert "waypost relink ID --drop" in out
    done = waypost("relink", remembered, "--ref", "src/upload.py#checksum", "--json")
    assert (done.code, done.json["status"]) == (0, "relinked")
    assert done.json["memories"][0]["code_refs"][0]["file_path"] == "src/upload.py"
    assert waypost("stale", "--json").json["stale"] == 0
    assert waypost("relink", remembered, "--ref", "src/nowhere.py#L1-L2").code == 2


@pytest.mark.slow
def test_moved_code_is_followed_and_relink_takes_note_of_it(waypost: Waypost, remembered: str, file: Path) -> None:
    file.rename(file.with_name("send.py"))
    waypost("init", "--json")
    out = waypost("stale").out
    assert "moved: src/upload.py:4 → src/send.py:4" in out
    assert "waypost relink --all" in out
    assert waypost("about", "src/send.py:5", "--json").json["memories"][0]["id"] == remembered
    assert waypost("relink", "--all", "--json").json["count"] == 1
    assert "moved" not in waypost("stale").out
    assert waypost("relink", "--all").out == "Nothing to do: no memory was relinked.\n"
    places = [line for line in waypost("history", remembered).out.splitlines() if line.startswith("    at ")]
    assert places == ["    at src/upload.py:4", "    at src/send.py:4"]


def test_show_tells_where_a_memory_points(waypost: Waypost, remembered: str) -> None:
    out = waypost("show", remembered).out
    assert "\npoints at\n   at src/upload.py:4 retry, to line 11" in out
    assert "code_refs" not in out
    row = waypost("show", remembered, "--json").json
    assert row["code_refs"][0]["code_link"] == "file:src/upload.py#L4-L11"
    assert row["confidence"] > 0.5


@pytest.mark.slow
def test_maintain_says_what_each_step_did_and_does_it_once(waypost: Waypost, remembered: str) -> None:
    looked = waypost("maintain", "--dry-run", "--json").json
    assert looked["dry_run"] is True
    done = {step["step"]: step for step in waypost("maintain", "--json").json["steps"]}
    assert done["references"]["skipped"] is False
    again = {step["step"]: step for step in waypost("maintain", "--json").json["steps"]}
    assert again["references"]["skipped"] is True
    assert "not due: " in waypost("maintain").out
    forced = {step["step"]: step for step in waypost("maintain", "--force", "--json").json["steps"]}
    assert forced["references"]["skipped"] is False
    assert "1 memory points at code: " in waypost("maintain", "--force").out


def test_a_memory_about_overridden_code_is_labelled(capsys: pytest.CaptureFixture[str]) -> None:
    related = RelatedCode(OVERRIDDEN, "Store.read", "FileStore.read")
    print_about([AboutHit(memory(CHANGED_LINK), OVERRIDDEN, CHANGED_LINK, related)], "src/b.py:3", NO_LINKS)
    out = capsys.readouterr().out
    assert out.startswith("No memories about src/b.py:3 itself.\n")
    assert "about `Store.read`, which `FileStore.read` overrides" in out
