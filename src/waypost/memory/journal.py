"""The journal of a memory: `memory.journal`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from waypost import compat, flows
from waypost.errors import InvalidInput
from waypost.memory.handle import OpenMemoryBase
from waypost.model.draft import Draft
from waypost.model.kinds import KINDS
from waypost.model.receipt import Receipt


class Journal(OpenMemoryBase):
    """Conversations and notes by the day, condensed as they age; the files are the truth."""

    @property
    def root(self) -> Path:
        """The folder of its files."""
        return self._space.journal.root

    def keep_in_tree(self) -> Path:
        """A person agrees to keep the files of this checkout in the project, `.waypost/`, where git can have them. Returns
        the folder. Raises Refused for an agent."""
        return flows.journal.files.place.keep_in_tree(self._space, self._caller)

    def notices(self) -> list[str]:
        """Where the journal is not where somebody may look for it."""
        return flows.journal.files.place.journal_notices(self._space)

    @property
    def offered(self) -> Path | None:
        """The folder of a journal that came with the repository and is not used: no person has agreed to it."""
        return self._space.journal_offered

    def add(self, text: str, *, media: str | Path | None = None, **options: Any) -> Receipt:
        """Write an entry to the day's file: a note, or with `session` a turn of a conversation. `media` is a file that is
        kept beside it. `time` may be words ("gestern 18:00"); what has no zone is by the journal's clock."""
        if isinstance(time := options.get("time"), str):
            from waypost.flows.journal.entry_time import moment_told  # only where a time is told

            options["time"] = moment_told(self._space, time)
        kind = "conversation" if options.get("session") else "note"
        draft = Draft.of({"kind": kind, **options, "text": text})
        if not KINDS[draft.kind].is_journal:
            kinds = ", ".join(one.name for one in KINDS.values() if one.is_journal)
            raise InvalidInput(f"The journal has no entries of kind {draft.kind!r}.", f"Its kinds: {kinds}.")
        if media is not None:
            name = flows.journal.files.media.keep_media(self._space, Path(media))
            draft = replace(draft, more={"media": name})
        return next(flows.write.remember.remember(self._space, [draft], self._caller, direct=True))

    def show(self, what: str = "") -> "flows.journal.show.ShownFile":
        """A day, week, month or year, an entry by its id, or a file by its path, as it stands in its file; today unless told."""
        return flows.journal.show.show(self._current, what)

    def timeline(self, when: str = "") -> "flows.journal.timeline.Timeline":
        """The entries of a time, in any stage and with their original words; without a time, an overview."""
        return flows.journal.timeline.timeline(self._current, when)

    def calendar(self) -> "Sequence[flows.journal.calendar.DayCounted]":
        """Every day on which something was said, with how much, and the stage in which its words stand."""
        return flows.journal.calendar.calendar(self._current)

    def search(self, text: str, limit: int = 20) -> "Sequence[flows.journal.search.FoundLine]":
        """Lines that hold a text, through all files, packed ones too."""
        return flows.journal.search.search_journal(self._current, text, limit)

    def stats(self) -> dict[str, Any]:
        return flows.journal.stats.stats(self._current)

    def events(self, limit: int = 50, event: str | None = None) -> Sequence[dict[str, Any]]:
        """What was done to the journal lately, newest first."""
        return flows.journal.log.events(self._space, limit, event)

    def condense(
        self, *, force: bool = False, dry_run: bool = False, report: Callable[[str], None] = lambda _: None
    ) -> "flows.journal.condense.condense.Condensed":
        """Do what is due: trim, weekly, monthly and yearly summaries, packing. Originals go to the archive first."""
        return flows.journal.condense.condense.condense(self._current, force=force, dry_run=dry_run, report=report)

    def restore(self, what: str) -> "flows.journal.condense.restore.Restored":
        """Undo condensing for a day, week, month or year, an entry, or the index page; what is back is held."""
        return flows.journal.condense.restore.restore(self._current, what, self._caller)

    def release(self, what: str) -> "flows.journal.condense.restore.Restored":
        """Let condensing go on with what was brought back."""
        return flows.journal.condense.restore.release(self._current, what, self._caller)

    def protect(self, what: str, *, on: bool = True) -> str:
        """Keep an entry word for word for ever: by its id, or by words that it contains. Returns its id."""
        memory_id = flows.journal.show.entry_named(self._current, what)
        flows.write.lifecycle.protect(self._space, memory_id, self._caller, on=on)
        return memory_id

    def curate(self, memory_id: str, heading: str | None = None) -> "flows.journal.curate.Curated":
        """Put an entry into the part of MEMORY.md that belongs to people."""
        return flows.journal.curate.curate(self._current, memory_id, self._caller, heading)

    def prune(
        self, *, after_days: int | None = None, unused_days: int | None = None, dry_run: bool = False
    ) -> "flows.journal.condense.prune.Pruned":
        """Put conversations away that are old and that nobody read lately. They stay searchable."""
        return flows.journal.condense.prune.prune(
            self._current, after_days=after_days, unused_days=unused_days, dry_run=dry_run
        )

    def similar(self, session_or_id: str, k: int = 5) -> "Sequence[flows.journal.see_also.Similar]":
        """Conversations that resemble this one."""
        return flows.journal.see_also.similar_conversations(self._current, session_or_id, k)

    def topics(self, by: str = "month", most: int = 5) -> Mapping[str, Sequence[tuple[str, int]]]:
        """What was spoken about most, over time."""
        return flows.journal.see_also.topics_over_time(self._current, by, most)

    def approve_dna(self) -> None:
        """Take the DNA.md of this repository, as it is now, for the owner's own words."""
        flows.context.dna.approve_dna(self._space, self._caller)

    def import_chat(
        self, path: str | Path, *, progress: Callable[[int, int], None] | None = None, dry_run: bool = False
    ) -> "flows.journal.entry_import.EntryImportReport":
        """Bring over conversations: JSON lines of role, content and time, or the export of an assistant."""
        if dry_run:
            return compat.chat.importer.survey_chat(self._current, Path(path))
        return compat.chat.importer.import_chat(self._current, Path(path), self._caller, progress)

    def import_folder(
        self,
        origin: str,
        path: str | Path,
        *,
        progress: Callable[[int, int], None] | None = None,
        dry_run: bool = False,
    ) -> "flows.journal.entry_import.EntryImportReport":
        """Bring over the memory of another tool: `crowdbot` or `locai`."""
        space = self._current
        if origin == "locai":
            survey, bring = compat.crowdbot.locai.survey_locai, compat.crowdbot.locai.import_locai
        else:
            survey, bring = compat.crowdbot.importer.survey_crowdbot, compat.crowdbot.importer.import_crowdbot
        return survey(space, Path(path)) if dry_run else bring(space, Path(path), self._caller, progress)

    def undo_import(
        self, which: str | Path | None = None, origin: str | None = None
    ) -> "flows.journal.entry_import.Returned":
        return flows.journal.entry_import.undo(self._current, which, self._caller, origin=origin)
