"""Facts from the working tree, staged changes, commits and one file; on request and in the background."""

from pathlib import Path

import pytest
from tests.conftest import Git, OpenMemory, TestClock

from waypost import Memory, config
from waypost.errors import InvalidInput, NotFound
from waypost.flows.index.track import git_changed
from waypost.flows.learn.automatic import learn_pending, learn_saved
from waypost.model.memory import Caller
from waypost.model.review_item import Learned

PROJECT = '[project]\nname = "shop"\nrequires-python = ">=3.10"\ndependencies = ["flask>=3"]\n'
STORAGE = (
    '"""Where uploads are kept."""\n\n\ndef put(name, data):\n    """Store an upload."""\n    return (name, data)\n'
)
RETRY = '''"""Calls that may fail are tried again."""


def retry(call, times=3):
    """Call until it succeeds, at most so many times."""
    for _ in range(times - 1):
        try:
            return call()
        except OSError:
            continue
    return call()
'''


@pytest.fixture
def shop(memory: Memory, git: Git) -> Memory:
    root = memory.code.root
    git(root, "init", "-q", "-b", "main")
    write(root, "pyproject.toml", PROJECT)
    write(root, "shop/__init__.py", "")
    write(root, "shop/storage.py", STORAGE)
    commit(git, root, "Begin the shop")
    return memory


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def commit(git: Git, root: Path, message: str) -> str:
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", message)
    return git(root, "rev-parse", "HEAD")


def learned_texts(learned: Learned) -> str:
    return "\n".join(one.candidate.text for one in learned.taken)


def need_httpx(root: Path) -> None:
    write(root, "pyproject.toml", PROJECT.replace('"flask>=3"', '"flask>=3", "httpx>=0.27"'))


def test_what_is_not_committed_teaches_and_twice_teaches_nothing_more(shop: Memory) -> None:
    need_httpx(shop.code.root)
    first = shop.facts.learn()
    assert "httpx" in learned_texts(first)
    assert {one.status for one in first.taken} <= {"stored", "held"}
    again = shop.facts.learn()
    assert {one.status for one in again.taken} <= {"known", "waiting"}
    assert len(shop.list()) + len(shop.facts.review().candidates) == len(first.taken)


@pytest.mark.slow
def test_only_what_is_staged_is_read_when_asked(shop: Memory, git: Git) -> None:
    need_httpx(shop.code.root)
    git(shop.code.root, "add", "-A")
    write(shop.code.root, "shop/retry.py", RETRY)
    staged = shop.facts.learn(staged=True, dry_run=True)
    assert "httpx" in learned_texts(staged)
    assert "retry" not in learned_texts(staged)
    assert "retry" in learned_texts(shop.facts.learn(dry_run=True))


@pytest.mark.slow
def test_commits_since_a_revision_are_read_with_what_is_not_committed(shop: Memory, git: Git) -> None:
    base = git(shop.code.root, "rev-parse", "HEAD")
    write(shop.code.root, "shop/retry.py", RETRY)
    made = commit(git, shop.code.root, "Add retry so that uploads survive a flaky network")
    need_httpx(shop.code.root)
    learned = shop.facts.learn(diff=base)
    assert learned.commits == 1
    assert "retry" in learned_texts(learned)
    assert "httpx" in learned_texts(learned)
    evidence = [line for one in learned.taken for line in one.candidate.evidence]
    assert any(made[:7] in line for line in evidence)
    only = shop.facts.learn(diff=f"{base}..HEAD", dry_run=True)
    assert "httpx" not in learned_texts(only)


def test_a_file_that_has_not_changed_is_read_as_a_whole(shop: Memory) -> None:
    learned = shop.facts.learn(file="shop/storage.py")
    assert "storage" in learned_texts(learned)
    assert all(one.candidate.origin == "file_change" for one in learned.taken)


def test_a_fixing_commit_proposes_a_fix(shop: Memory, git: Git) -> None:
    broken = STORAGE.replace("return (name, data)", "return name")
    write(shop.code.root, "shop/storage.py", broken)
    commit(git, shop.code.root, "Return the name")
    write(shop.code.root, "shop/storage.py", STORAGE)
    commit(
        git,
        shop.code.root,
        "Fix crash when an upload has no data\n\nput() dropped the data because it returned the name only.\n\nCloses #12",
    )
    learned = shop.facts.learn(diff="HEAD~1..HEAD")
    (fix,) = [one for one in learned.taken if one.candidate.kind == "fix"]
    assert "upload has no data" in fix.candidate.text
    assert "#12" in " ".join(fix.candidate.evidence)
    assert "shop/storage.py" in " ".join(fix.candidate.refs)


