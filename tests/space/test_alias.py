"""Which id stands for which memory, and which addresses are those of one repository."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from tests.conftest import Git

from waypost import config
from waypost.errors import ForeignFile
from waypost.space.alias import aliases, identify_here, last_step, set_alias
from waypost.space.identity import identify
from waypost.space.remote import repository_key

ONE, TWO, THREE = "1" * 16, "2" * 16, "3" * 16
KEY = "git.example.org/team/shop"


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("git@git.example.org:team/shop.git", KEY),
        ("git.example.org:/team/shop", KEY),
        ("ssh://git@GIT.Example.org:22/team/shop.git/", KEY),
        ("git+ssh://git.example.org/team/shop", KEY),
        ("https://git.example.org/team/shop.git?x=1", KEY),
        ("http://git.example.org:80/team/shop", KEY),
        ("https://git.example.org/team/Shop", "git.example.org/team/Shop"),
        ("https://git.example.org:80/team/shop", "git.example.org:80/team/shop"),
        ("ssh://git@[::1]:2222/team/shop", "[::1]:2222/team/shop"),
        ("/srv/git/shop.git/", "/srv/git/shop"),
        ("file:///srv/git/shop", "/srv/git/shop"),
        ("https://git.example.org.//team/./%73hop.git", KEY),
        ("https://GitHub.com/Acme/Clicky", "github.com/acme/clicky"),
        ("git@github.com:acme/clicky.git", "github.com/acme/clicky"),
        ("ssh://git@ssh.github.com:443/acme/clicky.git", "github.com/acme/clicky"),
        ("ext::sh -c evil", None),
        ("weird://host/shop", None),
        ("https:///shop", None),
    ],
)
def test_every_spelling_of_an_address_has_the_same_key(url: str, key: str | None) -> None:
    assert repository_key(url) == key


def test_an_alias_leads_to_the_memory_that_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    settings, own = config.load(), identify(folder)
    assert identify_here(folder, settings) == own
    set_alias(settings.home, own.space_id, TWO)
    identity = identify_here(folder, settings)
    assert (identity.space_id, identity.checkout_id, identity.root) == (TWO, own.checkout_id, own.root)
    set_alias(settings.home, own.space_id, None)
    assert identify_here(folder, settings) == own
    assert (settings.home / "aliases.json").stat().st_mode & 0o077 == 0


def test_aliases_neither_chain_nor_go_round(tmp_path: Path) -> None:
    set_alias(tmp_path, ONE, TWO)
    set_alias(tmp_path, TWO, THREE)
    assert aliases(tmp_path) == {ONE: THREE, TWO: THREE}
    set_alias(tmp_path, THREE, ONE)
    assert aliases(tmp_path) == {TWO: ONE, THREE: ONE}
    set_alias(tmp_path, TWO, TWO)
    assert aliases(tmp_path) == {THREE: ONE}


def test_steps_that_others_wrote_are_followed_to_their_end(tmp_path: Path) -> None:
    (tmp_path / "aliases.json").write_text(json.dumps({ONE: TWO, TWO: THREE}))
    assert aliases(tmp_path) == {ONE: THREE, TWO: THREE}
    assert last_step(tmp_path, ONE) == TWO
    set_alias(tmp_path, TWO, None)
    assert aliases(tmp_path) == {ONE: TWO}


@pytest.mark.slow
def test_a_long_chain_is_followed_quickly(tmp_path: Path) -> None:
    ids = [f"{number:016x}" for number in range(20_000)]
    (tmp_path / "aliases.json").write_text(json.dumps(dict(pairwise(ids))))
    assert set(aliases(tmp_path).values()) == {ids[-1]}


def test_the_alias_of_one_checkout_counts_before_that_of_its_project(tmp_path: Path, git: Git) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "remote", "add", "origin", "https://git.example.org/team/shop")
    settings, own = config.load(), identify(tmp_path)
    set_alias(settings.home, own.space_id, TWO)
    set_alias(settings.home, own.checkout_id, THREE)
    assert identify_here(tmp_path, settings).space_id == THREE


@pytest.mark.parametrize(
    "content",
    [
        json.dumps({ONE: TWO, TWO: ONE}),
        json.dumps({ONE: ONE}),
        json.dumps({ONE: TWO, TWO: THREE, THREE: TWO}),
        "",
        "[]",
        '{"x": "y"}',
        f'{{"{ONE}": "../../etc"}}',
        f'{{"{ONE}": 1}}',
        "[" * 100_000,
    ],
)
def test_a_file_that_cannot_be_understood_is_an_error(content: str, tmp_path: Path) -> None:
    (tmp_path / "aliases.json").write_text(content)
    with pytest.raises(ForeignFile, match="aliases"):
        aliases(tmp_path)
    with pytest.raises(ForeignFile):
        set_alias(tmp_path, ONE, TWO)
    assert (tmp_path / "aliases.json").read_text() == content
