"""Which files an agent's tool reads or changes, and why it failed, as the agent writes it to a hook."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

_PATHS = ("file_path", "path", "filePath", "absolute_path", "notebook_path")
_COMMANDS = ("command", "cmd", "input", "patch")
_IN_PATCH = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.{1,1000})$", re.MULTILINE)
_WORD = re.compile(r"[^\s'\"`;|&<>()=]{1,400}")
_FAILED = re.compile(r"\bexit(?:ed with)? (?:code|status):? [1-9]\d{0,2}\b", re.IGNORECASE)
_MOST_FILES = 20
_MOST_NAMES = 4000  # characters of all paths
_MOST_READ = 20_000  # characters of a command
_LONGEST_COMMAND = 2000  # characters that are searched for programs
_PATCH = "*** Begin Patch"
_LONGEST_PROBLEM = 1000
_EDGE = 300  # characters at both ends of an output that may have its exit code


def tool_files(given: Mapping[str, Any]) -> list[str]:
    """Paths in the input of a tool: of a file, in a patch, or words of a command that may be one."""
    tool = given.get("tool_input")
    paths = dict.fromkeys(_paths(tool) if isinstance(tool, Mapping) else ())
    chosen, room = list[str](), _MOST_NAMES
    for path in paths:
        room -= len(path) + 1
        if room < 0 or len(chosen) == _MOST_FILES:
            break
        if path.isprintable():
            chosen.append(path)
    return chosen


def _paths(tool: Mapping[str, Any]) -> Iterator[str]:
    for name in _PATHS:
        if isinstance(tool.get(name), str) and tool[name]:
            yield tool[name]
    for text in _commands(tool):
        if _PATCH in text:
            yield from (path.strip() for path in _IN_PATCH.findall(text))
        else:
            words = (match[0] for match in _WORD.finditer(text))
            yield from (word for word in words if "." in word.strip(".") and not word.startswith("-"))


def tool_command(given: Mapping[str, Any]) -> str:
    """The command that a tool runs; empty for other tools."""
    tool = given.get("tool_input")
    texts = _commands(tool) if isinstance(tool, Mapping) else ()
    command = next((text for text in texts if _PATCH not in text), "")[:_LONGEST_COMMAND]
    return "".join(sign if sign.isprintable() or sign == "\n" else " " for sign in command)


def _commands(tool: Mapping[str, Any]) -> Iterator[str]:
    for name in _COMMANDS:
        command = tool.get(name)
        text = " ".join(map(str, command[:100])) if isinstance(command, list) else command
        if isinstance(text, str):
            yield text[:_MOST_READ]


def tool_problem(given: Mapping[str, Any]) -> str:
    """The end of what a failed tool printed; empty if it did not fail."""
    if given.get("is_interrupt"):
        return ""
    if isinstance(given.get("error"), str):
        return _end(given["error"])
    for name in ("tool_response", "tool_result"):
        problem = _problem(given.get(name))
        if problem:
            return _end(problem)
    return ""


def _problem(response: object) -> str:
    if isinstance(response, str):
        return response if _FAILED.search(response[:_EDGE]) or _FAILED.search(response[-_EDGE:]) else ""
    if not isinstance(response, Mapping):
        return ""
    said = [response[name] for name in ("stderr", "stdout", "text_result_for_llm", "llmContent") if response.get(name)]
    text = "\n".join(part for part in said if isinstance(part, str))
    code = response.get("exit_code", response.get("exitCode"))
    failed = response.get("result_type") in ("failure", "error") or bool(response.get("error"))
    return text if failed or (isinstance(code, int) and code) else _problem(text)


def _end(text: str) -> str:
    """The last lines, which name the error, without what no question may hold."""
    text = text[-_LONGEST_PROBLEM:]
    return "".join(sign if sign.isprintable() or sign == "\n" else " " for sign in text).strip()
