import type { ContentBlock, MediaBlock } from '@spillway/text/internal'
import { isReplacement } from '../offload/replacement.ts'
import { encodeBase64, mediaFromData, mediaFromUrl, textBlock } from './media-source.ts'

/** An output for the model of the AI SDK that JSON can express. */
export type ModelOutput =
  | { type: 'text'; value: string }
  | { type: 'error-text'; value: string }
  | { type: 'content'; value: ModelOutputPart[] }

/**
 * Write blocks, such as an answer of the retrieval tool, as what `toModelOutput` returns: one text, or parts where not all
 * of them are text.
 *
 * Parts have no mark of an error; the retrieval tool answers with media only where it has not failed.
 *
 * @param form - How media are written; see {@link writeModelPart}.
 *
 * @example
 * ```ts
 * import { writeModelOutput } from '@spillway/core/adapter'
 *
 * const output = writeModelOutput([{ type: 'text', text: 'no such reference' }], { isError: true, form: 'file-data' })
 * console.assert(output.type === 'error-text' && output.value === 'no such reference')
 * ```
 */
export function writeModelOutput(
  blocks: readonly ContentBlock[],
  { isError, form }: { readonly isError: boolean; readonly form: ModelMediaForm },
): ModelOutput {
  const parts = blocks.map((block) => writeModelPart(block, form))
  const texts = parts.flatMap((part) => (part.type === 'text' ? part.text : []))
  if (texts.length < parts.length) return { type: 'content', value: parts }
  return { type: isError ? 'error-text' : 'text', value: texts.join('\n') }
}

/**
 * Read back an output for the model that came as a value, as from a conversation that was saved: a text, one of an error,
 * or parts that are texts or have their bytes.
 *
 * Returns `undefined` for any other value. As a tool may return what looks like an output, one whose parts have addresses
 * is no output: nothing may be fetched by it.
 *
 * @example
 * ```ts
 * import { readModelOutput } from '@spillway/core/adapter'
 *
 * console.assert(readModelOutput({ type: 'text', value: 'two users' })?.type === 'text')
 * const link = { type: 'image-url', url: 'https://example.com/a.png' }
 * console.assert(readModelOutput({ type: 'content', value: [link] }) === undefined)
 * ```
 */
export function readModelOutput(saved: unknown): ModelOutput | undefined {
  const { type, value } = Object(saved) as { readonly type?: unknown; readonly value?: unknown }
  const isText = (type === 'text' || type === 'error-text') && typeof value === 'string'
  const isContent = type === 'content' && Array.isArray(value) && value.every(isSafePart)
  return isText || isContent ? (saved as ModelOutput) : undefined
}

function isSafePart(part: unknown): boolean {
  const block = readModelPart(part)
  return block.type === 'text' || ('data' in block && block.data !== undefined)
}

/**
 * Map a part of a model output with several parts, in the form of any version of the AI SDK; what means nothing to
 * Spillway passes through as an unknown block.
 */
export function readModelPart(part: unknown): ContentBlock {
  return (isRecord(part) ? readPart(part) : undefined) ?? { type: 'unknown', value: part }
}

function readPart(part: Readonly<Record<string, unknown>>): ContentBlock | undefined {
  const { type, text, data, url, mediaType } = part
  const name = typeof part['filename'] === 'string' ? part['filename'] : undefined
  switch (type) {
    case 'text':
      return typeof text === 'string' ? textBlock(text, { name, mediaType }) : undefined
    case 'file':
      return typeof mediaType === 'string' ? readFileData(data, mediaType, name) : undefined
    // What version 5 called media, version 6 calls file-data or image-data, and version 7 file.
    case 'media':
    case 'file-data':
    case 'image-data':
      return typeof mediaType === 'string' ? mediaFromData(mediaType, data, name) : undefined
    case 'file-url':
    case 'image-url':
      return readUrl(url, typeof mediaType === 'string' ? mediaType : type === 'image-url' ? 'image' : '', name)
    default:
      return undefined
  }
}

