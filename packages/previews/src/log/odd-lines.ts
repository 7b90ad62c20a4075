import { NUMBER, ZERO } from './line-words.ts'
import type { ReadLine } from './read-line.ts'
import type { TextCounts } from './text-counts.ts'

const PRIME = 0x01000193
/** Stands for words that few lines have, however many follow each other. */
const RARE = 0x2a
/** Words are common if such a share of all lines has them: each share gives another view of what lines have in common. */
const COMMON_SHARES = [1 / 4, 1 / 16]

/** Lines are unlike all others if they are so few, and of so many lines one. */
const MOST_ODD = 4
const LEAST_RATIO = 64

/**
 * For each view of what lines have in common, how rare each line is: the number of lines whose form is as rare as its own or
 * rarer. The form of a line is its common words in their order.
 */
export function formRanks(lines: readonly ReadLine[], counts: TextCounts): Float64Array[] {
  return COMMON_SHARES.map((share) => ranksOf(lines.map(({ words }) => formOf(words, counts, counts.lines * share))))
}

/** The indexes of the few lines that are unlike all others. */
export function oddLines(ranks: readonly Float64Array[]): Set<number> {
  return new Set(
    ranks.flatMap((view) =>
      [...view.keys()].filter((index) => view[index]! <= Math.min(MOST_ODD, view.length / LEAST_RATIO)),
    ),
  )
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

function ranksOf(forms: readonly number[]): Float64Array {
  const counts = new Map<number, number>()
  for (const form of forms) counts.set(form, (counts.get(form) ?? 0) + 1)
  /** Lines whose form occurs so often, then at most so often. */
  const upTo = new Map<number, number>()
  for (const count of counts.values()) upTo.set(count, (upTo.get(count) ?? 0) + count)
  let sum = 0
  for (const count of [...upTo.keys()].toSorted((one, other) => one - other)) {
    sum += upTo.get(count)!
    upTo.set(count, sum)
  }
  return Float64Array.from(forms, (form) => upTo.get(counts.get(form)!)!)
}
