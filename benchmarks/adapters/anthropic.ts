import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { answerToolCalls, endTurns, offloadTools, retrievalTool } from '@spillway/anthropic'
import type { ContextOffloader } from '@spillway/core'
import { question, type Converse, type Script, type SeenMessage, type SeenPrompt } from './conversation.ts'

type Message = Anthropic.Beta.BetaMessageParam

const BASE = { model: 'claude-opus-5', max_tokens: 1_024 }

/** Create a client whose model follows a script. `onPrompt` gets its prompts; ids of calls start at `firstId`. */
export function scriptedClient(
  script: Script,
  onPrompt: (messages: readonly Message[]) => SeenPrompt | undefined,
  firstId = 0,
): Anthropic {
  let index = 0
  // The messages of the thread that the provider has stored.
  let held: readonly Message[] = []
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const body = JSON.parse(init?.body as string) as {
      readonly thread?: { readonly type: string }
      messages: Message[]
    }
    held = body.thread?.type === 'continue' ? [...held, ...body.messages] : body.messages
    const turn = script(index, onPrompt(held) ?? [])
    const content =
      typeof turn === 'string'
        ? [{ type: 'text' as const, text: turn }]
        : [{ type: 'tool_use' as const, id: `call_${firstId + index}`, ...turn }]
    index += 1
    held = [...held, { role: 'assistant', content }]
    const stop_reason = typeof turn === 'string' ? 'end_turn' : 'tool_use'
    const reply = { type: 'message', role: 'assistant', model: BASE.model, content, stop_reason, stop_sequence: null }
    return Response.json({ id: `msg_${firstId + index}`, ...reply, usage: { input_tokens: 1, output_tokens: 1 } })
  }
  return new Anthropic({ apiKey: 'none', fetch, maxRetries: 0 })
}

type Run = (client: Anthropic, messages: readonly Message[], log: string) => Promise<readonly Message[]>

function converse(run: Run): Converse {
  return async (log, script, past = []) => {
    const prompts: SeenPrompt[] = []
    const onPrompt = (messages: readonly Message[]): SeenPrompt | undefined => {
      prompts.push(messages.map(readMessage))
      return prompts.at(-1)
    }
    // This cast is safe, because an earlier run of this file has saved the messages as JSON.
    const messages = [...(past as Message[]), { role: 'user' as const, content: question(past) }]
    const history = await run(scriptedClient(script, onPrompt, past.length), messages, log)
    return { prompts, history: [...history] }
  }
}

const READ_LOG = { name: 'read_log', description: 'Read the log.', inputSchema: { type: 'object' } } as const

/** Run the tool runner until its end, with offloading if there is a session. Returns all messages. */
export async function runTools(
  client: Anthropic,
  messages: readonly Message[],
  tools: Anthropic.Beta.Messages.BetaToolRunnerParams['tools'],
  session: ContextOffloader | undefined,
): Promise<readonly Message[]> {
  const used = session === undefined ? tools : offloadTools(tools, session)
  const plain = client.beta.messages.toolRunner({ ...BASE, messages: [...messages], tools: used })
  const runner = session === undefined ? plain : endTurns(plain, session)
  await runner
  return runner.params.messages
}

/** The tool runner, with `offloadTools` and `endTurns` if there is a session. */
export function withOffloadTools(session: ContextOffloader | undefined): Converse {
  return converse((client, messages, log) => {
    const readLog = betaTool({ ...READ_LOG, run: async () => log })
    return runTools(client, messages, [readLog], session)
  })
}

/** With `answerToolCalls` in a hand-written loop. */
export function withAnswerToolCalls(session: ContextOffloader): Converse {
  return converse(async (client, past, log) => {
    const messages = [...past] as Anthropic.MessageParam[]
    const tools = [{ name: 'read_log', input_schema: { type: 'object' } } as const, retrievalTool(session)]
    for (;;) {
      const response = await client.messages.create({ ...BASE, messages, tools })
      messages.push({ role: 'assistant', content: response.content })
      const results = await answerToolCalls(response, session, () => log)
      if (results === undefined) return messages
      messages.push(results)
    }
  })
}

function readMessage({ role, content }: Message): SeenMessage {
  if (typeof content === 'string') return { role, text: content }
  const isResult = content?.some(({ type }) => type === 'tool_result') === true
  return { role: isResult ? 'tool' : role, text: (content ?? []).map(textOf).join('\n') }
}

function textOf(block: Exclude<Message['content'], string | undefined>[number]): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'tool_use':
      return `${block.name} ${JSON.stringify(block.input)}`
    case 'tool_result':
      return typeof block.content === 'string' ? block.content : JSON.stringify(block.content)
    default:
      return JSON.stringify(block)
  }
}
