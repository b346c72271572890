"""The project's files, with what is remembered beside the lines."""

import os
from pathlib import Path

import pytest
from tests.conftest import TestClock
from tests.faces.dashboard.conftest import HOSTILE, Browse, Sample

from waypost import Memory
from waypost.faces.dashboard.pages.code import UNFOLDED, tree_of_files
from waypost.flows.index.source_view import FileSeen


@pytest.mark.slow
def test_the_tree_counts_memories_and_stale_ones_by_folder(sample: Sample, browse: Browse) -> None:
    page = browse(sample.memory).get("code")
    assert '<summary><span class="mono">src/</span>' in page
    assert "2 memories" in page
    assert "1 stale" in page
    assert "/code/src/checkout.py" in page


@pytest.mark.slow
def test_files_are_found_by_a_part_of_their_path_or_by_what_is_remembered(sample: Sample, browse: Browse) -> None:
    (sample.root / "src" / "empty.py").write_text("pass\n")
    sample.memory.index()
    browser = browse(sample.memory)
    assert "/code/src/session.py" not in browser.get("code", q="CHECK")
    assert "/code/src/empty.py" not in browser.get("code", only="memories")
    assert "/code/src/session.py" not in browser.get("code", only="stale")
    assert "No matching files." in browser.get("code", q="<script>")
    browser.get("code", 400, only="x")


def test_a_folder_has_a_page(sample: Sample, browse: Browse) -> None:
    assert "/code/src/checkout.py" in browse(sample.memory).get("code/src")


def test_memories_stand_beside_the_lines_that_they_are_about(sample: Sample, browse: Browse) -> None:
    page = browse(sample.memory).get("code/src/checkout.py")
    lines = page.split('class="pieces', 1)[1]
    at = lines.index("The total adds up prices without tax.")
    assert lines.index('id="L3"') < at < lines.index('id="L4"'), "the note begins where its lines do"
    assert '<li id="L4" data-line="4" class="marked stale-line">def total(prices):</li>' in page
    assert f"/memory/{sample['stale']}" in page
    assert "Outline: 2 symbols" in page
    assert "Summary</summary>" in page


def test_a_memory_about_the_whole_file_stands_above(sample: Sample, browse: Browse) -> None:
    sample.memory.remember("This file is reviewed by two people.", refs=["src/session.py"])
    page = browse(sample.memory).get("code/src/session.py")
    assert page.index("About the whole file") < page.index("reviewed by two people") < page.index('id="L1"')


def test_memories_about_code_that_a_file_calls_stand_below(sample: Sample, browse: Browse) -> None:
    (sample.root / "src" / "cart.py").write_text(
        "from checkout import total\n\n\ndef pay(rows):\n    return total(rows)\n"
    )
    sample.memory.index()
    page = browse(sample.memory).get("code/src/cart.py")
    assert page.index('id="L5"') < page.index("About code that this file calls")
    assert "about `total`, which this file calls · src/checkout.py" in page
    assert "No memories about this file yet." in page


def test_what_pointed_at_lost_code_is_told_below(sample: Sample, browse: Browse) -> None:
    (sample.root / "src" / "checkout.py").write_text("x = 1\n")
    page = browse(sample.memory).get("code/src/checkout.py")
    assert "About deleted code" in page
    assert "The total adds up prices without tax." in page


def test_a_file_that_is_gone_still_tells_what_is_remembered(sample: Sample, browse: Browse) -> None:
    (sample.root / "src" / "checkout.py").unlink()
    page = browse(sample.memory).get("code/src/checkout.py")
    assert "is not a file of this project" in page
    assert "The total adds up prices without tax." in page


def test_a_file_that_never_was_is_not_found(sample: Sample, browse: Browse) -> None:
    browse(sample.memory).get("code/src/nothing.py", 404)


def test_secrets_are_masked(sample: Sample, browse: Browse) -> None:
    (sample.root / "src" / "keys.py").write_text('KEY = "AKIAIOSFODNN7EXAMPLQ"\n')
    page = browse(sample.memory).get("code/src/keys.py")
    assert "AKIAIOSFODNN7EXAMPLQ" not in page
    assert "1 secret masked" in page


@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt", "src/../../secret.txt", "%2e%2e/secret.txt", "%2e%2e%2fsecret.txt", "src%2f..%2f..%2fsecret.txt",
        "..%5csecret.txt", "%2fetc%2fpasswd", "/etc/passwd", "....//secret.txt", "src/%00/x", "link/secret.txt", "out.txt",
        "file:%2f%2f%2fetc%2fpasswd", "src/checkout.py%00", ".git/config", ".git%2fconfig",
    ],
)  # fmt: skip
def test_nothing_outside_the_project_is_shown(sample: Sample, browse: Browse, path: str) -> None:
    outside = sample.root.parent
    (outside / "secret.txt").write_text("the secret words\n")
    os.symlink(outside, sample.root / "link")
    os.symlink(outside / "secret.txt", sample.root / "out.txt")
    browser = browse(sample.memory)
    answer = browser.client.get(browser.address("code/") + path)
    assert answer.status_code in (400, 403, 404), answer.text
    for secret in ("the secret words", "root:", "[core]", "repositoryformatversion"):
        assert secret not in answer.text


