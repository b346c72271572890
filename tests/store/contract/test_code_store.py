"""What every store promises about what is derived from trees."""

import hashlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from waypost.model.kinds import CODE_COLLECTIONS, IS_TEST, KEPT_COLLECTIONS
from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.reference import CodeReference
from waypost.model.time import Moment
from waypost.store.protocol import DerivedRow, Edge, FileRow, PassageRow, Store

T0 = datetime(2026, 1, 1, tzinfo=UTC)
NOW = View(Moment(T0 + timedelta(days=100)), CODE_COLLECTIONS, "here")
ENGINE = "test-engine"
EVEN = (1.0, 1.0, 1.0, 1.0)


def symbol(memory_id: str, path: str = "a.py", **changes: Any) -> Version:
    values: dict[str, Any] = {
        "memory_id": memory_id,
        "kind": "symbol",
        "text": f"def {memory_id}(): ...",
        "recorded_at": T0,
        "valid_from": T0,
        "source": "code",
        "actor": "indexer",
        "checkout_id": "here",
        "name": memory_id,
        "language": "code",
        "fingerprint": memory_id.encode(),
        "refs": (CodeReference.parse(f"{path}#L3-L9"),),
        "details": {"type": "function"},
    }
    return Version(**(values | changes))


def row(name: str = "", path: str = "", doc: str = "", body: str = "", digest: str = "") -> PassageRow:
    key = (digest or f"{name}{path}{doc}{body}").encode().ljust(16, b"\0")[:16]
    return PassageRow(key, "code", code_terms=(name, path, doc, body))


def add(store: Store, new: Version, passage: PassageRow, *engines: str, urgency: float = 1.0) -> int:
    with store.write() as writer:
        return writer.memories.add(new, [passage], engines, urgency=urgency)


def found(store: Store, *terms: str, weights: tuple[float, ...] = EVEN, view: View = NOW) -> list[str]:
    with store.read() as reader:
        return [hit.memory_id for hit in reader.search.code_keywords(terms, weights, 10, view)]


def derived(store: Store, path: str = "a.py") -> list[DerivedRow]:
    with store.read() as reader:
        return reader.code.derived("here", [path], ["symbol", "file"])


def test_code_and_prose_are_found_apart(store: Store) -> None:
    add(store, symbol("parse"), row(body="token stream"))
    with store.write() as writer:
        fact = replace(symbol("fact1"), kind="fact", checkout_id=None, name=None, refs=())
        writer.memories.add(fact, [PassageRow(b"f" * 16, "en", "token stream")], [])
    prose = View(NOW.moment, KEPT_COLLECTIONS, "here")
    with store.read() as reader:
        assert [hit.memory_id for hit in reader.search.keywords(["token"], 10, prose)] == ["fact1"]
    assert found(store, "token") == ["parse"]


def test_a_column_counts_by_its_weight(store: Store) -> None:
    add(store, symbol("named"), row(name="session", body="x"))
    add(store, symbol("using"), row(name="x", body="session"))
    assert found(store, "session", weights=(9, 1, 1, 1)) == ["named", "using"]
    assert found(store, "session", weights=(1, 1, 1, 9)) == ["using", "named"]


def test_each_tree_is_found_in_its_own_checkout_only(store: Store) -> None:
    add(store, symbol("one"), row(body="shared"))
    add(store, symbol("two", checkout_id="there"), row(body="shared"))
    assert found(store, "shared") == ["one"]
    assert found(store, "shared", view=replace(NOW, checkout_id="there")) == ["two"]
    with store.read() as reader:
        assert (reader.code.has_any("here"), reader.code.has_any("nowhere"), reader.code.has_any(None)) == (
            True,
            False,
            True,
        )


def test_vectors_of_code_and_of_prose_are_searched_apart(store: Store) -> None:
    number = add(store, symbol("one"), row(body="x", digest="one"), ENGINE)
    with store.write() as writer:
        fact = replace(symbol("fact1"), kind="fact", checkout_id=None, name=None, refs=())
        writer.memories.add(fact, [PassageRow(b"two".ljust(16, b"\0"), "en", "x")], [ENGINE])
        vector = np.array([1.0, 0.0], np.float32)
        rows = [(b"one".ljust(16, b"\0"), "code", vector), (b"two".ljust(16, b"\0"), "en", vector)]
        writer.vectors.put(ENGINE, rows)
    with store.read() as reader:
        code = reader.search.vectors(ENGINE, vector, 5, NOW)
        prose = reader.search.vectors(ENGINE, vector, 5, View(NOW.moment, KEPT_COLLECTIONS, "here"))
    assert [hit.number for hit in code.hits] == [number]
    assert list(code.population) == ["code"]
    assert [hit.memory_id for hit in prose.hits] == ["fact1"]
    assert list(prose.population) == ["en"]


