/**
 * An agent that finds out why a deployment failed, from a log that is far too large for a prompt. It prints the prompt
 * of each model call, and the tokens that the log would have cost without Spillway.
 *
 * `node agent.ts` runs offline, with a model that follows a script. With ANTHROPIC_API_KEY set, a real model does the work.
 * ANTHROPIC_MODEL names another model than the default.
 */
import Anthropic from '@anthropic-ai/sdk'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import { endTurns, offloadTools } from '@spillway/anthropic'
import { ContextOffloader, estimateTokens } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import { z } from 'zod'

type Message = Anthropic.Beta.BetaMessageParam

const LOG = Array.from({ length: 12_000 }, (_, line) =>
  line === 8_642
    ? `${line} deploy worker-7: quota exceeded for disk "builds": 512 GB of 512 GB used`
    : `${line} deploy worker-${line % 12}: step finished in ${(line * 7) % 900} ms`,
).join('\n')

const readDeployLog = betaZodTool({
  name: 'read_deploy_log',
  description: 'Read the log of the last deployment.',
  inputSchema: z.object({}),
  run: () => LOG,
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

/** Ask the agent why the deployment failed, in a separate session. */
export async function investigate(client: Anthropic, model: string, sessionId: string): Promise<Report> {
  const offloader = new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: 20 }) })
  const session = offloader.forScope(sessionId)
  const runner = client.beta.messages.toolRunner({
    model,
    max_tokens: 4_096,
    system: 'Find the cause of failures in logs. Answer in one sentence, and quote the line that shows it.',
    messages: [{ role: 'user', content: 'Why did the last deployment fail?' }],
    tools: offloadTools([readDeployLog], session),
    max_iterations: 10,
  })
  const prompts: SeenMessage[][] = []
  for await (const reply of endTurns(runner, session)) {
    // The provider has stored the earlier messages. These are all messages up to this reply.
    prompts.push(runner.params.messages.map(describe))
    if (reply.stop_reason !== 'tool_use')
      return { answer: textOf(reply.content), prompts, logTokens: estimateTokens(LOG) }
  }
  throw new Error('The agent found no answer in ten calls of the model.')
}

/** Return Anthropic's API if a key is set, otherwise a model that follows a script. */
export function chooseModel(environment: NodeJS.ProcessEnv): { readonly client: Anthropic; readonly model: string } {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_MODEL: model = 'claude-sonnet-5-5' } = environment
  if (apiKey) return { client: new Anthropic({ apiKey }), model }
  return { client: new Anthropic({ apiKey: 'none', fetch: answerOffline, maxRetries: 0 }), model: 'offline' }
}

/** Answer a request like the API: first read the log, then search it, then state the cause. */
async function answerOffline(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const { thread, messages } = (await new Request(url, init).json()) as {
    readonly thread: { readonly previous_message_id?: string }
    readonly messages: readonly Message[]
  }
  const step = Number(thread.previous_message_id?.slice('msg_'.length) ?? 0)
  const seen = textOf(messages.at(-1)?.content)
  const content = [
    () => ({ type: 'tool_use', id: 'call_1', name: 'read_deploy_log', input: {} }),
    () => {
      const [, reference = ''] = /^ {2}(call_1_\w+) \(/m.exec(seen) ?? []
      const input = { reference, pattern: 'quota|error|failed', context_lines: 1 }
      return { type: 'tool_use', id: 'call_2', name: 'retrieve_offloaded_content', input }
    },
    () => {
      const [, line = 'nothing'] = /^> *\d+\| (.*)$/m.exec(seen) ?? []
      return { type: 'text', text: `The deployment failed as a disk was full: "${line}".` }
    },
  ][step]?.()
  return Response.json({
    id: `msg_${step + 1}`,
    type: 'message',
    role: 'assistant',
    model: 'offline',
    content: [content],
    stop_reason: content?.type === 'text' ? 'end_turn' : 'tool_use',
    usage: { input_tokens: 0, output_tokens: 0 },
  })
}

function describe({ role, content }: Message): SeenMessage {
  const text = textOf(content)
  return { role, tokens: estimateTokens(text), text }
}

type Content =
  | Message['content']
  | Anthropic.Beta.BetaContentBlock[]
  | Anthropic.Beta.BetaToolResultBlockParam['content']

/** Write the texts, calls and results of a message. */
function textOf(content: Content = ''): string {
  if (typeof content === 'string') return content
  return content
    .map((block) => {
      if (block.type === 'text') return block.text
      if (block.type === 'tool_use') return `${block.name} ${JSON.stringify(block.input)}`
      return block.type === 'tool_result' ? textOf(block.content) : `[${block.type}]`
    })
    .join('\n')
}

if (process.argv[1] === import.meta.filename) {
  const { client, model } = chooseModel(process.env)
  const { answer, prompts, logTokens } = await investigate(client, model, new Date().toISOString())
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
