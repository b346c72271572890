"""What all pages have in common: the frame, what is refused, and that nothing stored ever acts."""

import re

import pytest
from tests.conftest import OpenMemory
from tests.faces.dashboard.conftest import AGENT, HOSTILE, READER, Browse, Sample

from waypost import Memory
from waypost.faces.dashboard.pages import PAGES
from waypost.faces.dashboard.render import _environment
from waypost.faces.dashboard.request_context import PageRoute
from waypost.faces.guard.identity import TokenIdentity

ADDRESSES = ("", "search?q=total", "context?task=total")


@pytest.mark.slow
def test_every_page_forbids_scripts_of_others(sample: Sample, browse: Browse) -> None:
    browser = browse(sample.memory)
    for page in ADDRESSES:
        answer = browser.client.get(browser.address(page))
        policy = answer.headers["content-security-policy"]
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert answer.headers["cache-control"] == "no-store"


@pytest.mark.slow
def test_no_page_has_script_or_style_of_its_own(sample: Sample, browse: Browse) -> None:
    browser = browse(sample.memory)
    for page in (*ADDRESSES, f"memory/{sample['stale']}", f"memory/{sample['hostile']}"):
        text = browser.client.get(browser.address(page)).text
        assert text.count("<script") == 1, page  # the one of the frame
        assert " style=" not in text
        assert " onclick=" not in text


