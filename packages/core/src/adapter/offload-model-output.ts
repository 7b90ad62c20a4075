import type { ContentBlock } from '@spillway/text/internal'
import type { ContextOffloader } from '../offload/context-offloader.ts'
import type { InlineReason, OffloadRequest } from '../offload/offload-request.ts'
import { joinedText } from '../offload/store-blocks.ts'
import { offloadParts } from './offload-parts.ts'
import { readModelPart } from './read-model-part.ts'
import { writeModelPart, type ModelMediaForm } from './write-model-part.ts'

/** The tool call that a model output belongs to. */
export type ModelOutputCall = Pick<OffloadRequest, 'toolName' | 'toolCallId' | 'input' | 'purpose' | 'signal'>

type ProviderOptions = Readonly<Record<string, unknown>>

/** What the model is to see of an output, and why it stays where it does. */
export interface OffloadedModelOutput<Output> {
  readonly output: Output
  readonly reason?: InlineReason
}

/**
 * Offload what `toModelOutput` makes of a tool's output, and return what takes its place.
 *
 * It is what the AI SDK, and frameworks on top of it, hand to a model: `{ type, value }`, where `type` is `text`, `json`,
 * `error-text`, `error-json` or `content`. An output that stays comes back as the very object, as do kinds that nothing
 * is known of. JSON is replaced by text, parts by one part of text that comes first.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { offloadModelOutput } from '@spillway/core/adapter'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
 * const call = { toolName: 'list_users', toolCallId: 'call_1' }
 * const rows = Array.from({ length: 3_000 }, (_, id) => ({ id, name: `user ${id}` }))
 * const { output } = await offloadModelOutput(offloader, call, { type: 'json', value: rows as unknown })
 * console.assert(output.type === 'text' && String(output.value).startsWith('[Offloaded: 1 block'))
 * ```
 */
export async function offloadModelOutput<Output>(
  offloader: Pick<ContextOffloader, 'offload'>,
  call: ModelOutputCall,
  output: Output,
): Promise<OffloadedModelOutput<Output>> {
  // Tools return what they want, whatever the types say.
  const { type, value } = Object(output) as { readonly type?: unknown; readonly value?: unknown }
  const isError = type === 'error-text' || type === 'error-json'

  async function replaceValue(block: ContentBlock): Promise<OffloadedModelOutput<Output>> {
    const fromText = (text: string): Output => ({ ...output, type: isError ? 'error-text' : 'text', value: text })
    const request = { ...call, isError, parts: [output], toBlock: () => block, fromText }
    const outcome = await offloadParts(offloader, request)
    return outcome.status === 'inline' ? { output, reason: outcome.reason } : { output: outcome.parts[0] }
  }

  async function replaceParts(parts: readonly unknown[]): Promise<OffloadedModelOutput<Output>> {
    const fromText = (text: string): unknown => ({ type: 'text', text })
    const form = mediaForm(parts)
    const fromBlock = (block: ContentBlock): unknown => writeModelPart(block, form)
    const outcome = await offloadParts(offloader, { ...call, parts, toBlock: readModelPart, fromText, fromBlock })
    if (outcome.status === 'inline') return { output, reason: outcome.reason }
    const [replacement, ...kept] = outcome.parts
    const options = optionsOfTexts(parts.filter((part) => !kept.includes(part)))
    return { output: { ...output, value: [{ ...Object(replacement), ...options }, ...kept.map(withNameInText)] } }
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

/** Versions of the AI SDK have no name for a text, and providers would not show it: it goes to the front of a text that stays. */
function withNameInText(part: unknown): unknown {
  const { type, text, filename, mediaType: _type, ...others } = Object(part) as Readonly<Record<string, unknown>>
  if (type !== 'text' || typeof filename !== 'string') return part
  return { ...others, type, text: joinedText(String(text), filename) }
}

/** What is added has the form of what it stands for. */
function mediaForm(parts: readonly unknown[]): ModelMediaForm {
  const types = parts.map((part) => (Object(part) as { readonly type?: unknown }).type)
  if (types.includes('file')) return 'file'
  return types.includes('media') ? 'media' : 'file-data'
}

/** What providers were told of a text, such as where a cached prefix ends, holds for what stands in its place. */
function optionsOfTexts(parts: readonly unknown[]): { readonly providerOptions?: ProviderOptions } {
  const texts = parts as readonly { readonly type?: unknown; readonly providerOptions?: ProviderOptions }[]
  const options = texts.flatMap(({ type, providerOptions }) => (type === 'text' ? (providerOptions ?? []) : []))
  return options.length === 0 ? {} : { providerOptions: Object.assign({}, ...options) as ProviderOptions }
}
