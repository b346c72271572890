"""What a database has to know of trees: their files, what was read out of them, and what became of the code that memories
point at."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.reference import CodeReference

if TYPE_CHECKING:
    from waypost.store.protocol import (
        CodeSketch,
        DerivedRow,
        Edge,
        FileRow,
        FoundPassage,
        PassageRow,
        ReferenceRow,
        StoredVerdict,
    )


class TreeReader(Protocol):
    # -- what is derived from a tree

    def files(self, checkout_id: str, paths: Iterable[str] | None = None) -> "dict[str, FileRow]":
        """The files of a checkout that are in the index, all or some, in the order of their paths."""

    def digests(self, checkout_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Path and digest of every file, in the order of the paths."""

    def derived(self, checkout_id: str, paths: Iterable[str], kinds: Sequence[str]) -> "list[DerivedRow]":
        """The current memories of these kinds that were read out of these files."""

    def derived_of_kind(self, checkout_id: str, kind: str) -> "list[DerivedRow]": ...

    def derived_counts(self, checkout_id: str) -> dict[tuple[str, str], int]:
        """How many derived memories of each kind and type there are."""

    def has_code(self, checkout_id: str | None) -> bool:
        """Whether anything was read out of this tree (or, without one, of any)."""

    def code_keyword_search(
        self, terms: Sequence[str], weights: Sequence[float], limit: int, view: View
    ) -> "list[FoundPassage]":
        """As `keyword_search`, over what is derived from trees; `weights` are those of name, path, doc and body."""

    def code_named(self, names: Sequence[str], limit: int, view: View) -> list[int]:
        """Versions of symbols whose name, after the last dot, is one of these in any case."""

    def code_with_id(self, symbol_id: str, view: View) -> list[int]:
        """Versions of the symbols that have this SCIP id."""

    def code_in_files(self, endings: Sequence[str], limit: int, view: View) -> list[int]:
        """Versions of kind `file` whose path is one of these or ends with one of them."""

    def code_files(self, paths: Iterable[str], view: View) -> list[int]:
        """The versions that stand for these very files."""

    def code_sketches(self, numbers: Iterable[int]) -> "dict[int, CodeSketch]": ...

    def tracked(self, checkout_id: str) -> list[str]:
        """Paths that were said to have changed and were not indexed since."""

    # -- where memories point

    def references(self, view: View, *, numbers: Iterable[int] | None = None) -> "list[ReferenceRow]":
        """The references of the visible memories that people and agents keep: all, or of these versions."""

    def references_to(self, checkout_id: str, paths: Sequence[str], view: View) -> "list[ReferenceRow]":
        """Those that point at one of these files, by their own word or by the current verdict of this checkout. A path that
        ends with `/` stands for all that is below it."""

    def verdicts(self, checkout_id: str, numbers: Iterable[int]) -> "dict[tuple[int, int], StoredVerdict]":
        """The current verdicts on the references of these versions, by version and place."""

    def old_verdicts(self, before: datetime) -> int:
        """How many verdicts `drop_verdicts` would forget."""

    def verdicts_for(
        self, checkout_id: str, files: Mapping[tuple[int, int], bytes]
    ) -> "dict[tuple[int, int], StoredVerdict]":
        """What was once found for these contents of the files pointed at, current or not."""


class TreeWriter(Protocol):
    # -- what is derived from a tree

    def put_file(self, checkout_id: str, row: "FileRow", digest: Mapping[str, Any]) -> None: ...

    def touch_file(self, checkout_id: str, row: "FileRow") -> None:
        """The same content at another time or of another size on disk: the digest stays."""

    def drop_file(self, checkout_id: str, path: str) -> None: ...

    def add_derived(
        self, items: "Sequence[tuple[Version, Sequence[PassageRow]]]", engines: Sequence[str], *, urgency: float = 1.0
    ) -> None:
        """As `add_version`, for many memories that were read out of a tree."""

    def move_derived(self, number: int, version: Version) -> None:
        """A derived memory says the same in another place: replaces all but its words and passages."""

    def replace_derived(
        self,
        number: int,
        version: Version,
        passages: "Sequence[PassageRow]",
        engines: Sequence[str],
        *,
        urgency: float = 1.0,
    ) -> None:
        """A derived memory says something else now: replaces its words too."""

    def erase_derived(self, rows: "Sequence[DerivedRow]") -> None:
        """Drop derived memories with all that belongs to them."""

    def replace_relations(self, from_ids: Sequence[str], kinds: Sequence[str], edges: "Sequence[Edge]") -> None:
        """From now on these are the edges of these kinds that start at these memories."""

    def set_referrers(self, checkout_id: str, referrers: Mapping[str, int]) -> None:
        """How many other files use something of each file; 0 for those that are not named."""

    def hurry(self, checkout_id: str, urgency: Mapping[str, float]) -> None:
        """What is owed for these files is as urgent as said."""

    # -- where memories point

    def put_verdicts(self, checkout_id: str, verdicts: "Iterable[StoredVerdict]") -> None:
        """From now on these are current; the others stay known for the contents that they were found for."""

    def inherit_verdicts(self, old: int, new: int) -> None:
        """What was found of references of the version `old` holds for those of `new` that are pinned to the same."""

    def repin(self, number: int, place: int, reference: CodeReference) -> None:
        """The reference now points at the code as it is said here: all verdicts on it are void."""

    def drop_verdicts(self, before: datetime) -> int:
        """Forget verdicts found before that which are not current, or are on what nobody holds any more. Returns how many."""

    # -- what was said to have changed

    def track(self, checkout_id: str, paths: Iterable[str]) -> None: ...

    def untrack(self, checkout_id: str, paths: Iterable[str]) -> None: ...
