"""`journal import` of other tools' chats: every format, once, or not at all."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from waypost.compat.chat.importer import import_chat, read_chat, survey_chat
from waypost.errors import InvalidInput
from waypost.flows.journal.entry_import import EntryImportReport
from waypost.memory import Memory
from waypost.model.memory import Caller

ME = Caller("person", "tester")
TV = {"role": "user", "content": "Was läuft heute auf ZDF?", "time": "2026-01-30T18:00:15+01:00"}
ANSWER = {"role": "assistant", "content": "Das Halbfinale der Handball-EM.", "time": "2026-01-30T18:00:20+01:00"}
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "chat.jsonl"


def lines(file: Path, *rows: object) -> Path:
    file.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return file


def bring(memory: Memory, path: Path) -> EntryImportReport:
    return import_chat(memory.space, path, ME)


def said(path: Path) -> list[tuple[str | None, str]]:
    return [(draft.speaker, draft.text) for draft in read_chat(path).drafts]


def one(path: Path, **message: Any) -> tuple[str | None, str]:
    (found,) = said(lines(path, {"role": "user", "time": 1_769_792_415, **message}))
    return found


# -- the lines


def test_lines_of_role_content_and_time_become_entries_of_their_day(memory: Memory, file: Path) -> None:
    done = bring(memory, lines(file, TV, ANSWER))
    rows = memory.list(kind="conversation")
    assert [(row["speaker"], row["text"]) for row in rows] == [
        ("user", "Was läuft heute auf ZDF?"),
        ("assistant", "Das Halbfinale der Handball-EM."),
    ]
    assert {row["time"] for row in rows} == {"2026-01-30T17:00:15Z", "2026-01-30T17:00:20Z"}
    assert (done.entries, done.days, done.duplicates, done.refused) == (2, 1, 0, 0)
    assert done.id


def test_the_same_file_again_adds_nothing_and_a_longer_one_only_the_rest(memory: Memory, file: Path) -> None:
    bring(memory, lines(file, TV))
    again = bring(memory, file)
    assert (again.id, again.entries, again.duplicates) == (None, 0, 1)
    more = bring(memory, lines(file, TV, ANSWER))
    assert (more.entries, more.duplicates) == (1, 1)
    assert len({row["session"] for row in memory.list(kind="conversation")}) == 1


def test_a_bad_line_is_named_and_nothing_is_written(memory: Memory, file: Path) -> None:
    no_time = {"role": "user", "content": "when?"}
    bad_time = {**TV, "time": "yesterday"}
    with pytest.raises(InvalidInput) as raised:
        bring(memory, lines(file, TV, "{not json", no_time, bad_time, [1], ANSWER))
    told = str(raised.value)
    for part in (
        "line 2 is not valid JSON",
        "line 3 has no time",
        "line 4: time: 'yesterday'",
        "line 5 is not an object",
    ):
        assert part in told
    assert memory.list() == []


def test_a_message_must_say_who_spoke_and_have_words(file: Path) -> None:
    with pytest.raises(InvalidInput, match="line 1 has no role and no content"):
        read_chat(lines(file, {"time": 1}))


def test_only_so_many_bad_lines_are_told_in_full(file: Path) -> None:
    with pytest.raises(InvalidInput, match="and 15 more"):
        read_chat(lines(file, *[{"role": "user"}] * 25))


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        ("2026-01-30T18:00:15+01:00", "2026-01-30T17:00:15"),
        ("2026-01-30 17:00:15", "2026-01-30T17:00:15"),
        ("2026-01-30T17:00:15.500Z", "2026-01-30T17:00:15.500000"),
        (1_769_792_415, "2026-01-30T17:00:15"),
        (1_769_792_415.25, "2026-01-30T17:00:15.250000"),
        (1_769_792_415_000, "2026-01-30T17:00:15"),
        ("1769792415", "2026-01-30T17:00:15"),
        ("1769792415000", "2026-01-30T17:00:15"),
    ],
)
def test_times_are_read_in_every_common_form(file: Path, time: object, expected: str) -> None:
    (draft,) = read_chat(lines(file, {**TV, "time": time})).drafts
    assert draft.time == datetime.fromisoformat(expected).replace(tzinfo=UTC)


@pytest.mark.parametrize("time", [True, -5, 1e30, int("9" * 400), [1], {}, "", "NaN"])
def test_what_is_no_time_is_refused(file: Path, time: object) -> None:
    with pytest.raises(InvalidInput, match="line 1"):
        read_chat(lines(file, {**TV, "time": time}))


# -- sessions


def test_a_silence_of_more_than_half_an_hour_begins_another_session(file: Path) -> None:
    at = 1_769_792_400
    found = read_chat(lines(file, *({**TV, "content": str(gap), "time": at + gap * 60} for gap in (0, 30, 61)))).drafts
    assert [draft.session for draft in found] == ["chat 2026-01-30T17:00:00Z"] * 2 + ["chat 2026-01-30T18:01:00Z"]


def test_a_session_that_is_named_is_kept_and_messages_come_by_time(file: Path) -> None:
    found = read_chat(lines(file, {**ANSWER, "session": "tv"}, {**TV, "conversation_id": "tv"})).drafts
    assert [(draft.session, draft.speaker) for draft in found] == [("tv", "user"), ("tv", "assistant")]


# -- who spoke, and what


@pytest.mark.parametrize(
    ("role", "expected"),
    [("human", "user"), ("AI", "assistant"), ("function", "tool"), ("developer", "system"), ("Moderator", "Moderator")],
)
def test_roles_of_other_tools_are_known(file: Path, role: str, expected: str) -> None:
    assert one(file, role=role, content="hi") == (expected, "hi")


def test_a_person_may_have_a_name_and_a_tool_stays_a_tool(file: Path) -> None:
    assert one(file, content="hi", name="Raimund")[0] == "Raimund"
    assert one(file, content="hi", role="assistant", name="Crowdbot")[0] == "assistant"
    assert one(file, content="hi", role="tool", name="search")[0] == "tool"


def test_parts_are_joined_pictures_are_named_and_thoughts_left_out(file: Path) -> None:
    parts = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "Look"},
        {"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}},
        {"type": "image", "source": {"type": "base64", "data": "AAAA"}},
        "there",
    ]
    assert one(file, content=parts)[1] == "Look\n\n[image: https://example.org/cat.png]\n\n[image]\n\nthere"


def test_calls_of_tools_are_kept_and_their_results_are_the_tools_words(file: Path) -> None:
    call = {"function": {"name": "search", "arguments": '{"q": "tv"}'}}
    assert one(file, role="assistant", content=None, tool_calls=[call]) == ("assistant", '→ search {"q": "tv"}')
    result = {"type": "tool_result", "content": [{"type": "text", "text": "3 hits"}]}
    assert one(file, content=[result]) == ("tool", "3 hits")


def test_messages_without_words_are_left_out_and_said_so(memory: Memory, file: Path) -> None:
    done = bring(memory, lines(file, TV, {**ANSWER, "content": ""}))
    assert (done.entries, done.notices) == (1, ("1 without text left out",))


def test_control_characters_and_half_characters_are_made_visible(file: Path) -> None:
    file.write_text(json.dumps({**TV, "content": "\x1b[31mred\x00 \ud83d"}) + "\n")
    assert said(file) == [("user", "red␀ \ufffd")]


def test_parts_nested_without_end_do_not_end_the_import(file: Path) -> None:
    nested: Any = "deep"
    for _ in range(300):
        nested = [nested]
    assert said(lines(file, {**TV, "content": ["a", nested]})) == [("user", "a")]
    file.write_text('{"role": "user", "time": 1, "content": ' + "[" * 100_000)
    with pytest.raises(InvalidInput):
        read_chat(file)


# -- exports


def node(key: str, parent: str | None, role: str, text: str, at: float | None, **more: Any) -> dict[str, Any]:
    content = {"content_type": "text", "parts": [text]}
    message = {"id": key, "author": {"role": role}, "create_time": at, "content": content, **more}
    return {"id": key, "parent": parent, "message": message}


def test_an_export_of_chatgpt_is_read_with_all_branches(file: Path) -> None:
    hidden = node("h", "root", "system", "secret prompt", 1.0, metadata={"is_visually_hidden_from_conversation": True})
    mapping = {
        "root": {"id": "root", "parent": None, "message": None},
        "h": hidden,
        "c": node("c", "b", "assistant", "It rains.", 1_769_792_420.5),
        "b": node("b", "root", "user", "Weather?", 1_769_792_415.5),
        "d": node("d", "b", "assistant", "It still rains.", None),
    }
    conversation = {"title": "Weather\ntoday", "id": "0123456789", "create_time": 1_769_792_000, "mapping": mapping}
    file.write_text(json.dumps([conversation]))
    assert said(file) == [("user", "Weather?"), ("assistant", "It still rains."), ("assistant", "It rains.")]
    assert {draft.session for draft in read_chat(file).drafts} == {"Weather today (01234567)"}


def test_an_export_of_claude_is_read_with_its_files(file: Path) -> None:
    messages = [
        {
            "uuid": "m1",
            "sender": "human",
            "text": "Read this",
            "created_at": "2026-01-30T17:00:15.000Z",
            "content": [{"type": "text", "text": "Read this"}],
            "attachments": [{"file_name": "plan.txt", "extracted_content": "Three exams"}],
        },
        {"uuid": "m2", "sender": "assistant", "text": "Done", "created_at": "2026-01-30T17:00:20.000Z"},
    ]
    file.write_text(json.dumps([{"uuid": "abcdefghij", "name": "Plan", "chat_messages": messages}], indent=2))
    assert said(file) == [("user", "Read this\n\n[file: plan.txt]\n\nThree exams"), ("assistant", "Done")]
    assert read_chat(file).drafts[0].session == "Plan (abcdefgh)"


@pytest.mark.parametrize("indent", [None, 2])
def test_a_list_and_a_document_of_messages_are_read_too(file: Path, indent: int | None) -> None:
    expected = [("user", TV["content"]), ("assistant", ANSWER["content"])]
    for form in ([TV, ANSWER], {"messages": [TV, ANSWER]}, {"conversations": [{"messages": [TV, ANSWER]}]}):
        file.write_text("\ufeff" + json.dumps(form, indent=indent))
        assert said(file) == expected


@pytest.mark.slow
def test_a_member_larger_than_a_block_and_a_list_that_is_cut_off(file: Path) -> None:
    rows = [{**TV, "content": "ä" * 200_000}, ANSWER]
    whole = json.dumps(rows, ensure_ascii=False)
    file.write_text(whole)
    assert [len(text) for _, text in said(file)] == [200_000, len(ANSWER["content"])]
    file.write_text(whole[:-30])
    with pytest.raises(InvalidInput, match="item 2"):
        read_chat(file)
    file.write_text(whole[:-1])
    with pytest.raises(InvalidInput, match="cut off"):
        read_chat(file)


# -- through the gateway


def test_secrets_are_masked_and_counted(memory: Memory, file: Path) -> None:
    done = bring(memory, lines(file, {**TV, "content": f"my token is {TOKEN}"}))
    assert done.masked == 1
    assert TOKEN not in memory.list(kind="conversation")[0]["text"]


def test_a_survey_counts_and_writes_nothing(memory: Memory, file: Path) -> None:
    bring(memory, lines(file, TV))
    found = survey_chat(memory.space, lines(file, TV, {**ANSWER, "content": f"token {TOKEN}"}))
    assert found.dry_run
    assert (found.entries, found.duplicates, found.masked, found.days) == (1, 1, 1, 1)
    assert len(memory.list(kind="conversation")) == 1


@pytest.mark.slow
def test_progress_is_told_and_ends_with_all(memory: Memory, file: Path) -> None:
    told: list[tuple[int, int]] = []
    rows = [{**TV, "content": f"message {n}", "time": 1_769_792_400 + n} for n in range(300)]
    import_chat(memory.space, lines(file, *rows), ME, lambda done, total: told.append((done, total)))
    assert told == [(256, 300), (300, 300)]


@pytest.mark.slow
def test_an_interrupted_import_goes_on_and_is_undone_as_one(memory: Memory, file: Path) -> None:
    class Stop(Exception):
        pass

    def stop(done: int, total: int) -> None:
        raise Stop

    rows = [{**TV, "content": f"message {n}", "time": 1_769_792_400 + n} for n in range(300)]
    with pytest.raises(Stop):
        import_chat(memory.space, lines(file, *rows), ME, stop)
    done = bring(memory, file)
    assert (done.entries, done.duplicates) == (300, 0)
    assert len(memory.admin.undo_import(done.id).retracted) == 300
