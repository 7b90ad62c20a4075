import type { QueryWord } from './query-words.ts'

/** How much a word counts more where it is repeated in a line. */
const REPEAT = 1.2

/** How much a word counts less in a long line: from 0, not at all. */
const LENGTH = 0.3

/** What is known of the words of a question in a content. */
export interface WordStatistics {
  /** Lines and parts of long lines. */
  units: number
  /** UTF-16 units of all of them. */
  length: number
  /** How many of them have each word. */
  readonly unitCounts: number[]
}

/** What a word counts for its rarity: the inverse document frequency of BM25, where each unit is a document. */
export function weighWords(words: readonly QueryWord[], statistics: WordStatistics): number[] {
  const { units, unitCounts } = statistics
  return words.map(({ weight }, index) => {
    const count = unitCounts[index]!
    return count === 0 ? 0 : weight * Math.log(1 + (units - count + 0.5) / (count + 0.5))
  })
}

/** How much of its weight a word has that occurs so often in a unit of such a length: the saturation of BM25. */
export function saturate(times: number, length: number, averageLength: number): number {
  const relative = 1 - LENGTH + (LENGTH * length) / averageLength
  return (times * (REPEAT + 1)) / (times + REPEAT * relative)
}

/** UTF-16 units of a unit, on the average. */
export function averageLength({ units, length }: WordStatistics): number {
  return Math.max(1, length / Math.max(1, units))
}
