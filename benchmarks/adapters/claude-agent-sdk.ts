/** Calls the hooks and the server of the Claude Agent SDK like the SDK, but without its process. */
import type { HookInput, Options } from '@anthropic-ai/claude-agent-sdk'
import { offloadOptions } from '@spillway/claude-agent-sdk'
import { RETRIEVAL_TOOL_NAME, type ContextOffloader } from '@spillway/core'
import { question, type Converse, type SeenMessage, type SeenPrompt } from './conversation.ts'

const SESSION = { session_id: 'session-1', transcript_path: '/session-1.jsonl', cwd: '/' }
const { signal } = new AbortController()

type Part = { readonly type: 'text'; readonly text: string }

/** Return the options of a query. The session has the scope of the offloader. */
export function optionsOf(session: ContextOffloader): Options {
  return offloadOptions({}, session, { scope: () => [] })
}

/** Run the hooks of an event. Returns the answer of the last hook. */
export async function runHooks(
  options: Options,
  event: 'PreToolUse' | 'PostToolUse',
  fields: object,
): Promise<unknown> {
  let answer: unknown
  for (const { hooks } of options.hooks?.[event] ?? [])
    for (const hook of hooks)
      answer = await hook({ hook_event_name: event, ...SESSION, ...fields } as HookInput, undefined, { signal })
  return answer
}

/** Run a conversation in which the tool `read_log` belongs to an MCP server. */
export function withOptions(session: ContextOffloader): Converse {
  return async (log, script, past = []) => {
    const options = optionsOf(session)
    const retrieve = await connect(options)
    // This cast is safe, because an earlier run of this file has saved the messages.
    const messages = [...(past as SeenMessage[]), { role: 'user', text: question(past) }]
    const prompts: SeenPrompt[] = []
    for (let index = 0; ; index += 1) {
      const prompt = [...messages]
      prompts.push(prompt)
      const turn = script(index, prompt)
      if (typeof turn === 'string') {
        messages.push({ role: 'assistant', text: turn })
        return { prompts, history: messages }
      }
      const id = `call_${past.length + index}`
      messages.push({ role: 'assistant', text: `${turn.name} ${JSON.stringify(turn.input)}` })
      const call = { tool_name: `mcp__logs__${turn.name}`, tool_use_id: id, tool_input: turn.input }
      await runHooks(options, 'PreToolUse', call)
      const result = turn.name === RETRIEVAL_TOOL_NAME ? await retrieve(id, turn.input) : [{ type: 'text', text: log }]
      const answer = await runHooks(options, 'PostToolUse', { ...call, tool_response: result })
      messages.push({ role: 'tool', text: textOf(answer, result as readonly Part[]) })
    }
  }
}

function textOf(answer: unknown, result: readonly Part[]): string {
  const { hookSpecificOutput: output } = answer as { hookSpecificOutput?: { updatedToolOutput: readonly Part[] } }
  return (output?.updatedToolOutput ?? result).map(({ text }) => text).join('\n')
}

interface Answer {
  readonly result: { readonly content: readonly Part[] }
}

interface Transport {
  onmessage?: (message: object) => void
  readonly start: () => Promise<void>
  readonly send: (message: Answer) => Promise<void>
}

/** Connect to the server of the retrieval tool, like the SDK. */
async function connect(options: Options): Promise<(toolUseId: string, input: unknown) => Promise<readonly Part[]>> {
  const server = options.mcpServers?.['spillway']
  if (server === undefined || !('instance' in server)) throw new Error('There is no server of the retrieval tool.')
  let answered: (message: Answer) => void = () => {}
  const transport: Transport = { start: async () => {}, send: async (message) => answered(message) }
  await server.instance.connect(transport as never)
  return async (toolUseId, input) =>
    new Promise((resolve) => {
      answered = ({ result }) => resolve(result.content)
      const params = { name: RETRIEVAL_TOOL_NAME, arguments: input, _meta: { 'claudecode/toolUseId': toolUseId } }
      transport.onmessage?.({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    })
}