function readFileData(data: unknown, mediaType: string, name: string | undefined): ContentBlock | undefined {
  if (!isRecord(data)) return undefined
  switch (data['type']) {
    case 'data':
      return mediaFromData(mediaType, data['data'], name)
    case 'url':
      return readUrl(data['url'], mediaType, name)
    case 'text':
      return typeof data['text'] === 'string' ? textBlock(data['text'], { name, mediaType }) : undefined
    default:
      return undefined
  }
}

function readUrl(url: unknown, mediaType: string, name: string | undefined): MediaBlock | undefined {
  const text = url instanceof URL ? url.href : url
  return typeof text === 'string' ? mediaFromUrl(mediaType, text, name) : undefined
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/**
 * A part of a model output: the forms of versions 5, 6 and 7 of the AI SDK, with media as Base64. Not all of the versions
 * know the names and types of such parts; those that do not leave them out.
 */
export type ModelOutputPart = { filename?: string } & (
  | { type: 'text'; text: string; mediaType?: string }
  | { type: 'media'; data: string; mediaType: string }
  | { type: 'image-data' | 'file-data'; data: string; mediaType: string }
  | { type: 'file'; data: { type: 'data'; data: string }; mediaType: string }
)

/** How media are written: `media` of version 5 of the AI SDK, `file-data` and `image-data` of version 6, `file` of version 7. */
export type ModelMediaForm = 'media' | 'file-data' | 'file'

/**
 * Write a block as a part of a model output; what is neither text nor bytes becomes JSON text.
 */
export function writeModelPart(block: ContentBlock, form: ModelMediaForm): ModelOutputPart {
  const named = 'name' in block && block.name !== undefined ? { filename: block.name } : {}
  if (block.type === 'text') {
    const { type, text, mediaType } = block
    return { type, text, ...(mediaType !== undefined && { mediaType }), ...named }
  }
  if (!('data' in block) || block.data === undefined) {
    return { type: 'text', text: JSON.stringify(block.type === 'json' ? block.value : block) ?? 'null' }
  }
  const { mediaType } = block
  const data = encodeBase64(block.data)
  if (form === 'file') return { type: 'file', data: { type: 'data', data }, mediaType, ...named }
  if (form === 'media') return { type: 'media', data, mediaType, ...named }
  return { type: block.type === 'image' ? 'image-data' : 'file-data', data, mediaType, ...named }
}

/** What the model is shown of a tool's output, of any kind: what `toModelOutput` returns. */
export interface ShownOutput {
  readonly type: string
  readonly value: unknown
}

/**
 * Write what a tool without `toModelOutput` returned as the AI SDK shows it to the model: a string as text, anything else
 * as JSON, nothing as `null`. The value is the very object.
 *
 * @example
 * ```ts
 * import { defaultModelOutput } from '@spillway/core/adapter'
 *
 * console.assert(defaultModelOutput('two users').type === 'text')
 * console.assert(defaultModelOutput(undefined).value === null)
 * ```
 */
export function defaultModelOutput(output: unknown): ShownOutput {
  return typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output ?? null }
}

/**
 * Tell whether an output for the model, such as one of a saved conversation, begins with the text that stands in the place
 * of what was offloaded.
 *
 * A tool may return such a text itself: what it says must hold the limit like any other.
 *
 * @example
 * ```ts
 * import { isReplacedOutput } from '@spillway/core/adapter'
 *
 * console.assert(isReplacedOutput({ type: 'text', value: '[Offloaded: 1 blocks, ~20,000 tokens]\nThe tool result …' }))
 * console.assert(!isReplacedOutput({ type: 'text', value: 'two users' }))
 * ```
 */
export function isReplacedOutput({ value }: ModelOutput): boolean {
  const [first] = typeof value === 'string' ? [{ text: value }] : value
  return first !== undefined && 'text' in first && isReplacement(first.text)
}
