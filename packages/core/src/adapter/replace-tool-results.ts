import { isDeepEqual } from '@spillway/text/internal'

/** A message of the AI SDK. */
export interface ModelMessageLike {
  readonly role: string
  readonly content: unknown
}

/** A tool result in a message of the framework. */
export interface ToolResultPart {
  readonly toolName: string
  readonly toolCallId: string
  readonly output: unknown
}

type Part = { readonly type?: unknown; readonly input?: unknown } & ToolResultPart

/**
 * Replace outputs of tool results in messages of the AI SDK. Unchanged messages and parts stay the same objects.
 *
 * Rejects if `replace` rejects.
 *
 * @param replace - Returns the new output, or the same object. `replace` also gets the input of the newest call with
 *   the same id.
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

/** Returns `undefined` if no output changes. Most messages of a long history then need no memory. */
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

const withOutput = (part: Part, output: unknown): Part => (output === part.output ? part : { ...part, output })

/** The outcome for one output. */
export interface KnownOutput<Output> {
  /** The output for the model. `undefined` if the output is unchanged. */
  readonly shown: Output | undefined
}

/** Remembers outcomes in one run by call id and value, for a framework that passes copies of outputs. */
export class KnownOutputs<Output> {
  readonly #ofCall = new Map<string, (KnownOutput<Output> & { readonly output: Output })[]>()

  /** Add an outcome. Without `shown`, the output is unchanged. */
  add(toolCallId: string, output: Output, shown?: Output): void {
    const known = this.#ofCall.get(toolCallId) ?? []
    known.push({ output, shown })
    this.#ofCall.set(toolCallId, known)
  }

  find(toolCallId: string, output: Output): KnownOutput<Output> | undefined {
    return this.#ofCall.get(toolCallId)?.find((known) => isDeepEqual(known.output, output))
  }
}

const MAX_CHARACTERS = 4_000_000

/**
 * Remembers texts within the limit of one offloader, for a framework that passes the whole history with every model
 * call.
 *
 * The texts are forgotten after four million characters. Values that are not strings are ignored.
 */
export class SmallTexts {
  // The texts are separate for each tool, because tools may have their own limits.
  readonly #ofTool = new Map<string, Set<unknown>>()
  #characters = 0

  has(toolName: string, value: unknown): boolean {
    return this.#ofTool.get(toolName)?.has(value) === true
  }

  add(toolName: string, value: unknown): void {
    if (typeof value !== 'string' || this.has(toolName, value)) return
    this.#characters += value.length
    if (this.#characters > MAX_CHARACTERS) {
      this.#ofTool.clear()
      this.#characters = value.length
    }
    this.#ofTool.set(toolName, (this.#ofTool.get(toolName) ?? new Set()).add(value))
  }
}
