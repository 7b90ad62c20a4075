/** UTF-16 units after which a line that has not ended is passed on in pieces. */
const PIECE_LENGTH = 524_288

/** Some lines with LF between them, or a piece of one that is too long to be held. */
export interface TextBlock {
  readonly text: string
  /** The number of the first line, from 0. */
  readonly index: number
  /** How many lines there are, with the one that is empty where `text` ends with an LF. */
  readonly lines: number
  /** Whether the first line begins here, and does not go on from the block before. */
  readonly begins: boolean
}

/**
 * Decode UTF-8 and divide it into lines, as `split('\n')` does, holding no more than a chunk and a piece of a line.
 *
 * @param overlap - UTF-16 units that two pieces of one line share, so that what lies across them is found.
 */
export async function* textBlocks(chunks: AsyncIterable<Uint8Array>, overlap = 0): AsyncGenerator<TextBlock> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let rest = ''
  let index = 0
  let begins = true
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true })
    const end = rest.lastIndexOf('\n')
    if (end >= 0) {
      const text = rest.slice(0, end)
      const lines = countLines(text)
      yield { text, index, lines, begins }
      index += lines
      begins = true
      rest = rest.slice(end + 1)
    }
    if (rest.length > Math.max(PIECE_LENGTH, overlap)) {
      yield { text: rest, index, lines: 1, begins }
      begins = false
      rest = rest.slice(rest.length - overlap)
    }
  }
  yield { text: rest + decoder.decode(), index, lines: 1, begins }
}

function countLines(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1
  return lines
}
