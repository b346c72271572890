"""Prints the versions of a memory and the audit trail."""

import sys
from collections.abc import Sequence

from waypost.faces.cli.output.editor_links import place_text
from waypost.faces.cli.output.memories import print_json, readable_value, safe
from waypost.faces.cli.output.short_ids import short_id_output
from waypost.flows.write.lifecycle import History
from waypost.memory.rows import history_row
from waypost.model.memory import SAID_BY, AuditEntry
from waypost.model.time import format_minute


def print_history(history: History, *, json: bool) -> None:
    if json:
        print_json(history_row(history))
        return
    out = short_id_output(sys.stdout)
    for version in (*history.versions, *history.related):
        until = f" until {format_minute(version.superseded_at)}" if version.superseded_at else ""
        true = f"true from {format_minute(version.valid_from)}"
        true += f" until {format_minute(version.valid_until)}" if version.valid_until else ""
        other = "" if version.memory_id == history.memory_id else f"  [{version.memory_id}]"
        original = version.details.get(SAID_BY)
        who = f"{version.source} ({version.actor})" + (
            f" for {original['source']} ({original['actor']})" if original else ""
        )
        print(
            f"{format_minute(version.recorded_at)}{until}  {safe(who)}, {true}, version {version.number}{other}",
            file=out,
        )
        print(f"    {safe(version.text)}")
        for ref in version.refs:
            print(f"    at {place_text(ref.file_path, ref.line_range.start if ref.line_range else None)}")


def print_audit(entries: Sequence[AuditEntry], *, json: bool) -> None:
    if json:
        print_json({"entries": [entry.to_json() for entry in entries]})
        return
    out = short_id_output(sys.stdout)
    for entry in entries:
        said = {name: value for name, value in entry.details.items() if value not in (None, False, 0, "", [], {})}
        details = ", ".join(f"{name.replace('_', ' ')} {readable_value(value)}" for name, value in said.items())
        line = f"{format_minute(entry.at)}  {entry.action:<10} {entry.memory_id or '-':<26}  {entry.source} ({entry.actor})"
        print(safe(f"{line}  {details}".rstrip()), file=out)
