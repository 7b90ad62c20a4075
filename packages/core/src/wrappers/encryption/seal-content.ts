import type { Aes256Gcm } from '@spillway/text/internal/engines'
import { yieldToEventLoop } from '@spillway/text/internal'
import { regroupChunks } from '../../driver/regroup-chunks.ts'
import { encodeHeader, HEADER_BYTES, type SealedHeader } from './sealed-header.ts'
import { sealSegments } from './sealed-segments.ts'

/** Segments that are sealed together. */
const PIECE_SEGMENTS = 16
/** Other work has its turn after so many bytes: sealing them takes some milliseconds. */
const BYTES_OF_A_TURN = 8_388_608

/**
 * Seal content: its header, and its segments after it.
 *
 * @param ended - Waited for once all of `chunks` was read, before the last bytes are given.
 */
export async function* sealContent(
  chunks: AsyncIterable<Uint8Array>,
  cipher: Aes256Gcm,
  header: SealedHeader,
  ended: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  const { segmentBytes } = header
  let first = 0
  let sealedBytes = 0
  // The last piece is known as such only when nothing follows it.
  let held: Uint8Array | undefined
  const seal = async (isEnd: boolean): Promise<Uint8Array> => {
    const room = first === 0 ? HEADER_BYTES : 0
    const plain = held ?? new Uint8Array(0)
    const sealed = await sealSegments(cipher, plain, { first, isEnd, segmentBytes, room })
    if (first === 0) sealed.set(encodeHeader(header))
    first += PIECE_SEGMENTS
    sealedBytes += sealed.byteLength
    if (sealedBytes >= BYTES_OF_A_TURN) {
      sealedBytes = 0
      await yieldToEventLoop()
    }
    return sealed
  }
  for await (const piece of regroupChunks(chunks, PIECE_SEGMENTS * segmentBytes)) {
    if (held !== undefined) yield await seal(false)
    held = piece
  }
  await ended()
  yield await seal(true)
}
