import { isTextContentType } from '../content/text-content-type.ts'
import type { ContentSource } from '../content/content-source.ts'
import { lineBatches } from '../content/line-batch.ts'
import { linesWithin } from '../content/lines-within.ts'
import type { LineBatch } from '../content/line-batch.ts'
import type { LineProgress } from '../content/lines-within.ts'
import { abridge } from './plain-text.ts'
import { RetrievalError } from './retrieval-error.ts'
import type { LineRange } from '../content/line-range.ts'

/** UTF-16 units that batches of one long line share: matches up to this length are found wherever they lie. */
const OVERLAP = 16_384

/** All lines. */
export const EVERY_LINE: LineRange = { start: 1, end: Number.MAX_SAFE_INTEGER }

/** How text is read. */
export interface ReadTextOptions {
  readonly range: LineRange
  /** UTF-16 units of a batch, at most. */
  readonly maxLength: number
  /** Whether the number of lines is needed, also when the range ends before. */
  readonly countAll: boolean
}

/**
 * Read lines of stored text, and note in `progress` how far reading has come.
 *
 * This is the place where a line index lets reading begin in the middle. Rejects with `not-text`.
 */
export function readText(
  source: ContentSource,
  options: ReadTextOptions,
  progress: LineProgress,
): AsyncGenerator<LineBatch> {
  assertText(source)
  const { maxLength, range, countAll } = options
  const overlap = Math.min(OVERLAP, Math.floor((maxLength - 1) / 4))
  return linesWithin(lineBatches(source.blocks(), { maxLength, overlap }), range, progress, countAll)
}

function assertText({ contentType, reference }: ContentSource): void {
  if (isTextContentType(contentType)) return
  throw new RetrievalError(
    'not-text',
    `This content is binary (${abridge(contentType, 80)}) and cannot be searched or read by lines. ` +
      'To get it in its native form:',
    { call: { reference } },
  )
}
