/** Number of UTF-16 units before `from` in a part of a long line, as context for look-behind and for hits. */
const LOOK_BACK = 1_024

interface BatchOptions {
  readonly maxLength: number
  /** Number of UTF-16 units that two batches of one long line share, less than half of `maxLength`. */
  readonly overlap: number
  readonly keepByteOrderMark?: boolean
}

/** Whole lines with their line ends, or a part of one line that is longer than a batch. */
export interface LineBatch {
  readonly text: string
  readonly firstLine: number
  readonly lineStarts: readonly number[]
  /** Offset of `text` in its first line, above 0 if the text continues a long line. */
  readonly column: number
  /** Start of the new text. Any text before this position was in the previous batch. */
  readonly from: number
  /** Set if the line continues in the next batch. Matches from this position on are also found in the next batch. */
  readonly until: number | undefined
}

/** Decode UTF-8 into batches of lines, with limited memory. By default, a byte order mark at the start is skipped. */
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

function findLines(text: string, limit: number): { readonly lineStarts: number[]; readonly end: number } {
  const lineStarts: number[] = []
  let start = 0
  for (let lineFeed = text.indexOf('\n'); lineFeed >= 0 && lineFeed < limit; lineFeed = text.indexOf('\n', start)) {
    lineStarts.push(start)
    start = lineFeed + 1
  }
  return { lineStarts, end: start }
}

/** Lines from `start` to `end`, 1-based and inclusive. */
export interface LineRange {
  readonly start: number
  readonly end: number
}
