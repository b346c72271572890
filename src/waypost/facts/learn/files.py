"""What lies where: new files and what they hold, definitions that moved, and what the project says of itself."""

import re
from collections import Counter

from waypost.facts.learn.change_context import Scene, Touched, common_folder, is_class, is_private
from waypost.facts.learn.skip_reasons import is_readme, is_vendored
from waypost.facts.learn.vocabulary import content, words_of
from waypost.facts.learn.wording import (
    capital,
    clip,
    closed,
    first_sentence,
    is_of_many,
    last_part,
    plain,
    predicate,
    shown,
    small,
    tells,
    without_name,
)
from waypost.facts.learn.worth import is_about_looks, is_list, is_vague, particulars
from waypost.model.candidate import Candidate
from waypost.model.change import ADDED, RENAMED, FileChange
from waypost.text.identifiers import identifier_parts

LARGE_MOVE = 50  # lines
_MANY = 12  # new files: more are a whole part, which no line describes
_LEAST_LINES = 10  # of a new file that is worth a note, unless it says what it is for
_FEW = 3
_TOGETHER = 3  # new files that are one piece of work
_BEYOND = 3  # words that a subject says beyond the names, if it is all that tells of a file
_ROOM = 190
_NEWS = re.compile(
    r"^this (?:is (?:the|a) (?:source code|code|repo|repository|official repository)|repo|repository)\b"
    r"|\b(?:excited|announc\w+|welcome|sponsor\w*|badge|released?|check out|thank\w*|deprecated)\b|!$",
    re.I,
)
_SENTENCE = frozenset(("this", "it's", "its", "is", "as", "always", "various", "unless"))  # no plural
_THIS = re.compile(r"^(?:this|the) (?:module|file|package|crate|script|class|component) ", re.I)
_MIGRATION = re.compile(r"(?:^|/)(?:migrations?|migrate)/", re.I)  # numbers and names there are nobody's business
_SAYS = "says of itself:"
_NO_MODULE = ("__init__.py", "mod.rs", "index.ts", "index.js", "__main__.py", "conftest.py", "setup.py")


def new_files(scene: Scene) -> Candidate | None:
    """One fact for the new source files of a commit."""
    found = [
        file
        for file in scene.sources
        if file.change == ADDED
        and not is_vendored(file.path)
        and (file.lines_added >= _LEAST_LINES or file.purpose or _is_read(scene))
    ]
    found = [
        file
        for file in found
        if scene.is_there(file.path)
        and file.path.rpartition("/")[2] not in _NO_MODULE
        and not file.path.startswith(".")
        and not _MIGRATION.search(file.path)
    ]
    if not found:
        return None
    if len(scene.sources) > 2 * _FEW and len(found) <= _FEW:
        found = [file for file in found if _is_meant(scene, file)]  # others are by-products of a larger change
    if not found:
        return None
    found.sort(key=lambda file: (-_standing(scene, file), file.path))
    if len(found) > _FEW:
        return _folder(scene, found)
    main, others = found[0], found[1:]
    text, confidence, from_message = _file(scene, main)
    if not text:
        return _folder(scene, found) if len(found) >= _TOGETHER else None
    more = f" With it: {', '.join(f'`{shown(file.path)}`' for file in others)}." if others else ""
    text = text + more if len(text) + len(more) <= 290 else text
    return scene.candidate(
        text,
        confidence,
        topic=f"file:{main.path}",
        refs=[file.path for file in found],
        level=2,
        origin="git_diff" if _is_read(scene) else "ast_analysis",
        reason="A new file" + ("; the message tells what for." if from_message else " that says what it is for."),
        from_message=from_message,
    )


def _file(scene: Scene, file: FileChange) -> tuple[str, float, bool]:
    head, message = f"`{shown(file.path)}`", scene.message
    stem = file.path.rpartition("/")[2].partition(".")[0]
    folders = () if _is_read(scene) else file.path.split("/")[-3:-1]
    purpose = first_sentence(plain(file.purpose))
    symbol = _main_symbol(scene, file)
    owner = _owner(file, purpose)
    least = 1 if _is_read(scene) else 2
    if purpose and not owner and tells(purpose, stem, *folders, least=least):
        held = _holds(clip(purpose, _ROOM))
        if held.startswith(_SAYS) and not _is_read(scene) and not message.reason and not message.mentions(stem):
            return "", 0.0, False  # what is no phrase may be an aside
        sure = 0.72 if held.startswith(_SAYS) else 0.82
        return _from_message(scene, closed(f"{head} {held}")), sure, False
    owner = owner or (symbol.symbol.name if symbol is not None else "")
    doc = purpose if owner and purpose else first_sentence(plain(symbol.symbol.doc)) if symbol is not None else ""
    doc = without_name(doc, owner)
    if doc and tells(doc, owner, stem, least=least):
        does = predicate(doc, owner)
        said = f"{head} holds `{owner}`, which {does}" if does else f"{head} holds `{owner}`: {doc}"
        return (
            _from_message(scene, closed(clip(said, _ROOM + 60))),
            0.74 + (0.06 if message.mentions(owner) else 0.0),
            False,
        )
    if symbol is not None and _explains(scene, symbol.symbol.name):
        said = closed(f"{head} holds `{symbol.symbol.name}`: “{clip(capital(message.subject), 140)}”")
        return _because(scene, said), 0.66 if message.reason else 0.6, True
    return "", 0.0, False


