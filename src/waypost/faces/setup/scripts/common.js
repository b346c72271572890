import { spawn } from "node:child_process"
import { appendFileSync, closeSync, mkdirSync, openSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"

const PROGRAM = {program}
const DATA = {home}
const SECONDS = {seconds}
const AGENT = {agent}

const FOLDER = join(process.env.XDG_DATA_HOME || join(homedir(), ".local", "share"), AGENT, "waypost")
const KEPT = 7 * 86400 * 1000 // milliseconds
const ENVIRONMENT = DATA ? { ...process.env, WAYPOST_HOME: DATA } : process.env
const LONGEST = 20000 // characters of a tool's output that a hook gets

const transcript = (session) => join(FOLDER, `${session.replace(/[^A-Za-z0-9_-]/g, "")}.jsonl`)

/** Keep what was said, so that it is saved even if the agent is killed. */
function keep(session, role, id, text) {
  if (!text.trim()) return
  const line = JSON.stringify({ session, role, id, content: text, time: new Date().toISOString() })
  appendFileSync(transcript(session), line + "\n", { mode: 0o600 })
}

/** Run a hook. Returns its text for the model, or "" if it has none or fails. */
function ask(event, payload) {
  return new Promise((resolve) => {
    let output = ""
    const hook = spawn(PROGRAM, [event, "--agent", AGENT], { env: ENVIRONMENT, stdio: ["pipe", "pipe", "ignore"] })
    const timer = setTimeout(() => hook.kill("SIGKILL"), SECONDS[event] * 1000)
    const done = () => {
      clearTimeout(timer)
      try {
        resolve(JSON.parse(output).additionalContext || "")
      } catch {
        resolve("")
      }
    }
    hook.on("error", done)
    hook.on("close", done)
    hook.stdin.on("error", () => {})
    hook.stdout.on("data", (piece) => (output += piece))
    hook.stdin.end(JSON.stringify(payload))
  })
}

/** Start a hook that goes on when the agent ends. */
function leave(event, payload) {
  const given = join(FOLDER, `${event}-${process.pid}.json`)
  writeFileSync(given, JSON.stringify(payload), { mode: 0o600 })
  const input = openSync(given, "r")
  const options = { env: ENVIRONMENT, detached: true, stdio: [input, "ignore", "ignore"] }
  const hook = spawn(PROGRAM, [event, "--agent", AGENT], options)
  hook.on("error", () => {})
  hook.unref()
  closeSync(input)
  rmSync(given, { force: true })
}

function prune() {
  mkdirSync(FOLDER, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(FOLDER)) {
    const path = join(FOLDER, name)
    if (Date.now() - statSync(path).mtimeMs > KEPT) rmSync(path, { force: true })
  }
}

const payloadOf = (session, cwd, event, more = {}) => ({
  session_id: session,
  cwd,
  hook_event_name: event,
  transcript_path: transcript(session),
  ...more,
})

/** No failure of ours may stop the agent. */
const safely = (work) => async (...given) => {
  try {
    return await work(...given)
  } catch {
    return undefined
  }
}

