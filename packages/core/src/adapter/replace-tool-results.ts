/** A message of the AI SDK, as far as it is read. */
export interface ModelMessageLike {
  readonly role: string
  readonly content: unknown
}

/** A result in a message of a tool. */
export interface ToolResultPart {
  readonly toolName: string
  readonly toolCallId: string
  readonly output: unknown
}

type Part = { readonly type?: unknown; readonly input?: unknown } & ToolResultPart

/**
 * Replace outputs of tool results in the messages of a conversation, in the form of the AI SDK.
 *
 * Messages and parts that stay come back as the very objects. Results that providers made, which stand in messages of the
 * model, stay. Rejects as `replace` does.
 *
 * @param replace - Called for each result with the input of the last call before it that has its id, `undefined` where there
 *   is none; returns the output that takes its place, or the same object. Outputs are replaced at the same time.
 *
 * @example
 * ```ts
 * import { replaceToolResults } from '@spillway/core/adapter'
 *
 * const call = { toolCallId: 'call_1', toolName: 'read' }
 * const messages = [
 *   { role: 'assistant', content: [{ type: 'tool-call', ...call, input: { path: 'app.log' } }] },
 *   { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'text', value: 'a long text' } }] },
 * ]
 * const replaced = await replaceToolResults(messages, (_result, input) => ({ type: 'json', value: input }))
 * console.assert(JSON.stringify(replaced[1]).includes('app.log') && replaced[0] === messages[0])
 * ```
 */
export async function replaceToolResults<Message extends ModelMessageLike>(
  messages: readonly Message[],
  replace: (result: ToolResultPart, input: unknown) => unknown,
): Promise<Message[]> {
  const inputs = new Map<string, unknown>()
  const replaced = [...messages]
  const replacing: Promise<void>[] = []
  for (let index = 0; index < messages.length; index += 1) {
    const { role, content } = messages[index] as Message
    if (!Array.isArray(content)) continue
    const parts = content as readonly Part[]
    if (role === 'assistant')
      for (const { type, toolCallId, input } of parts) if (type === 'tool-call') inputs.set(toolCallId, input)
    const outputs = role === 'tool' ? replaceOutputs(parts, inputs, replace) : undefined
    if (outputs !== undefined) replacing.push(replaceMessage(replaced, index, outputs))
  }
  await Promise.all(replacing)
  return replaced
}

/** Return the outputs of all parts, or `undefined` where each stays: a long history is mostly of such, which allocate nothing. */
function replaceOutputs(
  parts: readonly Part[],
  inputs: ReadonlyMap<string, unknown>,
  replace: (result: ToolResultPart, input: unknown) => unknown,
): unknown[] | undefined {
  let outputs: unknown[] | undefined
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at] as Part
    const output = part.type === 'tool-result' ? replace(part, inputs.get(part.toolCallId)) : part.output
    if (output === part.output) continue
    outputs ??= parts.map((one) => one.output)
    outputs[at] = output
  }
  return outputs
}

async function replaceMessage(messages: ModelMessageLike[], index: number, outputs: unknown[]): Promise<void> {
  const message = messages[index] as ModelMessageLike
  const parts = message.content as readonly Part[]
  const settled = await Promise.all(outputs)
  if (settled.some((output, at) => output !== parts[at]?.output))
    messages[index] = { ...message, content: parts.map((part, at) => withOutput(part, settled[at])) }
}

function withOutput(part: Part, output: unknown): Part {
  return output === part.output ? part : { ...part, output }
}

/** What became of an output. */
export interface KnownOutput<Output> {
  /** What stands in its place; `undefined` where it stays. */
  readonly shown: Output | undefined
}

/**
 * Remembers what became of the outputs of tool calls in one run, in a framework that hands over copies of all of them
 * with every call of the model.
 *
 * Outputs are told apart by the id of their call and by what they hold, as ids may come again. It keeps what it is given:
 * make one for each run.
 *
 * @example
 * ```ts
 * import { KnownOutputs } from '@spillway/core/adapter'
 *
 * const outputs = new KnownOutputs<{ text: string }>()
 * outputs.add('call_1', { text: 'a long text' }, { text: 'a preview' })
 * outputs.add('call_2', { text: 'a short text' })
 * console.assert(outputs.find('call_1', { text: 'a long text' })?.shown?.text === 'a preview')
 * console.assert(outputs.find('call_2', { text: 'a short text' })?.shown === undefined)
 * console.assert(outputs.find('call_2', { text: 'another text' }) === undefined)
 * ```
 */
export class KnownOutputs<Output> {
  readonly #ofCall = new Map<string, (KnownOutput<Output> & { readonly output: Output })[]>()

  /** Remember what became of an output; without `shown` it stays. */
  add(toolCallId: string, output: Output, shown?: Output): void {
    const known = this.#ofCall.get(toolCallId) ?? []
    known.push({ output, shown })
    this.#ofCall.set(toolCallId, known)
  }

  /** Find what became of an output or of a copy of it; `undefined` where it is not known. */
  find(toolCallId: string, output: Output): KnownOutput<Output> | undefined {
    return this.#ofCall.get(toolCallId)?.find((known) => isEqual(known.output, output))
  }
}

/** Whether two values of JSON are equal. */
function isEqual(a: unknown, b: unknown): boolean {
  if (a === b || typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  const [one, other] = [a, b] as readonly Readonly<Record<string, unknown>>[]
  const keys = Object.keys(a)
  return (
    Array.isArray(a) === Array.isArray(b) &&
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isEqual(one?.[key], other?.[key]))
  )
}

const MAX_CHARACTERS = 4_000_000

/**
 * Remembers texts that were within the limit, over all runs of an adapter whose framework hands over a whole history with
 * every call of the model, as new objects: none of it is counted anew.
 *
 * It keeps four million characters at most; when there are more, it forgets all and begins again. Texts are of one
 * offloader, as others have other limits; of values that are no texts it knows nothing.
 *
 * @example
 * ```ts
 * import { SmallTexts } from '@spillway/core/adapter'
 *
 * const small = new SmallTexts()
 * small.add('two users')
 * console.assert(small.has('two users') && !small.has('three users'))
 * ```
 */
export class SmallTexts {
  readonly #texts = new Set<unknown>()
  #characters = 0

  /** Tell whether a value is a text that was added, and is not forgotten. */
  has(value: unknown): boolean {
    return this.#texts.has(value)
  }

  /** Add a value that is within the limit, if it is a text. */
  add(value: unknown): void {
    if (typeof value !== 'string' || this.#texts.has(value)) return
    this.#characters += value.length
    if (this.#characters > MAX_CHARACTERS) {
      this.#texts.clear()
      this.#characters = value.length
    }
    this.#texts.add(value)
  }
}
