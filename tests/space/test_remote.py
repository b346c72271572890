from pathlib import Path

import pytest

from waypost.space.remote import read_remote, repository_name

ROOT = Path("/srv/checkouts/shop")


@pytest.mark.parametrize(
    ("url", "hash_input", "display_url"),
    [
        ("https://h.org/a/b.git", "https://h.org/a/b.git", "https://h.org/a/b.git"),
        ("https://me:pw@h.org/a/b.git", "https://h.org/a/b.git", "https://h.org/a/b.git"),
        ("HTTPS://tok3n@h.org:8443/b", "HTTPS://h.org:8443/b", "HTTPS://h.org:8443/b"),
        ("http://a@b:p@ss@h.org/b", "http://h.org/b", "http://h.org/b"),
        ("https://me:pa/ss@h.org/b", "https://h.org/b", "https://h.org/b"),
        ("https://me:pa?x#@h.org", "https://h.org", "https://h.org"),
        ("https://h.org/@scope/b", "https://h.org/@scope/b", "https://h.org/@scope/b"),
        ("https://h.org:443/@scope/b", "https://h.org:443/@scope/b", "https://h.org:443/@scope/b"),
        ("https://me@[::1]:80/@s/b", "https://[::1]:80/@s/b", "https://[::1]:80/@s/b"),
        ("https://h.org/?p=a.git;token=t", "https://h.org/?p=a.git;token=t", "https://h.org/"),
        ("https://h.org/b#frag", "https://h.org/b#frag", "https://h.org/b"),
        ("ssh://git@h.org/a/b", "ssh://git@h.org/a/b", "ssh://h.org/a/b"),
        ("ssh://me:pw@h.org:22/b", "ssh://me@h.org:22/b", "ssh://h.org:22/b"),
        ("git@h.org:a/b.git", "git@h.org:a/b.git", "h.org:a/b.git"),
        ("tok3n@h.org:a/b.git?x=1", "tok3n@h.org:a/b.git?x=1", "h.org:a/b.git"),
        ("/srv/git/b.git", "/srv/git/b.git", "/srv/git/b.git"),
        ("../b.git", "/srv/checkouts/b.git", "/srv/checkouts/b.git"),
        ("b.git", "/srv/checkouts/shop/b.git", "/srv/checkouts/shop/b.git"),
        ("./a:b", "/srv/checkouts/shop/a:b", "/srv/checkouts/shop/a:b"),
        ("file:///srv/b.git", "file:///srv/b.git", "file:///srv/b.git"),
        ("codecommit::eu://me@b", "codecommit::eu://me@b", "codecommit::eu://b"),
        ("ext::ssh -i key me@h %S b", "ext::ssh -i key me@h %S b", None),
        ("https://h.org/\x1b[2Jb", "https://h.org/\x1b[2Jb", None),
    ],
)
def test_a_url_loses_its_secrets(url: str, hash_input: str, display_url: str | None) -> None:
    remote = read_remote(url, ROOT)
    assert remote.hash_input == hash_input
    assert remote.display_url == display_url


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://h.org/a/b.git", "b"),
        ("h.org:b.git", "b"),
        ("/srv/git/b.git/", "b"),
        ("https://h.org/", "h.org"),
        ("", ""),
    ],
)
def test_the_name_is_the_last_part(url: str, name: str) -> None:
    assert repository_name(url) == name
