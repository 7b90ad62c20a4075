import { yieldToEventLoop } from '@spillway/text/internal'
import { editDistance } from '../closest-names.ts'
import { textChunks } from './text-chunks.ts'

/** Different words that are compared, at most. */
const MAX_WORDS = 20_000

/** Words named for each one that does not occur. */
const MAX_NAMED = 3

const WORD = /[\p{L}\p{N}]+/gu

/** UTF-16 units of words that are compared: comparing takes the square of them. */
const LENGTHS = { least: 3, most: 24 }

/** Words that others are looked for, at most. */
const MAX_ASKED = 4

/**
 * Find words of a content that are spelled almost like each of `texts`, which are in lower case: the nearest first, of
 * equally near ones the first in the content. Only the first few texts are looked at.
 */
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
