import { yieldToEventLoop } from '#platform'
import { editDistance } from '../shared/closest-names.ts'
import { textChunks } from './scan-words.ts'

const MAX_WORDS = 20_000
const MAX_NAMED = 3
const WORD = /[\p{L}\p{N}]+/gu
/** Comparing words takes the square of their length. */
const LENGTHS = { least: 3, most: 24 }
const MAX_ASKED = 4

/** Nearest first; ties in the order of the content. */
export async function findNearWords(
  blocks: AsyncIterable<Uint8Array>,
  texts: readonly string[],
): Promise<readonly (readonly string[])[]> {
  const near = texts.map(() => new Map<string, number>())
  const seen = new Set<string>()
  for await (const { text } of textChunks(blocks)) {
    for (const [found] of text.matchAll(WORD)) {
      const word = found.toLowerCase()
      if (word.length < LENGTHS.least || word.length > LENGTHS.most || seen.has(word)) continue
      seen.add(word)
      for (const [index, asked] of texts.slice(0, MAX_ASKED).entries()) {
        const most = asked.length < 5 ? 1 : 2
        const distance = Math.abs(asked.length - word.length) > most ? Infinity : editDistance(asked, word)
        if (distance <= most) near[index]!.set(word, distance)
      }
      if (seen.size === MAX_WORDS) break
    }
    if (seen.size === MAX_WORDS) break
    await yieldToEventLoop()
  }
  return near.map((words) =>
    [...words]
      .toSorted(([, a], [, b]) => a - b)
      .slice(0, MAX_NAMED)
      .map(([word]) => word),
  )
}
