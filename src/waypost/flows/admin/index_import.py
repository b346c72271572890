"""`waypost index import`: index a repository with what another clone has exported."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from waypost.flows.admin.init import IndexReport, init
from waypost.flows.index.build import Report, quiet
from waypost.flows.index.index_import import IndexFile
from waypost.flows.open_space import OpenSpace
from waypost.model.memory import Caller


@dataclass(frozen=True, slots=True)
class ImportedIndex:
    report: IndexReport
    taken: int  # files that were not parsed
    refused: int  # files whose exported content was implausible: they were parsed
    vectors: int  # texts that were not embedded
    notices: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        counts = {"taken": self.taken, "refused": self.refused, "vectors": self.vectors}
        return {**self.report.to_json(), **counts, "notices": list(self.notices)}


def import_index(
    space: OpenSpace, caller: Caller, path: Path, *, wait: bool = True, report: Report = quiet
) -> ImportedIndex:
    """Index the repository. Files with the same path and content are not parsed, and their texts not embedded."""
    file = IndexFile(path)
    done = init(space, caller, wait=wait, report=report, index_file=file)
    notices = []
    here = space.engines.main.name
    if here not in file.engines:
        made_by = ", ".join(name[:60] for name in file.engines[:3]) or "no model"
        notices.append(f"Its vectors were made by {made_by}, and this memory uses {here}: the texts are embedded here.")
    if file.refused:
        notices.append("Some files had implausible content in the index. They were parsed instead.")
    return ImportedIndex(done, file.taken, file.refused, file.vectors, tuple(notices))
