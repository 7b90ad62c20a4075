/** What drivers of backends have in common: pieces of equal size, descriptions as text, options, maps in the order of use. */
export { BoundedMap, RecencyMap } from '@spillway/text/internal/shared'
export { assertKnownOptions } from './assert-known-options.ts'
export { decodeDescription, encodeDescription, type EntryDescription } from './entry-description.ts'
export { piecesOfRange, type PieceSpan } from './pieces-of-range.ts'
export { regroupChunks } from './regroup-chunks.ts'
