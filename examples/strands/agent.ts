/**
 * An agent that finds out why a deployment failed, from a log that is far too large for a prompt. It prints the prompt
 * of each model call, and the tokens that the log would have cost without Spillway.
 *
 * `node agent.ts` runs offline, with a model that follows a script. With AWS credentials in the environment, Amazon
 * Bedrock does the work. BEDROCK_MODEL names another model than the default.
 */
import { estimateTokens } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { ContextOffloader } from '@spillway/strands'
import {
  Agent,
  BedrockModel,
  BeforeModelCallEvent,
  Model,
  tool,
  type ContentBlock,
  type Message,
  type ModelStreamEvent,
} from '@strands-agents/sdk'
import { z } from 'zod'

const LOG = Array.from({ length: 12_000 }, (_, line) =>
  line === 8_642
    ? `${line} deploy worker-7: quota exceeded for disk "builds": 512 GB of 512 GB used`
    : `${line} deploy worker-${line % 12}: step finished in ${(line * 7) % 900} ms`,
).join('\n')

const readDeployLog = tool({
  name: 'read_deploy_log',
  description: 'Read the log of the last deployment.',
  inputSchema: z.object({}),
  callback: () => LOG,
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

/** Ask the agent why the deployment failed. */
export async function investigate(model: Model): Promise<Report> {
  const agent = new Agent({
    model,
    tools: [readDeployLog],
    plugins: [new ContextOffloader({ storage: new InMemoryStorage(), evictAfterCycles: 20 })],
    systemPrompt: 'Find the cause of failures in logs. Answer in one sentence, and quote the line that shows it.',
    printer: false,
  })
  const prompts: SeenMessage[][] = []
  agent.addHook(BeforeModelCallEvent, () => void prompts.push(agent.messages.map(describe)))
  const result = await agent.invoke('Why did the last deployment fail?')
  return { answer: String(result), prompts, logTokens: estimateTokens(LOG) }
}

/** Return a model of Amazon Bedrock if there are credentials, otherwise a model that follows a script. */
export function chooseModel(environment: NodeJS.ProcessEnv): Model {
  const { AWS_ACCESS_KEY_ID: id, AWS_PROFILE: profile, AWS_BEARER_TOKEN_BEDROCK: token } = environment
  if (!id && !profile && !token) return new ScriptedModel()
  const { BEDROCK_MODEL: modelId } = environment
  return new BedrockModel(modelId ? { modelId } : {})
}

/** Reads the log, searches it, and quotes the matching line. */
class ScriptedModel extends Model {
  override getConfig(): { modelId: string } {
    return { modelId: 'scripted' }
  }

  override updateConfig(): void {}

  override async *stream(messages: Message[]): AsyncGenerator<ModelStreamEvent> {
    const seen = describe(messages.at(-1)).text
    if (messages.length === 1) return yield* call('read_deploy_log', {})
    const [, reference] = /^ {2}(call_1_\w+) \(/m.exec(seen) ?? []
    if (reference !== undefined) {
      const input = { reference, pattern: 'quota|error|failed', context_lines: 1 }
      return yield* call('retrieve_offloaded_content', input)
    }
    const [, line = 'nothing'] = /^> *\d+\| (.*)$/m.exec(seen) ?? []
    yield { type: 'modelMessageStartEvent', role: 'assistant' }
    yield { type: 'modelContentBlockStartEvent' }
    const text = `The deployment failed as a disk was full: "${line}".`
    yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'textDelta', text } }
    yield { type: 'modelContentBlockStopEvent' }
    yield { type: 'modelMessageStopEvent', stopReason: 'endTurn' }
  }
}

function* call(name: string, input: object): Generator<ModelStreamEvent> {
  const toolUseId = name === 'read_deploy_log' ? 'call_1' : 'call_2'
  yield { type: 'modelMessageStartEvent', role: 'assistant' }
  yield { type: 'modelContentBlockStartEvent', start: { type: 'toolUseStart', name, toolUseId } }
  const delta = { type: 'toolUseInputDelta', input: JSON.stringify(input) } as const
  yield { type: 'modelContentBlockDeltaEvent', delta }
  yield { type: 'modelContentBlockStopEvent' }
  yield { type: 'modelMessageStopEvent', stopReason: 'toolUse' }
}

function describe(message: Message | undefined): SeenMessage {
  const { role = 'user', content = [] } = message ?? {}
  const text = content.map(textOf).join('\n')
  return { role, tokens: estimateTokens(text), text }
}

function textOf(block: ContentBlock): string {
  if (block.type === 'textBlock') return block.text
  if (block.type === 'toolUseBlock') return `${block.name} ${JSON.stringify(block.input)}`
  if (block.type !== 'toolResultBlock') return ''
  return block.content.map((one) => (one.type === 'textBlock' ? one.text : JSON.stringify(one))).join('\n')
}

if (process.argv[1] === import.meta.filename) {
  const { answer, prompts, logTokens } = await investigate(chooseModel(process.env))
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
