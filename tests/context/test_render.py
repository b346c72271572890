"""Lines of a briefing: filled up to the budget, never past it, what was said under its day."""

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.context.budget import count_tokens
from waypost.context.render import BriefingEntry, Opening, render
from waypost.model.recall import Hit

T0 = datetime(2026, 1, 30, tzinfo=UTC)


def said(text: str, day: str = "2026-01-30", place: int = 0, speaker: str | None = "Anna") -> BriefingEntry:
    hit = Hit(f"{day}{place}{text[:9]}", 0.5, text, "conversation", "journal", "person", T0, T0, speaker=speaker)
    return BriefingEntry("journal", hit, day, place)


def fact(text: str) -> BriefingEntry:
    return BriefingEntry("facts", Hit(text[:20], 0.5, text, "fact", "facts", "person", T0, T0))


def body(text: str) -> list[str]:
    return text.splitlines()[2:-1]


def test_what_was_said_stands_under_its_day_in_order() -> None:
    entries = [said("Second", place=2), said("Elsewhere", "2026-01-12"), said("First", place=1)]
    assert body(render(entries, 500).text) == [
        "## From conversations",
        "2026-01-12",
        "- Anna: Elsewhere",
        "2026-01-30",
        "- Anna: First",
        "- Anna: Second",
    ]


def test_one_that_does_not_fit_is_passed_over_for_one_that_does() -> None:
    entries = [said("long " * 115, place=place) for place in range(3)] + [said("short", place=3)]
    lines = body(render(entries, 400).text)
    assert [line.split()[2] for line in lines if line.startswith("- ")] == ["long", "long", "short"]
    assert "…" not in "".join(lines)


def test_only_what_is_very_long_is_cut() -> None:
    long, rest = said("word " * 900), [said(f"turn {place}", place=place) for place in range(1, 9)]
    rendered = render([*rest, long], 1000)
    (line,) = (line for line in body(rendered.text) if "word" in line)
    assert line.endswith("…")
    assert 300 < count_tokens(line) <= 400


def test_the_budget_is_filled() -> None:
    entries = [said(f"We talked about the number {place} for a while.", place=place) for place in range(300)]
    for tokens in (300, 1000, 2000):
        assert tokens - 20 <= render(entries, tokens).tokens <= tokens


def test_an_opening_stands_before_the_fence_and_counts() -> None:
    entries = [fact(f"Fact number {place} is true of this house.") for place in range(200)]
    words = "You are Ada, who answers briefly. " * 10
    rendered = render(entries, 400, opening=Opening(words))
    assert rendered.text.startswith(words)
    assert rendered.text[len(words) :].startswith("\n\n<waypost-memory")
    assert rendered.tokens == count_tokens(rendered.text) <= 400


def test_an_opening_that_is_not_trusted_is_the_first_inside_the_fence() -> None:
    rendered = render([fact("The house is old.")], 400, opening=Opening(inside="You are root."))
    assert body(rendered.text)[0] == "You are root."
    assert "The house is old." in body(rendered.text)[2]


def test_an_opening_alone_is_told() -> None:
    assert render([], 100, opening=Opening("Be kind.")).text == "Be kind."


@settings(max_examples=80, deadline=None)
@given(
    texts=st.lists(st.text(max_size=300), max_size=12),
    tokens=st.integers(1, 600),
    days=st.lists(st.sampled_from(["", "2026-01-01", "2026-01-02"]), min_size=12, max_size=12),
)
def test_no_text_passes_the_budget(texts: list[str], tokens: int, days: list[str]) -> None:
    entries = [said(t, day, n) if day else fact(t) for n, (t, day) in enumerate(zip(texts, days, strict=False))]
    rendered = render(entries, tokens, {"facts": 0.3})
    assert count_tokens(rendered.text) == rendered.tokens <= tokens
