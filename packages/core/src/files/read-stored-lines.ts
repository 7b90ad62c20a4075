import type { LineRange } from '@spillway/text/internal'
import { adoptStorage } from '../content/adopt-storage.ts'
import { DEFAULT_BLOCK_BYTES, withTextSource } from '../content/content-source.ts'
import { findLineSpan } from '../search/view-hits.ts'
import { StorageError } from '../storage/storage-error.ts'
import type { OperationOptions, Storage } from '../storage/storage.ts'

const LINE_FEED = 10

/** A page of lines, as stored. */
export interface LinePage {
  /** The lines, joined by LF. Ends with the text's final LF if lines after it were requested. */
  readonly text: string
  /** The lines in `text`. Absent if there are none. */
  readonly lines?: LineRange
  /** Number of lines in the whole text. */
  readonly totalLines: number
  /** Whether more lines follow. */
  readonly goesOn: boolean
}

/** Options of {@link readStoredLines}. */
export interface ReadStoredLinesOptions extends OperationOptions {
  /** Maximum bytes of the lines. Defaults to 67,108,864. */
  readonly maxBytes?: number | undefined
  /** Called with the number of bytes before the read. An error thrown here is passed on, and nothing is read. */
  readonly beforeRead?: ((bytes: number) => void) | undefined
}

/**
 * Read exactly the lines of a range by the line index; the encoding is detected. Pages joined by LF equal the content.
 *
 * A range beyond the end has no lines. Rejects like `retrieve`, and with `too-large` if the lines exceed `maxBytes`.
 *
 * @param range - From line 1. The end may be `Infinity`.
 * @throws TypeError if the range has no whole numbers.
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
  assertLineRange(range)
  const reading = { blockBytes: DEFAULT_BLOCK_BYTES, signal, readsPart: true }
  return await withTextSource(adoptStorage(storage), reference, reading, async (source) => {
    const { lines: totalLines } = await source.lineIndex()
    const found = range.end < range.start ? undefined : await findLineSpan(source, range)
    if (found === undefined) return { text: '', totalLines, goesOn: range.start <= totalLines }
    const length = found.end - found.start
    if (length > maxBytes) {
      const message = `These lines have ${length} bytes, and ${maxBytes} are allowed. Read fewer lines at a time.`
      throw new StorageError('too-large', message, { reference })
    }
    beforeRead?.(length)
    const bytes = await source.read(found.start, length)
    // The LF after the range is left out, except the text's final LF if lines after it were requested.
    const endsWithin = range.end <= found.lines && bytes.at(-1) === LINE_FEED
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(endsWithin ? bytes.subarray(0, -1) : bytes)
    return { text, lines: found.range, totalLines: found.lines, goesOn: found.range.end < found.lines }
  })
}

function assertLineRange({ start, end }: LineRange): void {
  if (!Number.isSafeInteger(start) || start < 1 || !(Number.isSafeInteger(end) || end === Infinity))
    throw new TypeError(`range must have whole numbers from line 1, got start ${start} and end ${end}.`)
}
