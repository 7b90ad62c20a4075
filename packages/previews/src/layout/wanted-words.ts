import type { Item } from './preview-model.ts'
import type { TextSubject } from '../previewer.ts'
import { bestItems } from './item-store.ts'

/** Shorter words stand everywhere. */
const LEAST_UNITS = 3

/** What a call looks for, and whether a text holds some of it, whatever the case. */
export class WantedWords {
  readonly #words: readonly string[]

  constructor(words: readonly string[]) {
    this.#words = words.map((word) => word.toLowerCase()).filter((word) => word.length >= LEAST_UNITS)
  }

  /** Whether nothing is looked for. */
  get isEmpty(): boolean {
    return this.#words.length === 0
  }

  isIn(text: string): boolean {
    if (this.isEmpty) return false
    const lower = text.toLowerCase()
    return this.#words.some((word) => lower.includes(word))
  }
}

/** Shorter words stand everywhere. */
const WORDS = /\p{L}{4,40}/gu
/** Arguments that are longer say too much. */
const ARGUMENT_UNITS = 300
const MOST_WORDS = 8
/** Items that are looked at, those worth most. */
const MOST_ITEMS = 1_000
/** A word in more of the items than this tells nothing of any of them. */
const COMMON = 0.2
/** How much more an item is worth for each of its words, up to a number of them. */
const WORTH = 0.5
const COUNTED = 3

/** The words of what a tool was asked for: names of files, and arguments in words. */
export function askedWords({ intent, input }: TextSubject): string[] {
  const texts = [...intent.paths.map((path) => path.slice(path.lastIndexOf('/') + 1)), ...intent.words]
  if (typeof input === 'object' && input !== null) {
    for (const value of Object.values(input))
      if (typeof value === 'string' && value.length <= ARGUMENT_UNITS && value.includes(' ')) texts.push(value)
  }
  return wordsOf(texts)
}

/** The words of some texts, each once, without their case. */
export function wordsOf(texts: readonly string[]): string[] {
  const words = new Set<string>()
  for (const text of texts)
    for (const [word] of text.slice(0, ARGUMENT_UNITS).matchAll(WORDS))
      if (words.size < MOST_WORDS) words.add(word.toLowerCase())
  return [...words]
}

/** Make those items worth more that are about some words, where these tell them from others. */
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
