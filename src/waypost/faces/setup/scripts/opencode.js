const TOOLS = ["read", "edit", "write", "patch", "multiedit", "apply_patch", "bash"]

export const Waypost = async ({ client, directory }) => {
  const sessions = new Map() // by id: whether a person talks in it
  try {
    prune()
  } catch {
    return {}
  }
  const payload = (session, event, more) => payloadOf(session, directory, event, more)

  async function isPersons(session) {
    const found = await client.session.get({ path: { id: session } })
    return !found?.data?.parentID
  }

  return {
    "chat.message": safely(async ({ sessionID }, output) => {
      const spoken = output.parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text)
      const prompt = spoken.join("\n")
      const texts = []
      if (!sessions.has(sessionID)) {
        sessions.set(sessionID, await isPersons(sessionID))
        const event = sessions.get(sessionID) ? "session-start" : "subagent-start"
        texts.push(await ask(event, payload(sessionID, event, { source: "startup" })))
      }
      if (sessions.get(sessionID)) {
        keep(sessionID, "user", output.message.id, prompt)
        texts.push(await ask("prompt", payload(sessionID, "prompt", { prompt })))
      }
      const text = texts.filter(Boolean).join("\n\n")
      if (!text) return
      const id = `prt_${Date.now().toString(16)}waypost${Math.random().toString(36).slice(2, 14)}`
      output.parts.push({ id, sessionID, messageID: output.message.id, type: "text", text, synthetic: true })
    }),

    "experimental.text.complete": safely(async ({ sessionID, partID }, output) => {
      if (sessions.get(sessionID)) keep(sessionID, "assistant", partID, output.text)
    }),

    "tool.execute.after": safely(async ({ tool, sessionID, args }, output) => {
      if (!TOOLS.includes(tool) || typeof output.output !== "string") return
      const response = { stdout: output.output.slice(-LONGEST), exit_code: output.metadata?.exit ?? 0 }
      const more = { tool_name: tool, tool_input: args ?? {}, tool_response: response }
      const text = await ask("post-tool", payload(sessionID, "post-tool", more))
      if (text) output.output += `\n\n${text}`
    }),

    "experimental.session.compacting": safely(async ({ sessionID }) => {
      await ask("pre-compact", payload(sessionID, "pre-compact", { trigger: "auto" }))
    }),

    event: safely(async ({ event }) => {
      const session = event.properties?.sessionID
      if (event.type === "session.idle" && sessions.get(session)) leave("turn-end", payload(session, "turn-end"))
    }),

    dispose: safely(async () => {
      for (const [session, persons] of sessions) if (persons) leave("session-end", payload(session, "session-end"))
    }),
  }
}
