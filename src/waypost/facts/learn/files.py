"""Facts about files: new ones and their content, moved definitions, and the README's introduction."""

import re
from collections import Counter

from waypost.facts.learn.change_context import ChangeContext, ChangedSymbol, common_folder, is_class, is_private
from waypost.facts.learn.skip_reasons import is_readme, is_vendored
from waypost.facts.learn.vocabulary import STEM, content_words, name_stems
from waypost.facts.learn.wording import (
    MOST_TEXT,
    clip,
    first_sentence,
    in_quotes,
    last_part,
    says_more_than,
    short_path,
    without_markup,
)
from waypost.facts.learn.worth import is_about_looks, is_list, is_vague, particulars
from waypost.model.candidate import Candidate
from waypost.model.change import ADDED, RENAMED, FileChange

LARGE_MOVE = 50  # lines
_MANY = 12  # new files: more are a whole part that one line cannot describe
_LEAST_LINES = 10  # of a new file worth a note, unless it states its purpose
_FEW = 3
_TOGETHER = 3  # new files that are one piece of work
_BEYOND = 3  # words beyond the names that a subject needs to describe a file alone
_ROOM = 190
_NEWS = re.compile(
    r"^this (?:is (?:the|a) (?:source code|code|repo|repository|official repository)|repo|repository)\b"
    r"|\b(?:excited|announc\w+|welcome|sponsor\w*|badge|released?|check out|thank\w*|deprecated)\b|!$",
    re.I,
)
_MIGRATION = re.compile(r"(?:^|/)(?:migrations?|migrate)/", re.I)  # their names do not matter
_NO_MODULE = ("__init__.py", "mod.rs", "index.ts", "index.js", "__main__.py", "conftest.py", "setup.py")


def new_files(context: ChangeContext) -> Candidate | None:
    """One fact for the new source files of a commit."""
    new = [file for file in context.sources if file.change == ADDED and _is_noteworthy(context, file)]
    if len(context.sources) > 2 * _FEW and len(new) <= _FEW:
        # The rest are by-products of a larger change.
        new = [file for file in new if _is_named_by_message(context, file)]
    if not new:
        return None
    new.sort(key=lambda file: (-_rank(context, file), file.path))
    if len(new) > _FEW:
        return _folder_fact(context, new)
    main, others = new[0], new[1:]
    text, confidence, from_message = _file_fact(context, main)
    if not text:
        return _folder_fact(context, new) if len(new) >= _TOGETHER else None
    more = f" With it: {', '.join(f'`{short_path(file.path)}`' for file in others)}." if others else ""
    return context.candidate(
        text + more,
        confidence,
        topic=f"file:{main.path}",
        refs=[file.path for file in new],
        level=2,
        origin="git_diff" if _is_read(context) else "ast_analysis",
        reason="A new file" + ("; the message says what for." if from_message else " that says what it is for."),
        from_message=from_message,
    )


def _is_noteworthy(context: ChangeContext, file: FileChange) -> bool:
    is_module = file.path.rpartition("/")[2] not in _NO_MODULE and not file.path.startswith(".")
    if not is_module or is_vendored(file.path) or _MIGRATION.search(file.path) or not context.exists(file.path):
        return False
    return file.lines_added >= _LEAST_LINES or bool(file.purpose) or _is_read(context)


def _file_fact(context: ChangeContext, file: FileChange) -> tuple[str, float, bool]:
    """The new file with its own description, or with the message if that names it; and the confidence."""
    message, stem = context.message, file.path.rpartition("/")[2].partition(".")[0]
    head = f"`{short_path(file.path)}`" if _is_read(context) else f"New file `{short_path(file.path)}`"
    folders = () if _is_read(context) else file.path.split("/")[-3:-1]
    purpose = first_sentence(without_markup(file.purpose))
    least = 1 if _is_read(context) else 2
    if purpose and len(purpose) <= _ROOM and says_more_than(purpose, stem, *folders, least=least):
        text = f"{head}: {in_quotes(purpose)}"
        is_told = message.content_count >= 2 and not message.noise and len(message.subject) <= _ROOM
        return text + (f" {in_quotes(message.subject)}." if is_told else ""), 0.76, False
    symbol = _main_symbol(context, file)
    if symbol is not None and _is_explained_by_message(context, symbol.name) and len(message.subject) <= _ROOM:
        text = f"{head}, with `{symbol.name}`: {in_quotes(message.subject)}."
        return _with_reason(context, text), 0.66 if message.reason else 0.6, True
    return "", 0.0, False


