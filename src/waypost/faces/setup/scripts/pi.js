const TOOLS = ["read", "edit", "write", "bash"]

const textOf = (content) =>
  typeof content === "string"
    ? content
    : (content ?? [])
        .filter((part) => part.type === "text")
        .map((part) => part.text)
        .join("\n")

export default function (pi) {
  let session = ""
  let greeting = ""
  const payload = (cwd, event, more) => payloadOf(session, cwd, event, more)

  pi.on("session_start", safely(async (event, ctx) => {
    prune()
    session = ctx.sessionManager.getSessionId()
    greeting = await ask("session-start", payload(ctx.cwd, "session-start", { source: event.reason ?? "startup" }))
  }))

  pi.on("before_agent_start", safely(async (event, ctx) => {
    keep(session, "user", `${Date.now()}`, event.prompt)
    const found = await ask("prompt", payload(ctx.cwd, "prompt", { prompt: event.prompt }))
    const content = [greeting, found].filter(Boolean).join("\n\n")
    greeting = ""
    return content ? { message: { customType: "waypost", content, display: false } } : undefined
  }))

  pi.on("tool_result", safely(async (event, ctx) => {
    if (!TOOLS.includes(event.toolName)) return undefined
    const response = { stdout: textOf(event.content).slice(-LONGEST), exit_code: event.isError ? 1 : 0 }
    const more = { tool_name: event.toolName, tool_input: event.input ?? {}, tool_response: response }
    const text = await ask("post-tool", payload(ctx.cwd, "post-tool", more))
    return text ? { content: [...event.content, { type: "text", text }] } : undefined
  }))

  pi.on("session_before_compact", safely(async (_event, ctx) => {
    await ask("pre-compact", payload(ctx.cwd, "pre-compact", { trigger: "auto" }))
  }))

  pi.on("agent_end", safely(async (event, ctx) => {
    for (const message of event.messages) {
      if (message.role === "assistant") keep(session, "assistant", `${message.timestamp}`, textOf(message.content))
    }
    leave("turn-end", payload(ctx.cwd, "turn-end"))
  }))

  pi.on("session_shutdown", safely(async (_event, ctx) => leave("session-end", payload(ctx.cwd, "session-end"))))
}
