"""How a space is doing, and what is wrong with it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from waypost.embed.install import status as model_status
from waypost.flows.elsewhere import notice_elsewhere, seen_elsewhere
from waypost.flows.finding import Finding
from waypost.flows.journal_check import check_journal
from waypost.flows.journal_place import journal_notices
from waypost.flows.open_space import OpenSpace, conclusions_key, indexed_commit_key
from waypost.flows.overdue import last_maintained, missed
from waypost.flows.references import kept_view, linked
from waypost.flows.relatives import look_for_relatives, relatives
from waypost.flows.scrub import SCRUB_OWED, scrub
from waypost.flows.settle import rebuild, settle
from waypost.model.memory import Caller
from waypost.model.recall import View
from waypost.model.time import Moment, format_time
from waypost.space.metadata import read_metadata
from waypost.store.protocol import Reader


def status(space: OpenSpace) -> dict[str, Any]:
    """Counts, size, engines and what they owe. Keys are part of the contract."""
    metadata = read_metadata(space.folder)
    with space.store.read() as reader:
        view = View(Moment(space.clock()), checkout_id=space.identity.checkout_id)
        counts, owed = reader.counts(view), reader.owed()
        engines = [engine.name for engine in space.engines.active(reader)]
        newest, checkouts = reader.audit_entries(None, 1), reader.checkouts()
        tree, references = _tree(space, reader), _references(space, reader)
        seen = seen_elsewhere(space, reader)
        review = {"candidates": reader.count_candidates(), "expired": len(reader.lifetimes(expired_by=space.clock()))}
    others = relatives(space)
    models = {model.name: model.installed for model in model_status(space.settings, hashes=False)}
    return {
        "space": space.identity.space_id,
        "kind": space.identity.kind,
        "name": space.identity.name,
        "root": seen.root if seen is not None else str(space.identity.root or Path()),
        "as_of": None if seen is None else seen.to_json(),
        "checkouts": list(checkouts.values()),
        "path": str(space.folder),
        "tree": tree,
        "references": references,
        "review": review,
        "collections": counts,
        "memories": sum(counts.values()),
        "storage_bytes": space.store.size_bytes(),
        "store": space.store.place,
        "model": space.engines.main.name,
        "models_installed": models,
        "pending": {name: owed.get(name, 0) for name in engines},
        "initialised_at": format_time(metadata.created),
        "updated_at": format_time(newest[0].at) if newest else None,
        "journal": str(space.journal.root),
        "relatives": [one.to_json() for one in others],
        "journal_offered": None if space.journal_offered is None else str(space.journal_offered),
        "notices": [*(one.notice for one in others), *journal_notices(space)],
        "maintained_at": format_time(last) if (last := last_maintained(space)) else None,
        "overdue": late.to_json() if (late := missed(space)) else None,
    }


def _tree(space: OpenSpace, reader: Reader) -> dict[str, Any] | None:
    """What is in the index of this tree; None where there is no index."""
    checkout = space.identity.checkout_id
    files = reader.files(checkout)
    if not files:
        return None
    return {
        "files": len(files),
        "lines": sum(row.lines for row in files.values()),
        "commit": reader.meta(indexed_commit_key(space)) or None,
        "waiting": len(reader.tracked(checkout)),
        "complete": not reader.meta(conclusions_key(space)),
    }


def _references(space: OpenSpace, reader: Reader) -> dict[str, int]:
    """How many memories point at code, and how many of them were stale when they were looked at last."""
    numbers = {row.number for row in reader.references(kept_view(space))}
    memories = linked(space, reader, list(reader.versions_by_number(numbers).values())) if numbers else {}
    return {"memories": len(memories), "stale": sum(one.state.is_stale for one in memories.values())}


def doctor(space: OpenSpace, caller: Caller, *, fix: bool = False) -> list[Finding]:
    """Look at everything that can be wrong; with `fix`, mend what can be made again."""
    findings = [*_check_database(space), *_check_models(space), *_check_debts(space, fix), *_check_traces(space, fix)]
    if fix and any(f.check == "keyword index" and not f.ok for f in findings):
        rebuild(space, caller)
        findings = [f for f in findings if f.check != "keyword index"]
        findings.append(Finding("keyword index", True, "It was damaged and has been made again."))
    findings += [
        *_tell_tree(space),
        *_check_relatives(space),
        _check_upkeep(space),
        *check_journal(space),
        _check_permissions(space.folder),
    ]
    return findings


def _tell_tree(space: OpenSpace) -> list[Finding]:
    return [Finding("tree", True, told) for told in notice_elsewhere(space)]


def _check_relatives(space: OpenSpace) -> Iterator[Finding]:
    for one in look_for_relatives(space):
        yield Finding("other memories", True, f"{one.notice} `waypost adopt --dismiss` keeps them apart.")


def _check_upkeep(space: OpenSpace) -> Finding:
    late = missed(space)
    if late is None:
        return Finding("upkeep", True, "It is not overdue.")
    remedy = "Run `waypost maintain`, or have it run daily: `waypost schedule install`."
    return Finding("upkeep", False, late.message, remedy)


def _check_database(space: OpenSpace) -> Iterator[Finding]:
    problems = list(space.store.problems())
    for problem in problems:
        check, _, message = problem.partition(": ")
        yield Finding(check, False, message, "Run `waypost export` to save what can be read, then `waypost rebuild`.")
    if not problems:
        yield Finding("database", True, "It is sound.")


def _check_models(space: OpenSpace) -> Iterator[Finding]:
    wanted = {space.engines.main.name}
    if space.engines.multilingual is not None:
        wanted.add(space.engines.multilingual.name)
    for model in model_status(space.settings):
        if model.installed:
            yield Finding(f"model {model.name}", True, f"installed in {model.path}")
        elif model.name in wanted:
            what, _, remedy = model.reason.partition("\n")
            yield Finding(f"model {model.name}", False, what, remedy or "Run `waypost model install`.")


def _check_debts(space: OpenSpace, fix: bool) -> Iterator[Finding]:
    with space.store.read() as reader:
        owed = {name: count for name, count in reader.owed().items() if count}
    if owed and fix:
        owed = {name: count for name, count in settle(space).items() if count}
    for name, count in owed.items():
        why = space.engines.away.get(name, "they are embedded in the background").splitlines()[0]
        yield Finding("vectors", False, f"{name} owes {count}: {why}", "Run `waypost doctor --fix` to embed them now.")
    if not owed:
        yield Finding("vectors", True, "None is owed.")


def _check_traces(space: OpenSpace, fix: bool) -> Iterator[Finding]:
    with space.store.read() as reader:
        owing = bool(reader.meta(SCRUB_OWED))
    if owing and fix:
        owing = not scrub(space, [])
    if owing:
        yield Finding(
            "forgotten text",
            False,
            "Traces may remain in the log: another process is reading.",
            "Run `waypost doctor --fix`.",
        )


def _check_permissions(folder: Path) -> Finding:
    open_to_others = folder.stat().st_mode & 0o077
    if open_to_others:
        return Finding("permissions", False, f"{folder} can be read by others.", f"Run `chmod -R go= {folder}`.")
    return Finding("permissions", True, "Only you can read the files.")
