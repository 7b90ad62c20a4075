/** Content whose beginning was looked at. */
export interface PeekedContent {
  /** The first bytes: as many as were asked for, or all there are. */
  readonly head: Uint8Array
  /** Bytes of the whole; absent where more is to come. */
  readonly size?: number
  /** All of it, the head too, once. */
  readonly chunks: AsyncIterable<Uint8Array>
  /** Tell the source to end where `chunks` was not read to its end. */
  release(): void
}

/** Look at the first `bytes` of some content. */
export async function peekContent(chunks: AsyncIterable<Uint8Array>, bytes: number): Promise<PeekedContent> {
  const source = chunks[Symbol.asyncIterator]()
  const seen: Uint8Array[] = []
  let length = 0
  let isWhole = false
  // One more than is needed: where nothing follows, the size is known.
  while (!isWhole) {
    const next = await source.next()
    isWhole = next.done === true
    if (next.done === true) break
    seen.push(next.value)
    if (length >= bytes) break
    length += next.value.byteLength
  }
  const size = isWhole ? seen.reduce((sum, chunk) => sum + chunk.byteLength, 0) : undefined
  return {
    head: joinedHead(seen, bytes),
    ...(size === undefined ? {} : { size }),
    chunks: replayed(seen, isWhole, source),
    // Its answer says nothing, and a source that hangs would give none.
    release: () => void Promise.allSettled([source.return?.()]),
  }
}

async function* replayed(
  seen: Uint8Array[],
  isWhole: boolean,
  source: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (let chunk = seen.shift(); chunk !== undefined; chunk = seen.shift()) yield chunk
  if (isWhole) return
  for (;;) {
    const next = await source.next()
    if (next.done === true) return
    yield next.value
  }
}

function joinedHead(chunks: readonly Uint8Array[], bytes: number): Uint8Array {
  const [first] = chunks
  if (first !== undefined && (chunks.length === 1 || first.byteLength >= bytes)) return first.subarray(0, bytes)
  const head = new Uint8Array(
    Math.min(
      bytes,
      chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0),
    ),
  )
  let at = 0
  for (const chunk of chunks) {
    const part = chunk.subarray(0, head.length - at)
    head.set(part, at)
    at += part.byteLength
  }
  return head
}
