/** Bytes of a chunk, at most. */
const CHUNK_BYTES = 65_536

/** Bytes that are looked through for the end of a word, where a long line has to be divided. */
const WORD_BYTES = 256

const LINE_FEED = 10
const BYTE_ORDER_MARK = '\uFEFF'

/** Decoded text: whole lines with their ends, or a part of one line that is longer than a chunk. */
export interface TextChunk {
  readonly text: string
  /** Where it begins in the content. */
  readonly offset: number
  /** Bytes of it. */
  readonly size: number
  /** Number of the first line, from 1. */
  readonly firstLine: number
  /** Where it begins in that line, in UTF-16 units from 0. */
  readonly column: number
  /** Where each line ends in `text`, at its LF or at the end of what is here of it. */
  readonly lineEnds: readonly number[]
  /** Whether the line goes on in the next chunk. */
  readonly open: boolean
}

/**
 * Decode UTF-8 in chunks of bounded size, the same ones however the blocks are cut, each with its place.
 *
 * A byte order mark at the start is left out, invalid bytes become U+FFFD. Lines end at LF; a very long one is divided,
 * between words where there are some.
 */
export async function* textChunks(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<TextChunk> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const buffer = new Uint8Array(CHUNK_BYTES)
  let filled = 0
  let offset = 0
  let firstLine = 1
  let column = 0

  const take = (last: boolean): TextChunk => {
    const end = chunkEnd(buffer, filled, column > 0, last)
    const decoded = decoder.decode(buffer.subarray(0, end))
    const text = offset === 0 && decoded.startsWith(BYTE_ORDER_MARK) ? decoded.slice(1) : decoded
    const ended = buffer[end - 1] === LINE_FEED
    const open = !ended && !(last && end === filled)
    const lineEnds = findLineEnds(text)
    const chunk = { text, offset, size: end, firstLine, column, lineEnds, open }
    firstLine += ended ? lineEnds.length : lineEnds.length - 1
    column = open ? column + text.length : 0
    buffer.copyWithin(0, end, filled)
    filled -= end
    offset += end
    return chunk
  }

  for await (const block of blocks) {
    for (let at = 0; at < block.length;) {
      const part = block.subarray(at, at + CHUNK_BYTES - filled)
      buffer.set(part, filled)
      filled += part.length
      at += part.length
      if (filled === CHUNK_BYTES) yield take(false)
    }
  }
  while (filled > 0) yield take(true)
}

/** Where the chunk at the start of the buffer ends. */
function chunkEnd(buffer: Uint8Array, filled: number, continued: boolean, last: boolean): number {
  if (continued) {
    const first = buffer.subarray(0, filled).indexOf(LINE_FEED)
    if (first >= 0) return first + 1
  }
  if (last) return filled
  const lastEnd = buffer.lastIndexOf(LINE_FEED, filled - 1)
  return lastEnd >= 0 ? lastEnd + 1 : partEnd(buffer, filled)
}

/** Where a part of a long line ends: between words, or at least between characters. */
function partEnd(buffer: Uint8Array, filled: number): number {
  for (let end = filled; end > filled - WORD_BYTES; end--) if (isSeparator(buffer[end - 1]!)) return end
  let end = filled
  // At most three bytes of a character follow its first one.
  while (end > filled - 3 && (buffer[end - 1]! & 0xc0) === 0x80) end--
  return buffer[end - 1]! >= 0xc0 ? end - 1 : filled
}

/** Tell whether a byte is an ASCII character that is in no word. */
function isSeparator(byte: number): boolean {
  return byte < 48 || (byte > 57 && byte < 65) || (byte > 90 && byte < 95) || byte === 96 || (byte > 122 && byte < 127)
}

function findLineEnds(text: string): number[] {
  const ends: number[] = []
  let start = 0
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    ends.push(end)
    start = end + 1
  }
  if (start < text.length || text === '') ends.push(text.length)
  return ends
}
