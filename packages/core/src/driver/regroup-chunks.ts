import type { ByteRange } from '../storage/storage.ts'

/**
 * Cut a stream into chunks of exactly `pieceBytes`. The last chunk may be shorter. An empty stream yields nothing.
 *
 * New chunks within one received chunk share its memory. Other new chunks are copies. Errors of the stream are thrown.
 * If the consumer stops early, the stream is closed.
 */
export async function* regroupChunks(
  chunks: AsyncIterable<Uint8Array>,
  pieceBytes: number,
): AsyncGenerator<Uint8Array> {
  let begun: Uint8Array = new Uint8Array(0)
  let filled = 0
  for await (const chunk of chunks) {
    let at = 0
    if (filled > 0) {
      at = Math.min(chunk.length, pieceBytes - filled)
      begun = put(begun, filled, chunk.subarray(0, at), pieceBytes)
      filled += at
      if (filled < pieceBytes) continue
      yield begun.subarray(0, filled)
      filled = 0
      begun = new Uint8Array(0)
    }
    for (; chunk.length - at >= pieceBytes; at += pieceBytes) yield chunk.subarray(at, at + pieceBytes)
    if (at < chunk.length) {
      // The chunk's memory is used until the next chunk arrives. The array is full, so nothing is appended to it.
      begun = chunk.subarray(at)
      filled = begun.length
    }
  }
  if (filled > 0) yield begun.subarray(0, filled)
}

function put(begun: Uint8Array, filled: number, bytes: Uint8Array, most: number): Uint8Array {
  let room = begun
  if (filled + bytes.length > begun.length) {
    room = new Uint8Array(Math.min(most, Math.max(filled + bytes.length, 2 * begun.length)))
    room.set(begun.subarray(0, filled))
  }
  room.set(bytes, filled)
  return room
}

/** Pieces that contain a range, and the position of the range in these pieces. */
export interface PieceSpan {
  /** Index of the first piece, from 0. */
  readonly first: number
  /** Index after the last piece. Equals `first` for an empty range. */
  readonly end: number
  /** Offset of the range in the first piece, in bytes. */
  readonly skip: number
  /** Bytes of the range, after clipping to the content. */
  readonly length: number
}

/**
 * Find the pieces that contain a range of content stored in pieces of `pieceBytes`.
 *
 * @param range - Range within the content. A part beyond the end is ignored. If absent, the whole content.
 */
export function piecesOfRange(size: number, pieceBytes: number, range?: ByteRange): PieceSpan {
  const start = Math.min(range?.offset ?? 0, size)
  const length = Math.min(range?.length ?? Infinity, size - start)
  const first = Math.floor(start / pieceBytes)
  const end = length === 0 ? first : Math.ceil((start + length) / pieceBytes)
  return { first, end, skip: start - first * pieceBytes, length }
}
