"""`waypost setup`: configure an agent to use Waypost."""

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from waypost import config
from waypost.errors import InvalidInput, WaypostError
from waypost.faces.cli.framework import Ctx, Json, app, session_of
from waypost.faces.cli.models import ensure_models
from waypost.faces.cli.output.memories import print_json, print_notices, safe
from waypost.faces.cli.session import agrees, interactive, is_yes
from waypost.model.kinds import KEPT_COLLECTIONS
from waypost.space.identity import identify
from waypost.system.config_file import AGENTS_FILE, Scope
from waypost.text.plural import counted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from waypost.faces.cli.session import CommandSession
    from waypost.faces.setup.agents import Agent
    from waypost.faces.setup.check import AgentCheck, Sample
    from waypost.faces.setup.install import Detected
    from waypost.faces.setup.report import ConfigChange, SetupReport


_DEEDS = {
    "created": ("created", "would be created"),
    "changed": ("changed", "would be changed"),
    "unchanged": ("already up to date", "already up to date"),
    "restored": ("restored exactly", "would be restored exactly"),
    "cleaned": ("removed Waypost's part", "Waypost's part would be removed"),
    "deleted": ("deleted; setup had created it", "would be deleted; setup created it"),
    "missing": ("has nothing of Waypost", "has nothing of Waypost"),
    "kept": ("left", "would be left"),
}
_LOOKED_AT = 50  # memories, for one about code
_LONGEST_PROMPT = 200
_PARTS = {"server": "MCP server", "memories": "rules and decisions"}


@app.command("setup")
def setup_(
    context: Ctx,
    agent: Annotated[
        str | None,
        Argument(
            metavar="[AGENT]",
            help="Such as claude-code (default: list the agents found here, and ask at a terminal which to set up).",
        ),
    ] = None,
    user: Annotated[bool, Option("--user", help="For all your projects (default).")] = False,
    project: Annotated[bool, Option("--project", help="For this project only, in files of its repository.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Only show what would change.")] = False,
    uninstall: Annotated[bool, Option("--uninstall", help="Restore your config files exactly.")] = False,
    no_hooks: Annotated[bool, Option("--no-hooks", help="Do not install hooks.")] = False,
    no_rules: Annotated[bool, Option("--no-rules", help="Do not add rules.")] = False,
    allow_reads: Annotated[
        bool | None,
        Option(
            "--allow-reads/--no-allow-reads",
            help="Let the agent use tools that only read without asking (default: ask at a terminal).",
        ),
    ] = None,
    force: Annotated[bool, Option("--force", help="Overwrite a foreign entry named `waypost`.")] = False,
    json: Json = False,
) -> None:
    """Configure an agent to use Waypost: MCP server, hooks that brief it, and a few lines of rules.

    Nothing else in its files changes. `--uninstall` undoes it. Safe to repeat.
    """
    from waypost.faces.setup import agent_folders, agents, install
    from waypost.faces.setup import uninstall as undo

    if user and project:
        raise InvalidInput("--user and --project exclude each other.", "Use one of them.")
    if agent is None and (uninstall or dry_run or user or project or force):
        raise InvalidInput("No agent given.", f"Use one of {', '.join(agents.agents())}.")
    here, root = agent_folders.this_system(config.load(), _read_tools()), _project(context)
    chosen = [agents.agent_of(agent)] if agent else []
    if not chosen:
        detected = install.detect(here, root)
        _print_detected(detected, json=json)
        chosen = [] if json or not interactive() else [*_chosen(detected)]
    scope: Scope = "project" if project or any(each.is_file and not user for each in chosen) else "user"
    if uninstall:
        report = undo.uninstall(chosen[0], here, scope, root, dry_run=dry_run)
        _print_report(report, undone=True, json=json)
        if all(change.deed == "missing" for change in report.done):
            raise typer.Exit(3)
        return
    for each in chosen:
        report = install.install(
            each,
            replace(here, memories=_block(session_of(context))) if each.is_file else here,
            scope,
            root,
            hooks=not no_hooks,
            rules=not no_rules,
            permissions=_may_read(each, scope, allow_reads, ask=not (dry_run or json)),
            force=force,
            dry_run=dry_run,
        )
        _print_report(report, undone=False, json=json)
    if not (dry_run or json) and (chosen or interactive()):
        _go_on(session_of(context), chosen)