def test_the_start_leads_to_the_memory_of_this_place(sample: Sample, browse: Browse) -> None:
    answer = browse(sample.memory).client.get("/", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/s/{sample.memory.identity.space_id}")


def test_an_unknown_page_and_an_unknown_memory_are_told_in_the_frame(sample: Sample, browse: Browse) -> None:
    browser = browse(sample.memory)
    assert "Page not found." in browser.get("nowhere", 404)
    assert "Overview" in browser.client.get("/s/0000000000000000").text
    assert browser.client.get("/s/0000000000000000").status_code == 404


def test_an_error_in_one_memory_leads_nobody_to_another(
    sample: Sample, browse: Browse, open_memory: OpenMemory
) -> None:
    other = open_memory("other")
    other.remember("Another project.")
    text = browse(sample.memory).client.get(f"/s/{other.identity.space_id}/memory/01kt17kja05te3ezezcdjqd9p3").text
    assert f'<a href="/s/{other.identity.space_id}">Go to the overview</a>' in text
    assert "<h1>Not found</h1>" in text
    assert 'aria-current="page"' not in text


def test_a_space_is_named_by_an_id_and_nothing_else(sample: Sample, browse: Browse) -> None:
    client = browse(sample.memory).client
    for space in ("..", "%2e%2e", "..%2f..%2fetc", "x" * 500, "%00"):
        assert client.get(f"/s/{space}/search").status_code in (400, 403, 404)


def test_addresses_choose_a_sentence_and_never_bring_one(sample: Sample, browse: Browse) -> None:
    browser = browse(sample.memory)
    assert "Corrected." in browser.get("search", told="corrected")
    assert HOSTILE not in browser.get("search", told=HOSTILE)
    assert 'class="told"' not in browser.get("search", told="<script>")


def test_forms_carry_what_proves_that_they_are_ours(sample: Sample, browse: Browse) -> None:
    text = browse(sample.memory).get(f"memory/{sample['tagged']}")
    assert text.count('method="post"') == text.count('name="csrf" value="the-token"')


def test_a_nul_character_is_refused(sample: Sample, browse: Browse) -> None:
    assert browse(sample.memory).client.get(f"/s/{sample.memory.identity.space_id}/search?q=%00").status_code == 400


def test_a_form_that_is_no_form_is_an_empty_one(sample: Sample, browse: Browse) -> None:
    browser = browse(sample.memory)
    to = browser.address(f"memory/{sample['tagged']}/correct")
    assert browser.client.post(to, content=b"\xff\xfe\x00" * 100).status_code == 400


def test_other_memories_of_the_machine_are_in_the_menu(sample: Sample, browse: Browse, open_memory: OpenMemory) -> None:
    other = open_memory("other")
    other.remember("Another project.")
    text = browse(sample.memory).get("search")
    assert f'href="/s/{other.identity.space_id}"' in text
    assert f'href="/s/{sample.memory.identity.space_id}" aria-current="true"' in text


@pytest.mark.slow
def test_who_may_not_change_anything_sees_no_forms_that_do(sample: Sample, browse: Browse) -> None:
    browser = browse(sample.memory, READER)
    for page in (*ADDRESSES, f"memory/{sample['stale']}"):
        assert browser.get(page).count('method="post"') == 1, page  # to sign out


def test_a_crash_is_told_without_words_of_a_memory(
    sample: Sample, browse: Browse, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = " ".join(("secret", "words"))

    def crash(*_: object, **__: object) -> None:
        raise RuntimeError(words)

    monkeypatch.setattr(Memory, "recall", crash)
    browser = browse(sample.memory)
    text = browser.get("search", 500, q="x")
    assert "RuntimeError" in text
    assert "secret words" not in text
    assert "secret words" not in (sample.root.parent / "home" / "crash.log").read_text()


def test_a_person_whose_token_is_for_one_memory_sees_that_one_only(
    browse: Browse, person: Memory, open_memory: OpenMemory
) -> None:
    bank = open_memory("bank")
    bank.remember("Loans are for a year")
    banker = TokenIdentity("ben", "person", "write", "key-9", bank.identity.space_id)
    browser = browse(person, banker)
    assert f"/s/{bank.identity.space_id}" in str(browser.client.get("/", follow_redirects=False).headers["location"])
    assert "another memory" in browser.client.get(f"/s/{person.identity.space_id}").text
    shown = browser.client.get(f"/s/{bank.identity.space_id}").text
    assert "bank" in shown
    assert person.identity.space_id not in shown


def filled(path: str) -> str:
    """A place's address below its space, with something in every gap."""
    return re.sub(r"\{path:path\}", "src/checkout.py", path).format(id="01kt17kja05te3ezezcdjqd9p3", when="2026-01-30")


@pytest.mark.parametrize("place", PAGES, ids=lambda place: f"{place.methods[0]} {place.path}")
def test_no_place_opens_to_a_token_of_another_memory(place: PageRoute, browse: Browse, person: Memory) -> None:
    person.remember("Loans are for a year")
    banker = TokenIdentity("ben", "person", "write", "key-9", "0123456789abcdef")
    client = browse(person, banker).client
    for method in place.methods:
        answer = client.request(
            method, f"/s/{person.identity.space_id}{filled(place.path)}", data={"only": "x", "sure": "1"}
        )
        assert answer.status_code == 403
        assert "Loans" not in answer.text
        assert person.identity.space_id not in answer.text


@pytest.mark.parametrize("place", PAGES, ids=lambda place: f"{place.methods[0]} {place.path}")
def test_no_place_opens_to_an_agents_token(place: PageRoute, browse: Browse, person: Memory) -> None:
    person.remember("Loans are for a year")
    client = browse(person, AGENT).client
    for method in place.methods:
        answer = client.request(
            method, f"/s/{person.identity.space_id}{filled(place.path)}", data={"only": "x", "sure": "1"}
        )
        assert (answer.status_code, "cannot open pages" in answer.text) == (403, True)
        assert "Loans" not in answer.text


def test_the_way_in_does_not_open_to_an_agents_token(browse: Browse, person: Memory) -> None:
    answer = browse(person, AGENT).client.get("/", follow_redirects=False)
    assert (answer.status_code, "Sign in with a person" in answer.text) == (403, True)


@pytest.mark.parametrize("place", [one for one in PAGES if one.methods == ("POST",)], ids=lambda place: str(place.path))
def test_nothing_is_changed_by_an_agent_or_a_reader(place: PageRoute, browse: Browse, person: Memory) -> None:
    for identity in (AGENT, READER):
        browse(person, identity).post(filled(place.path).lstrip("/"), 403, only="x", sure="1", text="x", what="2026")


def test_a_running_server_keeps_its_templates_while_its_package_is_renewed() -> None:
    environment = _environment()
    assert environment.auto_reload is False
    assert environment.cache is not None
    assert len(environment.cache) == len(environment.list_templates(extensions=["html"])) > 20
