"""`make agents`: run every real agent against a scripted model, and print what the model saw.

`python -m tests.agents [AGENT …]`. Needs npm once, to install the agents; runs use no network and no keys.
With `--write FILE`, the tables and the main quotations go there: `benchmarks/notes/agents.md` is made so.
"""

import os
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

from tests.agents.packages import FOLDER, Unavailable, install, node_folder, real_agents
from tests.agents.scenarios import Report, Trial
from tests.agents.scripted_model import ScriptedModel

_MARKS = {True: "yes", False: "**NO**", None: "–"}
_QUOTED = ("briefing at the start", "briefing at a prompt", "recall, as text in its fence", "remember")
_HEAD = """# Waypost in real agents

Made by `make agents`. It runs each agent from npm against a scripted model, in an empty home directory without network or keys.
The model's requests, the journal and the files show whether a cell is right. Other runs: [sessions and load](agents-load.md)."""


def main(arguments: list[str]) -> int:
    names, _, written = " ".join(arguments).partition("--write ")
    agents = [real_agents()[name] for name in names.split() or real_agents()]
    try:
        for agent in agents:
            node_folder(agent.node)
            print(f"Installing {agent.package} …", flush=True)
            install(agent)
    except Unavailable as error:
        print(f"Not run: {error}.", file=sys.stderr)
        return 1
    place, reports = Path(mkdtemp(prefix="waypost-agents-")), []
    with ScriptedModel() as model:
        for agent in agents:
            print(f"Running {agent.name} …", flush=True)
            reports.append(Trial(place / agent.name, agent, model).everything())
            text = "\n\n".join((_table(reports), _times(reports), *map(_seen, reports)))
            (FOLDER / "report.md").write_text(text + "\n", "utf-8")  # after each: all of them take minutes
    if written:
        Path(written).write_text(_note(reports), "utf-8")
    print(f"\n{text}\n\nThis report: {FOLDER / 'report.md'}. Homes and transcripts: {place}")
    return int(any(check.passed is False for report in reports for check in report.checks))


def _table(reports: list[Report]) -> str:
    names = list(dict.fromkeys(check.name for report in reports for check in report.checks))
    rows = [["", *(report.agent for report in reports)], ["---"] * (len(reports) + 1)]
    for name in names:
        found = [next((check.passed for check in report.checks if check.name == name), None) for report in reports]
        rows.append([name, *(_MARKS[passed] for passed in found)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _times(reports: list[Report]) -> str:
    """Milliseconds of each hook: the median and the longest."""
    events = list(dict.fromkeys(event for report in reports for event in report.milliseconds))
    rows = [["milliseconds", *(report.agent for report in reports)], ["---"] * (len(reports) + 1)]
    for event in events:
        cells = []
        for report in reports:
            times = sorted(report.milliseconds.get(event, []))
            cells.append(f"{times[len(times) // 2]} (≤ {times[-1]})" if times else "–")
        rows.append([event, *cells])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _note(reports: list[Report]) -> str:
    """The tables, what agents do not offer, and what the model of each agent got."""
    packages = [f"`{real_agents()[report.agent].package}`" for report in reports]
    parts = [_HEAD, f"Versions: {', '.join(packages)}.", _table(reports)]
    for report in reports:
        parts += [
            f"- {report.agent}, {check.name}: {check.seen}."
            for check in report.checks
            if check.passed is None and check.seen
        ]
    load = f"The load average of the last 15 minutes was {os.getloadavg()[2]:.0f} on {os.cpu_count()} processors."
    parts += [f"Milliseconds that each hook adds: the median, and the longest. {load}", _times(reports)]
    parts += [_seen(replace(report, checks=[c for c in report.checks if c.name in _QUOTED])) for report in reports]
    return "\n\n".join(parts) + "\n"


def _seen(report: Report) -> str:
    parts = [f"## {report.agent}"]
    for check in report.checks:
        quoted = "\n".join(f"    {line}" for line in check.seen.splitlines())
        parts.append(f"{check.name}: {_MARKS[check.passed]}\n\n{quoted}".rstrip())
    return "\n\n".join(parts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
