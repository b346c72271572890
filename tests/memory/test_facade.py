"""The public names of `Memory` and its groups, with documented arguments. `python -m tests.memory.test_facade` prints the page."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from waypost.memory import Memory
from waypost.memory.admin import MemoryAdmin, Shares
from waypost.memory.backups import Backups
from waypost.memory.chat import Chat
from waypost.memory.code import MemoryCode
from waypost.memory.facts import MemoryFacts
from waypost.memory.journal import Journal

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "library.md"
GROUPS: dict[str, type] = {
    "memory": Memory,
    "memory.chat": Chat,
    "memory.code": MemoryCode,
    "memory.facts": MemoryFacts,
    "memory.journal": Journal,
    "memory.admin": MemoryAdmin,
    "memory.admin.backups": Backups,
    "memory.admin.shares": Shares,
}
NAMES = {
    "memory.chat": "command context memory turn user",
    "memory": "admin brief chat close code correct decide facts forget history identity index journal list open protect recall "
    "reject remember remember_many restore retract show space status verify why",
    "memory.code": "about analyze architecture code_behind export_index files finish_task git_changed ignores impact import_index "
    "relink root source stale summarize summary symbol_names symbols track unused update uses",
    "memory.facts": "approve discover edit expire for_agents_file infer_place learn lift_rejection promote reconsider reject rejected related "
    "remember_drafts review set_ttl subtree",
    "memory.journal": "add add_session approve_dna calendar condense curate events import_chat import_folder keep_in_tree "
    "notices offered protect prune release restore root search show similar stats timeline topics undo_import why",
    "memory.admin": "as_of_checkout audit backups checkouts damage_notices doctor embed_pending export export_rows exports "
    "for_path full_id growth import_coding_brain import_file import_memory_bridge import_notes import_rows maintain maintain_all page rebuild relatives "
    "run_worker shares short_ids shown_checkout undo_import",
    "memory.admin.backups": "list make plan restore",
    "memory.admin.shares": "accept list offer revoke",
}
MOST_ON_MEMORY = 27  # `chat` is the entry for assistants


def public(kind: type) -> list[str]:
    return sorted(name for name in dir(kind) if not name.startswith("_"))


def members() -> list[tuple[str, object]]:
    """Every public method and property, by its dotted name."""
    return [(f"{group}.{name}", _member(kind, name)) for group, kind in GROUPS.items() for name in public(kind)]


def _member(kind: type, name: str) -> object:
    member: object = inspect.getattr_static(kind, name)
    return member.__func__ if isinstance(member, classmethod) else member


def signature_of(name: str, member: object) -> str:
    """As the page shows it: names and whether they may be left out."""
    if isinstance(member, property):
        return name
    assert callable(member)
    parameters = list(inspect.signature(member).parameters.values())[1:]
    given = [each.name for each in parameters if each.default is inspect.Parameter.empty]
    return f"{name}({', '.join([*given, *(['…'] if len(given) < len(parameters) else [])])})"


def rendered() -> str:
    """The lists of the page, from the first sentences of the docstrings."""
    parts = []
    for group in GROUPS:
        rows = [f"### `{group}`", ""]
        for name, member in members():
            if name.rpartition(".")[0] == group:
                summary = (inspect.getdoc(member) or "").partition("\n\n")[0].replace("\n", " ")
                rows.append(f"- `{signature_of(name.rpartition('.')[2], member)}`: {summary}")
        parts.append("\n".join(rows))
    return "\n\n".join(parts)


def test_the_public_names_are_these() -> None:
    assert {group: public(kind) for group, kind in GROUPS.items()} == {
        group: sorted(names.split()) for group, names in NAMES.items()
    }
    assert len(public(Memory)) <= MOST_ON_MEMORY


@pytest.mark.parametrize("kind", [*GROUPS.values()])
def test_a_group_is_one_class_without_mix_ins(kind: type) -> None:
    assert kind.__bases__ == (object,)


@pytest.mark.parametrize(("name", "member"), members(), ids=lambda value: value if isinstance(value, str) else "")
def test_every_argument_is_named_typed_and_documented(name: str, member: object) -> None:
    text = inspect.getdoc(member) or ""
    assert re.match(r"[A-Z].*[.?)]", text), f"{name} has no docstring"
    if isinstance(member, property):
        return
    assert callable(member)
    signature = inspect.signature(member)
    for parameter in list(signature.parameters.values())[1:]:
        assert parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL), f"{name}: {parameter}"
        assert parameter.annotation not in (parameter.empty, "Any"), f"{name}: {parameter.name} has no type"
        documented = rf"`{parameter.name}(=\w+)?`|^\s*{parameter.name}: "
        assert re.search(documented, text, re.M), f"{name}: {parameter.name} is not documented"
    assert signature.return_annotation is not signature.empty
    if signature.return_annotation is not None:
        assert re.search(r"\b(Returns?|Yields?)\b|^List ", text), f"{name} does not document what it returns"


def test_the_page_of_the_library_lists_every_name() -> None:
    assert rendered() in PAGE.read_text(encoding="utf-8"), "python -m tests.memory.test_facade prints it"


@pytest.mark.slow
def test_opening_loads_no_group() -> None:
    script = "import sys\nfrom waypost import Memory\nprint(*sorted(name for name in sys.modules if 'waypost' in name))"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    groups = {f"waypost.memory.{name}" for name in ("code", "facts", "journal", "admin", "backups")}
    assert not {*groups, "waypost.compat", "waypost.flows.write.remember"} & {*done.stdout.split()}


if __name__ == "__main__":
    sys.stdout.write(f"{rendered()}\n")
