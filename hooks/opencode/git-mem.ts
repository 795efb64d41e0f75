// Notes that matter for this step. To take this file out: git mem uninstall opencode
// OpenCode runs no hook commands, so this hands its events to one. It never throws, and an answer
// that takes longer than 2 seconds is no answer.
import { spawn } from "node:child_process"

const COMMAND = "git mem hook opencode"

function ask(event) {
  return new Promise((resolve) => {
    try {
      const child = spawn(COMMAND, { shell: true, cwd: event.cwd, stdio: ["pipe", "pipe", "ignore"] })
      const done = (context) => {
        clearTimeout(timer)
        child.kill("SIGKILL")
        child.stdin.destroy()
        child.stdout.destroy()
        resolve(context)
      }
      const timer = setTimeout(done, 2000, "")
      let answer = ""
      child.on("error", () => done(""))
      child.stdin.on("error", () => {})
      child.stdout.setEncoding("utf8").on("data", (text) => (answer += text)).on("end", () => {
        try {
          done(String(JSON.parse(answer).context ?? ""))
        } catch {
          done("")
        }
      })
      child.stdin.end(JSON.stringify(event))
    } catch {
      resolve("")
    }
  })
}

export const GitMem = async ({ directory }) => {
  const send = (name, input, fields) =>
    ask({ hook_event_name: name, session_id: input?.sessionID, cwd: directory, ...fields })
  const told = new Map() // session → what its system prompt says; that is made anew every time
  const start = (input, source) => [send("SessionStart", input, { source })]
  const texts = (input) => {
    const session = input?.sessionID
    if (!told.has(session)) told.set(session, start(input, "startup"))
    return told.get(session)
  }
  return {
    event: async (input) => {
      const { type, properties } = input?.event ?? {}
      if (type === "session.compacted") told.set(properties?.sessionID, start(properties, "compact"))
    },
    "chat.message": async (input, output) => {
      const prompt = (output?.parts ?? []).map((part) => part?.text ?? "").join("\n")
      texts(input).push(send("UserPromptSubmit", input, { prompt }))
    },
    "experimental.chat.system.transform": async (input, output) => {
      const found = (await Promise.all(texts(input))).filter(Boolean)
      if (Array.isArray(output?.system)) output.system.push(...found)
    },
    "tool.execute.after": async (input, output) => {
      const context = await send("PostToolUse", input, {
        tool_name: input?.tool,
        tool_input: input?.args,
        tool_response: { output: output?.output, exit: output?.metadata?.exit },
      })
      if (context && typeof output?.output === "string") output.output += `\n\n${context}`
    },
  }
}
