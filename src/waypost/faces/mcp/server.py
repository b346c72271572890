"""The MCP server on the official SDK: tools, resources and prompts for one project.

Importing this module imports the SDK, which takes most of a second.
"""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import url2pathname

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from waypost.errors import WaypostError
from waypost.faces.guard.asgi import CALLER, named_space
from waypost.faces.guard.identity import TokenIdentity
from waypost.faces.mcp import prompts, resources, server_info
from waypost.faces.mcp.confirmation import AnswerableParams, Confirmation, Context, sendable
from waypost.faces.mcp.session import (
    AnswerNeeded,
    ServedCall,
    ServedProject,
    client_name,
    failed,
    log_crash,
    run_tool,
    unexpected,
)
from waypost.faces.mcp.tool import Cancelled, Tool, ToolReply
from waypost.faces.mcp.workers import Workers

_ROOTS_WITHIN = 3.0  # seconds for the client to list its roots; then the server's directory is used
_ROOTS = "roots"  # key of the roots in newer protocols

_T = TypeVar("_T")


def build_server(tools: Sequence[Tool], project: ServedProject) -> Server[Any]:
    """A server for one client, or for several if the project does not follow roots. Opens nothing before the first call."""
    served = _Served({tool.name: tool for tool in tools}, project, Workers())
    server: Server[Any] = Server(
        server_info.NAME,
        title=server_info.TITLE,
        version=server_info.VERSION,
        instructions=server_info.instructions(),
        on_list_tools=served.list_tools,
        on_call_tool=served.call_tool,
        on_list_resources=served.list_resources,
        on_list_resource_templates=served.list_templates,
        on_read_resource=served.read_resource,
        on_list_prompts=served.list_prompts,
        on_get_prompt=served.get_prompt,
        get_tool_input_schema=served.input_schema,
    )
    server.add_notification_handler("notifications/roots/list_changed", types.NotificationParams, served.roots_changed)
    return server


