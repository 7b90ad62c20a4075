import { detach, lineBatches } from '@spillway/text/internal'

const BATCH_LENGTH = 262_144
/** UTF-16 units of a line that are shown, at most: of a longer one, those around the match. */
const SHOWN_LENGTH = 10_000

/** A line that has the text searched for. */
export interface FoundLine {
  readonly path: string
  /** Its number, from 1. */
  readonly line: number
  /** The line without its LF; of one over 10,000 UTF-16 units what is around the first match, with `…` where it is cut. */
  readonly text: string
}

/**
 * Find the lines of a text that have `literal` in them, each once, in bounded memory whatever their lengths.
 *
 * Nothing at all is in every line, and in the empty one after a final LF.
 */
export async function* findLines(
  path: string,
  blocks: AsyncIterable<Uint8Array>,
  literal: string,
): AsyncGenerator<FoundLine> {
  // Room for a match that lies across two batches of one line, however long it is.
  const maxLength = Math.max(BATCH_LENGTH, 4 * literal.length)
  const options = { maxLength, overlap: Math.max(0, literal.length - 1), keepByteOrderMark: true }
  let latest = 0
  let next = 1
  let endsOpen = false
  for await (const { text, firstLine, lineStarts, column, until } of lineBatches(blocks, options)) {
    endsOpen = until !== undefined || !text.endsWith('\n')
    next = firstLine + lineStarts.length
    if (!text.includes(literal)) continue
    for (const [index, start] of lineStarts.entries()) {
      const line = text.slice(start, lineStarts[index + 1]).replace(/\n$/, '')
      const at = firstLine + index === latest ? -1 : line.indexOf(literal)
      if (at < 0) continue
      latest = firstLine + index
      const isCut = { before: index === 0 && column > 0, after: until !== undefined }
      yield { path, line: latest, text: detach(windowAround(line, at, isCut)) }
    }
  }
  if (literal === '' && !endsOpen) yield { path, line: next, text: '' }
}

function windowAround(line: string, at: number, isCut: { readonly before: boolean; readonly after: boolean }): string {
  const start = line.length <= SHOWN_LENGTH ? 0 : Math.max(0, at - SHOWN_LENGTH / 2)
  const end = Math.min(line.length, start + SHOWN_LENGTH)
  const shown = line.slice(start, end)
  return `${start > 0 || isCut.before ? '… ' : ''}${shown}${end < line.length || isCut.after ? ' …' : ''}`
}
