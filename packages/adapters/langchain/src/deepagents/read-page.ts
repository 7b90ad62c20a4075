import type { StoredFile } from '@spillway/core/files'

/** No text has more lines; line numbers beyond 2^53 are not exact. */
const MAX_LINES = 2 ** 50

/** A page of a text, with the fields by which deepagents says what it shows and where to go on. */
export interface Page {
  readonly content: string
  readonly totalLines?: number
  readonly startLine?: number
  readonly endLine?: number
  readonly nextOffset?: number
}

/** Read lines as the backends of deepagents do. `totalLines` is there where the end was reached. */
export async function readPage(file: StoredFile, offset: number, limit: number): Promise<Page> {
  const first = wholeNumber(offset)
  const { text, lines, totalLines, goesOn } = await file.readLines({
    start: first + 1,
    end: first + wholeNumber(limit),
  })
  if (lines === undefined) return { content: text }
  return {
    content: text,
    startLine: lines.start,
    endLine: lines.end,
    ...(totalLines === undefined ? {} : { totalLines }),
    ...(goesOn ? { nextOffset: lines.end } : {}),
  }
}

/** What deepagents makes of a bound that a model wrote. */
function wholeNumber(value: number): number {
  return Number.isFinite(value) ? Math.min(Math.max(0, Math.floor(value)), MAX_LINES) : 0
}
