"""One open space: what every flow works on."""

import os
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waypost.config import Settings
from waypost.context.cache import ContextCache
from waypost.errors import InvalidInput, NotFound
from waypost.flows.engines.choice import EngineChoice
from waypost.journal.consent import consent_for, file_part
from waypost.journal.files import JournalFolder
from waypost.journal.layout import INDEX
from waypost.journal.remote import RemoteJournal
from waypost.model.ids import IdMaker
from waypost.model.time import Clock
from waypost.space.identity import Identity, machine_journal, path_id, tree_here
from waypost.space.place import plain_relative_path, safe_relative_path
from waypost.store.journal import FileStamp
from waypost.store.protocol import Reader, Store, Writer

if TYPE_CHECKING:
    from waypost.flows.neighbours import Neighbours

IN_TREE = ".waypost"  # where a journal lives that is kept with the project
_TOMBSTONE_KEY = "tombstone_key"


@dataclass(frozen=True, slots=True)
class OpenSpace:
    identity: Identity
    folder: Path
    settings: Settings
    store: Store
    engines: EngineChoice
    clock: Clock
    new_id: IdMaker
    start_worker: Callable[["OpenSpace"], None]  # embeds pending texts, later
    contexts: ContextCache[Any]  # briefings of tasks that were asked for a moment ago
    neighbours: Callable[["OpenSpace"], "Neighbours"]  # the other memories here, for what is shared between them

    @property
    def exports(self) -> Path:
        return self.folder / "exports"

    @property
    def journal_id(self) -> str:
        """Whose journal it is: the checkout's whose tree holds it, or the space's own on this machine."""
        return self.identity.checkout_id if self._journal_in_tree() or self._journal_away() else self.own_journal_id

    @property
    def own_journal_id(self) -> str:
        """Of the journal in the space's folder: empty, or this machine's where others use the same store."""
        return machine_journal(self.settings.shared_machine)

    @property
    def journal(self) -> JournalFolder:
        files = self._journal_away()
        if files:
            root = Path(self._checkouts().get(self.identity.checkout_id, "")) / IN_TREE
            return RemoteJournal(root, self.settings.journal, self.identity.name, files, self._page)
        return self._journal_of(self.journal_id, self.identity.root)

    @property
    def own_journal(self) -> JournalFolder:
        """The one in the space's folder, whether or not this checkout keeps its journal there."""
        return self._journal_of(self.own_journal_id, None)

    @property
    def journal_is_away(self) -> bool:
        """Whether the journal is kept in a tree that is elsewhere: what it says is known, its files cannot be touched."""
        return bool(self._journal_away())

    def other_journals(self, reader: Reader) -> Iterator[JournalFolder]:
        """Those of other checkouts, and the space's own where this one keeps its journal in the tree."""
        if self.journal_id != self.own_journal_id:
            yield self.own_journal
        for checkout, root_text in reader.code.checkouts().items():
            root = tree_here(root_text, self.settings.shared_machine)
            place = None if root is None else root / IN_TREE
            if checkout != self.journal_id and place is not None and place.is_dir() and not place.is_symlink():
                yield self._journal_of(checkout, root)

    def _journal_of(self, journal: str, tree: Path | None) -> JournalFolder:
        in_tree = journal != self.own_journal_id and tree is not None
        root = tree / IN_TREE if in_tree and tree is not None else self.folder / "journal"
        lock = self.folder / (f"journal-{journal}.lock" if in_tree else "journal.lock")
        part = partial(self._part, tree) if in_tree and tree is not None else None
        return JournalFolder(
            root, lock, self.settings.journal, self.settings.busy_timeout_seconds, part, bundles=not in_tree
        )

    def _part(self, tree: Path) -> str:
        consent = consent_for(self.folder, tree)
        return "" if consent is None else file_part(consent, branch_of(tree))

    @property
    def journal_offered(self) -> Path | None:
        """The journal that came with the repository, where no person has agreed to use it: it is neither read nor written."""
        place = self._place_in_tree()
        return None if place is None or self._journal_in_tree() else place

    def _journal_in_tree(self) -> bool:
        root = self.identity.root
        return root is not None and self._place_in_tree() is not None and consent_for(self.folder, root) is not None

    def _place_in_tree(self) -> Path | None:
        if self.identity.root is None:
            return None
        place = f"{self.identity.root}{os.sep}{IN_TREE}"  # asked several times for a question: pathlib is slow
        if not os.path.isdir(place) or os.path.islink(place):
            return None
        is_journal = os.path.isfile(f"{place}{os.sep}{INDEX}") or os.path.isdir(f"{place}{os.sep}daily")
        return Path(place) if is_journal else None

    def _journal_away(self) -> dict[str, FileStamp]:
        """The files of the journal, where it is kept in a tree that is elsewhere; empty where it is not."""
        if not self.identity.is_away or not self.identity.checkout_id:
            return {}
        with self.store.read() as reader:
            return reader.journal.files(self.identity.checkout_id)

    def _page(self, path: str) -> str | None:
        from waypost.journal.units import indexed_page  # heavy, and only without the files

        with self.store.read() as reader:
            return indexed_page(reader, self.journal, self.journal_id, path)

    def _checkouts(self) -> dict[str, str]:
        with self.store.read() as reader:
            return reader.code.checkouts()

    def tombstone_key(self) -> bytes:
        """The space's own key, made with the first tombstone or write: hashes of two spaces cannot be compared."""
        with self.store.read() as reader:
            key = reader.meta.get(_TOMBSTONE_KEY)
        if key is not None:
            return bytes.fromhex(key)
        with self.store.write() as writer:
            return tombstone_key_in(writer)


