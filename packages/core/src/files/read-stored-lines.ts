import type { LineRange } from '@spillway/text/internal'
import { DEFAULT_BLOCK_BYTES, withTextSource, type ContentSource } from '../content/content-source.ts'
import { findLineSpan } from '../search/view-hits.ts'
import { StorageError } from '../storage/storage-error.ts'
import type { OperationOptions, Storage } from '../storage/storage.ts'
import type { LinePage } from './read-line-page.ts'

const LINE_FEED = 10

/** Options of {@link readStoredLines}. */
export interface ReadStoredLinesOptions extends OperationOptions {
  /** Bytes of the lines that are read, at most. Defaults to 67,108,864. */
  readonly maxBytes?: number | undefined
  /** Told how many bytes are about to be read; what it throws is passed on, and nothing is read. */
  readonly beforeRead?: ((bytes: number) => void) | undefined
}

/**
 * Read exactly the lines of a range from stored text, whose bytes tell its encoding, by the index of its lines: what is before them is not
 * read where there is one.
 *
 * Pages joined by LF are the content. A range beyond the end gives no lines. Rejects like `retrieve`, and with `too-large`
 * where the lines have more bytes than `maxBytes`.
 *
 * @param range - From line 1. The end may be `Infinity`.
 * @throws TypeError where the range is not of whole numbers.
 *
 * @example
 * ```ts
 * import { InMemoryStorage } from '@spillway/memory'
 * import { readStoredLines } from '@spillway/core/files'
 *
 * const storage = new InMemoryStorage({ evictAfterTurns: null })
 * const reference = await storage.store('list', new TextEncoder().encode('one\ntwo\nthree'))
 * const page = await readStoredLines(storage, reference, { start: 2, end: 2 })
 * console.assert(page.text === 'two' && page.goesOn && page.totalLines === 3)
 * ```
 */
export async function readStoredLines(
  storage: Storage,
  reference: string,
  range: LineRange,
  { maxBytes = 67_108_864, beforeRead, signal }: ReadStoredLinesOptions = {},
): Promise<LinePage> {
  const { start, end } = range
  if (!Number.isSafeInteger(start) || start < 1 || !(Number.isSafeInteger(end) || end === Infinity))
    throw new TypeError(`range must have whole numbers from line 1, got start ${start} and end ${end}.`)
  const reading = { blockBytes: DEFAULT_BLOCK_BYTES, signal, readsPart: true }
  return await withTextSource(storage, reference, reading, async (source) => {
    const { lines } = await source.lineIndex()
    const found = end < start ? undefined : await findLineSpan(source, range)
    if (found === undefined) return { text: '', totalLines: lines, goesOn: start <= lines }
    if (found.end - found.start > maxBytes) {
      const message = `These lines have ${found.end - found.start} bytes, and ${maxBytes} are allowed. Read fewer lines at a time.`
      throw new StorageError('too-large', message, { reference })
    }
    beforeRead?.(found.end - found.start)
    const text = await textOf(source, found.start, found.end, end <= found.lines)
    return { text, lines: found.range, totalLines: found.lines, goesOn: found.range.end < found.lines }
  })
}

/** Without the LF that parts it from what follows, but with that at the end where lines beyond it were asked for. */
async function textOf(source: ContentSource, start: number, end: number, isWhole: boolean): Promise<string> {
  const bytes = await source.read(start, end - start)
  const length = isWhole && bytes.at(-1) === LINE_FEED ? bytes.length - 1 : bytes.length
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, length))
}
