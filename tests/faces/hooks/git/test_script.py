"""The text of a hook: what is put into it stays what it is, and the hook is known again."""

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.faces.hooks.git.script import EVENTS, Installer, author, render

PATHS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=60)


@pytest.mark.parametrize("event", EVENTS)
def test_a_hook_is_known_as_ours_and_any_change_is_seen(event: str) -> None:
    content = render(event, Installer("/usr/bin/python3", "/home"))
    assert author(content) == "waypost"
    assert author(content + b"\n") == "edited"
    assert author(content.replace(b"#!/bin/sh", b"#!/bin/bash", 1)) == "edited"
    assert author(content.replace(b"\n", b"\r\n")) == "edited"
    assert author(b"#!/bin/sh\n\n" + content) == "edited"
    assert author(content[:60]) == "edited"


@pytest.mark.parametrize("content", [b"", b"\n", b"#!/bin/sh", b"#!/bin/sh\necho waypost hook run git\n", b"\x7fELF\0"])
def test_a_hook_of_somebody_else_is_theirs(content: bytes) -> None:
    assert author(content) == "somebody"


@settings(max_examples=20, deadline=None)
@given(st.tuples(PATHS, PATHS) | st.just(("'; touch owned; '", "`id`\n$(id)\\")))
def test_paths_are_words_of_the_shell_that_mean_themselves(paths: tuple[str, str]) -> None:
    python, home = paths
    content = render("post-commit", Installer(python, home)).decode("utf-8")
    lines = content[content.index("    waypost_home=") :]
    home_line = lines[: lines.index("    if [ -n")]
    lines = lines[lines.index("    waypost_quietly=") :]
    python_line = lines[lines.index("    waypost_python=") : lines.index("    set -- hook")]
    script = f'{home_line}{python_line}printf \'%s\\0%s\' "$waypost_python" "$waypost_home"'
    told = subprocess.run(["sh", "-c", script], check=True, capture_output=True).stdout
    assert told == f"{python}\0{home}".encode()


def test_a_path_that_is_not_text_is_kept_as_it_is() -> None:
    assert b"'/b\xff\xfe'" in render("post-merge", Installer("/b\udcff\udcfe"))


@pytest.mark.parametrize("event", EVENTS)
def test_a_shell_understands_it(event: str) -> None:
    content = render(event, Installer("/it's"))
    subprocess.run(["sh", "-n"], input=content, check=True)
