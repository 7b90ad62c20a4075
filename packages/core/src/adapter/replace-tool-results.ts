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
 * Messages and parts that stay are the very objects. Results of providers, in messages of the model, stay. Rejects as `replace`
 * does.
 *
 * @param replace - Called for each result with the input of its call, the last one before it with its id; returns the new
 *   output, or the same object. All outputs are replaced at the same time.
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

/** The outcome of offloading one output. */
export interface KnownOutput<Output> {
  /** What replaces the output; `undefined` if it stays. */
  readonly shown: Output | undefined
}

/**
 * Remembers the outcomes of tool outputs in one run, for a framework that passes copies of all outputs with every model call.
 *
 * Outputs are identified by the id of their call and by value, as ids may repeat. Nothing is forgotten: make one for each run.
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

  /** Add the outcome of an output; without `shown` it stays. */
  add(toolCallId: string, output: Output, shown?: Output): void {
    const known = this.#ofCall.get(toolCallId) ?? []
    known.push({ output, shown })
    this.#ofCall.set(toolCallId, known)
  }

  /** Find the outcome of an output, or of a copy of it. */
  find(toolCallId: string, output: Output): KnownOutput<Output> | undefined {
    return this.#ofCall.get(toolCallId)?.find((known) => isEqual(known.output, output))
  }
}

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
 * Remembers texts within the limit, over all runs of an adapter whose framework passes a whole history as new objects with
 * every call of the model, so that no text is counted again.
 *
 * At four million characters it starts over. Offloaders have different limits: make one for each. Other values are ignored.
 */
export class SmallTexts {
  readonly #texts = new Set<unknown>()
  #characters = 0

  /** Whether a value is a remembered text. */
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
