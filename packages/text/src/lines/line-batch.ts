/** UTF-16 units before the new part of a long line that a batch repeats, for look-behind and for the window of a hit. */
const LOOK_BACK = 1_024

/** How text is divided. */
export interface BatchOptions {
  /** UTF-16 units of a batch, at most. */
  readonly maxLength: number
  /**
   * UTF-16 units that two batches of one long line share, less than half of `maxLength`. A match that is longer, or
   * that depends on what is further away, may be missed where it lies across two batches.
   */
  readonly overlap: number
  /** Leave a byte order mark at the start as it is, where the text must be as it was stored. */
  readonly keepByteOrderMark?: boolean
}

/** Whole lines with their ends, or a part of one line that is longer than a batch. */
export interface LineBatch {
  readonly text: string
  /** Number of the first line, from 1. */
  readonly firstLine: number
  /** Where each line begins in `text`. */
  readonly lineStarts: readonly number[]
  /** Where `text` begins in its first line: more than 0 where it continues a long line. */
  readonly column: number
  /** Where the part begins that the batch before did not have, in `text`. */
  readonly from: number
  /** Set where the only line goes on in the next batch: matches that begin here or later are found there. */
  readonly until: number | undefined
}

/**
 * Decode UTF-8 and divide it into batches of lines, in bounded memory whatever the lengths of the lines.
 *
 * Lines end at LF, and a final LF ends the last line. A byte order mark at the start is left out unless it is to be kept,
 * invalid bytes become U+FFFD.
 */
export async function* lineBatches(
  blocks: AsyncIterable<Uint8Array>,
  options: BatchOptions,
): AsyncGenerator<LineBatch> {
  const { maxLength, overlap, keepByteOrderMark = false } = options
  const lookBack = Math.min(LOOK_BACK, overlap)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: keepByteOrderMark })
  let rest = ''
  let firstLine = 1
  let column = 0
  let from = 0

  function takeLines(lineStarts: readonly number[], end: number): LineBatch {
    const batch = { text: rest.slice(0, end), firstLine, lineStarts, column, from, until: undefined }
    rest = rest.slice(end)
    firstLine += lineStarts.length
    column = from = 0
    return batch
  }

  function takePart(): LineBatch {
    const until = maxLength - overlap
    const batch = { text: rest.slice(0, maxLength), firstLine, lineStarts: [0], column, from, until }
    rest = rest.slice(until - lookBack)
    column += until - lookBack
    from = lookBack
    return batch
  }

  function* takeFull(): Generator<LineBatch> {
    while (rest.length > maxLength) {
      const { lineStarts, end } = findLines(rest, maxLength)
      yield end > 0 ? takeLines(lineStarts, end) : takePart()
    }
  }

  for await (const block of blocks) {
    rest += decoder.decode(block, { stream: true })
    yield* takeFull()
  }
  rest += decoder.decode()
  yield* takeFull()
  if (rest === '') return
  const { lineStarts, end } = findLines(rest, rest.length)
  yield takeLines(end < rest.length ? [...lineStarts, end] : lineStarts, rest.length)
}

/** Where line `index` of a batch ends in its text, without its LF and a CR before that. */
export function lineEnd(batch: LineBatch, index: number): number {
  const { text, lineStarts } = batch
  const start = lineStarts[index]!
  const next = lineStarts[index + 1] ?? text.length
  if (next === start || text.charCodeAt(next - 1) !== 10) return next
  return next - 1 > start && text.charCodeAt(next - 2) === 13 ? next - 2 : next - 1
}

/** Find where the lines begin that end within the first `limit` units of a text, and where the last of them ends. */
function findLines(text: string, limit: number): { readonly lineStarts: number[]; readonly end: number } {
  const lineStarts: number[] = []
  let start = 0
  for (let lineFeed = text.indexOf('\n'); lineFeed >= 0 && lineFeed < limit; lineFeed = text.indexOf('\n', start)) {
    lineStarts.push(start)
    start = lineFeed + 1
  }
  return { lineStarts, end: start }
}