def _introduces(scene: Scene, file: FileChange) -> bool:
    """A commit that changes some line of a README says nothing about its first words."""
    return not scene.change.commit or file.change == ADDED


def _is_read(scene: Scene) -> bool:
    """Whether somebody asks for a file as it is: its own words are all there is."""
    return not scene.change.commit and not scene.message.subject


def _explains(scene: Scene, name: str) -> bool:
    """Whether the message alone says what a definition is for: it speaks of it, and says more than its name does."""
    message = scene.message
    if message.noise or message.kind in ("fix", "vague", "upkeep") or is_list(message.subject) or is_about_looks(scene):
        return False
    if message.verb is not None and message.verb.kind in ("vague", "refactor"):
        return False
    parts = {part.lower()[:5] for part in identifier_parts(re.sub(r"\W+", "_", last_part(name)))}
    if message.reason or not message.names(last_part(name)) or is_vague(message.subject):
        return bool(message.reason) and message.names(last_part(name))
    said = message.subject.partition(" ")[2] if message.verb is not None else message.subject
    rest = (word for word in content(said) if word[:5] not in parts and word != last_part(name).lower())
    return particulars(" ".join(rest)) >= _BEYOND


def _is_meant(scene: Scene, file: FileChange) -> bool:
    """Whether the message speaks of what the file holds."""
    names = " ".join((file.path.replace("/", " "), *(last_part(symbol.name) for symbol in file.symbols[:20])))
    held = {part.lower()[:5] for part in identifier_parts(re.sub(r"\W+", "_", names)) if len(part) > 3}
    return any(word[:5] in held for word in content(scene.message.subject))


def _owner(file: FileChange, purpose: str) -> str:
    """The definition whose documentation the purpose is, "" where it speaks of the file."""
    names = {last_part(symbol.name): symbol.name for symbol in file.symbols}
    first = purpose.split(" ", 1)[0].strip("`()")
    docs = {symbol.doc: symbol.name for symbol in file.symbols if symbol.doc}
    return names.get(first, "") or docs.get(file.purpose, "")


def _from_message(scene: Scene, text: str) -> str:
    """With the subject of the commit, where it says more."""
    message = scene.message
    if message.tells < 2 or message.noise or not tells(message.subject, *words_of(text)):
        return text
    more = f" From “{clip(capital(message.subject), 110)}”."
    return text + more if len(text) + len(more) <= 290 else text


def _holds(purpose: str) -> str:
    """ "Helpers for x" → "holds helpers for x"; "Rank the issues" → "ranks the issues"."""
    purpose = _THIS.sub("", purpose)
    first = purpose.split(" ", 1)[0].lower()
    if first in ("a", "an", "the"):
        return f"holds {small(purpose)}"
    does = predicate(purpose)
    is_phrase = first.endswith("s") and first not in _SENTENCE and not is_of_many(purpose)
    return does or (f"holds {small(purpose)}" if is_phrase else f"{_SAYS} “{purpose}”")


def _folder(scene: Scene, found: list[FileChange]) -> Candidate | None:
    """Many new files are one piece of work; the message, or the first of them, says which."""
    message = scene.message
    folder = common_folder([file.path for file in found])
    if (
        not folder
        or len(found) > _MANY
        or message.noise
        or message.tells < 3
        or is_vague(message.subject, least=2)
        or (len(found) <= _FEW and is_list(message.subject))
    ):
        return None
    if message.verb is not None and (
        message.verb.kind == "vague" or message.verb.base in ("start", "begin", "prepare")
    ):
        return None
    names = ", ".join(file.path.rpartition("/")[2] for file in found[:3])
    names += ", …" if len(found) > 3 else ""
    text = f"`{folder}/` has new files ({names}): “{clip(capital(message.subject), 140)}”."
    return scene.candidate(
        text,
        0.64,
        topic=f"files:{folder}:{scene.commit}",
        refs=[file.path for file in found],
        level=2,
        reason="Several new files of one piece of work.",
        from_message=True,
    )


