"""Maintenance: a list of steps. A step that ran recently is skipped without `force`."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from waypost.flows.context import agents_file
from waypost.flows.engines.pending_vectors import settle
from waypost.flows.open_space import OpenSpace
from waypost.model.json_row import json_row
from waypost.model.memory import Caller
from waypost.model.time import format_minute, format_time, parse_time
from waypost.text.plural import counted

_MAINTENANCE = Caller("extractor", "maintain")
_KEPT = timedelta(days=30)  # verdicts about contents that were not checked out since


Report = Callable[[str, int, int], None]  # the step, how many are done, of how many


@dataclass(frozen=True, slots=True)
class StepResult:
    step: str
    done: int  # how many items
    message: str
    skipped: bool = False

    def to_json(self) -> dict[str, Any]:
        return json_row(self)


@dataclass(frozen=True, slots=True)
class MaintenanceStep:
    name: str
    every: timedelta  # the least time between two runs
    look: Callable[[OpenSpace], StepResult]  # says what there is to do
    work: Callable[[OpenSpace], StepResult]
    needs_tree: bool = False
    needs_journal: bool = False  # its files
    needs_file: bool = False  # a database file on this machine
    is_wanted: Callable[[OpenSpace], bool] = lambda _: True


def maintain(
    space: OpenSpace,
    *,
    force: bool = False,
    dry_run: bool = False,
    by_person: bool = False,
    report: Report = lambda *_: None,
) -> tuple[StepResult, ...]:
    """Run every step that is due, in order. `force` runs all of them, `dry_run` only says what there is to do.

    `report` is called before each step. If it raises, the rest is left for the next run.

    A journal in the repository is condensed only when a person runs it. Otherwise every clone and branch would change
    tracked files in its own way, and they could not be merged.
    """
    steps, done = [step for step in STEPS if applies(space, step)], list[StepResult]()
    in_repository = space.journal_id != space.own_journal_id
    for step in steps:
        report(step.name, len(done), len(steps))
        if step.needs_journal and in_repository and not by_person and not dry_run:
            done.append(_skip_in_repository(space, step))
        else:
            done.append(_step(space, step, force, dry_run))
    return tuple(done)


def _skip_in_repository(space: OpenSpace, step: MaintenanceStep) -> StepResult:
    with space.store.write() as writer:
        writer.meta.set(_key(space, step), format_time(space.clock()))
    message = "the journal is in the repository: run `waypost journal condense` on the branch of your choice"
    return StepResult(step.name, 0, message, skipped=True)


def applies(space: OpenSpace, step: MaintenanceStep) -> bool:
    """Whether this machine has what the step needs. Otherwise another machine runs it."""
    root = space.identity.root
    if (step.needs_journal and space.journal_is_away) or (step.needs_file and space.settings.store):
        return False
    return step.is_wanted(space) and (not step.needs_tree or (root is not None and root.is_dir()))


def _step(space: OpenSpace, step: MaintenanceStep, force: bool, dry_run: bool) -> StepResult:
    key = _key(space, step)
    with space.store.read() as reader:
        last = reader.meta.get(key)
    now = space.clock()
    # A time in the future was noted by a wrong clock and is ignored.
    if not force and last is not None and timedelta(0) <= now - parse_time(last, key) < step.every:
        return StepResult(
            step.name, 0, f"done at {format_minute(parse_time(last, key))}; --force does it again", skipped=True
        )
    if dry_run:
        return step.look(space)
    done = step.work(space)
    with space.store.write() as writer:
        writer.meta.set(key, format_time(now))
    return done


def _key(space: OpenSpace, step: MaintenanceStep) -> str:
    return f"maintained:{step.name}:{space.identity.checkout_id if step.needs_tree else ''}"


def _changed_files(space: OpenSpace) -> StepResult:
    with space.store.read() as reader:
        waiting = len(reader.code.tracked(space.identity.checkout_id))
    return StepResult("changed files", waiting, f"{counted(waiting, 'file waits', 'files wait')} to be indexed")


def _index(space: OpenSpace) -> StepResult:
    from waypost.flows.index.track import index_tracked  # imports parsers

    done = index_tracked(space)
    return StepResult("changed files", done, f"{counted(done, 'file')} indexed")


def _lifetimes(space: OpenSpace, *, dry_run: bool = False) -> StepResult:
    from waypost.flows.erase.expiry import process_expired  # only for maintenance: `status` asks for the steps, too

    done = process_expired(space, _MAINTENANCE, dry_run=dry_run)
    parts = ((done.stale, "stale"), (done.archived, "archived"), (done.deleted, "deleted"))
    parts_done = [f"{len(ids)} {'to be ' if dry_run else ''}{word}" for ids, word in parts if ids]
    parts_done += [f"{len(done.protected)} kept, being protected"] if done.protected else []
    parts_done += [f"{len(done.postponed)} not deleted yet: the clock has jumped"] if done.postponed else []
    return StepResult(
        "lifetimes", done.count, f"expired: {', '.join(parts_done)}" if parts_done else "no memory has expired"
    )


def _journal(space: OpenSpace, *, dry_run: bool = False) -> StepResult:
    from waypost.flows.journal.condense.run import condense  # only for maintenance

    done = condense(space, dry_run=dry_run)
    parts = [f"{counted(len(done.steps), 'step')}{' due' if dry_run else ''}"] if done.steps else ["nothing is due"]
    parts += [f"made {', '.join(done.made)}"] if done.made and not dry_run else []
    return StepResult("journal", len(done.steps), ". ".join(("; ".join(parts), *done.notices)))


def _unused(space: OpenSpace, *, dry_run: bool = False) -> StepResult:
    from waypost.flows.journal.condense.prune import prune
    from waypost.flows.recall.access import take_accesses

    if not dry_run:
        take_accesses(space)
    done = prune(space, dry_run=dry_run)
    word = "to be put" if dry_run else "put"
    message = f"{counted(len(done.entries), 'conversation')} {word} into the archive that nobody read lately"
    return StepResult("unused conversations", len(done.entries), message)


def _references(space: OpenSpace, *, again: bool = False) -> StepResult:
    from waypost.flows.links.about import stale

    checked = stale(space, again=again)
    point = counted(checked.checked, "memory points", "memories point")
    message = f"{point} at code: {checked.fresh} fresh, {checked.stale} stale, {checked.errors} unknown"
    return StepResult("references", checked.stale, message)


def _link(space: OpenSpace, *, dry_run: bool = False) -> StepResult:
    from waypost.flows.links.repair import link_older

    done = link_older(space, _MAINTENANCE, dry_run=dry_run)
    named = counted(done, "memory names", "memories name")
    pointed = counted(done, "memory pointed at the code that it names", "memories pointed at the code that they name")
    return StepResult("links", done, f"{named} code" if dry_run else pointed)


def _agents_file(space: OpenSpace, *, dry_run: bool = False) -> StepResult:
    changed = not dry_run and agents_file.renew(space)
    message = "would be compared" if dry_run else "renewed" if changed else "nothing to renew"
    return StepResult("AGENTS.md", int(changed), f"block of memories: {message}")


def _old_verdicts(space: OpenSpace) -> StepResult:
    with space.store.read() as reader:
        old = reader.references.count_old_verdicts(space.clock() - _KEPT)
    return StepResult("old verdicts", old, f"{counted(old, 'verdict was', 'verdicts were')} not needed for 30 days")


def _drop_verdicts(space: OpenSpace) -> StepResult:
    with space.store.write() as writer:
        dropped = writer.references.drop_old_verdicts(space.clock() - _KEPT)
    return StepResult("old verdicts", dropped, f"{counted(dropped, 'verdict')} dropped after 30 days without need")


def _pending_vectors(space: OpenSpace) -> StepResult:
    with space.store.read() as reader:
        pending = sum(reader.vectors.pending().values())
    return StepResult("vectors", pending, f"{counted(pending, 'text waits', 'texts wait')} to be embedded")


def _embed_pending(space: OpenSpace) -> StepResult:
    before = _pending_vectors(space).done
    left = sum(settle(space).values()) if before else 0
    wait = f", {counted(left, 'still waits', 'still wait')}" if left else ""
    return StepResult("vectors", before - left, f"{counted(before - left, 'text')} embedded{wait}")


def _traces(space: OpenSpace) -> StepResult:
    from waypost.flows.erase.cleanup import has_pending_cleanup  # only for maintenance

    has_traces = has_pending_cleanup(space)
    return StepResult(
        "forgotten text", int(has_traces), "traces are left to be removed" if has_traces else "no traces are left"
    )


def _scrub(space: OpenSpace) -> StepResult:
    from waypost.flows.erase.cleanup import clean_up  # only for maintenance

    has_traces = _traces(space).done
    complete = not has_traces or clean_up(space, None).complete
    message = "no traces are left" if complete else "another process is reading; traces are left to be removed"
    return StepResult("forgotten text", has_traces if complete else 0, message)


def _snapshot_due(space: OpenSpace) -> StepResult:
    from waypost.flows.backup.snapshots import is_due

    if not space.settings.backup.daily:
        return StepResult("snapshot", 0, "off by [backup] daily")
    due = is_due(space)
    return StepResult(
        "snapshot", int(due), "one is due" if due else "made today, or nothing has changed since the last"
    )


def _snapshot(space: OpenSpace) -> StepResult:
    from waypost.flows.backup.snapshots import make_daily

    made = make_daily(space)
    if made is None:
        return _snapshot_due(space)
    return StepResult("snapshot", 1, f"{made.id}: {counted(made.memories, 'memory', 'memories')}, {made.size:,} bytes")


STEPS = (
    MaintenanceStep("changed files", timedelta(0), _changed_files, _index, needs_tree=True),
    MaintenanceStep("lifetimes", timedelta(0), lambda space: _lifetimes(space, dry_run=True), _lifetimes),
    MaintenanceStep("journal", timedelta(0), lambda space: _journal(space, dry_run=True), _journal, needs_journal=True),
    MaintenanceStep(
        "unused conversations",
        timedelta(hours=20),
        lambda space: _unused(space, dry_run=True),
        _unused,
        needs_journal=True,
    ),
    MaintenanceStep("links", timedelta(hours=20), lambda space: _link(space, dry_run=True), _link, needs_tree=True),
    MaintenanceStep(
        "references", timedelta(minutes=10), _references, lambda space: _references(space, again=True), needs_tree=True
    ),
    MaintenanceStep(
        "AGENTS.md",
        timedelta(minutes=1),
        lambda space: _agents_file(space, dry_run=True),
        _agents_file,
        needs_tree=True,
        is_wanted=agents_file.is_kept,
    ),
    MaintenanceStep("old verdicts", timedelta(hours=20), _old_verdicts, _drop_verdicts),
    MaintenanceStep("vectors", timedelta(0), _pending_vectors, _embed_pending),
    MaintenanceStep("forgotten text", timedelta(0), _traces, _scrub),
    MaintenanceStep("snapshot", timedelta(minutes=1), _snapshot_due, _snapshot, needs_file=True),
)
