import type { LineBatch } from './line-batch.ts'
import type { LineRange } from './line-range.ts'

/** How far reading has come. */
export interface LineProgress {
  /** The last line seen. */
  lines: number
  /** Whether the content has been read to its end, so that `lines` is how many it has. */
  ended: boolean
}

/**
 * Pass on only the lines of `range`, with their numbers, and note in `progress` how far reading has come.
 *
 * Stops reading after the last line of the range unless `toEnd` is set, which counts the rest.
 */
export async function* linesWithin(
  batches: AsyncIterable<LineBatch>,
  range: LineRange,
  progress: LineProgress,
  toEnd: boolean,
): AsyncGenerator<LineBatch> {
  for await (const batch of batches) {
    const { firstLine, lineStarts, until } = batch
    const lastLine = firstLine + lineStarts.length - 1
    progress.lines = lastLine
    if (lastLine >= range.start && firstLine <= range.end) yield trim(batch, range)
    const closed = until === undefined ? lastLine : lastLine - 1
    if (closed >= range.end && !toEnd) return
  }
  progress.ended = true
}

function trim(batch: LineBatch, range: LineRange): LineBatch {
  const { text, firstLine, lineStarts } = batch
  const first = Math.max(0, range.start - firstLine)
  const end = Math.min(lineStarts.length, range.end - firstLine + 1)
  if (first === 0 && end === lineStarts.length) return batch
  const offset = lineStarts[first]!
  return {
    text: text.slice(offset, lineStarts[end] ?? text.length),
    firstLine: firstLine + first,
    lineStarts: lineStarts.slice(first, end).map((start) => start - offset),
    column: first === 0 ? batch.column : 0,
    from: first === 0 ? batch.from : 0,
    // A batch that goes on in the next has only one line, and was passed on as it is.
    until: undefined,
  }
}
