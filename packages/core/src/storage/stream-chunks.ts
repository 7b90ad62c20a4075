import { assertContent } from './assert-input.ts'
import { checkAborted, orAborted, SourceError } from './guard.ts'

/** Make a stream of one chunk. */
export async function* onlyChunk(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield chunk
}

/**
 * Pass on the chunks of a caller's stream as `take` returns them, until the signal fires.
 *
 * What the stream itself does wrong, failing or yielding anything but bytes, is thrown as a `SourceError`.
 */
export async function* sourceChunks(
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
  take: (chunk: Uint8Array) => Uint8Array,
): AsyncGenerator<Uint8Array> {
  const source = chunks[Symbol.asyncIterator]()
  let state: 'pausing' | 'waiting' | 'ended' = 'pausing'
  try {
    for (;;) {
      state = 'waiting'
      checkAborted(signal)
      const next = await orAborted(nextOfSource(source), signal)
      state = next.done === true ? 'ended' : 'pausing'
      if (next.done === true) return
      yield take(asBytes(next.value))
      checkAborted(signal)
    }
  } finally {
    if (state === 'pausing') await source.return?.()
    // A source that hangs, or has failed, is told to end; its answer is not waited for and says nothing.
    if (state === 'waiting') void Promise.allSettled([release(source)])
  }
}

async function nextOfSource(source: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array, unknown>> {
  try {
    return await source.next()
  } catch (cause) {
    throw new SourceError(cause)
  }
}

function asBytes(chunk: unknown): Uint8Array {
  try {
    assertContent(chunk)
    return chunk
  } catch (cause) {
    throw new SourceError(cause)
  }
}

async function release(source: AsyncIterator<Uint8Array>): Promise<void> {
  await source.return?.()
}

/** Pass on chunks, showing each to `see` before. */
export async function* seenChunks(
  chunks: AsyncIterable<Uint8Array>,
  see: (chunk: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    see(chunk)
    yield chunk
  }
}
