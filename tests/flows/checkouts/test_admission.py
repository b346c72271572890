"""A memory opens for checkouts that share history with a known one, and for no other folder that names its remote."""

import shutil
from pathlib import Path

import pytest
from tests.conftest import Git
from tests.flows.checkouts.conftest import FACT, ORIGIN, Clone, Repository, Waypost, recalled

from waypost.errors import SecurityError, UnknownCheckout
from waypost.flows.checkouts import shared_history
from waypost.memory import Memory
from waypost.memory.spaces import open_spaces

COMMANDS = [
    ("status",),
    ("ask", "orders in Postgres"),
    ("list",),
    ("context", "orders in Postgres"),
    ("export", "-"),
    ("audit",),
    ("remember", "The stranger was here."),
    ("journal", "add", "The stranger was here."),
    ("journal", "timeline"),
    ("init", "--no-facts"),
    ("doctor",),
    ("doctor", "--fix"),
    ("rebuild", "--yes"),
    ("maintain",),
    ("migrate", "--to", "postgresql://nowhere.invalid/x", "--dry-run"),
]


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_an_unrelated_folder_with_the_same_origin_neither_reads_nor_writes(
    command: tuple[str, ...], shop: Path, repository: Repository, waypost: Waypost, tmp_path: Path
) -> None:
    stranger = repository("stranger", ORIGIN)
    before = waypost(shop, "list", "--json").out
    done = waypost(stranger, *command)
    assert done.code not in (0, 3)
    assert "orders" not in done.out and "orders" not in done.err
    assert "waypost adopt" in done.err and "Traceback" not in done.err
    assert waypost(shop, "list", "--json").out == before
    assert waypost(shop, "status", "--json").json["checkouts"] == [str(shop)]


@pytest.mark.slow
def test_the_library_raises_a_security_error_of_its_own(shop: Path, repository: Repository) -> None:
    stranger = repository("stranger", ORIGIN)
    with pytest.raises(UnknownCheckout, match="shares no commit with a known checkout") as error:
        Memory.open(stranger)
    assert isinstance(error.value, SecurityError)
    assert "waypost adopt" in error.value.remedy
    with pytest.raises(SecurityError):
        Memory.open(shop).admin.for_path(stranger).recall("orders")


@pytest.mark.slow
@pytest.mark.both_stores
def test_a_real_second_clone_opens_without_a_question(shop: Path, repository: Repository, clone: Clone) -> None:
    assert FACT in recalled(clone(shop, "second"))
    with pytest.raises(UnknownCheckout):
        Memory.open(repository("stranger", ORIGIN))


