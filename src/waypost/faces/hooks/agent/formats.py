"""The input that each agent gives to a hook, and the output format that it takes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from waypost.faces.hooks.agent.tool_input import tool_command, tool_files, tool_problem
from waypost.text.fence import without_agent_tags
from waypost.text.plural import counted

Event = Literal[
    "session-start", "subagent-start", "prompt", "pre-tool", "post-tool", "turn-end", "session-end", "pre-compact"
]
EVENTS: tuple[Event, ...] = get_args(Event)

MOST_CHARACTERS = 10_000  # of all that a hook says: longer answers are cut or put aside by agents
_LONGEST_NAME = 4096  # of a path or of a session's id
_PROMPT_HEAD, _PROMPT_TAIL = 2000, 1000  # what is asked stands before or behind what was pasted
_GAP = "\n…\n"
_HOOK_CONTEXT = ("<hook_context>", "</hook_context>")


@dataclass(frozen=True, slots=True)
class AgentFormat:
    """Where an agent puts what we need, by names with dots for what lies deeper; the first that is there counts.

    `context` has the agent's own names of the events at which it takes words for its model. `flat`: the member of the
    answer that has the words, for agents that read them there. `nested`: they also read a part that names the event. `compacts_at`: the
    sources of a compaction that the agent means; others may be tries that come to nothing. `rewrites`: events at which the
    agent takes no words, but another prompt of the tool.
    """

    session: tuple[str, ...] = ("session_id", "sessionId")
    cwd: tuple[str, ...] = ("cwd",)
    prompt: tuple[str, ...] = ("prompt",)
    transcript: tuple[str, ...] = ("transcript_path", "transcriptPath")
    source: tuple[str, ...] = ("source", "trigger")
    context: Mapping[Event, str] = field(default_factory=dict)
    flat: str = ""
    nested: bool = True
    shows_line: bool = False
    compacts_at: tuple[str, ...] = ()  # all
    loses_killed: bool = False  # when it starts, it deletes the transcript of a session that was killed
    rewrites: frozenset[Event] = frozenset()


_CLAUDE = AgentFormat(
    context={
        "session-start": "SessionStart",
        "subagent-start": "SubagentStart",
        "prompt": "UserPromptSubmit",
        "pre-tool": "PreToolUse",
        "post-tool": "PostToolUse",
    },
    shows_line=True,
)

# Our own script asks, and puts the words where the agent takes them: that is nowhere before a tool runs.
_SCRIPT = AgentFormat(
    context={
        "session-start": "session-start",
        "subagent-start": "subagent-start",
        "prompt": "prompt",
        "post-tool": "post-tool",
    },
    flat="additionalContext",
    nested=False,
)

AGENTS: Mapping[str, AgentFormat] = {
    "claude-code": _CLAUDE,
    "codex": _CLAUDE,  # its transcript may be null
    # It drops the words of hooks before a tool and at the start of a sub-agent: they come with the first result of a tool.
    "qwen": AgentFormat(
        context={"session-start": "SessionStart", "prompt": "UserPromptSubmit", "post-tool": "PostToolUse"},
        shows_line=True,
    ),
    "vscode": _CLAUDE,  # documented for the start of a session only; what it does not know at a prompt it ignores
    # The terminal reads one form or the other, VS Code the nested one, both with the same hooks.
    "copilot": AgentFormat(context=_CLAUDE.context, flat="additionalContext"),
    "gemini": AgentFormat(
        context={
            "session-start": "SessionStart",
            "subagent-start": "BeforeTool",
            "prompt": "BeforeAgent",
            "post-tool": "AfterTool",
        },
        shows_line=True,
        rewrites=frozenset(("subagent-start",)),
        compacts_at=("manual",),  # it announces a compaction before every request to the model
        loses_killed=True,
    ),
    "cursor": AgentFormat(
        session=("conversation_id", "session_id"),
        cwd=("workspace_roots.0", "cwd"),
        context={"session-start": "sessionStart", "prompt": "beforeSubmitPrompt"},
        flat="additional_context",
        nested=False,
    ),
    "kimi": AgentFormat(
        prompt=("prompt.0.text", "prompt.1.text", "prompt"),
        transcript=(),
        context={"prompt": "UserPromptSubmit"},
        flat="message",
        nested=False,
    ),
    "opencode": _SCRIPT,
    "pi": _SCRIPT,
    "windsurf": AgentFormat(  # takes no words from a hook, only gives its turns
        session=("trajectory_id",),
        cwd=("tool_info.cwd", "cwd"),
        prompt=("tool_info.user_prompt",),
        transcript=("tool_info.transcript_path",),
    ),
}


@dataclass(frozen=True, slots=True)
class HookInput:
    """An event of any agent. Fields that the agent did not send are empty."""

    event: Event
    agent: str
    session: str = ""
    cwd: str = ""
    prompt: str = ""
    transcript: str = ""
    source: str = ""  # why a session starts: startup, resume, clear or compact; who compacts it: auto or manual
    files: str = ""  # that a tool reads or changes, one on a line
    command: str = ""  # that a tool runs
    problem: str = ""  # why a tool failed
    event_name: str = ""  # the agent's own
    at: str = ""  # when a prompt was sent whose transcript is gone
    subagent: str = ""  # the id of the sub-agent that uses the tool or starts
    tool_input: Mapping[str, Any] = field(default_factory=dict, compare=False)  # of this process only

    @property
    def context_id(self) -> str:
        """Identifies what shares a context: a sub-agent does not see what its session has seen."""
        return f"{self.session}\0{self.subagent}" if self.session and self.subagent else self.session

    @property
    def may_brief_subagent(self) -> bool:
        """Whether a sub-agent gets its briefing with the result of a tool, since its agent takes none at its start."""
        return bool(self.subagent) and self.event == "post-tool" and "subagent-start" not in AGENTS[self.agent].context

    @property
    def starts_afresh(self) -> bool:
        """Whether the agent has lost the context of this session."""
        if self.event == "pre-compact":
            return self.compacts
        return self.event == "session-start" and self.source in ("clear", "compact")

    @property
    def compacts(self) -> bool:
        meant = AGENTS[self.agent].compacts_at
        return self.event == "pre-compact" and (not meant or self.source in meant)

    @property
    def greets_at_prompt(self) -> bool:
        """Whether the agent takes no text at the start of a session: its first prompt brings the greeting."""
        return self.event == "prompt" and "session-start" not in AGENTS[self.agent].context

    @property
    def takes_context(self) -> bool:
        return self.event in AGENTS[self.agent].context

    def to_json(self) -> dict[str, str]:
        return {name: getattr(self, name) for name in self.__slots__ if name != "tool_input"}

    @classmethod
    def of(cls, given: object) -> "HookInput | None":
        """What `to_json` made; None for anything else."""
        if not isinstance(given, dict) or given.get("event") not in EVENTS or given.get("agent") not in AGENTS:
            return None
        values: dict[str, Any] = {name: given.get(name, "") for name in cls.__slots__ if name != "tool_input"}
        if not all(isinstance(value, str) and len(value) <= _LONGEST_NAME for value in values.values()):
            return None
        return cls(**values)


def read_input(event: Event, agent: str, raw: bytes) -> HookInput | None:
    """What an agent wrote to the hook; None for what is no JSON object. Members of the wrong sort count as missing."""
    form = AGENTS[agent]
    try:
        given = json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(given, dict):
        return None
    return HookInput(
        event,
        agent,
        session=_short(given, form.session),
        cwd=_short(given, form.cwd),
        prompt=_within_reason(_without_hook_context(_text(given, form.prompt))),
        transcript=_short(given, form.transcript),
        source=_short(given, form.source),
        files="\n".join(tool_files(given)) if event in ("pre-tool", "post-tool") else "",
        command=tool_command(given) if event in ("pre-tool", "post-tool") else "",
        problem=tool_problem(given) if event == "post-tool" else "",
        event_name=_short(given, ("hook_event_name",)),
        subagent=_short(given, ("agent_id",)),
        tool_input=given["tool_input"] if isinstance(given.get("tool_input"), dict) else {},
    )


def render_answer(
    event: Event,
    agent: str,
    text: str,
    *,
    event_name: str = "",
    memories: int = 0,
    tool_input: Mapping[str, Any] | None = None,
) -> str:
    """The text in the agent's format. Empty if there is no text, or if the agent takes no text at this event.

    `memories`: how many are in it. Agents that can show the person a line say so. `tool_input`: of the tool that starts
    a sub-agent, for agents that take the text as part of its prompt.
    """
    form = AGENTS[agent]
    name = form.context.get(event)
    if not text or name is None:
        return ""
    name = event_name or name
    if event in form.rewrites:
        return _rewritten(name, tool_input or {}, text)
    answer: dict[str, Any] = {form.flat: text} if form.flat else {}
    if form.nested:
        answer["hookSpecificOutput"] = {"hookEventName": name, "additionalContext": text}
    elif event == "prompt":
        answer["continue"] = True
    if memories and form.shows_line:
        answer["systemMessage"] = f"Waypost: {counted(memories, 'memory', 'memories')}"
    return json.dumps(answer, ensure_ascii=False)


def _rewritten(name: str, tool_input: Mapping[str, Any], text: str) -> str:
    """An answer with the text at the end of the tool's prompt. Empty if the tool has no prompt."""
    prompt = tool_input.get("prompt")
    if not isinstance(prompt, str):
        return ""
    changed = {**tool_input, "prompt": f"{prompt}\n\n{text}"}
    return json.dumps({"hookSpecificOutput": {"hookEventName": name, "tool_input": changed}}, ensure_ascii=False)


