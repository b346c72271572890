"""Which changes give no facts, and why."""

import re

from waypost.facts.learn.change_context import ChangeContext
from waypost.model.change import FileChange

MERGE, EMPTY, LAYOUT, RELEASE = "merge", "nothing changed", "formatting or typo", "release"
TESTS, DOCUMENTS, PIPELINE = "tests only", "documents only", "pipeline only"
GENERATED, VENDORED, OTHER = "generated or lock files only", "vendored", "no source"
ROUTINE, LITTLE, REVERTED = "routine update of dependencies", "says too little", "reverted"
OVERTAKEN = "overtaken by a later commit"

_VENDORED = frozenset(("vendor", "vendored", "_vendor", "third_party", "third-party", "thirdparty", "node_modules"))
_LOCK = re.compile(
    r"(?:^|/)(?:[^/]{1,60}[.-]lock(?:\.\w{1,5})?|[^/]{0,60}\.sum|package-lock\.json|pnpm-lock\.yaml|npm-shrinkwrap\.json)$"
)
_README = re.compile(r"readme(?:\.\w{1,8})?", re.I)
_BY_ROLE = {"test": TESTS, "example": DOCUMENTS, "document": DOCUMENTS, "pipeline": PIPELINE, "generated": GENERATED}
_BY_KIND = {"merge": MERGE, "release": RELEASE, "layout": LAYOUT, "tests": TESTS}
_BY_KIND |= {"pipeline": PIPELINE, "documents": DOCUMENTS}


def skip_reason(context: ChangeContext) -> str:
    """The reason to learn nothing from a change, or an empty string."""
    change, message = context.change, context.message
    if change.is_merge or message.kind == "merge":
        return MERGE
    own_files = [file for file in change.files if not _is_generated(file)]
    if own_files:
        return _by_files(context, own_files)
    is_third_party = any(is_vendored(file.path) for file in change.files)
    return EMPTY if not change.files else VENDORED if is_third_party else GENERATED


def _by_files(context: ChangeContext, files: list[FileChange]) -> str:
    message = context.message
    if all(file.layout_only for file in files):
        return LAYOUT
    if any(is_readme(file) for file in files) and all(file.role in _BY_ROLE for file in files):
        return ""
    roles = {file.role for file in files if not file.layout_only}
    if roles <= _BY_ROLE.keys():
        return _BY_ROLE[min(roles, key=list(_BY_ROLE).index)]
    if message.kind in _BY_KIND and not message.is_breaking:
        return _BY_KIND[message.kind]
    return "" if roles & {"source", "manifest", "configuration"} else OTHER


def is_readme(file: FileChange) -> bool:
    """Whether this is the project's main README."""
    return bool(file.purpose) and file.change != "removed" and _README.fullmatch(file.path) is not None


def is_vendored(path: str) -> bool:
    return not _VENDORED.isdisjoint(path.split("/")[:-1])


def _is_generated(file: FileChange) -> bool:
    return file.role == "generated" or is_vendored(file.path) or _LOCK.search(file.path) is not None
