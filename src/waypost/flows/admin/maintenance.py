"""Upkeep: a list of steps, each of which says what it did. What is done lately is not done again without `force`."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from waypost.flows.engines.pending_vectors import settle
from waypost.flows.open_space import OpenSpace
from waypost.flows.write.expiry import process_expired
from waypost.flows.write.scrub import owes_scrub, scrub
from waypost.model.memory import Caller
from waypost.model.time import format_time, parse_time
from waypost.text.plural import counted

_UPKEEP = Caller("extractor", "maintain")
_KEPT = timedelta(days=30)  # verdicts on contents that nobody has checked out since


Report = Callable[[str, int, int], None]  # the step, how many are done, of how many


@dataclass(frozen=True, slots=True)
class StepResult:
    """What a step of upkeep did."""

    step: str
    done: int  # how many things it concerned
    message: str
    skipped: bool = False

    def to_json(self) -> dict[str, Any]:
        return {"step": self.step, "done": self.done, "message": self.message, "skipped": self.skipped}


@dataclass(frozen=True, slots=True)
class MaintenanceStep:
    name: str
    every: timedelta  # how long it is good for
    look: Callable[[OpenSpace], StepResult]  # what there is to do
    work: Callable[[OpenSpace], StepResult]
    needs_tree: bool = False
    needs_journal: bool = False  # its files
    needs_file: bool = False  # that the memory is a file of this machine


def maintain(
    space: OpenSpace,
    *,
    force: bool = False,
    dry_run: bool = False,
    by_person: bool = False,
    report: Report = lambda *_: None,
) -> tuple[StepResult, ...]:
    """Do what is due, in order; with `force` everything; with `dry_run` only say what there is to do. `report` is told
    which step comes; where it raises, the rest is left for the next time.

    A journal in the repository is condensed when a person runs it. By itself it would change tracked files in every clone
    and on every branch, each in its own way, so that they could not be merged."""
    steps, done = [step for step in STEPS if applies(space, step)], list[StepResult]()
    in_repository = space.journal_id != space.own_journal_id
    for step in steps:
        report(step.name, len(done), len(steps))
        if step.needs_journal and in_repository and not by_person and not dry_run:
            done.append(_left_to_a_person(space, step))
        else:
            done.append(_step(space, step, force, dry_run))
    return tuple(done)


def _left_to_a_person(space: OpenSpace, step: MaintenanceStep) -> StepResult:
    with space.store.write() as writer:
        writer.meta.set(_key(space, step), format_time(space.clock()))
    told = "the journal is in the repository: run `waypost journal condense` on the branch of your choice"
    return StepResult(step.name, 0, told, skipped=True)


def applies(space: OpenSpace, step: MaintenanceStep) -> bool:
    """Whether all is at hand that it needs: the rest is left to the machine that has it."""
    root = space.identity.root
    if (step.needs_journal and space.journal_is_away) or (step.needs_file and space.settings.store):
        return False
    return not step.needs_tree or (root is not None and root.is_dir())


def _step(space: OpenSpace, step: MaintenanceStep, force: bool, dry_run: bool) -> StepResult:
    key = _key(space, step)
    with space.store.read() as reader:
        last = reader.meta.get(key)
    now = space.clock()
    # A time in the future was noted by a wrong clock: it says nothing.
    if not force and last is not None and timedelta(0) <= now - parse_time(last, key) < step.every:
        return StepResult(step.name, 0, f"done at {last[:16].replace('T', ' ')}; --force does it again", skipped=True)
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
    from waypost.flows.index.track import index_tracked  # brings all that reads code: only for those who index

    done = index_tracked(space)
    return StepResult("changed files", done, f"{counted(done, 'file')} indexed")


def _lifetimes(space: OpenSpace, *, dry_run: bool = False) -> StepResult:
    done = process_expired(space, _UPKEEP, dry_run=dry_run)
    parts = ((done.stale, "stale"), (done.archived, "archived"), (done.deleted, "deleted"))
    told = [f"{len(ids)} {'to be ' if dry_run else ''}{word}" for ids, word in parts if ids]
    told += [f"{len(done.protected)} kept, being protected"] if done.protected else []
    told += [f"{len(done.postponed)} not deleted yet: the clock has jumped"] if done.postponed else []
    return StepResult(
        "lifetimes", done.count, f"time has run out: {', '.join(told)}" if told else "no memory's time has run out"
    )


def _journal(space: OpenSpace, *, dry_run: bool = False) -> StepResult:
    from waypost.flows.journal.condense.condense import condense  # what only upkeep needs

    done = condense(space, dry_run=dry_run)
    told = [f"{counted(len(done.steps), 'step')}{' due' if dry_run else ''}"] if done.steps else ["nothing is due"]
    told += [f"made {', '.join(done.made)}"] if done.made and not dry_run else []
    return StepResult("journal", len(done.steps), ". ".join(("; ".join(told), *done.notices)))


def _unused(space: OpenSpace, *, dry_run: bool = False) -> StepResult:
    from waypost.flows.journal.access import take_accesses
    from waypost.flows.journal.condense.prune import prune

    if not dry_run:
        take_accesses(space)
    done = prune(space, dry_run=dry_run)
    word = "to be put" if dry_run else "put"
    told = f"{counted(len(done.entries), 'conversation')} {word} into the archive that nobody read lately"
    return StepResult("unused conversations", len(done.entries), told)


def _references(space: OpenSpace, *, again: bool = False) -> StepResult:
    from waypost.flows.links.about import stale

    found = stale(space, again=again)
    point = counted(found.checked, "memory points", "memories point")
    told = f"{point} at code: {found.fresh} fresh, {found.stale} stale, {found.errors} unknown"
    return StepResult("references", found.stale, told)


def _link(space: OpenSpace, *, dry_run: bool = False) -> StepResult:
    from waypost.flows.links.repair import link_older

    done = link_older(space, _UPKEEP, dry_run=dry_run)
    named = counted(done, "memory names", "memories name")
    pointed = counted(done, "memory pointed at the code that it names", "memories pointed at the code that they name")
    return StepResult("links", done, f"{named} code" if dry_run else pointed)


def _old_verdicts(space: OpenSpace) -> StepResult:
    with space.store.read() as reader:
        old = reader.references.count_old_verdicts(space.clock() - _KEPT)
    return StepResult("old verdicts", old, f"{counted(old, 'verdict was', 'verdicts were')} not needed for 30 days")


def _drop_verdicts(space: OpenSpace) -> StepResult:
    with space.store.write() as writer:
        dropped = writer.references.drop_old_verdicts(space.clock() - _KEPT)
    return StepResult("old verdicts", dropped, f"{counted(dropped, 'verdict')} dropped after 30 days without need")


def _debts(space: OpenSpace) -> StepResult:
    with space.store.read() as reader:
        owed = sum(reader.vectors.pending().values())
    return StepResult("vectors", owed, f"{counted(owed, 'text waits', 'texts wait')} to be embedded")


def _pay(space: OpenSpace) -> StepResult:
    before = _debts(space).done
    left = sum(settle(space).values()) if before else 0
    wait = f", {counted(left, 'still waits', 'still wait')}" if left else ""
    return StepResult("vectors", before - left, f"{counted(before - left, 'text')} embedded{wait}")


def _traces(space: OpenSpace) -> StepResult:
    owing = owes_scrub(space)
    return StepResult("forgotten text", int(owing), "traces are left to be removed" if owing else "no traces are left")


def _scrub(space: OpenSpace) -> StepResult:
    owing = _traces(space).done
    complete = not owing or scrub(space, None).complete
    told = "no traces are left" if complete else "somebody is reading; traces are left to be removed"
    return StepResult("forgotten text", owing if complete else 0, told)


def _snapshot_due(space: OpenSpace) -> StepResult:
    from waypost.flows.backup.snapshots import due

    if not space.settings.backup.daily:
        return StepResult("snapshot", 0, "off by [backup] daily")
    is_due = due(space)
    return StepResult(
        "snapshot", int(is_due), "one is due" if is_due else "made today, or nothing has changed since the last"
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
    MaintenanceStep("old verdicts", timedelta(hours=20), _old_verdicts, _drop_verdicts),
    MaintenanceStep("vectors", timedelta(0), _debts, _pay),
    MaintenanceStep("forgotten text", timedelta(0), _traces, _scrub),
    MaintenanceStep("snapshot", timedelta(minutes=1), _snapshot_due, _snapshot, needs_file=True),
)
