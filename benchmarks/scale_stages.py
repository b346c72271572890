"""One system with so many passages, in a process of its own: `python -m benchmarks.scale_stages SYSTEM PASSAGES FOLDER`.

`benchmarks/postgres_scale.py` starts these. Each step prints its figures as one JSON line when it is done, so that a run that is
cut short still tells something. Waypost's stores are used through their protocol, as `remember_many` and `recall` do, but
without what these do before and after: masking, embedding, ranking. With `bulk` behind the folder they are written as an index of
a tree writes them, many versions in one call.
"""

import json
import secrets
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.clock import folder_bytes, percentiles
from benchmarks.scale_data import Passages, content_hash, domain_of, is_fact, views
from benchmarks.scale_memory import Peak

if TYPE_CHECKING:
    from benchmarks.scale_data import Floats
    from numpy.typing import NDArray

    from waypost.model.memory import Version
    from waypost.model.recall import View
    from waypost.store.protocol import Store

K = 10
DEPTH = 100  # candidates that recall asks a store for
QUESTIONS = 100
AT_ONCE = 2000
WRITES = 60
ENGINE = "generated"
BEGUN = datetime(2026, 1, 1, tzinfo=UTC)
# As a server of this size is set up: a quarter of 8 GB for shared buffers, indexes built in memory.
SERVER = {"shared_buffers": "2GB", "maintenance_work_mem": "1GB", "max_wal_size": "2GB", "work_mem": "32MB"}
Figures = dict[str, Any]
Search = Callable[[Any], Sequence[int]]


def tell(step: str, **figures: Any) -> None:
    print(json.dumps({"step": step} | {name: _rounded(value) for name, value in figures.items()}), flush=True)


def _rounded(value: Any) -> Any:
    return round(value, 4 if abs(value) < 10 else 1) if isinstance(value, float) else value


class Asked:
    """The questions, and what exact search answers."""

    def __init__(self, passages: Passages, peak: Peak) -> None:
        self._peak = peak
        self.words = passages.keyword_questions(QUESTIONS)
        self.vectors = passages.vector_questions(QUESTIONS)
        self.shown = views(passages.count)
        self.nearest = passages.nearest(self.vectors, K, self.shown)

    def by_vectors(self, search: Search, view: str, prefix: str = "vectors") -> Figures:
        """Times of a vector search in this view, and how much of the exact answer it finds."""
        search(self.vectors[0])
        found, times = self._timed(search, list(self.vectors), prefix)
        return times | recall_at(self.nearest[view], found)

    def by_words(self, search: Search, prefix: str = "keywords") -> Figures:
        """Times of a keyword search, and how often it finds the passage that the words are from."""
        search(self.words[0][1])
        found, times = self._timed(search, [words for _, words in self.words], prefix)
        there = [place in answer[:K] for (place, _), answer in zip(self.words, found, strict=True)]
        return times | {"found_its_passage": sum(there) / len(there)}

    def _timed(self, search: Search, asked: Sequence[Any], prefix: str) -> tuple[list[Sequence[int]], Figures]:
        found, took, busy = [], [], self._peak.cpu()
        for one in asked:
            began = time.perf_counter()
            found.append(search(one))
            took.append((time.perf_counter() - began) * 1000)
        each = (self._peak.cpu() - busy) * 1000 / len(asked)
        return found, percentiles(took, prefix) | {f"{prefix}_cpu_ms": each}


def recall_at(exact: "NDArray[Any]", found: Sequence[Sequence[int]]) -> Figures:
    shares = [
        len(set(near) & set(some[:K])) / max(1, len(near)) for near, some in zip(exact.tolist(), found, strict=True)
    ]
    return {"recall_at_10": sum(shares) / len(shares), "worst_question": min(shares)}


# -- waypost's stores ---------------------------------------------------------------------------------------------


def version_of(place: int, text: str) -> "Version":
    from waypost.model.memory import Version

    at = BEGUN + timedelta(seconds=place)
    if is_fact(place):
        return Version(f"m{place}", "fact", text, at, at, "user", "someone", level=1, domain=domain_of(place))
    session, position = divmod(place, 20)
    return Version(
        f"m{place}", "conversation", text, at, at, "user", "someone", session=f"s{session}", position=position
    )  # fmt: skip


