import { NUMBER, ZERO } from './line-words.ts'
import type { ReadLine } from './read-line.ts'
import type { TextCounts } from './text-counts.ts'

const PRIME = 0x01000193
/** Stands for words that few lines have, however many follow each other. */
const RARE = 0x2a
/** Words are common if such a share of all lines has them: each share gives another view of what lines have in common. */
const COMMON_SHARES = [1 / 4, 1 / 16]

/** Lines are unlike all others if they are so few, and of so few of the lines one. */
const MOST_ODD = 4
const LEAST_RATIO = 64

/**
 * Find the few lines that are unlike all others: their indexes.
 *
 * The form of a line is its common words in their order. A line is odd if only a few lines have forms as rare as its own.
 */
export function oddLines(lines: readonly ReadLine[], counts: TextCounts): Set<number> {
  const odd = new Set<number>()
  for (const share of COMMON_SHARES) {
    const forms = lines.map(({ words }) => formOf(words, counts, counts.lines * share))
    for (const index of rarest(forms, Math.min(MOST_ODD, forms.length / LEAST_RATIO))) odd.add(index)
  }
  return odd
}

function formOf(words: Int32Array, counts: TextCounts, least: number): number {
  let form = 0
  let isAfterRare = false
  for (const read of words) {
    // A count that begins at 0 is not odd; one failure is, where all others have 0.
    const word = read === ZERO && counts.words.get(ZERO) < least ? NUMBER : read
    const isRare = counts.words.get(word) < least
    if (!isRare || !isAfterRare) form = Math.imul(form ^ (isRare ? RARE : word), PRIME)
    isAfterRare = isRare
  }
  return form
}

/** The indexes of the rarest forms, from the rarest on: those that occur equally often together, as long as there are few. */
function rarest(forms: readonly number[], most: number): number[] {
  const places = new Map<number, number[]>()
  for (const [index, form] of forms.entries()) {
    const known = places.get(form)
    if (known === undefined) places.set(form, [index])
    else if (known.length <= most) known.push(index)
  }
  let found: number[] = []
  for (let count = 1; count <= most; count++) {
    const more = [...places.values()].filter(({ length }) => length === count).flat()
    if (found.length + more.length > most) break
    found = [...found, ...more]
  }
  return found
}
