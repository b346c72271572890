"""A memory from all sides."""

import pytest
from tests.conftest import TestClock
from tests.faces.dashboard.conftest import HOSTILE, Browse, Sample

from waypost.model.memory import Caller


def page(sample: Sample, browse: Browse, name: str, **query: str) -> str:
    return browse(sample.memory).get(f"memory/{sample[name]}", **query)


def test_it_says_who_said_so_and_since_when_it_is_true(sample: Sample, browse: Browse) -> None:
    text = page(sample, browse, "tagged")
    assert "Cards are charged once, never twice." in text
    assert "a person, ada" in text
    assert "from 2025-09-01 09:00 UTC" in text
    assert "ticket 42" in text
    assert "team=billing" in text


def test_how_sure_it_is_is_explained_part_by_part(sample: Sample, browse: Browse) -> None:
    text = page(sample, browse, "stale")
    assert "20% sure" in text
    assert "6 of 30" in text  # its code has changed
    assert "14 of 20" in text  # an agent said so
    assert "Stale memories reach at most half." in text


def test_changed_code_is_shown_then_and_now(sample: Sample, browse: Browse) -> None:
    text = page(sample, browse, "stale")
    assert '<li data-old="6" data-new="" class="removed">-     result = 0</li>' in text
    assert '<li data-old="" data-new="8" class="added">+     return round(sum(prices) * 1.19, 2)</li>' in text
    assert "Its code has changed: src/checkout.py:4" in text


def test_code_as_it_was_is_shown_with_what_is_meant(sample: Sample, browse: Browse) -> None:
    text = page(sample, browse, "fresh")
    assert '<li data-line="4" class="marked">class Session:</li>' in text
    assert "unchanged</span>" in text


def test_secrets_in_the_code_are_masked(sample: Sample, browse: Browse) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    (sample.root / "src" / "key.py").write_text(f"def key():\n    return '{secret}'\n")
    kept = sample.memory.remember("The key is made here.", refs=["src/key.py#key"]).id
    text = browse(sample.memory).get(f"memory/{kept}")
    assert "def key():" in text
    assert secret not in text


def test_a_link_that_leads_out_of_the_project_is_not_followed(sample: Sample, browse: Browse) -> None:
    place = sample.root / "src" / "own.txt"
    place.write_text("own words\n")
    kept = sample.memory.remember("Words are kept here.", refs=["src/own.txt"]).id
    place.unlink()
    (sample.root.parent / "private.txt").write_text("private words\n")
    place.symlink_to(sample.root.parent / "private.txt")
    assert "private words" not in browse(sample.memory).get(f"memory/{kept}")


def test_history_shows_what_a_correction_changed(sample: Sample, browse: Browse) -> None:
    text = page(sample, browse, "corrected")
    assert "Deploys run on <del>Fridays</del><ins>Tuesdays</ins>." in text
    assert "until 2025-09-23" in text
    assert "corrected a memory" in text


def test_links_lead_up_down_and_along_the_causes(sample: Sample, browse: Browse) -> None:
    assert "Part of</h3>" in page(sample, browse, "child")
    assert "Contains</h3>" in page(sample, browse, "tagged")
    text = page(sample, browse, "decision")
    assert "Because</h3>" in text
    assert "Two providers doubled the work of every change." in text
    assert "Leads to</h3>" in text
    assert "Limited by</h3>" in text


def test_a_lifetime_is_told(sample: Sample, browse: Browse) -> None:
    assert "2025-09-02 09:00 UTC, then archived" in page(sample, browse, "passing")


def test_what_was_read_out_of_the_code_cannot_be_changed_here(sample: Sample, browse: Browse) -> None:
    symbol = sample.memory.list(kind="symbol")[0]["id"]
    text = browse(sample.memory).get(f"memory/{symbol}")
    assert "To change it, change the code." in text
    assert "Retract" not in text


def test_a_journal_entry_cannot_be_rejected_or_moved(sample: Sample, browse: Browse) -> None:
    text = page(sample, browse, "note0")
    assert "Retract" in text
    assert "/reject" not in text
    assert "/promote" not in text


def test_everything_that_is_hostile_shows_as_text(sample: Sample, browse: Browse, clock: TestClock) -> None:
    agent = sample.memory.open(sample.root, caller=Caller("agent", "<i>coder</i>\u202e"), clock=clock)
    agent.correct(sample["hostile"], HOSTILE + " again </textarea><script>alert(3)</script>")
    text = page(sample, browse, "hostile")
    for markup in ("<script>alert", "<img src=x", "<b>tag", "<i>x", "<u>domain", "<i>coder", "</textarea><script"):
        assert markup not in text
    outside = text.replace(text[text.index("<textarea") : text.index("</textarea>")], "")
    assert "\u202e" not in outside  # where it is corrected, the words are themselves
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_hostile_code_shows_as_text(sample: Sample, browse: Browse) -> None:
    (sample.root / "src" / "evil.py").write_text(
        "def evil():\n    return '<script>alert(4)</script> \x1b[31m \u202e'\n"
    )
    kept = sample.memory.remember("Evil is here.", refs=["src/evil.py#evil"]).id
    text = browse(sample.memory).get(f"memory/{kept}")
    assert "&lt;script&gt;alert(4)" in text
    assert "<script>alert" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text


@pytest.mark.slow
def test_what_is_not_there_is_a_page_that_says_so(sample: Sample, browse: Browse) -> None:
    browser = browse(sample.memory)
    hostile = "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "<script>alert(1)</script>", "a" * 3000
    for memory_id in ("01k4282cm0y6pnb28x5k9kthph", "x", *hostile):
        for path in (f"memory/{memory_id}", f"memory/{memory_id}/forget"):
            assert "<script>alert" not in browser.get(path, 404)
