"""Why, code and the journal: what people look at rather than read."""

from itertools import pairwise

from playwright.sync_api import expect
from tests.browser.conftest import PHONE, Windows, fits
from tests.browser.served import Served


def test_a_question_draws_the_chain_and_a_box_leads_to_its_memory(window: Windows, size: tuple[int, int]) -> None:
    page = window("why", size=size)
    page.get_by_label("Why …?").fill("Why is there one provider?")
    page.get_by_role("button", name="Ask").click()
    boxes = page.locator("svg.graph a")
    expect(boxes).to_have_count(6)
    expect(page.locator("svg.graph path.arrow")).to_have_count(5)
    assert fits(page)
    page.locator("summary", has_text="Mermaid").click()
    assert "graph TD" in page.get_by_label("Mermaid text").input_value()
    boxes.filter(has_text="Refunds take a day").first.click()
    expect(page.locator(".said")).to_have_text("Refunds take a day longer.")


def test_no_arrow_of_a_chain_runs_through_a_box_of_another(window: Windows) -> None:
    page = window("why?q=Why+one+payment+provider")
    expect(page.locator("svg.graph path.arrow")).to_have_count(5)
    crossed = page.evaluate("""() => {
        const boxes = [...document.querySelectorAll('svg.graph .box rect')].map((one) => one.getBBox());
        const inside = (at) => boxes.some((box) => at.x > box.x + 2 && at.x < box.x + box.width - 2
            && at.y > box.y + 2 && at.y < box.y + box.height - 2);
        return [...document.querySelectorAll('svg.graph path.arrow')].filter((path) => {
            const length = path.getTotalLength();
            return [...Array(101).keys()].some((n) => inside(path.getPointAtLength(length * n / 100)));
        }).map((path) => path.textContent);
    }""")
    assert crossed == []


def test_a_file_shows_its_memories_beside_the_lines(window: Windows, served: Served, size: tuple[int, int]) -> None:
    page = window("code", size=size)
    page.get_by_label("Part of a path").fill("payments")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("link", name="src/shop/payments.py").click()
    note = page.get_by_role("article").filter(has_text="The provider is asked four times")
    expect(note).to_be_visible()
    line = page.locator("#L10")
    expect(line).to_contain_text("def charge")
    expect(line).to_have_class("marked")
    assert fits(page)
    beside, code = note.bounding_box(), line.bounding_box()
    assert beside is not None and code is not None
    if size == PHONE:
        assert beside["y"] < code["y"]  # above its lines
    else:
        assert beside["x"] > code["x"] and abs(beside["y"] - code["y"]) < 40
    note.get_by_role("link").first.click()
    page.wait_for_url(served.page(f"memory/{served.sample['retries']}"))


def test_a_note_that_is_taller_than_its_lines_leaves_no_gap_between_them(window: Windows, served: Served) -> None:
    words = "A note with so many words that it stands beside more lines than those that it is about. "
    served.remember(words * 3, refs=["src/shop/mail.py#L1-L1"])
    page = window("code/src/shop/mail.py")
    expect(page.get_by_role("article").filter(has_text="so many words")).to_be_visible()
    tops: list[float] = page.evaluate(
        "[...document.querySelectorAll('.code li')].map((one) => one.getBoundingClientRect().y)"
    )
    steps = {round(after - before) for before, after in pairwise(tops)}
    assert len(tops) > 10
    assert max(steps) - min(steps) <= 1


def test_a_place_in_the_code_is_shown_when_it_is_asked_for(window: Windows) -> None:
    page = window("code/src/shop/session.py#L10")
    expect(page.locator("#L10")).to_be_in_viewport()
    page.locator("summary", has_text="Outline").click()
    page.get_by_role("link", name="close").click()
    expect(page.locator(":target")).to_contain_text("def close")


def test_the_calendar_leads_to_a_day_and_a_condensed_day_is_brought_back(
    window: Windows, served: Served, size: tuple[int, int]
) -> None:
    day = "2025-12-16" if size == PHONE else "2025-12-10"
    page = window("journal?year=2025", size=size)
    page.locator(f"svg.days a[href$='{day}']").click()
    expect(page.get_by_role("heading", name=day)).to_be_visible()
    expect(page.locator(".said").first).to_contain_text("Which tests are slow now")
    expect(page.locator(".said .badge", has_text="archive").first).to_be_visible()
    page.locator("summary", has_text="Files").click()
    page.get_by_role("button", name="Restore originals").click()
    expect(page.get_by_role("status")).to_contain_text("is restored")
    expect(page.locator(".said .badge", has_text="daily").first).to_be_visible()
    assert fits(page)
    page.locator("summary", has_text="Files").click()
    page.get_by_role("button", name="Release").click()
    expect(page.get_by_role("status")).to_contain_text("Released")


def test_a_week_tells_its_summary_and_its_entries(window: Windows, size: tuple[int, int]) -> None:
    page = window("journal/2025-W47", size=size)
    summary = page.get_by_role("region", name="Summary")
    expect(summary.get_by_role("heading", name="Key insights and decisions")).to_be_visible()
    expect(summary.get_by_role("link", name="2025-11-").first).to_be_visible()
    assert "**" not in summary.inner_text() and "](" not in summary.inner_text()
    expect(page.get_by_role("status")).to_have_count(0)
    expect(page.locator(".said").first).to_be_visible()
    page.locator(".said").first.get_by_role("link", name="memory").click()
    expect(page.get_by_role("heading", name="Source")).to_be_visible()


def test_a_note_is_written_protected_and_found_again(window: Windows, size: tuple[int, int]) -> None:
    words = f"The heating of the shop is loud ({size[0]})."
    page = window("journal", size=size)
    page.locator("summary", has_text="Write a note").click()
    page.get_by_label("Text").fill(words)
    page.get_by_role("button", name="Save note").click()
    expect(page.get_by_role("status")).to_contain_text("Note saved")
    page.get_by_label("Words in the journal").fill(f"loud ({size[0]})")
    page.get_by_role("button", name="Search", exact=True).click()
    page.locator(".hit", has_text=words).get_by_role("link", name="2026-01-30").first.click()
    entry = page.locator(".said", has_text=words)
    entry.get_by_role("button", name="Protect").click()
    expect(page.locator(".said", has_text=words).locator(".badge", has_text="protected")).to_be_visible()
    page.locator(".said", has_text=words).get_by_role("button", name="Unprotect").click()
    expect(page.get_by_role("status")).to_contain_text("No longer protected.")


def test_plots_can_be_read_as_tables(window: Windows) -> None:
    page = window("journal")
    for one in page.locator("details.numbers").all():
        one.locator("summary").click()
        expect(one.locator("table")).to_be_visible()


def test_the_overview_leads_to_what_wants_attention(window: Windows, served: Served, size: tuple[int, int]) -> None:
    page = window(size=size)
    page.get_by_role("link", name="Review them").click()
    page.wait_for_url(served.page("review"))
    page.get_by_role("navigation", name="Sections").get_by_role("link", name="Overview").click()
    page.get_by_role("link", name="Show them").click()
    page.wait_for_url(served.page("stale"))