def _is_read(context: ChangeContext) -> bool:
    """Whether a file is read as it is, without a commit: its own text is all there is."""
    return not context.change.commit and not context.message.subject


def _is_explained_by_message(context: ChangeContext, name: str) -> bool:
    """Whether the message alone says what a definition is for: it names it, and says more than the name."""
    message = context.message
    is_other_work = message.kind in ("fix", "vague", "upkeep")
    is_other_work = is_other_work or (message.verb is not None and message.verb.kind in ("vague", "refactor"))
    if message.noise or is_other_work or is_list(message.subject) or is_about_looks(context):
        return False
    parts = name_stems(last_part(name))
    if message.reason or not message.names(last_part(name)) or is_vague(message.subject):
        return bool(message.reason) and message.names(last_part(name))
    statement = message.subject.partition(" ")[2] if message.verb is not None else message.subject
    rest = (word for word in content_words(statement) if word[:STEM] not in parts and word != last_part(name).lower())
    return particulars(" ".join(rest)) >= _BEYOND


def _is_named_by_message(context: ChangeContext, file: FileChange) -> bool:
    names = " ".join((file.path.replace("/", " "), *(last_part(symbol.name) for symbol in file.symbols[:20])))
    stems = name_stems(names, longer_than=3)
    return any(word[:STEM] in stems for word in content_words(context.message.subject))


def _folder_fact(context: ChangeContext, new: list[FileChange]) -> Candidate | None:
    """Many new files are one piece of work, described by the message."""
    message = context.message
    folder = common_folder([file.path for file in new])
    verb = message.verb
    is_start = verb is not None and (verb.kind == "vague" or verb.base in ("start", "begin", "prepare"))
    if not folder or len(new) > _MANY or message.noise or message.content_count < 3 or is_start:
        return None
    if is_vague(message.subject, least=2) or (len(new) <= _FEW and is_list(message.subject)):
        return None
    names = ", ".join(file.path.rpartition("/")[2] for file in new[:3])
    names += ", …" if len(new) > 3 else ""
    text = f"New files in `{folder}/` ({names}): {in_quotes(clip(message.subject, _ROOM))}."
    return context.candidate(
        text,
        0.64,
        topic=f"files:{folder}:{context.commit}",
        refs=[file.path for file in new],
        level=2,
        reason="Several new files of one piece of work.",
        from_message=True,
    )


def moved_definitions(context: ChangeContext) -> Candidate | None:
    """Definitions that moved together to another file, over fifty lines of them."""
    moves = [
        changed
        for changed in context.changed_symbols(RENAMED)
        if changed.symbol.path_before not in ("", changed.path, changed.file.path_before)  # not renamed files
    ]
    routes = Counter((changed.symbol.path_before, changed.path) for changed in moves)
    if not routes:
        return _renamed_files(context)
    (before, after), _ = routes.most_common(1)[0]
    arrived = [changed for changed in moves if (changed.symbol.path_before, changed.path) == (before, after)]
    arrived = [changed for changed in arrived if context.exists(after, changed.name) and not is_private(changed.name)]
    inner = {changed.name for changed in arrived}
    arrived = [changed for changed in arrived if changed.name.rpartition(".")[0] not in inner]
    lines = sum(max(1, changed.symbol.end_line - changed.symbol.line) for changed in arrived)
    if not arrived or (lines < LARGE_MOVE and not any(context.message.names(changed.last_name) for changed in arrived)):
        return None
    arrived.sort(key=lambda changed: (not is_class(changed.symbol), not changed.symbol.is_public, changed.symbol.line))
    names = ", ".join(f"`{changed.name}`" for changed in arrived[:4])
    names += " and others" if len(arrived) > 4 else ""  # the diff may have more than were found
    text = f"Moved from {short_path(before)} to {short_path(after)}: {names}."
    return context.candidate(
        _with_reason(context, text),
        0.72 + (0.1 if context.message.kind in ("move", "refactor") else 0.0),
        topic=f"moved:{after}:{arrived[0].name}",
        refs=[changed.ref for changed in arrived[:4]],
        level=2,
        ttl_class="architecture",
        origin="ast_analysis",
        reason="Definitions moved to another file.",
    )


