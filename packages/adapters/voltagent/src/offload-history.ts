import type { OnPrepareModelMessagesHookArgs } from '@voltagent/core'
import { RETRIEVAL_TOOL_NAME, type ContextOffloader } from '@spillway/core'
import { readModelPart } from '@spillway/core/adapter'
import { offloadShown, type ShownOutput } from './offload-shown.ts'

type Messages = OnPrepareModelMessagesHookArgs['modelMessages']
type ToolMessage = Extract<Messages[number], { readonly role: 'tool' }>
type Part = ToolMessage['content'][number]
type ToolResult = Extract<Part, { readonly type: 'tool-result' }>

/** How the text begins that stands in the place of what was offloaded. */
const REPLACEMENT = /^\[Offloaded: \d/

/**
 * Offload the large results of the messages that an operation goes on from, and show again what was offloaded before as it
 * was shown then.
 *
 * Messages that a program saved have what tools returned; those of VoltAgent's memory have what the model was shown, which
 * VoltAgent shows as JSON. What stays comes back as the very object.
 */
export async function offloadHistory(
  offloader: ContextOffloader,
  messages: Messages,
  { except, signal }: { readonly except: ReadonlySet<string>; readonly signal: AbortSignal | undefined },
): Promise<Messages> {
  const inputs = new Map<string, unknown>()

  async function replacePart(part: Part): Promise<Part> {
    if (part.type !== 'tool-result' || except.has(part.toolName)) return part
    const output = await replaceOutput(part)
    return output === part.output ? part : { ...part, output: output as ToolResult['output'] }
  }

  async function replaceOutput({ toolName, toolCallId, output }: ToolResult): Promise<unknown> {
    const saved = savedOutput(output)
    if (toolName === RETRIEVAL_TOOL_NAME) return saved ?? output
    if (saved !== undefined && isReplacement(saved)) return saved
    const shown = saved ?? (output as ShownOutput)
    const call = { toolName, toolCallId, input: inputs.get(toolCallId), signal }
    const replaced = await offloadShown(offloader, call, shown)
    return replaced === shown ? output : replaced
  }

  const replaced: Messages = []
  for (const message of messages) {
    if (message.role === 'assistant' && typeof message.content !== 'string')
      for (const part of message.content) if (part.type === 'tool-call') inputs.set(part.toolCallId, part.input)
    const content = message.role === 'tool' ? await Promise.all(message.content.map(replacePart)) : undefined
    const isKept = content === undefined || content.every((part, index) => part === message.content[index])
    replaced.push(isKept ? message : ({ ...message, content } as ToolMessage))
  }
  return replaced
}

/** Return the output for a model that stands in an output as a JSON value. */
function savedOutput({ type, value }: { readonly type: string; readonly value?: unknown }): ShownOutput | undefined {
  if (type !== 'json' || typeof value !== 'object' || value === null) return undefined
  const saved = value as ShownOutput
  const isText = (saved.type === 'text' || saved.type === 'error-text') && typeof saved.value === 'string'
  const isContent = saved.type === 'content' && Array.isArray(saved.value) && saved.value.every(isSafePart)
  return isText || isContent ? saved : undefined
}

/** A tool may have returned a value that looks like content: no address may come into a prompt by it, nor what ends a run. */
function isSafePart(part: unknown): boolean {
  const block = readModelPart(part)
  return block.type === 'text' || ('data' in block && block.data !== undefined)
}

function isReplacement({ value }: ShownOutput): boolean {
  const [first] = Array.isArray(value) ? (value as readonly { readonly text?: unknown }[]) : [{ text: value }]
  return typeof first?.text === 'string' && REPLACEMENT.test(first.text)
}