def branch_of(root: Path) -> str:
    """The branch that is checked out; in its place the commit, where none is."""
    from waypost.code.git.history import head  # only where the journal is kept in a repository

    checked_out = head(root)
    return f"branch {checked_out.branch}" if checked_out.branch else f"commit {checked_out.commit}"


def tombstone_key_in(writer: Writer) -> bytes:
    """The key, read or made inside a transaction."""
    key = writer.meta.get(_TOMBSTONE_KEY)
    if key is None:
        key = secrets.token_hex(32)
        writer.meta.set(_TOMBSTONE_KEY, key)
    return bytes.fromhex(key)


def tree_of(space: OpenSpace) -> Path:
    """The root of the tree. Raises InvalidInput for a person, who has none, and NotFound where the tree is elsewhere."""
    need_project(space)
    if space.identity.root is None:
        raise NotFound(
            f"The tree of {space.identity.name!r} is not on this machine.", "Run this where the project is checked out."
        )
    return space.identity.root


def need_project(space: OpenSpace) -> None:
    """Raise InvalidInput for a person's space: it has no code."""
    if space.identity.kind != "project":
        raise InvalidInput("A person has no tree.", "Run this in a project, without --person.")


def place_in(space: OpenSpace, path: str) -> str:
    """The path of a file inside the tree, wherever that is; one that leads out of it is refused."""
    need_project(space)
    root = space.identity.root
    return plain_relative_path(path) if root is None else safe_relative_path(root, path)


def is_known_checkout(space: OpenSpace) -> bool:
    """Whether this memory was opened from this tree before.

    True without a tree, and if the id comes from the path alone and can't be stored: a server first has no rights.
    """
    root = space.identity.root
    if root is None:
        return True
    if not space.store.may_write and space.identity.space_id == path_id(root, space.settings.shared_machine):
        return True
    with space.store.read() as reader:
        return space.identity.checkout_id in reader.code.checkouts()


# What is noted for each checkout beside its rows, by the name in the table `meta`.


def indexed_commit_key(space: OpenSpace) -> str:
    """The commit that was checked out when the tree was indexed last."""
    return indexed_commit_of(space.identity.checkout_id)


def indexed_commit_of(checkout_id: str) -> str:
    return f"indexed_commit:{checkout_id}"


def digest_format_key(space: OpenSpace) -> str:
    """In which format the files of the tree were read."""
    return f"digest_format:{space.identity.checkout_id}"


def conclusions_key(space: OpenSpace) -> str:
    """Set while conclusions are pending; another value with every change."""
    return f"conclusions_owed:{space.identity.checkout_id}"


def tree_changed_key(space: OpenSpace) -> str:
    """Another value with every change of the index."""
    return f"tree_changed:{space.identity.checkout_id}"


def tree_seen_key(space: OpenSpace) -> str:
    """The commit and the uncommitted files at the last look for changes."""
    return f"tree_seen:{space.identity.checkout_id}"


def patterns_key(space: OpenSpace) -> str:
    return f"patterns:{space.identity.checkout_id}"


def architecture_key(space: OpenSpace) -> str:
    return f"architecture:{space.identity.checkout_id}"


def scip_key(space: OpenSpace) -> str:
    """Size and time of the SCIP index that was taken over."""
    return f"scip:{space.identity.checkout_id}"


def unresolved_key(space: OpenSpace) -> str:
    """How many calls by each name have no known target."""
    return f"unresolved:{space.identity.checkout_id}"


def live_schema_key(space: OpenSpace) -> str:
    return f"live_schema:{space.identity.checkout_id}"


def discovered_key(space: OpenSpace) -> str:
    """When the first facts of the tree were looked for."""
    return f"discovered:{space.identity.checkout_id}"


def learn_since_key(space: OpenSpace) -> str:
    """The commit from which on the worker will learn; empty if nothing is pending."""
    return f"learn_since:{space.identity.checkout_id}"


def learned_commit_key(space: OpenSpace) -> str:
    """The commit up to which the worker has learned."""
    return f"learned_commit:{space.identity.checkout_id}"


def looked_at_key(checkout_id: str) -> str:
    """When all that points at code was compared with the tree."""
    return f"references_looked_at:{checkout_id}"


def causes_key(space: OpenSpace) -> str:
    """Set while the commits that made some memories stale are not found yet."""
    return f"causes_owed:{space.identity.checkout_id}"


def judged_key(checkout_id: str) -> str:
    """When a reference was judged last, of all or of a few."""
    return f"references_judged:{checkout_id}"
