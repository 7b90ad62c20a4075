/**
 * An agent that finds out why a deployment failed, from a log that is far too large for a prompt. It prints the prompt
 * of each model call, and the tokens that the log would have cost without Spillway.
 *
 * `node agent.ts` runs offline, with a model that follows a script. With GEMINI_API_KEY set, a real model does the work.
 * GEMINI_MODEL names another model than the default.
 */
import {
  BaseLlm,
  BasePlugin,
  FunctionTool,
  Gemini,
  InMemorySessionService,
  isFinalResponse,
  LlmAgent,
  LogLevel,
  Runner,
  setLogLevel,
  stringifyContent,
  type LlmRequest,
  type LlmResponse,
} from '@google/adk'
import { ContextOffloader, estimateTokens } from '@spillway/core'
import { offloadPlugin } from '@spillway/google-adk'
import { InMemoryStorage } from '@spillway/memory'

// By default, ADK prints each event.
setLogLevel(LogLevel.ERROR)

const LOG = Array.from({ length: 12_000 }, (_, line) =>
  line === 8_642
    ? `${line} deploy worker-7: quota exceeded for disk "builds": 512 GB of 512 GB used`
    : `${line} deploy worker-${line % 12}: step finished in ${(line * 7) % 900} ms`,
).join('\n')

const readDeployLog = new FunctionTool({
  name: 'read_deploy_log',
  description: 'Read the log of the last deployment.',
  execute: async () => LOG,
})

/** A part of a prompt, and its tokens. */
export interface SeenPart {
  readonly role: string
  readonly tokens: number
  readonly text: string
}

/** The result of a run. */
export interface Report {
  /** The final answer of the agent. */
  readonly answer: string
  /** Each prompt that the model got. */
  readonly prompts: readonly (readonly SeenPart[])[]
  /** Tokens that the log would cost in each prompt. */
  readonly logTokens: number
}

/** Ask the agent why the deployment failed, in a separate session. */
export async function investigate(model: BaseLlm, sessionId: string): Promise<Report> {
  const offloader = new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: 20 }) })
  const agent = new LlmAgent({
    name: 'investigator',
    model,
    tools: [readDeployLog],
    instruction: 'Find the cause of failures in logs. Answer in one sentence, and quote the line that shows it.',
  })
  const observer = new PromptObserver('observer')
  const sessionService = new InMemorySessionService()
  const runner = new Runner({
    appName: 'deployments',
    agent,
    sessionService,
    // The offloader comes last, so that the plugins before it get the original results.
    plugins: [observer, offloadPlugin(offloader)],
  })
  await sessionService.createSession({ appName: 'deployments', userId: 'user-1', sessionId })
  const newMessage = { role: 'user', parts: [{ text: 'Why did the last deployment fail?' }] }
  let answer = ''
  for await (const event of runner.runAsync({ userId: 'user-1', sessionId, newMessage })) {
    if (event.errorMessage !== undefined) throw new Error(event.errorMessage)
    if (isFinalResponse(event)) answer = stringifyContent(event)
  }
  return { answer, prompts: observer.prompts, logTokens: estimateTokens(LOG) }
}

/** Return Google's model if a key is set, otherwise a model that follows a script. */
export function chooseModel(environment: NodeJS.ProcessEnv): BaseLlm {
  const { GEMINI_API_KEY: apiKey, GEMINI_MODEL: model = 'gemini-2.5-flash' } = environment
  return apiKey ? new Gemini({ model, apiKey }) : new ScriptedLlm({ model: 'scripted' })
}

type Part = NonNullable<LlmRequest['contents'][number]['parts']>[number]

/** Reads the log, searches it with its reference, and quotes the matching line. */
class ScriptedLlm extends BaseLlm {
  override async *generateContentAsync({ contents }: LlmRequest): AsyncGenerator<LlmResponse, void> {
    const results = contents.flatMap(({ parts = [] }) => parts.flatMap((part) => part.functionResponse ?? []))
    const last = String(results.at(-1)?.response?.['result'])
    yield { content: { role: 'model', parts: [this.#next(results.length, last)] } }
  }

  override async connect(): Promise<never> {
    throw new Error('This model has no live sessions.')
  }

  #next(results: number, last: string): Part {
    if (results === 0) return { functionCall: { id: 'call_1', name: 'read_deploy_log', args: {} } }
    if (results > 1) {
      const [, line = 'nothing'] = /^> *\d+\| (.*)$/m.exec(last) ?? []
      return { text: `The deployment failed as a disk was full: "${line}".` }
    }
    const [, reference = ''] = /^ {2}(call_1_\w+) \(/m.exec(last) ?? []
    const args = { reference, pattern: 'quota|error|failed', context_lines: 1 }
    return { functionCall: { id: 'call_2', name: 'retrieve_offloaded_content', args } }
  }
}

/** Records the prompts of the model. */
class PromptObserver extends BasePlugin {
  readonly prompts: SeenPart[][] = []

  override async beforeModelCallback({ llmRequest }: { llmRequest: LlmRequest }): Promise<undefined> {
    const { contents, config } = llmRequest
    const { systemInstruction: text } = config ?? {}
    const instruction = { role: 'system', parts: typeof text === 'string' ? [{ text }] : [] }
    this.prompts.push(
      [instruction, ...contents].flatMap(({ role = '', parts = [] }) => parts.map((part) => describe(role, part))),
    )
  }
}

function describe(role: string, { text, functionCall, functionResponse }: Part): SeenPart {
  const { result, error } = functionResponse?.response ?? {}
  const called = functionCall && `${functionCall.name} ${JSON.stringify(functionCall.args)}`
  const shown = text ?? called ?? String(result ?? error)
  return { role: functionResponse === undefined ? role : 'tool', tokens: estimateTokens(shown), text: shown }
}

if (process.argv[1] === import.meta.filename) {
  const { answer, prompts, logTokens } = await investigate(chooseModel(process.env), new Date().toISOString())
  let known = 0
  for (const [index, prompt] of prompts.entries()) {
    const tokens = prompt.reduce((sum, part) => sum + part.tokens, 0)
    console.log(`\n=== Model call ${index + 1}: ${tokens} tokens; the log alone has ${logTokens} ===`)
    for (const part of prompt.slice(known)) console.log(`\n[${part.role}, ${part.tokens} tokens]\n${part.text}`)
    known = prompt.length
  }
  console.log(`\n=== The answer ===\n\n${answer}`)
}
