import type { ByteRange } from '../storage/storage.ts'

/** Which pieces of a content hold a range, and where it is in them. */
export interface PieceSpan {
  /** Index of the first piece that is needed, from 0. */
  readonly first: number
  /** Index behind the last piece that is needed; equal to `first` for a range of no bytes. */
  readonly end: number
  /** Where the range begins in the first piece, in bytes. */
  readonly skip: number
  /** Bytes of the range once it is clipped to the content. */
  readonly length: number
}

/**
 * Find the pieces that hold a range of content that is kept in pieces of `pieceBytes`, the last of them shorter.
 *
 * @param range - Clipped to the content; absent for all of it.
 *
 * @example
 * ```ts
 * import { piecesOfRange } from '@spillway/core/driver'
 *
 * // 10 bytes in pieces of 4: bytes 3 to 8 are in the pieces 0 to 2.
 * const { first, end, skip, length } = piecesOfRange(10, 4, { offset: 3, length: 6 })
 * console.assert(first === 0 && end === 3 && skip === 3 && length === 6)
 * ```
 */
export function piecesOfRange(size: number, pieceBytes: number, range?: ByteRange): PieceSpan {
  const start = Math.min(range?.offset ?? 0, size)
  const length = Math.min(range?.length ?? Infinity, size - start)
  const first = Math.floor(start / pieceBytes)
  const end = length === 0 ? first : Math.ceil((start + length) / pieceBytes)
  return { first, end, skip: start - first * pieceBytes, length }
}
