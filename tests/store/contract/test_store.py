"""What every store promises, told by its protocol alone."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from waypost.model.memory import AuditEntry, State, Version
from waypost.model.recall import View
from waypost.model.reference import CodeReference
from waypost.model.time import Moment
from waypost.store.protocol import Edge, Filter, PassageRow, Store

T0 = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
NOW = View(Moment(T0 + 100 * DAY))
ENGINE = "test-engine"


def version(memory_id: str, text: str = "", **changes: Any) -> Version:
    values: dict[str, Any] = {
        "memory_id": memory_id,
        "kind": "fact",
        "text": text or f"text of {memory_id}",
        "recorded_at": T0,
        "valid_from": T0,
        "source": "agent",
        "actor": "test",
        "fingerprint": memory_id.encode(),
    }
    return Version(**(values | changes))


def passage(terms: str, digest: str | None = None, language: str = "en") -> PassageRow:
    return PassageRow((digest or terms).encode().ljust(16, b"\0")[:16], language, terms)


def add(store: Store, new: Version, *terms: str, engines: Sequence[str] = ()) -> int:
    with store.write() as writer:
        return writer.memories.add(new, [passage(term) for term in terms or (new.text,)], engines)


def unit(*values: float) -> NDArray[np.float32]:
    vector = np.array(values, np.float32)
    return vector / np.linalg.norm(vector)


def found(store: Store, terms: list[str], view: View = NOW, limit: int = 10) -> list[str]:
    with store.read() as reader:
        return [hit.memory_id for hit in reader.search.keywords(terms, limit, view)]


def test_a_version_comes_back_as_it_was_written(store: Store) -> None:
    new = version(
        "m1",
        "Überweisung läuft über S3 — проверено",
        valid_until=T0 + 5 * DAY,
        level=2,
        domain="billing",
        module="invoices",
        key="k1",
        session="s1",
        speaker="Anna",
        time=T0 + DAY,
        name="upload",
        evidence=("ADR-7", "PR 12"),
        refs=(CodeReference.parse("src/a.py#L1-L9"), CodeReference.parse("src/b.py")),
        tags={"team": "core"},
        details={"claimed": {"source": "person"}},
    )
    number = add(store, new)
    with store.read() as reader:
        stored = reader.memories.versions("m1")
    assert [(v.number, v.position) for v in stored] == [(number, 1)]
    assert new == Version(**{f: getattr(stored[0], f) for f in new.__slots__} | {"number": 0, "position": 0})


def test_a_failed_write_leaves_nothing(store: Store) -> None:
    with pytest.raises(RuntimeError), store.write() as writer:
        writer.memories.add(version("m1"), [passage("alpha")], [])
        writer.meta.set("colour", "red")
        raise RuntimeError
    with store.read() as reader:
        assert reader.memories.versions("m1") == []
        assert reader.meta.get("colour") is None
    assert found(store, ["alpha"]) == []


def test_keywords_find_the_rarest_match_first_and_only_visible_versions(store: Store) -> None:
    for place in range(6):
        add(store, version(f"m{place}"), "common word" + (" rare" if place == 3 else ""))
    assert found(store, ["rare", "common"])[0] == "m3"
    with store.write() as writer:
        writer.memories.supersede(writer.memories.versions("m3")[0].number, T0 + 10 * DAY)
    assert "m3" not in found(store, ["rare", "common"])
    assert "m3" in found(store, ["rare"], View(Moment(T0 + 5 * DAY, T0 + 5 * DAY)))


def test_a_term_with_query_syntax_in_it_is_only_a_term(store: Store) -> None:
    add(store, version("m1"), "near and or not get_user_by_id")
    for term in ("near", "and", "or", "not", "get_user_by_id"):
        assert found(store, [term]) == ["m1"]


def test_filters_reach_past_many_better_matches_that_are_hidden(store: Store) -> None:
    for place in range(60):
        add(store, version(f"n{place}", kind="note"), "needle needle needle")
    add(store, version("fact"), "needle in a much longer passage of other words that dilute it")
    view = View(NOW.moment, collections=("facts",))
    assert found(store, ["needle"], view, limit=3) == ["fact"]


@pytest.mark.parametrize(
    ("as_of", "known_at", "expected"),
    [
        (5, None, "new"),  # by what we know today it was always the new value
        (5, 5, "old"),  # but on that day we believed the old one
        (-1, None, None),  # before it began to be true
        (15, None, "new"),
    ],
)
def test_a_reader_sees_what_was_true_then_as_far_as_it_was_known_then(
    store: Store, as_of: int, known_at: int | None, expected: str | None
) -> None:
    add(store, version("m", "old"), "value")
    with store.write() as writer:
        writer.memories.supersede(writer.memories.versions("m")[0].number, T0 + 10 * DAY)
        writer.memories.add(version("m", "new", recorded_at=T0 + 10 * DAY), [passage("value")], [])
    moment = Moment(T0 + as_of * DAY, None if known_at is None else T0 + known_at * DAY, explicit=True)
    with store.read() as reader:
        seen = reader.memories.version("m", moment)
        everything = reader.memories.versions("m")
    assert (seen.text if seen else None) == expected
    assert [v.text for v in everything if v.visible(moment)] == ([expected] if expected else [])


def test_what_is_bounded_ends_at_its_end(store: Store) -> None:
    add(store, version("m", valid_until=T0 + 5 * DAY), "sale")
    with store.read() as reader:
        assert reader.memories.version("m", Moment(T0 + 5 * DAY - timedelta(microseconds=1)))
        assert reader.memories.version("m", Moment(T0 + 5 * DAY)) is None


def test_a_turn_of_a_conversation_may_be_ahead_of_our_clock_unless_a_moment_is_asked_for(store: Store) -> None:
    later = T0 + 500 * DAY
    add(store, version("m", kind="note", valid_from=later, time=later), "later")
    add(store, version("ended", kind="note", valid_until=T0 + DAY), "later")  # what has an end, ends
    assert found(store, ["later"]) == ["m"]
    assert found(store, ["later"], View(Moment(T0, explicit=True))) == ["ended"]


def test_each_checkout_sees_its_own_tree_and_what_belongs_to_all(store: Store) -> None:
    add(store, version("a", checkout_id="tree-a"), "here")
    add(store, version("b", checkout_id="tree-b"), "here")
    add(store, version("c"), "here")
    assert set(found(store, ["here"], View(NOW.moment, checkout_id="tree-a"))) == {"a", "c"}


def test_archived_memories_stay_out_unless_asked_for(store: Store) -> None:
    add(store, version("a"), "old")
    with store.write() as writer:
        writer.memories.set_state("a", archived_at=T0)
    assert found(store, ["old"]) == []
    assert found(store, ["old"], View(NOW.moment, archived=True)) == ["a"]


def test_vectors_find_the_nearest_and_tell_how_cosines_are_spread(store: Store) -> None:
    with store.write() as writer:
        for place, vector in enumerate((unit(1, 0), unit(1, 1), unit(0, 1))):
            row = passage(f"p{place}", language="en" if place < 2 else "de")
            writer.memories.add(version(f"m{place}"), [row], [ENGINE])
            writer.vectors.put(ENGINE, [(row.content_hash, row.language, vector)])
    with store.read() as reader:
        answer = reader.search.vectors(ENGINE, unit(1, 0.1), 2, NOW)
        others = reader.search.vector_scores(ENGINE, unit(1, 0.1), [1, 2, 3])
    assert [hit.memory_id for hit in answer.hits] == ["m0", "m1"]
    assert answer.hits[0].score == pytest.approx(0.995, abs=2e-3)
    assert {name: spread.count for name, spread in answer.population.items()} == {"en": 2, "de": 1}
    assert answer.population["de"].mean == pytest.approx(others[3], abs=1e-6)
    assert others[1] == pytest.approx(answer.hits[0].score)


def test_one_vector_serves_every_memory_with_the_same_text(store: Store) -> None:
    row = passage("same")
    with store.write() as writer:
        writer.memories.add(version("a"), [row], [ENGINE])
        writer.vectors.put(ENGINE, [(row.content_hash, "en", unit(1, 0))])
        writer.memories.add(version("b"), [row], [ENGINE])
        assert writer.vectors.pending() == {ENGINE: 0}
    with store.read() as reader:
        hits = reader.search.vectors(ENGINE, unit(1, 0), 5, NOW).hits
    assert {hit.memory_id for hit in hits} == {"a", "b"}


def test_cosines_between_versions_also_where_they_share_a_vector(store: Store) -> None:
    with store.write() as writer:
        for place, (text, vector) in enumerate((("x", unit(1, 0)), ("y", unit(1, 1)), ("x", unit(1, 0)))):
            row = passage(text)
            writer.memories.add(version(f"m{place}"), [row], [ENGINE])
            writer.vectors.put(ENGINE, [(row.content_hash, "en", vector)])
    with store.read() as reader:
        cosines = reader.search.cosines_between(ENGINE, [3, 2, 1, 99])
        assert reader.search.cosines_between(ENGINE, []) == {}
        assert reader.search.cosines_between("another", [1, 2]) == {}
    half = pytest.approx(0.5**0.5, abs=2e-3)
    assert cosines == {(1, 2): half, (1, 3): pytest.approx(1, abs=2e-3), (2, 3): half}


def test_texts_without_a_vector_are_owed_until_it_comes(store: Store) -> None:
    add(store, version("a"), "alpha", engines=[ENGINE])
    with store.read() as reader:
        assert reader.vectors.pending() == {ENGINE: 1}
        assert [v.memory_id for v in reader.vectors.pending_versions(ENGINE, 10)] == ["a"]
        assert reader.vectors.missing(ENGINE, [passage("alpha").content_hash]) == [passage("alpha").content_hash]
    with store.write() as writer:
        writer.vectors.put(ENGINE, [(passage("alpha").content_hash, "en", unit(1, 2))])
    with store.read() as reader:
        assert reader.vectors.pending() == {ENGINE: 0}
        assert reader.vectors.pending_versions(ENGINE, 10) == []
        assert reader.vectors.get(ENGINE, [passage("alpha").content_hash]).keys() == {passage("alpha").content_hash}


def test_a_new_engine_is_owed_everything_and_an_old_one_can_go(store: Store) -> None:
    add(store, version("a"), "alpha")
    with store.write() as writer:
        writer.vectors.queue_missing("second")
        assert writer.vectors.pending()["second"] == 1
        writer.vectors.put("second", [(passage("alpha").content_hash, "en", unit(1, 0, 0))])
        writer.vectors.drop_engine("second")
        assert "second" not in writer.vectors.pending()
        assert writer.vectors.missing("second", [passage("alpha").content_hash])


def test_twins_are_current_memories_of_the_same_kind_and_domain(store: Store) -> None:
    def put(memory_id: str, vector: NDArray[np.float32], **changes: Any) -> None:
        row = passage(memory_id)
        with store.write() as writer:
            writer.memories.add(version(memory_id, **changes), [row], [ENGINE])
            writer.vectors.put(ENGINE, [(row.content_hash, "en", vector)])

    put("near", unit(1, 0.1), domain="auth")
    put("far", unit(0, 1), domain="auth")
    put("elsewhere", unit(1, 0.1), domain="billing")
    put("decision", unit(1, 0.1), domain="auth", kind="decision")
    asked = np.stack([unit(0, -1), unit(1, 0.12)])
    with store.read() as reader:
        outside = reader.search.twins(ENGINE, asked, "fact", "auth", 0.85)
    with store.write() as writer:
        inside = writer.search.twins(ENGINE, asked, "fact", "auth", 0.85, since_number=0)
        none = writer.search.twins(ENGINE, asked, "fact", "auth", 0.85, since_number=writer.memories.last_number())
    assert [(t.index, t.memory_id) for t in outside] == [(1, "near")] == [(t.index, t.memory_id) for t in inside]
    assert outside[0].similarity == pytest.approx(inside[0].similarity, abs=1e-5)
    assert none == []


def test_followers_are_the_next_turns_of_the_same_session(store: Store) -> None:
    numbers = [add(store, version(f"t{i}", kind="note", session="s")) for i in range(6)]
    add(store, version("other", kind="note", session="another"))
    with store.read() as reader:
        near = reader.memories.followers([numbers[2], numbers[4]], 2, NOW)
        sketch = reader.memories.sketches([numbers[2]])[numbers[2]]
    assert sorted(s.memory_id for s in near) == ["t3", "t4", "t5"]
    assert (sketch.session, sketch.position, sketch.collection) == ("s", 3, "journal")


def test_neighbours_are_the_turns_around_and_the_turns_themselves(store: Store) -> None:
    for place in range(8):
        add(store, version(f"t{place}", kind="note", session="s"))
    add(store, version("other", kind="note", session="another"))
    add(store, version("alone", kind="note"))
    with store.read() as reader:
        near = reader.memories.neighbours(["t2", "t3", "alone", "nobody"], 2, NOW)
    assert sorted(s.memory_id for s in near) == ["t0", "t1", "t2", "t3", "t4", "t5"]


def test_speakers_are_listed_once_each(store: Store) -> None:
    for place, speaker in enumerate(("Boris", "Anna", None, "Boris")):
        add(store, version(f"m{place}", kind="note", speaker=speaker))
    with store.read() as reader:
        assert reader.memories.speakers(10) == ["Anna", "Boris"]
        assert reader.memories.speakers(1) == ["Anna"]


def test_ids_are_found_by_their_beginning_and_with_their_neighbours(store: Store) -> None:
    ids = ["01aaaa", "01abbb", "01abbz", "02cccc"]
    for memory_id in ids:
        add(store, version(memory_id))
    with store.read() as reader:
        assert reader.memories.ids_from("01ab", 5) == ["01abbb", "01abbz"]
        assert reader.memories.ids_from("0", 3) == ids[:3]
        assert reader.memories.ids_from("03", 5) == []
        beside = reader.memories.ids_beside(["01aaaa", "01abbb", "02cccc", "nobody"])
    assert beside == {"01aaaa": ("", "01abbb"), "01abbb": ("01aaaa", "01abbz"), "02cccc": ("01abbz", "")}


def test_checkouts_are_noted_once(store: Store) -> None:
    with store.write() as writer:
        for checkout, root in (("b", "/two"), ("a", "/one"), ("b", "/two")):
            writer.code.add_checkout(checkout, root, T0)
    with store.read() as reader:
        assert reader.code.checkouts() == {"a": "/one", "b": "/two"}


def test_listing_pages_in_the_order_of_recording_and_filters(store: Store) -> None:
    for i in range(5):
        add(store, version(f"m{i}", level=i % 2, domain="even" if i % 2 == 0 else "odd", tags={"n": str(i)}))
    with store.read() as reader:
        first = reader.memories.listing(NOW, Filter(domain="even"), limit=2)
        rest = reader.memories.listing(NOW, Filter(domain="even"), after=first[-1].number)
        assert [v.memory_id for v in first + rest] == ["m0", "m2", "m4"]
        assert [v.memory_id for v in reader.memories.listing(NOW, Filter(level=1))] == ["m1", "m3"]
        assert [v.memory_id for v in reader.memories.listing(NOW, Filter(tags=(("n", "3"),)))] == ["m3"]
        assert [v.memory_id for v in reader.memories.latest(NOW, Filter(), 2)] == ["m3", "m4"]
        assert reader.memories.counts(NOW) == {"facts": 5}


def test_state_changes_without_a_new_version(store: Store) -> None:
    add(store, version("m"))
    with store.write() as writer:
        writer.memories.set_state("m", protected=True)
        writer.memories.set_state("m", is_stale=True, stale_reason="code_changed: x", verified_at=T0)
    with store.read() as reader:
        state = reader.memories.states(["m", "unknown"])
        assert len(reader.memories.versions("m")) == 1
    assert state == {"m": State(True, True, "code_changed: x", T0)}


def test_a_key_is_current_once(store: Store) -> None:
    add(store, version("a", key="k"))
    with store.read() as reader:
        known = reader.memories.with_key("k")
    assert known is not None
    with store.write() as writer:
        writer.memories.supersede(known.number, T0 + DAY)
        writer.memories.add(version("a", "again", key="k"), [], [])
        current = writer.memories.with_key("k")
    assert current is not None
    assert current.text == "again"


def test_erasing_leaves_no_row_that_speaks_of_it(store: Store) -> None:
    shared = passage("shared")
    with store.write() as writer:
        for name in ("gone", "stays"):
            writer.memories.add(version(name), [shared, passage(name)], [ENGINE])
        writer.vectors.put(
            ENGINE, [(passage("gone").content_hash, "en", unit(1, 0)), (shared.content_hash, "en", unit(0, 1))]
        )
        writer.edges.add(Edge("supersedes", "gone", "stays"))
        writer.memories.set_state("gone", protected=True)
        writer.memories.erase("gone", [known.number for known in writer.memories.versions("gone")])
    with store.read() as reader:
        assert reader.memories.versions("gone") == []
        assert reader.memories.states(["gone"]) == {}
        assert reader.edges.of_memory("stays") == []
        assert reader.vectors.missing(ENGINE, [passage("gone").content_hash])
        assert reader.vectors.missing(ENGINE, [shared.content_hash]) == []
    assert found(store, ["gone"]) == []
    assert found(store, ["shared"]) == ["stays"]
    assert store.scrub([])
    assert found(store, ["shared"]) == ["stays"]


def test_erasing_one_version_leaves_the_others_and_what_belongs_to_the_memory(store: Store) -> None:
    first = add(store, version("m"), "first")
    add(store, version("m"), "second")
    with store.write() as writer:
        writer.memories.set_state("m", protected=True)
        writer.memories.erase("m", [first])
        writer.memories.erase("other", [first + 1])  # not its own
    with store.read() as reader:
        assert [known.number for known in reader.memories.versions("m")] == [first + 1]
        assert reader.memories.states(["m"])["m"].protected
    assert (found(store, ["first"]), found(store, ["second"])) == ([], ["m"])


def test_a_model_that_changes_behind_its_name_embeds_everything_anew(store: Store) -> None:
    for word in ("alpha", "beta"):
        add(store, version(word), word, engines=[ENGINE])
        with store.write() as writer:
            writer.vectors.put(ENGINE, [(passage(word).content_hash, "en", unit(1, 0))])
    with store.read() as reader:
        assert reader.search.vectors(ENGINE, unit(1, 0, 0), 5, NOW).hits == ()
        assert reader.search.twins(ENGINE, np.stack([unit(1, 0, 0)]), "fact", "", 0.5) == []
    with store.write() as writer:
        assert writer.search.twins(ENGINE, np.stack([unit(1, 0, 0)]), "fact", "", 0.5) == []
        writer.vectors.put(ENGINE, [(passage("beta").content_hash, "en", unit(1, 0, 0))])
        assert writer.vectors.pending() == {ENGINE: 1}
    with store.read() as reader:
        assert [one.memory_id for one in reader.search.vectors(ENGINE, unit(1, 0, 0), 5, NOW).hits] == ["beta"]


def test_a_vector_of_a_text_that_nobody_has_is_not_stored(store: Store) -> None:
    add(store, version("m"), "here", engines=[ENGINE])
    with store.write() as writer:
        writer.vectors.put(
            ENGINE, [(passage(word).content_hash, "en", unit(1, 0)) for word in ("here", "forgotten meanwhile")]
        )
        assert (
            len(writer.vectors.get(ENGINE, [passage(word).content_hash for word in ("here", "forgotten meanwhile")]))
            == 1
        )


def test_tombstones_and_audit_are_kept(store: Store) -> None:
    with store.write() as writer:
        writer.tombstones.add(b"d1", T0)
        writer.tombstones.add(b"d1", T0 + DAY)
        for action in ("remember", "correct"):
            writer.audit.add(AuditEntry(T0, action, "m", "person", "anna", {"n": 1}))
    with store.write() as writer:
        assert writer.tombstones.matching([b"d1", b"d2"]) == {b"d1"}
        assert writer.tombstones.remove([b"d1", b"d2"]) == 1
        assert not writer.tombstones.any()
        for digest, cause in ((b"e1", "one"), (b"e2", "one"), (b"f1", "two"), (b"g1", "")):
            writer.tombstones.add(digest, T0, cause)
        assert writer.tombstones.any()
        assert writer.tombstones.remove([b"e2"]) == 2
        assert writer.tombstones.matching([b"e1", b"e2", b"f1", b"g1"]) == {b"f1", b"g1"}
        assert writer.tombstones.remove([b"g1", b"f1"]) == 2
        assert writer.tombstones.matching([b"d1"]) == set()
    with store.read() as reader:
        entries = reader.audit.entries("m", 10)
        assert reader.audit.entries("other", 10) == []
    assert [(e.action, e.number) for e in entries] == [("correct", 2), ("remember", 1)]
    assert entries[0].details == {"n": 1}


def test_passages_can_be_indexed_anew_without_losing_vectors(store: Store) -> None:
    number = add(store, version("m"), "alpha", engines=[ENGINE])
    with store.write() as writer:
        writer.vectors.put(ENGINE, [(passage("alpha").content_hash, "en", unit(1, 0))])
        writer.memories.replace_passages(number, [passage("alpha"), passage("beta")], [ENGINE])
        assert writer.vectors.pending() == {ENGINE: 1}
    assert found(store, ["beta"]) == ["m"]
    assert found(store, ["alpha"]) == ["m"]
    assert list(store.problems()) == []


def test_a_nul_in_a_tag_spoils_no_search_by_tags(store: Store) -> None:
    with store.write() as writer:
        writer.memories.add(version("m1", tags={"area": "b\0\0c", "path": "C:\\u0000\\\0"}), [], [])
        writer.memories.add(version("m2", tags={"area": "billing"}), [], [])
    with store.read() as reader:
        found = reader.memories.listing(NOW, Filter(tags=(("area", "billing"),)))
        first = reader.memories.version("m1", NOW.moment)
    assert [one.memory_id for one in found] == ["m2"]
    assert first is not None
    assert first.tags == {"area": "b\ufffd\ufffdc", "path": "C:\\u0000\\\ufffd"}
