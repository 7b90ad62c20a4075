import { isBytes } from '@spillway/text/internal'
import { LINE_BLOCK_BYTES } from '@spillway/text/internal/lines'
import {
  CachedContent,
  openedContent,
  type CachedContents,
  type ContentInfo,
  type ContentReader,
  type IndexedContent,
} from '../storage/opened-content.ts'
import { checkAborted, orAborted, StorageError } from '../storage/storage-error.ts'
import type {
  ByteRange,
  EntryState,
  OpenContent,
  Storage,
  StoredContent as Whole,
  StoredRange,
} from '../storage/storage.ts'
import type { OpenOptions } from './adopt-storage.ts'
import { orMiss } from './or-miss.ts'

/** Milliseconds after which content is checked again for existence, in storages without ranges. */
const CHECKED_FOR_MS = 60_000

type ReadableStorage = Pick<Storage, 'retrieve' | 'retrieveRange' | 'open'>

/** Opens content of any storage through the cache. Without `open`, core checks that the content still exists. */
export async function openStored(
  storage: ReadableStorage,
  contents: CachedContents<ContentInfo>,
  reference: string,
  { signal, call = (_reference, run) => run() }: OpenOptions,
): Promise<IndexedContent> {
  const found = <Result>(ask: () => Promise<Result>): Promise<NonNullable<Result>> =>
    call(reference, () => orMiss(reference, ask))
  const opened = (content: CachedContent<ContentInfo>, reader: ContentReader, state?: EntryState): IndexedContent =>
    openedContent({ reference, content, signal, reader, state })
  const add = (info: ContentInfo): CachedContent<ContentInfo> =>
    contents.add(reference, info, Date.now(), contents.removals)
  const whole = async (abort: AbortSignal | undefined): Promise<Whole> => {
    const stored = await orAborted(
      found(() => storage.retrieve(reference, { signal: abort })),
      abort,
    )
    assertStored(stored, reference)
    return stored
  }
  const readRange = async (range: ByteRange, abort: AbortSignal | undefined): Promise<StoredRange> => {
    const ask = () => storage.retrieveRange!(reference, range, { signal: abort })
    const read = await orAborted(found(ask), abort)
    assertStored(read, reference)
    if (!Number.isSafeInteger(read.size) || read.size < 0) throw damaged(reference)
    return read
  }

  checkAborted(signal)
  if (storage.open !== undefined) {
    const own = await orAborted(
      found(() => storage.open!(reference, { signal })),
      signal,
      (opened) => opened.close(),
    )
    assertOpened(own, reference)
    const { contentType, size, lineIndex } = own
    if (lineIndex !== undefined) return own as IndexedContent
    const content = new CachedContent({ contentType, size }, 0, undefined, () => undefined)
    const read: ContentReader['read'] = ({ offset, length }, buffer) => own.read(offset, length, buffer)
    return opened(content, { read, close: () => own.close() }, own.state)
  }
  const known = contents.find(reference)
  if (storage.retrieveRange !== undefined) {
    const first = await readRange({ offset: 0, length: known === undefined ? LINE_BLOCK_BYTES : 1 }, signal)
    const { contentType, size } = first
    return opened(add({ contentType, size }), rangeReader(first, readRange))
  }
  if (known !== undefined && Date.now() - known.checkedAt < CHECKED_FOR_MS)
    return opened(
      known,
      wholeReader(() => whole(undefined)),
    )
  const { content, contentType } = await whole(signal)
  return opened(
    add({ contentType, size: content.byteLength }),
    wholeReader(async () => ({ content })),
  )
}

/** Reads ranges. Some storages return fewer bytes than requested, so the missing bytes are requested again. */
function rangeReader(
  { content: head }: StoredRange,
  readRange: (range: ByteRange, signal: AbortSignal | undefined) => Promise<StoredRange>,
): ContentReader {
  return {
    read: async ({ offset, length }, _buffer, signal) => {
      let read = head.subarray(offset, offset + length)
      if (read.byteLength === 0) read = (await readRange({ offset, length }, signal)).content
      if (read.byteLength >= length || read.byteLength === 0) return read
      const bytes = new Uint8Array(length)
      bytes.set(read)
      for (let filled = read.byteLength; filled < length; filled += read.byteLength) {
        read = (await readRange({ offset: offset + filled, length: length - filled }, signal)).content
        if (read.byteLength === 0) return bytes.subarray(0, filled)
        bytes.set(read.subarray(0, length - filled), filled)
      }
      return bytes
    },
    close: async () => undefined,
  }
}

function assertOpened(opened: unknown, reference: string): asserts opened is OpenContent {
  const { contentType, size, read, close } = Object(opened) as Partial<Record<keyof OpenContent, unknown>>
  const isContent = typeof contentType === 'string' && Number.isSafeInteger(size) && (size as number) >= 0
  if (!isContent || typeof read !== 'function' || typeof close !== 'function') throw damaged(reference)
}

function assertStored(stored: unknown, reference: string): asserts stored is Whole {
  const { content, contentType } = Object(stored) as Partial<Record<keyof Whole, unknown>>
  if (!isBytes(content) || typeof contentType !== 'string') throw damaged(reference)
}

const damaged = (reference: string): StorageError =>
  new StorageError('corrupt', 'The storage returned no bytes, content type, or size.', { reference })

function wholeReader(retrieve: () => Promise<Pick<Whole, 'content'>>): ContentReader {
  let whole: Promise<Pick<Whole, 'content'>> | undefined
  return {
    read: async ({ offset, length }) => {
      const { content } = await (whole ??= retrieve())
      return content.subarray(offset, offset + length)
    },
    close: async () => undefined,
  }
}
