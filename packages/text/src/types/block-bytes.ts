import type { ContentBlock, MediaBlock } from './content-block.ts'
import { isMediaBlock } from './media-block.ts'

/** A block that can be stored: text, JSON, or media that comes as bytes. */
export type StorableBlock =
  | Extract<ContentBlock, { type: 'text' | 'json' }>
  | (MediaBlock & { readonly data: Uint8Array })

/** Tell whether a block has bytes of its own; links, media by URL, unknown blocks and empty text have not. */
export function isStorable(block: ContentBlock): block is StorableBlock {
  if (block.type === 'text') return block.text !== ''
  if (block.type === 'json') return true
  return isMediaBlock(block) && block.data !== undefined
}

/**
 * Write a JSON value indented by two spaces, so that lines, ranges and grep work on it.
 *
 * Returns `undefined` for what JSON cannot express as a whole: functions, `undefined`, cycles, big integers, values whose
 * own `toJSON` or getters throw. Throws a `RangeError` for what is too deep or, once indented, too long for a string.
 */
export function indentJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, null, 2)
  } catch (error) {
    if (error instanceof RangeError) throw error
    // JSON.stringify has no other way to say that a value is circular or holds a BigInt, and runs the value's own code.
    return undefined
  }
}