@pytest.mark.slow
def test_a_known_checkout_is_not_looked_at_again(shop: Path, clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    second = clone(shop, "second")
    recalled(second)
    monkeypatch.setattr(shared_history, "_ask", lambda *_, **__: pytest.fail("git was asked"))
    assert FACT in recalled(second)
    assert FACT in recalled(shop)


@pytest.mark.slow
def test_worktrees_open_with_and_without_an_origin(
    shop: Path, repository: Repository, git: Git, tmp_path: Path
) -> None:
    git(shop, "worktree", "add", "-q", str(tmp_path / "work" / "feature"))
    assert FACT in recalled(tmp_path / "work" / "feature")
    local = repository("local")
    with Memory.open(local) as memory:
        memory.remember("The local project has no remote.")
    git(local, "worktree", "add", "-q", str(tmp_path / "work" / "side"))
    assert recalled(tmp_path / "work" / "side", "local remote") == ["The local project has no remote."]


@pytest.mark.slow
def test_a_submodule_opens_for_the_memory_of_its_project(
    shop: Path, repository: Repository, git: Git, tmp_path: Path
) -> None:
    outer = repository("outer")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", f"file://{shop}", "inner")
    git(outer / "inner", "remote", "set-url", "origin", ORIGIN)
    assert FACT in recalled(outer / "inner")


@pytest.mark.slow
@pytest.mark.both_stores
def test_stored_commits_decide_when_the_known_checkout_is_gone(
    shop: Path, repository: Repository, clone: Clone
) -> None:
    second = clone(shop, "second")
    open_spaces.drop_all()
    shutil.rmtree(shop)
    assert FACT in recalled(second)
    with pytest.raises(UnknownCheckout):
        Memory.open(repository("stranger", ORIGIN))


@pytest.mark.slow
def test_a_shallow_clone_opens_by_a_commit_that_a_known_checkout_has(shop: Path, clone: Clone, git: Git) -> None:
    assert FACT in recalled(clone(shop, "shallow", ORIGIN, "--depth=1"))


@pytest.mark.slow
def test_a_shallow_clone_that_nobody_knows_says_how_to_get_its_history(
    shop: Path, clone: Clone, git: Git, tmp_path: Path
) -> None:
    server = clone(shop, "server")
    for number in range(2):
        git(server, "commit", "-q", "--allow-empty", "-m", f"later {number}")
    shallow = clone(server, "shallow", ORIGIN, "--depth=1")
    with pytest.raises(UnknownCheckout, match="git fetch --unshallow"):
        Memory.open(shallow)
    git(shallow, "fetch", "-q", "--unshallow", f"file://{server}")
    assert FACT in recalled(shallow)


@pytest.mark.slow
def test_a_full_clone_opens_beside_a_known_shallow_one(repository: Repository, clone: Clone) -> None:
    server = repository("server", None, 3)
    with Memory.open(clone(server, "shallow", ORIGIN, "--depth=1")) as memory:
        memory.remember(FACT)
    assert FACT in recalled(clone(server, "full"))


@pytest.mark.slow
def test_a_clone_on_an_orphan_branch_opens_by_the_branches_of_its_remote(shop: Path, clone: Clone, git: Git) -> None:
    second = clone(shop, "second")
    git(second, "checkout", "-q", "--orphan", "pages")
    git(second, "commit", "-q", "-m", "pages")
    git(second, "branch", "-q", "-D", "main")
    assert FACT in recalled(second)


def test_a_repository_without_commits_does_not_open(shop: Path, repository: Repository) -> None:
    with pytest.raises(UnknownCheckout, match="no commits yet"):
        Memory.open(repository("empty", ORIGIN, commits=0))


@pytest.mark.slow
def test_knowing_the_id_of_a_commit_is_not_enough(shop: Path, repository: Repository, git: Git) -> None:
    """Git walks over commits by the names of their files, without comparing their contents."""
    stranger = repository("stranger", ORIGIN)
    root = git(shop, "rev-list", "--max-parents=0", "HEAD")
    own = git(stranger, "rev-parse", "HEAD")
    forged = stranger / ".git" / "objects" / root[:2] / root[2:]
    forged.parent.mkdir(exist_ok=True)
    shutil.copy(stranger / ".git" / "objects" / own[:2] / own[2:], forged)
    tree = git(stranger, "rev-parse", "HEAD^{tree}")
    (stranger / "commit").write_text(
        f"tree {tree}\nparent {root}\nauthor t <t> 1 +0000\ncommitter t <t> 1 +0000\n\nmine\n"
    )
    tip = git(stranger, "hash-object", "-t", "commit", "-w", "commit")
    (stranger / ".git" / "refs" / "heads" / "main").write_text(f"{tip}\n")
    assert git(stranger, "rev-list", "HEAD").splitlines() == [tip, root]
    with pytest.raises(UnknownCheckout):
        Memory.open(stranger)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["alternates", "objects", "pack", "git file", "git link", "commondir"])
def test_history_that_is_borrowed_from_the_known_checkout_is_not_enough(
    way: str, shop: Path, repository: Repository, git: Git, tmp_path: Path
) -> None:
    git(shop, "gc", "-q")
    stranger = repository("stranger", ORIGIN)
    dot_git, theirs = stranger / ".git", shop / ".git"
    if way == "alternates":
        (dot_git / "objects" / "info").mkdir(exist_ok=True)
        (dot_git / "objects" / "info" / "alternates").write_text(f"{theirs / 'objects'}\n")
    elif way in ("objects", "pack"):
        link = dot_git / ("objects" if way == "objects" else "objects/pack")
        shutil.rmtree(link)
        link.symlink_to(theirs / ("objects" if way == "objects" else "objects/pack"))
    elif way == "commondir":
        (dot_git / "commondir").write_text(str(theirs))
    else:
        shutil.rmtree(dot_git)
        dot_git.symlink_to(theirs) if way == "git link" else dot_git.write_text(f"gitdir: {theirs}\n")
    if way in ("alternates", "objects", "pack"):
        (dot_git / "HEAD").write_text(git(shop, "rev-parse", "HEAD") + "\n")
    with pytest.raises(UnknownCheckout):
        Memory.open(stranger)


@pytest.mark.slow
def test_a_repository_whose_history_was_rewritten_opens_after_a_person_confirms_it(
    shop: Path, repository: Repository, waypost: Waypost
) -> None:
    rewritten = repository("rewritten", ORIGIN)
    refused = waypost(rewritten, "adopt")
    assert refused.code == 1 and "Only a person" in refused.err
    assert waypost(rewritten, "ask", "orders").code == 1
    done = waypost(rewritten, "adopt", "--yes", "--json")
    assert done.json["status"] == "confirmed" and done.json["checkouts"] == [str(shop)]
    assert FACT in waypost(rewritten, "ask", "orders in Postgres").out
    audit = waypost(shop, "audit", "--json").json["entries"]
    assert [row["action"] for row in audit if row["action"] == "adopt"] == ["adopt"]


def test_git_that_is_not_installed_lets_nobody_in(
    shop: Path, clone: Clone, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    second = clone(shop, "second")
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    with pytest.raises(UnknownCheckout, match="git is not installed"):
        Memory.open(second)
    assert FACT in recalled(shop)