def moved(scene: Scene) -> Candidate | None:
    """What is somewhere else now: definitions that went to another file together, over fifty lines of them."""
    found = [one for one in scene.touched(RENAMED) if one.symbol.path_before not in ("", one.file.path)]
    found = [one for one in found if one.file.path_before != one.symbol.path_before]  # its file was renamed as a whole
    ways = Counter((one.symbol.path_before, one.file.path) for one in found)
    if not ways:
        return _renamed_files(scene)
    (before, after), _ = ways.most_common(1)[0]
    there = [one for one in found if (one.symbol.path_before, one.file.path) == (before, after)]
    there = [one for one in there if scene.is_there(after, one.symbol.name) and not is_private(one.symbol.name)]
    inner = {one.symbol.name for one in there}
    there = [one for one in there if one.symbol.name.rpartition(".")[0] not in inner]
    lines = sum(max(1, one.symbol.end_line - one.symbol.line) for one in there)
    if not there or (lines < LARGE_MOVE and not any(scene.message.names(last_part(one.symbol.name)) for one in there)):
        return None
    there.sort(key=lambda one: (not is_class(one.symbol), not one.symbol.is_public, one.symbol.line))
    names = ", ".join(f"`{one.symbol.name}`" for one in there[:4])
    names += f" and {len(there) - 4} more" if len(there) > 4 else ""
    text = f"{names} {'is' if len(there) == 1 else 'are'} in {shown(after)} now (before: {shown(before)})."
    return scene.candidate(
        _because(scene, text),
        0.72 + (0.1 if scene.message.kind in ("move", "refactor") else 0.0),
        topic=f"moved:{after}:{there[0].symbol.name}",
        refs=[one.ref for one in there[:4]],
        level=2,
        ttl_class="architecture",
        origin="ast_analysis",
        reason="Definitions moved to another file.",
    )


def _renamed_files(scene: Scene) -> Candidate | None:
    found = [file for file in scene.sources if file.change == RENAMED and scene.is_there(file.path)]
    found = [file for file in found if shown(file.path) != shown(file.path_before) and not _MIGRATION.search(file.path)]
    if not found or len({file.path_before for file in found}) != len(found):
        return None
    if len(found) > _FEW:
        before, after = common_folder([one.path_before for one in found]), common_folder([one.path for one in found])
        if not before or not after or before == after:
            return None
        text = f"What was in {before}/ is in {after}/ now ({len(found)} files)."
    else:
        text = " ".join(f"`{shown(one.path_before)}` is `{shown(one.path)}` now." for one in found[:2])
    return scene.candidate(
        _because(scene, text),
        0.7 + (0.1 if scene.message.kind in ("move", "rename", "refactor") else 0.0),
        topic=f"moved:{found[0].path}",
        refs=[one.path for one in found],
        level=2,
        ttl_class="architecture",
        reason="Files have other names.",
    )


def introduction(scene: Scene) -> Candidate | None:
    """What the project's own README says it is."""
    page = next((file for file in scene.change.files if is_readme(file) and _introduces(scene, file)), None)
    if page is None or not scene.is_there(page.path):
        return None
    purpose = first_sentence(plain(page.purpose))
    if not tells(purpose) or _NEWS.search(purpose):
        return None
    return scene.candidate(
        f"The project says of itself ({page.path}): {closed(clip(purpose, 220))}",
        0.85,
        topic="project:introduction",
        refs=[page.path],
        level=0,
        origin="file_change",
        reason="The README introduces the project.",
    )


def _because(scene: Scene, text: str) -> str:
    reason = scene.message.reason
    return f"{text} Reason: {closed(capital(reason))}" if reason and len(text) + len(reason) < 285 else text


def _main_symbol(scene: Scene, file: FileChange) -> Touched | None:
    found = [
        Touched(file, symbol) for symbol in file.symbols if symbol.is_public and scene.is_there(file.path, symbol.name)
    ]
    if not found:
        return None
    stem = file.path.rpartition("/")[2].partition(".")[0].replace("_", "").replace("-", "").lower()
    return max(
        found,
        key=lambda one: (
            scene.message.names(last_part(one.symbol.name)),
            one.symbol.name.lower() == stem,
            is_class(one.symbol),
            bool(one.symbol.doc),
            one.symbol.end_line - one.symbol.line,
        ),
    )


def _standing(scene: Scene, file: FileChange) -> float:
    stem = file.path.rpartition("/")[2].partition(".")[0]
    return scene.message.names(stem) * 2 + bool(file.purpose) + min(file.lines_added, 500) / 500
