/** Runs the cases of the suite through the real Claude Code. */
import { createHash } from 'node:crypto'
import type { Options, SDKMessage } from '@anthropic-ai/claude-agent-sdk'
import {
  type AdapterHarness,
  type Conversation,
  type ConversationResult,
  type SeenPrompt,
} from '@spillway-internal/adapter-suite'
import { RETRIEVAL_TOOL_NAME } from '@spillway/core'
import { offloadOptions } from '../src/index.ts'
import { serverOf } from './case-tools.ts'
import { readTranscript, runClaude, withClaudeHome, writeTranscript } from './claude-code.ts'
import { GAPS } from './gaps.ts'
import { readPrompt } from './read-prompt.ts'

/** A session to continue, with the file in which Claude Code stores it. */
interface History {
  readonly sessionId: string
  readonly transcript: string
}

/** Largest number of parallel runs, because each run starts a process that needs a whole core. */
const MAX_AT_ONCE = 3
let running = 0
const waiting: (() => void)[] = []

const NAME = 'offloadOptions with query'

/** Ways to use the adapter, by name. */
export const harnesses: Readonly<Record<string, AdapterHarness>> = {
  [NAME]: { name: NAME, gaps: GAPS, moduleUrl: import.meta.url, provider: 'anthropic', run: inTurn },
}

async function inTurn(conversation: Conversation): Promise<ConversationResult> {
  if (running >= MAX_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
  running += 1
  try {
    return await run(conversation)
  } finally {
    running -= 1
    waiting.shift()?.()
  }
}

/** Messages of the SDK for an aborted run. Its timing decides which of them the error has. */
const ABORTED: ReadonlySet<string> = new Set(['Operation aborted', 'Claude Code process aborted by user'])

async function run(conversation: Conversation): Promise<ConversationResult> {
  const { offloader, session, tools, model, history, signal, approve, userMessage } = conversation
  const before = history as History | undefined
  const sessionId = before?.sessionId ?? uuidOf(session)
  const prompts: SeenPrompt[] = []
  const approvalsAsked: string[] = []
  const outputs: { toolCallId: string; output: unknown }[] = []
  let text: string | undefined
  let error: unknown

  const mine: Options = {
    ...(before === undefined ? { sessionId } : { resume: sessionId }),
    tools: [],
    mcpServers: Object.fromEntries(tools.map((tool) => [tool.name, serverOf(tool)])),
    allowedTools: tools.flatMap(({ name, needsApproval }) => (needsApproval === true ? [] : [`mcp__${name}__${name}`])),
    abortController: linkedController(signal),
    // Without this variable, tools would have longer names for the model than in the cases.
    env: { CLAUDE_AGENT_SDK_MCP_NO_PREFIX: '1', MAX_MCP_OUTPUT_TOKENS: '100000000' },
    ...(approve !== undefined && {
      canUseTool: async (toolName, input) => {
        approvalsAsked.push(toolName)
        return approve(toolName)
          ? { behavior: 'allow', updatedInput: input }
          : { behavior: 'deny', message: 'The user said no.' }
      },
    }),
  }
  const scope = ({ session_id: id }: { readonly session_id: string }): readonly string[] => {
    if (id !== sessionId) throw new Error(`A hook was told the session ${id}, and it is ${sessionId}.`)
    return [session]
  }
  return withClaudeHome(async (home) => {
    if (before !== undefined) await writeTranscript(home, sessionId, before.transcript)
    try {
      await runClaude({
        ...home,
        ...(userMessage !== undefined && { prompt: userMessage }),
        options: offloader === undefined ? mine : offloadOptions(mine, offloader, { scope }),
        model: (request) => {
          prompts.push(readPrompt(request))
          return model(readPrompt(request), prompts.length - 1)
        },
        onMessage(message) {
          if (message.type === 'result' && message.subtype === 'success') text = message.result
          outputs.push(...outputsIn(message).filter(({ toolName }) => !toolName.endsWith(RETRIEVAL_TOOL_NAME)))
        },
      })
    } catch (thrown) {
      const isAbort = thrown instanceof Error && ABORTED.has(thrown.message)
      error = isAbort ? new Error('The run was aborted.') : (thrown ?? new Error('The run rejected with nothing.'))
      text = undefined
    }
    const transcript = await readTranscript(home, sessionId)
    return { prompts, text, error, outputs, approvalsAsked, history: { sessionId, transcript } satisfies History }
  })
}

function outputsIn(message: SDKMessage): { toolCallId: string; toolName: string; output: unknown }[] {
  if (message.type !== 'user' || typeof message.message.content === 'string') return []
  return message.message.content.flatMap((block) =>
    block.type === 'tool_result'
      ? [{ toolCallId: block.tool_use_id, toolName: '', output: message.tool_use_result ?? block.content }]
      : [],
  )
}

/** Names of Claude Code sessions are UUIDs. */
function uuidOf(session: string): string {
  const hex = createHash('sha256').update(session).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

function linkedController(signal: AbortSignal | undefined): AbortController {
  const controller = new AbortController()
  if (signal?.aborted === true) controller.abort(signal.reason)
  signal?.addEventListener('abort', () => controller.abort(signal.reason), { once: true })
  return controller
}
