import { formatCount, type LineRange } from '@spillway/text/internal'
import { RetrievalError } from './retrieval-error.ts'
import type { ByteRange } from './retrieval-input.ts'

/** Say that a span of lines begins beyond the end of the content. */
export function lineBeyondEnd(range: LineRange, total: number): RetrievalError {
  const lines = `${formatCount(total)} ${total === 1 ? 'line' : 'lines'}`
  return new RetrievalError(
    'invalid-range',
    `line_range.start (${formatCount(range.start)}) is beyond the end of the content, which has ${lines}. ` +
      `Choose lines between 1 and ${total}.`,
  )
}

/** Say that a span of bytes begins beyond the end of the content. */
export function byteBeyondEnd({ start }: ByteRange, size: number): RetrievalError {
  return new RetrievalError(
    'invalid-range',
    `byte_range.start (${formatCount(start)}) is beyond the end of the content, which has ${formatCount(size)} bytes. ` +
      `Choose bytes between 1 and ${size}.`,
  )
}
