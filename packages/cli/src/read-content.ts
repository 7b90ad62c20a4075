import type { Storage } from '@spillway/core'

/** Bytes that are read at a time. */
const RANGE_BYTES = 4 * 1024 * 1024

/** Read content piece by piece, holding one piece at a time where the storage can read ranges. */
export async function* readContent(storage: Storage, reference: string): AsyncGenerator<Uint8Array> {
  if (storage.retrieveRange === undefined) {
    yield (await storage.retrieve(reference)).content
    return
  }
  for (let offset = 0; ;) {
    const { content, size } = await storage.retrieveRange(reference, { offset, length: RANGE_BYTES })
    if (content.byteLength > 0) yield content
    offset += content.byteLength
    if (offset >= size || content.byteLength === 0) return
  }
}
