/** UTF-16 units after which a line that has not ended is passed on in pieces. */
const PIECE_LENGTH = 524_288

/** A line, or a piece of one that is too long to be held. */
export interface LinePiece {
  /** The line's number, from 0. */
  readonly index: number
  readonly text: string
  /** Whether the line begins here, and does not go on from the piece before. */
  readonly begins: boolean
}

/**
 * Decode UTF-8 and divide it at every LF, as `split('\n')` does, holding no more than a chunk and a piece of a line.
 *
 * @param overlap - UTF-16 units that two pieces of one line share, so that what lies across them is found.
 */
export async function* linePieces(chunks: AsyncIterable<Uint8Array>, overlap = 0): AsyncGenerator<LinePiece[]> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let rest = ''
  let index = 0
  let begins = true

  function take(text: string, isLast: boolean): LinePiece[] {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    const pieces: LinePiece[] = []
    for (const line of lines) {
      pieces.push({ index, text: line, begins })
      index += 1
      begins = true
    }
    if (!isLast && rest.length <= Math.max(PIECE_LENGTH, overlap)) return pieces
    pieces.push({ index, text: rest, begins })
    begins = false
    rest = rest.slice(rest.length - overlap)
    return pieces
  }

  for await (const chunk of chunks) yield take(decoder.decode(chunk, { stream: true }), false)
  yield take(decoder.decode(), true)
}
