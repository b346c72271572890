"""The mean of a domain's facts is what it would be if it were computed anew, after whatever was written."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.time import Moment
from waypost.store.protocol import Filter, PassageRow, Store, Writer
from waypost.store.sqlite.store import SqliteStore

T0 = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
LATER = T0 + 100 * DAY
NOW = View(Moment(LATER))
ENGINES = ("one", "two")
TEXTS = tuple(f"text {number}" for number in range(6))
DOMAINS = ("", "billing", "auth")
KINDS = ("fact", "decision", "learning", "fix", "note")  # a note is no fact

Floats = NDArray[np.float32]
Means = dict[str, tuple[int, Floats]]


def digest(text: str) -> bytes:
    return text.encode().ljust(16, b"\0")[:16]


def vector(text: str, engine: str, take: int = 0, size: int = 8) -> Floats:
    """Another one for each text, engine and take."""
    seed = sum(f"{text}/{engine}/{take}".encode()) + 1000 * take
    made = np.random.default_rng(seed).standard_normal(size).astype(np.float32)
    return made / np.linalg.norm(made)


def version(memory_id: str, kind: str = "fact", domain: str = "", **changes: Any) -> Version:
    new = Version(memory_id, kind, "text", T0, T0, "agent", "test", level=1, domain=domain, fingerprint=b"f")
    return replace(new, **changes)


def add(writer: Writer, new: Version, *texts: str) -> int:
    return writer.memories.add(new, [PassageRow(digest(text), "en", text) for text in texts], ENGINES)


def put(writer: Writer, engine: str, *texts: str, take: int = 0, again: bool = False, size: int = 8) -> None:
    rows = [(digest(text), "en", vector(text, engine, take, size)) for text in texts]
    writer.vectors.put(engine, rows, again=again)


def means(store: Store, engine: str = "one", view: View = NOW) -> Means:
    with store.read() as reader:
        return reader.facts.domains(engine, view)


def mean(*vectors: Floats) -> Floats:
    total = np.sum([one.astype(np.float16).astype(np.float64) for one in vectors], axis=0)
    unit: Floats = (total / np.linalg.norm(total)).astype(np.float32)
    return unit


def same(found: Means, wanted: Means) -> bool:
    return found.keys() == wanted.keys() and all(
        found[name][0] == wanted[name][0] and np.allclose(found[name][1], wanted[name][1], atol=1e-6) for name in wanted
    )


def test_a_domain_is_the_mean_of_its_facts(store: Store) -> None:
    with store.write() as writer:
        add(writer, version("a", domain="billing"), "text 1")
        add(writer, version("b", "decision", domain="billing"), "text 2")
        add(writer, version("c", "fix"), "text 3")
        put(writer, "one", "text 1", "text 2", "text 3")
    assert same(
        means(store),
        {
            "billing": (2, mean(vector("text 1", "one"), vector("text 2", "one"))),
            "": (1, mean(vector("text 3", "one"))),
        },
    )
    assert means(store, "two") == {} == means(store, "unheard of")


def test_a_fact_counts_from_when_its_vector_arrives(store: Store) -> None:
    with store.write() as writer:
        add(writer, version("a", domain="billing"), "text 1")
    assert means(store) == {}
    with store.write() as writer:
        put(writer, "one", "text 1")
    assert means(store)["billing"][0] == 1


def test_a_fact_that_says_what_has_a_vector_already_counts_at_once(store: Store) -> None:
    with store.write() as writer:
        add(writer, version("a", domain="billing"), "text 1")
        put(writer, "one", "text 1")
    with store.write() as writer:
        add(writer, version("b", domain="billing"), "text 1")
        add(writer, version("c", domain="auth"), "text 1")
    assert {name: count for name, (count, _) in means(store).items()} == {"billing": 2, "auth": 1}


def test_a_long_fact_counts_once_by_its_first_passage(store: Store) -> None:
    with store.write() as writer:
        add(writer, version("a", domain="billing"), "text 1", "text 2")
        put(writer, "one", "text 2", "text 1")
    assert same(means(store), {"billing": (1, mean(vector("text 1", "one")))})


def test_only_the_asked_domains_are_told(store: Store) -> None:
    with store.write() as writer:
        for place, domain in enumerate(DOMAINS):
            add(writer, version(f"m{place}", domain=domain), f"text {place}")
            put(writer, "one", f"text {place}")
    assert means(store, view=replace(NOW, domains=("auth", "unheard of"))).keys() == {"auth"}


def test_conversations_have_no_part_in_a_domain(store: Store) -> None:
    with store.write() as writer:
        add(writer, version("a", "note", domain="billing"), "text 1")
        put(writer, "one", "text 1")
    assert means(store) == {}


def test_another_moment_has_the_means_of_its_own_facts(store: Store) -> None:
    with store.write() as writer:
        old = add(writer, version("a", domain="billing"), "text 1")
        put(writer, "one", "text 1")
        writer.memories.supersede(old, T0 + 10 * DAY)
        add(writer, version("a", domain="auth", recorded_at=T0 + 10 * DAY), "text 2")
        add(writer, version("b", domain="auth", valid_from=T0 + 50 * DAY), "text 3")
        put(writer, "one", "text 2", "text 3")
    assert {name: count for name, (count, _) in means(store).items()} == {"auth": 2}
    known_then = View(Moment(LATER, known_at=T0 + 5 * DAY))
    assert means(store, view=known_then).keys() == {"billing", "auth"}  # the second fact was recorded on the first day
    true_then = View(Moment(T0 + 20 * DAY, explicit=True))
    assert {name: count for name, (count, _) in means(store, view=true_then).items()} == {"auth": 1}


def test_an_engine_that_answers_with_other_dimensions_starts_from_nothing(store: Store) -> None:
    with store.write() as writer:
        add(writer, version("a", domain="billing"), "text 1")
        add(writer, version("b", domain="auth"), "text 2")
        put(writer, "one", "text 1", "text 2")
        put(writer, "one", "text 1", size=5)
    assert same(means(store), {"billing": (1, mean(vector("text 1", "one", size=5)))})


def test_an_engine_that_was_dropped_leaves_nothing_to_the_next_one(store: Store) -> None:
    with store.write() as writer:
        add(writer, version("a", domain="billing"), "text 1")
        add(writer, version("b", domain="auth"), "text 2")
        put(writer, "one", "text 1", "text 2")
        put(writer, "two", "text 1", "text 2")
    with store.write() as writer:
        writer.vectors.drop_engine("two")
        writer.vectors.drop_engine("one")
    with store.write() as writer:
        put(writer, "three", "text 1", size=5)
    assert means(store, "two") == {}
    assert same(means(store, "three"), {"billing": (1, mean(vector("text 1", "three", size=5)))})


def test_what_is_taken_back_changes_nothing(store: Store) -> None:
    class GaveUp(Exception):
        pass

    with store.write() as writer:
        number = add(writer, version("a", domain="billing"), "text 1")
        put(writer, "one", "text 1")
    before = means(store)
    try:
        with store.write() as writer:
            writer.memories.supersede(number, LATER)
            add(writer, version("b", domain="auth"), "text 1")
            raise GaveUp
    except GaveUp:
        pass
    assert same(means(store), before)


def test_a_view_of_some_domains_and_levels_shows_only_these(store: Store) -> None:
    with store.write() as writer:
        numbers = {
            (domain, level): add(writer, version(f"{domain}{level}", domain=domain, level=level), f"text {place}")
            for place, (domain, level) in enumerate([("", 0), ("billing", 1), ("billing", 2), ("auth", 2)])
        }
        put(writer, "one", *TEXTS)
    for domains, levels, seen in (
        (("billing",), None, {("billing", 1), ("billing", 2)}),
        (None, (2, 3), {("billing", 2), ("auth", 2)}),
        (("", "auth"), (0, 1), {("", 0)}),
        (("",), (3,), set()),
        ((), None, set()),
    ):
        view = replace(NOW, domains=domains, levels=levels)
        with store.read() as reader:
            listed = {(one.domain, one.level) for one in reader.memories.listing(view, Filter())}
            by_words = {found.number for found in reader.search.keywords(["text"], 10, view)}
            by_meaning = {found.number for found in reader.search.vectors("one", vector("x", "one"), 10, view).hits}
            by_id = set(reader.memories.visible([f"{domain}{level}" for domain, level in numbers], view))
        assert listed == seen
        assert by_words == by_meaning == {numbers[one] for one in seen}
        assert by_id == {f"{domain}{level}" for domain, level in seen}


def test_visible_versions_are_those_of_the_moment(store: Store) -> None:
    with store.write() as writer:
        old = add(writer, version("a", domain="billing"), "text 1")
        writer.memories.supersede(old, T0 + 10 * DAY)
        new = add(writer, version("a", domain="auth", recorded_at=T0 + 10 * DAY), "text 2")
    with store.read() as reader:
        assert reader.memories.visible(["a", "unheard of"], NOW)["a"].number == new
        then = View(Moment(LATER, known_at=T0 + DAY))
        assert {name: one.number for name, one in reader.memories.visible(["a"], then).items()} == {"a": old}
        assert reader.facts.domains_of([old, new, 99]) == {old: "billing", new: "auth"}


# -- whatever is written ----------------------------------------------------------------------------------


@dataclass
class Held:
    memory_id: str
    kind: str
    domain: str
    texts: tuple[str, ...]
    current: bool = True


@dataclass
class Model:
    """The same in plain words: which versions there are, and which vector each engine has for a text."""

    versions: dict[int, Held] = field(default_factory=dict)
    vectors: dict[str, dict[str, Floats]] = field(default_factory=lambda: {engine: {} for engine in ENGINES})

    def forget_unsaid(self) -> None:
        said = {text for held in self.versions.values() for text in held.texts}
        for known in self.vectors.values():
            for text in set(known) - said:
                del known[text]

    def means(self, engine: str) -> Means:
        known = self.vectors[engine]
        by_domain: dict[str, list[Floats]] = {}
        for held in self.versions.values():
            if held.current and held.kind != "note" and held.texts[0] in known:
                by_domain.setdefault(held.domain, []).append(known[held.texts[0]])
        return {domain: (len(found), mean(*found)) for domain, found in by_domain.items()}


texts = st.lists(st.sampled_from(TEXTS), min_size=1, max_size=3, unique=True)
steps = st.one_of(
    st.tuples(st.just("add"), st.sampled_from(KINDS), st.sampled_from(DOMAINS), texts),
    st.tuples(st.just("put"), st.sampled_from(ENGINES), texts, st.integers(0, 3), st.booleans()),
    st.tuples(st.just("supersede"), st.integers(0, 9)),
    st.tuples(st.just("erase"), st.integers(0, 9)),
    st.tuples(st.just("index"), st.integers(0, 9), texts),
    st.tuples(st.just("drop"), st.sampled_from(ENGINES)),
)


def take(step: Any, writer: Writer, model: Model) -> None:
    what, *rest = step
    numbers = list(model.versions)
    if what == "add":
        kind, domain, said = rest
        memory_id = f"m{len(numbers)}-{sum(numbers)}"
        number = add(writer, version(memory_id, kind, domain), *said)
        model.versions[number] = Held(memory_id, kind, domain, tuple(said))
    elif what == "put":
        engine, said, which, again = rest
        put(writer, engine, *said, take=which, again=again)
        written = {text for held in model.versions.values() for text in held.texts}
        for text in written.intersection(said):
            if again or text not in model.vectors[engine]:
                model.vectors[engine][text] = vector(text, engine, which)
    elif what == "drop":
        writer.vectors.drop_engine(rest[0])
        model.vectors[rest[0]] = {}
    elif numbers:
        number = numbers[rest[0] % len(numbers)]
        if what == "supersede":
            writer.memories.supersede(number, LATER - DAY)
            model.versions[number].current = False
        elif what == "erase":
            writer.memories.erase(model.versions[number].memory_id, [number])
            del model.versions[number]
        else:
            passages = [PassageRow(digest(text), "en", text) for text in rest[1]]
            writer.memories.replace_passages(number, passages, ENGINES)
            model.versions[number].texts = tuple(rest[1])
    model.forget_unsaid()


@contextmanager
def fresh_store() -> Iterator[Store]:
    with TemporaryDirectory() as folder:
        opened = SqliteStore(Path(folder))
        yield opened
        opened.close()


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.lists(steps, min_size=5, max_size=40))
def test_after_any_writes_the_means_are_those_of_the_facts_that_are_there(taken: list[Any]) -> None:
    model = Model()
    with fresh_store() as store:
        with store.write() as writer:
            for step in taken:
                take(step, writer, model)
        kept = {engine: means(store, engine) for engine in ENGINES}
        for engine in ENGINES:
            assert same(kept[engine], model.means(engine))
            assert same(means(store, engine, View(Moment(LATER, explicit=True))), kept[engine])
        with store.write() as writer:
            for engine in ENGINES:
                writer.facts.recount_domains(engine)
        assert all(
            np.array_equal(kept[engine][name][1], one) and kept[engine][name][0] == count
            for engine in ENGINES
            for name, (count, one) in means(store, engine).items()
        )
