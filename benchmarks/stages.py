"""One measurement in a process of its own: `python -m benchmarks.stages STAGE …` prints its figures as one JSON line.

`benchmarks/speed.py` starts these. Waypost is used through its public library. Only the large set goes around the
engine: `large` prepares every draft as `remember` does, but gives the store generated vectors instead of embedding.
"""

import json
import os
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from benchmarks import corpus
from benchmarks.clock import (
    Figures,
    best_round,
    each,
    folder_bytes,
    percentiles,
    recall_round,
    resident_mb,
    seconds,
)

from waypost import Memory, config
from waypost.embed import weights
from waypost.embed.registry import open_engine

if TYPE_CHECKING:
    from benchmarks.corpus import Floats

T = TypeVar("T")
CACHE = Path(__file__).parent / ".cache"
REAL = 20_000
SPARE = 400  # further real texts, for single writes
BATCH = 1000
QUESTIONS = 100
ROUNDS = 3
TURNS_OF_EACH = 5  # rounds of questions to Waypost and to a peer beside it
WRITES = 60
K = 10
TURNS = 20  # in a session
LENGTHS = {30: 600, 100: 200, 254: 80}  # tokens → texts


def in_parts(items: Iterable[T], size: int) -> Iterator[list[T]]:
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part


def data() -> tuple[list[str], "Floats"]:
    import numpy as np

    texts: list[str] = json.loads((CACHE / "texts.json").read_text("utf-8"))
    return texts, np.load(CACHE / "vectors.npy", mmap_mode="r")


def prepare() -> Figures:
    """Make the texts and their vectors, once for all runs. The time that embedding takes, here and now, is measured on
    the first 2,000 and counts for every peer."""
    import numpy as np

    CACHE.mkdir(exist_ok=True)
    if not (CACHE / "texts.json").exists():
        (CACHE / "texts.json").write_text(json.dumps(corpus.real_texts(REAL + SPARE)), "utf-8")
    texts: list[str] = json.loads((CACHE / "texts.json").read_text("utf-8"))
    engine = minilm()
    if not (CACHE / "vectors.npy").exists():
        np.save(CACHE / "vectors.npy", np.concatenate([engine.embed(part) for part in in_parts(texts, BATCH)]))
    return {"embed_per_second": 2000 / seconds(lambda: engine.embed(texts[:2000]))}


def minilm() -> Any:
    engine: Any = open_engine("minilm", config.load())
    engine.warm()
    return engine


# -- waypost ----------------------------------------------------------------------------------------------


def payload(place: int, text: str) -> dict[str, Any]:
    """Every tenth a fact, the others turns of conversations."""
    return fact(place, text) if place % 10 == 0 else turn_of(place, text)


def fact(place: int, text: str) -> dict[str, Any]:
    return {"text": text, "kind": "fact", "domain": f"part-{place % 7}"}


def turn_of(place: int, text: str) -> dict[str, Any]:
    session, turn = divmod(place, TURNS)
    speaker = "user" if turn % 2 else "assistant"
    return {"text": text, "kind": "conversation", "session": f"session-{session}", "speaker": speaker}


def waypost(size: int, project: Path) -> Figures:
    texts, _ = data()
    memory = Memory.open(project)
    payloads = [payload(place, text) for place, text in enumerate(texts[:size])]
    minilm().embed(["Weights are read from disk before the clock starts."])
    figures = {"ingest_s": seconds(lambda: memory.remember_many(payloads))}
    return figures | _ask_and_write(memory, texts, size)


