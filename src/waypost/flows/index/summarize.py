"""Summaries of files, by rules or by a configured language model."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from waypost.code.files.reading import Unread
from waypost.code.files.walk import look_at
from waypost.code.source import Parsed, SourceFile
from waypost.code.summary.build import Summary, summarise
from waypost.code.summary.prompt import summary_from_json, summary_prompt
from waypost.errors import LlmError, LlmLimit, LlmUnavailable, NotFound
from waypost.flows.checkouts.parsed_file import open_source
from waypost.flows.index.build import Report, index_paths, quiet
from waypost.flows.index.code_memories import put_derived
from waypost.flows.index.file_digest import Derived, summary_memory
from waypost.flows.index.patterns import stored_patterns
from waypost.flows.index.source_view import stored_summary
from waypost.flows.open_space import OpenSpace, place_in, tree_of
from waypost.llm.answer import complete_json
from waypost.llm.client import open_llm
from waypost.llm.prompt import template
from waypost.llm.protocol import Llm
from waypost.space.place import safe_relative_path
from waypost.store.protocol import FileRow

_FILES_AT_ONCE = 32
_ANSWER_TOKENS = 1500
_SOURCE_TOKENS = 6000  # of a file that are sent
_URGENCY = 0.5
BY_RULES = "rules"


@dataclass(slots=True)
class Summarised:
    files: int = 0  # looked at
    made: int = 0
    skipped: int = 0  # had one already
    by_model: int = 0
    example: str = ""
    notices: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"notices": list(dict.fromkeys(self.notices))}


def summarize(space: OpenSpace, path: str | None, *, force: bool = False, report: Report = quiet) -> Summarised:
    """Summarize one file, or every indexed file. Existing summaries are kept without `force`."""
    rows = _files(space, path)
    described = _paths_with_summary(space)
    wanted = [name for name in rows if force or name not in described]
    done = Summarised(files=len(rows), skipped=len(rows) - len(wanted))
    writer = _Summariser(space, done)
    for start in range(0, len(wanted), _FILES_AT_ONCE):
        batch = wanted[start : start + _FILES_AT_ONCE]
        made = [(memory, rows[name]) for name in batch if (memory := writer.describe(name)) is not None]
        _store(space, batch, made)
        done.made += len(made)
        if made and not done.example:
            done.example = f"{made[0][0].name}\n{made[0][0].text}"
        report("summarizing", start + len(batch), len(wanted))
    if done.made:
        space.start_worker(space)
    return done


def summary(space: OpenSpace, path: str) -> str:
    """The summary of a file: the stored one, else a new one."""
    place = place_in(space, path)
    if not space.identity.has_tree and (indexed_text := stored_summary(space, place)):
        return indexed_text
    root, patterns = tree_of(space), stored_patterns(space)
    entries = look_at(root, [place], include=patterns.include, exclude=patterns.exclude)
    entry = next((candidate for candidate in entries if candidate.path == place), None)
    why = "it is not there, or is ignored" if entry is None else entry.skipped
    if why is not None:
        raise NotFound(f"{path} is not described: {why}.", "Name a source file of this project.")
    with space.store.read() as reader:
        indexed = bool(reader.code.files(space.identity.checkout_id, [place]))
    if indexed:
        index_paths(space, [place])  # it may have changed
    if stored := stored_summary(space, place):
        return stored
    parsed_file = open_source(root, place)
    if isinstance(parsed_file, Unread):
        raise NotFound(f"{path} cannot be described: {parsed_file.reason}.", "Name a source file of this project.")
    return summarise(parsed_file.source, parsed_file.parsed).text


class _Summariser:
    """Uses the language model as long as it answers, and notes when it does not."""

    def __init__(self, space: OpenSpace, done: Summarised) -> None:
        self._root = tree_of(space)
        self._llm: Llm | None = open_llm(space.settings)
        self._done = done

    def describe(self, path: str) -> Derived | None:
        parsed_file = open_source(self._root, path)
        if isinstance(parsed_file, Unread):
            self._done.notices.append(f"{path} was left out: {parsed_file.reason}.")
            return None
        source, parsed = parsed_file.source, parsed_file.parsed
        plain = summarise(source, parsed)
        better = self._model_summary(source, parsed, plain) if self._llm is not None and parsed.symbols else None
        if better is None or self._llm is None:
            return summary_memory(path, source.language, plain, BY_RULES)
        self._done.by_model += 1
        return summary_memory(path, source.language, better, self._llm.name)

    def _model_summary(self, source: SourceFile, parsed: Parsed, plain: Summary) -> Summary | None:
        assert self._llm is not None
        prompt = template("summary").fill(summary_prompt(source, parsed, _SOURCE_TOKENS))
        try:
            return complete_json(
                self._llm,
                prompt,
                lambda answer: summary_from_json(answer, parsed, plain),
                max_tokens=_ANSWER_TOKENS,
            )
        except LlmError as error:
            self._done.notices.append(f"Described by rules, because the model did not: {error.what}")
            if isinstance(error, (LlmUnavailable, LlmLimit)):  # the next file would fail too
                self._llm = None
            return None


def _files(space: OpenSpace, path: str | None) -> dict[str, FileRow]:
    checkout = space.identity.checkout_id
    root = tree_of(space)
    place = None if path is None else safe_relative_path(root, path)
    if place is not None:
        index_paths(space, [place])
    with space.store.read() as reader:
        rows = reader.code.files(checkout, None if place is None else [place])
    if not rows:
        what = "Nothing is indexed here." if place is None else f"{path} is not in the index."
        raise NotFound(what, "Run `waypost init` first." if place is None else "`waypost init --explain` says why.")
    return rows


def _paths_with_summary(space: OpenSpace) -> set[str]:
    with space.store.read() as reader:
        return {row.path for row in reader.code.derived_of_kind(space.identity.checkout_id, "summary")}


def _store(space: OpenSpace, paths: Sequence[str], made: Sequence[tuple[Derived, FileRow]]) -> None:
    with space.store.write() as writer:
        engines = [engine.name for engine in space.engines.active(writer)]
        there = writer.code.files(space.identity.checkout_id, paths)  # one may be gone meanwhile
        for path in there:
            old = writer.code.derived(space.identity.checkout_id, [path], ["summary"])
            own = [(derived, row) for derived, row in made if row.path == path]
            put_derived(space, writer, old if own else [], own, engines, _URGENCY)
