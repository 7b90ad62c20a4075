/**
 * An agent that finds out why a deployment failed, from a log that is far too large for a prompt. It prints the results
 * that the model got, and the tokens that were kept out of its context.
 *
 * `node agent.ts` runs offline, with a model that follows a script. With OPENAI_API_KEY set, a real model does the work.
 * OPENAI_MODEL names another model than the default.
 */
import { openai } from '@ai-sdk/openai'
import { ContextOffloader, estimateTokens } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { offloadHooks, offloadTools } from '@spillway/voltagent'
import { Agent, createTool, InMemoryStorageAdapter, Memory } from '@voltagent/core'
import type { LanguageModel } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { z } from 'zod'

type Generate = MockLanguageModelV3['doGenerate']
type Prompt = Parameters<Generate>[0]['prompt']
type Content = Awaited<ReturnType<Generate>>['content']

const LOG = Array.from({ length: 12_000 }, (_, line) =>
  line === 8_642
    ? `${line} deploy worker-7: quota exceeded for disk "builds": 512 GB of 512 GB used`
    : `${line} deploy worker-${line % 12}: step finished in ${(line * 7) % 900} ms`,
).join('\n')

const readDeployLog = createTool({
  name: 'read_deploy_log',
  description: 'Read the log of the last deployment.',
  parameters: z.object({}),
  execute: async () => LOG,
})

/** The result of a run. */
export interface Report {
  /** The final answer of the agent. */
  readonly answer: string
  /** The result of each tool call that the model got. */
  readonly results: readonly { readonly toolName: string; readonly seen: string; readonly tokens: number }[]
  /** Tokens that the log would cost in each prompt. */
  readonly logTokens: number
  /** Tokens kept out of the context, minus the tokens of previews and answers. */
  readonly netTokens: number
  /** Number of characters in the agent's memory of the conversation. */
  readonly memoryCharacters: number
}

/** Ask the agent why the deployment failed, in a separate conversation. */
export async function investigate(model: LanguageModel, conversationId: string): Promise<Report> {
  const offloader = new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: 20 }) })
  const memory = new Memory({ storage: new InMemoryStorageAdapter() })
  const agent = new Agent({
    name: 'investigator',
    instructions: 'Find the cause of failures in logs. Answer in one sentence, and quote the line that shows it.',
    model,
    memory,
    tools: offloadTools([readDeployLog], offloader),
    hooks: offloadHooks(offloader),
    maxSteps: 10,
  })
  const options = { userId: 'user-1', conversationId }
  const { text, response } = await agent.generateText('Why did the last deployment fail?', options)
  return {
    answer: text,
    results: resultsIn(response.messages).map((result) => ({ ...result, tokens: estimateTokens(result.seen) })),
    logTokens: estimateTokens(LOG),
    netTokens: offloader.meter().tokensNet,
    memoryCharacters: JSON.stringify(await memory.getMessages('user-1', conversationId)).length,
  }
}

/** Return OpenAI's model if a key is set, otherwise an offline model that searches with the shown references. */
export function chooseModel(environment: NodeJS.ProcessEnv): LanguageModel {
  const { OPENAI_API_KEY: key, OPENAI_MODEL: name = 'gpt-5' } = environment
  if (key) return openai(name)
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const content = nextTurn(prompt)
      const unified = content.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop'
      return { content, finishReason: { unified, raw: unified }, usage: NO_USAGE, warnings: [] }
    },
  })
}

/** Return the next action: read the log, then search it, then answer. */
function nextTurn(prompt: Prompt): Content {
  const [log, found] = resultsIn(prompt).map(({ seen }) => seen)
  if (log === undefined) return call('call_1', 'read_deploy_log', {})
  if (found === undefined) {
    const [, reference = ''] = /^ {2}(call_1_\w+) \(/m.exec(log) ?? []
    const input = { reference, pattern: 'quota|error|failed', context_lines: 1 }
    return call('call_2', 'retrieve_offloaded_content', input)
  }
  const [, line = 'nothing'] = /^> *\d+\| (.*)$/m.exec(found) ?? []
  return [{ type: 'text', text: `The deployment failed as a disk was full: "${line}".` }]
}

function call(toolCallId: string, toolName: string, input: object): Content {
  return [{ type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) }]
}

const NO_USAGE = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
}

interface ToolResult {
  readonly type: string
  readonly toolName: string
  readonly output: { readonly value?: unknown }
}

/** Return the results in messages, as the model gets them. */
function resultsIn(
  messages: readonly { readonly role: string; readonly content: unknown }[],
): { readonly toolName: string; readonly seen: string }[] {
  const parts = messages.flatMap(({ role, content }) => (role === 'tool' ? (content as ToolResult[]) : []))
  return parts
    .filter(({ type }) => type === 'tool-result')
    .map(({ toolName, output: { value } }) => ({
      toolName,
      seen: typeof value === 'string' ? value : JSON.stringify(value),
    }))
}

if (process.argv[1] === import.meta.filename) {
  const report = await investigate(chooseModel(process.env), new Date().toISOString())
  for (const { toolName, seen, tokens } of report.results) {
    const instead = toolName === 'read_deploy_log' ? ` in place of ${report.logTokens}` : ''
    console.log(`--- ${toolName}: the model sees ${tokens} tokens${instead}\n\n${seen}\n`)
  }
  console.log(`--- answer\n\n${report.answer}\n`)
  console.log(`${report.netTokens} tokens were kept out of the context.`)
  console.log(`The memory of the conversation has ${report.memoryCharacters} characters, the log ${LOG.length}.`)
  // VoltAgent's observability would keep the process running.
  process.exit()
}
