"""What a place in code opens in."""

from collections.abc import Mapping
from typing import Any

from waypost.config.values import LINKS
from waypost.errors import ConfigError


def chosen_links(env: Mapping[str, str], table: Mapping[str, Any]) -> str:
    chosen = env.get("WAYPOST_LINKS") or table.get("links", "auto")
    if chosen == "auto":
        return _editor_around(env)
    if chosen not in LINKS:
        raise ConfigError(f"Setting 'links' is {chosen!r}.", f"Use auto, {', '.join(LINKS)}.")
    return str(chosen)


def _editor_around(env: Mapping[str, str]) -> str:
    """What a link should open in, told by the terminal we run in.

    "none" where the terminal makes its own, better links of `path:line`: in an editor that is attached to another
    machine, which an editor's URL cannot name; on WSL, whose paths Windows does not know; in JetBrains' terminal,
    which does not say which of the products it is.
    """
    distant = any(env.get(name) for name in ("SSH_CONNECTION", "SSH_TTY", "REMOTE_CONTAINERS", "CODESPACES"))
    program = env.get("TERM_PROGRAM", "")
    if env.get("WSL_DISTRO_NAME") or env.get("TERMINAL_EMULATOR") == "JetBrains-JediTerm":
        return "none"
    if program == "zed" or env.get("ZED_TERM"):
        return "none" if distant else "zed"
    if program == "vscode":
        return "none" if distant else _vscode_kind(env)
    return "file"


def _vscode_kind(env: Mapping[str, str]) -> str:
    """VS Code and its descendants all call themselves vscode; where they were installed tells them apart."""
    told = f"{env.get('VSCODE_GIT_ASKPASS_NODE', '')} {env.get('__CFBundleIdentifier', '')}".casefold()
    if env.get("CURSOR_TRACE_ID") or "cursor" in told:
        return "cursor"
    if "windsurf" in told:
        return "windsurf"
    return "vscode-insiders" if "insider" in env.get("TERM_PROGRAM_VERSION", "") else "vscode"
