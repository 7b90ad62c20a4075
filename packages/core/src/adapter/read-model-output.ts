import { readModelPart } from './read-model-part.ts'
import type { ModelOutput } from './write-model-output.ts'

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
