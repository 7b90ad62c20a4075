import type { GrepMatch } from 'deepagents'
import { linePieces } from './line-pieces.ts'

/** UTF-16 units of a line that are shown, at most: of a longer one, those around the match. */
const SHOWN_LENGTH = 10_000

/** Find the lines of a text that contain `pattern`, each once, in bounded memory whatever their lengths. */
export async function* findMatches(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  pattern: string,
): AsyncGenerator<GrepMatch> {
  let latest = -1
  for await (const pieces of linePieces(chunks, Math.max(0, pattern.length - 1))) {
    for (const { index, text } of pieces) {
      const at = index === latest ? -1 : text.indexOf(pattern)
      if (at < 0) continue
      latest = index
      yield { path, line: index + 1, text: detach(windowAround(text, at)) }
    }
  }
}

function windowAround(text: string, at: number): string {
  if (text.length <= SHOWN_LENGTH) return text
  const start = Math.max(0, at - SHOWN_LENGTH / 2)
  const end = start + SHOWN_LENGTH
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`
}

/** Copy a string, so that keeping it does not keep the text alive that it was cut from. */
const detach = (text: string): string => ` ${text}`.slice(1)