def _renamed_files(context: ChangeContext) -> Candidate | None:
    renamed = [file for file in context.sources if file.change == RENAMED and context.exists(file.path)]
    renamed = [file for file in renamed if short_path(file.path) != short_path(file.path_before)]
    renamed = [file for file in renamed if not _MIGRATION.search(file.path)]
    if not renamed or len({file.path_before for file in renamed}) != len(renamed):
        return None
    if len(renamed) > _FEW:
        before = common_folder([file.path_before for file in renamed])
        after = common_folder([file.path for file in renamed])
        if not before or not after or before == after:
            return None
        text = f"Moved from {before}/ to {after}/: {len(renamed)} files."
    else:
        pairs = (f"`{short_path(file.path_before)}` → `{short_path(file.path)}`" for file in renamed[:2])
        text = f"Renamed: {'; '.join(pairs)}."
    return context.candidate(
        _with_reason(context, text),
        0.7 + (0.1 if context.message.kind in ("move", "rename", "refactor") else 0.0),
        topic=f"moved:{renamed[0].path}",
        refs=[file.path for file in renamed],
        level=2,
        ttl_class="architecture",
        reason="Files have other names.",
    )


def introduction(context: ChangeContext) -> Candidate | None:
    """What the project's README says it is."""
    # A commit that changes a line of the README says nothing about its introduction.
    new = [file for file in context.change.files if file.change == ADDED or not context.change.commit]
    page = next(filter(is_readme, new), None)
    if page is None or not context.exists(page.path):
        return None
    purpose = first_sentence(without_markup(page.purpose))
    if not says_more_than(purpose) or _NEWS.search(purpose):
        return None
    return context.candidate(
        f"The project says of itself ({page.path}): {in_quotes(clip(purpose, 220))}",
        0.85,
        topic="project:introduction",
        refs=[page.path],
        level=0,
        origin="file_change",
        reason="The README introduces the project.",
    )


def _with_reason(context: ChangeContext, text: str) -> str:
    reason = context.message.reason
    return f"{text} {in_quotes(reason)}" if reason and len(text) + len(reason) < MOST_TEXT else text


def _main_symbol(context: ChangeContext, file: FileChange) -> ChangedSymbol | None:
    public = [ChangedSymbol(file, symbol) for symbol in file.symbols if symbol.is_public]
    candidates = [changed for changed in public if context.exists(file.path, changed.name)]
    if not candidates:
        return None
    stem = file.path.rpartition("/")[2].partition(".")[0].replace("_", "").replace("-", "").lower()
    return max(
        candidates,
        key=lambda changed: (
            context.message.names(changed.last_name),
            changed.name.lower() == stem,
            is_class(changed.symbol),
            bool(changed.symbol.doc),
            changed.symbol.end_line - changed.symbol.line,
        ),
    )


def _rank(context: ChangeContext, file: FileChange) -> float:
    stem = file.path.rpartition("/")[2].partition(".")[0]
    return context.message.names(stem) * 2 + bool(file.purpose) + min(file.lines_added, 500) / 500