def _go_on(session: "CommandSession", chosen: "Sequence[Agent]") -> None:
    """What follows, also without an agent: the models, and at a terminal offers to index, to keep AGENTS.md, and to check."""
    ensure_models(config.load())
    if not interactive():
        return
    _offer_index(session)
    unbriefed = [agent.title for agent in chosen if agent.needs_file]
    if unbriefed and session.has_memory():
        question = f"No hook briefs {' or '.join(unbriefed)}. Keep your rules and decisions in this project's AGENTS.md? [y/N] "
        if is_yes(input(question)):
            command = [sys.executable, "-m", "waypost", "-C", str(session.directory), "setup", AGENTS_FILE]
            subprocess.run(command, stdin=subprocess.DEVNULL, check=False)
    works = True
    for agent in chosen:
        if agrees(f"Check that it works (waypost doctor --agent {agent.name})?"):
            works = check_one(session, agent.name) and works
    if not works:
        raise typer.Exit(1)
    if chosen:
        print(
            safe(
                f"Done: {', '.join(agent.title for agent in chosen)}. Next: restart the agent, and ask it what it recalls."
            )
        )


def _block(session: "CommandSession") -> str:
    """What AGENTS.md gets: nothing as long as the project has no memory."""
    return session.memory().facts.for_agents_file() if session.has_memory() else ""


def check_one(session: "CommandSession", name: str, *, json: bool = False) -> bool:
    """Try what set-up wrote for an agent, and print what the agent gets. Returns whether everything works."""
    from waypost.faces.setup import agent_folders, agents
    from waypost.faces.setup.check import AgentCheck, check_agent

    agent = agents.agent_of(name)
    root = identify(session.directory).root or session.directory
    settings = config.load()
    checks: list[AgentCheck] = []
    if not json:
        print(safe(f"{agent.title}, in {root}"))
    sample, memory = _sample(session)
    system = agent_folders.this_system(
        settings, memories=_block(session) if memory.ok and (agent.is_file or agent.needs_file) else ""
    )
    for check in (memory, *check_agent(agent, system, root, sample, settings.home)):
        checks.append(check)
        if not json:
            _print_check(check)
    ok = all(check.ok for check in checks)
    if json:
        rows = [check.to_json() for check in checks]
        print_json({"agent": agent.name, "title": agent.title, "project": str(root), "ok": ok, "checks": rows})
    else:
        _print_end(checks)
    return ok


def _print_end(checks: "Sequence[AgentCheck]") -> None:
    """What is missing, and what to do, in order."""
    problems = [check for check in checks if not check.ok]
    if not problems:
        tried = any(check.ok and check.remedy for check in checks)
        print("Everything that could be tried works. See the notes above." if tried else "Everything works.")
        return
    print(safe(f"{counted(len(problems), 'problem')}: {', '.join(check.check for check in problems)}. What to do:"))
    remedies = dict.fromkeys(check.remedy or f"Look at: {check.message}" for check in problems)
    for number, remedy in enumerate(remedies, 1):
        print(safe(f"  {number}. {remedy}"))


def _offer_index(session: "CommandSession") -> None:
    """In a repository that is not indexed, offer to do it: until then, the agent has nothing to recall."""
    is_repository = identify(session.directory).source in ("origin", "git-root")
    if not is_repository or (session.has_memory() and session.memory().status()["tree"] is not None):
        return
    if agrees("Index this project now (waypost init)?"):
        # Without input it asks nothing, and does not try again to fetch models: that was done before.
        command = [sys.executable, "-m", "waypost", "-C", str(session.directory), "init"]
        subprocess.run(command, stdin=subprocess.DEVNULL, check=False)


def _sample(session: "CommandSession") -> "tuple[Sample, AgentCheck]":
    """What hooks are tried with: the newest memory about code, if there is one."""
    from waypost.faces.setup.check import AgentCheck, Sample

    try:
        if not session.has_memory():
            return Sample(), AgentCheck("memory", False, "This project has no memory yet.", "Run: waypost init")
        memory = session.memory()
        memories = memory.list(limit=_LOOKED_AT)
    except WaypostError as error:
        return Sample(), AgentCheck("memory", False, error.what, error.remedy)
    if not memories:
        return Sample(), AgentCheck("memory", True, "It is empty: hooks have nothing to add.")
    about = next((memory for memory in reversed(memories) if memory["code_refs"]), memories[-1])
    path = about["code_refs"][0]["file_path"] if about["code_refs"] else Sample().file
    collections = memory.status()["collections"]
    count = counted(sum(collections.get(name, 0) for name in KEPT_COLLECTIONS), "memory", "memories")
    return Sample(about["text"][:_LONGEST_PROMPT], path), AgentCheck("memory", True, f"It has {count}, besides code.")


