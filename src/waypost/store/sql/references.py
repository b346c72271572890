"""Code references of memories, and the verdicts on them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from waypost.model.code_verdict import CausingCommit, CodeVerdict
from waypost.model.recall import View
from waypost.model.reference import DEFAULT_CONFIDENCE, CodeReference, LineRange, earlier_pins
from waypost.model.time import from_micros, parse_time, to_micros
from waypost.store.references import ReferenceRow, StoredVerdict
from waypost.store.sql.database import Database, TablePart
from waypost.store.sql.rows import as_json, visible

REFERENCE_COLUMNS = "path, symbol, first, last, hash, git_commit, made_at, verified_at, anchor, more"
_INSERT_REFERENCE = (
    f"INSERT INTO code_refs (number, place, {REFERENCE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_OF_REFERENCE = ", ".join(f"r.{name}" for name in REFERENCE_COLUMNS.split(", "))
_VERDICT = (
    "v.number, v.place, v.file_hash, v.state, CASE v.path WHEN '' THEN r.path ELSE v.path END, v.first, v.last, v.amount, v.since,"
    " v.checked_at, v.target_hash, v.more"
)
_OLD_VERDICT = (
    "v.checked_at < ? AND (NOT v.current OR EXISTS"
    " (SELECT 1 FROM memories m WHERE m.number = v.number AND m.superseded_at IS NOT NULL))"
)
_AT_ONCE = 1_000  # contents of files in one statement
_HASH_MARK = "sha256:"
_INHERITED = (
    "v.checkout_id, v.file_hash, v.current, v.state, v.path, v.first, v.last, v.amount, v.since, v.checked_at,"
    " v.target_hash, v.more"
)
_COLUMNS = (
    "current", "state", "path", "first", "last", "amount", "since", "checked_at", "target_hash", "more",
)  # fmt: skip
_INSERT_VERDICT = (
    f"INSERT INTO verdicts (number, place, checkout_id, file_hash, {', '.join(_COLUMNS)})"
    " VALUES (?, ?, ?, ?, TRUE, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number, place, checkout_id, file_hash)"
    f" DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _COLUMNS)}"
)


def reference_rows(number: int, references: Sequence[CodeReference]) -> list[tuple[Any, ...]]:
    """The references of a version as rows of `code_refs`."""
    return [(number, place, *_reference_columns(reference)) for place, reference in enumerate(references)]


def _reference_columns(reference: CodeReference) -> tuple[Any, ...]:
    """In the order of REFERENCE_COLUMNS. Hashes and times are stored in binary: there may be a great many."""
    more = reference.to_json(anchored=bool(reference.earlier))
    for key in ("file_path", "symbol_id", "line_range", "code_hash", "created_at", "last_verified_at", "anchor"):
        more.pop(key, None)
    commit = _bytes(reference.git_commit)
    if commit is not None:
        del more["git_commit"]
    return (
        reference.file_path,
        reference.symbol_id,
        reference.line_range.start if reference.line_range else None,
        reference.line_range.end if reference.line_range else None,
        bytes.fromhex(reference.code_hash.removeprefix(_HASH_MARK)) if reference.code_hash else None,
        commit,
        _micros(reference.created_at),
        _micros(reference.last_verified_at),
        reference.anchor or None,
        as_json(more) if more else None,
    )


def reference_of(row: Sequence[Any]) -> CodeReference:
    path, symbol, first, last, digest, commit, made, verified, anchor, more = row
    lines = None if first is None else LineRange(first, last)
    if more is None and digest is None and made is None and commit is None and anchor is None:
        return CodeReference(path, lines, symbol)  # of a derived memory: there are thousands
    rest = json.loads(more) if more else {}
    return CodeReference(
        file_path=path,
        line_range=lines,
        symbol_id=symbol,
        repo_id=rest.get("repo_id"),
        git_commit=rest.get("git_commit") if commit is None else commit.hex(),
        git_branch=rest.get("git_branch"),
        code_hash=rest.get("code_hash") if digest is None else _HASH_MARK + digest.hex(),
        created_at=_time(rest, "created_at") if made is None else from_micros(made),
        last_verified_at=_time(rest, "last_verified_at") if verified is None else from_micros(verified),
        stale_since=_time(rest, "stale_since"),
        confidence_score=rest.get("confidence_score", DEFAULT_CONFIDENCE),
        confidence_reason=rest.get("confidence_reason"),
        whole=rest.get("whole", False),
        anchor=anchor or b"",
        earlier=earlier_pins(rest.get("earlier")),
    )


def _time(rest: Mapping[str, Any], key: str) -> datetime | None:
    return parse_time(rest[key], key) if key in rest else None


def _bytes(text: str | None) -> bytes | None:
    """Pairs of hexadecimal digits as bytes; None for anything else."""
    try:
        digest = bytes.fromhex(text or "")
    except ValueError:
        return None
    return digest if digest and digest.hex() == text else None


def _micros(time: datetime | None) -> int | None:
    return None if time is None else to_micros(time)


def add_references(database: Database, number: int, references: Sequence[CodeReference]) -> None:
    """Store the references of a version."""
    database.change_many(_INSERT_REFERENCE, reference_rows(number, references))


class ReferenceRows(TablePart):
    def visible(self, view: View, *, numbers: Iterable[int] | None = None) -> list[ReferenceRow]:
        """References of visible memories, all or of these versions. Derived memories are left out."""
        if numbers is None:
            return self._references("", (), view)
        return self._references("AND m.number IN (SELECT value FROM each_number(?))", (list(numbers),), view)

    def to_files(self, checkout_id: str, paths: Sequence[str], view: View) -> list[ReferenceRow]:
        """References that name one of these files, or whose code moved there by the current verdict of this checkout.

        A path that ends with `/` stands for everything below it.
        """
        exact = [path for path in paths if not path.endswith("/")]
        below = [path for path in paths if path.endswith("/")]
        return self._references(
            "AND (r.number, r.place) IN ("
            "SELECT o.number, o.place FROM each_text(?1) asked THEN JOIN code_refs o ON o.path = asked.value UNION "
            "SELECT o.number, o.place FROM each_text(?2) asked THEN JOIN code_refs o ON starts(o.path, asked.value) UNION "
            "SELECT v.number, v.place FROM each_text(?1) asked THEN JOIN verdicts v ON v.path = asked.value"
            " WHERE v.current AND v.path > '' AND v.checkout_id = ?3 UNION "
            "SELECT v.number, v.place FROM each_text(?2) asked THEN JOIN verdicts v ON starts(v.path, asked.value)"
            " WHERE v.current AND v.path > '' AND v.checkout_id = ?3)",
            (exact, below, checkout_id),
            view,
        )

    def _references(self, chosen: str, parameters: Sequence[Any], view: View) -> list[ReferenceRow]:
        condition, moment = visible(view)
        rows = self._db.rows(
            f"SELECT r.number, r.place, m.memory_id, {_OF_REFERENCE} FROM code_refs r JOIN memories m ON m.number = r.number"
            f" WHERE m.checkout_id IS NULL {chosen} AND {condition} ORDER BY r.number, r.place",
            (*parameters, *moment),
        )
        return [ReferenceRow(number, place, memory_id, reference_of(row)) for number, place, memory_id, *row in rows]

    def verdicts(self, checkout_id: str, numbers: Iterable[int]) -> dict[tuple[int, int], StoredVerdict]:
        """The current verdicts on the references of these versions, by version and place."""
        rows = self._db.rows(
            f"SELECT {_VERDICT} FROM each_number(?) asked THEN JOIN verdicts v ON v.number = asked.value"
            " AND v.checkout_id = ? AND v.current THEN JOIN code_refs r ON r.number = v.number AND r.place = v.place",
            (list(numbers), checkout_id),
        )
        return {(row[0], row[1]): _verdict_of(row) for row in rows}

    def count_old_verdicts(self, before: datetime) -> int:
        """How many verdicts `drop_old_verdicts` would remove."""
        return int(self._db.rows(f"SELECT count(*) FROM verdicts v WHERE {_OLD_VERDICT}", (to_micros(before),))[0][0])

    def verdicts_for(
        self, checkout_id: str, files: Mapping[tuple[int, int], bytes]
    ) -> dict[tuple[int, int], StoredVerdict]:
        """Verdicts for these contents of the referenced files, current or not."""
        pairs, verdicts = list(files.items()), dict[tuple[int, int], StoredVerdict]()
        for start in range(0, len(pairs), _AT_ONCE):
            some = pairs[start : start + _AT_ONCE]
            rows = self._db.rows(
                f"SELECT {_VERDICT} FROM verdicts v THEN JOIN code_refs r ON r.number = v.number AND r.place = v.place"
                " WHERE v.checkout_id = ? AND (v.number, v.place, v.file_hash) IN"
                f" (VALUES {', '.join(['(?, ?, ?)'] * len(some))})",
                (checkout_id, *(value for place, digest in some for value in (*place, digest))),
            )
            verdicts |= {(row[0], row[1]): _verdict_of(row) for row in rows}
        return verdicts


class ReferenceChanges(ReferenceRows):
    def put_verdicts(self, checkout_id: str, verdicts: Iterable[StoredVerdict]) -> None:
        """Make these verdicts current. Earlier ones are kept for the contents they were made for."""
        current = list(verdicts)
        # A reference may have been erased while it was checked.
        rows = self._db.rows(
            "SELECT r.number, r.place, r.path FROM each_number(?) asked THEN JOIN code_refs r ON r.number = asked.value",
            (list({verdict.number for verdict in current}),),
        )
        pointed = {(number, place): path for number, place, path in rows}
        current = [verdict for verdict in current if (verdict.number, verdict.place) in pointed]
        self._db.change_many(
            "UPDATE verdicts SET current = FALSE WHERE number = ? AND place = ? AND checkout_id = ? AND current",
            [(verdict.number, verdict.place, checkout_id) for verdict in current],
        )
        self._db.change_many(
            _INSERT_VERDICT,
            [_columns(checkout_id, verdict, pointed[verdict.number, verdict.place]) for verdict in current],
        )

    def inherit_verdicts(self, old: int, new: int) -> None:
        """Copy verdicts of the version `old` to the references of `new` that point at the same code."""
        same = " AND ".join(
            f"n.{name} IS NOT DISTINCT FROM o.{name}"
            for name in ("path", "first", "last", "hash", "git_commit", "anchor")
        )
        self._db.change(
            f"INSERT INTO verdicts SELECT n.number, n.place, {_INHERITED} FROM code_refs o"
            f" JOIN code_refs n ON n.number = ? AND {same} JOIN verdicts v ON v.number = o.number AND v.place = o.place"
            " WHERE o.number = ? ON CONFLICT DO NOTHING",
            (new, old),
        )

    def repin(self, number: int, place: int, reference: CodeReference) -> None:
        """Replace a reference and remove all verdicts on it."""
        if self._db.change(
            "DELETE FROM code_refs WHERE number = ? AND place = ?", (number, place)
        ):  # else it was erased
            self._db.change(_INSERT_REFERENCE, (number, place, *_reference_columns(reference)))
            self._db.change("DELETE FROM verdicts WHERE number = ? AND place = ?", (number, place))

    def drop_old_verdicts(self, before: datetime) -> int:
        """Remove verdicts checked before that are not current, or that belong to superseded versions.

        Returns how many.
        """
        return self._db.change(f"DELETE FROM verdicts AS v WHERE {_OLD_VERDICT}", (to_micros(before),))


def _verdict_of(row: Sequence[Any]) -> StoredVerdict:
    number, place, file_hash, state, path, first, last, amount, since, checked, target, more = row
    rest = json.loads(more) if more else {}
    lines = None if first is None else LineRange(first, last)
    finding = CodeVerdict(state, path, lines, amount, rest.get("name", ""), tuple(rest.get("others", ())))
    since_when = None if since is None else from_micros(since)
    return StoredVerdict(
        number,
        place,
        file_hash,
        finding,
        from_micros(checked),
        since_when,
        target or b"",
        rest.get("tree", ""),
        _cause_of(rest["cause"]) if "cause" in rest else None,
        rest.get("uncommitted", ""),
    )


def _cause_of(row: Mapping[str, Any]) -> CausingCommit:
    return CausingCommit(row["commit"], parse_time(row["at"], "at"), row["author"], row["added"], row["removed"])


def _columns(checkout_id: str, verdict: StoredVerdict, pointed: str) -> tuple[Any, ...]:
    """The path of the reference is not repeated."""
    finding = verdict.finding
    more = {
        "name": finding.name,
        "others": list(finding.others),
        "tree": verdict.tree,
        "cause": verdict.cause.to_json() if verdict.cause is not None else None,
        "uncommitted": verdict.cause_searched_at,
    }
    kept = {key: value for key, value in more.items() if value}
    return (
        verdict.number,
        verdict.place,
        checkout_id,
        verdict.file_hash,
        finding.state,
        "" if finding.path == pointed else finding.path,
        finding.lines.start if finding.lines else None,
        finding.lines.end if finding.lines else None,
        finding.amount,
        None if verdict.since is None else to_micros(verdict.since),
        to_micros(verdict.checked_at),
        verdict.target_hash or None,
        as_json(kept) if kept else None,
    )