@dataclass(slots=True)
class _Served:
    tools: Mapping[str, Tool]
    project: ServedProject
    workers: Workers
    root: Path | None = None  # the client's root, once it was asked
    asked_for_root: bool = False
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    # -- listings -------------------------------------------------------------------------------------------

    async def list_tools(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult.model_validate({"tools": server_info.listing(self.tools.values())})

    async def list_resources(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        return types.ListResourcesResult.model_validate(
            {"resources": [dict(resource) for resource in resources.LISTED]}
        )

    async def list_templates(
        self, _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        rows = [dict(template) for template in resources.TEMPLATES]
        return types.ListResourceTemplatesResult.model_validate({"resourceTemplates": rows})

    async def list_prompts(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult.model_validate({"prompts": prompts.listing()})

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        tool = self.tools.get(name)
        return None if tool is None else tool.input_schema

    # -- calls ----------------------------------------------------------------------------------------------

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        tool = self.tools.get(params.name)
        if tool is None:
            names = ", ".join(self.tools)
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool {params.name[:60]!r}. Tools: {names}.")
        arguments = params.arguments or {}
        reply = await self._do(context, params, lambda call: run_tool(tool, call, arguments, self.project.home))
        if isinstance(reply, types.InputRequiredResult):
            return reply
        return _result(tool, reply)

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult | types.InputRequiredResult:
        resource = await self._do(
            context, params, lambda call: self._with_protocol_errors(partial(resources.read, call, params.uri))
        )
        if isinstance(resource, types.InputRequiredResult):
            return resource
        content = types.TextResourceContents(uri=params.uri, mime_type=resource.mime_type, text=sendable(resource.text))
        return types.ReadResourceResult(contents=[content])

    async def get_prompt(
        self, context: Context, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult | types.InputRequiredResult:
        arguments = params.arguments or {}
        filled = await self._do(
            context,
            params,
            lambda call: self._with_protocol_errors(partial(prompts.fill_in, call, params.name, arguments)),
        )
        if isinstance(filled, types.InputRequiredResult):
            return filled
        description, text = filled
        message = types.PromptMessage(role="user", content=types.TextContent(text=sendable(text)))
        return types.GetPromptResult(description=description, messages=[message])

    def _with_protocol_errors(self, read: Callable[[], _T]) -> _T:
        """Translate errors for resources and prompts, whose results cannot carry an error."""
        try:
            return read()
        except WaypostError as error:
            raise MCPError(types.INVALID_PARAMS, failed(error)) from error
        except Exception as error:
            log_crash(error, self.project.home)
            raise MCPError(types.INTERNAL_ERROR, unexpected(error)) from error

    async def _do(
        self, context: Context, params: AnswerableParams, work: Callable[[ServedCall], _T]
    ) -> _T | types.InputRequiredResult:
        """Run the work in a thread. It is stopped when the client cancels the request."""
        needed = await self._find_root(context, params)
        if needed is not None:
            return needed
        loop, identity = asyncio.get_running_loop(), _identity(context)
        asking = Confirmation(context, params, self.workers, loop)
        call = ServedCall(
            self.project,
            _actor(context),
            self.root,
            tell=lambda done, total, message: _from_thread(
                loop, context.session.report_progress(done, total, sendable(message) or None)
            ),
            ask=asking.ask,
        )
        if identity is not None:
            call.opens, call.person, call.speaks = identity.check_opens, identity.person, identity.check_speaks
            call.space = partial(identity.chosen_space, named_space(getattr(context.request, "scope", {})))

        def run_as_caller() -> _T:
            # Use this request's rights: the session's own task keeps the rights of the request that opened it.
            with nullcontext() if identity is None else identity.acting():
                return work(call)

        try:
            return await self.workers.run(run_as_caller)
        except AnswerNeeded as needs:
            return asking.needed(needs.question)
        except Cancelled as error:  # nobody waits for the answer; the SDK sends none
            raise MCPError(types.INTERNAL_ERROR, "The request was cancelled.") from error
        finally:
            call.stopped.set()
            asking.end()

    # -- the client's folder --------------------------------------------------------------------------------

    async def roots_changed(self, _: Context, __: types.NotificationParams | None) -> None:
        self.asked_for_root = False

    async def _find_root(self, context: Context, params: AnswerableParams) -> types.InputRequiredResult | None:
        """Ask the client once for its roots. Returns the question if the client must answer it first."""
        able = context.session.client_capabilities
        if not self.project.asks_for_roots or able is None or able.roots is None:
            return None
        async with self.asking:
            if self.asked_for_root:
                return None
            if context.protocol_version in MODERN_PROTOCOL_VERSIONS:
                roots = (params.input_responses or {}).get(_ROOTS)
                if roots is None:
                    return types.InputRequiredResult(input_requests={_ROOTS: types.ListRootsRequest()})
            else:
                roots = await _roots(context)
            self.asked_for_root = True
            self.root = _first_folder(roots) if isinstance(roots, types.ListRootsResult) else None
        return None


def _identity(context: Context) -> TokenIdentity | None:
    caller = getattr(context.request, "scope", {}).get(CALLER)
    return caller if isinstance(caller, TokenIdentity) else None


def _actor(context: Context) -> str:
    """The caller's name: over HTTP the token's agent, else the client's own name."""
    identity, client_params = _identity(context), context.session.client_params
    client = client_name(client_params and client_params.client_info.name)
    return client if identity is None else client_name(identity.agent(client))


async def _roots(context: Context) -> types.ListRootsResult | None:
    try:
        return await asyncio.wait_for(
            context.session.send_request(types.ListRootsRequest(), types.ListRootsResult), _ROOTS_WITHIN
        )
    except (TimeoutError, MCPError, ValidationError):  # use the server's directory
        return None


def _first_folder(listed: types.ListRootsResult) -> Path | None:
    for root in listed.roots:
        parts = urlsplit(str(root.uri))
        if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
            continue
        path = Path(url2pathname(parts.path))
        try:
            if path.is_absolute() and path.is_dir():
                return path
        except (OSError, ValueError):
            continue
    return None


# -- the wire -----------------------------------------------------------------------------------------------------


def _from_thread(loop: asyncio.AbstractEventLoop, sending: Any) -> None:
    try:
        asyncio.run_coroutine_threadsafe(sending, loop)
    except RuntimeError:  # the loop has ended: nobody listens
        sending.close()


def _result(tool: Tool, reply: ToolReply) -> types.CallToolResult:
    has_data = tool.structured and (bool(reply.data) or (tool.returns is not None and not reply.is_error))
    data = sendable(json.dumps(dict(reply.data), ensure_ascii=False, default=str)) if has_data else "null"
    return types.CallToolResult(
        content=[types.TextContent(text=sendable(reply.text))],
        structured_content=json.loads(data),
        is_error=reply.is_error,
    )