def test_what_is_most_urgent_is_embedded_first(store: Store) -> None:
    for place, urgency in enumerate((0.2, 0.9, 0.5)):
        add(store, symbol(f"s{place}", f"{place}.py"), row(body=f"b{place}"), ENGINE, urgency=urgency)

    def order() -> list[str]:
        with store.read() as reader:
            return [reader.vectors.pending_versions(ENGINE, limit)[-1].memory_id for limit in (1,)]

    assert order() == ["s1"]
    with store.write() as writer:
        writer.vectors.set_urgency("here", {"0.py": 1.0})
    assert order() == ["s0"]


def test_what_is_not_urgent_can_be_left_for_later(store: Store) -> None:
    for place, urgency in enumerate((0.05, 0.9)):
        add(store, symbol(f"s{place}", f"{place}.py"), row(body=f"b{place}"), ENGINE, urgency=urgency)
    with store.read() as reader:
        assert (reader.vectors.pending(), reader.vectors.pending(0.1)) == ({ENGINE: 2}, {ENGINE: 1})
        assert [version.memory_id for version in reader.vectors.pending_versions(ENGINE, 9, 0.1)] == ["s1"]


def test_another_engine_embeds_tests_last(store: Store) -> None:
    for name, traits in (("test", IS_TEST), ("code", 0)):
        add(store, replace(symbol(name, f"{name}.py"), traits=traits), row(body=name), ENGINE)
    with store.write() as writer:
        writer.vectors.queue_missing("other")
    with store.read() as reader:
        assert (reader.vectors.pending()["other"], reader.vectors.pending(0.1)["other"]) == (2, 1)


def test_a_file_comes_back_as_it_was_put(store: Store) -> None:
    file = FileRow("src/ä.py", 12, 34, "ab" * 32, "python", 5, T0)
    with store.write() as writer:
        writer.code.put_file("here", file, {"outline": {"names": ["ä"]}})
        writer.code.put_file("there", replace(file, path="b.py"), {})
        writer.code.put_file("here", replace(file, path="c.py"), {})
    with store.read() as reader:
        assert reader.code.files("here") == {"c.py": replace(file, path="c.py"), "src/ä.py": file}
        assert reader.code.files("here", ["src/ä.py", "b.py"]) == {"src/ä.py": file}
        assert dict(reader.code.digests("here")) == {"c.py": {}, "src/ä.py": {"outline": {"names": ["ä"]}}}
    with store.write() as writer:
        writer.code.touch_file("here", replace(file, mtime_ns=99))
        writer.code.drop_file("here", "c.py")
    with store.read() as reader:
        assert reader.code.files("here") == {"src/ä.py": replace(file, mtime_ns=99)}
        assert dict(reader.code.digests("here")) == {"src/ä.py": {"outline": {"names": ["ä"]}}}
        assert reader.code.digest("here", "src/ä.py") == {"outline": {"names": ["ä"]}}
        assert reader.code.digest("here", "c.py") == {}


def test_a_memory_that_moved_keeps_its_words_and_its_id(store: Store) -> None:
    number = add(store, symbol("one"), row(body="word"), ENGINE)
    moved = symbol("one", "b.py", valid_from=T0 + timedelta(days=1))
    with store.write() as writer:
        writer.code.move_derived(number, moved)
    assert derived(store) == []
    assert [(one.number, one.memory_id) for one in derived(store, "b.py")] == [(number, "one")]
    assert found(store, "word") == ["one"]


def test_a_memory_that_changed_is_found_by_its_new_words_only(store: Store) -> None:
    number = add(store, symbol("one"), row(body="old"), ENGINE)
    with store.write() as writer:
        writer.code.replace_derived(number, symbol("one", text="new"), [row(body="new")], [ENGINE])
    assert (found(store, "old"), found(store, "new")) == ([], ["one"])
    with store.read() as reader:
        assert reader.vectors.pending() == {ENGINE: 1}
        assert [version.text for version in reader.memories.versions("one")] == ["new"]


