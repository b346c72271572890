"""Nothing crosses from one space to another. Each refusal is tested next to what must work."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Git, OpenMemory, TestClock
from tests.home_files import files_with

from waypost import Memory
from waypost.errors import ForeignFile, InvalidInput, NotFound, SecurityError

pytestmark = pytest.mark.usefixtures("fake_engine")

ORIGIN = "https://git.example.org/team/shop.git"
OURS, THEIRS = "The launch code of the shop is blue", "The launch code of the shop is red"
QUESTION = "What is the launch code of the shop?"

MakeRepository = Callable[..., Path]


@pytest.fixture
def neighbours(open_memory: OpenMemory) -> tuple[Memory, Memory]:
    """Two projects whose best answers to one question differ in one word."""
    ours, theirs = open_memory("ours"), open_memory("theirs")
    ours.remember(OURS)
    theirs.remember(THEIRS)
    theirs.remember("Only they know about the quixzanthal", session="secret", kind="note")
    return ours, theirs


def test_each_answers_only_from_its_own(neighbours: tuple[Memory, Memory]) -> None:
    ours, theirs = neighbours
    assert ours.identity.space_id != theirs.identity.space_id
    assert [hit.text for hit in ours.recall(QUESTION, k=50)] == [OURS]
    assert theirs.recall(QUESTION, k=50).hits[0].text == THEIRS
    assert {hit.text for hit in ours.recall("quixzanthal", k=50)} <= {OURS}
    assert "quixzanthal" in theirs.recall("quixzanthal", k=1).hits[0].text
    assert [row["text"] for row in ours.list()] == [OURS]
    assert ours.list(session="secret") == []
    assert len(theirs.list(session="secret")) == 1


def test_the_others_ids_are_unknown_here(neighbours: tuple[Memory, Memory]) -> None:
    ours, theirs = neighbours
    foreign = theirs.list()[0]["id"]
    calls: list[Callable[[str], object]] = [
        ours.show,
        ours.history,
        ours.retract,
        ours.reject,
        ours.forget,
        ours.protect,
        lambda one: ours.correct(one, "Taken over"),
        lambda one: ours.remember("Taken over", replaces=one),
    ]
    for call in calls:
        with pytest.raises(NotFound):
            call(foreign)
    assert list(ours.admin.audit(foreign)) == []
    assert len(theirs.admin.audit(foreign)) == 1
    assert theirs.show(foreign).version.text == THEIRS
    assert [row["text"] for row in ours.list()] == [OURS]


def test_export_audit_brief_and_status_tell_nothing_of_the_other(neighbours: tuple[Memory, Memory]) -> None:
    ours, theirs = neighbours
    exported = ours.admin.export()
    assert exported.memories == 1
    assert [json.loads(line)["text"] for line in exported.path.read_text().splitlines()] == [OURS]
    assert theirs.admin.exports() == []
    assert len(ours.admin.exports()) == 1
    assert {entry.memory_id for entry in ours.admin.audit()} == {row["id"] for row in ours.list()}
    assert "blue" in ours.brief("change the launch code").text
    assert "red" not in ours.brief("change the launch code").text.replace("shared", "")
    assert (ours.status()["memories"], theirs.status()["memories"]) == (1, 2)
    assert files_with(ours.space.folder, "quixzanthal") == []


@pytest.mark.slow
def test_what_one_rejects_or_forgets_another_may_know(neighbours: tuple[Memory, Memory]) -> None:
    ours, theirs = neighbours
    known = ours.list()[0]["id"]
    ours.reject(known)
    assert ours.remember(OURS).status == "refused"
    assert theirs.remember(OURS).status == "added"
    ours.forget(known)
    assert ours.remember(OURS).status == "refused"
    assert OURS in {row["text"] for row in theirs.list()}


def test_the_same_words_are_no_duplicate_across_spaces(neighbours: tuple[Memory, Memory]) -> None:
    ours, theirs = neighbours
    assert ours.remember(THEIRS).status in ("added", "merged")
    assert theirs.remember(THEIRS).status == "duplicate"


def test_a_person_and_a_project_of_one_name_are_strangers(open_memory: OpenMemory, clock: TestClock) -> None:
    project, person = open_memory("anna"), Memory.open(person="anna", clock=clock)
    project.remember(OURS)
    person.remember("Anna prefers tea", kind="preference")
    assert project.identity.space_id != person.identity.space_id
    assert [hit.text for hit in project.recall("the launch code of the tea shop", k=50)] == [OURS]
    assert [hit.text for hit in person.recall("tea launch", k=50)] == ["Anna prefers tea"]
    assert [row["text"] for row in Memory.open(person="anna", clock=clock).list()] == ["Anna prefers tea"]
    assert Memory.open(person="Anna", clock=clock).list() == []


def test_a_forged_id_is_refused_and_the_true_one_is_not(neighbours: tuple[Memory, Memory], tmp_path: Path) -> None:
    ours, theirs = neighbours
    place = tmp_path / "work" / "ours"
    for forged in (
        theirs.identity.space_id,
        "",
        "0" * 16,
        f"../{theirs.identity.space_id}",
        "../../etc",
        ours.identity.space_id + "\0",
        "x" * 5000,
    ):
        with pytest.raises(SecurityError):
            Memory.open(place, space_id=forged)
    assert Memory.open(place, space_id=ours.identity.space_id).identity.space_id == ours.identity.space_id
    assert sorted(p.name for p in ours.space.folder.parent.iterdir()) == sorted(
        [ours.identity.space_id, theirs.identity.space_id]
    )


@pytest.mark.parametrize("name", ["", "   ", "a\0b", "a\nb", "x" * 256, "\x1b[31m"])
def test_a_persons_name_that_cannot_be_one_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        Memory.open(person=name)
    assert not (tmp_path / "home").exists()


def test_a_persons_name_that_looks_like_a_path_stays_inside(tmp_path: Path) -> None:
    for name in ("../../etc", "/etc/passwd", "..", "a/b"):
        memory = Memory.open(person=name)
        memory.remember(f"Known of {name}", kind="preference")
        assert memory.space.folder.parent == tmp_path / "home" / "memory"


@pytest.mark.parametrize("path", ["a\0b", "x" * 5000, "no/such/directory"])
def test_a_directory_that_cannot_be_one_is_refused(path: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        Memory.open(tmp_path / path)
    assert not (tmp_path / "home").exists()


def test_a_symlink_in_place_of_a_space_or_its_files_is_refused(neighbours: tuple[Memory, Memory]) -> None:
    ours, theirs = neighbours
    folder, foreign = ours.space.folder, theirs.space.folder
    ours.close()
    theirs.close()
    aside = folder.with_name("aside")
    folder.rename(aside)
    folder.symlink_to(foreign)
    with pytest.raises(SecurityError, match="symlink"):
        ours.list()
    folder.unlink()
    aside.rename(folder)
    for name in ("memory.db", "metadata.json"):
        (folder / name).rename(folder / "kept")
        (folder / name).symlink_to(foreign / name)
        with pytest.raises(SecurityError, match="symlink"):
            ours.list()
        (folder / name).unlink()
        (folder / "kept").rename(folder / name)
    assert [row["text"] for row in ours.list()] == [OURS]
    assert len(theirs.list()) == 2


def test_links_planted_as_exports_or_sidecars_lead_nowhere(neighbours: tuple[Memory, Memory], tmp_path: Path) -> None:
    ours, _ = neighbours
    victim = tmp_path / "victim.jsonl"
    victim.write_text(json.dumps({"id": ours.list()[0]["id"], "text": OURS}) + "\n")
    ours.admin.export()
    (ours.space.folder / "exports" / "20260101T000000Z.jsonl").symlink_to(victim)
    ours.forget(ours.list()[0]["id"])
    assert OURS in victim.read_text()  # a file elsewhere is not rewritten through our folder


def test_the_metadata_of_another_kind_of_space_is_refused(neighbours: tuple[Memory, Memory]) -> None:
    ours, _ = neighbours
    path = ours.space.folder / "metadata.json"
    ours.close()
    content = path.read_text()
    path.write_text(content.replace('"project"', '"person"'))
    with pytest.raises(ForeignFile):
        ours.list()
    path.write_text(content)
    assert len(ours.list()) == 1


@pytest.mark.parametrize(
    "path",
    ["../theirs/app.py", "/etc/passwd", "a/../../theirs/app.py", "out/app.py", "a\0b", "x" * 300, "C:\\x", "..\\x"],
)
def test_a_reference_outside_the_checkout_is_refused_and_nothing_is_stored(
    repository: MakeRepository, path: str
) -> None:
    ours, theirs = repository("ours"), repository("theirs")
    (ours / "out").symlink_to(theirs)
    memory = Memory.open(ours)
    with pytest.raises((SecurityError, InvalidInput)):
        memory.remember("Points elsewhere", refs=[{"file_path": path}])
    with pytest.raises((SecurityError, InvalidInput)):
        memory.remember_many([{"text": "Innocent"}, {"text": "Points elsewhere", "refs": [{"file_path": path}]}])
    assert memory.list() == []
    assert list(memory.admin.audit()) == []
    assert memory.remember("Points here", refs=[{"file_path": "app.py"}]).status == "added"
    assert memory.list()[0]["code_refs"][0]["file_path"] == "app.py"


def test_an_import_cannot_bring_references_outside_or_take_over_ids(repository: MakeRepository, tmp_path: Path) -> None:
    memory = Memory.open(repository("ours"))
    known = memory.remember(OURS).id
    hostile = tmp_path / "hostile.jsonl"
    hostile.write_text(json.dumps({"text": "Trojan", "code_refs": [{"file_path": "../../secret"}]}) + "\n")
    with pytest.raises((SecurityError, InvalidInput)):
        list(memory.admin.import_file(hostile))
    hostile.write_text(json.dumps({"id": known, "text": "Something else entirely"}) + "\n")
    assert [receipt.status for receipt in memory.admin.import_file(hostile)] == ["refused"]
    assert [row["text"] for row in memory.list()] == [OURS]
    hostile.write_text(json.dumps({"text": "Harmless", "code_refs": [{"file_path": "app.py"}]}) + "\n")
    assert [receipt.status for receipt in memory.admin.import_file(hostile)] == ["added"]


@pytest.mark.slow
def test_clones_and_worktrees_of_one_origin_share_what_was_said(
    repository: MakeRepository, git: Git, tmp_path: Path
) -> None:
    source = repository("source")
    git(tmp_path, "clone", "-q", "--bare", str(source), "server.git")
    for name in ("one", "two"):
        git(tmp_path / "work", "clone", "-q", str(tmp_path / "server.git"), name)
    git(tmp_path / "work" / "one", "worktree", "add", "-q", str(tmp_path / "work" / "three"))
    one, two, three = (Memory.open(tmp_path / "work" / name) for name in ("one", "two", "three"))
    one.remember(OURS)
    two.remember("The cache is warm", refs=[{"file_path": "app.py"}])
    for memory in (one, two, three):
        assert [row["text"] for row in memory.list()] == [OURS, "The cache is warm"]
        assert memory.recall(QUESTION).hits[0].text == OURS
        assert memory.remember(OURS).status == "duplicate"
    roots = [str(tmp_path / "work" / name) for name in ("one", "two", "three")]
    assert sorted(one.status()["checkouts"]) == sorted(roots)
    assert Memory.open(source).list() == []  # it has no origin, so it is another project


@pytest.mark.slow
def test_another_origin_is_another_space(repository: MakeRepository, git: Git) -> None:
    shop = repository("shop", ORIGIN)
    fork = shop.with_name("fork")
    git(shop.parent, "clone", "-q", str(shop), "fork")
    git(fork, "remote", "set-url", "origin", ORIGIN.replace("team", "fork"))
    Memory.open(shop).remember(OURS)
    assert Memory.open(fork).recall(QUESTION).hits == ()
    git(fork, "remote", "set-url", "origin", ORIGIN)
    assert [hit.text for hit in Memory.open(fork).recall(QUESTION)] == [OURS]
    git(shop, "remote", "set-url", "origin", ORIGIN.replace("shop", "store"))
    renamed = Memory.open(shop)
    assert renamed.list() == []
    git(shop, "remote", "set-url", "origin", ORIGIN)
    assert len(Memory.open(shop).list()) == 1


def test_a_subdirectory_is_the_same_space_and_a_repository_inside_is_not(
    repository: MakeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    outer = repository("outer")
    deep = outer / "src" / "deep"
    deep.mkdir(parents=True)
    Memory.open(outer).remember(OURS)
    assert [row["text"] for row in Memory.open(deep).list()] == [OURS]
    monkeypatch.chdir(deep)
    assert [row["text"] for row in Memory.open().list()] == [OURS]
    inner = repository("outer/vendor/inner")
    assert Memory.open(inner).list() == []


def test_a_home_of_another_user_setting_is_another_world(
    repository: MakeRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = repository("shop", ORIGIN)
    Memory.open(root).remember(OURS)
    monkeypatch.setenv("WAYPOST_HOME", str(tmp_path / "elsewhere"))
    assert Memory.open(root).list() == []
    monkeypatch.setenv("WAYPOST_HOME", str(tmp_path / "home"))
    assert len(Memory.open(root).list()) == 1


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_only_the_owner_can_enter_the_folders(neighbours: tuple[Memory, Memory]) -> None:
    ours, _ = neighbours
    exported = ours.admin.export().path
    for folder in (ours.space.folder, ours.space.folder.parent, exported.parent):
        assert folder.stat().st_mode & 0o777 == 0o700
    assert exported.stat().st_mode & 0o777 == 0o600