def large(size: int, project: Path) -> Figures:
    """The large set: everything that `remember` does to a turn, but its vector is given."""
    from waypost.flows.versions.prepare import Embedded, prepare, put
    from waypost.memory.handle import LIBRARY
    from waypost.model.draft import Draft

    texts, real = data()
    memory = Memory.open(project)
    space = memory.space
    engine, key = space.engines.main.name, space.tombstone_key()
    vectors = iter(corpus.generated_vectors(real, size))
    generated = enumerate(list(corpus.generated_texts(texts, size)))

    def ingest() -> None:
        for part in in_parts(generated, 256):
            items = [prepare(space, Draft.of(turn_of(n, t)), LIBRARY, key) for n, t in part]
            given = {item.passages[0].content_hash: next(vectors) for item in items}
            with space.store.write() as writer:
                for item in items:
                    put(writer, item.version, item.passages[:1], Embedded((engine,), {engine: given}))

    figures = {"ingest_s": seconds(ingest)}
    return figures | _ask_and_write(memory, texts, size)


def _ask_and_write(memory: Memory, texts: list[str], size: int) -> Figures:
    asked = corpus.questions(texts[:2000], QUESTIONS)
    memory.remember("The deployment runs on Tuesday.", kind="note")  # the engine is loaded, whatever came before
    memory.recall(asked[0], K)
    recall = [recall_round(lambda q: memory.recall(q, K), asked) for _ in range(ROUNDS)]
    figures = best_round(recall) | {"disk_bytes": folder_bytes(memory.space.folder) / size}
    spare = texts[REAL:]
    rounds = [
        percentiles(each(memory.remember, spare[start : start + WRITES]), "write")
        for start in range(0, ROUNDS * WRITES, WRITES)
    ]
    found = sum(any(hit.text == text for hit in memory.recall(text, K).hits) for text in spare[:WRITES])
    return figures | best_round(rounds) | {"writes_found": found / WRITES}


def read_waypost(project: Path) -> Figures:
    """A new process on a filled store that writes once and asks: both ways of embedding and all vectors are loaded."""
    texts, _ = data()
    memory = Memory.open(project)
    asked = corpus.questions(texts[:2000], QUESTIONS)
    only_read = best_round([percentiles(each(lambda q: memory.recall(q, K), asked), "only_read") for _ in range(2)])
    memory.remember(f"A process began to measure itself at {os.times().elapsed}.")
    for question in asked:
        memory.recall(question, K)
    return only_read | {"rss_mb": resident_mb()}


# -- peers ------------------------------------------------------------------------------------------------


def peer(name: str, size: int, folder: Path) -> Figures:
    from benchmarks.peers.table import open_peer

    texts, real = data()
    engine = minilm()
    store = open_peer(name, folder)
    if size <= REAL:
        stored, vectors = texts[:size], real[:size]
    else:
        stored, vectors = list(corpus.generated_texts(texts, size)), corpus.generated_vectors(real, size)
    ids = [f"m{place}" for place in range(size)]

    def ingest() -> None:
        for start in range(0, size, BATCH):
            part = slice(start, start + BATCH)
            store.add(ids[part], stored[part], vectors[part])

    figures = {"ingest_s": seconds(ingest)}
    asked = corpus.questions(texts[:2000], QUESTIONS)
    store.search(engine.embed_question(asked[0]), K)
    recall = [recall_round(lambda q: store.search(engine.embed_question(q), K), asked) for _ in range(ROUNDS)]
    figures |= best_round(recall) | {"disk_bytes": folder_bytes(folder) / size}
    spare = texts[REAL:]
    rounds = [
        percentiles(each(lambda t: store.add([t], [t], engine.embed([t])), spare[at : at + WRITES]), "write")
        for at in range(0, ROUNDS * WRITES, WRITES)
    ]
    found = sum(text in store.search(engine.embed_question(text), K) for text in spare[:WRITES])
    store.close()
    return figures | best_round(rounds) | {"writes_found": found / WRITES}


