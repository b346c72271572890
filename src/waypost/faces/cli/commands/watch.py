"""`waypost watch`: what a person sees while the index follows the tree."""

import sys
import threading
import time
from typing import TYPE_CHECKING

from waypost.errors import WaypostError
from waypost.faces.cli.output.memories import safe
from waypost.faces.cli.session import CommandSession
from waypost.text.plural import counted

if TYPE_CHECKING:
    from waypost.faces.watch import ChangeBatch

_SHOWN_PATHS = 3


def watch_tree(session: CommandSession, debounce_ms: int) -> None:
    """Index what is new, then follow every change until the person stops it."""
    from waypost.faces.watch import watch

    memory = session.memory()
    memory.index(wait=False)

    def follow(batch: "ChangeBatch") -> None:
        started = time.perf_counter()
        try:
            if batch.everything:
                changed = memory.index(wait=False).indexed.changed
            else:
                changed = memory.code.update(change.path for change in batch.changes).changed
        except WaypostError as error:  # the next change may go better
            print(f"{error.what} {error.remedy}", file=sys.stderr)
            return
        if changed:
            _tell(changed, time.perf_counter() - started)

    def ready(files: int) -> None:
        print(f"Watching {counted(files, 'file')} of {safe(str(memory.code.root))}. Stop with Ctrl-C.", flush=True)

    stop = threading.Event()
    try:
        watch(
            memory.code.root, follow, stop=stop, ignored=memory.code.ignores(), debounce_ms=debounce_ms, on_ready=ready
        )
    except KeyboardInterrupt:
        stop.set()
    finally:
        memory.close()


def _tell(changed: list[str], seconds: float) -> None:
    more = f" and {len(changed) - _SHOWN_PATHS} more" if len(changed) > _SHOWN_PATHS else ""
    print(f"{safe(', '.join(changed[:_SHOWN_PATHS]))}{more}: indexed in {seconds * 1000:.0f} ms", flush=True)
