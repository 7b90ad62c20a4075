/**
 * An agent that finds out why a deployment failed, from a log that is far too large for a prompt. It prints the prompt
 * of each model call, and the tokens that the log would have cost without Spillway.
 *
 * `node agent.ts` runs offline, with a model that follows a script. With OPENAI_API_KEY set, a real model does the work.
 * OPENAI_MODEL names another model than the default.
 */
import { Agent } from '@mastra/core/agent'
import type { MastraModelConfig } from '@mastra/core/llm'
import type { ProcessLLMRequestArgs } from '@mastra/core/processors'
import { InMemoryStore } from '@mastra/core/storage'
import { createTool } from '@mastra/core/tools'
import { Memory } from '@mastra/memory'
import { ContextOffloader, estimateTokens } from '@spillway/core'
import { offloadProcessor } from '@spillway/mastra'
import { InMemoryStorage } from '@spillway/memory'
import { z } from 'zod'

const LOG = Array.from({ length: 12_000 }, (_, line) =>
  line === 8_642
    ? `${line} deploy worker-7: quota exceeded for disk "builds": 512 GB of 512 GB used`
    : `${line} deploy worker-${line % 12}: step finished in ${(line * 7) % 900} ms`,
).join('\n')

const readDeployLog = createTool({
  id: 'read_deploy_log',
  description: 'Read the log of the last deployment.',
  inputSchema: z.object({}),
  execute: async () => LOG,
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
  /** Characters of the thread in memory. */
  readonly kept: number
}

type Prompt = ProcessLLMRequestArgs['prompt']

/** Ask the agent why the deployment failed, in a separate thread. */
export async function investigate(model: MastraModelConfig, threadId: string): Promise<Report> {
  const offloader = new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: 20 }) })
  const memory = new Memory({ storage: new InMemoryStore() })
  const prompts: SeenMessage[][] = []
  const observer = {
    id: 'observer',
    processLLMRequest: ({ prompt }: { readonly prompt: Prompt }) => void prompts.push(prompt.map(describe)),
  }
  const agent = new Agent({
    id: 'investigator',
    name: 'investigator',
    instructions: 'Find the cause of failures in logs. Answer in one sentence, and quote the line that shows it.',
    model,
    tools: { read_deploy_log: readDeployLog },
    memory,
    // The offloader comes first, so that the others get small results.
    inputProcessors: [offloadProcessor(offloader), observer],
  })
  const thread = { thread: threadId, resource: 'user-1' }
  const { text } = await agent.generate('Why did the last deployment fail?', { memory: thread, maxSteps: 10 })
  const { messages } = await memory.recall({ threadId, resourceId: 'user-1' })
  return { answer: text, prompts, logTokens: estimateTokens(LOG), kept: JSON.stringify(messages).length }
}

/** Return OpenAI's model if a key is set, otherwise a model that follows a script. */
export function chooseModel(environment: NodeJS.ProcessEnv): MastraModelConfig {
  const { OPENAI_API_KEY: key, OPENAI_MODEL: name = 'gpt-5' } = environment
  return key ? `openai/${name}` : scriptedModel()
}

type Turn = { readonly toolName: string; readonly input: object } | string

function scriptedModel(): MastraModelConfig {
  const turns: readonly ((seen: string) => Turn)[] = [
    () => ({ toolName: 'read_deploy_log', input: {} }),
    (seen) => {
      const [, reference = ''] = /^ {2}(call_1_\w+) \(/m.exec(seen) ?? []
      const input = { reference, pattern: 'quota|error|failed', context_lines: 1 }
      return { toolName: 'retrieve_offloaded_content', input }
    },
    (seen) => {
      const [, line = 'nothing'] = /^> *\d+\| (.*)$/m.exec(seen) ?? []
      return `The deployment failed as a disk was full: "${line}".`
    },
  ]
  let calls = 0
  return {
    specificationVersion: 'v2',
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    async doGenerate({ prompt }) {
      const turn = turns[calls]?.(textOf(prompt.at(-1))) ?? 'I have nothing to add.'
      calls += 1
      const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }
      if (typeof turn === 'string')
        return { content: [{ type: 'text', text: turn }], finishReason: 'stop', usage, warnings: [] }
      const { toolName, input } = turn
      const call = { type: 'tool-call', toolCallId: `call_${calls}`, toolName, input: JSON.stringify(input) } as const
      return { content: [call], finishReason: 'tool-calls', usage, warnings: [] }
    },
    doStream: () => Promise.reject(new Error('This model does not stream.')),
  }
}

function describe(message: Prompt[number]): SeenMessage {
  const text = textOf(message)
  return { role: message.role, tokens: estimateTokens(text), text }
}

function textOf(message: Prompt[number] | undefined): string {
  const { content = '' } = message ?? {}
  if (typeof content === 'string') return content
  return content
    .map((part) => {
      if (part.type === 'text' || part.type === 'reasoning') return part.text
      if (part.type === 'tool-call') return `${part.toolName} ${JSON.stringify(part.input)}`
      if (part.type === 'file') return part.mediaType
      return typeof part.output.value === 'string' ? part.output.value : JSON.stringify(part.output.value)
    })
    .join('\n')
}

if (process.argv[1] === import.meta.filename) {
  const { answer, prompts, logTokens, kept } = await investigate(chooseModel(process.env), new Date().toISOString())
  let known = 0
  for (const [index, prompt] of prompts.entries()) {
    const tokens = prompt.reduce((sum, message) => sum + message.tokens, 0)
    console.log(`\n=== Model call ${index + 1}: ${tokens} tokens; the log alone has ${logTokens} ===`)
    for (const message of prompt.slice(known))
      console.log(`\n[${message.role}, ${message.tokens} tokens]\n${message.text}`)
    known = prompt.length
  }
  console.log(`\n=== Memory keeps ${kept} characters; the answer ===\n\n${answer}`)
}