def put(
    store: "Store", start: int, texts: Sequence[str], terms: Sequence[str], vectors: "Floats", *, bulk: bool = False
) -> None:
    from waypost.store.protocol import PassageRow

    hashes = [content_hash(start + place) for place in range(len(texts))]
    items = [
        (version_of(start + place, text), [PassageRow(hashes[place], "en", terms[place])])
        for place, text in enumerate(texts)
    ]
    with store.write() as writer:
        if bulk:
            writer.code.add_derived(items, [ENGINE])
        else:
            for version, rows in items:
                writer.memories.add(version, rows, [ENGINE])
        writer.vectors.put(ENGINE, [(one, "en", vector) for one, vector in zip(hashes, vectors, strict=True)])


def ingest(store: "Store", passages: Passages, bulk: bool) -> float:
    """Seconds, without those in which the passages are made. Tells on the way how fast it is by then."""
    spent = 0.0
    for part in passages.parts():
        began = time.perf_counter()
        for at in range(0, len(part.texts), AT_ONCE):
            some = slice(at, at + AT_ONCE)
            put(store, part.start + at, part.texts[some], part.terms[some], part.vectors[some], bulk=bulk)
        took = time.perf_counter() - began
        spent += took
        tell("lap", written=part.start + len(part.texts), lap_per_second=len(part.texts) / took)
    return spent


def views_of(passages: Passages) -> dict[str, "View"]:
    """All that is kept; facts alone; the facts of one domain. The moment is after the last was recorded."""
    from waypost.model.kinds import KEPT_COLLECTIONS
    from waypost.model.recall import View
    from waypost.model.time import Moment

    now = Moment(BEGUN + timedelta(seconds=2 * passages.count + 86_400))
    facts = View(now, ("facts",))
    return {"all": View(now, KEPT_COLLECTIONS), "facts": facts, "domain": View(now, ("facts",), domains=("part-7",))}


def ask(store: "Store", passages: Passages, asked: Asked, peak: Peak) -> None:
    def by_words(view: "View") -> Search:
        def search(words: Sequence[str]) -> list[int]:
            with store.read() as reader:
                return [_place(one.memory_id) for one in reader.search.keywords(words, DEPTH, view)]

        return search

    def by_vector(view: "View") -> Search:
        def search(vector: "Floats") -> list[int]:
            with store.read() as reader:
                return [_place(one.memory_id) for one in reader.search.vectors(ENGINE, vector, DEPTH, view).hits]

        return search

    def by_both(view: "View") -> Search:
        pairs = iter(range(10**9))

        def search(vector: "Floats") -> list[int]:
            _, words = asked.words[next(pairs) % QUESTIONS]
            with store.read() as reader:
                reader.search.keywords(words, DEPTH, view)
                return [_place(one.memory_id) for one in reader.search.vectors(ENGINE, vector, DEPTH, view).hits]

        return search

    for name, view in views_of(passages).items():
        words = asked.by_words(by_words(view))
        if name != "all":
            del words["found_its_passage"]  # it may not be shown
        both = asked.by_vectors(by_both(view), name, "both")
        figures = words | asked.by_vectors(by_vector(view), name) | {n: v for n, v in both.items() if n[:4] == "both"}
        tell("search", view=name, **figures, **peak.lap())


def _place(memory_id: str) -> int:
    return int(memory_id[1:])


def write_one_by_one(store: "Store", passages: Passages, asked: Asked) -> None:
    """Single writes into the full store, each with its vector; that they are found by it is checked afterwards."""
    took, view = [], views_of(passages)["all"]
    for number in range(WRITES):
        vector, (_, words) = asked.vectors[number : number + 1], asked.words[number]
        began = time.perf_counter()
        put(store, passages.count + number, [" ".join(words)], [" ".join(words)], vector)
        took.append((time.perf_counter() - began) * 1000)
    there = 0
    with store.read() as reader:
        for number in range(WRITES):
            found = reader.search.vectors(ENGINE, asked.vectors[number], K, view).hits
            there += any(one.memory_id == f"m{passages.count + number}" for one in found)
    tell("write", **percentiles(took, "write"), writes_found=there / WRITES)