def test_erased_memories_leave_nothing(store: Store) -> None:
    add(store, symbol("one"), row(body="word"), ENGINE)
    add(store, symbol("two"), row(body="word"), ENGINE)
    with store.write() as writer:
        writer.edges.add(Edge("calls", "one", "two"))
        writer.code.erase_derived(
            [one for one in writer.code.derived("here", ["a.py"], ["symbol"]) if one.memory_id == "one"]
        )
    assert found(store, "word") == ["two"]
    with store.read() as reader:
        assert reader.edges.of_memory("two") == []
        assert reader.memories.versions("one") == []


def test_relations_of_some_memories_are_replaced_by_kind(store: Store) -> None:
    with store.write() as writer:
        for edge in (Edge("calls", "a", "b"), Edge("calls", "c", "b"), Edge("derived_from", "a", "c")):
            writer.edges.add(edge)
        writer.edges.replace(["a"], ["calls", "imports"], [Edge("imports", "a", "d", 0.5)])
    with store.read() as reader:
        assert reader.edges.of_memory("a") == [Edge("derived_from", "a", "c"), Edge("imports", "a", "d", 0.5)]
        assert reader.edges.of_memory("b") == [Edge("calls", "c", "b")]


def test_symbols_are_found_by_name_path_id_and_beginning(store: Store) -> None:
    add(
        store,
        symbol("one", name="Store.write", details={"type": "method", "signature": "def write()", "first_line": 2}),
        row(body="a"),
    )
    add(store, symbol("two", path="b.py", name="write"), row(body="b"))
    add(store, symbol("three", name="writer", checkout_id="elsewhere"), row(body="c"))
    with store.read() as reader:
        rows = reader.structure
        assert [(s.id, s.qualified, s.path, s.line) for s in rows.named("here", ["WRITE"])] == [
            ("one", "Store.write", "a.py", 3),
            ("two", "write", "b.py", 3),
        ]
        [one] = rows.in_files("here", ["a.py", "none.py"])
        assert (one.type, one.signature, one.end_line, one.first_line) == ("method", "def write()", 9, 2)
        assert [s.id for s in rows.placed("here", [("a.py", "Store.write"), ("a.py", "write")])] == ["one"]
        assert rows.placed("here", [("b.py", "Store.write"), ("b.py", "Write")]) == rows.placed("here", []) == []
        assert [s.id for s in rows.with_ids("here", ["two", "three"])] == ["two"]
        assert [s.id for s in rows.every("here")] == ["one", "two"]
        assert rows.names_starting("here", "WRI") == {"Store.write", "write"}
        assert rows.names_starting("elsewhere", "w") == {"writer"}


def test_relations_are_read_from_both_ends_with_their_lines(store: Store) -> None:
    add(
        store,
        symbol(
            "one", details={"type": "function", "calls": ["two", "print"], "decorators": ["cache"], "tables": ["kv"]}
        ),
        row(body="a"),
    )
    add(store, symbol("two", path="b.py"), row(body="b"))
    with store.write() as writer:
        writer.edges.replace(["one"], ["calls"], [Edge("calls", "one", "two", 0.5, lines=(4, 12))])
        writer.edges.add(Edge("imports", "one", "two"))
    with store.read() as reader:
        rows = reader.structure
        [caller] = rows.into("here", ["two"], ("calls",))
        assert (caller.near, caller.kind, caller.strength, caller.lines, caller.other.id) == (
            "two",
            "calls",
            0.5,
            (4, 12),
            "one",
        )
        assert {r.kind for r in rows.out_of("here", ["one"], ("calls", "imports"))} == {"calls", "imports"}
        assert rows.into("elsewhere", ["two"], ("calls",)) == []
        assert rows.relation_ids("here", ("calls",)) == [("one", "two")]
        assert rows.called_names(["one", "two"]) == {"two", "print"}
        assert rows.decorators("here") == {"one": ["cache"]}
        assert rows.tables("here") == {"one": ["kv"]}


def test_a_sketch_tells_where_a_memory_stands(store: Store) -> None:
    number = add(store, symbol("one", traits=1), row(body="word"))
    with store.read() as reader:
        sketch = reader.code.sketches([number])[number]
    assert (sketch.memory_id, sketch.kind, sketch.type, sketch.name) == ("one", "symbol", "function", "one")
    assert (sketch.path, sketch.line, sketch.end_line, sketch.traits, sketch.referrers) == ("a.py", 3, 9, 1, 0)
    with store.write() as writer:
        writer.code.put_file("here", FileRow("a.py", 1, 1, "ab" * 32, "python", 9, T0), {})
        writer.code.set_referrers("here", {"a.py": 7})
        assert writer.code.sketches([number])[number].referrers == 7
        writer.code.set_referrers("here", {})
        assert writer.code.sketches([number])[number].referrers == 0


