import { yieldToEventLoop } from '#platform'
import { isBytes } from '../storage/bytes.ts'
import { checkAborted, orAborted } from '../storage/guard.ts'
import { StorageError } from '../storage/storage-error.ts'
import type { Storage, StoredContent, StoredRange } from '../storage/storage.ts'

/** Bytes read at a time: large enough for a remote backend, small enough to hold several. */
export const DEFAULT_BLOCK_BYTES = 524_288

/** What reading needs of a storage. */
export type ReadableStorage = Pick<Storage, 'retrieve' | 'retrieveRange'>

/** How content is read. */
export interface ReadOptions {
  /** Bytes read at a time. */
  readonly blockBytes: number
  readonly signal?: AbortSignal | undefined
}

/** Stored content, read no further than it is asked for. */
export interface ContentSource {
  readonly reference: string
  readonly contentType: string
  /** Bytes of the whole. */
  readonly size: number
  /** The bytes from the start, block by block; may be called again. */
  blocks(): AsyncGenerator<Uint8Array>
  /** The bytes as a whole. */
  whole(): Promise<Uint8Array>
}

/**
 * Open content for reading: by ranges where the storage has them, so that memory stays bounded, else as a whole.
 *
 * Rejects with what the storage throws, and with `corrupt` where it gives something else than content.
 */
export async function openContentSource(
  storage: ReadableStorage,
  reference: string,
  options: ReadOptions,
): Promise<ContentSource> {
  const { blockBytes, signal } = options
  if (storage.retrieveRange === undefined) {
    const { content, contentType } = await retrieveWhole(storage, reference, signal)
    return {
      reference,
      contentType,
      size: content.length,
      blocks: () => slices(content, options),
      whole: async () => content,
    }
  }
  const range = async (offset: number): Promise<StoredRange> => {
    checkAborted(signal)
    const asked = { offset, length: blockBytes }
    const read = await orAborted(storage.retrieveRange!(reference, asked, { signal }), signal)
    assertStored(read, reference)
    if (!Number.isSafeInteger(read.size)) throw damaged(reference)
    return read
  }
  const first = await range(0)
  const { contentType, size } = first
  return {
    reference,
    contentType,
    size,
    blocks: () => ranges(first.content, size, async (offset) => (await range(offset)).content, reference),
    whole: async () =>
      first.content.length === size ? first.content : (await retrieveWhole(storage, reference, signal)).content,
  }
}

async function retrieveWhole(
  storage: ReadableStorage,
  reference: string,
  signal: AbortSignal | undefined,
): Promise<StoredContent> {
  checkAborted(signal)
  const stored = await orAborted(storage.retrieve(reference, { signal }), signal)
  assertStored(stored, reference)
  return stored
}

/** A storage of others may give anything. */
function assertStored(stored: unknown, reference: string): asserts stored is StoredContent {
  const { content, contentType } = Object(stored) as Partial<Record<keyof StoredContent, unknown>>
  if (!isBytes(content) || typeof contentType !== 'string') throw damaged(reference)
}

const damaged = (reference: string): StorageError =>
  new StorageError('corrupt', 'The storage did not give bytes with their content type and size.', { reference })

async function* slices(content: Uint8Array, { blockBytes, signal }: ReadOptions): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < content.length; offset += blockBytes) {
    checkAborted(signal)
    yield content.subarray(offset, offset + blockBytes)
    await yieldToEventLoop()
  }
}

/** The first block is there; from the third on, each is asked for while the one before it is worked on. */
async function* ranges(
  first: Uint8Array,
  size: number,
  read: (offset: number) => Promise<Uint8Array>,
  reference: string,
): AsyncGenerator<Uint8Array> {
  let offset = first.length
  yield first
  let ahead: Promise<Uint8Array> | undefined
  while (offset < size) {
    const block = await (ahead ?? read(offset))
    if (block.length === 0) {
      const message = `The storage has only ${offset} of ${size} bytes. Run the tool again that gave the content.`
      throw new StorageError('corrupt', message, { reference })
    }
    offset += block.length
    ahead = offset < size ? read(offset) : undefined
    // The reader may stop here; the failure of a block that nobody waits for does not matter.
    void Promise.allSettled([ahead])
    yield block
    await yieldToEventLoop()
  }
}
