import type { ContextOffloader } from '@spillway/core'
import { offloadPlugin } from '@spillway/strands'
import {
  Agent,
  Model,
  SlidingWindowConversationManager,
  tool,
  type BaseModelConfig,
  type ConversationManager,
  type Message,
  type MessageData,
  type ModelStreamEvent,
  type Plugin,
  type Tool,
} from '@strands-agents/sdk'
import { ContextOffloader as TheirOffloader } from '@strands-agents/sdk/vended-plugins/context-offloader'
import { question, type Converse, type Script, type SeenMessage, type SeenPrompt } from './conversation.ts'

/** A model that follows a script. `onPrompt` gets its prompts; ids of calls start at `firstId`. */
export class ScriptedModel extends Model {
  readonly #script: Script
  readonly #onPrompt: (messages: readonly Message[]) => SeenPrompt | undefined
  readonly #firstId: number
  #index = 0

  constructor(script: Script, onPrompt: (messages: readonly Message[]) => SeenPrompt | undefined, firstId = 0) {
    super()
    this.#script = script
    this.#onPrompt = onPrompt
    this.#firstId = firstId
  }

  override getConfig(): BaseModelConfig {
    return { modelId: 'scripted' }
  }

  override updateConfig(): void {}

  override async *stream(messages: Message[]): AsyncGenerator<ModelStreamEvent> {
    const turn = this.#script(this.#index, this.#onPrompt(messages) ?? [])
    const toolUseId = `call_${this.#firstId + this.#index}`
    this.#index += 1
    yield { type: 'modelMessageStartEvent', role: 'assistant' }
    if (typeof turn === 'string') {
      yield { type: 'modelContentBlockStartEvent' }
      yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'textDelta', text: turn } }
    } else {
      const { name, input } = turn
      yield { type: 'modelContentBlockStartEvent', start: { type: 'toolUseStart', name, toolUseId } }
      const delta = { type: 'toolUseInputDelta' as const, input: JSON.stringify(input) }
      yield { type: 'modelContentBlockDeltaEvent', delta }
    }
    yield { type: 'modelContentBlockStopEvent' }
    yield { type: 'modelMessageStopEvent', stopReason: typeof turn === 'string' ? 'endTurn' : 'toolUse' }
  }
}

/** Setup of a conversation. */
interface Setup {
  readonly plugins?: readonly Plugin[]
  readonly conversationManager?: ConversationManager
}

/** Create an agent with a model, a tool, and a history of messages. */
export function agentOf(
  model: Model,
  one: Tool,
  messages: readonly unknown[],
  { plugins = [], ...rest }: Setup,
): Agent {
  // This cast is safe, because an earlier run of this file has saved the messages as JSON.
  return new Agent({
    model,
    tools: [one],
    messages: messages as MessageData[],
    printer: false,
    plugins: [...plugins],
    ...rest,
  })
}

function converse(setup: Setup): Converse {
  return async (log, script, past = []) => {
    const prompts: SeenPrompt[] = []
    const model = new ScriptedModel(
      script,
      (messages) => {
        prompts.push(messages.map(readMessage))
        return prompts.at(-1)
      },
      past.length,
    )
    const readLog = tool({ name: 'read_log', description: 'Read the log.', callback: () => log })
    const agent = agentOf(model, readLog, past, setup)
    await agent.invoke(question(past))
    return { prompts, history: agent.messages.map((message) => message.toJSON()) }
  }
}

/** Strands without Spillway, which keeps the last messages. */
export const plain: Converse = converse({
  conversationManager: new SlidingWindowConversationManager({ windowSize: 40 }),
})

/** Strands with its own plugin and a storage in memory. */
export const withTheirs = (): Converse => converse({ plugins: [new TheirOffloader({})] })

/** With `offloadPlugin`, in a scope that another process can find again. */
export function withPlugin(offloader: ContextOffloader): Converse {
  return converse({ plugins: [offloadPlugin(offloader, { scope: () => ['session-1'] })] })
}

function readMessage({ role, content }: Message): SeenMessage {
  const isResult = content.some((block) => block.type === 'toolResultBlock')
  return { role: isResult ? 'tool' : role, text: content.map(textOf).join('\n') }
}

function textOf(block: Message['content'][number]): string {
  switch (block.type) {
    case 'textBlock':
      return block.text
    case 'toolUseBlock':
      return `${block.name} ${JSON.stringify(block.input)}`
    case 'toolResultBlock':
      return block.content.map((one) => (one.type === 'textBlock' ? one.text : JSON.stringify(one))).join('\n')
    default:
      return JSON.stringify(block)
  }
}