def test_memories_are_found_by_name_and_by_the_end_of_a_path(store: Store) -> None:
    one = add(store, symbol("Parser.feed", "src/parser.py"), row(body="x"))
    file = add(store, symbol("src/parser.py", "src/parser.py", kind="file"), row(body="y"))
    with store.read() as reader:
        assert reader.code.symbols_named(["FEED", "nothing"], 10, NOW) == [one]
        assert reader.code.symbols_named(["Parser.feed"], 10, NOW) == []
        assert reader.code.files_ending(["parser.py", "other.py"], 10, NOW) == [file]
        assert reader.code.files_ending(["arser.py"], 10, NOW) == []
        assert reader.code.files_at(["src/parser.py", "parser.py"], NOW) == [file]


def test_tracked_paths_wait_for_each_checkout(store: Store) -> None:
    with store.write() as writer:
        writer.code.track("here", ["b", "a", "a"])
        writer.code.track("there", ["c"])
        writer.code.untrack("here", ["b"])
    with store.read() as reader:
        assert (reader.code.tracked("here"), reader.code.tracked("there")) == (["a"], ["c"])


def test_derived_memories_are_counted_by_sort(store: Store) -> None:
    add(store, symbol("one"), row(body="a"))
    add(store, symbol("two", details={"type": "class"}), row(body="b"))
    with store.read() as reader:
        assert reader.code.derived_counts("here") == {("symbol", "function"): 1, ("symbol", "class"): 1}
        symbols = reader.code.derived_of_kind("here", "symbol")
        assert [one.name for one in symbols] == ["one", "two"]
        numbers = [one.number for one in symbols if one.path == symbols[0].path]
        assert reader.code.numbers_into("here", "symbol", [symbols[0].path, "absent.py"]) == numbers
        assert reader.code.numbers_into("here", "table", [symbols[0].path]) == []
        assert reader.code.numbers_into("there", "symbol", [symbols[0].path]) == []


def test_what_only_keywords_find_is_never_owed(store: Store) -> None:
    only = PassageRow(b"", "code", code_terms=("", "", "", "word"))
    add(store, symbol("one"), only, ENGINE)
    with store.write() as writer:
        writer.vectors.queue_missing(ENGINE)
    assert found(store, "word") == ["one"]
    with store.read() as reader:
        assert reader.vectors.pending() == {ENGINE: 0}


def test_many_are_added_as_one_is(store: Store) -> None:
    add(store, symbol("one"), row(body="first"), ENGINE)
    with store.write() as writer:
        items = [
            (symbol("two"), [row(body="second"), PassageRow(b"more".ljust(16), "code")]),
            (symbol("three", "b.py"), [row(body="second third")]),
        ]
        writer.code.add_derived(items, [ENGINE], urgency=0.5)
    later = add(store, symbol("four"), row(body="fourth"), ENGINE)
    assert found(store, "second") == ["two", "three"]
    assert found(store, "fourth") == ["four"]
    assert [one.memory_id for one in derived(store)] == ["one", "two", "four"]
    with store.read() as reader:
        assert reader.vectors.pending() == {ENGINE: 5}
        assert later == reader.memories.last_number() == 4
        assert reader.memories.versions("three")[0].refs == symbol("three", "b.py").refs


def named(store: Store, *names: str) -> int:
    with store.read() as reader:
        return len(reader.code.symbols_named(names, 10, NOW))


def test_names_with_large_letters_of_any_alphabet_are_found_as_they_are_written(store: Store) -> None:
    add(store, symbol("s1", name="shop.ÄRGERNIS"), row("Ärgernis"))
    assert named(store, "ÄRGERNIS") == 1
    assert named(store, "ÄrGeRnIs") == 1
    assert named(store, "ärgernis") == 0  # as every store has it: only the letters of ASCII


def test_a_name_that_is_longer_than_any_index_takes_is_stored_and_found(store: Store) -> None:
    name = "".join(hashlib.sha256(bytes([at])).hexdigest() for at in range(150))
    with store.write() as writer:
        writer.code.add_derived([(symbol("s1", name=f"shop.{name}"), [row(name)])], [])
    assert named(store, name.upper()) == 1
    assert named(store, "x" + name) == 0
