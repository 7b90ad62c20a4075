import { assertContent } from './assert-input.ts'
import { SourceError } from './guard.ts'

/** Make a stream of one chunk. */
export async function* onlyChunk(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield chunk
}

/**
 * Pass on the chunks of a caller's stream as `take` returns them.
 *
 * What the stream itself does wrong, failing or yielding anything but bytes, is thrown as a `SourceError`.
 */
export async function* sourceChunks(
  chunks: AsyncIterable<Uint8Array>,
  take: (chunk: Uint8Array) => Uint8Array,
): AsyncGenerator<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]()
  let ended = false
  try {
    for (;;) {
      const chunk = await nextChunk(source)
      ended = chunk === undefined
      if (chunk === undefined) return
      yield take(chunk)
    }
  } finally {
    if (!ended) await source.return?.()
  }
}

async function nextChunk(source: AsyncIterator<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    const next = await source.next()
    if (next.done === true) return undefined
    assertContent(next.value)
    return next.value
  } catch (cause) {
    throw new SourceError(cause)
  }
}

/** Pass on chunks and report how many bytes have gone by. */
export async function* countedChunks(
  chunks: AsyncIterable<Uint8Array>,
  counted: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of chunks) {
    counted((bytes += chunk.byteLength))
    yield chunk
  }
}