def _print_check(check: "AgentCheck") -> None:
    taken = "" if check.milliseconds is None else f" ({check.milliseconds:,} ms)"
    word = "problem" if not check.ok else "note" if check.remedy else "ok"
    print(safe(f"{word:<8} {check.check}: {check.message}{taken}"))
    if check.remedy:
        print(safe(f"         {check.remedy}"))
    for line in check.output.splitlines():
        print(safe(f"         | {line}"))


def _read_tools() -> tuple[str, ...]:
    from waypost.faces.mcp.default_tools import DEFAULT_TOOLS

    return tuple(tool.name for tool in DEFAULT_TOOLS if tool.reads_only)


def _may_read(agent: "Agent", scope: "Scope", given: bool | None, *, ask: bool) -> bool:
    """Whether the agent may use tools that only read without asking: as the option says, or the person at a terminal."""
    possible = agent.permissions is not None and scope in agent.permissions.files
    if given is not None or not possible or not ask or not interactive():
        return bool(given)
    return is_yes(
        input(f"Let {agent.title} read memories without asking each time ({', '.join(_read_tools())})? [y/N] ")
    )


def _project(context: Ctx) -> "Path":
    directory = session_of(context).directory
    return identify(directory).root or directory


def _print_report(report: "SetupReport", *, undone: bool, json: bool) -> None:
    if json:
        print_json(report.to_json())
        return
    print(safe(_headline(report, undone=undone)))
    for change in report.done:
        _print_change(change, dry_run=report.dry_run)
    if report.changed and not undone and not report.dry_run:
        print(safe(f"Next: `waypost init` in your project, if you have not yet. {report.next}"))
        in_project = report.scope == "project" and report.agent != AGENTS_FILE
        again = f"waypost setup {report.agent}{' --project' if in_project else ''} --uninstall"
        print(f"To undo: {again}")
    print_notices(report.notes)


def _headline(report: "SetupReport", *, undone: bool) -> str:
    where = f"for {report.project}" if report.scope == "project" else "for all your projects"
    if undone and not report.changed:
        return f"{report.title} was not set up {where}."
    if not report.changed:
        return f"{report.title} is already set up {where}; nothing was changed."
    if report.dry_run:
        verb = "remove Waypost from" if undone else "set up"
        return f"Would {verb} {report.title} {where}. Nothing was changed."
    return f"Removed Waypost from {report.title} {where}." if undone else f"Set up {report.title} {where}."


def _print_change(change: "ConfigChange", *, dry_run: bool) -> None:
    parts = ", ".join(_PARTS.get(part, part) for part in change.parts)
    note = f"; {change.note}" if change.note else ""
    print(safe(f"  {change.path} ({parts}): {_DEEDS[change.deed][dry_run]}{note}"))
    if change.backup and not change.note:
        print(safe(f"    backup: {change.backup}"))
    for line in change.diff.splitlines():
        print(safe(f"    {line}"))


def _chosen(detected: "tuple[Detected, ...]") -> "Iterator[Agent]":
    """Ask about each agent that is found here and not set up."""
    for state in detected:
        is_new = bool(state.sign) and state.user == "no" and state.project == "no"
        if is_new and not state.agent.is_file and agrees(f"Set up {state.agent.title} for all your projects?"):
            yield state.agent


def _print_detected(detected: "tuple[Detected, ...]", *, json: bool) -> None:
    if json:
        print_json({"agents": [state.to_json() for state in detected]})
        return
    status = {"yes": "set up", "partly": "partly set up", "no": "not set up", "unreadable": "config files unreadable"}
    absent = []
    for state in detected:
        if state.agent.is_file:
            print(f"{state.agent.name:<12} {status[state.project]} in this project (for agents without hooks)")
            continue
        where = f"{status[state.user]} for you; {status[state.project]} in this project"
        if state.sign:
            print(safe(f"{state.agent.name:<12} {where} ({state.sign})"))
        elif state.user != "no" or state.project != "no":
            print(safe(f"{state.agent.name:<12} not found here, but {where}"))
        else:
            absent.append(state.agent.name)
    if absent:
        print(f"Not found here: {', '.join(absent)}.")
    waiting = [state.agent.name for state in detected if state.sign and state.user == "no" and state.project == "no"]
    if waiting and not interactive():  # at a terminal, questions follow
        print(f"Next: waypost setup {waiting[0]} (--dry-run only shows what would change)")
    elif not any(state.sign for state in detected):
        print("No agent found. `waypost setup AGENT` writes its configuration anyway.", file=sys.stderr)