def beside(name: str, project: Path, folder: Path) -> Figures:
    """Recall of Waypost and of a peer on filled stores, in turns in one process: the fairest ratio on a busy machine."""
    from benchmarks.peers.table import open_peer

    texts: list[str] = json.loads((CACHE / "texts.json").read_text("utf-8"))
    engine, store, memory = minilm(), open_peer(name, folder), Memory.open(project)
    memory.remember("The deployment runs on Tuesday.", kind="note")  # the engine is loaded, whatever came before
    asked = corpus.questions(texts[:2000], QUESTIONS)
    asks = {"waypost": lambda q: memory.recall(q, K), name: lambda q: store.search(engine.embed_question(q), K)}
    for ask in asks.values():
        recall_round(ask, asked[:5])
    rounds: dict[str, list[Figures]] = {system: [] for system in asks}
    for _ in range(TURNS_OF_EACH):
        for system, ask in asks.items():
            rounds[system].append(recall_round(ask, asked))
    figures = {
        f"{system}_{figure}": min(each_round[figure] for each_round in rounds[system])
        for system in asks
        for figure in rounds[system][0]
    }
    ratios = {
        f"ratio_{figure}": figures[f"waypost_{figure}"] / figures[f"{name}_{figure}"]
        for figure in ("recall_p50_ms", "recall_cpu_ms")
    }
    return figures | ratios


def read_peer(name: str, folder: Path) -> Figures:
    from benchmarks.peers.table import open_peer

    texts, _ = data()
    engine, store = minilm(), open_peer(name, folder)
    for question in corpus.questions(texts[:2000], QUESTIONS):
        store.search(engine.embed_question(question), K)
    return {"rss_mb": resident_mb()}


def cold_peer(name: str, folder: Path, question: str) -> Figures:
    """What a peer does for one question in a new process, with Waypost's own quick engine."""
    from benchmarks.peers.table import open_peer

    engine = open_engine("minilm", config.load())
    open_peer(name, folder).search(engine.embed_question(question), K)
    return {}


# -- lengths ----------------------------------------------------------------------------------------------


def lengths_waypost(project: Path) -> Figures:
    texts, _ = data()
    engine = minilm()
    memory = Memory.open(project)
    memory.remember("The engine is loaded before the clock starts.", kind="note")
    figures = {}
    for tokens, count in LENGTHS.items():
        notes = [{"text": t, "kind": "note"} for t in corpus.of_length(texts, tokens, count, engine.count_tokens)]
        figures[f"per_second_{tokens}"] = count / seconds(lambda notes=notes: memory.remember_many(notes))  # type: ignore[misc]
    return figures


def lengths_chroma(folder: Path, with_torch: bool) -> Figures:
    """chromadb with the same weights: by sentence-transformers and torch, or by Waypost's engine."""
    from benchmarks.peers.chroma import Chroma

    texts, _ = data()
    engine = minilm()
    embed = engine.embed
    if with_torch:
        from benchmarks.peers.torch_minilm import TorchMinilm

        embed = TorchMinilm(weights.find(weights.MINILM, config.load().models)).embed
    store = Chroma(folder)
    first = "The engine is loaded before the clock starts."
    store.add([first], [first], embed([first]))
    figures = {}
    for tokens, count in LENGTHS.items():
        given = corpus.of_length(texts, tokens, count, engine.count_tokens)
        figures[f"per_second_{tokens}"] = count / seconds(lambda g=given: store.add(g, g, embed(g)))  # type: ignore[misc]
    return figures


def main(stage: str, *given: str) -> Figures:
    match stage, given:
        case "prepare", ():
            return prepare()
        case "waypost", (size, project):
            return (waypost if int(size) <= REAL else large)(int(size), Path(project))
        case "read-waypost", (project,):
            return read_waypost(Path(project))
        case "peer", (name, size, folder):
            return peer(name, int(size), Path(folder))
        case "beside", (name, project, folder):
            return beside(name, Path(project), Path(folder))
        case "read-peer", (name, folder):
            return read_peer(name, Path(folder))
        case "cold-peer", (name, folder, question):
            return cold_peer(name, Path(folder), question)
        case "lengths-waypost", (project,):
            return lengths_waypost(Path(project))
        case "lengths-chroma", (folder, "torch" | "same" as how):
            return lengths_chroma(Path(folder), how == "torch")
    raise SystemExit(f"There is no stage {stage} {given}.")


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
