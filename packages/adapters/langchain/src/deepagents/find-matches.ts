import type { GrepMatch } from 'deepagents'
import { textBlocks } from './text-blocks.ts'

/** UTF-16 units of a line that are shown, at most: of a longer one, those around the match. */
const SHOWN_LENGTH = 10_000

/** Find the lines of a text that contain `pattern`, each once, in bounded memory whatever their lengths. */
export async function* findMatches(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  pattern: string,
): AsyncGenerator<GrepMatch> {
  let latest = -1
  for await (const { text, index } of textBlocks(chunks, Math.max(0, pattern.length - 1))) {
    if (!text.includes(pattern)) continue
    for (const [offset, line] of text.split('\n').entries()) {
      const at = index + offset === latest ? -1 : line.indexOf(pattern)
      if (at < 0) continue
      latest = index + offset
      yield { path, line: latest + 1, text: detach(windowAround(line, at)) }
    }
  }
}

function windowAround(line: string, at: number): string {
  if (line.length <= SHOWN_LENGTH) return line
  const start = Math.max(0, at - SHOWN_LENGTH / 2)
  const end = start + SHOWN_LENGTH
  return `${start > 0 ? '… ' : ''}${line.slice(start, end)}${end < line.length ? ' …' : ''}`
}

/** Copy a string, so that keeping it does not keep the text alive that it was cut from. */
const detach = (text: string): string => ` ${text}`.slice(1)
