/**
 * An agent that finds out why a deployment failed, from a log that is far too large for a prompt. It prints the prompt
 * of each model call, and the tokens that the log would have cost without Spillway.
 *
 * `node agent.ts` runs offline, with a model that follows a script. With OPENAI_API_KEY set, a real model does the work.
 * OPENAI_MODEL names another model than the default.
 */
import { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage } from '@langchain/core/messages'
import { fakeModel } from '@langchain/core/testing'
import { MemorySaver } from '@langchain/langgraph'
import { ContextOffloader, estimateTokens } from '@spillway/core'
import { offloadMiddleware } from '@spillway/langchain'
import { InMemoryStorage } from '@spillway/memory'
import { createAgent, initChatModel, tool } from 'langchain'
import { z } from 'zod'

const LOG = Array.from({ length: 12_000 }, (_, line) =>
  line === 8_642
    ? `${line} deploy worker-7: quota exceeded for disk "builds": 512 GB of 512 GB used`
    : `${line} deploy worker-${line % 12}: step finished in ${(line * 7) % 900} ms`,
).join('\n')

const readDeployLog = tool(() => LOG, {
  name: 'read_deploy_log',
  description: 'Read the log of the last deployment.',
  schema: z.object({}),
})

/** A message of a prompt, and its tokens. */
export interface SeenMessage {
  readonly type: string
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

/** Ask the agent why the deployment failed, in a separate thread. */
export async function investigate(model: BaseChatModel, thread: string): Promise<Report> {
  const offloader = new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: 20 }) })
  const agent = createAgent({
    model,
    tools: [readDeployLog],
    // The offloader comes first, so that it gets results that the others have changed.
    middleware: [offloadMiddleware(offloader)],
    checkpointer: new MemorySaver(),
    systemPrompt: 'Find the cause of failures in logs. Answer in one sentence, and quote the line that shows it.',
  })
  const prompts: SeenMessage[][] = []
  const observer = BaseCallbackHandler.fromMethods({
    handleChatModelStart: (_model, [messages = []]) => void prompts.push(messages.map(describe)),
  })
  const { messages } = await agent.invoke(
    { messages: 'Why did the last deployment fail?' },
    { configurable: { thread_id: thread }, callbacks: [observer] },
  )
  return { answer: messages.at(-1)?.text ?? '', prompts, logTokens: estimateTokens(LOG) }
}

/** Return OpenAI's model if a key is set, otherwise a model that follows a script. */
export async function chooseModel(environment: NodeJS.ProcessEnv): Promise<BaseChatModel> {
  const { OPENAI_API_KEY: key, OPENAI_MODEL: name = 'gpt-5' } = environment
  if (key) return await initChatModel(`openai:${name}`)
  return fakeModel()
    .respondWithTools([{ name: 'read_deploy_log', args: {}, id: 'call_1' }])
    .respond((messages) => {
      const [, reference = ''] = /^ {2}(call_1_\w+) \(/m.exec(messages.at(-1)?.text ?? '') ?? []
      const args = { reference, pattern: 'quota|error|failed', context_lines: 1 }
      return new AIMessage({ content: '', tool_calls: [{ name: 'retrieve_offloaded_content', args, id: 'call_2' }] })
    })
    .respond((messages) => {
      const [, line = 'nothing'] = /^> *\d+\| (.*)$/m.exec(messages.at(-1)?.text ?? '') ?? []
      return new AIMessage(`The deployment failed as a disk was full: "${line}".`)
    })
}

function describe(message: BaseMessage): SeenMessage {
  const { type, text, tool_calls: calls = [] } = message as BaseMessage & Pick<AIMessage, 'tool_calls'>
  const shown = text === '' ? calls.map(({ name, args }) => `${name} ${JSON.stringify(args)}`).join('\n') : text
  return { type, tokens: estimateTokens(shown), text: shown }
}

if (process.argv[1] === import.meta.filename) {
  const { answer, prompts, logTokens } = await investigate(await chooseModel(process.env), new Date().toISOString())
  let known = 0
  for (const [index, prompt] of prompts.entries()) {
    const tokens = prompt.reduce((sum, message) => sum + message.tokens, 0)
    console.log(`\n=== Model call ${index + 1}: ${tokens} tokens; the log alone has ${logTokens} ===`)
    for (const message of prompt.slice(known))
      console.log(`\n[${message.type}, ${message.tokens} tokens]\n${message.text}`)
    known = prompt.length
  }
  console.log(`\n=== The answer ===\n\n${answer}`)
}