def test_ignored_files_are_not_shown(sample: Sample, browse: Browse) -> None:
    (sample.root / ".gitignore").write_text("private/\n")
    (sample.root / "private").mkdir()
    (sample.root / "private" / "diary.md").write_text("Dear diary\n")
    assert "Dear diary" not in browse(sample.memory).get("code/private/diary.md", 404)


@pytest.mark.parametrize(
    ("name", "content"), [("photo.py", b"\x89PNG\r\n\x1a\n" + bytes(range(256))), ("big.py", b"x = 1\n" * 2_000_000)]
)
def test_binary_and_huge_files_are_refused_politely(sample: Sample, browse: Browse, name: str, content: bytes) -> None:
    (sample.root / "src" / name).write_bytes(content)
    page = browse(sample.memory).get(f"code/src/{name}")
    assert "is not shown" in page
    assert len(page) < 20_000


@pytest.mark.slow
def test_a_long_file_comes_in_parts_and_a_long_line_is_cut(sample: Sample, browse: Browse) -> None:
    lines = [f"x{n} = {n}" for n in range(2500)] + [f"y = '{'z' * 5000}'"]
    (sample.root / "src" / "long.py").write_text("\n".join(lines) + "\n")
    sample.memory.remember("x2400 counts visitors.", refs=["src/long.py#L2401-L2401"])
    browser = browse(sample.memory)
    page = browser.get("code/src/long.py")
    assert 'id="L2000"' in page
    assert 'id="L2001"' not in page
    assert "About other lines" in page
    rest = browser.get("code/src/long.py", first="2001")
    assert 'id="L2501"' in rest
    assert "z" * 5000 not in rest
    assert "There are no lines from 99999 on." in browser.get("code/src/long.py", first="99999")
    browser.get("code/src/long.py", 400, first="0")


def test_hostile_code_and_words_show_as_text(sample: Sample, browse: Browse) -> None:
    (sample.root / "src" / "page.py").write_text(f"# {HOSTILE} \x1b[31m\nx = 1\n")
    sample.memory.remember(HOSTILE + " there", refs=["src/page.py#L1-L2"])
    page = browse(sample.memory).get("code/src/page.py")
    assert "&lt;script&gt;alert(1)" in page
    for bad in ("<script>alert", "<img src=x", "\u202e", "\x1b"):
        assert bad not in page


@pytest.mark.slow
def test_names_with_marks_are_quoted(sample: Sample, browse: Browse) -> None:
    name = "<b>&'#?.py"
    (sample.root / "src" / name).write_text("value = 1\n")
    sample.memory.index()
    browser = browse(sample.memory)
    page = browser.get("code")
    assert "<b>" not in page
    assert "/code/src/%3Cb%3E%26%27%23%3F.py" in page
    answer = browser.client.get(browser.address("code/src/%3Cb%3E%26%27%23%3F.py"))
    assert answer.status_code == 200
    assert "value = 1" in answer.text


@pytest.mark.slow
def test_deep_code_and_deep_folders_do_no_harm(sample: Sample, browse: Browse) -> None:
    (sample.root / "src" / "deep.py").write_text("x = " + "(" * 10_000 + ")" * 10_000 + "\n")
    folder = sample.root / Path(*["d"] * 60)
    folder.mkdir(parents=True)
    (folder / "leaf.py").write_text("leaf = 1\n")
    sample.memory.index()
    browser = browse(sample.memory)
    browser.get("code/src/deep.py")
    assert "deeper" in browser.get("code")
    assert "leaf.py" in browser.get("code/" + "/".join(["d"] * 50))


def test_a_large_folder_has_a_page_of_its_own_instead_of_being_folded() -> None:
    files = [FileSeen(f"big/f{n}.py", "python", 1, None) for n in range(UNFOLDED + 1)]
    tree = tree_of_files([*files, FileSeen("small/a.py", "python", 1, None, memories=2, stale=1)])
    assert tree.folders["big"].is_large
    assert not tree.folders["small"].is_large
    assert (tree.count, tree.memories, tree.stale) == (UNFOLDED + 2, 2, 1)


def test_without_an_index_the_page_says_what_to_do(person: Memory, browse: Browse) -> None:
    page = browse(person).get("code")
    assert "No files indexed yet." in page
    assert "waypost init" in page


def test_a_person_has_no_code(clock: TestClock, person: Memory, browse: Browse) -> None:
    ada = Memory.open(person="ada", clock=clock)
    assert "A personal memory has no code." in browse(ada).get("code")
