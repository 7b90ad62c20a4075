import { Message, Model, type BaseModelConfig, type ModelStreamEvent } from '@strands-agents/sdk'

/** The next turn of the model: a text, or a tool call. */
export type Turn = string | { readonly tool: string; readonly input: Record<string, unknown>; readonly id?: string }

/** A model that follows a script and records its prompts. Turns of the script may depend on the prompt. */
export class ScriptedModel extends Model {
  readonly prompts: Message[][] = []
  readonly #turns: readonly (Turn | ((messages: Message[]) => Turn))[]

  constructor(turns: readonly (Turn | ((messages: Message[]) => Turn))[]) {
    super()
    this.#turns = turns
  }

  override updateConfig(): void {}

  override getConfig(): BaseModelConfig {
    return { modelId: 'scripted' }
  }

  override async *stream(messages: Message[]): AsyncGenerator<ModelStreamEvent> {
    const said = this.#turns[this.prompts.length] ?? 'done'
    this.prompts.push(messages.map((message) => Message.fromMessageData(message.toJSON())))
    const turn = typeof said === 'function' ? said(messages) : said
    yield { type: 'modelMessageStartEvent', role: 'assistant' }
    if (typeof turn === 'string') {
      yield { type: 'modelContentBlockStartEvent' }
      yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'textDelta', text: turn } }
    } else {
      const toolUseId = turn.id ?? `call-${this.prompts.length}`
      yield { type: 'modelContentBlockStartEvent', start: { type: 'toolUseStart', name: turn.tool, toolUseId } }
      const input = JSON.stringify(turn.input)
      yield { type: 'modelContentBlockDeltaEvent', delta: { type: 'toolUseInputDelta', input } }
    }
    yield { type: 'modelContentBlockStopEvent' }
    yield { type: 'modelMessageStopEvent', stopReason: typeof turn === 'string' ? 'endTurn' : 'toolUse' }
  }
}

/** The text of the last result of a tool in a prompt. */
export function lastResult(messages: readonly Message[]): string {
  const block = messages.at(-1)?.content[0]
  if (block?.type !== 'toolResultBlock') throw new Error('The last message has no result of a tool.')
  return block.content.map((part) => (part.type === 'textBlock' ? part.text : JSON.stringify(part))).join('\n')
}

/** Return the references in a replacement. */
export function referencesIn(text: string): string[] {
  return [...text.matchAll(/^ {2}(\S+) \(/gm)].map(([, reference = '']) => reference)
}
