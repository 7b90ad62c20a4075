/**
 * An agent that finds out why a deployment failed, from a log that is far too large for a prompt. It prints the prompt
 * of each model call, and the tokens that the log would have cost without Spillway.
 *
 * `node agent.ts` runs offline, with a model that follows a script. With OPENAI_API_KEY set, a real model does the work.
 * OPENAI_MODEL names another model than the default.
 */
import {
  Agent,
  MemorySession,
  Runner,
  tool,
  type AgentInputItem,
  type CallModelInputFilter,
  type Model,
} from '@openai/agents'
import { assistantMessage, functionCall, modelResponder, ScriptedModel } from '@openai/agents/testing'
import { ContextOffloader, estimateTokens } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { offloadRunner, offloadTools } from '@spillway/openai-agents'
import { z } from 'zod'

const LOG = Array.from({ length: 12_000 }, (_, line) =>
  line === 8_642
    ? `${line} deploy worker-7: quota exceeded for disk "builds": 512 GB of 512 GB used`
    : `${line} deploy worker-${line % 12}: step finished in ${(line * 7) % 900} ms`,
).join('\n')

const readDeployLog = tool({
  name: 'read_deploy_log',
  description: 'Read the log of the last deployment.',
  parameters: z.object({}),
  execute: async () => LOG,
})

/** An item of a model's input, and its tokens. */
export interface SeenItem {
  readonly type: string
  readonly tokens: number
  readonly text: string
}

/** The result of a run. */
export interface Report {
  /** The final answer of the agent. */
  readonly answer: string
  /** Each input that the model got. */
  readonly inputs: readonly (readonly SeenItem[])[]
  /** Tokens that the log would cost in each input. */
  readonly logTokens: number
}

/** Ask the agent why the deployment failed, in a separate session. */
export async function investigate(model: string | Model, sessionId: string): Promise<Report> {
  const offloader = new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: 20 }) })
  const agent = new Agent({
    name: 'Investigator',
    model,
    instructions: 'Find the cause of failures in logs. Answer in one sentence, and quote the line that shows it.',
    tools: offloadTools([readDeployLog], offloader),
  })
  const inputs: SeenItem[][] = []
  const observe: CallModelInputFilter = ({ modelData }) => {
    inputs.push(modelData.input.map(describe))
    return modelData
  }
  const runner = offloadRunner(new Runner({ callModelInputFilter: observe, tracingDisabled: true }), offloader)
  const session = new MemorySession({ sessionId })
  const { finalOutput } = await runner.run(agent, 'Why did the last deployment fail?', { session })
  return { answer: finalOutput ?? '', inputs, logTokens: estimateTokens(LOG) }
}

/** Return the name of OpenAI's model if a key is set, otherwise a model that follows a script. */
export function chooseModel(environment: NodeJS.ProcessEnv): string | Model {
  const { OPENAI_API_KEY: key, OPENAI_MODEL: name = 'gpt-5' } = environment
  if (key) return name
  const lastText = (input: string | AgentInputItem[]): string =>
    typeof input === 'string'
      ? input
      : input
          .slice(-1)
          .map((item) => describe(item).text)
          .join('')
  return new ScriptedModel([
    [functionCall('read_deploy_log', {}, { callId: 'call_1' })],
    modelResponder(({ request }) => {
      const [, reference = ''] = /^ {2}(call_1_\w+) \(/m.exec(lastText(request.input)) ?? []
      const input = { reference, pattern: 'quota|error|failed', context_lines: 1 }
      return [functionCall('retrieve_offloaded_content', input, { callId: 'call_2' })]
    }),
    modelResponder(({ request }) => {
      const [, line = 'nothing'] = /^> *\d+\| (.*)$/m.exec(lastText(request.input)) ?? []
      return [assistantMessage(`The deployment failed as a disk was full: "${line}".`)]
    }),
  ])
}

function describe(item: AgentInputItem): SeenItem {
  const text = textOf(item)
  return { type: item.type ?? 'message', tokens: estimateTokens(text), text }
}

function textOf(item: AgentInputItem): string {
  if (item.type === 'function_call') return `${item.name} ${item.arguments}`
  const content: unknown = 'output' in item ? item.output : 'content' in item ? item.content : item
  if (typeof content === 'string') return content
  return typeof content === 'object' && content !== null && 'text' in content
    ? String(content.text)
    : JSON.stringify(content)
}

if (process.argv[1] === import.meta.filename) {
  const { answer, inputs, logTokens } = await investigate(chooseModel(process.env), new Date().toISOString())
  let known = 0
  for (const [index, input] of inputs.entries()) {
    const tokens = input.reduce((sum, item) => sum + item.tokens, 0)
    console.log(`\n=== Model call ${index + 1}: ${tokens} tokens; the log alone has ${logTokens} ===`)
    for (const item of input.slice(known)) console.log(`\n[${item.type}, ${item.tokens} tokens]\n${item.text}`)
    known = input.length
  }
  console.log(`\n=== The answer ===\n\n${answer}`)
}
