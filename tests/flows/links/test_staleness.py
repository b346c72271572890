"""Memories that point at code: pinned when they are made, followed when the code moves, stale when it changes."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Git, OpenMemory, TestClock

from waypost.config import Settings
from waypost.errors import InvalidInput, PersonOnly, SecurityError
from waypost.flows.checkouts.parsed_file import ParsedFile
from waypost.memory import Memory
from waypost.model.code_link import CodeLink, problem_of
from waypost.model.memory import Caller
from waypost.model.reference import LineRange
from waypost.model.shape import FileShape

UPLOADS = '''\
"""Uploads."""


class StorageService:
    """Stores files."""

    def create_uploads(self, files):
        parts = []
        for file in files:
            parts.append(self.send(file, size=5))
        return parts

    def send(self, file, size):
        return (file, size)


def move_files(source, target):
    if source == target:
        return None
    target.extend(source)
    return target
'''


@pytest.fixture
def uploads(tree: Path) -> Path:
    path = tree / "shop/uploads.py"
    path.write_text(UPLOADS)
    return path


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def the_link(memory: Memory, memory_id: str | None) -> CodeLink:
    assert memory_id is not None
    return memory.show(memory_id).links[0]


@pytest.fixture
def repository(tree: Path, uploads: Path, git: Git) -> Path:
    git(tree, "init", "-q", "-b", "main")
    git(tree, "add", "-A")
    git(tree, "commit", "-qm", "one")
    return tree


# -- text that is the same -------------------------------------------------------------------------------------


def test_only_functions_with_other_text_have_their_syntax_compared(
    repository: Path, uploads: Path, open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[str] = []
    symbol_shape = ParsedFile.symbol_shape

    def note(file: ParsedFile, name: str, *, typed: bool) -> FileShape:
        compared.append(name)
        return symbol_shape(file, name, typed=typed)

    monkeypatch.setattr(ParsedFile, "symbol_shape", note)
    with open_memory(repository) as memory:
        names = ("StorageService.create_uploads", "StorageService.send", "move_files")
        ids = [memory.remember(f"About {name}.", refs=[f"shop/uploads.py#{name}"]).id for name in names]
        edit(uploads, '"""Uploads."""\n', '"""Uploads."""\n\n# A comment above everything.\n')
        edit(uploads, "return (file, size)", "return (size, file)")
        report = memory.code.stale(check=True)
        assert [one.version.memory_id for one in report.memories] == [ids[1]]
        assert compared == ["StorageService.send"]
        line = the_link(memory, ids[2]).reference.line_range
        assert line is not None
        assert uploads.read_text().split("\n")[line.start - 1].startswith("def move_files")


def test_a_new_decorator_changes_a_function_and_a_new_comment_does_not(
    repository: Path, uploads: Path, open_memory: OpenMemory
) -> None:
    with open_memory(repository) as memory:
        found = memory.remember("It moves files.", refs=["shop/uploads.py#move_files"]).id
        edit(uploads, "def move_files", "# Moves all.\n\n# Or none.\ndef move_files")
        link = the_link(memory, found)
        assert not link.is_stale
        assert link.reference.line_range == LineRange(20, 24)
        edit(uploads, "# Or none.\n", "@retried(3)\n# Or none.\n")
        assert the_link(memory, found).is_stale


def test_a_pinned_comment_that_was_extended_is_shown_with_the_function(
    repository: Path, uploads: Path, open_memory: OpenMemory
) -> None:
    edit(uploads, "def move_files", "# Or none.\ndef move_files")
    with open_memory(repository) as memory:
        found = memory.remember("It moves files.", refs=["shop/uploads.py#L17-L22"]).id
        edit(uploads, "# Or none.\n", "# All files,\n# or none.\n")
        link = the_link(memory, found)
        assert (link.is_stale, link.reference.line_range) == (False, LineRange(17, 23))


# -- pinned ---------------------------------------------------------------------------------------------------


def test_commit_branch_hash_and_symbol_are_filled_in(repository: Path, memory: Memory, git: Git) -> None:
    made = memory.remember("Uploads go in parts of five", refs=["shop/uploads.py#L7-L11"])
    reference = the_link(memory, made.id).reference
    assert reference.git_commit == git(repository, "rev-parse", "HEAD")
    assert reference.git_branch == "main"
    assert reference.code_hash is not None and reference.code_hash.startswith("sha256:")
    assert reference.symbol_id is not None and reference.symbol_id.endswith("StorageService#create_uploads().")
    assert made.links == ("shop/uploads.py#L7-L11",)


@pytest.mark.parametrize(
    "written",
    [
        "shop/uploads.py#L17-L21",
        "shop/uploads.py#L17-21",
        "shop/uploads.py#move_files",
        "file:shop/uploads.py#L17-L21",
        {"file_path": "shop/uploads.py", "line_start": 17, "line_end": 21},
        {"file_path": "shop/uploads.py", "line_range": {"start": 17, "end": 21}},
        {"file_path": "shop/uploads.py", "symbol_id": "move_files"},
    ],
)
def test_every_form_of_a_reference_is_read(uploads: Path, memory: Memory, written: str | dict[str, Any]) -> None:
    link = the_link(memory, memory.remember("Equal paths are left alone", refs=[written]).id)
    assert str(link.reference) == "shop/uploads.py#L17-L21"
    assert link.to_json()["code_link"] == "file:shop/uploads.py#L17-L21"


def test_an_absolute_path_and_uri_are_those_of_the_tree(uploads: Path, memory: Memory) -> None:
    for written in (f"{uploads}#L17-L21", f"file://{uploads}#L17-L21"):
        link = the_link(memory, memory.remember(f"Said of {written}", refs=[written]).id)
        assert str(link.reference) == "shop/uploads.py#L17-L21"


def test_a_symbol_is_found_by_its_name_alone(uploads: Path, indexed: Memory) -> None:
    link = the_link(indexed, indexed.remember("Sends one file", refs=["StorageService.send"]).id)
    assert str(link.reference) == "shop/uploads.py#L13-L14"
    assert link.finding.name == "StorageService.send"


def test_a_name_that_nobody_knows_is_refused_with_what_to_do(uploads: Path, indexed: Memory) -> None:
    with pytest.raises(InvalidInput, match="no symbol of that name"):
        indexed.remember("Something", refs=["StorageService.receive"])


def test_a_name_of_several_symbols_is_refused_with_their_places(uploads: Path, tree: Path, memory: Memory) -> None:
    (tree / "shop/other.py").write_text("def move_files():\n    return 1\n")
    memory.index()
    with pytest.raises(InvalidInput, match=r"shop/other\.py:1"):
        memory.remember("Something", refs=["move_files"])


def test_a_reference_out_of_the_tree_is_refused(uploads: Path, memory: Memory) -> None:
    with pytest.raises(SecurityError):
        memory.remember("Something", refs=["../outside.py#L1-L2"])
    assert not memory.list()


def test_a_file_that_is_not_there_is_kept_and_said(uploads: Path, memory: Memory) -> None:
    made = memory.remember("Will come", refs=["shop/later.py#L1-L9"])
    assert "shop/later.py" in made.notices[0]
    assert the_link(memory, made.id).finding.state == "unchecked"
    assert memory.code.stale().errors == 1


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("docs/gone.md", "docs/gone.md: file not found"),
        ("gone.py:3", "gone.py#L3-L3: file not found"),
        ("shop/gone.py#send", "shop/gone.py: file not found"),
        ("shop/uploads.py#nothing", "shop/uploads.py: no such code"),
        ("shop/uploads.py#L900", "shop/uploads.py#L900-L900: no such code"),
    ],
)
def test_code_that_was_never_found_is_marked_in_every_answer(
    uploads: Path, memory: Memory, written: str, problem: str
) -> None:
    made = memory.remember("Uploads are kept for a year", refs=[written])
    assert "staleness can't be checked" in made.notices[0]
    assert f"[{problem}]" in memory.brief("how long are uploads kept?").text
    hit = memory.recall("how long are uploads kept?")[0]
    assert problem_of(hit.links) == problem
    assert hit.to_json()["code_refs"][0]["problem"] == problem.partition(": ")[2]
    assert [one.id for one in memory.code.stale().unfound] == [made.id]


def test_a_folder_and_a_file_that_comes_later_are_not_marked(tree: Path, uploads: Path, memory: Memory) -> None:
    (tree / "shop/parts").mkdir()
    folder = memory.remember("The parts are old", refs=["shop/parts"])
    later = memory.remember("Plans are kept here", refs=["docs/plans.md"])
    assert problem_of(memory.show(later.id or "").links)
    (tree / "docs").mkdir()
    (tree / "docs/plans.md").write_text("Plans")
    assert not problem_of(memory.show(later.id or "").links + memory.show(folder.id or "").links)


def test_every_memory_that_could_not_be_checked_is_listed(tree: Path, uploads: Path, memory: Memory) -> None:
    made = [memory.remember("The shop is small", refs=["shop"]), memory.remember("Plans", refs=["docs/plans.md"])]
    report = memory.code.stale()
    assert (report.errors, [one.id for one in report.unfound]) == (2, [one.id for one in made])


def test_a_folder_of_one_word_is_a_reference(uploads: Path, memory: Memory) -> None:
    made = memory.remember("The shop is small", refs=["shop"])
    assert memory.show(made.id or "").links[0].was.file_path == "shop"
    assert "shop is a folder" in made.notices[0]


def test_a_misspelt_file_brings_files_like_it(uploads: Path, memory: Memory) -> None:
    memory.index()
    notice = memory.remember("Uploads are kept", refs=["shop/uplaods.py"]).notices[0]
    assert notice.endswith("staleness can't be checked. Did you mean shop/uploads.py?")
    assert "shop/uploads.py" in memory.remember("They are kept", refs=["lib/uploads.py"]).notices[0].partition("?")[0]
    with pytest.raises(InvalidInput) as caught:
        memory.remember("Uploads are large", refs=["uploads.pi"])
    assert caught.value.remedy == "Did you mean shop/uploads.py?"


def test_lines_behind_the_end_are_kept_and_said(uploads: Path, memory: Memory) -> None:
    assert "no line 400" in memory.remember("Far off", refs=["shop/uploads.py#L400-L410"]).notices[0]


def test_a_secret_in_a_file_is_in_no_hash(tree: Path, memory: Memory) -> None:
    import hashlib

    line = 'TOKEN = "ghp_aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bD1fG3hJ5"\n'
    (tree / "shop/keys.py").write_text(line)
    link = the_link(memory, memory.remember("A key stands here", refs=["shop/keys.py#L1"]).id)
    assert link.reference.code_hash != f"sha256:{hashlib.sha256(line.encode()).hexdigest()}"
    assert link.finding.state == "unchanged"


@pytest.mark.slow
def test_many_references_stay_small_on_disk(uploads: Path, memory: Memory) -> None:
    import apsw

    for start in range(7, 20):
        memory.remember(
            f"About line {start}", refs=[f"shop/uploads.py#L{start}-L{start + 1}", "shop/uploads.py#L7-L11"]
        )
    memory.code.stale(check=True)
    memory.close()
    with apsw.Connection(str(memory.space.folder / "memory.db")) as db:
        rows = db.execute(
            "SELECT number, sum(length(path) + coalesce(length(symbol), 0) + coalesce(length(hash), 0)"
            " + coalesce(length(git_commit), 0) + coalesce(length(anchor), 0) + coalesce(length(more), 0) + 40)"
            " FROM code_refs GROUP BY number"
        ).fetchall()
    sizes = [float(str(size)) for _, size in rows]
    assert max(sizes) < 1024
    assert sum(sizes) / len(sizes) < 700  # two references each


# -- followed -------------------------------------------------------------------------------------------------


def test_an_edit_above_moves_the_lines_and_nothing_else(uploads: Path, memory: Memory) -> None:
    made = memory.remember("Uploads go in parts of five", refs=["shop/uploads.py#L7-L11"])
    uploads.write_text("# Written by hand.\n\n" + UPLOADS)
    link = the_link(memory, made.id)
    assert (link.finding.state, str(link.reference), link.is_stale) == ("unchanged", "shop/uploads.py#L9-L13", False)
    hit = memory.recall("parts of five", k=1)[0]
    assert (hit.path, hit.line, hit.is_stale) == ("shop/uploads.py", 9, False)


def test_formatting_and_comments_are_no_change(uploads: Path, memory: Memory) -> None:
    made = memory.remember("Uploads go in parts of five", refs=["shop/uploads.py#L7-L11"])
    edit(
        uploads,
        "            parts.append(self.send(file, size=5))\n",
        "            # One after another.\n            parts.append(\n                self.send(file, size=5),\n            )\n",
    )
    assert the_link(memory, made.id).finding.state == "unchanged"


@pytest.mark.parametrize(
    ("old", "new"), [("size=5", "size=6"), ("return parts", "return parts[1:]"), ("in files", "in []")]
)
def test_a_change_of_meaning_makes_it_stale(uploads: Path, memory: Memory, old: str, new: str) -> None:
    made = memory.remember("Uploads go in parts of five", refs=["shop/uploads.py#L7-L11"])
    edit(uploads, old, new)
    hit = memory.recall("parts of five", k=1)[0]
    assert hit.id == made.id and hit.is_stale
    assert hit.stale_reason is not None and hit.stale_reason.startswith("code_changed: shop/uploads.py:7")
    assert hit.confidence is not None and hit.confidence <= 0.5


def test_a_change_beside_it_does_not_concern_it(uploads: Path, memory: Memory) -> None:
    made = memory.remember("Equal paths are left alone", refs=["shop/uploads.py#L17-L21"])
    edit(uploads, "size=5", "size=6")
    assert not the_link(memory, made.id).is_stale


@pytest.mark.parametrize("with_index", [True, False])
@pytest.mark.parametrize("with_git", [True, False])
def test_a_function_is_followed_into_another_file(
    tree: Path, uploads: Path, memory: Memory, with_index: bool, with_git: bool, git: Git
) -> None:
    if with_git:
        git(tree, "init", "-q", "-b", "main")
        git(tree, "add", "-A")
        git(tree, "commit", "-qm", "one")
    if with_index:
        memory.index()
    made = memory.remember("Equal paths are left alone", refs=["shop/uploads.py#L17-L21"])
    body = UPLOADS[UPLOADS.index("def move_files") :]
    uploads.write_text(UPLOADS.replace(body, ""))
    (tree / "shop/moving.py").write_text("import os\n\n\n" + body)
    link = the_link(memory, made.id)
    assert (link.finding.state, str(link.reference)) == ("moved", "shop/moving.py#L4-L8")
    assert not link.is_stale
    assert link.to_json()["moved_from"] == "shop/uploads.py#L17-L21"


@pytest.mark.parametrize("with_git", [True, False])
def test_a_renamed_file_takes_its_references_along(
    tree: Path, uploads: Path, memory: Memory, with_git: bool, git: Git
) -> None:
    if with_git:
        git(tree, "init", "-q", "-b", "main")
        git(tree, "add", "-A")
        git(tree, "commit", "-qm", "one")
    whole = memory.remember("Uploads are kept here", refs=["shop/uploads.py"])
    part = memory.remember("Parts of five", refs=["shop/uploads.py#L9-L10"])
    uploads.rename(tree / "shop/storing.py")
    assert str(the_link(memory, part.id).reference) == "shop/storing.py#L9-L10"
    assert the_link(memory, whole.id).reference.file_path == "shop/storing.py"
    assert memory.code.stale().stale == 0


def test_a_moved_function_that_is_edited_later_is_stale_at_its_new_place(
    tree: Path, uploads: Path, indexed: Memory
) -> None:
    made = indexed.remember("Equal paths are left alone", refs=["shop/uploads.py#L17-L21"])
    body = UPLOADS[UPLOADS.index("def move_files") :]
    uploads.write_text(UPLOADS.replace(body, ""))
    (tree / "shop/moving.py").write_text(body)
    assert the_link(indexed, made.id).finding.state == "moved"
    edit(tree / "shop/moving.py", "return None", "return source")
    link = the_link(indexed, made.id)
    assert (link.finding.state, link.reference.file_path) == ("changed", "shop/moving.py")


def test_deleted_code_is_said_to_be_deleted(uploads: Path, memory: Memory) -> None:
    made = memory.remember("Equal paths are left alone", refs=["shop/uploads.py#L17-L21"])
    uploads.unlink()
    report = memory.code.stale()
    assert (report.checked, report.stale, report.fresh, report.errors) == (1, 1, 0, 0)
    assert report.memories[0].id == made.id
    assert report.memories[0].state.stale_reason == "code_changed: shop/uploads.py (deleted)"


def test_a_tree_that_is_away_makes_nothing_stale(tree: Path, uploads: Path, memory: Memory) -> None:
    made = memory.remember("Equal paths are left alone", refs=["shop/uploads.py#L17-L21"])
    assert not memory.code.stale().stale
    tree.rename(tree.with_name("away"))
    assert memory.code.stale(check=True).stale == 0
    assert memory.recall("equal paths", k=1)[0].id == made.id


def test_what_came_back_is_fresh_again(uploads: Path, memory: Memory) -> None:
    made = memory.remember("Equal paths are left alone", refs=["shop/uploads.py#L17-L21"])
    uploads.unlink()
    assert the_link(memory, made.id).is_stale
    uploads.write_text(UPLOADS)
    assert not the_link(memory, made.id).is_stale


def test_a_picture_is_known_by_its_bytes(tree: Path, memory: Memory) -> None:
    (tree / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    made = memory.remember("The logo is a bird", refs=["logo.png"])
    assert the_link(memory, made.id).finding.state == "unchanged"
    (tree / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(255)))
    assert the_link(memory, made.id).finding.state == "changed"


def test_a_file_as_a_whole_is_stale_only_when_much_of_it_changed(uploads: Path, memory: Memory) -> None:
    made = memory.remember("Uploads are kept here", refs=["shop/uploads.py"])
    edit(uploads, "size=5", "size=6")
    link = the_link(memory, made.id)
    assert (link.finding.state, link.is_stale) == ("changed", False)
    uploads.write_text("def nothing_of_it():\n    return 'is left'\n")
    assert the_link(memory, made.id).is_stale


def test_how_large_a_change_counts_is_a_setting(uploads: Path, open_memory: OpenMemory, settings: Settings) -> None:
    memory = open_memory(settings=replace(settings, stale_threshold=0.5))
    made = memory.remember("Uploads go in parts of five", refs=["shop/uploads.py#L7-L11"])
    edit(uploads, "size=5", "size=6")
    link = the_link(memory, made.id)
    assert (link.finding.state, link.is_stale) == ("changed", False)


def test_new_annotations_are_no_change_unless_the_settings_count_them(
    uploads: Path, open_memory: OpenMemory, settings: Settings
) -> None:
    annotated = UPLOADS.replace("def send(self, file, size):", "def send(self, file: str, size: int) -> object:")
    for count, state in ((False, "unchanged"), (True, "changed")):
        uploads.write_text(UPLOADS)
        memory = open_memory(settings=replace(settings, count_annotations=count))
        made = memory.remember(f"Sends a file ({count})", refs=["shop/uploads.py#StorageService.send"])
        uploads.write_text(annotated)
        assert the_link(memory, made.id).finding.state == state


def test_a_reference_that_counts_annotations_keeps_doing_so(
    uploads: Path, open_memory: OpenMemory, settings: Settings
) -> None:
    """As all references did before the setting existed."""
    annotated = UPLOADS.replace("def send(self, file, size):", "def send(self, file: str, size: int) -> object:")
    uploads.write_text(annotated)
    strict = open_memory(settings=replace(settings, count_annotations=True))
    made = strict.remember("Sends a file", refs=["shop/uploads.py#StorageService.send"])
    strict.close()
    memory = open_memory(settings=settings)
    assert the_link(memory, made.id).finding.state == "unchanged"
    uploads.write_text(annotated.replace("size: int", "size: float"))
    assert the_link(memory, made.id).finding.state == "changed"


# -- branches -------------------------------------------------------------------------------------------------


def test_a_branch_has_its_own_verdict_and_going_back_changes_no_date(
    repository: Path, memory: Memory, clock: TestClock, uploads: Path, git: Git
) -> None:
    made = memory.remember("Uploads go in parts of five", refs=["shop/uploads.py#L7-L11"])
    git(repository, "checkout", "-qb", "other")
    edit(uploads, "size=5", "size=6")
    git(repository, "commit", "-qam", "two")
    first = the_link(memory, made.id)
    assert first.is_stale
    clock.advance(days=1)
    git(repository, "checkout", "-q", "main")
    assert not the_link(memory, made.id).is_stale
    clock.advance(days=1)
    git(repository, "checkout", "-q", "other")
    again = the_link(memory, made.id)
    assert again.is_stale
    assert again.reference.stale_since == first.reference.stale_since


def test_two_worktrees_have_verdicts_of_their_own(
    repository: Path, uploads: Path, memory: Memory, tmp_path: Path, git: Git
) -> None:
    made = memory.remember("Uploads go in parts of five", refs=["shop/uploads.py#L7-L11"])
    git(repository, "worktree", "add", "-q", str(tmp_path / "second"), "-b", "second")
    edit(tmp_path / "second/shop/uploads.py", "size=5", "size=6")
    other = Memory.open(tmp_path / "second")
    assert other.identity.space_id == memory.identity.space_id
    assert made.id is not None
    assert other.show(made.id).state.is_stale
    assert not memory.show(made.id).state.is_stale
    assert other.show(made.id).state.is_stale


# -- put right ------------------------------------------------------------------------------------------------


def test_verified_it_is_fresh_and_judged_by_the_code_of_now(uploads: Path, memory: Memory) -> None:
    made = memory.remember("Uploads go in parts", refs=["shop/uploads.py#L7-L11"])
    edit(uploads, "size=5", "size=6")
    assert made.id is not None and memory.show(made.id).state.is_stale
    done = memory.verify(made.id)
    assert [one.state.is_stale for one in done.memories] == [False]
    assert len(memory.history(made.id).versions) == 1
    assert memory.admin.audit(made.id)[0].action == "verify"
    edit(uploads, "size=6", "size=5")
    assert memory.show(made.id).state.is_stale


@pytest.mark.parametrize("which", ["by id", "by file", "every one"])
def test_an_agent_verifies_what_agents_said_and_leaves_what_a_person_said_stale(
    uploads: Path, memory: Memory, which: str
) -> None:
    person = Memory.open(memory.code.root, caller=Caller("person", "ada"), clock=memory.space.clock)
    theirs = str(person.remember("Uploads go in parts of five", refs=["shop/uploads.py#L7-L11"]).id)
    ours = str(memory.remember("Parts are sent one by one", refs=["shop/uploads.py#L7-L11"]).id)
    edit(uploads, "size=5", "size=6")
    before = person.show(theirs)
    assert before.links[0].is_stale
    if which == "by id":
        with pytest.raises(PersonOnly, match=f"A person said {theirs}: only a person can verify it"):
            memory.verify([ours, theirs])
        assert memory.verify([ours]).left == ()
    else:
        done = memory.verify((), files=["shop/uploads.py"] if which == "by file" else None, every=which == "every one")
        assert [one.id for one in done.memories] == [ours]
        assert done.left == (f"{theirs}: a person said it; only a person can verify it.",)
    after = person.show(theirs)
    assert (after.links[0].is_stale, after.links[0].reference) == (True, before.links[0].reference)
    assert (after.state, after.confidence) == (before.state, before.confidence)
    assert [entry.action for entry in person.admin.audit() if entry.memory_id == theirs] == ["remember"]
    assert not the_link(memory, ours).is_stale
    assert person.verify(theirs).left == ()
    assert not the_link(person, theirs).is_stale


def test_what_is_gone_cannot_be_verified(uploads: Path, memory: Memory) -> None:
    made = memory.remember("Equal paths are left alone", refs=["shop/uploads.py#L17-L21"])
    uploads.unlink()
    assert made.id is not None
    done = memory.verify(made.id)
    assert not done.memories and "relink" in done.left[0]
    assert memory.show(made.id).state.is_stale


def test_lines_that_are_not_there_cannot_be_verified(uploads: Path, memory: Memory) -> None:
    made = memory.remember("Far off", refs=["shop/uploads.py#L400-L410"])
    assert made.id is not None
    assert "cannot be looked at" in memory.verify(made.id).left[0]


def test_a_correction_is_about_the_code_of_now(uploads: Path, memory: Memory) -> None:
    made = memory.remember("Uploads go in parts of five", refs=["shop/uploads.py#L7-L11"])
    edit(uploads, "size=5", "size=6")
    assert made.id is not None and memory.show(made.id).state.is_stale
    memory.correct(made.id, "Uploads go in parts of six")
    assert not memory.show(made.id).state.is_stale


def test_said_again_about_the_code_of_now_it_is_fresh(uploads: Path, memory: Memory) -> None:
    made = memory.remember("Uploads go in parts", refs=["shop/uploads.py#L7-L11"])
    edit(uploads, "size=5", "size=6")
    again = memory.remember("Uploads go in parts", refs=["shop/uploads.py#L7-L11"])
    assert (again.id, again.status) == (made.id, "merged")
    assert not the_link(memory, made.id).is_stale


def test_a_batch_that_says_it_again_does_not_make_it_fresh(uploads: Path, memory: Memory) -> None:
    made = memory.remember("Uploads go in parts", refs=["shop/uploads.py#L7-L11"])
    edit(uploads, "size=5", "size=6")
    again = memory.remember_many([{"text": "Uploads go in parts", "refs": ["shop/uploads.py#L7-L11"]}])
    assert again[0].status == "duplicate"
    assert the_link(memory, made.id).is_stale


def test_relinked_it_points_elsewhere_and_its_history_tells(uploads: Path, memory: Memory) -> None:
    made = memory.remember("Equal paths are left alone", refs=["shop/uploads.py#L7-L11"])
    assert made.id is not None
    done = memory.code.relink(made.id, ["shop/uploads.py#move_files"])
    assert str(done.memories[0].links[0].reference) == "shop/uploads.py#L17-L21"
    assert [str(version.refs[0]) for version in memory.history(made.id).versions] == [
        "shop/uploads.py#L7-L11",
        "shop/uploads.py#L17-L21",
    ]
    assert memory.recall("equal paths are left alone", k=1)[0].line == 17


def test_after_a_large_refactoring_all_that_moved_is_pointed_there_at_once(
    tree: Path, uploads: Path, memory: Memory
) -> None:
    ids = [
        memory.remember(f"Known of {lines}", refs=[f"shop/uploads.py#{lines}"]).id
        for lines in ("L7-L11", "L13-L14", "L17-L21")
    ]
    uploads.rename(tree / "shop/storing.py")
    assert len(memory.code.relink(every=True).memories) == 3
    for memory_id in ids:
        assert the_link(memory, memory_id).was.file_path == "shop/storing.py"
    assert not memory.code.relink(every=True).memories


def test_references_to_what_is_gone_can_be_taken_away(uploads: Path, memory: Memory) -> None:
    made = memory.remember("Once there was a function", refs=["shop/uploads.py#L17-L21", "shop/auth.py#check_password"])
    uploads.unlink()
    assert made.id is not None and memory.show(made.id).state.is_stale
    memory.code.relink(drop=True)
    after = memory.show(made.id)
    assert not after.state.is_stale
    assert [link.reference.file_path for link in after.links] == ["shop/auth.py"]


def test_all_memories_of_a_file_are_verified_at_once(uploads: Path, memory: Memory) -> None:
    for lines in ("L7-L11", "L13-L14"):
        memory.remember(f"Known of {lines}", refs=[f"shop/uploads.py#{lines}"])
    edit(uploads, "size", "length")
    assert memory.code.stale().stale == 2
    assert len(memory.verify(files=["shop/uploads.py"]).memories) == 2
    assert memory.code.stale().stale == 0


def test_an_import_of_an_export_is_as_stale_as_it_was(
    uploads: Path, memory: Memory, tmp_path: Path, open_memory: OpenMemory, settings: Settings
) -> None:
    memory.remember("Uploads go in parts of five", refs=["shop/uploads.py#L7-L11"])
    memory.remember("Equal paths are left alone", refs=["shop/uploads.py#L17-L21"])
    out = memory.admin.export(tmp_path / "out.jsonl")
    edit(uploads, "size=5", "size=6")
    other = open_memory(settings=replace(settings, home=tmp_path / "other"))
    assert len(list(other.admin.import_file(out.path))) == 2
    assert (other.code.stale().stale, other.code.stale().fresh) == (1, 1)


# -- ranking --------------------------------------------------------------------------------------------------


def test_what_is_still_true_comes_before_what_is_stale(uploads: Path, memory: Memory) -> None:
    old = memory.remember("Uploads are sent in parts of size five each", refs=["shop/uploads.py#L7-L11"])
    edit(uploads, "size=5", "size=6")
    new = memory.remember("Uploads are sent in parts of a size that callers choose", refs=["shop/uploads.py#L7-L11"])
    question = "uploads are sent in parts of size five each"
    assert [hit.id for hit in memory.recall(question, k=2)] == [new.id, old.id]
    assert memory.recall(question, k=2)[1].why["freshness"] < 0
    assert [hit.id for hit in memory.recall(question, k=2, fresh=True)] == [new.id]


def test_confidence_can_be_asked_for(uploads: Path, memory: Memory) -> None:
    made = memory.remember("Uploads go in parts of five", refs=["shop/uploads.py#L7-L11"], evidence=["ADR 1"])
    assert memory.recall("parts of five", min_confidence=0.7)[0].id == made.id
    edit(uploads, "size=5", "size=6")
    assert not memory.recall("parts of five", scope="facts", min_confidence=0.7).hits
    with pytest.raises(InvalidInput):
        memory.recall("parts", min_confidence=1.5)


def test_tags_can_be_left_out(memory: Memory) -> None:
    memory.remember("Parts of five", tags={"team": "core"})
    kept = memory.remember("Parts of six in another place", tags={"team": "web"})
    assert [hit.id for hit in memory.recall("parts", exclude_tags=["team=core"])] == [kept.id]
    assert not memory.recall("parts", exclude_tags=["team"]).hits


def test_being_looked_at_is_a_verification(uploads: Path, memory: Memory, clock: TestClock) -> None:
    memory.remember("Uploads go in parts of five", refs=["shop/uploads.py#L7-L11"])
    plain = memory.remember("Nobody can check this")
    clock.advance(days=40)
    found = {hit.id: hit.confidence for hit in memory.recall("uploads nobody", scope="facts")}
    assert found[plain.id or ""] == pytest.approx(0.44)
    assert max(value or 0 for value in found.values()) == pytest.approx(0.74)


# -- from code to memory --------------------------------------------------------------------------------------


def test_what_is_known_about_a_line(uploads: Path, memory: Memory) -> None:
    inside = memory.remember("Parts of five", refs=["shop/uploads.py#L9-L10"])
    method = memory.remember("Makes a list", refs=["shop/uploads.py#L8"])
    whole = memory.remember("Uploads are kept here", refs=["shop/uploads.py"])
    other = memory.remember("Equal paths", refs=["shop/uploads.py#L17-L21"])
    memory.remember("Elsewhere", refs=["shop/auth.py"])
    found = [(hit.memory.id, hit.relevance) for hit in memory.code.about("shop/uploads.py", 10)]
    assert found[:2] == [(inside.id, "direct"), (method.id, "symbol")]
    assert set(found[2:]) == {(whole.id, "file"), (other.id, "file")}
    assert len(memory.code.about("shop")) == 5


def test_what_is_known_follows_the_code_to_its_new_place(tree: Path, uploads: Path, memory: Memory) -> None:
    made = memory.remember("Equal paths", refs=["shop/uploads.py#L17-L21"])
    uploads.rename(tree / "shop/storing.py")
    memory.code.stale()
    assert [hit.memory.id for hit in memory.code.about("shop/storing.py", 18)] == [made.id]
    assert not memory.code.about("shop/uploads.py")


# -- found in the text ----------------------------------------------------------------------------------------


def test_a_symbol_named_in_the_text_is_linked(uploads: Path, indexed: Memory) -> None:
    made = indexed.remember("`create_uploads` sends parts of five")
    reference = the_link(indexed, made.id).reference
    assert (reference.file_path, reference.confidence_reason) == ("shop/uploads.py", "inferred_from_code_index")


def test_what_could_be_several_is_suggested(uploads: Path, tree: Path, memory: Memory) -> None:
    (tree / "shop/other.py").write_text("def move_files():\n    return 1\n")
    memory.index()
    made = memory.remember("`move_files` leaves equal paths alone")
    assert not made.links
    assert made.suggestions[0].name == "move_files"
    assert set(made.suggestions[0].places) == {"shop/other.py#move_files", "shop/uploads.py#move_files"}
    assert made.id is not None
    memory.code.relink(made.id, [made.suggestions[0].places[0]], add=True)
    assert len(memory.show(made.id).links) == 1


def test_a_class_named_in_the_text_is_not_stale_by_a_small_change(uploads: Path, indexed: Memory) -> None:
    made = indexed.remember("The class `StorageService` is the only way to the object store")
    edit(uploads, "size=5", "size=6")
    assert not the_link(indexed, made.id).is_stale


@pytest.mark.slow
def test_memories_from_before_the_index_are_linked_by_upkeep(uploads: Path, memory: Memory) -> None:
    made = memory.remember("`create_uploads` sends parts of five")
    assert made.id is not None and not memory.show(made.id).links
    memory.index()
    done = {one.step: one for one in memory.admin.maintain()}
    assert done["links"].done == 1
    assert str(the_link(memory, made.id).reference) == "shop/uploads.py#L7-L11"


# -- upkeep ---------------------------------------------------------------------------------------------------


def test_upkeep_says_what_it_did_and_does_not_repeat_itself(uploads: Path, memory: Memory) -> None:
    memory.remember("Uploads go in parts of five", refs=["shop/uploads.py#L7-L11"])
    edit(uploads, "size=5", "size=6")
    first = {one.step: one for one in memory.admin.maintain()}
    assert first["references"].done == 1 and not first["references"].skipped
    assert {one.step: one for one in memory.admin.maintain()}["references"].skipped
    assert not {one.step: one for one in memory.admin.maintain(force=True)}["references"].skipped


def test_verdicts_of_branches_long_left_are_dropped(
    repository: Path, uploads: Path, memory: Memory, clock: TestClock
) -> None:
    memory.remember("Uploads go in parts of five", refs=["shop/uploads.py#L7-L11"])
    memory.code.stale()
    edit(uploads, "size=5", "size=6")
    memory.code.stale()
    clock.advance(days=31)
    done = {one.step: one for one in memory.admin.maintain(dry_run=True)}
    assert done["old verdicts"].done == 1
    assert {one.step: one for one in memory.admin.maintain()}["old verdicts"].done == 1
    assert memory.code.stale().stale == 1


@pytest.mark.slow
def test_after_git_changed_the_tree_the_verdicts_are_there(
    repository: Path, uploads: Path, memory: Memory, git: Git
) -> None:
    memory.index()
    made = memory.remember("Uploads go in parts of five", refs=["shop/uploads.py#L7-L11"])
    edit(uploads, "size=5", "size=6")
    git(repository, "commit", "-qam", "two")
    memory.code.git_changed()
    assert [row["is_stale"] for row in memory.list() if row["id"] == made.id] == [True]
    assert memory.status()["references"] == {"memories": 1, "stale": 1}


def test_a_check_is_idempotent(uploads: Path, memory: Memory) -> None:
    memory.remember("Uploads go in parts of five", refs=["shop/uploads.py#L7-L11"])
    edit(uploads, "size=5", "size=6")
    assert memory.code.stale(check=True).to_json() == memory.code.stale(check=True).to_json()


def test_the_time_since_is_when_the_file_changed(
    repository: Path, uploads: Path, memory: Memory, clock: TestClock
) -> None:
    made = memory.remember("Uploads go in parts of five", refs=["shop/uploads.py#L7-L11"])
    edit(uploads, "size=5", "size=6")
    clock.advance(days=3)
    since = the_link(memory, made.id).reference.stale_since
    clock.advance(days=3)
    assert since is not None and the_link(memory, made.id).reference.stale_since == since
    assert clock() - since >= timedelta(days=3)


# -- as people write ------------------------------------------------------------------------------------------


def test_a_place_as_editors_write_it_is_read(uploads: Path, memory: Memory) -> None:
    for written, lines in {"shop/uploads.py:17": "#L17-L17", "shop/uploads.py:7-11": "#L7-L11"}.items():
        made = memory.remember_many([{"text": f"Said of {written}", "code_refs": [written]}])[0]
        assert str(the_link(memory, made.id).was.line_range) == lines


def test_of_overloads_the_one_that_does_something_is_meant(tree: Path, memory: Memory) -> None:
    stub = "@overload\ndef ask(a: int) -> int: ...\n\n\n"
    (tree / "shop/asking.py").write_text(f"{stub}{stub}def ask(a):\n    b = a + 1\n    return b\n")
    memory.index()
    for written in ("shop/asking.py#ask", "ask"):
        made = memory.remember(f"It adds one, said of {written}", refs=[written])
        assert str(the_link(memory, made.id).reference) == "shop/asking.py#L9-L11"


def test_a_comment_that_gains_words_has_changed(tree: Path, memory: Memory) -> None:
    path = tree / "shop/noted.py"
    path.write_text("x = 1\n# Consider only the first paragraph.\ny = 2\n")
    made = memory.remember("Only the first paragraph counts", refs=["shop/noted.py#L2"])
    edit(path, "# Consider", "# Do not: Consider")
    assert the_link(memory, made.id).is_stale


def test_a_symbol_that_is_not_there_is_kept_by_its_name(
    uploads: Path, memory: Memory, tmp_path: Path, open_memory: OpenMemory, settings: Settings
) -> None:
    memory.remember("Will come", refs=["shop/uploads.py#nosuch"])
    out = memory.admin.export(tmp_path / "out.jsonl")
    other = open_memory(settings=replace(settings, home=tmp_path / "other"))
    assert len(list(other.admin.import_file(out.path))) == 1
    assert (other.code.stale().errors, other.code.stale().fresh) == (1, 0)


def test_a_reference_to_code_of_another_branch_or_checkout_is_not_dropped(
    repository: Path, uploads: Path, git: Git, open_memory: OpenMemory
) -> None:
    with open_memory(repository) as memory:
        made = memory.remember("Files are moved at once", refs=["shop/uploads.py#move_files"])
        assert made.id is not None
        git(repository, "checkout", "-q", "-b", "feature")
        uploads.write_text(UPLOADS.partition("\n\ndef move_files")[0] + "\n")
        git(repository, "commit", "-qam", "remove")
        kept = memory.code.relink(drop=True)
        assert not kept.memories and "still on the branch main" in kept.left[0]
        assert len(memory.show(made.id).links) == 1
        git(repository, "checkout", "-q", "main")
        git(repository, "merge", "-q", "feature")
        done = memory.code.relink(drop=True)
        assert [one.id for one in done.memories] == [made.id] and not done.left
        assert not memory.show(made.id).links


def test_lines_beyond_the_end_of_a_file_are_cut_with_a_notice(uploads: Path, memory: Memory) -> None:
    made = memory.remember("Files are moved at once", refs=["shop/uploads.py#L17-L900"])
    assert made.notices == ("shop/uploads.py ends at line 21, and so does the reference.",)
    assert the_link(memory, made.id).was.line_range == LineRange(17, 21)
    assert made.id is not None
    again = memory.code.relink(made.id, refs=["shop/uploads.py#L13-L900"])
    assert str(again.memories[0].links[0].was) == "shop/uploads.py#L13-L21"
