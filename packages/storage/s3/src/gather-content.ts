/** How much of a stream is held in memory. */
export interface GatherLimits {
  /** Bytes that are copied together at most. */
  readonly copied: number
  /** Bytes at most where they are one piece of memory anyway. */
  readonly whole: number
}

/** Content that is in memory as a whole, or a stream that is too large for it. */
export type Gathered = { readonly content: Uint8Array } | BegunStream

/** A stream of which a part was read. Whoever has it must read on, or tell the rest to end. */
export interface BegunStream {
  readonly begun: readonly Uint8Array[]
  readonly rest: AsyncIterator<Uint8Array>
}

/**
 * Read a stream until it ends or exceeds the limits. Chunks that follow each other in one piece of memory, as those of
 * content that was in memory before, are not copied.
 */
export async function gatherContent(chunks: AsyncIterable<Uint8Array>, limits: GatherLimits): Promise<Gathered> {
  const rest = chunks[Symbol.asyncIterator]()
  const pieces: Uint8Array[] = []
  let size = 0
  for (;;) {
    const next = await rest.next()
    if (next.done === true) return { content: joined(pieces, size) }
    if (next.value.length === 0) continue
    size += next.value.length
    append(pieces, next.value)
    if (size > (pieces.length === 1 ? limits.whole : limits.copied)) return { begun: pieces, rest }
  }
}

/** Pass on what was read of a stream, and the rest of it; the stream is told to end where the consumer stops. */
export async function* continued(
  begun: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let done = false
  try {
    yield* begun
    for (;;) {
      // Where the stream itself fails it has ended, and is not told so.
      done = true
      const next = await rest.next()
      if (next.done === true) return
      done = false
      yield next.value
    }
  } finally {
    if (!done) await rest.return?.()
  }
}

function append(pieces: Uint8Array[], chunk: Uint8Array): void {
  const last = pieces.at(-1)
  if (last === undefined || last.buffer !== chunk.buffer || last.byteOffset + last.length !== chunk.byteOffset)
    pieces.push(chunk)
  else pieces[pieces.length - 1] = new Uint8Array(last.buffer, last.byteOffset, last.length + chunk.length)
}

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = pieces
  if (first !== undefined && pieces.length === 1) return first
  const content = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    content.set(piece, at)
    at += piece.length
  }
  return content
}
