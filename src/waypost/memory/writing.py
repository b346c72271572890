"""Writing and the life of a memory."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from waypost import flows
from waypost.errors import InvalidInput
from waypost.memory.handle import OpenMemoryBase, When, when
from waypost.model.draft import Draft
from waypost.model.receipt import Receipt


class MemoryWriting(OpenMemoryBase):
    def remember(self, text: str, **options: Any) -> Receipt:
        """Store one memory. Options are those of the command line: kind, refs, level, domain, session, time, … What would
        replace a person's words waits for review if an agent says it (`review` in the receipt)."""
        draft = Draft.of({**options, "text": text})
        with self._own(draft.replaces, draft.parent):
            return next(flows.write.remember.remember(self._space, [draft], self._caller, direct=True))

    def remember_many(self, memories: Iterable[Mapping[str, Any]]) -> Sequence[Receipt]:
        """Store many, in order: all are checked first, so that a bad one leaves nothing half-written."""
        drafts = []
        for place, given in enumerate(memories):
            try:
                drafts.append(Draft.of(given))
            except InvalidInput as error:
                raise type(error)(f"Memory {place}: {error.what}", error.remedy) from error
        return list(self.remember_drafts(drafts))

    def remember_drafts(self, drafts: Sequence[Draft]) -> Iterator[Receipt]:
        """Store checked drafts; receipts come as transactions are committed."""
        return flows.write.remember.remember(self._space, drafts, self._caller, direct=False)

    def correct(self, memory_id: str, text: str, *, valid_from: When = None, valid_until: When = None) -> Receipt:
        """It was said wrongly: from now on the memory says `text`, for the same time unless told. What a person said, an
        agent only proposes to correct (`review` in the receipt)."""
        with self._own(memory_id):
            return flows.write.lifecycle.correct(
                self._current,
                memory_id,
                text,
                self._caller,
                valid_from=when(valid_from, "valid_from"),
                valid_until=when(valid_until, "valid_until"),
            )

    def retract(self, memory_id: str, *, valid_until: When = None) -> Receipt | None:
        """Take it back without a replacement; with `valid_until`, it was true until then. What it had replaced holds again.
        Returns None; or, where a person has to approve this, the receipt of the proposal."""
        with self._own(memory_id):
            return flows.write.lifecycle.retract(
                self._current, memory_id, self._caller, valid_until=when(valid_until, "valid_until")
            )

    def reject(self, memory_id: str) -> None:
        """Take it back, and never store this value again. What it had replaced holds again."""
        with self._own(memory_id):
            flows.write.lifecycle.reject(self._current, memory_id, self._caller)

    def restore(self, memory_id: str, *, version: int | None = None) -> Receipt:
        """Undo `retract` or `reject`: the same memory holds again as it was. With the number of a version in its history,
        that version holds from now on. What was forgotten cannot come back."""
        with self._own(memory_id):
            return flows.write.undo.restore(self._current, memory_id, self._caller, number=version)

    def lift(self, text: str, **options: Any) -> bool:
        """Allow a rejected or forgotten value again; options are those it was remembered with. Only a person may."""
        return flows.write.lifecycle.lift(self._space, Draft.of({**options, "text": text}), self._caller)

    def forget(self, memory_id: str, *, dry_run: bool = False) -> "flows.write.forget.Forgotten":
        """Remove it and every trace of it. There is no way back. `dry_run` only looks whether it is here."""
        with self._own(memory_id):
            return flows.write.forget.forget(self._current, memory_id, self._caller, dry_run=dry_run)

    def protect(self, memory_id: str, *, on: bool = True) -> None:
        with self._own(memory_id):
            flows.write.lifecycle.protect(self._current, memory_id, self._caller, on=on)