@pytest.mark.slow
def test_yes_approves_the_rest_only_for_a_person(shop: Memory, clock: TestClock, git: Git) -> None:
    (config.load().home / "config.toml").write_text('[learn]\nhold = "all"\n')
    need_httpx(shop.code.root)
    agent = Memory.open(shop.code.root, clock=clock)
    learned = agent.facts.learn(yes=True)
    assert {one.status for one in learned.taken} == {"held"}
    assert any("Only a person" in notice for notice in learned.notices)
    write(shop.code.root, "shop/retry.py", RETRY)
    person = Memory.open(shop.code.root, caller=Caller("person", "ada"), clock=clock)
    approved = person.facts.learn(yes=True)
    assert "held" not in {one.status for one in approved.taken}
    assert all(row["source"] == "person" for row in person.list())


def test_where_to_look_is_said_once_and_well(shop: Memory, open_memory: OpenMemory) -> None:
    with pytest.raises(InvalidInput, match="Say one of"):
        shop.facts.learn(staged=True, diff="HEAD")
    for wrong in ("--output=/etc/passwd", " "):
        with pytest.raises(InvalidInput, match=r"(?:no|Not a) revision"):
            shop.facts.learn(diff=wrong)
    with pytest.raises(NotFound, match="git has no commit"):
        shop.facts.learn(diff="nowhere..HEAD")
    with pytest.raises(NotFound, match="not in a git repository"):
        open_memory("bare").facts.learn()


def test_a_clean_tree_teaches_nothing(shop: Memory) -> None:
    learned = shop.facts.learn()
    assert (learned.taken, learned.pending_approval) == ((), 0)


# -- unasked ------------------------------------------------------------------------------------------------


def test_new_commits_are_learned_from_after_the_hook_by_the_worker(shop: Memory, git: Git) -> None:
    git_changed(shop.space)
    assert learn_pending(shop.space) == 0  # the first commit has none before it
    need_httpx(shop.code.root)
    commit(git, shop.code.root, "Use httpx")
    git_changed(shop.space)
    assert learn_pending(shop.space) > 0
    assert learn_pending(shop.space) == 0
    known = [row["text"] for row in shop.list()] + [one.text for _, one in shop.facts.review().candidates]
    assert any("httpx" in text for text in known)


def test_another_branch_is_no_news(shop: Memory, git: Git) -> None:
    base = git(shop.code.root, "rev-parse", "HEAD")
    git(shop.code.root, "checkout", "-q", "-b", "other")
    need_httpx(shop.code.root)
    commit(git, shop.code.root, "Use httpx")
    with shop.space.store.write() as writer:
        writer.meta.set(f"learn_since:{shop.space.identity.checkout_id}", git(shop.code.root, "rev-parse", "HEAD"))
    git(shop.code.root, "checkout", "-q", base)
    git(shop.code.root, "checkout", "-q", "main")
    assert learn_pending(shop.space) == 0


def test_what_is_learned_unasked_is_a_setting(shop: Memory, git: Git, clock: TestClock) -> None:
    (config.load().home / "config.toml").write_text('[learn]\non = ["readme"]\n')
    quiet = Memory.open(shop.code.root, clock=clock)
    need_httpx(shop.code.root)
    commit(git, shop.code.root, "Use httpx")
    git_changed(quiet.space)
    assert learn_pending(quiet.space) == 0
    write(shop.code.root, "shop/retry.py", RETRY)
    write(shop.code.root, "README.md", "# Shop\n\nShop sells tea to people who cannot sleep.\n")
    assert learn_saved(quiet.space, ["shop/retry.py"]) == 0
    assert learn_saved(quiet.space, ["README.md"]) == 1


def test_a_saved_new_file_teaches_and_a_saved_old_one_only_if_told(shop: Memory) -> None:
    write(shop.code.root, "shop/retry.py", RETRY)
    write(
        shop.code.root,
        "shop/storage.py",
        STORAGE + '\n\ndef get(name):\n    """Read an upload back."""\n    return name\n',
    )
    assert learn_saved(shop.space, ["shop/retry.py"]) > 0
    assert learn_saved(shop.space, ["shop/storage.py"]) == 0
    assert learn_saved(shop.space, ["shop/gone.py"]) == 0


@pytest.mark.slow
def test_the_worker_learns_what_was_tracked_and_committed(shop: Memory, git: Git) -> None:
    shop.index()
    need_httpx(shop.code.root)
    commit(git, shop.code.root, "Use httpx")
    shop.code.git_changed()
    shop.admin.run_worker()
    known = [row["text"] for row in shop.list()] + [one.text for _, one in shop.facts.review().candidates]
    assert any("httpx" in text for text in known)
