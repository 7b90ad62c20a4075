import type { ContentBlock, ContextOffloader, InlineReason, OffloadRequest } from '@spillway/core'
import { offloadParts } from '@spillway/core/adapter'
import { blockToPart } from './block-to-part.ts'
import { partToBlock } from './part-to-block.ts'

/** The tool call that an output belongs to. */
export type OutputCall = Pick<OffloadRequest, 'toolName' | 'toolCallId' | 'input' | 'signal'>

type ProviderOptions = Readonly<Record<string, unknown>>

/** What the model is to see of an output, and why it stays where it does. */
export interface OffloadedOutput<Output> {
  readonly output: Output
  readonly reason?: InlineReason
}

/**
 * Offload the output of a tool as the SDK hands it to a model, and return what takes its place.
 *
 * An output that stays comes back as the very object, as do kinds that nothing is known of. JSON is replaced by text,
 * parts by one part of text that comes first.
 */
export async function offloadOutput<Output>(
  offloader: Pick<ContextOffloader, 'offload'>,
  call: OutputCall,
  output: Output,
): Promise<OffloadedOutput<Output>> {
  // Tools return what they want, whatever the types say.
  const { type, value } = Object(output) as { readonly type?: unknown; readonly value?: unknown }
  const isError = type === 'error-text' || type === 'error-json'

  async function replaceValue(block: ContentBlock): Promise<OffloadedOutput<Output>> {
    const fromText = (text: string): Output => ({ ...output, type: isError ? 'error-text' : 'text', value: text })
    const request = { ...call, isError, parts: [output], toBlock: () => block, fromText }
    const outcome = await offloadParts(offloader, request)
    return outcome.status === 'inline' ? { output, reason: outcome.reason } : { output: outcome.parts[0] }
  }

  async function replaceParts(parts: readonly unknown[]): Promise<OffloadedOutput<Output>> {
    const fromText = (text: string): unknown => ({ type: 'text', text })
    // What is added has the form of what it stands for.
    const isVersion7 = parts.some((part) => Object(part).type === 'file')
    const fromBlock = (block: ContentBlock): unknown => blockToPart(block, isVersion7)
    const outcome = await offloadParts(offloader, { ...call, parts, toBlock: partToBlock, fromText, fromBlock })
    if (outcome.status === 'inline') return { output, reason: outcome.reason }
    const [replacement, ...kept] = outcome.parts
    const options = optionsOfTexts(parts.filter((part) => !kept.includes(part)))
    return { output: { ...output, value: [{ ...Object(replacement), ...options }, ...kept] } }
  }

  switch (type) {
    case 'text':
    case 'error-text':
      return typeof value === 'string' ? replaceValue({ type: 'text', text: value }) : { output }
    case 'json':
    case 'error-json':
      return replaceValue({ type: 'json', value })
    case 'content':
      return Array.isArray(value) ? replaceParts(value) : { output }
    default:
      return { output }
  }
}

/** What providers were told of a text, such as where a cached prefix ends, holds for what stands in its place. */
function optionsOfTexts(parts: readonly unknown[]): { readonly providerOptions?: ProviderOptions } {
  const texts = parts as readonly { readonly type?: unknown; readonly providerOptions?: ProviderOptions }[]
  const options = texts.flatMap(({ type, providerOptions }) => (type === 'text' ? (providerOptions ?? []) : []))
  return options.length === 0 ? {} : { providerOptions: Object.assign({}, ...options) as ProviderOptions }
}