def _text(given: Mapping[str, Any], names: tuple[str, ...]) -> str:
    for name in names:
        value: Any = given
        for part in name.split("."):
            if isinstance(value, list):
                value = value[int(part)] if part.isdigit() and int(part) < len(value) else None
            else:
                value = value.get(part) if isinstance(value, dict) else None
        if isinstance(value, str) and value:
            return value
    return ""


def _short(given: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """One line; what is longer than any path, or cannot be one, was not said."""
    text = _text(given, names)
    return text if len(text) <= _LONGEST_NAME and text.isprintable() else ""


def _without_hook_context(prompt: str) -> str:
    """The prompt without what hooks said before: Gemini CLI puts that first, with its angle brackets escaped."""
    while prompt.startswith(_HOOK_CONTEXT[0]) and _HOOK_CONTEXT[1] in prompt:
        prompt = prompt.partition(_HOOK_CONTEXT[1])[2].lstrip()
    return prompt


def _within_reason(prompt: str) -> str:
    """The beginning and the end, without what no question may hold."""
    if len(prompt) > _PROMPT_HEAD + _PROMPT_TAIL:
        prompt = prompt[:_PROMPT_HEAD] + _GAP + prompt[-_PROMPT_TAIL:]
    return "".join(sign if sign.isprintable() or sign in "\n\t" else " " for sign in prompt).strip()


@dataclass(frozen=True, slots=True)
class HookOutput:
    """Text for an agent, and the keys of the memories in it, one line each, in order."""

    text: str = ""
    keys: tuple[str, ...] = ()
    memories: int = 0

    def to_json(self) -> dict[str, Any]:
        return {"text": self.text, "keys": list(self.keys), "memories": self.memories}


NOTHING = HookOutput()


def fitting(given: HookInput, telling: HookOutput) -> HookOutput:
    """The output, shortened to what an agent takes and made harmless to the format around it.

    Memories are left out from the end. Returns NOTHING if that is not enough.
    """
    text = without_agent_tags(telling.text)
    lines, keys = text.split("\n"), list(telling.keys)
    form = AGENTS[given.agent]
    most = MOST_CHARACTERS * (2 if form.flat and form.nested else 1)
    while len("\n".join(lines)) > most or len(render_answer(given.event, given.agent, "\n".join(lines))) > most:
        last = next((place for place in range(len(lines) - 1, -1, -1) if lines[place].startswith("- ")), None)
        if last is None or not keys:
            return NOTHING
        del lines[last]
        keys.pop()
    return HookOutput("\n".join(lines), tuple(keys), max(0, telling.memories - len(telling.keys) + len(keys)))


def read_telling(answer: dict[str, Any], given: HookInput) -> HookOutput | None:
    """The answer of another process, or None if an agent can't take it."""
    text, keys, memories = answer.get("text"), answer.get("keys"), answer.get("memories")
    if not isinstance(text, str) or not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        return None
    telling = HookOutput(text, tuple(keys), memories if isinstance(memories, int) else 0)
    return telling if fitting(given, telling) == telling else None
