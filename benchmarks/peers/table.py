"""The peers by name. Each is imported only where it is measured: some take seconds."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.peers.protocol import Peer

# Name → what `import` costs a program that uses it.
MODULES = {"chromadb": "chromadb", "lancedb": "lancedb", "sqlite-vec": "apsw, sqlite_vec", "plain": "sqlite3, numpy"}


def open_peer(name: str, folder: Path) -> "Peer":
    folder.mkdir(parents=True, exist_ok=True)
    if name == "chromadb":
        from benchmarks.peers.chroma import Chroma

        return Chroma(folder)
    if name == "lancedb":
        from benchmarks.peers.lance import Lance

        return Lance(folder)
    if name == "sqlite-vec":
        from benchmarks.peers.sqlitevec import SqliteVec

        return SqliteVec(folder)
    from benchmarks.peers.plain import Plain

    return Plain(folder)
