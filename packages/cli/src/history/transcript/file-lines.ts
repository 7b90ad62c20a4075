import type { FileHandle } from 'node:fs/promises'
import type { Span } from './json-spans.ts'

const CHUNK_BYTES = 1_048_576
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const

/** A line of a file, without its end. */
export interface FileLine extends Span {
  readonly bytes: Uint8Array
  /** From 1. */
  readonly line: number
  /** What it ends with: `\n`, `\r\n`, or nothing at the end of the file. */
  readonly eol: string
}

/** Read a file line by line, holding one line at a time. A byte order mark is part of no line. */
export async function* fileLines(handle: FileHandle): AsyncGenerator<FileLine> {
  const parts: Uint8Array[] = []
  let start = 0
  let line = 1
  const finish = (last: Uint8Array, end: number, hasEnd: boolean): FileLine => {
    const whole = parts.length === 0 ? last : Buffer.concat([...parts, last])
    parts.length = 0
    const skipped = line === 1 && BYTE_ORDER_MARK.every((byte, index) => whole[index] === byte) ? 3 : 0
    const hasReturn = hasEnd && whole.at(-1) === CARRIAGE_RETURN
    const bytes = whole.subarray(skipped, whole.length - (hasReturn ? 1 : 0))
    const eol = hasEnd ? (hasReturn ? '\r\n' : '\n') : ''
    return { bytes, start: start + skipped, end: end - (hasReturn ? 1 : 0), line, eol }
  }
  let offset = 0
  for (;;) {
    // Each line may be a view of it: it cannot be used again.
    const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
    const { bytesRead } = await handle.read(chunk, 0, CHUNK_BYTES, offset)
    if (bytesRead === 0) break
    let from = 0
    for (let at = chunk.indexOf(LINE_FEED); at >= 0 && at < bytesRead; at = chunk.indexOf(LINE_FEED, from)) {
      yield finish(chunk.subarray(from, at), offset + at, true)
      from = at + 1
      start = offset + from
      line += 1
    }
    if (from < bytesRead) parts.push(chunk.subarray(from, bytesRead))
    offset += bytesRead
  }
  if (parts.length > 0) yield finish(new Uint8Array(), offset, false)
}
