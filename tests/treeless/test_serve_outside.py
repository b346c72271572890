"""`waypost serve` outside of any project: it makes no memory of the folder it is started in."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from tests.conftest import TestClock
from tests.treeless.conftest import ADA, Shop

from waypost import Memory, config
from waypost.faces.mcp.session import ServedProject
from waypost.memory.catalog import is_outside, space_entries

pytestmark = pytest.mark.slow  # whole servers are not for the inner loop


def served(folder: Path, *asked: str) -> list[dict[str, object]]:
    """Start a server there, ask it for these, and let it end."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-P", "-m", "waypost", "serve", "--port", "0", "--json"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        try:
            assert server.stdout is not None and server.stderr is not None
            line = server.stdout.readline()
            assert line, server.stderr.read()
            started = json.loads(line)
            token = Path(started["token_file"]).read_text().strip()
            with httpx2.Client(headers={"authorization": f"Bearer {token}"}) as client:
                return [client.get(f"{started['url']}{path}").json() for path in asked]
        finally:
            server.terminate()


def test_the_only_project_is_served_though_its_tree_is_elsewhere(shop: Shop, tmp_path: Path) -> None:
    status, stale = served(tmp_path / "srv", "/api/v1/spaces/here/status", "/api/v1/spaces/here/staleness")
    assert (status["space"], status["name"]) == (shop.space_id, "shop")
    assert stale["stale"] == 1
    assert [one.space_id for one in space_entries(config.load())] == [shop.space_id]


def test_with_several_projects_it_is_the_persons_own_memory(shop: Shop, tmp_path: Path, clock: TestClock) -> None:
    (tmp_path / "work" / "bank").mkdir()
    Memory.open(tmp_path / "work" / "bank", caller=ADA, clock=clock).remember("Loans are for a year.")
    status, spaces = served(tmp_path / "srv", "/api/v1/spaces/here/status", "/api/v1/spaces")
    assert status["kind"] == "person"
    listed = spaces["spaces"]
    assert isinstance(listed, list)
    assert {one["name"]: one["has_tree"] for one in listed} == {"shop": False, "bank": True, status["name"]: False}


def test_a_folder_is_outside_unless_it_is_a_repository_or_has_a_memory(
    shop: Shop, tmp_path: Path, clock: TestClock
) -> None:
    settings, plain = config.load(), tmp_path / "plain"
    assert is_outside(settings, tmp_path / "nowhere")
    plain.mkdir()
    assert is_outside(settings, plain)
    Memory.open(plain, caller=ADA, clock=clock).remember("It is one now.")
    assert not is_outside(settings, plain)
    repository = tmp_path / "repository"
    repository.mkdir()
    subprocess.run(["git", "init", "-q", "--template="], cwd=repository, check=True)
    assert not is_outside(settings, repository)
    shutil.rmtree(repository)


def test_where_no_project_is_known_yet_a_folder_is_one_unless_it_is_no_place_for_it(tmp_path: Path) -> None:
    settings, plain = config.load(), tmp_path / "plain"
    plain.mkdir()
    assert not is_outside(settings, plain)
    settings.home.mkdir(parents=True)
    assert is_outside(settings, settings.home)
    assert is_outside(settings, Path(tmp_path.anchor))
    assert is_outside(settings, config.user_home())


def test_agents_are_served_a_memory_by_its_id(shop: Shop, clock: TestClock) -> None:
    memory = ServedProject(space=shop.space_id, follows_roots=False, clock=clock).memory(ADA)
    assert memory.identity.space_id == shop.space_id and not memory.identity.has_tree


def test_a_worker_pays_what_is_owed_without_a_tree(shop: Shop, tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-m", "waypost", "work", f"--space={shop.space_id}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    command[-1] = "--space=" + "0" * 16
    unknown = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert unknown.returncode == 3 and "There is no memory" in unknown.stderr
    assert not shop.root.exists()
