/**
 * An agent that finds out why a deployment failed, from a log that is far too large for a prompt. It prints the prompt
 * of each model call, and the tokens that the log would have cost without Spillway.
 *
 * `node agent.ts` runs offline, with a model that follows a script. With OPENAI_API_KEY set, a real model does the work.
 * OPENAI_MODEL names another model than the default.
 */
import type { ToolCall, ToolCallLLM } from '@llamaindex/core/llms'
import { tool } from '@llamaindex/core/tools'
import { OpenAI } from '@llamaindex/openai'
import { multiAgent } from '@llamaindex/workflow'
import { ContextOffloader, estimateTokens } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { OffloadAgent } from './offload-agent.ts'
import { resultsIn, ScriptedLlm, textOf, type Message } from './scripted-llm.ts'

const LOG = Array.from({ length: 12_000 }, (_, line) =>
  line === 8_642
    ? `${line} deploy worker-7: quota exceeded for disk "builds": 512 GB of 512 GB used`
    : `${line} deploy worker-${line % 12}: step finished in ${(line * 7) % 900} ms`,
).join('\n')

const readDeployLog = tool(async () => LOG, {
  name: 'read_deploy_log',
  description: 'Read the log of the last deployment.',
  parameters: { type: 'object', properties: {} },
})

/** A message of a prompt, and its tokens. */
export interface SeenMessage {
  readonly role: string
  readonly tokens: number
  readonly text: string
}

/** The result of a run. */
export interface Report {
  /** The final answer of the agent. */
  readonly answer: string
  /** Each prompt that the model got. */
  readonly prompts: readonly (readonly SeenMessage[])[]
  /** Tokens that the log would cost in each prompt. */
  readonly logTokens: number
}

/** Ask the agent why the deployment failed, in a separate conversation. */
export async function investigate(llm: ToolCallLLM, conversation: string): Promise<Report> {
  const offloader = new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: 20 }) })
  const investigator = new ObservedAgent(offloader.forScope(conversation), {
    name: 'investigator',
    llm,
    tools: [readDeployLog],
    systemPrompt: 'Find the cause of failures in logs. Answer in one sentence, and quote the line that shows it.',
  })
  // `agent()` does the same with an agent of LlamaIndex.
  const workflow = multiAgent({ agents: [investigator], rootAgent: investigator })
  const { data } = await workflow.run('Why did the last deployment fail?')
  return { answer: textOf(data.result), prompts: investigator.prompts, logTokens: estimateTokens(LOG) }
}

/** Return OpenAI's model if a key is set, otherwise a model that follows a script. */
export function chooseModel(environment: NodeJS.ProcessEnv): ToolCallLLM {
  const { OPENAI_API_KEY: apiKey, OPENAI_MODEL: model = 'gpt-5' } = environment
  // By default, LlamaIndex sets a temperature that newer models refuse.
  return apiKey ? new OpenAI({ model, apiKey, temperature: 1 }) : new ScriptedLlm(readThenSearch)
}

/** Records the prompts of the model. */
class ObservedAgent extends OffloadAgent {
  readonly prompts: SeenMessage[][] = []

  override async takeStep(...step: Parameters<OffloadAgent['takeStep']>): ReturnType<OffloadAgent['takeStep']> {
    const [, { scratchpad }, messages] = step
    this.prompts.push([...messages, ...scratchpad].map(describe))
    return await super.takeStep(...step)
  }
}

/** Reads the log, searches it with its reference, and quotes the matching line. */
function readThenSearch(messages: readonly Message[]): ToolCall[] | string {
  const [shown, found] = resultsIn(messages)
  if (shown === undefined) return [{ id: 'call_1', name: 'read_deploy_log', input: {} }]
  if (found === undefined) {
    const [, reference = ''] = /^ {2}(call_1_\w+) \(/m.exec(shown) ?? []
    const input = { reference, pattern: 'quota|error|failed', context_lines: 1 }
    return [{ id: 'call_2', name: 'retrieve_offloaded_content', input }]
  }
  const [, line = 'nothing'] = /^> *\d+\| (.*)$/m.exec(found) ?? []
  return `The deployment failed as a disk was full: "${line}".`
}

function describe({ role, content, options = {} }: Message): SeenMessage {
  const calls = 'toolCall' in options ? options.toolCall : []
  const called = calls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`)
  const text = [textOf(content), ...called].join('\n').trim()
  return { role: 'toolResult' in options ? 'tool' : role, tokens: estimateTokens(text), text }
}

if (process.argv[1] === import.meta.filename) {
  const { answer, prompts, logTokens } = await investigate(chooseModel(process.env), new Date().toISOString())
  let known = 0
  for (const [index, prompt] of prompts.entries()) {
    const tokens = prompt.reduce((sum, message) => sum + message.tokens, 0)
    console.log(`\n=== Model call ${index + 1}: ${tokens} tokens; the log alone has ${logTokens} ===`)
    for (const message of prompt.slice(known))
      console.log(`\n[${message.role}, ${message.tokens} tokens]\n${message.text}`)
    known = prompt.length
  }
  console.log(`\n=== The answer ===\n\n${answer}`)
}