def measure(
    store: "Store",
    passages: Passages,
    peak: Peak,
    sizes: Callable[[], Figures],
    settle: Callable[[], None] = lambda: None,
) -> None:
    """`settle` waits for what the system does in the background after many writes."""
    bulk = "bulk" in sys.argv[4:]
    busy = peak.cpu()
    seconds = ingest(store, passages, bulk)
    each = (peak.cpu() - busy) * 1e6 / passages.count  # with making the passages, about 40 µs each
    tell(
        "ingest",
        bulk=bulk,
        seconds=seconds,
        cpu_us_each=each,
        per_second=passages.count / seconds,
        **sizes(),
        **peak.lap(),
    )
    began, busy = time.perf_counter(), peak.cpu()
    store.compact()
    indexing, spent = time.perf_counter() - began, peak.cpu() - busy
    rate = passages.count / (seconds + indexing)
    tell("index", seconds=indexing, cpu_seconds=spent, per_second_with_ingest=rate, **sizes(), **peak.lap())
    settle()
    asked = Asked(passages, peak)
    peak.lap()  # exact search is ours, not the store's
    ask(store, passages, asked, peak)
    write_one_by_one(store, passages, asked)
    tell("size", **sizes(), **peak.lap())


def postgres(passages: Passages, _: Path) -> None:
    from tests.postgres_server import Postgres

    from waypost.model.memory import StoredSpace
    from waypost.store.postgres.store import PostgresStore

    with Postgres(durable=True, **SERVER) as server:
        space = StoredSpace(secrets.token_hex(8), "project", "scale", "directory", None, BEGUN)
        dsn = server.new_database()
        store = PostgresStore(dsn, space)
        with Peak(_postmaster(server.folder)) as peak:
            measure(store, passages, peak, lambda: postgres_sizes(dsn), lambda: settle_postgres(dsn))
        store.close()


def _postmaster(folder: Path) -> int:
    return int((folder / "postmaster.pid").read_text().split()[0])


def settle_postgres(dsn: str) -> None:
    """What autovacuum and the checkpointer would do within minutes, while questions are asked."""
    import psycopg

    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("VACUUM (ANALYZE)")
        connection.execute("CHECKPOINT")


def postgres_sizes(dsn: str) -> Figures:
    """Of the database, and of what finds vectors and words in it."""
    import psycopg

    with psycopg.connect(dsn) as connection:
        rows = connection.execute(
            "SELECT relname::text, pg_relation_size(oid)::bigint FROM pg_class WHERE relkind IN ('r', 'i')"
            " AND relnamespace::regnamespace::text LIKE 'waypost\\_%' AND pg_relation_size(oid) > 0"
        ).fetchall()
        whole = connection.execute("SELECT pg_database_size(current_database())::bigint").fetchall()[0][0]
    named: dict[str, int] = dict(rows)
    vectors = sum(size for name, size in rows if name.startswith("vectors_near"))
    words = sum(size for name, size in rows if name.startswith("keywords"))
    return {
        "database_mb": whole / 1e6,
        "vectors_mb": named.get("vectors", 0) / 1e6,
        "vector_index_mb": vectors / 1e6,
        "keyword_index_mb": words / 1e6,
    }


def sqlite(passages: Passages, folder: Path) -> None:
    from waypost.store.sqlite.store import SqliteStore

    def sizes() -> Figures:
        vectors = sum(path.stat().st_size for path in folder.glob("vectors-*.bin"))
        return {"database_mb": folder_bytes(folder) / 1e6, "vectors_mb": vectors / 1e6}

    store = SqliteStore(folder)
    with Peak() as peak:
        measure(store, passages, peak, sizes)
    store.close()


def chroma(passages: Passages, folder: Path) -> None:
    from benchmarks.peers.chroma_server import ChromaServer

    with ChromaServer(folder) as server, Peak(server.process_id) as peak:
        server.measure(passages, peak)


SYSTEMS: dict[str, Callable[[Passages, Path], None]] = {"postgres": postgres, "sqlite": sqlite, "chroma": chroma}


@contextmanager
def _emptied(folder: Path) -> Iterator[Path]:
    import shutil

    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    system, count, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    with _emptied(folder) as empty:
        SYSTEMS[system](Passages(count), empty)


if __name__ == "__main__":
    main()
