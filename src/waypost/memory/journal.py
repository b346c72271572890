"""`memory.journal`: conversations and notes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from waypost import compat, flows
from waypost.errors import InvalidInput
from waypost.memory.handle import MemoryHandle, When
from waypost.model.draft import Draft
from waypost.model.kinds import KINDS
from waypost.model.receipt import Receipt
from waypost.model.session_turn import SessionTurn


class Journal:
    """Conversations and notes by day, condensed as they age. Markdown files are the source of truth."""

    def __init__(self, handle: MemoryHandle) -> None:
        self._handle = handle

    # -- files --------------------------------------------------------------------------------------------

    @property
    def root(self) -> Path:
        """The folder of the journal's files."""
        return self._handle.space.journal.root

    @property
    def offered(self) -> Path | None:
        """The folder of a journal that came with the repository and isn't used, because no person agreed to it."""
        return self._handle.space.journal_offered

    def keep_in_tree(self) -> Path:
        """Keep this checkout's journal in `.waypost/` of the project, for git. Only a person may. Returns the folder."""
        return flows.journal_files.place.keep_in_tree(self._handle.space, self._handle.caller)

    def notices(self) -> list[str]:
        """Return notices about a journal that isn't where you may look for it."""
        return flows.journal_files.place.journal_notices(self._handle.space)

    # -- entries ------------------------------------------------------------------------------------------

    def add(
        self,
        text: str,
        *,
        kind: str | None = None,
        session: str | None = None,
        speaker: str | None = None,
        time: When = None,
        media: str | Path | None = None,
    ) -> Receipt:
        """Write an entry to the file of its day.

        Args:
            text: The note, or what was said.
            kind: `note`, `conversation`, `workflow_result` or `preference`; by default it follows from `session`.
            session: The conversation that it is a turn of.
            speaker: Who said it.
            time: When it was said: a time or words such as "yesterday 18:00", in the journal's zone.
            media: A file that belongs to it; a copy is kept.

        Returns:
            The receipt of the entry.
        """
        if isinstance(time, str):
            from waypost.flows.journal.entry_time import parse_entry_time  # only for a time in words

            time = parse_entry_time(self._handle.space, time)
        kind = kind or ("conversation" if session else "note")
        draft = Draft.of({"text": text, "kind": kind, "session": session, "speaker": speaker, "time": time})
        if not KINDS[draft.kind].is_journal:
            kinds = ", ".join(each.name for each in KINDS.values() if each.is_journal)
            raise InvalidInput(f"The journal has no entries of kind {draft.kind!r}.", f"Its kinds: {kinds}.")
        if media is not None:
            name = flows.journal_files.media.keep_media(self._handle.space, Path(media))
            draft = replace(draft, more={"media": name})
        return next(flows.write.remember.remember(self._handle.space, [draft], self._handle.caller, direct=True))

    def add_session(
        self, session: str, turns: Iterable[SessionTurn], *, notices: Sequence[str] = ()
    ) -> "flows.learn.session.Kept":
        """Append the turns of an agent's session, each once, and queue its lessons for review.

        Args:
            session: The name of the session.
            turns: Its turns, also those added before.
            notices: What the reader of the session could not read.

        Returns:
            How many turns were added, and the lessons.
        """
        return flows.learn.session.keep_session(
            self._handle.space, session, turns, self._handle.caller, notices=notices
        )

    def show(self, what: str = "") -> "flows.journal.show.ShownFile":
        """Return part of the journal as it is in its file; today by default.

        Args:
            what: A day, week, month or year, the id of an entry, or the path of a file.
        """
        return flows.journal.show.show(self._handle.current, self._handle.id_or_text(what))

    def timeline(self, when: str = "") -> "flows.journal.timeline.Timeline":
        """Return the entries of a time with their original text, condensed or not; without `when`, an overview."""
        return flows.journal.timeline.timeline(self._handle.current, when)

    def calendar(self) -> "Sequence[flows.journal.calendar.DayCounted]":
        """Return every day with entries, with their number and stage."""
        return flows.journal.calendar.calendar(self._handle.current)

    def search(self, text: str, limit: int = 20) -> "Sequence[flows.journal.search.FoundLine]":
        """Return lines that contain `text`, at most `limit`, from all files, also packed ones."""
        return flows.journal.search.search_journal(self._handle.current, text, limit)

    def similar(self, session_or_id: str, k: int = 5) -> "Sequence[flows.journal.see_also.Similar]":
        """Return the `k` conversations most similar to one. `session_or_id` names it, or an entry of it."""
        return flows.journal.see_also.similar_conversations(
            self._handle.current, self._handle.id_or_text(session_or_id), k
        )

    def topics(self, by: str = "month", most: int = 5) -> Mapping[str, Sequence[tuple[str, int]]]:
        """Return the most frequent topics over time.

        Args:
            by: The unit of time: `week`, `month` or `year`.
            most: How many topics for each.
        """
        return flows.journal.see_also.topics_over_time(self._handle.current, by, most)

    def why(self, memory_id: str) -> "flows.journal.why.ImportanceReason":
        """Return the importance of the entry `memory_id` now, with its points and the reason in one sentence."""
        memory_id = self._handle.full_id(memory_id)
        return flows.journal.why.why(self._handle.current, memory_id)

    def stats(self) -> dict[str, Any]:
        """Return counts and sizes of entries and files, by stage."""
        space = self._handle.current
        overdue = flows.admin.maintenance_schedule.overdue_maintenance(space)
        return flows.journal.stats.stats(space, overdue.to_json() if overdue else None)

    def events(self, limit: int = 50, event: str | None = None) -> Sequence[dict[str, Any]]:
        """Return what was done to the journal, newest first.

        Args:
            limit: How many events at most.
            event: Only this sort of event.
        """
        return flows.journal_files.log.events(self._handle.space, limit, event)

    # -- ageing -------------------------------------------------------------------------------------------

    def condense(
        self, *, force: bool = False, dry_run: bool = False, report: Callable[[str], None] = lambda _: None
    ) -> "flows.journal.condense.run.Condensed":
        """Trim, summarize by week, month and year, and pack what is due. Originals are archived first.

        Args:
            force: Also what isn't due yet.
            dry_run: Change nothing.
            report: Called with a line for each step.

        Returns:
            What was condensed.
        """
        return flows.journal.condense.run.condense(self._handle.current, force=force, dry_run=dry_run, report=report)

    def restore(self, what: str) -> "flows.journal.condense.restore.Restored":
        """Bring originals back; they aren't condensed again until `release`.

        Args:
            what: A day, week, month or year, an entry, or the index page.

        Returns:
            What is back.
        """
        return flows.journal.condense.restore.restore(self._handle.current, what, self._handle.caller)

    def release(self, what: str) -> "flows.journal.condense.restore.Restored":
        """Let restored originals be condensed again; `what` names them as for `restore`. Returns what was released."""
        return flows.journal.condense.restore.release(self._handle.current, what, self._handle.caller)

    def protect(self, what: str, *, on: bool = True) -> str:
        """Keep an entry's text unchanged forever.

        Args:
            what: Its id, or words that it contains.
            on: False ends the protection.

        Returns:
            The id of the entry.
        """
        memory_id = flows.journal.show.find_entry_id(self._handle.current, self._handle.id_or_text(what))
        flows.write.lifecycle.protect(self._handle.space, memory_id, self._handle.caller, on=on)
        return memory_id

    def prune(
        self, *, after_days: int | None = None, unused_days: int | None = None, dry_run: bool = False
    ) -> "flows.journal.condense.prune.Pruned":
        """Archive old conversations that nobody read lately. They stay searchable.

        Args:
            after_days: Only those older than this.
            unused_days: Only those not read for this long.
            dry_run: Change nothing.

        Returns:
            The archived conversations.
        """
        return flows.journal.condense.prune.prune(
            self._handle.current, after_days=after_days, unused_days=unused_days, dry_run=dry_run
        )

    def curate(self, memory_id: str, heading: str | None = None) -> "flows.journal.curate.Curated":
        """Copy an entry into the part of MEMORY.md that people maintain.

        Args:
            memory_id: The entry.
            heading: The heading to put it under.

        Returns:
            Where it was written.
        """
        memory_id = self._handle.full_id(memory_id)
        return flows.journal.curate.curate(self._handle.current, memory_id, self._handle.caller, heading)

    def approve_dna(self) -> None:
        """Approve this repository's DNA.md, as it is now, as the owner's text."""
        flows.context.dna.approve_dna(self._handle.space, self._handle.caller)

    # -- imports ------------------------------------------------------------------------------------------

    def import_chat(
        self, path: str | Path, *, progress: Callable[[int, int], None] | None = None, dry_run: bool = False
    ) -> "flows.journal.entry_import.EntryImportReport":
        """Import conversations: JSON lines with role, content and time, or an assistant's export.

        Args:
            path: The file.
            progress: Called with how many entries are done, and the total.
            dry_run: Only count.

        Returns:
            What was imported and skipped.
        """
        if dry_run:
            return compat.chat.importer.survey_chat(self._handle.current, Path(path))
        return compat.chat.importer.import_chat(self._handle.current, Path(path), self._handle.caller, progress)

    def import_folder(
        self,
        origin: str,
        path: str | Path,
        *,
        progress: Callable[[int, int], None] | None = None,
        dry_run: bool = False,
    ) -> "flows.journal.entry_import.EntryImportReport":
        """Import the memory of another product.

        Args:
            origin: `crowdbot` or `locai`.
            path: Its folder.
            progress: Called with how many entries are done, and the total.
            dry_run: Only count.

        Returns:
            What was imported and skipped.
        """
        space = self._handle.current
        if origin == "locai":
            survey, bring = compat.crowdbot.locai.survey_locai, compat.crowdbot.locai.import_locai
        else:
            survey, bring = compat.crowdbot.importer.survey_crowdbot, compat.crowdbot.importer.import_crowdbot
        return survey(space, Path(path)) if dry_run else bring(space, Path(path), self._handle.caller, progress)

    def undo_import(
        self, which: str | Path | None = None, origin: str | None = None
    ) -> "flows.journal.entry_import.Returned":
        """Remove what an import added.

        Args:
            which: Id of the import, or its file; the latest import by default.
            origin: Only imports from this product.

        Returns:
            What was removed.
        """
        return flows.journal.entry_import.undo(self._handle.current, which, self._handle.caller, origin=origin)
