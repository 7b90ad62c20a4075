import type { TextBlock } from '@spillway/text/internal'

/** What a framework's part says of its text, under whatever types: what is no text is left out. */
export interface TextOrigin {
  /** A file name, title or URI. */
  readonly name?: unknown
  /** A MIME type. */
  readonly mediaType?: unknown
  /** A few words on the content, such as where it comes from. */
  readonly context?: unknown
}

/**
 * Make a block of a text with the name, type and context that its part in a framework has.
 *
 * @example
 * ```ts
 * import { textBlock } from '@spillway/core/adapter'
 *
 * const block = textBlock('# Notes', { name: 'notes.md', mediaType: 'text/markdown', context: null })
 * console.assert(block.name === 'notes.md' && !('context' in block))
 * ```
 */
export function textBlock(text: string, origin: TextOrigin): TextBlock {
  const { name, mediaType, context } = origin
  const said = Object.entries({ name, mediaType, context }).filter(([, value]) => typeof value === 'string')
  return { type: 'text', text, ...Object.fromEntries(said) }
}

/** Keys under which frameworks name a part, the most telling first. */
const NAMES = ['filename', 'name', 'title', 'uri']

/**
 * Find the name of a part, or of its metadata: a file name, title or URI. Returns `undefined` if it has none.
 *
 * @example
 * ```ts
 * import { nameOfPart } from '@spillway/core/adapter'
 *
 * console.assert(nameOfPart({ uri: 'file:///notes.md', title: 'Notes' }) === 'Notes')
 * console.assert(nameOfPart({ name: 7 }) === undefined)
 * ```
 */
export function nameOfPart(part: unknown): string | undefined {
  const fields = Object(part) as Readonly<Record<string, unknown>>
  const name = NAMES.map((key) => fields[key]).find((value) => typeof value === 'string' && value !== '')
  return name as string | undefined
}
