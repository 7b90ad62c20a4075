import type { Item } from './preview-model.ts'
import type { TextSubject } from '../previewer.ts'
import { bestItems } from './item-store.ts'

/** Shorter words are everywhere. */
const LEAST_UNITS = 3

/** Sought words, matched in any case. */
export class WantedWords {
  readonly #words: readonly string[]

  constructor(words: readonly string[]) {
    this.#words = words.map((word) => word.toLowerCase()).filter((word) => word.length >= LEAST_UNITS)
  }

  get isEmpty(): boolean {
    return this.#words.length === 0
  }

  isIn(text: string): boolean {
    if (this.isEmpty) return false
    const lower = text.toLowerCase()
    return this.#words.some((word) => lower.includes(word))
  }
}

/** Shorter words are everywhere. */
const WORDS = /\p{L}{4,40}/gu
/** Longer arguments are too unspecific. */
const ARGUMENT_UNITS = 300
const MOST_WORDS = 8
/** Examined items, the most valuable ones. */
const MOST_ITEMS = 1_000
/** Words in a larger share of the items are too common. */
const COMMON = 0.2
/** Factor for each matching word, up to a limit. */
const WORTH = 0.5
const COUNTED = 3

/** Includes file names and words of arguments. */
export function askedWords({ intent, input }: TextSubject): string[] {
  const texts = [...intent.paths.map((path) => path.slice(path.lastIndexOf('/') + 1)), ...intent.words]
  if (typeof input === 'object' && input !== null) {
    for (const value of Object.values(input))
      if (typeof value === 'string' && value.length <= ARGUMENT_UNITS && value.includes(' ')) texts.push(value)
  }
  return wordsOf(texts)
}

/** Returns each word once, in lowercase. */
export function wordsOf(texts: readonly string[]): string[] {
  const words = new Set<string>()
  for (const text of texts)
    for (const [word] of text.slice(0, ARGUMENT_UNITS).matchAll(WORDS))
      if (words.size < MOST_WORDS) words.add(word.toLowerCase())
  return [...words]
}

/** Raises items about the words, unless the words are everywhere. */
export function preferTopic(items: readonly Item[], words: readonly string[]): void {
  if (words.length === 0 || items.length === 0) return
  const best = bestItems(items, MOST_ITEMS)
  const texts = best.map(({ text }) => text.slice(0, 200).toLowerCase())
  const matches = new Uint8Array(best.length)
  const found: number[] = []
  for (const word of words) {
    found.length = 0
    for (let index = 0; index < texts.length; index++) if (texts[index]!.includes(word)) found.push(index)
    if (found.length <= best.length * COMMON) for (const index of found) matches[index]! += 1
  }
  for (const [index, item] of best.entries()) item.value *= 1 + WORTH * Math.min(COUNTED, matches[index]!)
}

/** More frequent words do not tell texts apart. */
const MOST_TEXTS = 8
/** UTF-16 units searched for all words together. */
const MOST_SEARCHED = 16_000_000

/** Counts the rare sought words in each text, in any case. Returns `undefined` if no text has any. */
export function countSought(texts: readonly string[], words: readonly string[]): Uint8Array | undefined {
  if (words.length === 0) return undefined
  const counts = new Uint8Array(texts.length)
  const lower = texts.map((text) => text.toLowerCase())
  const units = lower.reduce((sum, { length }) => sum + length + 1, 0)
  const sought = new Set(words.map((word) => word.toLowerCase()))
  for (const word of [...sought].slice(0, MOST_SEARCHED / units)) {
    const found: number[] = []
    for (let index = 0; index < lower.length && found.length <= MOST_TEXTS; index++)
      if (lower[index]!.includes(word)) found.push(index)
    if (found.length <= MOST_TEXTS) for (const index of found) counts[index]!++
  }
  return counts.includes(1) ? counts : undefined
}
