/**
 * An agent that finds out what happened to an order, in a server log that is far too large for a prompt.
 *
 * `node agent.ts` runs offline, with a model that follows a script. With AI_GATEWAY_API_KEY set, a real model does the
 * work: AI_MODEL names it, such as `openai/gpt-5`.
 */
import { offloadPrepareStep, offloadTools } from '@spillway/ai-sdk'
import { ContextOffloader, estimateTokens } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { isStepCount, tool, ToolLoopAgent, type LanguageModel } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { z } from 'zod'

type Generate = MockLanguageModelV4['doGenerate']
type Prompt = Parameters<Generate>[0]['prompt']
type Content = Awaited<ReturnType<Generate>>['content']

/** Read a log: 4,000 lines, one for each order. */
const readLog = tool({
  description: 'Read the log of a service.',
  inputSchema: z.object({ service: z.string() }),
  execute: async ({ service }) =>
    Array.from({ length: 4_000 }, (_, line) => {
      const order = `${time(line)} INFO ${service} order=${2_000 + line}`
      return line === 2_711
        ? `${order} declined: the certificate of pay.example.com has expired`
        : `${order} paid in ${(line * 37) % 90} ms`
    }).join('\n'),
})

/** The result of a run. */
export interface Diagnosis {
  /** The final answer of the agent. */
  readonly answer: string
  /** The result of each tool call that the model got, and the original result. */
  readonly results: readonly {
    readonly toolName: string
    readonly seen: string
    readonly tokens: { readonly seen: number; readonly returned: number }
  }[]
  /** Tokens kept out of the context, minus the tokens of previews and answers. */
  readonly netTokens: number
}

/** Run the agent in a separate session. */
export async function diagnose(model: LanguageModel, sessionId: string): Promise<Diagnosis> {
  const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
  const session = offloader.forScope(sessionId)
  const agent = new ToolLoopAgent({
    model,
    instructions: 'Answer from the logs. Search them rather than reading them whole.',
    tools: offloadTools({ readLog }, session),
    prepareStep: offloadPrepareStep(session),
    stopWhen: isStepCount(10),
  })
  const { text, steps, responseMessages } = await agent.generate({ prompt: 'Why was order 4711 not paid?' })

  const returned = new Map(steps.flatMap(({ toolResults }) => toolResults.map((one) => [one.toolCallId, one.output])))
  const results = resultsIn(responseMessages).map(({ toolCallId, toolName, output }) => {
    const seen = textOf(output)
    const original = returned.get(toolCallId)
    const full = toolName === 'readLog' && typeof original === 'string' ? original : seen
    return { toolName, seen, tokens: { seen: estimateTokens(seen), returned: estimateTokens(full) } }
  })
  return { answer: text, results, netTokens: offloader.meter().tokensNet }
}

/** Return the model that the environment names, otherwise an offline model that searches with shown references. */
export function chooseModel(environment: NodeJS.ProcessEnv): LanguageModel {
  if (environment['AI_GATEWAY_API_KEY']) return environment['AI_MODEL'] ?? 'anthropic/claude-sonnet-4.5'
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const content = nextTurn(prompt)
      const unified = content.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop'
      return { content, finishReason: { unified, raw: unified }, usage: NO_USAGE, warnings: [] }
    },
  })
}

/** Return the next action: read the log, then search it, then read around the matching line, then answer. */
function nextTurn(prompt: Prompt): Content {
  const results = resultsIn(prompt).map(({ output }) => textOf(output))
  const reference = /^ {2}(\S+) \(text/m.exec(results[0] ?? '')?.[1]
  const found = Number(/^> *(\d+)\|/m.exec(results[1] ?? '')?.[1])
  if (results.length === 0) return call('readLog', { service: 'checkout' })
  if (results.length === 1)
    return call('retrieve_offloaded_content', { reference, pattern: 'order=4711', context_lines: 0 })
  if (results.length === 2) {
    const lineRange = { start: found - 2, end: found + 2 }
    return call('retrieve_offloaded_content', { reference, line_range: lineRange })
  }
  const [, cause = 'nothing was found'] = /order=4711 declined: (.*)/.exec(results[2] ?? '') ?? []
  return [{ type: 'text', text: `Line ${found} of the log says why: ${cause}.` }]

  function call(toolName: string, input: object): Content {
    return [{ type: 'tool-call', toolCallId: `call_${results.length}`, toolName, input: JSON.stringify(input) }]
  }
}

const NO_USAGE = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
}

interface ToolResult {
  readonly type: 'tool-result'
  readonly toolCallId: string
  readonly toolName: string
  readonly output: { readonly type: string; readonly value?: unknown }
}

/** Return the tool results in messages that a model gets now or in the next step. */
function resultsIn(messages: readonly { readonly role: string; readonly content: unknown }[]): ToolResult[] {
  const parts = messages.flatMap(({ role, content }) => (role === 'tool' ? (content as ToolResult[]) : []))
  return parts.filter(({ type }) => type === 'tool-result')
}

function textOf({ value }: ToolResult['output']): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function time(line: number): string {
  return new Date(Date.UTC(2026, 0, 1) + line * 1_000).toISOString()
}

if (process.argv[1] === import.meta.filename) {
  const { answer, results, netTokens } = await diagnose(chooseModel(process.env), crypto.randomUUID())
  for (const { toolName, seen, tokens } of results) {
    const instead = tokens.returned > tokens.seen ? ` in place of ${tokens.returned}` : ''
    console.log(`--- ${toolName}: the model sees ${tokens.seen} tokens${instead}\n\n${seen}\n`)
  }
  console.log(`--- answer\n\n${answer}\n\n${netTokens} tokens were kept out of the context.`)
}
