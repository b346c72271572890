"""What every flow works on: one space, opened."""

import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from waypost.config import Settings
from waypost.context.cache import ContextCache
from waypost.flows.engines import Engines
from waypost.model.ids import IdMaker
from waypost.model.time import Clock
from waypost.space.identity import Identity
from waypost.store.protocol import Store

_TOMBSTONE_KEY = "tombstone_key"


@dataclass(frozen=True, slots=True)
class OpenSpace:
    identity: Identity
    folder: Path
    settings: Settings
    store: Store
    engines: Engines
    clock: Clock
    new_id: IdMaker
    start_worker: Callable[["OpenSpace"], None]  # somebody pays the vectors owed, later
    contexts: ContextCache[Any]  # briefings of tasks that were asked for a moment ago

    @property
    def exports(self) -> Path:
        return self.folder / "exports"

    def tombstone_key(self) -> bytes:
        """The space's own key, made with the first tombstone or write: hashes of two spaces cannot be compared."""
        with self.store.read() as reader:
            known = reader.meta(_TOMBSTONE_KEY)
        if known is None:
            with self.store.write() as writer:
                known = writer.meta(_TOMBSTONE_KEY)
                if known is None:
                    known = secrets.token_hex(32)
                    writer.set_meta(_TOMBSTONE_KEY, known)
        return bytes.fromhex(known)


def note_checkout(space: OpenSpace) -> None:
    """Remember which trees use this space: what is derived from a tree belongs to its checkout."""
    if space.identity.kind != "project":
        return
    with space.store.read() as reader:
        if space.identity.checkout_id in reader.checkouts():
            return
    with space.store.write() as writer:
        root = os.fsencode(space.identity.root).decode("utf-8", "replace")
        writer.add_checkout(space.identity.checkout_id, root, space.clock())
